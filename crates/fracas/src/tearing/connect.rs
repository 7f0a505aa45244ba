//! Detecting that a body has come apart, without searching all of it.
//!
//! Only what an edit has touched can lose its connection. So the search starts at the vertices of removed and added
//! triangles. Vertices joined by added triangles form clusters. While a cut advances there is only one cluster,
//! connected at the front, and the search ends at once. If there are several, searches start from all of them, taking
//! turns vertex by vertex, and each prefers vertices near another cluster. Two searches that meet become one; a search with no
//! vertex left has found a separate part. The search ends when only one is left. Clusters that are still connected
//! mostly meet along a path. Only parts that have really come apart are visited as a whole, and never
//! the largest.
//!
//! Triangles that share a vertex, by index, are connected.

use super::arena::NONE;
use super::{TearingBody, Tree};
use crate::base::DisjointSets;
use crate::geom::DVec3;
use crate::mesh::{LiveMesh, MeshEdit, TriangleId};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Clusters of vertices, and memory to find them with.
#[derive(Clone, Debug, Default)]
pub(super) struct Clusters {
    /// By vertex: the search in which it was visited, and its place in `nodes`.
    visited: Vec<(u32, u32)>,
    search: u32,
    /// The visited vertices in disjoint sets, each a cluster, and what is known of them.
    sets: DisjointSets,
    nodes: Vec<Cluster>,
    active: Vec<u32>,
}

#[derive(Clone, Debug, Default)]
struct Cluster {
    vertex: u32,
    /// Of a root: vertices whose neighbours have not been visited, by their distance from the target.
    queue: BinaryHeap<Reverse<(u32, u32)>>,
    /// Of a root: more of them, in no order. A cluster that has grown large has probably come apart, and has to be
    /// visited as a whole.
    rest: Vec<u32>,
    /// Of a root: all vertices of the cluster.
    members: Vec<u32>,
    /// Of a root: a place in another cluster of the same piece.
    target: DVec3,
    /// Of a root: the piece of the body that the cluster is in.
    piece: u32,
}

/// Vertices up to which a cluster is searched by distance.
const LARGE: usize = 2048;

impl Cluster {
    fn add(&mut self, mesh: &LiveMesh, vertex: u32) {
        if self.members.len() < LARGE {
            let distance = mesh.positions()[vertex as usize].distance_squared(self.target) as f32;
            // Bits of positive numbers are in the order of the numbers.
            self.queue.push(Reverse((distance.to_bits(), vertex)));
        } else {
            self.rest.push(vertex);
        }
        self.members.push(vertex);
    }

    /// The next vertex to go on from.
    fn next(&mut self) -> Option<u32> {
        self.queue.pop().map(|Reverse((_, vertex))| vertex).or_else(|| self.rest.pop())
    }
}

impl TearingBody {
    /// After an edit: gives every part that has come apart a piece of its own. Returns how many there are.
    pub(super) fn separate(&mut self, edit: &MeshEdit) -> usize {
        let mut clusters = std::mem::take(&mut self.clusters);
        clusters.find(&self.mesh, &self.tree, edit);
        let mut parts = 0;
        let mut triangles = Vec::new();
        for root in clusters.lost_parts() {
            triangles.clear();
            for &vertex in &clusters.nodes[root as usize].members {
                // Each triangle once, at the first of its corners.
                let of_vertex = self.mesh.triangles_of_vertex(vertex);
                triangles.extend(of_vertex.filter(|&t| self.mesh.corners(t)[0] == vertex).map(|t| t.0));
            }
            if !triangles.is_empty() {
                self.tree.split_off(&triangles);
                parts += 1;
            }
        }
        self.clusters = clusters;
        parts
    }
}

impl Clusters {
    fn find(&mut self, mesh: &LiveMesh, tree: &Tree, edit: &MeshEdit) {
        self.start(mesh, edit);
        self.active.clear();
        self.active.extend((0..self.nodes.len() as u32).filter(|&k| self.sets.is_root(k)));
        if self.active.len() < 2 {
            return;
        }
        self.list_members(mesh, tree);
        // Clusters that have no triangle left are no part of anything.
        self.active.retain(|&k| self.nodes[k as usize].piece != NONE);
        self.aim(mesh);
        while self.is_open() {
            let mut k = 0;
            while k < self.active.len() {
                let root = self.active[k];
                // A cluster that has joined another has nowhere to go either.
                match self.nodes[root as usize].next() {
                    Some(vertex) => {
                        self.expand(mesh, root, vertex);
                        k += 1;
                    }
                    None => {
                        self.active.swap_remove(k);
                    }
                }
            }
        }
    }

    /// The clusters that are done and so are parts on their own.
    fn lost_parts(&self) -> Vec<u32> {
        let is_lost = |&k: &u32| {
            let node = &self.nodes[k as usize];
            self.sets.is_root(k) && node.piece != NONE && !self.active.contains(&k)
        };
        let lost: Vec<u32> = (0..self.nodes.len() as u32).filter(is_lost).collect();
        // If every cluster of a piece is done, the largest stays what the piece was.
        let stays = |piece: u32| {
            let has_active = self.active.iter().any(|&k| self.nodes[k as usize].piece == piece);
            let of_piece = lost.iter().filter(|&&k| self.nodes[k as usize].piece == piece);
            let largest = of_piece.max_by_key(|&&k| (self.nodes[k as usize].members.len(), u32::MAX - k));
            if has_active { None } else { largest.copied() }
        };
        lost.iter().copied().filter(|&k| stays(self.nodes[k as usize].piece) != Some(k)).collect()
    }

    /// Visits all vertices of removed and added triangles, and joins those of each added one.
    fn start(&mut self, mesh: &LiveMesh, edit: &MeshEdit) {
        self.visited.resize(mesh.vertex_count(), (0, 0));
        self.sets.clear();
        self.nodes.clear();
        self.search = self.search.wrapping_add(1);
        if self.search == 0 {
            self.visited.fill((0, 0));
            self.search = 1;
        }
        for triangle in &edit.removed {
            for vertex in mesh.corners(*triangle) {
                self.visit(vertex);
            }
        }
        for new in &edit.added {
            let corners = new.corners.map(|vertex| self.visit(vertex));
            self.sets.join_all(corners);
        }
    }

    /// Fills the lists of the clusters and finds out which pieces they are in.
    fn list_members(&mut self, mesh: &LiveMesh, tree: &Tree) {
        for k in 0..self.nodes.len() as u32 {
            let (root, vertex) = (self.sets.root(k), self.nodes[k as usize].vertex);
            let any: Option<TriangleId> = mesh.triangles_of_vertex(vertex).next();
            let node = &mut self.nodes[root as usize];
            node.members.push(vertex);
            if let (NONE, Some(triangle)) = (node.piece, any) {
                let at = tree.arena.leaf_at[triangle.index()];
                node.piece = tree.arena.root_above(at).unwrap_or(NONE);
            }
        }
    }

    /// Gives every cluster a place in the next one of its piece to look for, and sorts its vertices by the way there.
    fn aim(&mut self, mesh: &LiveMesh) {
        for k in 0..self.active.len() {
            let root = self.active[k] as usize;
            let piece = self.nodes[root].piece;
            let others = self.active[k + 1..].iter().chain(&self.active[..k]);
            let next = others.copied().find(|&other| self.nodes[other as usize].piece == piece);
            let target = next.unwrap_or(self.active[k]);
            self.nodes[root].target = mesh.positions()[self.nodes[target as usize].vertex as usize];
            for vertex in std::mem::take(&mut self.nodes[root].members) {
                self.nodes[root].add(mesh, vertex);
            }
        }
    }

    /// Whether two clusters of one piece are still growing.
    fn is_open(&self) -> bool {
        let piece = |k: &u32| self.nodes[*k as usize].piece;
        self.active
            .iter()
            .enumerate()
            .any(|(n, k)| self.active[..n].iter().any(|other| piece(other) == piece(k)))
    }

    /// Visits the neighbours of a vertex for a cluster.
    fn expand(&mut self, mesh: &LiveMesh, cluster: u32, vertex: u32) {
        let mut root = self.sets.root(cluster);
        for triangle in mesh.triangles_of_vertex(vertex) {
            for other in mesh.corners(triangle) {
                let (search, met) = self.visited[other as usize];
                if search == self.search {
                    if met != root {
                        self.merge(root, met);
                        root = self.sets.root(root);
                    }
                } else {
                    self.visited[other as usize] = (self.search, root);
                    self.nodes[root as usize].add(mesh, other);
                }
            }
        }
    }

    /// The node of a vertex, a new one if it was not visited yet.
    fn visit(&mut self, vertex: u32) -> u32 {
        let (search, known) = self.visited[vertex as usize];
        if search == self.search {
            return known;
        }
        let node = self.sets.push();
        self.visited[vertex as usize] = (self.search, node);
        self.nodes.push(Cluster { vertex, piece: NONE, ..Cluster::default() });
        node
    }

    /// Joins two clusters and their lists.
    fn merge(&mut self, a: u32, b: u32) {
        let (a, b) = (self.sets.root(a), self.sets.root(b));
        if a == b {
            return;
        }
        // The one with more vertices takes in the other.
        let size = |k: u32| (self.nodes[k as usize].members.len(), u32::MAX - k);
        let (into, from) =
            if size(a) >= size(b) { (a as usize, b as usize) } else { (b as usize, a as usize) };
        self.sets.attach(from as u32, into as u32);
        let mut taken = std::mem::take(&mut self.nodes[from]);
        self.nodes[from].piece = taken.piece;
        let cluster = &mut self.nodes[into];
        cluster.queue.append(&mut taken.queue);
        cluster.rest.append(&mut taken.rest);
        cluster.members.append(&mut taken.members);
        if cluster.piece == NONE {
            cluster.piece = taken.piece;
        }
    }
}
