//! Relations of triangles against exact cutting, with and without shared corners.
#![no_main]

use fracas::exact::{Relation, segment_triangle, tri_tri, tri_tri_segment, tri_tri_shared};
use fracas::geom::{DVec3, Triangle};
use libfuzzer_sys::fuzz_target;

#[allow(dead_code)]
#[path = "../../crates/fracas/tests/exact/reference.rs"]
mod reference;

/// Six points and the ids of two triangles over them. The first byte says what the coordinates are: any bits, small
/// integers, or small integers a few units in the last place off; the next six choose corners.
fn input(data: &[u8]) -> Option<([DVec3; 6], [[u32; 3]; 2])> {
    let (&mode, rest) = data.split_first()?;
    let (ids, rest) = rest.split_first_chunk::<6>()?;
    let width = [1, 2, 8][usize::from(mode % 3)];
    if rest.len() < 18 * width {
        return None;
    }
    let mut chunks = rest.chunks_exact(width);
    let mut coordinate = || match chunks.next() {
        Some(&[small]) => f64::from(small as i8 % 8),
        Some(&[small, ulps]) => {
            let bits = f64::from(small as i8 % 8).to_bits();
            f64::from_bits(bits.saturating_add_signed(i64::from(ulps as i8 % 4)))
        }
        Some(bytes) => bytes.try_into().map_or(0.0, |bits| f64::from_bits(u64::from_le_bytes(bits))),
        None => 0.0,
    };
    let points: [DVec3; 6] = std::array::from_fn(|_| DVec3::new(coordinate(), coordinate(), coordinate()));
    let [a, b, c, d, e, f] = ids.map(|id| u32::from(id % 6));
    points.iter().all(|p| p.is_finite()).then_some((points, [[a, b, c], [d, e, f]]))
}

fuzz_target!(|data: &[u8]| {
    let Some((points, [t_ids, u_ids])) = input(data) else { return };
    let [t, u] = [t_ids, u_ids].map(|ids| {
        let [a, b, c] = ids.map(|id| points[id as usize]);
        Triangle::new(a, b, c)
    });
    let expected = reference::relation(&t, &u);
    assert_eq!(tri_tri(&t, &u), expected);
    assert_eq!(tri_tri(&Triangle::new(u.c, u.a, u.b), &Triangle::new(t.b, t.a, t.c)), expected);
    assert_eq!(tri_tri_segment(&t, &u).is_some(), expected != Relation::Disjoint);

    let expected = reference::relation_shared(&t, t_ids, &u, u_ids);
    assert_eq!(tri_tri_shared(&t, t_ids, &u, u_ids), expected);
    assert_eq!(tri_tri_shared(&u, u_ids, &t, t_ids), expected);

    let expected = reference::relation(&t, &Triangle::new(u.a, u.b, u.b));
    assert_eq!(segment_triangle(u.a, u.b, &t), expected);
});
