//! First contacts of moving features against fractions and Sturm sequences.

use crate::ccd_inputs::Motion;
use crate::ccd_reference::Contacts;
use crate::inputs::{Family, Stream};
use fracas::exact::{ImpactTime, MovingPoint, edge_edge_impact, vertex_triangle_impact};

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

    pub fn contacts(self, points: [MovingPoint; 4]) -> Contacts {
        match self {
            Self::VertexTriangle => Contacts::vertex_triangle(points),
            Self::EdgeEdge => Contacts::edge_edge(points),
        }
    }
}

/// Compares answers with the reference on all motions of all families; `cases` of each that is easy.
fn compare(cases: usize, seed: u64) {
    let mut stream = Stream::new(seed);
    let (mut asked, mut met) = (0, 0);
    for family in Family::ALL {
        for motion in Motion::ALL {
            // The reference is slow where f is zero throughout and numbers are long.
            let is_slow = matches!(motion, Motion::Planar) && !matches!(family, Family::Grid(_));
            for _ in 0..(family.cases(cases) / if is_slow { 20 } else { 1 }).max(1) {
                let points = motion.points(family, &mut stream);
                for kind in Kind::BOTH {
                    let contacts = kind.contacts(points);
                    asked += 1;
                    met += usize::from(contacts.exist());
                    if let Err(what) = contacts.confirm(kind.impact(points)) {
                        panic!("{kind:?}, {family:?}, {motion:?}: {what}\n{points:?}");
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
