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

impl Numbers {
    /// Other numbers for each seed.
    pub fn from_seed(seed: u64) -> Self {
        let mut numbers = Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        for _ in 0..4 {
            numbers.next();
        }
        numbers
    }

    /// An integer below another.
    pub fn below(&mut self, end: usize) -> usize {
        (((self.next() + 1.0) * 0.5 * end as f64) as usize).min(end - 1)
    }
}

/// A closed body of size 1 or 2 with few triangles or many, on a grid or not.
pub fn any_body(numbers: &mut Numbers) -> Mesh {
    match numbers.below(9) {
        0 => shapes::icosphere(1.0, numbers.below(4) as u32),
        1 => shapes::cuboid(DVec3::splat(2.0)),
        2 => shapes::brick(DVec3::new(2.0, 2.0, 1.0), [0.25, 0.5, 1.0][numbers.below(3)]),
        3 => shapes::torus(1.0, 0.5, 3 + numbers.below(30)),
        4 => shapes::noisy_sphere(100 + numbers.below(3000), 0.8, numbers.0),
        5 => shapes::pumpkin(5, 500 + numbers.below(2000)),
        6 => shell(300 + numbers.below(2000), [0.05, 0.5][numbers.below(2)]),
        7 => shapes::cylinder(1.0, 1.0, 4 + numbers.below(20)),
        _ => shapes::cone(1.0, 2.0, 4 + numbers.below(20)),
    }
}
