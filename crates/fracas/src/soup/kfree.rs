//! How crowded a set of triangles or polygons is: the smallest *k* for which it is *k*-free.
//!
//! Let d be the diameter of the smallest sphere around an element, and grow the element by d / 4 on all sides. The
//! element is *k*-free if fewer than *k* elements of at least its own size come into the grown one. A set is *k*-free if
//! all its elements are; then no triangle meets more than 3 *k* larger ones of the set (polygons: 7 *k*), and two such sets
//! of *n* triangles have at most 3 *n k* intersecting pairs, however they lie. [`KFree`] holds the smallest such *k* of
//! each element and of the set.
//!
//! ```text
//!           ╭───────────────╮
//!          ╱   ┌─────────┐   ╲        grown by d / 4
//!         │    │ element │    │  ◀── counts: comes in, and is not smaller
//!          ╲   └─────────┘   ╱
//!           ╰───────────────╯
//! ```
//!
//! # Departures from the paper
//!
//! - An element does not count itself, so the smallest *k* is the largest count plus one.
//! - Diameters that differ by less than a part in 10⁹ count as equal, so that congruent triangles count each other
//!   whichever way they are turned.
//! - Distances are computed in `f64` and rounded; an element that only just comes in may be missed.
//!
//! # Reference
//!
//! Definitions 3.1 and 3.2 of Weller, Debowski, Zachmann: *kDet: Parallel Constant Time Collision Detection for Polygonal
//! Objects*, Computer Graphics Forum, 2017.

use super::distance::{self, Element, Elements};
use super::order;
use super::sketch::{ALMOST, Hull, Lanes, Sketch, itself};
use crate::geom::{DVec3, round};
use crate::mesh::Mesh;
use crate::pairs::{LANES, bits};
use fearless_simd::prelude::*;
use fearless_simd::{dispatch, f32x8, i32x8, mask32x8};
use std::ops::Range;

/// The smallest *k* of each element of a set, and of the set.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct KFree {
    /// For each element, one more than the number of larger ones that come near it.
    pub k: Vec<u32>,
    /// For each element, how many of those share a vertex with it, by index.
    pub adjacent: Vec<u32>,
    /// Diameter of the smallest and the largest sphere around an element that is not a point; zero without any.
    pub diameters: [f64; 2],
}

impl KFree {
    /// Measures the triangles of a mesh (Definition 3.1), on all threads of the current rayon pool with the feature
    /// `parallel`.
    ///
    /// # Cost
    /// About proportional to the number of triangles and to the *k* found; a microsecond per triangle of an ordinary
    /// mesh.
    ///
    /// ```
    /// use fracas::mesh::shapes;
    /// use fracas::soup::KFree;
    /// let sphere = KFree::of_mesh(&shapes::icosphere(1.0, 4));
    /// assert!(sphere.minimal() < 30 && sphere.height() == 1);
    /// let worst = KFree::of_mesh(&shapes::chazelle(40));
    /// assert!(worst.minimal() > 40);
    /// ```
    #[must_use]
    pub fn of_mesh(mesh: &Mesh) -> Self {
        Self::of(&Elements::triangles(mesh.positions(), mesh.triangles()))
    }

    /// Measures polygons (Definition 3.2), given by the indices of their corners. Polygons count as the fans of
    /// triangles around their first corners.
    ///
    /// # Panics
    /// If a polygon has no corner, or one that is not there.
    ///
    /// ```
    /// use fracas::geom::DVec3;
    /// use fracas::soup::KFree;
    /// let corners = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0], [2.0, 0.0], [2.0, 1.0]];
    /// let corners = corners.map(|[x, y]| DVec3::new(x, y, 0.0));
    /// let squares = [vec![0, 1, 2, 3], vec![1, 4, 5, 2]];
    /// assert_eq!(KFree::of_polygons(&corners, &squares).k, [2, 2]);
    /// ```
    #[must_use]
    pub fn of_polygons(positions: &[DVec3], polygons: &[Vec<u32>]) -> Self {
        Self::of(&Elements::polygons(positions, polygons))
    }

    /// The smallest *k* for which the whole set is *k*-free: the largest of its elements'; 1 for an empty set.
    #[must_use]
    pub fn minimal(&self) -> u32 {
        self.k.iter().copied().max().unwrap_or(1)
    }

    /// The mean over all elements; 1 for an empty set.
    #[must_use]
    pub fn mean(&self) -> f64 {
        let sum: u64 = self.k.iter().map(|&k| u64::from(k)).sum();
        if self.k.is_empty() { 1.0 } else { sum as f64 / self.k.len() as f64 }
    }

    /// Levels that a hierarchy of grids needs, each twice as coarse as the one before, from the smallest element to
    /// the largest. Points need none.
    #[must_use]
    pub fn height(&self) -> u32 {
        let [smallest, largest] = self.diameters;
        if largest > 0.0 { 1 + (largest / smallest).log2().floor() as u32 } else { 0 }
    }

    fn of(elements: &Elements) -> Self {
        let list = elements.list();
        let crowd = Crowd::new(elements, &list);
        let mut counts = vec![[0_u32; 2]; list.len()];
        let level = fearless_simd::Level::new();
        let count = |places: &mut [[u32; 2]], first: usize| {
            let (mut near, mut done) = (Vec::new(), 0);
            while done < places.len() {
                let from = first + done;
                let same = |key: &&u64| **key == crowd.keys[from];
                let cell = crowd.keys[from..first + places.len()].iter().take_while(same).count();
                crowd.look_around(from..from + cell, &mut near);
                for start in (0..cell).step_by(LANES) {
                    let places = &mut places[done + start..done + cell.min(start + LANES)];
                    dispatch!(level, simd => crowd.count(simd, elements, from + start, &near, places));
                }
                done += cell;
            }
        };
        #[cfg(feature = "parallel")]
        {
            use rayon::prelude::*;
            counts.par_chunks_mut(1024).enumerate().for_each(|(k, places)| count(places, 1024 * k));
        }
        #[cfg(not(feature = "parallel"))]
        count(&mut counts, 0);
        let mut k = vec![1; list.len()];
        let mut adjacent = vec![0; list.len()];
        for (&item, [near, touching]) in crowd.order.iter().zip(counts) {
            k[item as usize] = near + 1;
            adjacent[item as usize] = touching;
        }
        let sizes = || list.iter().map(|e| e.diameter).filter(|&d| d > 0.0);
        let diameters = match sizes().reduce(f64::max) {
            Some(largest) => [sizes().fold(largest, f64::min), largest].map(|d| d / elements.scale()),
            None => [0.0; 2],
        };
        Self { k, adjacent, diameters }
    }
}

/// All elements, sorted by size and place.
struct Crowd {
    /// Elements by level, then by cell: their numbers and sizes, and the same as far as a first look needs it.
    order: Vec<u32>,
    sizes: Vec<Element>,
    /// The vertices of triangles, and where they are; polygons have none here.
    corners: Vec<[u32; 3]>,
    places: Vec<[DVec3; 3]>,
    sketches: Vec<Sketch>,
    keys: Vec<u64>,
    levels: Vec<Level>,
    /// Cells by key: key and where its elements begin; linear probing.
    cells: Vec<(u64, u32)>,
    /// For each of them what holds all its elements.
    bounds: Vec<Hull>,
    /// What holds the elements of every eight places of the order.
    blocks: Vec<Hull>,
    shift: u32,
}

/// What is looked for: all that reaches into a box and has at least this diameter.
struct Wanted {
    low: DVec3,
    high: DVec3,
    least: f64,
    /// What a [`Hull`] must not exceed if it holds such an element.
    limits: [f32; LANES],
}

/// Elements with diameters up to a power of two; their cells are twice as wide.
#[derive(Clone, Copy)]
struct Level {
    exponent: i32,
    width: f64,
    /// Where its elements are in the order.
    from: u32,
    to: u32,
}

/// Places in a cell are told apart to a fraction of its width, by this many bits for each axis.
const FINE_BITS: i32 = 3;

const FREE: u64 = u64::MAX;
const AXIS: u64 = (1 << 17) - 1;

/// Small levels are searched from end to end.
const FEW: u32 = 32;

impl Crowd {
    fn new(elements: &Elements, list: &[Element]) -> Self {
        // By cell, and by place in the cell, so that eight in a row are near each other.
        let tag = |(e, index): (&Element, u64)| {
            let exponent = exponent(e.diameter);
            let fine = place(e.middle(), width(exponent - FINE_BITS));
            let within = fine.map(|x| x as u64 & ((1 << FINE_BITS) - 1));
            (key(exponent, fine.map(|x| x >> FINE_BITS)), order::morton(within) << u32::BITS | index)
        };
        let mut tagged: Vec<(u64, u64)> = list.iter().zip(0..).map(tag).collect();
        tagged.sort_unstable();
        let (keys, order): (Vec<u64>, Vec<u32>) =
            tagged.into_iter().map(|(key, last)| (key, last as u32)).unzip();
        let mut levels: Vec<Level> = Vec::new();
        for (at, &item) in order.iter().enumerate() {
            let exponent = exponent(list[item as usize].diameter);
            match levels.last_mut() {
                Some(level) if level.exponent == exponent => level.to += 1,
                _ => levels.push(Level {
                    exponent,
                    width: width(exponent),
                    from: at as u32,
                    to: at as u32 + 1,
                }),
            }
        }
        let starts = (0..keys.len()).filter(|&at| at == 0 || keys[at] != keys[at - 1]);
        let size = (2 * starts.clone().count()).next_power_of_two().max(2);
        let shift = u64::BITS - size.trailing_zeros();
        let sizes: Vec<Element> = order.iter().map(|&item| list[item as usize]).collect();
        let sketches: Vec<Sketch> = sizes.iter().map(Sketch::new).collect();
        let mut cells = vec![(FREE, 0); size];
        let mut bounds = vec![Hull::EMPTY; size];
        for start in starts {
            let mut slot = (order::mix(keys[start]) >> shift) as usize;
            while cells[slot].0 != FREE {
                slot = (slot + 1) & (size - 1);
            }
            cells[slot] = (keys[start], start as u32);
            let same = |at: &usize| keys[*at] == keys[start];
            (start..keys.len()).take_while(same).for_each(|at| bounds[slot].add(&sketches[at]));
        }
        let hull = |eight: &[Sketch]| {
            let mut hull = Hull::EMPTY;
            eight.iter().for_each(|sketch| hull.add(sketch));
            hull
        };
        let blocks = sketches.chunks(LANES).map(hull).collect();
        let corners = elements.corners_of_triangles(&order);
        let places = corners.iter().map(|corners| elements.places(corners)).collect();
        Self { order, sizes, corners, places, sketches, keys, levels, cells, bounds, blocks, shift }
    }

    /// Elements in a cell, as a range of the order; none if no element may be near what is looked for.
    fn cell(&self, key: u64, wanted: &[f32; LANES]) -> Range<usize> {
        let mut slot = (order::mix(key) >> self.shift) as usize;
        loop {
            let (found, start) = self.cells[slot];
            if found == key {
                if !self.bounds[slot].may_hold(wanted) {
                    return 0..0;
                }
                let start = start as usize;
                return start..start + self.keys[start..].iter().take_while(|&&k| k == key).count();
            }
            if found == FREE {
                return 0..0;
            }
            slot = (slot + 1) & (self.cells.len() - 1);
        }
    }

    /// For up to eight elements from `first` on: how many larger elements come near, of those in the given ranges of the
    /// order, and how many of them share a vertex.
    #[inline(always)]
    fn count<S: Simd>(
        &self,
        simd: S,
        elements: &Elements,
        first: usize,
        near: &[Range<usize>],
        counts: &mut [[u32; 2]],
    ) {
        // Grown boxes side by side; those of unused lanes overlap nothing.
        let (mut low, mut high) = ([[f32::INFINITY; LANES]; 3], [[f32::NEG_INFINITY; LANES]; 3]);
        let mut least = [f32::INFINITY; LANES];
        for (lane, element) in self.sizes[first..first + counts.len()].iter().enumerate() {
            let (from, to) = element.grown();
            for axis in 0..3 {
                low[axis][lane] = round::down(from[axis]);
                high[axis][lane] = round::up(to[axis]);
            }
            least[lane] = round::down(ALMOST * element.diameter);
        }
        let load = |v: &[f32; LANES]| f32x8::load_array_ref(simd, v);
        let (low, high) =
            ([load(&low[0]), load(&low[1]), load(&low[2])], [load(&high[0]), load(&high[1]), load(&high[2])]);
        let least = load(&least);
        let (zero, one) = (i32x8::splat(simd, 0), i32x8::splat(simd, 1));
        let mut sum = zero;
        let lanes = first..first + counts.len();
        let lanes = Lanes::new(simd, &self.sizes[lanes.clone()], self.corners.get(lanes).unwrap_or(&[]));
        let limits = load(&[
            high[0].reduce_max(),
            high[1].reduce_max(),
            high[2].reduce_max(),
            -low[0].reduce_min(),
            -low[1].reduce_min(),
            -low[2].reduce_min(),
            -least.reduce_min(),
            f32::INFINITY,
        ]);
        for range in near.iter().filter(|range| !range.is_empty()) {
            let first_block = range.start / LANES;
            let hulls = &self.blocks[first_block..range.end.div_ceil(LANES)];
            for (block, hull) in (first_block..).zip(hulls) {
                if f32x8::load_array_ref(simd, &hull.0).simd_le(limits).to_bitmask() != 0xff {
                    continue;
                }
                let eight = range.start.max(LANES * block)..range.end.min(LANES * (block + 1));
                for (sketch, other) in self.sketches[eight.clone()].iter().zip(eight) {
                    let mut hits = least.simd_le(sketch.diameter);
                    for axis in 0..3 {
                        hits &= low[axis].simd_le(sketch.high[axis]) & high[axis].simd_ge(sketch.low[axis]);
                    }
                    let hits = hits.to_bitmask() as u32;
                    if hits == 0 {
                        continue;
                    }
                    let larger = hits & lanes.not_larger(self.sizes[other].diameter) & !itself(first, other);
                    // Most of them are neighbours, and no look at anything else is needed.
                    let touching = match self.corners.get(other) {
                        Some(corners) => larger & lanes.sharing(corners),
                        None => bits(larger)
                            .filter(|lane| {
                                elements.share_a_vertex(self.order[first + lane], self.order[other])
                            })
                            .fold(0, |mask, lane| mask | 1 << lane),
                    };
                    sum += mask32x8::from_bitmask(simd, u64::from(touching)).select(one, zero);
                    for lane in bits(larger & !touching) {
                        counts[lane][0] += u32::from(self.is_near(elements, first + lane, other));
                    }
                }
            }
        }
        for (count, touching) in counts.iter_mut().zip(sum.to_array()) {
            count[0] += touching as u32;
            count[1] = touching as u32;
        }
    }

    /// What may come near one of the elements in this range of the order.
    #[inline(always)]
    fn wanted(&self, range: Range<usize>) -> Wanted {
        let (mut low, mut high, mut least) = (DVec3::INFINITY, DVec3::NEG_INFINITY, f64::INFINITY);
        for e in &self.sizes[range] {
            let grown = e.grown();
            low = low.min(grown.0);
            high = high.max(grown.1);
            least = least.min(e.diameter);
        }
        let [[a, b, c], [d, e, f]] = [high.to_array().map(round::up), low.to_array().map(round::down)];
        let limits = [a, b, c, -d, -e, -f, -round::down(ALMOST * least), f32::INFINITY];
        Wanted { low, high, least, limits }
    }

    /// Whether the second of two elements, by their places in the order, comes near the first.
    fn is_near(&self, elements: &Elements, at: usize, other: usize) -> bool {
        let (element, e) = (&self.sizes[at], &self.sizes[other]);
        let (low, high) = element.grown();
        if (low.cmpgt(e.high) | high.cmplt(e.low)).any() {
            return false;
        }
        match (self.places.get(at), self.places.get(other)) {
            (Some(p), Some(q)) => distance::within(p, q, element.reach()),
            _ => elements.within(self.order[at], self.order[other], element.reach()),
        }
    }

    /// Lists all elements that may come near one of those in this range of the order, which share a cell.
    fn look_around(&self, cell: Range<usize>, near: &mut Vec<Range<usize>>) {
        near.clear();
        let Wanted { low, high, least, limits } = self.wanted(cell);
        // Almost as large will do.
        let finest = exponent(ALMOST * ALMOST * least);
        for level in self.levels.iter().filter(|level| level.exponent >= finest) {
            let width = level.width;
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
    ((exponent + 1000) as u64) << 51 | x << 34 | y << 17 | z
}
