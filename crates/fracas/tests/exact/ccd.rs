//! First contacts of moving features against fractions and Sturm sequences.

use crate::ccd_inputs::Motion;
use crate::ccd_reference::Contacts;
use crate::inputs::{Family, Stream};
use fracas::exact::{
    ImpactTime, MovingPoint, edge_edge_impact, edge_edge_impact_within, vertex_triangle_impact,
    vertex_triangle_impact_within,
};
use fracas::geom::DVec3;

/// A question about four points: vertex and triangle, or edge and edge.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    VertexTriangle,
    EdgeEdge,
}

impl Kind {
    pub const BOTH: [Self; 2] = [Self::VertexTriangle, Self::EdgeEdge];

    pub fn impact(self, [a, b, c, d]: [MovingPoint; 4]) -> Option<ImpactTime> {
        match self {
            Self::VertexTriangle => vertex_triangle_impact(a, [b, c, d]),
            Self::EdgeEdge => edge_edge_impact([a, b], [c, d]),
        }
    }

    fn impact_within(self, [a, b, c, d]: [MovingPoint; 4], separation: f64) -> Option<ImpactTime> {
        match self {
            Self::VertexTriangle => vertex_triangle_impact_within(a, [b, c, d], separation),
            Self::EdgeEdge => edge_edge_impact_within([a, b], [c, d], separation),
        }
    }

    pub fn contacts(self, points: [MovingPoint; 4]) -> Contacts {
        match self {
            Self::VertexTriangle => Contacts::vertex_triangle(points),
            Self::EdgeEdge => Contacts::edge_edge(points),
        }
    }
}

/// Compares answers, one by one and in a batch, with the reference on all motions of all families; `cases` of each that is
/// easy.
fn compare(cases: usize, seed: u64) {
    let mut stream = Stream::new(seed);
    let (mut asked, mut met) = (0, 0);
    for family in Family::ALL {
        for motion in Motion::ALL {
            // The reference is slow where f is zero throughout and numbers are long.
            let is_slow = matches!(motion, Motion::Planar) && !matches!(family, Family::Grid(_));
            let cases = family.cases(cases) / if is_slow { 20 } else { 1 };
            let queries: Vec<_> = (0..cases).map(|_| motion.points(family, &mut stream)).collect();
            for kind in Kind::BOTH {
                let (answers, _) = kind.impacts(&queries);
                for (&points, at_once) in queries.iter().zip(answers) {
                    let contacts = kind.contacts(points);
                    asked += 1;
                    met += usize::from(contacts.exist());
                    for answer in [kind.impact(points), at_once] {
                        if let Err(what) = contacts.confirm(answer) {
                            panic!("{kind:?}, {family:?}, {motion:?}: {what}\n{points:?}");
                        }
                    }
                }
            }
        }
    }
    assert!(met * 10 > asked, "only {met} of {asked} are contacts");
    println!("{asked} compared, {met} of them contacts");
}

#[test]
fn answers_are_those_of_fractions() {
    compare(60, 1);
}

#[test]
#[ignore = "takes minutes"]
fn many_answers_are_those_of_fractions() {
    compare(4000, 2);
}

/// Whether there is contact does not change when points are moved, scaled, exchanged or sent back.
#[test]
fn answers_follow_symmetries() {
    let mut stream = Stream::new(5);
    let orders: [&[[usize; 4]]; 2] = [
        &[[0, 2, 3, 1], [0, 3, 1, 2], [0, 1, 3, 2], [0, 3, 2, 1], [0, 2, 1, 3]],
        &[[1, 0, 2, 3], [0, 1, 3, 2], [1, 0, 3, 2], [2, 3, 0, 1], [3, 2, 0, 1], [2, 3, 1, 0], [3, 2, 1, 0]],
    ];
    let overlap = |a: ImpactTime, b: ImpactTime| a.low <= b.high && b.low <= a.high;
    for family in [Family::Random, Family::Grid(3), Family::Grid(1), Family::Tenths] {
        for motion in Motion::ALL {
            for _ in 0..200 {
                let points = motion.points(family, &mut stream);
                let shift =
                    if matches!(family, Family::Grid(_)) { DVec3::new(8.0, -16.0, 4.0) } else { DVec3::ZERO };
                for (kind, orders) in Kind::BOTH.into_iter().zip(orders) {
                    let answer = kind.impact(points);
                    let same_time = |points: [MovingPoint; 4], what: &str| match (answer, kind.impact(points))
                    {
                        (Some(a), Some(b)) => assert!(overlap(a, b), "{what}: {a:?} and {b:?}\n{points:?}"),
                        (a, b) => assert_eq!(a, b, "{what}\n{points:?}"),
                    };
                    for order in orders {
                        same_time(order.map(|k| points[k]), "other order");
                    }
                    for scale in [2f64.powi(-1000), 2f64.powi(-300), 0.25, 2f64.powi(300), 2f64.powi(1000)] {
                        same_time(points.map(|p| each(p, |x| x * scale)), "scaled");
                    }
                    same_time(points.map(|p| each(p, |x| x + shift)), "shifted");
                    same_time(points.map(|p| each(p, |x| -x)), "mirrored");
                    let back = kind.impact(points.map(MovingPoint::reversed));
                    assert_eq!(back.is_some(), answer.is_some(), "sent back: {points:?}");
                    if let (Some(there), Some(back)) = (answer, back) {
                        assert!(there.low <= 1.0 - back.low + 1e-15, "{there:?}, {back:?}: {points:?}");
                    }
                }
            }
        }
    }
}

fn each(p: MovingPoint, change: impl Fn(DVec3) -> DVec3) -> MovingPoint {
    MovingPoint { start: change(p.start), end: change(p.end) }
}

/// Distances at some time by another route than the library's: nearest points of the features themselves.
fn distance(kind: Kind, points: &[MovingPoint; 4], t: f64) -> f64 {
    let [p, a, b, c] = points.map(|p| p.start * (1.0 - t) + p.end * t);
    let to_segment = |p: DVec3, a: DVec3, b: DVec3| {
        let along = b - a;
        let share = ((p - a).dot(along) / along.length_squared()).clamp(0.0, 1.0);
        p.distance(if share.is_nan() { a } else { a + share * along })
    };
    match kind {
        Kind::VertexTriangle => {
            let n = (b - a).cross(c - a);
            let foot = p - n * ((p - a).dot(n) / n.length_squared());
            let is_left = |u: DVec3, v: DVec3| (v - u).cross(foot - u).dot(n) >= 0.0;
            let is_flat = n.length() < 1e-10 * (b - a).length_squared().max((c - a).length_squared());
            let plane = if !is_flat && is_left(a, b) && is_left(b, c) && is_left(c, a) {
                p.distance(foot)
            } else {
                f64::INFINITY
            };
            [(a, b), (b, c), (c, a)].iter().fold(plane, |d, &(u, v)| d.min(to_segment(p, u, v)))
        }
        Kind::EdgeEdge => {
            // Edges pa and bc.
            let (u, v, w) = (a - p, c - b, b - p);
            let n = u.cross(v);
            let [s, r] = [w.cross(v), w.cross(u)].map(|x| x.dot(n) / n.length_squared());
            let is_flat = n.length() < 1e-10 * u.length_squared().max(v.length_squared());
            let is_inside = !is_flat && (0.0..=1.0).contains(&s) && (0.0..=1.0).contains(&r);
            let lines = if is_inside { (w.dot(n) / n.length()).abs() } else { f64::INFINITY };
            let ends = [to_segment(p, b, c), to_segment(a, b, c), to_segment(b, p, a), to_segment(c, p, a)];
            ends.into_iter().fold(lines, f64::min)
        }
    }
}

#[test]
fn separations_are_never_overlooked_and_never_far_off() {
    let mut stream = Stream::new(6);
    let mut counts = [0; 3];
    for family in [Family::Random, Family::Grid(3), Family::Grid(1), Family::Tenths, Family::NearGrid] {
        for motion in Motion::ALL {
            for round in 0..100 {
                let points = motion.points(family, &mut stream);
                let separation = [1e-9, 1e-3, 0.1, 0.3, 1.0][round % 5];
                for kind in Kind::BOTH {
                    let answer = kind.impact_within(points, separation);
                    counts[usize::from(answer.is_some())] += 1;
                    let until = answer.map_or(1.0, |time| time.low);
                    for k in 0..=200 {
                        let t = until * f64::from(k) / 200.0;
                        let is_free = distance(kind, &points, t) > separation - 1e-12;
                        assert!(
                            is_free || (t == until && answer.is_some()),
                            "{kind:?}, missed {t}: {points:?}"
                        );
                    }
                    if let Some(ImpactTime { low, high }) = answer {
                        assert!(0.0 <= low && low <= high && high <= 1.0 && high - low <= 1e-9);
                        let motion = points.iter().map(|p| 2.0 * p.start.distance(p.end)).fold(0.0, f64::max);
                        let near = separation * 1.0001 + 4e-9 * motion + 1e-12;
                        let d = distance(kind, &points, low).min(distance(kind, &points, high));
                        assert!(d <= near, "{kind:?}, {separation}: {d} at {low}\n{points:?}");
                    }
                    if let Some(time) = kind.impact(points) {
                        assert!(answer.is_some_and(|a| a.low <= time.high), "{kind:?}: {points:?}");
                        counts[2] += 1;
                    }
                }
            }
        }
    }
    assert!(counts.iter().all(|&n| n > 500), "free, near, touching: {counts:?}");
}

#[test]
fn separations_of_extreme_size_are_conservative() {
    let mut stream = Stream::new(8);
    let families =
        [Family::Extreme, Family::Subnormal, Family::Scaled(-1070), Family::Scaled(1020), Family::Mixed];
    for family in families {
        for motion in Motion::ALL {
            for _ in 0..2 {
                let points = motion.points(family, &mut stream);
                for kind in Kind::BOTH {
                    for separation in [f64::from_bits(1), 1e-300, 1.0, 1e300, f64::INFINITY] {
                        let near = kind.impact_within(points, separation);
                        if let Some(time) = kind.impact(points) {
                            assert!(
                                near.is_some_and(|n| n.low <= time.high),
                                "{kind:?}, {separation}: {points:?}"
                            );
                        }
                        assert!(near.is_some() || separation.is_finite());
                    }
                    assert_eq!(kind.impact_within(points, 0.0), kind.impact(points));
                    assert_eq!(kind.impact_within(points, -1.0), kind.impact(points));
                }
            }
        }
    }
}
