//! The two faces of a crack while they lie on each other.

use fracas::cut::{CutOptions, CutSurface, Cutter, ShatterOptions, shatter_along};
use fracas::geom::DVec3;
use fracas::mesh::{LiveMesh, Mesh, MeshEdit, TriangleId, shapes};
use fracas::pairs::{Pair, Touch};
use fracas::{FindOptions, Finder, TearingBody, Twins};

fn finder(twins: Twins, touch: Touch) -> Finder {
    Finder::new(FindOptions { twins, touch, ..FindOptions::default() })
}

/// A body cut along a plane, up to a share of the way.
fn cut(mesh: Mesh, normal: DVec3, share: f64) -> TearingBody {
    let mut body = TearingBody::build(mesh);
    let plane =
        CutSurface::plane(DVec3::new(0.01, 0.02, 0.03), normal, normal.any_orthogonal_vector()).unwrap();
    let mut cutter = Cutter::new(body.mesh(), &plane, &CutOptions::default()).unwrap();
    let [from, to] = cutter.range().unwrap();
    for step in 1..=4 {
        let front =
            if step == 4 && share == 1.0 { to } else { from + (to - from) * share * f64::from(step) / 4.0 };
        let edit = cutter.advance_to(body.mesh(), front).unwrap();
        body.apply(&edit).unwrap();
    }
    body
}

fn same_set(a: [u32; 3], b: [u32; 3]) -> bool {
    a.iter().all(|v| b.contains(v)) && b.iter().all(|v| a.contains(v))
}

/// What is left of the pairs when twins at one place count as one vertex, by brute force and by definition.
fn without_twins(mesh: &LiveMesh, touch: Touch) -> Vec<Pair> {
    let ids: Vec<TriangleId> = mesh.live_triangles().collect();
    let mut pairs = vec![];
    for (k, &i) in ids.iter().enumerate() {
        for &j in &ids[k + 1..] {
            let (t, u) = (mesh.triangle(i), mesh.triangle(j));
            if !t.bounds().overlaps(&u.bounds()) {
                continue;
            }
            let (v, w) = (mesh.corners(i).map(|v| mesh.welded(v)), mesh.corners(j).map(|v| mesh.welded(v)));
            let are_twins = same_set(v, w) && !same_set(mesh.corners(i), mesh.corners(j));
            if !are_twins && touch.accepts(fracas::exact::tri_tri_shared(&t, v, &u, w)) {
                pairs.push(Pair::new(i.0, j.0));
            }
        }
    }
    pairs
}

#[test]
fn a_fresh_cut_has_no_pairs_and_with_twins_reported_has_those_of_brute_force() {
    for (mesh, normal) in [
        (shapes::icosphere(1.0, 3), DVec3::new(1.0, 0.1, 0.05)),
        (shapes::torus(1.0, 0.4, 24), DVec3::new(0.2, 1.0, 0.1)),
        (shapes::cuboid(DVec3::new(1.0, 2.0, 1.5)), DVec3::new(0.3, 0.2, 1.0)),
    ] {
        for share in [0.4, 1.0] {
            let body = cut(mesh.clone(), normal, share);
            let (live, ids) = body.mesh().to_mesh();
            let brute = fracas::pairs::brute::find_self_pairs(&live, Touch::Include);
            let named: Vec<Pair> =
                brute.iter().map(|pair| Pair { a: ids[pair.a.index()], b: ids[pair.b.index()] }).collect();
            assert_eq!(finder(Twins::Report, Touch::Include).find_self_pairs(&body), named);
            assert!(named.len() > 50, "{}", named.len());
            assert_eq!(finder(Twins::LeaveOut, Touch::Include).find_self_pairs(&body), []);
            assert_eq!(without_twins(body.mesh(), Touch::Include), []);
        }
    }
}

/// Twins that have moved apart, and bodies that intersect for other reasons, are reported as ever.
#[test]
fn exactly_the_twins_are_missing() {
    let mut body = cut(shapes::icosphere(1.0, 3), DVec3::new(1.0, 0.1, 0.05), 1.0);
    // Half of one side moves into the other; the rest stays where it is.
    let side = body.piece(0).unwrap().vertices();
    let mut positions = body.mesh().positions().to_vec();
    for v in side {
        if positions[v as usize].z > 0.3 {
            positions[v as usize].x +=
                if body.piece(0).unwrap().bounds().centre().x > 0.0 { -0.05 } else { 0.05 };
        }
    }
    body.set_positions(&positions).unwrap();
    for touch in [Touch::Include, Touch::Proper] {
        let expected = without_twins(body.mesh(), touch);
        assert!(!expected.is_empty());
        assert_eq!(finder(Twins::LeaveOut, touch).find_self_pairs(&body), expected);
        let all = finder(Twins::Report, touch).find_self_pairs(&body).to_vec();
        assert!(expected.iter().all(|pair| all.binary_search(pair).is_ok()));
        assert_eq!(touch == Touch::Include, all.len() > expected.len());
    }
}

/// A second triangle with the same vertices is a collision, whatever it is a twin of. Of two twin faces, queries look at one for
/// both, so each of them is tried, and both.
#[test]
fn a_duplicate_of_a_crack_face_is_still_a_pair() {
    let fresh = cut(shapes::icosphere(1.0, 2), DVec3::X, 1.0);
    let face = fresh.mesh().live_triangles().last().unwrap();
    let twin = fresh.mesh().twin_face(face).expect("the other face of the crack");
    assert_eq!(fresh.mesh().twin_face(twin), Some(face));
    for copied in [vec![face], vec![twin], vec![face, twin], vec![face, face, twin]] {
        let mut body = fresh.clone();
        let mut edit = MeshEdit::default();
        copied.iter().for_each(|&id| edit.insert(body.mesh().corners(id)));
        let first = body.mesh().slot_count() as u32;
        if copied == [face, twin] {
            edit.twin_faces.push([0, 1].map(|k| TriangleId(first + k)));
        }
        body.apply(&edit).unwrap();
        let found = finder(Twins::LeaveOut, Touch::Include).find_self_pairs(&body).to_vec();
        assert_eq!(found, without_twins(body.mesh(), Touch::Include), "{copied:?}");
        assert!(found.len() >= copied.len());
        if copied.len() == 1 {
            assert_eq!(found, [Pair::new(copied[0].0, first)]);
        }
    }
}

/// What meets one face of a closed crack meets the other too, and both are reported.
#[test]
fn a_spike_through_a_closed_crack_meets_both_faces() {
    let spike = shapes::cuboid(DVec3::new(0.6, 0.1, 0.1));
    let mut body = TearingBody::build(shapes::icosphere(1.0, 3));
    let plane = CutSurface::plane(DVec3::ZERO, DVec3::new(1.0, 0.1, 0.05), DVec3::Y).unwrap();
    let mut cutter = Cutter::new(body.mesh(), &plane, &CutOptions::default()).unwrap();
    let edit = cutter.advance_to(body.mesh(), f64::INFINITY).unwrap();
    body.apply(&edit).unwrap();
    let mut edit = MeshEdit::default();
    let first = body.mesh().vertex_count() as u32;
    edit.new_positions.extend(spike.positions().iter().map(|p| *p + DVec3::new(0.0, 0.05, -0.1)));
    spike.triangles().iter().for_each(|t| edit.insert(t.map(|v| v + first)));
    body.apply(&edit).unwrap();
    for touch in [Touch::Include, Touch::Proper] {
        let expected = without_twins(body.mesh(), touch);
        assert!(expected.len() >= 20, "{}", expected.len());
        assert_eq!(finder(Twins::LeaveOut, touch).find_self_pairs(&body), expected);
    }
}

/// Faces of bodies broken along surfaces know each other too.
#[test]
fn pieces_of_a_broken_body_know_their_twin_faces() {
    let planes = [DVec3::X, DVec3::Y].map(|n| CutSurface::plane(DVec3::splat(0.1), n, DVec3::Z).unwrap());
    let mut mesh = LiveMesh::new(shapes::icosphere(1.0, 3));
    let broken = shatter_along(&mesh, &planes, &ShatterOptions::default()).unwrap();
    mesh.apply(&broken.edit).unwrap();
    let faces = broken.edit.twin_faces.iter().filter(|[a, b]| mesh.twin_face(*a) == Some(*b)).count();
    assert!(faces > 20 && faces == broken.edit.twin_faces.len(), "{faces}");
    // Faces that move apart are twins no more.
    let mut apart = mesh.positions().to_vec();
    apart[mesh.corners(broken.edit.twin_faces[0][0])[0] as usize].x += 0.01;
    mesh.set_positions(&apart).unwrap();
    assert_eq!(mesh.twin_face(broken.edit.twin_faces[0][0]), None);
}

#[test]
fn twin_faces_that_are_no_triangles_are_refused_and_nothing_changes() {
    let mut body = TearingBody::build(shapes::icosphere(1.0, 1));
    let faces = [TriangleId(0), TriangleId(80)];
    let refused = body.apply(&MeshEdit { twin_faces: vec![faces], ..MeshEdit::default() }).unwrap_err();
    assert_eq!(refused.to_string(), "triangle 80 cannot be a twin face: there will be 80 triangle slots");
}

#[test]
fn twins_that_are_no_vertices_are_refused_and_nothing_changes() {
    let mut body = TearingBody::build(shapes::icosphere(1.0, 1));
    let edit = MeshEdit { twins: vec![[0, 42]], removed: vec![TriangleId(0)], ..MeshEdit::default() };
    let refused = body.apply(&edit).unwrap_err();
    assert_eq!(refused.to_string(), "vertex 42 cannot be a twin: there will be 42 vertices");
    assert_eq!((body.mesh().live_count(), body.mesh().has_twins()), (80, false));
}
