//! Bodies with chord boxes: the answers of a tree over the same positions, at any time.

use crate::motions::{cloth, rotation};
use fracas::geom::{DVec3, Pose};
use fracas::internal::Random;
use fracas::kinetic::{KineticBody, KineticError, Plan, Plans, Window};
use fracas::mesh::{Mesh, shapes};
use fracas::pairs::{Pair, brute};
use fracas::{Finder, MeshTree, Touch, TriangleId};

/// A sheet that waves, then turns, with its keys at 0, 1, 2 …
fn waving_cloth(n: usize, key_count: usize) -> (Vec<[u32; 3]>, Plans) {
    let (mut waves, turns) = (cloth(n, key_count / 2), rotation(n, key_count - key_count / 2, 0.6));
    waves.frames.extend(turns.frames);
    let times = (0..key_count).map(|key| key as f64).collect();
    (waves.triangles, Plans::keyframes(times, waves.frames).unwrap())
}

/// The body as a mesh at its present time.
fn frozen(body: &KineticBody) -> Mesh {
    let mut positions = vec![];
    body.plans().positions_at(body.now(), &mut positions);
    Mesh::new(positions, body.triangles().to_vec()).unwrap()
}

fn check(body: &KineticBody, obstacle: &MeshTree) -> usize {
    let tree = MeshTree::build(frozen(body));
    let [mut lazy, mut whole] = [Finder::default(), Finder::default()];
    assert_eq!(lazy.find_pairs(body, obstacle), whole.find_pairs(&tree, obstacle), "{}", body.now());
    let found = lazy.find_pairs(body, obstacle).len();
    assert_eq!(lazy.find_self_pairs(body), whole.find_self_pairs(&tree), "{}", body.now());
    let point = tree.view().bounds().centre() + DVec3::splat(0.3);
    let (near, expected) = (body.view().nearest(point, 10.0), tree.view().nearest(point, 10.0));
    assert_eq!(near.map(|n| n.distance), expected.map(|n| n.distance));
    let (bounds, inner) = (body.view().bounds(), tree.view().bounds());
    assert!(bounds.min.cmple(inner.min + 1e-6).all() && bounds.max.cmpge(inner.max - 1e-6).all());
    found
}

#[test]
fn answers_at_random_times_are_those_of_a_tree() {
    let (triangles, plans) = waving_cloth(24, 6);
    let mut body = KineticBody::new(triangles, plans).unwrap();
    let obstacle = MeshTree::build(shapes::icosphere(0.3, 3));
    let mut random = Random::new(3);
    let last = 6.5;
    let mut times: Vec<f64> = (0..60).map(|_| last * random.unit()).collect();
    times.extend([0.0, 1.0, 2.0, 5.0, 6.0, 7.0]);
    times.sort_unstable_by(f64::total_cmp);
    let mut found = 0;
    for time in times {
        body.advance_to(time).unwrap();
        found += check(&body, &obstacle);
    }
    assert!(found > 100, "{found}");
}

#[test]
fn one_refit_per_key_whatever_the_number_of_frames() {
    for frames in [1, 10, 1000] {
        let (triangles, plans) = waving_cloth(8, 6);
        let mut body = KineticBody::new(triangles, plans).unwrap();
        let before = body.refits();
        let mut key = 0.0;
        let mut keys = 0;
        while let Some(next) = body.plans().next_key_after(key) {
            for frame in 1..=frames {
                body.advance_to(key + (next - key) * f64::from(frame) / f64::from(frames)).unwrap();
            }
            key = next;
            keys += 1;
        }
        assert_eq!(body.refits() - before, keys - 1, "{frames} frames per key");
    }
}

#[test]
fn plans_change_for_any_subset_at_any_time() {
    let (triangles, plans) = waving_cloth(16, 5);
    let mut body = KineticBody::new(triangles, plans).unwrap();
    let obstacle = MeshTree::build(shapes::icosphere(0.3, 2));
    let mut random = Random::new(4);
    for step in 1..80 {
        body.advance_to(f64::from(step) * 0.06).unwrap();
        let vertices = body.plans().vertex_count();
        let mut chosen: Vec<u32> = (0..random.below(6)).map(|_| random.below(vertices) as u32).collect();
        chosen.sort_unstable();
        chosen.dedup();
        let mut vector = |size: f64| size * DVec3::new(random.signed(), random.signed(), random.signed());
        let now = body.now();
        let changes: Vec<(u32, Plan)> = chosen
            .iter()
            .enumerate()
            .map(|(k, &v)| {
                let plan = match k % 3 {
                    0 => Plan::Velocity(vector(0.5)),
                    1 => Plan::Line { position: vector(0.8), velocity: vector(2.0) },
                    _ => Plan::Keys {
                        times: vec![now + 0.1, now + 0.5],
                        positions: vec![vector(0.8), vector(0.8)],
                    },
                };
                (v, plan)
            })
            .collect();
        body.change(&changes).unwrap();
        check(&body, &obstacle);
    }
}

#[test]
fn velocities_alone_carry_a_body_any_distance() {
    let ball = shapes::icosphere(1.0, 2);
    let velocities: Vec<DVec3> = ball.positions().iter().map(|p| *p + DVec3::X).collect();
    let plans = Plans::moving(0.0, ball.positions(), &velocities).unwrap();
    let mut body = KineticBody::new(ball.triangles().to_vec(), plans).unwrap();
    let obstacle = MeshTree::build(shapes::cuboid(DVec3::new(1.0, 9.0, 1.0)));
    for time in [0.0, 0.1, 1.0, 1.01, 10.0, 1e6, 1e6 + 1.0] {
        body.advance_to(time).unwrap();
        check(&body, &obstacle);
    }
}

#[test]
fn wrong_input_is_refused_and_nothing_changes() {
    let (triangles, plans) = waving_cloth(4, 3);
    let mut far = triangles.clone();
    far[0][1] = 999;
    let error = KineticBody::new(far, plans.clone()).unwrap_err();
    assert_eq!(error, KineticError::NoSuchVertex { vertex: 999, vertices: plans.vertex_count() });
    let mut body = KineticBody::new(triangles, plans).unwrap();
    body.advance_to(0.5).unwrap();
    let before = body.view().bounds();
    for time in [0.4, f64::NAN, f64::INFINITY, -1.0] {
        assert!(body.advance_to(time).is_err(), "{time}");
    }
    assert!(body.change(&[(0, Plan::Velocity(DVec3::NAN))]).is_err());
    assert!(body.change(&[(999, Plan::Velocity(DVec3::X))]).is_err());
    assert_eq!((body.now(), body.view().bounds()), (0.5, before));
}

/// No triangles, no vertices, one triangle.
#[test]
fn small_bodies() {
    let none = KineticBody::new(vec![], Plans::keyframes(vec![0.0], vec![vec![]]).unwrap()).unwrap();
    assert!(Finder::default().find_self_pairs(&none).is_empty());
    let frames = vec![vec![DVec3::ZERO, DVec3::X, DVec3::Y], vec![DVec3::Z, DVec3::X, DVec3::Y]];
    let mut one =
        KineticBody::new(vec![[0, 1, 2]], Plans::keyframes(vec![0.0, 1.0], frames).unwrap()).unwrap();
    one.advance_to(0.5).unwrap();
    check(&one, &MeshTree::build(shapes::icosphere(0.5, 1)));
}

/// The pairs of triangles that are there, by brute force over the same positions.
fn check_against_brute_force(body: &KineticBody, obstacle: &Mesh) -> usize {
    let mesh = frozen(body);
    let is_there = |id: TriangleId| body.has_triangle(id);
    let mut expected = brute::find_self_pairs(&mesh, Touch::Include);
    expected.retain(|pair| is_there(pair.a) && is_there(pair.b));
    let mut finder = Finder::default();
    assert_eq!(finder.find_self_pairs(body), expected, "{}", body.now());
    let mut expected = brute::find_pairs(&mesh, &Pose::IDENTITY, obstacle, &Pose::IDENTITY, Touch::Include);
    expected.retain(|pair| is_there(pair.a));
    assert_eq!(finder.find_pairs(body, obstacle), expected, "{}", body.now());
    // Windows see the same triangles.
    let mut window = Window::default();
    window.find_self(body);
    let shares = |pair: &Pair| {
        let [v, w] = [pair.a, pair.b].map(|id| body.triangles()[id.index()]);
        v.iter().any(|v| w.contains(v))
    };
    let found = window.intersections(body, body, Touch::Include).to_vec();
    let apart = brute::find_self_pairs(&mesh, Touch::Include).into_iter();
    let apart = apart.filter(|pair| is_there(pair.a) && is_there(pair.b) && !shares(pair));
    assert_eq!(found, apart.collect::<Vec<_>>(), "{}", body.now());
    expected.len()
}

#[test]
fn vertices_and_triangles_come_and_go_at_random_times() {
    let (triangles, plans) = waving_cloth(9, 5);
    let mut body = KineticBody::new(triangles, plans).unwrap();
    let obstacle = shapes::icosphere(0.3, 1);
    let mut random = Random::new(8);
    let (mut now, mut found, mut removed) = (0.0, 0, 0);
    for step in 0..160 {
        now += 0.05 * random.unit();
        body.advance_to(now).unwrap();
        let mut vector = |size: f64| size * DVec3::new(random.signed(), random.signed(), random.signed());
        // Now few triangles come, now many go: the loose tree and the whole one are rebuilt.
        if step % 2 == 0 {
            let position = vector(0.5);
            let line = |k: f64, velocity: DVec3| Plan::Line { position: position + 0.1 * k, velocity };
            let keys = Plan::Keys { times: vec![now, now + 0.3], positions: vec![vector(0.5), vector(0.5)] };
            let added =
                body.insert_vertices(&[line(0.0, vector(0.3)), line(1.0, vector(0.3)), keys]).unwrap();
            let old = random.below(added.start as usize) as u32;
            let new = [[added.start, added.start + 1, added.start + 2], [added.start, added.start + 1, old]];
            let first = body.insert_triangles(&new).unwrap();
            assert_eq!(body.triangles()[first.index()..], new);
        }
        if step % 3 == 0 {
            let mut gone: Vec<TriangleId> = (0..body.triangles().len() as u32).map(TriangleId).collect();
            gone.retain(|&id| {
                body.has_triangle(id) && random.unit() < if step % 30 == 0 { 0.4 } else { 0.03 }
            });
            body.remove_triangles(&gone).unwrap();
            removed += gone.len();
            assert!(gone.iter().all(|&id| !body.has_triangle(id)));
        }
        let vertex = random.below(body.plans().vertex_count()) as u32;
        let velocity = 0.4 * DVec3::new(random.signed(), random.signed(), random.signed());
        body.change(&[(vertex, Plan::Velocity(velocity))]).unwrap();
        found += check_against_brute_force(&body, &obstacle);
    }
    assert!(found > 300 && removed > 100, "{found} {removed}");
}

#[test]
fn a_body_that_loses_all_triangles_can_get_new_ones() {
    let ball = shapes::icosphere(0.5, 1);
    let rest = vec![DVec3::ZERO; ball.positions().len()];
    let plans = Plans::moving(0.0, ball.positions(), &rest).unwrap();
    let mut body = KineticBody::new(ball.triangles().to_vec(), plans).unwrap();
    let all: Vec<TriangleId> = (0..80).map(TriangleId).collect();
    for id in [0, 80, u32::MAX] {
        let twice = [TriangleId(id), TriangleId(0)];
        assert!(body.remove_triangles(&twice).is_err(), "{id}");
    }
    // One by one, so that leaves and nodes become empty before the body is rebuilt.
    for id in &all {
        body.remove_triangles(&[*id]).unwrap();
        check_against_brute_force(&body, &shapes::icosphere(0.5, 0));
    }
    assert_eq!(body.remove_triangles(&all[..1]), Err(KineticError::NoSuchTriangle { triangle: 0 }));
    assert!(Finder::default().find_self_pairs(&body).is_empty());
    assert_eq!(body.insert_triangles(&ball.triangles()[..40]), Ok(TriangleId(80)));
    assert!(body.insert_triangles(&[[0, 1, 999]]).is_err());
    assert!(check_against_brute_force(&body, &shapes::icosphere(0.5, 0)) > 10);
}
