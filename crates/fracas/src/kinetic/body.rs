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

use super::{KineticError, Piece, Plan, Plans};
use crate::base::Lists;
use crate::geom::{Boxes8, DVec3, LANES, Triangle};
use crate::mesh::{Mesh, TriangleId};
use crate::pairs::{Frame, Row, RowIds};
use crate::tree::{BuildOptions, MeshTree, refit_above, refit_nodes};
use crate::walk::{Child, Corners, Hierarchy, Node, RowTwins, Stamp, View};

/// What interpolated boxes are widened by, for rounding.
pub(super) const PAD: f32 = 4.0 * Frame::SLACK;

/// A body without keys ahead gets an interval in which no vertex moves further than this part of the body's size.
const SHARE: f64 = 1.0 / 32.0;

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
    plans: Plans,
    triangles: Vec<[u32; 3]>,
    frame: Frame,
    pub(super) ids: Vec<RowIds>,
    /// The interval for which boxes are known, and how they are at its beginning and at its end.
    interval: [f64; 2],
    ends: [End; 2],
    /// The node above each node, and above each leaf.
    node_parents: Vec<u32>,
    leaf_parents: Vec<u32>,
    leaves_of_vertex: Lists<u32>,
    /// Positions of all vertices, for refits.
    positions: Vec<DVec3>,
    stamp: Stamp,
    refits: u64,
}

/// Boxes and corners at one end of the interval.
#[derive(Clone, Debug)]
pub(super) struct End {
    pub(super) nodes: Vec<Node>,
    pub(super) rows: Vec<Row>,
}

impl KineticBody {
    /// A body of the given triangles, at the present time of its plans.
    ///
    /// # Errors
    /// A triangle that names a vertex without a plan.
    ///
    /// # Cost
    /// That of building a tree, and two refits.
    pub fn new(triangles: Vec<[u32; 3]>, plans: Plans) -> Result<Self, KineticError> {
        let vertices = plans.vertex_count();
        let missing = triangles.iter().flatten().find(|&&v| v as usize >= vertices);
        if let Some(&vertex) = missing {
            return Err(KineticError::NoSuchVertex { vertex, vertices });
        }
        let mut positions = Vec::new();
        plans.positions_at(plans.now(), &mut positions);
        let mesh =
            Mesh::new(positions, triangles).expect("finite positions, and triangles that were checked");
        let options = BuildOptions { self_queries: false, ..BuildOptions::default() };
        let triangles = mesh.triangles().to_vec();
        let (nodes, rows, ids, frame) = MeshTree::build_with(mesh, &options).into_nodes();
        let mut node_parents = vec![0; nodes.len()];
        let mut leaf_parents = vec![0; rows.len()];
        for (index, node) in nodes.iter().enumerate() {
            for (_, child) in node.used() {
                let of = if child.is_leaf() { &mut leaf_parents } else { &mut node_parents };
                of[child.index()] = index as u32;
            }
        }
        let named = ids.iter().enumerate().flat_map(|(leaf, ids)| {
            let lanes = ids.triangle_ids().count();
            let corners = (0..lanes).flat_map(move |lane| [0, 1, 2].map(|k| ids.vertices[k][lane]));
            corners.map(move |v| (v, leaf as u32))
        });
        let leaves_of_vertex = Lists::from_pairs(vertices, named);
        let end = End { nodes, rows };
        let now = plans.now();
        let mut body = Self {
            plans,
            triangles,
            frame,
            ids,
            interval: [now; 2],
            ends: [end.clone(), end],
            node_parents,
            leaf_parents,
            leaves_of_vertex,
            positions: Vec::new(),
            stamp: Stamp::new(),
            refits: 0,
        };
        body.begin_interval(now);
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

    /// The triangles, by the indices of their vertices.
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

    /// The body as it stands now, where a pose puts it.
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
                    self.ends.swap(0, 1);
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

    /// Gives new plans to some vertices, from now on.
    ///
    /// # Errors
    /// As [`Plans::change`]; nothing has then changed.
    ///
    /// # Cost
    /// The boxes above the triangles of those vertices, if they have no key before the end of the interval; else two refits.
    pub fn change(&mut self, changes: &[(u32, Plan)]) -> Result<(), KineticError> {
        self.plans.change(changes)?;
        self.stamp = Stamp::new();
        let now = self.plans.now();
        let [from, until] = self.interval;
        // A line can be followed back to the beginning of the interval; a chord that begins now cannot.
        let goes_back = |vertex: u32| match self.plans.interval(vertex, now) {
            Piece::Line { .. } => true,
            Piece::Chord { from: begin, .. } => begin <= from,
        };
        let is_linear = changes.iter().all(|(vertex, _)| goes_back(*vertex));
        if !is_linear || self.plans.next_key_after(now).is_some_and(|key| key < until) {
            self.begin_interval(now);
            return Ok(());
        }
        let mut dirty: Vec<u32> = vec![];
        for (vertex, _) in changes {
            dirty.extend(
                self.leaves_of_vertex
                    .list(*vertex as usize)
                    .iter()
                    .map(|&leaf| self.leaf_parents[leaf as usize]),
            );
        }
        dirty.sort_unstable();
        dirty.dedup();
        // Ancestors come before their descendants in the list of nodes; every one is added once.
        let mut next = 0;
        let mut is_dirty = std::collections::HashSet::<u32>::from_iter(dirty.iter().copied());
        while next < dirty.len() {
            let parent = self.node_parents[dirty[next] as usize];
            if is_dirty.insert(parent) {
                dirty.push(parent);
            }
            next += 1;
        }
        dirty.sort_unstable();
        let Self { plans, ends, ids, frame, interval, .. } = self;
        for (end, time) in ends.iter_mut().zip(interval) {
            let at = |v: u32| plans.at(v, *time);
            refit_above((&mut end.nodes, &mut end.rows, ids), &at, *frame, &dirty);
        }
        // A vertex that flies off may leave the frame.
        if !self.is_in_frame() {
            self.begin_interval(now);
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
    fn begin_interval(&mut self, from: f64) {
        self.interval = [from, self.end_after(from)];
        let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        for time in self.interval {
            self.plans.positions_at(time, &mut self.positions);
            for &p in &self.positions {
                (low, high) = (low.min(p), high.max(p));
            }
        }
        self.frame = if low.x <= high.x { Frame::around(low, high) } else { Frame::default() };
        self.refit_end(0);
        self.refit_end(1);
    }

    /// Refits the boxes of one end.
    fn refit_end(&mut self, end: usize) {
        self.refits += 1;
        self.plans.positions_at(self.interval[end], &mut self.positions);
        let End { nodes, rows } = &mut self.ends[end];
        refit_nodes((nodes, rows, &self.ids), &self.positions, self.frame, true);
    }

    /// Whether both ends are in the frame, and not too small in it.
    fn is_in_frame(&self) -> bool {
        let reach = |end: &End| end.nodes.first().map_or(1.0, |root| crate::walk::reach_of(root.bounds()));
        let [a, b] = [&self.ends[0], &self.ends[1]].map(reach);
        a.max(b) <= Frame::REACH && a.max(b) >= 0.0625
    }

    /// A time as a share of the interval.
    pub(super) fn share(&self, time: f64) -> f32 {
        let [from, until] = self.interval;
        if until > from { ((time - from) / (until - from)).clamp(0.0, 1.0) as f32 } else { 0.0 }
    }

    pub(super) fn ends(&self) -> &[End; 2] {
        &self.ends
    }

    pub(super) fn frame(&self) -> Frame {
        self.frame
    }
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
        usize::from(!self.ids.is_empty())
    }

    fn root(&self, _: usize) -> (Child, Corners) {
        let mut scratch = Node::EMPTY;
        (Child::node(0), self.node(0, &mut scratch).bounds())
    }

    fn node<'s>(&'s self, place: usize, scratch: &'s mut Node) -> &'s Node {
        let [from, to] = [&self.ends[0].nodes[place], &self.ends[1].nodes[place]];
        *scratch = *from;
        let boxes = chord(&from.boxes, &to.boxes, self.share(self.plans.now()));
        for lane in 0..from.count as usize {
            let (low, high) = boxes.lane(lane);
            scratch.boxes.set(lane, low, high);
        }
        scratch
    }

    fn ids<'s>(&'s self, place: usize, _: &'s mut RowIds) -> &'s RowIds {
        &self.ids[place]
    }

    fn row(&self, place: usize, _: RowTwins, row: &mut Row, ids: &mut RowIds) {
        *ids = self.ids[place];
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
