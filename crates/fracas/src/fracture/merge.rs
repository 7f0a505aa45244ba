//! Turns labels into pieces: each connected, and none too small.

use crate::base::sets::renumber;
use crate::mesh::tets::TetAdjacency;
use std::collections::BTreeMap;

/// No piece yet, or not a node of the body.
const NONE: u32 = u32::MAX;

/// Pieces from labels: the connected components of each label are pieces. A piece of fewer than `least` nodes joins the neighbour
/// that it shares the most edges with, smallest first. Returns the piece of each node, numbered from 0 by first node, and the
/// number of pieces.
pub(super) fn connect_and_merge(
    adjacency: &TetAdjacency,
    nodes: &[u32],
    labels: &[u32],
    least: usize,
) -> (Vec<u32>, usize) {
    let mut index_of = vec![NONE; nodes.last().map_or(0, |&last| last as usize + 1)];
    for (index, &node) in nodes.iter().enumerate() {
        index_of[node as usize] = index as u32;
    }
    let index = |&node: &u32| index_of.get(node as usize).filter(|&&index| index != NONE);
    let neighbours =
        |at: usize| adjacency.neighbours(nodes[at]).iter().filter_map(index).map(|&index| index as usize);
    // The labels of nodes without a piece, widened so that one value is no label.
    let mut waiting = vec![u64::MAX; index_of.len()];
    for (&node, &label) in nodes.iter().zip(labels) {
        waiting[node as usize] = u64::from(label);
    }
    let mut piece_of = vec![NONE; nodes.len()];
    let mut members: Vec<Vec<usize>> = vec![];
    for start in 0..nodes.len() {
        let label = std::mem::replace(&mut waiting[nodes[start] as usize], u64::MAX);
        if label == u64::MAX {
            continue;
        }
        let piece = members.len() as u32;
        piece_of[start] = piece;
        let mut found = vec![start];
        let mut done = 0;
        while done < found.len() {
            for &next in adjacency.neighbours(nodes[found[done]]) {
                if waiting.get(next as usize) == Some(&label) {
                    waiting[next as usize] = u64::MAX;
                    piece_of[index_of[next as usize] as usize] = piece;
                    found.push(index_of[next as usize] as usize);
                }
            }
            done += 1;
        }
        members.push(found);
    }
    let mut small: Vec<usize> = (0..members.len()).filter(|&piece| members[piece].len() < least).collect();
    small.sort_by_key(|&piece| members[piece].len());
    for piece in small {
        // It may have grown by pieces that joined it.
        if members[piece].is_empty() || members[piece].len() >= least {
            continue;
        }
        let mut shared: BTreeMap<u32, usize> = BTreeMap::new();
        for &at in &members[piece] {
            for next in neighbours(at).filter(|&next| piece_of[next] != piece as u32) {
                *shared.entry(piece_of[next]).or_default() += 1;
            }
        }
        let most = shared.into_iter().reduce(|a, b| if b.1 > a.1 { b } else { a });
        let Some((heir, _)) = most else { continue };
        let list = std::mem::take(&mut members[piece]);
        list.iter().for_each(|&at| piece_of[at] = heir);
        members[heir as usize].extend(list);
    }
    let pieces = renumber(&mut piece_of, members.len());
    (piece_of, pieces)
}
