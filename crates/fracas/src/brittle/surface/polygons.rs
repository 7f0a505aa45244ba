//! The surface of one fragment as polygons between the points of its sphere tree, and what follows: normals and sharp edges.
//!
//! # Idea
//!
//! Every corner of the surface is a point of the sphere tree, so a corner needs no number of its own. A node is found through an
//! array, a corner of a crack by the nodes it lies between, in a table:
//!
//! ```text
//!    part of a tetrahedron         corners            points of the tree        sides by their lower corner
//!        ╱▔▔▔╲  facet          i, ij, ik, ijk   ──▶     7, 31, 32, 40    ──▶    7: 31 32   31: 40   32: 40
//! ```
//!
//! A side is listed at the lower of its two corners, where few others are; the one that comes from the other face is found by
//! a look at all of them. So nothing is sorted, and everything takes time in proportion to the surface.
//!
//! # Invariants
//!
//! Polygons are flat, counter-clockwise seen from outside, and in the order of the fragment's tetrahedra.

use super::key_of;
use crate::base::Lists;
use crate::brittle::solid::sphere_tree::Key;
use crate::brittle::split::pattern::{FacetSide, PatternBook};
use crate::brittle::{BrittleBody, Fragment, FragmentId, SharpEdge, SphereTree};
use crate::geom::DVec3;
use crate::mesh::tets::FACES;

/// The polygons of a fragment's surface.
pub(crate) struct SurfacePolygons<'a> {
    points: &'a [DVec3],
    /// The corners of all polygons, as points of the tree.
    corners: Vec<u32>,
    polygons: Vec<Polygon>,
}

struct Polygon {
    /// Where its corners end; they begin where those of the last one do.
    end: u32,
    /// On a crack; otherwise on the original surface.
    is_crack: bool,
    /// Unit vector outward; zero if it has no area.
    normal: DVec3,
}

impl<'a> SurfacePolygons<'a> {
    /// The surface of a fragment.
    pub fn of(body: &'a BrittleBody, known: &'a Fragment, fragment: FragmentId) -> Self {
        let tree = &known.tree;
        let numbers = PointNumbers::of(tree, body.fragment_of.len());
        let room = 2 * tree.points.len();
        let mut surface = Self {
            points: &tree.points,
            corners: Vec::with_capacity(4 * room),
            polygons: Vec::with_capacity(room),
        };
        let book = PatternBook::open();
        for &tet in &known.surface_tets {
            let nodes = body.solid.mesh.tets()[tet as usize];
            let Some(cut) = body.cut_tet(tet) else {
                for triangle in body.solid.triangles_of(tet) {
                    let face = body.solid.faces[triangle].1;
                    surface.corners.extend(FACES[face as usize].map(|k| numbers.of_node(nodes[k])));
                    surface.close(false, body.solid.facet(triangle).normal);
                }
                continue;
            };
            let number = cut.part_of(fragment.0).expect("the tetrahedron has a part of the fragment");
            let (part, span) = (&book.get(cut.pattern).parts[number], &cut.parts[number]);
            let mut places = [0; 8];
            for (place, &support) in places.iter_mut().zip(&part.supports) {
                *place = if support.count_ones() == 1 {
                    numbers.of_node(nodes[support.trailing_zeros() as usize])
                } else {
                    numbers.of_crack(tree, &key_of(&nodes, support))
                };
            }
            // The body keeps triangles of cracks first.
            let mut next = [span.from + u32::from(span.cracks), span.from];
            for facet in &part.facets {
                let is_crack = match facet.side {
                    FacetSide::Crack(..) => true,
                    FacetSide::Face(face) if body.solid.triangle_at(tet, face).is_some() => false,
                    FacetSide::Face(_) => continue,
                };
                let kept = &mut next[usize::from(is_crack)];
                let normal = body.facets[*kept as usize].normal;
                *kept += facet.ring.len() as u32 - 2;
                surface.corners.extend(facet.ring.iter().map(|&v| places[v as usize]));
                surface.close(is_crack, normal);
            }
        }
        surface
    }

    fn close(&mut self, is_crack: bool, normal: DVec3) {
        self.polygons.push(Polygon { end: self.corners.len() as u32, is_crack, normal });
    }

    /// Each polygon with its corners.
    fn polygons(&self) -> impl Iterator<Item = (&Polygon, &[u32])> + Clone {
        let mut from = 0;
        self.polygons.iter().map(move |polygon| {
            let ring = &self.corners[from..polygon.end as usize];
            from = polygon.end as usize;
            (polygon, ring)
        })
    }

    /// Triangles between points of the tree, and whether each lies on a crack.
    pub fn triangles(&self) -> impl Iterator<Item = ([u32; 3], bool)> {
        self.polygons().flat_map(|(polygon, ring)| {
            (1..ring.len() - 1).map(|k| ([ring[0], ring[k], ring[k + 1]], polygon.is_crack))
        })
    }

    /// The unit normal at each point of the tree: the mean of its polygons by angle; zero for points inside.
    pub fn normals(&self) -> Vec<DVec3> {
        let mut sums = vec![DVec3::ZERO; self.points.len()];
        for (polygon, ring) in self.polygons() {
            let at = |k: usize| self.points[ring[k] as usize];
            let (mut here, mut before) = (at(0), at(0) - at(ring.len() - 1));
            for k in 0..ring.len() {
                let next = at(if k + 1 < ring.len() { k + 1 } else { 0 });
                let after = next - here;
                let angle = angle(before.cross(after).dot(polygon.normal), -before.dot(after));
                sums[ring[k] as usize] += polygon.normal * angle;
                (here, before) = (next, after);
            }
        }
        sums.iter_mut().for_each(|sum| *sum = sum.normalize_or_zero());
        sums
    }

    /// The edges along which the surface is convex and turns by more than an angle, given by its cosine.
    pub fn sharp_edges(&self, least_turn: f64) -> Vec<SharpEdge> {
        let mut edges = vec![];
        let sides = self.sides();
        for low in 0..self.points.len() {
            let listed = sides.list(low);
            for (k, side) in listed.iter().enumerate() {
                let is_same = |other: &&PolygonEdge| other.high == side.high;
                let Some(other) = listed[k + 1..].iter().find(is_same) else { continue };
                let [n, m] = [side, other].map(|side| self.polygons[side.polygon as usize].normal);
                if n.dot(m) >= least_turn {
                    continue;
                }
                // More than two faces at an edge: it is none of a surface.
                if listed.iter().filter(is_same).count() > 2 {
                    continue;
                }
                let mut ends = [low, side.high as usize].map(|point| self.points[point]);
                if side.is_down {
                    ends.reverse();
                }
                let along = (ends[1] - ends[0]).normalize_or_zero();
                // Into either face, square to the edge.
                let into_faces = [n.cross(along), along.cross(m)];
                if n.dot(into_faces[1]) < -1e-9 {
                    edges.push(SharpEdge { ends, into_faces });
                }
            }
        }
        edges
    }

    /// The sides of all polygons, by their lower corners.
    fn sides(&self) -> Lists<PolygonEdge> {
        let sides = (0..).zip(self.polygons()).flat_map(|(polygon, (_, ring))| {
            ring.iter().scan(ring[ring.len() - 1], move |before, &b| {
                let a = std::mem::replace(before, b);
                Some((a.min(b), PolygonEdge { high: a.max(b), polygon, is_down: a > b }))
            })
        });
        Lists::from_pairs(self.points.len(), sides)
    }
}

/// A side of a polygon, seen from the lower of its ends.
#[derive(Clone, Copy)]
struct PolygonEdge {
    high: u32,
    polygon: u32,
    /// Around the polygon, it goes from the higher end to the lower one.
    is_down: bool,
}

/// The angle of a vector with y ≥ 0 from the x axis, 0 to π, with an error of some 1e-8.
#[inline]
fn angle(y: f64, x: f64) -> f64 {
    // The polynomial for the arc tangent from 0 to 1 is 4.4.49 of M. Abramowitz and I. Stegun, Handbook of Mathematical
    // Functions, 1964.
    const ODD: [f64; 8] = [
        -0.333_331_452_8,
        0.199_935_508_5,
        -0.142_088_994_4,
        0.106_562_639_3,
        -0.075_289_640_0,
        0.042_909_613_8,
        -0.016_165_736_7,
        0.002_866_225_7,
    ];
    let (y, wide) = (y.max(0.0), x.abs());
    let (small, large) = if y < wide { (y, wide) } else { (wide, y) };
    if large == 0.0 {
        return 0.0;
    }
    let t = small / large;
    let square = t * t;
    let sum = ODD.iter().rev().fold(0.0, |sum, c| (sum + c) * square);
    let arc = t + t * sum;
    let acute = if y < wide { arc } else { std::f64::consts::FRAC_PI_2 - arc };
    if x < 0.0 { std::f64::consts::PI - acute } else { acute }
}

/// Where nodes and corners of cracks are in a sphere tree.
struct PointNumbers {
    of_node: Vec<u32>,
    /// A table of points by key, with open places; its size is a power of two, more than twice the number of points.
    of_key: Vec<u32>,
}

impl PointNumbers {
    fn of(tree: &SphereTree, nodes: usize) -> Self {
        let cracks = tree.is_crack.iter().filter(|&&is_crack| is_crack).count();
        let mut numbers = Self {
            of_node: vec![0; nodes],
            of_key: vec![SphereTree::NONE; (2 * cracks + 2).next_power_of_two()],
        };
        for (point, &owner) in tree.owners.iter().enumerate() {
            if tree.is_crack[point] {
                let mut slot = numbers.slot(&tree.keys[point]);
                while numbers.of_key[slot] != SphereTree::NONE {
                    slot = (slot + 1) & (numbers.of_key.len() - 1);
                }
                numbers.of_key[slot] = point as u32;
            } else {
                numbers.of_node[owner as usize] = point as u32;
            }
        }
        numbers
    }

    #[inline]
    fn slot(&self, key: &Key) -> usize {
        let mixed = key.iter().fold(0_u64, |sum, &node| {
            (sum ^ u64::from(node)).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(23)
        });
        mixed as usize & (self.of_key.len() - 1)
    }

    #[inline]
    fn of_node(&self, node: u32) -> u32 {
        self.of_node[node as usize]
    }

    fn of_crack(&self, tree: &SphereTree, key: &Key) -> u32 {
        let mut slot = self.slot(key);
        loop {
            let point = self.of_key[slot];
            assert!(point != SphereTree::NONE, "every corner of a crack is in the tree");
            if tree.keys[point as usize] == *key {
                return point;
            }
            slot = (slot + 1) & (self.of_key.len() - 1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::angle;

    #[test]
    fn angles_are_those_of_the_arc_tangent() {
        for k in 0..=2000 {
            let exact = std::f64::consts::PI * f64::from(k) / 2000.0;
            let found = angle(3.0 * libm::sin(exact), 3.0 * libm::cos(exact));
            assert!((found - exact).abs() < 3e-8, "{found} for {exact}");
        }
        assert_eq!(angle(0.0, 0.0), 0.0);
    }
}
