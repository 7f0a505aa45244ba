//! Meshes made by formula: test bodies, and bodies for scenes.
//!
//! Every closed shape is watertight by index, faces outward, and has neither degenerate triangles nor
//! self-intersections. [`folded_cloth`] intersects itself on purpose. The same arguments give the same mesh, bit
//! for bit, whatever the number of threads; sine and cosine come from the system, so another machine may round
//! the round shapes differently.
//!
//! | shape | closed | made of |
//! |---|---|---|
//! | [`icosphere`], [`geodesic_sphere`] | yes | nearly equal triangles |
//! | [`noisy_sphere`] | yes | the same, pushed in and out by smooth noise |
//! | [`cuboid`], [`brick`], [`plate`] | yes | 12 triangles; grids of squares |
//! | [`torus`], [`cylinder`], [`capsule`], [`cone`] | yes | rings of quads |
//! | [`surface_of_revolution`] | if its profile is | rings of quads |
//! | [`pumpkin`] | yes | a ribbed, dented sphere |
//! | [`creature`] | yes | an isosurface: a horned animal on four legs |
//! | [`chazelle`] | yes | a block with notches on both sides: the worst case |
//! | [`cloth_grid`] | no | a flat grid of squares |
//! | [`folded_cloth`] | no | a strip folded into layers that press through each other |
//!
//! Invalid sizes are programming errors and panic: lengths that are not positive and finite, fewer than three
//! segments around an axis, and others that a function names.
//!
//! ```
//! use fracas::mesh::{Report, shapes};
//! let ring = Report::of(&shapes::torus(2.0, 0.5, 60));
//! assert!(ring.closed && ring.oriented && ring.volume.unwrap() > 0.0);
//! assert_eq!((ring.components, ring.euler_characteristic()), (1, 0));
//! ```

mod chazelle;
mod cloth;
mod creature;
mod isosurface;
mod noise;
mod pumpkin;
mod revolution;
mod solids;
mod sphere;

pub use chazelle::chazelle;
pub use cloth::{cloth_grid, folded_cloth};
pub use creature::creature;
pub use pumpkin::pumpkin;
pub use revolution::{capsule, cone, cylinder, surface_of_revolution, torus};
pub use solids::{brick, cuboid, plate};
pub use sphere::{geodesic_sphere, icosphere, noisy_sphere};

use super::Mesh;
use crate::geom::DVec3;

/// A mesh from parts that a generator has made.
fn shape(positions: Vec<DVec3>, triangles: Vec<[u32; 3]>) -> Mesh {
    Mesh::new(positions, triangles).unwrap_or_else(|error| panic!("the shape is too large: {error}"))
}

#[track_caller]
fn assert_size(name: &str, size: f64) {
    assert!(size > 0.0 && size.is_finite(), "{name} {size} is not positive and finite");
}

/// No shape is divided into more pieces along one line, nor has more vertices than the square of this.
const MOST_PIECES: usize = 1 << 14;

/// How many pieces of about the given length make up the whole; at least one.
#[track_caller]
fn pieces(whole: f64, piece: f64) -> usize {
    let count = (whole / piece).round().max(1.0);
    assert!(count <= MOST_PIECES as f64, "{count:e} pieces of {piece:e} are more than {MOST_PIECES}");
    count as usize
}
