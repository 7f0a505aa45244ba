//! Inputs that were made to break the library, each a test named after what went wrong.

use fracas::brittle::{BrittleBody, Solid, SolidOptions};
use fracas::cut::{CutError, CutOptions, CutSurface, Cutter, ShatterOptions, shatter_along};
use fracas::fracture::{Breakable, FractureError, FractureOptions};
use fracas::geom::{DQuat, DVec3, Pose};
use fracas::mesh::tets::{TetAdjacency, brick};
use fracas::mesh::{LiveMesh, Mesh, MeshEdit, Report, TriangleId, shapes};
use fracas::pairs::brute;
use fracas::tearing::TearingOptions;
use fracas::{FindOptions, Finder, MeshTree, Pair, TearingBody, Threads, Touch, View};
use std::panic::{AssertUnwindSafe, catch_unwind};

#[test]
fn shattering_along_the_same_plane_again_made_seventeen_pieces() {
    for normal in [DVec3::Z, DVec3::new(0.3, -0.2, 1.0)] {
        for offset in [0.0, 0.1] {
            let plane = CutSurface::plane(normal * offset, normal, DVec3::X).unwrap();
            let turned = CutSurface::plane(normal * offset, -2.0 * normal, DVec3::Y).unwrap();
            let ball = LiveMesh::new(shapes::icosphere(1.0, 3));
            for times in 1..5 {
                let planes = vec![plane.clone(); times];
                let broken = shatter_along(&ball, &planes, &ShatterOptions::default()).unwrap();
                assert_eq!(broken.pieces, 2, "{times} times");
            }
            // One call after the other, and the other way round.
            let mut ball = ball;
            for plane in [&plane, &turned, &plane] {
                let broken =
                    shatter_along(&ball, std::slice::from_ref(plane), &ShatterOptions::default()).unwrap();
                ball.apply(&broken.edit).unwrap();
                assert_eq!(broken.pieces, 2);
            }
        }
    }
}

#[test]
fn a_second_plane_beside_the_first_still_cuts_a_slice() {
    let ball = LiveMesh::new(shapes::icosphere(1.0, 4));
    let planes = [0.0, 0.02].map(|z| CutSurface::plane(DVec3::Z * z, DVec3::Z, DVec3::X).unwrap());
    let broken = shatter_along(&ball, &planes, &ShatterOptions::default()).unwrap();
    assert_eq!(broken.pieces, 3);
}

#[test]
fn a_thin_plate_is_cut_into_two_thinner_ones() {
    for thickness in [1e-1, 1e-3, 1e-6] {
        let plate = LiveMesh::new(shapes::cuboid(DVec3::new(1.0, 1.0, thickness)));
        let plane = CutSurface::plane(DVec3::ZERO, DVec3::Z, DVec3::X).unwrap();
        for times in 1..4 {
            let broken =
                shatter_along(&plate, &vec![plane.clone(); times], &ShatterOptions::default()).unwrap();
            assert_eq!(broken.pieces, 2, "{thickness} {times}");
        }
    }
}

#[test]
fn a_cutter_given_another_mesh_left_it_open() {
    let ball = LiveMesh::new(shapes::icosphere(1.0, 3));
    let plane = CutSurface::plane(DVec3::new(0.0, 0.0, 0.05), DVec3::Z, DVec3::X).unwrap();
    let others =
        [shapes::icosphere(1.0, 4), shapes::noisy_sphere(3_000, 0.1, 1), shapes::torus(1.0, 0.4, 40)];
    for other in others {
        let mut other = LiveMesh::new(other);
        let mut cutter = Cutter::new(&ball, &plane, &CutOptions::default()).unwrap();
        for to in [-0.5, 0.0, 0.5, 2.0] {
            match cutter.advance_to(&other, to) {
                Ok(edit) => drop(other.apply(&edit)),
                Err(error) => assert!(matches!(error, CutError::Changed { .. }), "{error}"),
            }
            assert!(Report::of(&other.to_mesh().0).closed);
        }
    }
    // Half-way through, a mesh without the first half of the cut.
    let (mut first, fresh) = (ball.clone(), ball.clone());
    let mut cutter = Cutter::new(&first, &plane, &CutOptions::default()).unwrap();
    let edit = cutter.advance_to(&first, 0.0).unwrap();
    first.apply(&edit).unwrap();
    assert!(matches!(cutter.advance_to(&fresh, 0.5), Err(CutError::Changed { .. })));
    let edit = cutter.advance_to(&first, 2.0).unwrap();
    first.apply(&edit).unwrap();
    assert!(cutter.is_finished() && Report::of(&first.to_mesh().0).closed);
}

#[test]
fn reserving_room_for_everything_truncated_the_tree() {
    let mut body = TearingBody::build(shapes::icosphere(1.0, 2));
    for (triangles, vertices) in
        [(usize::MAX, 0), (usize::MAX / 3 + 1, 0), (0, usize::MAX), (1 << 32, 1 << 32)]
    {
        let reserve = catch_unwind(AssertUnwindSafe(|| body.reserve(triangles, vertices)));
        assert!(reserve.is_err());
        body.validate().unwrap();
        assert_eq!(body.mesh().live_count(), 320);
    }
    body.apply(&MeshEdit { removed: vec![TriangleId(3)], ..MeshEdit::default() }).unwrap();
    body.validate().unwrap();
}

#[test]
fn upkeep_without_a_limit_overflowed_or_turned_itself_off() {
    let rebuilt = |upkeep: usize| {
        let mut body = TearingBody::build_with(
            shapes::icosphere(1.0, 4),
            TearingOptions { upkeep, ..TearingOptions::default() },
        );
        let mut rebuilt = 0;
        for step in 0..40 {
            let edit = MeshEdit { removed: vec![TriangleId(100 * step)], ..MeshEdit::default() };
            rebuilt += body.apply(&edit).unwrap().rebuilt;
        }
        body.validate().unwrap();
        rebuilt
    };
    let much = rebuilt(1 << 31);
    assert!(much > 0);
    for upkeep in [usize::MAX, usize::MAX / 2, usize::MAX / 2 + 1, 1 << 62] {
        assert_eq!(rebuilt(upkeep), much, "{upkeep}");
    }
}

#[test]
fn breaking_with_bad_nodes_or_endless_least_nodes_panicked() {
    let mesh = brick(DVec3::ONE, [4, 4, 4]);
    let adjacency = TetAdjacency::build(&mesh).unwrap();
    let all: Vec<u32> = (0..mesh.node_count() as u32).collect();
    let broken = |nodes: &[u32], least_nodes: usize| {
        let body = Breakable { mesh: &mesh, adjacency: &adjacency, nodes, volume: 1.0 };
        let options = FractureOptions { least_nodes, ..FractureOptions::default() };
        body.break_up(DVec3::ZERO, DVec3::Z, 5.0, &options)
    };
    assert!(broken(&all, 4).unwrap().is_some());
    for least_nodes in [usize::MAX, usize::MAX / 2 + 1, usize::MAX / 2] {
        assert_eq!(broken(&all, least_nodes), Ok(None));
    }
    let count = mesh.node_count();
    let with = |more: &[u32]| [&all[..], more].concat();
    assert_eq!(
        broken(&with(&[count as u32]), 4),
        Err(FractureError::NoSuchNode { node: count as u32, count })
    );
    assert_eq!(broken(&with(&[u32::MAX]), 4), Err(FractureError::NoSuchNode { node: u32::MAX, count }));
    assert_eq!(broken(&with(&[3]), 4), Err(FractureError::UnsortedNodes { nodes: [count as u32 - 1, 3] }));
    let twice: Vec<u32> = all.iter().flat_map(|&node| [node; 2]).collect();
    assert_eq!(broken(&twice, 4), Err(FractureError::UnsortedNodes { nodes: [0, 0] }));
    assert_eq!(broken(&[], 4), Ok(None));
}

#[test]
fn the_nearest_facet_of_no_point_or_within_no_end_panicked() {
    let solid = Solid::build(brick(DVec3::ONE, [4, 4, 4]), &SolidOptions::default()).unwrap();
    let body = BrittleBody::new(solid.into());
    let fragment = body.fragments().next().unwrap();
    let tree = body.facet_tree(fragment).unwrap();
    let hostile =
        [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, f64::MAX, -f64::MAX, 1e200, 1e-320, 0.0, 0.3, 2.0];
    for x in hostile {
        for y in hostile {
            let p = DVec3::new(x, y, 0.1);
            for reach in hostile {
                for is_outside in [false, true] {
                    let found = tree.find_nearest(&body, p, reach, is_outside);
                    assert!(p.is_finite() || found.is_none(), "{p} {reach}: {found:?}");
                    let found = found.filter(|_| x.abs() < 1e100 && y.abs() < 1e100);
                    assert!(found.is_none_or(|near| near.distance.is_finite() && near.point.is_finite()));
                }
                for bound in hostile {
                    let _ = tree.probe(&body, p, reach, bound);
                }
                let _ = tree.is_deeper(&body, p, reach);
                let _ = body.find_nearest(fragment, p, reach);
            }
        }
    }
    let anywhere = tree.find_nearest(&body, DVec3::new(3.0, 0.0, 0.0), f64::INFINITY, false).unwrap();
    assert!((anywhere.distance - 2.5).abs() < 1e-9);
}

/// Engines that must agree, and brute force among them.
fn engines(mesh: &Mesh, pose: &Pose, other: &Mesh) -> Vec<Vec<Pair>> {
    let (tree, tearing) = (MeshTree::build(mesh.clone()), TearingBody::build(mesh.clone()));
    let wall = MeshTree::build(other.clone());
    let mut finder = Finder::default();
    vec![
        brute::find_pairs(mesh, pose, other, &Pose::IDENTITY, Touch::Include),
        finder.find_pairs(mesh.at(pose), other).to_vec(),
        finder.find_pairs(tree.at(pose), &wall).to_vec(),
        finder.find_pairs(tearing.at(pose), &wall).to_vec(),
        finder.find_pairs(tree.at(pose), other).to_vec(),
    ]
}

#[test]
fn poses_that_overflow_made_the_soup_panic_and_engines_disagree() {
    let turn = |t: DVec3| Pose::new(DQuat::from_xyzw(0.3, -0.1, 0.4, 0.8), t).unwrap();
    let straight = |t: DVec3| Pose::from_translation(t).unwrap();
    for k in [0, 300, 1000, 1019, 1020, 1021, 1022] {
        let size = 2f64.powi(k);
        let ball = shapes::icosphere(1.0, 2);
        let ball = Mesh::new(ball.positions().iter().map(|p| *p * size).collect(), ball.triangles().to_vec())
            .unwrap();
        for far in [0.0, 0.7 * size, 1e307, 1e308, f64::MAX] {
            for direction in [DVec3::X, -DVec3::ONE, DVec3::new(0.0, -1.0, 1.0)] {
                for pose in [turn(direction * far), straight(direction * far)] {
                    let views = [
                        View::from(&ball).try_at(&pose).map(|_| ()),
                        MeshTree::build(ball.clone()).view().try_at(&pose).map(|_| ()),
                        TearingBody::build(ball.clone()).view().try_at(&pose).map(|_| ()),
                    ];
                    if k >= 1021 || far >= 1e307 * 1.2 {
                        let refused = !pose.is_identity();
                        assert!(views.iter().all(|view| view.is_err() == refused), "{k} {far:e} {views:?}");
                    } else if k <= 1000 && far < 1e307 {
                        assert!(views.iter().all(Result::is_ok), "{k} {far:e} {views:?}");
                    }
                    if views.iter().all(Result::is_ok) {
                        let answers = engines(&ball, &pose, &ball);
                        assert!(
                            answers.iter().all(|answer| *answer == answers[0]),
                            "{k} {far:e} {direction}"
                        );
                    }
                }
            }
        }
    }
    // Poses that follow each other may leave the range, too.
    let far = straight(DVec3::X * 1e308);
    let farther = far.after(&far);
    assert!(View::from(&shapes::icosphere(1.0, 1)).try_at(&farther).is_err());
}

/// How many triangles, all the same: with vertices of their own, or sharing three.
fn duplicates(count: u32, shared: bool) -> Mesh {
    let corners = [DVec3::ZERO, DVec3::X, DVec3::Y];
    if shared {
        return Mesh::new(corners.to_vec(), vec![[0, 1, 2]; count as usize]).unwrap();
    }
    let positions = (0..count).flat_map(|_| corners).collect();
    Mesh::new(positions, (0..count).map(|k| [3 * k, 3 * k + 1, 3 * k + 2]).collect()).unwrap()
}

#[test]
fn a_limit_of_pairs_counts_all_and_lists_none_beyond_it() {
    for shared in [false, true] {
        let mesh = duplicates(300, shared);
        let (tree, tearing) = (MeshTree::build(mesh.clone()), TearingBody::build(mesh.clone()));
        let all = 300 * 299 / 2;
        for threads in [Threads::One, Threads::All] {
            for (most_pairs, listed) in [(0, 0), (1000, 0), (all - 1, 0), (all, all), (usize::MAX, all)] {
                let options = FindOptions { most_pairs, threads, ..FindOptions::default() };
                let mut finder = Finder::new(options);
                for view in [View::from(&mesh), tree.view(), tearing.view()] {
                    assert_eq!(finder.find_self_pairs(view).len(), listed);
                    assert_eq!(finder.stats().found, all as u64);
                }
                assert_eq!(finder.find_pairs(&tree, &tearing).is_empty(), most_pairs < 300 * 300);
                assert_eq!(finder.stats().found, 300 * 300);
                // Other questions are not bound by it.
                assert!(finder.find_first(&tree, &tearing).is_some());
            }
        }
    }
}

#[test]
fn a_body_that_shrinks_off_its_centre_keeps_queries_fast() {
    let mesh = shapes::noisy_sphere(3_000, 0.2, 5);
    let fresh = |positions: &[DVec3]| Mesh::new(positions.to_vec(), mesh.triangles().to_vec()).unwrap();
    let about = DVec3::new(0.9, -0.3, 0.2);
    for scale in [1e-3, 1e-6, 2f64.powi(-100), 2f64.powi(-400), 1e3, 2f64.powi(400)] {
        // Moved away from the point, so that nothing is lost to rounding.
        let shrunk: Vec<DVec3> = mesh.positions().iter().map(|p| about + (*p - about) * scale).collect();
        let shrunk =
            if scale < 1e-10 { mesh.positions().iter().map(|p| *p * scale).collect() } else { shrunk };
        let (mut tree, mut tearing) = (MeshTree::build(mesh.clone()), TearingBody::build(mesh.clone()));
        tree.set_positions(&shrunk).unwrap();
        tearing.set_positions(&shrunk).unwrap();
        tree.validate().unwrap();
        tearing.validate().unwrap();
        let (new_tree, new_tearing) = (MeshTree::build(fresh(&shrunk)), TearingBody::build(fresh(&shrunk)));
        let mut finder = Finder::default();
        for (moved, new) in [(tree.view(), new_tree.view()), (tearing.view(), new_tearing.view())] {
            let expected = finder.find_self_pairs(new).to_vec();
            let work = finder.stats().box_pairs + finder.stats().decided;
            assert_eq!(finder.find_self_pairs(moved), expected);
            let stats = finder.stats();
            assert!(stats.box_pairs + stats.decided < 3 * work + 10_000, "{scale:e}: {stats:?} {work}");
        }
    }
}
