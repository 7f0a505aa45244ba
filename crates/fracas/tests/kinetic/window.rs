//! Windows against brute force at many times.

use crate::motions::{Motion, cloth, quarter_turns, rotation, ties};
use fracas::geom::{DVec3, Pose, Triangle};
use fracas::internal::Random;
use fracas::kinetic::{KineticBody, Window};
use fracas::mesh::Mesh;
use fracas::pairs::{Pair, Touch, brute};
use std::collections::BTreeSet;

fn body(motion: &Motion) -> KineticBody {
    KineticBody::new(motion.triangles.clone(), motion.plans()).unwrap()
}

fn frozen(body: &KineticBody) -> Mesh {
    let mut positions = vec![];
    body.plans().positions_at(body.now(), &mut positions);
    Mesh::new(positions, body.triangles().to_vec()).unwrap()
}

fn boxes_overlap(t: &Triangle, u: &Triangle) -> bool {
    t.bounds().overlaps(&u.bounds())
}

/// Every pair whose boxes overlap at a time is a pair of the window at that time, and intersections are those of brute force.
#[test]
fn windows_within_a_body_miss_nothing_at_any_time() {
    let mut random = Random::new(1);
    for motion in [cloth(9, 5), rotation(6, 4, 1.1), quarter_turns(5, 5), ties(5, 4, 2)] {
        let mut body = body(&motion);
        let mut window = Window::default();
        let mut key = motion.times[0];
        for &next in &motion.times[1..] {
            body.advance_to(f64::midpoint(key, next)).unwrap();
            window.find_self(&body);
            let once: BTreeSet<Pair> = window.pairs().iter().map(|pair| pair.pair).collect();
            assert_eq!(once.len(), window.pairs().len(), "each once");
            let mut times: Vec<f64> = (0..20).map(|_| f64::midpoint(key, next) * random.unit()).collect();
            times.retain(|time| *time > body.now() && *time < next);
            times.extend([body.now(), next]);
            times.sort_unstable_by(f64::total_cmp);
            for time in times {
                body.advance_to(time).unwrap();
                let mesh = frozen(&body);
                let mut listed = vec![];
                window.list_at(time, &mut listed);
                assert!(window.at(time).eq(listed.iter().copied()));
                let near: BTreeSet<Pair> = listed.into_iter().collect();
                let shares = |i: u32, j: u32| {
                    let [v, w] = [i, j].map(|t| mesh.triangles()[t as usize]);
                    v.iter().any(|v| w.contains(v))
                };
                for i in 0..mesh.triangle_count() as u32 {
                    for j in i + 1..mesh.triangle_count() as u32 {
                        let [t, u] = [i, j].map(|t| mesh.triangle(fracas::TriangleId(t)));
                        if !shares(i, j) && boxes_overlap(&t, &u) {
                            assert!(near.contains(&Pair::new(i, j)), "{} {time} {i} {j}", motion.name);
                        }
                    }
                }
                let expected: Vec<Pair> = brute::find_self_pairs(&mesh, Touch::Include)
                    .into_iter()
                    .filter(|pair| !shares(pair.a.0, pair.b.0))
                    .collect();
                assert_eq!(window.intersections(&body, &body, Touch::Include), expected, "{}", motion.name);
            }
            key = next;
        }
    }
}

/// Bodies of different sizes with keys at different times: the window is what their intervals share.
#[test]
fn windows_between_bodies_miss_nothing_at_any_time() {
    let [large, small] = [cloth(8, 5), rotation(5, 4, 0.8).mapped(|p| 0.2 * p + DVec3::splat(0.1))];
    let (mut a, mut b) = (body(&large), body(&small));
    let mut window = Window::default();
    let (mut time, mut met) = (0.0, 0);
    while time < 1.0 {
        a.advance_to(time).unwrap();
        b.advance_to(time).unwrap();
        if !(window.times()[0]..=window.times()[1]).contains(&time) || time == 0.0 {
            window.find(&a, &b);
        }
        let expected =
            brute::find_pairs(&frozen(&a), &Pose::IDENTITY, &frozen(&b), &Pose::IDENTITY, Touch::Include);
        met += expected.len();
        assert_eq!(window.intersections(&a, &b, Touch::Include), expected, "{time}");
        time += 0.037;
    }
    assert!(met > 0);
}

/// A sheet that moves as a whole meets itself nowhere, although its swept boxes overlap.
#[test]
fn a_translation_has_no_pairs_but_those_it_begins_with() {
    let flat = rotation(6, 1, 0.0);
    let mut moving = flat.clone();
    moving.times = vec![0.0, 1.0];
    moving.frames.push(flat.frames[0].iter().map(|p| *p + DVec3::new(3.0, 0.2, 0.1)).collect());
    let mut window = Window::default();
    let all = window.find_self(&body(&moving)).to_vec();
    assert!(all.iter().all(|pair| pair.from == 0.0 && pair.until == 1.0), "{all:?}");
}
