//! The point of a body nearest to a point.
//!
//! # Idea
//!
//! ```text
//!   node: eight boxes ──▶ row: eight triangles, bounds of their distances in f32 ──▶ list of candidates ──▶ f64
//! ```
//!
//! Boxes are opened nearest first. A row gives an upper and a lower bound for each of its triangles (`row_distance`). The smallest upper bound
//! so far rules out boxes and triangles; what is left at the end, mostly one to six triangles, is measured in `f64` (`project`). The answer is
//! the minimum over the whole body, so it depends neither on the order of the walk nor on where it began.
//!
//! Everything is computed in units of the body's frame, a power of two. So a body 2ᵏ times as large gives 2ᵏ times the answers.
//!
//! # The normal
//!
//! At an edge or a vertex the normal is that of all triangles there, weighted by their angles (Bærentzen and Aanæs, Signed distance
//! computation using the angle weighted pseudonormal, 2005). These triangles are candidates in any case: they are as near as the nearest. They are identified by
//! the positions of their corners, not by index, so soups of loose triangles have the same normals as meshes. Of coincident triangles with the
//! same orientation, one counts. Triangles that coincide with opposite orientations cancel out, as the faces of a closed crack should.
//!
//! The sign of a distance never comes from normals; see `inside`.

mod descent;
mod normal;
mod project;
mod row_distance;

use super::view::Sight;
use super::{Shape, View};
use crate::geom::{DVec3, LANES, Triangle};
use crate::mesh::TriangleId;
use crate::pairs::Frame;
use descent::{Candidates, Descent};
use fearless_simd::{Level, dispatch};
use normal::{mean_normal, unit_normal};
use project::{Projection, project};

/// The nearest point of a body.
///
/// ```
/// use fracas::{Feature, MeshTree, mesh::shapes, geom::DVec3};
/// let cube = MeshTree::build(shapes::cuboid(DVec3::splat(2.0)));
/// let near = cube.view().nearest(DVec3::new(2.0, 3.0, 0.0), f64::INFINITY).unwrap();
/// assert_eq!(near.point, DVec3::new(1.0, 1.0, 0.0));
/// assert!(matches!(near.feature, Feature::Edge(_)));
/// assert!((near.normal - DVec3::new(0.5, 0.5, 0.0).normalize()).length() < 1e-15);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Nearest {
    /// The triangle it lies on; of several at the same distance, the one with the smallest id.
    pub triangle: TriangleId,
    /// The point, rounded.
    pub point: DVec3,
    /// Distance to it, rounded.
    pub distance: f64,
    /// Weights of the triangle's corners at the point. They sum to one; the weight of a corner that has no part in the feature is 0.
    pub weights: [f64; 3],
    /// On which vertex, edge or face the point lies.
    pub feature: Feature,
    /// The outward normal of the surface there, of length one: of the face, or of all triangles around the edge or the vertex, weighted by
    /// their angles. Zero if no triangle there has an area.
    pub normal: DVec3,
}

/// A vertex, an edge or a face of a body, by index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Feature {
    /// A vertex.
    Vertex(u32),
    /// The inside of an edge: its vertices in ascending order.
    Edge([u32; 2]),
    /// The inside of a triangle.
    Face(TriangleId),
}

impl View<'_> {
    /// The point of the body nearest to `p`, if it is at most `reach` away, which may be infinite.
    ///
    /// `None` if nothing is that near, if the point is not finite, if the reach is NaN or negative, or if `f64` cannot hold the distance.
    ///
    /// # Cost
    /// About as many nodes as the tree is deep, near the surface; more, the farther away. No allocation, but where many triangles are
    /// equally near. For many points, [`Finder::nearest_each`](crate::Finder::nearest_each) is faster. A mesh without a structure is
    /// gone through triangle by triangle.
    ///
    /// ```
    /// use fracas::{MeshTree, mesh::shapes, geom::DVec3};
    /// let cube = MeshTree::build(shapes::cuboid(DVec3::splat(2.0)));
    /// let near = cube.view().nearest(DVec3::new(0.2, 0.3, 3.0), f64::INFINITY).unwrap();
    /// assert!(near.distance == 2.0 && near.point.distance(DVec3::new(0.2, 0.3, 1.0)) < 1e-15);
    /// ```
    #[doc(alias = "closest_point")]
    #[doc(alias = "project_point")]
    #[must_use]
    pub fn nearest(&self, p: DVec3, reach: f64) -> Option<Nearest> {
        NearestSearch::new(self).find(p, reach, None)
    }
}

/// What many questions about one view have in common.
pub(crate) struct NearestSearch<'a> {
    view: View<'a>,
    sight: Sight,
    level: Level,
    /// Positions and triangles, if the body keeps them ready and stands where it is.
    own: Option<(&'a [DVec3], &'a [[u32; 3]])>,
}

/// Points farther from the middle than this, in units of the frame, are left to `f64` alone: `f32` would say little about them.
const FAR: f64 = 64.0;

/// How far candidates may lie beyond the nearest, as a part of the largest coordinate difference: more than `f64` rounds.
const TIE: f64 = 1e-12;

impl<'a> NearestSearch<'a> {
    pub(crate) fn new(view: &View<'a>) -> Self {
        let own = match view.shape {
            Shape::Hierarchy { body, .. } if view.pose.is_identity() => {
                body.positions().zip(body.triangles())
            }
            _ => None,
        };
        Self { view: *view, sight: view.sight(), level: Level::new(), own }
    }

    /// The nearest point; `hint` is a triangle of the view that may be near.
    pub(crate) fn find(&self, p: DVec3, reach: f64, hint: Option<TriangleId>) -> Option<Nearest> {
        if !p.is_finite() || reach.is_nan() || reach < 0.0 {
            return None;
        }
        let mut candidates = Candidates::new();
        let q = self.sight.point(p);
        let far = q.abs().max_element();
        let scale = self.sight.frame.scale;
        let unit = match self.view.shape {
            Shape::Hierarchy { body, tree } if far <= FAR => {
                let mut limit = (reach * scale) as f32 * (1.0 + 1e-6) + f32::MIN_POSITIVE;
                let off = (f64::from(Frame::SLACK) + f64::from(f32::EPSILON) * far + self.sight.rounding(far))
                    as f32;
                if let Some(id) = hint {
                    let known = project(&self.corners(id.0, p, scale)).distance as f32;
                    limit = limit.min(known * (1.0 + 1e-6) + 4.0 * off);
                }
                let q = q.to_array().map(|x| x as f32);
                let opened = body.ready();
                let walk = Descent { body, tree, opened, q, off };
                dispatch!(self.level, simd => walk.run(simd, limit, &mut candidates));
                scale
            }
            _ => self.gather_far(p, q, reach, &mut candidates)?,
        };
        self.best_of(p, reach, unit, &mut candidates)
    }

    /// A triangle where the pose puts it.
    #[inline(always)]
    fn triangle(&self, id: u32) -> Triangle {
        match self.own {
            Some((positions, triangles)) => {
                let [a, b, c] = triangles[id as usize].map(|v| positions[v as usize]);
                Triangle::new(a, b, c)
            }
            None => self.view.triangle(TriangleId(id)),
        }
    }

    /// Corners of a triangle relative to a point.
    #[inline(always)]
    fn corners(&self, id: u32, p: DVec3, unit: f64) -> [DVec3; 3] {
        self.triangle(id).corners().map(|corner| (corner - p) * unit)
    }

    /// Candidates for a point far away, or for a soup; all in `f64`. Returns the unit in which squares neither overflow nor vanish.
    fn gather_far(&self, p: DVec3, q: DVec3, reach: f64, candidates: &mut Candidates) -> Option<f64> {
        let bounds = self.view.bounds();
        let (low, high) = bounds.corners();
        let size = (low - p).abs().max((high - p).abs()).max_element();
        if !(size.is_finite() && low.cmple(high).all()) {
            return None;
        }
        // The smallest power of two above the size, inverted. The size may be subnormal or zero.
        let exponent = ((size.to_bits() >> 52) as i64 - 1023).max(-1000);
        let unit = f64::from_bits(((1022 - exponent).max(1) as u64) << 52);
        let ratio = unit / self.sight.frame.scale;
        let pad = self.sight.rounding(q.abs().max_element());
        let q = q.to_array();
        let is_known = q.iter().all(|x| x.is_finite()) && ratio.is_normal();
        let mut limit = reach * unit + TIE;
        self.view.visit(
            limit * limit,
            |node, lanes| {
                for (lane, _) in node.used() {
                    let (low, high) = node.boxes.lane(lane);
                    let mut squared = 0.0;
                    for k in 0..3 {
                        let slack = f64::from(Frame::SLACK) + 4.0 * f64::EPSILON * q[k].abs() + pad;
                        let outside = (f64::from(low[k]) - q[k]).max(q[k] - f64::from(high[k])) - slack;
                        squared += (outside.max(0.0) * ratio).powi(2);
                    }
                    lanes[lane] = if is_known { squared * (1.0 - 1e-12) } else { 0.0 };
                }
            },
            |id, t| {
                let distance = project(&t.corners().map(|corner| (corner - p) * unit)).distance;
                if distance <= limit {
                    limit = limit.min(distance + TIE);
                    candidates.push(distance as f32, id, limit as f32 * (1.0 + 1e-6));
                }
                Some(limit * limit)
            },
        );
        Some(unit)
    }

    /// The nearest of the candidates.
    fn best_of(&self, p: DVec3, reach: f64, unit: f64, candidates: &mut Candidates) -> Option<Nearest> {
        let mut best: Option<(f64, u32, Projection)> = None;
        let list = candidates.take();
        // Corners of several candidates are fetched at once: memory then answers for all of them at once.
        let mut fetched = [[DVec3::ZERO; 3]; LANES];
        for chunk in list.chunks(LANES) {
            for (corners, &(_, id)) in fetched.iter_mut().zip(chunk) {
                *corners = self.corners(id, p, unit);
            }
            for (corners, &(_, id)) in fetched.iter().zip(chunk) {
                let found = project(corners);
                let is_better = best.as_ref().is_none_or(|(distance, first, _)| {
                    found.distance < *distance || found.distance == *distance && id < *first
                });
                if is_better {
                    best = Some((found.distance, id, found));
                }
            }
        }
        let (distance, id, found) = best?;
        let distance = distance / unit;
        if distance > reach || !distance.is_finite() {
            return None;
        }
        let (triangle, weights) = (TriangleId(id), found.weights);
        let t = self.triangle(id);
        let names = self.vertices(id);
        let mut parts = (0..3).filter(|k| weights[*k] > 0.0);
        let parts = [parts.next(), parts.next(), parts.next()];
        let (feature, point, normal) = match parts {
            [Some(k), None, _] => {
                let corner = t.corners()[k];
                (Feature::Vertex(names[k]), corner, self.mean_normal(list, &[corner], &t))
            }
            [Some(i), Some(j), None] => {
                let ends = [t.corners()[i], t.corners()[j]];
                let edge = [names[i].min(names[j]), names[i].max(names[j])];
                (Feature::Edge(edge), point_at(&t, weights), self.mean_normal(list, &ends, &t))
            }
            _ => (Feature::Face(triangle), point_at(&t, weights), unit_normal(&t)),
        };
        Some(Nearest { triangle, point, distance, weights, feature, normal })
    }

    fn vertices(&self, id: u32) -> [u32; 3] {
        match self.view.shape {
            Shape::Hierarchy { body, .. } => body.vertices(id, false),
            Shape::Soup(mesh) => mesh.triangles()[id as usize],
        }
    }

    /// The normal at some corners, of the candidates around them in the order of their ids.
    fn mean_normal(&self, list: &mut [(f32, u32)], at: &[DVec3], own: &Triangle) -> DVec3 {
        list.sort_unstable_by_key(|(_, id)| *id);
        mean_normal(list.iter().map(|(_, id)| self.triangle(*id)), at, own)
    }
}

/// The point with the given weights.
fn point_at(t: &Triangle, [u, v, w]: [f64; 3]) -> DVec3 {
    if u >= v && u >= w {
        t.a + (t.b - t.a) * v + (t.c - t.a) * w
    } else if v >= w {
        t.b + (t.a - t.b) * u + (t.c - t.b) * w
    } else {
        t.c + (t.a - t.c) * u + (t.b - t.c) * v
    }
}
