//! A statue falls on another one and breaks.
//!
//! # Idea
//!
//! The lower statue stands fast. The upper one falls as one rigid body until a step would make the two meshes
//! intersect, which is decided exactly. In that step it breaks into cells that crowd around the place of impact, and
//! its pieces fall on, over the lower statue and to the ground.
//!
//! Sizes, both together at first: 10,000, 38,000 and 200,000 triangles; a mesh that was given twice its own. It may touch
//! itself along edges, as scans do; there it is taken apart (`parted`).
//!
//! # Reference
//!
//! The breaking Buddha of R. Weller, N. Debowski and G. Zachmann, *kDet: parallel constant time collision detection for
//! polygonal objects*, Computer Graphics Forum, 2017.

use crate::cloth_statue::standing;
use crate::fragments::Fragments;
use crate::run::breakable;
use crate::{Frame, Run, Scene, SceneError, SceneOptions, Size};
use fracas::Finder;
use fracas::cut::scatter_sites;
use fracas::geom::{DVec3, Pose};
use fracas::mesh::{Mesh, TriangleId, shapes};
use fracas::pairs::{Pair, Touch};
use glam::DQuat;

/// The scene.
pub const SCENE: Scene = Scene {
    name: "breaking-statue",
    about: "a horned animal, or your mesh, falls on another one and breaks into 2 to 64 pieces",
    steps: |_| 240,
    takes_mesh: true,
    takes_pieces: true,
    begin,
};

const STEP_SECONDS: f64 = 1.0 / 60.0;
/// How far above the lower statue the upper one begins, and how fast.
const DROP: f64 = 0.15;
const SPEED: f64 = 1.5;
const SEED: u64 = 5;

fn begin(options: &SceneOptions) -> Result<Run, SceneError> {
    let triangles = match options.size {
        Size::Small => 5_000,
        Size::Paper => 19_000,
        Size::Large => 100_000,
    };
    let mesh = match &options.mesh {
        Some(mesh) => standing(&breakable(mesh)?)?,
        None => standing(&shapes::creature(triangles))?,
    };
    let mut fall = Fall::new(mesh, options)?;
    let advance = move |step: usize, frame: &mut Frame| {
        frame.time("cut", || ());
        if step > 0 {
            fall.step(frame)?;
        }
        fall.body.look(frame);
        Ok(())
    };
    let steps = options.steps.unwrap_or((SCENE.steps)(options.size));
    Ok(Run::new(steps, STEP_SECONDS, Some(0.0), Box::new(advance)))
}

struct Fall {
    /// Both statues, each in its own coordinates.
    mesh: Mesh,
    body: Fragments,
    finder: Finder,
    pieces: usize,
    is_broken: bool,
}

impl Fall {
    fn new(mesh: Mesh, options: &SceneOptions) -> Result<Self, SceneError> {
        // On its side, crosswise, and a little aslant.
        let turn = DQuat::from_rotation_z(1.3) * DQuat::from_rotation_x(1.4) * DQuat::from_rotation_y(0.3);
        let (low, high) = mesh.bounds().corners();
        let middle = 0.5 * (low + high);
        let lowest = mesh.positions().iter().map(|p| (turn * (*p - middle)).z).fold(f64::INFINITY, f64::min);
        let place = DVec3::Z * (high.z + DROP - lowest) - turn * middle;
        let pose = Pose::new(turn, place).ok_or(SceneError::NotOriented)?;
        let motion = [DVec3::Z * -SPEED, DVec3::new(0.2, 0.4, 0.1)];
        let body = Fragments::new(&mesh, &pose, motion, mesh.clone(), STEP_SECONDS, options)?;
        let finder = Finder::new(options.find(Touch::Include));
        Ok(Self { mesh, body, finder, pieces: options.pieces, is_broken: false })
    }

    fn step(&mut self, frame: &mut Frame) -> Result<(), SceneError> {
        if !self.is_broken {
            let before = self.body.world.motion(0);
            frame.time("physics", || self.body.world.step());
            let Some(impact) = self.impact() else { return Ok(()) };
            // The step did not happen: the body breaks where it was before.
            self.body.world.put_back(0, before);
            let sites = self.sites(impact);
            self.body.shatter(&sites, &|_| [DVec3::ZERO; 2], frame)?;
            self.body.world.add_fixed(&self.mesh);
            self.is_broken = true;
        }
        frame.time("physics", || self.body.world.step());
        Ok(())
    }

    /// Where the falling body meets the other one or the ground, in its own coordinates.
    fn impact(&mut self) -> Option<DVec3> {
        let pose = self.body.world.pose(0);
        let pairs = self.finder.find_pairs(self.mesh.at(&pose), &self.mesh);
        if !pairs.is_empty() {
            let at = |pair: &Pair| self.mesh.triangle(TriangleId(pair.a.0)).centroid();
            return Some(pairs.iter().map(at).sum::<DVec3>() / pairs.len() as f64);
        }
        let height = |p: &DVec3| pose.apply(*p).z;
        let lowest = self.mesh.positions().iter().min_by(|a, b| height(a).total_cmp(&height(b)))?;
        (height(lowest) <= 0.0).then_some(*lowest)
    }

    /// Sites of the cells: near the impact they are closer together.
    fn sites(&self, impact: DVec3) -> Vec<DVec3> {
        let mut sites = scatter_sites(&self.body.rest, self.pieces, SEED);
        let reach = sites.iter().map(|site| site.distance(impact)).fold(f64::MIN_POSITIVE, f64::max);
        for site in &mut sites {
            *site = impact + (*site - impact) * (site.distance(impact) / reach).sqrt();
        }
        sites
    }
}
