//! Brittle bodies: geometry, distances, trees and contacts after several generations of fracture, against brute force.

mod contacts;
mod errors;
mod facets;
mod field;
mod fractures;
mod pieces;
