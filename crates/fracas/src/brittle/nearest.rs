//! Questions about one point: which fragment is it in, how far from the surface, which way out?
//!
//! # Idea
//!
//! *Inside* a fragment, the nodes of the tetrahedron around the point name the places of the cracks nearest to them, and the
//! grid names triangles of the original surface. The point measures its own distance to these, exactly, and then goes downhill
//! over neighbouring cut tetrahedra. The least of crack and original surface is right: a way to a part of the original surface
//! that belongs to another fragment passes a crack first.
//!
//! *Outside*, cells around the point are looked through, shell by shell, as far as anything nearer may be found. Cells without
//! the fragment are skipped by their presence bit. This is exact.
//!
//! Where a point lies on the surface, up to rounding, the direction is the normal of the surface there: a fresh crack, whose
//! two sides coincide, must not push its pieces in random directions.

use super::cells::Place;
use super::cut::FacetTriangle;
use super::{BrittleBody, Fragment, FragmentId, Solid};
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

/// The best found so far.
#[derive(Clone, Copy)]
struct Best {
    squared: f64,
    point: DVec3,
    normal: DVec3,
    is_crack: bool,
}

impl Best {
    #[inline]
    fn try_facet(&mut self, facet: &FacetTriangle, p: DVec3) {
        let point = facet.triangle.closest_point(p);
        let squared = point.distance_squared(p);
        if squared < self.squared {
            *self = Self { squared, point, normal: facet.normal, is_crack: facet.is_crack };
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
    /// Exact outside. Inside, exact where the nearest surface is where the nodes around expect it, which it nearly always is
    /// near the surface; never nearer than the truth.
    ///
    /// # Cost
    /// About a microsecond inside; outside, proportional to the tetrahedra within reach or nearest.
    #[must_use]
    pub fn find_nearest(&self, fragment: FragmentId, p: DVec3, reach: f64) -> Option<NearestSurface> {
        let known = self.fragment(fragment).ok()?;
        if !p.is_finite() {
            return None;
        }
        if let Some(place) = self.solid.cells.locate(p)
            && self.fragment_of_place(&place) == fragment.0
        {
            return self.nearest_inside(fragment.0, p, &place);
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

    fn nearest_inside(&self, fragment: u32, p: DVec3, place: &Place) -> Option<NearestSurface> {
        let mut best = Best { squared: f64::INFINITY, point: p, normal: DVec3::ZERO, is_crack: false };
        // Where the best crack so far was found.
        let mut from = Solid::NONE;
        if self.cut_of[place.tet as usize] != Solid::NONE {
            self.try_cracks(fragment, place.tet, p, &mut best);
            from = place.tet;
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
                let before = best.squared;
                self.try_cracks(fragment, tet, p, &mut best);
                if best.squared < before {
                    from = tet;
                }
            }
        }
        if let Some(original) = self.solid.original.find(&self.solid.surface, p, best.squared) {
            let normal = self
                .solid
                .surface
                .mesh()
                .triangle(TriangleId(original.triangle))
                .area_vector()
                .normalize_or_zero();
            let OnCrack { best: crack, .. } = self.walk(fragment, from, p, best);
            if crack.squared <= original.squared {
                return Some(self.answer(crack, p, true));
            }
            let best = Best { squared: original.squared, point: original.point, normal, is_crack: false };
            return Some(self.answer(best, p, true));
        }
        let OnCrack { best, .. } = self.walk(fragment, from, p, best);
        best.squared.is_finite().then(|| self.answer(best, p, true))
    }

    /// Goes from a cut tetrahedron to neighbouring ones as long as their cracks are nearer.
    fn walk(&self, fragment: u32, from: u32, p: DVec3, best: Best) -> OnCrack {
        let mut found = OnCrack { best, tet: from };
        if from == Solid::NONE {
            return found;
        }
        for _ in 0..16 {
            let before = found.best.squared;
            let centre = found.tet;
            for tet in self.solid.adjacency.across(centre as usize) {
                if tet != Solid::NONE && self.cut_of[tet as usize] != Solid::NONE {
                    let squared = found.best.squared;
                    self.try_cracks(fragment, tet, p, &mut found.best);
                    if found.best.squared < squared {
                        found.tet = tet;
                    }
                }
            }
            if found.best.squared >= before {
                break;
            }
        }
        found
    }

    #[inline]
    fn try_cracks(&self, fragment: u32, tet: u32, p: DVec3, best: &mut Best) {
        let cut = &self.cuts[self.cut_of[tet as usize] as usize];
        if let Some(part) = self.part_of(cut, fragment) {
            let span = cut.parts()[part];
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
        let mut best = Best { squared: reach * reach, point: p, normal: DVec3::ZERO, is_crack: false };
        if known.distance_bound(p) > reach {
            return None;
        }
        let cells = &self.solid.cells;
        let middle = cells.cell_of(p).map(|i| i as i64);
        let [low, high] = [known.low, known.high].map(|corner| cells.cell_of(corner).map(|i| i as i64));
        let farthest = (0..3).map(|k| (middle[k] - low[k]).abs().max((high[k] - middle[k]).abs())).max()?;
        // Tetrahedra lie in several cells; those looked at lately are not looked at again.
        let mut lately = [Solid::NONE; 128];
        for shell in 0..=farthest {
            let inner = (shell - 1).max(0) as f64 * cells.size;
            if inner * inner > best.squared {
                break;
            }
            let range = |k: usize| (middle[k] - shell).max(low[k])..=(middle[k] + shell).min(high[k]);
            for z in range(2) {
                for y in range(1) {
                    let on_side = (z - middle[2]).abs() == shell || (y - middle[1]).abs() == shell;
                    let step = if on_side || shell == 0 { 1 } else { 2 * shell };
                    let mut x = if step == 1 { *range(0).start() } else { middle[0] - shell };
                    while x <= middle[0] + shell && x <= high[0] {
                        if x >= low[0] {
                            self.try_cell(fragment, known, [x, y, z], p, &mut best, &mut lately);
                        }
                        x += step;
                    }
                }
            }
        }
        (best.normal != DVec3::ZERO || best.point != p).then(|| self.answer(best, p, false))
    }

    /// Looks at the surface of a fragment in one cell.
    fn try_cell(
        &self,
        fragment: u32,
        known: &Fragment,
        cell: [i64; 3],
        p: DVec3,
        best: &mut Best,
        lately: &mut [u32; 128],
    ) {
        let cells = &self.solid.cells;
        let corner = cells.origin + DVec3::from_array(cell.map(|i| i as f64)) * cells.size;
        let outside = (corner - p).max(p - corner - cells.size).max(DVec3::ZERO);
        let cell = cell.map(|i| i as usize);
        if outside.length_squared() > best.squared || !known.presence.has(cell) {
            return;
        }
        for &tet in cells.tets_in(cells.index(cell)) {
            let t = tet as usize;
            let slot = &mut lately[t & 127];
            if *slot == tet {
                continue;
            }
            *slot = tet;
            let index = self.cut_of[t];
            if index != Solid::NONE {
                let cut = &self.cuts[index as usize];
                if let Some(part) = self.part_of(cut, fragment) {
                    let span = cut.parts()[part];
                    let facets = &self.facets[span.from as usize..span.to as usize];
                    facets.iter().for_each(|facet| best.try_facet(facet, p));
                }
            } else if self.fragment_of[self.solid.mesh.tets()[t][0] as usize] == fragment {
                for &id in self.solid.triangles_of_tet[t].iter().filter(|&&id| id != Solid::NONE) {
                    let triangle = self.solid.surface.mesh().triangle(TriangleId(id));
                    let point = triangle.closest_point(p);
                    let squared = point.distance_squared(p);
                    if squared < best.squared {
                        let normal = triangle.area_vector().normalize_or_zero();
                        *best = Best { squared, point, normal, is_crack: false };
                    }
                }
            }
        }
    }

    fn answer(&self, best: Best, p: DVec3, is_inside: bool) -> NearestSurface {
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

/// The best crack of a walk, and the tetrahedron it is in.
struct OnCrack {
    best: Best,
    tet: u32,
}

impl Fragment {
    #[inline]
    pub(super) fn distance_bound(&self, p: DVec3) -> f64 {
        let outside = (self.low - p).max(p - self.high).max(DVec3::ZERO).length();
        self.presence.distance_bound(p).max(outside)
    }
}
