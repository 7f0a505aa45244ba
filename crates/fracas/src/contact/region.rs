//! The regions in which two closed bodies overlap: connected parts of what both have inside.
//!
//! ```text
//!        ______________                 Where surfaces cross runs the contour: one segment for each pair of triangles that
//!       |  A    _______|____            cross, from piercing to piercing (an edge of one through a triangle of the other).
//!       |      |•••••••|    |           An edge is inside the other body after every other piercing; vertices inside lead
//!       |______×_______|  B |           on along edges that are not pierced. A component connected in this way is one region.
//!              |____________|
//! ```
//!
//! The *area vector* of a region is the integral of A's outward normal over the part of A's surface inside B. It depends on the contour
//! alone (½ ∮ x × dx), not on how surfaces are divided into triangles, and it changes continuously with the bodies. Moving B along it
//! reduces the common volume fastest, so it is the first guess of the direction that separates the region.
//!
//! A connected part of a body that meets no triangle of the other and lies inside is a region of its own, without a contour.

use super::surface::Surface;
use crate::base::DisjointSets;
use crate::exact::{self, Relation};
use crate::geom::{DVec3, Triangle};
use crate::mesh::EdgeId;
use crate::pairs::Pair;
use crate::walk::{Side, View};

/// Two bodies that are compared.
#[derive(Clone, Copy)]
pub(crate) struct Bodies<'a> {
    pub(crate) views: [View<'a>; 2],
    pub(crate) surfaces: [&'a Surface; 2],
    /// A length that no distance between points of the two exceeds.
    pub(crate) reach: f64,
}

impl Bodies<'_> {
    pub(super) fn triangle(&self, body: usize, triangle: u32) -> Triangle {
        self.surfaces[body].triangle(&self.views[body], triangle)
    }

    pub(super) fn position(&self, body: usize, vertex: u32) -> DVec3 {
        self.surfaces[body].position(&self.views[body], vertex)
    }

    /// Whether a point of one body's surface is inside the other body.
    fn is_inside(&self, body: usize, p: DVec3) -> bool {
        self.views[body].side_by_parity(p) == Side::Inside
    }
}

/// A connected part of the overlap of two bodies.
#[derive(Clone, Default)]
pub(crate) struct Region {
    /// The integral of the first body's normal over its surface inside the second; zero without a contour.
    pub(super) area: DVec3,
    /// Triangles of either body that are in the region or reach into it: numbers in their surfaces.
    pub(super) triangles: [Vec<u32>; 2],
    /// Points on the boundary of the region.
    pub(super) seeds: Vec<Seed>,
}

/// A point on the boundary of a region, and a direction that leads into the region from there.
#[derive(Clone, Copy)]
pub(super) struct Seed {
    pub(super) point: DVec3,
    pub(super) inward: DVec3,
}

/// An edge of one body through a triangle of the other.
#[derive(Clone, Copy)]
struct Piercing {
    /// Whose edge it is.
    body: usize,
    edge: EdgeId,
    /// Where along the edge, from 0 to 1.
    at: f64,
    point: DVec3,
}

/// Whose edge, which edge, and the triangle of the other body.
type PiercingKey = (usize, EdgeId, u32);

/// Vertices are not elements of the union–find until they are known to be inside.
const UNKNOWN: u32 = u32::MAX;

/// Regions share a list of vertices as seeds up to this length; of more, every second, third, … is taken.
const MOST_SEEDS: usize = 2000;

/// Finds the regions of two closed bodies whose triangles cross in the given pairs.
pub(crate) fn find_regions(bodies: &Bodies, pairs: &[Pair]) -> Vec<Region> {
    let numbered: Vec<[u32; 2]> = pairs
        .iter()
        .map(|pair| [bodies.surfaces[0].number(pair.a), bodies.surfaces[1].number(pair.b)])
        .collect();
    let (piercings, ends) = find_piercings(bodies, &numbered);
    let mut sets = DisjointSets::new(piercings.len());
    ends.iter().flatten().for_each(|[p, q]| {
        sets.join(*p, *q);
    });
    // The element of each vertex that is inside the other body.
    let mut elements = [0, 1].map(|k| vec![UNKNOWN; bodies.surfaces[k].vertex_count()]);
    let mut inside: Vec<(usize, u32)> = vec![];
    for body in 0..2 {
        flood(bodies, body, &numbered, &piercings, &mut sets, &mut elements[body], &mut inside);
    }

    let mut region_of = vec![UNKNOWN; sets.len()];
    let mut regions: Vec<Region> = vec![];
    let mut region_at = |element: u32, sets: &mut DisjointSets, regions: &mut Vec<Region>| {
        let region = &mut region_of[sets.root(element) as usize];
        if *region == UNKNOWN {
            *region = regions.len() as u32;
            regions.push(Region::default());
        }
        *region as usize
    };
    for (pair, ends) in numbered.iter().zip(&ends) {
        let Some([p, q]) = *ends else { continue };
        let region = region_at(p, &mut sets, &mut regions);
        add_segment(bodies, *pair, [p, q].map(|k| piercings[k as usize].point), &mut regions[region]);
    }
    let step = inside.len().div_ceil(MOST_SEEDS).max(1);
    for (k, &(body, vertex)) in inside.iter().enumerate() {
        let region = region_at(elements[body][vertex as usize], &mut sets, &mut regions);
        let region = &mut regions[region];
        let around = bodies.surfaces[body].triangles_at_vertex(vertex);
        region.triangles[body].extend(around);
        if k % step == 0 {
            region.seeds.push(vertex_seed(bodies, body, vertex));
        }
    }
    add_parts_inside(bodies, &numbered, &mut regions);
    for region in &mut regions {
        for list in &mut region.triangles {
            list.sort_unstable();
            list.dedup();
        }
    }
    regions.retain(|region| !region.seeds.is_empty());
    regions
}

/// Lists the piercings of both bodies, each once, and the two at the ends of every pair's segment.
fn find_piercings(bodies: &Bodies, pairs: &[[u32; 2]]) -> (Vec<Piercing>, Vec<Option<[u32; 2]>>) {
    // Which pair found it, and where it is.
    type Found = (PiercingKey, usize, f64, DVec3);
    let mut found: Vec<Found> = vec![];
    for (k, pair) in pairs.iter().enumerate() {
        let triangles = [bodies.triangle(0, pair[0]), bodies.triangle(1, pair[1])];
        for body in 0..2 {
            let (surface, other) = (bodies.surfaces[body], &triangles[1 - body]);
            let (names, places) = (surface.corners(pair[body]), triangles[body].corners());
            for (corner, edge) in surface.edges(pair[body]).into_iter().enumerate() {
                let next = (corner + 1) % 3;
                let [p, q] = if names[corner] <= names[next] { [corner, next] } else { [next, corner] };
                let (p, q) = (places[p], places[q]);
                if exact::segment_triangle(p, q, other) == Relation::Crossing {
                    let at = place_of_crossing(p, q, other);
                    found.push(((body, edge, pair[1 - body]), k, at, p + (q - p) * at));
                }
            }
        }
    }
    found.sort_unstable_by_key(|(key, pair, ..)| (*key, *pair));
    let mut piercings = vec![];
    let mut ends: Vec<[u32; 2]> = vec![[UNKNOWN; 2]; pairs.len()];
    for same in found.chunk_by(|x, y| x.0 == y.0) {
        let ((body, edge, _), _, at, point) = same[0];
        for (_, pair, ..) in same {
            let place = ends[*pair].iter_mut().find(|end| **end == UNKNOWN);
            if let Some(end) = place {
                *end = piercings.len() as u32;
            }
        }
        piercings.push(Piercing { body, edge, at, point });
    }
    let ends = ends.into_iter().map(|ends| (!ends.contains(&UNKNOWN)).then_some(ends)).collect();
    (piercings, ends)
}

/// Where a segment crosses the plane of a triangle that it is known to cross.
fn place_of_crossing(p: DVec3, q: DVec3, t: &Triangle) -> f64 {
    let normal = t.area_vector();
    let (above, below) = (normal.dot(p - t.a), normal.dot(q - t.a));
    let whole = above - below;
    if whole == 0.0 { 0.5 } else { (above / whole).clamp(0.0, 1.0) }
}

/// Joins what is connected along the edges of one body inside the other, and lists its vertices inside.
fn flood(
    bodies: &Bodies,
    body: usize,
    pairs: &[[u32; 2]],
    piercings: &[Piercing],
    sets: &mut DisjointSets,
    elements: &mut [u32],
    inside: &mut Vec<(usize, u32)>,
) {
    let surface = bodies.surfaces[body];
    let mut of_body: Vec<u32> =
        (0..piercings.len() as u32).filter(|&k| piercings[k as usize].body == body).collect();
    of_body.sort_by(|&x, &y| {
        let (x, y) = (&piercings[x as usize], &piercings[y as usize]);
        x.edge.cmp(&y.edge).then(x.at.total_cmp(&y.at))
    });
    // How often each edge is pierced.
    let mut pierced = vec![0_u32; surface.edge_count()];
    of_body.iter().for_each(|&k| pierced[piercings[k as usize].edge.index()] += 1);

    // On the edges of triangles at the contour, the side of one end tells that of the other.
    let mut sides = OddSets::new(elements.len());
    let mut at_contour = vec![];
    for pair in pairs {
        for edge in surface.edges(pair[body]) {
            let [v, w] = surface.ends(edge);
            sides.join(v, w, pierced[edge.index()] % 2 == 1);
            at_contour.extend([v, w]);
        }
    }
    at_contour.sort_unstable();
    at_contour.dedup();
    let mut side_of_root = vec![None; elements.len()];
    let mut first = inside.len();
    for &vertex in &at_contour {
        let (root, differs) = sides.root(vertex);
        let root_inside = *side_of_root[root as usize]
            .get_or_insert_with(|| bodies.is_inside(1 - body, bodies.position(body, root)));
        if root_inside != differs {
            elements[vertex as usize] = sets.push();
            inside.push((body, vertex));
        }
    }
    for same in of_body.chunk_by(|&x, &y| piercings[x as usize].edge == piercings[y as usize].edge) {
        let [v, w] = surface.ends(piercings[same[0] as usize].edge);
        let begins_inside = elements[v as usize] != UNKNOWN;
        let mut rest = same;
        if begins_inside {
            sets.join(elements[v as usize], same[0]);
            rest = &same[1..];
        }
        for two in rest.chunks(2) {
            match *two {
                [p, q] => {
                    sets.join(p, q);
                }
                [p] if elements[w as usize] != UNKNOWN => {
                    sets.join(p, elements[w as usize]);
                }
                _ => {}
            }
        }
    }
    while first < inside.len() {
        let vertex = inside[first].1;
        first += 1;
        for triangle in surface.triangles_at_vertex(vertex) {
            for edge in surface.edges(triangle) {
                let [v, w] = surface.ends(edge);
                if pierced[edge.index()] > 0 || (v != vertex && w != vertex) || v == w {
                    continue;
                }
                let next = if v == vertex { w } else { v };
                if elements[next as usize] == UNKNOWN {
                    elements[next as usize] = sets.push();
                    inside.push((body, next));
                }
                sets.join(elements[vertex as usize], elements[next as usize]);
            }
        }
    }
}

/// Adds a segment of the contour to its region.
fn add_segment(bodies: &Bodies, pair: [u32; 2], ends: [DVec3; 2], region: &mut Region) {
    let normals = [0, 1].map(|body| bodies.triangle(body, pair[body]).area_vector().normalize_or_zero());
    // The inside of A's surface within B lies to the left.
    let along = normals[0].cross(normals[1]);
    let [p, q] = if along.dot(ends[1] - ends[0]) >= 0.0 { ends } else { [ends[1], ends[0]] };
    // Areas are measured from the first point, so that places far from the origin cost no digits.
    let origin = region.seeds.first().map_or(p, |seed| seed.point);
    region.area += 0.5 * (p - origin).cross(q - origin);
    let inward = -(normals[0] + normals[1]).normalize_or_zero();
    region.seeds.extend([p, 0.5 * (p + q), q].map(|point| Seed { point, inward }));
    (0..2).for_each(|body| region.triangles[body].push(pair[body]));
}

fn vertex_seed(bodies: &Bodies, body: usize, vertex: u32) -> Seed {
    let around = bodies.surfaces[body].triangles_at_vertex(vertex);
    let normal: DVec3 = around.map(|t| bodies.triangle(body, t).area_vector()).sum();
    Seed { point: bodies.position(body, vertex), inward: -normal.normalize_or_zero() }
}

/// Adds connected parts of one body that no triangle of the other meets and that lie inside it.
fn add_parts_inside(bodies: &Bodies, pairs: &[[u32; 2]], regions: &mut Vec<Region>) {
    for body in 0..2 {
        let surface = bodies.surfaces[body];
        let mut meets = vec![false; surface.parts().count()];
        pairs.iter().for_each(|pair| meets[surface.part_of(pair[body]) as usize] = true);
        for (part, first) in surface.parts().enumerate() {
            let p = bodies.triangle(body, first).a;
            if meets[part] || !bodies.is_inside(1 - body, p) {
                continue;
            }
            let mut region = Region::default();
            let all = 0..surface.triangle_count() as u32;
            region.triangles[body].extend(all.filter(|&t| surface.part_of(t) == part as u32));
            let step = region.triangles[body].len().div_ceil(MOST_SEEDS).max(1);
            for &triangle in region.triangles[body].iter().step_by(step) {
                let t = bodies.triangle(body, triangle);
                let inward = -t.area_vector().normalize_or_zero();
                region.seeds.extend(t.corners().map(|point| Seed { point, inward }));
            }
            regions.push(region);
        }
    }
}

/// Union–find whose elements differ from their roots or do not.
struct OddSets {
    parents: Vec<(u32, bool)>,
}

impl OddSets {
    fn new(count: usize) -> Self {
        Self { parents: (0..count as u32).map(|k| (k, false)).collect() }
    }

    /// The root of an element, and whether the element differs from it.
    fn root(&mut self, mut element: u32) -> (u32, bool) {
        let mut differs = false;
        loop {
            let (parent, odd) = self.parents[element as usize];
            if parent == element {
                return (element, differs);
            }
            let (above, odd_above) = self.parents[parent as usize];
            self.parents[element as usize] = (above, odd != odd_above);
            differs ^= odd != odd_above;
            element = above;
        }
    }

    /// Joins two elements that differ, or do not.
    fn join(&mut self, v: u32, w: u32, differ: bool) {
        let ((v, odd_v), (w, odd_w)) = (self.root(v), self.root(w));
        if v != w {
            self.parents[v.max(w) as usize] = (v.min(w), odd_v ^ odd_w ^ differ);
        }
    }
}
