//! Two bodies that graze each other: boxes are computed only where they are near.

use super::FRAMES_PER_KEY;
use super::played::{Least, Played, ROUNDS};
use crate::metric::{Better, Report};
use fracas::geom::{DVec3, Pose};
use fracas::kinetic::DrivenBody;
use fracas::{FindOptions, Finder, MeshTree, Threads};
use fracas_scenes::motion::KeyedMotion;

/// Pairs of two bodies that graze each other, at most, at keys.
const MOST_PAIRS: usize = 100;

/// Two figures in dresses that graze each other.
pub(super) fn few_contacts(report: &mut Report, dress: &[KeyedMotion]) {
    let played = Played::new(&dress[0]);
    let mut finder = Finder::new(FindOptions { threads: Threads::One, ..FindOptions::default() });
    let aside = grazing(&played, &mut finder);
    let other = Played { motion: &aside, first: played.first, keys: played.keys };
    let bodies = [&played, &other];
    let mut trees = bodies.map(|body| body.tree(false));
    let mut driven = bodies.map(|body| DrivenBody::new(body.tree(false).into_mesh()));
    let mut given = [vec![], vec![]];
    let frames = (played.keys * FRAMES_PER_KEY) as f64;
    let (mut counts, mut lazy_pairs) = (vec![], 0);
    let [mut interpolating, mut refitting, mut lazy, mut driving] = [const { Least::new() }; 4];
    // All ways in turn, so that a disturbance of the machine meets all of them.
    for _ in 0..ROUNDS {
        [&mut interpolating, &mut refitting, &mut lazy, &mut driving].into_iter().for_each(Least::rewind);
        counts.clear();
        played.for_each_frame(|key, share, _| {
            interpolating.frame(|| {
                bodies.iter().zip(&mut given).for_each(|(body, to)| body.interpolate(key, share, to));
            });
            refitting.frame(|| {
                for (tree, positions) in trees.iter_mut().zip(&given) {
                    tree.set_positions(positions).expect("finite");
                }
                counts.push(finder.find_pairs(&trees[0], &trees[1]).len());
            });
            // Positions have just been computed on this side, too; that is not counted again.
            bodies.iter().zip(&mut given).for_each(|(body, to)| body.interpolate(key, share, to));
            driving.frame(|| {
                for (body, positions) in driven.iter_mut().zip(&given) {
                    body.set_positions(positions).expect("finite");
                }
                let found = finder.find_pairs(&driven[0], &driven[1]).len();
                assert_eq!(Some(&found), counts.last(), "both sides must find the same");
            });
        });
        let [mut a, mut b] = bodies.map(Played::body);
        lazy_pairs = 0;
        played.for_each_frame(|_, _, time| {
            lazy.frame(|| {
                a.advance_to(time).expect("later");
                b.advance_to(time).expect("later");
                lazy_pairs += finder.find_pairs(&a, &b).len();
            });
        });
    }
    let [interpolating, refitting, lazy, driving] =
        [interpolating, refitting, lazy, driving].map(|least| least.sum());
    assert_eq!(counts.iter().sum::<usize>(), lazy_pairs, "both sides must find the same");
    let most = counts.iter().max().copied().unwrap_or(0);
    let without = counts.iter().filter(|count| **count == 0).count();
    let contacts = format!(
        "{:.1} pairs per frame, {most} at most, {without} of {frames} frames without",
        lazy_pairs as f64 / frames
    );
    report.say(&format!("two dresses that graze each other, {}, {contacts}", played.note()));
    report.say(&format!(
        "  interpolation {:.3} ms per frame, refit and query {:.3} ms, chord boxes and query {:.3} ms, blocks and query {:.3} ms",
        interpolating * 1e3 / frames,
        refitting * 1e3 / frames,
        lazy * 1e3 / frames,
        driving * 1e3 / frames
    ));
    let note = format!("two of {}; {contacts}", played.note());
    let ratio = (interpolating + refitting) / lazy;
    report.metric("kinetic.few_contacts.vs_refit", ratio, "x", Better::Higher, &note);
    let note = format!("{note}; positions are given: interpolation counted on neither side");
    report.metric("kinetic.few_contacts_no_keys.vs_refit", refitting / driving, "x", Better::Higher, &note);
}

/// A second dress that walks beside the first one: at every key as near as it can be with no more than a few pairs.
fn grazing(played: &Played, finder: &mut Finder) -> KeyedMotion {
    let motion = played.motion;
    let mut keys = motion.keys().to_vec();
    for key in played.first..=played.first + played.keys {
        let tree = MeshTree::build(motion.mesh_at_key(key).expect("a key that is there"));
        let bounds = tree.view().bounds();
        // Apart at the width of the dress, and deep in each other at half of it.
        let mut far = bounds.max.x - bounds.min.x;
        let mut near = 0.5 * far;
        for _ in 0..20 {
            let middle = f64::midpoint(near, far);
            let aside = Pose::from_translation(DVec3::X * middle).expect("finite");
            let is_few = finder.find_pairs(&tree, tree.at(&aside)).len() <= MOST_PAIRS;
            *(if is_few { &mut far } else { &mut near }) = middle;
        }
        keys[key].iter_mut().for_each(|p| p.x += far);
    }
    let (times, triangles) = (motion.key_times().to_vec(), motion.triangles().to_vec());
    KeyedMotion::new("cloth", triangles, times, keys).expect("keys of the same body")
}
