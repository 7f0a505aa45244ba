//! What a blow makes of a body: labels, pieces, and their shapes. The engine is not asked, so several bodies can break at once.
//!
//! # Idea
//!
//! ```text
//!   blows, hardest first     a₂  b₁  a₁  c₁        a₁ and a₂ are fragments of one body
//!   on all threads           [a₂ a₁]  [b₁]  [c₁]   each body breaks its fragments in the order of the blows
//!   in the engine            a₂  b₁  a₁  c₁        one after the other, on one thread
//! ```
//!
//! The ids of pieces count up within a body, so the fragments of one body break one after the other. Bodies know nothing of each other.
//! So pieces, ids and handles are the same at any number of threads.

use crate::blows::Blow;
use crate::record::Record;
use crate::{BreakError, FragmentShape};
use fracas::brittle::{BrittleBody, FragmentId};
use fracas::fracture::{Breakable, Impact, Relabelling};
use fracas::geom::{DVec3, Pose};
use fracas::internal::map_parallel;
use rapier3d::prelude::RigidBodyHandle;
use std::sync::{Arc, PoisonError};
use std::time::Duration;
use web_time::Instant;

/// A body that was struck.
pub(crate) struct Struck {
    pub handle: RigidBodyHandle,
    pub record: Record,
    /// Takes the coordinates of the solid to the world.
    pub pose: Pose,
    pub blow: Blow,
}

/// A body in pieces, of which the engine knows nothing yet.
pub(crate) struct Shattered {
    pub handle: RigidBodyHandle,
    pub record: Record,
    pub blow: Blow,
    /// Where it was hit, in the world: on the body or inside it.
    pub point: DVec3,
    pub shapes: Vec<FragmentShape>,
    pub times: ShatterTimes,
}

/// What it took.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ShatterTimes {
    /// Sphere trees, cells and facet trees of pieces.
    pub update: Duration,
    /// Normals, edges and outermost points of pieces.
    pub shapes: Duration,
    /// All of it, with labels and cuts.
    pub all: Duration,
}

/// Breaks bodies that were struck, on all threads. The results are in the order of the blows: `None` for a body that withstood, or a blow that makes no
/// sense, such as one of no length.
pub(crate) fn shatter_all(struck: Vec<Struck>) -> Vec<Option<Shattered>> {
    let count = struck.len();
    let mut groups: Vec<Vec<(usize, Struck)>> = vec![];
    for (place, one) in struck.into_iter().enumerate() {
        let body = &one.record.body;
        let known = groups.iter().position(|group| Arc::ptr_eq(&group[0].1.record.body, body));
        match known {
            Some(group) => groups[group].push((place, one)),
            None => groups.push(vec![(place, one)]),
        }
    }
    let broken = map_parallel(groups.len() > 1, groups.into_iter(), |group| {
        let shattered = |(place, one)| (place, shatter(one).ok().flatten());
        group.into_iter().map(shattered).collect::<Vec<_>>()
    });
    let mut results: Vec<Option<Shattered>> = (0..count).map(|_| None).collect();
    broken.into_iter().flatten().for_each(|(place, result)| results[place] = result);
    results
}

/// Breaks a body if a blow is hard enough for its material. After an error it is as it was.
pub(crate) fn shatter(struck: Struck) -> Result<Option<Shattered>, BreakError> {
    let begin = Instant::now();
    let Struck { handle, record, pose, blow } = struck;
    if record.generation >= record.options.generations {
        return Ok(None);
    }
    let back = pose.inverse();
    let mut impact = Impact {
        point: back.apply(blow.point),
        direction: back.rotation() * blow.direction,
        impulse: blow.impulse,
    };
    let Some(labels) = labels(handle, &record, &mut impact)? else { return Ok(None) };
    let struck = Struck { blow, handle, record, pose };
    take_apart(struck, &labels, pose.apply(impact.point), begin).map(Some)
}

/// Parts a body along the plane through the point of a blow, across its direction, however hard it is. `None` if all of it lies on one side. After an error it is as
/// it was.
pub(crate) fn part(struck: Struck) -> Result<Option<Shattered>, BreakError> {
    let begin = Instant::now();
    let back = struck.pose.inverse();
    let (point, normal) = (back.apply(struck.blow.point), back.rotation() * struck.blow.direction);
    let labels = {
        let body = struck.record.read(struck.handle)?;
        breakable(&body, struck.record.fragment)?.part(point, normal)?
    };
    let point = struck.blow.point;
    labels.map(|labels| take_apart(struck, &labels, point, begin)).transpose()
}

/// The pieces that labels make of a body, which was hit at `point`.
fn take_apart(
    struck: Struck,
    labels: &Relabelling,
    point: DVec3,
    begin: Instant,
) -> Result<Shattered, BreakError> {
    let Struck { handle, record, blow, .. } = struck;
    let mut times = ShatterTimes::default();
    let fragments = {
        let mut body = record.write(handle)?;
        let fragments = body.split(record.fragment, &labels.labels, &labels.weights)?;
        times.update = body.last_split().update;
        fragments
    };
    let is_large = labels.labels.len() > LARGE;
    let each = || fragments.iter().copied();
    // Contacts are asked for in the next step, and need the trees of all pieces.
    let growing = Instant::now();
    let build = |fragment: FragmentId| {
        let body = record.body.read().unwrap_or_else(PoisonError::into_inner);
        body.facet_tree(fragment).map(|_| ())
    };
    map_parallel(is_large, each(), build).into_iter().collect::<Result<(), _>>()?;
    times.update += growing.elapsed();
    let shaping = Instant::now();
    let shape = |fragment: FragmentId| FragmentShape::new(&record.body, fragment);
    let shapes = map_parallel(is_large, each(), shape).into_iter().collect::<Result<Vec<_>, _>>()?;
    times.shapes = shaping.elapsed();
    times.all = begin.elapsed();
    Ok(Shattered { point, handle, record, blow, shapes, times })
}

/// Nodes of a body from which on its pieces are finished on several threads.
const LARGE: usize = 1000;

/// What a blow does to a body. Its point is brought to the body first: between two places that were hit there may be nothing.
fn labels(
    handle: RigidBodyHandle,
    record: &Record,
    impact: &mut Impact,
) -> Result<Option<Relabelling>, BreakError> {
    let body = record.read(handle)?;
    let known = body.fragment(record.fragment)?;
    let solid = body.solid();
    // Most blows break nothing: that is found out before anything is searched.
    if record.options.material.pieces(known.mass().volume, impact.impulse)?.is_none() {
        return Ok(None);
    }
    let reach = 2.0 * (impact.point - record.origin).length() + solid.radius();
    if let Some(near) = body.find_nearest(record.fragment, impact.point, reach)
        && near.distance > 0.0
    {
        impact.point = near.point;
    }
    // Every fragment breaks in a way of its own.
    let mut fracture = record.options.fracture;
    fracture.seed =
        fracture.seed.wrapping_add(u64::from(record.fragment.0).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    Ok(breakable(&body, record.fragment)?.hit(impact, &record.options.material, &fracture)?)
}

/// A fragment as the makers of cracks see it.
fn breakable(body: &BrittleBody, fragment: FragmentId) -> Result<Breakable<'_>, BreakError> {
    let known = body.fragment(fragment)?;
    let solid = body.solid();
    Ok(Breakable {
        mesh: solid.mesh(),
        adjacency: solid.adjacency(),
        nodes: known.nodes(),
        volume: known.mass().volume,
    })
}
