//! Bad arguments, odd meshes and extreme numbers: a failed call changes nothing, and nothing panics.

mod common;

use common::engines::RULES;
use common::inputs::Stream;
use common::soups::{grid_soup, mapped, random_soup, soup};
use fracas::geom::{Box3, DQuat, DVec3, Pose};
use fracas::mesh::{Mesh, MeshError, shapes};
use fracas::pairs::{Pair, Touch, brute};
use fracas::{BuildOptions, FindOptions, Finder, MeshTree, Threads};

fn bodies(mesh: &Mesh) -> Vec<MeshTree> {
    let options = RULES.into_iter().flat_map(|split| {
        [true, false].map(|self_queries| BuildOptions { split, self_queries, parallel: self_queries })
    });
    options.map(|options| MeshTree::build_with(mesh.clone(), &options)).collect()
}

fn self_pairs(body: &MeshTree, touch: Touch) -> Vec<Pair> {
    Finder::new(FindOptions { touch, threads: Threads::One, ..FindOptions::default() })
        .find_self_pairs(body)
        .to_vec()
}

/// Sound, and with the pairs of brute force.
fn check(what: &str, body: &MeshTree) {
    body.validate().unwrap_or_else(|broken| panic!("{what}: {broken}"));
    for touch in [Touch::Include, Touch::Proper] {
        assert_eq!(self_pairs(body, touch), brute::find_self_pairs(body.mesh(), touch), "{what}, {touch:?}");
    }
}

/// Every build of a mesh is sound and right, against itself and against a moved copy.
fn check_mesh(what: &str, mesh: &Mesh) {
    let copy = MeshTree::build(mesh.clone());
    let expected = brute::find_pairs(mesh, &Pose::IDENTITY, mesh, &Pose::IDENTITY, Touch::Include);
    for body in bodies(mesh) {
        check(what, &body);
        assert_eq!(Finder::default().find_pairs(&body, &copy), expected, "{what}, against a copy");
        let quality = body.quality();
        // Leaves are full, but where one piece of a surface ends and another begins.
        let full = mesh.triangle_count().div_ceil(8);
        assert!((full..=full + full / 2 + 1).contains(&quality.leaves), "{what}: {} leaves", quality.leaves);
        assert!(quality.sah.is_finite() && quality.q.is_none_or(f64::is_finite), "{what}: {quality:?}");
        let (low, high) = mesh.bounds().corners();
        if mesh.triangle_count() > 0 {
            let all = body.view().bounds();
            assert!(all.contains(low) && all.contains(high), "{what}: {all:?} does not hold {low} to {high}");
        } else {
            assert!(body.view().bounds().is_empty());
        }
    }
}

mod failed_calls {
    use super::*;

    /// Everything an observer can see of a body.
    fn seen(body: &MeshTree) -> (String, Vec<Pair>, Vec<Pair>) {
        (format!("{body:?}"), self_pairs(body, Touch::Include), self_pairs(body, Touch::Proper))
    }

    fn changes_nothing(
        body: &mut MeshTree,
        call: impl FnOnce(&mut MeshTree) -> Result<(), MeshError>,
    ) -> MeshError {
        let before = seen(body);
        let error = call(body).expect_err("a bad argument");
        assert!(seen(body) == before, "{error}: something changed");
        body.validate().unwrap_or_else(|broken| panic!("after {error}: {broken}"));
        error
    }

    fn meshes() -> Vec<Mesh> {
        vec![grid_soup(&mut Stream::new(31), [4, 4, 3], 30, 60), shapes::icosphere(1.0, 2)]
    }

    #[test]
    fn a_wrong_number_of_positions() {
        for mesh in meshes() {
            let n = mesh.vertex_count();
            for mut body in bodies(&mesh) {
                for given in [0, 1, n - 1, n + 1, 3 * n] {
                    let error =
                        changes_nothing(&mut body, |body| body.set_positions(&vec![DVec3::ONE; given]));
                    assert_eq!(error, MeshError::WrongVertexCount { expected: n, given });
                }
            }
        }
        let error =
            changes_nothing(&mut MeshTree::build(Mesh::default()), |b| b.set_positions(&[DVec3::ZERO]));
        assert_eq!(error, MeshError::WrongVertexCount { expected: 0, given: 1 });
    }

    #[test]
    fn positions_that_are_not_finite() {
        for mesh in meshes() {
            let n = mesh.vertex_count();
            for mut body in bodies(&mesh) {
                for (first, second) in [(0, n - 1), (n / 2, n - 1), (n - 1, n - 1)] {
                    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
                        for axis in 0..3 {
                            // All others are moved: none of them may stay moved.
                            let mut positions: Vec<DVec3> =
                                mesh.positions().iter().map(|p| *p + 5.0).collect();
                            positions[second] = DVec3::INFINITY;
                            positions[first] = DVec3::ONE;
                            positions[first][axis] = bad;
                            let error = changes_nothing(&mut body, |body| body.set_positions(&positions));
                            let MeshError::NotFinite { vertex, position } = error else { panic!("{error}") };
                            assert_eq!((vertex, position[axis].to_bits()), (first, bad.to_bits()));
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn changes_in_place_that_are_not_finite() {
        for mesh in meshes() {
            for mut body in bodies(&mesh) {
                let error = changes_nothing(&mut body, |body| {
                    body.update_positions(|positions| {
                        positions.iter_mut().for_each(|p| *p *= 2.0);
                        positions[3].z = f64::NAN;
                        positions[7] = DVec3::INFINITY;
                    })
                });
                assert!(matches!(error, MeshError::NotFinite { vertex: 3, .. }), "{error}");
            }
        }
    }

    /// After a failure the body is as usable as before.
    #[test]
    fn a_good_call_after_a_bad_one() {
        for mesh in meshes() {
            for mut body in bodies(&mesh) {
                body.set_positions(&[]).expect_err("too few");
                let moved: Vec<DVec3> =
                    mesh.positions().iter().map(|p| DVec3::new(p.z, p.x, 2.0 * p.y) + 3.0).collect();
                body.set_positions(&moved).expect("finite positions");
                assert_eq!(body.mesh().positions(), moved);
                check("moved after a failure", &body);
                body.update_positions(|positions| positions.iter_mut().for_each(|p| p.z = 0.0))
                    .expect("finite");
                check("flattened in place", &body);
            }
        }
    }

    #[test]
    fn a_panic_in_the_change_leaves_the_body_as_it_was() {
        let mut body = MeshTree::build(shapes::icosphere(1.0, 1));
        let before = seen(&body);
        let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            let _ = body.update_positions(|positions| {
                positions[0] = DVec3::NAN;
                std::panic::resume_unwind(Box::new("stopped on purpose"));
            });
        }));
        assert!(result.is_err());
        assert!(seen(&body) == before);
    }
}

mod odd_meshes {
    use super::*;

    #[test]
    fn nothing_at_all() {
        let empty = Mesh::default();
        check_mesh("empty", &empty);
        let mut body = MeshTree::build(Mesh::new(vec![DVec3::ONE; 4], vec![]).expect("vertices alone"));
        check("vertices alone", &body);
        body.set_positions(&[DVec3::splat(1e300); 4]).expect("finite positions");
        check("vertices alone, moved", &body);
        let found = body.view().find_in_box(&Box3 { min: DVec3::NEG_INFINITY, max: DVec3::INFINITY });
        assert_eq!(found, []);
        assert_eq!(body.view().cast_ray(DVec3::ZERO, DVec3::ONE), None);
        let ball = MeshTree::build(shapes::icosphere(1.0, 1));
        let mut finder = Finder::default();
        assert_eq!(finder.find_pairs(&body, &ball), []);
        assert_eq!(finder.find_pairs(&ball, &body), []);
        assert_eq!(finder.find_pairs(&body, &body), []);
    }

    /// One more than a row, one less than two: all the sizes at which a tree changes shape.
    #[test]
    fn a_few_triangles() {
        let mut stream = Stream::new(32);
        for count in (1..=20).chain([63, 64, 65, 71, 72, 73, 127, 128, 129]) {
            check_mesh(&format!("{count} triangles"), &random_soup(&mut stream, count, 1.0));
            check_mesh(&format!("{count} on a grid"), &grid_soup(&mut stream, [3, 3, 3], 12, count));
        }
    }

    #[test]
    fn copies_of_one_triangle() {
        let corners = [DVec3::ZERO, DVec3::X, DVec3::new(0.2, 1.0, 0.3)];
        check_mesh(
            "300 copies by index",
            &Mesh::new(corners.to_vec(), vec![[0, 1, 2]; 300]).expect("copies"),
        );
        check_mesh("300 loose copies", &soup([corners; 300]));
        let segment = [DVec3::ZERO, DVec3::ONE, DVec3::splat(0.5)];
        check_mesh("200 loose segments", &soup([segment; 200]));
    }

    /// The tree over very many equal triangles: neither depth nor time may grow with their number.
    #[test]
    fn ten_thousand_copies_build_in_balance() {
        let corners = [DVec3::ZERO, DVec3::X, DVec3::new(0.2, 1.0, 0.3)];
        let mesh = soup(vec![corners; 10_000]);
        for body in bodies(&mesh) {
            body.validate().expect("a sound tree");
            let quality = body.quality();
            // A full tree of eight children has depth 4; twice that is still in balance.
            assert!(quality.depth <= 8, "depth {}", quality.depth);
            assert!(body.tree_bytes() <= 256 * 10_000, "{} bytes", body.tree_bytes());
            let aside = MeshTree::build(soup([corners.map(|p| p + DVec3::new(0.0, 0.0, 0.5))]));
            let mut finder = Finder::default();
            assert_eq!(finder.find_pairs(&body, &aside), brute_between(&body, &aside));
        }
    }

    fn brute_between(a: &MeshTree, b: &MeshTree) -> Vec<Pair> {
        brute::find_pairs(a.mesh(), &Pose::IDENTITY, b.mesh(), &Pose::IDENTITY, Touch::Include)
    }

    /// A crowd in one place and a few far away: every middle of the box leaves nearly all on one side.
    #[test]
    fn a_crowd_and_a_few_far_away() {
        let mut stream = Stream::new(33);
        let crowd = mapped(&random_soup(&mut stream, 150, 0.5), |p| p * 1e-9);
        let far = mapped(&random_soup(&mut stream, 20, 0.5), |p| p * 1e9);
        check_mesh("crowd", &Mesh::join([&crowd, &far]).expect("a mesh"));
        let shrinking = soup((0..150).map(|k| {
            let size = 0.5_f64.powi(k);
            [DVec3::ZERO, DVec3::X, DVec3::Y].map(|p| (p + 0.25) * size)
        }));
        check_mesh("each half as large as the one before", &shrinking);
    }

    #[test]
    fn all_vertices_equal() {
        for at in [DVec3::ZERO, DVec3::splat(-7.25), DVec3::splat(1e308), DVec3::splat(5e-324)] {
            let triangles = (0..120).map(|k| [k, (k * 7 + 1) % 122, k + 2]).collect();
            check_mesh("one point", &Mesh::new(vec![at; 122], triangles).expect("a mesh"));
        }
    }

    #[test]
    fn flat_and_straight_meshes() {
        let mut stream = Stream::new(34);
        for flat in [DVec3::new(1.0, 1.0, 0.0), DVec3::new(0.0, 1.0, 1.0), DVec3::new(1.0, 0.0, 0.0)] {
            check_mesh("flat", &mapped(&random_soup(&mut stream, 100, 0.3), |p| p * flat));
            check_mesh("flat grid", &mapped(&grid_soup(&mut stream, [5, 5, 5], 60, 100), |p| p * flat + 3.0));
        }
        check_mesh("cloth", &shapes::cloth_grid(9, 9, [1.0, 1.0]));
        let slanted =
            mapped(&shapes::cloth_grid(9, 9, [1.0, 1.0]), |p| DVec3::new(p.x, p.y, 0.3 * p.x - 0.7 * p.y));
        check_mesh("slanted cloth", &slanted);
    }

    /// Names of vertices that no triangle uses, with positions that would spoil the frame.
    #[test]
    fn unused_vertices() {
        let (mut positions, triangles) = shapes::icosphere(1.0, 2).into_parts();
        positions.extend([DVec3::splat(1e308), DVec3::splat(-1e308)]);
        let mesh = Mesh::new(positions, triangles).expect("a mesh");
        check_mesh("unused vertices", &mesh);
        let mut body = MeshTree::build(mesh.clone());
        let mut moved = mesh.positions().to_vec();
        moved[mesh.vertex_count() - 1] = DVec3::splat(-1.0);
        body.set_positions(&moved).expect("finite positions");
        check("unused vertex moved", &body);
    }
}

mod extreme_numbers {
    use super::*;

    fn base() -> Mesh {
        let mut stream = Stream::new(35);
        let grid = mapped(&grid_soup(&mut stream, [3, 3, 3], 14, 40), |p| p - 1.0);
        Mesh::join([&grid, &random_soup(&mut stream, 40, 1.0)]).expect("a mesh")
    }

    #[test]
    fn at_every_scale() {
        for scale in [5e-324, 1e-320, 1e-308, 1e-300, 1e-200, 1e-30, 1e30, 1e200, 1e300, 4e307] {
            check_mesh(&format!("times {scale:e}"), &mapped(&base(), |p| p * scale));
        }
    }

    #[test]
    fn stretched_along_one_axis() {
        for (k, stretch) in [1e-308, 1e-150, 1e-20, 1e20, 1e150, 1e307].into_iter().enumerate() {
            let mut by = DVec3::ONE;
            by[k % 3] = stretch;
            check_mesh(&format!("stretched by {by}"), &mapped(&base(), |p| p * by));
        }
    }

    #[test]
    fn from_end_to_end_of_the_numbers() {
        let mut stream = Stream::new(36);
        let mut any = || {
            let x = match stream.below(5) {
                0 => f64::MAX,
                1 => -f64::MAX,
                2 => 0.0,
                3 => f64::from_bits(stream.below(9)),
                _ => f64::from_bits(stream.bits()),
            };
            if x.is_finite() { x } else { 1e308 }
        };
        for _ in 0..10 {
            check_mesh(
                "any numbers",
                &soup((0..30).map(|_| [(); 3].map(|()| DVec3::new(any(), any(), any())))),
            );
        }
    }

    /// Moves that leave the tree's frame in every direction; the boxes must follow.
    #[test]
    fn moved_far_and_shrunk() {
        let mesh = base();
        let moves: [(&str, f64, f64); 9] = [
            ("as it is", 1.0, 0.0),
            ("far away and tiny", 1e-12, 1e12),
            ("tiny at the origin", 1e-12, 0.0),
            ("far away", 1.0, 1e12),
            ("huge", 1e300, 0.0),
            ("as small as numbers go", 5e-324, 0.0),
            ("nearly everywhere", 4e307, 0.0),
            ("at the end of the numbers", 1e300, 1e308),
            ("back again", 1.0, 0.0),
        ];
        for mut body in bodies(&mesh) {
            for (name, scale, shift) in moves {
                let positions: Vec<DVec3> = mesh.positions().iter().map(|p| *p * scale + shift).collect();
                body.set_positions(&positions).expect("finite positions");
                check(name, &body);
            }
        }
    }

    /// A body that grows and shrinks step by step, within its frame and out of it.
    #[test]
    fn breathing() {
        let mesh = base();
        let mut body = MeshTree::build(mesh.clone());
        let mut stream = Stream::new(37);
        let mut scale = 1.0;
        for step in 0..200 {
            scale *= 2f64.powf(1.5 * stream.unit());
            let shift = scale * stream.unit();
            let positions: Vec<DVec3> = mesh.positions().iter().map(|p| *p * scale + shift).collect();
            body.set_positions(&positions).expect("finite positions");
            check(&format!("step {step}"), &body);
        }
    }

    #[test]
    fn poses_far_away() {
        let (a, b) = (MeshTree::build(base()), MeshTree::build(mapped(&base(), |p| p * 1e-3)));
        let turn = DQuat::from_xyzw(0.3, -0.2, 0.1, 0.9);
        let mut finder = Finder::default();
        for far in [0.0, 1.0, 1e6, 1e12, 1e15, 1e18, 1e100, 1e300] {
            for (rotation, other) in
                [(DQuat::IDENTITY, DQuat::IDENTITY), (turn, turn), (turn, DQuat::IDENTITY)]
            {
                let pose_a = Pose::new(rotation, DVec3::new(far, -far, far)).expect("a pose");
                let pose_b = Pose::new(other, DVec3::new(far, -far, far + 0.1)).expect("a pose");
                for (p, q) in [(&a, &b), (&b, &a), (&a, &a)] {
                    let expected = brute::find_pairs(p.mesh(), &pose_a, q.mesh(), &pose_b, Touch::Include);
                    assert_eq!(finder.find_pairs(p.at(&pose_a), q.at(&pose_b)), expected, "{far:e}");
                }
            }
        }
    }
}
