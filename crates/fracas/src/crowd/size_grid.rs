//! A hierarchy of grids over elements of all sizes, and the search for larger ones nearby.
//!
//! Elements with diameters up to a power of two are a level; its cells are twice as wide. An element looks for larger ones on
//! its own level and all coarser ones. Boxes are compared in `f32`, eight elements with one; what may be near is decided in
//! `f64`.

use super::elements::{self, AT_A_TIME, Element, Elements};
use super::sketch::{self, ALMOST, Hull, Lanes, Sketch};
use crate::base::{morton, parallel};
use crate::geom::{Box3, Boxes8, DVec3, round};
use crate::pairs::{LANES, bits};
use fearless_simd::prelude::*;
use fearless_simd::{Level, dispatch, f32x8, i32x8, mask32x8};
use std::ops::Range;

/// All elements, sorted by size and place.
pub(super) struct Crowd<'a> {
    elements: &'a Elements<'a>,
    /// Elements by level, then by cell: their numbers and sizes, and the same as far as a first look needs it.
    pub(super) order: Vec<u32>,
    sizes: Vec<Element>,
    /// The vertices of triangles, and where they are; polygons have none here.
    corners: Vec<[u32; 3]>,
    places: Vec<[DVec3; 3]>,
    sketches: Vec<Sketch>,
    keys: Vec<u64>,
    levels: Vec<SizeLevel>,
    /// Cells by key: key and where its elements begin; linear probing.
    cells: Vec<(u64, u32)>,
    /// For each of them what holds all its elements.
    bounds: Vec<Hull>,
    /// What holds the elements of every eight places of the order.
    blocks: Vec<Hull>,
    shift: u32,
}

/// Elements with diameters up to a power of two; their cells are twice as wide.
#[derive(Clone, Copy)]
struct SizeLevel {
    exponent: i32,
    /// Where its elements are in the order.
    from: u32,
    to: u32,
}

/// Places in a cell are told apart to a fraction of its width, by this many bits for each axis.
const FINE_BITS: i32 = 3;

/// Where in a key the exponent stands, and what is added to it.
const EXPONENT: u32 = 51;
const LEAST_EXPONENT: i32 = 1000;

const FREE: u64 = u64::MAX;
const AXIS: u64 = (1 << 17) - 1;

/// Small levels are searched from end to end.
const FEW: u32 = 32;

impl<'a> Crowd<'a> {
    pub(super) fn new(elements: &'a Elements<'a>, list: &[Element]) -> Self {
        // By cell, and by place in the cell, so that eight in a row are near each other.
        let tag = |(e, index): (&Element, u64)| {
            let exponent = exponent(e.diameter);
            let fine = place(e.bounds.centre(), width(exponent - FINE_BITS));
            let within = fine.map(|x| x as u64 & ((1 << FINE_BITS) - 1));
            (key(exponent, fine.map(|x| x >> FINE_BITS)), morton::encode(within) << u32::BITS | index)
        };
        let mut tagged = vec![(0, 0); list.len()];
        let chunks = tagged.chunks_mut(AT_A_TIME).zip(list.chunks(AT_A_TIME)).enumerate();
        parallel::for_each(true, chunks, |(k, (tagged, list))| {
            let first = (k * AT_A_TIME) as u64;
            tagged.iter_mut().zip(list.iter().zip(first..)).for_each(|(to, element)| *to = tag(element));
        });
        parallel::sort_unstable(true, &mut tagged);
        let mut keys = vec![0; list.len()];
        let mut order = vec![0; list.len()];
        let mut sizes = list.to_vec();
        let mut sketches = vec![Sketch::EMPTY; list.len()];
        let chunks = keys.chunks_mut(AT_A_TIME).zip(order.chunks_mut(AT_A_TIME));
        let chunks = chunks.zip(sizes.chunks_mut(AT_A_TIME).zip(sketches.chunks_mut(AT_A_TIME)));
        parallel::for_each(true, chunks.zip(tagged.chunks(AT_A_TIME)), |(lists, tagged)| {
            let ((keys, order), (sizes, sketches)) = lists;
            for (at, &(key, last)) in tagged.iter().enumerate() {
                let element = &list[last as u32 as usize];
                (keys[at], order[at]) = (key, last as u32);
                (sizes[at], sketches[at]) = (*element, Sketch::new(element));
            }
        });
        drop(tagged);
        let (cells, bounds, shift) = table(&keys, &sketches);
        let hulls = |sketches: &[Sketch]| sketches.chunks(LANES).map(Hull::of).collect::<Vec<_>>();
        let blocks = parallel::map(true, sketches.chunks(LANES * AT_A_TIME), hulls).concat();
        let corners = elements.corners_of_triangles(&order);
        let mut places = vec![[DVec3::ZERO; 3]; corners.len()];
        let chunks = places.chunks_mut(AT_A_TIME).zip(corners.chunks(AT_A_TIME));
        parallel::for_each(true, chunks, |(places, corners)| {
            let at = |corners: &[u32; 3]| corners.map(|vertex| elements.at(vertex));
            places.iter_mut().zip(corners).for_each(|(to, corners)| *to = at(corners));
        });
        let levels = levels(&keys);
        Self { elements, order, sizes, corners, places, sketches, keys, levels, cells, bounds, blocks, shift }
    }

    /// For elements from `first` on in this order: how many larger ones come near, and how many of those share a vertex.
    pub(super) fn count(&self, first: usize, counts: &mut [[u32; 2]]) {
        let level = Level::new();
        let keys = &self.keys[first..first + counts.len()];
        let (mut near, mut from) = (Vec::new(), 0);
        for cell in keys.chunk_by(|a, b| a == b) {
            let to = from + cell.len();
            self.look_around(first + from..first + to, &mut near);
            for (eight, counts) in (first + from..).step_by(LANES).zip(counts[from..to].chunks_mut(LANES)) {
                dispatch!(level, simd => self.count_eight(simd, eight, &near, counts));
            }
            from = to;
        }
    }

    /// Elements in a cell, as a range of the order; none if no element may be near what is looked for.
    fn cell(&self, key: u64, wanted: &[f32; LANES]) -> Range<usize> {
        let mut slot = (morton::hash(key) >> self.shift) as usize;
        while self.cells[slot].0 != key && self.cells[slot].0 != FREE {
            slot = (slot + 1) & (self.cells.len() - 1);
        }
        let (found, start) = (self.cells[slot].0, self.cells[slot].1 as usize);
        if found == FREE || !self.bounds[slot].may_hold(wanted) {
            return 0..0;
        }
        start..start + self.keys[start..].iter().take_while(|&&k| k == key).count()
    }

    /// For up to eight elements from `first` on: how many larger elements come near, of those in the given ranges of the
    /// order, and how many of them share a vertex.
    #[inline(always)]
    fn count_eight<S: Simd>(&self, simd: S, first: usize, near: &[Range<usize>], counts: &mut [[u32; 2]]) {
        // Grown boxes side by side; those of unused lanes overlap nothing.
        let mut grown = Boxes8::EMPTY;
        let mut least = [f32::INFINITY; LANES];
        for (lane, element) in self.sizes[first..first + counts.len()].iter().enumerate() {
            let (low, high) = element.grown().corners();
            grown.set(lane, low.to_array().map(round::down), high.to_array().map(round::up));
            least[lane] = round::down(ALMOST * element.diameter);
        }
        let least = f32x8::load_array_ref(simd, &least);
        let (zero, one) = (i32x8::splat(simd, 0), i32x8::splat(simd, 1));
        let mut sum = zero;
        let lanes = first..first + counts.len();
        let lanes = Lanes::new(simd, &self.sizes[lanes.clone()], self.corners.get(lanes).unwrap_or(&[]));
        let limits = f32x8::load_array(simd, sketch::limits(grown.bounds(simd), least.reduce_min()));
        for range in near.iter().filter(|range| !range.is_empty()) {
            let first_block = range.start / LANES;
            let hulls = &self.blocks[first_block..range.end.div_ceil(LANES)];
            for (block, hull) in (first_block..).zip(hulls) {
                if f32x8::load_array_ref(simd, &hull.0).simd_le(limits).to_bitmask() != 0xff {
                    continue;
                }
                let eight = range.start.max(LANES * block)..range.end.min(LANES * (block + 1));
                for (sketch, other) in self.sketches[eight.clone()].iter().zip(eight) {
                    let hits = grown.overlapping(simd, sketch.low, sketch.high)
                        & least.simd_le(sketch.diameter).to_bitmask() as u32;
                    if hits == 0 {
                        continue;
                    }
                    let itself = 1 << other.wrapping_sub(first).min(31);
                    let larger = hits & lanes.not_larger(self.sizes[other].diameter) & !itself;
                    // Most of them are neighbours, and no look at anything else is needed.
                    let touching = match self.corners.get(other) {
                        Some(corners) => larger & lanes.sharing(corners),
                        None => bits(larger)
                            .filter(|lane| {
                                self.elements.share_a_vertex(self.order[first + lane], self.order[other])
                            })
                            .map(|lane| 1 << lane)
                            .sum(),
                    };
                    sum += mask32x8::from_bitmask(simd, u64::from(touching)).select(one, zero);
                    for lane in bits(larger & !touching) {
                        counts[lane][0] += u32::from(self.is_near(first + lane, other));
                    }
                }
            }
        }
        for (count, touching) in counts.iter_mut().zip(sum.to_array()) {
            count[0] += touching as u32;
            count[1] = touching as u32;
        }
    }

    /// Whether the second of two elements, by their places in the order, comes near the first.
    fn is_near(&self, at: usize, other: usize) -> bool {
        let (element, e) = (&self.sizes[at], &self.sizes[other]);
        element.grown().overlaps(&e.bounds)
            && match (self.places.get(at), self.places.get(other)) {
                (Some(p), Some(q)) => elements::within(p, q, element.reach()),
                _ => self.elements.within(self.order[at], self.order[other], element.reach()),
            }
    }

    /// Lists all elements that may come near one of those in this range of the order, which share a cell.
    fn look_around(&self, cell: Range<usize>, near: &mut Vec<Range<usize>>) {
        near.clear();
        let elements = &self.sizes[cell];
        let all = elements.iter().fold(Box3::EMPTY, |all, element| all.union(&element.grown()));
        let least = elements.iter().map(|element| element.diameter).fold(f64::INFINITY, f64::min);
        let (low, high) = all.corners();
        let bounds = (low.to_array().map(round::down), high.to_array().map(round::up));
        let limits = sketch::limits(bounds, round::down(ALMOST * least));
        // Almost as large will do.
        let finest = exponent(ALMOST * ALMOST * least);
        for level in self.levels.iter().filter(|level| level.exponent >= finest) {
            let width = width(level.exponent);
            // Middles are at most a quarter of a width from the rest of their elements.
            let from = place(low - 0.251 * width, width);
            let to = place(high + 0.251 * width, width);
            let cells: f64 = (0..3).map(|axis| (to[axis] - from[axis] + 1) as f64).product();
            if level.to - level.from <= FEW || cells > f64::from(level.to - level.from) {
                near.push(level.from as usize..level.to as usize);
                continue;
            }
            for z in from[2]..=to[2] {
                for y in from[1]..=to[1] {
                    for x in from[0]..=to[0] {
                        let range = self.cell(self::key(level.exponent, [x, y, z]), &limits);
                        if !range.is_empty() {
                            near.push(range);
                        }
                    }
                }
            }
        }
    }
}

/// The levels in a list of sorted keys, in which the exponent stands above the rest.
fn levels(keys: &[u64]) -> Vec<SizeLevel> {
    let mut levels = Vec::new();
    let mut from = 0;
    while from < keys.len() {
        let level = keys[from] >> EXPONENT;
        let to = from + keys[from..].partition_point(|key| key >> EXPONENT == level);
        levels.push(SizeLevel { exponent: level as i32 - LEAST_EXPONENT, from: from as u32, to: to as u32 });
        from = to;
    }
    levels
}

/// Finds where the elements of each cell begin and what holds them all, by key; also how keys are hashed.
fn table(keys: &[u64], sketches: &[Sketch]) -> (Vec<(u64, u32)>, Vec<Hull>, u32) {
    let found = parallel::map(true, (0..keys.len()).step_by(AT_A_TIME), |from| {
        let to = keys.len().min(from + AT_A_TIME);
        let starts = (from..to).filter(|&at| at == 0 || keys[at] != keys[at - 1]);
        let cell = |start: usize| {
            let count = keys[start..].iter().take_while(|&&key| key == keys[start]).count();
            (start, Hull::of(&sketches[start..start + count]))
        };
        starts.map(cell).collect::<Vec<_>>()
    });
    let count: usize = found.iter().map(Vec::len).sum();
    let size = (2 * count).next_power_of_two().max(2);
    let shift = u64::BITS - size.trailing_zeros();
    let mut cells = vec![(FREE, 0); size];
    let mut bounds = vec![Hull::EMPTY; size];
    for (start, hull) in found.into_iter().flatten() {
        let mut slot = (morton::hash(keys[start]) >> shift) as usize;
        while cells[slot].0 != FREE {
            slot = (slot + 1) & (size - 1);
        }
        cells[slot] = (keys[start], start as u32);
        bounds[slot] = hull;
    }
    (cells, bounds, shift)
}

/// The exponent of the smallest power of two above the diameter.
fn exponent(diameter: f64) -> i32 {
    (((diameter.to_bits() >> 52) as i32) - 1022).max(-900)
}

fn width(exponent: i32) -> f64 {
    2f64.powi(exponent + 1)
}

/// The cell of a point. Points that are far away share cells with near ones.
fn place(p: DVec3, width: f64) -> [i64; 3] {
    // Elements lie in the unit box, so that only points have cells beyond the range.
    (p / width).floor().to_array().map(|x| x as i64)
}

fn key(exponent: i32, place: [i64; 3]) -> u64 {
    let [x, y, z] = place.map(|x| x as u64 & AXIS);
    ((exponent + LEAST_EXPONENT) as u64) << EXPONENT | x << 34 | y << 17 | z
}
