//! Contacts: depth and direction of known overlaps, and what must hold for all of them.

#[path = "../common/mod.rs"]
mod common;

mod boxes;
mod known;
mod laws;
mod rest;
mod scans;
mod thickness;

use fracas::geom::{DQuat, DVec3, Pose};
use fracas::internal::Random;
use fracas::{Finder, MeshTree};

fn shifted(to: DVec3) -> Pose {
    Pose::from_translation(to).expect("finite")
}

fn place(turn: DQuat, to: DVec3) -> Pose {
    Pose::new(turn, to).expect("finite")
}

fn random_vector(random: &mut Random) -> DVec3 {
    DVec3::new(random.signed(), random.signed(), random.signed())
}

fn random_turn(random: &mut Random) -> DQuat {
    let [x, y, z, w] = [0; 4].map(|_| random.signed());
    DQuat::from_xyzw(x, y, z, w).normalize()
}

/// The least distance along a direction at which two bodies no longer meet, by bisection.
fn way_out(finder: &mut Finder, a: &MeshTree, b: &MeshTree, pose: &Pose, way: DVec3, most: f64) -> f64 {
    let (mut low, mut high) = (0.0, most);
    for _ in 0..40 {
        let middle = 0.5 * (low + high);
        if finder.overlaps(a, b.at(&shifted(way * middle).after(pose))) {
            low = middle
        } else {
            high = middle
        }
    }
    high
}
