//! Contacts of bodies that stand upright, from the triangles of theirs that cross.
//!
//! ```text
//!      ╭─────╮              Seen from above, the outlines of two bodies that overlap a little cross at two places, P and Q.
//!      │  A  P────╮         The normal of the contact is across the line PQ, from A to B. The depth is how far A reaches
//!      ╰─────Q  B │         beyond where B begins along the normal, as far as their triangles cross.
//!            ╰────╯
//! ```
//!
//! That is the right normal where round bodies, a corner and a side, or two sides meet. It costs a few operations for each pair of a report, so
//! thousands of bodies can do with it. Bodies of other shapes need [`Finder::find_contacts`](fracas::Finder::find_contacts).

use fracas::geom::DVec3;
use fracas::world::{BodyId, World, WorldError};
use fracas::{Contact, ContactParts, exact};

/// No contact is taken to be deeper than this, in metres.
const DEEPEST: f64 = 0.02;
/// A line of contact shorter than this is a point.
const SHORTEST: f64 = 0.005;

/// The contacts of all bodies whose triangles cross in the last report.
pub(crate) fn contacts(world: &World) -> Result<Vec<([BodyId; 2], Contact)>, WorldError> {
    let mut all = vec![];
    let mut crossing: Vec<DVec3> = vec![];
    for meeting in world.report().meetings().filter(|meeting| !meeting.pairs.is_empty()) {
        let [a, b] = [world.view(meeting.bodies[0])?, world.view(meeting.bodies[1])?];
        crossing.clear();
        for pair in meeting.pairs {
            crossing.extend(
                exact::tri_tri_segment(&a.triangle(pair.a), &b.triangle(pair.b)).into_iter().flatten(),
            );
        }
        let middle = crossing.iter().sum::<DVec3>() / crossing.len().max(1) as f64;
        let along = longest_axis(&crossing, middle);
        let across = DVec3::new(-along.y, along.x, 0.0);
        let ahead = (b.bounds().centre() - a.bounds().centre()).dot(across);
        let normal = if ahead < 0.0 { -across } else { across };
        let (mut end, mut begin) = (f64::NEG_INFINITY, f64::INFINITY);
        for pair in meeting.pairs {
            end = a.triangle(pair.a).corners().iter().fold(end, |end, p| end.max(p.dot(normal)));
            begin = b.triangle(pair.b).corners().iter().fold(begin, |begin, p| begin.min(p.dot(normal)));
        }
        let (low, high) = crossing
            .iter()
            .map(|p| (*p - middle).dot(along))
            .fold((0.0, 0.0), |(low, high), s| (f64::min(low, s), f64::max(high, s)));
        let ends = if high - low < SHORTEST { vec![0.0] } else { vec![low, high] };
        let first = meeting.pairs[0];
        all.extend(ends.into_iter().map(|s| {
            let contact = Contact {
                points: [middle + along * s; 2],
                normal,
                depth: (end - begin).clamp(0.0, DEEPEST),
                between: ContactParts::Triangles(first.a, first.b),
                region: 0,
            };
            (meeting.bodies, contact)
        }));
    }
    Ok(all)
}

/// The direction in the plane in which points lie furthest apart: the longer axis of their moments.
fn longest_axis(points: &[DVec3], middle: DVec3) -> DVec3 {
    let (mut xx, mut xy, mut yy) = (0.0, 0.0, 0.0);
    for p in points {
        let d = *p - middle;
        (xx, xy, yy) = (xx + d.x * d.x, xy + d.x * d.y, yy + d.y * d.y);
    }
    let angle = 0.5 * libm::atan2(2.0 * xy, xx - yy);
    DVec3::new(libm::cos(angle), libm::sin(angle), 0.0)
}
