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

#[cfg(test)]
mod tests {
    use super::super::clip::{aabb_tree, box_tree, refined};
    use super::*;
    use fracas::kinetic::KineticOptions;
    use fracas::mesh::shapes;
    use fracas_scenes::motion::KeyedMotion;

    /// A sheet that rolls up between two keys.
    fn sheet(height: f64) -> KeyedMotion {
        let flat = shapes::cloth_grid(9, 7, [1.0, 0.8]);
        let flat_key: Vec<DVec3> = flat.positions().iter().map(|p| *p + DVec3::Z * height).collect();
        let rolled = |p: &DVec3| DVec3::new(0.3 * (4.0 * p.x).sin(), p.y, 0.3 * (4.0 * p.x).cos() - 0.1);
        let keys = vec![flat_key, flat.positions().iter().map(rolled).collect()];
        KeyedMotion::new("sheet", flat.triangles().to_vec(), vec![0.0, 1.0], keys).expect("good keys")
    }

    #[test]
    fn all_trees_list_the_leaves_of_brute_force() {
        let bodies = [sheet(0.1), refined(&sheet(-0.05))];
        let mut trees = bodies.each_ref().map(|body| aabb_tree(body, KineticOptions::default()));
        let mut planes = bodies.each_ref().map(box_tree);
        let mut peers = [0, 1].map(|k| BottomUp::like(&trees[k], bodies[k].triangles()));
        for time in [0.0, 0.4, 0.7, 0.95] {
            let mut positions = [vec![], vec![]];
            for k in 0..2 {
                trees[k].advance_to(time).unwrap();
                planes[k].advance_to(time).unwrap();
                trees[k].plans().positions_at(time, &mut positions[k]);
                peers[k].refit(&positions[k]);
            }
            let bounds = |k: usize, triangle: usize| {
                let corners = bodies[k].triangles()[triangle];
                Box3::from_points(corners.map(|vertex| positions[k][vertex as usize]))
            };
            let mut expected = vec![];
            for a in 0..bodies[0].triangles().len() {
                for b in 0..bodies[1].triangles().len() {
                    if bounds(0, a).overlaps(&bounds(1, b)) {
                        expected.push([TriangleId(a as u32), TriangleId(b as u32)]);
                    }
                }
            }
            let mut found = vec![];
            check(&peers[0], &peers[1], &mut found);
            found.sort_unstable();
            assert_eq!(found, expected, "bottom-up at {time}");
            check(&trees[0], &trees[1], &mut found);
            found.sort_unstable();
            assert_eq!(found, expected, "kinetic AABB trees at {time}");
            // Boxes of BoxTrees are looser.
            check(&planes[0], &planes[1], &mut found);
            found.sort_unstable();
            assert!(expected.iter().all(|pair| found.binary_search(pair).is_ok()), "BoxTrees at {time}");
            let corners = |body: usize, triangle: TriangleId| {
                bodies[body].triangles()[triangle.index()].map(|vertex| positions[body][vertex as usize])
            };
            assert_eq!(count_meeting(&found, corners), count_meeting(&expected, corners));
        }
    }
}
