//! Questions about fragments: the nearest surface of a point, and the contacts of two fragments.
//!
//! `presence` bounds distances by cells that were marked (`marker`), `nearest_surface` answers single questions with the help of `crack_field`, `facet_tree` answers many, and
//! `contacts` asks them.

mod contacts;
pub(crate) mod crack_field;
pub(crate) mod facet_tree;
mod facet_walk;
pub(crate) mod marker;
pub(crate) mod nearest_surface;
pub(crate) mod presence;

pub use contacts::{Contact, ContactFinder, ContactOptions, ContactStats, Probe};
pub use facet_tree::FacetTree;
pub use nearest_surface::NearestSurface;
