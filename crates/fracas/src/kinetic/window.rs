//! Windows in space and time: which triangles come near each other during an interval, and from when to when.
//!
//! # Idea
//!
//! Boxes that move linearly overlap along an axis while two linear functions of time are positive. So the times at which two
//! chord boxes overlap are one interval, in closed form. A walk that keeps such intervals instead of yes and no answers for all
//! frames of a window at once; a frame only has to pick the pairs whose interval holds it.
//!
//! ```text
//!   low(t) of b − high(t) of a  │\            three axes, two such functions each: the times at which
//!                               │ \           all six are at most zero are one interval
//!                              ─┼──\────── t
//! ```
//!
//! # When to use something else
//!
//! Bodies that approach each other by many leaf sizes within a window overlap for a short time with many boxes. Then
//! [`Finder::find_pairs`](crate::Finder::find_pairs) at each frame visits fewer.

use super::KineticBody;
use super::moving::{Caches, Side, overlap_times};
use crate::exact;
use crate::geom::{DVec3, Triangle};
use crate::pairs::{Pair, RowIds, Touch, bits};
use crate::walk::Child;
use fearless_simd::prelude::*;
use fearless_simd::{Level, dispatch, mask32x8, u32x8};

/// Two triangles whose chord boxes overlap from one time to another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TimedPair {
    /// The triangles.
    pub pair: Pair,
    /// Before this time they are apart.
    pub from: f64,
    /// After this time they are apart.
    pub until: f64,
}

/// Finds the pairs of triangles that come near each other during a window; keeps its memory.
///
/// Triangles of one body that share a vertex are left out.
///
/// ```
/// use fracas::kinetic::{KineticBody, Plans, Window};
/// use fracas::{Touch, geom::DVec3, mesh::shapes};
/// let ball = shapes::icosphere(1.0, 3);
/// let key = |x: f64| ball.positions().iter().map(|p| *p + DVec3::X * x).collect::<Vec<_>>();
/// let body = |x: f64, y: f64| {
///     let plans = Plans::keyframes(vec![0.0, 1.0], vec![key(x), key(y)]).unwrap();
///     KineticBody::new(ball.triangles().to_vec(), plans).unwrap()
/// };
/// let (mut a, mut b) = (body(-2.0, 0.0), body(2.0, 0.5));
/// let mut window = Window::default();
/// window.find(&a, &b);
/// // They meet at about a half. One walk serves all frames.
/// for frame in 0..=4 {
///     let time = f64::from(frame) / 4.0;
///     a.advance_to(time).unwrap();
///     b.advance_to(time).unwrap();
///     assert_eq!(window.intersections(&a, &b, Touch::Include).is_empty(), frame < 3);
/// }
/// ```
#[derive(Clone, Debug, Default)]
pub struct Window {
    times: [f64; 2],
    /// Whether triangles that share a vertex count.
    with_neighbours: bool,
    /// First those that overlap throughout, then those that come and go.
    pairs: Vec<TimedPair>,
    steady: usize,
    passing: Vec<TimedPair>,
    stack: Vec<(Child, Child)>,
    caches: [Caches; 2],
    found: Vec<Pair>,
    positions: [Vec<DVec3>; 2],
}

impl Window {
    /// Finds the pairs between two bodies, for the times that lie in the intervals of both.
    pub fn find(&mut self, a: &KineticBody, b: &KineticBody) -> &[TimedPair] {
        let ([from, until], [other_from, other_until]) = (a.interval(), b.interval());
        self.times = [from.max(other_from), until.min(other_until)];
        self.search(a, b, false);
        &self.pairs
    }

    /// Finds the pairs within a body that share no vertex, for its present interval.
    pub fn find_self(&mut self, body: &KineticBody) -> &[TimedPair] {
        self.times = body.interval();
        self.search(body, body, true);
        &self.pairs
    }

    /// Finds the pairs of two bodies, or of one with itself, for a part of their intervals. Triangles that share a vertex count like
    /// any others.
    pub(super) fn find_step(
        &mut self,
        (a, b): (&KineticBody, &KineticBody),
        times: [f64; 2],
        itself: bool,
    ) -> &[TimedPair] {
        self.times = times;
        self.with_neighbours = true;
        self.search(a, b, itself);
        self.with_neighbours = false;
        &self.pairs
    }

    /// The pairs of the window, each once: first those that overlap throughout. The order is the same for the same bodies, and not that
    /// of triangles.
    #[must_use]
    pub fn pairs(&self) -> &[TimedPair] {
        &self.pairs
    }

    /// For which times the pairs are known.
    #[must_use]
    pub fn times(&self) -> [f64; 2] {
        self.times
    }

    /// The pairs whose chord boxes overlap at a time of the window, in the order of [`Window::pairs`].
    pub fn at(&self, time: f64) -> impl Iterator<Item = Pair> + '_ {
        let [from, until] = self.times;
        let steady = if (from..=until).contains(&time) { self.steady } else { 0 };
        let (steady, passing) = self.pairs.split_at(steady);
        let now = passing.iter().filter(move |pair| pair.from <= time && time <= pair.until);
        steady.iter().chain(now).map(|pair| pair.pair)
    }

    /// Replaces a list by the pairs of [`Window::at`], in the same order: faster than to collect them.
    pub fn list_at(&self, time: f64, list: &mut Vec<Pair>) {
        let [from, until] = self.times;
        let steady = if (from..=until).contains(&time) { self.steady } else { 0 };
        let (steady, passing) = self.pairs.split_at(steady);
        list.clear();
        list.extend(steady.iter().map(|pair| pair.pair));
        let now = passing.iter().filter(|pair| pair.from <= time && time <= pair.until);
        list.extend(now.map(|pair| pair.pair));
    }

    /// The pairs of triangles that intersect at the present time of both bodies, exactly; sorted. The same body twice: those within it
    /// that share no vertex.
    ///
    /// # Panics
    /// If the bodies are at different times, or outside the window.
    pub fn intersections(&mut self, a: &KineticBody, b: &KineticBody, touch: Touch) -> &[Pair] {
        let [from, until] = self.times;
        let now = a.now();
        assert!(
            now == b.now() && (from..=until).contains(&now),
            "both bodies must be at one time of the window"
        );
        self.found.clear();
        let active = self.pairs.iter().filter(|pair| pair.from <= now && now <= pair.until);
        // A vertex that is evaluated alone costs about as much as sixteen in a row.
        let is_dense = 16 * 6 * active.clone().count() > a.plans().vertex_count() + b.plans().vertex_count();
        let is_one = std::ptr::eq(a, b);
        if is_dense {
            a.plans().positions_at(now, &mut self.positions[0]);
            if !is_one {
                b.plans().positions_at(now, &mut self.positions[1]);
            }
        }
        let [of_a, of_b] = [&self.positions[0], &self.positions[usize::from(!is_one)]];
        for timed in active {
            let pair = timed.pair;
            let (t, u) = if is_dense {
                (corners(of_a, a.triangles()[pair.a.index()]), corners(of_b, b.triangles()[pair.b.index()]))
            } else {
                (a.triangle(pair.a), b.triangle(pair.b))
            };
            if t.bounds().overlaps(&u.bounds()) && touch.accepts(exact::tri_tri(&t, &u)) {
                self.found.push(pair);
            }
        }
        self.found.sort_unstable();
        &self.found
    }

    fn search(&mut self, a: &KineticBody, b: &KineticBody, itself: bool) {
        self.pairs.clear();
        self.passing.clear();
        self.steady = 0;
        self.stack.clear();
        self.caches.iter_mut().for_each(Caches::clear);
        if self.times[0] > self.times[1] {
            return;
        }
        let frame = a.frame();
        let sides = [Side::new(a, self.times, &frame), Side::new(b, self.times, &frame)];
        let roots = [a, b].map(KineticBody::roots);
        for (k, &root) in roots[0].iter().enumerate() {
            for &other in &roots[1][if itself { k } else { 0 }..] {
                self.stack.push((Child::node(root as usize), Child::node(other as usize)));
            }
        }
        let level = Level::new();
        dispatch!(level, simd => self.walk(simd, &sides, itself));
        self.steady = self.pairs.len();
        self.pairs.append(&mut self.passing);
    }

    #[inline(always)]
    fn walk<S: Simd>(&mut self, simd: S, sides: &[Side; 2], itself: bool) {
        let [a, b] = sides;
        while let Some((i, j)) = self.stack.pop() {
            if i.is_leaf() && j.is_leaf() {
                self.compare_leaves(simd, sides, (i, j), itself);
                continue;
            }
            let same = itself && i == j;
            let Self { caches: [of_a, of_b], stack, .. } = self;
            match (i.is_leaf(), j.is_leaf()) {
                (false, true) => {
                    let (node, leaf) = (of_a.nodes.slot(simd, a, i), of_b.leaves.slot(simd, b, j));
                    let (boxes, leaf) = (&of_a.nodes.boxes[node], &of_b.leaves.boxes[leaf]);
                    for hit in bits(boxes.near(simd, &leaf.whole)) {
                        stack.push((a.child(i, hit), j));
                    }
                }
                (true, false) => {
                    let (leaf, node) = (of_a.leaves.slot(simd, a, i), of_b.nodes.slot(simd, b, j));
                    let (leaf, boxes) = (&of_a.leaves.boxes[leaf], &of_b.nodes.boxes[node]);
                    for hit in bits(boxes.near(simd, &leaf.whole)) {
                        stack.push((i, b.child(j, hit)));
                    }
                }
                _ => {
                    let (node, other) = (of_a.nodes.slot(simd, a, i), of_b.nodes.slot(simd, b, j));
                    let (boxes, others) = (&of_a.nodes.boxes[node], &of_b.nodes.boxes[other]);
                    for lane in bits(others.near(simd, &boxes.whole)) {
                        let child = b.child(j, lane);
                        let mut near = boxes.near(simd, &others.lane(lane));
                        if same {
                            near &= !1_u32 << lane;
                            stack.push((child, child));
                        }
                        for hit in bits(near) {
                            stack.push((a.child(i, hit), child));
                        }
                    }
                }
            }
        }
    }

    #[inline(always)]
    fn compare_leaves<S: Simd>(&mut self, simd: S, [a, b]: &[Side; 2], (i, j): (Child, Child), itself: bool) {
        let Self { caches: [of_a, of_b], pairs, passing, times: [from, until], with_neighbours, .. } = self;
        let (slot, other) = (of_a.leaves.slot(simd, a, i), of_b.leaves.slot(simd, b, j));
        let (boxes, others) = (&of_a.leaves.boxes[slot], &of_b.leaves.boxes[other]);
        let (ids, other_ids) = (&a.body.ids()[i.index()], &b.body.ids()[j.index()]);
        let within = itself && i == j;
        let leave_out = itself && !*with_neighbours;
        let candidates = boxes.near(simd, &others.whole);
        if candidates == 0 {
            return;
        }
        for lane in bits(others.near(simd, &boxes.whole)) {
            let other = others.lane(lane);
            let mut near = candidates & boxes.near(simd, &other);
            if within {
                near &= !1_u32 << lane;
            }
            if leave_out && near != 0 {
                near &= !sharing(simd, ids, other_ids, lane);
            }
            if near == 0 {
                continue;
            }
            let overlap = overlap_times(simd, boxes, &other);
            for hit in bits(near & overlap.lanes) {
                let (t, u) = (ids.triangles[hit], other_ids.triangles[lane]);
                let (t, u) = if itself { (t.min(u), t.max(u)) } else { (t, u) };
                let (begin, end) = (overlap.from[hit], overlap.to[hit]);
                // Times are rounded outward by more than their error.
                let length = *until - *from;
                let begin =
                    if begin <= 0.0 { *from } else { (*from + length * f64::from(begin - 1e-6)).max(*from) };
                let end =
                    if end >= 1.0 { *until } else { (*from + length * f64::from(end + 1e-6)).min(*until) };
                let timed = TimedPair { pair: Pair::new(t, u), from: begin, until: end };
                if begin == *from && end == *until {
                    pairs.push(timed);
                } else {
                    passing.push(timed);
                }
            }
        }
    }
}

/// Lanes whose triangles share a vertex with one of another leaf.
#[inline(always)]
pub(super) fn sharing<S: Simd>(simd: S, ids: &RowIds, others: &RowIds, lane: usize) -> u32 {
    let mut shared = mask32x8::splat(simd, false);
    for corner in 0..3 {
        let vertices = u32x8::load_array_ref(simd, &ids.vertices[corner]);
        for other in 0..3 {
            shared |= vertices.simd_eq(others.vertices[other][lane]);
        }
    }
    shared.to_bitmask() as u32
}

/// A triangle in space.
#[inline]
fn corners(positions: &[DVec3], [a, b, c]: [u32; 3]) -> Triangle {
    Triangle::new(positions[a as usize], positions[b as usize], positions[c as usize])
}
