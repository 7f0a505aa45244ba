//! A ribbed pumpkin.
//!
//! # Idea
//!
//! A geodesic sphere is sent through three maps of space. Each is one-to-one, so the surface does not cross itself:
//!
//! ```text
//!   ribs     (x, y) → (x, y) · (1 − depth of the furrow at that angle)       lobes with narrow furrows between
//!   squash   z → 0.8 z                                                      wider than tall
//!   dents    z → z · (1 − dent at that distance from the axis)               hollows at stem and blossom
//! ```
//!
//! The furrow at angle φ is 1 − √(sin²(*k* φ / 2) + *ε*²) + *ε* deep, for *k* ribs, in units of [`RIB_DEPTH`]:
//! round lobes and, thanks to *ε*, furrows that are not infinitely sharp.

use super::shape;
use super::sphere::{frequency_for, geodesic};
use crate::geom::DVec3;
use crate::mesh::Mesh;

const RIB_DEPTH: f64 = 0.22;
/// The ε of the furrows.
const FURROW_WIDTH: f64 = 0.3;
const SQUASH: f64 = 0.8;
const DENT_DEPTH: f64 = 0.45;
const DENT_RADIUS: f64 = 0.34;

/// A pumpkin of about the given number of triangles, 1 in radius and upright along z, its middle at the origin.
///
/// The number of triangles is the number 20 *n*² nearest in *n* to the one asked for. Ten ribs and 10,000
/// triangles look right; furrows need about four triangles for each rib along the equator to show.
///
/// # Panics
/// If there are fewer than 3 ribs or more than 335 million triangles.
pub fn pumpkin(ribs: u32, triangles: usize) -> Mesh {
    assert!(ribs >= 3, "{ribs} ribs are fewer than 3");
    let (directions, triangles) = geodesic(frequency_for(triangles));
    shape(directions.into_iter().map(|d| place(d, ribs)).collect(), triangles)
}

/// Where a point of the unit sphere goes.
fn place(d: DVec3, ribs: u32) -> DVec3 {
    let wide = rib(libm::atan2(d.y, d.x), ribs);
    let (x, y) = (d.x * wide, d.y * wide);
    DVec3::new(x, y, d.z * SQUASH * (1.0 - dent(libm::hypot(x, y))))
}

/// How far the ribs reach at an angle around the axis: 1 on a lobe, 1 − [`RIB_DEPTH`] in a furrow.
fn rib(angle: f64, ribs: u32) -> f64 {
    let sin = libm::sin(0.5 * f64::from(ribs) * angle);
    let lobe = (sin * sin + FURROW_WIDTH * FURROW_WIDTH).sqrt() - FURROW_WIDTH;
    let top = (1.0 + FURROW_WIDTH * FURROW_WIDTH).sqrt() - FURROW_WIDTH;
    1.0 - RIB_DEPTH * (1.0 - lobe / top)
}

/// How much lower the surface lies at a distance from the axis, as a fraction of its height.
fn dent(distance: f64) -> f64 {
    DENT_DEPTH * libm::exp(-(distance / DENT_RADIUS).powi(2))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::Report;
    use std::f64::consts::{PI, TAU};

    #[test]
    fn ribs_reach_one_and_furrows_their_depth() {
        for ribs in [3, 10, 17] {
            assert!((rib(PI / f64::from(ribs), ribs) - 1.0).abs() < 1e-12);
            assert!((rib(0.0, ribs) - (1.0 - RIB_DEPTH)).abs() < 1e-12);
            // Nothing jumps where the angle does.
            assert!((rib(-PI, ribs) - rib(PI, ribs)).abs() < 1e-12);
        }
    }

    /// The height over each point of the ground, integrated. It knows the three maps but nothing of the mesh.
    fn volume(ribs: u32) -> f64 {
        let (angles, radii) = (3600, 2000);
        let mut sum = 0.0;
        for a in 0..angles {
            let wide = rib(TAU * (f64::from(a) + 0.5) / f64::from(angles), ribs);
            for r in 0..radii {
                let on_sphere = (f64::from(r) + 0.5) / f64::from(radii);
                let distance = on_sphere * wide;
                let height = 2.0 * SQUASH * (1.0 - on_sphere * on_sphere).sqrt() * (1.0 - dent(distance));
                sum += height * distance * (wide / f64::from(radii)) * (TAU / f64::from(angles));
            }
        }
        sum
    }

    #[test]
    fn volume_tends_to_that_of_the_formula() {
        for ribs in [5, 10] {
            let exact = volume(ribs);
            let errors = [10_000, 40_000].map(|n| {
                let found = Report::of(&pumpkin(ribs, n)).volume.unwrap();
                (found / exact - 1.0).abs()
            });
            assert!(errors[0] < 0.005, "{ribs} ribs: volume off by {:e}", errors[0]);
            assert!(errors[1] < errors[0] / 3.0, "{ribs} ribs: errors {errors:?}");
        }
    }
}
