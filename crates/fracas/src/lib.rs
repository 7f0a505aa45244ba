//! Every collision among objects that bend, tear and shatter, exactly and in real time.
#![forbid(unsafe_code)]

pub mod exact;
pub mod geom;
pub mod mesh;
