//! Values without identity: points, boxes, triangles, spheres and poses.
//!
//! Positions are `f64`. Stored bounds are `f32`, rounded outward ([`round`]), so a box never loses a point it
//! must hold and costs half the memory traffic.

mod aabb;
mod boxes8;
mod pose;
pub mod round;
mod sphere;
mod triangle;

pub use aabb::Aabb;
#[doc(hidden)]
pub use boxes8::{Boxes8, LANES};
pub use glam::{DAffine3, DMat3, DQuat, DVec3, DVec4, Vec3};
pub use pose::Pose;
pub use sphere::Sphere;
pub use triangle::Triangle;
