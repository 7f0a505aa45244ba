//! How near a robot arm comes to the things around it on its way: `cargo run --release -p fracas --example clearance`
//!
//! `find_closest` tries the closest triangles of the last question first. Each link has a finder of its own, and from one
//! state of the arm to the next it moves little, so most questions are answered after a few nodes.

use fracas::geom::{DQuat, DVec3, Pose};
use fracas::mesh::{Mesh, shapes};
use fracas::{Closest, Finder, MeshTree};

/// Metres from one joint to the next.
const LENGTHS: [f64; 3] = [0.7, 0.6, 0.3];
/// Angles of the joints at the start and at the end of the way.
const WAY: [[f64; 3]; 2] = [[-0.6, 0.9, 0.4], [2.2, 1.3, -0.7]];

/// The links of the arm, each from its joint at the origin along z, and what stands around it.
pub(crate) struct Cell {
    links: Vec<MeshTree>,
    finders: Vec<Finder>,
    things: MeshTree,
}

/// Where the arm is nearest to something.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clearance {
    /// How far along the way, 0 to 1.
    pub(crate) at: f64,
    /// Which link.
    pub(crate) link: usize,
    /// The distance, points and triangles.
    pub(crate) closest: Closest,
    /// No point of the arm is nearer than this anywhere on the way, also between the states that were looked at.
    pub(crate) at_least: f64,
}

impl Cell {
    pub(crate) fn new() -> Self {
        let moved = |mesh: Mesh, x: f64, y: f64, z: f64| {
            let pose = Pose::from_translation(DVec3::new(x, y, z)).expect("finite");
            mesh.posed(&pose).expect("finite")
        };
        let link = |length: &f64| moved(shapes::capsule(0.06, *length, 48), 0.0, 0.0, 0.5 * length);
        let things = [
            moved(shapes::plate(3.0, 3.0, 0.05, 0.1), 0.0, 0.0, -0.5),
            moved(shapes::torus(0.3, 0.08, 96), 0.9, 0.9, 0.2),
            moved(shapes::cylinder(0.15, 1.2, 64), -0.7, 1.25, 0.4),
        ];
        Self {
            links: LENGTHS.iter().map(|length| MeshTree::build(link(length))).collect(),
            finders: LENGTHS.iter().map(|_| Finder::default()).collect(),
            things: MeshTree::build(Mesh::join(&things).expect("few triangles")),
        }
    }

    /// Where the links are, a share of the way along: the first joint turns about z and leans, the others bend.
    pub(crate) fn poses(t: f64) -> Vec<Pose> {
        let [turn, shoulder, elbow] = [0, 1, 2].map(|k| WAY[0][k] + t * (WAY[1][k] - WAY[0][k]));
        let mut joint = DVec3::ZERO;
        let mut rotation = DQuat::from_rotation_z(turn);
        let mut poses = Vec::new();
        for (angle, length) in [shoulder, elbow, 0.5 * elbow].into_iter().zip(LENGTHS) {
            rotation *= DQuat::from_rotation_y(angle);
            poses.push(Pose::new(rotation, joint).expect("finite"));
            joint += rotation * DVec3::Z * length;
        }
        poses
    }

    /// The link that is nearest to something, a share of the way along.
    pub(crate) fn least_at(&mut self, at: f64) -> Option<Clearance> {
        let mut least: Option<Clearance> = None;
        for (link, pose) in Self::poses(at).iter().enumerate() {
            let limit = least.map_or(f64::INFINITY, |least| least.closest.distance);
            let view = self.links[link].at(pose);
            if let Some(closest) = self.finders[link].find_closest(view, &self.things, limit) {
                least = Some(Clearance { at, link, closest, at_least: closest.distance });
            }
        }
        least
    }

    /// Looks at this many states from the start to the end.
    pub(crate) fn clearance(&mut self, states: usize) -> Option<Clearance> {
        let step = 1.0 / (states - 1) as f64;
        let all = (0..states).filter_map(|state| self.least_at(state as f64 * step));
        let least = all.min_by(|a, b| a.closest.distance.total_cmp(&b.closest.distance))?;
        // Turning a joint moves no point by more than the angle times the length of the arm.
        let turns: f64 = [0, 1, 2, 2].iter().map(|&k| (WAY[1][k] - WAY[0][k]).abs()).sum();
        let farthest = 0.5 * step * turns * (LENGTHS.iter().sum::<f64>() + 0.06);
        Some(Clearance { at_least: least.closest.distance - farthest, ..least })
    }
}

fn main() {
    let Some(Clearance { at, link, closest, at_least }) = Cell::new().clearance(1_000) else { return };
    println!("link {link} comes nearest, {:.1} % along the way: {:.4} m", 100.0 * at, closest.distance);
    println!("from {} to {}; never nearer than {at_least:.4} m", closest.points[0], closest.points[1]);
}
