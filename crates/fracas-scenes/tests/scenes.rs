//! What must hold in every frame of every scene, at small sizes.

use fracas::geom::DVec3;
use fracas::mesh::{Mesh, Report, TriangleId, shapes};
use fracas::pairs::{Pair, Touch, brute};
use fracas_scenes::{Frame, SCENES, SceneError, SceneOptions, Size, start};
use std::collections::BTreeSet;

fn small(steps: usize) -> SceneOptions {
    SceneOptions { size: Size::Small, steps: Some(steps), ..SceneOptions::default() }
}

fn frames(scene: &str, options: &SceneOptions) -> Vec<Frame> {
    start(scene, options).unwrap().collect::<Result<_, _>>().unwrap()
}

/// The triangles that are there, put together from what frames add and remove.
#[derive(Default)]
struct Triangles(Vec<Option<[u32; 3]>>);

impl Triangles {
    fn follow(&mut self, frame: &Frame) {
        for id in &frame.removed {
            assert!(self.0[id.index()].take().is_some(), "{id:?} is removed twice");
        }
        for new in &frame.added {
            assert_eq!(new.id.index(), self.0.len(), "ids go on without gaps");
            self.0.push(Some(new.corners));
        }
        let alive: Vec<bool> = self.0.iter().map(Option::is_some).collect();
        let said: Vec<bool> = frame.fragments.iter().map(|&fragment| fragment != Frame::DEAD).collect();
        assert_eq!(alive, said, "fragments are given for what is alive");
    }

    /// The living ones that pass a test, as a mesh, and their ids.
    fn mesh(&self, frame: &Frame, keep: impl Fn(usize) -> bool) -> (Mesh, Vec<u32>) {
        let kept = self.0.iter().enumerate().filter(|(slot, _)| keep(*slot));
        let (ids, triangles): (Vec<u32>, Vec<[u32; 3]>) =
            kept.filter_map(|(slot, corners)| Some((slot as u32, (*corners)?))).unzip();
        (Mesh::new(frame.positions.clone(), triangles).unwrap(), ids)
    }
}

fn assert_pairs_are_those_of_brute_force(frame: &Frame, triangles: &Triangles, within_pieces: bool) {
    let (mesh, ids) = triangles.mesh(frame, |_| true);
    let named = |id: TriangleId| ids[id.index()];
    let found = brute::find_self_pairs(&mesh, Touch::Proper);
    let all = found.iter().map(|pair| Pair::new(named(pair.a), named(pair.b)));
    let fragment = |id: TriangleId| frame.fragments[id.index()];
    let true_pairs: Vec<Pair> =
        all.filter(|pair| within_pieces || fragment(pair.a) != fragment(pair.b)).collect();
    assert_eq!(frame.pairs, true_pairs, "step {}", frame.step);
}

fn assert_fragments_are_closed(frame: &Frame, triangles: &Triangles) {
    let fragments: BTreeSet<u32> = frame.fragments.iter().copied().filter(|&f| f != Frame::DEAD).collect();
    assert_eq!(fragments.len() as f64, frame.counter("pieces").unwrap());
    for fragment in fragments {
        let (piece, _) = triangles.mesh(frame, |slot| frame.fragments[slot] == fragment);
        let report = Report::of(&piece);
        assert!(report.closed && report.oriented, "fragment {fragment} in step {}", frame.step);
    }
}

#[test]
fn frames_tell_all_and_come_out_the_same_on_any_number_of_threads() {
    for scene in SCENES {
        let alone = match start(scene.name, &SceneOptions { parallel: false, ..small(30) }) {
            Err(error @ SceneError::NoData { .. }) => {
                eprintln!("skipped: {error}");
                continue;
            }
            run => run.unwrap().collect::<Result<Vec<Frame>, _>>().unwrap(),
        };
        let on = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| frames(scene.name, &small(30)))
        };
        assert_eq!(alone.len(), 31);
        let mut triangles = Triangles::default();
        alone.iter().for_each(|frame| triangles.follow(frame));
        for threads in [1, 3] {
            for (a, mut b) in alone.iter().zip(on(threads)) {
                b.times = a.times.clone();
                assert!(*a == b, "step {} of {} differs on {threads} threads", a.step, scene.name);
            }
        }
    }
}

/// Runs a scene and compares the pairs of some steps with brute force; returns all frames.
fn frames_checked(scene: &str, options: &SceneOptions, checked: &[usize]) -> Vec<Frame> {
    let frames = frames(scene, options);
    let mut triangles = Triangles::default();
    for frame in &frames {
        triangles.follow(frame);
        if checked.contains(&frame.step) {
            assert_pairs_are_those_of_brute_force(frame, &triangles, true);
        }
    }
    frames
}

fn counter(frame: &Frame, name: &str) -> f64 {
    frame.counter(name).unwrap_or_else(|| panic!("there is no counter {name}"))
}

/// The step with the most pairs.
fn fullest(frames: &[Frame]) -> usize {
    frames.iter().max_by_key(|frame| frame.pairs.len()).unwrap().step
}

#[test]
fn cloth_stays_outside_of_what_it_falls_on_and_comes_to_rest() {
    for (scene, steps) in [("chair", 200), ("cloth-statue", 150)] {
        let frames = frames_checked(scene, &small(steps), &[0, 20, 60, steps]);
        for frame in &frames {
            assert!(counter(frame, "deepest") < 0.01, "{scene}, step {}", frame.step);
            assert!(counter(frame, "strain") < 0.05, "{scene}, step {}", frame.step);
        }
        let most = frames.iter().map(|frame| counter(frame, "energy")).fold(0.0, f64::max);
        let last = counter(frames.last().unwrap(), "energy");
        assert!(most > 100.0 && last < 0.01 * most, "{scene} ends with {last} of {most}");
    }
}

#[test]
fn the_ball_takes_the_cloth_through_the_funnel() {
    let frames = frames_checked("funnel", &small(240), &[0, 60, 120, 240]);
    let cloth = frames[0].fragments.iter().filter(|&&fragment| fragment == 0).count();
    let vertices = 1 + frames[0].added[..cloth].iter().flat_map(|new| new.corners).max().unwrap() as usize;
    let heights = |frame: &Frame| frame.positions[..vertices].iter().map(|p| p.z).collect::<Vec<_>>();
    let mean = |frame: &Frame| heights(frame).iter().sum::<f64>() / vertices as f64;
    assert!(mean(&frames[0]) > 0.0, "it lies on the rim");
    assert!(mean(&frames[240]) < -0.5, "most of it is in the spout: {}", mean(&frames[240]));
    assert!(heights(&frames[240]).iter().any(|&z| z < -0.8), "some of it is through");
    assert!(frames.iter().all(|frame| counter(frame, "deepest") < 0.02));
    // Nothing leaves through the wall.
    for p in &frames[120].positions[..vertices] {
        assert!(p.z < -0.85 || p.z > 0.0 || p.x.hypot(p.y) < 0.62, "{p}");
    }
}

#[test]
fn the_ball_whirls_the_cloth() {
    let frames = frames_checked("whirl", &small(160), &[0, 80, 160]);
    let turning = |k: usize| {
        let pairs = frames[k].positions.iter().zip(&frames[k - 1].positions).take(961);
        pairs.map(|(p, q)| (q.x * (p.y - q.y) - q.y * (p.x - q.x)) * 60.0).sum::<f64>() / 961.0
    };
    assert!(turning(40).abs() < 0.02, "the ball rests: {}", turning(40));
    assert!(turning(160) > 0.2, "the cloth goes around: {}", turning(160));
}

#[test]
fn balls_keep_their_energy_and_bounce_where_they_meet() {
    let frames = frames("nbody", &small(400));
    let checked = [0, fullest(&frames), 399];
    let frames = frames_checked("nbody", &small(400), &checked);
    let energy = counter(&frames[0], "energy");
    assert!(frames.iter().all(|frame| (counter(frame, "energy") / energy - 1.0).abs() < 1e-9));
    assert!(frames.iter().filter(|frame| !frame.pairs.is_empty()).count() > 5, "balls meet");
    assert!(frames.iter().all(|frame| frame.positions.iter().all(|p| p.abs().max_element() < 1.1)));
}

#[test]
fn polyhedra_of_chazelle_have_pairs_that_grow_with_the_square() {
    let frames = frames_checked("chazelle", &small(20), &[0, 5, 10, 15]);
    let most = frames.iter().map(|frame| frame.pairs.len()).max().unwrap();
    // Twelve notches from either side, each with several triangles.
    assert!(most > 4 * 12 * 12, "{most}");
    assert!(frames[0].pairs.is_empty() && frames[20].pairs.is_empty());
}

#[test]
fn a_statue_explodes_into_closed_pieces_that_come_to_rest() {
    let frames = frames_checked("statue", &small(240), &[0, 8, 9, 40]);
    let broken = frames.iter().skip(1).position(|frame| !frame.added.is_empty()).unwrap() + 1;
    let mut triangles = Triangles::default();
    frames[..=broken].iter().for_each(|frame| triangles.follow(frame));
    assert_fragments_are_closed(&frames[broken], &triangles);
    assert!(counter(&frames[broken], "pieces") >= 12.0);
    let energy: Vec<f64> = frames.iter().map(|frame| counter(frame, "energy")).collect();
    assert!(energy[broken] > 2.0 * energy[broken - 1], "the charge adds energy");
    assert!(energy[broken + 1..].iter().all(|&now| now < 1.01 * energy[broken]), "nothing else does");
    let lowest = |frame: &Frame| frame.positions.iter().map(|p| p.z).fold(f64::INFINITY, f64::min);
    assert!(frames.iter().all(|frame| lowest(frame) > -0.05), "the ground holds");
    assert!(energy[240] < 0.5 * energy[broken]);
}

#[test]
fn a_statue_breaks_where_it_meets_the_other_one() {
    let frames = frames_checked("breaking-statue", &SceneOptions { pieces: 5, ..small(120) }, &[0, 14, 30]);
    let steps: Vec<usize> = frames.iter().skip(1).filter(|f| !f.added.is_empty()).map(|f| f.step).collect();
    let [broken] = steps[..] else { panic!("it breaks once, not in {steps:?}") };
    assert!(frames[..broken].iter().all(|frame| frame.pairs.is_empty()), "nothing met before");
    let mut triangles = Triangles::default();
    frames[..=broken].iter().for_each(|frame| triangles.follow(frame));
    assert_fragments_are_closed(&frames[broken], &triangles);
    assert!(counter(&frames[broken], "pieces") >= 6.0);
    // The lower one has not moved.
    let fixed = frames[0].fragments.iter().filter(|&&fragment| fragment == 0).count() / 2;
    assert_eq!(frames[0].positions[..fixed], frames[120].positions[..fixed]);
    assert!(counter(&frames[120], "energy") < 0.5 * counter(&frames[0], "energy"));
}

#[test]
fn statues_may_be_meshes_of_the_users() {
    let ring = shapes::torus(7.0, 2.0, 24);
    for (scene, copies) in [("statue", 1), ("breaking-statue", 2), ("cloth-statue", 1)] {
        let frames = frames(scene, &SceneOptions { mesh: Some(ring.clone()), ..small(20) });
        assert!(frames[0].added.len() >= copies * ring.triangle_count(), "{scene}");
        assert!(frames[0].positions.iter().all(|p| p.z > -0.001), "{scene}: on the ground");
        let sheet = Mesh::new(vec![DVec3::ZERO, DVec3::X, DVec3::Y], vec![[0, 1, 2]]).unwrap();
        let error = start(scene, &SceneOptions { mesh: Some(sheet), ..small(3) }).unwrap_err();
        assert_eq!(error, SceneError::NotClosed { edges: 3 });
    }
}

#[test]
fn the_triceratops_is_closed_in_every_step_and_ends_in_two() {
    let mut triangles = Triangles::default();
    let frames = frames("triceratops", &SceneOptions { size: Size::Small, ..SceneOptions::default() });
    for frame in &frames {
        triangles.follow(frame);
        assert_fragments_are_closed(frame, &triangles);
        if [0, 5, 11].contains(&frame.step) {
            assert_pairs_are_those_of_brute_force(frame, &triangles, true);
        }
    }
    let pieces: Vec<f64> = frames.iter().map(|frame| frame.counter("pieces").unwrap()).collect();
    assert_eq!((pieces[0], pieces[11]), (1.0, 2.0));
    assert!(frames[1..].iter().all(|frame| !frame.added.is_empty()));
}

#[test]
fn a_mesh_that_is_given_is_parted_in_as_many_steps_as_asked_for() {
    let ring = shapes::torus(1.0, 0.3, 40);
    let options = SceneOptions { mesh: Some(ring.clone()), ..small(4) };
    let frames = frames("triceratops", &options);
    assert_eq!(frames[0].added.len(), ring.triangle_count());
    // Across the longest side, through both arms of the ring.
    assert_eq!(frames[4].counter("pieces"), Some(2.0));
}

#[test]
fn the_pumpkin_breaks_into_closed_pieces_and_loses_energy() {
    let mut triangles = Triangles::default();
    let frames = frames("pumpkin", &SceneOptions { pieces: 6, ..small(240) });
    let (mut energy, mut gains) = (f64::INFINITY, 0.0);
    let mut broken = None;
    for frame in &frames {
        triangles.follow(frame);
        let now = frame.counter("energy").unwrap();
        // The engine pushes bodies apart that have come too close, which lifts them a little: 0.12 % in the step in which it breaks, and 0.4 % in
        // all 240 steps together.
        let begin = frames[0].counter("energy").unwrap();
        gains += (now - energy).max(0.0);
        assert!(now <= energy + 0.0015 * begin, "step {}: {energy} to {now}", frame.step);
        assert!(gains <= 0.006 * begin, "step {}: {gains} gained of {begin}", frame.step);
        energy = now;
        if !frame.added.is_empty() && frame.step > 0 {
            assert_eq!(broken.replace(frame.step), None, "it breaks once");
            assert_fragments_are_closed(frame, &triangles);
        }
        let check = broken.is_some_and(|step| [0, 1, 10, 60].contains(&(frame.step - step)));
        if check {
            assert_pairs_are_those_of_brute_force(frame, &triangles, false);
        }
    }
    let broken = broken.expect("it reaches the ground");
    let (first, last) = (&frames[broken], frames.last().unwrap());
    assert!(first.counter("pieces").unwrap() >= 6.0);
    // At the end the pieces lie on the ground, wider than the pumpkin was.
    let width = |frame: &Frame| frame.positions.iter().map(|p| p.x.hypot(p.y)).fold(0.0, f64::max);
    assert!(width(last) > 1.3 * width(first), "{} to {}", width(first), width(last));
    assert!(energy < 0.3 * frames[0].counter("energy").unwrap());
    let before_last = &frames[frames.len() - 2];
    let moves = last.positions.iter().zip(&before_last.positions).map(|(p, q)| p.distance(*q));
    assert!(moves.fold(0.0, f64::max) < 0.02, "the pieces have come to rest");
}

#[test]
fn pieces_of_the_pumpkin_keep_their_shape() {
    let frames = frames("pumpkin", &small(90));
    let broken = frames.iter().rposition(|frame| !frame.added.is_empty()).unwrap();
    let (first, last) = (&frames[broken], frames.last().unwrap());
    for new in first.added.iter().step_by(7) {
        let [a, b, _] = new.corners.map(|v| v as usize);
        let length = |frame: &Frame| frame.positions[a].distance(frame.positions[b]);
        assert!((length(first) - length(last)).abs() < 1e-9);
    }
}

#[test]
fn the_apple_holds_its_skin_until_it_is_cut_and_then_lets_it_go() {
    let mut triangles = Triangles::default();
    let frames = frames("apple", &small(450));
    let rest = &frames[0].positions;
    for frame in &frames {
        triangles.follow(frame);
        let free = frame.counter("free").unwrap() as usize;
        let moved = frame.positions.iter().zip(rest).filter(|(p, q)| p != q).count();
        assert!(moved <= free, "{moved} vertices moved in step {}, {free} are free", frame.step);
        assert!(frame.positions.iter().all(|p| p.z > -2.21 && p.is_finite()));
        if [0, 50, 250, 450].contains(&frame.step) {
            assert_fragments_are_closed(frame, &triangles);
            assert_pairs_are_those_of_brute_force(frame, &triangles, true);
        }
    }
    let last = frames.last().unwrap();
    assert!(last.counter("free").unwrap() > 100.0);
    // The peel hangs below the apple, and the upper half of the skin is where it was.
    let lowest = |frame: &Frame| frame.positions.iter().map(|p| p.z).fold(f64::INFINITY, f64::min);
    assert!(lowest(last) < lowest(&frames[0]) - 0.5, "the peel reaches {}", lowest(last));
    let upper = |p: &DVec3| p.z > 0.4;
    assert!(rest.iter().zip(&last.positions).filter(|(p, _)| upper(p)).all(|(p, q)| p == q));
}

#[test]
fn freed_peel_springs_open() {
    // Bent less than the apple is, the peel swings away from the axis.
    let frames = frames("apple", &small(450));
    let away = |p: &DVec3| p.x.hypot(p.y);
    let rest = &frames[0].positions;
    let farthest = |frame: &Frame| {
        let moved = frame.positions.iter().zip(rest).filter(|(p, q)| p != q);
        moved.map(|(p, q)| away(p) - away(q)).fold(0.0, f64::max)
    };
    let farthest = frames.iter().map(farthest).fold(0.0, f64::max);
    assert!(farthest > 0.2, "only {farthest}");
}

#[test]
fn options_that_make_no_sense_are_refused() {
    let refused = |scene: &str, options: SceneOptions| start(scene, &options).unwrap_err();
    let names: Vec<&str> = fracas_scenes::SCENES.iter().map(|scene| scene.name).collect();
    assert_eq!(
        refused("pear", SceneOptions::default()).to_string(),
        format!("there is no scene `pear` (there are {})", names.join(", "))
    );
    assert_eq!(refused("apple", small(0)), SceneError::NoSteps);
    for pieces in [0, 1, 65] {
        let options = SceneOptions { pieces, ..SceneOptions::default() };
        assert_eq!(refused("pumpkin", options), SceneError::BadPieces { pieces });
    }
    let with = |mesh: Mesh| SceneOptions { mesh: Some(mesh), ..small(3) };
    let ball = shapes::icosphere(1.0, 2);
    assert_eq!(refused("apple", with(ball.clone())), SceneError::TakesNoMesh { scene: "apple" });
    let sheet = Mesh::new(vec![DVec3::ZERO, DVec3::X, DVec3::Y], vec![[0, 1, 2]]).unwrap();
    let nothing = Mesh::new(vec![], vec![]).unwrap();
    for scene in ["triceratops", "pumpkin"] {
        assert_eq!(refused(scene, with(sheet.clone())), SceneError::NotClosed { edges: 3 });
        assert_eq!(refused(scene, with(nothing.clone())), SceneError::NotClosed { edges: 1 });
        assert_eq!(refused(scene, with(ball.flipped())), SceneError::NotOriented);
    }
}

#[test]
fn a_mesh_of_any_size_can_be_dropped() {
    let huge = shapes::icosphere(1e6, 2);
    let frames = frames("pumpkin", &SceneOptions { mesh: Some(huge), pieces: 3, ..small(60) });
    assert!(frames.last().unwrap().counter("pieces").unwrap() >= 3.0);
}

/// Runs a scene of bodies that break; checks what holds in every one of its frames.
fn frames_of_breaking(scene: &str, options: &SceneOptions) -> Vec<Frame> {
    let frames = frames(scene, options);
    let mut triangles = Triangles::default();
    let mut cracks = BTreeSet::new();
    let mut broke = 0.0;
    for frame in &frames {
        triangles.follow(frame);
        cracks.extend(frame.added.iter().filter(|new| new.is_crack).map(|new| new.id));
        assert!(frame.positions.iter().all(|p| p.is_finite() && p.length() < 100.0), "step {}", frame.step);
        assert!(frame.contacts.iter().all(|c| (c.normal.length() - 1.0).abs() < 1e-3));
        assert!(frame.pairs.is_empty());
        broke += counter(frame, "fractures");
        if frame.step > 0 {
            let phases: Vec<&str> = frame.times.iter().map(|time| time.0).collect();
            assert_eq!(phases, ["collision", "physics", "update", "shapes", "fracture"]);
        }
    }
    assert_contacts_are_shallow(scene, &frames);
    let last = &frames[frames.len() - 1];
    assert!(broke >= 1.0 && !cracks.is_empty(), "nothing broke in {scene}");
    assert!(counter(last, "pieces") > counter(&frames[0], "pieces"));
    assert!(frames.iter().any(|frame| !frame.contacts.is_empty()));
    assert_fragments_are_closed(last, &triangles);
    frames
}

/// Bounds a little above what was measured: the deepest contact, and the depth that 99 contacts of 100 keep below. A single contact is that deep for a moment, in a
/// step of impacts, and not only because bodies are shown as they stand after the step: the deepest ones exceed the way of the step by up to 16 mm.
/// Runs are chaotic: principal axes of inertia that differ in the last digit, or another choice of points at contacts that are partly open, changed the deepest
/// contact of `plates` from 0.101 over 0.087 and 0.061 to 0.085, and that of `bricks` from 0.119 to 0.164. With the same two choices of points, 99 of 100
/// contacts in twelve falls of other bricks, and of other plates, stayed below 28 and 33 mm either way.
fn assert_contacts_are_shallow(scene: &str, frames: &[Frame]) {
    let [deepest, usual] = match scene {
        "bricks" => [0.180, 0.010],    // 0.164, 0.0076
        "plates" => [0.095, 0.021],    // 0.085, 0.0189
        "piggybank" => [0.055, 0.012], // 0.048, 0.0089
        "blobs" => [0.055, 0.014],     // 0.047, 0.0121
        _ => panic!("no depths were measured in {scene}"),
    };
    let mut depths: Vec<f64> =
        frames.iter().flat_map(|frame| frame.contacts.iter().map(|c| c.depth)).collect();
    depths.sort_unstable_by(f64::total_cmp);
    let found = [depths[depths.len() - 1], depths[depths.len() * 99 / 100]];
    assert!(found[0] < deepest && found[1] < usual, "{scene}: {found:?} of {}", depths.len());
}

#[test]
fn bricks_break_and_come_to_rest_on_the_ground() {
    let frames = frames_of_breaking("bricks", &small(160));
    let last = &frames[160];
    assert!(counter(last, "energy") < 0.3 * counter(&frames[0], "energy"));
    let lowest = last.positions.iter().map(|p| p.z).fold(f64::INFINITY, f64::min);
    // Vertices of what broke stay where it broke: less than the way of a step inside the ground.
    assert!(lowest > -0.15, "{lowest}");
    assert!(last.contacts.len() >= 8);
}

#[test]
fn plates_break_under_balls() {
    let frames = frames_of_breaking("plates", &small(120));
    // Nothing happens until the first ball has come.
    assert!(frames[..9].iter().all(|frame| counter(frame, "fractures") == 0.0));
}

#[test]
fn the_bank_breaks_and_lets_its_coins_go() {
    let frames = frames_of_breaking("piggybank", &small(160));
    // Seven coins, and more than a bank in two halves.
    assert!(counter(&frames[160], "pieces") >= 7.0 + 8.0, "{}", counter(&frames[160], "pieces"));
}

#[test]
fn blobs_come_in_three_batches() {
    let frames = frames_of_breaking("blobs", &small(300));
    let first: Vec<f64> = [0, 129, 130, 260].iter().map(|&k| counter(&frames[k], "added")).collect();
    assert!(first[0] > 0.0 && first[0] <= first[2] && first[0] <= first[3], "{first:?}");
}

/// The volume inside all triangles that are alive.
fn volume(frame: &Frame, triangles: &Triangles) -> f64 {
    let corners = triangles.0.iter().flatten();
    corners.map(|t| t.map(|v| frame.positions[v as usize])).map(|[a, b, c]| a.cross(b).dot(c) / 6.0).sum()
}

/// With `FRACAS_SOAK_STEPS=10000`, in release, this takes a few minutes; otherwise it does fewer steps.
#[test]
fn a_handful_is_thrown_about_and_nothing_is_lost() {
    let steps = std::env::var("FRACAS_SOAK_STEPS").ok().and_then(|steps| steps.parse().ok()).unwrap_or(600);
    let run = start("handful", &small(steps)).unwrap();
    let mut triangles = Triangles::default();
    let mut begin = 0.0;
    let mut broke = 0.0;
    for frame in run {
        let frame = frame.unwrap();
        triangles.follow(&frame);
        broke += counter(&frame, "fractures");
        if frame.step == 0 {
            begin = volume(&frame, &triangles);
        }
        assert!(frame.positions.iter().all(|p| p.is_finite()), "step {}", frame.step);
        if frame.step % 50 == 0 {
            let alive = triangles.0.iter().flatten().flatten();
            let inside = |p: DVec3| p.x.abs() < 3.6 && p.y.abs() < 3.6 && p.z > -0.6 && p.z < 8.0;
            let mut places = alive.map(|&v| frame.positions[v as usize]);
            if let Some(p) = places.find(|&p| !inside(p)) {
                panic!("step {}: {p} has left the pit", frame.step);
            }
            let now = volume(&frame, &triangles);
            assert!((now / begin - 1.0).abs() < 1e-9, "step {}: {now} of {begin}", frame.step);
        }
    }
    assert!(broke > 3.0, "{broke} fractures");
}
