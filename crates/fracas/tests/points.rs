//! Questions about points: nearest points and features against brute force, signs against exact ray parity, at every size.

mod common;

use common::bodies::{AnyBody, KINDS};
use common::inputs::Stream;
use common::soups::{grid_soup, loose_grid_soup, mapped, needles, random_soup, soup, together};
use fracas::exact::{self, DVec2, Relation, Sign};
use fracas::geom::{DQuat, DVec3, Pose, Triangle};
use fracas::mesh::{Mesh, TriangleId, shapes};
use fracas::{Feature, FindOptions, Finder, MeshTree, Nearest, Side, Threads, View};

fn triangles(mesh: &Mesh) -> impl Iterator<Item = (TriangleId, Triangle)> + '_ {
    (0..mesh.triangle_count() as u32).map(|k| (TriangleId(k), mesh.triangle(TriangleId(k))))
}

fn point(stream: &mut Stream, reach: f64) -> DVec3 {
    DVec3::new(stream.unit(), stream.unit(), stream.unit()) * reach
}

/// Full of coincidences, without any, degenerate, open, closed.
fn meshes() -> Vec<Mesh> {
    let mut s = Stream::new(41);
    vec![
        soup([[DVec3::ZERO, DVec3::X, DVec3::Y]]),
        soup([[DVec3::ONE; 3], [DVec3::ZERO, DVec3::X, 2.0 * DVec3::X]]),
        grid_soup(&mut s, [4, 4, 4], 30, 100),
        loose_grid_soup(&mut s, [5, 5, 2], 80),
        random_soup(&mut s, 300, 0.3),
        needles(&mut s, 60, 1e-9),
        needles(&mut s, 60, 1e-6),
        shapes::icosphere(1.0, 2),
        shapes::cloth_grid(6, 6, [3.0, 3.0]),
        together(&[shapes::icosphere(1.0, 2), shapes::icosphere(1.0, 2)]),
        mapped(&random_soup(&mut s, 100, 0.5), |p| p + DVec3::new(1e6, -1e6, 3e5)),
    ]
}

/// The distance of a point from a triangle by another route: the foot of the perpendicular where it lies inside all three
/// sides, else the nearest side; and by how much that may be too much: a sliver counts as its sides, which are as near up to its width.
fn distance(p: DVec3, t: &Triangle) -> (f64, f64) {
    let side = |a: DVec3, b: DVec3| {
        let (along, to) = (b - a, p - a);
        let s = if along.length_squared() > 0.0 { to.dot(along) / along.length_squared() } else { 0.0 };
        (a + along * s.clamp(0.0, 1.0)).distance(p)
    };
    let nearest_side = side(t.a, t.b).min(side(t.b, t.c)).min(side(t.c, t.a));
    let n = t.area_vector().normalize_or_zero();
    let is_within = |a: DVec3, b: DVec3| (b - a).cross(p - a).dot(n) >= 0.0;
    if n != DVec3::ZERO && is_within(t.a, t.b) && is_within(t.b, t.c) && is_within(t.c, t.a) {
        let longest = (t.b - t.a).length().max((t.c - t.a).length()).max((t.c - t.b).length());
        if t.area() > 1e-3 * longest * longest {
            return (nearest_side.min((p - t.a).dot(n).abs()), 0.0);
        }
        return (nearest_side, 2.0 * t.area() / longest);
    }
    (nearest_side, 0.0)
}

fn points_around(mesh: &Mesh, s: &mut Stream, count: usize) -> Vec<DVec3> {
    let (low, high) = mesh.bounds().corners();
    let (middle, half) = (0.5 * low + 0.5 * high, 0.5 * (high - low) + 1e-3);
    let mut points: Vec<DVec3> = (0..count).map(|_| middle + half * point(s, 1.5)).collect();
    points.extend((0..count / 4).map(|_| middle + half * point(s, 300.0)));
    points.extend((0..count / 8).map(|_| middle + half * point(s, 1e9)));
    for (_, t) in triangles(mesh).step_by(5) {
        let (n, size) = (t.area_vector().normalize_or_zero(), (t.b - t.a).length());
        for p in [t.a, 0.5 * t.b + 0.5 * t.c, t.centroid()] {
            points.extend([p, p + n * (0.1 * size), p + n * 1e-9, p + point(s, 0.2 * size)]);
        }
    }
    points
}

#[test]
fn nearest_points_are_those_of_brute_force_for_every_kind_of_body() {
    let mut s = Stream::new(42);
    for mesh in meshes() {
        let bodies: Vec<Box<dyn AnyBody>> = KINDS.iter().map(|kind| (kind.make)(&mesh)).collect();
        let whole = View::from(&mesh);
        let largest = mesh.positions().iter().fold(0.0, |m: f64, p| m.max(p.abs().max_element()));
        for p in points_around(&mesh, &mut s, 60) {
            let near = whole.nearest(p, f64::INFINITY).expect("a triangle");
            let all = triangles(&mesh).map(|(_, t)| distance(p, &t));
            let (least, most) = all.fold((f64::INFINITY, f64::INFINITY), |(least, most), (far, slack)| {
                (least.min(far - slack), most.min(far))
            });
            let tolerance = 1e-12 * largest.max(p.abs().max_element());
            assert!(near.distance >= least - tolerance, "{p}: {near:?} but {least}");
            assert!(near.distance <= most + tolerance, "{p}: {near:?} but {most}");
            assert!((near.point.distance(p) - near.distance).abs() <= tolerance, "{p}: {near:?}");
            check_feature(&mesh, p, &near, tolerance);
            for (kind, body) in KINDS.iter().zip(&bodies) {
                assert_eq!(body.view().nearest(p, f64::INFINITY), Some(near), "{} {p}", kind.name);
                let short = near.distance * 0.99;
                assert_eq!(body.view().nearest(p, short).is_some(), near.distance == 0.0, "{}", kind.name);
                assert_eq!(body.view().nearest(p, near.distance), Some(near), "{}", kind.name);
            }
        }
    }
}

/// Weights, feature and point say the same; no triangle with a smaller id is as near.
fn check_feature(mesh: &Mesh, p: DVec3, near: &Nearest, tolerance: f64) {
    let names = mesh.triangles()[near.triangle.index()];
    let t = mesh.triangle(near.triangle);
    let sum: DVec3 = t.corners().iter().zip(near.weights).map(|(corner, w)| *corner * w).sum();
    assert!(sum.distance(near.point) <= tolerance.max(1e-12), "{p} {near:?}");
    assert!((near.weights.iter().sum::<f64>() - 1.0).abs() < 1e-12);
    let has = |v: u32| (0..3).any(|k| names[k] == v && near.weights[k] > 0.0);
    let parts = near.weights.iter().filter(|w| **w > 0.0).count();
    match near.feature {
        Feature::Vertex(v) => {
            assert!(parts == 1 && has(v));
            assert_eq!(mesh.positions()[v as usize], near.point);
        }
        Feature::Edge([v, w]) => assert!(parts == 2 && has(v) && has(w) && v <= w),
        Feature::Face(id) => assert!(parts == 3 && id == near.triangle),
    }
    let length = near.normal.length();
    assert!((length - 1.0).abs() < 1e-12 || length == 0.0 && t.area() < 1e-6, "{p} {near:?}");
}

/// A triangle shares its nearest vertex with others: the smallest id counts, and normals do not depend on who was asked.
#[test]
fn vertices_and_edges_belong_to_the_triangle_with_the_smallest_id() {
    let ball = shapes::icosphere(1.0, 3);
    let tree = MeshTree::build(ball.clone());
    for (v, &p) in ball.positions().iter().enumerate() {
        for outside in [1.0, 1.1, 3.0, 500.0] {
            let near = tree.view().nearest(p * outside, f64::INFINITY).unwrap();
            let first = ball.triangles().iter().position(|t| t.contains(&(v as u32))).unwrap();
            assert_eq!((near.feature, near.triangle.index()), (Feature::Vertex(v as u32), first));
            assert!(near.normal.angle_between(p) < 0.02, "{near:?}");
        }
    }
    // Through the middle of an edge the normal is the mean of two faces.
    let cube = MeshTree::build(shapes::cuboid(DVec3::splat(2.0)));
    let near = cube.view().nearest(DVec3::new(4.0, 0.25, 4.0), f64::INFINITY).unwrap();
    assert!((near.normal - DVec3::new(0.5, 0.0, 0.5).normalize()).length() < 1e-15, "{near:?}");
    // At a corner each of three faces counts alike, although one of them may have two triangles there.
    let near = cube.view().nearest(DVec3::splat(9.0), f64::INFINITY).unwrap();
    assert!((near.normal - DVec3::ONE.normalize()).length() < 1e-14, "{near:?}");
}

#[test]
fn normals_of_soups_and_copies_are_those_of_the_mesh() {
    let mut s = Stream::new(43);
    let mesh = shapes::noisy_sphere(400, 0.3, 2);
    let loose = soup(triangles(&mesh).map(|(_, t)| t.corners()));
    let twice = together(&[mesh.clone(), mesh.clone()]);
    let trees = [&mesh, &loose, &twice].map(|mesh| MeshTree::build(mesh.clone()));
    let mut at_rims = 0;
    for _ in 0..500 {
        let p = point(&mut s, 2.0);
        let [one, other, copy] = [0, 1, 2].map(|k| trees[k].view().nearest(p, f64::INFINITY).unwrap());
        assert_eq!((one.point, one.distance, one.weights), (other.point, other.distance, other.weights));
        for normal in [other.normal, copy.normal] {
            assert!((one.normal - normal).length() < 1e-14, "{one:?} {normal}");
        }
        at_rims += usize::from(!matches!(one.feature, Feature::Face(_)));
        // On a closed surface the pseudonormal points to the side of the point.
        let side = trees[0].view().side_of(p).unwrap();
        let towards = (p - one.point).dot(one.normal);
        assert_eq!(towards > 0.0, side == Side::Outside, "{p} {one:?}");
    }
    assert!(at_rims > 50, "{at_rims}");
}

/// What is 2ᵏ times as large has 2ᵏ times the answers.
#[test]
fn answers_scale_with_the_body() {
    let mut s = Stream::new(44);
    let base = shapes::noisy_sphere(300, 0.3, 2);
    let points: Vec<DVec3> = (0..40)
        .map(|k| point(&mut s, if k % 4 == 0 { 1e3 } else { 1.6 }))
        .chain([base.positions()[5]])
        .collect();
    let plain = MeshTree::build(base.clone());
    for k in [-900, -600, -300, -260, -30, -1, 1, 30, 260, 300, 600, 900] {
        let scale = 2f64.powi(k);
        let large = MeshTree::build(mapped(&base, |p| p * scale));
        let soup = large.mesh().clone();
        for &p in &points {
            let near = plain.view().nearest(p, f64::INFINITY).unwrap();
            let scaled = Nearest { point: near.point * scale, distance: near.distance * scale, ..near };
            assert_eq!(large.view().nearest(p * scale, f64::INFINITY), Some(scaled), "{k} {p}");
            assert_eq!(View::from(&soup).nearest(p * scale, f64::INFINITY), Some(scaled), "{k} {p}");
            let [signed, expected] = [(&large, p * scale), (&plain, p)]
                .map(|(tree, p)| tree.view().signed_distance(p, f64::INFINITY).unwrap().unwrap());
            assert_eq!((signed.distance, signed.side), (expected.distance * scale, expected.side), "{k} {p}");
            assert_eq!(
                large.view().nearest(p * scale, 0.5 * near.distance * scale).is_some(),
                near.distance == 0.0
            );
        }
    }
    // As far away as numbers go.
    for far in [1e3, 1e20, 1e100, 1e200, 1e307] {
        let near = plain.view().nearest(DVec3::new(far, 0.0, 0.0), f64::INFINITY).unwrap();
        assert!((near.distance / far - 1.0).abs() < 1e-2, "{far}: {near:?}");
    }
}

/// Whether a point is inside by a ray along an axis in exact arithmetic, over all triangles; `None` if the ray meets an edge.
fn parity(triangles: &[Triangle], p: DVec3, axis: usize) -> Option<bool> {
    let flat = |q: DVec3| DVec2::new(q[(axis + 1) % 3], q[(axis + 2) % 3]);
    let at = flat(p);
    let mut is_inside = false;
    for t in triangles {
        let [a, b, c] = t.corners().map(flat);
        let (low, high) = (a.min(b).min(c), a.max(b).max(c));
        if !(low.cmple(at).all() && at.cmple(high).all()) {
            continue;
        }
        let turns = [exact::orient2d(a, b, at), exact::orient2d(b, c, at), exact::orient2d(c, a, at)];
        if turns.contains(&Sign::Positive) && turns.contains(&Sign::Negative) {
            continue;
        }
        if turns.contains(&Sign::Zero) {
            return None;
        }
        // The normal points along the axis where the corners turn to the left.
        match (exact::orient3d(t.a, t.b, t.c, p), turns[0]) {
            (Sign::Zero, _) => return None,
            (side, turn) => is_inside ^= side != turn,
        }
    }
    Some(is_inside)
}

#[test]
fn signs_are_those_of_exact_ray_parity() {
    let bodies = [
        ("cube", shapes::cuboid(DVec3::new(2.0, 1.0, 1.5))),
        ("ball", shapes::icosphere(1.0, 2)),
        ("torus", shapes::torus(1.0, 0.4, 16)),
        ("noisy sphere", shapes::noisy_sphere(600, 0.4, 9)),
        (
            "two that overlap",
            together(&[shapes::icosphere(1.0, 1), mapped(&shapes::torus(0.8, 0.3, 8), |p| p + 0.3)]),
        ),
    ];
    let turn = Pose::new(DQuat::from_xyzw(0.3, -0.2, 0.5, 0.7), DVec3::new(3.0, -1.0, 2.0)).unwrap();
    for (name, mesh) in bodies {
        let mesh = if name == "torus" { mesh.posed(&turn).unwrap() } else { mesh };
        let tree = MeshTree::build(mesh.clone());
        let all: Vec<Triangle> = triangles(&mesh).map(|(_, t)| t).collect();
        let (low, high) = mesh.bounds().corners();
        let mut s = Stream::new(45);
        let mut points = vec![];
        for k in 0..40_u32.pow(3) {
            let at = DVec3::new(f64::from(k % 40), f64::from(k / 40 % 40), f64::from(k / 1600));
            points.push(low + (high - low) * (at / 39.0));
        }
        while points.len() < 100_000 {
            let t = all[s.below(all.len() as u64) as usize];
            let (u, v) = (0.5 * s.unit().abs(), 0.5 * s.unit().abs());
            let size = 10f64.powf(-15.0 * s.unit().abs());
            points.push(t.a + (t.b - t.a) * u + (t.c - t.a) * v + point(&mut s, size));
        }
        let found = Finder::default().signed_distances(&tree, &points, f64::INFINITY).unwrap();
        let sides = Finder::default().sides(&tree, &points).unwrap();
        let (mut inside, mut unknown) = (0, 0);
        for ((&p, found), side) in points.iter().zip(&found).zip(&sides) {
            let found = found.expect("a triangle");
            assert_eq!(found.side, *side);
            let is_on = || all.iter().any(|t| exact::segment_triangle(p, p, t) != Relation::Disjoint);
            match (0..3).find_map(|axis| parity(&all, p, axis)) {
                Some(is_inside) if found.side == Side::On => assert!(is_on(), "{name} {p} {is_inside}"),
                Some(is_inside) => assert_eq!(found.side == Side::Inside, is_inside, "{name} {p}"),
                None if found.side == Side::On => assert!(is_on(), "{name} {p}"),
                None => unknown += 1,
            }
            let expected = match found.side {
                Side::Inside => -found.nearest.distance,
                Side::On => 0.0,
                Side::Outside => found.nearest.distance,
            };
            assert_eq!(found.distance, expected);
            inside += usize::from(found.side == Side::Inside);
        }
        // Rays along axes through a lattice often meet edges; no more than one point in fifty stays without an oracle.
        assert!(inside > 15_000 && unknown < 2_000, "{name}: {inside} inside, {unknown} unknown");
    }
}

#[test]
fn batches_give_the_answers_of_single_questions_at_any_number_of_threads() {
    let mut s = Stream::new(46);
    let mesh = shapes::noisy_sphere(3_000, 0.3, 9);
    let tree = MeshTree::build(mesh.clone());
    let mut points: Vec<DVec3> = (0..3_000).map(|_| point(&mut s, 2.0)).collect();
    points[7] = DVec3::NAN;
    points[8] = DVec3::INFINITY;
    points[9] = DVec3::splat(1e200);
    for threads in [Threads::One, Threads::Auto, Threads::All] {
        let mut finder = Finder::new(FindOptions { threads, ..FindOptions::default() });
        for reach in [f64::INFINITY, 0.2] {
            let near = finder.nearest_each(&tree, &points, reach);
            let signed = finder.signed_distances(&tree, &points, reach).unwrap();
            assert_eq!(near, finder.nearest_each(&mesh, &points, reach), "without a structure");
            for (k, &p) in points.iter().enumerate() {
                assert_eq!(near[k], tree.view().nearest(p, reach));
                assert_eq!(signed[k], tree.view().signed_distance(p, reach).unwrap());
            }
        }
        let sides = finder.sides(&tree, &points).unwrap();
        assert!(points.iter().zip(sides).all(|(p, side)| tree.view().side_of(*p) == Ok(side)));
        assert_eq!(finder.nearest_each(&tree, &[], 1.0), []);
    }
}

#[test]
fn open_surfaces_have_no_inside_and_closed_soups_have_one() {
    let ball = shapes::icosphere(1.0, 2);
    let (positions, mut list) = ball.clone().into_parts();
    list.truncate(list.len() - 2);
    let open = Mesh::new(positions, list).unwrap();
    for kind in KINDS {
        let body = (kind.make)(&open);
        let error = body.view().side_of(DVec3::ZERO).unwrap_err();
        assert_eq!(error.open_edges, 4, "{}", kind.name);
        assert!(error.to_string().starts_with("the surface is open at 4 edges, "), "{error}");
        assert_eq!(body.view().signed_distance(DVec3::ZERO, 1.0), Err(error));
        assert_eq!(Finder::default().sides(body.view(), &[DVec3::ZERO]), Err(error));
        let loose = (kind.make)(&soup(triangles(&ball).map(|(_, t)| t.corners())));
        assert_eq!(loose.view().side_of(DVec3::ZERO), Ok(Side::Inside), "{}", kind.name);
    }
    // The answer follows the vertices: two halves that fit, and no longer do.
    let mut tree = MeshTree::build(soup(triangles(&ball).map(|(_, t)| t.corners())));
    assert_eq!(tree.view().require_closed(), Ok(()));
    tree.update_positions(|positions| positions[0] += DVec3::X).unwrap();
    assert_eq!(tree.view().require_closed().unwrap_err().open_edges, 4);
}

#[test]
fn points_and_reaches_that_are_none_find_nothing() {
    for mesh in [Mesh::default(), shapes::icosphere(1.0, 1)] {
        for kind in KINDS {
            let body = (kind.make)(&mesh);
            let view = body.view();
            for p in [DVec3::NAN, DVec3::INFINITY, DVec3::new(0.0, f64::NEG_INFINITY, 0.0)] {
                assert_eq!(view.nearest(p, f64::INFINITY), None);
                assert_eq!(view.side_of(p), Ok(Side::Outside));
                assert_eq!(view.signed_distance(p, f64::INFINITY), Ok(None));
            }
            for reach in [f64::NAN, -1.0, f64::NEG_INFINITY] {
                assert_eq!(view.nearest(DVec3::ZERO, reach), None);
                assert_eq!(view.signed_distance(DVec3::ZERO, reach), Ok(None));
            }
        }
    }
    assert_eq!(View::from(&Mesh::default()).side_of(DVec3::ZERO), Ok(Side::Outside));
}
