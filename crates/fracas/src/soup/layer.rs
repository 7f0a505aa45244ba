//! Layers: the triangles of one level and one mesh; and the scales in which their coordinates are whole numbers.

use super::levels::Octave;
use crate::base::morton::AXIS_BITS;
use crate::base::parallel;
use crate::geom::{DVec3, Triangle};
use crate::pairs::{Steps, whole_steps};

/// Positions and triangles of a mesh, moved to where they are looked for.
#[derive(Clone, Copy, Default)]
pub(crate) struct Source<'a> {
    pub(crate) positions: &'a [DVec3],
    pub(crate) triangles: &'a [[u32; 3]],
}

impl Source<'_> {
    #[inline(always)]
    pub(super) fn triangle(&self, index: u32) -> Triangle {
        let [a, b, c] = self.triangles[index as usize];
        Triangle::new(self.positions[a as usize], self.positions[b as usize], self.positions[c as usize])
    }
}

/// Unit roundoff of `f32`.
pub(super) const U: f64 = 1.0 / (1 << 24) as f64;

/// Keys tell quarters of a level's unit apart, so that rows come out compact.
const FINE_BITS: u32 = 2;

/// Steps are this fine, unless the scene is too wide for it.
const STEPS_PER_UNIT: f64 = (1 << 22) as f64;

/// Up to so many steps from its base, `f64` rounds a position by less than a hundredth of a step.
const FARTHEST_STEP: f64 = (1_u64 << 45) as f64;

/// Differences of steps within a pair are at most this, so that they do not wrap around.
const LONGEST_DIFFERENCE: f64 = (1 << 30) as f64;

/// The triangles of one level and one mesh. Coordinates are in *units*: the size of the largest octave.
#[derive(Clone, Copy, Debug)]
pub(super) struct Layer {
    pub(super) mesh: usize,
    /// The unit is 2 to this power; `scale` is one over it.
    pub(super) exponent: i32,
    pub(super) scale: f64,
    /// Where the grid begins: whole units, so that subtraction is exact.
    pub(super) base: DVec3,
    /// Largest coordinate from `base` on.
    pub(super) span: f64,
    /// Which of the scales it belongs to.
    pub(super) scale_of_steps: u32,
    /// A key counts quanta of this many units; a cell is 2 to the power of `cell_bits` of them wide.
    pub(super) quantum: f64,
    pub(super) cell_bits: u32,
    pub(super) cells: [u32; 2],
    pub(super) count: u32,
    /// Units to a step of its scale, and what boxes in steps are padded by.
    pub(super) unit_of_steps: f32,
    pub(super) pad_of_steps: f32,
}

impl Layer {
    /// Width of a cell in units.
    #[inline(always)]
    pub(super) fn cell_width(&self) -> f64 {
        self.quantum * (1_u64 << self.cell_bits) as f64
    }

    /// What boxes are padded by, in units, so that they hold the true triangles.
    #[inline(always)]
    pub(super) fn pad(&self) -> f64 {
        8.0 * U * (self.span + 4.0)
    }

    pub(super) fn new(mesh: usize, exponent: i32, whole: &Octave) -> Self {
        let scale = power_of_two(-exponent);
        let (mut base, mut span) = (DVec3::ZERO, 1.0);
        if whole.count > 0 {
            base = (whole.low * scale).floor() - 1.0;
            span = (whole.high * scale - base).max_element() + 1.0;
        }
        // As fine as the keys can tell, and not finer than needed.
        let mut quantum = 1.0 / f64::from(1 << FINE_BITS);
        while span / quantum >= (1_u64 << AXIS_BITS) as f64 {
            quantum *= 2.0;
        }
        let mut layer = Self {
            mesh,
            exponent,
            scale,
            base,
            span,
            scale_of_steps: 0,
            quantum,
            cell_bits: 0,
            cells: [0; 2],
            count: whole.count,
            unit_of_steps: 0.0,
            pad_of_steps: 0.0,
        };
        layer.cell_bits = layer.least_cell_bits() + 1;
        layer
    }

    pub(super) fn join(&mut self, number: usize, scale: &Scale) {
        self.scale_of_steps = number as u32;
        self.unit_of_steps = (self.scale / scale.scale / scale.steps_per_unit) as f32;
        self.pad_of_steps = (self.pad() + 2.0 * f64::from(self.unit_of_steps)) as f32;
    }

    /// Cells are not smaller than a unit.
    pub(super) fn least_cell_bits(&self) -> u32 {
        (0..).take_while(|bits| self.quantum * ((1 << bits) as f64) < 1.0).count() as u32
    }
}

/// What a vertex carries whose triangles may meet.
pub(super) const NOT_FLAT: i32 = -1;

/// All vertices in steps that suit layers of similar size.
#[derive(Default)]
pub(super) struct Scale {
    /// A unit is that of its smallest layers; this is one over it.
    pub(super) scale: f64,
    /// Steps to a unit.
    pub(super) steps_per_unit: f64,
    base: DVec3,
    /// By how much the boxes of two triangles may miss each other that are compared nonetheless, in steps.
    pub(super) pad: f32,
    pub(super) steps: Vec<Steps>,
}

/// Layers share a scale if their units differ by no more than this power of two.
const OCTAVES_PER_SCALE: i32 = 7;

/// One thread takes so many vertices at a time.
pub(super) const VERTICES_AT_A_TIME: usize = 4096;

impl Scale {
    /// Chooses a scale for layers from `first` on; returns the first layer that it does not suit.
    pub(super) fn choose(&mut self, layers: &[Layer], first: usize) -> usize {
        let exponent = layers[first].exponent;
        let alike = |layer: &&Layer| layer.exponent <= exponent + OCTAVES_PER_SCALE;
        let end = first + layers[first..].iter().take_while(alike).count();
        // The box of all, in units of the finest.
        let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        for layer in layers[first..end].iter().filter(|layer| layer.count > 0) {
            let units = power_of_two(layer.exponent - exponent);
            low = low.min(layer.base * units);
            high = high.max((layer.base + layer.span) * units);
        }
        // Boxes of finer layers are padded too, as they are compared with ours.
        let padding = |layer: &Layer| layer.pad() * power_of_two((layer.exponent - exponent).max(-1000));
        let pad = 8.0 * layers[..end].iter().map(padding).fold(0.0, f64::max);
        let longest = 2.0 * power_of_two(OCTAVES_PER_SCALE) + pad;
        let mut steps = STEPS_PER_UNIT;
        while (high - low).max_element() * steps > FARTHEST_STEP || longest * steps > LONGEST_DIFFERENCE {
            steps *= 0.5;
        }
        self.scale = power_of_two(-exponent);
        self.base = low;
        self.steps_per_unit = steps;
        self.pad = (pad * steps) as f32 + 8.0;
        end
    }

    /// A point in units, rounded to steps.
    #[inline(always)]
    pub(super) fn round(&self, p: DVec3) -> [i32; 3] {
        let x = (p - self.base) * self.steps_per_unit;
        [whole_steps(x.x), whole_steps(x.y), whole_steps(x.z)]
    }

    /// Rounds all vertices to steps.
    pub(super) fn fill(&mut self, sources: &[Source], parallel: bool) {
        let mut all = std::mem::take(&mut self.steps);
        let count = sources.iter().map(|source| source.positions.len()).sum();
        parallel::resize(parallel, &mut all, count, [0; 4]);
        let mut rest = &mut all[..];
        for source in sources {
            let (part, later) = rest.split_at_mut(source.positions.len());
            rest = later;
            let chunks = part.chunks_mut(VERTICES_AT_A_TIME).zip(source.positions.chunks(VERTICES_AT_A_TIME));
            parallel::for_each(parallel, chunks, |(part, positions)| {
                for (to, &p) in part.iter_mut().zip(positions) {
                    let [x, y, z] = self.round(p * self.scale);
                    *to = [x, y, z, NOT_FLAT];
                }
            });
        }
        self.steps = all;
    }
}

/// 2ᵉ for −1074 ≤ e ≤ 1023, exactly.
pub(super) fn power_of_two(e: i32) -> f64 {
    let half = e / 2;
    f64::from_bits(((half + 1023) as u64) << 52) * f64::from_bits(((e - half + 1023) as u64) << 52)
}

/// From middles to keys.
#[derive(Debug)]
pub(super) struct ToKey {
    pub(super) scale: f64,
    /// Half a quantum more than where the layer begins, for [`below`].
    pub(super) base: DVec3,
    pub(super) prefix: u64,
    pub(super) cell_bits: u32,
}

/// The nearest whole number, not below 0: of x − ½ for x ≥ 0, the one below x, or one less. Adding 1.5 · 2⁵² leaves it at
/// the end of the mantissa.
#[inline(always)]
pub(super) fn below(x: f64) -> u64 {
    (x + 6_755_399_441_055_744.0).to_bits() & u64::from(u32::MAX)
}
