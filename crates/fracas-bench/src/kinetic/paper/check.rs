//! The paper's peer: a binary tree of boxes, refitted bottom-up at every frame. And its Algorithm 2 for trees of any kind.

use fracas::geom::{Box3, Triangle};
use fracas::kinetic::{AabbTree, BoxTree, NodeId};
use fracas::mesh::TriangleId;
use fracas::{DVec3, exact};
use std::collections::BTreeMap;

const NONE: u32 = u32::MAX;

/// A tree of stored boxes with the nodes of a kinetic tree, so that both sides have the same one.
pub struct BottomUp {
    /// Parents before children.
    boxes: Vec<Box3>,
    /// Two nodes, or a triangle and none.
    children: Vec<[u32; 2]>,
    triangles: Vec<[u32; 3]>,
}

impl BottomUp {
    pub fn like(tree: &AabbTree, triangles: &[[u32; 3]]) -> Self {
        let nodes = tree.nodes();
        let places: BTreeMap<NodeId, u32> = nodes.iter().copied().zip(0..).collect();
        let children = |node: &NodeId| match (tree.children(*node), tree.triangle_of(*node)) {
            (Some(children), _) => children.map(|child| places[&child]),
            (None, triangle) => [triangle.expect("a leaf has a triangle").0, NONE],
        };
        let children: Vec<[u32; 2]> = nodes.iter().map(children).collect();
        Self { boxes: vec![Box3::EMPTY; children.len()], children, triangles: triangles.to_vec() }
    }

    pub fn refit(&mut self, positions: &[DVec3]) {
        for node in (0..self.boxes.len()).rev() {
            let [left, right] = self.children[node];
            self.boxes[node] = if right == NONE {
                let [a, b, c] = self.triangles[left as usize].map(|vertex| positions[vertex as usize]);
                Box3 { min: a.min(b).min(c), max: a.max(b).max(c) }
            } else {
                self.boxes[left as usize].union(&self.boxes[right as usize])
            };
        }
    }

    pub fn node_count(&self) -> usize {
        self.boxes.len()
    }
}

/// A binary tree of boxes. A box holds what lies below its node, at one instant.
pub trait Hierarchy {
    /// A node, with its box if that is not stored.
    type Node: Copy;
    fn root(&self) -> Self::Node;
    fn bounds(&self, node: Self::Node) -> Box3;
    /// The children of a node; none for a leaf.
    fn children(&self, node: Self::Node) -> Option<[Self::Node; 2]>;
    /// The triangle of a leaf.
    fn triangle(&self, leaf: Self::Node) -> TriangleId;
}

impl Hierarchy for BottomUp {
    type Node = u32;

    fn root(&self) -> u32 {
        0
    }

    #[inline]
    fn bounds(&self, node: u32) -> Box3 {
        self.boxes[node as usize]
    }

    #[inline]
    fn children(&self, node: u32) -> Option<[u32; 2]> {
        let children = self.children[node as usize];
        (children[1] != NONE).then_some(children)
    }

    #[inline]
    fn triangle(&self, leaf: u32) -> TriangleId {
        TriangleId(self.children[leaf as usize][0])
    }
}

/// Boxes are evaluated once for each pair whose children are looked at.
impl Hierarchy for AabbTree {
    type Node = (NodeId, Box3);

    fn root(&self) -> Self::Node {
        (AabbTree::root(self).expect("there are triangles"), AabbTree::bounds(self))
    }

    #[inline]
    fn bounds(&self, node: Self::Node) -> Box3 {
        node.1
    }

    #[inline]
    fn children(&self, node: Self::Node) -> Option<[Self::Node; 2]> {
        Some(AabbTree::children(self, node.0)?.map(|child| (child, self.bounds_of(child))))
    }

    #[inline]
    fn triangle(&self, leaf: Self::Node) -> TriangleId {
        self.triangle_of(leaf.0).expect("a leaf")
    }
}

/// A child has the box of its father with one side moved to a plane.
impl Hierarchy for BoxTree {
    type Node = (NodeId, Box3);

    fn root(&self) -> Self::Node {
        (BoxTree::root(self).expect("there are triangles"), BoxTree::bounds(self))
    }

    #[inline]
    fn bounds(&self, node: Self::Node) -> Box3 {
        node.1
    }

    #[inline]
    fn children(&self, (node, bounds): Self::Node) -> Option<[Self::Node; 2]> {
        let [left, right] = BoxTree::children(self, node)?;
        let (axis, [greatest, least]) = self.planes_of(node)?;
        let mut boxes = [bounds; 2];
        boxes[0].max[axis] = self.plans().at(greatest, self.now())[axis];
        boxes[1].min[axis] = self.plans().at(least, self.now())[axis];
        Some([(left, boxes[0]), (right, boxes[1])])
    }

    #[inline]
    fn triangle(&self, leaf: Self::Node) -> TriangleId {
        self.triangle_of(leaf.0).expect("a leaf")
    }
}

/// Algorithm 2 of the paper without its last step: lists the pairs of leaves whose boxes overlap. Returns how many pairs of boxes
/// were compared.
pub fn check<A: Hierarchy, B: Hierarchy>(a: &A, b: &B, leaves: &mut Vec<[TriangleId; 2]>) -> u64 {
    leaves.clear();
    let mut compared = 1;
    let mut waiting = Vec::with_capacity(256);
    if a.bounds(a.root()).overlaps(&b.bounds(b.root())) {
        waiting.push((a.root(), b.root()));
    }
    while let Some((node, other)) = waiting.pop() {
        let (mine, others) = (a.children(node), b.children(other));
        if mine.is_none() && others.is_none() {
            leaves.push([a.triangle(node), b.triangle(other)]);
            continue;
        }
        let (rows, columns) = (1 + usize::from(mine.is_some()), 1 + usize::from(others.is_some()));
        let (mine, others) = (mine.unwrap_or([node; 2]), others.unwrap_or([other; 2]));
        compared += (rows * columns) as u64;
        for &child in &mine[..rows] {
            let bounds = a.bounds(child);
            for &other in &others[..columns] {
                if bounds.overlaps(&b.bounds(other)) {
                    waiting.push((child, other));
                }
            }
        }
    }
    compared
}

/// The last step of Algorithm 2: how many of the pairs of triangles meet, exactly. Asks for corners by body and triangle.
pub fn count_meeting(leaves: &[[TriangleId; 2]], corners: impl Fn(usize, TriangleId) -> [DVec3; 3]) -> u64 {
    let triangle = |body: usize, triangle: TriangleId| {
        let [a, b, c] = corners(body, triangle);
        Triangle { a, b, c }
    };
    let meets = |[a, b]: &&[TriangleId; 2]| {
        exact::tri_tri(&triangle(0, *a), &triangle(1, *b)) != exact::Relation::Disjoint
    };
    leaves.iter().filter(meets).count() as u64
}
