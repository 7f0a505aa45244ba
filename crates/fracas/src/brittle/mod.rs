//! Brittle bodies: rigid until they break, and then rigid pieces that may break again.
//!
//! When a plate shatters, its pieces touch everywhere at once, in the very step that has the least time to spare. Here the
//! structures that find contacts are made once, for the whole body; a fracture only changes them where it passes.
//!
//! # Idea
//!
//! ```text
//!     Solid: made once, shared by all bodies of one shape        BrittleBody: what breaks
//!     ┌─────────────────────────────────────────────┐            ┌────────────────────────────────────┐
//!     │ tetrahedra, neighbourhoods, surface         │   split    │ each node: its fragment, and the   │
//!     │ cells: which tetrahedron holds a point?     │ ─────────▶ │   crack nearest to it              │
//!     │ grid: which triangle of the surface is near?│  labels of │ each cut tetrahedron: its planes   │
//!     │ points in order of distance, a sphere tree  │    nodes   │ each fragment: sphere tree, cells, │
//!     └─────────────────────────────────────────────┘            │   mass, centre, inertia            │
//!                                                                └────────────────────────────────────┘
//! ```
//!
//! A fracture is a *relabelling*: every node of a fragment gets the label of a piece and a weight. A point of a
//! tetrahedron belongs to the piece that has the most weight there, interpolated from the corners. So the crack is made of planes
//! inside tetrahedra, fits together across their faces, and leaves convex parts (`cut`). [`crate::crack`] makes
//! labels; any other source will do.
//!
//! *Distances* ([`BrittleBody::find_nearest`]): a node remembers the cut tetrahedron whose crack is nearest to it. After a
//! fracture, fronts spread from the new cracks as long as they bring something nearer (`field`). A point takes what the nodes
//! around it remember and what the grid knows of the original surface, measures exactly, and looks at the neighbours.
//!
//! Who asks about many points near one fragment sorts its surface first ([`FacetTree`]).
//!
//! *Contacts* ([`ContactFinder`]): a sphere tree over the nodes and crack corners of one fragment (`spheres`) is walked, coarse
//! points first, against the distances of another. The first few contacts are enough to part two bodies; after
//! these, only deeper ones are added.
//!
//! # Invariants (checked by [`BrittleBody::validate`])
//!
//! - Fragments part the nodes; the nodes of each are connected by edges of the mesh.
//! - A tetrahedron is cut if and only if its nodes are in several fragments; its parts are those of its nodes.
//! - A sphere of a tree holds every point below it. Every node and every corner of a crack is in exactly one tree.
//! - A fragment's cells hold every point of it, and those of its skin every point of its surface.
//! - No remembered distance is smaller than the true one.
//!
//! # Departures from the paper
//!
//! - Nodes remember *where* the nearest crack is, not a direction: averaged directions were off by 40° and more.
//! - Points outside get exact distances too; engines ask for contacts before bodies touch.
//! - Parts of a tetrahedron come from weights of nodes, not from free points on edges, whose planes would not meet.
//! - Presence masks are kept per fragment, not per cell, so their number is not bounded; a parent holds a fragment if a child does.
//! - The order of points begins with an outermost point and the one farthest from it, not with the two farthest apart.
//!
//! # When to use something else
//!
//! Bodies that bend or tear slowly: [`crate::tearing`]. All intersecting pairs of triangles, exactly: take the surfaces
//! ([`BrittleBody::surface`]) to [`crate::tree`].
//!
//! # Reference
//!
//! L. Glondu, S. C. Schvartzman, M. Marchal, G. Dumont, M. A. Otaduy, *Efficient collision detection for brittle fracture*,
//! Symposium on Computer Animation, 2012.

mod body;
mod error;
mod filling;
mod grading;
mod mass;
mod query;
mod solid;
mod split;
mod surface;
mod validate;

pub use body::{BrittleBody, Fragment, FragmentId};
pub use error::BrittleError;
pub use filling::{FillError, FillOptions, GradedFillOptions, Grading, fill, fill_graded, fill_sized};
pub use mass::MassProperties;
pub use query::{Contact, ContactFinder, ContactOptions, ContactStats, FacetTree, NearestSurface, Probe};
pub use solid::{FarthestPointOrder, Solid, SolidOptions, SphereTree, farthest_point_order};
pub use split::SplitStats;
pub use surface::SharpEdge;
