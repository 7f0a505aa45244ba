//! Falling, breaking, breaking again, sleeping, waking; and what is refused.

mod common;
use common::{add_floor, at, block, run, unbreakable, world};
use fracas::fill::{FillError, FillOptions};
use fracas::fracture::{FractureError, Material};
use fracas::geom::DVec3;
use fracas::mesh::{Mesh, shapes};
use fracas_rapier::{BreakError, BreakOptions};
use rapier3d::prelude::*;

#[test]
fn a_brick_that_falls_breaks_and_its_pieces_break_again() {
    let (mut world, mut set) = world();
    add_floor(&mut world);
    let solid = block([0.8, 0.4, 0.3], [12, 6, 4]);
    let whole = set.insert(&mut world, &solid, at(0.0, 4.0, 0.0), &BreakOptions::default()).unwrap();
    let volume = solid.mesh().total_volume();
    let mut events = vec![];
    for _ in 0..240 {
        events.extend(set.step(&mut world).unwrap().to_vec());
    }
    assert_eq!(events[0].body, whole);
    let pieces = events[0].pieces.clone();
    assert!(pieces.len() >= 3);
    // Lift what came out, and let it fall from higher up.
    for handle in set.handles().collect::<Vec<_>>() {
        let body = &mut world.bodies[handle];
        body.set_translation(body.translation() + Vector::Y * 12.0, true);
    }
    for _ in 0..240 {
        events.extend(set.step(&mut world).unwrap().to_vec());
    }
    let again = events[1..].iter().any(|event| pieces.iter().any(|piece| piece.body == event.body));
    assert!(again, "{} fractures", events.len());
    let total: f64 = set
        .handles()
        .map(|handle| {
            let (body, fragment) = set.fragment(handle).unwrap();
            body.read().unwrap().fragment(fragment).unwrap().mass().volume
        })
        .sum();
    assert!((total / volume - 1.0).abs() < 1e-9);
    let (body, _) = set.fragment(set.handles().next().unwrap()).unwrap();
    body.read().unwrap().validate().unwrap();
    for handle in set.handles() {
        let place = world.bodies[handle].translation();
        assert!(place.is_finite() && place.y > 0.0 && place.length() < 20.0, "{place}");
    }
}

#[test]
fn what_lies_on_a_body_that_breaks_wakes_and_falls() {
    let (mut world, mut set) = world();
    add_floor(&mut world);
    // A bridge over two stands, with a cube on top.
    for x in [-1.0, 1.0] {
        world.insert_collider(
            ColliderBuilder::cuboid(0.2, 0.5, 0.5).translation(Vector::new(x, 0.5, 0.0)),
            None,
        );
    }
    let bridge = block([2.4, 0.2, 0.6], [24, 2, 6]);
    let bridge = set.insert(&mut world, &bridge, at(0.0, 1.1, 0.0), &BreakOptions::default()).unwrap();
    let cube = block([0.4, 0.4, 0.4], [4, 4, 4]);
    let cube = set.insert(&mut world, &cube, at(0.0, 1.4, 0.0), &unbreakable()).unwrap();
    for _ in 0..300 {
        assert_eq!(set.step(&mut world).unwrap(), [], "a load at rest is no blow");
    }
    assert!(world.bodies[cube].is_sleeping() && world.bodies[bridge].is_sleeping());
    let place = world.bodies[cube].translation();
    assert!((place.y - 1.4).abs() < 0.01, "{place}");
    let broken =
        set.strike(&mut world, bridge, DVec3::new(0.0, 1.1, 0.0), DVec3::Y * -3000.0).unwrap().unwrap();
    assert!(broken.pieces.len() >= 4, "{}", broken.pieces.len());
    set.step(&mut world).unwrap();
    set.step(&mut world).unwrap();
    assert!(!world.bodies[cube].is_sleeping());
    run(&mut world, &mut set, 180);
    assert!(world.bodies[cube].translation().y < 0.9, "{}", world.bodies[cube].translation());
}

#[test]
fn a_pile_of_pieces_falls_asleep_and_a_ball_wakes_it() {
    let (mut world, mut set) = world();
    add_floor(&mut world);
    let solid = block([0.8, 0.4, 0.3], [8, 4, 3]);
    for k in 0..4 {
        let place =
            at(0.05 * k as f32, 1.0 + 0.7 * k as f32, 0.0).rotation(Vector::new(0.2, 0.1 * k as f32, 0.3));
        set.insert(&mut world, &solid, place, &BreakOptions::default()).unwrap();
    }
    let broken: usize = (0..900).map(|_| set.step(&mut world).unwrap().len()).sum();
    assert!(broken > 0 && set.len() > 4);
    let awake = set.handles().filter(|&h| !world.bodies[h].is_sleeping()).count();
    assert_eq!(awake, 0, "of {} are awake", set.len());
    let (ball, _) = world.insert(at(0.0, 2.0, 0.0), ColliderBuilder::ball(0.3).density(500.0));
    run(&mut world, &mut set, 60);
    assert!(world.bodies[ball].translation().y < 1.5);
    assert!(set.handles().any(|h| !world.bodies[h].is_sleeping()));
}

#[test]
fn bad_input_is_refused_and_changes_nothing() {
    let (mut world, mut set) = world();
    let (positions, mut triangles) = shapes::icosphere(0.5, 2).into_parts();
    triangles.pop();
    let open = Mesh::new(positions, triangles).unwrap();
    let options = BreakOptions::default();
    let cells = FillOptions { cells: 6.0, ..FillOptions::default() };
    let refused = set.insert_mesh(&mut world, &open, &cells, at(0.0, 0.0, 0.0), &options);
    assert!(matches!(refused, Err(BreakError::Fill(FillError::Open { .. }))), "{refused:?}");
    let weak = BreakOptions { material: Material { strength: 0.0, ..Material::BRICK }, ..options };
    let solid = block([0.4, 0.2, 0.2], [4, 2, 2]);
    let refused = set.insert(&mut world, &solid, at(0.0, 0.0, 0.0), &weak);
    let expected = FractureError::BadNumber { what: "strength", value: 0.0 };
    assert_eq!(refused, Err(BreakError::Fracture(expected)));
    assert!(set.is_empty() && world.bodies.is_empty() && world.colliders.is_empty());

    let ball = shapes::icosphere(0.5, 3);
    let handle = set.insert_mesh(&mut world, &ball, &cells, at(0.0, 0.0, 0.0), &options).unwrap();
    let refused = set.strike(&mut world, handle, DVec3::X * 0.8, DVec3::NEG_X * 1e5);
    assert!(
        matches!(refused, Err(BreakError::Outside { distance }) if (0.2..0.32).contains(&distance)),
        "{refused:?}"
    );
    let none = set.strike(&mut world, handle, DVec3::X * 0.5, DVec3::ZERO);
    assert!(matches!(none, Err(BreakError::Fracture(_))), "{none:?}");
    assert_eq!(set.strike(&mut world, handle, DVec3::X * 0.5, DVec3::NEG_X * 1e-3), Ok(None));
    assert_eq!(set.len(), 1);
    let broken = set.strike(&mut world, handle, DVec3::X * 0.5, DVec3::NEG_X * 1e5).unwrap().unwrap();
    let gone = set.strike(&mut world, handle, DVec3::X * 0.5, DVec3::NEG_X * 1e5);
    assert_eq!(gone, Err(BreakError::NoSuchBody { handle }));
    assert_eq!(set.len(), broken.pieces.len());
}

/// With two hundred seeds, 192 piles sleep within these fifteen seconds; with a hundred, 82 did when points that bear came in a second manifold. In the others
/// a piece or two still rock.
#[test]
fn nearly_all_piles_of_pieces_fall_asleep() {
    let mut restless = vec![];
    for seed in 1..=24 {
        let (mut world, mut set) = world();
        add_floor(&mut world);
        let solid = block([0.8, 0.4, 0.3], [8, 4, 3]);
        let mut options = BreakOptions::default();
        options.fracture.seed = seed;
        for k in 0..4 {
            let place = at(0.05 * k as f32, 1.0 + 0.7 * k as f32, 0.0).rotation(Vector::new(
                0.2,
                0.1 * k as f32,
                0.3,
            ));
            set.insert(&mut world, &solid, place, &options).unwrap();
        }
        let broken: usize = (0..900).map(|_| set.step(&mut world).unwrap().len()).sum();
        assert!(broken > 0 && set.len() > 4);
        let awake = set.handles().filter(|&h| !world.bodies[h].is_sleeping()).count();
        if awake > 0 {
            restless.push((seed, awake, set.len()));
        }
    }
    assert!(restless.len() <= 2, "seeds with bodies awake, of how many: {restless:?}");
}
