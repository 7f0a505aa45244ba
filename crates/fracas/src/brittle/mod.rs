//! Brittle bodies: rigid until they break, and then rigid pieces that may break again.
//!
//! When a plate shatters, its pieces touch everywhere at once, in the most expensive step of the simulation. So the
//! structures that find contacts are prepared once, for the whole body, and a fracture changes them only along the crack.
//!
//! # Idea
//!
//! ```text
//!     Solid: prepared once, shared by all bodies of one shape     BrittleBody: what breaks
//!     ┌──────────────────────────────────────────────┐            ┌────────────────────────────────────┐
//!     │ tetrahedra, neighbourhoods, surface          │   split    │ each node: its fragment            │
//!     │ cells: which tetrahedron holds a point?      │ ─────────▶ │ each cut tetrahedron: its planes   │
//!     │ surface grid: which surface triangle is near?│  labels of │ each fragment: sphere tree, cells, │
//!     │ farthest-point order of nodes, sphere tree   │    nodes   │   mass, centre, inertia            │
//!     └──────────────────────────────────────────────┘            │ … when first asked: distance field,│
//!                                                                 │   facet tree                       │
//!                                                                 └────────────────────────────────────┘
//! ```
//!
//! A fracture is a *relabelling*: every node of a fragment gets the label of a piece and a weight. A point of a
//! tetrahedron belongs to the piece with the largest weight there, interpolated from the corners. So the crack consists of planes
//! inside tetrahedra that agree across faces and leave convex parts (`split/cut_tet`). [`crate::fracture`] makes
//! labels; they may come from any other source.
//!
//! # Follow one contact
//!
//! [`ContactFinder`] walks the *sphere tree* of one fragment, coarse points first (`query/contacts`) → the *cells* of the
//! other fragment rule out points that are far away (`query/presence`) → the *facet tree* of the other fragment gives the nearest surface of a
//! point that may be near (`query/facet_tree`) → where the nearest facet does not tell on which side the point is, the tetrahedron
//! that holds it does (`solid/cells`) → a point within the tolerance becomes a contact. The first few are enough to separate two
//! bodies; after these, only deeper points are added.
//!
//! A single query, [`BrittleBody::find_nearest`], uses the fragment distance field of the paper: the nodes around a point store the nearest
//! crack (`query/crack_field`), the surface grid stores the nearest original surface (`solid/surface_grid`), and the cells lead to
//! anything nearer (`query/nearest_surface`).
//!
//! Both are built on first use, so a fracture pays for neither. Times relative to those of the field, measured for points
//! inside 14 large and 128 small pieces of one body (`fracas-bench brittle`):
//!
//! | of a fragment | building | a deep point | a shallow point | use it for |
//! |---|---|---|---|---|
//! | distance field | 1 | 1 | 1 | single queries: rays, picking, blows |
//! | facet tree | 0.9 to 1.0 | 0.4 to 0.5 | 0.4 to 0.5 | contacts: hundreds of points; it pays at once inside, after 20 to 25 outside |
//!
//! # Invariants (checked by [`BrittleBody::validate`])
//!
//! - Fragments partition the nodes; the nodes of each are connected by edges of the mesh.
//! - A tetrahedron is cut if and only if its nodes are in several fragments; its parts are those of its nodes.
//! - A sphere of a tree holds every point below it. Every node and every corner of a crack is in exactly one tree.
//! - The cells of a fragment hold every point of it, and its surface cells every point of its surface.
//! - Nodes store only cracks of their own fragment, and every node of a cut tetrahedron stores one.
//!
//! # Departures from the paper
//!
//! - Nodes store *where* the nearest crack is, not a direction: averaged directions were off by 40° and more.
//! - Contacts take their distances from facet trees, which are exact and faster.
//! - Points outside get exact distances too; engines ask for contacts before bodies touch.
//! - Parts of a tetrahedron come from weights of nodes, not from free points on edges, whose planes would not meet.
//! - Presence masks belong to fragments, not to cells, so their number is not bounded; a parent holds a fragment if a child does.
//! - Farthest-point sampling begins with an outermost point and the one farthest from it, not with the two farthest apart.
//!
//! # When to use something else
//!
//! Bodies that bend or tear slowly: [`crate::tearing`]. All intersecting pairs of triangles, exactly: build a
//! [`crate::tree`] over the surfaces ([`BrittleBody::surface`]).
//!
//! # Reference
//!
//! L. Glondu, S. C. Schvartzman, M. Marchal, G. Dumont, M. A. Otaduy, *Efficient collision detection for brittle fracture*,
//! Symposium on Computer Animation, 2012.

mod body;
mod error;
mod query;
mod solid;
mod split;
mod surface;
mod validate;

pub(crate) use body::Fracture;
pub use body::{BrittleBody, Fragment, FragmentId};
pub use error::BrittleError;
pub use query::{Contact, ContactFinder, ContactOptions, ContactStats, FacetTree, NearestSurface, Probe};
pub use solid::{FarthestPointOrder, Solid, SolidOptions, SphereTree, farthest_point_order};
pub use split::SplitStats;
pub use surface::SharpEdge;
