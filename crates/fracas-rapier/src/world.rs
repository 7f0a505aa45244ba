//! The set beside a [`PhysicsWorld`]: the calls of `set.rs` for programs that keep everything of the engine in one place.

use crate::engine::{EngineSets, asks};
use crate::{BreakError, BreakOptions, BreakableSet, Fracture};
use fracas::brittle::{Solid, SolidOptions};
use fracas::fill::{FillOptions, fill};
use fracas::geom::{DVec3, Pose};
use fracas::mesh::Mesh;
use rapier3d::prelude::{EventHandler, PhysicsHooks, PhysicsWorld, RigidBodyBuilder, RigidBodyHandle};
use std::sync::Arc;

impl BreakableSet {
    /// An empty set, and a world that asks it for contacts.
    pub fn new(world: &mut PhysicsWorld) -> Self {
        let set = Self::default();
        world.narrow_phase.set_query_dispatcher(set.dispatcher());
        set
    }

    /// Adds a body made from a closed surface.
    ///
    /// It is filled with tetrahedra first. For many bodies of one shape, make a [`Solid`] once and use
    /// [`BreakableSet::insert`].
    ///
    /// # Errors
    /// A surface that is open or not oriented, cells that do not suit it; and as [`BreakableSet::insert`].
    pub fn insert_mesh(
        &mut self,
        world: &mut PhysicsWorld,
        surface: &Mesh,
        cells: &FillOptions,
        body: RigidBodyBuilder,
        options: &BreakOptions,
    ) -> Result<RigidBodyHandle, BreakError> {
        let solid = Solid::build(fill(surface, cells)?, &SolidOptions::default())?;
        self.insert(world, &Arc::new(solid), body, options)
    }

    /// Adds a body that may break.
    ///
    /// The pose of `body` is that of the solid's coordinates; its velocity is that of the centre of mass. The rigid body that
    /// comes out has its origin at the centre of mass: [`BreakableSet::pose`] tells where the solid's coordinates are. The set keeps the flag
    /// `ccd_enabled` of its bodies up to date by itself; a body whose builder has it keeps it.
    ///
    /// # Errors
    /// A solid in several parts; a number of the material, the options or the builder that is out of range, or too large or small for
    /// the engine's `f32`; a world that does not ask this set for contacts.
    ///
    /// ```
    /// use fracas::{brittle::{Solid, SolidOptions}, geom::DVec3, mesh::tets::brick};
    /// use fracas_rapier::{BreakOptions, BreakableSet};
    /// use rapier3d::prelude::*;
    /// let mut world = PhysicsWorld::default();
    /// world.insert_collider(ColliderBuilder::cuboid(5.0, 1.0, 5.0).translation(Vector::Y * -1.0), None);
    /// let mut set = BreakableSet::new(&mut world);
    /// let solid = Solid::build(brick(DVec3::new(0.4, 0.2, 0.2), [8, 4, 4]), &SolidOptions::default())?;
    /// let high = RigidBodyBuilder::dynamic().translation(Vector::Y * 3.0);
    /// let whole = set.insert(&mut world, &solid.into(), high, &BreakOptions::default())?;
    /// for _ in 0..60 {
    ///     set.step(&mut world)?;
    ///     if let [broken, ..] = set.fractures() {
    ///         assert_eq!(broken.body, whole);
    ///         assert!(broken.direction.y > 0.9, "the ground strikes from below");
    ///         assert!(broken.pieces.iter().all(|piece| world.bodies.contains(piece.body)));
    ///         return Ok(());
    ///     }
    /// }
    /// panic!("a brick falls and breaks");
    /// # #[allow(unreachable_code)]
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn insert(
        &mut self,
        world: &mut PhysicsWorld,
        solid: &Arc<Solid>,
        body: RigidBodyBuilder,
        options: &BreakOptions,
    ) -> Result<RigidBodyHandle, BreakError> {
        if !asks(&world.narrow_phase, &self.fragment_dispatcher()) {
            return Err(BreakError::NotInstalled);
        }
        self.insert_into(&mut world.bodies, &mut world.colliders, solid, body, options)
    }

    /// Does a step of the world, and breaks what was hit too hard. Returns what broke, hardest blow first.
    ///
    /// The `warmstart_coefficient` is lowered for the time of the step, as [`BreakableSet::prepare`] says.
    ///
    /// # Errors
    /// A world that does not ask this set for contacts: another set's, one without a set, or one whose narrow phase was replaced. A
    /// guard of a [`SharedBody`](crate::SharedBody) that is held. No step is done then.
    pub fn step(&mut self, world: &mut PhysicsWorld) -> Result<&[Fracture], BreakError> {
        self.step_with_events(world, &(), &())
    }

    /// As [`BreakableSet::step`], with the engine's hooks and events.
    ///
    /// # Errors
    /// As [`BreakableSet::step`].
    pub fn step_with_events(
        &mut self,
        world: &mut PhysicsWorld,
        hooks: &dyn PhysicsHooks,
        events: &dyn EventHandler,
    ) -> Result<&[Fracture], BreakError> {
        self.check_ready(&world.narrow_phase)?;
        // Bodies may have come or have been thrown since the last step.
        self.mark_fast(&mut world.bodies, &world.colliders);
        let warm_start = world.integration_parameters.warmstart_coefficient;
        self.prepare(&mut world.integration_parameters);
        world.step_with_events(hooks, events);
        world.integration_parameters.warmstart_coefficient = warm_start;
        self.break_in(EngineSets::from(world))
    }

    /// Breaks what was hit too hard in the world's last step, for those who do that step themselves: [`BreakableSet::break_in`].
    ///
    /// # Errors
    /// As [`BreakableSet::break_in`].
    pub fn break_bodies(&mut self, world: &mut PhysicsWorld) -> Result<&[Fracture], BreakError> {
        self.break_in(EngineSets::from(world))
    }

    /// Hits a body, as if something had struck it: `impulse` in N s, at a point of the world. It gets no motion from that. Returns
    /// what it became, or `None` if it withstood.
    ///
    /// # Errors
    /// No such body, or one whose collider the caller has removed or changed; another world; a point that is not finite or farther outside than a
    /// twentieth of the body's radius; an impulse that is zero or not finite; a guard of the body's lock that is held.
    pub fn strike(
        &mut self,
        world: &mut PhysicsWorld,
        handle: RigidBodyHandle,
        point: DVec3,
        impulse: DVec3,
    ) -> Result<Option<Fracture>, BreakError> {
        self.strike_in(EngineSets::from(world), handle, point, impulse)
    }

    /// Cuts a body along a plane of the world, whatever it is made of. Returns what it became, or `None` if the plane leaves it whole. Its pieces
    /// may break as often as those of a blow: [`BreakOptions::generations`].
    ///
    /// # Errors
    /// No such body, or one whose collider the caller has removed or changed; another world; a point that is not finite, or a normal of no
    /// length; a guard of the body's lock that is held.
    pub fn cut(
        &mut self,
        world: &mut PhysicsWorld,
        handle: RigidBodyHandle,
        point: DVec3,
        normal: DVec3,
    ) -> Result<Option<Fracture>, BreakError> {
        self.cut_in(EngineSets::from(world), handle, point, normal)
    }

    /// Where the coordinates of a body's solid are in the world: take the positions of
    /// [`BrittleBody::surface`](fracas::brittle::BrittleBody::surface) there. `None` for a body that is not in the set or whose place is not
    /// finite.
    #[must_use]
    pub fn pose(&self, world: &PhysicsWorld, handle: RigidBodyHandle) -> Option<Pose> {
        if !asks(&world.narrow_phase, &self.fragment_dispatcher()) {
            return None;
        }
        self.pose_in(&world.bodies, handle)
    }
}
