//! Questions about one point: which fragment is it in, how far from the surface, which way out?
//!
//! # Idea
//!
//! *Inside* a fragment, the nodes of the tetrahedron around the point name the places of the cracks nearest to them, and the
//! grid names triangles of the original surface. The point measures its own distance to these, exactly. The least of crack and
//! original surface is right: a way to a part of the original surface that belongs to another fragment passes a crack first.
//!
//! Then, and at once for points *outside*, the cells of the fragment's surface that are nearer than the guess are looked
//! through, from coarse to fine (`presence`). After a good guess there are few, so the answer is exact and still cheap.
//!
//! Where a point lies on the surface, up to rounding, the direction is the normal of the surface there: a fresh crack, whose
//! two sides coincide, must not push its pieces in random directions.

use crate::brittle::solid::cells::Place;
use crate::brittle::split::cut_tet::FacetTriangle;
use crate::brittle::{BrittleBody, Fragment, FragmentId, Solid};
use crate::geom::DVec3;
use crate::mesh::TriangleId;

/// The point of a fragment's surface nearest to a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NearestSurface {
    /// Distance to the surface; negative inside.
    pub distance: f64,
    /// The point of the surface.
    pub point: DVec3,
    /// Unit vector: the way out for a point inside, the way from the surface for a point outside.
    pub normal: DVec3,
    /// Whether it lies on a crack; otherwise on the original surface.
    pub is_crack: bool,
}

/// Parts of the shape's radius below which a point counts as on the surface, and takes its normal.
const ON_SURFACE: f64 = 1e-9;

/// The best found so far, or how far to look.
#[derive(Clone, Copy)]
pub(crate) struct Best {
    pub squared: f64,
    point: DVec3,
    normal: DVec3,
    is_crack: bool,
    pub is_found: bool,
    /// What is as near as this counts as on the surface, squared. By so much must the original surface be nearer than a crack: where both
    /// meet, the crack decides.
    margin: f64,
}

impl Best {
    /// Nothing yet; what is as near as `on_surface` counts as on the surface.
    #[inline]
    pub fn nothing_within(reach: f64, p: DVec3, on_surface: f64) -> Self {
        let (squared, margin) = (reach * reach, on_surface * on_surface);
        Self { squared, point: p, normal: DVec3::ZERO, is_crack: false, is_found: false, margin }
    }

    /// Whether a surface was found so near that the point counts as on it.
    #[inline]
    pub fn is_on_surface(&self) -> bool {
        self.is_found && self.squared <= self.margin
    }

    /// The same for a crack: nothing else can take its place.
    #[inline]
    pub fn is_on_crack(&self) -> bool {
        self.is_crack && self.squared <= self.margin
    }

    /// The answer for a point on the surface.
    pub fn answer_on_surface(&self, p: DVec3) -> NearestSurface {
        let distance = self.normal.dot(p - self.point);
        NearestSurface { distance, point: self.point, normal: self.normal, is_crack: self.is_crack }
    }

    #[inline]
    pub fn try_facet(&mut self, facet: &FacetTriangle, p: DVec3) {
        if let Some((point, squared)) = facet.closest_within(p, self.limit()) {
            self.try_point(point, squared, facet.normal, facet.is_crack);
        }
    }

    /// Whether a point is on the inner side of what is nearest to it; `None` where that alone does not tell, as beside an edge.
    #[inline]
    pub fn is_behind(&self, p: DVec3) -> Option<bool> {
        // Right above a facet, nothing lies between: else that would be nearer.
        let height = self.normal.dot(p - self.point);
        let is_above = self.squared > self.margin && height * height > (1.0 - 1e-6) * self.squared;
        is_above.then_some(height < 0.0)
    }

    /// What is farther, squared, changes nothing.
    #[inline]
    pub fn limit(&self) -> f64 {
        if self.is_crack { self.squared } else { self.squared.max(self.margin) }
    }

    #[inline]
    fn try_point(&mut self, point: DVec3, squared: f64, normal: DVec3, is_crack: bool) {
        let margin = if self.is_crack && !is_crack { self.margin } else { 0.0 };
        let is_nearer = squared < self.squared - margin || (!self.is_found && squared <= self.squared);
        if is_nearer || (is_crack && !self.is_crack && self.is_found && squared <= self.margin) {
            *self = Self { squared, point, normal, is_crack, is_found: true, ..*self };
        }
    }
}

impl BrittleBody {
    /// The fragment that a point is in, if it is in the body at all. Points on a crack belong to one side of it.
    #[must_use]
    pub fn fragment_at(&self, p: DVec3) -> Option<FragmentId> {
        let place = self.solid.cells.locate(p)?;
        Some(FragmentId(self.fragment_of_place(&place)))
    }

    /// Whether a point is inside a fragment.
    #[must_use]
    pub fn is_inside(&self, fragment: FragmentId, p: DVec3) -> bool {
        self.fragment_at(p) == Some(fragment)
    }

    /// The point of a fragment's surface nearest to `p`: always for a point inside, within `reach` for one outside.
    ///
    /// The distance is exact, but for rounding.
    ///
    /// # Cost
    /// Two to four microseconds in a body of 20,000 tetrahedra that has broken three times.
    #[must_use]
    pub fn find_nearest(&self, fragment: FragmentId, p: DVec3, reach: f64) -> Option<NearestSurface> {
        let known = self.fragment(fragment).ok()?;
        if !p.is_finite() || known.distance_bound(p) > reach.max(0.0) {
            return None;
        }
        self.nearest_unless_far(fragment, known, p, reach)
    }

    /// As [`BrittleBody::find_nearest`], for a point whose bound has been looked at.
    #[inline]
    pub(crate) fn nearest_unless_far(
        &self,
        fragment: FragmentId,
        known: &Fragment,
        p: DVec3,
        reach: f64,
    ) -> Option<NearestSurface> {
        if let Some(place) = self.solid.cells.locate(p)
            && self.fragment_of_place(&place) == fragment.0
        {
            return self.nearest_inside(known, fragment.0, p, &place);
        }
        self.nearest_outside(fragment.0, known, p, reach)
    }

    /// A lower bound of the distance from a point to a fragment; 0 inside and near it.
    ///
    /// # Cost
    /// Some tens of nanoseconds.
    #[must_use]
    pub fn distance_bound(&self, fragment: FragmentId, p: DVec3) -> f64 {
        self.fragment(fragment).map_or(f64::INFINITY, |known| known.distance_bound(p))
    }

    /// Whether a sphere may touch a fragment; `false` is certain.
    #[must_use]
    pub fn may_touch(&self, fragment: FragmentId, centre: DVec3, radius: f64) -> bool {
        self.distance_bound(fragment, centre) <= radius
    }

    #[inline]
    fn fragment_of_place(&self, place: &Place) -> u32 {
        let nodes = &self.solid.mesh.tets()[place.tet as usize];
        let cut = self.cut_of[place.tet as usize];
        let node = if cut == Solid::NONE {
            0
        } else {
            self.cuts[cut as usize].part_at(&place.coordinates).trailing_zeros() as usize
        };
        self.fragment_of[nodes[node & 3] as usize]
    }

    fn nearest_inside(
        &self,
        known: &Fragment,
        fragment: u32,
        p: DVec3,
        place: &Place,
    ) -> Option<NearestSurface> {
        let mut best = self.nothing_within(f64::INFINITY, p);
        if self.cut_of[place.tet as usize] != Solid::NONE {
            self.try_cracks(fragment, place.tet, p, &mut best);
        }
        let mut seen = [place.tet; 5];
        for (k, &node) in self.solid.mesh.tets()[place.tet as usize].iter().enumerate() {
            let tet = self.crack_of[node as usize];
            if self.fragment_of[node as usize] != fragment || tet == Solid::NONE || seen[..=k].contains(&tet)
            {
                continue;
            }
            seen[k + 1] = tet;
            let least = self.crack_distance[node as usize] - self.position(node).distance(p);
            if least < 0.0 || least * least < best.squared {
                self.try_cracks(fragment, tet, p, &mut best);
            }
        }
        // No original surface is nearer than what a node has to it, less the way to the node.
        let node = self.solid.mesh.tets()[place.tet as usize][0];
        let least = self.solid.depths[node as usize] - self.position(node).distance(p);
        if (least < 0.0 || least * least < best.squared)
            && let Some(near) = self.solid.original.find(&self.solid.surface, p, best.squared)
        {
            let normal = self.original_normal(near.triangle);
            best.try_point(near.point, near.squared, normal, false);
        }
        // What is left to look at is nearer than a guess that is nearly always right, so it is little.
        self.search_skin(fragment, known, p, &mut best);
        best.squared.is_finite().then(|| self.answer(best, p, true))
    }

    #[inline]
    fn try_cracks(&self, fragment: u32, tet: u32, p: DVec3, best: &mut Best) {
        let cut = &self.cuts[self.cut_of[tet as usize] as usize];
        if let Some(part) = cut.part_of(fragment) {
            let span = &cut.parts[part];
            let facets = &self.facets[span.from as usize..span.to as usize];
            facets.iter().take_while(|facet| facet.is_crack).for_each(|facet| best.try_facet(facet, p));
        }
    }

    fn nearest_outside(
        &self,
        fragment: u32,
        known: &Fragment,
        p: DVec3,
        reach: f64,
    ) -> Option<NearestSurface> {
        let mut best = self.nothing_within(reach, p);
        self.search_skin(fragment, known, p, &mut best);
        best.is_found.then(|| self.answer(best, p, false))
    }

    /// Looks at all of a fragment's surface that may be nearer than the best so far.
    fn search_skin(&self, fragment: u32, known: &Fragment, p: DVec3, best: &mut Best) {
        // Tetrahedra lie in several cells; those looked at lately are not looked at again.
        let mut lately = [Solid::NONE; 64];
        known.skin.visit_near(p, best.squared, |cell| {
            self.try_cell(fragment, cell.map(|i| i as usize), p, best, &mut lately);
            best.squared
        });
    }

    /// Looks at the surface of a fragment in one cell.
    fn try_cell(&self, fragment: u32, cell: [usize; 3], p: DVec3, best: &mut Best, lately: &mut [u32; 64]) {
        let cells = &self.solid.cells;
        let mut reach = best.squared.sqrt();
        for &tet in cells.tets_in(cells.index(cell)) {
            let t = tet as usize;
            let (centre, radius) = self.solid.spheres[t];
            if centre.distance_squared(p) > (radius + reach) * (radius + reach) {
                continue;
            }
            let slot = &mut lately[t & 63];
            if *slot == tet {
                continue;
            }
            *slot = tet;
            let index = self.cut_of[t];
            if index != Solid::NONE {
                let cut = &self.cuts[index as usize];
                if let Some(part) = cut.part_of(fragment) {
                    let span = &cut.parts[part];
                    let facets = &self.facets[span.from as usize..span.to as usize];
                    facets.iter().for_each(|facet| best.try_facet(facet, p));
                    reach = best.squared.sqrt();
                }
            } else if self.fragment_of[self.solid.mesh.tets()[t][0] as usize] == fragment {
                for &id in self.solid.triangles_of_tet[t].iter().filter(|&&id| id != Solid::NONE) {
                    let point = self.solid.surface.mesh().triangle(TriangleId(id)).closest_point(p);
                    let squared = point.distance_squared(p);
                    if squared < best.squared {
                        best.try_point(point, squared, self.original_normal(id), false);
                    }
                }
            }
        }
    }

    fn original_normal(&self, triangle: u32) -> DVec3 {
        self.solid.surface.mesh().triangle(TriangleId(triangle)).area_vector().normalize_or_zero()
    }

    #[inline]
    fn nothing_within(&self, reach: f64, p: DVec3) -> Best {
        Best::nothing_within(reach, p, ON_SURFACE * self.solid.radius)
    }

    #[inline]
    pub(crate) fn answer(&self, best: Best, p: DVec3, is_inside: bool) -> NearestSurface {
        let distance = best.squared.sqrt();
        let sign = if is_inside { -1.0 } else { 1.0 };
        let normal = if distance > ON_SURFACE * self.solid.radius {
            (p - best.point) * (sign / distance)
        } else {
            best.normal
        };
        NearestSurface { distance: sign * distance, point: best.point, normal, is_crack: best.is_crack }
    }
}

impl Fragment {
    #[inline]
    pub(crate) fn distance_bound(&self, p: DVec3) -> f64 {
        let outside = (self.low - p).max(p - self.high).max(DVec3::ZERO).length();
        self.presence.distance_bound(p).max(outside)
    }
}
