//! The default structure for bodies on known paths: boxes at both ends of an interval, and nothing per frame.
//!
//! # Idea
//!
//! While every vertex moves linearly, the interpolation of a node's boxes at the two ends of the interval holds every vertex at
//! every instant between them: a *chord box*. So there is one refit per key, whatever the number of frames. Between keys a
//! query interpolates the boxes that it visits and evaluates the vertices of the rows that it reaches; the rest of the body
//! costs nothing.
//!
//! ```text
//!     box at the key before          chord box now             box at the next key
//!       ┌───────┐                    ┌─────────┐                    ┌───────────┐
//!       │ · ·   │      ───────▶      │   · ·   │      ───────▶      │     · ·   │
//!       └───────┘                    └─────────┘                    └───────────┘
//! ```
//!
//! Chord boxes are looser than exact boxes by 0.4 to 2 % in area for cloth that moves moderately between keys. Exact boxes at
//! every instant are what [`super::AabbTree`] keeps.
//!
//! # Invariants
//!
//! The present time is in the interval, and every vertex moves linearly on the rest of it. A vertex that got a new plan within the
//! interval is taken to have moved on its new line since the beginning.
//!
//! # Rounding
//!
//! Boxes are `f32` in a frame around both ends. Interpolation rounds each side of a box by at most three units in the last
//! place of [`Frame::REACH`], and is monotone, so that a box still holds those below it. [`PAD`] allows for it.

use super::aabb_tree::check_triangles;
use super::forest::{End, Forest};
use super::{KineticError, Plans};
use crate::geom::{Boxes8, DVec3, LANES, Triangle};
use crate::mesh::TriangleId;
use crate::pairs::{Frame, Row, RowIds};
use crate::walk::{Child, Corners, Hierarchy, Node, RowTwins, Stamp, View, box_around, fits_frame};

/// What interpolated boxes are widened by, for rounding.
pub(super) const PAD: f32 = 4.0 * Frame::SLACK;

/// A body without keys ahead gets an interval in which no vertex moves further than this part of the body's size.
const SHARE: f64 = 1.0 / 8.0;

/// A surface whose vertices move on known paths, with boxes that need no refit between keys.
///
/// ```
/// use fracas::kinetic::{KineticBody, Plans};
/// use fracas::{Finder, MeshTree, geom::DVec3, mesh::shapes};
/// let ball = shapes::icosphere(1.0, 3);
/// let key = |x: f64| ball.positions().iter().map(|p| *p + DVec3::X * x).collect::<Vec<_>>();
/// let plans = Plans::keyframes(vec![0.0, 1.0], vec![key(-3.0), key(3.0)]).unwrap();
/// let mut body = KineticBody::new(ball.triangles().to_vec(), plans).unwrap();
/// let wall = MeshTree::build(shapes::cuboid(DVec3::new(0.1, 4.0, 4.0)));
/// let mut finder = Finder::default();
/// let mut hits = vec![];
/// for frame in 0..=10 {
///     body.advance_to(f64::from(frame) / 10.0).unwrap();
///     hits.push(!finder.find_pairs(&body, &wall).is_empty());
/// }
/// assert_eq!(hits.iter().filter(|hit| **hit).count(), 3);
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct KineticBody {
    pub(super) plans: Plans,
    pub(super) triangles: Vec<[u32; 3]>,
    pub(super) frame: Frame,
    /// The interval for which boxes are known; the forest has them at its beginning and at its end.
    pub(super) interval: [f64; 2],
    pub(super) forest: Forest,
    /// Positions of all vertices, for refits that are not at keys.
    pub(super) positions: Vec<DVec3>,
    pub(super) stamp: Stamp,
    refits: u64,
}

impl KineticBody {
    /// A body of the given triangles, at the present time of its plans.
    ///
    /// # Errors
    /// A triangle that names a vertex without a plan, or too many triangles.
    ///
    /// # Cost
    /// That of building a tree, and two refits.
    pub fn new(triangles: Vec<[u32; 3]>, plans: Plans) -> Result<Self, KineticError> {
        check_triangles(&plans, &triangles, 0)?;
        let now = plans.now();
        let mut body = Self {
            plans,
            triangles,
            frame: Frame::default(),
            interval: [now; 2],
            forest: Forest::default(),
            positions: Vec::new(),
            stamp: Stamp::new(),
            refits: 0,
        };
        body.rebuild();
        Ok(body)
    }

    /// Where the vertices are going.
    pub fn plans(&self) -> &Plans {
        &self.plans
    }

    /// The present time.
    #[must_use]
    pub fn now(&self) -> f64 {
        self.plans.now()
    }

    /// The triangles by id, by the indices of their vertices. Removed ones keep their ids; see [`KineticBody::has_triangle`].
    #[must_use]
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// The interval on which every vertex moves linearly and for which boxes are known; the present time is in it.
    #[must_use]
    pub fn interval(&self) -> [f64; 2] {
        self.interval
    }

    /// How many refits there were since the body was made.
    #[must_use]
    pub fn refits(&self) -> u64 {
        self.refits
    }

    /// The body as it stands now; the same as `View::from(&body)`.
    pub fn view(&self) -> View<'_> {
        View::of(self, None)
    }

    /// The body as it stands now, where a pose puts it. Panics as [`View::at`] does, if that is too far away.
    pub fn at(&self, pose: &crate::geom::Pose) -> View<'_> {
        self.view().at(pose)
    }

    /// Lets time pass.
    ///
    /// # Errors
    /// A time before the present one, NaN, or beyond the limit. Nothing has then changed.
    ///
    /// # Cost
    /// Constant within an interval; one refit when the next one begins.
    pub fn advance_to(&mut self, time: f64) -> Result<(), KineticError> {
        if time == self.plans.now() {
            return Ok(());
        }
        self.plans.advance_to(time)?;
        self.stamp = Stamp::new();
        let [_, until] = self.interval;
        if time > until {
            match self.end_after(until) {
                // The end of one interval is the beginning of the next.
                next if next >= time => {
                    self.interval = [until, next];
                    self.forest.ends.swap(0, 1);
                    self.refit_end(1);
                    if !self.is_in_frame() {
                        self.begin_interval(until);
                    }
                }
                _ => self.begin_interval(time),
            }
        }
        Ok(())
    }

    /// When an interval that begins at a time should end.
    fn end_after(&self, from: f64) -> f64 {
        let key = self.plans.next_key_after(from).unwrap_or(f64::INFINITY);
        let fastest = self.plans.largest_endless_speed();
        if fastest == 0.0 {
            // Beyond the last key everything rests: any end will do.
            return if key.is_finite() { key } else { from + (1.0_f64).max(from.abs()) };
        }
        let size = f64::from(Frame::REACH) / self.frame.scale;
        key.min(from + (size * SHARE / fastest).max(from.abs() * 4.0 * f64::EPSILON))
    }

    /// Makes a new interval from a time on, and a new frame.
    pub(super) fn begin_interval(&mut self, from: f64) {
        self.interval = [from, self.end_after(from)];
        self.fit_interval();
    }

    /// Fits all boxes for the interval, in a new frame.
    fn fit_interval(&mut self) {
        let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        for time in self.interval {
            for &p in positions(&self.plans, time, &mut self.positions) {
                (low, high) = (low.min(p), high.max(p));
            }
        }
        self.frame = if low.x <= high.x { Frame::around(low, high) } else { Frame::default() };
        self.refit_end(0);
        self.refit_end(1);
    }

    /// Makes the interval reach back to an earlier time, since which every vertex has moved linearly.
    pub(super) fn cover(&mut self, from: f64) {
        if from < self.interval[0] {
            self.begin_interval(from);
            if self.interval[1] < self.now() {
                self.interval[1] = self.now();
                self.fit_interval();
            }
        }
    }

    /// Builds a tree over the triangles that are there, for the present positions.
    pub(super) fn rebuild(&mut self) {
        let mut positions = vec![];
        self.plans.positions_at(self.plans.now(), &mut positions);
        self.forest.rebuild(&self.triangles, positions);
        self.begin_interval(self.plans.now());
    }

    /// Refits the boxes of one end.
    fn refit_end(&mut self, end: usize) {
        self.refits += 1;
        // A refit reads vertices in the order of the tree. Those of a key may not be in the cache; a copy in order brings them there.
        self.plans.positions_at(self.interval[end], &mut self.positions);
        self.forest.refit(end, &self.positions, self.frame);
    }

    /// Whether both ends are in the frame, and not too small in it.
    pub(super) fn is_in_frame(&self) -> bool {
        let both = box_around((0..2).filter_map(|end| self.forest.bounds(end)));
        both.is_none_or(|corners| fits_frame(corners, 0.0625))
    }

    /// A time as a share of the interval.
    pub(super) fn share(&self, time: f64) -> f32 {
        let [from, until] = self.interval;
        if until > from { ((time - from) / (until - from)).clamp(0.0, 1.0) as f32 } else { 0.0 }
    }

    pub(super) fn ends(&self) -> &[End; 2] {
        &self.forest.ends
    }

    pub(super) fn ids(&self) -> &[RowIds] {
        &self.forest.ids
    }

    pub(super) fn roots(&self) -> &[u32] {
        &self.forest.roots
    }

    pub(super) fn frame(&self) -> Frame {
        self.frame
    }
}

/// The positions of all vertices at a time, in memory that is given if the plans do not have them at hand.
fn positions<'a>(plans: &'a Plans, time: f64, memory: &'a mut Vec<DVec3>) -> &'a [DVec3] {
    if let Some(frame) = plans.frame_at(time) {
        return frame;
    }
    plans.positions_at(time, memory);
    memory
}

/// Boxes between two others.
pub(super) fn chord(from: &Boxes8, to: &Boxes8, share: f32) -> Boxes8 {
    let mut boxes = Boxes8::EMPTY;
    for axis in 0..3 {
        for lane in 0..LANES {
            let between = |a: f32, b: f32| a * (1.0 - share) + b * share;
            boxes.low[axis][lane] = between(from.low[axis][lane], to.low[axis][lane]) - PAD;
            boxes.high[axis][lane] = between(from.high[axis][lane], to.high[axis][lane]) + PAD;
        }
    }
    boxes
}

impl Hierarchy for KineticBody {
    fn frame(&self) -> Frame {
        self.frame
    }

    fn root_count(&self) -> usize {
        self.forest.roots.len()
    }

    fn root(&self, tree: usize) -> (Child, Corners) {
        let mut scratch = Node::EMPTY;
        let root = self.forest.roots[tree] as usize;
        (Child::node(root), self.node(root, &mut scratch).bounds())
    }

    fn node<'s>(&'s self, place: usize, scratch: &'s mut Node) -> &'s Node {
        let [from, to] = self.forest.ends.each_ref().map(|end| &end.nodes[place]);
        *scratch = *from;
        let boxes = chord(&from.boxes, &to.boxes, self.share(self.plans.now()));
        for lane in 0..from.count as usize {
            let (low, high) = boxes.lane(lane);
            scratch.boxes.set(lane, low, high);
        }
        scratch
    }

    fn ids<'s>(&'s self, place: usize, _: &'s mut RowIds) -> &'s RowIds {
        &self.forest.ids[place]
    }

    fn row(&self, place: usize, _: RowTwins, row: &mut Row, ids: &mut RowIds) {
        *ids = self.forest.ids[place];
        let now = self.plans.now();
        for corner in 0..3 {
            for lane in 0..LANES {
                let x = self.frame.map(self.plans.at(ids.vertices[corner][lane], now));
                (0..3).for_each(|axis| row.corners[corner][axis][lane] = x[axis]);
            }
        }
    }

    fn triangle(&self, id: u32) -> Triangle {
        let now = self.plans.now();
        let [a, b, c] = self.triangles[id as usize];
        Triangle::new(self.plans.at(a, now), self.plans.at(b, now), self.plans.at(c, now))
    }

    fn vertices(&self, id: u32, _: bool) -> [u32; 3] {
        self.triangles[id as usize]
    }

    fn vertex_count(&self) -> usize {
        self.plans.vertex_count()
    }

    fn has_triangle(&self, id: u32) -> bool {
        KineticBody::has_triangle(self, TriangleId(id))
    }

    fn stamp(&self) -> Stamp {
        self.stamp
    }
}

impl<'a> From<&'a KineticBody> for View<'a> {
    fn from(body: &'a KineticBody) -> Self {
        body.view()
    }
}

impl KineticBody {
    /// A triangle as it stands now. Panics if there is no such triangle.
    pub fn triangle(&self, id: TriangleId) -> Triangle {
        Hierarchy::triangle(self, id.0)
    }
}
