//! The sheet: the triangles along which a cut will part a body.
//!
//! # Idea
//!
//! The outlines of the section are triangulated once, when the cut begins. A step of the cut then only *opens* some of the
//! triangles: an open triangle becomes two faces of the body, one for each side. Steps work with indices alone, so none can
//! fail for reasons of geometry.
//!
//! The first points of the sheet are the cut points of the section, in their order; points inside follow.

use super::section::{NONE, Section, chains, sides};
use super::triangulate::{Density, Interior, triangulate};
use super::{CutError, CutOptions, CutSurface, Front};
use crate::base::Lists;
use crate::geom::DVec3;
use glam::DVec2;
use std::cmp::Ordering;

/// Beyond this edge the sheet goes on, but is never opened.
pub(super) const UNCUT: u32 = NONE - 1;

/// The triangulation of a section.
#[derive(Clone, Debug, Default)]
pub(super) struct Sheet {
    pub(super) positions: Vec<DVec3>,
    /// When the front passes each point.
    pub(super) passed_at: Vec<f64>,
    /// Counter-clockwise seen from above: as the face of the part below.
    pub(super) triangles: Vec<[u32; 3]>,
    /// The triangle across the side from each corner to the next; [`NONE`] on the surface of the body, or [`UNCUT`].
    pub(super) across: Vec<[u32; 3]>,
    /// Points of an edge to [`UNCUT`].
    pub(super) is_held: Vec<bool>,
    /// By point: the triangles around it.
    stars: Lists<u32>,
}

impl Sheet {
    /// Triangulates a section; for an open mesh, `edge_length` is `None` and there are no triangles.
    pub(super) fn of(
        section: &Section,
        surface: &CutSurface,
        options: &CutOptions,
        edge_length: Option<f64>,
    ) -> Result<Self, CutError> {
        let charts: Vec<[f64; 2]> = section.points.iter().map(|p| surface.chart(p.position)).collect();
        let mut sheet = Self {
            positions: section.points.iter().map(|p| p.position).collect(),
            passed_at: charts.iter().map(|&chart| options.front.of(chart)).collect(),
            is_held: vec![false; charts.len()],
            ..Self::default()
        };
        if let Some(edge_length) = edge_length {
            let mut loops = section.loops.clone();
            if !section.paths.is_empty() {
                loops.extend(sheet.closed_paths(section, &charts, options)?);
            }
            let (low, high) = charts
                .iter()
                .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), c| (low.min(c[1]), high.max(c[1])));
            let plan = surface.plan(0.5 * (low + high));
            let outline: Vec<DVec2> = charts.iter().map(|&chart| plan.place(chart)).collect();
            let edge = |p: DVec2| options.spacing * edge_length * plan.stretch(p);
            let density = Density { edge: &edge, growth: options.growth };
            let Interior { points, triangles } = triangulate(&outline, &loops, &density);
            for p in points {
                let chart = plan.chart(p);
                sheet.positions.push(surface.point(chart));
                sheet.passed_at.push(options.front.of(chart));
                sheet.is_held.push(false);
            }
            sheet.triangles = triangles;
        }
        sheet.connect(section);
        Ok(sheet)
    }

    pub(super) fn star(&self, point: u32) -> &[u32] {
        self.stars.list(point as usize)
    }

    /// The order in which the front passes points.
    pub(super) fn by_passing(&self, a: u32, b: u32) -> Ordering {
        self.passed_at[a as usize].total_cmp(&self.passed_at[b as usize]).then(a.cmp(&b))
    }

    /// Joins paths that end where the range of the front ends. On each of its ends, the ends of paths pair up in the order
    /// of the other chart coordinate: between the two of a pair the cut runs inside the body.
    fn closed_paths(
        &mut self,
        section: &Section,
        charts: &[[f64; 2]],
        options: &CutOptions,
    ) -> Result<Vec<Vec<u32>>, CutError> {
        let paths = &section.paths;
        let ends = |path: &[u32]| [path[0], path[path.len() - 1]];
        let other = |point: u32| charts[point as usize][usize::from(options.front == Front::U)];
        let middle = 0.5 * (options.start.max(-1e300) + options.end.min(1e300));
        let mut after = vec![NONE; paths.len()];
        for (at, high) in [(options.start, false), (options.end, true)] {
            let mut here: Vec<(f64, u32, bool)> = vec![];
            for (i, path) in (0..).zip(paths) {
                for (point, is_last) in ends(path).into_iter().zip([false, true]) {
                    if (self.passed_at[point as usize] > middle) == high {
                        here.push((other(point), i, is_last));
                        self.is_held[point as usize] = true;
                    }
                }
            }
            here.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            for pair in here.chunks(2) {
                match *pair {
                    [(_, from, true), (_, to, false)] | [(_, to, false), (_, from, true)] => {
                        after[from as usize] = to;
                    }
                    _ => return Err(CutError::NoCleanEnd { at }),
                }
            }
        }
        let joined = chains(&after, 0..paths.len() as u32, &mut vec![false; paths.len()]);
        let points = |ring: Vec<u32>| ring.iter().flat_map(|&i| &paths[i as usize]).copied().collect();
        // Two points enclose nothing: the cut only touches the range.
        Ok(joined.into_iter().map(points).filter(|ring: &Vec<u32>| ring.len() > 2).collect())
    }

    fn connect(&mut self, section: &Section) {
        let corners = (0..).zip(&self.triangles).flat_map(|(t, corners)| corners.map(|p| (p, t)));
        self.stars = Lists::from_pairs(self.positions.len(), corners);
        let on_surface = section.successors();
        let across = |[from, to]: [u32; 2]| {
            let back = |t: &&u32| sides(self.triangles[**t as usize]).contains(&[to, from]);
            match self.star(from).iter().find(back) {
                Some(t) => *t,
                None if on_surface.get(from as usize) == Some(&to) => NONE,
                None => UNCUT,
            }
        };
        self.across = self.triangles.iter().map(|&corners| sides(corners).map(across)).collect();
    }
}
