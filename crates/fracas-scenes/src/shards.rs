//! A world of bodies that break, moved by Rapier with true shapes, as frames.
//!
//! Every rigid body is shown by the surface of its fragment. When a body breaks, its triangles go and those of its pieces come:
//! each piece has vertices of its own, since it goes its own way. Balls and boards that do not break are shown by a mesh.
//!
//! Frames have the contacts that the solver was given and no pairs: fragments that rest on each other touch in many
//! triangles, and what part of that is proper crossing is rounding.

use crate::{AddedTriangle, Frame, FrameContact, Run, Scene, SceneError, SceneOptions};
use fracas::brittle::Solid;
use fracas::geom::{DQuat, DVec3, Pose};
use fracas::mesh::{Mesh, TriangleId};
use fracas_rapier::{BreakOptions, BreakableSet, Fracture, Work};
use rapier3d::prelude::{
    ColliderBuilder, ContactPair, NEW_CONTACT_BIT, PhysicsWorld, RigidBodyBuilder, RigidBodyHandle, Vector,
};
use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError};

/// A rigid body as it is shown.
struct Shown {
    /// Its number in frames.
    fragment: u32,
    triangles: std::ops::Range<u32>,
    first_vertex: usize,
    /// The vertices in the coordinates of the solid, or of the rigid body.
    rest: Vec<DVec3>,
}

/// The world; see the module. Up is z.
pub(crate) struct Shards {
    pub world: PhysicsWorld,
    pub set: BreakableSet,
    pub step_seconds: f64,
    shown: BTreeMap<(u32, u32), Shown>,
    positions: Vec<DVec3>,
    /// The fragment of every triangle slot.
    slots: Vec<u32>,
    /// Its vertices, and whether it is surface along a crack.
    corners: Vec<([u32; 3], bool)>,
    count: u32,
    added: Vec<AddedTriangle>,
    removed: Vec<TriangleId>,
    work: Work,
}

pub(crate) const FRICTION: f32 = 0.6;

fn key(handle: RigidBodyHandle) -> (u32, u32) {
    handle.into_raw_parts()
}

pub(crate) fn single(v: DVec3) -> Vector {
    Vector::from_array(v.as_vec3().to_array())
}

pub(crate) fn double(v: Vector) -> DVec3 {
    DVec3::from_array(v.to_array().map(f64::from))
}

impl Shards {
    /// An empty world over ground at z = 0.
    pub fn new(step_seconds: f64) -> Self {
        let mut world = PhysicsWorld { gravity: Vector::Z * -9.81, ..PhysicsWorld::default() };
        world.integration_parameters.dt = step_seconds as f32;
        let ground = ColliderBuilder::cuboid(100.0, 100.0, 1.0).translation(Vector::Z * -1.0);
        world.insert_collider(ground.friction(FRICTION), None);
        let set = BreakableSet::new(&mut world);
        Self {
            world,
            set,
            step_seconds,
            shown: BTreeMap::new(),
            positions: Vec::new(),
            slots: Vec::new(),
            corners: Vec::new(),
            count: 0,
            added: Vec::new(),
            removed: Vec::new(),
            work: Work::default(),
        }
    }

    /// The run of a scene that this world is the beginning of: `before` each step, with its number, bodies may come or be moved.
    pub fn into_run(
        mut self,
        scene: &Scene,
        options: &SceneOptions,
        mut before: impl FnMut(&mut Self, usize) -> Result<(), SceneError> + Send + 'static,
    ) -> Run {
        let steps = options.steps.unwrap_or((scene.steps)(options.size));
        let step_seconds = self.step_seconds;
        let advance = move |step: usize, frame: &mut Frame| {
            before(&mut self, step)?;
            if step > 0 {
                self.step(frame)?;
            }
            self.look(frame);
            Ok(())
        };
        Run::new(steps, step_seconds, Some(0.0), Box::new(advance))
    }

    /// Adds a body that breaks.
    pub fn add(
        &mut self,
        solid: &Arc<Solid>,
        body: RigidBodyBuilder,
        options: &BreakOptions,
    ) -> Result<RigidBodyHandle, SceneError> {
        let handle = self.set.insert(&mut self.world, solid, body, options)?;
        self.show(handle);
        Ok(handle)
    }

    /// Adds a body that does not break, and the mesh that shows it.
    pub fn add_prop(
        &mut self,
        mesh: &Mesh,
        collider: ColliderBuilder,
        body: RigidBodyBuilder,
    ) -> RigidBodyHandle {
        let (handle, _) = self.world.insert(body, collider.friction(FRICTION));
        let is_crack = vec![false; mesh.triangle_count()];
        self.show_mesh(handle, mesh, &is_crack);
        handle
    }

    /// Does a step, and takes down what it cost and what broke.
    ///
    /// # Errors
    /// If the set refuses the step.
    pub fn step(&mut self, frame: &mut Frame) -> Result<(), SceneError> {
        let fractures = self.set.step(&mut self.world)?.to_vec();
        let times = self.set.times();
        frame.times.extend([
            ("collision", times.collision),
            ("physics", times.physics),
            ("update", times.update),
            ("shapes", times.shapes),
            ("fracture", times.fracture),
        ]);
        fractures.iter().for_each(|fracture| self.show_pieces(fracture));
        frame.count("fractures", fractures.len() as f64);
        Ok(())
    }

    /// Shows the pieces of a body in its place.
    pub fn show_pieces(&mut self, fracture: &Fracture) {
        self.hide(fracture.body);
        for piece in &fracture.pieces {
            // A piece that broke again in the same step is gone already.
            self.show(piece.body);
        }
    }

    /// Shows a body no longer.
    fn hide(&mut self, handle: RigidBodyHandle) {
        let Some(gone) = self.shown.remove(&key(handle)) else { return };
        for slot in gone.triangles {
            self.slots[slot as usize] = Frame::DEAD;
            self.removed.push(TriangleId(slot));
        }
    }

    /// Takes a body out of the world, with its colliders.
    pub fn remove(&mut self, handle: RigidBodyHandle) {
        self.hide(handle);
        self.world.remove_body(handle);
    }

    /// The body that a triangle shows.
    pub fn body_at(&self, slot: TriangleId) -> Option<RigidBodyHandle> {
        let found = self.shown.iter().find(|(_, shown)| shown.triangles.contains(&slot.0));
        found.map(|(&(index, generation), _)| RigidBodyHandle::from_raw_parts(index, generation))
    }

    /// Where the coordinates in which a body is shown are.
    pub fn pose(&self, handle: RigidBodyHandle) -> Option<Pose> {
        self.set.pose(&self.world, handle).or_else(|| pose_of(&self.world, handle))
    }

    /// Numbers vertices and triangles again, so that those that are gone take no more room. The next frame has all triangles as added.
    pub fn renumber(&mut self) {
        let (mut positions, mut slots) = (Vec::new(), Vec::new());
        let shown = std::mem::take(&mut self.shown);
        self.added.clear();
        self.removed.clear();
        let old_corners = std::mem::take(&mut self.corners);
        for (key, mut body) in shown {
            let (first, first_vertex) = (slots.len() as u32, positions.len());
            for slot in body.triangles.clone() {
                let (corners, is_crack) = old_corners[slot as usize];
                let corners = corners.map(|v| v - body.first_vertex as u32 + first_vertex as u32);
                let id = TriangleId(slots.len() as u32);
                self.added.push(AddedTriangle { id, corners, is_crack, replaces: None });
                self.corners.push((corners, is_crack));
                slots.push(body.fragment);
            }
            positions.extend_from_slice(&body.rest);
            (body.triangles, body.first_vertex) = (first..slots.len() as u32, first_vertex);
            self.shown.insert(key, body);
        }
        (self.positions, self.slots) = (positions, slots);
    }

    /// Fills in everything but what [`Shards::step`] has told.
    pub fn look(&mut self, frame: &mut Frame) {
        self.place();
        frame.positions = self.positions.clone();
        frame.fragments = self.slots.clone();
        frame.added = std::mem::take(&mut self.added);
        frame.removed = std::mem::take(&mut self.removed);
        frame.removed.sort_unstable();
        let pairs = self.world.narrow_phase.contact_pairs();
        frame.contacts = pairs.flat_map(|pair| contacts(&self.world, pair)).collect();
        let work = self.set.work() - self.work;
        self.work = self.set.work();
        let alive = self.slots.iter().filter(|&&fragment| fragment != Frame::DEAD).count();
        let asleep = self.set.handles().filter(|&h| self.world.bodies[h].is_sleeping()).count();
        if frame.step == 0 {
            frame.count("fractures", 0.0);
        }
        let counters = [
            ("triangles", alive as f64),
            ("removed", frame.removed.len() as f64),
            ("added", frame.added.len() as f64),
            ("pieces", self.shown.len() as f64),
            // Balls and boards are shown, but do not break.
            ("breakable", self.set.len() as f64),
            ("contacts", frame.contacts.len() as f64),
            ("asked", work.pairs as f64),
            ("visited", work.visited as f64),
            ("colliding", work.colliding as f64),
            ("touching", work.touching as f64),
            ("handed", work.contacts as f64),
            ("energy", self.energy()),
            ("asleep", asleep as f64),
        ];
        counters.into_iter().for_each(|(name, value)| frame.count(name, value));
    }

    /// Energy of motion and height of all bodies that move.
    fn energy(&self) -> f64 {
        let of = |(_, body): (RigidBodyHandle, &rapier3d::prelude::RigidBody)| {
            let height = f64::from(body.center_of_mass().z);
            f64::from(body.kinetic_energy()) + f64::from(body.mass()) * 9.81 * height
        };
        self.world.bodies.iter().filter(|(_, body)| body.is_dynamic()).map(of).sum()
    }

    /// Shows a body by the surface of its fragment.
    fn show(&mut self, handle: RigidBodyHandle) {
        let Some((body, fragment)) = self.set.fragment(handle) else { return };
        let found = body.read().unwrap_or_else(PoisonError::into_inner).surface(fragment);
        if let Ok((mesh, is_crack)) = found {
            self.show_mesh(handle, &mesh, &is_crack);
        }
    }

    fn show_mesh(&mut self, handle: RigidBodyHandle, mesh: &Mesh, is_crack: &[bool]) {
        let (first, first_vertex) = (self.slots.len() as u32, self.positions.len());
        let fragment = self.count;
        self.count += 1;
        for ((corners, &is_crack), slot) in mesh.triangles().iter().zip(is_crack).zip(first..) {
            let corners = corners.map(|v| v + first_vertex as u32);
            self.added.push(AddedTriangle { id: TriangleId(slot), corners, is_crack, replaces: None });
            self.slots.push(fragment);
            self.corners.push((corners, is_crack));
        }
        self.positions.extend_from_slice(mesh.positions());
        let triangles = first..self.slots.len() as u32;
        let rest = mesh.positions().to_vec();
        self.shown.insert(key(handle), Shown { fragment, triangles, first_vertex, rest });
    }

    /// Puts every vertex where its body is.
    fn place(&mut self) {
        for (&(index, generation), shown) in &self.shown {
            let handle = RigidBodyHandle::from_raw_parts(index, generation);
            let Some(pose) = self.pose(handle) else { continue };
            debug_assert!(shown.fragment < self.count);
            let places = &mut self.positions[shown.first_vertex..];
            places.iter_mut().zip(&shown.rest).for_each(|(place, rest)| *place = pose.apply(*rest));
        }
    }
}

fn pose_of(world: &PhysicsWorld, handle: RigidBodyHandle) -> Option<Pose> {
    let pose = world.bodies.get(handle)?.position();
    let [x, y, z, w] = pose.rotation.to_array().map(f64::from);
    Pose::new(DQuat::from_xyzw(x, y, z, w), double(pose.translation))
}

/// The contacts of a pair that the solver was given.
fn contacts(world: &PhysicsWorld, pair: &ContactPair) -> Vec<FrameContact> {
    let [Some(one), Some(two)] = [pair.collider1, pair.collider2].map(|handle| world.colliders.get(handle))
    else {
        return vec![];
    };
    let mut found = vec![];
    for manifold in pair.solver_manifolds() {
        let normal = double(manifold.data.normal);
        for contact in &manifold.data.solver_contacts {
            let Some(point) = manifold.points.get((contact.contact_id[0] & !NEW_CONTACT_BIT) as usize) else {
                continue;
            };
            // Contacts are kept while bodies hardly move; where they are now, their points tell.
            let [p, q] = [one.position() * point.local_p1, two.position() * point.local_p2].map(double);
            found.push(FrameContact { point: 0.5 * (p + q), normal, depth: (p - q).dot(normal) });
        }
    }
    found
}
