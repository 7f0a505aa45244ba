//! The stencils of isosurface stuffing: the inside of one lattice tetrahedron as tetrahedra.
//!
//! A corner is inside, outside, or on the surface; edges between inside and outside are cut. The inside is a tetrahedron, a
//! pyramid or a prism. Its quads lie in faces of the lattice, so neighbours must choose the same diagonal: the choice may depend
//! on the face alone. The one quad of the new surface is free, and takes the shorter diagonal.

use crate::geom::DVec3;

/// A node of the mesh: a lattice point, twice, or a cut edge, lower point first.
pub(super) type Node = [u32; 2];

/// Adds the inside of a tetrahedron to `tets`.
///
/// Of the quad between `i` and `j` inside and their cuts towards `o`, `leads(i, j, o)` says whether the diagonal goes from `i` to
/// the cut of `j`. For one `o` this must order the others: diagonals must not lead around.
pub(super) fn cut_one(
    corners: [u32; 4],
    value: impl Fn(u32) -> f64,
    leads: impl Fn(u32, u32, u32) -> bool,
    position: impl Fn(Node) -> DVec3,
    tets: &mut Vec<[Node; 4]>,
) {
    let (mut sides, mut counts) = ([[0; 4]; 2], [0; 2]);
    for id in corners.into_iter().filter(|&id| value(id) != 0.0) {
        let side = usize::from(value(id) > 0.0);
        sides[side][counts[side]] = id;
        counts[side] += 1;
    }
    let whole = |id: u32| [id, id];
    let cut = |a: u32, b: u32| [a.min(b), a.max(b)];
    match (&sides[0][..counts[0]], &sides[1][..counts[1]]) {
        ([], _) => {}
        (_, []) => tets.push(corners.map(whole)),
        (&[i], _) => {
            tets.push(corners.map(|id| if value(id) > 0.0 { cut(i, id) } else { whole(id) }));
        }
        (&[i, j], &[o]) => {
            let zero = corners.into_iter().find(|&id| value(id) == 0.0).expect("one of four is left");
            let (first, second) = if leads(i, j, o) { (i, j) } else { (j, i) };
            tets.push([whole(first), whole(second), cut(second, o), whole(zero)]);
            tets.push([whole(first), cut(first, o), cut(second, o), whole(zero)]);
        }
        (&[i, j], &[o, q]) => {
            let (a, b) = ([whole(i), cut(i, o), cut(i, q)], [whole(j), cut(j, o), cut(j, q)]);
            let (zero_one, zero_two) = (leads(i, j, o), leads(i, j, q));
            // Column 0 between the other two decides how those are joined; otherwise the shorter diagonal does.
            let one_two = if zero_one != zero_two {
                zero_two
            } else {
                let length = |p, q| position(p).distance_squared(position(q));
                length(a[1], b[2]) <= length(a[2], b[1])
            };
            push_prism(a, b, [zero_one, one_two, !zero_two], tets);
        }
        (&[i, j, k], &[o]) => {
            let (a, b) = ([i, j, k].map(whole), [i, j, k].map(|id| cut(id, o)));
            push_prism(a, b, [leads(i, j, o), leads(j, k, o), leads(k, i, o)], tets);
        }
        _ => unreachable!("a tetrahedron has four corners"),
    }
}

/// Three tetrahedra that fill the prism between triangles a and b. The diagonals of the quads between columns 0 1, 1 2 and
/// 2 0 go from a of the first to b of the second where `leads`; they must not all lead around in one direction.
fn push_prism(a: [Node; 3], b: [Node; 3], leads: [bool; 3], tets: &mut Vec<[Node; 4]>) {
    // Each column leads two, one or none of the others: that is their order.
    let wins = |k: usize| usize::from(leads[k]) + usize::from(!leads[(k + 2) % 3]);
    let mut order = [0, 1, 2];
    order.sort_by_key(|&k| 2 - wins(k));
    debug_assert_eq!(order.map(wins), [2, 1, 0], "diagonals lead around");
    let [x, y, z] = order;
    tets.extend([[a[x], a[y], a[z], b[z]], [a[x], a[y], b[y], b[z]], [a[x], b[x], b[y], b[z]]]);
}

/// Where a function with values of opposite sign at 0 and 1 is zero, to a value below `close` or as near as ten steps come.
pub(super) fn root(f: impl Fn(f64) -> f64, at_0: f64, at_1: f64, close: f64) -> f64 {
    let (mut low, mut high) = ((0.0, at_0), (1.0, at_1));
    let mut t = at_0 / (at_0 - at_1);
    // False position; an end that stays twice counts half (the Illinois rule), so both ends close in.
    let mut last = None;
    for _ in 0..10 {
        let value = f(t);
        if value.abs() <= close || value.is_nan() {
            break;
        }
        let is_low = (value < 0.0) == (low.1 < 0.0);
        let (moved, kept) = if is_low { (&mut low, &mut high) } else { (&mut high, &mut low) };
        *moved = (t, value);
        if last.replace(is_low) == Some(is_low) {
            kept.1 *= 0.5;
        }
        t = low.0 + (high.0 - low.0) * (low.1 / (low.1 - high.1));
    }
    t.clamp(0.0, 1.0)
}
