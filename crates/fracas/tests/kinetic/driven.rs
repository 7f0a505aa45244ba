//! Bodies whose positions are given: the answers of a tree over the same positions, whatever they are.

use fracas::geom::DVec3;
use fracas::internal::Random;
use fracas::kinetic::DrivenBody;
use fracas::mesh::{Mesh, MeshError, shapes};
use fracas::{Finder, MeshTree};

fn check(body: &DrivenBody, obstacle: &MeshTree) -> usize {
    let mesh = Mesh::new(body.positions().to_vec(), body.triangles().to_vec()).unwrap();
    let tree = MeshTree::build(mesh);
    let [mut lazy, mut whole] = [Finder::default(), Finder::default()];
    assert_eq!(lazy.find_pairs(body, obstacle), whole.find_pairs(&tree, obstacle));
    assert_eq!(lazy.find_pairs(obstacle, body), whole.find_pairs(obstacle, &tree));
    let found = lazy.find_pairs(body, obstacle).len();
    assert_eq!(lazy.find_self_pairs(body), whole.find_self_pairs(&tree));
    let point = tree.view().bounds().centre() + DVec3::splat(0.3);
    let (near, expected) = (body.view().nearest(point, 10.0), tree.view().nearest(point, 10.0));
    assert_eq!(near.map(|n| n.distance), expected.map(|n| n.distance));
    found
}

/// Large enough for nodes above the blocks; it shrinks, grows, leaves its frame and becomes noise.
#[test]
fn answers_are_those_of_a_tree_whatever_the_deformation() {
    let ball = shapes::icosphere(1.0, 4);
    let obstacle = MeshTree::build(shapes::icosphere(0.9, 3));
    let mut body = DrivenBody::new(ball.clone());
    let mut random = Random::new(17);
    let mut found = 0;
    for step in 0..12 {
        let scale = [1.0, 0.01, 40.0, 0.95][step % 4];
        let noise = [0.0, 0.02, 0.3][step % 3];
        let away = DVec3::X * [0.0, 1.5][step % 2];
        let mut moved: Vec<DVec3> = vec![];
        for p in ball.positions() {
            let shaken = DVec3::new(random.signed(), random.signed(), random.signed());
            moved.push(*p * scale + noise * shaken + away);
        }
        if step % 2 == 0 {
            body.set_positions(&moved).unwrap();
        } else {
            let before = body.positions().to_vec();
            let expected = moved.clone();
            body.swap_positions(&mut moved).unwrap();
            assert_eq!((body.positions(), moved), (&expected[..], before));
        }
        found += check(&body, &obstacle);
    }
    assert!(found > 300, "{found}");
}

#[test]
fn wrong_positions_are_refused_and_nothing_changes() {
    let ball = shapes::icosphere(1.0, 4);
    // One more vertex, which no triangle names.
    let mut positions = ball.positions().to_vec();
    positions.push(DVec3::ZERO);
    let mut body = DrivenBody::new(Mesh::new(positions.clone(), ball.triangles().to_vec()).unwrap());
    let obstacle = MeshTree::build(shapes::icosphere(0.99, 3));
    let before = check(&body, &obstacle);
    let count = positions.len();
    for (vertex, value) in
        [(0, f64::NAN), (77, f64::INFINITY), (count - 1, f64::NAN), (count - 2, f64::NEG_INFINITY)]
    {
        let mut bad: Vec<DVec3> = positions.iter().map(|p| 3.0 * *p).collect();
        bad[vertex].y = value;
        let refused = |result: Result<(), MeshError>| {
            assert!(matches!(result, Err(MeshError::NotFinite { vertex: v, .. }) if v == vertex), "{vertex}");
        };
        refused(body.set_positions(&bad));
        refused(body.swap_positions(&mut bad));
        assert!(bad[vertex].y.to_bits() == value.to_bits());
    }
    assert_eq!(
        body.set_positions(&positions[1..]),
        Err(MeshError::WrongVertexCount { expected: count, given: count - 1 })
    );
    assert_eq!((body.positions(), check(&body, &obstacle)), (&positions[..], before));
    // What was refused leaves no trace in later boxes either.
    body.set_positions(&positions).unwrap();
    assert_eq!(check(&body, &obstacle), before);
}

#[test]
fn small_bodies() {
    let none = DrivenBody::new(Mesh::new(vec![], vec![]).unwrap());
    assert!(Finder::default().find_self_pairs(&none).is_empty());
    let corners = vec![DVec3::ZERO, DVec3::X, DVec3::Y];
    let mut one = DrivenBody::new(Mesh::new(corners, vec![[0, 1, 2]]).unwrap());
    one.set_positions(&[DVec3::Z, DVec3::X, DVec3::Y]).unwrap();
    check(&one, &MeshTree::build(shapes::icosphere(0.7, 1)));
}
