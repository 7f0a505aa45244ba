//! Surfaces that follow few nodes: counts, weights, and motions that are what they say.

use fracas::geom::{DVec3, Pose};
use fracas::pairs::brute;
use fracas::{Box3, Finder, Mesh, MeshTree, Touch};
use fracas_scenes::motion::{self, RingOptions, SkinnedMotion};
use fracas_scenes::{SceneError, SceneOptions, Size, start};

/// Checks counts, weights, and that every frame is finite and moves.
#[track_caller]
fn check(body: &SkinnedMotion, vertices: usize, nodes: usize, influences: std::ops::RangeInclusive<usize>) {
    let skin = body.skin();
    assert_eq!((skin.rest().vertex_count(), skin.node_count()), (vertices, nodes));
    for vertex in 0..vertices {
        let list = skin.influences(vertex);
        assert!(influences.contains(&list.len()), "vertex {vertex} follows {} nodes", list.len());
        assert!(list.iter().all(|i| i.weight > 0.0 && i.weight <= 1.0));
        assert!((list.iter().map(|i| i.weight).sum::<f64>() - 1.0).abs() < 1e-12);
    }
    for transforms in body.frames() {
        assert_eq!(transforms.len(), nodes);
        assert!(transforms.iter().all(|transform| transform.is_finite()));
    }
    assert!(body.frames().windows(2).all(|pair| pair[0] != pair[1]), "frames do not stand still");
}

fn diagonal(body: &SkinnedMotion, frame: usize) -> f64 {
    body.mesh_at(frame).unwrap().bounds().extent().length()
}

#[test]
fn the_brain_is_pulled_until_its_diagonal_has_grown_by_half() {
    for (vertices, nodes) in [(3_500, 65), (29_966, 65), (29_966, 509), (145_000, 225)] {
        let brain = motion::brain(vertices, nodes).unwrap();
        check(&brain, vertices, nodes, 8..=16);
        let last = brain.frames().len() - 1;
        assert!((30..120).contains(&last), "{last} frames");
        let [before, after] = [last - 1, last].map(|frame| diagonal(&brain, frame) / diagonal(&brain, 0));
        assert!(before < 1.5 && (1.5..1.53).contains(&after), "{before}, {after}");
        // Elastic: the volume changes far less than the length.
        let volume = |frame| fracas::mesh::Report::of(&brain.mesh_at(frame).unwrap()).volume.unwrap();
        assert!((0.8..1.2).contains(&(volume(last) / volume(0))), "{}", volume(last) / volume(0));
        // At first it is at rest.
        let (first, rest) = (brain.positions(0), brain.skin().rest().positions());
        assert!(first.iter().zip(rest).all(|(p, x)| p.distance(*x) < 1e-9));
    }
}

/// All pairs of different bodies in a frame: which bodies touch, and how many pairs of triangles there are.
fn touching(bodies: &[SkinnedMotion], frame: usize) -> (Vec<[usize; 2]>, usize) {
    let trees: Vec<MeshTree> =
        bodies.iter().map(|body| MeshTree::build(body.mesh_at(frame).unwrap())).collect();
    let mut finder = Finder::default();
    let (mut touching, mut pairs) = (Vec::new(), 0);
    for a in 0..trees.len() {
        for b in a + 1..trees.len() {
            let found = finder.find_pairs(&trees[a], &trees[b]).len();
            pairs += found;
            touching.extend((found > 0).then_some([a, b]));
        }
    }
    (touching, pairs)
}

#[test]
fn figures_on_the_ring_meet_the_more_the_nearer_they_stand() {
    let ring =
        |spacing: f64| motion::ring(&RingOptions { spacing, frames: 45, ..RingOptions::PAPER[0] }).unwrap();
    let [near, middle, far] = [0.7, 1.0, 3.0].map(ring);
    assert_eq!(near.len(), 6);
    near.iter().for_each(|figure| check(figure, 2_857, 115, 8..=16));
    let pairs =
        |bodies: &[SkinnedMotion]| [15, 30, 45].map(|frame| touching(bodies, frame).1).iter().sum::<usize>();
    let [near_pairs, middle_pairs, far_pairs] = [&near, &middle, &far].map(|bodies| pairs(bodies));
    assert!(
        near_pairs > 2 * middle_pairs && middle_pairs > 0 && far_pairs == 0,
        "{near_pairs} {middle_pairs}"
    );
    // The ring holds the tip of the hat: it stays at its distance from the axis, and turns.
    let tip = (0..2_857).max_by(|&a, &b| {
        let z = |v: usize| far[0].skin().rest().positions()[v].z;
        z(a).total_cmp(&z(b))
    });
    let at = |frame: usize| far[0].positions(frame)[tip.unwrap()];
    let reach = |p: DVec3| p.x.hypot(p.y);
    for frame in [10, 25, 45] {
        assert!((reach(at(frame)) - reach(at(0))).abs() < 0.05, "{} {}", at(0), at(frame));
    }
    assert!(at(45).distance(at(0)) > 0.5);
}

#[test]
fn the_settings_of_the_ring_are_those_of_the_table() {
    let settings = RingOptions::PAPER.map(|setting| (setting.vertices(), setting.nodes));
    let half = [(2_857, 115), (2_857, 550), (45_682, 115), (45_682, 550)];
    assert_eq!(settings, [half[0], half[1], half[2], half[3], half[0], half[1], half[2], half[3]]);
    assert!(RingOptions::PAPER[..4].iter().all(|setting| setting.spacing == RingOptions::FEW));
    assert!(RingOptions::PAPER[4..].iter().all(|setting| setting.spacing == RingOptions::MANY));
    let fine = motion::ring(&RingOptions { frames: 2, ..RingOptions::PAPER[7] }).unwrap();
    check(&fine[5], 45_682, 550, 8..=16);
}

#[test]
fn fishes_swim_bend_and_meet() {
    let fishes = motion::fishes(1_000, 96).unwrap();
    assert_eq!((fishes.len(), fishes[0].frames().len()), (24, 61));
    let mut met = 0;
    for fish in &fishes {
        check(fish, 1_000, 96, 8..=16);
        let middle = |frame: usize| fish.positions(frame).iter().sum::<DVec3>() / 1_000.0;
        let way = middle(0).distance(middle(60));
        assert!((1.2..2.2).contains(&way), "{way} m in two seconds");
        // Head and tail turn against each other.
        let rest = fish.skin().rest().positions();
        let end = |sign: f64| {
            (0..1_000).max_by(|&a, &b| (sign * rest[a].x).total_cmp(&(sign * rest[b].x))).unwrap()
        };
        let (head, tail) = (end(1.0), end(-1.0));
        let bend = |frame: usize| {
            let at = fish.positions(frame);
            (at[head] - middle(frame)).angle_between(middle(frame) - at[tail])
        };
        let most = (0..=60).step_by(3).map(bend).fold(0.0, f64::max);
        assert!((0.1..1.5).contains(&most), "bent by {most}");
    }
    for frame in [0, 12, 24, 36, 48, 60] {
        met += touching(&fishes, frame).0.len();
    }
    assert!(met >= 12, "{met}");
}

#[test]
fn at_least_fifty_pairs_of_people_touch_in_every_frame() {
    let people = motion::crowd(100, 400_000).unwrap();
    assert_eq!((people.len(), people[0].frames().len()), (100, 61));
    assert!(people.iter().all(|person| person.skin().rest().triangle_count() == 4_000));
    people[..2].iter().for_each(|person| check(person, 2_002, 15, 1..=15));
    for frame in (0..=60).step_by(5) {
        let (touching, _) = touching(&people, frame);
        assert!(touching.len() >= 50, "{} pairs touch in frame {frame}", touching.len());
    }
}

#[test]
fn touches_of_people_are_those_of_brute_force() {
    let people = motion::crowd(16, 16 * 2_000).unwrap();
    let frame = 30;
    let meshes: Vec<Mesh> = people.iter().map(|person| person.mesh_at(frame).unwrap()).collect();
    let mut by_force = Vec::new();
    for a in 0..meshes.len() {
        for b in a + 1..meshes.len() {
            let (here, there): (Box3, Box3) = (meshes[a].bounds(), meshes[b].bounds());
            let identity = Pose::IDENTITY;
            if here.overlaps(&there)
                && !brute::find_pairs(&meshes[a], &identity, &meshes[b], &identity, Touch::Include).is_empty()
            {
                by_force.push([a, b]);
            }
        }
    }
    assert!(by_force.len() >= 4, "{by_force:?}");
    assert_eq!(touching(&people, frame).0, by_force);
}

#[test]
fn motions_are_the_same_every_time() {
    assert_eq!(motion::brain(500, 65).unwrap().frames(), motion::brain(500, 65).unwrap().frames());
    let ring = || motion::ring(&RingOptions { frames: 5, ..RingOptions::PAPER[0] }).unwrap();
    assert!(ring().iter().zip(&ring()).all(|(a, b)| a.frames() == b.frames()));
}

#[test]
fn scenes_show_surfaces_nodes_and_touches() {
    for (scene, bodies, nodes) in
        [("brain", 1, 65), ("ring", 6, 690), ("fishes", 24, 2_304), ("crowd", 40, 600)]
    {
        let options = SceneOptions { size: Size::Small, steps: Some(12), ..SceneOptions::default() };
        let frames: Vec<_> = start(scene, &options).unwrap().map(Result::unwrap).collect();
        assert_eq!(frames.len(), 13);
        for frame in &frames {
            assert_eq!(frame.counter("pieces"), Some(f64::from(bodies)), "{scene}");
            assert_eq!(frame.counter("nodes"), Some(f64::from(nodes)), "{scene}");
        }
        let touching: f64 = frames.iter().filter_map(|frame| frame.counter("touching")).sum();
        assert!(if scene == "brain" { touching == 0.0 } else { touching >= 1.0 }, "{scene}: {touching}");
        assert!(frames[3].positions != frames[4].positions);
    }
}

#[test]
fn bad_sizes_and_frames_are_refused() {
    let sentences = [
        (
            motion::brain(3, 65).unwrap_err(),
            "brain has 500 to 2000000 vertices and 9 to 4000 nodes, not 3 and 65",
        ),
        (
            motion::fishes(8_000, 8).unwrap_err(),
            "fishes has 500 to 500000 vertices and 9 to 2000 nodes, not 8000 and 8",
        ),
        (motion::crowd(10, 50).unwrap_err(), "crowd has 20000 to 2000000 triangles, not 50"),
        (
            motion::ring(&RingOptions { spacing: 0.0, ..RingOptions::default() }).unwrap_err(),
            "the ring takes up to 4 subdivisions, 40 to 4000 nodes, spacings of 0.3 to 10 m and gusts of 0 to 20 m/s²",
        ),
    ];
    for (error, sentence) in sentences {
        assert_eq!(error.to_string(), sentence);
    }
    assert!(motion::crowd(0, 0).is_err());
    let brain = motion::brain(500, 13).unwrap();
    let skin = brain.skin().clone();
    let made = |seconds: f64, frames| SkinnedMotion::new("brain", skin.clone(), seconds, frames).unwrap_err();
    assert_eq!(made(0.1, vec![]), SceneError::BadKeys { keys: 0, times: 0 });
    assert!(matches!(made(0.0, brain.frames().to_vec()), SceneError::BadKeyTime { .. }));
    assert!(matches!(made(0.1, vec![vec![]]), SceneError::Skin(_)));
    let frames = brain.frames().len();
    assert_eq!(brain.mesh_at(frames).unwrap_err(), SceneError::NoSuchKey { key: frames, keys: frames });
}
