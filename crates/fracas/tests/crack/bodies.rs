//! Bodies to be cut, and numbers that look random.

use fracas::geom::DVec3;
use fracas::mesh::{Mesh, shapes};

/// Closed bodies of one resolution out of three.
pub fn bodies(size: usize) -> Vec<(&'static str, Mesh)> {
    let triangles = [500, 2_000, 8_000][size];
    vec![
        ("creature", shapes::creature([5_000, 6_000, 8_000][size])),
        ("noisy sphere", shapes::noisy_sphere(triangles, 0.3, 7)),
        ("pumpkin", shapes::pumpkin(9, triangles)),
        ("torus", shapes::torus(1.0, 0.4, [12, 24, 60][size])),
    ]
}

/// A sphere with a hollow: two surfaces, the inner one facing inward.
pub fn shell(triangles: usize, thickness: f64) -> Mesh {
    let outer = shapes::noisy_sphere(triangles, 0.0, 1);
    let inner: Vec<DVec3> = outer.positions().iter().map(|p| *p * (1.0 - thickness)).collect();
    let inner = Mesh::new(inner, outer.triangles().to_vec()).unwrap().flipped();
    Mesh::join([&outer, &inner]).unwrap()
}

/// Numbers between −1 and 1.
pub struct Numbers(pub u64);

impl Numbers {
    pub fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    pub fn vector(&mut self) -> DVec3 {
        DVec3::new(self.next(), self.next(), self.next())
    }
}
