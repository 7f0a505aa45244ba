//! Edits: what one step of cutting, tearing or breaking does to a mesh.
//!
//! A [`MeshEdit`] is plain data. A cutter or a simulation writes it, [`LiveMesh::apply`](super::LiveMesh::apply) carries it
//! out, and structures over the mesh use the same edit to update themselves.
//!
//! # Idea
//!
//! ```text
//!      before                after              removed   0
//!       2                     2                 added     4 5 6, each of which replaces 0
//!      / \                   / \                          7 8 …, new surface along the crack
//!     /   \       ──▶    ···4···3···
//!    / [0] \               /  \/ \              New ids continue after the last: a mesh with triangle slots
//!   0-------1             0-------1             0 to 3 gives the first added triangle the id 4, a mesh with
//!                                               vertices 0 to 2 gives the first new position the index 3.
//! ```
//!
//! Where a triangle was, the triangles that replace it cover it again. A triangle whose corners change, because a crack
//! has parted it from its neighbours, is removed and replaced by one.
//!
//! # Reference
//!
//! The three sets are T_old, T_decomp and T_crack of M. A. Otaduy, O. Chassot, D. Steinemann and M. Gross, *Balanced
//! hierarchies for collision detection between fracturing objects*, IEEE Virtual Reality, 2007.

use super::TriangleId;
use crate::geom::DVec3;

/// One step of change of a [`LiveMesh`](super::LiveMesh), whose `new` shows one.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MeshEdit {
    /// Every triangle that disappears, each once. T_old in the paper.
    pub removed: Vec<TriangleId>,
    /// Positions of new vertices. Their indices continue after the mesh's last.
    pub new_positions: Vec<DVec3>,
    /// Vertices of the mesh that move, each at most once, and where to.
    pub moved: Vec<(u32, DVec3)>,
    /// New triangles. Their ids continue after the mesh's last slot.
    pub added: Vec<NewTriangle>,
    /// Vertices, of the mesh or new, that a crack has made of one point. Queries of a body against itself may take
    /// such twins for one vertex until they have moved apart ([`Twins`](crate::Twins)).
    pub twins: Vec<[u32; 2]>,
    /// Triangles, of the mesh or new, that are the two faces of a crack: the vertices of one are twins of the other's. Queries of a
    /// body against itself then look at one of them for both. A hint: nothing depends on it but time.
    pub twin_faces: Vec<[TriangleId; 2]>,
}

/// A triangle that an edit adds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NewTriangle {
    /// Three different vertices, of the mesh or new.
    pub corners: [u32; 3],
    /// Why it is there.
    pub origin: Origin,
}

/// Where a new triangle comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// It covers a part, or all, of a triangle that the same edit removes. T_decomp in the paper.
    Replaces(TriangleId),
    /// It is new surface along a crack. T_crack in the paper.
    Crack,
}

impl MeshEdit {
    /// Adds to the edit that a triangle disappears.
    pub fn remove(&mut self, triangle: TriangleId) {
        self.removed.push(triangle);
    }

    /// Adds to the edit that a triangle disappears and others come in its place.
    pub fn replace(&mut self, triangle: TriangleId, by: impl IntoIterator<Item = [u32; 3]>) {
        self.removed.push(triangle);
        let origin = Origin::Replaces(triangle);
        self.added.extend(by.into_iter().map(|corners| NewTriangle { corners, origin }));
    }

    /// Adds a triangle of new surface to the edit.
    pub fn insert(&mut self, corners: [u32; 3]) {
        self.added.push(NewTriangle { corners, origin: Origin::Crack });
    }

    /// Whether the edit changes nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Makes the edit empty and keeps its memory.
    pub fn clear(&mut self) {
        self.removed.clear();
        self.new_positions.clear();
        self.moved.clear();
        self.added.clear();
        self.twins.clear();
        self.twin_faces.clear();
    }

    /// How many triangles the edit adds in place of removed ones, and how many along a crack.
    #[must_use]
    pub fn added_counts(&self) -> (usize, usize) {
        let crack = self.added.iter().filter(|new| new.origin == Origin::Crack).count();
        (self.added.len() - crack, crack)
    }
}

/// Why an edit cannot be applied. `added` and `position` count within the edit's own lists.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum EditError {
    /// A triangle to be removed was never there.
    #[error("triangle {} cannot be removed: there are {slots} triangle slots", triangle.0)]
    NoSuchTriangle {
        /// The first such triangle in the list.
        triangle: TriangleId,
        /// How many slots the mesh has, dead ones included.
        slots: usize,
    },
    /// A triangle to be removed was removed before.
    #[error("triangle {} cannot be removed: it is already gone", triangle.0)]
    DeadTriangle {
        /// The first such triangle in the list.
        triangle: TriangleId,
    },
    /// The edit removes a triangle twice.
    #[error("triangle {} is removed twice", triangle.0)]
    RemovedTwice {
        /// The lowest such triangle.
        triangle: TriangleId,
    },
    /// A new position has a NaN or infinite coordinate.
    #[error("new position {position} is not finite: ({}, {}, {})", value.x, value.y, value.z)]
    NewPositionNotFinite {
        /// Where it stands among the new positions.
        position: usize,
        /// The position itself.
        value: DVec3,
    },
    /// A vertex moves to a place with a NaN or infinite coordinate.
    #[error("vertex {vertex} moves to a place that is not finite: ({}, {}, {})", value.x, value.y, value.z)]
    MoveNotFinite {
        /// The first such vertex in the list.
        vertex: u32,
        /// Where it would go.
        value: DVec3,
    },
    /// A vertex that moves is not there. New vertices cannot move in the edit that makes them.
    #[error("vertex {vertex} cannot move: there are {vertices} vertices")]
    NoSuchVertexToMove {
        /// The first such vertex in the list.
        vertex: u32,
        /// How many vertices the mesh has before the edit.
        vertices: usize,
    },
    /// The edit moves a vertex twice.
    #[error("vertex {vertex} is moved twice")]
    MovedTwice {
        /// The lowest such vertex.
        vertex: u32,
    },
    /// An added triangle names a vertex that is neither there nor new.
    #[error("added triangle {added} names vertex {vertex}, but there will be {vertices} vertices")]
    NoSuchVertex {
        /// Where the triangle stands among the added ones.
        added: usize,
        /// The vertex it names.
        vertex: u32,
        /// How many vertices the mesh has after the edit.
        vertices: usize,
    },
    /// An added triangle names a vertex twice.
    #[error("added triangle {added} names vertex {vertex} twice")]
    RepeatedVertex {
        /// Where the triangle stands among the added ones.
        added: usize,
        /// The vertex.
        vertex: u32,
    },
    /// An added triangle replaces one that the edit does not remove.
    #[error("added triangle {added} replaces triangle {}, which the edit does not remove", triangle.0)]
    ReplacesKept {
        /// Where the triangle stands among the added ones.
        added: usize,
        /// The triangle it names.
        triangle: TriangleId,
    },
    /// A twin is neither there nor new.
    #[error("vertex {vertex} cannot be a twin: there will be {vertices} vertices")]
    NoSuchTwin {
        /// The first such vertex in the list.
        vertex: u32,
        /// How many vertices the mesh has after the edit.
        vertices: usize,
    },
    /// A twin face is neither there nor new.
    #[error("triangle {} cannot be a twin face: there will be {slots} triangle slots", triangle.0)]
    NoSuchTwinFace {
        /// The first such triangle in the list.
        triangle: TriangleId,
        /// How many slots the mesh has after the edit, dead ones included.
        slots: usize,
    },
    /// More triangles or vertices than ids.
    #[error("{count} {what} are more than the {limit} that a mesh under edits can have")]
    TooMany {
        /// `"vertices"` or `"triangle slots"`.
        what: &'static str,
        /// How many there would be.
        count: usize,
        /// How many there may be.
        limit: usize,
    },
}
