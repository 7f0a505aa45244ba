//! Checks every invariant of the tree, without using the code that maintains them.

use super::MeshTree;
use crate::pairs::{LANES, RowIds};
use crate::walk::Child;

/// A promise of a structure that does not hold: always a bug, never the user's fault.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Broken(pub String);

/// Fails with a sentence unless the condition holds.
pub(crate) fn ensure(holds: bool, what: impl FnOnce() -> String) -> Result<(), Broken> {
    if holds { Ok(()) } else { Err(Broken(what())) }
}

impl MeshTree {
    /// Checks every invariant of the module's head comment. O(n log n).
    ///
    /// # Errors
    /// The first invariant that does not hold.
    pub fn validate(&self) -> Result<(), Broken> {
        self.validate_leaves()?;
        self.validate_nodes()?;
        self.validate_rows()
    }

    fn validate_leaves(&self) -> Result<(), Broken> {
        let triangles = self.mesh.triangle_count();
        let (rows, ids) = (self.rows.len(), self.ids.len());
        ensure(rows == ids, || format!("{rows} rows, but {ids} rows of ids"))?;
        let mut seen = vec![false; triangles];
        for (leaf, ids) in self.ids.iter().enumerate() {
            let used = ids.used().trailing_ones() as usize;
            ensure(used > 0 && ids.used() == (1 << used) - 1, || {
                format!("leaf {leaf} uses lanes {:b}", ids.used())
            })?;
            for lane in 0..used {
                let triangle = ids.triangles[lane] as usize;
                ensure(triangle < triangles && !seen[triangle], || {
                    format!("leaf {leaf} names triangle {triangle}, unknown or a second time")
                })?;
                seen[triangle] = true;
                let corners = self.mesh.triangles()[triangle];
                ensure(ids.vertices.map(|v| v[lane]) == corners, || {
                    format!("leaf {leaf} has other vertices for triangle {triangle} than the mesh")
                })?;
            }
        }
        ensure(seen.iter().all(|&s| s), || "a triangle is in no leaf".into())
    }

    fn validate_nodes(&self) -> Result<(), Broken> {
        let mut node_parents = vec![0; self.nodes.len()];
        let mut leaf_parents = vec![0; self.rows.len()];
        for (index, node) in self.nodes.iter().enumerate() {
            let [first, end] = node.leaves;
            let count = node.count as usize;
            ensure((1..=LANES).contains(&count), || format!("node {index} has {count} children"))?;
            // Walk the children in order: their runs of nodes and of leaves must follow one another without a gap.
            let (mut next_node, mut next_leaf) = (index as u32 + 1, first);
            for (lane, child) in node.used() {
                if child.is_leaf() {
                    leaf_parents[child.index()] += 1;
                    ensure(child == Child::leaf(next_leaf as usize), || {
                        format!("node {index}, lane {lane}: leaf {} where {next_leaf} follows", child.index())
                    })?;
                    next_leaf += 1;
                } else {
                    let below = self.nodes.get(child.index());
                    let below = below.ok_or_else(|| Broken(format!("node {index} names a missing node")))?;
                    node_parents[child.index()] += 1;
                    ensure(child.index() > index && below.leaves[0] == next_leaf, || {
                        format!("node {index}, lane {lane}: its node's run does not follow")
                    })?;
                    next_leaf = below.leaves[1];
                    next_node = next_node.max(below.nodes_end);
                    let (low, high) = node.boxes.lane(lane);
                    let (l, h) = below.bounds();
                    let inside = (0..3).all(|k| low[k] <= l[k] && h[k] <= high[k]);
                    ensure(inside, || format!("node {index}, lane {lane}: a box below sticks out"))?;
                }
            }
            ensure(next_leaf == end && next_node == node.nodes_end, || {
                format!(
                    "node {index} covers leaves to {next_leaf} and nodes to {next_node}, not what it says"
                )
            })?;
        }
        let root_alone = node_parents.iter().enumerate().all(|(i, &n)| n == usize::from(i > 0));
        ensure(root_alone, || "a node has no parent or two".into())?;
        ensure(leaf_parents.iter().all(|&n| n == 1), || "a leaf has no parent or two".into())
    }

    /// Rows hold the present positions, and leaf boxes hold the exact triangles.
    fn validate_rows(&self) -> Result<(), Broken> {
        for (index, node) in self.nodes.iter().enumerate() {
            for (lane, child) in node.used().filter(|(_, child)| child.is_leaf()) {
                let (ids, row) = (&self.ids[child.index()], &self.rows[child.index()]);
                let (low, high) = node.boxes.lane(lane);
                for k in (0..LANES).filter(|&k| ids.triangles[k] != RowIds::NONE) {
                    for corner in 0..3 {
                        let p = self.mesh.positions()[ids.vertices[corner][k] as usize];
                        let stored = [0, 1, 2].map(|axis| row.corners[corner][axis][k]);
                        ensure(stored == self.frame.map(p), || {
                            format!("leaf {}, lane {k}: corner {corner} is stale", child.index())
                        })?;
                        // In `f64` the rounding is far below the padding of the boxes.
                        let x = self.frame.map_exact(p);
                        let inside = (0..3).all(|a| f64::from(low[a]) <= x[a] && x[a] <= f64::from(high[a]));
                        ensure(inside, || format!("node {index}, lane {lane}: a triangle sticks out"))?;
                    }
                }
            }
        }
        Ok(())
    }
}
