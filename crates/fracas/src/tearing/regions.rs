//! Regions: small connected sets of vertices, so that a search for parts need not visit every vertex.
//!
//! A part that comes apart may be half of the body, and most of its vertices are far from the cut. So the vertices are divided into
//! *regions* of up to [`MOST`], each connected through triangles between its own vertices, and every region knows which others it
//! touches. A search goes from region to region:
//!
//! ```text
//!      vertices                 regions
//!   · · · | · · ·              A ── B        A triangle that goes makes the regions at its corners invalid: they may
//!   · A · | · B ·              │ ╲  │        be connected no longer. Their vertices are *loose*, like new ones, until
//!   ------+------     ──▶      │  ╲ │        they are grouped again. A triangle that comes only makes neighbours.
//!   · C · | · D ·              C ── D
//! ```
//!
//! An edit only notes what it has removed; what it has added is known from its ids. Vertices are loosened and grouped again when a search
//! needs the regions, and before that a little in every step, so that the search finds most of it done.
//!
//! # Invariants (after [`Regions::update`]; checked by [`Regions::validate`])
//!
//! - Every vertex of a living triangle is in exactly one region, and no other vertex is in any.
//! - A region is connected: from each of its vertices to each other lead triangles all of whose corners on the way are in it.
//! - Two regions are neighbours if and only if a living triangle has corners in both.

use super::arena::NONE;
use crate::base::{DisjointSets, roomy};
use crate::mesh::{LiveMesh, TriangleId};
use crate::tree::{Broken, ensure};
use std::collections::BTreeSet;

/// Most vertices of a region. Larger ones make searches shorter, and let an edit loosen more.
const MOST: usize = 24;

/// Triangles that edits may change before the regions are brought up to date. More make the slowest step slower, fewer all steps.
const BEHIND: usize = 1024;

/// A vertex in no region that is listed to be grouped.
const LOOSE: u32 = NONE - 1;

/// The regions of a body.
#[derive(Clone, Debug, Default)]
pub(super) struct Regions {
    /// By vertex: its region; [`LOOSE`], or [`NONE`] if no triangle has it.
    of: Vec<u32>,
    /// By vertex: the next of its region.
    next: Vec<u32>,
    list: Vec<Region>,
    free: Vec<u32>,
    /// Triangles removed since the last update.
    removed: Vec<TriangleId>,
    /// The first triangle slot that no update has seen.
    first_new: usize,
    /// Vertices to be grouped.
    loose: Vec<u32>,
    /// How many regions have grown so far.
    growths: u64,
}

#[derive(Clone, Debug, Default)]
struct Region {
    /// The first of its vertices; [`NONE`] for a region that is not in use.
    first: u32,
    size: u32,
    neighbours: Vec<u32>,
    /// The number of the last growth that has come up to this one.
    met: u64,
}

impl Regions {
    /// Notes what an edit removes. Before the first update there is nothing to note.
    pub(super) fn note(&mut self, removed: &[TriangleId]) {
        if self.first_new > 0 {
            self.removed.extend_from_slice(removed);
        }
    }

    /// Forgets everything; the next update looks at the whole mesh.
    pub(super) fn forget(&mut self) {
        self.of.clear();
        self.next.clear();
        self.list.clear();
        self.free.clear();
        self.removed.clear();
        self.first_new = 0;
    }

    /// The region of a vertex that a living triangle has. The regions must be up to date.
    #[inline]
    pub(super) fn of(&self, vertex: u32) -> u32 {
        self.of[vertex as usize]
    }

    /// Numbers of regions are smaller.
    pub(super) fn count(&self) -> usize {
        self.list.len()
    }

    /// How many vertices a region has.
    pub(super) fn size(&self, region: u32) -> usize {
        self.list[region as usize].size as usize
    }

    /// The regions that a region touches.
    pub(super) fn neighbours(&self, region: u32) -> &[u32] {
        &self.list[region as usize].neighbours
    }

    /// The vertices of a region.
    pub(super) fn vertices(&self, region: u32) -> impl Iterator<Item = u32> + '_ {
        let known = |vertex: u32| (vertex != NONE).then_some(vertex);
        std::iter::successors(known(self.list[region as usize].first), move |&vertex| {
            known(self.next[vertex as usize])
        })
    }

    /// Brings the regions up to date if edits have changed many triangles: then no single step has to catch up with all of them.
    pub(super) fn update_if_behind(&mut self, mesh: &LiveMesh) {
        if self.first_new > 0 && mesh.slot_count() - self.first_new + self.removed.len() >= BEHIND {
            self.update(mesh);
        }
    }

    /// Brings the regions up to date with the mesh.
    pub(super) fn update(&mut self, mesh: &LiveMesh) {
        let vertices = mesh.vertex_count();
        if self.of.is_empty() {
            self.of = roomy(NONE, vertices);
            self.next = roomy(NONE, vertices);
        }
        self.of.resize(vertices, NONE);
        self.next.resize(vertices, NONE);
        let mut removed = std::mem::take(&mut self.removed);
        for triangle in removed.drain(..) {
            mesh.corners(triangle).into_iter().for_each(|vertex| self.loosen(vertex));
        }
        self.removed = removed;
        let first_new = std::mem::replace(&mut self.first_new, mesh.slot_count());
        for &vertex in mesh.triangles()[first_new..].iter().flatten() {
            if self.of[vertex as usize] == NONE {
                self.loosen(vertex);
            }
        }
        self.group(mesh);
        if first_new == 0 {
            return;
        }
        // Regions that grew in this update know all neighbours; of the others, new triangles may have brought two together.
        for slot in first_new..mesh.slot_count() {
            if mesh.is_alive(TriangleId(slot as u32)) {
                let [a, b, c] = mesh.triangles()[slot].map(|vertex| self.of[vertex as usize]);
                [[a, b], [b, c], [c, a]].into_iter().for_each(|pair| self.meet(pair));
            }
        }
    }

    /// Makes two regions neighbours, unless they are the same or know each other.
    #[inline]
    fn meet(&mut self, [a, b]: [u32; 2]) {
        if a != b && !self.list[a as usize].neighbours.contains(&b) {
            self.list[a as usize].neighbours.push(b);
            self.list[b as usize].neighbours.push(a);
        }
    }

    /// Takes apart the region of a vertex, all of which are to be grouped again.
    #[inline]
    fn loosen(&mut self, vertex: u32) {
        match self.of[vertex as usize] {
            LOOSE => {}
            NONE => {
                self.of[vertex as usize] = LOOSE;
                self.loose.push(vertex);
            }
            region => self.dissolve(region),
        }
    }

    fn dissolve(&mut self, region: u32) {
        let mut neighbours = std::mem::take(&mut self.list[region as usize].neighbours);
        for other in neighbours.drain(..) {
            let back = &mut self.list[other as usize].neighbours;
            if let Some(place) = back.iter().position(|&known| known == region) {
                back.swap_remove(place);
            }
        }
        let mut vertex = self.list[region as usize].first;
        while vertex != NONE {
            self.of[vertex as usize] = LOOSE;
            self.loose.push(vertex);
            vertex = self.next[vertex as usize];
        }
        // The list keeps its memory for the region that will have the number.
        self.list[region as usize] = Region { first: NONE, size: 0, neighbours, met: 0 };
        self.free.push(region);
    }

    /// Groups all loose vertices: each region grows from a vertex over its neighbours.
    fn group(&mut self, mesh: &LiveMesh) {
        let loose = std::mem::take(&mut self.loose);
        for &vertex in &loose {
            if self.of[vertex as usize] != LOOSE {
                continue;
            }
            if !mesh.is_used(vertex) {
                self.of[vertex as usize] = NONE;
                continue;
            }
            self.grow(mesh, vertex);
        }
        self.loose = loose;
        self.loose.clear();
    }

    fn grow(&mut self, mesh: &LiveMesh, seed: u32) {
        let region = self.free.pop().unwrap_or_else(|| {
            self.list.push(Region::default());
            self.list.len() as u32 - 1
        });
        self.growths += 1;
        let (mut grown, mut size) = ([seed; MOST], 1);
        self.of[seed as usize] = region;
        let mut done = 0;
        while done < size {
            let vertex = grown[done];
            done += 1;
            for corners in mesh.corners_around(vertex) {
                for other in corners {
                    let known = self.of[other as usize];
                    if known == region {
                        continue;
                    }
                    if known != LOOSE {
                        self.connect(region, known);
                    } else if size < MOST {
                        // Those that find no room will find this region when they are grouped.
                        self.of[other as usize] = region;
                        grown[size] = other;
                        size += 1;
                    }
                }
            }
        }
        for k in 0..size {
            self.next[grown[k] as usize] = if k + 1 < size { grown[k + 1] } else { NONE };
        }
        let made = &mut self.list[region as usize];
        (made.first, made.size) = (seed, size as u32);
    }

    /// Makes a region that grows a neighbour of one that is there. Of two regions only the later one grows up to the other.
    #[inline]
    fn connect(&mut self, growing: u32, known: u32) {
        let other = &mut self.list[known as usize];
        if other.met != self.growths {
            other.met = self.growths;
            other.neighbours.push(growing);
            self.list[growing as usize].neighbours.push(known);
        }
    }

    /// Checks the invariants of the module's head comment, after an update.
    pub(super) fn validate(&self, mesh: &LiveMesh) -> Result<(), Broken> {
        let mut sets = DisjointSets::new(mesh.vertex_count());
        let mut touching = BTreeSet::new();
        let mut used = vec![false; mesh.vertex_count()];
        for triangle in mesh.live_triangles() {
            let [a, b, c] = mesh.corners(triangle);
            for [v, w] in [[a, b], [b, c], [c, a]] {
                used[v as usize] = true;
                let of = [v, w].map(|vertex| self.of[vertex as usize]);
                if of[0] == of[1] {
                    sets.join(v, w);
                } else {
                    touching.extend([(of[0], of[1]), (of[1], of[0])]);
                }
            }
        }
        let mut listed = 0;
        for (number, region) in (0..).zip(&self.list) {
            let vertices: Vec<u32> = self.vertices(number).collect();
            listed += vertices.len();
            let is_right = |&vertex: &u32| self.of[vertex as usize] == number && used[vertex as usize];
            let connected = vertices.windows(2).all(|pair| sets.root(pair[0]) == sets.root(pair[1]));
            ensure(
                connected && vertices.len() == region.size as usize && vertices.iter().all(is_right),
                || format!("region {number} is not a connected set of vertices"),
            )?;
            let mut known = region.neighbours.clone();
            known.sort_unstable();
            let found = touching.range((number, 0)..(number + 1, 0)).map(|&(_, other)| other);
            ensure(found.eq(known), || format!("region {number} does not know what it touches"))?;
        }
        let all = used.iter().filter(|used| **used).count();
        ensure(listed == all, || format!("{listed} of {all} vertices are in regions"))
    }
}
