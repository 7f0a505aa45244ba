//! Detecting that a body has come apart, without searching all of it.
//!
//! Only what an edit has touched can lose its connection. So the search starts at the vertices of removed and added
//! triangles. Vertices joined by added triangles form clusters. While a cut advances there is only one cluster,
//! connected at the front, and the search ends at once. If there are several, there are two searches:
//!
//! 1. From vertex to vertex, and only near the cut. Searches start from all clusters, taking turns, and each prefers vertices near
//!    another cluster. Clusters that are still connected mostly meet along a short path.
//! 2. From region to region (`regions`): always that search goes on which has found the fewest vertices so far.
//!
//! Searches that meet become one; a search that has nowhere to go has found a separate part. All ends when only one is left in each
//! piece. So only parts that have really come apart are visited as a whole, in steps of a region, and never the largest. The first
//! part to be complete is the one with the fewest vertices.
//!
//! Triangles that share a vertex, by index, are connected.

use super::arena::{Bounds, NONE, Slot};
use super::regions::Regions;
use super::{TearingBody, Tree};
use crate::base::{DisjointSets, roomy};
use crate::geom::DVec3;
use crate::mesh::{LiveMesh, MeshEdit};
use crate::pairs::Frame;
use glam::{Vec3, Vec4};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Rounds in which every cluster visits a vertex, before regions are visited.
const NEAR: usize = 16;

/// Clusters of vertices, and memory to find them with.
#[derive(Clone, Debug, Default)]
pub(super) struct Clusters {
    pub(super) regions: Regions,
    /// By vertex: the search in which it was visited, and its number in `touched` or, later, its cluster.
    visited: Vec<(u32, u32)>,
    search: u32,
    /// The vertices that the edit touches, and which of them its new triangles join.
    touched: Vec<u32>,
    joined: DisjointSets,
    /// By touched vertex that names its set: the cluster.
    cluster_of: Vec<u32>,
    clusters: Vec<Cluster>,
    /// Clusters that have met.
    met: DisjointSets,
    /// Clusters that are still growing, in pieces that have several of them.
    rivals: Vec<u32>,
    /// Whether the list is out of date.
    changed: bool,
    /// By region: the search in which it was visited, and its cluster.
    visited_regions: Vec<(u32, u32)>,
    /// By cluster: the label of the part it is in.
    labels: Vec<u32>,
}

#[derive(Clone, Debug, Default)]
struct Cluster {
    /// Vertices whose neighbours have not been visited, by their distance from the target.
    queue: BinaryHeap<Reverse<(u32, u32)>>,
    /// All vertices visited one by one.
    members: Vec<u32>,
    /// A place in another cluster of the same piece.
    target: DVec3,
    /// The piece of the body that the cluster is in; [`NONE`] if it has no triangle left.
    piece: u32,
    /// Regions visited, those whose neighbours have not been visited, and how many vertices the former have.
    regions: Vec<u32>,
    waiting: Vec<u32>,
    vertices: usize,
    /// Whether it is a part on its own.
    is_part: bool,
}

impl Cluster {
    fn add(&mut self, mesh: &LiveMesh, vertex: u32) {
        let distance = mesh.positions()[vertex as usize].distance_squared(self.target) as f32;
        // Bits of positive numbers are in the order of the numbers.
        self.queue.push(Reverse((distance.to_bits(), vertex)));
        self.members.push(vertex);
    }
}

impl TearingBody {
    /// After an edit: gives every part that has come apart a piece of its own. Returns how many there are.
    pub(super) fn separate(&mut self, edit: &MeshEdit) -> usize {
        let mut clusters = std::mem::take(&mut self.clusters);
        clusters.find(&self.mesh, &self.tree, edit);
        let parts = clusters.lost_parts();
        clusters.label(&parts);
        let piece = |part: u32| clusters.clusters[part as usize].piece;
        let is_large: Vec<bool> =
            parts.iter().map(|&part| self.is_large(&clusters.clusters[part as usize])).collect();
        // Roots of the parts of trees that are divided from the root.
        let mut divided: Vec<Option<u32>> = vec![None; parts.len()];
        for (k, &part) in parts.iter().enumerate() {
            let is_first = parts[..k].iter().all(|&before| piece(before) != piece(part));
            if is_first && (k..parts.len()).any(|other| piece(parts[other]) == piece(part) && is_large[other])
            {
                let label = |vertex: u32| clusters.label_of(vertex);
                let lost = || parts[k..].iter().copied().filter(|&other| piece(other) == piece(part));
                let around = clusters
                    .box_of_few(&self.mesh, &self.tree.frame, lost())
                    .filter(|_| !self.tree.is_behind);
                let elsewhere = |slot: &Slot| around.is_some_and(|around| slot.is_apart_from(around));
                for (label, root) in self.tree.divide_connected(&self.mesh, piece(part), &label, &elsewhere) {
                    divided[label as usize - 1] = Some(root);
                }
            }
        }
        for (&part, root) in parts.iter().zip(divided) {
            match root {
                Some(root) => self.tree.roots.push(root),
                None => self.tree.split_off(&clusters.triangles(&self.mesh, part)),
            }
        }
        self.clusters = clusters;
        parts.len()
    }

    /// Whether a part is so large that dividing its piece from the root is faster than from the leaves of the part. A part that was
    /// complete before regions were visited is not: without them there are no labels.
    fn is_large(&self, part: &Cluster) -> bool {
        let root = self.tree.arena.slot(part.piece);
        MANY * part.vertices > self.tree.arena.sums_below(root).leaves as usize
    }
}

/// A part that has more vertices than its piece has triangles, divided by this, is large.
const MANY: usize = 64;

/// Parts with fewer than the vertices of the mesh divided by this are few enough for [`Clusters::box_of_few`].
const FEW: usize = 8;

impl Clusters {
    /// Makes what depends on the size of the body.
    pub(super) fn prepare(&mut self, mesh: &LiveMesh) {
        self.visited = roomy((0, 0), mesh.vertex_count());
        self.regions.update(mesh);
        self.visited_regions = roomy((0, 0), self.regions.count());
    }

    fn find(&mut self, mesh: &LiveMesh, tree: &Tree, edit: &MeshEdit) {
        self.clusters.clear();
        self.regions.update_if_behind(mesh);
        self.start(mesh, edit);
        if (0..self.touched.len() as u32).filter(|&k| self.joined.is_root(k)).nth(1).is_none() {
            return;
        }
        self.list_clusters(mesh, tree);
        self.aim(mesh);
        self.list_rivals();
        for _ in 0..NEAR {
            for k in 0..self.rivals.len() {
                self.visit_vertex(mesh, self.rivals[k]);
            }
            self.list_rivals();
        }
        if self.rivals.is_empty() {
            return;
        }
        self.regions.update(mesh);
        self.enter_regions();
        self.list_rivals();
        while let Some(next) = self.smallest_rival() {
            self.visit_region(next);
            self.list_rivals();
        }
    }

    /// The clusters that are parts on their own, and no longer what their piece was.
    fn lost_parts(&self) -> Vec<u32> {
        let parts = || (0..self.clusters.len() as u32).filter(|&k| self.clusters[k as usize].is_part);
        // If every cluster of a piece is a part, the largest stays what the piece was.
        let stays = |piece: u32| {
            let of_piece = || self.growing().filter(|&k| self.clusters[k as usize].piece == piece);
            let size = |k: u32| (self.clusters[k as usize].size(), u32::MAX - k);
            let of_parts = parts().filter(|&k| self.clusters[k as usize].piece == piece);
            if of_piece().next().is_some() { None } else { of_parts.max_by_key(|&k| size(k)) }
        };
        parts().filter(|&k| stays(self.clusters[k as usize].piece) != Some(k)).collect()
    }

    /// Gives lost parts the labels 1, 2, 3, …, and everything else the label 0.
    fn label(&mut self, parts: &[u32]) {
        let Self { labels, met, clusters, .. } = self;
        labels.clear();
        labels.extend((0..clusters.len() as u32).map(|k| {
            let root = met.root(k);
            parts.iter().position(|&part| part == root).map_or(0, |place| place as u32 + 1)
        }));
    }

    /// The label of a vertex that a living triangle has.
    fn label_of(&self, vertex: u32) -> u32 {
        let (mut search, mut cluster) = self.visited_regions[self.regions.of(vertex) as usize];
        if search != self.search {
            // Some parts were complete before regions were visited.
            (search, cluster) = self.visited[vertex as usize];
        }
        if search == self.search { self.labels[cluster as usize] } else { 0 }
    }

    /// The vertices of a part.
    fn vertices(&self, part: u32) -> impl Iterator<Item = u32> + '_ {
        let cluster = &self.clusters[part as usize];
        let of_regions = cluster.regions.iter().flat_map(|&region| self.regions.vertices(region));
        let one_by_one = cluster.members.iter().copied().filter(|_| cluster.regions.is_empty());
        of_regions.chain(one_by_one)
    }

    /// The box around parts in the frame, if they have few enough vertices that looking at all of them saves time: what is apart from
    /// it need not be looked at.
    fn box_of_few(
        &self,
        mesh: &LiveMesh,
        frame: &Frame,
        parts: impl Iterator<Item = u32> + Clone,
    ) -> Option<Bounds> {
        let count: usize = parts.clone().map(|part| self.clusters[part as usize].size()).sum();
        if FEW * count > mesh.vertex_count() {
            return None;
        }
        let (mut low, mut high) = (Vec4::INFINITY, Vec4::NEG_INFINITY);
        for vertex in parts.flat_map(|part| self.vertices(part)) {
            let at = Vec3::from_array(frame.map(mesh.positions()[vertex as usize])).extend(0.0);
            (low, high) = (low.min(at), high.max(at));
        }
        Some((low, high))
    }

    /// The triangles of a part.
    fn triangles(&self, mesh: &LiveMesh, part: u32) -> Vec<u32> {
        let mut triangles = Vec::new();
        for vertex in self.vertices(part) {
            // Each triangle once, at the first of its corners.
            let of_vertex = mesh.triangles_of_vertex(vertex);
            triangles.extend(of_vertex.filter(|&t| mesh.corners(t)[0] == vertex).map(|t| t.0));
        }
        triangles
    }

    /// Visits all vertices of removed and added triangles, and joins those of each added one.
    fn start(&mut self, mesh: &LiveMesh, edit: &MeshEdit) {
        self.visited.resize(mesh.vertex_count(), (0, 0));
        self.touched.clear();
        self.joined.clear();
        self.search = self.search.wrapping_add(1);
        if self.search == 0 {
            self.visited.fill((0, 0));
            self.visited_regions.fill((0, 0));
            self.search = 1;
        }
        for triangle in &edit.removed {
            for vertex in mesh.corners(*triangle) {
                self.touch(vertex);
            }
        }
        for new in &edit.added {
            let corners = new.corners.map(|vertex| self.touch(vertex));
            self.joined.join_all(corners);
        }
    }

    /// The number of a touched vertex, a new one if it was not touched yet.
    #[inline]
    fn touch(&mut self, vertex: u32) -> u32 {
        let (search, known) = self.visited[vertex as usize];
        if search == self.search {
            return known;
        }
        let number = self.joined.push();
        self.visited[vertex as usize] = (self.search, number);
        self.touched.push(vertex);
        number
    }

    /// Makes clusters of the touched vertices and finds out which pieces they are in.
    fn list_clusters(&mut self, mesh: &LiveMesh, tree: &Tree) {
        self.changed = true;
        self.met.clear();
        self.cluster_of.clear();
        self.cluster_of.resize(self.touched.len(), NONE);
        for (k, &vertex) in self.touched.iter().enumerate() {
            // The lowest names its set, so it comes first.
            let root = self.joined.root(k as u32) as usize;
            if root == k {
                self.cluster_of[k] = self.met.push();
                self.clusters.push(Cluster { piece: NONE, ..Cluster::default() });
            }
            let number = self.cluster_of[root];
            self.visited[vertex as usize].1 = number;
            let cluster = &mut self.clusters[number as usize];
            cluster.members.push(vertex);
            if cluster.piece == NONE
                && let Some(triangle) = mesh.triangles_of_vertex(vertex).next()
            {
                let at = tree.arena.leaf_at[triangle.index()];
                cluster.piece = tree.arena.root_above(at).unwrap_or(NONE);
            }
        }
    }

    /// The clusters that are not complete. Those without triangles are no part of anything.
    fn growing(&self) -> impl Iterator<Item = u32> + '_ {
        (0..self.clusters.len() as u32).filter(|&k| {
            let cluster = &self.clusters[k as usize];
            self.met.is_root(k) && !cluster.is_part && cluster.piece != NONE
        })
    }

    /// Gives every cluster a place in the next one of its piece to look for, and sorts its vertices by the way there.
    fn aim(&mut self, mesh: &LiveMesh) {
        let growing: Vec<u32> = self.growing().collect();
        for (k, &cluster) in growing.iter().enumerate() {
            let piece = self.clusters[cluster as usize].piece;
            let mut others = growing[k + 1..].iter().chain(&growing[..k]).copied();
            let next = others.find(|&other| self.clusters[other as usize].piece == piece).unwrap_or(cluster);
            let vertex = self.clusters[next as usize].members[0];
            let cluster = &mut self.clusters[cluster as usize];
            cluster.target = mesh.positions()[vertex as usize];
            for vertex in std::mem::take(&mut cluster.members) {
                cluster.add(mesh, vertex);
            }
        }
    }

    /// Brings the list of rivals up to date.
    fn list_rivals(&mut self) {
        if !std::mem::take(&mut self.changed) {
            return;
        }
        let mut rivals = std::mem::take(&mut self.rivals);
        rivals.clear();
        rivals.extend(self.growing());
        let piece = |k: u32| self.clusters[k as usize].piece;
        let mut pieces: Vec<u32> = rivals.iter().map(|&k| piece(k)).collect();
        pieces.sort_unstable();
        rivals.retain(|&k| {
            let first = pieces.partition_point(|&known| known < piece(k));
            pieces.get(first + 1) == Some(&piece(k))
        });
        self.rivals = rivals;
    }

    /// Visits the neighbours of the next vertex of a cluster.
    fn visit_vertex(&mut self, mesh: &LiveMesh, cluster: u32) {
        // It may have met another in the same round.
        if !self.met.is_root(cluster) {
            return;
        }
        match self.clusters[cluster as usize].queue.pop() {
            Some(Reverse((_, vertex))) => self.expand(mesh, cluster, vertex),
            None => self.complete(cluster),
        }
    }

    /// A cluster that has nowhere to go is a part.
    fn complete(&mut self, cluster: u32) {
        self.clusters[cluster as usize].is_part = true;
        self.changed = true;
    }

    /// Visits the neighbours of a vertex for a cluster.
    fn expand(&mut self, mesh: &LiveMesh, mut cluster: u32, vertex: u32) {
        for triangle in mesh.triangles_of_vertex(vertex) {
            for other in mesh.corners(triangle) {
                let (search, known) = self.visited[other as usize];
                if search != self.search {
                    self.visited[other as usize] = (self.search, cluster);
                    self.clusters[cluster as usize].add(mesh, other);
                } else if known != cluster {
                    cluster = self.meet(cluster, known);
                }
            }
        }
    }

    /// From the vertices visited one by one to their regions.
    fn enter_regions(&mut self) {
        self.visited_regions.resize(self.regions.count().max(self.visited_regions.len()), (0, 0));
        for k in 0..self.rivals.len() {
            let mut cluster = self.rivals[k];
            let members = std::mem::take(&mut self.clusters[cluster as usize].members);
            for vertex in members {
                let region = self.regions.of(vertex);
                // A touched vertex may have no triangle any more.
                if region != NONE {
                    cluster = self.enter(cluster, region);
                }
            }
        }
    }

    /// Visits a region for a cluster. Returns what cluster that is then.
    #[inline]
    fn enter(&mut self, cluster: u32, region: u32) -> u32 {
        let (search, known) = self.visited_regions[region as usize];
        if search != self.search {
            self.visited_regions[region as usize] = (self.search, cluster);
            let entered = &mut self.clusters[cluster as usize];
            entered.regions.push(region);
            entered.waiting.push(region);
            entered.vertices += self.regions.size(region);
            cluster
        } else if known != cluster {
            self.meet(cluster, known)
        } else {
            cluster
        }
    }

    /// The rival with the fewest vertices; of equal ones the first.
    fn smallest_rival(&self) -> Option<u32> {
        self.rivals.iter().copied().min_by_key(|&k| self.clusters[k as usize].vertices)
    }

    /// Visits the neighbours of a region for a cluster.
    fn visit_region(&mut self, mut cluster: u32) {
        let Some(region) = self.clusters[cluster as usize].waiting.pop() else {
            return self.complete(cluster);
        };
        for k in 0..self.regions.neighbours(region).len() {
            cluster = self.enter(cluster, self.regions.neighbours(region)[k]);
        }
    }

    /// Joins two clusters and their lists, the smaller into the larger. Returns the one that is left.
    fn meet(&mut self, a: u32, b: u32) -> u32 {
        let (a, b) = (self.met.root(a), self.met.root(b));
        if a == b {
            return a;
        }
        let size = |k: u32| (self.clusters[k as usize].size(), u32::MAX - k);
        let (into, from) = if size(a) >= size(b) { (a, b) } else { (b, a) };
        self.met.attach(from, into);
        self.changed = true;
        let mut taken = std::mem::take(&mut self.clusters[from as usize]);
        let cluster = &mut self.clusters[into as usize];
        cluster.queue.append(&mut taken.queue);
        cluster.members.append(&mut taken.members);
        cluster.regions.append(&mut taken.regions);
        cluster.waiting.append(&mut taken.waiting);
        cluster.vertices += taken.vertices;
        if cluster.piece == NONE {
            cluster.piece = taken.piece;
        }
        into
    }
}

impl Cluster {
    /// Vertices found so far.
    fn size(&self) -> usize {
        self.vertices.max(self.members.len())
    }
}
