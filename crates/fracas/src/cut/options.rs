//! How to cut: along which coordinate the front advances, how far, and how fine.

use super::chart::require;
use super::section::Section;
use super::{CutError, CutSurface};
use crate::geom::{Box3, DVec3};
use crate::mesh::LiveMesh;

/// The chart coordinate along which a front advances.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Front {
    /// Forward on planes and height fields, around cylinders, along the turns of helicoids.
    #[default]
    U,
    /// To the left on planes and height fields, along the axis of cylinders, away from the axis of helicoids.
    V,
}

impl Front {
    pub(super) fn of(self, [u, v]: [f64; 2]) -> f64 {
        match self {
            Self::U => u,
            Self::V => v,
        }
    }
}

/// How to cut.
#[derive(Clone, Debug, PartialEq)]
pub struct CutOptions {
    /// The chart coordinate along which the front advances.
    pub front: Front,
    /// Where the front begins to cut; what lies before stays whole. In units of the front's coordinate; −∞ for everything.
    pub start: f64,
    /// Where the front ends to cut; what lies behind stays whole. +∞ for everything.
    pub end: f64,
    /// Edge length of crack triangles beside the surface of the body, by that of the triangles that are cut. 0.05 or more.
    pub spacing: f64,
    /// How much longer the edges of crack triangles become per unit of distance from the surface of the body. 0.1 or
    /// more; infinite for no points inside at all.
    pub growth: f64,
    /// How near to a vertex its edges may be cut, as a share of its shortest edge. From 0 to 0.25. The cut is bent
    /// away from a vertex that it would pass more closely. With 0, triangles without area may come out.
    pub clearance: f64,
}

impl Default for CutOptions {
    fn default() -> Self {
        Self {
            front: Front::U,
            start: f64::NEG_INFINITY,
            end: f64::INFINITY,
            spacing: 1.0,
            growth: 1.5,
            clearance: 1e-3,
        }
    }
}

impl CutOptions {
    pub(super) fn check(&self) -> Result<(), CutError> {
        check_density(self.spacing, self.growth)?;
        require("clearance", self.clearance, (0.0..=0.25).contains(&self.clearance))?;
        require("start", self.start, !self.start.is_nan())?;
        require("end", self.end, self.end >= self.start)
    }

    /// The section, of the whole mesh or, for helicoids, of the range of the front and a little more.
    pub(super) fn section(&self, mesh: &LiveMesh, surface: &CutSurface) -> Result<Section, CutError> {
        check_turns(mesh, surface)?;
        let everything = self.start == f64::NEG_INFINITY && self.end == f64::INFINITY;
        let Some(period) = surface.period().filter(|_| !everything) else {
            return Section::of(mesh, surface, self.clearance, None);
        };
        let within = |margin: f64| {
            move |p: DVec3| {
                let at = self.front.of(surface.chart(p));
                // Edges that pass the axis jump from side to side and are cut nowhere.
                surface.side(p).abs() < 0.1 * period && at >= self.start - margin && at <= self.end + margin
            }
        };
        let exact = Section::of(mesh, surface, self.clearance, Some(&within(0.0)))?;
        // Some triangles more on both ends, so that the front never comes to the end of the sheet.
        let length = MARGIN * self.spacing.max(1.0) * exact.edge_length(mesh);
        let radius = exact.points.iter().map(|p| surface.chart(p.position)[1]).fold(f64::INFINITY, f64::min);
        let margin = match self.front {
            Front::U => length / radius.max(f64::MIN_POSITIVE),
            Front::V => length,
        };
        Section::of(mesh, surface, self.clearance, Some(&within(margin)))
    }
}

/// A helicoid may wind through a body so many times.
const MOST_TURNS: f64 = 1e5;

/// Refuses helicoids with so many turns that cutting would not end. Triangles would have to be smaller than the pitch anyway.
fn check_turns(mesh: &LiveMesh, surface: &CutSurface) -> Result<(), CutError> {
    let Some(pitch) = surface.period() else { return Ok(()) };
    let corners = mesh.live_triangles().flat_map(|id| mesh.corners(id));
    let extent = Box3::from_points(corners.map(|v| mesh.positions()[v as usize])).extent().max_element();
    let turns = extent / pitch;
    if turns.is_nan() || turns > MOST_TURNS {
        return Err(CutError::TooManyTurns { pitch, turns, most: MOST_TURNS });
    }
    Ok(())
}

/// How far beyond the range of the front a helicoid's section is known, in edge lengths.
const MARGIN: f64 = 4.0;

/// Refuses crack triangles so small that there would be no end of them.
pub(super) fn check_density(spacing: f64, growth: f64) -> Result<(), CutError> {
    require("spacing", spacing, spacing >= 0.05 && spacing.is_finite())?;
    require("growth", growth, growth >= 0.1)
}
