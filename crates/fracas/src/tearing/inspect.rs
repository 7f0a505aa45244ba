//! A look at the trees of a body: how good they are, from sums that every edit keeps up to date, and their boxes.

use super::TearingBody;
use super::metric::{Sums, half_area, squared_volume};
use crate::geom::DVec3;

/// Measures of the trees of a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TearingQuality {
    /// The largest height of a piece: 0 for a single triangle.
    pub depth: usize,
    /// Triangles in the trees.
    pub triangles: usize,
    /// The sum of the areas of all boxes over those of the roots: the expected number of boxes a random line through
    /// the body meets. Smaller is better.
    pub sah: f64,
    /// Q of the paper: the sum of squared volumes of all boxes over those of the roots. About 2 for a perfect tree of a
    /// solid. `None` where the body is flat.
    pub q: Option<f64>,
}

/// The box of a node or triangle in the tree of a piece.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TreeBox {
    /// Steps down from the root of its piece, which is at level 0.
    pub level: u32,
    /// The lowest corner.
    pub low: DVec3,
    /// The highest corner.
    pub high: DVec3,
}

impl TearingBody {
    /// Measures the trees.
    ///
    /// # Cost
    /// O(pieces): every node keeps the sums of what is below it.
    #[must_use]
    pub fn quality(&self) -> TearingQuality {
        let arena = &self.tree.arena;
        let mut quality = TearingQuality { depth: 0, triangles: 0, sah: 0.0, q: None };
        let (mut areas, mut squares) = ([0.0; 2], [0.0; 2]);
        for &root in &self.tree.roots {
            let root = arena.slot(root);
            let all = Sums::of(root, arena.sums_below(root));
            quality.depth = quality.depth.max(root.height() as usize);
            quality.triangles += all.leaves as usize;
            areas[0] += f64::from(all.half_area);
            areas[1] += f64::from(half_area(root.bounds()));
            squares[0] += f64::from(all.squared_volume);
            squares[1] += f64::from(squared_volume(root.bounds()));
        }
        quality.sah = if areas[1] > 0.0 { areas[0] / areas[1] } else { 0.0 };
        quality.q = (squares[1] > 0.0).then(|| squares[0] / squares[1]);
        quality
    }

    /// The height of a piece's tree, and how many triangles it holds. Panics if there is no such piece.
    #[must_use]
    pub fn piece_depth(&self, piece: usize) -> (usize, usize) {
        let root = self.tree.arena.slot(self.tree.roots[piece]);
        let all = Sums::of(root, self.tree.arena.sums_below(root));
        (root.height() as usize, all.leaves as usize)
    }

    /// The boxes of all pieces from the roots down, by level: as many whole levels as have `most` boxes at most.
    ///
    /// Boxes are those that queries compare, rounded outward, so that they enclose what is below them.
    ///
    /// # Cost
    /// O(`most`).
    ///
    /// ```
    /// use fracas::{mesh::shapes, tearing::TearingBody};
    /// let body = TearingBody::build(shapes::icosphere(1.0, 2));
    /// let boxes = body.boxes(7);
    /// assert_eq!(boxes.iter().map(|b| b.level).collect::<Vec<_>>(), [0, 1, 1, 2, 2, 2, 2]);
    /// assert!(boxes[0].low.max_element() <= -0.8 && boxes[0].high.min_element() >= 0.8);
    /// assert_eq!(body.boxes(usize::MAX).len(), 2 * 320 - 1);
    /// ```
    #[must_use]
    pub fn boxes(&self, most: usize) -> Vec<TreeBox> {
        let (arena, frame) = (&self.tree.arena, &self.tree.frame);
        let corner = |x: [f32; 3]| frame.unmap(DVec3::from_array(x.map(f64::from)));
        let mut boxes = Vec::new();
        let mut slots: Vec<u32> = self.tree.roots.clone();
        for level in 0.. {
            slots.retain(|&at| !arena.slot(at).is_empty());
            if slots.is_empty() || boxes.len() + slots.len() > most {
                break;
            }
            boxes.extend(slots.iter().map(|&at| {
                let (low, high) = arena.slot(at).corners();
                TreeBox { level, low: corner(low), high: corner(high) }
            }));
            let nodes = slots.iter().filter_map(|&at| arena.slot(at).child().as_node());
            slots = nodes.flat_map(|node| [2 * node, 2 * node + 1]).collect();
        }
        boxes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::{MeshEdit, TriangleId, shapes};

    #[test]
    fn every_level_encloses_all_triangles_that_reach_it() {
        let mut body = TearingBody::build(shapes::noisy_sphere(500, 0.3, 3));
        let removed = (0..40).map(|k| TriangleId(11 * k)).collect();
        body.apply(&MeshEdit { removed, ..MeshEdit::default() }).unwrap();
        let boxes = body.boxes(usize::MAX);
        // A tree of n triangles has n leaves and n - 1 nodes; so it is for each piece.
        assert_eq!(boxes.len(), 2 * body.mesh().live_count() - body.piece_count());
        assert!(boxes.is_sorted_by_key(|b| b.level));
        let slack = DVec3::splat(1e-6);
        for triangle in body.mesh().live_triangles() {
            for corner in body.mesh().corners(triangle) {
                let p = body.mesh().positions()[corner as usize];
                let holds = |b: &TreeBox| (b.low - slack).cmple(p).all() && (b.high + slack).cmpge(p).all();
                for level in 0..3 {
                    assert!(boxes.iter().any(|b| b.level == level && holds(b)), "{p} at level {level}");
                }
            }
        }
        let few = body.boxes(20);
        assert!(!few.is_empty() && few.len() <= 20 && boxes.starts_with(&few));
        assert!(body.boxes(0).is_empty());
    }
}
