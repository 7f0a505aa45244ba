//! A mesh under edits: triangles come and go, and an id never names another triangle.
//!
//! # Idea
//!
//! A triangle is a *slot* that is never used again: an edit appends slots and marks others dead. The corners that name
//! a vertex form a doubly linked list through the slots, so that a triangle is added or taken out in constant time, and
//! the triangles around a vertex are found without a search:
//!
//! ```text
//!   first corner     slot 0 [a b c]     slot 7 [d a e]     slot 9 [f g a]
//!     of vertex a ──────▶ · ─────────────────▶ · ───────────────▶ · ─▶ none
//!                         ◀──────────────────  ◀────────────────
//! ```
//!
//! # Invariants
//!
//! Checked by [`LiveMesh::validate`]. Every corner of a living triangle is in the list of its vertex and in no other;
//! no corner of a dead one is in any. All positions are finite; every slot, dead or alive, names vertices that are there.
//!
//! # When to use something else
//!
//! For a mesh whose triangles stay, [`Mesh`] and [`Adjacency`](super::Adjacency): they need less memory. Dead slots are
//! kept for ever (37 bytes each); after long cutting, [`LiveMesh::to_mesh`] gives a compact mesh with new ids.

use super::triangles::{check_count, replace_positions};
use super::{EditError, Mesh, MeshEdit, MeshError, Origin, TriangleId};
use crate::base::{make_roomy, reserve_warm, roomy, warm_room};
use crate::geom::{DVec3, Triangle};
use std::ops::Range;

/// End of a list of corners. A corner is named by three times its slot plus 0, 1 or 2.
const NONE: u32 = u32::MAX;
/// How many slots leave [`NONE`] free among the names of corners.
const MOST_SLOTS: usize = (u32::MAX / 3) as usize;

/// A mesh under edits. Ids of triangles and vertices are never reused.
#[derive(Clone, Debug, Default)]
#[must_use]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct LiveMesh {
    positions: Vec<DVec3>,
    triangles: Vec<[u32; 3]>,
    alive: Vec<bool>,
    live_count: usize,
    /// The first corner in the list of each vertex.
    first: Vec<u32>,
    /// The neighbours of each corner in the list of its vertex.
    links: Vec<Link>,
    /// By vertex: the next of its twins, in a circle; empty if there are none.
    twins: Vec<u32>,
    /// No vertex below this one has a twin: a cut makes new vertices, so most queries about old ones end here.
    first_twin: u32,
    /// By slot: the other face of its crack, or [`NONE`]; may end before the last slot.
    twin_faces: Vec<u32>,
    /// Sorted copies of the triangles that an edit removes and of the vertices it moves: duplicates stand side by side.
    #[cfg_attr(feature = "serde", serde(skip))]
    scratch: [Vec<u32>; 2],
}

/// Refuses more triangle slots than corners can be named of.
fn check_slots(count: usize) -> Result<(), MeshError> {
    let limit = MOST_SLOTS;
    if count <= limit { Ok(()) } else { Err(MeshError::TooMany { what: "triangle slots", count, limit }) }
}

/// Refuses room for more triangle slots and vertices than a mesh can have.
fn check_room([slots, vertices]: [usize; 2], more: [usize; 2]) -> Result<(), MeshError> {
    check_slots(slots.saturating_add(more[0]))?;
    check_count("vertices", vertices.saturating_add(more[1]))
}

#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct Link {
    next: u32,
    previous: u32,
}

/// Whether two triangles name the same vertices.
pub(crate) fn have_same_vertices(v: [u32; 3], w: [u32; 3]) -> bool {
    v.iter().all(|x| w.contains(x)) && w.iter().all(|x| v.contains(x))
}

/// What an edit has added.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Applied {
    /// Ids of the added triangles, in the order of the edit.
    pub triangles: Range<u32>,
    /// Indices of the new vertices, in the order of the edit.
    pub vertices: Range<u32>,
}

impl LiveMesh {
    /// The most triangles a mesh under edits can have, dead ones included: 1,431,655,765, a third of the ids of 32 bits, since every
    /// corner has one.
    pub const MOST_SLOTS: usize = MOST_SLOTS;

    /// A mesh ready for edits. Triangles and vertices keep their ids.
    ///
    /// # Panics
    /// If the mesh has more than [`LiveMesh::MOST_SLOTS`] triangles; [`LiveMesh::try_new`] refuses it instead.
    ///
    /// ```
    /// use fracas::mesh::{LiveMesh, MeshEdit, TriangleId, shapes};
    /// let mut mesh = LiveMesh::new(shapes::icosphere(1.0, 1));
    /// // Cut triangle 0 into three at its centre.
    /// let [a, b, c] = mesh.corners(TriangleId(0));
    /// let centre = mesh.vertex_count() as u32;
    /// let mut edit = MeshEdit::default();
    /// edit.new_positions.push(mesh.triangle(TriangleId(0)).centroid());
    /// edit.replace(TriangleId(0), [[a, b, centre], [b, c, centre], [c, a, centre]]);
    /// let applied = mesh.apply(&edit).unwrap();
    /// assert_eq!((applied.triangles, applied.vertices), (80..83, 42..43));
    /// assert_eq!((mesh.live_count(), mesh.slot_count()), (82, 83));
    /// assert!(!mesh.is_alive(TriangleId(0)));
    /// // The same edit again is refused, and changes nothing.
    /// assert!(mesh.apply(&edit).is_err());
    /// ```
    pub fn new(mesh: Mesh) -> Self {
        Self::try_new(mesh).unwrap_or_else(|error| panic!("{error}"))
    }

    /// As [`LiveMesh::new`], for a mesh of any size.
    ///
    /// # Errors
    /// [`MeshError::TooMany`] for more than [`LiveMesh::MOST_SLOTS`] triangles.
    pub fn try_new(mesh: Mesh) -> Result<Self, MeshError> {
        check_slots(mesh.triangle_count())?;
        Ok(Self::of_checked(mesh))
    }

    fn of_checked(mesh: Mesh) -> Self {
        let (mut positions, mut triangles) = mesh.into_parts();
        make_roomy(&mut positions, DVec3::ZERO);
        make_roomy(&mut triangles, [0; 3]);
        let slots = triangles.len();
        // The first crack fills these up to its first vertex and triangle. It should not wait for pages.
        let [mut twins, mut twin_faces] =
            [positions.capacity(), triangles.capacity()].map(Vec::with_capacity);
        reserve_warm(&mut twins, positions.len() + warm_room(positions.len()), NONE);
        reserve_warm(&mut twin_faces, slots + warm_room(slots), NONE);
        let mut made = Self {
            first: roomy(NONE, positions.len()),
            positions,
            triangles,
            alive: roomy(true, slots),
            live_count: slots,
            links: roomy(Link { next: NONE, previous: NONE }, 3 * slots),
            twins,
            first_twin: NONE,
            twin_faces,
            scratch: Default::default(),
        };
        // Backwards, so that every list begins in ascending order.
        for slot in (0..slots).rev() {
            for k in 0..3 {
                let corner = (3 * slot + k) as u32;
                made.links[corner as usize] = made.put_first(made.triangles[slot][k], corner);
            }
        }
        made
    }

    /// Positions of the vertices.
    #[inline]
    #[must_use]
    pub fn positions(&self) -> &[DVec3] {
        &self.positions
    }

    /// Corners of every slot. A dead slot keeps those it had.
    #[inline]
    #[must_use]
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// Number of vertices, whether a triangle names them or not.
    #[inline]
    #[must_use]
    pub fn vertex_count(&self) -> usize {
        self.positions.len()
    }

    /// Number of triangles that ever were: the id of the next one.
    #[inline]
    #[must_use]
    pub fn slot_count(&self) -> usize {
        self.triangles.len()
    }

    /// Number of triangles that are there now.
    #[inline]
    #[must_use]
    pub fn live_count(&self) -> usize {
        self.live_count
    }

    /// Whether a living triangle names a vertex.
    #[inline]
    pub(crate) fn is_used(&self, vertex: u32) -> bool {
        self.first[vertex as usize] != NONE
    }

    /// Whether a triangle is there now. An id beyond the last slot is not.
    #[inline]
    #[must_use]
    pub fn is_alive(&self, id: TriangleId) -> bool {
        self.alive.get(id.index()).copied().unwrap_or(false)
    }

    /// The triangles that are there now, ascending. Walks over all slots.
    pub fn live_triangles(&self) -> impl Iterator<Item = TriangleId> + '_ {
        let slots = self.alive.iter().enumerate();
        slots.filter(|(_, alive)| **alive).map(|(slot, _)| TriangleId(slot as u32))
    }

    /// A triangle in space, dead or alive, with its vertices where they are now. Panics if there is no such slot.
    #[inline]
    pub fn triangle(&self, id: TriangleId) -> Triangle {
        let [a, b, c] = self.corners(id).map(|v| self.positions[v as usize]);
        Triangle::new(a, b, c)
    }

    /// The vertices that a triangle names, dead or alive. Panics if there is no such slot.
    #[inline]
    #[must_use]
    pub fn corners(&self, id: TriangleId) -> [u32; 3] {
        self.triangles[id.index()]
    }

    /// The living triangles that name a vertex, each once. Panics if there is no such vertex.
    ///
    /// Their order is that of the edits, newest first, then ascending: the same after the same edits.
    pub fn triangles_of_vertex(&self, vertex: u32) -> impl Iterator<Item = TriangleId> + '_ {
        let mut corner = self.first[vertex as usize];
        std::iter::from_fn(move || {
            while corner != NONE {
                let (slot, k) = place(corner);
                corner = self.links[corner as usize].next;
                // A triangle that names the vertex twice is in the list twice; its first corner stands for it.
                if !self.triangles[slot][..k].contains(&vertex) {
                    return Some(TriangleId(slot as u32));
                }
            }
            None
        })
    }

    /// The corners of the triangles around a vertex, as [`LiveMesh::triangles_of_vertex`] lists these, but twice if one names it twice.
    #[inline]
    pub(crate) fn corners_around(&self, vertex: u32) -> impl Iterator<Item = [u32; 3]> + '_ {
        let mut corner = self.first[vertex as usize];
        std::iter::from_fn(move || {
            if corner == NONE {
                return None;
            }
            let corners = self.triangles[corner as usize / 3];
            corner = self.links[corner as usize].next;
            Some(corners)
        })
    }

    /// Whether any vertices are twins; see [`MeshEdit::twins`].
    #[must_use]
    pub fn has_twins(&self) -> bool {
        !self.twins.is_empty()
    }

    /// Pairs of twins from which all others follow.
    pub fn twins(&self) -> impl Iterator<Item = [u32; 2]> + '_ {
        let next = self.twins.iter().enumerate().map(|(vertex, &twin)| [vertex as u32, twin]);
        next.filter(|[vertex, twin]| vertex != twin)
    }

    /// The first of the twins of a vertex that are where it is, itself included. Panics if there is no such vertex.
    #[must_use]
    #[inline]
    pub fn welded(&self, vertex: u32) -> u32 {
        if vertex < self.first_twin { vertex } else { self.first_at_its_place(vertex) }
    }

    fn first_at_its_place(&self, vertex: u32) -> u32 {
        let (mut first, mut twin) = (vertex, vertex);
        while let Some(&next) = self.twins.get(twin as usize) {
            if next == vertex {
                break;
            }
            twin = next;
            if twin < first && self.positions[twin as usize] == self.positions[vertex as usize] {
                first = twin;
            }
        }
        first
    }

    /// The other face of the crack of a triangle, while it is there and lies where this one does.
    #[must_use]
    pub fn twin_face(&self, id: TriangleId) -> Option<TriangleId> {
        let face_of = |id: TriangleId| self.twin_faces.get(id.index()).copied().filter(|&face| face != NONE);
        let twin = TriangleId(face_of(id)?);
        // A triangle may have got another twin since.
        let is_mutual = face_of(twin) == Some(id.0) && self.is_alive(id) && self.is_alive(twin);
        let (v, w) = (self.corners(id), self.corners(twin));
        let is_there = || have_same_vertices(v.map(|v| self.welded(v)), w.map(|w| self.welded(w)));
        (is_mutual && !have_same_vertices(v, w) && is_there()).then_some(twin)
    }

    /// Pairs of living triangles that an edit has named twin faces, the lower id first, wherever they are now.
    pub(crate) fn twin_faces(&self) -> impl Iterator<Item = [TriangleId; 2]> + '_ {
        let pairs = self.twin_faces.iter().enumerate().map(|(id, &twin)| [id as u32, twin]);
        let mutual =
            pairs.filter(|&[id, twin]| id < twin && twin != NONE && self.twin_faces[twin as usize] == id);
        mutual.map(|pair| pair.map(TriangleId)).filter(|pair| pair.iter().all(|&id| self.is_alive(id)))
    }

    fn join_twin_faces(&mut self, [a, b]: [TriangleId; 2]) {
        if self.twin_faces.len() < self.slot_count() {
            // As much room as triangles have: edits that follow allocate for both or for neither.
            if self.twin_faces.capacity() < self.slot_count() {
                self.twin_faces.reserve(self.triangles.capacity() - self.twin_faces.len());
            }
            self.twin_faces.resize(self.slot_count(), NONE);
        }
        (self.twin_faces[a.index()], self.twin_faces[b.index()]) = (b.0, a.0);
    }

    /// Makes two vertices, and the twins of both, twins of each other.
    fn join_twins(&mut self, [a, b]: [u32; 2]) {
        if self.twins.len() < self.positions.len() {
            let known = self.twins.len() as u32;
            // As much room as positions have: edits that follow allocate for both or for neither.
            if self.twins.capacity() < self.positions.len() {
                self.twins.reserve(self.positions.capacity() - known as usize);
            }
            self.twins.extend(known..self.positions.len() as u32);
        }
        self.first_twin = self.first_twin.min(a).min(b);
        let mut twin = self.twins[a as usize];
        while twin != a && twin != b {
            twin = self.twins[twin as usize];
        }
        if twin != b {
            self.twins.swap(a as usize, b as usize);
        }
    }

    /// Whether an edit can be applied.
    ///
    /// # Errors
    /// The first offender among the removed triangles, the new positions, the moves, the added triangles and the
    /// counts, in this order.
    pub fn check(&self, edit: &MeshEdit) -> Result<(), EditError> {
        self.check_with(edit, &mut Default::default())
    }

    /// Carries out an edit: first checks all of it, then takes triangles out, moves vertices and adds the new.
    ///
    /// An edit may remove every triangle; what is left is an empty body, which can grow again.
    ///
    /// # Errors
    /// The first offender, as in [`LiveMesh::check`]. Nothing has changed then.
    ///
    /// # Cost
    /// Linear in the size of the edit, whatever the size of the mesh. Allocates only where vectors grow.
    pub fn apply(&mut self, edit: &MeshEdit) -> Result<Applied, EditError> {
        let mut scratch = std::mem::take(&mut self.scratch);
        let checked = self.check_with(edit, &mut scratch);
        self.scratch = scratch;
        checked?;

        for &id in &edit.removed {
            self.unlink(id.index());
            self.alive[id.index()] = false;
        }
        for &(vertex, position) in &edit.moved {
            self.positions[vertex as usize] = position;
        }
        let (vertex, slot) = (self.vertex_count(), self.slot_count());
        self.positions.extend_from_slice(&edit.new_positions);
        self.first.resize(self.positions.len(), NONE);
        self.triangles.extend(edit.added.iter().map(|new| new.corners));
        let slots = self.triangles.len();
        self.alive.resize(slots, true);
        self.links.reserve(3 * edit.added.len());
        for &vertex in edit.added.iter().flat_map(|new| &new.corners) {
            let link = self.put_first(vertex, self.links.len() as u32);
            self.links.push(link);
        }
        edit.twins.iter().for_each(|&twins| self.join_twins(twins));
        edit.twin_faces.iter().for_each(|&faces| self.join_twin_faces(faces));
        self.live_count = self.live_count - edit.removed.len() + edit.added.len();
        Ok(Applied {
            triangles: slot as u32..slots as u32,
            vertices: vertex as u32..self.positions.len() as u32,
        })
    }

    /// Makes room for this many more triangles and vertices, and writes to it once, so that edits within it wait
    /// neither for the allocator nor for the system to hand out pages. It halves the time of small edits.
    ///
    /// # Panics
    /// If there would be more triangle slots than [`LiveMesh::MOST_SLOTS`] or more vertices than ids. Nothing has changed then.
    pub fn reserve(&mut self, triangles: usize, vertices: usize) {
        let room = check_room([self.slot_count(), self.vertex_count()], [triangles, vertices]);
        room.unwrap_or_else(|error| panic!("{error}"));
        reserve_warm(&mut self.triangles, triangles, [0; 3]);
        reserve_warm(&mut self.alive, triangles, false);
        reserve_warm(&mut self.links, 3 * triangles, Link { next: NONE, previous: NONE });
        reserve_warm(&mut self.positions, vertices, DVec3::ZERO);
        reserve_warm(&mut self.first, vertices, NONE);
        // These begin with the first crack, and then have an entry for every vertex and slot.
        let all = [self.positions.len() + vertices, self.triangles.len() + triangles];
        for (list, all) in [&mut self.twins, &mut self.twin_faces].into_iter().zip(all) {
            let known = list.len();
            reserve_warm(list, all - known, NONE);
        }
    }

    /// A copy whose coordinates are multiplied by a power of two.
    pub(crate) fn scaled(&self, factor: f64) -> Self {
        let mut scaled = self.clone();
        scaled.positions.iter_mut().for_each(|p| *p *= factor);
        scaled
    }

    /// Moves every vertex; the triangles stay.
    ///
    /// # Errors
    /// A wrong number of positions, or the first one that is not finite. The mesh is then unchanged.
    pub fn set_positions(&mut self, positions: &[DVec3]) -> Result<(), MeshError> {
        replace_positions(&mut self.positions, positions)
    }

    /// The living triangles as a mesh, and the id that each has here. Vertices keep their indices, also those that no
    /// triangle names any more.
    pub fn to_mesh(&self) -> (Mesh, Vec<TriangleId>) {
        let ids: Vec<TriangleId> = self.live_triangles().collect();
        let triangles = ids.iter().map(|&id| self.corners(id)).collect();
        let mesh = Mesh::new(self.positions.clone(), triangles).expect("every edit has been checked");
        (mesh, ids)
    }

    /// Checks every invariant of the module's head comment. Linear in the number of slots.
    ///
    /// # Errors
    /// A sentence about the first invariant that does not hold: a bug here, never the user's fault.
    pub fn validate(&self) -> Result<(), String> {
        let slots = self.triangles.len();
        let lengths = [self.alive.len(), self.links.len()];
        if lengths != [slots, 3 * slots] || self.first.len() != self.positions.len() {
            return Err(format!("{slots} slots, but lists of {lengths:?}"));
        }
        if self.live_triangles().count() != self.live_count {
            return Err(format!("{} triangles are said to live", self.live_count));
        }
        if let Some(vertex) = self.positions.iter().position(|p| !p.is_finite()) {
            return Err(format!("vertex {vertex} is not finite"));
        }
        let mut listed = 0;
        for (vertex, &first) in self.first.iter().enumerate() {
            let (mut corner, mut before) = (first, NONE);
            while corner != NONE {
                let (slot, k) = place(corner);
                let good = slot < slots
                    && self.alive[slot]
                    && self.triangles[slot][k] as usize == vertex
                    && self.links[corner as usize].previous == before;
                listed += 1;
                if !good || listed > 3 * self.live_count {
                    return Err(format!("corner {k} of slot {slot} is wrong in the list of vertex {vertex}"));
                }
                (corner, before) = (self.links[corner as usize].next, corner);
            }
        }
        // Each was found in the one list where it may be, and none twice, for it has one corner before it.
        if listed != 3 * self.live_count {
            return Err(format!("only {listed} corners are listed"));
        }
        self.validate_twins()
    }

    /// Twins form circles, and twin faces are triangles.
    fn validate_twins(&self) -> Result<(), String> {
        let vertices = self.positions.len();
        let mut is_next = vec![false; self.twins.len()];
        for &twin in &self.twins {
            if is_next.get_mut(twin as usize).is_none_or(|is_next| std::mem::replace(is_next, true)) {
                return Err(format!("vertex {twin} does not follow exactly one of its twins"));
            }
        }
        let first = self.twins().flatten().min();
        if self.twins.len() > vertices || first.is_some_and(|first| first < self.first_twin) {
            return Err(format!("vertex {first:?} of {vertices} is the first with a twin"));
        }
        let slots = self.triangles.len();
        let is_bad = |&face: &u32| face != NONE && face as usize >= slots;
        if self.twin_faces.len() > slots || self.twin_faces.iter().any(is_bad) {
            return Err("a twin face is no triangle".into());
        }
        match self.triangles.iter().flatten().find(|&&vertex| vertex as usize >= vertices) {
            Some(vertex) => Err(format!("a triangle names vertex {vertex} of {vertices}")),
            None => Ok(()),
        }
    }

    fn check_with(&self, edit: &MeshEdit, [removed, moved]: &mut [Vec<u32>; 2]) -> Result<(), EditError> {
        self.check_removed(edit, removed)?;
        if let Some(position) = edit.new_positions.iter().position(|p| !p.is_finite()) {
            let value = edit.new_positions[position];
            return Err(EditError::NewPositionNotFinite { position, value });
        }
        self.check_moved(edit, moved)?;
        self.check_added(edit, removed)?;
        let vertices = self.vertex_count() + edit.new_positions.len();
        if let Some(&vertex) = edit.twins.iter().flatten().find(|&&v| v as usize >= vertices) {
            return Err(EditError::NoSuchTwin { vertex, vertices });
        }
        let slots = self.slot_count() + edit.added.len();
        if let Some(&triangle) = edit.twin_faces.iter().flatten().find(|id| id.index() >= slots) {
            return Err(EditError::NoSuchTwinFace { triangle, slots });
        }
        let counts = [("vertices", vertices, u32::MAX as usize - 1), ("triangle slots", slots, MOST_SLOTS)];
        let excess = counts.into_iter().find(|(_, count, limit)| count > limit);
        excess.map_or(Ok(()), |(what, count, limit)| Err(EditError::TooMany { what, count, limit }))
    }

    fn check_removed(&self, edit: &MeshEdit, sorted: &mut Vec<u32>) -> Result<(), EditError> {
        let slots = self.slot_count();
        for &triangle in &edit.removed {
            if triangle.index() >= slots {
                return Err(EditError::NoSuchTriangle { triangle, slots });
            }
            if !self.alive[triangle.index()] {
                return Err(EditError::DeadTriangle { triangle });
            }
        }
        let twice = first_repeated(sorted, edit.removed.iter().map(|id| id.0));
        twice.map_or(Ok(()), |id| Err(EditError::RemovedTwice { triangle: TriangleId(id) }))
    }

    fn check_moved(&self, edit: &MeshEdit, sorted: &mut Vec<u32>) -> Result<(), EditError> {
        let vertices = self.vertex_count();
        for &(vertex, value) in &edit.moved {
            if vertex as usize >= vertices {
                return Err(EditError::NoSuchVertexToMove { vertex, vertices });
            }
            if !value.is_finite() {
                return Err(EditError::MoveNotFinite { vertex, value });
            }
        }
        let twice = first_repeated(sorted, edit.moved.iter().map(|&(vertex, _)| vertex));
        twice.map_or(Ok(()), |vertex| Err(EditError::MovedTwice { vertex }))
    }

    fn check_added(&self, edit: &MeshEdit, removed: &[u32]) -> Result<(), EditError> {
        let vertices = self.vertex_count() + edit.new_positions.len();
        // Parts of one triangle mostly come one after another: ask for it once.
        let mut known = None;
        for (added, new) in edit.added.iter().enumerate() {
            let [a, b, c] = new.corners;
            if let Some(&vertex) = new.corners.iter().find(|v| **v as usize >= vertices) {
                return Err(EditError::NoSuchVertex { added, vertex, vertices });
            }
            if a == b || b == c || c == a {
                let vertex = if a == b { a } else { c };
                return Err(EditError::RepeatedVertex { added, vertex });
            }
            if let Origin::Replaces(triangle) = new.origin
                && known != Some(triangle)
            {
                if removed.binary_search(&triangle.0).is_err() {
                    return Err(EditError::ReplacesKept { added, triangle });
                }
                known = Some(triangle);
            }
        }
        Ok(())
    }

    /// Puts a corner at the beginning of its vertex's list, up to the link of the corner itself, which is returned.
    #[inline]
    fn put_first(&mut self, vertex: u32, corner: u32) -> Link {
        let next = std::mem::replace(&mut self.first[vertex as usize], corner);
        if next != NONE {
            self.links[next as usize].previous = corner;
        }
        Link { next, previous: NONE }
    }

    /// Takes the corners of a slot out of their lists.
    #[inline]
    fn unlink(&mut self, slot: usize) {
        let corners = self.triangles[slot];
        for k in 0..3 {
            let Link { next, previous } = self.links[3 * slot + k];
            match previous {
                NONE => self.first[corners[k] as usize] = next,
                corner => self.links[corner as usize].next = next,
            }
            if next != NONE {
                self.links[next as usize].previous = previous;
            }
        }
    }
}

/// The slot of a corner, and which of its three it is.
#[inline]
fn place(corner: u32) -> (usize, usize) {
    ((corner / 3) as usize, (corner % 3) as usize)
}

/// Sorts ids into a list; returns the lowest that comes twice.
fn first_repeated(sorted: &mut Vec<u32>, ids: impl Iterator<Item = u32>) -> Option<u32> {
    sorted.clear();
    sorted.extend(ids);
    sorted.sort_unstable();
    sorted.windows(2).find(|pair| pair[0] == pair[1]).map(|pair| pair[0])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_than_a_third_of_all_ids_hit_an_assert() {
        assert_eq!(MOST_SLOTS, 1_431_655_765);
        assert_eq!(check_slots(MOST_SLOTS), Ok(()));
        let error = check_slots(MOST_SLOTS + 1).unwrap_err();
        assert_eq!(
            error.to_string(),
            "1431655766 triangle slots are more than the 1431655765 that there can be"
        );
        // The last corner of the last slot has a name of its own, and so have the two slots of every node of a tree.
        assert!(
            3 * (MOST_SLOTS as u64) + 2 - 3 < u64::from(NONE) && 2 * (MOST_SLOTS as u64) < u64::from(NONE)
        );
        assert!(check_room([7, 7], [MOST_SLOTS - 7, 0]).is_ok());
        assert!(check_room([7, 7], [MOST_SLOTS - 6, 0]).is_err());
        assert!(check_room([7, 7], [usize::MAX, 0]).is_err() && check_room([7, 7], [0, usize::MAX]).is_err());
    }
}
