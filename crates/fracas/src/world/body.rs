//! What is put into a world: a body, where it is, and how it takes part.

use super::ask::{Ask, Groups};
use crate::brittle::{BrittleBody, FragmentId};
use crate::geom::{Box3, Pose};
use crate::kinetic::{DrivenBody, KineticBody};
use crate::mesh::Mesh;
use crate::skinned::SkinnedBody;
use crate::tearing::TearingBody;
use crate::tree::MeshTree;
use crate::walk::View;
use std::fmt;
use std::sync::Arc;

/// Names a body of one world. It is never given to another body of this world, and other worlds refuse it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct BodyId {
    pub(super) slot: u32,
    pub(super) generation: u32,
    pub(super) world: u32,
}

impl BodyId {
    /// The place of the body in the world's table. Another body may take the place later; `generation` tells them apart.
    #[must_use]
    pub const fn slot(&self) -> u32 {
        self.slot
    }

    /// How many bodies have been at this place before.
    #[must_use]
    pub const fn generation(&self) -> u32 {
        self.generation
    }
}

/// As `place.generation`: bodies inserted in the same order read alike in every world.
impl fmt::Debug for BodyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.slot, self.generation)
    }
}

/// The structure that a world keeps for a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Keep {
    /// None: triangles are sorted into cells for each question.
    Soup,
    /// A [`MeshTree`].
    Tree,
    /// A [`DrivenBody`]: boxes where a question needs them.
    Driven,
    /// A [`TearingBody`].
    Tearing,
    /// A [`KineticBody`].
    Kinetic,
    /// A [`SkinnedBody`].
    Skinned,
    /// A fragment of a [`BrittleBody`].
    Fragment,
}

impl fmt::Display for Keep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Soup => "a soup",
            Self::Tree => "a tree",
            Self::Driven => "a driven body",
            Self::Tearing => "a tearing body",
            Self::Kinetic => "a body on known paths",
            Self::Skinned => "a skinned body",
            Self::Fragment => "a fragment of a brittle body",
        })
    }
}

/// How a body takes part in a world.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Settings {
    /// With which others it is compared. Default: with all.
    pub groups: Groups,
    /// Whether it only notices what touches it: about pairs with it nothing else is asked. Default: no.
    pub sensor: bool,
    /// What is asked about the body alone. Default: nothing.
    pub own: Ask,
    /// The structure to keep, whatever the body does. Default: the world chooses.
    pub keep: Option<Keep>,
}

impl Default for Settings {
    fn default() -> Self {
        Self { groups: Groups::default(), sensor: false, own: Ask::NOTHING, keep: None }
    }
}

/// A body on its way into a world: anything that [`Body::from`] takes, with a pose and settings.
///
/// ```
/// use fracas::world::{Ask, Body, World};
/// use fracas::{MeshTree, Pose, DVec3, mesh::shapes};
/// use std::sync::Arc;
/// let part = Arc::new(MeshTree::build(shapes::icosphere(0.5, 2)));
/// let mut world = World::default();
/// for k in 0..500 {
///     let pose = Pose::from_translation(DVec3::X * f64::from(k)).unwrap();
///     world.insert(Body::from(part.clone()).at(&pose)); // one tree for all
/// }
/// let cloth = shapes::cloth_grid(20, 20, [1.0, 1.0]);
/// world.insert(Body::from(cloth).asking_itself(Ask::PAIRS));
/// assert_eq!(world.len(), 501);
/// ```
#[must_use]
pub struct Body {
    pub(super) kept: Kept,
    pub(super) pose: Pose,
    pub(super) settings: Settings,
}

impl Body {
    fn new(kept: Kept) -> Self {
        Self { kept, pose: Pose::IDENTITY, settings: Settings::default() }
    }

    /// Where the body is. Default: where its coordinates say.
    pub fn at(mut self, pose: &Pose) -> Self {
        self.pose = *pose;
        self
    }

    /// All settings at once.
    pub fn with(mut self, settings: Settings) -> Self {
        self.settings = settings;
        self
    }

    /// With which others it is compared.
    pub fn in_groups(mut self, groups: Groups) -> Self {
        self.settings.groups = groups;
        self
    }

    /// The body only notices what touches it.
    pub fn sensor(mut self) -> Self {
        self.settings.sensor = true;
        self
    }

    /// What is asked about the body alone, at every step.
    pub fn asking_itself(mut self, own: Ask) -> Self {
        self.settings.own = own;
        self
    }

    /// The structure to keep, whatever the body does.
    pub fn keeping(mut self, keep: Keep) -> Self {
        self.settings.keep = Some(keep);
        self
    }
}

impl From<Mesh> for Body {
    fn from(mesh: Mesh) -> Self {
        Self::new(Kept::Soup(mesh))
    }
}

impl From<MeshTree> for Body {
    fn from(tree: MeshTree) -> Self {
        Self::new(Kept::Tree(Arc::new(tree)))
    }
}

impl From<Arc<MeshTree>> for Body {
    fn from(tree: Arc<MeshTree>) -> Self {
        Self::new(Kept::Tree(tree))
    }
}

impl From<DrivenBody> for Body {
    fn from(body: DrivenBody) -> Self {
        Self::new(Kept::Driven(Box::new(body)))
    }
}

impl From<TearingBody> for Body {
    fn from(body: TearingBody) -> Self {
        Self::new(Kept::Tearing(Box::new(body)))
    }
}

impl From<KineticBody> for Body {
    fn from(body: KineticBody) -> Self {
        Self::new(Kept::Kinetic(Box::new(body)))
    }
}

impl From<SkinnedBody> for Body {
    fn from(body: SkinnedBody) -> Self {
        Self::new(Kept::Skinned(Box::new(body)))
    }
}

/// The structure of a body. A fragment's is in the brittle body that it is part of.
#[derive(Clone)]
pub(super) enum Kept {
    Soup(Mesh),
    Tree(Arc<MeshTree>),
    Driven(Box<DrivenBody>),
    Tearing(Box<TearingBody>),
    Kinetic(Box<KineticBody>),
    Skinned(Box<SkinnedBody>),
    Fragment { brittle: u32, fragment: FragmentId },
}

impl Kept {
    pub(super) fn keep(&self) -> Keep {
        match self {
            Self::Soup(_) => Keep::Soup,
            Self::Tree(_) => Keep::Tree,
            Self::Driven(_) => Keep::Driven,
            Self::Tearing(_) => Keep::Tearing,
            Self::Kinetic(_) => Keep::Kinetic,
            Self::Skinned(_) => Keep::Skinned,
            Self::Fragment { .. } => Keep::Fragment,
        }
    }

    /// The body in its own coordinates.
    pub(super) fn view<'a>(&'a self, brittle: &'a [Option<Brittle>]) -> View<'a> {
        match self {
            Self::Soup(mesh) => View::from(mesh),
            Self::Tree(tree) => tree.view(),
            Self::Driven(body) => body.view(),
            Self::Tearing(body) => body.view(),
            Self::Kinetic(body) => body.view(),
            Self::Skinned(body) => body.view(),
            Self::Fragment { brittle: index, fragment } => {
                let whole = brittle[*index as usize].as_ref().expect("kept while a fragment is there");
                whole.body.view(*fragment).expect("a fragment that the world made")
            }
        }
    }

    pub(super) fn triangle_count(&self) -> usize {
        match self {
            Self::Soup(mesh) => mesh.triangle_count(),
            Self::Tree(tree) => tree.mesh().triangle_count(),
            Self::Driven(body) => body.triangles().len(),
            Self::Tearing(body) => body.mesh().live_count(),
            Self::Kinetic(body) => body.triangles().len(),
            Self::Skinned(body) => body.skin().rest().triangle_count(),
            Self::Fragment { .. } => 0,
        }
    }
}

/// A brittle body some of whose fragments are bodies of the world.
#[derive(Clone)]
pub(super) struct Brittle {
    pub(super) body: BrittleBody,
    /// Fragments that are in the world.
    pub(super) users: u32,
}

/// Bodies further than this from the origin are refused: the next operation on a coordinate might overflow.
pub(super) fn is_within_reach(bounds: &Box3) -> bool {
    bounds.is_empty() || bounds.min.is_finite() && bounds.max.is_finite()
}
