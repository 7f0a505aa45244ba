//! Weights and transforms from simulation nodes.

use crate::motions::{cloud, vector};
use fracas::DVec3;
use fracas::geom::{DAffine3, DMat3};
use fracas::internal::Random;
use fracas::mesh::{Mesh, shapes};
use fracas::skinned::{MeshlessError, MeshlessNodes};

/// An affine motion, the rigid ones among them.
fn motions(random: &mut Random, size: f64) -> Vec<DAffine3> {
    let axis = (vector(random) + DVec3::X * 1e-3).normalize();
    let rotation = DMat3::from_axis_angle(axis, 2.0);
    let shear = DMat3::from_cols(DVec3::X, DVec3::Y + vector(random), DVec3::Z + vector(random));
    let any = DMat3::from_cols(vector(random), vector(random), vector(random));
    [DMat3::IDENTITY, rotation, shear, any, DMat3::ZERO]
        .map(|matrix3| DAffine3 { matrix3, translation: vector(random) * size })
        .to_vec()
}

fn displacements(cloud: &MeshlessNodes, motion: &DAffine3) -> Vec<DVec3> {
    cloud.rest().iter().map(|x| motion.transform_point3(*x) - *x).collect()
}

#[test]
fn affine_motions_are_reproduced() {
    for size in [1e-150, 1.0, 1e150] {
        let mut random = Random::new(3);
        let cloud = cloud(&mut random, 60, size);
        let ball = shapes::icosphere(1.0, 3);
        let positions: Vec<DVec3> = ball.positions().iter().map(|p| *p * size).collect();
        let mesh = Mesh::new(positions.clone(), ball.triangles().to_vec()).unwrap();
        let skin = cloud.skin(mesh, 8).unwrap();
        for motion in motions(&mut random, size) {
            let transforms = cloud.transforms(&displacements(&cloud, &motion)).unwrap();
            for (v, p) in positions.iter().enumerate() {
                let error = skin.vertex(v, &transforms).distance(motion.transform_point3(*p));
                assert!(error < 1e-10 * size, "{error} for {motion:?}");
            }
        }
    }
}

#[test]
fn vertices_have_eight_to_sixteen_influences_that_fade_out() {
    let mut random = Random::new(4);
    let cloud = cloud(&mut random, 115, 1.0);
    let skin = cloud.skin(shapes::icosphere(1.0, 4), 8).unwrap();
    for v in 0..skin.rest().vertex_count() {
        let list = skin.influences(v);
        assert!((8..=16).contains(&list.len()), "{}", list.len());
        let x = skin.rest().positions()[v];
        let distance = |node: u32| x.distance(cloud.rest()[node as usize]);
        for pair in list.iter().zip(list.iter().skip(1)) {
            let nearer = distance(pair.0.node) <= distance(pair.1.node);
            assert_eq!(nearer, pair.0.weight >= pair.1.weight);
        }
    }
}

/// The motion is right on the plane, line or point that the nodes span, and nothing is ever NaN.
#[test]
fn too_few_neighbours_are_no_trouble() {
    let mut random = Random::new(5);
    for axes in 0..3 {
        for nodes in [1, 2, 3, 20] {
            let basis = [vector(&mut random), vector(&mut random)];
            let shift = vector(&mut random);
            let mut on_it = |_| {
                let spans = basis.iter().take(axes).map(|axis| *axis * random.signed());
                shift + spans.sum::<DVec3>()
            };
            let rest: Vec<DVec3> = (0..nodes).map(&mut on_it).collect();
            let cloud = MeshlessNodes::new(rest, 12).unwrap();
            for motion in motions(&mut Random::new(nodes as u64), 1.0) {
                let transforms = cloud.transforms(&displacements(&cloud, &motion)).unwrap();
                for (i, transform) in transforms.iter().enumerate() {
                    assert!(transform.is_finite());
                    // The neighbours of a node are where the motion puts them.
                    for x in cloud.rest() {
                        let error = transform.transform_point3(*x).distance(motion.transform_point3(*x));
                        assert!(error < 1e-9, "{axes} axes, {nodes} nodes, node {i}: {error}");
                    }
                }
            }
        }
    }
}

#[test]
fn nodes_that_coincide_with_vertices_and_each_other() {
    let cube = shapes::cuboid(DVec3::ONE);
    let mut nodes = cube.positions().to_vec();
    nodes.extend(cube.positions());
    let cloud = MeshlessNodes::new(nodes, 4).unwrap();
    let skin = cloud.skin(cube.clone(), 2).unwrap();
    let shift = DVec3::new(1.0, 2.0, 3.0);
    let transforms = cloud.transforms(&vec![shift; 2 * cube.positions().len()]).unwrap();
    for (v, p) in cube.positions().iter().enumerate() {
        assert!(skin.vertex(v, &transforms).distance(*p + shift) < 1e-12);
    }
}

#[test]
fn bad_nodes_are_named() {
    assert_eq!(MeshlessNodes::new(vec![], 8).err(), Some(MeshlessError::NoNodes));
    let bad = vec![DVec3::ZERO, DVec3::new(0.0, f64::INFINITY, 0.0)];
    assert_eq!(MeshlessNodes::new(bad, 8).err(), Some(MeshlessError::NotFinite { node: 1 }));
    let cloud = MeshlessNodes::new(vec![DVec3::ZERO, DVec3::X], 8).unwrap();
    assert_eq!(
        cloud.transforms(&[DVec3::ZERO]).err(),
        Some(MeshlessError::WrongNodeCount { expected: 2, given: 1 })
    );
    assert_eq!(
        cloud.transforms(&[DVec3::ZERO, DVec3::NAN]).err(),
        Some(MeshlessError::NotFinite { node: 1 })
    );
}
