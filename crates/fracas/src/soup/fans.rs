//! Finds the vertices whose triangles certainly do not intersect each other, so that neighbours need no test.

use super::layer::{Source, VERTICES_AT_A_TIME};
use crate::base::parallel;
use crate::pairs::{Fan, LANES, Steps};
use fearless_simd::prelude::*;
use fearless_simd::{Level, dispatch};

/// The triangles around every vertex of one mesh. Only the memory outlives a frame.
#[derive(Default)]
pub(super) struct Fans {
    /// How many triangles each vertex has; many more than fit if one of them may not take part.
    counts: Vec<u8>,
    fans: Vec<Fan>,
    /// Whether the triangles around a vertex meet in what they share only.
    pub(super) flat: Vec<bool>,
}

impl Fans {
    /// Looks at all vertices of a mesh, given in steps, which carry their own number from then on if their fan is flat.
    /// Triangles larger than the octave `largest` are too large for these steps and spoil the fans that they are in.
    pub(super) fn find(
        &mut self,
        source: &Source,
        octaves: &[u16],
        largest: u16,
        steps: &mut [Steps],
        parts: usize,
    ) {
        let vertices = source.positions.len();
        self.counts.clear();
        self.counts.resize(vertices, 0);
        parallel::resize(parts > 1, &mut self.fans, vertices, Fan::EMPTY);
        self.flat.clear();
        self.flat.resize(vertices, false);
        // Every thread keeps what belongs to its own vertices, so that the order is the same. It reads all blocks of triangles
        // that have any.
        let blocks = || source.triangles.chunks(TRIANGLES_IN_A_BLOCK);
        let ends = |triangles: &[[u32; 3]]| {
            let vertices = triangles.as_flattened().iter();
            vertices.fold([u32::MAX, 0], |[least, most], &v| [least.min(v), most.max(v)])
        };
        let ends = if parts > 1 { parallel::map(true, blocks(), ends) } else { vec![] };
        let share = vertices.div_ceil(parts).max(1);
        let shares = self.counts.chunks_mut(share).zip(self.fans.chunks_mut(share)).enumerate();
        parallel::for_each(parts > 1, shares, |(k, (counts, fans))| {
            let (first, end) = ((k * share) as u32, (k * share + fans.len()) as u32);
            let blocks = blocks().zip(octaves.chunks(TRIANGLES_IN_A_BLOCK));
            for (block, (triangles, octaves)) in blocks.enumerate() {
                if ends.get(block).is_none_or(|ends| ends[0] < end && first <= ends[1]) {
                    gather(first, triangles, octaves, largest, counts, fans);
                }
            }
        });
        let level = Level::new();
        let chunks = self.flat.chunks_mut(VERTICES_AT_A_TIME).zip(self.counts.chunks(VERTICES_AT_A_TIME));
        let chunks = chunks.zip(self.fans.chunks(VERTICES_AT_A_TIME)).enumerate();
        parallel::for_each(parts > 1, chunks, |(k, ((flat, counts), fans))| {
            let first = (k * VERTICES_AT_A_TIME) as u32;
            dispatch!(level, simd => judge(simd, first, steps, counts, fans, flat));
        });
        let chunks = steps.chunks_mut(VERTICES_AT_A_TIME).zip(self.flat.chunks(VERTICES_AT_A_TIME));
        parallel::for_each(parts > 1, chunks.enumerate(), |(k, (steps, flat))| {
            for (vertex, (steps, &flat)) in (k * VERTICES_AT_A_TIME..).zip(steps.iter_mut().zip(flat)) {
                if flat {
                    steps[3] = vertex as i32;
                }
            }
        });
    }
}

/// Triangles whose smallest and largest vertices are noted together.
const TRIANGLES_IN_A_BLOCK: usize = 1024;

/// Too many for a fan, however many more come.
const SPOILT: u8 = 100;

/// Lists the triangles around the vertices from `first` on.
fn gather(
    first: u32,
    triangles: &[[u32; 3]],
    octaves: &[u16],
    largest: u16,
    counts: &mut [u8],
    fans: &mut [Fan],
) {
    let counts = &mut counts[..fans.len()];
    for (&[a, b, c], &octave) in triangles.iter().zip(octaves) {
        let more = if octave <= largest { 1 } else { SPOILT };
        for (vertex, ends) in [(a, [b, c]), (b, [c, a]), (c, [a, b])] {
            let at = vertex.wrapping_sub(first) as usize;
            if at < fans.len() {
                // Beyond eight the last ones are overwritten, which does no harm: the fan is too large anyway.
                let lane = usize::from(counts[at]) % LANES;
                fans[at].ends[0][lane] = ends[0];
                fans[at].ends[1][lane] = ends[1];
                counts[at] = counts[at].saturating_add(more);
            }
        }
    }
}

#[inline(always)]
fn judge<S: Simd>(simd: S, first: u32, steps: &[Steps], counts: &[u8], fans: &[Fan], flat: &mut [bool]) {
    for (((vertex, fan), &count), flat) in (first..).zip(fans).zip(counts).zip(flat) {
        *flat = fan.is_flat(simd, steps, vertex, usize::from(count));
    }
}
