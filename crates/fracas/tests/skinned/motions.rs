//! Skins and motions for the tests.

use fracas::DVec3;
use fracas::geom::{DAffine3, DMat3};
use fracas::internal::Random;
use fracas::mesh::{Mesh, Skin, shapes};
use fracas::skinned::{MeshlessNodes, SkinOptions, SkinnedBody};

pub fn vector(random: &mut Random) -> DVec3 {
    DVec3::new(random.signed(), random.signed(), random.signed())
}

/// Nodes in a ball.
pub fn cloud(random: &mut Random, nodes: usize, radius: f64) -> MeshlessNodes {
    let nodes = (0..nodes).map(|_| vector(random) * radius).collect();
    MeshlessNodes::new(nodes, 12).expect("finite nodes")
}

/// A crumpled ball of the given size, and its nodes.
pub fn ball(seed: u64, triangles: usize, nodes: usize, size: f64) -> (MeshlessNodes, Skin) {
    let mut random = Random::new(seed);
    let mesh = shapes::noisy_sphere(triangles, 0.3, seed);
    let positions = mesh.positions().iter().map(|p| *p * size).collect();
    let mesh = Mesh::new(positions, mesh.triangles().to_vec()).expect("finite positions");
    let cloud = cloud(&mut random, nodes, size);
    let skin = cloud.skin(mesh, 8).expect("weights from nodes");
    (cloud, skin)
}

pub fn body(skin: &Skin, options: &SkinOptions) -> SkinnedBody {
    SkinnedBody::new(skin.clone(), options).expect("a skin of moderate size")
}

/// A smooth motion of the nodes: bending, twisting and a shift, more of it with every step.
pub fn waving(cloud: &MeshlessNodes, step: usize, size: f64) -> Vec<DAffine3> {
    let t = step as f64 * 0.13;
    let wave = |x: &DVec3| {
        let x = *x / size;
        let bend = DVec3::new((2.0 * x.y + t).sin(), (1.5 * x.z - t).cos(), (x.x * 2.0 + 2.0 * t).sin());
        (bend * 0.2 + DVec3::new(0.1, 0.05, 0.0) * t.sin()) * size
    };
    let displacements: Vec<DVec3> = cloud.rest().iter().map(wave).collect();
    cloud.transforms(&displacements).expect("finite displacements")
}

/// Transforms without any relation to each other: shears, reflections, large rotations, flat ones.
pub fn wild(random: &mut Random, nodes: usize, size: f64) -> Vec<DAffine3> {
    let kinds = 0..nodes;
    let transforms = kinds.map(|k| {
        let (a, b) = (vector(random), vector(random));
        let matrix3 = match k % 5 {
            0 => DMat3::from_axis_angle((a + DVec3::X * 1e-3).normalize(), 3.0 * b.x),
            1 => DMat3::from_diagonal(DVec3::new(-1.0, 1.0, 1.0)),
            2 => DMat3::from_cols(DVec3::X, DVec3::Y + a, DVec3::Z + b),
            3 => DMat3::ZERO,
            _ => DMat3::from_cols(a, b, DVec3::ZERO),
        };
        DAffine3 { matrix3, translation: vector(random) * 0.3 * size }
    });
    transforms.collect()
}

/// The mesh of the evaluated vertices.
pub fn evaluated(body: &SkinnedBody) -> Mesh {
    let skin = body.skin();
    Mesh::new(skin.evaluate(body.transforms()), skin.rest().triangles().to_vec()).expect("finite vertices")
}
