//! A body that is cut while it moves: the cut runs through the body at rest, and the body in space follows.
//!
//! A [`Cutter`] needs a body that keeps its shape. So it cuts the body as it is at rest, in its own material, and each new vertex is carried to
//! where the material is now by the caller.

use crate::SceneError;
use fracas::cut::{CutOptions, CutSurface, Cutter};
use fracas::geom::DVec3;
use fracas::mesh::{LiveMesh, Mesh, MeshEdit, Origin};

/// A body at rest, and a cut that runs through it.
pub(crate) struct Slit {
    pub rest: LiveMesh,
    /// The cut under way, if there is one.
    cutter: Option<Cutter>,
}

/// A vertex that a cut has made, by what it was made from.
pub(crate) enum Made {
    /// In a triangle that was there: its corners, with weights.
    On([(u32, f64); 3]),
    /// Inside of the body.
    Inside,
}

impl Slit {
    pub fn new(rest: Mesh, surface: &CutSurface, options: &CutOptions) -> Result<Self, SceneError> {
        let mut slit = Self::whole(rest);
        slit.begin(surface, options)?;
        Ok(slit)
    }

    /// A body that is not being cut.
    pub fn whole(rest: Mesh) -> Self {
        Self { rest: LiveMesh::new(rest), cutter: None }
    }

    /// Begins a cut, in the place of the one before; returns from where to where it goes, or `None` if it meets nothing.
    pub fn begin(
        &mut self,
        surface: &CutSurface,
        options: &CutOptions,
    ) -> Result<Option<[f64; 2]>, SceneError> {
        let cutter = self.cutter.insert(Cutter::new(&self.rest, surface, options)?);
        Ok(cutter.range())
    }

    /// Whether there is nothing left to cut.
    pub fn is_finished(&self) -> bool {
        self.cutter.as_ref().is_none_or(Cutter::is_finished)
    }

    /// Advances the cut; returns the edit, whose positions are those at rest, and what each new vertex was made from.
    pub fn advance_to(&mut self, front: f64) -> Result<(MeshEdit, Vec<Made>), SceneError> {
        let cutter = self.cutter.as_mut().filter(|cutter| !cutter.is_finished() && front > cutter.front());
        let Some(cutter) = cutter else { return Ok((MeshEdit::default(), vec![])) };
        let edit = cutter.advance_to(&self.rest, front)?;
        let first = self.rest.vertex_count() as u32;
        let mut made: Vec<Made> = edit.new_positions.iter().map(|_| Made::Inside).collect();
        for new in &edit.added {
            let Origin::Replaces(old) = new.origin else { continue };
            let old = self.rest.corners(old);
            for &v in new.corners.iter().filter(|v| **v >= first) {
                let index = (v - first) as usize;
                made[index] = Made::On(self.weights(old, edit.new_positions[index]));
            }
        }
        self.rest.apply(&edit).map_err(|error| SceneError::Mesh(error.to_string()))?;
        Ok((edit, made))
    }

    /// Corners of a triangle at rest with the weights of a point in it.
    fn weights(&self, corners: [u32; 3], p: DVec3) -> [(u32, f64); 3] {
        let [a, b, c] = corners.map(|v| self.rest.positions()[v as usize]);
        let area = |u: DVec3, v: DVec3, w: DVec3| (v - u).cross(w - u).length();
        let parts = [area(p, b, c), area(a, p, c), area(a, b, p)];
        let sum: f64 = parts.iter().sum();
        [0, 1, 2].map(|k| (corners[k], parts[k] / sum))
    }
}
