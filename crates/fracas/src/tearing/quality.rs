//! How good the trees of a body are, from sums that every edit keeps up to date.

use super::TearingBody;
use super::metric::{Sums, half_area, squared_volume};

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
            areas = [areas[0] + f64::from(all.half_area), areas[1] + f64::from(half_area(root.bounds()))];
            squares = [
                squares[0] + f64::from(all.squared_volume),
                squares[1] + f64::from(squared_volume(root.bounds())),
            ];
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
}
