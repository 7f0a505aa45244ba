//! Whether a point is inside a closed body, and its signed distance.
//!
//! A segment from the point to far outside crosses the surface an odd number of times. Whether it crosses a
//! triangle is decided exactly. If a segment touches an edge or a corner, another segment is tried.
//! The sign of a distance is decided in the same way, never by normals.

use super::nearest::NearestSearch;
use super::ray::Ray;
use super::{Nearest, OpenSurface, View};
use crate::base::Random;
use crate::exact::{self, Relation, Sign};
use crate::geom::DVec3;

/// Where a point lies with respect to a closed body.
///
/// ```
/// use fracas::{MeshTree, Side, mesh::shapes, geom::DVec3};
/// let cube = MeshTree::build(shapes::cuboid(DVec3::splat(2.0)));
/// assert_eq!(cube.view().side_of(DVec3::X), Ok(Side::On));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// A way outside crosses the surface an odd number of times.
    Inside,
    /// The point lies on a triangle, exactly.
    On,
    /// A way outside crosses the surface an even number of times.
    Outside,
}

/// The distance of a point from a closed body, negative inside.
///
/// ```
/// use fracas::{MeshTree, mesh::shapes, geom::DVec3};
/// let cube = MeshTree::build(shapes::cuboid(DVec3::splat(2.0)));
/// let inside = cube.view().signed_distance(DVec3::new(0.5, 0.0, 0.0), f64::INFINITY).unwrap().unwrap();
/// assert_eq!((inside.distance, inside.nearest.point.x), (-0.5, 1.0));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SignedDistance {
    /// Distance to the surface, rounded; negative inside, 0 on the surface.
    pub distance: f64,
    /// On which side the point lies, decided exactly.
    pub side: Side,
    /// The nearest point of the surface.
    pub nearest: Nearest,
}

impl View<'_> {
    /// On which side of a closed body a point lies, decided exactly.
    ///
    /// If a closed surface intersects itself, a point that is inside twice counts as outside. A point that is not finite is outside, and so is
    /// every point of an empty body.
    ///
    /// # Errors
    /// A surface that is open; [`View::side_by_winding`] has an answer for it.
    ///
    /// # Cost
    /// That of one ray, or of several if the first ones touch edges; once per body that of [`View::require_closed`].
    ///
    /// ```
    /// use fracas::{MeshTree, Side, mesh::shapes, geom::DVec3};
    /// let ball = MeshTree::build(shapes::icosphere(1.0, 3));
    /// assert_eq!(ball.view().side_of(DVec3::splat(0.5)), Ok(Side::Inside));
    /// assert_eq!(ball.view().side_of(DVec3::splat(0.6)), Ok(Side::Outside));
    /// assert_eq!(ball.view().side_of(ball.mesh().positions()[7]), Ok(Side::On));
    /// ```
    #[doc(alias = "contains")]
    pub fn side_of(&self, p: DVec3) -> Result<Side, OpenSurface> {
        self.require_closed()?;
        Ok(self.side_by_parity(p))
    }

    /// The distance of a point from a closed body, negative inside, if the surface is at most `reach` away, which may be infinite.
    ///
    /// `None` in the cases of [`View::nearest`].
    ///
    /// # Errors
    /// A surface that is open.
    ///
    /// # Cost
    /// Those of [`View::nearest`] and [`View::side_of`].
    #[doc(alias = "sdf")]
    pub fn signed_distance(&self, p: DVec3, reach: f64) -> Result<Option<SignedDistance>, OpenSurface> {
        self.require_closed()?;
        Ok(NearestSearch::new(self).find(p, reach, None).map(|nearest| self.signed(p, nearest)))
    }

    /// The nearest point with the sign of a closed surface.
    pub(crate) fn signed(&self, p: DVec3, nearest: Nearest) -> SignedDistance {
        let side = self.side_by_parity(p);
        let distance = match side {
            Side::Inside => -nearest.distance,
            Side::On => 0.0,
            Side::Outside => nearest.distance,
        };
        SignedDistance { distance, side, nearest }
    }

    /// The side of a surface that is known to be closed.
    pub(crate) fn side_by_parity(&self, p: DVec3) -> Side {
        match self.crossings(p) {
            None => Side::On,
            Some(crossings) if crossings.count % 2 == 1 => Side::Inside,
            Some(_) => Side::Outside,
        }
    }

    /// How a way from a point to far outside crosses the surface; `None` if the point lies on it.
    pub(crate) fn crossings(&self, p: DVec3) -> Option<Crossings> {
        let (low, high) = self.bounds().corners();
        let size = (high - low).max_element();
        let pad = size * 1e-6;
        if !(p.is_finite() && (low - pad).cmple(p).all() && p.cmple(high + pad).all()) {
            return Some(Crossings::default());
        }
        let mut random = Random::new(1);
        for attempt in 0..256 {
            // The first ways are without a pattern, so that a way that touches an edge is followed by one that does not.
            let mut any = || 2.0 * random.unit() - 1.0;
            let way = WAYS.get(attempt).copied().unwrap_or_else(|| [any(), any(), any()]);
            // Straight out through the box and well beyond it; farther each time, so that rounded ends are not all on few lines.
            let length = 4.0 * size * (attempt + 1) as f64;
            let end = (p + DVec3::from_array(way) * length).clamp(DVec3::MIN, DVec3::MAX);
            let crossings = self.crossings_along(p, end);
            if crossings.is_some() {
                return crossings;
            }
            if attempt == 0 && self.holds(p) {
                return None;
            }
        }
        unreachable!("256 segments from {p} without a pattern all touch an edge or a vertex")
    }

    /// Whether a point lies on a triangle, exactly.
    fn holds(&self, p: DVec3) -> bool {
        let ray = Ray::new(&self.sight(), p, p);
        let mut is_on = false;
        self.visit(
            f64::MAX,
            |node, bounds| ray.entries(node, bounds),
            |_, t| {
                is_on = exact::segment_triangle(p, p, t) != Relation::Disjoint;
                (!is_on).then_some(f64::MAX)
            },
        );
        is_on
    }

    /// The triangles that a segment crosses; `None` if it touches one.
    fn crossings_along(&self, start: DVec3, end: DVec3) -> Option<Crossings> {
        let ray = Ray::new(&self.sight(), start, end);
        let mut crossings = Some(Crossings::default());
        self.visit(
            f64::MAX,
            |node, bounds| ray.entries(node, bounds),
            |_, t| {
                match exact::segment_triangle(start, end, t) {
                    Relation::Disjoint => {}
                    Relation::Touching => crossings = None,
                    Relation::Crossing => {
                        if let Some(crossings) = &mut crossings {
                            crossings.count += 1;
                            // From behind the triangle the way leads out.
                            let is_behind = exact::orient3d(t.a, t.b, t.c, start) == BEHIND;
                            crossings.winding += if is_behind { 1 } else { -1 };
                        }
                    }
                }
                crossings.map(|_| f64::MAX)
            },
        );
        crossings
    }
}

/// How a way to far outside crosses a surface.
#[derive(Clone, Copy, Default)]
pub(crate) struct Crossings {
    /// Triangles that it crosses.
    count: usize,
    /// How many more of them it leaves than enters.
    pub(crate) winding: i64,
}

/// The orientation of a triangle's corners and a point behind it: where its normal does not point.
const BEHIND: Sign = Sign::Negative;

/// Directions without a pattern.
const WAYS: [[f64; 3]; 8] = [
    [0.0871, 0.0523, 0.9948],
    [-0.9421, 0.1217, 0.3123],
    [0.2917, -0.9283, -0.2311],
    [0.5813, 0.6127, -0.5351],
    [-0.4339, -0.5479, 0.7151],
    [0.7907, -0.3571, 0.4973],
    [-0.6361, 0.7549, -0.1597],
    [-0.1873, 0.4021, -0.8962],
];
