//! Any bodies at any poses: a pose is refused, or all engines agree with brute force and no question panics.
#![no_main]

use fracas::pairs::brute;
use fracas::{FindOptions, Finder, MeshTree, TearingBody, Threads, Touch, View};
use libfuzzer_sys::fuzz_target;

#[path = "../input.rs"]
mod input;
use input::Input;

fuzz_target!(|data: &[u8]| {
    let mut input = Input(data);
    let touch = if input.byte() % 2 == 0 { Touch::Include } else { Touch::Proper };
    let (Some(a), Some(b)) = (input.mesh(Input::number), input.mesh(Input::number)) else { return };
    let (Some(pose_a), Some(pose_b)) = (input.pose(), input.pose()) else { return };
    // Poses that follow each other leave the range too.
    let pose_a = if input.byte() % 4 == 0 { pose_b.after(&pose_a) } else { pose_a };
    let (tree_a, tree_b) = (MeshTree::build(a.clone()), MeshTree::build(b.clone()));
    let (torn_a, torn_b) = (TearingBody::build(a.clone()), TearingBody::build(b.clone()));
    let views = [
        [View::from(&a), View::from(&b)],
        [tree_a.view(), tree_b.view()],
        [torn_a.view(), torn_b.view()],
        [View::from(&a), tree_b.view()],
    ];
    let mut finder = Finder::new(FindOptions { touch, threads: Threads::One, ..FindOptions::default() });
    let mut expected = None;
    for [first, second] in views {
        let (Ok(first), Ok(second)) = (first.try_at(&pose_a), second.try_at(&pose_b)) else { continue };
        let expected = expected.get_or_insert_with(|| brute::find_pairs(&a, &pose_a, &b, &pose_b, touch));
        assert_eq!(finder.find_pairs(first, second), &expected[..]);
        assert_eq!(finder.find_first(first, second).is_some(), !expected.is_empty());
        let closest = finder.find_closest(first, second, f64::INFINITY);
        if touch == Touch::Include {
            assert_eq!(closest.is_some_and(|closest| closest.distance == 0.0), !expected.is_empty());
        }
        let (p, reach) = (input.point(Input::number), input.number());
        let _ = (first.nearest(p, reach), first.side_of(p), first.bounds(), first.winding_number(p));
        let _ = finder.find_near(first, second, reach).len();
    }
});
