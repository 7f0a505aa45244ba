//! Orientation signs against integers of any length, for any finite coordinates.
#![no_main]

use fracas::exact::{DVec2, Sign, orient2d, orient3d};
use fracas::geom::DVec3;
use libfuzzer_sys::fuzz_target;

#[allow(dead_code)]
#[path = "../../crates/fracas/tests/exact/reference.rs"]
mod reference;

/// Twelve coordinates. The first byte says how: any bits, small integers, or small integers a few units in the
/// last place off and at any scale.
fn coordinates(data: &[u8]) -> Option<[f64; 12]> {
    let (&mode, rest) = data.split_first()?;
    let width = [8, 1, 2][usize::from(mode % 3)];
    if rest.len() < 12 * width {
        return None;
    }
    let scale = 2f64.powi(i32::from(mode / 3) * 20 - 840);
    let mut chunks = rest.chunks_exact(width);
    let values: [f64; 12] = std::array::from_fn(|_| match chunks.next() {
        Some(&[small]) => f64::from(small as i8),
        Some(&[small, ulps]) => {
            let x = f64::from(small as i8) * scale;
            f64::from_bits(x.to_bits().saturating_add_signed(i64::from(ulps as i8 % 4)))
        }
        Some(bytes) => bytes.try_into().map_or(0.0, |bits| f64::from_bits(u64::from_le_bytes(bits))),
        None => 0.0,
    });
    values.iter().all(|x| x.is_finite()).then_some(values)
}

fuzz_target!(|data: &[u8]| {
    let Some(x) = coordinates(data) else { return };
    let p: [DVec3; 4] = std::array::from_fn(|k| DVec3::new(x[3 * k], x[3 * k + 1], x[3 * k + 2]));
    let expected = reference::volume_sign(p);
    assert_eq!(orient3d(p[0], p[1], p[2], p[3]), expected);
    assert_eq!(orient3d(p[3], p[1], p[0], p[2]), expected);
    assert_eq!(orient3d(p[0], p[1], p[3], p[2]), expected.opposite());

    let [a, b, c] = [p[0], p[1], p[2]].map(DVec3::truncate);
    // The area below a point that is one above the plane.
    let area = |a: DVec2, b: DVec2, c: DVec2| -> Sign {
        let [a, b, c] = [a, b, c].map(|p| p.extend(0.0));
        reference::volume_sign([a, b, c, a + DVec3::Z])
    };
    assert_eq!(orient2d(a, b, c), area(a, b, c));
    assert_eq!(orient2d(b, a, c), area(a, b, c).opposite());
});
