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
//! Memory traffic is most of what building costs. So the tree does not copy facets: it has their places in the solid and in the body, and reads
//! each facet twice, once for its middle and once for its box. Middles of the original surface are part of the solid.
//!
//! # Where it lives
//!
//! A tree lives in its fragment, behind a `OnceLock`; the first call of [`BrittleBody::facet_tree`] builds it. It depends on the
//! fragment alone, so answers are the same on every thread. Facets of a body never move, so a tree stays valid when other fragments break.
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
use crate::brittle::split::cut_tet::{FacetTriangle, PartSpan};
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
/// Facets from which on they are sorted by digits of their codes first.
const MANY: usize = 150;
/// Bits of a digit. The two upper digits sort all but the few facets of one small cell.
const DIGIT: u32 = 10;
/// Coordinates of points are clamped to this, so that squared distances are finite.
const FARTHEST: f64 = 1e18;

/// The bit that tells triangles of the original surface from facets of cuts.
const ORIGINAL: u32 = 1 << 31;

/// A tree over the facets of a fragment; see the module.
#[derive(Clone, Debug)]
pub struct FacetTree {
    pub(super) fragment: FragmentId,
    padding: f64,
    /// The origin of the boxes: that of the body, or the middle of a solid far from it.
    pub(super) origin: DVec3,
    /// Where each facet is: its place among the facets of the body's cuts, or [`ORIGINAL`] and its triangle of the original surface.
    pub(crate) sources: Vec<u32>,
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
        // Corners of facets are points of the sphere tree, so no facet is looked at for the padding.
        let reach = (known.low - origin).abs().max((known.high - origin).abs());
        let padding = PADDING * reach.max_element();
        let listed = Listed::of(body, fragment.0, known);
        let order = listed.curve_order();
        let mut sources = Vec::with_capacity(order.len());
        let mut triangles = Vec::with_capacity(order.len());
        let mut boxes = vec![Boxes8::EMPTY; order.len().div_ceil(LANES)];
        for (k, &place) in order.iter().enumerate() {
            let (source, triangle) = listed.facets[place as u32 as usize];
            let Some(&FacetTriangle { triangle: Triangle { a, b, c }, .. }) = body.facet_from(source) else {
                continue;
            };
            let (low, high) = (a.min(b).min(c) - origin - padding, a.max(b).max(c) - origin + padding);
            let [low, high] = [low, high].map(|corner| corner.to_array().map(|x| x as f32));
            boxes[k / LANES].set(k % LANES, low, high);
            sources.push(source);
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
            sources,
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
        let Search { best, passed_by, .. } = self.walk(body, p, reach);
        let is_inside = || !is_outside && body.is_inside(self.fragment, p);
        let found = if best.is_on_surface() {
            Some(best.answer_on_surface(p))
        } else if best.is_found {
            let is_inside = !is_outside && best.is_behind(p).unwrap_or_else(is_inside);
            Some(body.answer(best, p, is_inside))
        } else if is_inside() {
            let anywhere = self.walk(body, p, f64::INFINITY).best;
            anywhere.is_found.then(|| body.answer(anywhere, p, true))
        } else {
            None
        };
        (found, (f64::from(passed_by) / ABOVE).sqrt().max(reach))
    }

    /// Whether a point is inside, farther than `depth` from the surface.
    pub fn is_deeper(&self, body: &BrittleBody, p: DVec3, depth: f64) -> bool {
        !self.walk(body, p, depth.max(0.0)).best.is_found && body.is_inside(self.fragment, p)
    }

    /// Searches the facets within reach of a point.
    fn walk<'a>(&'a self, body: &'a BrittleBody, p: DVec3, reach: f64) -> Search<'a> {
        let rounded = (p - self.origin).to_array().map(|x| x.clamp(-FARTHEST, FARTHEST) as f32);
        let best = Best::nothing_within(reach, p, self.padding);
        let mut search = Search { body, tree: self, p, rounded, best, passed_by: f32::INFINITY };
        if let Some(top) = self.levels.len().checked_sub(1)
            && p.is_finite()
            && !self.sources.is_empty()
        {
            let level = Level::new();
            dispatch!(level, simd => search.visit(simd, top, 0));
        }
        search
    }
}

/// A search under way.
struct Search<'a> {
    body: &'a BrittleBody,
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
        let squared = self.tree.levels[level][block].squared_distances(simd, self.rounded);
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
                if let Some(facet) = self.body.facet_from(self.tree.sources[child]) {
                    self.best.try_facet(facet, self.p);
                }
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

/// The facets of a fragment as its tetrahedra list them, and what their order needs.
struct Listed {
    /// Where each is, and the triangle of the surface that it is.
    facets: Vec<(u32, u32)>,
    /// Three times the middle of each.
    middles: Vec<DVec3>,
    /// The box around these.
    low: DVec3,
    high: DVec3,
}

impl Listed {
    fn of(body: &BrittleBody, fragment: u32, known: &Fragment) -> Self {
        let room = 2 * known.tree.points.len();
        let (facets, middles) = (Vec::with_capacity(room), Vec::with_capacity(room));
        let mut listed = Self { facets, middles, low: DVec3::INFINITY, high: DVec3::NEG_INFINITY };
        // Where facets are is found first, so that many of them are fetched from memory at a time.
        let span = |&tet: &u32| match body.cut_tet(tet) {
            Some(cut) => {
                let part = cut.part_of(fragment).map_or(PartSpan::default(), |part| cut.parts[part]);
                (part.from, part.from + u32::from(part.count), u32::from(part.cracks))
            }
            None => {
                let triangles = body.solid.triangles_of(tet);
                (triangles.start as u32 | ORIGINAL, triangles.end as u32 | ORIGINAL, 0)
            }
        };
        let spans: Vec<(u32, u32, u32)> = known.surface_tets.iter().map(span).collect();
        // Triangles of the surface before those of a tetrahedron.
        let mut before = 0;
        for &(from, to, cracks) in &spans {
            for source in from..to {
                // Here cracks come first; the surface lists them last.
                let k = source - from;
                let number = if k < cracks { k + (to - from) } else { k } - cracks;
                listed.add(body, source, before + number);
            }
            before += to - from;
        }
        listed
    }

    /// Adds a facet, unless it has no area.
    #[inline]
    fn add(&mut self, body: &BrittleBody, source: u32, triangle: u32) {
        let middle = if source & ORIGINAL != 0 {
            body.solid.middles[(source & !ORIGINAL) as usize]
        } else {
            tripled_middle(&body.facets[source as usize])
        };
        if !middle.x.is_nan() {
            self.facets.push((source, triangle));
            self.middles.push(middle);
            (self.low, self.high) = (self.low.min(middle), self.high.max(middle));
        }
    }

    /// The order of facets along a space-filling curve through their middles: codes of 30 bits above, the places of facets in the lower
    /// half.
    fn curve_order(&self) -> Vec<u64> {
        let scale = 1023.0 / (self.high - self.low).max_element().max(f64::MIN_POSITIVE);
        let code = |p: &DVec3| morton::encode(((*p - self.low) * scale).to_array().map(|x| x as i64 as u64));
        // A code and a place in one word: integers sort faster than pairs of them, and no two are equal.
        let mut order: Vec<u64> = self.middles.iter().zip(0..).map(|(p, k)| code(p) << 32 | k).collect();
        if order.len() < MANY {
            order.sort_unstable();
            return order;
        }
        let digit = |entry: u64, which: u32| (entry >> (32 + which * DIGIT)) as usize & ((1 << DIGIT) - 1);
        let mut next = [[0_u32; 1 << DIGIT]; 2];
        for &entry in &order {
            next[0][digit(entry, 1)] += 1;
            next[1][digit(entry, 2)] += 1;
        }
        let mut other = vec![0; order.len()];
        for (next, which) in next.iter_mut().zip(1..) {
            let mut sum = 0;
            for slot in next.iter_mut() {
                (*slot, sum) = (sum, sum + *slot);
            }
            for &entry in &order {
                let place = &mut next[digit(entry, which)];
                other[*place as usize] = entry;
                *place += 1;
            }
            std::mem::swap(&mut order, &mut other);
        }
        for cell in order.chunk_by_mut(|x, y| x >> (32 + DIGIT) == y >> (32 + DIGIT)) {
            cell.sort_unstable();
        }
        order
    }
}

/// Three times the middle of a facet; no number if it has no area.
#[inline]
pub(crate) fn tripled_middle(facet: &FacetTriangle) -> DVec3 {
    let Triangle { a, b, c } = facet.triangle;
    if facet.normal == DVec3::ZERO { DVec3::NAN } else { a + b + c }
}

impl BrittleBody {
    /// A facet, by where it is; `None` if the body has none there.
    #[inline]
    pub(crate) fn facet_from(&self, source: u32) -> Option<&FacetTriangle> {
        if source & ORIGINAL != 0 {
            self.solid.facets().get((source & !ORIGINAL) as usize)
        } else {
            self.facets.get(source as usize)
        }
    }
}
