//! Random calls on a `BreakableSet` and two worlds: insert, strike, step, remove, handles of the other world, numbers that are none.
//!
//! Whatever is called, nothing panics, nobody loses a body that was not named, and the volume of the set's bodies is that of what was put in.
#![no_main]

use fracas::MeshTree;
use fracas::brittle::{Solid, SolidOptions};
use fracas::geom::DVec3;
use fracas::mesh::{shapes, tets::brick};
use fracas_rapier::rapier3d::prelude::*;
use fracas_rapier::{BreakError, BreakOptions, BreakableSet, MeshShape};
use libfuzzer_sys::fuzz_target;
use std::sync::{Arc, LazyLock};

static SOLIDS: LazyLock<[Arc<Solid>; 2]> = LazyLock::new(|| {
    let build =
        |size: DVec3, cells| Arc::new(Solid::build(brick(size, cells), &SolidOptions::default()).unwrap());
    [build(DVec3::new(0.4, 0.2, 0.2), [4, 2, 2]), build(DVec3::new(0.6, 0.05, 0.6), [6, 1, 6])]
});
static MESH: LazyLock<SharedShape> = LazyLock::new(|| {
    let tree = Arc::new(MeshTree::build(shapes::icosphere(0.2, 1)));
    SharedShape(Arc::new(MeshShape::new(&tree).unwrap()))
});

/// Bodies and steps beyond which nothing new is learned.
const MOST_BODIES: usize = 40;
const MOST_STEPS: usize = 40;

/// Numbers and choices from bytes.
struct Script<'a>(&'a [u8]);

impl Script<'_> {
    fn byte(&mut self) -> Option<u8> {
        let (&first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(first)
    }

    /// Small numbers mostly; now and then one that is no number, infinite, huge or tiny.
    fn number(&mut self) -> f32 {
        match self.byte().unwrap_or(0) {
            255 => f32::NAN,
            254 => f32::INFINITY,
            253 => -1e30,
            252 => 1e-30,
            byte => (f32::from(byte) - 126.0) / 32.0,
        }
    }

    fn vector(&mut self) -> Vector {
        Vector::new(self.number(), self.number(), self.number())
    }

    fn point(&mut self) -> DVec3 {
        DVec3::from_array(self.vector().to_array().map(f64::from))
    }
}

/// A world, the set that belongs to it, and the volume that was put in.
struct Place {
    world: PhysicsWorld,
    set: BreakableSet,
    volume: f64,
    steps: usize,
}

impl Place {
    fn new() -> Self {
        let mut world = PhysicsWorld::default();
        world.insert_collider(ColliderBuilder::cuboid(5.0, 1.0, 5.0).translation(Vector::Y * -1.0), None);
        let set = BreakableSet::new(&mut world);
        Self { world, set, volume: 0.0, steps: 0 }
    }

    fn insert(&mut self, script: &mut Script) {
        if self.world.bodies.len() >= MOST_BODIES {
            return;
        }
        let kind = script.byte().unwrap_or(0);
        let body = RigidBodyBuilder::dynamic()
            .translation(script.vector())
            .rotation(script.vector())
            .linvel(script.vector() * 20.0)
            .angvel(script.vector() * 10.0);
        let mut options = BreakOptions::default();
        if kind & 8 != 0 {
            options.friction = script.number();
            options.restitution = script.number();
            options.material.density *= f64::from(script.number());
            options.fracture.most_pieces = usize::from(script.byte().unwrap_or(0));
            options.fracture.least_nodes = usize::from(script.byte().unwrap_or(0));
        }
        if kind & 7 == 7 {
            let shape = ColliderBuilder::new(MESH.clone()).density(900.0);
            let finite = body.build();
            if finite.position().is_finite() && finite.linvel().is_finite() && finite.angvel().is_finite() {
                self.world.insert(finite, shape);
            }
            return;
        }
        let solid = &SOLIDS[usize::from(kind & 1)];
        let before = self.world.bodies.len();
        match self.set.insert(&mut self.world, solid, body, &options) {
            Ok(_) => self.volume += solid.mesh().total_volume(),
            Err(error) => {
                assert_eq!(self.world.bodies.len(), before);
                assert!(!error.to_string().is_empty());
            }
        }
    }

    /// Some body of the set.
    fn any(&self, script: &mut Script) -> Option<RigidBodyHandle> {
        let count = self.set.len();
        self.set.handles().nth(usize::from(script.byte().unwrap_or(0)) % count.max(1))
    }

    fn volume_of(&self, handle: RigidBodyHandle) -> f64 {
        let Some((body, fragment)) = self.set.fragment(handle) else { return 0.0 };
        let body = body.read().unwrap();
        body.fragment(fragment).map_or(0.0, |known| known.mass().volume)
    }

    fn check(&self) {
        let total: f64 = self.set.handles().map(|handle| self.volume_of(handle)).sum();
        assert!((total - self.volume).abs() <= 1e-9 * (1.0 + self.volume), "{total} of {}", self.volume);
    }
}

fuzz_target!(|data: &[u8]| play(data));

fn play(data: &[u8]) {
    let mut script = Script(data);
    let (mut a, mut b) = (Place::new(), Place::new());
    while let Some(call) = script.byte() {
        let is_a = call & 128 != 0;
        let (own, other) = if is_a { (&mut a, &mut b) } else { (&mut b, &mut a) };
        match call & 15 {
            0..=2 => own.insert(&mut script),
            3..=6 => {
                if own.steps < MOST_STEPS {
                    own.steps += 1;
                    own.set.step(&mut own.world).unwrap();
                }
            }
            7 | 8 => {
                let Some(handle) = own.any(&mut script) else { continue };
                let place = own.set.pose(&own.world, handle).map_or(DVec3::ZERO, |pose| pose.translation());
                let (point, impulse) = (place + 0.1 * script.point(), 1e3 * script.point());
                if own.set.len() < MOST_BODIES {
                    let _ = own.set.strike(&mut own.world, handle, point, impulse);
                }
            }
            9 => {
                // The other's world and handles.
                let before = other.world.bodies.len();
                assert_eq!(own.set.step(&mut other.world), Err(BreakError::NotInstalled));
                if let Some(handle) = own.any(&mut script) {
                    let struck = own.set.strike(&mut other.world, handle, script.point(), script.point());
                    assert_eq!(struck, Err(BreakError::NotInstalled));
                }
                if let Some(handle) = other.any(&mut script)
                    && own.set.fragment(handle).is_none()
                {
                    let struck = own.set.strike(&mut own.world, handle, script.point(), script.point());
                    assert_eq!(struck, Err(BreakError::NoSuchBody { handle }));
                }
                assert_eq!(other.world.bodies.len(), before);
            }
            10 => {
                let Some(handle) = own.any(&mut script) else { continue };
                own.volume -= own.volume_of(handle);
                own.world.remove_body(handle);
                if own.steps < MOST_STEPS {
                    own.steps += 1;
                    own.set.step(&mut own.world).unwrap();
                } else {
                    own.set.break_bodies(&mut own.world).unwrap();
                }
            }
            11 => {
                let Some(handle) = own.any(&mut script) else { continue };
                if let Some(&collider) = own.world.bodies[handle].colliders().first() {
                    own.world.remove_collider(collider);
                }
            }
            12 => {
                let Some(handle) = own.any(&mut script) else { continue };
                if let Some(&collider) = own.world.bodies[handle].colliders().first() {
                    own.world.colliders[collider].set_shape(SharedShape::ball(0.1));
                }
            }
            13 => {
                let Some(handle) = own.any(&mut script) else { continue };
                let body = &mut own.world.bodies[handle];
                body.set_translation(script.vector(), true);
                body.set_linvel(script.vector() * 30.0, true);
            }
            14 => {
                let Some(handle) = own.any(&mut script) else { continue };
                let body = own.set.fragment(handle).unwrap().0.clone();
                let _guard = body.read().unwrap();
                if data.len() < 64 {
                    assert!(matches!(own.set.break_bodies(&mut own.world), Err(BreakError::Locked { .. })));
                }
            }
            _ => own.set.prepare(&mut own.world.integration_parameters),
        }
        a.check();
        b.check();
    }
}
