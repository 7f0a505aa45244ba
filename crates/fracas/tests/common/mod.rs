//! What several tests share.
#![allow(dead_code)] // Every test uses its own part.

pub mod bodies;
pub mod cases;
pub mod engines;
pub mod generate;
pub mod patches;
pub mod soups;
pub mod threads;

#[path = "../exact/inputs.rs"]
pub mod inputs;
