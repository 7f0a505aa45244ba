//! Few contacts in place of many, spread so that they hold a body as all of them would.
//!
//! The deepest is kept. The next is farthest from it, the third farthest from the line through both, the fourth farthest outside the
//! triangle of these. More are added where the gaps are largest.

use super::Contact;
use crate::geom::DVec3;

/// Contacts that are less deep than this part of the deepest one hold nothing.
const SHALLOW: f64 = 0.01;

/// Depths that differ by less than this part count as equal: then the outermost is the deepest.
const SAME: f64 = 1e-6;

/// At most `most` of the contacts of one region, at least one, the deepest first.
pub(crate) fn spread_out(contacts: &[Contact], most: usize) -> Vec<Contact> {
    let Some(deepest) = contacts.iter().map(|contact| contact.depth).reduce(f64::max) else { return vec![] };
    let normal = contacts[0].normal;
    let place = |contact: &Contact| {
        let d = contact.points[0] - contacts[0].points[0];
        d - normal * d.dot(normal)
    };
    let mut left: Vec<(DVec3, &Contact)> = contacts
        .iter()
        .filter(|contact| contact.depth >= deepest - (1.0 - SHALLOW) * deepest.abs())
        .map(|contact| (place(contact), contact))
        .collect();
    let centre = left.iter().map(|(p, _)| *p).sum::<DVec3>() / left.len() as f64;
    let mut chosen: Vec<(DVec3, &Contact)> = vec![];
    let least = deepest - SAME * deepest.abs();
    while chosen.len() < most.max(1) && !left.is_empty() {
        let score = |&(p, contact): &(DVec3, &Contact)| match chosen.as_slice() {
            [] if contact.depth < least => f64::NEG_INFINITY,
            [] => p.distance(centre),
            [a] => p.distance(a.0),
            [a, b] => from_line(p, a.0, b.0),
            [a, b, c] => outside_triangle(p, [a.0, b.0, c.0], normal),
            all => all.iter().map(|other| p.distance(other.0)).fold(f64::INFINITY, f64::min),
        };
        let mut best = 0;
        for k in 1..left.len() {
            if score(&left[k]) > score(&left[best]) {
                best = k;
            }
        }
        // What lies where another one does adds nothing.
        if chosen.iter().any(|other| other.0 == left[best].0)
            || (!chosen.is_empty() && score(&left[best]) <= 0.0)
        {
            break;
        }
        chosen.push(left.remove(best));
    }
    chosen.into_iter().map(|(_, contact)| *contact).collect()
}

fn from_line(p: DVec3, a: DVec3, b: DVec3) -> f64 {
    (p - a).cross((b - a).normalize_or_zero()).length()
}

/// How far a point is outside a triangle in the plane of the normal; negative inside.
fn outside_triangle(p: DVec3, corners: [DVec3; 3], normal: DVec3) -> f64 {
    let [a, b, c] = corners;
    let sign = (b - a).cross(c - a).dot(normal).signum();
    let beyond = |from: DVec3, to: DVec3| {
        let outward = (to - from).cross(normal).normalize_or_zero() * sign;
        outward.dot(p - from)
    };
    beyond(a, b).max(beyond(b, c)).max(beyond(c, a))
}
