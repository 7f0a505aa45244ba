//! Exact collision detection among triangle meshes that deform, tear and shatter.
//!
//! *Bodies* hold what changes. *Views* say where they are: `&body` as it stands, `body.at(&pose)` elsewhere. One [`Finder`]
//! answers questions about any two of them. Pairs are exact for the `f64` positions given: sorted, each once, the same
//! on any number of threads.
//!
//! ```
//! use fracas::geom::{DVec3, Pose};
//! use fracas::{Finder, MeshTree, TearingBody, mesh::shapes};
//! let ball = MeshTree::build(shapes::icosphere(1.0, 3));
//! let apple = TearingBody::build(shapes::noisy_sphere(2_000, 0.1, 1));
//! let beside = Pose::from_translation(DVec3::new(1.8, 0.0, 0.0)).unwrap();
//! let mut finder = Finder::default(); // options, and memory that is kept from query to query
//! for pair in finder.find_pairs(&ball, apple.at(&beside)) {
//!     println!("triangle {} of the ball meets {} of the apple", pair.a.0, pair.b.0);
//! }
//! ```
//!
//! # Which body?
//!
//! | you have | body | what you tell it each step |
//! |---|---|---|
//! | positions and indices of your own, queried once or changing at will | [`MeshRef`], [`Mesh`] | nothing: no structure is kept |
//! | a rigid or deforming surface | [`MeshTree`] | [`MeshTree::set_positions`] |
//! | a surface that is cut or torn ([`cut`]) | [`TearingBody`]; each [`TearingBody::piece`] is a body too | [`TearingBody::apply`] |
//! | motion that is known in advance: keys, velocities | [`kinetic::KineticBody`] | [`kinetic::KineticBody::advance_to`], new plans |
//! | a deforming surface that touches others in few places | [`kinetic::DrivenBody`] | [`kinetic::DrivenBody::set_positions`] |
//! | a surface moved by few nodes or bones ([`mesh::Skin`]) | [`SkinnedBody`] | [`SkinnedBody::set_transforms`] |
//! | a solid that shatters ([`fill`], [`fracture`]) | [`brittle::BrittleBody`]; each fragment is a body too | [`brittle::BrittleBody::split`] |
//!
//! Many bodies of several kinds go into one [`World`], which chooses for each, and reports once per step what touches.
//!
//! # Which question?
//!
//! | question | call |
//! |---|---|
//! | which triangles intersect? | [`Finder::find_pairs`], [`Finder::find_self_pairs`] |
//! | do they intersect at all? | [`Finder::find_first`]; [`Finder::overlaps`] counts a closed body inside another |
//! | how far apart are they, and where? | [`Finder::find_closest`] |
//! | what is nearer than r? | [`Finder::find_near`], [`Finder::find_near_self`]; triangles: [`Finder::find_near_triangles`] |
//! | when do moving bodies first touch? | [`Finder::find_impacts`], [`Finder::find_self_impacts`]; on known paths [`kinetic::StepImpacts`] |
//! | about a point, a ray or a box | [`View::nearest`], [`View::signed_distance`], [`View::side_of`], [`View::cast_ray`], [`View::find_in_box`] |
//! | about many points | [`Finder::nearest_each`], [`Finder::signed_distances`], [`Finder::sides`] |
//! | what is inside an open or broken surface? | [`View::winding_number`], [`View::side_by_winding`]; many points: [`winding::WindingField`] |
//! | where do they overlap, how deep, in which direction do they separate? | [`Finder::find_contacts`], [`Finder::find_contacts_with`] |
//! | contacts of brittle bodies | [`brittle::ContactFinder`] |
//! | is the answer right? | [`pairs::brute`], which compares every triangle with every other |
#![forbid(unsafe_code)]

mod base;
pub mod brittle;
pub mod contact;
pub mod crowd;
pub mod cut;
pub mod exact;
pub mod fill;
mod find;
pub mod fracture;
pub mod geom;
pub mod impact;
pub mod kinetic;
pub mod mesh;
pub mod near;
pub mod pairs;
pub mod skinned;
pub mod soup;
pub mod tearing;
pub mod tree;
mod walk;
pub mod winding;
pub mod world;

/// What the other crates of the project share with the library, and programs should not use: it may change at any time.
#[doc(hidden)]
pub mod internal {
    pub use crate::base::Random;
    pub use crate::base::parallel::map as map_parallel;
    pub use crate::exact::ccd::batch::{ImpactBatch, ImpactStats, Row as ImpactRow};
    pub use crate::kinetic::at_rest::self_candidates;
    pub use crate::pairs::frame::Frame;
}

pub use brittle::{BrittleBody, FragmentId, Solid};
pub use contact::{Contact, ContactError, ContactOptions, ContactParts};
pub use find::{Closest, FindOptions, Finder};
pub use geom::{Box3, DQuat, DVec3, Pose};
pub use impact::{Features, Impact, Impacts, Sweep};
pub use kinetic::KineticBody;
pub use mesh::{LiveMesh, Mesh, MeshEdit, MeshError, MeshRef, TriangleId};
pub use near::{Near, NearParts};
pub use pairs::{FindStats, Pair, Threads, Touch, Twins};
pub use skinned::{SkinOptions, SkinnedBody};
pub use soup::SoupOptions;
pub use tearing::{Piece, TearingBody};
pub use tree::{BuildOptions, MeshTree, SplitRule};
pub use walk::{Feature, Nearest, OpenSurface, RayHit, Side, SignedDistance, View};
pub use world::World;
