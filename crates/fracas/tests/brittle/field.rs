//! Distances and directions after four generations, against the nearest triangle of the fragment's surface.

use crate::fractures::{Random, break_largest, broken, solids};
use fracas::brittle::BrittleBody;
use fracas::geom::DVec3;
use fracas::tree::MeshTree;

/// Differences of a query from the truth over many points.
#[derive(Default)]
struct Errors {
    /// By the fragment's radius.
    depths: Vec<f64>,
    degrees: Vec<f64>,
}

impl Errors {
    fn percentile(values: &mut [f64], share: f64) -> f64 {
        values.sort_by(f64::total_cmp);
        values[((values.len() - 1) as f64 * share) as usize]
    }
}

/// Compares inside points; `near` is how near to the surface they must be, by the fragment's radius.
fn inside_errors(body: &BrittleBody, near: f64, points: usize, random: &mut Random) -> Errors {
    let mut errors = Errors::default();
    for id in body.fragments() {
        let tree = MeshTree::build(body.surface(id).unwrap().0);
        let fragment = body.fragment(id).unwrap();
        let (low, high) = fragment.bounds();
        for _ in 0..points {
            let p = random.point(low, high);
            if !body.is_inside(id, p) {
                continue;
            }
            let truth = tree.find_nearest(p, f64::INFINITY).unwrap();
            if truth.distance > near * fragment.radius() {
                continue;
            }
            let found = body.find_nearest(id, p, 0.0).unwrap();
            let depth = -found.distance;
            // What is reported is a point of the surface, so it is never nearer than the nearest.
            assert!(depth >= truth.distance * (1.0 - 1e-9) - 1e-15, "{depth} {}", truth.distance);
            errors.depths.push((depth - truth.distance) / fragment.radius());
            if truth.distance > 1e-6 * fragment.radius() {
                let way = (truth.point - p) / truth.distance;
                errors.degrees.push(way.dot(found.normal).clamp(-1.0, 1.0).acos().to_degrees());
            }
        }
    }
    errors
}

#[test]
fn depths_and_directions_are_those_of_brute_force() {
    for (name, solid) in solids() {
        let body = broken(&solid, 4, 7);
        for near in [0.1, 1.0] {
            let mut errors = inside_errors(&body, near, 3000, &mut Random::new(4));
            assert!(errors.depths.len() > 3000, "{name}: {} points", errors.depths.len());
            // Where two ways out are equally short, rounding decides between them.
            let [depth, turn] =
                [Errors::percentile(&mut errors.depths, 1.0), Errors::percentile(&mut errors.degrees, 0.995)];
            assert!(depth < 1e-12 && turn < 1e-3, "{name}: {depth} of the radius, {turn} degrees");
        }
    }
}

#[test]
fn distances_outside_are_exact() {
    for (name, solid) in solids() {
        let body = broken(&solid, 3, 9);
        let mut random = Random::new(8);
        let mut compared = 0;
        for id in body.fragments() {
            let tree = MeshTree::build(body.surface(id).unwrap().0);
            let fragment = body.fragment(id).unwrap();
            let (low, high) = fragment.bounds();
            let pad = 0.3 * (high - low);
            for k in 0..300 {
                let p = random.point(low - pad, high + pad);
                if body.is_inside(id, p) {
                    continue;
                }
                let truth = tree.find_nearest(p, f64::INFINITY).unwrap();
                let bound = body.distance_bound(id, p);
                assert!(bound <= truth.distance * (1.0 + 1e-12), "{name}: {bound} {}", truth.distance);
                assert!(body.may_touch(id, p, truth.distance * (1.0 + 1e-9)));
                let reach = if k % 2 == 0 { f64::INFINITY } else { 0.2 * fragment.radius() };
                let found = body.find_nearest(id, p, reach);
                if truth.distance > reach {
                    assert_eq!(found, None, "{name}");
                    continue;
                }
                let found = found.unwrap_or_else(|| panic!("{name}: nothing within {reach} of {p}"));
                assert!(
                    (found.distance - truth.distance).abs() < 1e-12 * solid.radius(),
                    "{name} {id:?} {p}"
                );
                assert!(found.normal.dot(p - found.point) >= 0.999 * found.distance);
                compared += 1;
            }
        }
        assert!(compared > 1000, "{name} {compared}");
    }
}

/// Along the way in from the surface, depths grow as long as the true ones do.
#[test]
fn rays_inward_grow_monotonically() {
    for (name, solid) in solids() {
        let body = broken(&solid, 4, 13);
        let mut random = Random::new(6);
        let (mut steps, mut falls) = (0, 0);
        for id in body.fragments() {
            let (surface, _) = body.surface(id).unwrap();
            let tree = MeshTree::build(surface.clone());
            let radius = body.fragment(id).unwrap().radius();
            for _ in 0..60 {
                let at = (random.next() * surface.triangle_count() as f64) as u32;
                let triangle = surface.triangle(fracas::TriangleId(at));
                let inward = -triangle.area_vector().normalize_or_zero();
                let mut last = (0.0, 0.0);
                for k in 1..40 {
                    let p = triangle.centroid() + inward * (radius * 0.01 * f64::from(k));
                    if !body.is_inside(id, p) {
                        break;
                    }
                    let truth = tree.find_nearest(p, f64::INFINITY).unwrap().distance;
                    if truth < last.1 {
                        break;
                    }
                    let depth = -body.find_nearest(id, p, 0.0).unwrap().distance;
                    steps += 1;
                    falls += usize::from(depth < last.0);
                    last = (depth, truth);
                }
            }
        }
        assert!(steps > 1000 && falls * 1000 < steps, "{name}: {falls} of {steps}");
    }
}

#[test]
fn a_fresh_crack_lies_still() {
    // Points of one side of a crack lie on the other: distance 0, and the normal of the crack.
    for (name, solid) in solids() {
        let body = broken(&solid, 1, 17);
        let mut touching = 0;
        for a in body.fragments() {
            for &p in body.fragment(a).unwrap().tree().points() {
                for b in body.fragments().filter(|&b| b != a) {
                    let Some(near) = body.find_nearest(b, p, 1e-9 * solid.radius()) else { continue };
                    assert!(near.distance.abs() < 1e-9 * solid.radius(), "{name} {}", near.distance);
                    assert!(near.is_crack && (near.normal.length() - 1.0).abs() < 1e-9, "{name}");
                    touching += 1;
                }
            }
        }
        assert!(touching > 100, "{name}");
    }
}

#[test]
fn bounds_are_zero_inside_and_never_more_than_the_distance_outside() {
    for (name, solid) in solids() {
        let body = broken(&solid, 4, 5);
        let mut random = Random::new(6);
        let mut useful = 0;
        for id in body.fragments() {
            let fragment = body.fragment(id).unwrap();
            let (low, high) = fragment.bounds();
            let around = 2.0 * fragment.radius();
            for k in 0..1500 {
                let away = if k % 2 == 0 { 0.0 } else { around };
                let p = random.point(low - away, high + away);
                let bound = body.distance_bound(id, p);
                let distance = body.find_nearest(id, p, f64::INFINITY).map_or(f64::NAN, |near| near.distance);
                assert!(bound <= distance.max(0.0) * (1.0 + 1e-9), "{name}: {bound} {distance}");
                useful += usize::from(bound > 0.5 * distance && distance > 0.0);
            }
        }
        assert!(useful > 500, "{name}: {useful} bounds are worth something");
    }
}

/// Fields and facet trees are built when first asked for: after each fracture, in the end, or on several threads at once.
#[test]
fn answers_do_not_depend_on_who_asks_first() {
    for (name, solid) in solids() {
        let inside = |tet: usize| {
            let [a, b, c, d] = solid.mesh().corners(tet);
            0.4 * a + 0.3 * b + 0.2 * c + 0.1 * d
        };
        let points: Vec<DVec3> = (0..solid.mesh().tet_count()).step_by(5).map(inside).collect();
        let answers = |body: &BrittleBody, backwards: bool| {
            let ask = |&p: &DVec3| {
                let id = body.fragment_at(p)?;
                let by_field = body.find_nearest(id, p, 0.0);
                Some((by_field, body.facet_tree(id).unwrap().find_nearest(body, p, 0.0, false)))
            };
            let mut found: Vec<_> = if backwards {
                points.iter().rev().map(ask).collect()
            } else {
                points.iter().map(ask).collect()
            };
            if backwards {
                found.reverse();
            }
            found
        };
        let asked_late = broken(&solid, 3, 19);
        // The same fractures, with questions in between.
        let mut asked_often = BrittleBody::new(solid.clone());
        let mut random = Random::new(19);
        for generation in 0..3 {
            answers(&asked_often, false);
            break_largest(&mut asked_often, generation, &mut random);
        }
        let expected = answers(&asked_late.clone(), false);
        assert!(expected.len() > 100 && expected.iter().all(Option::is_some), "{name}");
        assert_eq!(answers(&asked_often, true), expected, "{name}");
        std::thread::scope(|scope| {
            let threads = [0, 1, 2, 3].map(|k| {
                scope.spawn({
                    let (answers, body) = (&answers, &asked_late);
                    move || answers(body, k % 2 == 0)
                })
            });
            for thread in threads {
                assert_eq!(thread.join().unwrap(), expected, "{name}");
            }
        });
    }
}
