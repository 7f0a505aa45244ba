//! Profiles turned around the z axis: surfaces of revolution, torus, cylinder, capsule, cone.
//!
//! # Idea
//!
//! ```text
//!   z                         Each profile point with r > 0 becomes a ring of vertices; a first or last point
//!   │ ●╮   last point         on the axis becomes a single vertex, a pole. Neighbouring rings are joined by
//!   │   ●  ring               quads, a pole and its ring by triangles.
//!   │   ●  ring
//!   │ ●╯   first point        Both ends on the axis: closed, a sphere. First and last point equal and off the
//!   └────── r                 axis: closed, a torus. Otherwise each end off the axis is a rim.
//! ```

use super::solids::halves;
use super::{assert_size, pieces, shape};
use crate::geom::DVec3;
use crate::mesh::Mesh;
use std::f64::consts::{FRAC_PI_2, TAU};

/// A profile of points `[r, z]` turned around the z axis, in `segments` steps.
///
/// The surface is closed if both ends of the profile lie on the axis (`r` = 0), or if it ends exactly where it
/// starts. A closed surface faces outward whichever way the profile runs. An open one faces away from the axis
/// where the profile rises. The surface does not cross itself if the profile does not.
///
/// # Panics
/// If there are fewer than 3 segments, if the profile has fewer points than a surface needs (2, or 3 with both
/// ends on the axis, or 4 with equal ends), if a coordinate is not finite or an `r` negative, if two
/// neighbouring points are equal, or if a point other than the ends lies on the axis.
///
/// ```
/// use fracas::mesh::{Report, shapes};
/// let top = [[0.0, -1.0], [0.8, 0.2], [0.8, 0.4], [0.1, 0.5], [0.1, 0.9], [0.0, 0.9]];
/// assert!(Report::of(&shapes::surface_of_revolution(&top, 24)).closed);
/// let tube = Report::of(&shapes::surface_of_revolution(&[[1.0, 0.0], [1.0, 3.0]], 24));
/// assert_eq!(tube.boundary_loops, 2);
/// ```
pub fn surface_of_revolution(profile: &[[f64; 2]], segments: usize) -> Mesh {
    let rising = check_profile(profile, segments);
    let mut profile = profile.to_vec();
    let is_loop = is_loop(&profile);
    if is_loop {
        profile.pop();
    }
    if !rising {
        profile.reverse();
    }
    let mut positions = Vec::with_capacity(profile.len() * segments);
    // The first vertex of each ring, and whether it is the only one: a pole.
    let rings: Vec<(u32, bool)> = profile
        .iter()
        .map(|&[r, z]| {
            let first = positions.len() as u32;
            if r == 0.0 {
                positions.push(DVec3::new(0.0, 0.0, z));
                return (first, true);
            }
            positions.extend((0..segments).map(|s| {
                let (sin, cos) = libm::sincos(TAU * s as f64 / segments as f64);
                DVec3::new(r * cos, r * sin, z)
            }));
            (first, false)
        })
        .collect();

    let mut triangles = Vec::with_capacity(2 * profile.len() * segments);
    let next_rings = rings.iter().skip(1).chain(is_loop.then_some(&rings[0]));
    let vertex = |&(first, is_pole): &(u32, bool), s: usize| {
        if is_pole { first } else { first + (s % segments) as u32 }
    };
    for (row, (below, above)) in rings.iter().zip(next_rings).enumerate() {
        for s in 0..segments {
            let [a, b] = [vertex(below, s), vertex(below, s + 1)];
            let [c, d] = [vertex(above, s + 1), vertex(above, s)];
            if a == b {
                triangles.push([a, c, d]);
            } else if c == d {
                triangles.push([a, b, c]);
            } else {
                triangles.extend(halves([a, b, c, d], (row + s) % 2 == 1));
            }
        }
    }
    shape(positions, triangles)
}

/// A torus around the z axis: a circle of radius `minor` whose centre runs around a circle of radius `major`.
///
/// `segments` steps lead around the axis and as many around the small circle as make the cells nearly square,
/// at least 3.
///
/// # Panics
/// If `major` is not finite or not greater than `minor`.
pub fn torus(major: f64, minor: f64, segments: usize) -> Mesh {
    assert_size("minor radius", minor);
    assert!(
        major > minor && major.is_finite(),
        "major radius {major} is not greater than {minor} and finite"
    );
    let around = pieces(TAU * minor, TAU * major / segments as f64).max(3);
    let mut profile: Vec<[f64; 2]> = (0..around)
        .map(|i| {
            let (sin, cos) = libm::sincos(TAU * i as f64 / around as f64);
            [major + minor * cos, minor * sin]
        })
        .collect();
    profile.push(profile[0]);
    surface_of_revolution(&profile, segments)
}

/// A solid cylinder around the z axis, its middle at the origin. Wall and lids are cut into nearly square cells.
pub fn cylinder(radius: f64, height: f64, segments: usize) -> Mesh {
    assert_size("radius", radius);
    assert_size("height", height);
    let (low, high) = ([radius, -0.5 * height], [radius, 0.5 * height]);
    let corners = [[0.0, low[1]], low, high, [0.0, high[1]]];
    surface_of_revolution(&cut(&corners, TAU * radius / segments as f64), segments)
}

/// A solid cone around the z axis, its base at z = 0 and its tip at z = `height`.
pub fn cone(radius: f64, height: f64, segments: usize) -> Mesh {
    assert_size("radius", radius);
    assert_size("height", height);
    let corners = [[0.0, 0.0], [radius, 0.0], [0.0, height]];
    surface_of_revolution(&cut(&corners, TAU * radius / segments as f64), segments)
}

/// A capsule around the z axis, its middle at the origin: a cylinder of the given height between two hemispheres.
pub fn capsule(radius: f64, height: f64, segments: usize) -> Mesh {
    assert_size("radius", radius);
    assert_size("height", height);
    let edge = TAU * radius / segments as f64;
    let (quarter, wall) = (pieces(segments as f64, 4.0), pieces(height, edge));
    // The quarter circle from the equator to the pole, without the pole.
    let arc = (0..quarter).map(|i| {
        let (sin, cos) = libm::sincos(FRAC_PI_2 * i as f64 / quarter as f64);
        [radius * cos, radius * sin + 0.5 * height]
    });
    let arc: Vec<_> = arc.chain([[0.0, radius + 0.5 * height]]).collect();
    let mut profile: Vec<_> = arc.iter().rev().map(|&[r, z]| [r, -z]).collect();
    profile.extend((1..wall).map(|i| [radius, height * (i as f64 / wall as f64 - 0.5)]));
    profile.extend(arc);
    surface_of_revolution(&profile, segments)
}

/// Panics on a profile that makes no surface. Otherwise says whether the profile runs so that counter-clockwise
/// quads face outward: always for an open one, which faces as its maker wants it.
fn check_profile(profile: &[[f64; 2]], segments: usize) -> bool {
    assert!(segments >= 3, "{segments} segments are fewer than 3");
    for (i, &[r, z]) in profile.iter().enumerate() {
        assert!(r.is_finite() && z.is_finite(), "profile point {i} is not finite: [{r}, {z}]");
        assert!(r >= 0.0, "profile point {i} has a negative radius: {r}");
        let inside = i > 0 && i + 1 < profile.len();
        assert!(!(inside && r == 0.0), "profile point {i} touches the axis, but is not an end");
    }
    for (i, pair) in profile.windows(2).enumerate() {
        assert!(pair[0] != pair[1], "profile points {i} and {} are equal", i + 1);
    }
    let poles =
        [profile.first(), profile.last()].iter().filter(|end| end.is_some_and(|p| p[0] == 0.0)).count();
    let needed = if is_loop(profile) { 4 } else { 1 + poles.max(1) };
    assert!(profile.len() >= needed, "a profile of {} points needs at least {needed}", profile.len());
    // Twice the area between profile and axis, positive if the profile has the axis on its left.
    let area: f64 =
        profile.windows(2).map(|pair| (pair[0][0] + pair[1][0]) * (pair[1][1] - pair[0][1])).sum();
    !(poles == 2 || is_loop(profile)) || area >= 0.0
}

/// Whether the profile ends where it starts, off the axis.
fn is_loop(profile: &[[f64; 2]]) -> bool {
    profile.len() > 1 && profile.first() == profile.last() && profile[0][0] > 0.0
}

/// The polygon through the corners with each side cut into pieces of about the given length.
fn cut(corners: &[[f64; 2]], length: f64) -> Vec<[f64; 2]> {
    let mut points = Vec::new();
    for side in corners.windows(2) {
        let [[r0, z0], [r1, z1]] = [side[0], side[1]];
        let n = pieces(libm::hypot(r1 - r0, z1 - z0), length);
        points.extend((0..n).map(|i| {
            let t = i as f64 / n as f64;
            [r0 + (r1 - r0) * t, z0 + (z1 - z0) * t]
        }));
    }
    points.extend(corners.last());
    points
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::Report;

    #[test]
    fn the_direction_of_a_closed_profile_does_not_matter() {
        let sphere_like = [[0.0, -1.0], [1.0, 0.0], [0.0, 1.0]];
        let ring_like = [[2.0, 0.0], [3.0, 0.0], [3.0, 1.0], [2.0, 1.0], [2.0, 0.0]];
        for profile in [sphere_like.as_slice(), &ring_like] {
            let mut backwards = profile.to_vec();
            backwards.reverse();
            let forth = Report::of(&surface_of_revolution(profile, 12));
            let back = Report::of(&surface_of_revolution(&backwards, 12));
            assert!(forth.closed && forth.oriented && forth.volume.unwrap() > 1.0);
            assert!((forth.volume.unwrap() - back.volume.unwrap()).abs() < 1e-12);
        }
    }

    #[test]
    fn open_profiles_have_a_rim_for_each_end_off_the_axis() {
        let loops = |profile: &[[f64; 2]]| Report::of(&surface_of_revolution(profile, 8)).boundary_loops;
        assert_eq!(loops(&[[0.0, 0.0], [1.0, 1.0]]), 1);
        assert_eq!(loops(&[[1.0, 0.0], [0.0, 1.0]]), 1);
        assert_eq!(loops(&[[1.0, 0.0], [1.0, 1.0]]), 2);
    }

    #[test]
    fn an_open_profile_that_rises_faces_away_from_the_axis() {
        let tube = surface_of_revolution(&[[1.0, 0.0], [1.0, 1.0]], 16);
        for &corners in tube.triangles() {
            let [a, b, c] = corners.map(|v| tube.positions()[v as usize]);
            let outward = (a + b + c) * DVec3::new(1.0, 1.0, 0.0);
            assert!((b - a).cross(c - a).dot(outward) > 0.0);
        }
    }

    #[test]
    fn poles_are_single_vertices() {
        let mesh = surface_of_revolution(&[[0.0, -1.0], [1.0, 0.0], [0.0, 1.0]], 7);
        assert_eq!((mesh.vertex_count(), mesh.triangle_count()), (7 + 2, 14));
    }

    #[test]
    fn cells_of_solids_are_nearly_square_away_from_the_axis() {
        for mesh in [cylinder(1.0, 3.0, 40), capsule(1.0, 3.0, 40), torus(2.0, 0.5, 80)] {
            let wanted = TAU / 40.0;
            for &corners in mesh.triangles() {
                let [a, b, c] = corners.map(|v| mesh.positions()[v as usize]);
                for (p, q) in [(a, b), (b, c), (c, a)] {
                    assert!(p.distance(q) < 2.2 * wanted, "edge of length {}", p.distance(q));
                }
            }
        }
    }

    #[track_caller]
    fn refused(profile: &[[f64; 2]], segments: usize, reason: &str) {
        let profile = profile.to_vec();
        let panic = std::panic::catch_unwind(|| surface_of_revolution(&profile, segments)).unwrap_err();
        let message = panic.downcast_ref::<String>().expect("a formatted message");
        assert_eq!(message, reason);
    }

    #[test]
    fn profiles_that_make_no_surface_are_refused() {
        refused(&[[1.0, 0.0], [1.0, 1.0]], 2, "2 segments are fewer than 3");
        refused(&[], 3, "a profile of 0 points needs at least 2");
        refused(&[[1.0, 0.0]], 3, "a profile of 1 points needs at least 2");
        refused(&[[0.0, 0.0], [0.0, 1.0]], 3, "a profile of 2 points needs at least 3");
        refused(&[[1.0, 0.0], [1.0, 1.0], [1.0, 0.0]], 3, "a profile of 3 points needs at least 4");
        refused(
            &[[1.0, 0.0], [0.0, 1.0], [1.0, 2.0]],
            3,
            "profile point 1 touches the axis, but is not an end",
        );
        refused(&[[1.0, 0.0], [1.0, 0.0]], 3, "profile points 0 and 1 are equal");
        refused(&[[1.0, 0.0], [-1.0, 0.0]], 3, "profile point 1 has a negative radius: -1");
        refused(&[[1.0, f64::NAN], [1.0, 0.0]], 3, "profile point 0 is not finite: [1, NaN]");
    }
}
