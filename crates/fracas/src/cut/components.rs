//! The pieces of a broken body: its connected components.
//!
//! Triangles that share a vertex belong to one *shell*. A shell that encloses a hollow has negative volume and is no piece of
//! its own: it bounds, from inside, the piece that holds the hollow. The winding numbers of the other shells tell which piece
//! that is.

use super::section::NONE;
use crate::base::DisjointSets;
use crate::geom::DVec3;
use crate::mesh::tets::volume;
use crate::mesh::{LiveMesh, MeshEdit};

/// The piece of every slot after an edit, [`NONE`] for dead ones, and how many pieces there are.
pub(super) fn label(mesh: &LiveMesh, edit: &MeshEdit) -> (Vec<u32>, usize) {
    let mut is_removed = vec![false; mesh.slot_count()];
    edit.removed.iter().for_each(|id| is_removed[id.index()] = true);
    let old =
        mesh.live_triangles().filter(|id| !is_removed[id.index()]).map(|id| (id.index(), mesh.corners(id)));
    let new = edit.added.iter().enumerate().map(|(i, new)| (mesh.slot_count() + i, new.corners));
    let triangles: Vec<(usize, [u32; 3])> = old.chain(new).collect();
    let position = |v: u32| {
        let new = (v as usize).checked_sub(mesh.vertex_count());
        new.map_or_else(|| mesh.positions()[v as usize], |i| edit.new_positions[i])
    };

    // Shells, numbered by their lowest triangle.
    let mut groups = DisjointSets::new(mesh.vertex_count() + edit.new_positions.len());
    triangles.iter().for_each(|&(_, corners)| groups.join_all(corners));
    let mut number_of_root = vec![NONE; groups.len()];
    let mut shells: Vec<Shell> = vec![];
    let mut labels = vec![NONE; mesh.slot_count() + edit.added.len()];
    for &(slot, corners) in &triangles {
        let number = &mut number_of_root[groups.root(corners[0]) as usize];
        if *number == NONE {
            *number = shells.len() as u32;
            shells.push(Shell::default());
        }
        labels[slot] = *number;
        shells[*number as usize].triangles.push(corners.map(position));
    }
    for shell in &mut shells {
        shell.measure();
    }
    let sense = shells.iter().map(|shell| shell.volume).sum::<f64>().signum();
    let owner: Vec<usize> = (0..shells.len()).map(|i| owner(&shells, i, sense)).collect();

    // Renumbered without the hollows.
    let mut count = 0;
    let mut numbers = vec![NONE; shells.len()];
    for label in labels.iter_mut().filter(|label| **label != NONE) {
        let number = &mut numbers[owner[*label as usize]];
        if *number == NONE {
            *number = count;
            count += 1;
        }
        *label = *number;
    }
    (labels, count as usize)
}

/// A connected closed surface.
#[derive(Default)]
struct Shell {
    triangles: Vec<[DVec3; 3]>,
    low: DVec3,
    high: DVec3,
    volume: f64,
}

impl Shell {
    fn measure(&mut self) {
        let corners = self.triangles.iter().flatten();
        (self.low, self.high) =
            corners.fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(l, h), p| (l.min(*p), h.max(*p)));
        let from = 0.5 * self.low + 0.5 * self.high;
        self.volume = self.triangles.iter().map(|&[a, b, c]| volume([from, b, c, a])).sum();
    }

    /// How often the shell winds around a point.
    fn winding(&self, p: DVec3) -> f64 {
        let solid_angle = |corners: &[DVec3; 3]| {
            let [a, b, c] = corners.map(|q| q - p);
            let (x, y, z) = (a.length(), b.length(), c.length());
            let below = x * y * z + a.dot(b) * z + b.dot(c) * x + c.dot(a) * y;
            2.0 * libm::atan2(a.dot(b.cross(c)), below)
        };
        self.triangles.iter().map(solid_angle).sum::<f64>() / (4.0 * std::f64::consts::PI)
    }
}

/// The shell whose piece a shell belongs to: itself, or the smallest one around it if it encloses a hollow.
fn owner(shells: &[Shell], i: usize, sense: f64) -> usize {
    let hollow = &shells[i];
    if hollow.volume * sense >= 0.0 {
        return i;
    }
    let p = hollow.triangles[0][0];
    let around = |&j: &usize| {
        let other = &shells[j];
        other.volume * sense > 0.0
            && other.low.cmple(hollow.low).all()
            && other.high.cmpge(hollow.high).all()
            && other.winding(p).abs() > 0.5
    };
    let candidates = (0..shells.len()).filter(|&j| j != i).filter(around);
    candidates.min_by(|&j, &k| shells[j].volume.abs().total_cmp(&shells[k].volume.abs())).unwrap_or(i)
}
