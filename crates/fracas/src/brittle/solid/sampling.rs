//! Farthest-point sampling: an order of points in which each is the one farthest from all before it.
//!
//! The first few points of such an order cover a body well, whatever their number. A tree whose levels are prefixes of the order
//! therefore gives well-spread contacts early.
//!
//! # Idea
//!
//! Every point knows its distance to the nearest point chosen so far. A new choice can only shorten it for points nearer to
//! the choice than the greatest of these distances, which shrinks as points are chosen. A k-d tree stores the greatest
//! distance below each of its nodes:
//!
//! ```text
//!          ┌ 0.9 ┐            next: follow the maximum down, 0.9 → 0.9 → the point
//!       ┌ 0.9 ┐ ┌ 0.4 ┐       then: open only nodes that are nearer to it than their maximum
//!      0.3   0.9 0.4  0.2
//! ```
//!
//! About n log n distances are computed for points spread through a volume or over a surface, instead of n².
//!
//! # Reference
//!
//! T. F. Gonzalez, *Clustering to minimize the maximum intercluster distance*, Theoretical Computer Science 38, 1985.

use crate::geom::DVec3;

/// Points per leaf of the k-d tree.
const LEAF: usize = 12;

/// An order of points, and their places in a hierarchy whose level l has the first 2ˡ of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FarthestPointOrder {
    /// The points, as indices into what was given.
    pub order: Vec<u32>,
    /// For each point of the order, the place in the order of the nearest point of the level above. The first is its own.
    pub parents: Vec<u32>,
}

impl FarthestPointOrder {
    /// The level on which the point at a place of the order appears first: 0, 1, 2, 2, 3, 3, 3, 3, 4, …
    #[must_use]
    pub fn level(place: usize) -> u8 {
        (usize::BITS - place.leading_zeros()) as u8
    }
}

/// Orders points by farthest-point sampling. The first point is the one farthest from the middle of their box; ties go to the
/// lower index.
///
/// # Cost
/// About n log n distances.
///
/// ```
/// use fracas::brittle::farthest_point_order;
/// use fracas::geom::DVec3;
/// let points: Vec<DVec3> = [0.0, 1.0, 2.0, 6.0, 10.0].map(|x| DVec3::new(x, 0.0, 0.0)).to_vec();
/// let order = farthest_point_order(&points);
/// assert_eq!(order.order, [0, 4, 3, 2, 1]);
/// assert_eq!(order.parents, [0, 0, 1, 0, 0]);
/// ```
#[must_use]
pub fn farthest_point_order(points: &[DVec3]) -> FarthestPointOrder {
    let Some(first) = outermost(points) else { return FarthestPointOrder::default() };
    let mut tree = KdTree::build(points);
    let mut order = Vec::with_capacity(points.len());
    let mut parents = Vec::with_capacity(points.len());
    let mut level_above = vec![0; points.len()];
    let mut next = first;
    for place in 0..points.len() {
        if place.is_power_of_two() {
            // The prefix so far is a level: who is nearest now is the parent of all that follow on the next.
            for slot in &tree.slots {
                level_above[slot.point as usize] = slot.nearest;
            }
        }
        order.push(next);
        parents.push(level_above[next as usize]);
        tree.choose(next, place as u32);
        next = tree.nodes[0].farthest;
    }
    FarthestPointOrder { order, parents }
}

/// The point farthest from the middle of the box around all.
fn outermost(points: &[DVec3]) -> Option<u32> {
    let low = points.iter().fold(DVec3::INFINITY, |low, &p| low.min(p));
    let high = points.iter().fold(DVec3::NEG_INFINITY, |high, &p| high.max(p));
    let middle = 0.5 * (low + high);
    let far = |i: &u32| points[*i as usize].distance_squared(middle);
    (0..points.len() as u32).reduce(|best, i| if far(&i) > far(&best) { i } else { best })
}

/// A point in the tree.
#[derive(Clone, Copy)]
struct Slot {
    position: DVec3,
    /// Squared distance to the nearest chosen point; −inf once it is chosen itself.
    squared: f64,
    point: u32,
    /// Place in the order of the nearest chosen point.
    nearest: u32,
}

struct KdNode {
    low: DVec3,
    high: DVec3,
    /// Greatest of the squared distances below, and the point that has it.
    greatest: f64,
    farthest: u32,
    /// The slots of a leaf; for other nodes, the second child is `second` and the first comes next.
    slots: [u32; 2],
    second: u32,
}

struct KdTree {
    nodes: Vec<KdNode>,
    slots: Vec<Slot>,
    /// The slot of each point.
    slot_of: Vec<u32>,
}

impl KdTree {
    fn build(points: &[DVec3]) -> Self {
        let slot = |(i, &position): (usize, &DVec3)| Slot {
            position,
            squared: f64::INFINITY,
            point: i as u32,
            nearest: 0,
        };
        let slots = points.iter().enumerate().map(slot).collect();
        let mut tree = Self { nodes: vec![], slots, slot_of: vec![0; points.len()] };
        tree.build_range(0, points.len());
        for (at, slot) in tree.slots.iter().enumerate() {
            tree.slot_of[slot.point as usize] = at as u32;
        }
        tree
    }

    fn build_range(&mut self, from: usize, to: usize) {
        let slots = &mut self.slots[from..to];
        let low = slots.iter().fold(DVec3::INFINITY, |low, s| low.min(s.position));
        let high = slots.iter().fold(DVec3::NEG_INFINITY, |high, s| high.max(s.position));
        let axis = (high - low).max_position();
        let index = self.nodes.len();
        let is_leaf = slots.len() <= LEAF;
        let greatest = f64::INFINITY;
        let range = if is_leaf { [from as u32, to as u32] } else { [0, 0] };
        self.nodes.push(KdNode { low, high, greatest, farthest: 0, slots: range, second: 0 });
        if !is_leaf {
            let middle = slots.len() / 2;
            slots.select_nth_unstable_by(middle, |a, b| {
                a.position[axis].total_cmp(&b.position[axis]).then(a.point.cmp(&b.point))
            });
            self.build_range(from, from + middle);
            self.nodes[index].second = self.nodes.len() as u32;
            self.build_range(from + middle, to);
        }
    }

    /// Shortens all distances by a new choice.
    fn choose(&mut self, point: u32, place: u32) {
        let slot = &mut self.slots[self.slot_of[point as usize] as usize];
        // Points at the same place must not bring it up again.
        slot.squared = f64::NEG_INFINITY;
        let position = slot.position;
        shorten(&mut self.nodes, &mut self.slots, 0, position, place);
    }
}

fn shorten(nodes: &mut [KdNode], slots: &mut [Slot], index: usize, chosen: DVec3, place: u32) {
    let node = &nodes[index];
    let outside = (node.low - chosen).max(chosen - node.high).max(DVec3::ZERO);
    if outside.length_squared() > node.greatest {
        return;
    }
    let (mut greatest, mut farthest) = (f64::NEG_INFINITY, u32::MAX);
    if node.second == 0 {
        for slot in &mut slots[node.slots[0] as usize..node.slots[1] as usize] {
            let squared = slot.position.distance_squared(chosen);
            if squared < slot.squared {
                slot.squared = squared;
                slot.nearest = place;
            }
            if slot.squared > greatest || (slot.squared == greatest && slot.point < farthest) {
                (greatest, farthest) = (slot.squared, slot.point);
            }
        }
    } else {
        let second = node.second as usize;
        shorten(nodes, slots, index + 1, chosen, place);
        shorten(nodes, slots, second, chosen, place);
        for child in [index + 1, second] {
            let child = &nodes[child];
            if child.greatest > greatest || (child.greatest == greatest && child.farthest < farthest) {
                (greatest, farthest) = (child.greatest, child.farthest);
            }
        }
    }
    let node = &mut nodes[index];
    (node.greatest, node.farthest) = (greatest, farthest);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::shapes;
    use crate::mesh::tets::brick;

    /// Compares all with all: each point is the farthest from those before it, and of several the first; its parent is the nearest
    /// of the level above, and of several the first.
    #[test]
    fn the_order_and_the_parents_are_those_of_the_definition() {
        let mut sets = vec![
            brick(DVec3::new(1.0, 0.8, 0.31), [7, 5, 3]).positions().to_vec(),
            brick(DVec3::ONE, [4, 4, 4]).positions().to_vec(),
            shapes::noisy_sphere(1500, 0.3, 2).positions().to_vec(),
            shapes::torus(1.0, 0.3, 20).positions().to_vec(),
            vec![DVec3::ONE],
            vec![DVec3::X, DVec3::Y],
            vec![],
        ];
        // Points that coincide come last, each once.
        let mut doubled = sets[2].clone();
        doubled.extend(sets[2][..40].to_vec());
        sets.push(doubled);
        for points in sets {
            let FarthestPointOrder { order, parents } = farthest_point_order(&points);
            let mut all = order.clone();
            all.sort_unstable();
            assert!(all.into_iter().eq(0..points.len() as u32));
            let squared = |p: u32, q: u32| points[p as usize].distance_squared(points[q as usize]);
            let mut nearest = vec![f64::INFINITY; points.len()];
            for (place, &next) in order.iter().enumerate().skip(1) {
                let last = order[place - 1];
                (0..).zip(&mut nearest).for_each(|(p, known)| *known = known.min(squared(p, last)));
                let farther = |&p: &u32| {
                    let [own, other] = [next, p].map(|p| nearest[p as usize]);
                    other > own || (other == own && p < next)
                };
                assert_eq!(order[place..].iter().find(|p| farther(p)), None, "{place} of {}", points.len());
                let above = 1 << (FarthestPointOrder::level(place) - 1);
                assert!((above..2 * above).contains(&place));
                let nearer =
                    |a: &usize, b: &usize| squared(order[*a], next).total_cmp(&squared(order[*b], next));
                assert_eq!((0..above).min_by(nearer), Some(parents[place] as usize));
            }
        }
    }
}
