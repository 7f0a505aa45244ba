//! Bodies broken at once: every piece closed, nothing lost, labels that mean what they say.

use crate::bodies::{Numbers, any_body, bodies, shell};
use fracas::TriangleId;
use fracas::cut::{
    CutError, CutSurface, ShatterOptions, Shattered, scatter_sites, shatter_along, shatter_at,
};
use fracas::geom::{DAffine3, DVec3};
use fracas::mesh::{LiveMesh, Mesh, Origin, Report, shapes};
use std::collections::BTreeMap;

/// Checks all that must hold and returns the pieces.
fn check(mesh: &Mesh, broken: &Shattered) -> Vec<Mesh> {
    let mut live = LiveMesh::new(mesh.clone());
    live.apply(&broken.edit).unwrap();
    assert_eq!(broken.labels.len(), live.slot_count());
    let mut triangles: Vec<Vec<[u32; 3]>> = vec![vec![]; broken.pieces];
    let mut users: BTreeMap<u32, u32> = BTreeMap::new();
    for slot in 0..live.slot_count() as u32 {
        let id = TriangleId(slot);
        let label = broken.labels[id.index()];
        assert_eq!(label == Shattered::DEAD, !live.is_alive(id), "only the dead have no label");
        if live.is_alive(id) {
            triangles[label as usize].push(live.corners(id));
            for v in live.corners(id) {
                assert_eq!(*users.entry(v).or_insert(label), label, "pieces share no vertex");
            }
        }
    }
    // Numbered by their lowest triangle.
    let mut seen: Vec<u32> = vec![];
    broken.labels.iter().filter(|l| **l != Shattered::DEAD).for_each(|l| {
        if !seen.contains(l) {
            seen.push(*l);
        }
    });
    assert!(seen.iter().copied().eq(0..broken.pieces as u32));

    let whole = Report::of(mesh);
    let pieces: Vec<Mesh> =
        triangles.into_iter().map(|t| Mesh::new(live.positions().to_vec(), t).unwrap()).collect();
    let mut volume = 0.0;
    for piece in &pieces {
        let report = Report::of(piece);
        assert!(report.closed && report.oriented, "{report:?}");
        assert_eq!((report.duplicate_triangles, report.repeated_vertex_triangles), (0, 0));
        let part = report.volume.unwrap();
        // Where planes nearly coincide, a wafer between them may be thinner than rounding.
        assert!(part / whole.volume.unwrap() > -1e-15, "volume {part}");
        volume += part;
    }
    let expected = whole.volume.unwrap();
    assert!((volume - expected).abs() <= 1e-12 * expected.abs(), "volume {volume} instead of {expected}");

    // What replaces a triangle covers it.
    let mut areas: BTreeMap<TriangleId, DVec3> = BTreeMap::new();
    let mut cracks = DVec3::ZERO;
    for (i, new) in broken.edit.added.iter().enumerate() {
        let area = live.triangle(TriangleId((mesh.triangle_count() + i) as u32)).area_vector();
        match new.origin {
            Origin::Replaces(id) => *areas.entry(id).or_default() += area,
            Origin::Crack => cracks += area,
        }
    }
    let edge = (whole.area / mesh.triangle_count() as f64).sqrt();
    assert!(broken.edit.removed.iter().eq(areas.keys()), "what is removed is replaced");
    for (id, sum) in areas {
        assert!((sum - mesh.triangle(id).area_vector()).length() < 1e-11 * edge * edge, "{id:?}");
    }
    assert!(cracks.length() < 1e-11 * whole.area, "crack faces are opposite to each other");
    pieces
}

fn planes(count: usize, around: DVec3, spread: f64, seed: u64) -> Vec<CutSurface> {
    let mut numbers = Numbers(seed);
    (0..count)
        .map(|_| {
            CutSurface::plane(around + spread * numbers.vector(), numbers.vector(), numbers.vector()).unwrap()
        })
        .collect()
}

#[test]
fn planes_break_all_bodies() {
    for size in 0..2 {
        for (name, mesh) in bodies(size) {
            let (low, high) = mesh.bounds().corners();
            for count in [1, 2, 5] {
                let planes = planes(count, 0.5 * (low + high), 0.2, 5 + count as u64);
                let broken =
                    shatter_along(&LiveMesh::new(mesh.clone()), &planes, &ShatterOptions::default()).unwrap();
                let pieces = check(&mesh, &broken);
                assert!(pieces.len() > count, "{name}: {} pieces", pieces.len());
            }
        }
    }
}

#[test]
fn cells_break_all_bodies_and_hold_what_is_nearest() {
    for size in 0..2 {
        for (name, mesh) in bodies(size) {
            let live = LiveMesh::new(mesh.clone());
            for count in [2, 8, 33] {
                let sites = scatter_sites(&live, count, 3 + count as u64);
                let broken = shatter_at(&live, &sites, &ShatterOptions::default()).unwrap();
                let pieces = check(&mesh, &broken);
                assert!(pieces.len() >= count * 3 / 4, "{name}: {} pieces of {count} sites", pieces.len());
                for piece in &pieces {
                    let corners =
                        || piece.triangles().iter().flatten().map(|&v| piece.positions()[v as usize]);
                    // All corners of a piece are nearest to the same site, up to rounding.
                    let excess = |site: &DVec3| {
                        let own = |p: DVec3| {
                            let nearest = sites.iter().map(|s| s.distance(p)).fold(f64::INFINITY, f64::min);
                            site.distance(p) - nearest
                        };
                        corners().map(own).fold(0.0, f64::max)
                    };
                    let least = sites.iter().map(excess).fold(f64::INFINITY, f64::min);
                    assert!(least < 1e-9, "{name}: a corner is nearer to another site by {least}");
                }
            }
        }
    }
}

#[test]
fn a_ball_in_eight_equal_pieces() {
    // The sites are the corners of a cube: eight cells meet in a point, four in each half axis.
    let corner = |i: u32| DVec3::new(f64::from(i & 1), f64::from(i >> 1 & 1), f64::from(i >> 2)) - 0.5;
    let sites: Vec<DVec3> = (0..8).map(corner).collect();
    for mesh in
        [shapes::icosphere(1.0, 3), shapes::cuboid(DVec3::splat(2.0)), shapes::brick(DVec3::splat(2.0), 0.5)]
    {
        let broken = shatter_at(&LiveMesh::new(mesh.clone()), &sites, &ShatterOptions::default()).unwrap();
        let pieces = check(&mesh, &broken);
        assert_eq!(pieces.len(), 8);
        let volumes: Vec<f64> = pieces.iter().map(|piece| Report::of(piece).volume.unwrap()).collect();
        let eighth = Report::of(&mesh).volume.unwrap() / 8.0;
        assert!(volumes.iter().all(|v| (v / eighth - 1.0).abs() < 1e-9), "{volumes:?}");
    }
}

#[test]
fn a_cell_within_the_body_is_a_piece_of_cracks_alone() {
    let mut sites = vec![DVec3::ZERO];
    for axis in [DVec3::X, DVec3::Y, DVec3::Z] {
        sites.extend([0.7 * axis, -0.7 * axis]);
    }
    let mesh = shapes::icosphere(1.0, 3);
    let broken = shatter_at(&LiveMesh::new(mesh.clone()), &sites, &ShatterOptions::default()).unwrap();
    let pieces = check(&mesh, &broken);
    assert_eq!(pieces.len(), 7);
    let cube = 0.7_f64.powi(3);
    let is_cube = |piece: &&Mesh| (Report::of(piece).volume.unwrap() - cube).abs() < 1e-12;
    assert_eq!(pieces.iter().filter(is_cube).count(), 1);
}

#[test]
fn lumps_of_one_cell_are_pieces_of_their_own_and_hollows_are_not() {
    // A plane through the legs of a creature cuts off four paws.
    let mesh = shapes::creature(5_000);
    let plane = CutSurface::plane(DVec3::new(0.0, 0.0, 0.3), DVec3::new(0.01, 0.02, 1.0), DVec3::X).unwrap();
    let broken = shatter_along(&LiveMesh::new(mesh.clone()), &[plane], &ShatterOptions::default()).unwrap();
    assert_eq!(check(&mesh, &broken).len(), 5);
    // A ball with three hollows: one is cut open, two stay closed, on both sides of the cut.
    let ball = shapes::icosphere(1.0, 3);
    let hollow = |x: f64, z: f64| {
        let place =
            DAffine3::from_translation(DVec3::new(x, 0.0, z)) * DAffine3::from_scale(DVec3::splat(0.2));
        shapes::icosphere(1.0, 2).transformed(&place).unwrap().flipped()
    };
    let mesh = Mesh::join([&ball, &hollow(0.0, 0.5), &hollow(0.1, 0.03), &hollow(0.2, -0.5)]).unwrap();
    let plane = CutSurface::plane(DVec3::ZERO, DVec3::new(0.02, 0.01, 1.0), DVec3::X).unwrap();
    let live = LiveMesh::new(mesh.clone());
    let broken = shatter_along(&live, &[plane], &ShatterOptions::default()).unwrap();
    assert_eq!(check(&mesh, &broken).len(), 2);
    let broken = shatter_at(&live, &[DVec3::Z, -DVec3::Z], &ShatterOptions::default()).unwrap();
    assert_eq!(check(&mesh, &broken).len(), 2);
    // A shell in quarters.
    let mesh = shell(2_000, 0.1);
    let sites = [[1.0, 1.0], [-1.0, 1.1], [-1.1, -1.0], [1.0, -1.1]].map(|[x, y]| DVec3::new(x, y, 0.1));
    let broken = shatter_at(&LiveMesh::new(mesh.clone()), &sites, &ShatterOptions::default()).unwrap();
    assert_eq!(check(&mesh, &broken).len(), 4);
}

#[test]
fn one_site_or_none_breaks_nothing() {
    let mesh = shapes::icosphere(1.0, 2);
    let live = LiveMesh::new(mesh.clone());
    for sites in [&[][..], &[DVec3::X], &[DVec3::X, 1e9 * DVec3::X]] {
        let broken = shatter_at(&live, sites, &ShatterOptions::default()).unwrap();
        assert!(broken.edit.is_empty() && broken.pieces == 1);
        check(&mesh, &broken);
    }
    let broken = shatter_along(&live, &[], &ShatterOptions::default()).unwrap();
    assert!(broken.edit.is_empty() && broken.pieces == 1);
    let empty = LiveMesh::new(Mesh::default());
    let broken = shatter_at(&empty, &[DVec3::X, DVec3::Y], &ShatterOptions::default()).unwrap();
    assert_eq!((broken.edit.is_empty(), broken.pieces), (true, 0));
    assert!(scatter_sites(&empty, 5, 1).is_empty());
}

#[test]
fn the_same_seed_breaks_the_same_way() {
    let live = LiveMesh::new(shapes::pumpkin(9, 3_000));
    let broken = |seed| {
        let sites = scatter_sites(&live, 12, seed);
        shatter_at(&live, &sites, &ShatterOptions::default()).unwrap()
    };
    assert_eq!(broken(1), broken(1));
    assert_ne!(broken(1), broken(2));
}

#[test]
fn what_cannot_be_broken_is_refused() {
    let ball = LiveMesh::new(shapes::icosphere(1.0, 1));
    let good = ShatterOptions::default();
    let same = shatter_at(&ball, &[DVec3::X, DVec3::Y, DVec3::X], &good).unwrap_err();
    assert_eq!(same, CutError::SameSite { sites: [0, 2] });
    assert!(matches!(shatter_at(&ball, &[DVec3::NAN], &good), Err(CutError::NotFinite { what: "site", .. })));
    let cloth = LiveMesh::new(shapes::cloth_grid(2, 2, [1.0, 1.0]));
    assert!(matches!(shatter_at(&cloth, &[DVec3::X], &good), Err(CutError::Open { .. })));
    assert!(matches!(shatter_along(&cloth, &[], &good), Err(CutError::Open { .. })));
    let bad = ShatterOptions { spacing: f64::NAN, ..good };
    assert!(matches!(shatter_along(&ball, &[], &bad), Err(CutError::BadNumber { what: "spacing", .. })));
}

/// Sites anywhere, and sites on a grid, where planes meet vertices, edges and each other.
#[test]
fn any_body_at_any_sites() {
    let mut broken_bodies = 0;
    for seed in 0..160 {
        let mut numbers = Numbers::from_seed(seed);
        let mesh = any_body(&mut numbers);
        let count = 2 + numbers.below(11);
        let on_grid = numbers.below(2) == 0;
        let mut site = || if on_grid { (2.0 * numbers.vector()).round() * 0.5 } else { numbers.vector() };
        let sites: Vec<DVec3> = (0..count).map(|_| site()).collect();
        match shatter_at(&LiveMesh::new(mesh.clone()), &sites, &ShatterOptions::default()) {
            Ok(broken) => broken_bodies += usize::from(check(&mesh, &broken).len() > 1),
            Err(CutError::SameSite { sites: [i, j] }) => assert_eq!(sites[i], sites[j]),
            Err(error) => panic!("{error}"),
        }
    }
    assert!(broken_bodies > 120, "{broken_bodies} of 160 were broken");
}
