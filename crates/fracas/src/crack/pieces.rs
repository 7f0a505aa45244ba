//! Which triangles of a broken body belong together.
//!
//! Triangles that share a vertex are of one piece. A connected surface that encloses a hollow has no piece of its own: it
//! bounds, from inside, the piece in which the hollow is. It is told by its volume, which is negative, and its
//! piece by the winding number of the surfaces around it.

use super::section::NONE;
use crate::base::DisjointSets;
use crate::geom::DVec3;
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

    // Connected surfaces, numbered by their lowest triangle.
    let mut groups = DisjointSets::new(mesh.vertex_count() + edit.new_positions.len());
    triangles.iter().for_each(|&(_, corners)| groups.join_all(corners));
    let mut number_of_root = vec![NONE; groups.len()];
    let mut surfaces: Vec<Surface> = vec![];
    let mut labels = vec![NONE; mesh.slot_count() + edit.added.len()];
    for &(slot, corners) in &triangles {
        let number = &mut number_of_root[groups.root(corners[0]) as usize];
        if *number == NONE {
            *number = surfaces.len() as u32;
            surfaces.push(Surface::default());
        }
        labels[slot] = *number;
        surfaces[*number as usize].triangles.push(corners.map(position));
    }
    for surface in &mut surfaces {
        surface.measure();
    }
    let sense = surfaces.iter().map(|surface| surface.volume).sum::<f64>().signum();
    let owner: Vec<usize> = (0..surfaces.len()).map(|i| owner(&surfaces, i, sense)).collect();

    // Renumbered without the hollows.
    let mut count = 0;
    let mut numbers = vec![NONE; surfaces.len()];
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
struct Surface {
    triangles: Vec<[DVec3; 3]>,
    low: DVec3,
    high: DVec3,
    volume: f64,
}

impl Surface {
    fn measure(&mut self) {
        let corners = self.triangles.iter().flatten();
        (self.low, self.high) =
            corners.fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(l, h), p| (l.min(*p), h.max(*p)));
        let from = 0.5 * self.low + 0.5 * self.high;
        let volume = |[a, b, c]: &[DVec3; 3]| (*a - from).dot((*b - from).cross(*c - from)) / 6.0;
        self.volume = self.triangles.iter().map(volume).sum();
    }

    /// How often the surface winds around a point.
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

/// The surface whose piece a surface belongs to: itself, or the smallest one around it if it encloses a hollow.
fn owner(surfaces: &[Surface], i: usize, sense: f64) -> usize {
    let hollow = &surfaces[i];
    if hollow.volume * sense >= 0.0 {
        return i;
    }
    let p = hollow.triangles[0][0];
    let around = |&j: &usize| {
        let other = &surfaces[j];
        other.volume * sense > 0.0
            && other.low.cmple(hollow.low).all()
            && other.high.cmpge(hollow.high).all()
            && other.winding(p).abs() > 0.5
    };
    let candidates = (0..surfaces.len()).filter(|&j| j != i).filter(around);
    candidates.min_by(|&j, &k| surfaces[j].volume.abs().total_cmp(&surfaces[k].volume.abs())).unwrap_or(i)
}
