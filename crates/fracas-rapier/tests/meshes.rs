//! Meshes as colliders: they rest where they should, and nobody gains energy.

mod common;
use common::{add_floor, at, block, energy, run, unbreakable, world};
use fracas::geom::{DQuat, DVec3};
use fracas::mesh::{Influence, Mesh, Skin, shapes};
use fracas::{MeshTree, SkinOptions, SkinnedBody};
use fracas_rapier::{BreakOptions, MeshShape};
use rapier3d::parry::query::{Ray, RayCast};
use rapier3d::prelude::*;
use std::sync::Arc;

fn shape(mesh: Mesh) -> SharedShape {
    SharedShape(Arc::new(MeshShape::new(&Arc::new(MeshTree::build(mesh))).unwrap()))
}

fn collider(mesh: Mesh) -> ColliderBuilder {
    ColliderBuilder::new(shape(mesh)).density(800.0).friction(0.6)
}

/// A cube whose sides are grids of so many cells.
fn cube(size: DVec3, cells: usize) -> Mesh {
    let mesh = shapes::brick(DVec3::ONE, 1.0 / cells as f64);
    let (positions, triangles) = mesh.into_parts();
    Mesh::new(positions.into_iter().map(|p| p * size).collect(), triangles).unwrap()
}

/// Does steps, and checks that energy never rises by more than given above the least that it was before: neither in a step nor in many.
fn run_without_gain(
    world: &mut PhysicsWorld,
    set: &mut fracas_rapier::BreakableSet,
    steps: usize,
    most: f64,
    what: &str,
) {
    let begin = energy(world);
    let mut least = begin;
    for step in 0..steps {
        set.step(world).unwrap();
        let now = energy(world);
        assert!(now < least + most, "{what}, step {step}: {least} to {now}, more than {most}");
        least = least.min(now);
    }
}

/// A ring that swings on a round peg rolls on one point, and the engine puts energy into that. Measured in 650 steps, as parts of weight times radius: 12 %
/// for ours and 7 % for a ring of the engine's own capsules while it recycles contacts, 1.1 % and 1.5 % if it does not. So on round pegs contacts
/// are not recycled, which the engine promises for colliders with hooks, and swings are damped as by air. On pegs with edges nothing of that is needed.
#[test]
fn a_torus_on_a_peg_comes_to_rest() {
    // A ring of 0.5 m with a rope of 0.1 m hangs over a peg that lies along x, as mesh and as shapes of the engine.
    let pegs: Vec<(&str, ColliderBuilder, bool)> = vec![
        ("capsule", ColliderBuilder::capsule_x(1.0, 0.1), true),
        (
            "cylinder",
            ColliderBuilder::cylinder(1.0, 0.1).rotation(Vector::Z * std::f32::consts::FRAC_PI_2),
            true,
        ),
        ("round mesh", collider(turned(shapes::cylinder(0.1, 2.0, 48))), true),
        ("box", ColliderBuilder::cuboid(1.0, 0.1, 0.1), false),
        ("mesh", collider(shapes::cuboid(DVec3::new(2.0, 0.2, 0.2))), false),
    ];
    for (name, peg, is_round) in pegs {
        let (mut world, mut set) = world();
        world.insert_collider(peg.friction(0.8), None);
        let damping = if is_round { 1.0 } else { 0.0 };
        let place = at(0.05, -0.25, 0.02).rotation(Vector::new(0.0, 0.05, 0.1)).angular_damping(damping);
        let hooks = if is_round { ActiveHooks::MODIFY_SOLVER_CONTACTS } else { ActiveHooks::empty() };
        let ring = collider(turned(shapes::torus(0.5, 0.1, 48))).active_hooks(hooks);
        let (ring, _) = world.insert(place, ring);
        world.step();
        let scale = f64::from(world.bodies[ring].mass()) * 9.81 * 0.5;
        // The engine asks about a pair without contacts again after 20 mm, so the ring enters the peg by 5 mm and is lifted out;
        // what it gains as it rolls is the rest.
        let lift = 0.012 * scale / 0.5;
        run_without_gain(&mut world, &mut set, 900, lift, name);
        let body = &world.bodies[ring];
        // The inner radius is 0.4, the peg's 0.1.
        let place = body.translation();
        assert!(place.x.abs() < 0.3 && (-0.33..-0.26).contains(&place.y), "{name}: {place}");
        let (v, w) = (body.linvel().length(), body.angvel().length());
        assert!(v < 0.02 && w < 0.05, "{name}: {v} {w}");
    }
}

/// A mesh of revolution about z, turned so that its axis is x.
fn turned(mesh: Mesh) -> Mesh {
    let turn = DQuat::from_rotation_y(std::f64::consts::FRAC_PI_2);
    let (positions, triangles) = mesh.into_parts();
    Mesh::new(positions.into_iter().map(|p| turn * p).collect(), triangles).unwrap()
}

#[test]
fn a_box_dropped_on_a_box_of_3072_triangles_rests() {
    for cells in [1, 16] {
        let (mut world, mut set) = world();
        let below = cube(DVec3::new(1.0, 0.5, 1.0), 16);
        assert_eq!(below.triangle_count(), 3072);
        world.insert_collider(collider(below), None);
        let above = cube(DVec3::new(0.4, 0.2, 0.3), cells);
        let place = at(0.1, 0.6, -0.05).rotation(Vector::new(0.1, 0.3, 0.05));
        let (body, _) = world.insert(place, collider(above));
        world.step();
        let scale = f64::from(world.bodies[body].mass()) * 9.81 * 0.3;
        run_without_gain(&mut world, &mut set, 300, 1e-3 * scale, "box");
        let height = world.bodies[body].translation().y;
        assert!((height - 0.35).abs() < 0.002, "{cells} cells: {height}");
        let (v, w) = (world.bodies[body].linvel().length(), world.bodies[body].angvel().length());
        assert!(v < 1e-3 && w < 1e-2, "{cells} cells: {v} {w}");
        assert!(world.bodies[body].is_sleeping(), "{cells} cells");
    }
}

#[test]
fn a_stack_of_five_meshes_stands() {
    let (mut world, mut set) = world();
    add_floor(&mut world);
    let cubes = shape(cube(DVec3::splat(0.5), 4));
    let bodies: Vec<RigidBodyHandle> = (0..5)
        .map(|k| {
            let place = at(0.01 * k as f32, 0.25 + 0.5 * k as f32, 0.0);
            world.insert(place, ColliderBuilder::new(cubes.clone()).density(800.0).friction(0.6)).0
        })
        .collect();
    run(&mut world, &mut set, 600);
    for (k, &body) in bodies.iter().enumerate() {
        let place = world.bodies[body].translation();
        let expected = Vector::new(0.01 * k as f32, 0.25 + 0.5 * k as f32, 0.0);
        assert!((place - expected).length() < 0.01, "cube {k}: {place}");
    }
}

#[test]
fn a_mesh_comes_to_rest_on_every_shape_of_the_engine() {
    let flat =
        |y: f32| [(-2.0, -2.0), (2.0, -2.0), (2.0, 2.0), (-2.0, 2.0)].map(|(x, z)| Vector::new(x, y, z));
    let child = |x: f32| (Pose::from_translation(Vector::X * x), SharedShape::cuboid(0.5, 0.3, 1.0));
    let grounds: Vec<(&str, ColliderBuilder, f32)> = vec![
        ("half-space", ColliderBuilder::new(SharedShape::halfspace(Vector::Y)), 0.0),
        ("cuboid", ColliderBuilder::cuboid(1.0, 0.3, 1.0), 0.3),
        ("round cuboid", ColliderBuilder::round_cuboid(1.0, 0.2, 1.0, 0.1), 0.3),
        ("cylinder", ColliderBuilder::cylinder(0.3, 1.0), 0.3),
        ("ball", ColliderBuilder::ball(3.0), 3.0),
        ("trimesh", ColliderBuilder::trimesh(flat(0.0).to_vec(), vec![[0, 2, 1], [0, 3, 2]]).unwrap(), 0.0),
        ("heightfield", ColliderBuilder::heightfield(Array2::zeros(6, 6), Vector::new(4.0, 1.0, 4.0)), 0.0),
        ("compound", ColliderBuilder::compound(vec![child(-0.6), child(0.6)]), 0.3),
    ];
    for (name, ground, top) in grounds {
        let (mut world, mut set) = world();
        world.insert_collider(ground.friction(1.0), None);
        let (body, _) = world.insert(at(0.0, top + 0.25, 0.0), collider(cube(DVec3::new(0.6, 0.2, 0.3), 4)));
        run(&mut world, &mut set, 240);
        let body = &world.bodies[body];
        let height = body.translation().y - top;
        assert!((height - 0.1).abs() < 0.012, "{name}: {height}");
        assert!(body.linvel().length() < 0.02, "{name}: {}", body.linvel());
    }
}

#[test]
fn shapes_of_the_engine_come_to_rest_on_a_mesh() {
    let small: Vec<(&str, ColliderBuilder, f32)> = vec![
        ("ball", ColliderBuilder::ball(0.1), 0.1),
        ("cuboid", ColliderBuilder::cuboid(0.12, 0.05, 0.1), 0.05),
        ("capsule", ColliderBuilder::capsule_x(0.15, 0.06), 0.06),
        ("cylinder", ColliderBuilder::cylinder(0.06, 0.12), 0.06),
        ("cone", ColliderBuilder::cone(0.06, 0.12), 0.06),
    ];
    for (name, small, half) in small {
        let (mut world, mut set) = world();
        world.insert_collider(
            collider(cube(DVec3::new(2.0, 0.4, 2.0), 8)).translation(Vector::Y * -0.2),
            None,
        );
        let (handle, _) = world.insert(at(0.22, half + 0.1, 0.17), small.density(500.0));
        run(&mut world, &mut set, 240);
        let height = world.bodies[handle].translation().y - half;
        assert!(height.abs() < 0.006, "{name}: {height}");
    }
}

#[test]
fn meshes_and_brittle_bodies_hold_each_other() {
    for is_brittle_above in [false, true] {
        let (mut world, mut set) = world();
        add_floor(&mut world);
        let solid = block([1.0, 0.4, 1.0], [8, 3, 8]);
        let mesh = || collider(cube(DVec3::new(1.0, 0.4, 1.0), 8));
        let (low, high) = (at(0.0, 0.2, 0.0), at(0.1, 0.7, 0.05));
        let (below, above) = if is_brittle_above {
            (world.insert(low, mesh()).0, set.insert(&mut world, &solid, high, &unbreakable()).unwrap())
        } else {
            (set.insert(&mut world, &solid, low, &unbreakable()).unwrap(), world.insert(high, mesh()).0)
        };
        run(&mut world, &mut set, 300);
        let [low, high] = [below, above].map(|body| world.bodies[body].translation().y);
        assert!((low - 0.2).abs() < 0.01 && (high - 0.6).abs() < 0.01, "{low} {high}");
        assert!(world.bodies[above].linvel().length() < 0.01);
    }
    // A mesh that is dropped from high above breaks a body.
    let (mut world, mut set) = world();
    add_floor(&mut world);
    set.insert(&mut world, &block([1.0, 0.2, 1.0], [10, 2, 10]), at(0.0, 0.1, 0.0), &BreakOptions::default())
        .unwrap();
    let (hammer, _) = world.insert(at(0.0, 3.0, 0.0), collider(cube(DVec3::splat(0.4), 4)).density(4000.0));
    let fractures: Vec<_> = (0..120).flat_map(|_| set.step(&mut world).unwrap().to_vec()).collect();
    assert!(!fractures.is_empty());
    assert_eq!(fractures[0].striker.unwrap().body, Some(hammer));
}

#[test]
fn a_skinned_body_pushes_what_it_moves_into() {
    use fracas::geom::DAffine3;
    let (mut world, mut set) = world();
    add_floor(&mut world);
    // A bar with one node at either end; the far end is lifted.
    let bar = shapes::brick(DVec3::new(2.0, 0.2, 0.4), 0.1);
    let share = |p: &DVec3| (0.5 + 0.5 * p.x).clamp(0.0, 1.0);
    let weights: Vec<[Influence; 2]> = bar
        .positions()
        .iter()
        .map(|p| [(0, 1.0 - share(p)), (1, share(p))].map(|(node, weight)| Influence { node, weight }))
        .collect();
    let skin = Skin::new(bar, 2, weights).unwrap();
    let mut body = Arc::new(SkinnedBody::new(skin, &SkinOptions::default()).unwrap());
    let shape = |body: &Arc<SkinnedBody>| SharedShape(Arc::new(MeshShape::skinned(body, 0.0).unwrap()));
    let bar = world.insert_collider(ColliderBuilder::new(shape(&body)).translation(Vector::Y * 0.5), None);
    let (cargo, _) = world.insert(at(0.7, 0.75, 0.0), collider(cube(DVec3::splat(0.2), 4)).friction(2.0));
    run(&mut world, &mut set, 60);
    assert!(
        (world.bodies[cargo].translation().y - 0.7).abs() < 0.01,
        "{}",
        world.bodies[cargo].translation()
    );
    let mut highest = 0.0_f32;
    for step in 0..60 {
        let lift = DAffine3::from_translation(DVec3::Y * (0.005 * f64::from(step)));
        Arc::make_mut(&mut body).set_transforms(&[DAffine3::IDENTITY, lift]).unwrap();
        world.colliders[bar].set_shape(shape(&body));
        run(&mut world, &mut set, 1);
        highest = highest.max(world.bodies[cargo].translation().y);
    }
    // At x = 0.7 the bar is lifted by 0.85 of 0.295.
    assert!(highest > 0.85, "the cargo is carried along: {highest}");
}

#[test]
fn an_open_surface_with_thickness_holds_a_ball_and_a_box() {
    for is_ball in [false, true] {
        let (mut world, mut set) = world();
        let (positions, triangles) = shapes::cloth_grid(8, 8, [2.0, 2.0]).into_parts();
        // The grid lies in the plane of x and y.
        let flat: Vec<DVec3> = positions.into_iter().map(|p| DVec3::new(p.x, 0.0, -p.y)).collect();
        let centre = flat.iter().copied().sum::<DVec3>() / flat.len() as f64;
        let flat = flat.into_iter().map(|p| p - centre).collect();
        let sheet = Arc::new(MeshTree::build(Mesh::new(flat, triangles).unwrap()));
        assert!(MeshShape::new(&sheet).is_err());
        let sheet = SharedShape(Arc::new(MeshShape::with_thickness(&sheet, 0.02).unwrap()));
        world.insert_collider(ColliderBuilder::new(sheet), None);
        let collider =
            if is_ball { ColliderBuilder::ball(0.1) } else { collider(cube(DVec3::splat(0.2), 2)) };
        let (body, _) = world.insert(at(0.13, 0.3, 0.21), collider);
        run(&mut world, &mut set, 240);
        let height = world.bodies[body].translation().y;
        assert!((height - 0.12).abs() < 0.006, "ball {is_ball}: {height}");
    }
}

#[test]
fn a_fast_mesh_does_not_pass_through_a_thin_one() {
    for speed in [30.0, 120.0, 300.0] {
        let (mut world, mut set) = world();
        world.gravity = Vector::ZERO;
        world.insert_collider(collider(cube(DVec3::new(4.0, 0.02, 4.0), 8)), None);
        let place = at(0.1, 2.0, 0.07).linvel(Vector::Y * -speed).angvel(Vector::new(3.0, 1.0, 0.5));
        let (body, _) = world.insert(place, collider(cube(DVec3::new(0.3, 0.2, 0.2), 2)));
        run(&mut world, &mut set, 60);
        let height = world.bodies[body].translation().y;
        assert!(height > 0.0, "{speed} m/s: {height}");
    }
}

#[test]
fn rays_and_points_agree_with_a_cuboid() {
    let mesh = shape(cube(DVec3::new(0.6, 0.2, 0.4), 3));
    let cuboid = Cuboid::new(Vector::new(0.3, 0.1, 0.2));
    let mut random = fracas::internal::Random::new(5);
    let mut unit = || 2.0 * random.unit() as f32 - 1.0;
    let mut hits = 0;
    for _ in 0..500 {
        let origin = Vector::new(unit(), unit(), unit());
        let ray = Ray::new(origin, Vector::new(unit(), unit(), unit()) - origin);
        for solid in [true, false] {
            let [a, b] = [
                mesh.cast_local_ray_and_get_normal(&ray, 9.0, solid),
                cuboid.cast_local_ray_and_get_normal(&ray, 9.0, solid),
            ];
            assert_eq!(a.is_some(), b.is_some(), "{ray:?}");
            if let (Some(a), Some(b)) = (a, b) {
                hits += 1;
                assert!((a.time_of_impact - b.time_of_impact).abs() < 1e-4, "{a:?} {b:?}");
            }
        }
        let [a, b] = [mesh.project_local_point(origin, false), cuboid.project_local_point(origin, false)];
        assert_eq!(a.is_inside, b.is_inside);
        assert!(((a.point - origin).length() - (b.point - origin).length()).abs() < 1e-5);
    }
    assert!(hits > 100, "{hits}");
}
