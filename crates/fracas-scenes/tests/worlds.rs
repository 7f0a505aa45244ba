//! Scenes on one world: their frames are true, and what moves in them moves for its reasons.

use fracas::mesh::{Mesh, Report, TriangleId};
use fracas::pairs::{Pair, Touch, brute};
use fracas_scenes::{Frame, SceneOptions, Size, start};
use std::collections::BTreeSet;

/// The triangles of a frame by slot; none where they are gone.
type Slots = Vec<Option<[u32; 3]>>;

/// All frames of a small run, and the triangles that are there after each.
fn play(scene: &str, steps: usize) -> (Vec<Frame>, Vec<Slots>) {
    let options = SceneOptions { size: Size::Small, steps: Some(steps), ..SceneOptions::default() };
    let frames: Vec<Frame> = start(scene, &options).unwrap().collect::<Result<_, _>>().unwrap();
    let (mut now, mut all) = (vec![], vec![]);
    for frame in &frames {
        for id in &frame.removed {
            let slot: &mut Option<[u32; 3]> = &mut now[id.index()];
            assert!(slot.take().is_some(), "{scene}: {id:?} is removed twice");
        }
        for new in &frame.added {
            assert_eq!(new.id.index(), now.len(), "{scene}: ids go on without gaps");
            now.push(Some(new.corners));
        }
        assert!(frame.positions.iter().all(|p| p.is_finite() && p.length() < 100.0));
        all.push(now.clone());
    }
    (frames, all)
}

/// The living triangles that pass a test, and their ids.
fn mesh_of(frame: &Frame, triangles: &[Option<[u32; 3]>], keep: impl Fn(u32) -> bool) -> (Mesh, Vec<u32>) {
    let living = (0..).zip(triangles).filter_map(|(id, corners)| Some((id, (*corners)?)));
    let (ids, corners): (Vec<u32>, Vec<[u32; 3]>) =
        living.filter(|(id, _)| keep(frame.fragments[*id as usize])).unzip();
    (Mesh::new(frame.positions.clone(), corners).unwrap(), ids)
}

fn assert_pairs_are_true(frame: &Frame, triangles: &[Option<[u32; 3]>]) {
    let (mesh, ids) = mesh_of(frame, triangles, |_| true);
    let named = |id: TriangleId| ids[id.index()];
    let found = brute::find_self_pairs(&mesh, Touch::Proper);
    let expected: Vec<Pair> = found.iter().map(|pair| Pair::new(named(pair.a), named(pair.b))).collect();
    assert!(
        frame.pairs == expected,
        "step {}: {} pairs, not {}",
        frame.step,
        frame.pairs.len(),
        expected.len()
    );
}

fn counter(frame: &Frame, name: &str) -> f64 {
    frame.counter(name).unwrap_or_else(|| panic!("there is no counter {name}"))
}

#[test]
fn parts_queue_at_the_gates_of_the_factory() {
    let (frames, triangles) = play("factory", 120);
    for step in [0, 1, 40, 120] {
        assert_pairs_are_true(&frames[step], &triangles[step]);
    }
    assert!(
        frames.iter().all(|frame| counter(frame, "bodies") == 130.0 && counter(frame, "pieces") == 130.0)
    );
    let touching = |range: std::ops::Range<usize>| {
        frames[range.clone()].iter().map(|frame| counter(frame, "touching")).sum::<f64>() / range.len() as f64
    };
    assert!(touching(100..120) > touching(1..20) + 5.0, "{} {}", touching(1..20), touching(100..120));
    assert!(frames.iter().skip(1).any(|frame| counter(frame, "began") > 0.0));
}

#[test]
fn parts_of_the_factory_were_pushed_by_a_fixed_length_and_did_not_turn() {
    let (frames, triangles) = play("factory", 120);
    // Each body by its first triangle: a corner of it, and the edge from there.
    let mut firsts: Vec<Option<[u32; 3]>> = vec![None; 130];
    for (slot, corners) in triangles[0].iter().enumerate().rev() {
        firsts[frames[0].fragments[slot] as usize] = *corners;
    }
    let bodies: Vec<[u32; 3]> = firsts.into_iter().flatten().collect();
    let edge = |frame: &Frame, [a, b, _]: [u32; 3]| frame.positions[b as usize] - frame.positions[a as usize];
    let speed = |k: usize, [corner, _, _]: [u32; 3]| {
        30.0 * frames[k].positions[corner as usize].distance(frames[k - 1].positions[corner as usize])
    };
    assert_eq!(counter(&frames[0], "touching"), 0.0);
    // What nothing has touched goes with the belt, and does not turn.
    let is_carried = |body: &&[u32; 3]| {
        let alike = edge(&frames[30], **body).distance(edge(&frames[0], **body)) < 1e-9;
        alike && (speed(30, **body) - 0.35).abs() < 1e-9
    };
    assert!(bodies.iter().filter(is_carried).count() > 60);
    // Blows turn parts.
    let turn = |body: &[u32; 3]| edge(&frames[0], *body).angle_between(edge(&frames[120], *body));
    assert!(bodies.iter().filter(|body| turn(body) > 0.1).count() > 20);
    // Parts come to rest in the queue (belts, rails and gates are eight bodies), and no blow throws a part far.
    let resting = bodies.iter().filter(|body| speed(120, **body) < 0.02).count();
    assert!(resting > 8 + 15, "{resting}");
    let fastest = bodies.iter().flat_map(|body| (1..=120).map(|k| speed(k, *body))).fold(0.0, f64::max);
    assert!(fastest < 2.0, "{fastest}");
    // Nothing leaves its belt: rails are at 0.41 metres from the middles, the gates at 2.125.
    for body in bodies.iter().filter(|body| speed(1, **body) > 0.0) {
        let (before, after) =
            (frames[0].positions[body[0] as usize], frames[120].positions[body[0] as usize]);
        let aside = (after.y - before.y.round()).abs();
        assert!(aside < 0.42 && after.x < 2.135, "{before} {after}");
    }
}

#[test]
fn the_sword_cuts_the_flag_where_it_meets_it() {
    let (frames, triangles) = play("flag", 180);
    for step in [0, 60, 120, 180] {
        assert_pairs_are_true(&frames[step], &triangles[step]);
    }
    let fronts: Vec<f64> = frames.iter().map(|frame| counter(frame, "front")).collect();
    assert!(fronts.is_sorted() && fronts[30] == fronts[0], "it begins where the sword arrives");
    // It advances only where the blade meets the cloth, which flutters: 0.5 of the 1.3 m of its way.
    assert!(fronts[180] > fronts[0] + 0.3, "{}", fronts[180]);
    assert!(frames.iter().skip(1).map(|frame| frame.added.len()).sum::<usize>() > 50);
    assert!(frames.iter().all(|frame| counter(frame, "pieces") == 3.0), "flag, pole and sword");
}

#[test]
fn the_wound_is_closed_surface_and_gapes() {
    let (frames, triangles) = play("surgery", 180);
    for step in [0, 60, 120, 180] {
        assert_pairs_are_true(&frames[step], &triangles[step]);
        let (body, _) = mesh_of(&frames[step], &triangles[step], |fragment| fragment == 0);
        assert!(Report::of(&body).closed, "step {step}");
    }
    let cracks: BTreeSet<u32> = frames
        .iter()
        .flat_map(|frame| &frame.added)
        .filter(|new| new.is_crack)
        .flat_map(|new| new.corners)
        .collect();
    let width = cracks.iter().map(|v| frames[180].positions[*v as usize].y.abs()).fold(0.0, f64::max);
    assert!(cracks.len() > 20 && width > 0.05, "{} vertices, {width}", cracks.len());
}

#[test]
fn walls_break_before_people_and_fall() {
    let (frames, triangles) = play("rubble", 120);
    assert!(frames.iter().map(|frame| counter(frame, "fractures")).sum::<f64>() >= 1.0);
    let last = &frames[120];
    assert!(counter(last, "pieces") > 5.0, "{}", counter(last, "pieces"));
    // Every piece is closed, and none is lost.
    let volume = |step: usize| {
        let fragments: BTreeSet<u32> = frames[step].fragments.iter().copied().collect();
        let of = |fragment: u32| {
            let (piece, _) = mesh_of(&frames[step], &triangles[step], |other| other == fragment);
            let report = Report::of(&piece);
            assert!(report.closed && report.oriented, "fragment {fragment}");
            report.volume.unwrap_or(0.0)
        };
        // The ground is 0; people change their volume a little as they walk.
        let pieces = fragments.into_iter().filter(|fragment| ![0, 2, Frame::DEAD].contains(fragment));
        pieces.map(of).sum::<f64>()
    };
    assert!((volume(120) / volume(0) - 1.0).abs() < 1e-9, "{} {}", volume(0), volume(120));
    let top = |frame: &Frame| {
        let (walls, _) =
            mesh_of(frame, &triangles[frame.step], |fragment| ![0, 2, Frame::DEAD].contains(&fragment));
        let used: BTreeSet<u32> = walls.triangles().iter().flatten().copied().collect();
        let heights = used.iter().map(|v| walls.positions()[*v as usize].z);
        (heights.clone().fold(f64::INFINITY, f64::min), heights.sum::<f64>() / used.len() as f64)
    };
    // Pieces sink up to 6 cm into the ground where people tread on them.
    assert!(top(last).0 > -0.08, "{:?}", top(last));
    assert!(top(last).1 < 0.8 * top(&frames[0]).1, "{:?} {:?}", top(&frames[0]), top(last));
}
