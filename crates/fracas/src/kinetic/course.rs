//! Plans, with the piece that each vertex is on in one cache line.
//!
//! The structures compare two vertices at a time, in random order. Looking up their pieces in blocks touches five cache lines; a
//! row touches one.

use super::error::KineticError;
use super::options::Side;
use super::piece::{LARGEST_TIME, Path, Piece};
use super::plan::{Plan, Plans};
use crate::geom::DVec3;
use std::ops::{Deref, Range};

/// The piece that a vertex is on. It is a line if it has no end; a vertex that rests until its first key is on a chord of length zero.
#[derive(Clone, Copy, Debug)]
struct Row {
    start: [f64; 3],
    /// The velocity if this is a line.
    end: [f64; 3],
    from: f64,
    until: f64,
}

/// The plans of a body and the pieces that its vertices are on.
#[derive(Clone, Debug)]
pub(super) struct Course {
    plans: Plans,
    rows: Vec<Row>,
}

impl Deref for Course {
    type Target = Plans;

    #[inline]
    fn deref(&self) -> &Plans {
        &self.plans
    }
}

impl Course {
    pub(super) fn new(plans: Plans) -> Self {
        let mut course = Self { rows: Vec::with_capacity(plans.vertex_count()), plans };
        course.renew_all();
        course
    }

    /// One coordinate of the piece that a vertex is on, reflected if a minimum is meant.
    #[inline(always)]
    pub(super) fn path(&self, vertex: u32, side: Side) -> Path {
        let row = &self.rows[vertex as usize];
        let sign = if side & 1 == 0 { -1.0 } else { 1.0 };
        let (start, end) = (sign * row.start[side >> 1], sign * row.end[side >> 1]);
        Path { from: row.from, until: row.until, start, end, is_line: row.until == f64::INFINITY }
    }

    /// The same for the piece that comes `ahead` keys later.
    pub(super) fn later_path(&self, vertex: u32, side: Side, ahead: usize) -> Path {
        let path = Row::new(&self.plans.later_piece(vertex, ahead));
        let sign = if side & 1 == 0 { -1.0 } else { 1.0 };
        let (start, end) = (sign * path.start[side >> 1], sign * path.end[side >> 1]);
        Path { from: path.from, until: path.until, start, end, is_line: path.until == f64::INFINITY }
    }

    /// Moves on within the present pieces.
    #[inline]
    pub(super) fn wait_until(&mut self, time: f64) {
        self.plans.wait_until(time);
    }

    /// Passes all keys of the next instant. Lists the vertices that are on new pieces, or returns false if these are many.
    pub(super) fn pass_keys(&mut self, vertices: &mut Vec<u32>) -> bool {
        let few = self.plans.pass_keys(vertices);
        if few {
            vertices.iter().for_each(|&vertex| self.renew(vertex));
        } else {
            self.renew_all();
        }
        few
    }

    /// See [`Plans::change`].
    pub(super) fn change(&mut self, changes: &[(u32, Plan)]) -> Result<(), KineticError> {
        self.plans.change(changes)?;
        changes.iter().for_each(|&(vertex, _)| self.renew(vertex));
        Ok(())
    }

    /// See [`Plans::change_keyframes`].
    pub(super) fn change_keyframes(
        &mut self,
        vertices: &[u32],
        times: Vec<f64>,
        frames: Vec<Vec<DVec3>>,
    ) -> Result<(), KineticError> {
        self.plans.change_keyframes(vertices, times, frames)?;
        vertices.iter().for_each(|&vertex| self.renew(vertex));
        Ok(())
    }

    /// See [`Plans::insert_vertices`].
    pub(super) fn insert_vertices(&mut self, plans: &[Plan]) -> Result<Range<u32>, KineticError> {
        let added = self.plans.insert_vertices(plans)?;
        self.rows.extend(added.clone().map(|vertex| Row::new(&self.plans.later_piece(vertex, 0))));
        Ok(added)
    }

    fn renew(&mut self, vertex: u32) {
        self.rows[vertex as usize] = Row::new(&self.plans.later_piece(vertex, 0));
    }

    fn renew_all(&mut self) {
        self.rows.clear();
        let all = 0..self.plans.vertex_count() as u32;
        self.rows.extend(all.map(|vertex| Row::new(&self.plans.later_piece(vertex, 0))));
    }
}

impl Row {
    #[inline]
    fn new(piece: &Piece) -> Self {
        match *piece {
            Piece::Chord { from, until, start, end } => {
                Self { start: start.to_array(), end: end.to_array(), from, until }
            }
            Piece::Line { from, until: f64::INFINITY, start, velocity } => {
                Self { start: start.to_array(), end: velocity.to_array(), from, until: f64::INFINITY }
            }
            Piece::Line { until, start, .. } => {
                Self { start: start.to_array(), end: start.to_array(), from: -2.0 * LARGEST_TIME, until }
            }
        }
    }
}
