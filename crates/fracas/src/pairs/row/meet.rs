//! The comparison of one triangle with the eight of a row, stage by stage.

use super::super::bounds::{TINY, length_bound};
use super::super::stages::{Same, Sides, Verdict, decide, outside};
use super::super::vec8::{Vec8, height, load, splat, sub};
use super::side::bound_at;
use super::{RowFilter, RowSide};
use fearless_simd::prelude::*;
use fearless_simd::{f32x8, u32x8};

impl<S: Simd> RowFilter<S> {
    /// Sorts the lanes among `lanes` of `row` by how they meet triangle `one` of `ones`. Also adds the number of
    /// overlapping boxes to `box_pairs`.
    ///
    /// With `NEIGHBOURS`, equal vertex ids mean shared vertices (two rows of one mesh).
    #[inline(always)]
    pub(crate) fn meet<const NEIGHBOURS: bool>(
        &self,
        ones: &RowSide,
        one: usize,
        row: &RowSide,
        lanes: u32,
        box_pairs: &mut u64,
    ) -> Verdict {
        let simd = self.simd;
        let (low, high) = ones.boxes.lane(one);
        let mut left = lanes & row.boxes.overlapping(simd, low, high);
        *box_pairs += u64::from(left.count_ones());
        if left == 0 {
            return Verdict::APART;
        }
        let p_ids = [
            u32x8::splat(simd, ones.ids[0][one]),
            u32x8::splat(simd, ones.ids[1][one]),
            u32x8::splat(simd, ones.ids[2][one]),
        ];
        let q_ids = [
            u32x8::load_array_ref(simd, &row.ids[0]),
            u32x8::load_array_ref(simd, &row.ids[1]),
            u32x8::load_array_ref(simd, &row.ids[2]),
        ];
        let same = Same::new::<NEIGHBOURS>(simd, p_ids, q_ids);
        // How far apart two corners can be, given that the padded boxes overlap.
        let apart = ones.extent[one] + row.longest;
        let [face_bound, edge_bound] = ones.bounds_of(one);

        // Corners q of the row against the plane of the one.
        let q = [load(simd, &row.corners[0]), load(simd, &row.corners[1]), load(simd, &row.corners[2])];
        let n = splat(simd, &ones.normal, one);
        let offset = f32x8::splat(simd, ones.offset[one]);
        let bound = f32x8::splat(simd, bound_at(face_bound, apart));
        let q_sides = Sides::new(heights(n, &q, offset), bound);
        left &= !q_sides.one_sided::<NEIGHBOURS>(same.turned().shared());
        if left == 0 {
            return Verdict::APART;
        }

        // Corners p of the one against the planes of the row.
        let p = [
            splat(simd, &ones.corners[0], one),
            splat(simd, &ones.corners[1], one),
            splat(simd, &ones.corners[2], one),
        ];
        let m = load(simd, &row.normal);
        let offset = f32x8::load_array_ref(simd, &row.offset);
        let bound = f32x8::splat(simd, bound_at(row.row_face_bound, apart));
        let p_sides = Sides::new(heights(m, &p, offset), bound);
        left &= !p_sides.one_sided::<NEIGHBOURS>(same.shared());
        if left == 0 {
            return Verdict::APART;
        }

        // Corners of the row against the edge planes of the one.
        let bound = f32x8::splat(simd, bound_at(edge_bound, apart));
        for edge in 0..3 {
            let outward = splat(simd, &ones.edge_planes[edge], one);
            let offset = f32x8::splat(simd, ones.edge_offsets[edge][one]);
            left &= !outside::<S, NEIGHBOURS>(heights(outward, &q, offset), bound, same.ends_of(edge));
        }
        if left == 0 {
            return Verdict::APART;
        }

        // Corners of the one against the edge planes of the row.
        let bound = f32x8::splat(simd, bound_at(row.row_edge_bound, apart));
        for edge in 0..3 {
            let outward = load(simd, &row.edge_planes[edge]);
            let offset = f32x8::load_array_ref(simd, &row.edge_offsets[edge]);
            left &=
                !outside::<S, NEIGHBOURS>(heights(outward, &p, offset), bound, same.turned().ends_of(edge));
        }
        if left == 0 {
            return Verdict::APART;
        }

        let d = [sub(p[1], p[0]), sub(p[2], p[1]), sub(p[0], p[2])];
        let e = [sub(q[1], q[0]), sub(q[2], q[1]), sub(q[0], q[2])];
        let mut w = [q; 3];
        for i in 0..3 {
            for k in 0..3 {
                w[i][k] = sub(q[k], p[i]);
            }
        }
        let bound = face_bound[1].max(row.row_face_bound[1]) * apart + TINY;
        let apart = f32x8::splat(simd, apart);
        let bounds = [f32x8::splat(simd, bound), length_bound(apart, self.precision.slack)];
        decide::<S, NEIGHBOURS>(simd, left, &same, (&d, &e, &w), bounds, (&p_sides, &q_sides))
    }
}

/// Heights of three corners over a plane, times the length of its normal.
#[inline(always)]
fn heights<S: Simd>(normal: Vec8<S>, x: &[Vec8<S>; 3], offset: f32x8<S>) -> [f32x8<S>; 3] {
    [height(normal, x[0], offset), height(normal, x[1], offset), height(normal, x[2], offset)]
}

#[cfg(test)]
mod tests {
    use super::super::{Precision, Row, RowIds};
    use super::*;
    use crate::exact::{self, Relation};
    use crate::geom::{Box3, DVec3, LANES, Triangle};
    use crate::pairs::Frame;
    use fearless_simd::{Level, dispatch};
    use proptest::prelude::*;

    fn row_of(triangles: &[Triangle; LANES], frame: &Frame) -> Row {
        let mut row = Row::ZERO;
        for (lane, t) in triangles.iter().enumerate() {
            for (corner, p) in t.corners().into_iter().enumerate() {
                for (axis, x) in frame.map(p).into_iter().enumerate() {
                    row.corners[corner][axis][lane] = x;
                }
            }
        }
        row
    }

    fn frame_of(points: &[DVec3]) -> Frame {
        let (low, high) = Box3::from_points(points.iter().copied()).corners();
        Frame::around(low, high)
    }

    /// All verdicts of eight triangles against eight others.
    fn verdicts<const NEIGHBOURS: bool>(
        ones: (&[Triangle; LANES], [[u32; LANES]; 3]),
        row: (&[Triangle; LANES], [[u32; LANES]; 3]),
    ) -> [Verdict; LANES] {
        let points: Vec<DVec3> = ones.0.iter().chain(row.0).flat_map(|t| t.corners()).collect();
        let frame = frame_of(&points);
        verdicts_in::<NEIGHBOURS>(&frame, ones, row)
    }

    fn verdicts_in<const NEIGHBOURS: bool>(
        frame: &Frame,
        ones: (&[Triangle; LANES], [[u32; LANES]; 3]),
        row: (&[Triangle; LANES], [[u32; LANES]; 3]),
    ) -> [Verdict; LANES] {
        let (one_row, row_row) = (row_of(ones.0, frame), row_of(row.0, frame));
        let ids = |vertices| RowIds { vertices, triangles: [0; LANES] };
        let level = Level::new();
        let mut all = [Verdict::APART; LANES];
        dispatch!(level, simd => {
            let filter = RowFilter::new(simd, Precision { slack: Frame::SLACK, reach: 2.0 });
            let (mut a, mut b) = (RowSide::default(), RowSide::default());
            filter.prepare(&one_row, &ids(ones.1), &mut a);
            filter.prepare(&row_row, &ids(row.1), &mut b);
            for one in 0..LANES {
                all[one] = filter.meet::<NEIGHBOURS>(&a, one, &b, 0xff, &mut 0);
            }
        });
        all
    }

    fn check(relation: Relation, verdict: Verdict, lane: usize) -> bool {
        let has = |mask: u32| mask >> lane & 1 == 1;
        assert!(!(has(verdict.crossing) && has(verdict.open)));
        if has(verdict.crossing) {
            assert_eq!(relation, Relation::Crossing);
        } else if !has(verdict.open) {
            assert_eq!(relation, Relation::Disjoint);
        }
        has(verdict.open)
    }

    fn any_triangles(size: f64) -> impl Strategy<Value = [Triangle; LANES]> {
        let number = -1.0..1.0_f64;
        let triangle = ([number.clone(), number.clone(), number.clone()], prop::array::uniform6(number))
            .prop_map(move |(p, e)| {
                let p = DVec3::from_array(p) * 0.3;
                Triangle::new(p, p + size * DVec3::from_slice(&e[..3]), p + size * DVec3::from_slice(&e[3..]))
            });
        prop::array::uniform8(triangle)
    }

    /// Two rows over a few common points: shared vertices, duplicates, coplanar and degenerate triangles.
    fn neighbours(scale: f64) -> impl Strategy<Value = (Vec<DVec3>, [[u32; 3]; LANES], [[u32; 3]; LANES])> {
        let point = prop::array::uniform3(-3..=3_i32).prop_map(|p| DVec3::from_array(p.map(f64::from)));
        let nudge = prop::array::uniform3(-2..=2_i32).prop_map(|e| DVec3::from_array(e.map(f64::from)));
        let points = prop::collection::vec((point, nudge).prop_map(move |(p, e)| p + scale * e), 12);
        let corners = || prop::array::uniform8(prop::array::uniform3(0..12_u32));
        (points, corners(), corners())
    }

    fn check_neighbours(points: &[DVec3], ones: &[[u32; 3]; LANES], row: &[[u32; 3]; LANES]) {
        let in_space = |ids: &[[u32; 3]; LANES]| {
            ids.map(|[a, b, c]| Triangle::new(points[a as usize], points[b as usize], points[c as usize]))
        };
        let by_corner = |ids: &[[u32; 3]; LANES]| [0, 1, 2].map(|corner| ids.map(|t| t[corner]));
        let (t, u) = (in_space(ones), in_space(row));
        let frame = frame_of(points);
        let all = verdicts_in::<true>(&frame, (&t, by_corner(ones)), (&u, by_corner(row)));
        for one in 0..LANES {
            for lane in 0..LANES {
                check(exact::tri_tri_shared(&t[one], ones[one], &u[lane], row[lane]), all[one], lane);
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn is_never_wrong_about_neighbours_on_a_grid((points, ones, row) in neighbours(0.0)) {
            check_neighbours(&points, &ones, &row);
        }

        #[test]
        fn is_never_wrong_about_neighbours_a_hair_off_the_grid(
            (points, ones, row) in (-9..-2_i32).prop_flat_map(|e| neighbours(10f64.powi(e))),
        ) {
            check_neighbours(&points, &ones, &row);
        }

        #[test]
        fn is_never_wrong_about_strangers(
            (a, b) in (-8..0_i32).prop_flat_map(|e| (any_triangles(10f64.powi(e)), any_triangles(1.0))),
        ) {
            let ids = [[0; LANES]; 3];
            for (one, verdict) in verdicts::<false>((&a, ids), (&b, ids)).into_iter().enumerate() {
                for lane in 0..LANES {
                    check(exact::tri_tri(&a[one], &b[lane]), verdict, lane);
                }
            }
        }
    }

    #[test]
    fn leaves_few_pairs_open() {
        use proptest::strategy::ValueTree;
        use proptest::test_runner::TestRunner;
        let mut runner = TestRunner::deterministic();
        let (mut open, mut all, mut cross) = (0, 0, 0);
        for _ in 0..300 {
            let a = any_triangles(0.5).new_tree(&mut runner).unwrap().current();
            let b = any_triangles(0.5).new_tree(&mut runner).unwrap().current();
            let ids = [[0; LANES]; 3];
            for (one, verdict) in verdicts::<false>((&a, ids), (&b, ids)).into_iter().enumerate() {
                for lane in 0..LANES {
                    let relation = exact::tri_tri(&a[one], &b[lane]);
                    open += usize::from(check(relation, verdict, lane));
                    cross += usize::from(relation == Relation::Crossing);
                    all += 1;
                }
            }
        }
        assert!(open * 100 < cross, "{open} open of {all}, {cross} crossing");
    }

    /// Both faces of a crack along a plane, with one id for both copies of a vertex: a lattice of squares, each divided
    /// by a diagonal, and fans of three to eight triangles. All are flat; no triangle meets another's twin beyond what
    /// they share. Only its own twin, on the same three vertices, is left to the exact test.
    #[test]
    fn faces_of_a_plane_crack_are_ruled_out() {
        let (x, y) = (DVec3::new(0.36, 0.48, 0.8), DVec3::new(0.8, -0.6, 0.0));
        let mut sheets: Vec<(Vec<DVec3>, Vec<[u32; 3]>)> = vec![];
        let mut lattice = (vec![], vec![]);
        for k in 0..25_u32 {
            lattice.0.push(f64::from(k % 5) * x + f64::from(k / 5) * y);
            if k % 5 < 4 && k < 20 {
                lattice.1.extend([[k, k + 1, k + 6], [k, k + 6, k + 5]]);
            }
        }
        sheets.push(lattice);
        for spokes in 3..=8_u32 {
            let spoke = |k: u32| {
                let angle = std::f64::consts::TAU * f64::from(k) / f64::from(spokes);
                angle.cos() * x + angle.sin() * y
            };
            let triangles = (0..8).map(|k| [0, 1 + k % spokes, 1 + (k + 1) % spokes]).collect();
            sheets.push((std::iter::once(DVec3::ZERO).chain((0..spokes).map(spoke)).collect(), triangles));
        }
        for body in [1.0, 1e2, 1e3] {
            let frame = Frame::around(DVec3::splat(-5.0 * body), DVec3::splat(5.0 * body));
            for (points, triangles) in &sheets {
                let place = |p: DVec3| p + 0.7 * body * DVec3::new(1.0, -2.0, 3.0);
                let sorted = |mut ids: [u32; 3]| {
                    ids.sort_unstable();
                    ids
                };
                let mut rows = vec![];
                for row in triangles.chunks_exact(LANES) {
                    let ids: [[u32; 3]; LANES] = row.try_into().unwrap();
                    let corners = ids.map(|t| {
                        let [a, b, c] = t.map(|v| place(points[v as usize]));
                        Triangle::new(a, b, c)
                    });
                    rows.push((ids.map(sorted), corners, [0, 1, 2].map(|corner| ids.map(|t| t[corner]))));
                }
                for (t_names, t, t_ids) in &rows {
                    for (u_names, u, u_ids) in &rows {
                        let verdicts = verdicts_in::<true>(&frame, (t, *t_ids), (u, *u_ids));
                        for (name, verdict) in t_names.iter().zip(verdicts) {
                            let twins =
                                (0..LANES).map(|lane| u32::from(u_names[lane] == *name) << lane).sum();
                            assert_eq!(verdict, Verdict { crossing: 0, open: twins }, "body of {body}");
                        }
                    }
                }
            }
        }
    }
}
