//! Where new triangles go: beside one they touch.
//!
//! A tree stays tight if neighbours on the surface are neighbours in the tree. So every new triangle gets a *host*, a
//! triangle that is in the tree already, and all that share a host become one small subtree in its place:
//!
//! - What replaces a removed triangle goes where that one was.
//! - New surface is reached by a breadth-first flood that starts from all replacements and from all old triangles
//!   that touch new surface, and hands each triangle the host of the one it was reached from.
//! - What touches nothing in the tree takes the nearest leaf of a greedy descent; the flood goes on from there.
//!
//! The flood passes through vertices, so triangles that meet in a single vertex count as neighbours too.

use super::arena::{Arena, NONE, Slot};
use super::metric::Metric;
use crate::mesh::{Applied, LiveMesh, MeshEdit, Origin};

/// New triangles with one host.
#[derive(Clone, Copy, Debug)]
pub(super) struct Group {
    /// The triangle in whose place they go; it may be removed by the same edit.
    pub(super) host: u32,
    /// The first of them, as an index into the edit's list; the others follow in [`Placement::next`].
    pub(super) first: u32,
}

/// Groups of new triangles, and memory to find them with.
#[derive(Clone, Debug, Default)]
pub(super) struct Placement {
    pub(super) groups: Vec<Group>,
    /// By added triangle: the next of its group.
    pub(super) next: Vec<u32>,
    /// By added triangle: its group.
    group: Vec<u32>,
    /// By triangle: its group as a host. Means nothing unless that group names it in turn.
    group_of_host: Vec<u32>,
    /// By vertex: the step in which new surface used it, doubled; plus one when the flood has passed.
    seen: Vec<u32>,
    step: u32,
    queue: Vec<u32>,
}

impl Placement {
    /// Finds hosts for all triangles that an edit, already applied to the mesh, has added. Triangles are left over
    /// only if the tree has no leaf that could be a host.
    pub(super) fn flood(
        &mut self,
        mesh: &LiveMesh,
        edit: &MeshEdit,
        applied: &Applied,
        leaf_of: impl Fn(u32) -> Slot,
        nearest: impl Fn(&Slot) -> Option<u32>,
    ) {
        self.begin(mesh, edit);
        for (i, new) in edit.added.iter().enumerate() {
            match new.origin {
                Origin::Replaces(old) => self.place(i as u32, old.0),
                Origin::Crack => {
                    for v in new.corners {
                        self.seen[v as usize] = 2 * self.step;
                    }
                }
            }
        }
        for (i, new) in edit.added.iter().enumerate() {
            if new.origin == Origin::Crack {
                let old_corners = new.corners.into_iter().filter(|v| *v < applied.vertices.start);
                let mut around = old_corners.flat_map(|v| mesh.triangles_of_vertex(v));
                if let Some(old) = around.find(|t| t.0 < applied.triangles.start) {
                    self.place(i as u32, old.0);
                }
            }
        }
        self.spread(mesh, applied, 0);
        for i in 0..edit.added.len() as u32 {
            if self.group[i as usize] == NONE
                && let Some(host) = nearest(&leaf_of(applied.triangles.start + i))
            {
                let from = self.queue.len();
                self.place(i, host);
                self.spread(mesh, applied, from);
            }
        }
    }

    /// The added triangles without a host.
    pub(super) fn left_over(&self) -> impl Iterator<Item = u32> + '_ {
        (0..self.group.len() as u32).filter(|&i| self.group[i as usize] == NONE)
    }

    fn begin(&mut self, mesh: &LiveMesh, edit: &MeshEdit) {
        let added = edit.added.len();
        self.groups.clear();
        self.queue.clear();
        self.next.clear();
        self.next.resize(added, NONE);
        self.group.clear();
        self.group.resize(added, NONE);
        self.group_of_host.resize(mesh.slot_count(), 0);
        self.seen.resize(mesh.vertex_count(), 0);
        self.step += 1;
        if self.step == u32::MAX / 2 {
            self.seen.fill(0);
            self.step = 1;
        }
    }

    /// Adds a triangle to the group of a host.
    fn place(&mut self, added: u32, host: u32) {
        let known = self.group_of_host[host as usize];
        let is_known = self.groups.get(known as usize).is_some_and(|group| group.host == host);
        let group = if is_known {
            known
        } else {
            let group = self.groups.len() as u32;
            self.groups.push(Group { host, first: NONE });
            self.group_of_host[host as usize] = group;
            group
        };
        self.join_group(added, group);
    }

    fn join_group(&mut self, added: u32, group: u32) {
        self.group[added as usize] = group;
        self.next[added as usize] = std::mem::replace(&mut self.groups[group as usize].first, added);
        self.queue.push(added);
    }

    /// Floods new surface from everything in the queue after `from`.
    fn spread(&mut self, mesh: &LiveMesh, applied: &Applied, from: usize) {
        let mut at = from;
        while let Some(&added) = self.queue.get(at) {
            at += 1;
            let group = self.group[added as usize];
            for v in mesh.triangles()[(applied.triangles.start + added) as usize] {
                // Only where new surface is, and only once.
                if self.seen[v as usize] != 2 * self.step {
                    continue;
                }
                self.seen[v as usize] += 1;
                for t in mesh.triangles_of_vertex(v) {
                    // New triangles come first in the list.
                    let Some(other) = t.0.checked_sub(applied.triangles.start) else { break };
                    if self.group[other as usize] == NONE {
                        self.join_group(other, group);
                    }
                }
            }
        }
    }
}

impl Arena {
    /// The leaf below a slot that a greedy descent finds: always into the child whose box grows least.
    pub(super) fn nearest_leaf(&self, root: u32, to: &Slot) -> Option<u32> {
        let mut slot = self.slot(root);
        while let Some(node) = slot.child.as_node() {
            let children = [self.slot(2 * node), self.slot(2 * node + 1)];
            let growth = children.map(|c| Metric::Area.of(c.union(to)) - Metric::Area.of_slot(c));
            let near_right =
                growth[1] < growth[0] || (growth[1] == growth[0] && children[1].height < children[0].height);
            slot = children[usize::from(near_right)];
        }
        slot.child.as_leaf()
    }
}
