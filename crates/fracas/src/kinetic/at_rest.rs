//! What a window finds, for a tree at one instant: the other side of the comparison with a refit at every frame.

use super::moving::leaf_boxes;
use super::window::sharing;
use crate::pairs::{Pair, bits};
use crate::tree::MeshTree;
use crate::walk::{Child, Hierarchy};
use fearless_simd::prelude::*;
use fearless_simd::{Level, dispatch};

/// Lists the pairs of triangles of a tree whose boxes overlap and that share no vertex. For measuring; unsorted.
pub fn self_candidates(tree: &MeshTree, out: &mut Vec<Pair>) {
    out.clear();
    let level = Level::new();
    dispatch!(level, simd => walk(simd, tree, out));
}

#[inline(always)]
fn walk<S: Simd>(simd: S, tree: &MeshTree, out: &mut Vec<Pair>) {
    let Some(open) = tree.ready() else { return };
    if open.nodes.is_empty() {
        return;
    }
    let mut stack = vec![(Child::node(0), Child::node(0))];
    while let Some((i, j)) = stack.pop() {
        match (i.is_leaf(), j.is_leaf()) {
            (false, false) => {
                let (node, other) = (&open.nodes[i.index()], &open.nodes[j.index()]);
                for (lane, child) in other.used() {
                    let (low, high) = other.boxes.lane(lane);
                    let mut near = node.boxes.overlapping(simd, low, high);
                    if i == j {
                        near &= !1_u32 << lane;
                        stack.push((child, child));
                    }
                    bits(near).for_each(|hit| stack.push((node.children[hit], child)));
                }
            }
            (true, false) => stack.push((j, i)),
            (false, true) => {
                let (low, high) = leaf_boxes(simd, &open.rows[j.index()], &open.ids[j.index()]).bounds(simd);
                let node = &open.nodes[i.index()];
                bits(node.boxes.overlapping(simd, low, high))
                    .for_each(|hit| stack.push((node.children[hit], j)));
            }
            (true, true) => {
                let (ids, others) = (&open.ids[i.index()], &open.ids[j.index()]);
                let boxes = leaf_boxes(simd, &open.rows[i.index()], ids);
                let other_boxes = leaf_boxes(simd, &open.rows[j.index()], others);
                let (low, high) = boxes.bounds(simd);
                for lane in bits(other_boxes.overlapping(simd, low, high)) {
                    let (low, high) = other_boxes.lane(lane);
                    let mut near = boxes.overlapping(simd, low, high);
                    if i == j {
                        near &= !1_u32 << lane;
                    }
                    if near != 0 {
                        near &= !sharing(simd, ids, others, lane);
                    }
                    for hit in bits(near) {
                        let (t, u) = (ids.triangles[hit], others.triangles[lane]);
                        out.push(Pair::new(t.min(u), t.max(u)));
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::shapes;

    #[test]
    fn candidates_are_the_pairs_whose_boxes_overlap_and_that_share_no_vertex() {
        let mesh = shapes::noisy_sphere(400, 0.3, 1);
        let mut found = vec![];
        self_candidates(&MeshTree::build(mesh.clone()), &mut found);
        found.sort_unstable();
        let (triangles, count) = (mesh.triangles(), mesh.triangle_count() as u32);
        let all = (0..count).flat_map(|i| (i + 1..count).map(move |j| Pair::new(i, j)));
        let expected: Vec<Pair> = all
            .filter(|pair| {
                let [t, u] = [pair.a, pair.b].map(|id| mesh.triangle(id).bounds());
                let [v, w] = [pair.a, pair.b].map(|id| triangles[id.index()]);
                t.overlaps(&u) && !v.iter().any(|v| w.contains(v))
            })
            .collect();
        assert!(expected.iter().all(|pair| found.binary_search(pair).is_ok()));
        // Rounded boxes may touch where exact ones do not.
        assert!(
            found.len() <= expected.len() + expected.len() / 50 + 2,
            "{} {}",
            found.len(),
            expected.len()
        );
    }
}
