//! Which vertices have a fan of triangles that certainly do not meet each other, so that neighbours need no test.

use super::layer::Source;
use crate::pairs::{Fan, LANES, Steps};
use fearless_simd::prelude::*;
use fearless_simd::{Level, dispatch};
#[cfg(feature = "parallel")]
use rayon::prelude::*;

/// The triangles around every vertex of one mesh. Only the memory outlives a frame.
#[derive(Default)]
pub(super) struct Fans {
    /// How many triangles each vertex has; many more than fit if one of them may not take part.
    counts: Vec<u8>,
    fans: Vec<Fan>,
    /// Whether the triangles around a vertex meet in what they share only.
    flat: Vec<bool>,
}

/// Fans of so many vertices are looked at by one thread at a time.
const VERTICES_AT_A_TIME: usize = 4096;

impl Fans {
    /// Forgets all.
    pub(super) fn clear(&mut self) {
        self.flat.clear();
    }

    /// How many vertices have flat fans.
    pub(super) fn count(&self) -> usize {
        self.flat.iter().filter(|&&flat| flat).count()
    }

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
        self.judge_all(source, octaves, largest, steps, parts);
        for ((vertex, steps), _) in (0..).zip(steps).zip(&self.flat).filter(|(_, flat)| **flat) {
            steps[3] = vertex;
        }
    }

    fn judge_all(&mut self, source: &Source, octaves: &[u16], largest: u16, steps: &[Steps], parts: usize) {
        let vertices = source.positions.len();
        self.counts.clear();
        self.counts.resize(vertices, 0);
        self.fans.resize(vertices, Fan::EMPTY);
        self.flat.clear();
        self.flat.resize(vertices, false);
        let level = Level::new();
        #[cfg(feature = "parallel")]
        if parts > 1 {
            // Every thread reads all triangles and keeps what belongs to its own vertices: the order is the same.
            let share = vertices.div_ceil(parts).max(1);
            (self.counts.par_chunks_mut(share), self.fans.par_chunks_mut(share))
                .into_par_iter()
                .enumerate()
                .for_each(|(k, (counts, fans))| {
                    gather((k * share) as u32, source, octaves, largest, counts, fans);
                });
            (
                self.flat.par_chunks_mut(VERTICES_AT_A_TIME),
                self.counts.par_chunks(VERTICES_AT_A_TIME),
                self.fans.par_chunks(VERTICES_AT_A_TIME),
            )
                .into_par_iter()
                .enumerate()
                .for_each(|(k, (flat, counts, fans))| {
                    let first = (k * VERTICES_AT_A_TIME) as u32;
                    dispatch!(level, simd => judge(simd, first, steps, counts, fans, flat));
                });
            return;
        }
        let _ = (parts, VERTICES_AT_A_TIME);
        gather(0, source, octaves, largest, &mut self.counts, &mut self.fans);
        dispatch!(level, simd => judge(simd, 0, steps, &self.counts, &self.fans, &mut self.flat));
    }
}

/// Too many for a fan, however many more come.
const SPOILT: u8 = 100;

/// Lists the triangles around the vertices from `first` on.
fn gather(first: u32, source: &Source, octaves: &[u16], largest: u16, counts: &mut [u8], fans: &mut [Fan]) {
    let counts = &mut counts[..fans.len()];
    for (&[a, b, c], &octave) in source.triangles.iter().zip(octaves) {
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
