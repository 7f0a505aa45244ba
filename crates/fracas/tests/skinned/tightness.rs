//! Bounds against the smallest boxes.

use crate::motions::{ball, body, waving};
use fracas::skinned::{Bound, SkinOptions};

#[test]
fn bounds_are_nearly_as_tight_as_the_paper_says_and_the_knapsack_is_tighter() {
    let (cloud, skin) = ball(1, 20_000, 65, 1.0);
    let [mut simple, mut tight] = [Bound::Equation12, Bound::Knapsack]
        .map(|bound| body(&skin, &SkinOptions { bound, ..SkinOptions::default() }));
    for step in 0..4 {
        let transforms = waving(&cloud, step, 1.0);
        simple.set_transforms(&transforms).unwrap();
        tight.set_transforms(&transforms).unwrap();
        let (simple, tight) = (simple.tightness(), tight.tightness());
        assert_eq!(simple[0].boxes, 1);
        // 2,500 leaves, and the nodes above them.
        assert!(simple.len() >= 4 && simple.iter().map(|level| level.boxes).sum::<usize>() > 2500);
        for (level, (simple, tight)) in simple.iter().zip(&tight).enumerate() {
            assert_eq!(simple.boxes, tight.boxes);
            assert!(simple.average >= 1.0 && tight.average >= 1.0);
            // Both are padded for their own rounding.
            assert!(tight.average <= simple.average * 1.001, "level {level}: {simple:?} {tight:?}");
            assert!(simple.average < if level == 0 { 1.8 } else { 1.6 }, "level {level}: {simple:?}");
        }
    }
}
