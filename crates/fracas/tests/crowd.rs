//! k-freeness against brute force with distances of its own.

mod common;

use common::inputs::Stream;
use common::soups::soup;
use fracas::crowd::KFree;
use fracas::exact::{self, Relation};
use fracas::geom::{DVec3, Triangle};
use fracas::mesh::{Mesh, TriangleId, shapes};

/// Distance of a point to a triangle by the region it is over (Ericson's cases).
fn to_triangle(p: DVec3, t: &Triangle) -> f64 {
    let (ab, ac) = (t.b - t.a, t.c - t.a);
    let n = ab.cross(ac);
    let inside =
        [(t.a, t.b), (t.b, t.c), (t.c, t.a)].iter().all(|(a, b)| (*b - *a).cross(p - *a).dot(n) >= 0.0);
    if n != DVec3::ZERO && inside {
        return n.normalize().dot(p - t.a).abs();
    }
    let to_segment = |a: DVec3, b: DVec3| {
        let d = b - a;
        let s = if d == DVec3::ZERO { 0.0 } else { ((p - a).dot(d) / d.dot(d)).clamp(0.0, 1.0) };
        p.distance(a + d * s)
    };
    to_segment(t.a, t.b).min(to_segment(t.b, t.c)).min(to_segment(t.c, t.a))
}

/// Distance of two triangles: zero, or along the edges of one to the other, by ternary search, for it is convex.
fn distance(t: &Triangle, u: &Triangle) -> f64 {
    if exact::tri_tri(t, u) != Relation::Disjoint {
        return 0.0;
    }
    let along = |a: DVec3, b: DVec3, u: &Triangle| {
        let (mut from, mut to) = (0.0, 1.0);
        for _ in 0..50 {
            let (x, y) = (from + (to - from) / 3.0, to - (to - from) / 3.0);
            if to_triangle(a + (b - a) * x, u) <= to_triangle(a + (b - a) * y, u) { to = y } else { from = x }
        }
        to_triangle(a + (b - a) * from, u)
    };
    let edges =
        |t: &Triangle, u: &Triangle| along(t.a, t.b, u).min(along(t.b, t.c, u)).min(along(t.c, t.a, u));
    edges(t, u).min(edges(u, t))
}

/// Diameter of the smallest sphere: the smallest of those on two corners and the one on three that holds all.
fn diameter(t: &Triangle) -> f64 {
    let p = t.corners();
    let mut best = f64::INFINITY;
    for (a, b, c) in [(p[0], p[1], p[2]), (p[1], p[2], p[0]), (p[2], p[0], p[1])] {
        if c.distance(0.5 * (a + b)) <= 0.5 * a.distance(b) {
            best = best.min(a.distance(b));
        }
    }
    let [a, b, c] = [p[1].distance(p[2]), p[2].distance(p[0]), p[0].distance(p[1])];
    if best.is_finite() { best } else { a * b * c / (2.0 * t.area()) }
}

/// For each triangle the counts that are certain: without and with those on the verge.
fn by_brute_force(mesh: &Mesh) -> Vec<[u32; 2]> {
    let all: Vec<Triangle> =
        (0..mesh.triangle_count() as u32).map(|id| mesh.triangle(TriangleId(id))).collect();
    let sizes: Vec<f64> = all.iter().map(diameter).collect();
    let count = |i: usize| {
        let mut counts = [1, 1];
        for j in (0..all.len()).filter(|&j| j != i) {
            let reach = 0.25 * sizes[i];
            let near = distance(&all[i], &all[j]);
            for (count, slack) in counts.iter_mut().zip([-1e-9_f64, 1e-6]) {
                let large = sizes[j] >= sizes[i] * (1.0 - slack.max(0.0));
                *count += u32::from(large && near <= reach * (1.0 + slack) + slack.max(0.0) * 1e-9);
            }
        }
        counts
    };
    (0..all.len()).map(count).collect()
}

#[track_caller]
fn check(mesh: &Mesh) -> KFree {
    let free = KFree::of_mesh(mesh);
    for (triangle, (&k, [least, most])) in free.k.iter().zip(by_brute_force(mesh)).enumerate() {
        assert!((least..=most).contains(&k), "triangle {triangle}: {k}, not {least} to {most}");
    }
    assert_eq!(free.minimal(), free.k.iter().copied().max().unwrap_or(1));
    free
}

#[test]
fn surfaces_and_worst_cases() {
    check(&Mesh::default());
    check(&shapes::cuboid(DVec3::new(1.0, 2.0, 3.0)));
    check(&shapes::noisy_sphere(300, 0.3, 1));
    check(&shapes::torus(2.0, 0.5, 12));
    let worst = check(&shapes::chazelle(8));
    assert!(worst.minimal() > 16, "{}", worst.minimal());
}

#[test]
fn soups_of_all_sizes() {
    let mut stream = Stream::new(4);
    for round in 0..6 {
        let triangles: Vec<[DVec3; 3]> = (0..200)
            .map(|k| {
                let mut point = || DVec3::new(stream.unit(), stream.unit(), stream.unit());
                let size = 2f64.powi(-(k % 12));
                let p = point() * if k % 3 == 0 { 0.1 } else { 1.0 };
                [p, p + point() * size, p + point() * size].map(|p| p * 10f64.powi(20 * round - 40))
            })
            .collect();
        let free = check(&soup(triangles));
        assert!(free.height() >= 8, "{}", free.height());
    }
}

#[test]
fn points_and_segments() {
    let p = DVec3::new(1.0, 2.0, 3.0);
    let points = soup([[p; 3], [p; 3], [p, p + DVec3::X, p], [p + DVec3::Y; 3]]);
    let free = KFree::of_mesh(&points);
    // Two points and the segment through them; the segment is the largest; the last is alone.
    assert_eq!(free.k, [3, 3, 1, 1]);
    assert_eq!((free.height(), free.diameters), (1, [1.0, 1.0]));
}

#[test]
fn a_floor_under_a_statue_makes_levels_and_no_crowd() {
    let statue = shapes::noisy_sphere(2_000, 0.2, 3);
    let alone = KFree::of_mesh(&statue);
    let floor = [[-1e5, -1e5], [1e5, -1e5], [0.0, 1e5]].map(|[x, y]| DVec3::new(x, y, -1.5));
    let placed = KFree::of_mesh(&Mesh::join([&statue, &soup([floor])]).unwrap());
    assert_eq!(placed.minimal(), alone.minimal());
    assert!(placed.height() > alone.height() + 15);
}

#[test]
fn polygons_count_as_wholes() {
    // A strip of squares, and the same strip of triangles.
    let corners: Vec<DVec3> =
        (0..=10).flat_map(|x| [0.0, 1.0].map(|y| DVec3::new(f64::from(x), y, 0.0))).collect();
    let squares: Vec<Vec<u32>> = (0..10).map(|k| vec![2 * k, 2 * k + 2, 2 * k + 3, 2 * k + 1]).collect();
    let free = KFree::of_polygons(&corners, &squares);
    // Grown by a quarter of √2, a square reaches its neighbours and no further.
    assert_eq!(free.k, [2, 3, 3, 3, 3, 3, 3, 3, 3, 2]);
    assert_eq!(free.adjacent, [1, 2, 2, 2, 2, 2, 2, 2, 2, 1]);
    assert!((free.diameters[1] - 2f64.sqrt()).abs() < 1e-12);
    let hexagon: Vec<DVec3> = (0..6)
        .map(|k| {
            let angle = std::f64::consts::TAU * f64::from(k) / 6.0;
            DVec3::new(angle.cos(), angle.sin(), 0.1 * angle.sin())
        })
        .collect();
    let free = KFree::of_polygons(&hexagon, &[vec![0, 1, 2, 3, 4, 5]]);
    let widest = hexagon.iter().map(|p| p.length()).fold(0.0, f64::max);
    assert!((free.diameters[0] - 2.0 * widest).abs() < 1e-9);
}
