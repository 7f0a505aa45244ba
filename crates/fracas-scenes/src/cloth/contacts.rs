//! Features of cloth that are closer than its thickness, and how they are pushed apart.
//!
//! A contact remembers on which side of the face the vertex was, or how the edges passed each other, when everything was
//! known to be apart. So features that have slipped through each other in a small step are pushed back, and not on.

use super::features::{FeatureFinder, Features};
use super::near_features::{edge_edge, vertex_face};
use crate::points::Point;
use fracas::geom::DVec3;

/// Two features that may come too close in a step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Contact {
    features: Features,
    /// The sign of the volume that the four vertices span while they are apart.
    side: f64,
}

/// Friction and thickness in contacts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rub {
    /// How far features are kept apart.
    pub thickness: f64,
    /// As in Coulomb's law.
    pub friction: f64,
}

/// All contacts that may come closer than `reach` while vertices go from where they are to about where they are expected.
pub(crate) fn look(
    finder: &mut FeatureFinder,
    now: &[DVec3],
    expected: &[DVec3],
    reach: f64,
) -> Vec<Contact> {
    let mut contacts = Vec::new();
    finder.find(
        now,
        expected,
        reach,
        |_| true,
        |features| {
            let at = features.vertices().map(|v| now[v as usize]);
            let ways = features.vertices().map(|v| expected[v as usize] - now[v as usize]);
            let between = nearest(features, at).0;
            let mean = (ways[0] + ways[1] + ways[2] + ways[3]) * 0.25;
            let apart = ways.iter().map(|way| way.distance(mean)).fold(0.0, f64::max);
            if between.length() < reach + 2.0 * apart {
                contacts.push(Contact { features, side: spanned(features, at).signum() });
            }
        },
    );
    contacts
}

/// Nearest points of two features: the way from the second to the first, and the weight of each vertex in that way.
fn nearest(features: Features, at: [DVec3; 4]) -> (DVec3, [f64; 4]) {
    match features {
        Features::VertexFace(_) => {
            let (between, [a, b, c]) = vertex_face(at);
            (between, [1.0, -a, -b, -c])
        }
        Features::EdgeEdge(_) => {
            let (between, [s, t]) = edge_edge(at);
            (between, [1.0 - s, s, t - 1.0, -t])
        }
    }
}

/// The direction across two features whose nearest points are within them; its length grows with their size.
pub(crate) fn across(features: Features, [a, b, c, d]: [DVec3; 4]) -> DVec3 {
    match features {
        Features::VertexFace(_) => (c - b).cross(d - b),
        Features::EdgeEdge(_) => (b - a).cross(d - c),
    }
}

/// Six times the volume that four vertices span, with a sign that tells on which side of the second feature the first is.
fn spanned(features: Features, at: [DVec3; 4]) -> f64 {
    let of_second = match features {
        Features::VertexFace(_) => at[1],
        Features::EdgeEdge(_) => at[2],
    };
    across(features, at).dot(at[0] - of_second)
}

impl Contact {
    /// Moves the vertices apart if they are too close, without rebound; friction slows their sliding.
    pub fn push(&self, points: &mut [Point], rub: Rub) {
        let vertices = self.features.vertices().map(|v| v as usize);
        let at = vertices.map(|v| points[v].position);
        let (between, weights) = nearest(self.features, at);
        let is_inner = weights.iter().all(|weight| weight.abs() > 1e-6);
        let across = across(self.features, at);
        // Where nearest points are ends or corners, or edges parallel, there are no sides.
        let (out, distance) = match across.try_normalize() {
            Some(out) if is_inner && across.length_squared() > 1e-4 * self.size(at) => {
                (out * self.side, between.dot(out) * self.side)
            }
            _ => match between.try_normalize() {
                Some(out) => (out, between.length()),
                None => return,
            },
        };
        // Deeper than that they have not slipped, but gone around an end.
        if distance >= rub.thickness || distance < -2.0 * rub.thickness {
            return;
        }
        let mobility: f64 = (0..4).map(|k| points[vertices[k]].mobility * weights[k] * weights[k]).sum();
        if mobility == 0.0 {
            return;
        }
        let depth = (rub.thickness - distance).min(rub.thickness);
        let moved: DVec3 =
            (0..4).map(|k| (points[vertices[k]].position - points[vertices[k]].before) * weights[k]).sum();
        let sliding = moved - out * moved.dot(out);
        let length = sliding.length();
        let held = if length > 0.0 { (rub.friction * depth / length).min(1.0) } else { 0.0 };
        let by = (out * depth - sliding * held) / mobility;
        // What parts them must not throw them apart: positions before are moved so that no speed is left.
        let stop = out * ((moved.dot(out) + depth).clamp(0.0, depth) / mobility);
        for k in 0..4 {
            let point = &mut points[vertices[k]];
            point.position += by * (point.mobility * weights[k]);
            point.before += stop * (point.mobility * weights[k]);
        }
    }

    /// The square of the product of the lengths whose cross product is taken.
    fn size(&self, [a, b, c, d]: [DVec3; 4]) -> f64 {
        match self.features {
            Features::VertexFace(_) => (c - b).length_squared() * (d - b).length_squared(),
            Features::EdgeEdge(_) => (b - a).length_squared() * (d - c).length_squared(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points(at: [DVec3; 4], mobilities: [f64; 4]) -> Vec<Point> {
        let point =
            |(position, mobility)| Point { position, velocity: DVec3::ZERO, before: position, mobility };
        at.into_iter().zip(mobilities).map(point).collect()
    }

    #[test]
    fn features_are_pushed_to_the_side_they_came_from() {
        let face = [DVec3::new(0.2, 0.2, 0.0), DVec3::ZERO, DVec3::X, DVec3::Y];
        let edges = [DVec3::new(-1.0, 0.1, 0.0), DVec3::new(1.0, 0.1, 0.0), -DVec3::Y, DVec3::Y];
        let rub = Rub { thickness: 0.1, friction: 0.0 };
        let cases = [(Features::VertexFace([0, 1, 2, 3]), face), (Features::EdgeEdge([0, 1, 2, 3]), edges)];
        for (features, at) in cases {
            for height in [0.05, -0.05] {
                let raised = |by: f64| {
                    let second = if matches!(features, Features::VertexFace(_)) { 1 } else { 2 };
                    std::array::from_fn(|k| at[k] + DVec3::Z * if k < second { by } else { 0.0 })
                };
                let contact = Contact { features, side: spanned(features, raised(height)).signum() };
                // It has slipped through to the other side.
                let mut now = points(raised(-0.5 * height), [1.0, 0.5, 1.0, 2.0]);
                contact.push(&mut now, rub);
                let (between, _) = nearest(features, [0, 1, 2, 3].map(|k| now[k].position));
                assert!((between.z * height.signum() - 0.1).abs() < 0.03, "{features:?} {between}");
                // Vertices that are held stay.
                let mut held = points(raised(height), [1.0, 1.0, 0.0, 0.0]);
                let before = held[3].position;
                contact.push(&mut held, rub);
                assert_eq!(held[3].position, before);
            }
        }
    }
}
