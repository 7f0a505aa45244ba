//! Where to divide a set of triangles in two.
//!
//! All rules cut at a multiple of eight triangles, so that leaves come out full (very large sets are cut elsewhere, in `large`). The surface-area rule bins the
//! box centres along the three axes (Wald, "On fast construction of SAH-based bounding volume hierarchies",
//! 2007), but counts in rows of eight: a part of nine triangles costs as much as one of sixteen.

use crate::geom::DVec3;
use crate::pairs::{Frame, LANES};
use glam::Vec4;

/// How a build divides a set of triangles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SplitRule {
    /// By the surface-area heuristic: the fastest queries.
    #[default]
    SurfaceArea,
    /// Into halves of equal count along the longest axis: the shallowest tree.
    Median,
    /// In the middle of the longest axis: the baseline of the papers, deep where triangles crowd.
    Midpoint,
}

/// A triangle while the tree is built: its box, with the triangle id in the bits of `low.w` and what a build knows of its normal
/// in those of `high.w`.
///
/// The fourth lane takes no part in any comparison; it rides along so that an item is two vectors.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Item {
    pub(crate) low: Vec4,
    pub(crate) high: Vec4,
}

impl Item {
    /// The box of a triangle in frame coordinates. The frame keeps order, so the box may be taken before it.
    #[inline]
    pub(crate) fn new(frame: &Frame, [a, b, c]: [DVec3; 3], triangle: u32) -> Self {
        let (low, high) = (frame.map(a.min(b).min(c)), frame.map(a.max(b).max(c)));
        Self {
            low: Vec4::new(low[0], low[1], low[2], f32::from_bits(triangle)),
            high: Vec4::new(high[0], high[1], high[2], 0.0),
        }
    }

    #[inline]
    pub(crate) fn triangle(&self) -> u32 {
        self.low.w.to_bits()
    }

    /// Gives the item another number instead of the triangle's id.
    #[inline]
    pub(super) fn rename(&mut self, number: u32) {
        self.low.w = f32::from_bits(number);
    }

    /// The same item with a note of where its normal points.
    #[inline]
    pub(super) fn with_bearing(mut self, bearing: u32) -> Self {
        self.high.w = f32::from_bits(bearing);
        self
    }

    /// The note of where the normal points.
    #[inline]
    pub(super) fn bearing(&self) -> u32 {
        self.high.w.to_bits()
    }

    /// Twice the middle of the box.
    #[inline]
    pub(crate) fn centre(&self) -> Vec4 {
        (self.low + self.high).with_w(0.0)
    }
}

/// The box of a set and the box of its doubled centres.
#[derive(Clone, Copy)]
pub(crate) struct Extent {
    low: Vec4,
    high: Vec4,
    centres: Centres,
}

/// The box of the doubled centres of a set.
#[derive(Clone, Copy)]
pub(super) struct Centres {
    low: Vec4,
    high: Vec4,
}

impl Centres {
    pub(super) const EMPTY: Self = Self { low: EMPTY_BOX.0, high: EMPTY_BOX.1 };

    /// Makes room for one more item.
    #[inline]
    pub(super) fn add(&mut self, item: &Item) {
        let centre = item.low + item.high;
        *self = Self { low: self.low.min(centre), high: self.high.max(centre) };
    }

    /// Makes room for all items of another set.
    #[inline]
    pub(super) fn join(&mut self, other: &Self) {
        *self = Self { low: self.low.min(other.low), high: self.high.max(other.high) };
    }
}

impl Extent {
    pub(super) const EMPTY: Self = Self { low: EMPTY_BOX.0, high: EMPTY_BOX.1, centres: Centres::EMPTY };

    pub(super) fn new((low, high): (Vec4, Vec4), centres: Centres) -> Self {
        Self { low, high, centres }
    }

    pub(crate) fn of(items: &[Item]) -> Self {
        let Self { mut low, mut high, mut centres } = Self::EMPTY;
        for item in items {
            low = low.min(item.low);
            high = high.max(item.high);
            centres.add(item);
        }
        Self { low, high, centres }
    }

    /// Makes room for all items of another set.
    pub(super) fn join(&mut self, other: &Self) {
        self.low = self.low.min(other.low);
        self.high = self.high.max(other.high);
        self.centres.join(&other.centres);
    }

    /// Bins over the centres along an axis.
    fn binning(&self, axis: usize, bins: usize) -> Binning {
        Binning::over(axis, self.centres.low[axis], self.centres.high[axis], bins)
    }

    /// Bins over the centres along the axis in which they reach farthest; `None` if all are in one place.
    pub(super) fn longest_binning(&self) -> Option<Binning> {
        let binning = self.binning(self.longest_centre_axis(), BINS);
        (binning.scale > 0.0).then_some(binning)
    }

    /// The box of the set; last lanes mean nothing.
    pub(crate) fn bounds(&self) -> (Vec4, Vec4) {
        (self.low, self.high)
    }

    /// Half the surface area of the box.
    pub(super) fn half_area(&self) -> f32 {
        half_area(self.low, self.high)
    }

    pub(crate) fn longest_centre_axis(&self) -> usize {
        (self.centres.high - self.centres.low).truncate().max_position()
    }
}

const EMPTY_BOX: (Vec4, Vec4) = (Vec4::INFINITY, Vec4::NEG_INFINITY);

#[inline]
pub(crate) fn half_area(low: Vec4, high: Vec4) -> f32 {
    let e = (high - low).max(Vec4::ZERO);
    e.x * e.y + e.y * e.z + e.z * e.x
}

/// Reorders the items and returns how many belong to the first part: a multiple of eight, neither part empty.
/// There must be more than eight items.
pub(super) fn split(items: &mut [Item], extent: &Extent, rule: SplitRule) -> usize {
    debug_assert!(items.len() > LANES);
    let axis = extent.longest_centre_axis();
    let middle = 0.5 * (extent.centres.low[axis] + extent.centres.high[axis]);
    let below = match rule {
        SplitRule::SurfaceArea => return split_by_area(items, extent),
        SplitRule::Median => 0,
        SplitRule::Midpoint => items.iter().filter(|item| item.centre()[axis] < middle).count(),
    };
    // With all centres in one place there is no middle; halves keep the tree shallow.
    let below = if below == 0 { items.len() / 2 } else { below };
    cut(items, axis, whole_rows(below, items.len()))
}

/// The multiple of eight nearest to `count` that leaves both parts non-empty.
pub(super) fn whole_rows(count: usize, total: usize) -> usize {
    let most = (total - 1) / LANES * LANES;
    ((count + LANES / 2) / LANES * LANES).clamp(LANES, most)
}

/// Moves the `count` items with the lowest centres along an axis to the front; ties go by triangle id.
pub(crate) fn cut(items: &mut [Item], axis: usize, count: usize) -> usize {
    items.select_nth_unstable_by(count, |p, q| {
        p.centre()[axis].total_cmp(&q.centre()[axis]).then(p.triangle().cmp(&q.triangle()))
    });
    count
}

/// Bins per axis for large sets; small ones get fewer.
pub(crate) const BINS: usize = 16;

/// Sets up to this size are binned along all three axes; larger ones along the longest alone, where the choice of the
/// axis matters little and the time much.
const THREE_AXES: usize = 512;

#[derive(Clone, Copy)]
pub(crate) struct Bin {
    pub(crate) low: Vec4,
    pub(crate) high: Vec4,
    pub(crate) count: u32,
}

impl Bin {
    pub(crate) const EMPTY: Self = Self { low: EMPTY_BOX.0, high: EMPTY_BOX.1, count: 0 };

    #[inline]
    pub(crate) fn add(&mut self, low: Vec4, high: Vec4, count: u32) {
        self.low = self.low.min(low);
        self.high = self.high.max(high);
        self.count += count;
    }

    /// Cost of visiting what the bin holds: area times rows.
    #[inline]
    pub(super) fn cost(&self) -> f32 {
        half_area(self.low, self.high) * self.count.div_ceil(LANES as u32) as f32
    }
}

/// The integer nearest to a small number, in the last bits of what is returned: a sum alone, where a conversion would look
/// at everything that can go wrong.
#[inline]
pub(crate) fn nearest_integer(x: f32) -> u32 {
    (x + (3 << 22) as f32).to_bits()
}

/// The map from centres to bins along one axis.
#[derive(Clone, Copy)]
pub(crate) struct Binning {
    axis: usize,
    origin: f32,
    pub(crate) scale: f32,
    pub(crate) last: usize,
}

impl Binning {
    /// Bins of equal width between two coordinates of doubled centres.
    pub(crate) fn over(axis: usize, low: f32, high: f32, bins: usize) -> Self {
        let size = high - low;
        // Just below the number of bins, so that the last centre falls into the last bin.
        let scale = if size > 0.0 { bins as f32 * 0.9999 / size } else { 0.0 };
        Self { axis, origin: low, scale, last: bins - 1 }
    }

    /// The bin of an item, one of `0..=last` whatever its coordinates.
    #[inline]
    pub(crate) fn bin_of(&self, item: &Item) -> usize {
        let (low, high): (&[f32; 4], &[f32; 4]) = (item.low.as_ref(), item.high.as_ref());
        // There is no fourth axis, and nothing to check at run time.
        let x = (low[self.axis % 4] + high[self.axis % 4] - self.origin) * self.scale;
        (nearest_integer(x - 0.4995) as usize % BINS).min(self.last)
    }
}

/// The cheapest cut found so far.
pub(crate) struct BestCut {
    /// Infinite if there is none.
    pub(crate) cost: f32,
    pub(crate) binning: Binning,
    /// Items in each bin.
    pub(crate) counts: [u32; BINS],
    /// Items below the cut.
    pub(crate) below: usize,
    /// The first bin above the cut.
    pub(crate) first_above: usize,
    /// The boxes of what is below and above.
    pub(crate) sides: [(Vec4, Vec4); 2],
}

fn split_by_area(items: &mut [Item], extent: &Extent) -> usize {
    let longest = extent.longest_centre_axis();
    if items.len() <= 2 * LANES {
        return cut(items, longest, LANES);
    }
    let bins = if items.len() <= 64 { BINS / 2 } else { BINS };
    let mut best: Option<BestCut> = None;
    for axis in (0..3).filter(|&axis| axis == longest || items.len() <= THREE_AXES) {
        let binning = extent.binning(axis, bins);
        if binning.scale > 0.0 {
            let cut = best_cut(items, binning, Bin::cost, |_| true);
            if cut.cost < best.as_ref().map_or(f32::INFINITY, |best| best.cost) {
                best = Some(cut);
            }
        }
    }
    match best {
        Some(best) => {
            let count = whole_rows(best.below, items.len());
            cut_by_bins(items, count, &best)
        }
        // All centres in one place: any halves will do.
        None => cut(items, longest, whole_rows(items.len() / 2, items.len())),
    }
}

/// The cheapest cut between two bins along one axis, among those whose lower part may have its count.
pub(crate) fn best_cut(
    items: &[Item],
    binning: Binning,
    cost_of: impl Fn(&Bin) -> f32,
    is_allowed: impl Fn(usize) -> bool,
) -> BestCut {
    cheapest_cut(&fill_bins(items, binning), binning, items.len(), cost_of, is_allowed)
}

/// The boxes and counts of all bins along one axis.
#[inline]
pub(super) fn fill_bins(items: &[Item], binning: Binning) -> [Bin; BINS] {
    let mut bins = [Bin::EMPTY; BINS];
    for item in items {
        bins[binning.bin_of(item) % BINS].add(item.low, item.high, 1);
    }
    bins
}

/// The cheapest cut between two bins of `total` items, among those whose lower part may have its count.
pub(super) fn cheapest_cut(
    bins: &[Bin; BINS],
    binning: Binning,
    total: usize,
    cost_of: impl Fn(&Bin) -> f32,
    is_allowed: impl Fn(usize) -> bool,
) -> BestCut {
    let mut above = *bins;
    for k in (1..binning.last).rev() {
        let next = above[k + 1];
        above[k].add(next.low, next.high, next.count);
    }
    let mut below = Bin::EMPTY;
    let (cost, counts, sides) = (f32::INFINITY, bins.map(|bin| bin.count), [EMPTY_BOX; 2]);
    let mut best = BestCut { cost, binning, counts, below: 0, first_above: 0, sides };
    for k in 1..=binning.last {
        below.add(bins[k - 1].low, bins[k - 1].high, bins[k - 1].count);
        let (cost, count) = (cost_of(&below) + cost_of(&above[k]), below.count as usize);
        if cost < best.cost && count > 0 && count < total && is_allowed(count) {
            (best.cost, best.below, best.first_above) = (cost, count, k);
            best.sides = [(below.low, below.high), (above[k].low, above[k].high)];
        }
    }
    best
}

/// As [`cut`], with the items already counted by bins: only the bin in which the cut falls needs a closer look.
pub(crate) fn cut_by_bins(items: &mut [Item], count: usize, best: &BestCut) -> usize {
    let counts = best.counts.map(|count| count as usize);
    let (mut middle, mut before) = (0, 0);
    while before + counts[middle] < count {
        before += counts[middle];
        middle += 1;
    }
    // Three parts in one pass: lower bins, the middle bin, higher bins.
    let (mut low, mut at, mut high) = (0, 0, items.len());
    while at < high {
        let bin = best.binning.bin_of(&items[at]);
        if bin < middle {
            items.swap(low, at);
            low += 1;
            at += 1;
        } else if bin > middle {
            high -= 1;
            items.swap(at, high);
        } else {
            at += 1;
        }
    }
    if count - before < counts[middle] {
        cut(&mut items[low..high], best.binning.axis, count - before);
    }
    count
}
