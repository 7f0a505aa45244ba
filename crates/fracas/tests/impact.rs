//! Impacts of whole bodies against brute force over all their features.

use fracas::cut::{CutOptions, CutSurface, Cutter};
use fracas::exact::{ImpactTime, MovingPoint, edge_edge_impact, vertex_triangle_impact};
use fracas::geom::{DQuat, DVec3, Pose};
use fracas::internal::Random;
use fracas::mesh::{Mesh, TriangleId, shapes};
use fracas::{Features, FindOptions, Finder, Impact, MeshRef, MeshTree, Sweep, TearingBody, Threads, View};
use std::collections::BTreeSet;

/// Positions at both ends of a step.
struct Motion {
    mesh: Mesh,
    end: Vec<DVec3>,
}

impl Motion {
    fn point(&self, v: u32) -> MovingPoint {
        MovingPoint { start: self.mesh.positions()[v as usize], end: self.end[v as usize] }
    }

    fn edges(&self) -> BTreeSet<[u32; 2]> {
        let of = |t: &[u32; 3]| [[t[0], t[1]], [t[1], t[2]], [t[2], t[0]]];
        let all = self.mesh.triangles().iter().flat_map(of);
        all.map(|[v, w]| [v.min(w), v.max(w)]).filter(|[v, w]| v != w).collect()
    }

    fn vertices(&self) -> BTreeSet<u32> {
        self.mesh.triangles().iter().flatten().copied().collect()
    }
}

/// Every pair of features of two bodies that meet.
fn brute(a: &Motion, b: &Motion) -> BTreeSet<Features> {
    let mut found = BTreeSet::new();
    for (one, other, swapped) in [(a, b, false), (b, a, true)] {
        for v in one.vertices() {
            for (t, corners) in other.mesh.triangles().iter().enumerate() {
                if vertex_triangle_impact(one.point(v), corners.map(|w| other.point(w))).is_some() {
                    let t = TriangleId(t as u32);
                    let features =
                        if swapped { Features::TriangleVertex(t, v) } else { Features::VertexTriangle(v, t) };
                    found.insert(features);
                }
            }
        }
    }
    for e in a.edges() {
        for f in b.edges() {
            if edge_edge_impact(e.map(|v| a.point(v)), f.map(|v| b.point(v))).is_some() {
                found.insert(Features::EdgeEdge(e, f));
            }
        }
    }
    found
}

/// Every pair of features of one body that meet and share no vertex.
fn brute_self(a: &Motion) -> BTreeSet<Features> {
    let mut found = BTreeSet::new();
    for v in a.vertices() {
        for (t, corners) in a.mesh.triangles().iter().enumerate() {
            if !corners.contains(&v)
                && vertex_triangle_impact(a.point(v), corners.map(|w| a.point(w))).is_some()
            {
                found.insert(Features::VertexTriangle(v, TriangleId(t as u32)));
            }
        }
    }
    let edges: Vec<[u32; 2]> = a.edges().into_iter().collect();
    for (k, e) in edges.iter().enumerate() {
        for f in &edges[k + 1..] {
            if !e.iter().any(|v| f.contains(v))
                && edge_edge_impact(e.map(|v| a.point(v)), f.map(|v| a.point(v))).is_some()
            {
                found.insert(Features::EdgeEdge(*e, *f));
            }
        }
    }
    found
}

fn features(impacts: &[Impact]) -> BTreeSet<Features> {
    let set: BTreeSet<Features> = impacts.iter().map(|impact| impact.features).collect();
    assert_eq!(set.len(), impacts.len(), "a pair of features came twice");
    set
}

fn randomly_moved(mesh: Mesh, offset: DVec3, shake: f64, random: &mut Random) -> Motion {
    let mut number = || random.unit() - 0.5;
    let end = mesh.positions().iter().map(|p| *p + offset + shake * DVec3::new(number(), number(), number()));
    Motion { end: end.collect(), mesh }
}

/// The same body as every kind that there is.
fn for_every_kind(motion: &Motion, mut check: impl FnMut(Sweep, &str)) {
    let tree = MeshTree::build(motion.mesh.clone());
    check(tree.view().to_positions(&motion.end).unwrap(), "tree");
    let tearing = TearingBody::build(motion.mesh.clone());
    check(tearing.view().to_positions(&motion.end).unwrap(), "tearing");
    check(View::from(&motion.mesh).to_positions(&motion.end).unwrap(), "mesh");
    let borrowed = MeshRef::new(motion.mesh.positions(), motion.mesh.triangles()).unwrap();
    check(View::from(borrowed).to_positions(&motion.end).unwrap(), "borrowed");
}

#[test]
fn impacts_between_bodies_of_every_kind_equal_brute_force() {
    let mut random = Random::new(5);
    let mut some = 0;
    for (offset, shake) in [(2.0, 0.0), (1.2, 0.3), (0.0, 0.5), (-3.0, 0.1)] {
        let a = randomly_moved(shapes::icosphere(1.0, 2), DVec3::X * offset, shake, &mut random);
        let b = Motion {
            mesh: shapes::torus(1.0, 0.3, 10)
                .posed(&Pose::from_translation(DVec3::new(2.4, 0.1, 0.2)).unwrap())
                .unwrap(),
            end: vec![],
        };
        let b = Motion { end: b.mesh.positions().iter().map(|p| *p - 0.3 * DVec3::X).collect(), ..b };
        let expected = brute(&a, &b);
        some += usize::from(!expected.is_empty());
        for_every_kind(&a, |first, name| {
            for_every_kind(&b, |second, other| {
                let mut finder = Finder::default();
                let impacts = finder.find_impacts(first, second);
                assert_eq!(features(impacts.all), expected, "{name} against {other}");
            });
        });
    }
    assert!(some >= 2);
}

#[test]
fn impacts_within_bodies_of_every_kind_equal_brute_force() {
    let mut random = Random::new(6);
    for (mesh, shake) in [
        (shapes::icosphere(1.0, 2), 0.0),
        (shapes::icosphere(1.0, 2), 0.4),
        (shapes::torus(1.0, 0.3, 12), 0.9),
    ] {
        let motion = randomly_moved(mesh, DVec3::Z, shake, &mut random);
        let expected = brute_self(&motion);
        assert_eq!(expected.is_empty(), shake == 0.0);
        for_every_kind(&motion, |sweep, name| {
            let mut finder = Finder::default();
            assert_eq!(features(finder.find_self_impacts(sweep).all), expected, "{name}");
        });
    }
}

/// Snapped coordinates: vertices on edges, edges in planes, contacts at the first and last instant, no motion at all.
#[test]
fn degenerate_motions_equal_brute_force() {
    let mut random = Random::new(7);
    for round in 0..60 {
        let mut soup = |count: usize| {
            let mut snapped =
                || DVec3::from_array(std::array::from_fn(|_| f64::from(random.below(4) as u32)));
            let positions: Vec<DVec3> = (0..count).map(|_| snapped()).collect();
            let end = (0..count).map(|_| snapped()).collect();
            let mut corner = || random.below(count) as u32;
            let triangles = (0..count).map(|_| [corner(), corner(), corner()]).collect();
            Motion { mesh: Mesh::new(positions, triangles).unwrap(), end }
        };
        let (a, b) = (soup(8), soup(8));
        let mut finder = Finder::default();
        let (first, second) = (View::from(&a.mesh), View::from(&b.mesh));
        let (first, second) = (first.to_positions(&a.end).unwrap(), second.to_positions(&b.end).unwrap());
        assert_eq!(features(finder.find_impacts(first, second).all), brute(&a, &b), "round {round}");
        assert_eq!(features(finder.find_self_impacts(first).all), brute_self(&a), "round {round}");
    }
}

/// Scaled by powers of two, nothing changes but what over- or underflows.
#[test]
fn sizes_do_not_matter() {
    let mut random = Random::new(8);
    let motion = randomly_moved(shapes::icosphere(1.0, 2), DVec3::Z, 0.4, &mut random);
    let expected = brute_self(&motion);
    for k in [-900, -300, 300, 900] {
        let scale = 2_f64.powi(k);
        let scaled = |list: &[DVec3]| list.iter().map(|p| *p * scale).collect::<Vec<_>>();
        let mesh = Mesh::new(scaled(motion.mesh.positions()), motion.mesh.triangles().to_vec()).unwrap();
        let end = scaled(&motion.end);
        let mut finder = Finder::default();
        let impacts = finder.find_self_impacts(View::from(&mesh).to_positions(&end).unwrap());
        assert_eq!(features(impacts.all), expected, "2^{k}");
    }
}

#[test]
fn poses_move_vertices_linearly_and_pieces_follow_the_rotation() {
    let bar = Motion { mesh: shapes::cuboid(DVec3::new(4.0, 0.1, 0.1)), end: vec![] };
    let post = MeshTree::build(
        shapes::cuboid(DVec3::splat(0.2)).posed(&Pose::from_translation(DVec3::Y * 1.5).unwrap()).unwrap(),
    );
    let tree = MeshTree::build(bar.mesh.clone());
    let turned = Pose::new(DQuat::from_rotation_z(std::f64::consts::PI), DVec3::ZERO).unwrap();
    let mut finder = Finder::default();
    // Half a turn in one linear step goes through the axis, and never near the post.
    assert_eq!(finder.find_impacts(tree.at(&Pose::IDENTITY).to(&turned), &post).all, []);
    let poses = Sweep::through(&Pose::IDENTITY, &turned, 16);
    assert_eq!((poses.len(), poses[0], poses[16]), (17, Pose::IDENTITY, turned));
    let hit = poses
        .windows(2)
        .position(|pose| !finder.find_impacts(tree.at(&pose[0]).to(&pose[1]), &post).all.is_empty());
    assert!((6..=8).contains(&hit.unwrap()), "{hit:?}");
}

#[test]
fn the_first_impact_is_the_earliest_and_bodies_that_intersect_at_the_start_are_reported() {
    let ball = MeshTree::build(shapes::icosphere(1.0, 3));
    let [near, far, through] =
        [0.5, 3.0, -3.0].map(|x| Pose::from_translation(DVec3::new(x, 0.013, 0.027)).unwrap());
    let mut finder = Finder::default();
    let impacts = finder.find_impacts(ball.at(&near), &ball);
    assert_eq!((impacts.all, impacts.touching_at_start, impacts.first()), (&[][..], Some(true), None));
    let impacts = finder.find_impacts(ball.at(&far).to(&through), &ball);
    let ImpactTime { low, high } = impacts.first().unwrap();
    assert_eq!(impacts.touching_at_start, Some(false));
    assert!(low <= high && high - low <= 1e-9);
    assert!(impacts.all.iter().all(|impact| impact.time.high >= high && impact.time.low >= low));
    assert!(impacts.all.is_sorted_by(|a, b| a.time.low <= b.time.low));
    let quiet = FindOptions { look_at_start: false, ..FindOptions::default() };
    assert_eq!(Finder::new(quiet).find_impacts(ball.at(&near), &ball).touching_at_start, None);
}

#[test]
fn threads_do_not_change_a_byte() {
    let mut random = Random::new(9);
    let motion = randomly_moved(shapes::folded_cloth(20_000), DVec3::ZERO, 0.02, &mut random);
    let tree = MeshTree::build(motion.mesh.clone());
    let sweep = tree.view().to_positions(&motion.end).unwrap();
    let [one, all] = [Threads::One, Threads::All].map(|threads| {
        let mut finder = Finder::new(FindOptions { threads, ..FindOptions::default() });
        finder.find_self_impacts(sweep).all.to_vec()
    });
    assert!(one.len() > 100, "{}", one.len());
    assert_eq!(one, all);
}

/// Twins of a fresh cut lie on each other at the start; they count as one vertex.
#[test]
fn a_fresh_cut_that_opens_has_no_impacts() {
    let mut body = TearingBody::build(shapes::icosphere(1.0, 3));
    let plane = CutSurface::plane(DVec3::splat(0.01), DVec3::new(1.0, 0.1, 0.05), DVec3::Y).unwrap();
    let mut cutter = Cutter::new(body.mesh(), &plane, &CutOptions::default()).unwrap();
    let edit = cutter.advance_to(body.mesh(), f64::INFINITY).unwrap();
    body.apply(&edit).unwrap();
    assert_eq!(body.pieces().count(), 2);
    let mut end = body.mesh().positions().to_vec();
    for k in 0..2 {
        let piece = body.piece(k).unwrap();
        let aside = 0.1 * piece.bounds().centre().x.signum();
        piece.vertices().into_iter().for_each(|v| end[v as usize].x += aside);
    }
    let mut finder = Finder::default();
    let impacts = finder.find_self_impacts(body.view().to_positions(&end).unwrap());
    assert_eq!((impacts.all, impacts.touching_at_start), (&[][..], Some(false)));
    // One piece into the other, asked as bodies of their own.
    let [a, b] = [0, 1].map(|k| body.piece(k).unwrap());
    let impacts = finder.find_impacts(a.view(), b.view());
    assert!(!impacts.all.is_empty() && impacts.touching_at_start == Some(true));
}

#[test]
fn wrong_ends_are_refused() {
    let ball = MeshTree::build(shapes::icosphere(1.0, 1));
    let short = vec![DVec3::ZERO; 3];
    let error = ball.view().to_positions(&short).unwrap_err();
    assert_eq!(
        error.to_string(),
        "3 positions were given for a mesh of 42 vertices; there must be one for each"
    );
    let mut bad = ball.mesh().positions().to_vec();
    bad[7].y = f64::NAN;
    assert!(ball.view().to_positions(&bad).unwrap_err().to_string().starts_with("vertex 7 has a coordinate"));
}
