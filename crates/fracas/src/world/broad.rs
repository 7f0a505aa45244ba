//! Broad phase: which boxes overlap, followed from step to step.
//!
//! # Idea
//!
//! Space is divided into cells at several sizes, each four times the one before. A box is a *member* of the one to eight cells that it
//! overlaps, at the size that is two to eight times its own. It is a *visitor* at every larger size that has members. Two boxes that overlap
//! then share a cell of the larger one's size, of which one is a member. So one sorted list of (cell, box) shows all pairs: boxes of one cell lie
//! side by side.
//!
//! ```text
//!    resting  (cell 3: 7 9) (cell 5: 2) (cell 8: 4 6 …     sorted once, used for many steps
//!    moving       (cell 3: 1) (cell 7: 5)  (cell 8: 0)     sorted at every step
//!                     └─ 1 meets 7 and 9       └─ 0 meets 4 and 6
//! ```
//!
//! Boxes that have not changed for a while *rest*. Their list stays sorted and their pairs are kept, so a step costs what moves, and one look at
//! every pair that is kept.
//!
//! # Invariants
//!
//! `pairs` holds every two boxes that overlap, each once, in order. It depends on the boxes alone, not on which of them rest. Cells are named by
//! hashes: cells with the same name only cost more tests.
//!
//! # When to use something else
//!
//! Triangles: a soup ([`soup`](crate::soup)) hashes them in a similar way, with exact tests.

use crate::base::parallel;
use crate::geom::{Box3, DVec3};

/// A box rests after this number of steps without a change.
const REST_AFTER: u32 = 8;

/// Runs of one cell with more boxes are sorted along an axis first.
const LONG_RUN: usize = 24;

/// Entries from which on sorting uses threads.
const MANY: usize = 1 << 14;

/// A box in a cell: the hash of the cell, whether the box is a visitor there, and its key.
type Entry = (u32, bool, u32);

/// Boxes by key, and which of them overlap.
#[derive(Default)]
pub(super) struct BroadPhase {
    /// By key; empty if there is none.
    boxes: Vec<Box3>,
    state: Vec<State>,
    /// How many boxes have each size of cell.
    sizes: Vec<(i32, u32)>,
    /// Keys of boxes that move.
    moving: Vec<u32>,
    /// Entries of boxes that rest, sorted; those of boxes that no longer do are skipped.
    resting_entries: Vec<Entry>,
    moving_entries: Vec<Entry>,
    /// Every two resting boxes that overlap.
    resting_pairs: Vec<[u32; 2]>,
    pairs: Vec<[u32; 2]>,
    /// Whether the list of pairs is out of date.
    is_stale: bool,
    /// Whether a resting box has begun to move since the last update, or is gone.
    has_left: bool,
    run: Vec<u32>,
}

#[derive(Clone, Copy, PartialEq)]
enum State {
    Gone,
    Resting,
    /// For how many steps its box has stayed the same.
    Moving(u32),
}

impl BroadPhase {
    /// Gives a key a box, instead of the one it may have. An empty box overlaps nothing.
    pub(super) fn set(&mut self, key: u32, new: Box3) {
        let index = key as usize;
        if self.boxes.len() <= index {
            self.boxes.resize(index + 1, Box3::EMPTY);
            self.state.resize(index + 1, State::Gone);
        }
        let old = std::mem::replace(&mut self.boxes[index], new);
        if self.state[index] != State::Gone && old == new {
            return;
        }
        self.is_stale = true;
        let (before, after) = (cell_size(&old), cell_size(&new));
        if before != after {
            self.count_size(before, -1);
            self.count_size(after, 1);
        }
        match self.state[index] {
            State::Moving(_) => {}
            state => {
                self.has_left |= state == State::Resting;
                self.moving.push(key);
            }
        }
        self.state[index] = State::Moving(0);
    }

    /// Takes a box away.
    pub(super) fn remove(&mut self, key: u32) {
        let index = key as usize;
        if self.state.get(index).is_none_or(|state| *state == State::Gone) {
            return;
        }
        let old = std::mem::take(&mut self.boxes[index]);
        self.count_size(cell_size(&old), -1);
        self.has_left |= self.state[index] == State::Resting;
        self.state[index] = State::Gone;
        self.is_stale = true;
    }

    fn count_size(&mut self, size: Option<i32>, change: i32) {
        let Some(size) = size else { return };
        match self.sizes.binary_search_by_key(&size, |known| known.0) {
            Ok(place) => {
                let count = &mut self.sizes[place].1;
                *count = count.saturating_add_signed(change);
            }
            Err(place) => {
                self.sizes.insert(place, (size, 1));
                // Smaller boxes that rest are no visitors at this size yet: all begin again.
                if place > 0 {
                    self.wake_all();
                }
            }
        }
    }

    fn wake_all(&mut self) {
        let Self { state, moving, .. } = self;
        for (key, state) in (0..).zip(state) {
            if *state == State::Resting {
                *state = State::Moving(REST_AFTER);
                moving.push(key);
            }
        }
        self.resting_entries.clear();
        self.resting_pairs.clear();
    }

    /// Brings the pairs up to date, and lists them.
    pub(super) fn update(&mut self, threads: bool) -> &[[u32; 2]] {
        if !self.is_stale {
            self.age();
            return &self.pairs;
        }
        self.is_stale = false;
        let Self { state, moving, boxes, sizes, .. } = self;
        moving.retain(|&key| matches!(state[key as usize], State::Moving(_)));
        // A key that was gone for a while is listed twice.
        moving.sort_unstable();
        moving.dedup();
        sizes.retain(|&(_, count)| count > 0);
        self.moving_entries.clear();
        for &key in &*moving {
            list_entries(key, &boxes[key as usize], sizes, &mut self.moving_entries);
        }
        let parallel = threads && self.moving_entries.len() >= MANY;
        parallel::sort_unstable(parallel, &mut self.moving_entries);
        if std::mem::take(&mut self.has_left) {
            let rests = |&key: &u32| state[key as usize] == State::Resting;
            self.resting_pairs.retain(|pair| pair.iter().all(rests));
        }
        self.pairs.clear();
        self.pair_cells();
        parallel::sort_unstable(threads && self.pairs.len() >= MANY, &mut self.pairs);
        self.pairs.dedup();
        merge_into(&mut self.pairs, &self.resting_pairs);
        self.age();
        &self.pairs
    }

    /// Every two boxes that overlapped at the last update, in order.
    pub(super) fn pairs(&self) -> &[[u32; 2]] {
        &self.pairs
    }

    /// Goes through the cells that moving boxes are in.
    fn pair_cells(&mut self) {
        let Self { boxes, state, moving_entries, resting_entries, pairs, run, .. } = self;
        let mut rest = &resting_entries[..];
        for movers in moving_entries.chunk_by(|x, y| x.0 == y.0) {
            let cell = movers[0].0;
            rest = &rest[skip(rest, cell)..];
            let end = rest.iter().position(|entry| entry.0 != cell).unwrap_or(rest.len());
            let resters = rest[..end].iter().filter(|entry| state[entry.2 as usize] == State::Resting);
            run.clear();
            // Members come first, so that every pair with a member is one of a member and a later entry.
            let (members, visitors): (&[Entry], &[Entry]) =
                movers.split_at(movers.partition_point(|entry| !entry.1));
            run.extend(members.iter().map(|entry| entry.2));
            let moving_members = run.len();
            let resting_members = resters.clone().filter(|entry| !entry.1).map(|entry| entry.2);
            run.extend(resting_members);
            let all_members = run.len();
            run.extend(visitors.iter().map(|entry| entry.2));
            let no_rest = run.len();
            run.extend(resters.filter(|entry| entry.1).map(|entry| entry.2));
            // Moving members meet all others; resting ones meet visitors that move.
            pair_run(boxes, &run[..moving_members], None, pairs);
            pair_run(boxes, &run[..moving_members], Some(&run[moving_members..]), pairs);
            pair_run(boxes, &run[moving_members..all_members], Some(&run[all_members..no_rest]), pairs);
        }
    }

    /// Counts how long boxes have stayed, and lets them rest if enough of them could.
    fn age(&mut self) {
        let Self { state, moving, .. } = self;
        let mut could_rest = 0;
        for &key in &*moving {
            if let State::Moving(steps) = &mut state[key as usize] {
                *steps = steps.saturating_add(1);
                could_rest += usize::from(*steps > REST_AFTER);
            }
        }
        if could_rest * 8 <= moving.len() {
            return;
        }
        for &key in &*moving {
            if matches!(state[key as usize], State::Moving(steps) if steps > REST_AFTER) {
                state[key as usize] = State::Resting;
            }
        }
        moving.retain(|&key| matches!(state[key as usize], State::Moving(_)));
        self.resting_entries.clear();
        for (key, state) in (0..).zip(&self.state) {
            if *state == State::Resting {
                list_entries(key, &self.boxes[key as usize], &self.sizes, &mut self.resting_entries);
            }
        }
        self.resting_entries.sort_unstable();
        let rests = |&key: &u32| self.state[key as usize] == State::Resting;
        self.resting_pairs.clear();
        self.resting_pairs.extend(self.pairs.iter().filter(|pair| pair.iter().all(rests)));
    }

    /// Bytes of memory in use.
    pub(super) fn bytes(&self) -> usize {
        let entries = self.resting_entries.capacity() + self.moving_entries.capacity();
        let pairs = self.resting_pairs.capacity() + self.pairs.capacity();
        self.boxes.capacity() * size_of::<(Box3, State)>()
            + entries * size_of::<Entry>()
            + pairs * size_of::<[u32; 2]>()
    }
}

/// How many entries come before a cell. Most of the time it is near.
fn skip(entries: &[Entry], cell: u32) -> usize {
    let mut step = 1;
    while entries.get(step).is_some_and(|entry| entry.0 < cell) {
        step *= 2;
    }
    let from = step / 2;
    let to = entries.len().min(step + 1);
    from + entries[from..to].partition_point(|entry| entry.0 < cell)
}

/// Tests every two boxes of a list, or every box of one against every box of another.
fn pair_run(boxes: &[Box3], ones: &[u32], others: Option<&[u32]>, pairs: &mut Vec<[u32; 2]>) {
    let count = ones.len() + others.map_or(0, <[u32]>::len);
    if count > LONG_RUN && (others.is_none() || ones.len() > 2) {
        return sweep_run(boxes, ones, others, pairs);
    }
    for (k, &one) in ones.iter().enumerate() {
        for &other in others.unwrap_or(&ones[k + 1..]) {
            add_if_overlapping(boxes, one, other, pairs);
        }
    }
}

#[inline]
fn add_if_overlapping(boxes: &[Box3], one: u32, other: u32, pairs: &mut Vec<[u32; 2]>) {
    if boxes[one as usize].overlaps(&boxes[other as usize]) {
        pairs.push([one.min(other), one.max(other)]);
    }
}

/// As [`pair_run`], along the axis on which the boxes are spread the most.
fn sweep_run(boxes: &[Box3], ones: &[u32], others: Option<&[u32]>, pairs: &mut Vec<[u32; 2]>) {
    let all = ones.iter().chain(others.unwrap_or(&[]));
    let (mut low, mut high, mut extent) = (DVec3::INFINITY, DVec3::NEG_INFINITY, DVec3::ZERO);
    for &key in all.clone() {
        let b = &boxes[key as usize];
        (low, high) = (low.min(b.min), high.max(b.min));
        extent = extent.max(b.extent());
    }
    let spread = (high - low) / extent.max(DVec3::splat(f64::MIN_POSITIVE));
    let axis = (0..3).max_by(|&x, &y| spread[x].total_cmp(&spread[y])).unwrap_or(0);
    let first = ones.len();
    let mut order: Vec<(f64, u32, bool)> =
        all.enumerate().map(|(k, &key)| (boxes[key as usize].min[axis], key, k < first)).collect();
    order.sort_unstable_by(|x, y| x.0.total_cmp(&y.0).then(x.1.cmp(&y.1)));
    for (k, &(_, key, is_one)) in order.iter().enumerate() {
        let end = boxes[key as usize].max[axis];
        for &(start, other, is_other_one) in &order[k + 1..] {
            if start > end {
                break;
            }
            if others.is_none() || is_one != is_other_one {
                add_if_overlapping(boxes, key, other, pairs);
            }
        }
    }
}

/// Adds sorted pairs to others; no pair is in both.
fn merge_into(pairs: &mut Vec<[u32; 2]>, more: &[[u32; 2]]) {
    let (mut from, mut place) = (pairs.len(), pairs.len() + more.len());
    if more.is_empty() {
        return;
    }
    pairs.resize(place, [0; 2]);
    for &pair in more.iter().rev() {
        while from > 0 && pairs[from - 1] > pair {
            place -= 1;
            from -= 1;
            pairs[place] = pairs[from];
        }
        place -= 1;
        pairs[place] = pair;
    }
}

/// The exponent of the cells of which a box is a member: even, two to eight times the box. `None` for an empty box.
fn cell_size(b: &Box3) -> Option<i32> {
    if b.is_empty() {
        return None;
    }
    let far = b.min.abs().max(b.max.abs()).max_element();
    let extent = (b.max * 0.5 - b.min * 0.5).max_element() * 2.0;
    // Cells must be large enough for their numbers to be exact.
    let least = extent.max(far * 2.0_f64.powi(-40)).clamp(f64::MIN_POSITIVE, f64::MAX);
    // The exponent e with 2^e ≤ least < 2^(e+1).
    let exponent = (least.to_bits() >> 52) as i32 - 1023;
    let even = (exponent + 2) + (exponent & 1);
    Some(even.min(1022))
}

/// Lists the cells of a box: as a member at its own size, as a visitor at larger ones.
fn list_entries(key: u32, b: &Box3, sizes: &[(i32, u32)], entries: &mut Vec<Entry>) {
    let Some(own) = cell_size(b) else { return };
    for &(size, _) in sizes.iter().rev().take_while(|known| known.0 >= own) {
        let scale = 2.0_f64.powi(-size);
        let (low, high) = ((b.min * scale).floor(), (b.max * scale).floor());
        let mut z = low.z;
        while z <= high.z {
            let mut y = low.y;
            while y <= high.y {
                let mut x = low.x;
                while x <= high.x {
                    entries.push((name_of(size, [x, y, z]), size > own, key));
                    x += 1.0;
                }
                y += 1.0;
            }
            z += 1.0;
        }
    }
}

/// A hash of a cell.
fn name_of(size: i32, cell: [f64; 3]) -> u32 {
    let mut hash = size as u64;
    for x in cell {
        // Both zeros are one cell.
        let bits = (x + 0.0).to_bits();
        hash = (hash ^ bits).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        hash ^= hash >> 29;
    }
    (hash.wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 32) as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Random;

    fn brute(boxes: &[Option<Box3>]) -> Vec<[u32; 2]> {
        let mut pairs = vec![];
        for (i, a) in boxes.iter().enumerate() {
            for (j, b) in boxes.iter().enumerate().skip(i + 1) {
                if let (Some(a), Some(b)) = (a, b)
                    && !(a.is_empty() || b.is_empty())
                    && a.overlaps(b)
                {
                    pairs.push([i as u32, j as u32]);
                }
            }
        }
        pairs
    }

    fn random_box(random: &mut Random, exponents: std::ops::Range<i32>) -> Box3 {
        let size =
            2.0_f64.powi(exponents.start + random.below((exponents.end - exponents.start) as usize) as i32);
        let mut point = |scale: f64| DVec3::from_array([0; 3].map(|_| (random.unit() - 0.5) * scale));
        let centre = point(4.0 * 2.0_f64.powi(exponents.end - 1));
        let half = point(size).abs();
        Box3 { min: centre - half, max: centre + half }
    }

    #[test]
    fn pairs_equal_brute_force_while_boxes_come_go_move_and_rest() {
        for (seed, exponents) in [(1, -3..0), (2, -12..3), (3, 600..604), (4, -900..-896), (5, -600..600)] {
            let mut random = Random::new(seed);
            let mut broad = BroadPhase::default();
            let mut known: Vec<Option<Box3>> = vec![None; 120];
            for step in 0..90 {
                // Now and then only few change, so that others come to rest.
                let changes = if step % 30 < 10 { 40 } else { random.below(4) };
                for _ in 0..changes {
                    let key = random.below(120);
                    if random.below(5) == 0 {
                        known[key] = None;
                        broad.remove(key as u32);
                    } else {
                        let new = random_box(&mut random, exponents.clone());
                        known[key] = Some(new);
                        broad.set(key as u32, new);
                    }
                }
                assert_eq!(broad.update(step % 2 == 0), brute(&known), "seed {seed}, step {step}");
            }
            let resting = broad.state.iter().filter(|state| **state == State::Resting).count();
            assert!(resting > 30, "{resting} boxes rest");
        }
    }

    #[test]
    fn boxes_of_extreme_size_and_place_and_points_and_empty_boxes_are_paired() {
        let far = DVec3::splat(1e300);
        let all = [
            Box3 { min: -DVec3::MAX, max: DVec3::MAX },
            Box3 { min: far, max: far },
            Box3 { min: DVec3::ZERO, max: DVec3::ZERO },
            Box3 { min: -DVec3::splat(5e-324), max: DVec3::splat(5e-324) },
            Box3 { min: DVec3::splat(-0.0), max: DVec3::splat(1e-200) },
            Box3::EMPTY,
            Box3 { min: far, max: far * 1.5 },
        ];
        let mut broad = BroadPhase::default();
        (0..).zip(&all).for_each(|(key, b)| broad.set(key, *b));
        let expected = brute(&all.map(Some));
        assert_eq!(broad.update(false), expected);
        assert_eq!(expected.len(), 5 + 1 + 3);
    }

    #[test]
    fn needles_side_by_side_in_one_cell_are_swept() {
        let mut broad = BroadPhase::default();
        for key in 0..3000_u32 {
            let at = DVec3::new(f64::from(key) * 1e-4, 0.0, 0.0);
            broad.set(key, Box3 { min: at, max: at + DVec3::new(1.5e-4, 1.0, 0.0) });
        }
        assert_eq!(broad.update(false).len(), 2999);
    }
}
