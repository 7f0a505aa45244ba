//! The pieces of a broken body: its connected components.
//!
//! Triangles that share a vertex belong to one *shell*. A shell that encloses a hollow has negative volume and is no piece of
//! its own: it bounds the piece around the hollow from inside. The winding numbers of the other shells identify this piece.

use super::Shattered;
use super::section::NONE;
use crate::base::DisjointSets;
use crate::base::sets::renumber;
use crate::geom::{Box3, DVec3};
use crate::mesh::tets::volume;
use crate::mesh::{LiveMesh, MeshEdit};

/// Labels every slot after an edit with its piece.
pub(super) fn labelled(mesh: &LiveMesh, edit: MeshEdit) -> Shattered {
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

    let mut groups = DisjointSets::new(mesh.vertex_count() + edit.new_positions.len());
    triangles.iter().for_each(|&(_, corners)| groups.join_all(corners));
    let mut labels = vec![NONE; mesh.slot_count() + edit.added.len()];
    triangles.iter().for_each(|&(slot, [v, ..])| labels[slot] = groups.root(v));
    let mut shells = vec![vec![]; renumber(&mut labels, groups.len())];
    triangles.iter().for_each(|&(slot, v)| shells[labels[slot] as usize].push(v.map(position)));
    let shells: Vec<Shell> = shells.into_iter().map(Shell::new).collect();
    let sense = shells.iter().map(|shell| shell.volume).sum::<f64>().signum();
    let owners: Vec<usize> = (0..shells.len()).map(|i| owner(&shells, i, sense)).collect();
    for label in labels.iter_mut().filter(|label| **label != NONE) {
        *label = owners[*label as usize] as u32;
    }
    let pieces = renumber(&mut labels, shells.len());
    Shattered { edit, labels, pieces }
}

/// A connected closed surface.
struct Shell {
    triangles: Vec<[DVec3; 3]>,
    bounds: Box3,
    volume: f64,
}

impl Shell {
    fn new(triangles: Vec<[DVec3; 3]>) -> Self {
        let bounds = Box3::from_points(triangles.iter().flatten().copied());
        let volume = triangles.iter().map(|&[a, b, c]| volume([bounds.centre(), b, c, a])).sum();
        Self { triangles, bounds, volume }
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
            && other.bounds.union(&hollow.bounds) == other.bounds
            && other.winding(p).abs() > 0.5
    };
    let candidates = (0..shells.len()).filter(|&j| j != i).filter(around);
    candidates.min_by(|&j, &k| shells[j].volume.abs().total_cmp(&shells[k].volume.abs())).unwrap_or(i)
}
