//! What users would pick instead, driven as their documentation says.

pub mod embree;
pub mod obvhs;
pub mod parry;
pub mod python;
