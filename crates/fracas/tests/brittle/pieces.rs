//! Pieces fill the body, are closed, and know what is inside them.

use crate::fractures::{Random, break_fragment, broken, solids};
use fracas::brittle::{BrittleBody, Solid, SolidOptions};
use fracas::geom::DVec3;
use fracas::mesh::Report;
use fracas::mesh::tets::brick;
use fracas::{MeshTree, Side};
use std::sync::Arc;

#[test]
fn every_invariant_holds_after_every_fracture() {
    for (name, solid) in solids() {
        let mut body = BrittleBody::new(solid.clone());
        body.validate().unwrap_or_else(|error| panic!("{name}: {error}"));
        let mut random = Random::new(3);
        for step in 0..12 {
            let all: Vec<_> = body.fragments().collect();
            let fragment = all[(random.next() * all.len() as f64) as usize];
            if body.fragment(fragment).unwrap().nodes().len() < 3 {
                continue;
            }
            break_fragment(&mut body, fragment, 3, &mut random);
            body.validate().unwrap_or_else(|error| panic!("{name}, step {step}: {error}"));
        }
        assert!(body.fragments().count() > 10, "{name}");
    }
}

/// The same over many sequences of fractures of a small body, down to fragments of two nodes: forests, tetrahedra cut three
/// times, fragments that lie in cut tetrahedra alone.
#[test]
fn every_invariant_holds_however_small_the_pieces() {
    let solid = Solid::build(brick(DVec3::new(1.0, 0.8, 0.6), [4, 3, 2]), &SolidOptions::default()).unwrap();
    let solid = Arc::new(solid);
    let mut forests = 0;
    for seed in 0..40 {
        let mut body = BrittleBody::new(solid.clone());
        let mut random = Random::new(seed);
        for _ in 0..25 {
            let all: Vec<_> = body.fragments().collect();
            let fragment = all[(random.next() * all.len() as f64) as usize];
            if body.fragment(fragment).unwrap().nodes().len() > 1 {
                break_fragment(&mut body, fragment, 2, &mut random);
            }
        }
        body.validate().unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        let known = body.fragments().map(|id| body.fragment(id).unwrap());
        let (mut volume, mut fragments) = (0.0, 0);
        for fragment in known {
            volume += fragment.mass().volume;
            fragments += 1;
            forests += usize::from(fragment.tree().roots().len() > 1);
        }
        assert!(fragments > 5 && (volume - 0.48).abs() < 1e-13, "seed {seed}: {fragments} {volume}");
    }
    assert!(forests > 0, "no fragment had a forest");
}

#[test]
fn the_same_fractures_give_the_same_bits() {
    let (_, solid) = solids().swap_remove(0);
    let [first, second] = [0, 1].map(|_| broken(&solid, 3, 41));
    assert!(first.fragments().eq(second.fragments()));
    for id in first.fragments() {
        assert_eq!(first.surface(id), second.surface(id));
        let [a, b] = [&first, &second].map(|body| body.fragment(id).unwrap());
        assert_eq!((a.nodes(), a.tets(), a.mass(), a.tree()), (b.nodes(), b.tets(), b.mass(), b.tree()));
    }
}

#[test]
fn pieces_add_up_to_the_whole_and_their_surfaces_are_closed() {
    for (name, solid) in solids() {
        let body = broken(&solid, 4, 11);
        let original = solid.mesh().total_volume();
        let whole = BrittleBody::new(solid.clone());
        let first = *whole.fragment(whole.fragments().next().unwrap()).unwrap().mass();
        let (mut volume, mut moment) = (0.0, DVec3::ZERO);
        for id in body.fragments() {
            let mass = body.fragment(id).unwrap().mass();
            volume += mass.volume;
            moment += mass.centre * mass.volume;
            let (surface, is_crack) = body.surface(id).unwrap();
            assert_eq!(surface.triangle_count(), is_crack.len());
            let report = Report::of(&surface);
            assert_eq!((report.boundary_edges, report.inconsistent_edges), (0, 0), "{name}");
            let enclosed: f64 = surface
                .triangles()
                .iter()
                .map(|t| t.map(|v| surface.positions()[v as usize]))
                .map(|[a, b, c]| a.cross(b).dot(c) / 6.0)
                .sum();
            assert!((enclosed - mass.volume).abs() < 1e-12 * original, "{name} {enclosed} {}", mass.volume);
            let (low, high) = surface.bounds().corners();
            let (from, to) = body.fragment(id).unwrap().bounds().corners();
            assert!(low.distance(from) + high.distance(to) < 1e-12 * solid.radius());
        }
        assert!(body.fragments().count() > 15, "{name}");
        assert!((volume - original).abs() < 1e-12 * original, "{name} {volume} {original}");
        assert!((moment / volume).distance(first.centre) < 1e-12 * solid.radius());
    }
}

#[test]
fn inertia_is_that_of_a_sum_over_small_cubes() {
    let (_, solid) = solids().swap_remove(0);
    let body = broken(&solid, 2, 5);
    for id in body.fragments() {
        let fragment = body.fragment(id).unwrap();
        let (low, high) = fragment.bounds().corners();
        let n = 60;
        let step = (high - low) / f64::from(n);
        let (mut volume, mut centre, mut squares) = (0.0, DVec3::ZERO, DVec3::ZERO);
        let cube = step.element_product();
        for k in 0..n * n * n {
            let at = DVec3::new(f64::from(k % n), f64::from(k / n % n), f64::from(k / n / n)) + 0.5;
            let p = low + at * step;
            if body.is_inside(id, p) {
                volume += cube;
                centre += p * cube;
                squares += p * p * cube;
            }
        }
        centre /= volume;
        let spread = squares - centre * centre * volume;
        let expected = DVec3::new(spread.y + spread.z, spread.z + spread.x, spread.x + spread.y);
        let mass = fragment.mass();
        let found = DVec3::new(mass.inertia.x_axis.x, mass.inertia.y_axis.y, mass.inertia.z_axis.z);
        assert!((mass.volume / volume - 1.0).abs() < 0.02);
        assert!(mass.centre.distance(centre) < 0.01 * fragment.radius());
        assert!(((found - expected) / expected).abs().max_element() < 0.04, "{found} {expected}");
    }
}

/// A hundred thousand points in the box of each fragment, against the number of times that a ray crosses its surface, decided exactly.
#[test]
fn what_is_inside_is_what_the_surface_encloses() {
    for (name, solid) in solids() {
        let body = broken(&solid, 4, 23);
        let wrong = wrong_sides(&body, 100_000, &mut Random::new(1));
        assert_eq!(wrong, 0, "{name}, {} fragments", body.fragments().count());
    }
}

fn wrong_sides(body: &BrittleBody, points: usize, random: &mut Random) -> usize {
    let mut wrong = 0;
    for id in body.fragments() {
        let tree = MeshTree::build(body.surface(id).unwrap().0);
        let (low, high) = body.fragment(id).unwrap().bounds().corners();
        for _ in 0..points {
            let p = random.point(low, high);
            let expected = tree.view().side_of(p) == Ok(Side::Inside);
            wrong += usize::from(body.is_inside(id, p) != expected);
        }
    }
    wrong
}
