//! Bytes as numbers, points, meshes and poses: what the targets that call the library make of their input.

#![allow(dead_code)]

use fracas::geom::{DQuat, DVec3, Pose};
use fracas::mesh::Mesh;

/// Bytes that are used up from the front; zeros come when they are.
pub struct Input<'a>(pub &'a [u8]);

impl Input<'_> {
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn byte(&mut self) -> u8 {
        let Some((&first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        first
    }

    /// A number below `end`.
    pub fn below(&mut self, end: usize) -> usize {
        (usize::from(self.byte()) << 8 | usize::from(self.byte())) % end.max(1)
    }

    /// A small multiple of an eighth, so that coincidences are common.
    pub fn small(&mut self) -> f64 {
        f64::from(self.byte() as i8) / 8.0
    }

    /// Any bits.
    pub fn any(&mut self) -> f64 {
        f64::from_bits(u64::from_le_bytes(std::array::from_fn(|_| self.byte())))
    }

    /// A power of two with an exponent from −900 to 900.
    pub fn exponent(&mut self) -> i32 {
        self.below(1801) as i32 - 900
    }

    /// Small, of any size, or any bits.
    pub fn number(&mut self) -> f64 {
        match self.byte() % 4 {
            0 => self.any(),
            1 => self.small() * 2f64.powi(self.exponent()),
            _ => self.small(),
        }
    }

    pub fn point(&mut self, mut number: impl FnMut(&mut Self) -> f64) -> DVec3 {
        DVec3::new(number(self), number(self), number(self))
    }

    /// A few triangles over a few points; `None` if a point is not finite.
    pub fn mesh(&mut self, number: impl FnMut(&mut Self) -> f64 + Copy) -> Option<Mesh> {
        let (points, triangles) = (3 + self.below(10), 1 + self.below(12));
        let positions = (0..points).map(|_| self.point(number)).collect();
        let triangles = (0..triangles).map(|_| [0; 3].map(|_| self.below(points) as u32)).collect();
        Mesh::new(positions, triangles).ok()
    }

    /// A pose with a translation of any kind; `None` if it is none.
    pub fn pose(&mut self) -> Option<Pose> {
        let turn = DQuat::from_array([0.0; 4].map(|_| self.small()));
        let turn = if self.byte() % 2 == 0 { DQuat::IDENTITY } else { turn };
        Pose::new(turn, self.point(Self::number))
    }
}
