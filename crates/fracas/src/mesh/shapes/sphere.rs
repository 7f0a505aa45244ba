//! Spheres of nearly equal triangles, round or bumpy.
//!
//! # Idea
//!
//! An icosahedron has 20 faces. Each is cut into *n*² triangles by *n* lines along each of its edges, and the
//! points are pushed out to the sphere:
//!
//! ```text
//!        /\            /\            Vertices are numbered once for corners, once for edges, once for
//!       /  \          /__\           faces, so neighbours share them by index. Any n will do, so the
//!      /    \   →    /\  /\          number of triangles, 20 n², can be chosen within a few percent.
//!     /______\      /__\/__\
//! ```
//!
//! Triangles differ in area by less than a factor of 2.2.
//! Moving vertices along their rays from the centre, as [`noisy_sphere`] does, cannot make the surface cross
//! itself: triangles that do not meet stay in different cones.

use super::{assert_size, noise, shape};
use crate::geom::DVec3;
use crate::mesh::Mesh;

/// A sphere around the origin of 20 · 4ˢ triangles, *s* being the number of subdivisions.
///
/// # Panics
/// If there are more than 12 subdivisions.
pub fn icosphere(radius: f64, subdivisions: u32) -> Mesh {
    assert!(subdivisions <= 12, "{subdivisions} subdivisions are more than 12");
    geodesic_sphere(radius, 1 << subdivisions)
}

/// A sphere around the origin of 20 *n*² triangles, *n* being the frequency: the number of pieces into which
/// each edge of an icosahedron is cut.
///
/// # Panics
/// If the frequency is not between 1 and 4096.
pub fn geodesic_sphere(radius: f64, frequency: u32) -> Mesh {
    assert_size("radius", radius);
    let (directions, triangles) = geodesic(frequency);
    shape(directions.into_iter().map(|d| radius * d).collect(), triangles)
}

/// A sphere of radius 1 with smooth bumps and dents, different for each seed.
///
/// The number of triangles is the number 20 *n*² nearest in *n* to the one asked for: 23,120 for 23,000, 89,780
/// for 91,000, 364,500 for 364,000. Distances from the origin lie within 1 ± `amplitude`. The surface never
/// crosses itself.
///
/// # Panics
/// If the amplitude is not in [0, 1), or the number of triangles is more than 335 million.
pub fn noisy_sphere(triangles: usize, amplitude: f64, seed: u64) -> Mesh {
    assert!((0.0..1.0).contains(&amplitude), "amplitude {amplitude} is not in [0, 1)");
    let (directions, triangles) = geodesic(frequency_for(triangles));
    // The largest bumps are about a third of the radius across, the smallest a twelfth.
    let bumpy = |d: DVec3| d * (1.0 + amplitude * noise::fractal(3.0 * d, 3, seed));
    shape(directions.into_iter().map(bumpy).collect(), triangles)
}

/// The frequency whose number of triangles is nearest to the one asked for.
pub(super) fn frequency_for(triangles: usize) -> u32 {
    ((triangles as f64 / 20.0).sqrt().round() as u32).max(1)
}

/// Unit directions and triangles of the icosahedron with edges cut into `frequency` pieces.
pub(super) fn geodesic(frequency: u32) -> (Vec<DVec3>, Vec<[u32; 3]>) {
    assert!((1..=4096).contains(&frequency), "frequency {frequency} is not between 1 and 4096");
    let n = frequency as usize;
    let corners = icosahedron();
    let mut positions: Vec<DVec3> = corners.to_vec();
    positions.reserve(10 * n * n);

    // Points inside each edge, from its lower to its higher corner. `edge_points[a][b]` is the first of them.
    let mut edge_points = [[0_u32; 12]; 12];
    for [a, b, c] in FACES {
        for (a, b) in [(a, b), (b, c), (c, a)] {
            if a < b {
                edge_points[a][b] = positions.len() as u32;
                let between = |i: usize| (corners[a] * (n - i) as f64 + corners[b] * i as f64).normalize();
                positions.extend((1..n).map(between));
            }
        }
    }
    let on_edge = |a: usize, b: usize, steps: usize| match steps {
        0 => a as u32,
        steps if steps == n => b as u32,
        steps if a < b => edge_points[a][b] + steps as u32 - 1,
        steps => edge_points[b][a] + (n - steps) as u32 - 1,
    };

    let mut triangles = Vec::with_capacity(20 * n * n);
    for [a, b, c] in FACES {
        // Row r has r + 1 points, from the edge a–b to the edge a–c; row n is the edge b–c.
        let mut above = vec![a as u32];
        for r in 1..=n {
            let row: Vec<u32> = (0..=r)
                .map(|i| match (r, i) {
                    (r, i) if r == n => on_edge(b, c, i),
                    (r, 0) => on_edge(a, b, r),
                    (r, i) if i == r => on_edge(a, c, r),
                    (r, i) => {
                        let weights = DVec3::new((n - r) as f64, (r - i) as f64, i as f64);
                        let inside = corners[a] * weights.x + corners[b] * weights.y + corners[c] * weights.z;
                        positions.push(inside.normalize());
                        positions.len() as u32 - 1
                    }
                })
                .collect();
            for i in 0..r {
                triangles.push([above[i], row[i], row[i + 1]]);
                if i + 1 < r {
                    triangles.push([above[i], row[i + 1], above[i + 1]]);
                }
            }
            above = row;
        }
    }
    (positions, triangles)
}

/// Corners of the icosahedron on the unit sphere: three golden rectangles.
fn icosahedron() -> [DVec3; 12] {
    let golden = 0.5 * (1.0 + 5.0_f64.sqrt());
    let mut corners = [DVec3::ZERO; 12];
    for (i, corner) in corners.iter_mut().enumerate() {
        let short = if i & 1 == 0 { 1.0 } else { -1.0 };
        let long = if i & 2 == 0 { golden } else { -golden };
        let [x, y, z] = [short, long, 0.0];
        *corner = [DVec3::new(x, y, z), DVec3::new(z, x, y), DVec3::new(y, z, x)][i / 4].normalize();
    }
    corners
}

/// Faces of the icosahedron by corners, counter-clockwise from outside.
const FACES: [[usize; 3]; 20] = [
    [0, 1, 4],
    [0, 6, 1],
    [0, 4, 8],
    [0, 9, 6],
    [0, 8, 9],
    [1, 10, 4],
    [1, 6, 11],
    [1, 11, 10],
    [2, 5, 3],
    [2, 3, 7],
    [2, 8, 5],
    [2, 7, 9],
    [2, 9, 8],
    [3, 5, 10],
    [3, 11, 7],
    [3, 10, 11],
    [4, 5, 8],
    [4, 10, 5],
    [6, 9, 7],
    [6, 7, 11],
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_follow_the_frequency() {
        for n in [1, 2, 3, 7] {
            let mesh = geodesic_sphere(1.0, n);
            let n = n as usize;
            assert_eq!((mesh.vertex_count(), mesh.triangle_count()), (10 * n * n + 2, 20 * n * n));
        }
        assert_eq!(icosphere(1.0, 2), geodesic_sphere(1.0, 4));
        for (wanted, near) in [(1, 20), (23_000, 23_120), (91_000, 89_780), (364_000, 364_500)] {
            assert_eq!(20 * (frequency_for(wanted) as usize).pow(2), near);
        }
    }

    #[test]
    fn triangles_are_nearly_equal() {
        let mesh = geodesic_sphere(1.0, 30);
        let area = |&corners: &[u32; 3]| {
            let [a, b, c] = corners.map(|v| mesh.positions()[v as usize]);
            (b - a).cross(c - a).length()
        };
        let (mut least, mut most) = (f64::INFINITY, 0.0_f64);
        for area in mesh.triangles().iter().map(area) {
            (least, most) = (least.min(area), most.max(area));
        }
        assert!(most / least < 2.2, "areas differ by a factor of {}", most / least);
    }

    #[test]
    fn noise_depends_on_the_seed_and_fills_much_of_its_range() {
        let [one, same, other] = [5, 5, 6].map(|seed| noisy_sphere(8_000, 0.3, seed));
        assert_eq!(one, same);
        assert_ne!(one, other);
        let radii = one.positions().iter().map(|p| p.length());
        let (least, most) = radii.fold((1.0_f64, 1.0_f64), |(l, m), r| (l.min(r), m.max(r)));
        assert!(least < 0.88 && most > 1.12 && least >= 0.7 && most <= 1.3, "radii from {least} to {most}");
        let smooth = noisy_sphere(8_000, 0.0, 5);
        assert!(smooth.positions().iter().all(|p| (p.length() - 1.0).abs() < 1e-15));
    }
}
