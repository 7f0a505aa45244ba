//! Plans as they are written down: without queues and places, and checked when they are read.

use super::block::Block;
use super::error::{KineticError, check_key_times, check_position, check_time, check_velocity};
use super::plan::{LINE, Line, Plans, Track, check_frames, check_vertex_count};
use crate::geom::DVec3;
use serde::{Deserialize, Serialize};

/// The plans of all vertices.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub(crate) struct PlansState {
    now: f64,
    vertices: Vec<VertexState>,
    blocks: Vec<BlockState>,
}

#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
enum VertexState {
    Line { from: f64, start: DVec3, velocity: DVec3 },
    Keys { block: u32, column: u32 },
}

/// Keys that several vertices share; see [`Block`].
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
struct BlockState {
    times: Vec<f64>,
    frames: Vec<Vec<DVec3>>,
    vertices: Option<Vec<u32>>,
}

impl From<&Plans> for PlansState {
    fn from(plans: &Plans) -> Self {
        let vertex = |&Track { block, column }: &Track| {
            if block == LINE {
                let Line { from, start, velocity } = plans.lines[column as usize];
                VertexState::Line { from, start, velocity }
            } else {
                VertexState::Keys { block, column }
            }
        };
        let block = |block: &Block| BlockState {
            times: block.times.clone(),
            frames: block.frames.clone(),
            vertices: block.vertices.clone(),
        };
        Self {
            now: plans.now,
            vertices: plans.tracks.iter().map(vertex).collect(),
            blocks: plans.blocks.iter().map(block).collect(),
        }
    }
}

impl PlansState {
    /// The plans that were written down.
    ///
    /// # Errors
    /// A sentence about the first thing that does not fit.
    pub(crate) fn restore(&self) -> Result<Plans, String> {
        let refused = |error: KineticError| error.to_string();
        check_time(self.now).map_err(refused)?;
        check_vertex_count(self.vertices.len()).map_err(refused)?;
        let mut plans = Plans::empty(self.now);
        let mut users = vec![0; self.blocks.len()];
        for (number, state) in (0_u32..).zip(&self.vertices) {
            let track = match state {
                VertexState::Line { from, start, velocity } => {
                    check_time(*from).map_err(refused)?;
                    check_position(number as usize, *start).map_err(refused)?;
                    check_velocity(number as usize, *velocity).map_err(refused)?;
                    plans.lines.push(Line { from: *from, start: *start, velocity: *velocity });
                    Track { block: LINE, column: plans.lines.len() as u32 - 1 }
                }
                &VertexState::Keys { block, column } => {
                    let is_there = |known: &&BlockState| known.fits(number, column);
                    self.blocks.get(block as usize).filter(is_there).ok_or_else(|| {
                        format!(
                            "vertex {number} follows column {column} of block {block}, which is not its own"
                        )
                    })?;
                    users[block as usize] += 1;
                    Track { block, column }
                }
            };
            plans.tracks.push(track);
        }
        for (state, users) in self.blocks.iter().zip(users) {
            plans.put_block(state.restore(self.now, users).map_err(refused)?);
        }
        plans.free_blocks = (0..)
            .zip(&plans.blocks)
            .filter(|(_, block)| block.users == 0)
            .map(|(number, _)| number)
            .collect();
        plans.validate()?;
        Ok(plans)
    }
}

impl BlockState {
    /// Whether a column belongs to a vertex.
    fn fits(&self, vertex: u32, column: u32) -> bool {
        let columns = self.frames.first().map_or(0, Vec::len);
        let owner = match &self.vertices {
            Some(vertices) => vertices.get(column as usize).copied(),
            None => Some(column),
        };
        (column as usize) < columns && owner == Some(vertex)
    }

    fn restore(&self, now: f64, users: usize) -> Result<Block, KineticError> {
        let Self { times, frames, vertices } = self.clone();
        if users > 0 {
            check_key_times(&times)?;
            let columns = frames.first().map_or(0, Vec::len);
            check_frames(&times, &frames, columns, |column| column)?;
        }
        Ok(if users > 0 {
            Block { users, ..Block::new(times, frames, vertices, now) }
        } else {
            Block::default()
        })
    }
}
