//! The figures of the paper: events, updates and times of the kinetic AABB tree, the BoxTree and the separation list.

use crate::metric::Report;
use std::io;
use std::path::Path;

/// Measures the paper's structures.
pub fn run(_: &mut Report, _: bool, _: &Path) -> io::Result<()> {
    Ok(())
}
