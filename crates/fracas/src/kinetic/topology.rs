//! The shape of a binary tree over triangles that come and go.
//!
//! Both trees of this folder share it. It knows which node is above which and where the triangles of a vertex are, and nothing
//! about boxes.
//!
//! # Invariants (checked by [`Topology::validate`])
//!
//! Every living triangle is in exactly one leaf. A node counts the leaves below it, and neither child has more than 7/10 of them
//! plus one: the height is at most 2 log₂ n. An edit that breaks this rebuilds the topmost offender by median splits, which
//! costs *O(log² n)* per edit on average.

use super::error::KineticError;
use crate::geom::{Box3, DVec3};
use crate::mesh::TriangleId;

pub(super) const NONE: u32 = u32::MAX;
/// More triangles would need more event slots than `u32` can name.
pub(super) const MOST_TRIANGLES: usize = (u32::MAX / 16) as usize;

/// A node's place in the tree.
#[derive(Clone, Copy, Debug)]
pub(super) struct Links {
    pub(super) parent: u32,
    /// The children; a leaf has its triangle and [`NONE`].
    pub(super) children: [u32; 2],
    /// Leaves below; 0 if the node is free.
    pub(super) count: u32,
    /// The axis along which the children were divided.
    pub(super) axis: u8,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Topology {
    pub(super) nodes: Vec<Links>,
    free: Vec<u32>,
    pub(super) root: u32,
    /// Corners by triangle; dead ones stay.
    pub(super) triangles: Vec<[u32; 3]>,
    /// By triangle; [`NONE`] if it is dead.
    pub(super) leaf_of: Vec<u32>,
    /// By vertex: the first corner in its list. A corner is named by three times its triangle plus 0, 1 or 2.
    first: Vec<u32>,
    /// By corner: the next and the previous in the list of its vertex.
    links: Vec<[u32; 2]>,
}

/// A triangle with its centre, to be divided from others.
pub(super) type Placed = (DVec3, u32);

impl Topology {
    /// A tree by median splits. `centre` gives the centre of three corners, in any unit.
    pub(super) fn build(
        triangles: Vec<[u32; 3]>,
        vertices: usize,
        centre: impl Fn([u32; 3]) -> DVec3,
    ) -> Self {
        let mut placed: Vec<Placed> = triangles.iter().map(|&corners| centre(corners)).zip(0..).collect();
        let mut tree = Self { root: NONE, first: vec![NONE; vertices], ..Self::default() };
        for corners in triangles {
            tree.add_triangle(corners);
        }
        tree.nodes.reserve(2 * placed.len());
        if !placed.is_empty() {
            tree.root = tree.plant(NONE, &mut placed);
        }
        tree
    }

    pub(super) fn add_vertices(&mut self, count: usize) {
        self.first.resize(count, NONE);
    }

    #[inline]
    pub(super) fn is_leaf(&self, node: u32) -> bool {
        self.nodes[node as usize].children[1] == NONE
    }

    #[inline]
    pub(super) fn parent(&self, node: u32) -> u32 {
        self.nodes[node as usize].parent
    }

    #[inline]
    pub(super) fn children(&self, node: u32) -> Option<[u32; 2]> {
        let children = self.nodes[node as usize].children;
        (children[1] != NONE).then_some(children)
    }

    /// The corners of a leaf's triangle.
    #[inline]
    pub(super) fn corners(&self, leaf: u32) -> [u32; 3] {
        self.triangles[self.nodes[leaf as usize].children[0] as usize]
    }

    #[inline]
    pub(super) fn sibling(&self, parent: u32, node: u32) -> u32 {
        let [left, right] = self.nodes[parent as usize].children;
        if left == node { right } else { left }
    }

    /// Nodes in use: all of them, in no order.
    pub(super) fn used(&self) -> impl Iterator<Item = u32> + '_ {
        (0..self.nodes.len() as u32).filter(|&node| self.nodes[node as usize].count > 0)
    }

    /// Lists a subtree, parents before children.
    pub(super) fn list_below(&self, node: u32, list: &mut Vec<u32>) {
        list.clear();
        if node == NONE {
            return;
        }
        list.push(node);
        let mut next = 0;
        while next < list.len() {
            list.extend(self.children(list[next]).into_iter().flatten());
            next += 1;
        }
    }

    /// The first leaf of a vertex in its list, for [`Topology::next_leaf`].
    pub(super) fn first_corner(&self, vertex: u32) -> u32 {
        self.first[vertex as usize]
    }

    pub(super) fn next_corner(&self, corner: u32) -> u32 {
        self.links[corner as usize][0]
    }

    pub(super) fn leaf_of_corner(&self, corner: u32) -> u32 {
        self.leaf_of[corner as usize / 3]
    }

    /// Adds a triangle that is in no leaf yet.
    pub(super) fn add_triangle(&mut self, corners: [u32; 3]) -> u32 {
        let triangle = self.triangles.len() as u32;
        self.triangles.push(corners);
        self.leaf_of.push(NONE);
        for (k, vertex) in corners.into_iter().enumerate() {
            let (corner, next) = (3 * triangle + k as u32, self.first[vertex as usize]);
            self.links.push([next, NONE]);
            if next != NONE {
                self.links[next as usize][1] = corner;
            }
            self.first[vertex as usize] = corner;
        }
        triangle
    }

    /// Puts a triangle beside a leaf: both get a new parent, which is returned with the new leaf.
    pub(super) fn put_beside(&mut self, leaf: u32, triangle: u32) -> [u32; 2] {
        let above = self.parent(leaf);
        let inner = self.take(Links { parent: above, children: [leaf, NONE], count: 1, axis: 0 });
        let new = self.take_leaf(inner, triangle);
        self.nodes[inner as usize].children[1] = new;
        self.nodes[leaf as usize].parent = inner;
        self.replace_child(above, leaf, inner);
        self.add_to_counts(inner, 1);
        [inner, new]
    }

    /// Makes a triangle the only leaf of an empty tree.
    pub(super) fn put_alone(&mut self, triangle: u32) -> u32 {
        self.root = self.take_leaf(NONE, triangle);
        self.root
    }

    /// Takes a triangle out. Returns the two nodes that are free now (the second may be [`NONE`]), and the lowest one above them.
    pub(super) fn take_out(&mut self, triangle: u32) -> ([u32; 2], u32) {
        for (k, vertex) in self.triangles[triangle as usize].into_iter().enumerate() {
            let [next, previous] = self.links[3 * triangle as usize + k];
            if previous == NONE {
                self.first[vertex as usize] = next;
            } else {
                self.links[previous as usize][0] = next;
            }
            if next != NONE {
                self.links[next as usize][1] = previous;
            }
        }
        let leaf = std::mem::replace(&mut self.leaf_of[triangle as usize], NONE);
        let inner = self.parent(leaf);
        self.release(leaf);
        if inner == NONE {
            self.root = NONE;
            return ([leaf, NONE], NONE);
        }
        let (above, sibling) = (self.parent(inner), self.sibling(inner, leaf));
        self.nodes[sibling as usize].parent = above;
        self.replace_child(above, inner, sibling);
        self.release(inner);
        if above != NONE {
            self.add_to_counts(above, -1);
        }
        ([leaf, inner], above)
    }

    /// Divides the two children of a node, the second of which lies in the given direction from the first, along an axis.
    pub(super) fn divide(&mut self, node: u32, towards_second: DVec3) {
        let axis = longest_axis(towards_second.abs());
        let links = &mut self.nodes[node as usize];
        links.axis = axis as u8;
        if towards_second[axis] < 0.0 {
            links.children.swap(0, 1);
        }
    }

    /// Whether a triangle is there.
    pub(super) fn has(&self, triangle: TriangleId) -> bool {
        self.leaf_of.get(triangle.index()).is_some_and(|&leaf| leaf != NONE)
    }

    /// Checks that triangles live and are different.
    pub(super) fn check_living(&self, triangles: &[TriangleId]) -> Result<(), KineticError> {
        let mut sorted = triangles.to_vec();
        sorted.sort_unstable();
        for (k, &triangle) in sorted.iter().enumerate() {
            if !self.has(triangle) || k > 0 && sorted[k - 1] == triangle {
                return Err(KineticError::NoSuchTriangle { triangle: triangle.0 });
            }
        }
        Ok(())
    }

    /// The topmost node at or above one whose children differ too much, or [`NONE`].
    pub(super) fn unbalanced_above(&self, node: u32) -> u32 {
        let (mut found, mut node) = (NONE, node);
        while node != NONE {
            if let Some(children) = self.children(node) {
                let larger =
                    children.map(|child| self.nodes[child as usize].count).into_iter().max().unwrap_or(0);
                if 10 * larger > 7 * self.nodes[node as usize].count + 10 {
                    found = node;
                }
            }
            node = self.parent(node);
        }
        found
    }

    /// Rebuilds a subtree by median splits. Nodes below get other meanings; the node itself stays.
    pub(super) fn rebuild(&mut self, node: u32, centre: impl Fn([u32; 3]) -> DVec3) {
        let mut below = Vec::new();
        self.list_below(node, &mut below);
        let leaves = below.iter().filter(|&&node| self.is_leaf(node));
        let triangles = leaves.map(|&leaf| self.nodes[leaf as usize].children[0]);
        let mut placed: Vec<Placed> =
            triangles.map(|triangle| (centre(self.triangles[triangle as usize]), triangle)).collect();
        placed.sort_unstable_by_key(|&(_, triangle)| triangle);
        let parent = self.parent(node);
        // The node is the last to be released, so that it is the first to be taken.
        below.into_iter().rev().for_each(|node| self.release(node));
        let again = self.plant(parent, &mut placed);
        debug_assert_eq!(again, node);
    }

    /// A subtree for some triangles, at least one.
    fn plant(&mut self, parent: u32, placed: &mut [Placed]) -> u32 {
        if let [(_, triangle)] = *placed {
            return self.take_leaf(parent, triangle);
        }
        let bounds = Box3::from_points(placed.iter().map(|&(centre, _)| centre));
        let axis = longest_axis(bounds.max - bounds.min);
        let half = placed.len() / 2;
        placed.select_nth_unstable_by(half, |a, b| a.0[axis].total_cmp(&b.0[axis]).then(a.1.cmp(&b.1)));
        let count = placed.len() as u32;
        let node = self.take(Links { parent, children: [0, 0], count, axis: axis as u8 });
        let (low, high) = placed.split_at_mut(half);
        let children = [self.plant(node, low), self.plant(node, high)];
        self.nodes[node as usize].children = children;
        node
    }

    fn take_leaf(&mut self, parent: u32, triangle: u32) -> u32 {
        let leaf = self.take(Links { parent, children: [triangle, NONE], count: 1, axis: 0 });
        self.leaf_of[triangle as usize] = leaf;
        leaf
    }

    fn take(&mut self, links: Links) -> u32 {
        if let Some(node) = self.free.pop() {
            self.nodes[node as usize] = links;
            return node;
        }
        self.nodes.push(links);
        (self.nodes.len() - 1) as u32
    }

    fn release(&mut self, node: u32) {
        self.nodes[node as usize].count = 0;
        self.free.push(node);
    }

    fn replace_child(&mut self, parent: u32, old: u32, new: u32) {
        if parent == NONE {
            self.root = new;
            return;
        }
        let children = &mut self.nodes[parent as usize].children;
        *(if children[0] == old { &mut children[0] } else { &mut children[1] }) = new;
    }

    fn add_to_counts(&mut self, mut node: u32, change: i32) {
        while node != NONE {
            let links = &mut self.nodes[node as usize];
            links.count = links.count.wrapping_add_signed(change);
            node = links.parent;
        }
    }

    /// Checks the invariants; the first violation as a sentence.
    pub(super) fn validate(&self) -> Result<(), String> {
        let mut below = Vec::new();
        self.list_below(self.root, &mut below);
        if below.len() != self.used().count() {
            return Err(format!(
                "{} nodes are in use, but {} below the root",
                self.used().count(),
                below.len()
            ));
        }
        let mut leaves = 0;
        for &node in &below {
            let links = &self.nodes[node as usize];
            let Some(children) = self.children(node) else {
                leaves += 1;
                if self.leaf_of[links.children[0] as usize] != node || links.count != 1 {
                    return Err(format!("leaf {node} is not that of its triangle"));
                }
                continue;
            };
            let counts = children.map(|child| self.nodes[child as usize].count);
            if counts[0] + counts[1] != links.count
                || children.iter().any(|&child| self.parent(child) != node)
            {
                return Err(format!("links or counts of node {node} are wrong"));
            }
            if 10 * counts[0].max(counts[1]) > 7 * links.count + 10 {
                return Err(format!("node {node} is out of balance: {counts:?}"));
            }
        }
        let alive = self.leaf_of.iter().filter(|&&leaf| leaf != NONE).count();
        if alive != leaves {
            return Err(format!("{alive} triangles live, but there are {leaves} leaves"));
        }
        for vertex in 0..self.first.len() as u32 {
            let mut corner = self.first_corner(vertex);
            while corner != NONE {
                if self.leaf_of_corner(corner) == NONE
                    || !self.triangles[corner as usize / 3].contains(&vertex)
                {
                    return Err(format!("the list of vertex {vertex} holds corner {corner}"));
                }
                corner = self.next_corner(corner);
            }
        }
        Ok(())
    }
}

fn longest_axis(extent: DVec3) -> usize {
    if extent.x >= extent.y && extent.x >= extent.z {
        0
    } else if extent.y >= extent.z {
        1
    } else {
        2
    }
}
