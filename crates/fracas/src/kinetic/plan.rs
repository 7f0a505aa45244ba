//! Flight plans: where each vertex of a body is going.
//!
//! A plan is a chain of linear pieces: one endless piece for a constant velocity, or one piece between each two keys. A vertex
//! rests before its first and after its last key. Any subset of vertices may get new plans at any time.
//!
//! # Idea
//!
//! Vertices that share the times of their keys share a *block*: one frame of positions per key, as the user gave it. The usual
//! body is one block. A plan with constant velocity is a *line*.
//!
//! ```text
//!   vertex      0   1   2   3   4            block 0, times 0.0 0.5 1.0
//!   block       0   0   –   0   1              frames  [p p p p]  [p p p p]  [p p p p]
//!   column      0   1   0   3   0            block 1, times 0.2 0.9 …
//!                       └ line 0
//! ```
//!
//! # Invariants (checked by [`Plans::validate`])
//!
//! The times of a block increase; `passed` counts its keys up to now; the queue holds the next key of each block that a vertex
//! follows. All values are within the limits of [`super::piece`], so no position overflows.
//!
//! # Departures from the paper
//!
//! The paper also mentions algebraic plans, for physically based motion. They are left out: nothing in the paper computes their
//! events. Approximate them by keys.
//!
//! # Reference
//!
//! G. Zachmann, R. Weller, *Kinetic bounding volume hierarchies for collision detection of deformable objects*, Technical
//! Report IfI-06-02, TU Clausthal, 2006, §3 and §8.

use super::block::{Block, own_keys};
use super::error::{
    KineticError, check_advance, check_key_times, check_position, check_time, check_velocity,
};
use super::piece::Piece;
use super::queue::EventQueue;
use crate::geom::DVec3;
use std::ops::Range;

/// In place of a block: the vertex follows a line.
pub(super) const LINE: u32 = u32::MAX;
/// More vertices could not be named.
const MOST_VERTICES: usize = (u32::MAX - 1) as usize;

/// A new plan for one vertex.
#[derive(Clone, Debug, PartialEq)]
pub enum Plan {
    /// Go on from the present position with this velocity. Zero: stop.
    Velocity(DVec3),
    /// Go to a position at once, and on from there with this velocity.
    Line {
        /// The position now.
        position: DVec3,
        /// Distance per unit of time.
        velocity: DVec3,
    },
    /// Pass through keys. If the first one lies in the future, the vertex moves there from its present position; a vertex without
    /// one waits there. If the first one lies in the past, the vertex is at once where the keys put it.
    Keys {
        /// Increasing times.
        times: Vec<f64>,
        /// One position for each time.
        positions: Vec<DVec3>,
    },
}

/// The flight plans of all vertices of a body, and the present time.
///
/// ```
/// use fracas::geom::DVec3;
/// use fracas::kinetic::{Plan, Plans};
/// // Two vertices, three keys: one frame of positions per key.
/// let frames = vec![vec![DVec3::ZERO, DVec3::Y], vec![DVec3::X, DVec3::Y], vec![DVec3::X, DVec3::Z]];
/// let mut plans = Plans::keyframes(vec![0.0, 1.0, 3.0], frames).unwrap();
/// assert_eq!(plans.at(0, 0.25), DVec3::X / 4.0);
/// plans.advance_to(2.0).unwrap();
/// // From now on, vertex 0 falls.
/// plans.change(&[(0, Plan::Velocity(-DVec3::Z))]).unwrap();
/// assert_eq!(plans.at(0, 4.0), DVec3::new(1.0, 0.0, -2.0));
/// assert_eq!((plans.at(1, 4.0), plans.next_key_after(2.0)), (DVec3::Z, Some(3.0)));
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct Plans {
    pub(super) now: f64,
    pub(super) tracks: Vec<Track>,
    pub(super) lines: Vec<Line>,
    free_lines: Vec<u32>,
    pub(super) blocks: Vec<Block>,
    pub(super) free_blocks: Vec<u32>,
    /// By block: its next key.
    pub(super) keys: EventQueue,
}

/// Where the plan of a vertex is: a column of a block, or a line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Track {
    pub(super) block: u32,
    pub(super) column: u32,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Line {
    pub(super) from: f64,
    pub(super) start: DVec3,
    pub(super) velocity: DVec3,
}

impl Plans {
    /// Vertices that move from these positions with constant velocities, from time `now` on.
    ///
    /// # Errors
    /// Values that are not finite or too large, or a number of velocities other than that of positions.
    pub fn moving(now: f64, positions: &[DVec3], velocities: &[DVec3]) -> Result<Self, KineticError> {
        check_time(now)?;
        let (expected, given) = (positions.len(), velocities.len());
        if expected != given {
            return Err(KineticError::WrongVertexCount { key: 0, expected, given });
        }
        let mut plans = Self::empty(now);
        let pairs = positions.iter().zip(velocities);
        let plan = |(&position, &velocity): (&DVec3, &DVec3)| Plan::Line { position, velocity };
        plans.insert_vertices(&pairs.map(plan).collect::<Vec<_>>())?;
        Ok(plans)
    }

    /// Vertices that pass through one frame of positions at each time. Time begins at the first key.
    ///
    /// The frames are kept as they are: nothing is copied.
    ///
    /// # Errors
    /// No keys, times that do not increase, frames of different lengths, or values that are not finite or too large.
    pub fn keyframes(times: Vec<f64>, frames: Vec<Vec<DVec3>>) -> Result<Self, KineticError> {
        check_key_times(&times)?;
        let vertices = frames.first().map_or(0, Vec::len);
        check_vertex_count(vertices)?;
        check_frames(&times, &frames, vertices, |column| column)?;
        let mut plans = Self::empty(times[0]);
        plans.tracks = (0..vertices as u32).map(|column| Track { block: 0, column }).collect();
        plans.put_block(Block::new(times, frames, None, plans.now));
        Ok(plans)
    }

    pub(super) fn empty(now: f64) -> Self {
        Self {
            now,
            tracks: Vec::new(),
            lines: Vec::new(),
            free_lines: Vec::new(),
            blocks: Vec::new(),
            free_blocks: Vec::new(),
            keys: EventQueue::default(),
        }
    }

    /// The present time.
    #[inline]
    #[must_use]
    pub fn now(&self) -> f64 {
        self.now
    }

    /// Number of vertices.
    #[inline]
    #[must_use]
    pub fn vertex_count(&self) -> usize {
        self.tracks.len()
    }

    /// The linear piece of a vertex's plan that is valid at a time; at a key, the one that begins there. Panics if there is no
    /// such vertex.
    ///
    /// Times before the last change of the plan get the continuation of the new plan backwards, not the past.
    #[must_use]
    pub fn interval(&self, vertex: u32, time: f64) -> Piece {
        let Track { block, column } = self.tracks[vertex as usize];
        if block == LINE {
            self.lines[column as usize].piece()
        } else {
            let block = &self.blocks[block as usize];
            block.piece(block.passed_at(time), column)
        }
    }

    /// The position of a vertex at a time: [`Piece::at`] of [`Plans::interval`]. Panics if there is no such vertex.
    #[inline]
    #[must_use]
    pub fn at(&self, vertex: u32, time: f64) -> DVec3 {
        self.interval(vertex, time).at(time)
    }

    /// Writes the positions of all vertices at a time, bit for bit those of [`Plans::at`].
    pub fn positions_at(&self, time: f64, positions: &mut Vec<DVec3>) {
        positions.clear();
        match self.blocks.first() {
            Some(block) if block.users == self.tracks.len() && block.vertices.is_none() => {
                block.positions_at(time, positions);
            }
            _ => positions.extend((0..self.tracks.len() as u32).map(|vertex| self.at(vertex, time))),
        }
    }

    /// The positions of all vertices at a time, if they are those of one key.
    pub(super) fn frame_at(&self, time: f64) -> Option<&[DVec3]> {
        let block = self.blocks.first()?;
        let is_whole = block.users == self.tracks.len() && block.vertices.is_none();
        is_whole.then(|| block.frame_at(time)).flatten()
    }

    /// The time of the first key after a time, over all vertices. Costs a search in the times of each block.
    #[must_use]
    pub fn next_key_after(&self, time: f64) -> Option<f64> {
        let used = self.blocks.iter().filter(|block| block.users > 0);
        let next = used.filter_map(|block| block.times.get(block.passed_at(time)).copied());
        next.min_by(f64::total_cmp)
    }

    /// The largest speed of a vertex that has no keys.
    pub(super) fn largest_endless_speed(&self) -> f64 {
        let lines = self.tracks.iter().filter(|track| track.block == LINE);
        lines.map(|track| self.lines[track.column as usize].velocity.length()).fold(0.0, f64::max)
    }

    /// Lets time pass.
    ///
    /// # Errors
    /// A time before the present one, NaN, or beyond the limit.
    pub fn advance_to(&mut self, time: f64) -> Result<(), KineticError> {
        check_advance(self.now, time)?;
        while self.next_key().is_some_and(|key| key <= time) {
            self.pass_key();
        }
        self.now = time;
        Ok(())
    }

    /// Gives new plans to some vertices, from now on.
    ///
    /// # Errors
    /// A vertex that is not there or is named twice, keys that do not increase, or values that are not finite or too large.
    ///
    /// # Cost
    /// *O(m log m)* for *m* vertices. Each plan with keys is a block of its own; vertices that share the times of their keys
    /// need less memory with [`Plans::change_keyframes`].
    pub fn change(&mut self, changes: &[(u32, Plan)]) -> Result<(), KineticError> {
        self.check_vertices(changes.iter().map(|change| change.0))?;
        for (vertex, plan) in changes {
            check_plan(*vertex as usize, plan)?;
        }
        for (vertex, plan) in changes {
            let position = self.at(*vertex, self.now);
            self.release(*vertex);
            self.tracks[*vertex as usize] = self.put_plan(*vertex, Some(position), plan);
        }
        Ok(())
    }

    /// Gives some vertices new plans through the same keys: `frames[k][i]` is where `vertices[i]` is at `times[k]`.
    ///
    /// If the first key lies in the future, the vertices move there from their present positions.
    ///
    /// # Errors
    /// As for [`Plans::change`], and frames whose length is not the number of vertices.
    pub fn change_keyframes(
        &mut self,
        vertices: &[u32],
        mut times: Vec<f64>,
        mut frames: Vec<Vec<DVec3>>,
    ) -> Result<(), KineticError> {
        self.check_vertices(vertices.iter().copied())?;
        check_key_times(&times)?;
        check_frames(&times, &frames, vertices.len(), |column| vertices[column] as usize)?;
        if times[0] > self.now {
            times.insert(0, self.now);
            frames.insert(0, vertices.iter().map(|&vertex| self.at(vertex, self.now)).collect());
        }
        if vertices.is_empty() {
            return Ok(());
        }
        vertices.iter().for_each(|&vertex| self.release(vertex));
        let block = self.put_block(Block::new(times, frames, Some(vertices.to_vec()), self.now));
        for (column, &vertex) in vertices.iter().enumerate() {
            self.tracks[vertex as usize] = Track { block, column: column as u32 };
        }
        Ok(())
    }

    /// Adds vertices and returns their indices, which continue after the last.
    ///
    /// # Errors
    /// As for [`Plans::change`], and a [`Plan::Velocity`], since a new vertex has no position to go on from.
    pub fn insert_vertices(&mut self, plans: &[Plan]) -> Result<Range<u32>, KineticError> {
        let first = self.tracks.len();
        check_vertex_count(first + plans.len())?;
        for (vertex, plan) in (first..).zip(plans) {
            if matches!(plan, Plan::Velocity(_)) {
                return Err(KineticError::NoPosition { vertex });
            }
            check_plan(vertex, plan)?;
        }
        for (vertex, plan) in (first as u32..).zip(plans) {
            let track = self.put_plan(vertex, None, plan);
            self.tracks.push(track);
        }
        Ok(first as u32..self.tracks.len() as u32)
    }

    /// Checks the invariants; the first violation as a sentence.
    pub fn validate(&self) -> Result<(), String> {
        self.keys.validate()?;
        let mut users = vec![0; self.blocks.len()];
        for (vertex, track) in self.tracks.iter().enumerate().filter(|(_, track)| track.block != LINE) {
            users[track.block as usize] += 1;
            if self.blocks[track.block as usize].vertex(track.column) != vertex as u32 {
                return Err(format!("column {} is not that of vertex {vertex}", track.column));
            }
        }
        for (number, block) in self.blocks.iter().enumerate() {
            if block.users != users[number] {
                return Err(format!("block {number} counts {} of {} vertices", block.users, users[number]));
            }
            let next = block.times.get(block.passed).copied().filter(|_| block.users > 0);
            if self.keys.time_of(number as u32) != next || next.is_some_and(|next| next < self.now) {
                return Err(format!("the next key of block {number} should be at {next:?}"));
            }
        }
        Ok(())
    }

    /// The piece that comes `ahead` keys after the one that a vertex is on. Between a key's time and its passing, the vertex is on the
    /// piece before it.
    #[inline]
    pub(super) fn later_piece(&self, vertex: u32, ahead: usize) -> Piece {
        let Track { block, column } = self.tracks[vertex as usize];
        if block == LINE {
            self.lines[column as usize].piece()
        } else {
            let block = &self.blocks[block as usize];
            block.piece(block.passed + ahead, column)
        }
    }

    fn check_vertices(&self, vertices: impl Iterator<Item = u32>) -> Result<(), KineticError> {
        let mut sorted: Vec<u32> = vertices.collect();
        let count = self.tracks.len();
        if let Some(&vertex) = sorted.iter().find(|&&vertex| vertex as usize >= count) {
            return Err(KineticError::NoSuchVertex { vertex, vertices: count });
        }
        sorted.sort_unstable();
        match sorted.windows(2).find(|pair| pair[0] == pair[1]) {
            Some(pair) => Err(KineticError::VertexTwice { vertex: pair[0] }),
            None => Ok(()),
        }
    }

    fn put_plan(&mut self, vertex: u32, present: Option<DVec3>, plan: &Plan) -> Track {
        let (start, velocity) = match *plan {
            Plan::Velocity(velocity) => (present.unwrap_or_default(), velocity),
            Plan::Line { position, velocity } => (position, velocity),
            Plan::Keys { ref times, ref positions } => {
                let (times, frames) = own_keys(self.now, present, times, positions);
                let block = self.put_block(Block::new(times, frames, Some(vec![vertex]), self.now));
                return Track { block, column: 0 };
            }
        };
        let line = Line { from: self.now, start, velocity };
        Track { block: LINE, column: put(&mut self.lines, &mut self.free_lines, line) }
    }

    pub(super) fn put_block(&mut self, block: Block) -> u32 {
        let next = block.times.get(block.passed).copied();
        let number = put(&mut self.blocks, &mut self.free_blocks, block);
        self.keys.grow(self.blocks.len());
        self.keys.set(number, next.filter(|_| self.blocks[number as usize].users > 0));
        number
    }

    fn release(&mut self, vertex: u32) {
        let Track { block, column } = self.tracks[vertex as usize];
        if block == LINE {
            self.free_lines.push(column);
            return;
        }
        self.blocks[block as usize].users -= 1;
        if self.blocks[block as usize].users == 0 {
            self.blocks[block as usize] = Block::default();
            self.free_blocks.push(block);
            self.keys.set(block, None);
        }
    }
}

impl Line {
    #[inline]
    fn piece(&self) -> Piece {
        Piece::Line { from: self.from, until: f64::INFINITY, start: self.start, velocity: self.velocity }
    }
}

/// Puts an item in a free place of a list, or at its end.
fn put<T>(list: &mut Vec<T>, free: &mut Vec<u32>, item: T) -> u32 {
    if let Some(place) = free.pop() {
        list[place as usize] = item;
        return place;
    }
    list.push(item);
    (list.len() - 1) as u32
}

pub(super) fn check_vertex_count(count: usize) -> Result<(), KineticError> {
    if count > MOST_VERTICES { Err(KineticError::TooMany { what: "vertices", count }) } else { Ok(()) }
}

fn check_plan(vertex: usize, plan: &Plan) -> Result<(), KineticError> {
    match plan {
        Plan::Velocity(velocity) => check_velocity(vertex, *velocity),
        Plan::Line { position, velocity } => {
            check_position(vertex, *position)?;
            check_velocity(vertex, *velocity)
        }
        Plan::Keys { times, positions } => {
            check_key_times(times)?;
            if times.len() != positions.len() {
                return Err(KineticError::WrongKeyCount { times: times.len(), positions: positions.len() });
            }
            positions.iter().try_for_each(|&position| check_position(vertex, position))
        }
    }
}

pub(super) fn check_frames(
    times: &[f64],
    frames: &[Vec<DVec3>],
    expected: usize,
    vertex: impl Fn(usize) -> usize,
) -> Result<(), KineticError> {
    if times.len() != frames.len() {
        return Err(KineticError::WrongKeyCount { times: times.len(), positions: frames.len() });
    }
    for (key, frame) in frames.iter().enumerate() {
        if frame.len() != expected {
            return Err(KineticError::WrongVertexCount { key, expected, given: frame.len() });
        }
        for (column, &position) in frame.iter().enumerate() {
            check_position(vertex(column), position)?;
        }
    }
    Ok(())
}
