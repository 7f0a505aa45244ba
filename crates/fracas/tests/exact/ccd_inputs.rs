//! Motions that are hard to decide about, from a fixed stream of numbers.

use crate::inputs::{Family, Stream};
use fracas::exact::MovingPoint;
use fracas::geom::DVec3;

/// What four moving points have in common.
#[derive(Clone, Copy, Debug)]
pub enum Motion {
    /// Eight positions of the family, with no relation.
    Any,
    /// Some positions repeat others or lie halfway between them.
    Repeated,
    /// One or more of the points rest, or all move by the same vector.
    Partly,
    /// In one plane throughout.
    Planar,
    /// On one line throughout.
    Linear,
    /// The first point goes right through the middle of the others, or of the other edge.
    Through,
    /// The first point ends on, or starts on, a point of the others.
    Landing,
    /// The second half of the way is the first one mirrored: f has the root 1/2.
    Mirrored,
}

impl Motion {
    pub const ALL: [Self; 8] = [
        Self::Any,
        Self::Repeated,
        Self::Partly,
        Self::Planar,
        Self::Linear,
        Self::Through,
        Self::Landing,
        Self::Mirrored,
    ];

    pub fn points(self, family: Family, stream: &mut Stream) -> [MovingPoint; 4] {
        let mut p: [DVec3; 8] = family.points(stream);
        let halfway = |p: DVec3, q: DVec3| 0.5 * p + 0.5 * q;
        let one_of = |stream: &mut Stream, n: u64| stream.below(n) as usize;
        match self {
            Self::Any => {}
            Self::Repeated => loop {
                let [to, from, other] = [8, 8, 8].map(|n| one_of(stream, n));
                p[to] = if stream.below(2) == 0 { p[from] } else { halfway(p[from], p[other]) };
                if stream.below(3) == 0 {
                    break;
                }
            },
            Self::Partly => {
                for k in 0..4 {
                    if stream.below(2) == 0 {
                        p[4 + k] = p[k];
                    }
                }
            }
            Self::Planar => {
                let kind = stream.below(3);
                for q in &mut p {
                    q.z = match kind {
                        0 => 0.0,
                        1 => q.x,
                        _ => 0.5 * q.x,
                    };
                }
            }
            Self::Linear => {
                let kind = stream.below(2);
                for q in &mut p {
                    (q.y, q.z) = if kind == 0 { (0.0, 0.0) } else { (q.x, -0.5 * q.x) };
                }
            }
            Self::Through => {
                let middle = match stream.below(3) {
                    0 => halfway(halfway(p[1], p[2]), halfway(p[2], p[3])),
                    1 => halfway(p[2], p[3]),
                    _ => halfway(halfway(p[1], p[2]), p[3]),
                };
                let aside = 0.25 * p[0];
                p[0] = 0.5 * middle + aside;
                p[4] = 0.5 * middle - aside;
                for k in 1..4 {
                    p[k] = 0.5 * p[k];
                    p[4 + k] = if stream.below(2) == 0 { p[k] } else { p[k] + 0.125 * p[4 + k] };
                }
            }
            Self::Landing => {
                let at = 4 * one_of(stream, 2);
                let others = [1, 2, 3].map(|k| p[at + k]);
                p[at] = match stream.below(3) {
                    0 => others[one_of(stream, 3)],
                    1 => halfway(others[0], others[1]),
                    _ => halfway(halfway(others[0], others[1]), others[2]),
                };
            }
            Self::Mirrored => {
                for k in 0..4 {
                    p[4 + k] = p[k] * DVec3::new(1.0, 1.0, -1.0);
                    if stream.below(4) == 0 {
                        p[4 + k].x = -p[4 + k].x;
                    }
                }
            }
        }
        let p = p.map(|p| if p.is_finite() { p } else { DVec3::ONE });
        let mut points = [0, 1, 2, 3].map(|k| MovingPoint { start: p[k], end: p[4 + k] });
        if stream.below(2) == 0 {
            points = points.map(MovingPoint::reversed);
        }
        points
    }
}
