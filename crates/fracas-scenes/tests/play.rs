//! Scenes that are played with: tools do what they say, nothing else, and the same every time.

use fracas::geom::DVec3;
use fracas::mesh::{Mesh, TriangleId, shapes};
use fracas::pairs::{Pair, Touch, brute};
use fracas_scenes::play::{Missile, PLAYABLE, Play, Ray, Tool};
use fracas_scenes::{Frame, SceneError, Size};
use std::collections::BTreeMap;

fn down(x: f64, y: f64) -> Ray {
    Ray { from: DVec3::new(x, y, 6.0), along: -DVec3::Z }
}

fn front(x: f64, z: f64) -> Ray {
    let from = DVec3::new(0.0, -6.0, 1.2);
    Ray { from, along: DVec3::new(x, 0.0, z) - from }
}

fn small(scene: &str) -> Play {
    Play::make(scene, Size::Small, 0, None).unwrap()
}

fn done(play: &mut Play, tool: Tool) -> String {
    let outcome = play.apply(&tool).unwrap();
    assert!(outcome.done, "{}", outcome.text);
    outcome.text
}

/// Does steps; returns how many bodies broke.
fn steps(play: &mut Play, count: usize) -> f64 {
    (0..count).map(|_| play.step().unwrap().counter("fractures").unwrap_or(0.0)).sum()
}

/// The vertices of every fragment.
fn fragments(play: &Play) -> BTreeMap<u32, Vec<DVec3>> {
    let frame = play.frame();
    let mut all: BTreeMap<u32, Vec<DVec3>> = BTreeMap::new();
    for triangle in play.triangles() {
        let corners = triangle.corners.map(|v| frame.positions[v as usize]);
        all.entry(frame.fragments[triangle.id.index()]).or_default().extend(corners);
    }
    all
}

/// The triangles of a scene as they lie, in any order.
fn places(play: &Play) -> Vec<[[u64; 3]; 3]> {
    let frame = play.frame();
    let place = |v: u32| frame.positions[v as usize].to_array().map(f64::to_bits);
    let mut all: Vec<_> = play.triangles().map(|triangle| triangle.corners.map(place)).collect();
    all.sort_unstable();
    all
}

#[test]
fn a_ball_falls_on_a_plate_and_breaks_it() {
    let mut play = small("plates");
    assert_eq!(steps(&mut play, 10), 0.0, "plates at rest stay whole");
    done(&mut play, Tool::Ball { ray: down(-0.7, 0.0) });
    let pieces = play.frame().counter("pieces").unwrap();
    assert!(steps(&mut play, 30) >= 1.0);
    assert!(play.frame().counter("pieces").unwrap() > pieces + 2.0);
}

#[test]
fn things_that_are_thrown_fly_hit_and_go_when_there_are_many() {
    let mut play = small("bricks");
    for k in 0..30 {
        let what = if k % 2 == 0 { Missile::Brick } else { Missile::Ball };
        done(&mut play, Tool::Throw { ray: front(0.01 * f64::from(k), 0.4), what, speed: 15.0 });
        steps(&mut play, 2);
    }
    assert_eq!(play.frame().counter("thrown"), Some(24.0));
    assert!(play.frame().positions.iter().all(|p| p.is_finite()));
}

#[test]
fn a_body_that_is_held_follows_the_pointer_and_falls_when_it_is_let_go() {
    let mut play = small("handful");
    steps(&mut play, 40);
    done(&mut play, Tool::Grab { ray: down(1.4, 0.0) });
    // Up to two metres above the ground.
    let above = Ray { from: DVec3::new(1.4, -6.0, 2.0), along: DVec3::Y };
    assert!(!play.apply(&Tool::Release).unwrap().text.is_empty());
    done(&mut play, Tool::Grab { ray: Ray { from: DVec3::new(1.4, -6.0, 0.4), along: DVec3::Y } });
    done(&mut play, Tool::Drag { ray: above });
    steps(&mut play, 60);
    let highest = |play: &Play| {
        let middle = |points: &Vec<DVec3>| points.iter().map(|p| p.z).sum::<f64>() / points.len() as f64;
        fragments(play).values().map(middle).fold(0.0, f64::max)
    };
    let held = highest(&play);
    assert!(held > 1.3, "{held}");
    done(&mut play, Tool::Release);
    steps(&mut play, 60);
    assert!(highest(&play) < held - 0.5, "{}", highest(&play));
}

#[test]
fn a_hammer_breaks_the_bank_and_a_feather_does_not() {
    let mut play = small("piggybank");
    steps(&mut play, 2);
    let whole = play.frame().counter("pieces").unwrap();
    done(&mut play, Tool::Strike { ray: down(0.05, 0.02), strength: 0.001 });
    assert_eq!(steps(&mut play, 2), 0.0);
    assert_eq!(play.frame().counter("pieces").unwrap(), whole);
    done(&mut play, Tool::Strike { ray: down(0.05, 0.02), strength: 1.0 });
    assert_eq!(steps(&mut play, 1), 1.0);
    assert!(play.frame().counter("pieces").unwrap() > whole + 2.0);
}

#[test]
fn a_stroke_parts_a_brittle_body_along_its_plane() {
    let mut play = small("piggybank");
    let before = play.frame().counter("breakable").unwrap();
    let rays = vec![front(-1.5, 1.6), front(1.5, 1.6)];
    let normal = rays[0].along.cross(rays[1].along).normalize();
    let eye = rays[0].from;
    done(&mut play, Tool::Cut { rays });
    play.step().unwrap();
    assert!(play.frame().counter("breakable").unwrap() > before);
    // Every piece lies on one side, up to what one step of motion and the nodes beside the plane make.
    let parted = fragments(&play).into_values().filter(|points| points.len() > 2_000);
    for points in parted {
        let sides: Vec<f64> = points.iter().map(|p| (*p - eye).dot(normal)).collect();
        let (low, high) = sides.iter().fold((0.0_f64, 0.0_f64), |(a, b), s| (a.min(*s), b.max(*s)));
        assert!(low.abs().min(high.abs()) < 0.06, "{low} {high}");
    }
}

#[test]
fn a_stroke_parts_the_sheet_and_another_one_the_solid() {
    let mut play = small("cut");
    let pieces = |play: &Play| play.frame().counter("pieces").unwrap();
    steps(&mut play, 5);
    assert_eq!(pieces(&play), 2.0);
    done(&mut play, Tool::Cut { rays: vec![front(-1.9, 0.95), front(-0.8, 0.85), front(0.1, 0.9)] });
    steps(&mut play, 60);
    assert_eq!(pieces(&play), 3.0, "the sheet is in two");
    done(&mut play, Tool::Cut { rays: vec![front(0.8, 1.4), front(0.8, -0.4)] });
    steps(&mut play, 60);
    assert_eq!(pieces(&play), 4.0, "so is the solid");
    let frame = play.frame();
    assert!(frame.positions.iter().all(|p| p.is_finite() && p.length() < 10.0));
    assert!(frame.contacts.is_empty() && frame.counter("triangles").unwrap() > 1_200.0);
}

#[test]
fn a_stroke_that_ends_inside_leaves_the_sheet_in_one_piece() {
    let mut play = small("cut");
    steps(&mut play, 3);
    let before = play.triangles().count();
    done(&mut play, Tool::Cut { rays: vec![front(-1.9, 0.95), front(-0.8, 0.9)] });
    steps(&mut play, 40);
    assert_eq!(play.frame().counter("pieces"), Some(2.0));
    assert!(play.triangles().count() > before, "but it is slit");
}

#[test]
fn points_of_soft_bodies_follow_the_hand() {
    let mut play = small("cut");
    steps(&mut play, 3);
    done(&mut play, Tool::Grab { ray: front(-0.8, 0.5) });
    done(
        &mut play,
        Tool::Drag { ray: Ray { from: DVec3::new(0.0, -6.0, 1.2), along: DVec3::new(-0.8, 6.0, -0.3) } },
    );
    steps(&mut play, 30);
    done(&mut play, Tool::Strike { ray: front(0.8, 0.6), strength: 0.5 });
    steps(&mut play, 10);
    done(&mut play, Tool::Release);
    assert!(!play.apply(&Tool::Release).unwrap().done);
    assert!(!play.apply(&Tool::Ball { ray: down(0.0, 0.0) }).unwrap().done);
}

#[test]
fn tools_that_find_nothing_change_nothing() {
    let (mut play, mut other) = (small("plates"), small("plates"));
    let away = Ray { from: DVec3::new(0.0, 0.0, 5.0), along: DVec3::Z };
    for tool in [
        Tool::Ball { ray: away },
        Tool::Grab { ray: away },
        Tool::Drag { ray: away },
        Tool::Release,
        Tool::Strike { ray: away, strength: 1.0 },
        Tool::Cut { rays: vec![away, away] },
        // A rail.
        Tool::Grab { ray: Ray { from: DVec3::new(-1.1, -6.0, 0.64), along: DVec3::Y } },
    ] {
        assert!(!play.apply(&tool).unwrap().done, "{tool:?}");
    }
    for tool in [
        Tool::Ball { ray: Ray { from: DVec3::NAN, along: DVec3::X } },
        Tool::Grab { ray: Ray { from: DVec3::ZERO, along: DVec3::ZERO } },
        Tool::Throw { ray: away, what: Missile::Ball, speed: 1e9 },
        Tool::Strike { ray: away, strength: f64::NAN },
        Tool::Cut { rays: vec![away] },
    ] {
        assert!(matches!(play.apply(&tool), Err(SceneError::BadTool { .. })), "{tool:?}");
    }
    steps(&mut play, 5);
    steps(&mut other, 5);
    assert_eq!(play.hash(), other.hash());
}

#[test]
fn the_same_calls_give_the_same_frames_and_other_calls_others() {
    for scene in ["plates", "cut"] {
        let run = |with_tools: bool| {
            let mut play = small(scene);
            for _ in 0..40 {
                if with_tools {
                    play.rehearse(scene).unwrap();
                } else {
                    play.step().unwrap();
                }
            }
            play.hash()
        };
        assert_eq!(run(true), run(true), "{scene}");
        assert_ne!(run(true), run(false), "{scene}");
    }
}

#[test]
fn a_restart_numbers_everything_anew_and_moves_nothing() {
    for scene in ["plates", "cut"] {
        let (mut play, mut other) = (small(scene), small(scene));
        for _ in 0..60 {
            play.rehearse(scene).unwrap();
            other.rehearse(scene).unwrap();
        }
        play.restart();
        let slots = other.frame().fragments.len();
        let first: Frame = play.step().unwrap().clone();
        other.step().unwrap();
        assert!(first.removed.is_empty());
        assert_eq!(first.added.len(), play.triangles().count(), "{scene}");
        assert_eq!(places(&play), places(&other), "{scene}");
        assert!(first.fragments.len() <= slots);
        for _ in 0..20 {
            play.step().unwrap();
            other.step().unwrap();
        }
        assert_eq!(places(&play), places(&other), "{scene}");
    }
}

#[test]
fn a_mesh_is_shown_with_its_pairs_and_breaks() {
    let ball = shapes::icosphere(1.0, 2);
    let moved = ball.positions().iter().map(|p| *p + DVec3::X * 0.9).collect();
    let both = Mesh::join([&ball, &Mesh::new(moved, ball.triangles().to_vec()).unwrap()]).unwrap();
    let play = Play::inspect(&both).unwrap();
    let wanted: Vec<Pair> = brute::find_self_pairs(&both, Touch::Include);
    assert!(wanted.len() > 20);
    assert_eq!(play.frame().pairs, wanted);
    assert_eq!(
        play.triangles().map(|t| t.id).collect::<Vec<_>>(),
        (0..640).map(TriangleId).collect::<Vec<_>>()
    );
    let mut body = Play::make("mesh", Size::Small, 0, Some(both)).unwrap();
    steps(&mut body, 10);
    done(&mut body, Tool::Strike { ray: down(0.01, 0.02), strength: 1.0 });
    assert_eq!(steps(&mut body, 1), 1.0);
    assert_eq!(Play::make("mesh", Size::Small, 0, None).err(), Some(SceneError::NeedsMesh));
    assert!(matches!(
        Play::make("plates", Size::Small, 0, Some(shapes::icosphere(1.0, 1))).err(),
        Some(SceneError::TakesNoMesh { .. })
    ));
    assert!(Play::make("house", Size::Small, 0, None).is_err());
    assert_eq!(PLAYABLE.len(), 6);
}
