//! Takes all impacts out of a step.
//!
//! ```text
//!   start (apart) ──▶ end ── impacts? ── none ──▶ done
//!                      ▲        │
//!                      │        ├─ at first: each impact moves the ends of its four vertices apart, inelastically
//!                      └────────┴─ later: all vertices that meet, directly or through others, move alike (a zone)
//! ```
//!
//! Vertices with the same way do not approach each other, so a zone has no impacts within it, and zones only grow. A zone
//! that meets the other body takes the way of that body's surface where they meet. The other body is never moved.
//!
//! What comes out is checked again by `impacts`, which is exact. If rounds run out, the step has to be cut short.
//!
//! # Reference
//!
//! R. Bridson, R. Fedkiw and J. Anderson, *Robust treatment of collisions, contact and friction for cloth animation*,
//! SIGGRAPH, 2002. Zones there keep their rotation; ours only translate, which is enough for the few that are needed.

use super::contacts::across;
use super::features::{FeatureFinder, Features};
use super::impacts::{Impact, impacts};
use super::near_features::{edge_edge, vertex_face};
use fracas::geom::DVec3;

/// Rounds in which impacts are dealt with one by one.
const SINGLE: usize = 12;
/// Rounds in which zones grow.
const ZONES: usize = 24;

/// What it took to take impacts out of a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ApartStats {
    /// Impacts met.
    pub impacts: usize,
    /// Vertices that ended in zones.
    pub in_zones: usize,
}

/// Changes the end of a step so that nothing meets on the straight ways from `start`, where everything is apart; features that
/// would have met are left `gap` apart if possible. `None` if that has not been reached; `end` makes no sense then.
pub(crate) fn set_apart(
    finder: &mut FeatureFinder,
    start: &[DVec3],
    end: &mut [DVec3],
    gap: f64,
) -> Option<ApartStats> {
    let cloth = finder.cloth_vertices();
    let mut stats = ApartStats::default();
    let mut marked = vec![true; start.len()];
    let mut zones = Zones::new(cloth);
    let proposed = end.to_vec();
    for round in 0..SINGLE + ZONES {
        let met = impacts(finder, start, end, |v| marked[v as usize]);
        if met.is_empty() {
            stats.in_zones = zones.members();
            return Some(stats);
        }
        stats.impacts += met.len();
        // Whatever has met may have changed; nothing else has.
        marked.fill(false);
        for impact in &met {
            impact.features.vertices().iter().for_each(|&v| marked[v as usize] = (v as usize) < cloth);
        }
        if round < SINGLE {
            met.iter().for_each(|impact| part(impact, start, end, cloth, gap));
        } else {
            met.iter().for_each(|impact| zones.join(impact, start, end));
            zones.move_alike(start, &proposed, end, &mut marked);
        }
    }
    None
}

/// Moves the ends of four vertices so that from the moment of impact on they move apart and end with a gap.
fn part(impact: &Impact, start: &[DVec3], end: &mut [DVec3], cloth: usize, gap: f64) {
    let features = impact.features;
    let vertices = features.vertices().map(|v| v as usize);
    let at = |time: f64| vertices.map(|v| start[v].lerp(end[v], time));
    let then = at(impact.time);
    let weights = match features {
        Features::VertexFace(_) => {
            let [a, b, c] = vertex_face(then).1;
            [1.0, -a, -b, -c]
        }
        Features::EdgeEdge(_) => {
            let [s, t] = edge_edge(then).1;
            [1.0 - s, s, t - 1.0, -t]
        }
    };
    let between = |at: [DVec3; 4]| -> DVec3 { (0..4).map(|k| at[k] * weights[k]).sum() };
    let first = between(at(0.0));
    // The direction in which the first feature was before the impact, seen from the second.
    let mut out = across(features, then).normalize_or_zero();
    if out.dot(first).abs() < 0.05 * first.length() {
        out = first.normalize_or_zero();
    } else if out.dot(first) < 0.0 {
        out = -out;
    }
    let short = gap - between(at(1.0)).dot(out);
    let mobility: f64 = (0..4).filter(|&k| vertices[k] < cloth).map(|k| weights[k] * weights[k]).sum();
    if short > 0.0 && mobility > 1e-9 {
        for k in 0..4 {
            if vertices[k] < cloth {
                end[vertices[k]] += out * (short * weights[k] / mobility);
            }
        }
    }
}

/// Vertices that move alike.
struct Zones {
    leader: Vec<u32>,
    is_member: Vec<bool>,
    /// Ways of the other body where it has been met, added up, and how many there are; by leader.
    carried: Vec<(DVec3, f64)>,
}

impl Zones {
    fn new(vertices: usize) -> Self {
        Self {
            leader: (0..vertices as u32).collect(),
            is_member: vec![false; vertices],
            carried: vec![(DVec3::ZERO, 0.0); vertices],
        }
    }

    fn members(&self) -> usize {
        self.is_member.iter().filter(|is_member| **is_member).count()
    }

    fn find(&mut self, mut v: u32) -> u32 {
        while self.leader[v as usize] != v {
            self.leader[v as usize] = self.leader[self.leader[v as usize] as usize];
            v = self.leader[v as usize];
        }
        v
    }

    fn join(&mut self, impact: &Impact, start: &[DVec3], end: &[DVec3]) {
        let vertices = impact.features.vertices();
        let cloth = self.leader.len() as u32;
        let Some(&first) = vertices.iter().find(|v| **v < cloth) else { return };
        for &v in &vertices {
            if v < cloth {
                self.is_member[v as usize] = true;
                let [a, b] = [first, v].map(|v| self.find(v));
                if a != b {
                    let (low, high) = (a.min(b) as usize, a.max(b) as usize);
                    self.leader[high] = low as u32;
                    let (way, count) = self.carried[high];
                    self.carried[low].0 += way;
                    self.carried[low].1 += count;
                }
            }
        }
        let leader = self.find(first) as usize;
        for &v in vertices.iter().filter(|v| **v >= cloth) {
            self.carried[leader].0 += end[v as usize] - start[v as usize];
            self.carried[leader].1 += 1.0;
        }
    }

    fn move_alike(&mut self, start: &[DVec3], proposed: &[DVec3], end: &mut [DVec3], marked: &mut [bool]) {
        let mut ways = vec![(DVec3::ZERO, 0.0); self.leader.len()];
        for v in 0..self.leader.len() {
            if self.is_member[v] {
                let leader = self.find(v as u32) as usize;
                ways[leader].0 += proposed[v] - start[v];
                ways[leader].1 += 1.0;
            }
        }
        for v in 0..self.leader.len() {
            if self.is_member[v] {
                let leader = self.find(v as u32) as usize;
                let (sum, count) =
                    if self.carried[leader].1 > 0.0 { self.carried[leader] } else { ways[leader] };
                end[v] = start[v] + sum / count;
                marked[v] = true;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fracas::mesh::{Mesh, shapes};

    /// Two sheets over each other as one mesh.
    fn sheets() -> Mesh {
        let lower = shapes::cloth_grid(6, 6, [1.0, 1.0]);
        let turned = |p: &DVec3| DVec3::new(0.8 * p.x - 0.6 * p.y, 0.6 * p.x + 0.8 * p.y, 0.1);
        let upper =
            Mesh::new(lower.positions().iter().map(turned).collect(), lower.triangles().to_vec()).unwrap();
        Mesh::join([&lower, &upper]).unwrap()
    }

    #[test]
    fn sheets_that_would_pass_through_each_other_do_not() {
        let (sheets, ball) = (sheets(), shapes::icosphere(0.3, 2));
        let under: Vec<DVec3> = ball.positions().iter().map(|p| *p - DVec3::Z * 0.5).collect();
        let ball = Mesh::new(under, ball.triangles().to_vec()).unwrap();
        let mut finder = FeatureFinder::new(&sheets, &ball);
        let start: Vec<DVec3> = [sheets.positions(), ball.positions()].concat();
        let upper = sheets.vertex_count() / 2..sheets.vertex_count();
        for fall in [0.15, 0.6, 3.0] {
            let mut end = start.clone();
            upper.clone().for_each(|v| end[v] -= DVec3::new(0.02, 0.01, fall));
            assert!(!impacts(&mut finder, &start, &end, |_| true).is_empty());
            let stats = set_apart(&mut finder, &start, &mut end, 0.01).expect("it can be set apart");
            assert!(stats.impacts > 0);
            assert_eq!(impacts(&mut finder, &start, &end, |_| true), []);
            assert_eq!(end[sheets.vertex_count()..], start[sheets.vertex_count()..], "the ball stays");
        }
    }
}
