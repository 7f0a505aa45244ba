//! A tetrahedron that a crack passes through: which part a point belongs to, and the triangles of each part's surface.

use super::pattern::{APART, Corners, FacetSide, Groups, PartPattern, Pattern, WHOLE, corner, plane};
use crate::geom::{DVec3, Triangle};
use crate::mesh::mass::Moments;
use crate::mesh::tets::EDGES;

/// The sets of three and four nodes, a bit for each set.
const IS_BETWEEN_MANY: u16 = 1 << 0b0111 | 1 << 0b1011 | 1 << 0b1101 | 1 << 0b1110 | 1 << 0b1111;

/// A cut tetrahedron.
#[derive(Clone, Debug)]
pub(crate) struct CutTet {
    pub tet: u32,
    /// The division of nodes into groups by each fracture that parted some of them.
    pub groups: Groups,
    /// The weights of the nodes in the first of these fractures.
    first_weights: [f64; 4],
    /// Those in the others, if there are any: few tetrahedra are cut twice.
    later_weights: Option<Box<[[f64; 4]; 2]>>,
    pub pattern: u32,
    pub parts: [PartSpan; 4],
    pub part_count: u8,
    /// The part with the most nodes, which is what the others leave.
    largest: u8,
    /// Where the integrals over the others begin.
    pub moments_from: u32,
}

/// A part: its nodes, and where its surface triangles are.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct PartSpan {
    pub nodes: Corners,
    /// The fragment it belongs to.
    pub fragment: u32,
    pub from: u32,
    /// How many there are.
    pub count: u8,
    /// How many of these are on cracks; they come first.
    pub cracks: u8,
}

impl PartSpan {
    /// Where its triangles are.
    #[inline]
    pub fn range(&self) -> std::ops::Range<usize> {
        self.from as usize..self.from as usize + self.count as usize
    }

    /// Where the triangles on cracks are.
    #[inline]
    pub fn crack_range(&self) -> std::ops::Range<usize> {
        self.from as usize..self.from as usize + self.cracks as usize
    }
}

/// A triangle of the surface of a part.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FacetTriangle {
    pub triangle: Triangle,
    /// Unit normal, outward; zero if the triangle has no area.
    pub normal: DVec3,
    /// On a crack; otherwise on the original surface.
    pub is_crack: bool,
}

impl FacetTriangle {
    /// The point nearest to `p` and its squared distance, if that is below `limit`.
    #[inline]
    pub fn closest_within(&self, p: DVec3, limit: f64) -> Option<(DVec3, f64)> {
        // The plane is nearer than the triangle, and much faster to measure.
        let height = self.normal.dot(p - self.triangle.a);
        if height * height * (1.0 - 1e-9) > limit {
            return None;
        }
        let point = self.triangle.closest_point(p);
        let squared = point.distance_squared(p);
        (squared <= limit).then_some((point, squared))
    }
}

/// The polygons of some facets, each a fan of triangles that begin with the same corner.
#[inline]
pub(crate) fn polygons(facets: &[FacetTriangle]) -> impl Iterator<Item = &[FacetTriangle]> {
    facets.chunk_by(|x, y| x.normal == y.normal && x.triangle.a == y.triangle.a)
}

impl CutTet {
    pub fn new(tet: u32) -> Self {
        Self {
            tet,
            groups: WHOLE,
            first_weights: [1.0; 4],
            later_weights: None,
            pattern: 0,
            parts: [PartSpan::default(); 4],
            part_count: 0,
            largest: 0,
            moments_from: 0,
        }
    }

    /// Adds a division. Corners that do not take part have the group [`APART`].
    pub fn divide(&mut self, groups: [u8; 4], weights: [f64; 4]) {
        let free = (0..3).find(|&s| self.groups[s] == [APART; 4]);
        let s = free.expect("a tetrahedron has four nodes and is divided three times at most");
        self.groups[s] = groups;
        match s.checked_sub(1) {
            None => self.first_weights = weights,
            Some(later) => self.later_weights.get_or_insert_default()[later] = weights,
        }
    }

    /// The weights of the nodes in a division.
    #[inline]
    fn weights_of(&self, division: usize) -> &[f64; 4] {
        match &self.later_weights {
            Some(later) if division > 0 => &later[division - 1],
            _ => &self.first_weights,
        }
    }

    /// The weights of the nodes in each division.
    #[inline]
    pub fn weights(&self) -> [[f64; 4]; 3] {
        [0, 1, 2].map(|division| *self.weights_of(division))
    }

    /// The nodes of the part that holds the point with these barycentric coordinates. Points on a crack belong to the lower
    /// label.
    #[inline]
    pub fn part_at(&self, b: &[f64; 4]) -> Corners {
        let mut part = 0b1111;
        for (s, groups) in self.groups.iter().enumerate() {
            let members: Corners = (0..4).map(|k| u8::from(groups[k] != APART) << k).sum();
            if members == 0 {
                break;
            }
            if members != part {
                continue;
            }
            let weights = self.weights_of(s);
            let mut sums = [f64::NEG_INFINITY; 4];
            for k in (0..4).filter(|k| members >> k & 1 == 1) {
                let sum = &mut sums[groups[k] as usize];
                *sum = sum.max(0.0) + weights[k] * b[k].max(0.0);
            }
            let mut best = 0;
            for group in 1..4 {
                if sums[group] > sums[best] {
                    best = group;
                }
            }
            part = (0..4).map(|k| u8::from(groups[k] as usize == best) << k).sum();
        }
        part
    }

    /// The part that belongs to a fragment.
    #[inline]
    pub fn part_of(&self, fragment: u32) -> Option<usize> {
        self.parts[..self.part_count as usize].iter().position(|part| part.fragment == fragment)
    }

    pub fn parts(&self) -> &[PartSpan] {
        &self.parts[..self.part_count as usize]
    }

    /// The part that has a node.
    #[inline]
    pub fn part_with(&self, node: usize) -> PartSpan {
        let found = self.parts().iter().find(|part| part.nodes >> node & 1 == 1);
        *found.expect("every node is in a part")
    }

    /// Positions of the corners of a part, of which there are eight at most; nodes and points on edges are known.
    #[inline]
    fn corners_among(&self, part: &PartPattern, tet: &[DVec3; 4], simple: &[DVec3; 16]) -> [DVec3; 8] {
        let mut corners = [DVec3::ZERO; 8];
        for (place, &support) in corners.iter_mut().zip(&part.supports) {
            *place = if IS_BETWEEN_MANY >> support & 1 == 0 {
                simple[support as usize & 15]
            } else {
                let b = corner(&self.groups, &self.weights(), part.nodes, support);
                tet[0] * b[0] + tet[1] * b[1] + tet[2] * b[2] + tet[3] * b[3]
            };
        }
        corners
    }

    /// By their supports: nodes, and the point that divides each edge between different parts, which is the same for either.
    #[inline]
    fn simple_corners(&self, tet: &[DVec3; 4]) -> [DVec3; 16] {
        let mut points = [DVec3::ZERO; 16];
        for k in 0..4 {
            points[1 << k] = tet[k];
        }
        for [i, j] in EDGES {
            if let Some((s, ..)) = plane(&self.groups, i, j) {
                let [w, v] = [i, j].map(|k| self.weights_of(s)[k]);
                points[1 << i | 1 << j] = tet[i] * (v / (w + v)) + tet[j] * (w / (w + v));
            }
        }
        points
    }

    /// Computes the surface triangles of all parts, at the end of `facets`, and the integrals over all but the largest, at the end of
    /// `moments`. `fragments` tells where the nodes belong.
    pub fn rebuild(
        &mut self,
        pattern: &Pattern,
        whole: &Whole,
        fragments: [u32; 4],
        (facets, moments): (&mut Vec<FacetTriangle>, &mut Vec<Moments>),
    ) {
        self.part_count = pattern.parts.len() as u8;
        let nodes = pattern.parts.iter().map(|part| part.nodes.count_ones());
        let largest = nodes.enumerate().max_by_key(|(_, nodes)| *nodes).map_or(0, |(number, _)| number);
        self.largest = largest as u8;
        self.moments_from = moments.len() as u32;
        let simple = self.simple_corners(&whole.corners);
        for (number, part) in pattern.parts.iter().enumerate() {
            let from = facets.len() as u32;
            let corners = self.corners_among(part, &whole.corners, &simple);
            // Cracks first: where both are equally near, the crack decides.
            let (on_faces, on_cracks) = part.facets.split_at(part.first_crack);
            on_cracks.iter().for_each(|facet| push_fan(facets, &facet.ring, &corners, true));
            let cracks = (facets.len() as u32 - from) as u8;
            for facet in on_faces {
                if matches!(facet.side, FacetSide::Face(face) if whole.is_open[face as usize]) {
                    push_fan(facets, &facet.ring, &corners, false);
                }
            }
            let count = (facets.len() as u32 - from) as u8;
            if number != largest {
                moments.push(part_moments(part, &corners, whole.middle));
            }
            let fragment = fragments[part.nodes.trailing_zeros() as usize];
            self.parts[number] = PartSpan { nodes: part.nodes, fragment, from, count, cracks };
        }
    }

    /// Where the integrals over its parts are.
    pub fn moments_range(&self) -> std::ops::Range<usize> {
        let from = self.moments_from as usize;
        from..from + (self.part_count as usize).saturating_sub(1)
    }

    /// The integrals over a part, by those over the tetrahedron and those that [`CutTet::rebuild`] left of this one.
    #[inline]
    pub fn moments_of(&self, number: usize, whole: &Moments, known: &[Moments]) -> Moments {
        let largest = self.largest as usize;
        if number != largest {
            return known[number - usize::from(number > largest)];
        }
        let mut rest = *whole;
        known.iter().for_each(|part| rest.subtract(part));
        rest
    }
}

/// A tetrahedron as it was before any fracture.
pub(crate) struct Whole {
    pub corners: [DVec3; 4],
    /// The point about which integrals are taken.
    pub middle: DVec3,
    /// Which of its faces are original surface.
    pub is_open: [bool; 4],
}

/// The integrals over a part about a point: it is convex, so tetrahedra from its first corner fill it.
fn part_moments(part: &PartPattern, corners: &[DVec3; 8], about: DVec3) -> Moments {
    let mut moments = Moments::default();
    let at = |v: u8| corners[v as usize & 7] - about;
    for facet in part.facets.iter().filter(|facet| !facet.ring.contains(&0)) {
        let ring = &facet.ring;
        for k in 1..ring.len() - 1 {
            let [a, b, c] = [ring[0], ring[k], ring[k + 1]].map(at);
            moments.add(&Moments::of_tet([a, c, b, at(0)]));
        }
    }
    moments
}

fn push_fan(facets: &mut Vec<FacetTriangle>, ring: &[u8], corners: &[DVec3; 8], is_crack: bool) {
    let at = |k: usize| corners[ring[k] as usize];
    let mut turn = DVec3::ZERO;
    (1..ring.len() - 1).for_each(|k| turn += (at(k) - at(0)).cross(at(k + 1) - at(0)));
    let normal = turn.normalize_or_zero();
    for k in 1..ring.len() - 1 {
        let triangle = Triangle::new(at(0), at(k), at(k + 1));
        facets.push(FacetTriangle { triangle, normal, is_crack });
    }
}
