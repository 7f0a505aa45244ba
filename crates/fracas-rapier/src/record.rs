//! What the set knows of each of its bodies, and the checks before one of them is touched.
//!
//! Handles of the engine are plain numbers: those of another world may name a stranger. So a record is trusted only if the body it names has
//! the collider that the set made, with the very fragment.

use crate::{BreakError, BreakOptions, FragmentShape, SharedBody};
use fracas::brittle::{BrittleBody, FragmentId};
use fracas::fracture::Material;
use fracas::geom::DVec3;
use rapier3d::prelude::{
    ColliderHandle, ColliderSet, IntegrationParameters, RigidBody, RigidBodyHandle, RigidBodySet,
};
use std::sync::{Arc, RwLockReadGuard, RwLockWriteGuard, TryLockError};
use web_time::{Duration, Instant};

/// What is known of a rigid body that may break.
#[derive(Clone, Debug)]
pub(crate) struct Record {
    pub collider: ColliderHandle,
    pub body: SharedBody,
    pub fragment: FragmentId,
    /// The origin of the rigid body, in the coordinates of the solid.
    pub origin: DVec3,
    pub options: BreakOptions,
    /// Fractures since the original.
    pub generation: u32,
    /// Steps since its birth.
    pub age: u32,
    /// The caller wants the engine to sweep it against everything, however slow it is.
    pub is_bullet: bool,
    /// Distance of the farthest point from the origin, and half the least extent: how fast is fast for it.
    pub reach: f32,
    pub thickness: f32,
    /// Cubic metres.
    pub volume: f64,
}

/// A step of the engine.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pace {
    /// Its length, seconds.
    pub dt: f32,
    /// How far ahead contacts are looked for.
    pub prediction: f32,
    /// Half the least extent of the thinnest body that moves.
    pub thinnest: f32,
}

impl From<&IntegrationParameters> for Pace {
    fn from(parameters: &IntegrationParameters) -> Self {
        Self { dt: parameters.dt, prediction: parameters.prediction_distance(), thinnest: 0.0 }
    }
}

/// How long another thread may hold a lock before it counts as held for good. Readers look for microseconds; a guard on the caller's own stack
/// never goes away.
const PATIENCE: Duration = Duration::from_millis(200);

impl Record {
    /// Checks that a body of the engine is the one that is known here.
    pub fn check(
        &self,
        handle: RigidBodyHandle,
        bodies: &RigidBodySet,
        colliders: &ColliderSet,
    ) -> Result<(), BreakError> {
        if !bodies.contains(handle) {
            return Err(BreakError::NoSuchBody { handle });
        }
        let is_same = colliders.get(self.collider).is_some_and(|collider| {
            let shape = collider.shape().as_shape::<FragmentShape>();
            collider.parent() == Some(handle)
                && shape.is_some_and(|shape| {
                    shape.fragment() == self.fragment && Arc::ptr_eq(shape.body(), &self.body)
                })
        });
        if is_same { Ok(()) } else { Err(BreakError::Changed { handle }) }
    }

    /// The least impulse that may break it, or a little less; infinite while it is young, and `None` if it never breaks.
    pub fn limit(&self) -> Option<f64> {
        if self.generation >= self.options.generations {
            return None;
        }
        if self.age <= self.options.grace {
            return Some(f64::INFINITY);
        }
        // As in `Material::pieces`, with room for rounding.
        let Material { density, stiffness, strength, .. } = self.options.material;
        Some((1.0 - 1e-9) * strength * self.volume * density / (stiffness * density).sqrt())
    }

    /// Whether a body may pass through another one that moves in a step. Bodies that approach by less than half their extents together do not
    /// get past each other's middle, so contacts push them back; and what moves less than the engine looks ahead is always seen.
    pub fn is_fast(&self, body: &RigidBody, pace: Pace) -> bool {
        let speed = body.linvel().length() + body.angvel().length() * self.reach;
        speed * pace.dt > (self.thickness + pace.thinnest).max(pace.prediction)
    }

    /// The fragments, to read.
    pub fn read(&self, handle: RigidBodyHandle) -> Result<RwLockReadGuard<'_, BrittleBody>, BreakError> {
        patiently(|| self.body.try_read()).ok_or(BreakError::Locked { handle })
    }

    /// The fragments, to break one of them.
    pub fn write(&self, handle: RigidBodyHandle) -> Result<RwLockWriteGuard<'_, BrittleBody>, BreakError> {
        patiently(|| self.body.try_write()).ok_or(BreakError::Locked { handle })
    }
}

/// Tries to lock for a while. A lock whose holder panicked is taken: bodies are changed only by calls that leave them whole.
fn patiently<G>(mut attempt: impl FnMut() -> Result<G, TryLockError<G>>) -> Option<G> {
    let mut begin = None;
    loop {
        match attempt() {
            Ok(guard) => return Some(guard),
            Err(TryLockError::Poisoned(poisoned)) => return Some(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => {
                if begin.get_or_insert_with(Instant::now).elapsed() > PATIENCE {
                    return None;
                }
                std::thread::sleep(Duration::from_micros(100));
            }
        }
    }
}
