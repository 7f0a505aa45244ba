//! Edits to be timed: real cuts through a body, recorded once, so that every contestant gets the same.

use fracas::Mesh;
use fracas::cut::{CutOptions, CutSurface, Cutter};
use fracas::geom::DVec3;
use fracas::mesh::{Applied, LiveMesh, MeshEdit};

/// One recorded step.
pub struct Step {
    pub edit: MeshEdit,
    pub applied: Applied,
}

/// A mesh and what happens to it.
pub struct Script {
    pub mesh: Mesh,
    pub steps: Vec<Step>,
    /// The mesh after the last step.
    pub end: LiveMesh,
}

impl Script {
    pub fn new(mesh: Mesh) -> Self {
        Self { steps: Vec::new(), end: LiveMesh::new(mesh.clone()), mesh }
    }

    /// Cuts along a plane in this many steps of equal width.
    pub fn cut(&mut self, point: DVec3, normal: DVec3, forward: DVec3, steps: usize) {
        let plane = CutSurface::plane(point, normal, forward).expect("a plane");
        let mut cutter = Cutter::new(&self.end, &plane, &CutOptions::default()).expect("a closed body");
        let Some([from, to]) = cutter.range() else { return };
        for step in 1..=steps {
            let front = if step == steps { to } else { from + (to - from) * step as f64 / steps as f64 };
            let edit = cutter.advance_to(&self.end, front).expect("a cut that nobody disturbs");
            if !edit.is_empty() {
                let applied = self.end.apply(&edit).expect("the cutter's edits are good");
                self.steps.push(Step { edit, applied });
            }
        }
    }

    /// Mean numbers of triangles out and in per step.
    pub fn mean_sizes(&self) -> [f64; 2] {
        let steps = self.steps.len().max(1) as f64;
        let out: usize = self.steps.iter().map(|step| step.edit.removed.len()).sum();
        let into: usize = self.steps.iter().map(|step| step.edit.added.len()).sum();
        [out as f64 / steps, into as f64 / steps]
    }

    /// Mean numbers of T_old, T_decomp and T_crack per step.
    pub fn mean_kinds(&self) -> [f64; 3] {
        let mut sums = [0; 3];
        for step in &self.steps {
            let (decomposed, crack) = step.edit.added_counts();
            let counts = [step.edit.removed.len(), decomposed, crack];
            sums.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
        }
        sums.map(|sum| sum as f64 / self.steps.len().max(1) as f64)
    }
}

/// The benchmark of the paper's Table 1: an animal split in 11 steps, or more if it is larger.
pub fn triceratops(triangles: usize, steps: usize) -> Script {
    let mut script = Script::new(fracas::mesh::shapes::creature(triangles));
    script.cut(DVec3::new(0.0, 0.0, 0.65), DVec3::new(1.0, 0.6, 0.6), DVec3::X, steps);
    script
}
