//! Rigid bodies on the ground, moved by the engine Rapier.
//!
//! Bodies live in the coordinates in which their shape was given, whatever their centre of mass; a pose takes them to
//! the world. The engine computes in `f32`, and so do poses; shapes and masses are handed over from `f64`.

use crate::SceneError;
use fracas::geom::{DVec3, Pose};
use fracas::mesh::{LiveMesh, MassProperties, Mesh, TriangleId};
use glam::{DMat3, DQuat};
use rapier3d::prelude::{ColliderBuilder, PhysicsWorld, RigidBodyBuilder, RigidBodyHandle, Vector};

/// Bodies of density 1 above ground at z = 0.
pub(crate) struct RigidWorld {
    engine: PhysicsWorld,
    bodies: Vec<(RigidBodyHandle, MassProperties)>,
}

/// Where a body is and how it moves, as the engine has it.
#[derive(Clone, Copy)]
pub(crate) struct Motion {
    pose: rapier3d::math::Pose,
    velocity: Vector,
    spin: Vector,
}

impl RigidWorld {
    /// Downward, in metres per square second.
    pub const GRAVITY: f64 = 9.81;
    const FRICTION: f32 = 0.6;
    const RESTITUTION: f32 = 0.1;

    pub fn new(step_seconds: f64) -> Self {
        let mut engine =
            PhysicsWorld { gravity: Vector::Z * -Self::GRAVITY as f32, ..PhysicsWorld::default() };
        engine.integration_parameters.dt = step_seconds as f32;
        let ground = ColliderBuilder::cuboid(100.0, 100.0, 1.0)
            .translation(Vector::Z * -1.0)
            .friction(Self::FRICTION)
            .restitution(Self::RESTITUTION);
        engine.insert_collider(ground, None);
        Self { engine, bodies: Vec::new() }
    }

    /// Adds a body whose shape is the convex hull of points, with a velocity of its centre and a spin.
    pub fn add(
        &mut self,
        mass: &MassProperties,
        points: &[DVec3],
        pose: &Pose,
        [velocity, spin]: [DVec3; 2],
    ) {
        let [x, y, z] = mass.inertia.to_cols_array_2d().map(|column| column.map(|entry| entry as f32));
        let inertia = rapier3d::math::Matrix::from_cols_array_2d(&[x, y, z]);
        let centre = vector(mass.centre);
        let engine_mass =
            rapier3d::prelude::MassProperties::with_inertia_matrix(centre, mass.volume as f32, inertia);
        let body = RigidBodyBuilder::dynamic()
            .pose(engine_pose(pose))
            .linvel(vector(velocity))
            .angvel(vector(spin))
            .additional_mass_properties(engine_mass);
        let points: Vec<Vector> = points.iter().map(|p| vector(*p)).collect();
        // A splinter without a hull rolls like a ball of its volume.
        let radius = libm::cbrt(0.75 * mass.volume / std::f64::consts::PI);
        let shape = ColliderBuilder::convex_hull(&points)
            .unwrap_or_else(|| ColliderBuilder::ball(radius as f32).translation(centre))
            .density(0.0)
            .friction(Self::FRICTION)
            .restitution(Self::RESTITUTION);
        let (handle, _) = self.engine.insert(body, shape);
        self.bodies.push((handle, *mass));
    }

    /// Adds the surface of something that does not move.
    pub fn add_fixed(&mut self, mesh: &Mesh) {
        let points = mesh.positions().iter().map(|p| vector(*p)).collect();
        // A mesh without triangles stops nothing.
        if let Ok(shape) = ColliderBuilder::trimesh(points, mesh.triangles().to_vec()) {
            let shape = shape.friction(Self::FRICTION).restitution(Self::RESTITUTION);
            self.engine.insert_collider(shape, None);
        }
    }

    /// Takes all bodies away.
    pub fn clear(&mut self) {
        for (handle, _) in self.bodies.drain(..) {
            self.engine.remove_body_with_colliders(handle, true);
        }
    }

    pub fn count(&self) -> usize {
        self.bodies.len()
    }

    pub fn step(&mut self) {
        self.engine.step();
    }

    pub fn pose(&self, body: usize) -> Pose {
        let pose = self.engine.bodies[self.bodies[body].0].position();
        let [x, y, z, w] = pose.rotation.to_array().map(f64::from);
        let turn = DQuat::from_xyzw(x, y, z, w).normalize();
        Pose::new(turn, double(pose.translation)).unwrap_or(Pose::IDENTITY)
    }

    /// The velocity of a body's centre.
    pub fn velocity(&self, body: usize) -> DVec3 {
        double(self.engine.bodies[self.bodies[body].0].linvel())
    }

    pub fn spin(&self, body: usize) -> DVec3 {
        double(self.engine.bodies[self.bodies[body].0].angvel())
    }

    /// Where a body is and how it moves.
    pub fn motion(&self, body: usize) -> Motion {
        let body = &self.engine.bodies[self.bodies[body].0];
        Motion { pose: *body.position(), velocity: body.linvel(), spin: body.angvel() }
    }

    /// Puts a body back to where it was.
    pub fn put_back(&mut self, body: usize, motion: Motion) {
        let body = &mut self.engine.bodies[self.bodies[body].0];
        body.set_position(motion.pose, true);
        body.set_linvel(motion.velocity, true);
        body.set_angvel(motion.spin, true);
    }

    /// The centre of mass of a body.
    pub fn centre(&self, body: usize) -> DVec3 {
        self.pose(body).apply(self.bodies[body].1.centre)
    }

    /// Bodies that the engine has put to rest.
    pub fn asleep(&self) -> usize {
        self.bodies.iter().filter(|(handle, _)| self.engine.bodies[*handle].is_sleeping()).count()
    }

    /// Energy of motion and height of all bodies.
    pub fn energy(&self) -> f64 {
        let energy = |body: usize| {
            let MassProperties { volume, inertia, .. } = self.bodies[body].1;
            let turn: DMat3 = self.pose(body).rotation();
            let spin = turn.transpose() * self.spin(body);
            let moving = 0.5 * volume * self.velocity(body).length_squared() + 0.5 * spin.dot(inertia * spin);
            moving + volume * Self::GRAVITY * self.centre(body).z
        };
        (0..self.bodies.len()).map(energy).sum()
    }
}

/// The mass properties of the body inside a closed mesh.
pub(crate) fn mass_of(mesh: &Mesh) -> Result<MassProperties, SceneError> {
    let triangles = (0..mesh.triangle_count() as u32).map(|t| mesh.triangle(TriangleId(t)));
    MassProperties::inside(triangles).ok_or(SceneError::NotOriented)
}

/// Those of the body inside some triangles of a mesh that close by themselves, and the vertices of these, sorted.
pub(crate) fn mass_of_part(
    mesh: &LiveMesh,
    triangles: &[TriangleId],
) -> Result<(MassProperties, Vec<u32>), SceneError> {
    let mass = MassProperties::inside(triangles.iter().map(|&t| mesh.triangle(t)));
    let mut vertices: Vec<u32> = triangles.iter().flat_map(|&t| mesh.corners(t)).collect();
    vertices.sort_unstable();
    vertices.dedup();
    Ok((mass.ok_or(SceneError::NotOriented)?, vertices))
}

fn vector(v: DVec3) -> Vector {
    Vector::from_array(v.as_vec3().to_array())
}

fn double(v: Vector) -> DVec3 {
    DVec3::from_array(v.to_array().map(f64::from))
}

fn engine_pose(pose: &Pose) -> rapier3d::math::Pose {
    let turn = DQuat::from_mat3(&pose.rotation()).as_quat();
    let rotation = rapier3d::math::Rotation::from_array(turn.to_array());
    rapier3d::math::Pose::from_parts(vector(pose.translation()), rotation)
}
