//! Rebuilds the caps of a Voronoi cell once it is complete.
//!
//! # Idea
//!
//! While a cell is clipped plane by plane, each cap gets as few triangles as possible, and the next plane cuts through
//! them. The triangles that are left are long and thin, with many vertices on the creases where two caps meet. So in the end
//! only the outlines of the caps are kept, without the vertices that crowd on a crease, and triangulated again with points
//! inside:
//!
//! ```text
//!    ┌─·─··───·┐        ┌────·────┐       A vertex may go if it lies on one crease and nowhere else: its triangles belong
//!    │╲ ╲ ╲╲ ╱╱│  ──▶   │╲ ╱ ╲  ╱ │       to two caps, and both do without it.
//!    └──·──·───┘        └────·────┘
//! ```

use super::CutSurface;
use super::clip::{Cell, Face};
use super::section::{NONE, chains, sides};
use super::triangulate::{Density, Interior, triangulate};
use glam::DVec2;

/// The cell with its caps rebuilt from triangles of about the given edge length. `planes` are those of its caps.
///
/// Where two caps are so thin that both would have the same edge inside, the cell stays as it is.
pub(super) fn with_new_caps(cell: Cell, planes: &[(u32, CutSurface)], edge_length: f64, growth: f64) -> Cell {
    let mut caps: Vec<Cap> = planes.iter().map(|(number, plane)| Cap::of(&cell, *number, plane)).collect();
    caps.retain(|cap| !cap.loops.is_empty());
    let is_dropped = thin_out(&cell, &caps, edge_length);
    let mut made = cell.clone();
    made.retain(|_, face| !caps.iter().any(|cap| face == Face::Cap(cap.number)));
    for cap in &mut caps {
        cap.loops.iter_mut().for_each(|ring| ring.retain(|&v| !is_dropped[v as usize]));
        cap.triangulate(&mut made, edge_length, growth);
    }
    if made.is_closed() { made } else { cell }
}

/// The outlines of a cap, by vertices of the cell.
struct Cap<'a> {
    number: u32,
    plane: &'a CutSurface,
    /// Empty where the cap is to stay as it is.
    loops: Vec<Vec<u32>>,
}

impl<'a> Cap<'a> {
    fn of(cell: &Cell, number: u32, plane: &'a CutSurface) -> Self {
        let triangles =
            cell.triangles.iter().zip(&cell.faces).filter(|(_, face)| **face == Face::Cap(number));
        let mut sides: Vec<[u32; 2]> = triangles.flat_map(|(&corners, _)| sides(corners)).collect();
        sides.sort_unstable();
        let is_rim = |&[a, b]: &[u32; 2]| sides.binary_search(&[b, a]).is_err();
        let rim: Vec<[u32; 2]> = sides.iter().copied().filter(is_rim).collect();
        Self { number, plane, loops: chained(&rim).unwrap_or_default() }
    }

    fn triangulate(&self, cell: &mut Cell, edge_length: f64, growth: f64) {
        let rim: Vec<u32> = self.loops.concat();
        let outline: Vec<DVec2> =
            rim.iter().map(|&v| self.plane.chart(cell.positions[v as usize]).into()).collect();
        let mut numbers = 0..;
        let mut numbered = |ring: &Vec<u32>| numbers.by_ref().take(ring.len()).collect();
        let loops: Vec<Vec<u32>> = self.loops.iter().map(&mut numbered).collect();
        let density = Density { edge: &|_| edge_length, growth };
        let Interior { points, triangles } = triangulate(&outline, &loops, &density);
        let first = cell.positions.len() as u32;
        for p in points {
            cell.add(self.plane.point(p.into()), NONE);
        }
        let vertex = |i: u32| rim.get(i as usize).copied().unwrap_or(first + i - rim.len() as u32);
        for corners in triangles {
            cell.push(corners.map(vertex), Face::Cap(self.number));
        }
    }
}

/// Loops from directed edges sorted by where they begin; `None` where two begin at the same vertex.
fn chained(edges: &[[u32; 2]]) -> Option<Vec<Vec<u32>>> {
    if edges.windows(2).any(|pair| pair[0][0] == pair[1][0]) {
        return None;
    }
    let follower = |edge: &[u32; 2]| edges.binary_search_by_key(&edge[1], |next| next[0]).ok();
    let next: Option<Vec<u32>> = edges.iter().map(|edge| follower(edge).map(|i| i as u32)).collect();
    let loops = chains(&next?, 0..edges.len() as u32, &mut vec![false; edges.len()]);
    Some(loops.into_iter().map(|ring| ring.iter().map(|&i| edges[i as usize][0]).collect()).collect())
}

/// Which vertices on creases are to go, so that those that stay are no closer than an edge length.
fn thin_out(cell: &Cell, caps: &[Cap], edge_length: f64) -> Vec<bool> {
    let mut may_go = on_one_crease(cell, caps);
    for ring in caps.iter().flat_map(|cap| &cap.loops) {
        // An outline needs three corners that stay.
        if ring.iter().filter(|v| !may_go[**v as usize]).count() < 3 {
            ring.iter().for_each(|&v| may_go[v as usize] = false);
        }
    }
    let mut is_decided = vec![false; may_go.len()];
    let mut is_dropped = vec![false; may_go.len()];
    let at = |v: u32| cell.positions[v as usize];
    for ring in caps.iter().flat_map(|cap| &cap.loops) {
        let n = ring.len();
        let Some(anchor) = (0..n).find(|&i| !may_go[ring[i] as usize]) else { continue };
        let mut last = ring[anchor];
        for i in 1..n {
            let v = ring[(anchor + i) % n];
            if may_go[v as usize] && !is_decided[v as usize] {
                let rest = (i + 1..=n).map(|k| ring[(anchor + k) % n]);
                let end = rest.into_iter().find(|w| !may_go[*w as usize]).unwrap_or(last);
                is_decided[v as usize] = true;
                is_dropped[v as usize] =
                    at(v).distance(at(last)) < edge_length || at(v).distance(at(end)) < 0.7 * edge_length;
            }
            if !is_dropped[v as usize] {
                last = v;
            }
        }
    }
    is_dropped
}

/// Whether each vertex has triangles of exactly two caps and of nothing else, both of which are to be rebuilt.
fn on_one_crease(cell: &Cell, caps: &[Cap]) -> Vec<bool> {
    // The first three caps at each vertex; everything else counts as one cap.
    const OTHER: u32 = NONE - 1;
    let mut caps_at = vec![[NONE; 3]; cell.positions.len()];
    for (corners, face) in cell.triangles.iter().zip(&cell.faces) {
        let number = match *face {
            Face::Cap(number) if caps.iter().any(|cap| cap.number == number) => number,
            _ => OTHER,
        };
        for &v in corners {
            let known = &mut caps_at[v as usize];
            if let Some(place) = known.iter().position(|&cap| cap == NONE || cap == number) {
                known[place] = number;
            }
        }
    }
    caps_at.iter().map(|at| at[1] != NONE && at[2] == NONE && !at.contains(&OTHER)).collect()
}
