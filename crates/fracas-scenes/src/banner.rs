//! Cloth in the wind that is cut while it moves: points and links over a mesh at rest.

use crate::SceneError;
use crate::points::{Link, Point};
use crate::slit::{Made, Slit};
use fracas::geom::DVec3;
use fracas::mesh::{LiveMesh, MeshEdit};
use std::collections::BTreeMap;

/// How strongly wind takes cloth along that faces it, per second.
const PRESSURE: f64 = 9.0;
/// How much a link across an edge gives.
const BENDING: f64 = 4e-6;

pub(crate) struct Banner {
    pub points: Vec<Point>,
    pub slit: Slit,
    pub links: Vec<(Link, f64)>,
    /// The length of an edge.
    edge: f64,
}

impl Banner {
    /// Cloth at rest, some points of which are held.
    pub fn new(slit: Slit, edge: f64, is_held: impl Fn(DVec3) -> bool) -> Self {
        let point = |&position: &DVec3| Point {
            position,
            velocity: DVec3::ZERO,
            before: position,
            mobility: if is_held(position) { 0.0 } else { 1.0 },
        };
        let points = slit.rest.positions().iter().map(point).collect();
        Self { points, links: links_of(&slit.rest), slit, edge }
    }

    pub fn positions(&self) -> Vec<DVec3> {
        self.points.iter().map(|point| point.position).collect()
    }

    /// Advances the cut; returns the edit of the cloth where it is now.
    pub fn cut_to(&mut self, front: f64) -> Result<MeshEdit, SceneError> {
        let (mut edit, made) = self.slit.advance_to(front)?;
        for (position, made) in edit.new_positions.iter_mut().zip(made) {
            let Made::On(corners) = made else { unreachable!("a sheet has no inside") };
            let [p, v] = corners.iter().fold([DVec3::ZERO; 2], |[p, v], &(k, w)| {
                let point = self.points[k as usize];
                [p + point.position * w, v + point.velocity * w]
            });
            *position = p;
            self.points.push(Point { position: p, velocity: v, before: p, mobility: 1.0 });
        }
        if !edit.is_empty() {
            self.links = links_of(&self.slit.rest);
        }
        Ok(edit)
    }

    /// Gravity, and the wind on every triangle.
    pub fn accelerations(&self, wind: DVec3) -> Vec<DVec3> {
        let mut all = vec![DVec3::Z * -9.81; self.points.len()];
        for id in self.slit.rest.live_triangles() {
            let corners = self.slit.rest.corners(id);
            let [a, b, c] = corners.map(|v| self.points[v as usize]);
            let across = (b.position - a.position).cross(c.position - a.position);
            let normal = across.normalize_or_zero();
            let relative = wind - (a.velocity + b.velocity + c.velocity) / 3.0;
            // Two triangles for each point, a third of each.
            let share = across.length() / (self.edge * self.edge) / 6.0;
            let push = normal * (PRESSURE * share * relative.dot(normal));
            corners.iter().for_each(|v| all[*v as usize] += push);
        }
        all
    }
}

/// Links along all edges, and softer ones across each.
fn links_of(rest: &LiveMesh) -> Vec<(Link, f64)> {
    let at = |v: u32| rest.positions()[v as usize];
    let link = |ends: [u32; 2]| Link { ends, length: at(ends[0]).distance(at(ends[1])) };
    let mut opposite: BTreeMap<[u32; 2], Vec<u32>> = BTreeMap::new();
    for id in rest.live_triangles() {
        let t = rest.corners(id);
        for k in 0..3 {
            let [a, b] = [t[k], t[(k + 1) % 3]];
            opposite.entry([a.min(b), a.max(b)]).or_default().push(t[(k + 2) % 3]);
        }
    }
    let stretch = opposite.keys().map(|ends| (link(*ends), 0.0));
    let bend = opposite.values().filter_map(|list| match list[..] {
        [a, b] => Some((link([a, b]), BENDING)),
        _ => None,
    });
    stretch.chain(bend).collect()
}
