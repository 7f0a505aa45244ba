//! The surface of a fragment as a body of its own: facet trees as a walk sees them.
//!
//! The boxes are those of the facet tree. They have the frame's origin, so the frame only scales them,
//! by a power of two, which rounds nothing. Corners are the points of the fragment's sphere tree. Facets that share a
//! point share its number, so a fragment can be asked about itself.
//!
//! Ids are those of the triangles of [`BrittleBody::surface`]. Triangles without area are in no facet tree, so they are in no pair.

use super::FacetTree;
use super::facet_tree::bounds;
use crate::brittle::surface::SurfacePolygons;
use crate::brittle::{BrittleBody, BrittleError, Fragment, FragmentId};
use crate::geom::{LANES, Triangle};
use crate::pairs::{Frame, Row, RowIds};
use crate::walk::{Child, Corners, Hierarchy, Node, RowTwins, Stamp, View};

/// What a walk needs of the facets beside their boxes.
#[derive(Clone, Debug)]
pub(super) struct Walkable {
    frame: Frame,
    /// By facet: the points at its corners, and where they are.
    points: Vec<[u32; 3]>,
    corners: Vec<Triangle>,
    /// By triangle of the surface: its facet.
    facet_of: Vec<u32>,
    /// By level above the facets' own boxes: the place of its first block.
    first_place: Vec<usize>,
}

impl BrittleBody {
    /// The surface of a fragment as a body for every query, in the coordinates of the solid. Ids are those of the triangles
    /// of [`BrittleBody::surface`]; triangles without area are left out.
    ///
    /// # Errors
    /// If there is no such fragment, or it has broken.
    ///
    /// # Cost
    /// The first time, that of [`BrittleBody::facet_tree`] and of [`BrittleBody::surface`].
    ///
    /// ```
    /// use fracas::brittle::{BrittleBody, Solid, SolidOptions};
    /// use fracas::{Finder, MeshTree, geom::DVec3, mesh::{shapes, tets::brick}};
    /// let solid = Solid::build(brick(DVec3::ONE, [4, 4, 4]), &SolidOptions::default())?;
    /// let body = BrittleBody::new(solid.into());
    /// let ball = MeshTree::build(shapes::icosphere(0.6, 3));
    /// let cube = body.view(body.fragments().next().unwrap())?;
    /// assert!(!Finder::default().find_pairs(cube, &ball).is_empty());
    /// # Ok::<(), fracas::brittle::BrittleError>(())
    /// ```
    pub fn view(&self, fragment: FragmentId) -> Result<View<'_>, BrittleError> {
        let tree = self.facet_tree(fragment)?;
        tree.make_walkable(self, self.fragment(fragment)?);
        Ok(View::of(tree, None))
    }
}

impl FacetTree {
    /// The triangle of [`BrittleBody::surface`] that each facet is, in the order of the tree: eight to a leaf.
    #[must_use]
    pub fn triangles(&self) -> &[u32] {
        &self.triangles
    }

    /// The points of the fragment's sphere tree between which each facet lies.
    pub(crate) fn points(&self, body: &BrittleBody, known: &Fragment) -> &[[u32; 3]] {
        &self.make_walkable(body, known).points
    }

    /// Gathers what a walk needs, once. `known` is the fragment of the body that the tree was built from.
    fn make_walkable(&self, body: &BrittleBody, known: &Fragment) -> &Walkable {
        self.walkable.get_or_init(|| {
            let polygons = SurfacePolygons::of(body, known, self.fragment);
            let all: Vec<[u32; 3]> = polygons.triangles().map(|(corners, _)| corners).collect();
            let points: Vec<[u32; 3]> = self.triangles.iter().map(|&t| all[t as usize]).collect();
            let position = |point: u32| known.tree().points()[point as usize];
            let corners = points.iter().map(|p| p.map(position)).map(|[a, b, c]| Triangle::new(a, b, c));
            let corners = corners.collect();
            let mut facet_of = vec![u32::MAX; all.len()];
            (0..).zip(&self.triangles).for_each(|(facet, &t)| facet_of[t as usize] = facet);
            let sizes = self.levels[1..].iter().map(Vec::len);
            let first_place =
                sizes.scan(0, |next, size| Some(std::mem::replace(next, *next + size))).collect();
            let (low, high) = known.bounds().corners();
            let reach = (low - self.origin).abs().max((high - self.origin).abs());
            let frame = Frame { centre: self.origin, ..Frame::around(-reach, reach) };
            Walkable { frame, points, corners, facet_of, first_place }
        })
    }

    fn walkable(&self) -> &Walkable {
        self.walkable.get().expect("a view has been made")
    }

    /// A box of the tree in frame coordinates.
    fn scaled(&self, corners: [[f32; 3]; 2]) -> Corners {
        let scale = self.walkable().frame.scale as f32;
        let [low, high] = corners.map(|corner| corner.map(|x| x * scale));
        (low, high)
    }
}

impl Hierarchy for FacetTree {
    fn frame(&self) -> Frame {
        self.walkable().frame
    }

    fn root_count(&self) -> usize {
        usize::from(!self.sources.is_empty())
    }

    fn root(&self, _: usize) -> (Child, Corners) {
        let top = self.levels.len() - 1;
        let root = if top == 0 { Child::leaf(0) } else { Child::node(self.walkable().first_place[top - 1]) };
        (root, self.scaled(bounds(&self.levels[top][0])))
    }

    fn node<'s>(&'s self, place: usize, node: &'s mut Node) -> &'s Node {
        let first_place = &self.walkable().first_place;
        let level = first_place.partition_point(|&first| first <= place);
        let block = place - first_place[level - 1];
        *node = Node::EMPTY;
        let below = self.levels[level - 1].len();
        for lane in 0..LANES.min(below - LANES * block) {
            let child = LANES * block + lane;
            let child =
                if level == 1 { Child::leaf(child) } else { Child::node(first_place[level - 2] + child) };
            let (low, high) = self.levels[level][block].lane(lane);
            node.push(self.scaled([low, high]), child);
        }
        node
    }

    fn ids<'s>(&'s self, place: usize, ids: &'s mut RowIds) -> &'s RowIds {
        *ids = RowIds::EMPTY;
        let listed = self.triangles[LANES * place..].iter().take(LANES);
        ids.triangles.iter_mut().zip(listed).for_each(|(to, &triangle)| *to = triangle);
        ids
    }

    fn row(&self, place: usize, _: RowTwins, row: &mut Row, ids: &mut RowIds) {
        self.ids(place, ids);
        let Walkable { frame, points, corners, .. } = self.walkable();
        for lane in 0..LANES {
            // Unused lanes repeat the first facet, so that their coordinates are finite.
            let facet = LANES * place + if ids.triangles[lane] == RowIds::NONE { 0 } else { lane };
            for (k, p) in corners[facet].corners().into_iter().enumerate() {
                ids.vertices[k][lane] = points[facet][k];
                for (axis, x) in frame.map(p).into_iter().enumerate() {
                    row.corners[k][axis][lane] = x;
                }
            }
        }
    }

    fn triangle(&self, id: u32) -> Triangle {
        self.walkable().corners[self.walkable().facet_of[id as usize] as usize]
    }

    fn vertices(&self, id: u32, _: bool) -> [u32; 3] {
        self.walkable().points[self.walkable().facet_of[id as usize] as usize]
    }

    fn stamp(&self) -> Stamp {
        self.stamp
    }
}
