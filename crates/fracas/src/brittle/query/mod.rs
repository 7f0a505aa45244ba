//! Questions about fragments: how far, which way out, and where two of them touch.

mod contacts;
pub(crate) mod crack_field;
mod facet_tree;
pub(crate) mod nearest;
pub(crate) mod presence;

pub use contacts::{Contact, ContactFinder, ContactOptions, ContactStats, Probe};
pub use facet_tree::FacetTree;
pub use nearest::NearestSurface;
