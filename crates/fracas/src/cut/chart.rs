//! The surfaces along which a body is cut: plane, cylinder, height field, helicoid.
//!
//! # Idea
//!
//! Each surface has axes of its own and answers three questions: on which side is a point, and how far away
//! ([`CutSurface::side`]); which chart coordinates (u, v) has the point of the surface next to it
//! ([`CutSurface::chart`]); and where is the point with these coordinates ([`CutSurface::point`]).
//!
//! | surface | u | v | positive side |
//! |---|---|---|---|
//! | plane, height field | along `forward` | along normal × `forward` | where the normal points |
//! | cylinder | angle from `forward`, 0 to 2π | height along the axis | outside |
//! | helicoid | angle along the helix, any number of turns | distance from the axis | above |
//!
//! The helicoid is that of a spiral staircase: it begins at its axis and passes each height at one angle, once per
//! turn. A point above one turn is below the next, so its side is that of the nearest turn.
//!
//! Sines, cosines and arc tangents come from the `libm` crate: the same on every machine.

use super::{CutError, Front};
use crate::geom::DVec3;
use glam::DVec2;
use std::f64::consts::TAU;

/// A surface to cut along, in its place.
#[derive(Clone, Debug, PartialEq)]
pub struct CutSurface {
    axes: Axes,
    shape: Shape,
}

#[derive(Clone, Debug, PartialEq)]
enum Shape {
    Plane,
    Cylinder { radius: f64 },
    HeightField(HeightGrid),
    Helicoid { pitch: f64 },
}

/// Heights on a grid. Between its points they are interpolated bilinearly; beyond its rim, the rim goes on.
#[derive(Clone, Debug, PartialEq)]
pub struct HeightGrid {
    /// Chart coordinates (u, v) of the first height.
    pub corner: [f64; 2],
    /// Distance between neighbouring points.
    pub cell: f64,
    /// How many heights there are along u.
    pub columns: usize,
    /// The heights, row by row; along each row u grows.
    pub heights: Vec<f64>,
}

/// A right-handed orthonormal system of axes.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Axes {
    origin: DVec3,
    forward: DVec3,
    left: DVec3,
    up: DVec3,
}

impl CutSurface {
    /// The plane through a point. The chart's u grows in the direction `forward`, seen along the normal.
    ///
    /// # Errors
    /// A vector that is zero or not finite, or a `forward` along the normal. So for all surfaces.
    ///
    /// ```
    /// use fracas::cut::CutSurface;
    /// use fracas::geom::DVec3;
    /// let plane = CutSurface::plane(DVec3::ZERO, 2.0 * DVec3::Z, DVec3::new(1.0, 0.0, 7.0)).unwrap();
    /// let p = DVec3::new(3.0, 4.0, 5.0);
    /// assert_eq!((plane.side(p), plane.chart(p)), (5.0, [3.0, 4.0]));
    /// assert_eq!(plane.point([3.0, 4.0]), DVec3::new(3.0, 4.0, 0.0));
    /// assert!(CutSurface::plane(DVec3::ZERO, DVec3::ZERO, DVec3::X).is_err());
    /// ```
    pub fn plane(point: DVec3, normal: DVec3, forward: DVec3) -> Result<Self, CutError> {
        Ok(Self { axes: Axes::new(point, normal, forward)?, shape: Shape::Plane })
    }

    /// The cylinder around an axis. Angles count from `forward`, counter-clockwise seen from the axis' tip.
    ///
    /// # Errors
    /// As for [`CutSurface::plane`], or a radius that is not positive and finite.
    pub fn cylinder(point: DVec3, axis: DVec3, radius: f64, forward: DVec3) -> Result<Self, CutError> {
        require("radius", radius, radius > 0.0 && radius.is_finite())?;
        Ok(Self { axes: Axes::new(point, axis, forward)?, shape: Shape::Cylinder { radius } })
    }

    /// A surface above and below a plane.
    ///
    /// # Errors
    /// As for [`CutSurface::plane`], or a grid without heights, with a row cut short, or with a number that is not finite.
    pub fn height_field(
        point: DVec3,
        normal: DVec3,
        forward: DVec3,
        grid: HeightGrid,
    ) -> Result<Self, CutError> {
        require("cell", grid.cell, grid.cell > 0.0 && grid.cell.is_finite())?;
        for number in grid.corner.iter().chain(&grid.heights) {
            require("height grid", *number, number.is_finite())?;
        }
        let (count, columns) = (grid.heights.len(), grid.columns);
        if count == 0 || columns == 0 || !count.is_multiple_of(columns) {
            return Err(CutError::BadGrid { heights: count, columns });
        }
        Ok(Self { axes: Axes::new(point, normal, forward)?, shape: Shape::HeightField(grid) })
    }

    /// A spiral staircase around an axis that rises by `pitch` per turn, or falls if it is negative. It passes through
    /// `point` + `forward` at the angle 0.
    ///
    /// # Errors
    /// As for [`CutSurface::plane`], or a pitch that is zero or not finite.
    pub fn helicoid(point: DVec3, axis: DVec3, pitch: f64, forward: DVec3) -> Result<Self, CutError> {
        require("pitch", pitch, pitch != 0.0 && pitch.is_finite())?;
        Ok(Self { axes: Axes::new(point, axis, forward)?, shape: Shape::Helicoid { pitch } })
    }

    /// How far a point lies from the surface, negative on the negative side: distance for planes and cylinders, height
    /// along the normal for height fields, height above the nearest turn for helicoids.
    #[must_use]
    pub fn side(&self, p: DVec3) -> f64 {
        let q = self.axes.local(p);
        match &self.shape {
            Shape::Plane => q.z,
            Shape::Cylinder { radius } => q.truncate().length() - radius,
            Shape::HeightField(grid) => q.z - grid.height(q.x, q.y),
            Shape::Helicoid { pitch } => {
                let turns = q.z / pitch - angle(q) / TAU;
                pitch * (turns - turns.round())
            }
        }
    }

    /// Chart coordinates (u, v) of the point of the surface next to a point.
    #[must_use]
    pub fn chart(&self, p: DVec3) -> [f64; 2] {
        let q = self.axes.local(p);
        match &self.shape {
            Shape::Plane | Shape::HeightField(_) => [q.x, q.y],
            Shape::Cylinder { .. } => [angle(q), q.z],
            Shape::Helicoid { pitch } => {
                let turns = (q.z / pitch - angle(q) / TAU).round();
                [angle(q) + TAU * turns, q.truncate().length()]
            }
        }
    }

    /// The point of the surface with these chart coordinates.
    #[must_use]
    pub fn point(&self, [u, v]: [f64; 2]) -> DVec3 {
        self.axes.world(match &self.shape {
            Shape::Plane => DVec3::new(u, v, 0.0),
            Shape::HeightField(grid) => DVec3::new(u, v, grid.height(u, v)),
            Shape::Cylinder { radius } => DVec3::new(radius * libm::cos(u), radius * libm::sin(u), v),
            Shape::Helicoid { pitch } => DVec3::new(v * libm::cos(u), v * libm::sin(u), pitch * u / TAU),
        })
    }

    /// The same surface for a body that is so many times as large.
    pub(super) fn scaled(&self, factor: f64) -> Self {
        let mut scaled = self.clone();
        scaled.axes.origin *= factor;
        match &mut scaled.shape {
            Shape::Plane => {}
            Shape::Cylinder { radius: length } | Shape::Helicoid { pitch: length } => *length *= factor,
            Shape::HeightField(grid) => {
                let numbers = grid.corner.iter_mut().chain(&mut grid.heights);
                numbers.chain([&mut grid.cell]).for_each(|length| *length *= factor);
            }
        }
        scaled
    }

    /// Whether a chart coordinate is a length, and not an angle.
    pub(super) fn is_length(&self, front: Front) -> bool {
        front == Front::V || matches!(self.shape, Shape::Plane | Shape::HeightField(_))
    }

    /// The distance at which sides repeat, for helicoids.
    pub(super) fn period(&self) -> Option<f64> {
        match self.shape {
            Shape::Helicoid { pitch } => Some(pitch.abs()),
            _ => None,
        }
    }

    /// A map of the chart to a plane without seams in which triangles may be made, for a section whose v lies in the
    /// middle at `middle`.
    pub(super) fn plan(&self, middle: f64) -> Plan<'_> {
        Plan { shape: &self.shape, middle }
    }
}

/// Where chart coordinates go in the plane in which a section is cut into triangles. It keeps angles, nearly, and
/// the sense of rotation seen from the positive side.
///
/// A cylinder is seen along its axis, so that what goes around it goes around the origin: no seam. On a helicoid the distance
/// from the axis goes to the right, and the way along the helix upwards.
#[derive(Clone, Copy, Debug)]
pub(super) struct Plan<'a> {
    shape: &'a Shape,
    middle: f64,
}

impl Plan<'_> {
    pub(super) fn place(self, [u, v]: [f64; 2]) -> DVec2 {
        match *self.shape {
            Shape::Plane | Shape::HeightField(_) => DVec2::new(u, v),
            Shape::Cylinder { radius } => {
                let distance = radius * libm::exp((self.middle - v) / radius);
                DVec2::new(distance * libm::cos(u), distance * libm::sin(u))
            }
            Shape::Helicoid { pitch } => DVec2::new(v, u * self.length_per_angle(pitch)),
        }
    }

    pub(super) fn chart(self, p: DVec2) -> [f64; 2] {
        match *self.shape {
            Shape::Plane | Shape::HeightField(_) => [p.x, p.y],
            Shape::Cylinder { radius } => {
                [angle(p.extend(0.0)), self.middle - radius * libm::log(p.length() / radius)]
            }
            Shape::Helicoid { pitch } => [p.y / self.length_per_angle(pitch), p.x],
        }
    }

    /// How many units of the plan one unit of the surface takes at a place.
    pub(super) fn stretch(self, p: DVec2) -> f64 {
        if let Shape::Cylinder { radius } = *self.shape { p.length() / radius } else { 1.0 }
    }

    /// Of a helix in the middle.
    fn length_per_angle(self, pitch: f64) -> f64 {
        DVec2::new(self.middle, pitch / TAU).length()
    }
}

impl HeightGrid {
    fn height(&self, u: f64, v: f64) -> f64 {
        let rows = self.heights.len() / self.columns;
        // Index of the point before, and how far it is from there to the next, on a rim that goes on.
        let place = |x: f64, corner: f64, count: usize| {
            let steps = ((x - corner) / self.cell).clamp(0.0, (count - 1) as f64);
            let before = (steps as usize).min(count.saturating_sub(2));
            (before, steps - before as f64)
        };
        let (i, s) = place(u, self.corner[0], self.columns);
        let (j, t) = place(v, self.corner[1], rows);
        let at = |i: usize, j: usize| self.heights[j.min(rows - 1) * self.columns + i.min(self.columns - 1)];
        let along = |j: usize| at(i, j) * (1.0 - s) + at(i + 1, j) * s;
        along(j) * (1.0 - t) + along(j + 1) * t
    }
}

impl Axes {
    fn new(origin: DVec3, up: DVec3, forward: DVec3) -> Result<Self, CutError> {
        for (what, value) in [("point", origin), ("normal or axis", up), ("forward", forward)] {
            if !value.is_finite() {
                return Err(CutError::NotFinite { what, value });
            }
        }
        // Scaled first, so that very long and very short vectors keep their directions.
        let unit = |v: DVec3| (v / v.abs().max_element()).try_normalize();
        let direction = |what, v| unit(v).ok_or(CutError::NoDirection { what, value: v });
        let up = direction("normal or axis", up)?;
        let towards = direction("forward", forward)?;
        let across = towards - up * up.dot(towards);
        if across.length() < 1e-9 {
            let what = "forward, seen along the normal or axis";
            return Err(CutError::NoDirection { what, value: forward });
        }
        let forward = across.normalize();
        Ok(Self { origin, forward, left: up.cross(forward), up })
    }

    fn local(&self, p: DVec3) -> DVec3 {
        let d = p - self.origin;
        DVec3::new(d.dot(self.forward), d.dot(self.left), d.dot(self.up))
    }

    fn world(&self, q: DVec3) -> DVec3 {
        self.origin + self.forward * q.x + self.left * q.y + self.up * q.z
    }
}

/// The angle of a point around z, from 0 to 2π.
fn angle(q: DVec3) -> f64 {
    let a = libm::atan2(q.y, q.x);
    if a < 0.0 { a + TAU } else { a }
}

/// Refuses a number for which a condition does not hold.
pub(super) fn require(what: &'static str, value: f64, holds: bool) -> Result<(), CutError> {
    if holds { Ok(()) } else { Err(CutError::BadNumber { what, value }) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn surfaces() -> Vec<CutSurface> {
        let (point, up, forward) =
            (DVec3::new(0.3, -0.2, 0.5), DVec3::new(1.0, 2.0, -0.5), DVec3::new(0.1, 1.0, 1.0));
        let heights = (0..12).map(|i| 0.05 * f64::from(i * i % 7)).collect();
        let grid = HeightGrid { corner: [-1.0, -1.0], cell: 0.7, columns: 4, heights };
        vec![
            CutSurface::plane(point, up, forward).unwrap(),
            CutSurface::cylinder(point, up, 0.8, forward).unwrap(),
            CutSurface::height_field(point, up, forward, grid).unwrap(),
            CutSurface::helicoid(point, up, 0.4, forward).unwrap(),
            CutSurface::helicoid(point, up, -0.4, forward).unwrap(),
        ]
    }

    #[test]
    fn charts_and_points_are_inverse_and_lie_on_the_surface() {
        for surface in surfaces() {
            for i in 0..200 {
                let u = 0.03 + 0.031 * f64::from(i);
                let v = 0.2 + 0.6 * f64::from(i % 13) / 13.0;
                let p = surface.point([u, v]);
                assert!(surface.side(p).abs() < 1e-12, "{surface:?} at {u}, {v}");
                let [a, b] = surface.chart(p);
                assert!((a - u).abs() < 1e-9 && (b - v).abs() < 1e-9, "{surface:?}: {a}, {b} for {u}, {v}");
                let plan = surface.plan(0.4);
                let [a, b] = plan.chart(plan.place([u, v]));
                assert!((a - u).abs() < 1e-9 && (b - v).abs() < 1e-9, "{plan:?}: {a}, {b} for {u}, {v}");
            }
        }
    }

    #[test]
    fn charts_and_plans_turn_left_seen_from_the_positive_side() {
        for surface in surfaces() {
            let (u, v, step) = (0.7, 0.35, 1e-5);
            let p = surface.point([u, v]);
            let along_u = surface.point([u + step, v]) - p;
            let along_v = surface.point([u, v + step]) - p;
            let plan = surface.plan(0.3);
            let o = plan.place([u, v]);
            let (x, y) = (plan.place([u + step, v]) - o, plan.place([u, v + step]) - o);
            let normal = along_u.cross(along_v) * x.perp_dot(y).signum();
            assert!(surface.side(p + 1e-3 * normal.normalize()) > 0.0, "{surface:?}");
            // Lengths in the plan are as long as they say, where the chart is not bent much.
            let ratio = x.length() / along_u.length() / plan.stretch(o);
            assert!((0.5..2.0).contains(&ratio), "{surface:?}: {ratio}");
        }
    }

    #[test]
    fn bad_numbers_are_named() {
        let (o, z, x) = (DVec3::ZERO, DVec3::Z, DVec3::X);
        let text = |result: Result<CutSurface, CutError>| result.unwrap_err().to_string();
        assert_eq!(text(CutSurface::plane(o, DVec3::ZERO, x)), "normal or axis (0, 0, 0) gives no direction");
        assert_eq!(
            text(CutSurface::plane(o, z, 2.0 * z)),
            "forward, seen along the normal or axis (0, 0, 2) gives no direction"
        );
        assert_eq!(text(CutSurface::plane(DVec3::NAN, z, x)), "point (NaN, NaN, NaN) is not finite");
        assert_eq!(text(CutSurface::cylinder(o, z, -1.0, x)), "radius -1 is out of range");
        assert_eq!(text(CutSurface::helicoid(o, z, 0.0, x)), "pitch 0 is out of range");
        let grid = |columns| HeightGrid { corner: [0.0; 2], cell: 1.0, columns, heights: vec![0.0; 5] };
        assert_eq!(text(CutSurface::height_field(o, z, x, grid(2))), "5 heights do not make rows of 2");
        assert!(CutSurface::height_field(o, z, x, grid(0)).is_err());
        assert!(CutSurface::height_field(o, z, x, grid(1)).is_ok());
        assert!(CutSurface::plane(o, 1e-300 * z, 1e300 * x).is_ok());
    }
}
