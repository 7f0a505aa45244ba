//! Geometric values: points, boxes, triangles and poses.
//!
//! Positions and the boxes that users see ([`Box3`]) are `f64`. Structures store `f32` boxes, rounded outward ([`round`])
//! or padded, so that a box never loses a point it must hold and costs half the memory traffic.

mod box3;
mod boxes8;
pub(crate) mod distance;
mod eigen;
mod kdop;
mod pose;
pub mod round;
mod triangle;
mod unit_scale;

pub use box3::Box3;
pub(crate) use boxes8::{Boxes8, LANES};
pub(crate) use eigen::symmetric_eigen;
pub(crate) use glam::Vec4;
pub use glam::{DAffine3, DMat3, DQuat, DVec3, DVec4, Vec3};
pub(crate) use kdop::{BLOCK, BLOCKS};
pub use kdop::{Directions, Kdop};
pub use pose::{Pose, PoseError};
pub use triangle::Triangle;
pub(crate) use unit_scale::UnitScale;
