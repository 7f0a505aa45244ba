//! Which sizes of triangles share a level of the grid.
//!
//! Every level costs each smaller triangle a few looks into mostly empty cells. A level for several sizes has cells as
//! wide as the largest of them, which are crowded with the small ones. So sizes are gathered into levels such that looks and
//! comparisons together are fewest, by an estimate made from how many triangles there are of each size. The estimate may be
//! wrong: any plan whose cells are wide enough gives the right pairs. Sizes are those of the step before.
//!
//! ```text
//!   size         …  1.25   1.5   1.75     2   2.5     3  …   512      four grades to an octave
//!   triangles          9   830  91204 60102   211                2
//!   level              └────┴─── 0 ────┘ └──── 1 ────┘           2
//! ```

use crate::layout::{ALLOTTED, BRICK, GRADES, LEVELS, PlanLayout, SMALLEST_GRADE};
use fracas::internal::Frame;

/// Triangles of each grade.
pub(crate) type Histogram = [u32; GRADES];

/// Cells are not narrower than this grade, 2⁻¹⁵: a scene is not more of them across than cells have numbers.
const SMALLEST_CELL: usize = (127 - 15) * 4 - SMALLEST_GRADE as usize;

/// What a look into a row of cells costs, in comparisons of boxes.
const LOOK: f64 = 3.0;

/// Triangles that have their lower corner in the cells around one of their size, on a surface made of such triangles.
const CROWD: f64 = 13.0;

/// Sizes that differ by this factor are not on the same surface: a floor does not make the dust on it sparse.
const NEARBY: f64 = 8.0;

/// Cells are wider than their triangles by this factor, so that rounding does not matter.
const ROOMY: f32 = 0.99;

/// How many buckets there are for a triangle, in small soups and in large ones.
const BUCKETS: u64 = 2;
const LARGE: u64 = 2_000_000;

/// The grade of a size in coordinates.
pub(crate) fn grade_of(size: f64) -> usize {
    let grade = ((size as f32).abs().to_bits() + 0x1f_ffff) >> 21;
    (grade.saturating_sub(SMALLEST_GRADE) as usize).min(GRADES - 1)
}

/// The largest size of a grade but the last, which has none.
fn size_of(grade: usize) -> f32 {
    f32::from_bits((grade as u32 + SMALLEST_GRADE) << 21)
}

/// A plan for triangles of these sizes. `bunched`: the small ones are not spread among the large ones.
pub(crate) fn plan(frame: &Frame, histogram: &Histogram, bunched: bool) -> PlanLayout {
    let mut layout = PlanLayout {
        centre: frame.centre.to_array(),
        scale: frame.scale,
        levels: 0,
        buckets: 0,
        per_width: [0.0; LEVELS],
        first_bucket: [0; LEVELS],
        brick_mask: [0; LEVELS],
        most: [0; LEVELS],
        level_of: [0; GRADES],
    };
    let mut tops = choose(histogram, bunched);
    if tops.last() != Some(&(GRADES - 1)) {
        // Whatever is larger than all that was there before, in a single cell.
        tops.push(GRADES - 1);
    }
    let total: u64 = histogram.iter().map(|&n| u64::from(n)).sum();
    let per_triangle = if total > LARGE { BUCKETS / 2 } else { BUCKETS };
    let mut buckets = 0;
    let mut grade = 0;
    for (level, &top) in tops.iter().enumerate() {
        let count: u64 = histogram[grade..=top].iter().map(|&n| u64::from(n)).sum();
        layout.level_of[grade..=top].fill(level as u8);
        grade = top + 1;
        let bricks = (per_triangle * count / u64::from(BRICK)).next_power_of_two().min(1 << 22) as u32;
        if top < GRADES - 1 {
            layout.per_width[level] = ROOMY / size_of(top);
        }
        layout.first_bucket[level] = buckets;
        layout.brick_mask[level] = bricks - 1;
        layout.most[level] = (4 * count + 4096).min(u64::from(u32::MAX)) as u32;
        buckets += bricks * BRICK;
    }
    layout.levels = tops.len() as u32;
    layout.buckets = buckets.next_multiple_of(ALLOTTED);
    layout
}

/// Whether a plan that was made for one set of sizes is still good for another.
pub(crate) fn still_fits(made_for: &Histogram, now: &Histogram) -> bool {
    let total: u64 = now.iter().map(|&n| u64::from(n)).sum();
    let moved: u64 = made_for.iter().zip(now).map(|(&a, &b)| u64::from(a.abs_diff(b))).sum();
    8 * moved <= total
}

/// The largest grade of each level.
fn choose(histogram: &Histogram, bunched: bool) -> Vec<usize> {
    let mut counts: Vec<(usize, f64)> = Vec::new();
    for (grade, &count) in histogram.iter().enumerate().filter(|(_, count)| **count > 0) {
        let grade = grade.max(SMALLEST_CELL);
        match counts.last_mut() {
            Some((last, sum)) if *last == grade => *sum += f64::from(count),
            _ => counts.push((grade, f64::from(count))),
        }
    }
    let mut look = LOOK;
    loop {
        let tops = cheapest(&counts, bunched, look);
        if tops.len() < LEVELS {
            return tops;
        }
        look *= 4.0;
    }
}

/// The cheapest way to cut the list of grades and their counts into levels.
fn cheapest(counts: &[(usize, f64)], bunched: bool, look: f64) -> Vec<usize> {
    let grades = counts.len();
    let size = |k: usize| f64::from(size_of(counts[k].0));
    let area = |k: usize| counts[k].1 * size(k) * size(k);
    // Part of the surface around them that triangles of a grade make up.
    let share: Vec<f64> = (0..grades)
        .map(|k| {
            let near = (0..grades).filter(|&l| size(l) <= NEARBY * size(k)).map(area).sum::<f64>();
            if bunched { 1.0 } else { area(k) / near }
        })
        .collect();
    // best[end]: the least cost of the first grades, and where their last level begins.
    let mut best = vec![(0.0, 0); grades + 1];
    let mut below = vec![0.0; grades + 1];
    for end in 1..=grades {
        below[end] = below[end - 1] + counts[end - 1].1;
        best[end] = (f64::INFINITY, 0);
        let mut crowd = 0.0;
        for begin in (0..end).rev() {
            let wide = size(end - 1) / size(begin);
            crowd += CROWD * share[begin] * wide * wide;
            let on_level = below[end] - below[begin];
            let cost =
                best[begin].0 + on_level * (3.0 * look + 0.5 * crowd) + below[begin] * (4.0 * look + crowd);
            if cost < best[end].0 {
                best[end] = (cost, begin);
            }
        }
    }
    let mut tops = Vec::new();
    let mut end = grades;
    while end > 0 {
        tops.push(counts[end - 1].0);
        end = best[end].1;
    }
    tops.reverse();
    tops
}

#[cfg(test)]
mod tests {
    use super::*;
    use fracas::geom::DVec3;

    fn planned(list: &[(usize, u32)], bunched: bool) -> PlanLayout {
        let mut histogram = [0; GRADES];
        list.iter().for_each(|&(grade, count)| histogram[grade] = count);
        plan(&Frame::around(DVec3::ZERO, DVec3::ONE), &histogram, bunched)
    }

    #[test]
    fn cells_are_wider_than_their_triangles() {
        let every: Vec<(usize, u32)> =
            (0..GRADES).map(|grade| (grade, 1 + (grade as u32 * 37) % 100)).collect();
        for list in [&every[..], &[(60, 1000), (61, 3), (80, 1)], &[(0, 5)], &[(255, 5)], &[]] {
            let plan = planned(list, false);
            assert!((plan.levels as usize) <= LEVELS && plan.buckets.is_multiple_of(ALLOTTED));
            for grade in 0..GRADES {
                let per_width = plan.per_width[usize::from(plan.level_of[grade])];
                // The last grade has no largest size, and a cell without end.
                assert!(if grade == GRADES - 1 {
                    per_width == 0.0
                } else {
                    per_width * size_of(grade) < 0.995
                });
            }
            let ends = (0..plan.levels as usize)
                .map(|level| plan.first_bucket[level] + (plan.brick_mask[level] + 1) * BRICK);
            let begins = plan.first_bucket[1..plan.levels as usize].iter().copied().chain([plan.buckets]);
            assert!(ends.zip(begins).all(|(end, begin)| end <= begin));
        }
    }

    #[test]
    fn like_sizes_share_a_level_and_a_giant_has_its_own() {
        let plan = planned(&[(60, 10), (61, 1000), (62, 30_000), (63, 20_000), (130, 1)], false);
        let level = |grade: usize| plan.level_of[grade];
        assert!(level(60) == level(61) && level(61) == level(62), "{:?}", plan.level_of);
        assert!(level(63) < level(130));
    }

    #[test]
    fn small_triangles_in_a_bunch_are_kept_out_of_wide_cells() {
        let list = [(60, 500), (64, 100_000)];
        assert_eq!(planned(&list, false).level_of[60], planned(&list, false).level_of[64]);
        assert_ne!(planned(&list, true).level_of[60], planned(&list, true).level_of[64]);
    }

    #[test]
    fn grades_are_as_in_the_kernels() {
        for grade in 1..GRADES - 1 {
            let largest = f64::from(size_of(grade));
            assert_eq!(grade_of(largest), grade);
            assert_eq!(grade_of(f64::from(size_of(grade).next_up())), grade + 1);
        }
        assert_eq!((grade_of(0.0), grade_of(1e300), grade_of(f64::INFINITY)), (0, GRADES - 1, GRADES - 1));
    }
}
