//! All impacts of a step: which vertices meet which faces, and which edges meet which, and when.
//!
//! Positions before and after the step are tables of vertices: those of the cloth, then those of what it may meet. In
//! between everything moves on straight lines.
//!
//! Pairs of features come from boxes that overlap at some instant (`features`). Nearly all of them are apart along one fixed
//! direction at both ends of the step, hence always. The rest goes to the exact tests of the library, so that no
//! impact is lost and none is invented.

use super::features::{FeatureFinder, Features};
use super::near_features;
use fracas::exact::{MovingPoint, edge_edge_impact, vertex_triangle_impact};
use fracas::geom::DVec3;

/// Two features that meet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Impact {
    pub features: Features,
    /// No later than the first contact, and at most 1e-9 earlier; from 0 to 1.
    pub time: f64,
}

/// Every impact among features of which at least one vertex is marked, earliest first.
pub(crate) fn impacts(
    finder: &mut FeatureFinder,
    start: &[DVec3],
    end: &[DVec3],
    is_marked: impl Fn(u32) -> bool,
) -> Vec<Impact> {
    let mut met = Vec::new();
    finder.find(start, end, 0.0, is_marked, |features| {
        let points =
            features.vertices().map(|v| MovingPoint { start: start[v as usize], end: end[v as usize] });
        if are_apart(&points, features) {
            return;
        }
        let [a, b, c, d] = points;
        let time = match features {
            Features::VertexFace(_) => vertex_triangle_impact(a, [b, c, d]),
            Features::EdgeEdge(_) => edge_edge_impact([a, b], [c, d]),
        };
        if let Some(time) = time {
            met.push(Impact { features, time: time.low });
        }
    });
    met.sort_by(|a, b| a.time.total_cmp(&b.time).then(a.features.cmp(&b.features)));
    met
}

/// Whether a fixed direction certainly separates the two features at both ends of the step: that between their nearest points
/// at one of the ends.
fn are_apart(points: &[MovingPoint; 4], features: Features) -> bool {
    let start = points.each_ref().map(|p| p.start);
    let end = points.each_ref().map(|p| p.end);
    let direction = |at: [DVec3; 4]| match features {
        Features::VertexFace(_) => near_features::vertex_face(at).0,
        Features::EdgeEdge(_) => near_features::edge_edge(at).0,
    };
    is_between(start, end, features, direction(start)) || is_between(start, end, features, direction(end))
}

/// Whether planes across a direction have one feature on one side and the other on the other at both ends of the step, by
/// more than rounding can account for.
fn is_between(start: [DVec3; 4], end: [DVec3; 4], features: Features, direction: DVec3) -> bool {
    // Differences are exact to half a unit in the last place; products and sums add a few more units.
    let origin = start[0];
    let gaps = |at: [DVec3; 4]| {
        let [a, b, c, d] = at.map(|p| (p - origin).dot(direction));
        match features {
            Features::VertexFace(_) => (a - b.max(c).max(d), b.min(c).min(d) - a),
            Features::EdgeEdge(_) => (a.min(b) - c.max(d), c.min(d) - a.max(b)),
        }
    };
    let ((gap, back), (gap_end, back_end)) = (gaps(start), gaps(end));
    let mut scale = DVec3::ZERO;
    for p in start.iter().chain(&end) {
        scale = scale.max((*p - origin).abs());
    }
    let rounding = 1e-14 * scale.max_element() * direction.abs().max_element();
    gap.min(gap_end).max(back.min(back_end)) > rounding
}

#[cfg(test)]
mod tests {
    use super::*;
    use fracas::internal::Random;
    use fracas::mesh::{Mesh, shapes};

    /// Every pair of features, tested without any filter.
    fn brute(finder: &mut FeatureFinder, start: &[DVec3], end: &[DVec3]) -> Vec<Impact> {
        let mut met = Vec::new();
        finder.find(
            start,
            end,
            1e3,
            |_| true,
            |features| {
                let [a, b, c, d] = features
                    .vertices()
                    .map(|v| MovingPoint { start: start[v as usize], end: end[v as usize] });
                let time = match features {
                    Features::VertexFace(_) => vertex_triangle_impact(a, [b, c, d]),
                    Features::EdgeEdge(_) => edge_edge_impact([a, b], [c, d]),
                };
                met.extend(time.map(|time| Impact { features, time: time.low }));
            },
        );
        met.sort_by(|a, b| a.time.total_cmp(&b.time).then(a.features.cmp(&b.features)));
        met
    }

    #[test]
    fn impacts_are_those_of_all_pairs() {
        let (sheet, ball) = (shapes::cloth_grid(5, 5, [1.0, 1.0]), shapes::icosphere(0.3, 1));
        let empty = Mesh::new(vec![], vec![]).unwrap();
        let mut random = Random::linear(3);
        for other in [&ball, &empty] {
            for round in 0..4 {
                let start: Vec<DVec3> = [sheet.positions(), other.positions()].concat();
                let mut end = start.clone();
                let shake = 0.05 + 0.4 * f64::from(round);
                end.iter_mut().for_each(|p| {
                    *p += DVec3::new(random.unit(), random.unit(), random.unit()) * shake;
                });
                let mut finder = FeatureFinder::new(&sheet, other);
                let all = brute(&mut finder, &start, &end);
                assert_eq!(impacts(&mut finder, &start, &end, |_| true), all);
                assert!(round < 2 || !all.is_empty());
                let marked: Vec<Impact> =
                    all.into_iter().filter(|i| i.features.vertices().contains(&7)).collect();
                let found = impacts(&mut finder, &start, &end, |v| v == 7);
                assert!(marked.iter().all(|impact| found.contains(impact)));
            }
        }
    }

    #[test]
    fn a_flat_sheet_that_falls_meets_nothing() {
        let sheet = shapes::cloth_grid(12, 12, [1.0, 1.0]);
        let start = sheet.positions().to_vec();
        let end: Vec<DVec3> = start.iter().map(|p| *p * 0.9 - DVec3::Z * 0.3).collect();
        let mut finder = FeatureFinder::new(&sheet, &Mesh::new(vec![], vec![]).unwrap());
        assert_eq!(impacts(&mut finder, &start, &end, |_| true), []);
    }
}
