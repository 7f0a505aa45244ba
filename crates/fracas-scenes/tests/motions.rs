//! What bodies on known paths promise: nothing meets between keys, the same keys every time, bad input refused.
//!
//! Impacts are looked for in another way than the solver does: a grid over the boxes that triangles sweep, and the exact tests of
//! the library for all features of triangles that share a cell.

use fracas::Mesh;
use fracas::exact::{MovingPoint, edge_edge_impact, vertex_triangle_impact};
use fracas::geom::{Box3, DVec3};
use fracas_scenes::motion::{self, KeyedMotion};
use fracas_scenes::{SceneError, SceneOptions, Size, start};
use std::collections::{BTreeMap, BTreeSet};

/// Two triangles, the bodies they belong to, and all their corners in motion.
struct Moving {
    body: usize,
    corners: [u32; 3],
    points: [MovingPoint; 3],
    swept: Box3,
}

/// All triangles between a key and the next.
fn moving(bodies: &[KeyedMotion], key: usize) -> Vec<Moving> {
    let of_body = |(body, motion): (usize, &KeyedMotion)| {
        let [start, end] = [motion.keys()[key].clone(), motion.keys()[key + 1].clone()];
        let of = move |corners: &[u32; 3]| {
            let points = corners.map(|v| MovingPoint { start: start[v as usize], end: end[v as usize] });
            let swept = Box3::from_points(points.iter().flat_map(|p| [p.start, p.end]));
            Moving { body, corners: *corners, points, swept }
        };
        motion.triangles().iter().map(of).collect::<Vec<_>>()
    };
    bodies.iter().enumerate().flat_map(of_body).collect()
}

/// Whether two triangles of different features meet while they move.
fn meet(a: &Moving, b: &Moving) -> bool {
    let shared = |v: u32, w: u32| a.body == b.body && v == w;
    for (one, other) in [(a, b), (b, a)] {
        for (v, point) in one.corners.iter().zip(one.points) {
            let is_corner = other.corners.iter().any(|w| shared(*v, *w));
            if !is_corner && vertex_triangle_impact(point, other.points).is_some() {
                return true;
            }
        }
    }
    for i in 0..3 {
        for j in 0..3 {
            let (p, q) = ([i, (i + 1) % 3], [j, (j + 1) % 3]);
            let is_shared = p.iter().any(|&i| q.iter().any(|&j| shared(a.corners[i], b.corners[j])));
            if !is_shared && edge_edge_impact(p.map(|i| a.points[i]), q.map(|j| b.points[j])).is_some() {
                return true;
            }
        }
    }
    false
}

/// The first two triangles that meet between a key and the next, unless both are of the last body, which nobody promised anything
/// about.
fn first_meeting(bodies: &[KeyedMotion], key: usize) -> Option<(usize, usize)> {
    let triangles = moving(bodies, key);
    let cell =
        3.0 * triangles.iter().map(|t| t.swept.extent().max_element()).sum::<f64>() / triangles.len() as f64;
    let mut cells: BTreeMap<[i64; 3], Vec<usize>> = BTreeMap::new();
    for (t, triangle) in triangles.iter().enumerate() {
        let [low, high] = [triangle.swept.min, triangle.swept.max].map(|p| (p / cell).floor().to_array());
        for x in low[0] as i64..=high[0] as i64 {
            for y in low[1] as i64..=high[1] as i64 {
                for z in low[2] as i64..=high[2] as i64 {
                    cells.entry([x, y, z]).or_default().push(t);
                }
            }
        }
    }
    let mut pairs = BTreeSet::new();
    for list in cells.values() {
        for (k, &t) in list.iter().enumerate() {
            for &u in &list[k + 1..] {
                let [a, b] = [&triangles[t], &triangles[u]];
                if (a.body == 0 || b.body == 0) && a.swept.overlaps(&b.swept) {
                    pairs.insert((t, u));
                }
            }
        }
    }
    pairs.into_iter().find(|&(t, u)| meet(&triangles[t], &triangles[u]))
}

/// Checks a motion at some keys, and that it moves without flying apart.
#[track_caller]
fn check(bodies: &[KeyedMotion], every: usize) {
    let last = bodies[0].keys().len() - 1;
    for key in (0..last).step_by(every) {
        assert_eq!(first_meeting(bodies, key), None, "after key {key}");
    }
    for body in bodies {
        assert_eq!(body.key_times(), bodies[0].key_times());
        for key in body.keys() {
            assert!(key.iter().all(|p| p.is_finite() && p.length() < 3.0), "{} stays here", body.name());
        }
    }
    let cloth = &bodies[0];
    let lengths = |key: usize| {
        let at = |v: u32| cloth.keys()[key][v as usize];
        cloth.triangles().iter().map(|[a, b, _]| at(*a).distance(at(*b))).collect::<Vec<_>>()
    };
    let stretched = lengths(0).iter().zip(lengths(last)).map(|(a, b)| (b / a - 1.0).abs()).sum::<f64>();
    assert!(stretched / (cloth.triangles().len() as f64) < 0.12, "{stretched}");
    let [most, mean] = cloth.motion_per_key();
    assert!(mean > 0.02 && most < 40.0, "{most} and {mean} edge lengths per key");
}

#[test]
fn a_crossing_is_met_and_the_check_sees_it() {
    let bodies = motion::crossing(400, 20.0).unwrap();
    let met = (0..bodies[0].keys().len() - 1).filter(|&key| first_meeting(&bodies, key).is_some()).count();
    assert!(met >= 3, "{met}");
}

#[test]
fn the_tablecloth_meets_nothing_between_keys() {
    let bodies = motion::tablecloth(2_000).unwrap();
    check(&bodies, 4);
    let low = |key: usize| bodies[0].keys()[key].iter().map(|p| p.z).fold(f64::INFINITY, f64::min);
    let last = bodies[0].keys().len() - 1;
    assert!(low(0) > 0.74 && low(last) < 0.55, "it hangs down to {}", low(last));
    // Falling has made it faster; lying on the table it has come nearly to rest.
    let speed = |key: usize| {
        let ways = bodies[0].keys()[key].iter().zip(&bodies[0].keys()[key + 1]).map(|(p, q)| p.distance(*q));
        ways.sum::<f64>() / (motion::KEY_SECONDS * bodies[0].keys()[0].len() as f64)
    };
    let fastest = (0..last).map(speed).fold(0.0, f64::max);
    assert!(fastest < 3.0 && speed(last - 1) < 0.35 * fastest, "{fastest} and {}", speed(last - 1));
}

#[test]
fn clothes_meet_neither_themselves_nor_who_wears_them() {
    for (bodies, tall) in [(motion::shirt(4_000).unwrap(), 1.75), (motion::dress(6_000).unwrap(), 1.6)] {
        check(&bodies, 5);
        let bounds = bodies[1].mesh_at_key(0).unwrap().bounds();
        assert!((bounds.max.z - tall).abs() < 0.1, "{} m tall", bounds.max.z);
        // The cloth stays on: its mean height changes little.
        let mean = |key: &Vec<DVec3>| key.iter().map(|p| p.z).sum::<f64>() / key.len() as f64;
        let heights: Vec<f64> = bodies[0].keys().iter().map(mean).collect();
        let (low, high) = heights.iter().fold((f64::MAX, f64::MIN), |(l, h), z| (l.min(*z), h.max(*z)));
        assert!(high - low < 0.1, "from {low} to {high}");
    }
}

#[test]
fn finer_clothes_meet_nothing_either() {
    // The solver gets a quarter of these triangles.
    let bodies = motion::shirt(32_000).unwrap();
    assert!((bodies[0].triangles().len() as f64 / 32_000.0 - 1.0).abs() < 0.05);
    check(&bodies, 10);
}

#[test]
fn keys_are_the_same_every_time() {
    assert!(motion::tablecloth(800).unwrap() == motion::tablecloth(800).unwrap());
    assert!(motion::spheres(2_000).unwrap() == motion::spheres(2_000).unwrap());
    let frames = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let options = SceneOptions { size: Size::Small, steps: Some(6), ..SceneOptions::default() };
        pool.install(|| {
            start("shirt", &options).unwrap().map(|frame| frame.unwrap().positions).collect::<Vec<_>>()
        })
    };
    assert!(frames(1) == frames(3));
}

#[test]
fn bad_sizes_and_bad_keys_are_refused() {
    let sentences = [
        (motion::tablecloth(10).unwrap_err(), "tablecloth has 200 to 200000 triangles, not 10"),
        (motion::shirt(100).unwrap_err(), "shirt has 2000 to 1200000 triangles, not 100"),
        (
            motion::dress(usize::MAX).unwrap_err(),
            "dress has 2000 to 1200000 triangles, not 18446744073709551615",
        ),
        (motion::spheres(0).unwrap_err(), "spheres has 80 to 2000000 triangles, not 0"),
        (motion::crossing(400, -1.0).unwrap_err(), "cloths meet at 0.01 to 10000 m/s, not at -1"),
    ];
    for (error, sentence) in sentences {
        assert_eq!(error.to_string(), sentence);
    }
    let tile = vec![DVec3::ZERO, DVec3::X, DVec3::Y];
    let motion = |times: &[f64], keys: Vec<Vec<DVec3>>| {
        KeyedMotion::new("tile", vec![[0, 1, 2]], times.to_vec(), keys)
    };
    assert!(motion(&[0.0, 1.0], vec![tile.clone(); 2]).is_ok());
    assert_eq!(motion(&[], vec![]), Err(SceneError::BadKeys { keys: 0, times: 0 }));
    assert_eq!(motion(&[0.0], vec![tile.clone(); 2]), Err(SceneError::BadKeys { keys: 2, times: 1 }));
    for second in [0.0, -1.0, f64::INFINITY] {
        let error = motion(&[0.0, second], vec![tile.clone(); 2]).unwrap_err();
        assert_eq!(error, SceneError::BadKeyTime { key: 1, seconds: second });
    }
    assert!(matches!(
        motion(&[0.0, f64::NAN], vec![tile.clone(); 2]),
        Err(SceneError::BadKeyTime { key: 1, .. })
    ));
    let mut bad = tile.clone();
    bad[1].x = f64::NAN;
    assert!(matches!(motion(&[0.0, 1.0], vec![tile.clone(), bad]), Err(SceneError::Mesh(_))));
    assert!(matches!(motion(&[0.0, 1.0], vec![tile.clone(), tile[..2].to_vec()]), Err(SceneError::Mesh(_))));
    let body = motion(&[0.0], vec![tile]).unwrap();
    assert_eq!(
        body.mesh_at_key(1).map(|mesh: Mesh| mesh.vertex_count()),
        Err(SceneError::NoSuchKey { key: 1, keys: 1 })
    );
}

#[test]
fn scenes_play_between_keys_without_pairs() {
    for scene in ["tablecloth", "shirt", "dress"] {
        let options = SceneOptions { size: Size::Small, steps: Some(12), ..SceneOptions::default() };
        let frames: Vec<_> = start(scene, &options).unwrap().map(Result::unwrap).collect();
        assert_eq!(frames.len(), 13);
        for frame in &frames {
            let of_cloth = |pair: &fracas::Pair| frame.fragments[pair.a.index()] == 0;
            assert!(!frame.pairs.iter().any(of_cloth), "{scene}, step {}", frame.step);
        }
        assert!(frames[0].positions != frames[1].positions && frames[1].positions != frames[2].positions);
    }
}

#[test]
fn all_crossings_are_counted_and_fast_ones_leave_no_pairs() {
    let options = SceneOptions { size: Size::Small, ..SceneOptions::default() };
    let frames: Vec<_> = start("crossing", &options).unwrap().map(Result::unwrap).collect();
    let impacts: f64 = frames.iter().filter_map(|frame| frame.counter("impacts")).sum();
    let edges = edges_on_the_line();
    assert_eq!(
        impacts,
        (3 * edges[0] * edges[1]) as f64,
        "each of three pairs of sheets, every edge with every edge"
    );
    // The fast pair has passed in the first frame and leaves no pair of triangles.
    assert!(frames[1].counter("impacts").unwrap() >= (edges[0] * edges[1]) as f64);
    let fastest = |pair: &fracas::Pair| frames[0].fragments[pair.a.index()] >= 4;
    assert!(!frames.iter().any(|frame| frame.pairs.iter().any(fastest)));
}

/// How many edges of each sheet of a crossing cross the line in which their planes meet.
fn edges_on_the_line() -> [usize; 2] {
    let bodies = motion::crossing(400, 20.0).unwrap();
    let count = |body: usize, height: fn(&DVec3) -> f64| {
        let mut edges = BTreeSet::new();
        for [a, b, c] in bodies[body].triangles() {
            edges.extend([[a, b], [b, c], [c, a]].map(|[v, w]| [v.min(w), v.max(w)]));
        }
        let above = |v: u32| height(&bodies[body].keys()[0][v as usize]) > 0.0;
        edges.iter().filter(|[v, w]| above(**v) != above(**w)).count()
    };
    [count(0, |p| p.z), count(1, |p| p.y)]
}

#[test]
fn spheres_fly_as_planned() {
    let bodies = motion::spheres(2_000).unwrap();
    let options = SceneOptions { size: Size::Small, steps: Some(60), ..SceneOptions::default() };
    let frames: Vec<_> = start("spheres", &options).unwrap().map(Result::unwrap).collect();
    let changes = |frame: &fracas_scenes::Frame| {
        let is_now = |change: &&motion::PlanChange| (change.seconds - frame.seconds).abs() < 1e-9;
        bodies.iter().map(|body| body.changes.iter().filter(is_now).count()).sum::<usize>() as f64
    };
    for frame in &frames {
        assert_eq!(frame.counter("replanned"), Some(changes(frame)), "step {}", frame.step);
        let planned: Vec<DVec3> = bodies.iter().flat_map(|body| body.positions_at(frame.seconds)).collect();
        let off = planned.iter().zip(&frame.positions).map(|(p, q)| p.distance(*q)).fold(0.0, f64::max);
        assert!(off < 1e-12, "step {}: {off}", frame.step);
    }
    assert!(frames.iter().filter(|frame| frame.counter("replanned") > Some(0.0)).count() > 5);
}
