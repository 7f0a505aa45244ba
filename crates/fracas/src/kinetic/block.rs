//! Keys that several vertices share: times, and one frame of positions for each.

use super::piece::{Piece, between};
use crate::geom::DVec3;

#[derive(Clone, Debug, Default)]
pub(super) struct Block {
    /// Increasing.
    pub(super) times: Vec<f64>,
    /// By key, then by column.
    pub(super) frames: Vec<Vec<DVec3>>,
    /// By column; if absent, each column is that of the vertex of the same number.
    pub(super) vertices: Option<Vec<u32>>,
    /// How many vertices follow the block.
    pub(super) users: usize,
    /// How many keys have been passed.
    pub(super) passed: usize,
}

impl Block {
    /// Keys for vertices that all follow them.
    pub(super) fn new(
        times: Vec<f64>,
        frames: Vec<Vec<DVec3>>,
        vertices: Option<Vec<u32>>,
        now: f64,
    ) -> Self {
        let users = frames.first().map_or(0, Vec::len);
        let passed = times.partition_point(|&time| time <= now);
        Self { times, frames, vertices, users, passed }
    }

    pub(super) fn columns(&self) -> usize {
        self.frames.first().map_or(0, Vec::len)
    }

    pub(super) fn vertex(&self, column: u32) -> u32 {
        self.vertices.as_ref().map_or(column, |vertices| vertices[column as usize])
    }

    /// How many keys lie at or before a time.
    #[inline]
    pub(super) fn passed_at(&self, time: f64) -> usize {
        let here = self.passed;
        let begun = here == 0 || self.times[here - 1] <= time;
        if begun && self.times.get(here).is_none_or(|&next| time < next) {
            return here;
        }
        self.times.partition_point(|&key| key <= time)
    }

    /// The piece of a column after `passed` keys: at rest before the first and after the last.
    #[inline]
    pub(super) fn piece(&self, passed: usize, column: u32) -> Piece {
        let column = column as usize;
        let keys = self.times.len();
        if (1..keys).contains(&passed) {
            Piece::Chord {
                from: self.times[passed - 1],
                until: self.times[passed],
                start: self.frames[passed - 1][column],
                end: self.frames[passed][column],
            }
        } else {
            let rest = if passed == 0 { 0 } else { keys - 1 };
            Piece::Line {
                from: self.times[rest],
                until: if passed == 0 { self.times[0] } else { f64::INFINITY },
                start: self.frames[rest][column],
                velocity: DVec3::ZERO,
            }
        }
    }

    /// The positions of all columns at a key, or at rest before the first and after the last one.
    pub(super) fn frame_at(&self, time: f64) -> Option<&[DVec3]> {
        let passed = self.passed_at(time);
        let is_still = !(1..self.times.len()).contains(&passed) || self.times[passed - 1] == time;
        is_still.then(|| &self.frames[passed.saturating_sub(1).min(self.times.len() - 1)][..])
    }

    /// Appends the positions of all columns.
    pub(super) fn positions_at(&self, time: f64, positions: &mut Vec<DVec3>) {
        if let Some(frame) = self.frame_at(time) {
            positions.extend_from_slice(frame);
            return;
        }
        let passed = self.passed_at(time);
        let (from, until) = (self.times[passed - 1], self.times[passed]);
        let fraction = (time - from) / (until - from);
        let ends = self.frames[passed - 1].iter().zip(&self.frames[passed]);
        positions.extend(ends.map(|(&start, &end)| between(start, end, fraction)));
    }
}

/// The keys of one vertex: from its present position, if it has one and the first key lies in the future.
pub(super) fn own_keys(
    now: f64,
    present: Option<DVec3>,
    times: &[f64],
    positions: &[DVec3],
) -> (Vec<f64>, Vec<Vec<DVec3>>) {
    let present = present.filter(|_| times[0] > now);
    let times = present.map(|_| now).into_iter().chain(times.iter().copied()).collect();
    let frames =
        present.into_iter().chain(positions.iter().copied()).map(|position| vec![position]).collect();
    (times, frames)
}
