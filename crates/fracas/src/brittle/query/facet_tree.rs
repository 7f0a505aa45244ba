//! The surface of one fragment, sorted in space: for who asks about many points near it.
//!
//! # Idea
//!
//! ```text
//!    facets along a curve that fills space       ▢▢▢▢▢▢▢▢  ▢▢▢▢▢▢▢▢  ▢▢▢▢▢▢▢▢ …     a box around each of them,
//!                                                ╰──────╯  ╰──────╯  ╰──────╯        and around every eight boxes again
//! ```
//!
//! [`BrittleBody::find_nearest`] finds its way from cells to tetrahedra to their parts, and needs nothing that a fracture would
//! have to make. Two bodies that touch ask a hundred questions at once. Then it pays to list the facets, in the order of a curve
//! that keeps neighbours together, and to compare eight boxes at a time.
//!
//! # Invariants
//!
//! Answers are those of [`BrittleBody::find_nearest`], but for rounding and the choice between equally near facets. Boxes are in
//! `f32` and a little larger than what they hold, so that rounding a point loses nothing. A point as near to a facet as boxes are
//! larger counts as on it: it takes its normal, and no nearer one is looked for. So the pieces of a fresh crack face each other,
//! though engines round their poses.
//!
//! # When to use something else
//!
//! Few questions: ask the body itself.

use crate::brittle::query::nearest::Best;
use crate::brittle::split::cut_tet::FacetTriangle;
use crate::brittle::{BrittleBody, BrittleError, FragmentId, NearestSurface, Solid};
use crate::geom::DVec3;
use crate::mesh::TriangleId;

const WIDTH: usize = 8;

/// A tree over the facets of a fragment; see the module. The default has none, and belongs to no fragment.
#[derive(Clone, Debug)]
pub struct FacetTree {
    fragment: FragmentId,
    /// By so much boxes are larger than what they hold.
    room: f64,
    facets: Vec<FacetTriangle>,
    /// From fine to coarse. Box `k` of the finest level holds facet `k`, box `k` of another one block `k` of the level below.
    levels: Vec<Vec<Block>>,
}

impl Default for FacetTree {
    fn default() -> Self {
        Self { fragment: FragmentId(u32::MAX), room: 0.0, facets: vec![], levels: vec![] }
    }
}

/// Eight boxes; those that are not used hold nothing.
#[derive(Clone, Copy, Debug)]
struct Block {
    low: [[f32; WIDTH]; 3],
    high: [[f32; WIDTH]; 3],
}

impl Block {
    const EMPTY: Self = Self { low: [[f32::INFINITY; WIDTH]; 3], high: [[f32::NEG_INFINITY; WIDTH]; 3] };

    /// Squared distances from a point to the boxes, hardly ever too large and never by more than the boxes allow for.
    #[inline]
    fn distances(&self, p: [f32; 3]) -> [f32; WIDTH] {
        let mut squared = [0.0; WIDTH];
        for axis in 0..3 {
            for k in 0..WIDTH {
                let below = self.low[axis][k] - p[axis];
                let above = p[axis] - self.high[axis][k];
                let beside = if below > above { below } else { above };
                let beside = if beside > 0.0 { beside } else { 0.0 };
                squared[k] += beside * beside;
            }
        }
        squared
    }
}

/// By so much boxes are larger than what they hold, by the greatest coordinate; and up to so much too large squared distances may be.
const ROOM: f64 = 1e-6;
const ABOVE: f64 = 1.0 + 1e-5;

impl FacetTree {
    /// The tree over a fragment's facets.
    ///
    /// # Errors
    /// If there is no such fragment, or it has broken.
    ///
    /// # Cost
    /// A sort of its facets.
    ///
    /// ```
    /// use fracas::brittle::{BrittleBody, FacetTree, Solid, SolidOptions};
    /// use fracas::{geom::DVec3, mesh::tets::brick};
    /// let solid = Solid::build(brick(DVec3::ONE, [4, 4, 4]), &SolidOptions::default())?;
    /// let body = BrittleBody::new(solid.into());
    /// let tree = FacetTree::build(&body, body.fragments().next().unwrap())?;
    /// let near = tree.find_nearest(&body, DVec3::new(0.0, 0.1, 0.55), 0.1, true).unwrap();
    /// assert!((near.distance - 0.05).abs() < 1e-12 && near.normal.z > 0.999);
    /// let bound = tree.find_nearest(&body, DVec3::new(0.0, 0.1, 0.8), 0.1, true).unwrap_err();
    /// assert!(bound > 0.1 && bound <= 0.3);
    /// # Ok::<(), fracas::brittle::BrittleError>(())
    /// ```
    pub fn build(body: &BrittleBody, fragment: FragmentId) -> Result<Self, BrittleError> {
        let facets = sorted(listed(body, fragment)?);
        let most = facets
            .iter()
            .flat_map(|facet| facet.triangle.corners())
            .fold(DVec3::ZERO, |most, p| most.max(p.abs()));
        let room = ROOM * most.max_element();
        let mut blocks = vec![Block::EMPTY; facets.len().div_ceil(WIDTH)];
        for (k, facet) in facets.iter().enumerate() {
            let [a, b, c] = facet.triangle.corners();
            let (low, high) = (a.min(b).min(c) - room, a.max(b).max(c) + room);
            let block = &mut blocks[k / WIDTH];
            for axis in 0..3 {
                block.low[axis][k % WIDTH] = low[axis] as f32;
                block.high[axis][k % WIDTH] = high[axis] as f32;
            }
        }
        let mut levels = vec![blocks];
        while levels[levels.len() - 1].len() > 1 {
            let below = &levels[levels.len() - 1];
            let mut above = vec![Block::EMPTY; below.len().div_ceil(WIDTH)];
            for (k, block) in below.iter().enumerate() {
                for axis in 0..3 {
                    above[k / WIDTH].low[axis][k % WIDTH] =
                        block.low[axis].iter().copied().fold(f32::INFINITY, f32::min);
                    above[k / WIDTH].high[axis][k % WIDTH] =
                        block.high[axis].iter().copied().fold(f32::NEG_INFINITY, f32::max);
                }
            }
            levels.push(above);
        }
        Ok(Self { fragment, room, facets, levels })
    }

    /// The point of the fragment's surface nearest to `p`, as [`BrittleBody::find_nearest`] of the same body finds it.
    ///
    /// `is_outside` tells that `p` is known to be outside of the fragment: then nobody has to find out.
    ///
    /// # Errors
    /// A lower bound of the distance, for points that are outside and farther than `reach`.
    ///
    /// # Cost
    /// A few hundred nanoseconds.
    pub fn find_nearest(
        &self,
        body: &BrittleBody,
        p: DVec3,
        reach: f64,
        is_outside: bool,
    ) -> Result<NearestSurface, f64> {
        let mut search = self.search(p, reach.max(0.0));
        search.run();
        if search.best.is_on_surface() {
            return Ok(search.best.answer_on_surface(p));
        }
        if search.best.is_found {
            let is_inside =
                !is_outside && search.best.is_behind(p).unwrap_or_else(|| body.is_inside(self.fragment, p));
            return Ok(body.answer(search.best, p, is_inside));
        }
        if !is_outside && body.is_inside(self.fragment, p) {
            let mut anywhere = self.search(p, f64::INFINITY);
            anywhere.run();
            if anywhere.best.is_found {
                return Ok(body.answer(anywhere.best, p, true));
            }
        }
        Err((f64::from(search.passed_by) / ABOVE).sqrt().max(reach))
    }

    /// Whether a point is inside, farther than `depth` from the surface.
    ///
    /// ```
    /// use fracas::brittle::{BrittleBody, FacetTree, Solid, SolidOptions};
    /// use fracas::{geom::DVec3, mesh::tets::brick};
    /// let solid = Solid::build(brick(DVec3::ONE, [4, 4, 4]), &SolidOptions::default())?;
    /// let body = BrittleBody::new(solid.into());
    /// let tree = FacetTree::build(&body, body.fragments().next().unwrap())?;
    /// let is_deeper = |z: f64, depth: f64| tree.is_deeper(&body, DVec3::new(0.0, 0.1, z), depth);
    /// assert!(is_deeper(0.4, 0.09) && !is_deeper(0.4, 0.11) && !is_deeper(0.6, 0.05));
    /// # Ok::<(), fracas::brittle::BrittleError>(())
    /// ```
    pub fn is_deeper(&self, body: &BrittleBody, p: DVec3, depth: f64) -> bool {
        let mut search = self.search(p, depth.max(0.0));
        search.run();
        !search.best.is_found && body.is_inside(self.fragment, p)
    }

    fn search(&self, p: DVec3, reach: f64) -> Search<'_> {
        let rounded = p.to_array().map(|x| x as f32);
        Search {
            tree: self,
            p,
            rounded,
            best: Best::nothing_within(reach, p, self.room),
            passed_by: f32::INFINITY,
        }
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
    fn run(&mut self) {
        if let Some(top) = self.tree.levels.len().checked_sub(1) {
            self.visit(top, 0);
        }
    }

    fn visit(&mut self, level: usize, block: usize) {
        let distances = self.tree.levels[level][block].distances(self.rounded);
        // Boxes within the limit, as bits, and the nearest of the others.
        let limit = (self.best.limit() * ABOVE) as f32;
        let (mut near, mut passed_by) = (0_u32, self.passed_by);
        for (k, &squared) in distances.iter().enumerate() {
            let is_near = squared <= limit;
            near |= u32::from(is_near) << k;
            passed_by = if is_near || squared > passed_by { passed_by } else { squared };
        }
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
            if distances[k] > (self.best.limit() * ABOVE) as f32 || self.best.is_on_crack() {
                return;
            }
            let child = block * WIDTH + k;
            if level > 0 {
                self.visit(level - 1, child);
            } else {
                self.best.try_facet(&self.tree.facets[child], self.p);
            }
        }
    }
}

/// The facets of a fragment, tetrahedron by tetrahedron.
fn listed(body: &BrittleBody, fragment: FragmentId) -> Result<Vec<FacetTriangle>, BrittleError> {
    let mut facets = vec![];
    for &tet in &body.fragment(fragment)?.tets {
        let index = body.cut_of[tet as usize];
        if index != Solid::NONE {
            let cut = &body.cuts[index as usize];
            if let Some(part) = cut.part_of(fragment.0) {
                let span = &cut.parts[part];
                facets.extend_from_slice(&body.facets[span.from as usize..span.to as usize]);
            }
            continue;
        }
        for &id in body.solid.triangles_of_tet[tet as usize].iter().filter(|&&id| id != Solid::NONE) {
            let triangle = body.solid.surface.mesh().triangle(TriangleId(id));
            let normal = triangle.area_vector().normalize_or_zero();
            facets.push(FacetTriangle { triangle, normal, is_crack: false });
        }
    }
    // Those without area have no normal, and others share their edges.
    facets.retain(|facet: &FacetTriangle| facet.normal != DVec3::ZERO);
    Ok(facets)
}

/// The facets along a curve through their middles.
fn sorted(facets: Vec<FacetTriangle>) -> Vec<FacetTriangle> {
    let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
    let middle = |facet: &FacetTriangle| facet.triangle.a + facet.triangle.b + facet.triangle.c;
    for facet in &facets {
        (low, high) = (low.min(middle(facet)), high.max(middle(facet)));
    }
    let scale = 1023.0 / (high - low).max_element().max(f64::MIN_POSITIVE);
    let mut order: Vec<(u32, u32)> = facets
        .iter()
        .zip(0..)
        .map(|(facet, k)| {
            let [x, y, z] = ((middle(facet) - low) * scale).to_array().map(|x| spread(x as u32));
            (x | y << 1 | z << 2, k)
        })
        .collect();
    order.sort_unstable();
    order.into_iter().map(|(_, k)| facets[k as usize]).collect()
}

/// The lowest ten bits of a number, each followed by two zeros.
#[inline]
fn spread(x: u32) -> u32 {
    let x = (x | x << 16) & 0x0300_00ff;
    let x = (x | x << 8) & 0x0300_f00f;
    let x = (x | x << 4) & 0x030c_30c3;
    (x | x << 2) & 0x0924_9249
}
