//! Where new triangles go: beside one they touch.
//!
//! A tree stays tight if neighbours on the surface are neighbours in the tree. So every new triangle gets a *host*, a
//! triangle that is in the tree already, and all that share a host become one small subtree in its place:
//!
//! - What replaces a removed triangle goes where that one was.
//! - New surface is reached by a flood that starts from all replacements and from all old triangles that touch new surface,
//!   and hands each triangle the host of the one it was reached from. A few triangles are reached breadth-first, round by
//!   round. Where there are more they become patches (`patches`), which only need some host each: then what is reached
//!   hands on at once, and two or three looks at the list are enough.
//! - What touches nothing in the tree takes the nearest leaf of a greedy descent; the flood goes on from there.
//!
//! The flood passes through new vertices, so triangles that meet in a single one of these count as neighbours too. Old vertices
//! lead to old triangles, which are better hosts.

use super::arena::{Arena, NONE, Slot};
use super::metric::Metric;
use crate::base::{DisjointSets, roomy};
use crate::mesh::{Applied, LiveMesh, MeshEdit, Origin};

/// New triangles with one host.
#[derive(Clone, Copy, Debug)]
pub(super) struct Group {
    /// The triangle in whose place they go; it may be removed by the same edit.
    pub(super) host: u32,
    /// The first of them, as an index into the edit's list; the others follow in [`Placement::next`].
    pub(super) first: u32,
    /// The next group of the same bunch: see `follow`.
    pub(super) next: u32,
}

impl Group {
    pub(super) const NONE: Self = Self { host: NONE, first: NONE, next: NONE };
}

/// Most triangles of new surface that a flood reaches breadth-first.
const BREADTH_FIRST: usize = 16;

/// Groups of new triangles, and memory to find them with.
#[derive(Clone, Debug, Default)]
pub(super) struct Placement {
    pub(super) groups: Vec<Group>,
    /// Groups that have met, directly or through others, are one *island*.
    pub(super) islands: DisjointSets,
    /// By added triangle: the next of its group.
    pub(super) next: Vec<u32>,
    /// By triangle: its group as a host. Means nothing unless that group names it in turn.
    group_of_host: Vec<u32>,
    /// By new vertex: a group that has reached it, or [`NONE`].
    reached: Vec<u32>,
    /// The first new vertex.
    first_vertex: u32,
    /// Added triangles that no group has reached yet; after the flood, those without a host.
    pub(super) waiting: Vec<u32>,
    /// New surface, each triangle with the group that has reached it. They join it in the end, unless they become patches.
    pub(super) surface: Vec<(u32, u32)>,
}

impl Placement {
    /// Memory for a mesh of this many triangle slots, with room to grow.
    pub(super) fn prepare(&mut self, slots: usize) {
        self.group_of_host = roomy(0, slots);
    }

    /// Memory for a mesh of this many triangle slots.
    pub(super) fn grow(&mut self, slots: usize) {
        self.group_of_host.resize(slots.max(self.group_of_host.len()), 0);
    }

    /// Finds hosts for all triangles that an edit, already applied to the mesh, has added. Triangles are left over
    /// only if the tree has no leaf that could be a host.
    pub(super) fn flood(
        &mut self,
        mesh: &LiveMesh,
        edit: &MeshEdit,
        applied: &Applied,
        nearest: impl Fn(u32) -> Option<u32>,
    ) {
        self.groups.clear();
        self.islands.clear();
        self.waiting.clear();
        self.surface.clear();
        self.next.clear();
        self.next.resize(edit.added.len(), NONE);
        self.grow(mesh.slot_count());
        self.reached.clear();
        self.reached.resize(applied.vertices.len(), NONE);
        self.first_vertex = applied.vertices.start;
        for (i, new) in edit.added.iter().enumerate() {
            match new.origin {
                Origin::Replaces(old) => {
                    let group = self.group_of(old.0);
                    self.join_group(i as u32, group);
                    self.reach(new.corners, group);
                }
                Origin::Crack => self.waiting.push(i as u32),
            }
        }
        self.start_from_old_neighbours(mesh, edit, applied);
        let breadth_first = self.waiting.len() <= BREADTH_FIRST;
        loop {
            while !self.waiting.is_empty() && self.spread(edit, breadth_first) {}
            let Some(i) = self.waiting.pop() else { break };
            let Some(host) = nearest(i) else {
                self.waiting.push(i);
                break;
            };
            let group = self.group_of(host);
            self.surface.push((i, group));
            self.reach(edit.added[i as usize].corners, group);
        }
    }

    /// Whether new triangles come in the place of, or beside, a triangle.
    #[inline]
    pub(super) fn is_host(&self, triangle: u32) -> bool {
        let known = self.group_of_host[triangle as usize];
        self.groups.get(known as usize).is_some_and(|group| group.host == triangle)
    }

    /// New surface at a vertex of old triangles goes beside one of those, unless the flood has come to it already.
    fn start_from_old_neighbours(&mut self, mesh: &LiveMesh, edit: &MeshEdit, applied: &Applied) {
        let mut waiting = std::mem::take(&mut self.waiting);
        waiting.retain(|&i| {
            let corners = edit.added[i as usize].corners;
            if self.group_at(corners).is_some() {
                return true;
            }
            let mut old = corners
                .into_iter()
                .filter(|v| *v < applied.vertices.start)
                .filter_map(|v| mesh.triangles_of_vertex(v).find(|t| t.0 < applied.triangles.start));
            let Some(old) = old.next() else { return true };
            let group = self.group_of(old.0);
            self.surface.push((i, group));
            self.reach(corners, group);
            false
        });
        self.waiting = waiting;
    }

    /// The group that has reached one of three vertices.
    #[inline]
    fn group_at(&self, corners: [u32; 3]) -> Option<u32> {
        let at = |v: u32| self.reached.get(v.wrapping_sub(self.first_vertex) as usize).copied();
        corners.into_iter().filter_map(at).find(|group| *group != NONE)
    }

    /// One look at all that wait: those at a vertex that a group has reached are of that group. Their other vertices count
    /// as reached at once or, breadth-first, from the next look on. Returns whether there was one.
    fn spread(&mut self, edit: &MeshEdit, breadth_first: bool) -> bool {
        let before = self.surface.len();
        let mut waiting = std::mem::take(&mut self.waiting);
        waiting.retain(|&i| {
            let corners = edit.added[i as usize].corners;
            let Some(group) = self.group_at(corners) else { return true };
            self.surface.push((i, group));
            if !breadth_first {
                self.reach(corners, group);
            }
            false
        });
        // The other way round next time: a strip is reached from either of its ends.
        waiting.reverse();
        self.waiting = waiting;
        if breadth_first {
            for k in before..self.surface.len() {
                let (i, group) = self.surface[k];
                self.reach(edit.added[i as usize].corners, group);
            }
        }
        self.surface.len() > before
    }

    /// The group of a host, a new one if it has none.
    fn group_of(&mut self, host: u32) -> u32 {
        if self.is_host(host) {
            return self.group_of_host[host as usize];
        }
        let group = self.islands.push();
        self.groups.push(Group { host, ..Group::NONE });
        self.group_of_host[host as usize] = group;
        group
    }

    #[inline]
    pub(super) fn join_group(&mut self, added: u32, group: u32) {
        self.next[added as usize] = std::mem::replace(&mut self.groups[group as usize].first, added);
    }

    /// The first group to reach a new vertex keeps it. Groups that meet there are of one island.
    #[inline]
    fn reach(&mut self, corners: [u32; 3], group: u32) {
        for v in corners {
            let reached = self.reached.get_mut(v.wrapping_sub(self.first_vertex) as usize);
            let Some(reached) = reached.filter(|reached| **reached != group) else { continue };
            if *reached == NONE {
                *reached = group;
                continue;
            }
            self.islands.join(group, *reached);
        }
    }

    /// Forgets groups that nothing has joined, and with them all islands.
    pub(super) fn forget_empty_groups(&mut self) {
        let Self { groups, group_of_host, .. } = self;
        if groups.iter().all(|group| group.first != NONE) {
            return;
        }
        groups.retain(|group| group.first != NONE);
        for (k, group) in groups.iter().enumerate() {
            group_of_host[group.host as usize] = k as u32;
        }
    }
}

impl Arena {
    /// The leaf below a slot that a greedy descent finds: always into the child whose box grows least.
    pub(super) fn nearest_leaf(&self, root: u32, to: &Slot) -> Option<u32> {
        let mut slot = self.slot(root);
        while let Some(node) = slot.child().as_node() {
            let children = [self.slot(2 * node), self.slot(2 * node + 1)];
            let growth = children.map(|child| Metric::Area.growth(child, to));
            let near_right = growth[1] < growth[0]
                || (growth[1] == growth[0] && children[1].height() < children[0].height());
            slot = children[usize::from(near_right)];
        }
        slot.child().as_leaf()
    }
}
