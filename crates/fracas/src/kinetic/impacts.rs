//! Continuous collision of bodies on known paths: which features meet during a step, and when.
//!
//! Between keys every vertex moves linearly, so a step between two keys is a question for the exact tests of [`crate::exact`]. Candidates
//! are pairs of triangles whose boxes overlap at some time of the step: those of a [`Window`] for two [`KineticBody`]s, or the overlaps
//! of a [`SeparationList`] for the structures of the paper (§10). Every vertex and every edge belongs to one of its triangles, so each
//! pair of features is tested once; see [`crate::impact`], whose answers these are.

use super::{KineticBody, KineticError, Plans, SeparationList, Window};
use crate::exact::ccd::batch::{ImpactBatch, Row};
use crate::geom::DVec3;
use crate::impact::{Features, Impact, Owners, ends};
use crate::mesh::TriangleId;
use crate::pairs::Pair;

/// Finds the impacts of steps of bodies on known paths; keeps its memory.
///
/// ```
/// use fracas::kinetic::{KineticBody, Plans, StepImpacts};
/// use fracas::{geom::DVec3, mesh::shapes};
/// let sheet = shapes::cloth_grid(4, 4, [1.0, 1.0]);
/// let body = |from: f64, to: f64| {
///     let key = |z: f64| sheet.positions().iter().map(|p| *p + DVec3::Z * z).collect::<Vec<_>>();
///     let plans = Plans::keyframes(vec![0.0, 1.0], vec![key(from), key(to)]).unwrap();
///     KineticBody::new(sheet.triangles().to_vec(), plans).unwrap()
/// };
/// // One sheet falls through the other within one step.
/// let (mut still, mut falling) = (body(0.0, 0.0), body(1.0, -2.0));
/// let mut steps = StepImpacts::default();
/// let impacts = steps.between(&mut still, &mut falling, 1.0).unwrap();
/// assert!(impacts[0].time.low <= 1.0 / 3.0 && 1.0 / 3.0 <= impacts[0].time.high);
/// ```
#[derive(Default)]
pub struct StepImpacts {
    window: Window,
    pairs: Vec<Pair>,
    owners: [OwnersById; 2],
    rows: [Vec<Row>; 2],
    /// A vertex of the first body and a triangle of the second, and the other way round.
    vertex_triangle: [(Vec<[u32; 4]>, Vec<TriangleId>); 2],
    edge_edge: Vec<[u32; 4]>,
    batch: ImpactBatch,
    impacts: Vec<Impact>,
}

impl StepImpacts {
    /// Advances two bodies to a time and lists what meets on the way, the earliest first, as
    /// [`Finder::find_impacts`](crate::Finder::find_impacts) does. Times are shares of the step.
    ///
    /// # Errors
    /// Bodies at different times, a time before the present one, or a key between the two times. Nothing has then changed.
    pub fn between(
        &mut self,
        a: &mut KineticBody,
        b: &mut KineticBody,
        until: f64,
    ) -> Result<&[Impact], KineticError> {
        let from = a.now();
        if from != b.now() {
            return Err(KineticError::DifferentTimes { a: from, b: b.now() });
        }
        check_step(&[a.plans(), b.plans()], until)?;
        self.move_body(0, a, until)?;
        self.move_body(1, b, until)?;
        let timed = self.window.find_step((a, b), [from, until], false);
        self.pairs.clear();
        self.pairs.extend(timed.iter().map(|timed| timed.pair));
        self.decide([a.triangles(), b.triangles()], false);
        Ok(&self.impacts)
    }

    /// Advances a body to a time and lists what meets within it on the way, as
    /// [`Finder::find_self_impacts`](crate::Finder::find_self_impacts) does: features that share a vertex are left out.
    ///
    /// # Errors
    /// A time before the present one, or a key between the two times. Nothing has then changed.
    pub fn within(&mut self, body: &mut KineticBody, until: f64) -> Result<&[Impact], KineticError> {
        let from = body.now();
        check_step(&[body.plans()], until)?;
        self.move_body(0, body, until)?;
        let timed = self.window.find_step((body, body), [from, until], true);
        self.pairs.clear();
        self.pairs.extend(timed.iter().map(|timed| timed.pair));
        self.decide([body.triangles(); 2], true);
        Ok(&self.impacts)
    }

    /// Advances a separation list to a time and lists what meets on the way. Overlaps that ended before the step, and were not taken
    /// out, are candidates too, and never impacts.
    ///
    /// # Errors
    /// A time before the present one, or a key between the two times. Nothing has then changed.
    pub fn along(&mut self, list: &mut SeparationList, until: f64) -> Result<&[Impact], KineticError> {
        let count = list.trees.len();
        let plans: Vec<&Plans> = (0..count).map(|body| list.tree(body).plans()).collect();
        check_step(&plans, until)?;
        let starts: Vec<Vec<DVec3>> = plans.iter().map(|plans| positions(plans, list.now())).collect();
        list.advance_to(until)?;
        self.pairs.clear();
        self.pairs.extend(list.drain_finished().map(|overlap| Pair { a: overlap.a, b: overlap.b }));
        self.pairs.extend(list.ongoing().map(|overlap| Pair { a: overlap.a, b: overlap.b }));
        self.pairs.sort_unstable();
        self.pairs.dedup();
        for (body, starts) in starts.iter().enumerate() {
            let tree = list.tree(body);
            let ends = positions(tree.plans(), until);
            self.rows[body] = starts.iter().zip(&ends).map(|(start, end)| Row::new(*start, *end)).collect();
            let is_there = |triangle: TriangleId| tree.tree.has(triangle);
            self.owners[body].find(&tree.tree.triangles, is_there, starts.len());
        }
        let triangles = [0, count - 1].map(|body| &list.tree(body).tree.triangles[..]);
        self.decide(triangles, count == 1);
        Ok(&self.impacts)
    }

    /// Advances a body, and notes where its vertices are before and after.
    fn move_body(&mut self, side: usize, body: &mut KineticBody, until: f64) -> Result<(), KineticError> {
        let from = body.now();
        let starts = positions(body.plans(), from);
        body.advance_to(until)?;
        body.cover(from);
        let ends = positions(body.plans(), until);
        self.rows[side].clear();
        self.rows[side].extend(starts.iter().zip(&ends).map(|(start, end)| Row::new(*start, *end)));
        self.owners[side].find(body.triangles(), |triangle| body.has_triangle(triangle), starts.len());
        Ok(())
    }

    /// Lists the features of the pairs of triangles, and decides them.
    fn decide(&mut self, [of_a, of_b]: [&[[u32; 3]]; 2], itself: bool) {
        let Self { pairs, owners, rows, vertex_triangle, edge_edge, batch, impacts, .. } = self;
        let other = usize::from(!itself);
        vertex_triangle.iter_mut().for_each(|(vertices, triangles)| {
            vertices.clear();
            triangles.clear();
        });
        edge_edge.clear();
        impacts.clear();
        for &Pair { a: t, b: u } in &*pairs {
            let (corners, others) = (of_a[t.index()], of_b[u.index()]);
            let (own, other_own) = (owners[0].bits[t.index()], owners[other].bits[u.index()]);
            for (side, own, [v, w], triangle) in
                [(0, own, [corners, others], u), (other, other_own, [others, corners], t)]
            {
                for vertex in (0..3).filter(|k| own >> k & 1 != 0).map(|k| v[k]) {
                    if !(itself && w.contains(&vertex)) {
                        vertex_triangle[side].0.push([vertex, w[0], w[1], w[2]]);
                        vertex_triangle[side].1.push(triangle);
                    }
                }
            }
            for k in (0..3).filter(|k| own >> (3 + k) & 1 != 0) {
                let one = ends(&corners, k);
                for m in (0..3).filter(|m| other_own >> (3 + m) & 1 != 0) {
                    let [x, y] = ends(&others, m);
                    if !(itself && (one.contains(&x) || one.contains(&y))) {
                        edge_edge.push([one[0], one[1], x, y]);
                    }
                }
            }
        }
        let tables = [&rows[0][..], &rows[other][..]];
        for (side, (vertices, triangles)) in vertex_triangle.iter().enumerate() {
            batch.vertex_triangle([tables[side], tables[1 - side]], vertices, |k, time| {
                let (vertex, triangle) = (vertices[k][0], triangles[k]);
                let features = match side {
                    0 => Features::VertexTriangle(vertex, triangle),
                    _ => Features::TriangleVertex(triangle, vertex),
                };
                impacts.push(Impact { time, features });
            });
        }
        batch.edge_edge(tables, edge_edge, |k, time| {
            let [v, w, x, y] = edge_edge[k];
            let (one, other) = ([v, w], [x, y]);
            let (one, other) = if itself && other < one { (other, one) } else { (one, other) };
            impacts.push(Impact { time, features: Features::EdgeEdge(one, other) });
        });
        impacts.sort_unstable_by(Impact::order);
    }
}

/// Which vertices and edges each triangle owns, by id; see [`Owners`].
#[derive(Default)]
struct OwnersById {
    owners: Owners,
    bits: Vec<u8>,
    living: Vec<u32>,
    corners: Vec<[u32; 3]>,
}

impl OwnersById {
    fn find(&mut self, triangles: &[[u32; 3]], is_there: impl Fn(TriangleId) -> bool, vertices: usize) {
        let Self { owners, bits, living, corners } = self;
        living.clear();
        living.extend((0..triangles.len() as u32).filter(|&triangle| is_there(TriangleId(triangle))));
        corners.clear();
        corners.extend(living.iter().map(|&triangle| triangles[triangle as usize]));
        bits.clear();
        bits.resize(triangles.len(), 0);
        for (&triangle, &own) in living.iter().zip(owners.find(corners, vertices)) {
            bits[triangle as usize] = own;
        }
    }
}

fn positions(plans: &Plans, time: f64) -> Vec<DVec3> {
    let mut positions = vec![];
    plans.positions_at(time, &mut positions);
    positions
}

/// Checks that all vertices move linearly from now until a time.
fn check_step(plans: &[&Plans], until: f64) -> Result<(), KineticError> {
    for plans in plans {
        super::error::check_advance(plans.now(), until)?;
        if let Some(key) = plans.next_key().filter(|key| *key < until) {
            return Err(KineticError::KeyInStep { from: plans.now(), until, key });
        }
    }
    Ok(())
}
