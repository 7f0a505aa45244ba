//! Box and ray queries against brute force and rational arithmetic.

mod common;
#[allow(dead_code)] // Written for other tests as well.
#[path = "exact/reference.rs"]
mod reference;

use common::bodies::{AnyBody, KINDS};
use common::inputs::Stream;
use common::soups::{grid_soup, loose_grid_soup, mapped, needles, random_soup, soup};
use fracas::RayHit;
use fracas::exact::{self, Relation};
use fracas::geom::{Box3, DVec3, Triangle};
use fracas::mesh::{Mesh, TriangleId, shapes};
use num_rational::BigRational;

/// The mesh as a body of every kind.
fn bodies(mesh: &Mesh) -> Vec<Box<dyn AnyBody>> {
    KINDS.iter().map(|kind| (kind.make)(mesh)).collect()
}

fn triangles(mesh: &Mesh) -> impl Iterator<Item = (TriangleId, Triangle)> + '_ {
    (0..mesh.triangle_count() as u32).map(|k| (TriangleId(k), mesh.triangle(TriangleId(k))))
}

fn point(stream: &mut Stream, reach: f64) -> DVec3 {
    DVec3::new(stream.unit(), stream.unit(), stream.unit()) * reach
}

/// Meshes of ordinary size: full of coincidences, and without any.
fn meshes() -> Vec<Mesh> {
    let mut s = Stream::new(21);
    vec![
        Mesh::default(),
        soup([[DVec3::ZERO, DVec3::X, DVec3::Y]]),
        grid_soup(&mut s, [4, 4, 4], 30, 100),
        loose_grid_soup(&mut s, [5, 5, 2], 80),
        random_soup(&mut s, 300, 0.3),
        needles(&mut s, 60, 1e-9),
        shapes::icosphere(1.0, 2),
        shapes::cloth_grid(6, 6, [3.0, 3.0]),
        mapped(&random_soup(&mut s, 100, 0.5), |p| p + DVec3::new(1e6, -1e6, 3e5)),
    ]
}

mod boxes {
    use super::*;

    fn by_comparison(mesh: &Mesh, low: DVec3, high: DVec3) -> Vec<TriangleId> {
        let meets = |t: &Triangle| {
            let (t_low, t_high) = (t.a.min(t.b).min(t.c), t.a.max(t.b).max(t.c));
            t_low.cmple(high).all() && low.cmple(t_high).all()
        };
        triangles(mesh).filter(|(_, t)| meets(t)).map(|(id, _)| id).collect()
    }

    fn check(mesh: &Mesh, low: DVec3, high: DVec3) {
        let expected = by_comparison(mesh, low, high);
        for body in bodies(mesh) {
            let found = body.view().find_in_box(&Box3 { min: low, max: high });
            assert_eq!(found, expected, "{low} to {high}");
        }
    }

    #[test]
    fn random_boxes() {
        let mut s = Stream::new(22);
        for mesh in meshes() {
            let (low, high) = mesh.bounds().corners();
            let (middle, half) = if mesh.triangle_count() == 0 {
                (DVec3::ZERO, DVec3::ONE)
            } else {
                (0.5 * low + 0.5 * high, 0.5 * (high - low) + 1e-3)
            };
            for size in [1.5, 0.5, 0.1, 0.01] {
                for _ in 0..15 {
                    let centre = middle + half * point(&mut s, 1.2);
                    let reach = half * size * point(&mut s, 1.0).abs();
                    check(&mesh, centre - reach, centre + reach);
                }
            }
        }
    }

    /// The faces of the box are exactly at vertices, and one unit in the last place beyond.
    #[test]
    fn faces_through_vertices() {
        for mesh in meshes() {
            for &p in mesh.positions().iter().step_by(5) {
                check(&mesh, p, p);
                check(&mesh, p, p + 0.25);
                check(&mesh, p - 0.25, p);
                let nudge = |p: DVec3, up: bool| {
                    DVec3::from_array(p.to_array().map(|x| if up { x.next_up() } else { x.next_down() }))
                };
                check(&mesh, nudge(p, true), p + 0.25);
                check(&mesh, p - 0.25, nudge(p, false));
            }
        }
    }

    #[test]
    fn boxes_without_bounds() {
        for mesh in meshes() {
            let all: Vec<TriangleId> = triangles(&mesh).map(|(id, _)| id).collect();
            for (low, high) in [
                (DVec3::NEG_INFINITY, DVec3::INFINITY),
                (DVec3::MIN, DVec3::MAX),
                (DVec3::splat(-1e300), DVec3::splat(1e300)),
            ] {
                assert_eq!(by_comparison(&mesh, low, high), all);
                check(&mesh, low, high);
            }
            check(&mesh, DVec3::NEG_INFINITY, DVec3::ZERO);
            check(&mesh, DVec3::new(f64::NEG_INFINITY, 0.5, 0.0), DVec3::new(f64::INFINITY, 0.5, 1e300));
            check(&mesh, DVec3::INFINITY, DVec3::INFINITY);
            check(&mesh, DVec3::splat(1e300), DVec3::INFINITY);
        }
    }

    #[test]
    fn what_is_no_box_finds_nothing() {
        let nan = f64::NAN;
        for mesh in meshes() {
            for body in bodies(&mesh) {
                for (low, high) in [
                    (DVec3::NAN, DVec3::ONE),
                    (DVec3::ZERO, DVec3::NAN),
                    (DVec3::new(-9.0, nan, -9.0), DVec3::splat(9.0)),
                    (DVec3::splat(-9.0), DVec3::new(9.0, 9.0, nan)),
                    (DVec3::INFINITY, DVec3::NEG_INFINITY),
                ] {
                    let found = body.view().find_in_box(&Box3 { min: low, max: high });
                    assert_eq!(found, [], "{low} to {high}");
                }
            }
        }
    }

    /// Its low corner lies above its high corner: it holds no point, so it meets nothing.
    #[test]
    fn a_box_turned_inside_out_finds_nothing() {
        for mesh in meshes() {
            for body in bodies(&mesh) {
                let (low, high) = mesh.bounds().corners();
                let middle = 0.5 * low + 0.5 * high;
                let found = body.view().find_in_box(&Box3 { min: middle + 1e-3, max: middle - 1e-3 });
                assert_eq!(found, []);
            }
        }
    }

    #[test]
    fn boxes_at_every_scale() {
        let mut s = Stream::new(23);
        let base = random_soup(&mut s, 60, 0.5);
        for scale in [5e-324, 1e-310, 1e-300, 1e-150, 1e150, 1e300, 8e307] {
            let mesh = mapped(&base, |p| p * scale);
            for _ in 0..20 {
                let (centre, reach) = (point(&mut s, 1.0), point(&mut s, 0.3).abs());
                check(&mesh, (centre - reach) * scale, (centre + reach) * scale);
            }
            check(&mesh, DVec3::splat(-1e300), DVec3::splat(1e300));
            check(&mesh, DVec3::ZERO, DVec3::ZERO);
        }
    }
}

mod rays {
    use super::*;

    /// Where on the way from start to end the segment first meets the triangle, exactly.
    fn first_contact(start: DVec3, end: DVec3, t: &Triangle) -> Option<BigRational> {
        let (corners, exponent) = reference::intersection(&Triangle::new(start, end, end), t);
        let number = |x: &num_bigint::BigInt| x.to_string().parse::<BigRational>().expect("an integer");
        let fraction = |x: f64| BigRational::from_float(x).expect("finite");
        let unit = fraction(2f64.powi(exponent / 2)) * fraction(2f64.powi(exponent - exponent / 2));
        let zero = fraction(0.0);
        let (from, way) =
            (start.to_array().map(fraction), (0..3).map(|k| fraction(end[k]) - fraction(start[k])));
        let way: Vec<BigRational> = way.collect();
        let length: BigRational = way.iter().map(|x| x * x).sum();
        let along = |p: &reference::Point| {
            if length == zero {
                return zero.clone();
            }
            let dot: BigRational =
                (0..3).map(|k| (number(&p[k]) / number(&p[3]) * &unit - &from[k]) * &way[k]).sum();
            dot / &length
        };
        corners.iter().map(along).min()
    }

    fn float(x: &BigRational) -> f64 {
        // Fifty binary digits are enough to compare with a tolerance.
        let scaled = (x * BigRational::from_float((1u64 << 50) as f64).expect("finite")).to_integer();
        scaled.to_string().parse::<f64>().expect("a number") / (1u64 << 50) as f64
    }

    /// Every tree gives the same hit: the nearest triangle, of equally near ones the first.
    fn check(mesh: &Mesh, bodies: &[Box<dyn AnyBody>], start: DVec3, end: DVec3, tolerance: f64) {
        let context = format!("{start:?} to {end:?}");
        let met: Vec<TriangleId> = triangles(mesh)
            .filter(|(_, t)| exact::segment_triangle(start, end, t) != Relation::Disjoint)
            .map(|(id, _)| id)
            .collect();
        let contact = |id: TriangleId| first_contact(start, end, &mesh.triangle(id)).expect("they meet");
        let nearest = met.iter().map(|id| (contact(*id), *id)).min();
        let mut hits: Vec<Option<RayHit>> = vec![];
        for body in bodies {
            let hit = body.view().cast_ray(start, end);
            assert_eq!(hit.is_some(), nearest.is_some(), "{context}");
            hits.push(hit);
        }
        assert!(hits.windows(2).all(|pair| pair[0] == pair[1]), "{context}: {hits:?}");
        let (Some((t, id)), Some(hit)) = (nearest, hits[0]) else { return };
        assert!((float(&t) - hit.t).abs() <= tolerance, "{context}: {hit:?}, but {} at {id:?}", float(&t));
        let own = contact(hit.triangle);
        assert!((float(&own) - float(&t)).abs() <= tolerance, "{context}: {hit:?}, but {id:?} is nearer");
        assert!(own != t || hit.triangle == id, "{context}: {hit:?}, but {id:?} is as near");
    }

    #[test]
    fn random_rays() {
        let mut s = Stream::new(24);
        for mesh in meshes() {
            let bodies = bodies(&mesh);
            let (low, high) =
                if mesh.triangle_count() == 0 { (-DVec3::ONE, DVec3::ONE) } else { mesh.bounds().corners() };
            let (middle, half) = (0.5 * low + 0.5 * high, 0.5 * (high - low));
            for _ in 0..60 {
                let [start, end] = [(); 2].map(|()| middle + half * point(&mut s, 1.5));
                check(&mesh, &bodies, start, end, 1e-6);
            }
        }
    }

    /// Rays at vertices, edge midpoints and centres, from afar, from inside, ending there, and along edges and faces.
    #[test]
    fn rays_at_special_points() {
        let mut s = Stream::new(25);
        for mesh in meshes() {
            let bodies = bodies(&mesh);
            for (_, t) in triangles(&mesh).step_by(7) {
                let away = point(&mut s, 2.0);
                for target in [t.a, 0.5 * t.b + 0.5 * t.c, (t.a + t.b + t.c) / 3.0] {
                    for (start, end) in [
                        (target + away, target - away),
                        (target + away, target),
                        (target, target + away),
                        (target, target),
                        (target + DVec3::Z, target - DVec3::Z),
                        (target - DVec3::X, target + DVec3::X),
                    ] {
                        check(&mesh, &bodies, start, end, 1e-6);
                    }
                }
                check(&mesh, &bodies, t.a, t.b, 1e-6);
                check(&mesh, &bodies, t.a + (t.a - t.b), t.b + (t.b - t.a), 1e-6);
                check(&mesh, &bodies, t.a + (t.a - t.b), 0.5 * t.b + 0.5 * t.c, 1e-6);
            }
        }
    }

    #[test]
    fn rays_along_grid_lines() {
        let mut s = Stream::new(26);
        for mesh in [grid_soup(&mut s, [4, 4, 4], 40, 150), loose_grid_soup(&mut s, [4, 4, 1], 60)] {
            let bodies = bodies(&mesh);
            for _ in 0..300 {
                let mut grid =
                    || DVec3::new(s.below(9) as f64, s.below(9) as f64, s.below(9) as f64) * 0.5 - 0.5;
                let (start, end) = (grid(), grid());
                check(&mesh, &bodies, start, end, 1e-9);
            }
        }
    }

    #[test]
    fn rays_from_afar() {
        let mesh = shapes::icosphere(1.0, 2);
        let bodies = bodies(&mesh);
        let mut s = Stream::new(27);
        for distance in [1e3, 1e6, 1e9, 1e12] {
            for _ in 0..20 {
                let (from, to) = (point(&mut s, 1.0).normalize() * distance, point(&mut s, 0.5));
                check(&mesh, &bodies, from, to, 1e-6);
                check(&mesh, &bodies, from, to + (to - from), 1e-6);
            }
        }
    }

    #[test]
    fn rays_at_every_scale() {
        let mut s = Stream::new(28);
        let base = random_soup(&mut s, 60, 0.7);
        let ways: Vec<[DVec3; 2]> = (0..30).map(|_| [(); 2].map(|()| point(&mut s, 1.0))).collect();
        for scale in [1e-300, 1e-150, 1e-100, 1e-30, 1e30, 1e100, 1e150, 1e300] {
            let mesh = mapped(&base, |p| p * scale);
            let bodies = bodies(&mesh);
            for [start, end] in &ways {
                check(&mesh, &bodies, *start * scale, *end * scale, 1e-6);
            }
        }
    }

    #[test]
    fn rays_that_are_none_meet_nothing() {
        let nan = DVec3::new(0.0, f64::NAN, 0.0);
        for mesh in meshes() {
            for body in bodies(&mesh) {
                for (start, end) in [
                    (nan, DVec3::ONE),
                    (DVec3::ONE, nan),
                    (DVec3::INFINITY, DVec3::ZERO),
                    (DVec3::ZERO, DVec3::NEG_INFINITY),
                ] {
                    assert_eq!(body.view().cast_ray(start, end), None);
                }
            }
        }
    }
}

/// A view of a posed body answers as a body made of the posed positions, bit for bit.
mod poses {
    use super::*;
    use fracas::geom::{DQuat, Pose};

    #[test]
    fn posed_views_answer_as_bodies_that_were_moved() {
        let mut s = Stream::new(31);
        for mesh in meshes() {
            let size = mesh.positions().iter().fold(1.0, |size: f64, p| size.max(p.abs().max_element()));
            for _ in 0..6 {
                let turn = DQuat::from_xyzw(s.unit(), s.unit(), s.unit(), s.unit() + 0.1);
                let pose = Pose::new(turn, point(&mut s, 2.0 * size)).expect("a pose");
                let moved = mesh.posed(&pose).expect("finite positions");
                let (low, high) = moved.bounds().corners();
                let (middle, half) = if mesh.triangle_count() == 0 {
                    (DVec3::ZERO, DVec3::ONE)
                } else {
                    (0.5 * low + 0.5 * high, 0.5 * (high - low) + 1e-3 * size)
                };
                for (kind, body) in KINDS.iter().zip(bodies(&mesh)) {
                    let view = body.view().at(&pose);
                    let truth = fracas::View::from(&moved);
                    for vertex in moved.positions() {
                        assert!(mesh.triangle_count() == 0 || view.bounds().contains(*vertex));
                    }
                    for _ in 0..20 {
                        let [p, q] = [(); 2].map(|()| middle + half * point(&mut s, 1.5));
                        let bounds = Box3 { min: p.min(q), max: p.max(q) };
                        let context = format!("{}: {bounds:?} {pose:?}", kind.name);
                        assert_eq!(view.find_in_box(&bounds), truth.find_in_box(&bounds), "{context}");
                        assert_eq!(view.cast_ray(p, q), truth.cast_ray(p, q));
                        assert_eq!(view.nearest(p, f64::INFINITY), truth.nearest(p, f64::INFINITY));
                        let reach = 0.3 * half.max_element();
                        assert_eq!(view.nearest(p, reach), truth.nearest(p, reach));
                    }
                    for vertex in moved.positions().iter().step_by(7) {
                        assert_eq!(view.nearest(*vertex, 1.0), truth.nearest(*vertex, 1.0));
                        assert_eq!(view.side_of(*vertex), truth.side_of(*vertex));
                    }
                }
            }
        }
    }

    #[test]
    fn sides_of_posed_bodies_of_every_kind_agree() {
        let mut s = Stream::new(32);
        let mesh = shapes::torus(0.7, 0.25, 16);
        let pose =
            Pose::new(DQuat::from_xyzw(0.3, -0.2, 0.5, 0.7), DVec3::new(3.0, -1.0, 2.0)).expect("a pose");
        let moved = mesh.posed(&pose).expect("finite positions");
        let mut inside = 0;
        for _ in 0..300 {
            let p = pose.apply(DVec3::ZERO) + point(&mut s, 1.0);
            let truth = fracas::View::from(&moved).side_of(p);
            inside += usize::from(truth == Ok(fracas::Side::Inside));
            for body in bodies(&mesh) {
                assert_eq!(body.view().at(&pose).side_of(p), truth);
            }
        }
        assert!(inside > 10, "{inside}");
    }
}
