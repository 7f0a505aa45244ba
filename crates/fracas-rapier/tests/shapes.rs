//! Contact with every shape of the engine: what falls on it stays on it, and what it falls on stays under it.

mod common;
use common::{add_floor, at, block, run, unbreakable, world};
use fracas::geom::DVec3;
use rapier3d::parry::query::{DefaultQueryDispatcher, QueryDispatcher, Ray, RayCast};
use rapier3d::prelude::*;

/// Everything that can lie under a brick, with the height of its top over its origin.
fn grounds() -> Vec<(&'static str, ColliderBuilder, f32)> {
    let flat = |y: f32| {
        let n = 5;
        let at = |i: usize| 4.0 * (i as f32 / (n - 1) as f32) - 2.0;
        let points: Vec<Vector> = (0..n * n).map(|k| Vector::new(at(k % n), y, at(k / n))).collect();
        let mut triangles = vec![];
        for x in 0..n - 1 {
            for z in 0..n - 1 {
                let k = (z * n + x) as u32;
                let n = n as u32;
                triangles.extend([[k, k + n, k + 1], [k + 1, k + n, k + n + 1]]);
            }
        }
        (points, triangles)
    };
    let (points, triangles) = flat(0.0);
    let hull: Vec<Vector> = (0..8)
        .map(|k| {
            let sign = |bit: usize| if k >> bit & 1 == 1 { 1.0 } else { -1.0 };
            Vector::new(sign(0), 0.3 * sign(1), sign(2))
        })
        .collect();
    vec![
        ("ball", ColliderBuilder::ball(3.0), 3.0),
        ("cuboid", ColliderBuilder::cuboid(1.0, 0.3, 1.0), 0.3),
        ("capsule", ColliderBuilder::capsule_x(1.5, 2.0), 2.0),
        ("cylinder", ColliderBuilder::cylinder(0.3, 1.0), 0.3),
        ("cone", ColliderBuilder::cone(0.4, 1.0).rotation(Vector::X * std::f32::consts::PI), 0.4),
        ("convex hull", ColliderBuilder::convex_hull(&hull).unwrap(), 0.3),
        ("heightfield", ColliderBuilder::heightfield(Array2::zeros(6, 6), Vector::new(4.0, 1.0, 4.0)), 0.0),
        ("trimesh", ColliderBuilder::trimesh(points, triangles).unwrap(), 0.0),
        ("half-space", ColliderBuilder::new(SharedShape::halfspace(Vector::Y)), 0.0),
        ("round cuboid", ColliderBuilder::round_cuboid(1.0, 0.2, 1.0, 0.1), 0.3),
        (
            "compound",
            ColliderBuilder::compound(vec![
                (Pose::from_translation(Vector::X * -0.6), SharedShape::cuboid(0.5, 0.3, 1.0)),
                (Pose::from_translation(Vector::X * 0.6), SharedShape::cuboid(0.5, 0.3, 1.0)),
            ]),
            0.3,
        ),
    ]
}

#[test]
fn a_brick_that_falls_on_a_shape_comes_to_rest_on_it() {
    for (name, ground, top) in grounds() {
        let (mut world, mut set) = world();
        world.insert_collider(ground.friction(1.0), None);
        let solid = block([0.6, 0.2, 0.3], [6, 2, 3]);
        let brick = set.insert(&mut world, &solid, at(0.0, top + 0.25, 0.0), &unbreakable()).unwrap();
        run(&mut world, &mut set, 240);
        let body = &world.bodies[brick];
        let height = body.translation().y - top;
        assert!((height - 0.1).abs() < 0.012, "{name}: {height}");
        assert!(body.linvel().length() < 0.02, "{name}: {}", body.linvel());
    }
}

#[test]
fn a_shape_that_falls_on_a_brick_comes_to_rest_on_it() {
    // The brick's own points are far apart: what is small falls between them.
    let small: Vec<(&str, ColliderBuilder, f32)> = vec![
        ("ball", ColliderBuilder::ball(0.1), 0.1),
        ("cuboid", ColliderBuilder::cuboid(0.12, 0.05, 0.1), 0.05),
        ("capsule", ColliderBuilder::capsule_x(0.15, 0.06), 0.06),
        ("cylinder", ColliderBuilder::cylinder(0.06, 0.12), 0.06),
        ("cone", ColliderBuilder::cone(0.06, 0.12), 0.06),
        ("convex hull", ColliderBuilder::convex_hull(&hull(0.11, 0.05)).unwrap(), 0.05),
    ];
    for (name, shape, half) in small {
        let (mut world, mut set) = world();
        add_floor(&mut world);
        let solid = block([2.0, 0.4, 2.0], [4, 1, 4]);
        set.insert(&mut world, &solid, at(0.0, 0.2, 0.0), &unbreakable()).unwrap();
        let (handle, _) = world.insert(at(0.22, 0.4 + half + 0.1, 0.17), shape.density(500.0));
        run(&mut world, &mut set, 240);
        let height = world.bodies[handle].translation().y - 0.4 - half;
        assert!(height.abs() < 0.012, "{name}: {height}");
    }
}

fn hull(x: f32, y: f32) -> Vec<Vector> {
    (0..8)
        .map(|k| {
            let sign = |bit: usize| if k >> bit & 1 == 1 { 1.0 } else { -1.0 };
            Vector::new(x * sign(0), y * sign(1), x * sign(2))
        })
        .collect()
}

#[test]
fn a_box_of_the_engine_does_not_pass_through_a_large_thin_plate() {
    for (speed, height) in [(20.0, 3.0), (20.0, 3.17), (60.0, 3.0), (60.0, 3.17)] {
        let (mut world, mut set) = world();
        world.gravity = Vector::ZERO;
        let plate = block([4.0, 0.02, 4.0], [16, 1, 16]);
        set.insert(&mut world, &plate, RigidBodyBuilder::fixed(), &unbreakable()).unwrap();
        // Stopped by the plate's size instead of its own, it would stop far above, and pass in the next step.
        let place = at(0.1, height, 0.07).linvel(Vector::Y * -speed).angvel(Vector::new(0.0, 1.0, 0.5));
        let (brick, _) = world.insert(place, ColliderBuilder::cuboid(0.15, 0.1, 0.1).density(1900.0));
        run(&mut world, &mut set, 60);
        let height = world.bodies[brick].translation().y;
        assert!(height > 0.0, "at {speed} m/s: {height}");
    }
}

#[test]
fn rays_points_and_distances_agree_with_a_cuboid_of_the_same_size() {
    let (mut world, mut set) = world();
    let solid = block([0.6, 0.2, 0.4], [6, 2, 4]);
    let handle = set.insert(&mut world, &solid, at(0.0, 0.0, 0.0), &unbreakable()).unwrap();
    let shape = world.colliders[world.bodies[handle].colliders()[0]].shared_shape().clone();
    let cuboid = Cuboid::new(Vector::new(0.3, 0.1, 0.2));
    let mut state = 7_u32;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) as f32 / (1 << 24) as f32 - 0.5
    };
    let mut hits = 0;
    for _ in 0..400 {
        let origin = Vector::new(next(), next(), next()) * 2.0;
        let dir = Vector::new(next(), next(), next()) - 0.4 * origin;
        let ray = Ray::new(origin, dir);
        for solid in [true, false] {
            let [a, b] = [
                shape.cast_local_ray_and_get_normal(&ray, 10.0, solid),
                cuboid.cast_local_ray_and_get_normal(&ray, 10.0, solid),
            ];
            hits += usize::from(b.is_some());
            match (a, b) {
                (Some(a), Some(b)) => {
                    assert!((a.time_of_impact - b.time_of_impact).abs() < 1e-4, "{a:?} {b:?}")
                }
                (None, None) => {}
                // A ray that just touches an edge may be seen either way.
                (a, b) => panic!("{ray:?} {a:?} {b:?}"),
            }
        }
        let [a, b] = [shape.project_local_point(origin, false), cuboid.project_local_point(origin, false)];
        assert_eq!(a.is_inside, b.is_inside);
        assert!((a.point - origin).length() - (b.point - origin).length() < 1e-5);
        // A ball beside it is as far away as the centre less its radius.
        let pose = Pose::from_translation(origin * 2.0);
        let ball = Ball::new(0.05);
        let ours = world.narrow_phase.query_dispatcher().distance(&pose, &*shape, &ball).unwrap().distance;
        let theirs = DefaultQueryDispatcher.distance(&pose, &cuboid, &ball).unwrap().distance;
        assert!((ours - theirs).abs() < 1e-4, "{ours} {theirs}");
    }
    assert!(hits > 50, "{hits}");
    let mass = shape.mass_properties(3.0);
    let expected = cuboid.mass_properties(3.0);
    assert!((mass.mass() / expected.mass() - 1.0).abs() < 1e-5);
    let inertia =
        |m: &MassProperties| DVec3::from_array(m.principal_inertia().to_array().map(f64::from)).element_sum();
    assert!((inertia(&mass) / inertia(&expected) - 1.0).abs() < 1e-4);
}
