//! Animations: key values of nodes, and what lies between the keys.
//!
//! ```text
//!   STEP          the value of the last key
//!   LINEAR        a straight line; for rotations the shorter arc at constant speed
//!   CUBICSPLINE   with s = (t − t₀) / d, d = t₁ − t₀, values v, tangents out b and in a:
//!                 (2s³ − 3s² + 1) v₀ + d (s³ − 2s² + s) b₀ + (3s² − 2s³) v₁ + d (s³ − s²) a₁
//! ```
//!
//! Before the first key and after the last the value stays what it is there. Rotations have length one everywhere.

use std::collections::BTreeSet;

use fracas::geom::{DQuat, DVec3, DVec4};

use super::accessor::{Buffers, Kind};
use super::document::{Document, no_such};
use super::rig::{Animation, ChannelEntry, Sampler};
use super::skeleton::{Local, Skeleton};
use crate::error::{Fault, Place, Reason};

/// An animation of a glTF document: how its nodes move.
///
/// ```
/// let scene = fracas_io::read_skinned("tests/data/bar.gltf")?;
/// let clip = &scene.clips()[0];
/// assert_eq!((clip.name(), clip.seconds()), (Some("bend"), 2.0));
/// # Ok::<(), fracas_io::ReadError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Clip {
    name: Option<String>,
    channels: Vec<Channel>,
}

/// How one property of one node moves.
#[derive(Clone, Debug)]
struct Channel {
    node: usize,
    property: Property,
    interpolation: Interpolation,
    /// Ascending.
    times: Vec<f64>,
    /// One for each time; for splines three: tangent in, value, tangent out. The last number is 0 but for rotations.
    values: Vec<DVec4>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Property {
    Translation,
    Rotation,
    Scale,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Interpolation {
    Step,
    Linear,
    CubicSpline,
}

impl Clip {
    /// What the document calls it.
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// The time of the last key. Clips begin at 0.
    #[must_use]
    pub fn seconds(&self) -> f64 {
        let last = |channel: &Channel| channel.times.last().copied().unwrap_or(0.0);
        self.channels.iter().map(last).fold(0.0, f64::max)
    }

    /// Puts the values of a time in place of those of rest.
    pub(super) fn apply(&self, seconds: f64, locals: &mut [Local]) {
        for channel in &self.channels {
            let value = channel.at(seconds);
            if let Local::Parts(parts) = &mut locals[channel.node] {
                match channel.property {
                    Property::Translation => parts.translation = value.truncate(),
                    Property::Rotation => parts.rotation = unit(value),
                    Property::Scale => parts.scale = value.truncate(),
                }
            }
        }
    }
}

impl Channel {
    fn at(&self, seconds: f64) -> DVec4 {
        let after = self.times.partition_point(|&time| time <= seconds);
        let value = |key: usize| match self.interpolation {
            Interpolation::CubicSpline => self.values[3 * key + 1],
            _ => self.values[key],
        };
        let before = after.saturating_sub(1);
        if after == 0 || after == self.times.len() || self.interpolation == Interpolation::Step {
            return value(before);
        }
        let width = self.times[after] - self.times[before];
        let s = (seconds - self.times[before]) / width;
        let [from, to] = [value(before), value(after)];
        match (self.interpolation, self.property) {
            (Interpolation::CubicSpline, _) => {
                let [out, into] = [self.values[3 * before + 2], self.values[3 * after]];
                let (s2, s3) = (s * s, s * s * s);
                from * (2.0 * s3 - 3.0 * s2 + 1.0)
                    + out * (width * (s3 - 2.0 * s2 + s))
                    + to * (3.0 * s2 - 2.0 * s3)
                    + into * (width * (s3 - s2))
            }
            // The shorter of the two arcs.
            (_, Property::Rotation) => DVec4::from(unit(from).slerp(unit(to), s)),
            _ => from.lerp(to, s),
        }
    }
}

/// The rotation nearest to four numbers.
fn unit(value: DVec4) -> DQuat {
    let length = value.length();
    if length > 0.0 && length.is_finite() { DQuat::from_vec4(value / length) } else { DQuat::IDENTITY }
}

/// Reads all animations. They may take up to `limit` bytes.
pub(super) fn read_clips(
    document: &Document<'_>,
    animations: Vec<Animation>,
    skeleton: &Skeleton,
    buffers: &mut Buffers<'_>,
    limit: u64,
) -> Result<Vec<Clip>, Fault> {
    let mut left = limit;
    let mut clips = Vec::with_capacity(animations.len());
    for (number, animation) in animations.into_iter().enumerate() {
        let mut channels = Vec::new();
        let mut moved = BTreeSet::new();
        for (index, entry) in animation.channels.iter().enumerate() {
            let place = || Place::Part(format!("animation {number}, channel {index}"));
            let Some((node, property)) = target(entry, skeleton, place)? else { continue };
            if !moved.insert((node, property)) {
                let reason = format!("two channels of the animation move the same property of node {node}");
                return Err(Fault::malformed(place(), reason));
            }
            let sampler = animation.samplers.get(entry.sampler).ok_or_else(|| {
                Fault::malformed(place(), format!("the animation has no sampler {}", entry.sampler))
            })?;
            let channel = read_channel(document, buffers, sampler, node, property, place)?;
            let bytes = 8 * channel.times.len() as u64 + 32 * channel.values.len() as u64;
            left = left.checked_sub(bytes).ok_or_else(|| {
                let reason = format!("the animations take more than {limit} bytes");
                Fault::unsupported(place(), reason)
            })?;
            channels.push(channel);
        }
        clips.push(Clip { name: animation.name, channels });
    }
    Ok(clips)
}

/// What a channel moves, or `None` if it is no node's transform.
fn target(
    entry: &ChannelEntry,
    skeleton: &Skeleton,
    place: impl Fn() -> Place,
) -> Result<Option<(usize, Property)>, Fault> {
    let target = &entry.target;
    if target.extensions.pointer.as_ref().is_some_and(|pointer| pointer.pointer.starts_with("/nodes/")) {
        let reason = "a node that is moved through KHR_animation_pointer is not read";
        return Err(Fault::unsupported(place(), reason));
    }
    let property = match target.path.as_str() {
        "translation" => Property::Translation,
        "rotation" => Property::Rotation,
        "scale" => Property::Scale,
        // Weights of morph targets move meshes that are refused, and pointers lead elsewhere.
        "weights" | "pointer" => return Ok(None),
        path => {
            let path = crate::text::shown(path.as_bytes());
            return Err(Fault::malformed(place(), format!("nodes have no `{path}` to animate")));
        }
    };
    let Some(node) = target.node else { return Ok(None) };
    match skeleton.rest().get(node) {
        None => Err(no_such("node", node)),
        Some(Local::Matrix(_)) => {
            let reason = format!("node {node} has a matrix, so it cannot be animated");
            Err(Fault::malformed(place(), reason))
        }
        Some(Local::Parts(_)) => Ok(Some((node, property))),
    }
}

fn read_channel(
    document: &Document<'_>,
    buffers: &mut Buffers<'_>,
    sampler: &Sampler,
    node: usize,
    property: Property,
    place: impl Fn() -> Place,
) -> Result<Channel, Fault> {
    let interpolation = match sampler.interpolation.as_deref() {
        None | Some("LINEAR") => Interpolation::Linear,
        Some("STEP") => Interpolation::Step,
        Some("CUBICSPLINE") => Interpolation::CubicSpline,
        Some(other) => {
            let reason = format!("there is no interpolation `{}`", crate::text::shown(other.as_bytes()));
            return Err(Fault::malformed(place(), reason));
        }
    };
    let times = buffers.read_numbers(document, sampler.input, "SCALAR", Kind::Float)?.values;
    let is_next = |key: usize| {
        let earliest = if key == 0 { -f64::MIN_POSITIVE } else { times[key - 1] };
        times[key].is_finite() && times[key] > earliest
    };
    if let Some(key) = (0..times.len()).find(|&key| !is_next(key)) {
        let reason =
            format!("key {key} is at {} s, not finite, negative or not after the key before", times[key]);
        return Err(Fault::malformed(place(), reason));
    }
    let shape = if property == Property::Rotation { "VEC4" } else { "VEC3" };
    let numbers = buffers.read_numbers(document, sampler.output, shape, Kind::Fraction)?;
    let per_key = if interpolation == Interpolation::CubicSpline { 3 } else { 1 };
    let (given, expected) = (numbers.rows().len(), per_key * times.len());
    if times.is_empty() {
        return Err(Fault::malformed(place(), "the channel has no keys"));
    }
    if given != expected {
        return Err(Fault::new(place(), Reason::WrongCount { what: "key values", given, expected }));
    }
    let mut values = Vec::with_capacity(given);
    for (index, row) in numbers.rows().enumerate() {
        let value = DVec3::new(row[0], row[1], row[2]).extend(row.get(3).copied().unwrap_or(0.0));
        let is_tangent = per_key == 3 && index % 3 != 1;
        let is_null = property == Property::Rotation && !is_tangent && value == DVec4::ZERO;
        if !value.is_finite() || is_null {
            let key = index / per_key;
            let reason = format!("the value of key {key} is {value}, which is no finite {}", property.name());
            return Err(Fault::malformed(place(), reason));
        }
        values.push(value);
    }
    Ok(Channel { node, property, interpolation, times, values })
}

impl Property {
    fn name(self) -> &'static str {
        match self {
            Self::Translation => "translation",
            Self::Rotation => "rotation",
            Self::Scale => "scale",
        }
    }
}
