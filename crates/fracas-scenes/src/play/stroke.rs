//! Strokes of the pointer, as rays, planes and curves.
//!
//! # Idea
//!
//! ```text
//!            ╱ ray            A stroke is a fan of rays from the eye. On a rigid body it is the plane through the first and the last ray. On a
//!      eye ·──── ray          soft body it becomes a line of points of the material, by where rays meet the surface; the cut follows
//!            ╲ ray            these through the body at rest.
//! ```

use super::Ray;
use fracas::cut::{CutError, CutSurface, HeightGrid};
use fracas::geom::DVec3;

/// Rays between two that the pointer gave are at most this angle apart, in radians.
const FINENESS: f64 = 0.004;
/// No more rays than this.
const MOST: usize = 600;

/// The rays of a stroke and more between them, all of unit length.
pub(super) fn dense(rays: &[Ray]) -> Vec<Ray> {
    let mut all: Vec<Ray> = vec![];
    let length: f64 = rays.windows(2).map(|pair| gap(&pair[0].unit(), &pair[1].unit())).sum();
    let fineness = FINENESS.max(length / MOST as f64);
    for pair in rays.windows(2) {
        let [a, b] = [pair[0].unit(), pair[1].unit()];
        let count = (gap(&a, &b) / fineness).ceil().clamp(1.0, MOST as f64) as usize;
        for k in 0..count {
            let t = k as f64 / count as f64;
            let along = a.along.lerp(b.along, t);
            all.push(Ray { from: a.from.lerp(b.from, t), along: along.try_normalize().unwrap_or(a.along) });
        }
    }
    all.extend(rays.last().map(Ray::unit));
    all
}

/// How far apart two rays are: about the angle.
fn gap(a: &Ray, b: &Ray) -> f64 {
    a.along.distance(b.along)
}

/// A plane.
pub(super) struct Plane {
    pub point: DVec3,
    pub normal: DVec3,
}

/// The plane through the first and the last ray; `None` where these are nearly one.
pub(super) fn plane(rays: &[Ray]) -> Option<Plane> {
    let [first, last] = [rays.first()?.unit(), rays.last()?.unit()];
    let across = first.along.cross(last.along);
    (across.length() > 1e-3).then(|| Plane { point: first.from, normal: across.normalize() })
}

/// A line of points in a body at rest, and whether it begins and ends outside of the body.
pub(super) struct Line {
    pub points: Vec<DVec3>,
    /// Into the body; for sheets, across it.
    pub depth: DVec3,
    pub is_open: [bool; 2],
}

/// A surface to cut along, and from where to where.
pub(super) struct Ribbon {
    pub surface: CutSurface,
    /// A point on it, its normal, and the direction in which the cut advances. Exact where the surface is a plane.
    pub origin: DVec3,
    pub normal: DVec3,
    pub ahead: DVec3,
    pub range: [f64; 2],
}

impl Line {
    /// The surface through the line and along its depth: a plane, or as curved as the line. `beyond` is how far a cut goes on where the stroke leaves the
    /// body. `None` if the line is too short, or turns back.
    pub fn ribbon(&self, is_curved: bool, beyond: f64) -> Result<Option<Ribbon>, CutError> {
        let (Some(&first), Some(&last)) = (self.points.first(), self.points.last()) else { return Ok(None) };
        let Some(depth) = self.depth.try_normalize() else { return Ok(None) };
        let chord = (last - first).reject_from_normalized(depth);
        if chord.length() < 1.5 * beyond {
            return Ok(None);
        }
        let ahead = chord.normalize();
        let normal = depth.cross(ahead);
        let local = |p: &DVec3| [(*p - first).dot(ahead), (*p - first).dot(normal)];
        let flat: Vec<[f64; 2]> = self.points.iter().map(local).collect();
        let way: f64 = flat.windows(2).map(|pair| (pair[1][0] - pair[0][0]).abs()).sum();
        if way > 1.2 * chord.length() {
            return Ok(None);
        }
        // A plane through a solid goes on for ever; a curve through a sheet might come to what lies beside it at rest.
        let past = if is_curved { beyond } else { f64::INFINITY };
        let range = [
            if self.is_open[0] { -past } else { 0.0 },
            chord.length() + if self.is_open[1] { past } else { 0.0 },
        ];
        let surface = if is_curved {
            CutSurface::height_field(first, normal, ahead, heights(&flat, chord.length()))?
        } else {
            CutSurface::plane(first, normal, ahead)?
        };
        Ok(Some(Ribbon { surface, origin: first, normal, ahead, range }))
    }
}

/// Heights along a line that hardly turns back: the mean of its points around each place, none of which is far.
fn heights(flat: &[[f64; 2]], length: f64) -> HeightGrid {
    let columns = flat.len().clamp(2, 24);
    let cell = length / (columns - 1) as f64;
    let height = |column: usize| {
        let u = cell * column as f64;
        let weighted = flat.iter().map(|[x, h]| {
            let weight = (1.0 - (x - u).abs() / (1.5 * cell)).max(1e-9);
            [weight, weight * h]
        });
        let [weight, sum] = weighted.fold([0.0; 2], |[a, b], [c, d]| [a + c, b + d]);
        sum / weight
    };
    HeightGrid { corner: [0.0, 0.0], cell, columns, heights: (0..columns).map(height).collect() }
}
