//! A pumpkin falls, breaks at once where it hits the ground, and its pieces come to rest.
//!
//! # Idea
//!
//! ```text
//!      ___
//!     /   \       one rigid body         On the way down there is one body with one tree. In the step in which it would
//!     \___/                              reach the ground, it breaks into the cells of sites that crowd around the point
//!       │                                of impact. The edit and one split by labels give each piece its own tree. From
//!       ▼       ⟨⟩ ◁▷  rigid pieces      then on, each piece moves as a rigid body: its vertices are where its pose puts
//!   ─────────  ───────────────           them, all boxes are refitted, and pairs between pieces are sought.
//! ```
//!
//! Motion is that of the engine Rapier, with the convex hull of each piece as its shape. Cells are convex and the
//! body has few hollows, so that hulls hardly differ from pieces and do not overlap at birth. Mass, centre and inertia are
//! those of the true pieces. Pieces inherit the velocity of the body at their place; nothing pushes them but
//! gravity, contact and friction. Pairs are counted and play no part in the motion.
//!
//! Sizes: 2,000, 10,000 and 100,000 triangles. A mesh that was given is scaled to the pumpkin's reach and keeps its
//! triangles.

use crate::edits::{Cracks, note_all};
use crate::rigid::{RigidWorld, mass_of, mass_of_part};
use crate::run::{count_body, fragments_of, require_closed};
use crate::{Frame, Run, Scene, SceneError, SceneOptions, Size};
use fracas::cut::{ShatterOptions, scatter_sites, shatter_at};
use fracas::geom::{DVec3, Pose};
use fracas::mesh::{LiveMesh, Mesh, shapes};
use fracas::pairs::Touch;
use fracas::tearing::TearingOptions;
use fracas::{Finder, TearingBody};
use glam::DQuat;

/// The scene.
pub const SCENE: Scene = Scene {
    name: "pumpkin",
    about: "a pumpkin, or your mesh, falls and breaks at once into 2 to 64 rigid pieces",
    steps: |_| 300,
    takes_mesh: true,
    takes_pieces: true,
    begin,
};

const STEP_SECONDS: f64 = 1.0 / 60.0;
/// Height of the centre at the beginning; the body reaches 1 from it at most.
const DROP: f64 = 3.0;
const SEED: u64 = 7;

fn begin(options: &SceneOptions) -> Result<Run, SceneError> {
    let mesh = match &options.mesh {
        Some(mesh) => unit_sized(mesh)?,
        None => shapes::pumpkin(10, triangles(options.size)),
    };
    let mut fall = Fall::new(mesh, options)?;
    let advance = move |step: usize, frame: &mut Frame| {
        if step == 0 {
            note_all(frame, fall.body.mesh());
        } else {
            fall.step(frame)?;
        }
        fall.look(frame);
        Ok(())
    };
    let steps = options.steps.unwrap_or((SCENE.steps)(options.size));
    Ok(Run::new(steps, STEP_SECONDS, Some(0.0), Box::new(advance)))
}

fn triangles(size: Size) -> usize {
    match size {
        Size::Small => 2_000,
        Size::Paper => 10_000,
        Size::Large => 100_000,
    }
}

/// A mesh moved to the origin and scaled to a reach of 1.
fn unit_sized(mesh: &Mesh) -> Result<Mesh, SceneError> {
    require_closed(mesh)?;
    let (low, high) = mesh.bounds().corners();
    let (middle, reach) = (0.5 * low + 0.5 * high, (0.5 * high - 0.5 * low).length());
    let positions = mesh.positions().iter().map(|p| (*p - middle) / reach).collect();
    Mesh::new(positions, mesh.triangles().to_vec()).map_err(|_| SceneError::NotOriented)
}

struct Fall {
    /// The mesh in the coordinates of the whole pumpkin.
    rest: LiveMesh,
    /// The piece of every vertex.
    piece_of_vertex: Vec<u32>,
    world: RigidWorld,
    /// The mesh in the world, and its trees.
    body: TearingBody,
    fragments: Vec<u32>,
    positions: Vec<DVec3>,
    finder: Finder,
    pieces: usize,
    /// Up to how many boxes of the trees each frame shows.
    boxes: usize,
    is_broken: bool,
}

impl Fall {
    fn new(mesh: Mesh, options: &SceneOptions) -> Result<Self, SceneError> {
        let tilt = DQuat::from_rotation_y(0.5) * DQuat::from_rotation_x(0.3);
        let pose = Pose::new(tilt, DVec3::Z * DROP).expect("a rotation");
        let mass = mass_of(&mesh)?;
        let mut world = RigidWorld::new(STEP_SECONDS);
        world.add(&mass, mesh.positions(), &pose, [DVec3::ZERO, DVec3::new(0.3, -0.2, 0.4)]);
        let body = TearingBody::build_with(
            mesh.posed(&pose).map_err(|_| SceneError::NotOriented)?,
            // A break is divided by labels; there is nothing to be found out.
            TearingOptions { separate: false, ..TearingOptions::default() },
        );
        Ok(Self {
            piece_of_vertex: vec![0; mesh.vertex_count()],
            fragments: vec![0; mesh.triangle_count()],
            positions: body.mesh().positions().to_vec(),
            rest: LiveMesh::new(mesh),
            world,
            body,
            finder: Finder::new(options.find(Touch::Proper)),
            pieces: options.pieces,
            boxes: options.boxes,
            is_broken: false,
        })
    }

    fn step(&mut self, frame: &mut Frame) -> Result<(), SceneError> {
        if !self.is_broken && self.will_hit_the_ground() {
            self.shatter(frame)?;
            self.is_broken = true;
        }
        frame.time("cut", || ());
        frame.time("edit", || ());
        frame.time("physics", || self.world.step());
        self.place();
        frame
            .time("refit", || self.body.set_positions(&self.positions))
            .expect("the engine keeps poses finite");
        Ok(())
    }

    /// Whether the lowest point will be below the ground after the next step.
    fn will_hit_the_ground(&self) -> bool {
        let speed = self.world.velocity(0).z;
        let lowest = self.positions.iter().map(|p| p.z).fold(f64::INFINITY, f64::min);
        lowest + (speed - RigidWorld::GRAVITY * STEP_SECONDS) * STEP_SECONDS <= 0.0
    }

    /// Breaks the body; each piece becomes a rigid body of its own.
    fn shatter(&mut self, frame: &mut Frame) -> Result<(), SceneError> {
        let sites = self.sites();
        let broken = frame.time("cut", || shatter_at(&self.rest, &sites, &ShatterOptions::default()))?;
        let whole = self.world.pose(0);
        let mut edit = broken.edit;
        self.rest.apply(&edit).expect("made for this mesh");
        edit.new_positions.iter_mut().for_each(|p| *p = whole.apply(*p));
        Cracks::none(self.body.mesh()).note_edit(frame, self.body.mesh(), &edit);
        frame.time("edit", || {
            self.body.shatter(&edit, &broken.labels).expect("made for this mesh");
        });
        self.fragments = fragments_of(&self.body);
        self.positions = self.body.mesh().positions().to_vec();

        let [linear, angular] = [self.world.velocity(0), self.world.spin(0)];
        let centre = self.world.centre(0);
        self.world.clear();
        self.piece_of_vertex = vec![0; self.rest.vertex_count()];
        for (number, piece) in (0..).zip(self.body.pieces()) {
            let (mass, vertices) = mass_of_part(&self.rest, &piece.triangles())?;
            vertices.iter().for_each(|&v| self.piece_of_vertex[v as usize] = number);
            let points: Vec<DVec3> = vertices.iter().map(|&v| self.rest.positions()[v as usize]).collect();
            let arm = whole.apply(mass.centre) - centre;
            self.world.add(&mass, &points, &whole, [linear + angular.cross(arm), angular]);
        }
        Ok(())
    }

    /// Sites of the cells, in the coordinates of the whole: near the point of impact they are closer together.
    fn sites(&self) -> Vec<DVec3> {
        let lowest = self.positions.iter().enumerate().min_by(|a, b| a.1.z.total_cmp(&b.1.z));
        let impact = self.rest.positions()[lowest.map_or(0, |(vertex, _)| vertex)];
        let mut sites = scatter_sites(&self.rest, self.pieces, SEED);
        let reach = sites.iter().map(|site| site.distance(impact)).fold(f64::MIN_POSITIVE, f64::max);
        for site in &mut sites {
            *site = impact + (*site - impact) * (site.distance(impact) / reach).sqrt();
        }
        sites
    }

    /// Puts every vertex where the pose of its piece puts it.
    fn place(&mut self) {
        let poses: Vec<Pose> = (0..self.world.count()).map(|piece| self.world.pose(piece)).collect();
        let vertices = self.rest.positions().iter().zip(&self.piece_of_vertex);
        for (position, (rest, &piece)) in self.positions.iter_mut().zip(vertices) {
            *position = poses[piece as usize].apply(*rest);
        }
    }

    /// Finds the pairs between pieces, and takes everything down.
    fn look(&mut self, frame: &mut Frame) {
        let fragments = &self.fragments;
        let found = frame.time("query", || self.finder.find_self_pairs(&self.body).to_vec());
        let mut pairs = found;
        pairs.retain(|pair| fragments[pair.a.index()] != fragments[pair.b.index()]);
        frame.pairs = pairs;
        frame.positions = self.positions.clone();
        frame.fragments = self.fragments.clone();
        frame.boxes = self.body.boxes(self.boxes);
        count_body(frame, &self.body);
        frame.count("energy", self.world.energy());
        frame.count("asleep", self.world.asleep() as f64);
    }
}
