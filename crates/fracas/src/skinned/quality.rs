//! How tight bounds are: the measure of the paper's Figure 5.

use super::body::SkinnedBody;
use crate::geom::DVec3;

/// How much larger the bounds of one level of the tree are than the smallest boxes of the same vertices.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tightness {
    /// Bounds of this level.
    pub boxes: usize,
    /// Half the diagonal of a bound over that of the smallest box, on average.
    pub average: f64,
    /// The largest such ratio.
    pub largest: f64,
}

impl SkinnedBody {
    /// How tight the bounds are for the present transforms, level by level: first that of the whole body, last those of leaves.
    /// Boxes without extent do not count.
    ///
    /// # Cost
    /// Evaluates every vertex and every bound: for measuring.
    ///
    /// ```
    /// use fracas::mesh::{Influence, Skin, shapes};
    /// use fracas::skinned::{SkinOptions, SkinnedBody};
    /// let rest = shapes::icosphere(1.0, 3);
    /// let weights = vec![[Influence { node: 0, weight: 1.0 }]; rest.vertex_count()];
    /// let body = SkinnedBody::new(Skin::new(rest, 1, weights).unwrap(), &SkinOptions::default()).unwrap();
    /// // At rest, boxes are as small as they can be.
    /// assert!(body.tightness().iter().all(|level| level.largest < 1.001));
    /// ```
    #[must_use]
    pub fn tightness(&self) -> Vec<Tightness> {
        let mut levels: Vec<Tightness> = vec![];
        let exact = self.exact_boxes();
        let Some((_, whole)) = exact.first() else { return levels };
        let (low, high) = self.motion.root;
        note(&mut levels, 0, corners(low, high), *whole);
        // Parents come before their children.
        let mut depths = vec![1; self.tree.len()];
        for (index, (lanes, _)) in exact.iter().enumerate() {
            let boxes = self.formula(index);
            for (lane, child) in self.tree[index].used() {
                if !child.is_leaf() {
                    depths[child.index()] = depths[index] + 1;
                }
                let (low, high) = boxes.lane(lane);
                note(&mut levels, depths[index], corners(low, high), lanes[lane]);
            }
        }
        levels.iter_mut().for_each(|level| level.average /= level.boxes.max(1) as f64);
        levels
    }

    /// The smallest boxes of the children of every tree node, and around all of them, in frame coordinates.
    fn exact_boxes(&self) -> Vec<(Vec<Extent>, Extent)> {
        let mut exact: Vec<(Vec<Extent>, Extent)> = vec![(vec![], NOTHING); self.tree.len()];
        for (index, node) in self.tree.iter().enumerate().rev() {
            let lanes: Vec<Extent> = node
                .used()
                .map(
                    |(_, child)| {
                        if child.is_leaf() { self.leaf_box(child.index()) } else { exact[child.index()].1 }
                    },
                )
                .collect();
            let whole = lanes.iter().fold(NOTHING, |[low, high], [l, h]| [low.min(*l), high.max(*h)]);
            exact[index] = (lanes, whole);
        }
        exact
    }

    fn leaf_box(&self, leaf: usize) -> Extent {
        let ids = &self.ids[leaf];
        let vertices = ids.triangle_ids().flat_map(|id| self.triangle(id).corners());
        let at = vertices.map(|p| self.motion.frame.map_exact(p));
        at.fold(NOTHING, |[low, high], x| [low.min(x), high.max(x)])
    }
}

/// Lowest and highest corner.
type Extent = [DVec3; 2];

const NOTHING: Extent = [DVec3::INFINITY, DVec3::NEG_INFINITY];

fn corners(low: [f32; 3], high: [f32; 3]) -> Extent {
    [low, high].map(|corner| DVec3::from(corner.map(f64::from)))
}

fn note(levels: &mut Vec<Tightness>, level: usize, bound: Extent, exact: Extent) {
    levels.resize(levels.len().max(level + 1), Tightness { boxes: 0, average: 0.0, largest: 0.0 });
    let ratio = bound[0].distance(bound[1]) / exact[0].distance(exact[1]);
    if ratio.is_finite() {
        let Tightness { boxes, average, largest } = &mut levels[level];
        (*boxes, *average, *largest) = (*boxes + 1, *average + ratio, largest.max(ratio));
    }
}
