//! The sheet of triangles along which a cut will part a body, before it does.
//!
//! # Idea
//!
//! The outlines of the section are filled with triangles once, when the cut begins. A step of the cut then only has
//! to *open* some of them: an open triangle becomes two faces of the body, one for each side. All that is left is
//! bookkeeping by index, and no step can fail for reasons of geometry.
//!
//! The first points of the sheet are the cut points of the section, in their order; points inside follow.

use super::fill::{Density, Filling, fill};
use super::section::{NONE, Section};
use super::{CutError, CutOptions, CutSurface, Front};
use crate::base::Lists;
use crate::geom::DVec3;
use glam::DVec2;

/// Beyond this edge the sheet goes on, in a part that is never opened.
pub(super) const UNCUT: u32 = NONE - 1;

/// Triangles that fill a section.
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
    /// Fills a section; for an open mesh, `edge_length` is `None` and there is nothing to fill.
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
            let Filling { points, triangles } = fill(&outline, &loops, &density);
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

    /// The triangles around a point.
    pub(super) fn star(&self, point: u32) -> &[u32] {
        self.stars.list(point as usize)
    }

    /// Whichever of two points the front passes first.
    pub(super) fn first_passed(&self, a: u32, b: u32) -> u32 {
        let key = |p: u32| self.passed_at[p as usize];
        if key(a).total_cmp(&key(b)).then(a.cmp(&b)).is_le() { a } else { b }
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
        let mut after = vec![usize::MAX; paths.len()];
        for (at, high) in [(options.start, false), (options.end, true)] {
            let mut here: Vec<(f64, usize, bool)> = vec![];
            for (i, path) in paths.iter().enumerate() {
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
                    [(_, from, true), (_, to, false)] | [(_, to, false), (_, from, true)] => after[from] = to,
                    _ => return Err(CutError::NoCleanEnd { at }),
                }
            }
        }
        let mut loops = vec![];
        let mut seen = vec![false; paths.len()];
        for start in 0..paths.len() {
            let (mut ring, mut at) = (vec![], start);
            while !seen[at] {
                seen[at] = true;
                ring.extend_from_slice(&paths[at]);
                at = after[at];
            }
            // Two points enclose nothing: the cut only touches the range.
            if ring.len() > 2 {
                loops.push(ring);
            }
        }
        Ok(loops)
    }

    fn connect(&mut self, section: &Section) {
        let corners = (0..).zip(&self.triangles).flat_map(|(t, corners)| corners.map(|p| (p, t)));
        self.stars = Lists::from_pairs(self.positions.len(), corners);
        let mut on_surface = vec![NONE; section.points.len()];
        for crossed in &section.crossed {
            if let Some([from, to]) = crossed.segment() {
                on_surface[from as usize] = to;
            }
        }
        let across = |corners: [u32; 3], k: usize| {
            let (from, to) = (corners[k], corners[(k + 1) % 3]);
            let back = |t: &&u32| {
                let other = self.triangles[**t as usize];
                (0..3).any(|j| other[j] == to && other[(j + 1) % 3] == from)
            };
            match self.star(from).iter().find(back) {
                Some(t) => *t,
                None if on_surface.get(from as usize) == Some(&to) => NONE,
                None => UNCUT,
            }
        };
        self.across = self.triangles.iter().map(|&t| [0, 1, 2].map(|k| across(t, k))).collect();
    }
}
