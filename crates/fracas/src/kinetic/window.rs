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
//!
//! # Rounding
//!
//! Boxes are `f32` in the frame of the first body, of size about one. The six functions are raised by [`RAISE`], which exceeds their
//! rounding, and what a rounded time can change them by.

use super::KineticBody;
use super::body::chord;
use crate::exact;
use crate::geom::{Boxes8, DVec3, LANES, Triangle};
use crate::pairs::{Frame, Pair, Row, RowIds, Touch, bits};
use crate::walk::Child;
use fearless_simd::prelude::*;
use fearless_simd::{Level, dispatch, f32x8, mask32x8, u32x8};

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
    pairs: Vec<TimedPair>,
    stack: Vec<(Child, Child)>,
    leaves: [LeafCache; 2],
    found: Vec<Pair>,
    positions: [Vec<DVec3>; 2],
}

/// See the head of the module.
const RAISE: f32 = 4e-6;

/// Leaves whose boxes are kept per side; a power of two.
const CACHE: usize = 64;

/// Eight boxes at the two ends of a window.
#[derive(Clone, Copy, Debug)]
struct Moving {
    at: [Boxes8; 2],
}

impl Moving {
    const EMPTY: Self = Self { at: [Boxes8::EMPTY; 2] };

    /// One box at both ends.
    #[inline(always)]
    fn lane(&self, lane: usize) -> [([f32; 3], [f32; 3]); 2] {
        [self.at[0].lane(lane), self.at[1].lane(lane)]
    }
}

/// Boxes of the triangles of the last few leaves.
#[derive(Clone, Debug)]
struct LeafCache {
    leaves: Vec<u32>,
    boxes: Vec<Moving>,
}

impl Default for LeafCache {
    fn default() -> Self {
        Self { leaves: vec![u32::MAX; CACHE], boxes: vec![Moving::EMPTY; CACHE] }
    }
}

/// A body during the window: the ends of the window as shares of its interval, and how its frame becomes that of the first body.
struct Side<'a> {
    body: &'a KineticBody,
    shares: [f32; 2],
    scale: f32,
    offset: [f32; 3],
    pad: f32,
}

impl<'a> Side<'a> {
    fn new(body: &'a KineticBody, times: [f64; 2], frame: &Frame) -> Self {
        let own = body.frame();
        let offset = (own.centre - frame.centre) * frame.scale;
        let scale = frame.scale / own.scale;
        let is_own = own == *frame;
        let far = offset.abs().max_element() + f64::from(Frame::REACH) * scale;
        let pad = if is_own { 0.0 } else { 4.0 * f32::EPSILON * far as f32 };
        let offset = offset.to_array().map(|x| x as f32);
        Self { body, shares: times.map(|time| body.share(time)), scale: scale as f32, offset, pad }
    }

    /// Boxes of the body in the frame of the first one.
    fn map(&self, mut boxes: Boxes8) -> Boxes8 {
        if self.pad > 0.0 {
            for axis in 0..3 {
                for lane in 0..LANES {
                    let map = |x: f32| x * self.scale + self.offset[axis];
                    boxes.low[axis][lane] = map(boxes.low[axis][lane]) - self.pad;
                    boxes.high[axis][lane] = map(boxes.high[axis][lane]) + self.pad;
                }
            }
        }
        boxes
    }

    /// Boxes at both ends of the window, from those at both ends of the interval.
    fn during(&self, [from, to]: [&Boxes8; 2]) -> Moving {
        let at = |share: f32| match share {
            0.0 => *from,
            1.0 => *to,
            share => chord(from, to, share),
        };
        Moving { at: self.shares.map(|share| self.map(at(share))) }
    }

    fn node(&self, index: usize) -> Moving {
        let [a, b] = self.body.ends();
        self.during([&a.nodes[index].boxes, &b.nodes[index].boxes])
    }

    /// Boxes of the triangles of a leaf.
    fn leaf(&self, index: usize) -> Moving {
        let ids = &self.body.ids[index];
        let [from, to] = self.body.ends().each_ref().map(|end| leaf_boxes(&end.rows[index], ids));
        self.during([&from, &to])
    }

    fn children(&self, node: usize) -> impl Iterator<Item = (usize, Child)> + '_ {
        self.body.ends()[0].nodes[node].used()
    }
}

/// Boxes around the triangles of a leaf.
pub(super) fn leaf_boxes(row: &Row, ids: &RowIds) -> Boxes8 {
    let mut boxes = Boxes8::EMPTY;
    let [a, b, c] = &row.corners;
    for axis in 0..3 {
        for lane in 0..LANES {
            let (a, b, c) = (a[axis][lane], b[axis][lane], c[axis][lane]);
            boxes.low[axis][lane] = a.min(b).min(c) - Frame::SLACK;
            boxes.high[axis][lane] = a.max(b).max(c) + Frame::SLACK;
        }
    }
    for lane in ids.triangle_ids().count()..LANES {
        boxes.set(lane, [f32::INFINITY; 3], [f32::NEG_INFINITY; 3]);
    }
    boxes
}

impl LeafCache {
    fn get(&mut self, side: &Side, leaf: usize) -> &Moving {
        let slot = leaf % CACHE;
        if self.leaves[slot] != leaf as u32 {
            self.leaves[slot] = leaf as u32;
            self.boxes[slot] = side.leaf(leaf);
        }
        &self.boxes[slot]
    }
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

    /// The pairs of the window, sorted by triangles.
    #[must_use]
    pub fn pairs(&self) -> &[TimedPair] {
        &self.pairs
    }

    /// For which times the pairs are known.
    #[must_use]
    pub fn times(&self) -> [f64; 2] {
        self.times
    }

    /// The pairs whose chord boxes overlap at a time of the window.
    pub fn at(&self, time: f64) -> impl Iterator<Item = Pair> + '_ {
        self.pairs.iter().filter(move |pair| pair.from <= time && time <= pair.until).map(|pair| pair.pair)
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
        // All vertices are evaluated at once: that is cheaper than one by one as soon as there are some candidates.
        let [of_a, of_b] = &mut self.positions;
        a.plans().positions_at(now, of_a);
        let is_one = std::ptr::eq(a, b);
        if !is_one {
            b.plans().positions_at(now, of_b);
        }
        let (of_a, of_b) = (&self.positions[0], &self.positions[usize::from(!is_one)]);
        self.found.clear();
        for timed in &self.pairs {
            if now < timed.from || timed.until < now {
                continue;
            }
            let pair = timed.pair;
            let (t, u) =
                (corners(of_a, a.triangles()[pair.a.index()]), corners(of_b, b.triangles()[pair.b.index()]));
            if t.bounds().overlaps(&u.bounds()) && touch.accepts(exact::tri_tri(&t, &u)) {
                self.found.push(pair);
            }
        }
        &self.found
    }

    fn search(&mut self, a: &KineticBody, b: &KineticBody, itself: bool) {
        self.pairs.clear();
        self.stack.clear();
        self.leaves.iter_mut().for_each(|cache| cache.leaves.fill(u32::MAX));
        if a.ids.is_empty() || b.ids.is_empty() || self.times[0] > self.times[1] {
            return;
        }
        let frame = a.frame();
        let sides = [Side::new(a, self.times, &frame), Side::new(b, self.times, &frame)];
        self.stack.push((Child::node(0), Child::node(0)));
        let level = Level::new();
        dispatch!(level, simd => self.walk(simd, &sides, itself));
        self.pairs.sort_unstable_by_key(|pair| pair.pair);
    }

    #[inline(always)]
    fn walk<S: Simd>(&mut self, simd: S, sides: &[Side; 2], itself: bool) {
        let [a, b] = sides;
        while let Some((i, j)) = self.stack.pop() {
            let same = itself && i == j;
            match (i.is_leaf(), j.is_leaf()) {
                (false, false) => {
                    let boxes = a.node(i.index());
                    let others = if same { boxes } else { b.node(j.index()) };
                    for (lane, child) in b.children(j.index()) {
                        let mut near = overlapping(simd, &boxes, &others.lane(lane));
                        if same {
                            near &= !1_u32 << lane;
                            self.stack.push((child, child));
                        }
                        for hit in bits(near) {
                            self.stack.push((child_of(a, i, hit), child));
                        }
                    }
                }
                (false, true) => {
                    let leaf = *self.leaves[1].get(b, j.index());
                    let around = around(simd, &leaf);
                    let near = overlapping(simd, &a.node(i.index()), &around);
                    bits(near).for_each(|hit| self.stack.push((child_of(a, i, hit), j)));
                }
                (true, false) => {
                    let leaf = *self.leaves[0].get(a, i.index());
                    let around = around(simd, &leaf);
                    let near = overlapping(simd, &b.node(j.index()), &around);
                    bits(near).for_each(|hit| self.stack.push((i, child_of(b, j, hit))));
                }
                (true, true) => self.compare_leaves(simd, sides, (i.index(), j.index()), itself),
            }
        }
    }

    #[inline(always)]
    fn compare_leaves<S: Simd>(&mut self, simd: S, [a, b]: &[Side; 2], (i, j): (usize, usize), itself: bool) {
        let Self { leaves: [of_a, of_b], pairs, times: [from, until], .. } = self;
        let (boxes, others) = (of_a.get(a, i), of_b.get(b, j));
        let (ids, other_ids) = (&a.body.ids[i], &b.body.ids[j]);
        let within = itself && i == j;
        let whole = around(simd, boxes);
        for lane in bits(overlapping(simd, others, &whole)) {
            let other = others.lane(lane);
            let mut near = overlapping(simd, boxes, &other);
            if within {
                near &= !1_u32 << lane;
            }
            if itself {
                near &= !sharing(simd, ids, other_ids, lane);
            }
            if near == 0 {
                continue;
            }
            let overlap = overlap_times(simd, boxes, &other);
            for hit in bits(near & overlap.lanes) {
                let (t, u) = (ids.triangles[hit], other_ids.triangles[lane]);
                let (t, u) = if itself { (t.min(u), t.max(u)) } else { (t, u) };
                let at = |share: f32| *from + (*until - *from) * f64::from(share);
                // Times are rounded outward by more than their error.
                let begin =
                    if overlap.from[hit] <= 0.0 { *from } else { at(overlap.from[hit] - 1e-6).max(*from) };
                let end =
                    if overlap.to[hit] >= 1.0 { *until } else { at(overlap.to[hit] + 1e-6).min(*until) };
                pairs.push(TimedPair { pair: Pair::new(t, u), from: begin, until: end });
            }
        }
    }
}

/// Lanes whose triangles share a vertex with one of another leaf.
#[inline(always)]
pub(super) fn sharing<S: Simd>(simd: S, ids: &RowIds, others: &RowIds, lane: usize) -> u32 {
    let mut shared = 0;
    for corner in 0..3 {
        let vertices = u32x8::load_array_ref(simd, &ids.vertices[corner]);
        for other in 0..3 {
            shared |= vertices.simd_eq(others.vertices[other][lane]).to_bitmask() as u32;
        }
    }
    shared
}

/// Lanes that overlap another box at some time of the window. Most do so at one of its ends, or are apart throughout by their swept
/// boxes; only the others need times.
#[inline(always)]
fn overlapping<S: Simd>(simd: S, boxes: &Moving, other: &[([f32; 3], [f32; 3]); 2]) -> u32 {
    let [(low_0, high_0), (low_1, high_1)] = *other;
    let [a, b] = &boxes.at;
    let at_ends = a.overlapping(simd, low_0, high_0) | b.overlapping(simd, low_1, high_1);
    let mut swept = mask32x8::splat(simd, true);
    for axis in 0..3 {
        let low = f32x8::load_array_ref(simd, &a.low[axis]).min(f32x8::load_array_ref(simd, &b.low[axis]));
        let high = f32x8::load_array_ref(simd, &a.high[axis]).max(f32x8::load_array_ref(simd, &b.high[axis]));
        swept &= low.simd_le(high_0[axis].max(high_1[axis]) + RAISE);
        swept &= high.simd_ge(low_0[axis].min(low_1[axis]) - RAISE);
    }
    let open = swept.to_bitmask() as u32 & !at_ends;
    if open == 0 { at_ends } else { at_ends | overlap_times(simd, boxes, other).lanes }
}

/// A triangle in space.
#[inline]
fn corners(positions: &[DVec3], [a, b, c]: [u32; 3]) -> Triangle {
    Triangle::new(positions[a as usize], positions[b as usize], positions[c as usize])
}

/// What a lane of a node leads to.
fn child_of(side: &Side, node: Child, lane: usize) -> Child {
    side.body.ends()[0].nodes[node.index()].children[lane]
}

/// The box around eight others, at both ends.
#[inline(always)]
fn around<S: Simd>(simd: S, boxes: &Moving) -> [([f32; 3], [f32; 3]); 2] {
    [boxes.at[0].bounds(simd), boxes.at[1].bounds(simd)]
}

/// When eight boxes overlap another, as shares of the window.
struct OverlapTimes {
    lanes: u32,
    from: [f32; LANES],
    to: [f32; LANES],
}

/// When eight moving boxes overlap another one.
#[inline(always)]
fn overlap_times<S: Simd>(simd: S, boxes: &Moving, other: &[([f32; 3], [f32; 3]); 2]) -> OverlapTimes {
    let (zero, one) = (f32x8::splat(simd, 0.0), f32x8::splat(simd, 1.0));
    let (mut from, mut to) = (zero, one);
    for axis in 0..3 {
        let [a, b] = &boxes.at;
        let [(low_0, high_0), (low_1, high_1)] = *other;
        let (a_low, a_high) =
            (f32x8::load_array_ref(simd, &a.low[axis]), f32x8::load_array_ref(simd, &a.high[axis]));
        let (b_low, b_high) =
            (f32x8::load_array_ref(simd, &b.low[axis]), f32x8::load_array_ref(simd, &b.high[axis]));
        let reach = [
            (a_high - low_0[axis] + RAISE, b_high - low_1[axis] + RAISE),
            (high_0[axis] - a_low + RAISE, high_1[axis] - b_low + RAISE),
        ];
        for (start, end) in reach {
            // They overlap along this axis while the function that goes from `start` to `end` is not negative.
            let root = start / (start - end);
            let (late, early) = (start.simd_lt(zero), end.simd_lt(zero));
            let never = (late & early).select(one + one, zero);
            from = from.max(late.select(root, zero)).max(never);
            to = to.min(early.select(root, one));
        }
    }
    let lanes = from.simd_le(to).to_bitmask() as u32;
    let mut times = OverlapTimes { lanes, from: [0.0; LANES], to: [1.0; LANES] };
    from.store_slice(&mut times.from);
    to.store_slice(&mut times.to);
    times
}
