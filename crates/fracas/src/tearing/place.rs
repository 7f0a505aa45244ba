//! Where new triangles go: beside one they touch.
//!
//! A tree stays tight if neighbours on the surface are neighbours in the tree. So every new triangle gets a *host*, a
//! triangle that is in the tree already, and all that share a host become one small subtree in its place:
//!
//! - What replaces a removed triangle goes where that one was.
//! - New surface is reached by a breadth-first flood, round by round, that starts from all replacements and from all
//!   old triangles that touch new surface, and hands each triangle the host of the one it was reached from.
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
    /// The next group of the same bunch: see `follow`.
    pub(super) next: u32,
    /// Another group of the same island, or itself: see [`Placement::island_of`].
    island: u32,
}

impl Group {
    pub(super) const NONE: Self = Self { host: NONE, first: NONE, next: NONE, island: NONE };
}

/// Rounds of the flood that are strictly breadth-first.
const ROUNDS: usize = 12;

/// Groups of new triangles, and memory to find them with.
#[derive(Clone, Debug, Default)]
pub(super) struct Placement {
    pub(super) groups: Vec<Group>,
    /// By added triangle: the next of its group.
    pub(super) next: Vec<u32>,
    /// By triangle: its group as a host. Means nothing unless that group names it in turn.
    group_of_host: Vec<u32>,
    /// By vertex: a group that has reached it, and in which step that was.
    reached: Vec<Reached>,
    step: u32,
    /// Added triangles that no group has reached yet.
    waiting: Vec<u32>,
    /// What the present round of the flood has placed.
    placed: Vec<(u32, u32)>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Reached {
    step: u32,
    group: u32,
}

impl Placement {
    /// Memory for a mesh of so many triangle slots and vertices.
    pub(super) fn grow(&mut self, slots: usize, vertices: usize) {
        self.group_of_host.resize(slots.max(self.group_of_host.len()), 0);
        self.reached.resize(vertices.max(self.reached.len()), Reached::default());
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
        self.begin(mesh, edit);
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
        loop {
            for _ in 0..ROUNDS {
                if self.waiting.is_empty() || !self.spread(edit) {
                    break;
                }
            }
            self.spread_far(edit);
            let Some(i) = self.waiting.pop() else { break };
            let Some(host) = nearest(i) else {
                self.waiting.push(i);
                break;
            };
            let group = self.group_of(host);
            self.join_group(i, group);
            self.reach(edit.added[i as usize].corners, group);
        }
    }

    /// Whether new triangles come in the place of, or beside, a triangle.
    #[inline]
    pub(super) fn is_host(&self, triangle: u32) -> bool {
        let known = self.group_of_host[triangle as usize];
        self.groups.get(known as usize).is_some_and(|group| group.host == triangle)
    }

    /// The added triangles without a host.
    pub(super) fn left_over(&self) -> &[u32] {
        &self.waiting
    }

    fn begin(&mut self, mesh: &LiveMesh, edit: &MeshEdit) {
        self.groups.clear();
        self.waiting.clear();
        self.next.clear();
        self.next.resize(edit.added.len(), NONE);
        self.grow(mesh.slot_count(), mesh.vertex_count());
        if self.step == u32::MAX {
            self.reached.fill(Reached::default());
            self.step = 0;
        }
        self.step += 1;
    }

    /// New surface at a vertex of old triangles starts from one of those, unless the flood has reached it already.
    fn start_from_old_neighbours(&mut self, mesh: &LiveMesh, edit: &MeshEdit, applied: &Applied) {
        self.placed.clear();
        for k in 0..self.waiting.len() {
            let i = self.waiting[k];
            let corners = edit.added[i as usize].corners;
            if corners.iter().any(|&v| self.reached[v as usize].step == self.step) {
                continue;
            }
            for v in corners.into_iter().filter(|v| *v < applied.vertices.start) {
                let old = mesh.triangles_of_vertex(v).find(|t| t.0 < applied.triangles.start);
                if let Some(old) = old {
                    let group = self.group_of(old.0);
                    self.placed.push((i, group));
                    self.reached[v as usize] = Reached { step: self.step, group };
                    break;
                }
            }
        }
        self.finish_round(edit);
    }

    /// One round of the flood: every waiting triangle at a vertex that a group has reached joins that group. Returns
    /// whether there was one.
    fn spread(&mut self, edit: &MeshEdit) -> bool {
        self.placed.clear();
        for &i in &self.waiting {
            let mut at = edit.added[i as usize].corners.into_iter().map(|v| self.reached[v as usize]);
            if let Some(reached) = at.find(|reached| reached.step == self.step) {
                self.placed.push((i, reached.group));
            }
        }
        self.finish_round(edit)
    }

    /// The rest of a flood that goes deep, as in the middle of a large cap: what is placed counts as reached at once, so
    /// that a few looks at the list are enough.
    fn spread_far(&mut self, edit: &MeshEdit) {
        let mut before = usize::MAX;
        while self.waiting.len() < before {
            before = self.waiting.len();
            let mut waiting = std::mem::take(&mut self.waiting);
            waiting.retain(|&i| {
                let corners = edit.added[i as usize].corners;
                let reached =
                    corners.into_iter().map(|v| self.reached[v as usize]).find(|r| r.step == self.step);
                if let Some(reached) = reached {
                    self.join_group(i, reached.group);
                    self.reach(corners, reached.group);
                }
                reached.is_none()
            });
            self.waiting = waiting;
        }
    }

    /// What was placed no longer waits; its vertices count as reached from the next round on.
    fn finish_round(&mut self, edit: &MeshEdit) -> bool {
        let mut placed = self.placed.iter().peekable();
        self.waiting.retain(|i| placed.next_if(|(p, _)| p == i).is_none());
        for k in 0..self.placed.len() {
            let (i, group) = self.placed[k];
            self.join_group(i, group);
            self.reach(edit.added[i as usize].corners, group);
        }
        !self.placed.is_empty()
    }

    /// The group of a host, a new one if it has none.
    fn group_of(&mut self, host: u32) -> u32 {
        if self.is_host(host) {
            return self.group_of_host[host as usize];
        }
        let group = self.groups.len() as u32;
        self.groups.push(Group { host, island: group, ..Group::NONE });
        self.group_of_host[host as usize] = group;
        group
    }

    #[inline]
    fn join_group(&mut self, added: u32, group: u32) {
        self.next[added as usize] = std::mem::replace(&mut self.groups[group as usize].first, added);
    }

    /// The first group to reach a vertex keeps it. Groups that meet there are of one island.
    #[inline]
    fn reach(&mut self, corners: [u32; 3], group: u32) {
        for v in corners {
            let reached = &mut self.reached[v as usize];
            if reached.step != self.step {
                *reached = Reached { step: self.step, group };
            } else if reached.group != group {
                let other = reached.group;
                let [a, b] = [group, other].map(|group| self.groups[group as usize].island);
                // Most have met before.
                if a != b {
                    self.unite(group, other);
                }
            }
        }
    }

    /// One group for all that have met, directly or through others.
    pub(super) fn island_of(&mut self, mut group: u32) -> u32 {
        loop {
            let up = self.groups[group as usize].island;
            if up == group {
                return group;
            }
            // Ways become shorter each time they are taken.
            self.groups[group as usize].island = self.groups[up as usize].island;
            group = up;
        }
    }

    fn unite(&mut self, a: u32, b: u32) {
        let island = self.island_of(a).min(self.island_of(b));
        for group in [self.island_of(a), self.island_of(b), a, b] {
            self.groups[group as usize].island = island;
        }
    }

    /// Takes triangles out of their groups wherever the function, given a triangle and its host, says so. Groups that
    /// are left with none are forgotten, and so are islands.
    pub(super) fn take_from_groups(&mut self, mut take: impl FnMut(u32, u32) -> bool) {
        let Self { groups, next, group_of_host, .. } = self;
        for group in groups.iter_mut() {
            let mut added = std::mem::replace(&mut group.first, NONE);
            while added != NONE {
                let following = next[added as usize];
                if !take(added, group.host) {
                    next[added as usize] = std::mem::replace(&mut group.first, added);
                }
                added = following;
            }
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
            let growth = children.map(|c| Metric::Area.of(c.union(to)) - Metric::Area.of_slot(c));
            let near_right = growth[1] < growth[0]
                || (growth[1] == growth[0] && children[1].height() < children[0].height());
            slot = children[usize::from(near_right)];
        }
        slot.child().as_leaf()
    }
}
