//! Flight plans: the formula, changes, and what is refused.

use fracas::geom::DVec3;
use fracas::internal::Random;
use fracas::kinetic::{KineticError, Piece, Plan, Plans};
use num_rational::BigRational;

fn rational(x: f64) -> BigRational {
    BigRational::from_float(x).expect("finite")
}

fn vector(random: &mut Random, size: f64) -> DVec3 {
    DVec3::new(random.signed(), random.signed(), random.signed()) * size
}

/// A coordinate of a piece at a time, without rounding.
fn exact(piece: &Piece, axis: usize, time: f64) -> BigRational {
    let [time, from] = [
        time,
        match *piece {
            Piece::Chord { from, .. } | Piece::Line { from, .. } => from,
        },
    ]
    .map(rational);
    match *piece {
        Piece::Chord { until, start, end, .. } => {
            let fraction = (time - &from) / (rational(until) - from);
            rational(start[axis]) + (rational(end[axis]) - rational(start[axis])) * fraction
        }
        Piece::Line { start, velocity, .. } => {
            rational(start[axis]) + rational(velocity[axis]) * (time - from)
        }
    }
}

#[test]
fn positions_are_within_their_rounding_and_never_move_backwards() {
    let mut random = Random::new(3);
    for round in 0..600 {
        let size = [1e-200, 1e-3, 1.0, 1e9, 1e200][round % 5];
        let from = random.signed() * [0.0, 1.0, 1e9][round % 3];
        let until = from + random.inner_unit() * [1e-3, 1.0, 1e6][random.below(3)] + 1e-6;
        let (start, mut end) = (vector(&mut random, size), vector(&mut random, size));
        if round % 4 == 0 {
            end = start * (1.0 + 1e-15 * random.signed());
        }
        let chord = Piece::Chord { from, until, start, end };
        assert_eq!((chord.at(from), chord.at(until)), (start, end));
        let mut times: Vec<f64> = (0..20).map(|_| from + random.unit() * (until - from)).collect();
        times.extend([from.next_up(), until.next_down()]);
        times.sort_by(f64::total_cmp);
        times.retain(|&time| from < time && time < until);
        let line = Piece::Line { from, until: f64::INFINITY, start, velocity: end };
        let mut last = start;
        for time in times {
            for piece in [chord, line] {
                let (given, bound) = (piece.at(time), piece.rounding(time));
                for axis in 0..3 {
                    let error = exact(&piece, axis, time) - rational(given[axis]);
                    let bound = rational(bound[axis]);
                    assert!(error <= bound && -error <= bound, "{piece:?} at {time}");
                }
            }
            let here = chord.at(time);
            for axis in 0..3 {
                let forward = if start[axis] <= end[axis] {
                    last[axis] <= here[axis]
                } else {
                    last[axis] >= here[axis]
                };
                assert!(
                    forward
                        && here[axis] <= start[axis].max(end[axis])
                        && here[axis] >= start[axis].min(end[axis])
                );
            }
            last = here;
        }
    }
}

#[test]
fn all_positions_at_once_are_those_of_single_vertices() {
    let mut random = Random::new(5);
    let times = vec![-1.0, 0.5, 0.75, 2.0, 10.0];
    let frames: Vec<Vec<DVec3>> =
        times.iter().map(|_| (0..50).map(|_| vector(&mut random, 1.0)).collect()).collect();
    let mut plans = Plans::keyframes(times.clone(), frames.clone()).unwrap();
    let mut positions = Vec::new();
    for round in 0..200 {
        let time = if round % 4 == 0 { times[random.below(5)] } else { -2.0 + 14.0 * random.unit() };
        plans.positions_at(time, &mut positions);
        let single: Vec<DVec3> = (0..50).map(|vertex| plans.at(vertex, time)).collect();
        assert_eq!(positions, single);
        if let Some(key) = times.iter().position(|&key| key == time && round <= 100) {
            assert_eq!(positions, frames[key]);
        }
        for vertex in 0..50 {
            let piece = plans.interval(vertex, time);
            assert!(piece.until() > time && piece.at(time) == positions[vertex as usize]);
        }
        if round == 100 {
            // The same with two blocks, lines, and time that has passed.
            plans.advance_to(1.0).unwrap();
            plans
                .change_keyframes(&[7, 3], vec![1.5, 1.75], vec![vec![DVec3::X; 2], vec![DVec3::Y; 2]])
                .unwrap();
            plans.change(&[(9, Plan::Velocity(DVec3::X))]).unwrap();
            plans.validate().unwrap();
        }
    }
}

#[test]
fn a_change_goes_on_from_where_the_vertex_is() {
    let mut plans = Plans::moving(0.0, &[DVec3::ZERO, DVec3::X], &[DVec3::X, DVec3::Y]).unwrap();
    plans.advance_to(2.0).unwrap();
    let keys = Plan::Keys { times: vec![4.0, 6.0], positions: vec![DVec3::ZERO, DVec3::Z] };
    plans.change(&[(0, keys.clone()), (1, Plan::Velocity(DVec3::ZERO))]).unwrap();
    plans.validate().unwrap();
    assert_eq!(plans.at(0, 2.0), DVec3::X * 2.0);
    assert_eq!(plans.at(0, 3.0), DVec3::X);
    assert_eq!((plans.at(0, 5.0), plans.at(0, 60.0)), (DVec3::Z / 2.0, DVec3::Z));
    assert_eq!(plans.at(1, 50.0), DVec3::new(1.0, 2.0, 0.0));
    assert_eq!(plans.next_key_after(2.0), Some(4.0));
    assert_eq!(plans.next_key_after(6.0), None);
    // New vertices wait at their first key.
    assert_eq!(
        plans.insert_vertices(&[keys, Plan::Line { position: DVec3::Y, velocity: DVec3::X }]).unwrap(),
        2..4
    );
    assert_eq!((plans.at(2, 3.0), plans.at(3, 3.0)), (DVec3::ZERO, DVec3::Y + DVec3::X));
    // Keys that have begun put the vertex where they say.
    plans.advance_to(5.0).unwrap();
    plans
        .change(&[(1, Plan::Keys { times: vec![4.0, 8.0], positions: vec![DVec3::ZERO, DVec3::X] })])
        .unwrap();
    assert_eq!(plans.at(1, 5.0), DVec3::X / 4.0);
    plans.validate().unwrap();
}

#[test]
fn bad_plans_are_refused_and_change_nothing() {
    use KineticError as E;
    let two = vec![DVec3::ZERO; 2];
    let nan = DVec3::new(0.0, f64::NAN, 0.0);
    let keyframes = |times: &[f64], frames: &[&[DVec3]]| {
        Plans::keyframes(times.to_vec(), frames.iter().map(|frame| frame.to_vec()).collect()).unwrap_err()
    };
    assert_eq!(keyframes(&[], &[]), E::NoKeys);
    assert_eq!(
        keyframes(&[0.0, 1.0, 1.0], &[&two, &two, &two]),
        E::KeysNotIncreasing { key: 2, time: 1.0, previous: 1.0 }
    );
    assert!(matches!(keyframes(&[0.0, f64::NAN], &[&two, &two]), E::BadTime { .. }));
    assert_eq!(keyframes(&[0.0, 1.0], &[&two]), E::WrongKeyCount { times: 2, positions: 1 });
    assert_eq!(
        keyframes(&[0.0, 1.0], &[&two, &two[..1]]),
        E::WrongVertexCount { key: 1, expected: 2, given: 1 }
    );
    let refused = keyframes(&[0.0], &[&[DVec3::ZERO, nan]]);
    assert!(matches!(refused, E::BadVector { what: "position", vertex: 1, .. }), "{refused}");
    assert!(refused.to_string().starts_with("the position of vertex 1 is (0, NaN, 0), but"), "{refused}");
    let huge = DVec3::X * 1e305;
    assert!(matches!(Plans::moving(0.0, &[huge], &[DVec3::ZERO]), Err(E::BadVector { vertex: 0, .. })));
    assert!(matches!(
        Plans::moving(0.0, &two, &two[..1]),
        Err(E::WrongVertexCount { expected: 2, given: 1, .. })
    ));

    let mut plans = Plans::keyframes(vec![0.0, 1.0], vec![two.clone(), vec![DVec3::X; 2]]).unwrap();
    plans.advance_to(0.5).unwrap();
    let still = Plan::Velocity(DVec3::ZERO);
    let refused = [
        plans.change(&[(0, still.clone()), (2, still.clone())]),
        plans.change(&[(0, still.clone()), (1, still.clone()), (0, still.clone())]),
        plans.change(&[(0, still.clone()), (1, Plan::Velocity(DVec3::X / 0.0))]),
        plans
            .change(&[(0, still.clone()), (1, Plan::Keys { times: vec![2.0, 1.0], positions: two.clone() })]),
        plans.change_keyframes(&[0, 1], vec![1.0], vec![vec![DVec3::X]]),
        plans.change_keyframes(&[0, 0], vec![1.0], vec![two.clone()]),
        plans.insert_vertices(std::slice::from_ref(&still)).map(drop),
        plans.advance_to(0.25),
        plans.advance_to(f64::NAN),
        plans.advance_to(f64::INFINITY),
    ]
    .map(Result::unwrap_err);
    assert_eq!(refused[0], E::NoSuchVertex { vertex: 2, vertices: 2 });
    assert_eq!(refused[1], E::VertexTwice { vertex: 0 });
    assert!(matches!(refused[2], E::BadVector { what: "velocity", vertex: 1, .. }));
    assert_eq!(refused[3], E::KeysNotIncreasing { key: 1, time: 1.0, previous: 2.0 });
    assert_eq!(refused[4], E::WrongVertexCount { key: 0, expected: 2, given: 1 });
    assert_eq!(refused[6], E::NoPosition { vertex: 2 });
    assert_eq!(refused[7], E::TimeRunsBackwards { now: 0.5, asked: 0.25 });
    plans.validate().unwrap();
    assert_eq!((plans.vertex_count(), plans.now()), (2, 0.5));
    assert_eq!((plans.at(0, 0.75), plans.at(1, 0.75)), (DVec3::X * 0.75, DVec3::X * 0.75));
}
