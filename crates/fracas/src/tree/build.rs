//! Building the tree, stage by stage.
//!
//! ```text
//!   mesh ──▶ items: the box of each triangle ──▶ sets of sets, divided (grow) ──▶ nodes, in order (assemble)
//!                                                                                   │
//!            outlines of patches (walk/contour) ◀── boxes (refit) ◀── rows ◀── ids ◀┘
//! ```
//!
//! Every stage uses all threads from its beginning, and no stage writes memory on one thread that others could write: at
//! sixteen threads, filling the rows with zeros would take as long as all divisions. The tree is the same for any number of threads,
//! since lists are cut into tasks by their length alone.

use super::MeshTree;
use super::assemble::Layout;
use super::grow::Builder;
use super::partition::{Extent, Item, SplitRule};
use super::refit::filled_row;
use super::smooth_pieces::bearing;
use crate::base::Stopwatch;
use crate::base::parallel::{self, CHUNK};
use crate::geom::Triangle;
use crate::mesh::Mesh;
use crate::pairs::{Frame, LANES, RowIds};
use crate::walk::{Contours, Stamp};
use std::time::Duration;

/// How to build a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BuildOptions {
    /// How sets of triangles are divided. Default: by surface area.
    pub split: SplitRule,
    /// Whether the tree will be asked for self-intersections. If so, the outlines of its patches are gathered,
    /// which lets a query skip patches that cannot meet themselves; it costs a part of the build time. Without
    /// it self-queries are as right, but slower. Default: true.
    pub self_queries: bool,
    /// Use all threads of the current rayon pool. The tree is the same either way. Default: true.
    pub parallel: bool,
}

impl Default for BuildOptions {
    fn default() -> Self {
        Self { split: SplitRule::SurfaceArea, self_queries: true, parallel: true }
    }
}

impl MeshTree {
    /// Builds the tree over a mesh as the options say.
    #[must_use]
    pub fn build_with(mesh: Mesh, options: &BuildOptions) -> Self {
        Self::build_watched(mesh, options, &mut Stopwatch::stopped())
    }

    /// As [`MeshTree::build_with`], with the time of each stage: for measuring.
    #[doc(hidden)]
    #[must_use]
    pub fn build_timed(mesh: Mesh, options: &BuildOptions) -> (Self, Vec<(&'static str, Duration)>) {
        let mut watch = Stopwatch::started();
        let tree = Self::build_watched(mesh, options, &mut watch);
        (tree, watch.into_laps())
    }

    fn build_watched(mesh: Mesh, options: &BuildOptions, watch: &mut Stopwatch) -> Self {
        let BuildOptions { parallel, self_queries, .. } = *options;
        let (low, high) = mesh.bounds_with(parallel).corners();
        let frame = Frame::around(low, high);
        watch.lap("bounds");
        let mut items = gather(&mesh, &frame, options);
        watch.lap("boxes of triangles");
        let layout = Layout::of(Builder::new(&mesh, options).grow(&mut items));
        watch.lap("divide");
        let nodes = layout.nodes(parallel);
        let starts = layout.leaf_starts();
        let ids = parallel::collect(parallel, starts.len() - 1, |leaf| {
            row_ids(&mesh, &items[starts[leaf] as usize..starts[leaf + 1] as usize])
        });
        watch.lap("nodes and ids");
        let positions = mesh.positions();
        let mut rows = Vec::new();
        // To give memory back takes the system a while.
        let fill = || {
            rows = parallel::collect(parallel, ids.len(), |leaf| filled_row(positions, &frame, &ids[leaf]))
        };
        parallel::join(parallel, fill, || drop((items, layout)));
        watch.lap("rows");
        let contours = self_queries.then(|| Contours::build(&nodes, &ids, parallel));
        watch.lap("outlines");
        let (stamp, topology) = (Stamp::new(), Stamp::new());
        let mut tree = Self { mesh, stamp, topology, frame, nodes, rows, ids, contours };
        tree.fit_boxes(parallel);
        watch.lap("fit boxes");
        tree
    }
}

/// The boxes of all triangles, with where their normals point if self-queries are expected.
fn gather(mesh: &Mesh, frame: &Frame, options: &BuildOptions) -> Vec<Item> {
    let (positions, triangles) = (mesh.positions(), mesh.triangles());
    parallel::collect(options.parallel, triangles.len(), |triangle| {
        let corners = triangles[triangle].map(|v| positions[v as usize]);
        let item = Item::new(frame, corners, triangle as u32);
        if !options.self_queries {
            return item;
        }
        let [a, b, c] = corners;
        item.with_bearing(bearing(Triangle::new(a, b, c).area_vector()))
    })
}

/// The extent of all items, taken in chunks.
pub(super) fn extent_of(items: &[Item], parallel: bool) -> Extent {
    let mut all = Extent::EMPTY;
    parallel::map(parallel, items.chunks(CHUNK), Extent::of).iter().for_each(|part| all.join(part));
    all
}

fn row_ids(mesh: &Mesh, items: &[Item]) -> RowIds {
    let mut ids = RowIds::EMPTY;
    for lane in 0..LANES {
        // Unused lanes repeat the first triangle, so that their coordinates are finite.
        let triangle = items.get(lane).unwrap_or(&items[0]).triangle();
        let corners = mesh.triangles()[triangle as usize];
        for corner in 0..3 {
            ids.vertices[corner][lane] = corners[corner];
        }
        if lane < items.len() {
            ids.triangles[lane] = triangle;
        }
    }
    ids
}

#[cfg(all(test, feature = "parallel"))]
mod tests {
    use super::*;
    use crate::geom::DVec3;
    use crate::mesh::shapes;

    fn on_threads<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
        rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads").install(work)
    }

    /// Every node, row and outline, one by one: the text of a whole tree would take gigabytes.
    fn assert_same(one: &MeshTree, other: &MeshTree, what: &str) {
        assert_eq!((one.nodes.len(), one.rows.len()), (other.nodes.len(), other.rows.len()), "{what}");
        for (k, (p, q)) in one.nodes.iter().zip(&other.nodes).enumerate() {
            assert_eq!(format!("{p:?}"), format!("{q:?}"), "{what}: node {k}");
        }
        for (k, (p, q)) in one.rows.iter().zip(&other.rows).enumerate() {
            let bits = |row: &crate::pairs::Row| row.corners.map(|c| c.map(|a| a.map(f32::to_bits)));
            assert_eq!(bits(p), bits(q), "{what}: row {k}");
        }
        for (k, (p, q)) in one.ids.iter().zip(&other.ids).enumerate() {
            assert_eq!((p.triangles, p.vertices), (q.triangles, q.vertices), "{what}: ids {k}");
        }
        assert!(one.contours == other.contours, "{what}: outlines");
        assert_eq!(one.frame, other.frame, "{what}");
    }

    /// Large enough that all threads divide sets together, at several levels; and so that there is no place for a cut.
    #[test]
    fn large_trees_are_the_same_on_any_number_of_threads() {
        let corners = vec![DVec3::ZERO, DVec3::X, DVec3::Y];
        let copies = Mesh::new(corners, vec![[0, 1, 2]; 70_000]).expect("a mesh");
        for (name, mesh) in [
            ("cloth", shapes::folded_cloth(300_000)),
            ("sphere", shapes::noisy_sphere(100_000, 0.2, 3)),
            ("copies", copies),
        ] {
            for self_queries in [true, false] {
                let options = BuildOptions { self_queries, ..BuildOptions::default() };
                let alone = BuildOptions { parallel: false, ..options };
                let expected = MeshTree::build_with(mesh.clone(), &alone);
                expected.validate().unwrap_or_else(|broken| panic!("{name}: {broken}"));
                for threads in [1, 2, 8] {
                    let tree = on_threads(threads, || MeshTree::build_with(mesh.clone(), &options));
                    assert_same(&tree, &expected, &format!("{name}, {self_queries}, {threads} threads"));
                }
            }
        }
    }

    #[test]
    fn a_timed_build_gives_the_same_tree_and_names_its_stages() {
        let mesh = shapes::folded_cloth(20_000);
        let options = BuildOptions::default();
        let (tree, stages) = MeshTree::build_timed(mesh.clone(), &options);
        assert_same(&tree, &MeshTree::build_with(mesh, &options), "timed");
        assert!(stages.iter().any(|(stage, _)| *stage == "divide"), "{stages:?}");
    }
}
