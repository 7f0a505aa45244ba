//! A tree over the surface of one fragment: for many questions about points near it.
//!
//! # Idea
//!
//! ```text
//!    facets along a space-filling curve          ▢▢▢▢▢▢▢▢  ▢▢▢▢▢▢▢▢  ▢▢▢▢▢▢▢▢ …     a box around each of them,
//!                                                ╰──────╯  ╰──────╯  ╰──────╯        and around every eight boxes again
//! ```
//!
//! [`BrittleBody::find_nearest`] goes from cells to tetrahedra to their parts, and needs little that a fracture would have to
//! rebuild. Two bodies that touch ask a hundred questions at once. For these it pays to list the facets along a curve that keeps
//! neighbours together, and to compare eight boxes at a time.
//!
//! # Where it lives
//!
//! A tree lives in its fragment, behind a `OnceLock`; the first call of [`BrittleBody::facet_tree`] builds it. It depends on the
//! fragment alone, so answers are the same on every thread.
//!
//! # Invariants
//!
//! Answers are those of [`BrittleBody::find_nearest`], up to rounding and the choice between equally near facets. Boxes are in
//! `f32` and padded, so that rounding a point loses nothing. A point within the padding of a facet counts as on the facet: it
//! takes the facet's normal, and the search ends. So the pieces of a fresh crack face each other although engines round their
//! poses. Facets without area are left out: they have no normal, and others share their edges.
//!
//! # When to use something else
//!
//! A few questions about a fragment: ask the body itself.

use super::Probe;
use super::facet_walk::Walkable;
use super::nearest_surface::Best;
use crate::base::morton;
use crate::base::radix::RadixSort;
use crate::brittle::split::cut_tet::FacetTriangle;
use crate::brittle::{BrittleBody, BrittleError, Fragment, FragmentId, NearestSurface};
use crate::geom::{Boxes8, DVec3, LANES, Triangle};
use crate::walk::Stamp;
use fearless_simd::prelude::*;
use fearless_simd::{Level, dispatch, f32x8};
use std::sync::OnceLock;

/// A solid farther from the origin than this many radii has boxes about its middle.
const FAR: f64 = 8.0;
/// Boxes are padded by this part of the largest coordinate.
const PADDING: f64 = 1e-6;
/// Squared distances to boxes may be too large by this factor.
const ABOVE: f64 = 1.0 + 1e-5;
/// Bits of a place on the curve.
const CODE_BITS: u32 = 30;
/// Facets from which on a radix sort is faster.
const MANY: usize = 300;
/// Coordinates of points are clamped to this, so that squared distances are finite.
const FARTHEST: f64 = 1e18;

/// A tree over the facets of a fragment; see the module.
#[derive(Clone, Debug)]
pub struct FacetTree {
    pub(super) fragment: FragmentId,
    padding: f64,
    /// The origin of the boxes: that of the body, or the middle of a solid far from it.
    pub(super) origin: DVec3,
    pub(crate) facets: Vec<FacetTriangle>,
    /// The triangle of [`BrittleBody::surface`] that each facet is.
    pub(super) triangles: Vec<u32>,
    /// From fine to coarse. Box `k` of the finest level holds facet `k`, box `k` of another one block `k` of the level below.
    pub(crate) levels: Vec<Vec<Boxes8>>,
    /// What a walk needs beside the boxes; built when first asked for.
    pub(super) walkable: OnceLock<Walkable>,
    pub(super) stamp: Stamp,
}

impl BrittleBody {
    /// The tree over a fragment's facets, built when it is first asked for.
    ///
    /// # Errors
    /// If there is no such fragment, or it has broken.
    ///
    /// # Cost
    /// The first time, a sort of the facets.
    ///
    /// ```
    /// use fracas::brittle::{BrittleBody, Probe, Solid, SolidOptions};
    /// use fracas::{geom::DVec3, mesh::tets::brick};
    /// let solid = Solid::build(brick(DVec3::ONE, [4, 4, 4]), &SolidOptions::default())?;
    /// let body = BrittleBody::new(solid.into());
    /// let tree = body.facet_tree(body.fragments().next().unwrap())?;
    /// let near = tree.find_nearest(&body, DVec3::new(0.0, 0.1, 0.55), 0.1, true).unwrap();
    /// assert!((near.distance - 0.05).abs() < 1e-12 && near.normal.z > 0.999);
    /// let far = tree.probe(&body, DVec3::new(0.0, 0.1, 0.8), 0.1, 0.0);
    /// assert!(matches!(far, Probe::Far(bound) if bound > 0.1 && bound < 0.3001));
    /// # Ok::<(), fracas::brittle::BrittleError>(())
    /// ```
    pub fn facet_tree(&self, fragment: FragmentId) -> Result<&FacetTree, BrittleError> {
        let known = self.fragment(fragment)?;
        Ok(known.facet_tree.get_or_init(|| FacetTree::build(self, fragment, known)))
    }
}

impl FacetTree {
    pub(crate) fn build(body: &BrittleBody, fragment: FragmentId, known: &Fragment) -> Self {
        let solid = &body.solid;
        let is_far = solid.middle.abs().max_element() > FAR * solid.radius;
        let origin = if is_far { solid.middle } else { DVec3::ZERO };
        // Each facet is looked at twice: here, and when it is copied to its place.
        let mut listed = Listed::with_capacity(2 * known.tree.points.len(), origin);
        for &tet in &known.tets {
            let (of_tet, cracks) = match body.cut_tet(tet) {
                Some(cut) => {
                    let Some(part) = cut.part_of(fragment.0) else { continue };
                    let span = &cut.parts[part];
                    (&body.facets[span.range()], span.cracks as usize)
                }
                None => (solid.facets_of(tet), 0),
            };
            listed.add(of_tet, cracks);
        }
        let order = listed.curve_order();
        let padding = PADDING * listed.reach.max_element();
        let mut facets = Vec::with_capacity(order.len());
        let mut triangles = Vec::with_capacity(order.len());
        let mut boxes = vec![Boxes8::EMPTY; order.len().div_ceil(LANES)];
        for (k, &place) in order.iter().enumerate() {
            let (facet, triangle) = listed.facets[place as u32 as usize];
            let Triangle { a, b, c } = facet.triangle;
            let (low, high) = (a.min(b).min(c) - origin - padding, a.max(b).max(c) - origin + padding);
            let [low, high] = [low, high].map(|corner| corner.to_array().map(|x| x as f32));
            boxes[k / LANES].set(k % LANES, low, high);
            facets.push(*facet);
            triangles.push(triangle);
        }
        let mut levels = vec![boxes];
        while levels[levels.len() - 1].len() > 1 {
            levels.push(blocks(levels[levels.len() - 1].iter().map(bounds)));
        }
        Self {
            fragment,
            padding,
            origin,
            facets,
            triangles,
            levels,
            walkable: OnceLock::new(),
            stamp: Stamp::new(),
        }
    }

    /// The point of the fragment's surface nearest to `p`, as [`BrittleBody::find_nearest`] of the same body finds it: always for
    /// a point inside, within `reach` for one outside.
    ///
    /// `is_outside` tells that `p` is known to be outside of the fragment, which saves the test.
    ///
    /// # Cost
    /// A few hundred nanoseconds.
    #[must_use]
    pub fn find_nearest(
        &self,
        body: &BrittleBody,
        p: DVec3,
        reach: f64,
        is_outside: bool,
    ) -> Option<NearestSurface> {
        self.search(body, p, reach, is_outside).0
    }

    /// The same for [`ContactFinder::find_with`](super::ContactFinder::find_with): where nothing is within `reach`, the answer is
    /// a lower bound of the distance. `bound` is a lower bound that is known already; 0 or less if there is none.
    #[must_use]
    pub fn probe(&self, body: &BrittleBody, p: DVec3, reach: f64, bound: f64) -> Probe {
        let mut bound = bound;
        if bound <= 0.0 || reach < 0.0 {
            bound = bound.max(body.distance_bound(self.fragment, p));
            if bound > reach {
                return Probe::Far(bound);
            }
        }
        match self.search(body, p, reach, bound > 0.0) {
            (Some(near), _) => {
                Probe::Near { distance: near.distance, surface: near.point, normal: near.normal }
            }
            (None, farther) => Probe::Far(farther.max(bound)),
        }
    }

    /// What [`FacetTree::find_nearest`] answers, and a lower bound of the distance where that is nothing.
    #[inline]
    fn search(
        &self,
        body: &BrittleBody,
        p: DVec3,
        reach: f64,
        is_outside: bool,
    ) -> (Option<NearestSurface>, f64) {
        // A reach that is no number is none.
        let reach = reach.max(0.0);
        let Search { best, passed_by, .. } = self.walk(p, reach);
        let is_inside = || !is_outside && body.is_inside(self.fragment, p);
        let found = if best.is_on_surface() {
            Some(best.answer_on_surface(p))
        } else if best.is_found {
            let is_inside = !is_outside && best.is_behind(p).unwrap_or_else(is_inside);
            Some(body.answer(best, p, is_inside))
        } else if is_inside() {
            let anywhere = self.walk(p, f64::INFINITY).best;
            anywhere.is_found.then(|| body.answer(anywhere, p, true))
        } else {
            None
        };
        (found, (f64::from(passed_by) / ABOVE).sqrt().max(reach))
    }

    /// Whether a point is inside, farther than `depth` from the surface.
    pub fn is_deeper(&self, body: &BrittleBody, p: DVec3, depth: f64) -> bool {
        !self.walk(p, depth.max(0.0)).best.is_found && body.is_inside(self.fragment, p)
    }

    /// Searches the facets within reach of a point.
    fn walk(&self, p: DVec3, reach: f64) -> Search<'_> {
        let rounded = (p - self.origin).to_array().map(|x| x.clamp(-FARTHEST, FARTHEST) as f32);
        let best = Best::nothing_within(reach, p, self.padding);
        let mut search = Search { tree: self, p, rounded, best, passed_by: f32::INFINITY };
        if let Some(top) = self.levels.len().checked_sub(1)
            && p.is_finite()
            && !self.facets.is_empty()
        {
            let level = Level::new();
            dispatch!(level, simd => search.visit(simd, top, 0));
        }
        search
    }
}

/// A search under way.
struct Search<'a> {
    tree: &'a FacetTree,
    p: DVec3,
    rounded: [f32; 3],
    best: Best,
    /// Least squared distance of a box that was not opened, or of a facet that was farther than its box.
    passed_by: f32,
}

impl Search<'_> {
    /// Boxes whose squared distance is more are out of reach. It is finite, so that unused boxes always are.
    #[inline]
    fn limit(&self) -> f32 {
        ((self.best.limit() * ABOVE) as f32).min(f32::MAX)
    }

    fn visit<S: Simd>(&mut self, simd: S, level: usize, block: usize) {
        // Walks call themselves, so each visit asks for the instruction set again.
        simd.vectorize(
            #[inline(always)]
            || self.visit_block(simd, level, block),
        );
    }

    #[inline(always)]
    fn visit_block<S: Simd>(&mut self, simd: S, level: usize, block: usize) {
        // Boxes within the limit, as bits, and the nearest of the others.
        let limit = self.limit();
        let squared = self.tree.levels[level][block].squared_distances_wide(simd, self.rounded);
        let is_near = squared.simd_le(limit);
        let mut near = is_near.to_bitmask() as u32;
        let farther = is_near.select(f32x8::splat(simd, f32::INFINITY), squared).reduce_min();
        let passed_by = if farther < self.passed_by { farther } else { self.passed_by };
        let distances: [f32; LANES] = squared.to_array();
        // A facet whose box is within the limit may be just beyond it.
        let is_leaf_near = level == 0 && near != 0 && limit < passed_by;
        self.passed_by = if is_leaf_near { limit } else { passed_by };
        while near != 0 {
            let mut k = near.trailing_zeros() as usize;
            let mut rest = near & (near - 1);
            while rest != 0 {
                let other = rest.trailing_zeros() as usize;
                k = if distances[other] < distances[k] { other } else { k };
                rest &= rest - 1;
            }
            near &= !(1 << k);
            if distances[k] > self.limit() || self.best.is_on_crack() {
                return;
            }
            let child = block * LANES + k;
            if level > 0 {
                self.visit(simd, level - 1, child);
            } else {
                self.best.try_facet(&self.tree.facets[child], self.p);
            }
        }
    }
}

/// Boxes in blocks of eight.
fn blocks(bounds: impl ExactSizeIterator<Item = [[f32; 3]; 2]>) -> Vec<Boxes8> {
    let mut blocks = vec![Boxes8::EMPTY; bounds.len().div_ceil(LANES)];
    for (k, [low, high]) in bounds.enumerate() {
        blocks[k / LANES].set(k % LANES, low, high);
    }
    blocks
}

/// The box around eight boxes.
pub(super) fn bounds(block: &Boxes8) -> [[f32; 3]; 2] {
    let low = block.low.map(|lanes| most(lanes, |x, y| x < y));
    let high = block.high.map(|lanes| most(lanes, |x, y| x > y));
    [low, high]
}

/// The number that comes before all others. In three rounds, so that lanes are compared side by side.
#[inline]
fn most(lanes: [f32; LANES], is_before: impl Fn(f32, f32) -> bool) -> f32 {
    let mut rest = lanes;
    for half in [4, 2, 1] {
        for k in 0..half {
            rest[k] = if is_before(rest[k + half], rest[k]) { rest[k + half] } else { rest[k] };
        }
    }
    rest[0]
}

/// The facets of a fragment as its tetrahedra list them, and what their order and their boxes need.
struct Listed<'a> {
    /// Each with the triangle of the surface that it is.
    facets: Vec<(&'a FacetTriangle, u32)>,
    /// Three times the middle of each.
    middles: Vec<DVec3>,
    /// The box around these.
    low: DVec3,
    high: DVec3,
    origin: DVec3,
    /// Greatest distance of a corner from the origin along each axis.
    reach: DVec3,
    /// Triangles of the surface so far.
    triangles: usize,
}

impl<'a> Listed<'a> {
    fn with_capacity(facets: usize, origin: DVec3) -> Self {
        Self {
            facets: Vec::with_capacity(facets),
            middles: Vec::with_capacity(facets),
            low: DVec3::INFINITY,
            high: DVec3::NEG_INFINITY,
            origin,
            reach: DVec3::ZERO,
            triangles: 0,
        }
    }

    /// Adds the facets in a tetrahedron, of which the first few are on cracks.
    #[inline]
    fn add(&mut self, of_tet: &'a [FacetTriangle], cracks: usize) {
        for (k, facet) in of_tet.iter().enumerate().filter(|(_, facet)| facet.normal != DVec3::ZERO) {
            // Here cracks come first; the surface lists them last.
            let number = if k < cracks { k + of_tet.len() } else { k } - cracks;
            self.facets.push((facet, (self.triangles + number) as u32));
            let Triangle { a, b, c } = facet.triangle;
            let middle = a + b + c;
            self.middles.push(middle);
            (self.low, self.high) = (self.low.min(middle), self.high.max(middle));
            let [a, b, c] = [a, b, c].map(|corner| (corner - self.origin).abs());
            self.reach = self.reach.max(a).max(b).max(c);
        }
        self.triangles += of_tet.len();
    }

    /// The order of facets along a space-filling curve through their middles: codes of 30 bits above, the places of facets in the lower
    /// half.
    fn curve_order(&self) -> Vec<u64> {
        let scale = 1023.0 / (self.high - self.low).max_element().max(f64::MIN_POSITIVE);
        let code = |p: &DVec3| morton::encode(((*p - self.low) * scale).to_array().map(|x| x as i64 as u64));
        let codes = self.middles.iter().map(code);
        let mut order: Vec<u64> = codes.zip(0..).map(|(code, k)| code << 32 | k).collect();
        if order.len() < MANY {
            // A code and a place in one word: integers sort faster than pairs of them.
            order.sort_unstable();
            return order;
        }
        let mut sort = RadixSort::default();
        sort.from = order;
        sort.sort(CODE_BITS, |place| place >> 32, 1);
        sort.sorted
    }
}
