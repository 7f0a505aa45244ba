//! Triangulation of the inside of outlines in a plane, with points of its own where there is room.
//!
//! # Idea
//!
//! ```text
//!   ┌──────────────────┐    Loops run with the inside on their left. Each outer loop with the holes in it is
//!   │   ┌────┐   ·   · │    triangulated: points on the levels of a quadtree, coarser the farther they are from the
//!   │ · │hole│ ·       │    outline; a constrained Delaunay triangulation of outline and points; of its triangles,
//!   │   └────┘   ·   · │    those to the left of the loops.
//!   └──────────────────┘
//! ```
//!
//! # Invariants
//!
//! Whatever the loops look like, each of their directed edges belongs to exactly one triangle, in that direction, and
//! every other edge to two triangles in opposite directions: the triangles are a surface whose rim are the loops. A
//! loop that touches itself is pulled apart by a hair for the triangulation. A loop that crosses itself or another is
//! triangulated alone by cutting off ears: such triangles may overlap, but nothing stays open.

use glam::DVec2;
use spade::handles::FixedVertexHandle;
use spade::{ConstrainedDelaunayTriangulation, Point2, Triangulation};

type Cdt = ConstrainedDelaunayTriangulation<Point2<f64>>;

/// How dense the points inside are to be.
pub(super) struct Density<'a> {
    /// Edge length beside the outline at a place, in units of the plane.
    pub(super) edge: &'a dyn Fn(DVec2) -> f64,
    /// How much longer edges may become per unit of distance from the outline. Infinite for no points at all.
    pub(super) growth: f64,
}

/// The triangles inside the loops.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Interior {
    /// Points inside. Their indices continue after those of the outline.
    pub(super) points: Vec<DVec2>,
    /// Counter-clockwise, where loops run counter-clockwise around what is inside.
    pub(super) triangles: Vec<[u32; 3]>,
}

/// Triangulates loops of at least three points each. No point may be in two loops or in one twice.
pub(super) fn triangulate(outline: &[DVec2], loops: &[Vec<u32>], density: &Density) -> Interior {
    let mut interior = Interior::default();
    for group in groups(outline, loops) {
        let rings: Vec<&[u32]> = group.iter().map(|&i| loops[i].as_slice()).collect();
        triangulate_group(outline, &rings, density, &mut interior);
    }
    interior
}

/// Each outer loop with the holes whose innermost outer loop it is; holes outside every outer loop by themselves.
fn groups(outline: &[DVec2], loops: &[Vec<u32>]) -> Vec<Vec<usize>> {
    let areas: Vec<f64> = loops.iter().map(|ring| area(outline, ring)).collect();
    // A body turned inside out has holes for outer loops.
    let sense = areas.iter().sum::<f64>().signum();
    let (outer, holes): (Vec<usize>, Vec<usize>) = (0..loops.len()).partition(|&i| areas[i] * sense > 0.0);
    let mut groups: Vec<Vec<usize>> = outer.iter().map(|&i| vec![i]).collect();
    for hole in holes {
        let p = outline[loops[hole][0] as usize];
        let around = (0..outer.len()).filter(|&k| is_inside(p, segments(outline, &loops[outer[k]])));
        match around.min_by(|&j, &k| areas[outer[j]].abs().total_cmp(&areas[outer[k]].abs())) {
            Some(k) => groups[k].push(hole),
            None => groups.push(vec![hole]),
        }
    }
    groups
}

/// Triangulates an outer loop and its holes together, or else loop by loop.
fn triangulate_group(outline: &[DVec2], rings: &[&[u32]], density: &Density, interior: &mut Interior) {
    let first = (outline.len() + interior.points.len()) as u32;
    let result = delaunay(outline, rings, density, first)
        .or_else(|Tangled| delaunay(&pulled_apart(outline, rings), rings, density, first));
    if let Ok(made) = result {
        interior.points.extend(made.points);
        interior.triangles.extend(made.triangles);
    } else if let [ring] = rings {
        cut_ears(outline, ring, &mut interior.triangles);
    } else {
        for ring in rings {
            triangulate_group(outline, &[ring], density, interior);
        }
    }
}

/// The loops cross themselves or each other, or touch.
struct Tangled;

/// The constrained Delaunay triangulation of an outer loop and its holes. Points inside get ids from `first` on.
fn delaunay(outline: &[DVec2], rings: &[&[u32]], density: &Density, first: u32) -> Result<Interior, Tangled> {
    let rim: Vec<u32> = rings.concat();
    let scaled = scaling(outline, &rim, rings.iter().map(|ring| area(outline, ring)).sum());
    let mut cdt = Cdt::with_capacity(2 * rim.len(), 6 * rim.len(), 4 * rim.len());
    // Vertices get the numbers 0, 1, 2, … as they are inserted, unless two are in one place.
    let insert = |cdt: &mut Cdt, number: usize, p: DVec2| {
        let handle = cdt.insert(scaled(p)).ok().filter(|handle| handle.index() == number);
        handle.ok_or(Tangled)
    };
    let mut handles: Vec<FixedVertexHandle> = Vec::with_capacity(rim.len());
    for &id in &rim {
        handles.push(insert(&mut cdt, handles.len(), outline[id as usize])?);
    }
    let mut edges = vec![];
    let mut rest = &handles[..];
    for ring in rings {
        let here = rest.split_off(..ring.len()).unwrap_or_default();
        edges.extend((0..here.len()).map(|i| [here[i], here[(i + 1) % here.len()]]));
    }
    if !edges.iter().all(|&[from, to]| cdt.try_add_constraint(from, to).len() == 1) {
        return Err(Tangled);
    }
    let points = if density.growth.is_finite() { points_inside(outline, rings, density) } else { vec![] };
    for (i, &p) in points.iter().enumerate() {
        insert(&mut cdt, rim.len() + i, p)?;
    }
    let id = |v: u32| rim.get(v as usize).copied().unwrap_or_else(|| first + v - rim.len() as u32);
    let triangles = left_of(&cdt, &edges)?.into_iter().map(|corners| corners.map(id)).collect();
    Ok(Interior { points, triangles })
}

/// The outline a little smaller. A cut that is still running is a slit without width, whose two sides run through the
/// same places there and back; they must not touch to be triangulated. Only the triangulation sees these points.
fn pulled_apart(outline: &[DVec2], rings: &[&[u32]]) -> Vec<DVec2> {
    let sense = rings.iter().map(|ring| area(outline, ring)).sum::<f64>().signum();
    let extent = |ring: &&[u32]| {
        let first = outline[ring[0] as usize];
        ring.iter().map(|&id| outline[id as usize].distance(first)).fold(0.0, f64::max)
    };
    let step = sense * PULL * rings.iter().map(extent).fold(0.0, f64::max);
    let mut pulled = outline.to_vec();
    for ring in rings {
        for i in 0..ring.len() {
            let [before, after] = [i + ring.len() - 1, i + 1].map(|k| outline[ring[k % ring.len()] as usize]);
            // At the end of a slit the outline turns back, and stays where it is.
            pulled[ring[i] as usize] += step * (after - before).perp().normalize_or_zero();
        }
    }
    pulled
}

/// How far the sides of a slit are pulled apart, by the size of the outline: far more than rounding, far less than an edge.
const PULL: f64 = 1e-8;

/// The triangles to the left of the edges, up to other edges.
fn left_of(cdt: &Cdt, edges: &[[FixedVertexHandle; 2]]) -> Result<Vec<[u32; 3]>, Tangled> {
    let mut is_inside = vec![None; cdt.num_all_faces()];
    let mut stack = vec![];
    for &[from, to] in edges {
        let edge = cdt.get_edge_from_neighbors(from, to).filter(|edge| edge.is_constraint_edge());
        let edge = edge.ok_or(Tangled)?;
        stack.extend([(edge.face().fix(), true), (edge.rev().face().fix(), false)]);
    }
    while let Some((face, inside)) = stack.pop() {
        match (is_inside[face.index()].replace(inside), cdt.face(face).as_inner()) {
            (Some(known), _) if known != inside => return Err(Tangled),
            (None, None) if inside => return Err(Tangled),
            (None, Some(inner)) => {
                let free = inner.adjacent_edges().into_iter().filter(|edge| !edge.is_constraint_edge());
                stack.extend(free.map(|edge| (edge.rev().face().fix(), inside)));
            }
            _ => {}
        }
    }
    let inside = cdt.inner_faces().filter(|face| is_inside[face.fix().index()] == Some(true));
    Ok(inside.map(|face| face.vertices().map(|v| v.fix().index() as u32)).collect())
}

/// A map to a plane in which the loops are neither large nor small, and enclose their inside counter-clockwise.
fn scaling(outline: &[DVec2], rim: &[u32], area: f64) -> impl Fn(DVec2) -> Point2<f64> + use<> {
    let (low, high) = corners(rim.iter().map(|&id| outline[id as usize]));
    // A power of two, so that nothing is rounded but by the shift to the centre.
    let scale = f64::from_bits((high - low).max_element().to_bits() & f64::INFINITY.to_bits());
    let scale = if scale > 0.0 && scale.is_finite() { 1.0 / scale } else { 1.0 };
    let centre = 0.5 * (low + high);
    move |p| {
        let q = (p - centre) * scale;
        // The triangulation refuses numbers that its predicates could not square.
        let [x, y] = q.to_array().map(|x| if x.abs() < 1e-40 { 0.0 } else { x });
        Point2::new(if area < 0.0 { -x } else { x }, y)
    }
}

/// The lowest and the highest corner of the rectangle around points.
fn corners(points: impl Iterator<Item = DVec2>) -> (DVec2, DVec2) {
    points.fold((DVec2::INFINITY, DVec2::NEG_INFINITY), |(low, high), p| (low.min(p), high.max(p)))
}

/// Points inside the loops, coarser the farther they are from them.
fn points_inside(outline: &[DVec2], rings: &[&[u32]], density: &Density) -> Vec<DVec2> {
    let segments: Vec<(DVec2, DVec2)> = rings.iter().flat_map(|ring| segments(outline, ring)).collect();
    let all: Vec<u32> = (0..segments.len() as u32).collect();
    let (low, high) = corners(segments.iter().map(|segment| segment.0));
    let centre = 0.5 * (low + high);
    // The finest cells come out as large as the edges are to be in the middle.
    let (mut size, extent) = ((density.edge)(centre), (high - low).max_element());
    if !(size > 0.0 && extent.is_finite()) {
        return vec![];
    }
    while size < extent {
        size *= 2.0;
    }
    let mut quadtree = Quadtree { segments, density, points: vec![], visits: 0 };
    quadtree.visit(centre, size, &all, 0);
    quadtree.points
}

struct Quadtree<'a> {
    segments: Vec<(DVec2, DVec2)>,
    density: &'a Density<'a>,
    points: Vec<DVec2>,
    visits: usize,
}

/// A quadtree stops after so many cells, with the points it has: fewer points inside make a coarser sheet, which is closed all the same.
const MOST_VISITS: usize = 1 << 24;

impl Quadtree<'_> {
    /// Puts points into a square cell. `near` names the segments that may be nearest to a point of it.
    fn visit(&mut self, centre: DVec2, size: f64, near: &[u32], depth: u32) {
        self.visits += 1;
        if self.visits > MOST_VISITS {
            return;
        }
        let distance = |&s: &u32| distance_to(centre, self.segments[s as usize]);
        let nearest = near.iter().map(distance).fold(f64::INFINITY, f64::min);
        let reach = size * std::f64::consts::FRAC_1_SQRT_2;
        let is_inside = || is_inside(centre, self.segments.iter().copied());
        if nearest > reach && !is_inside() {
            return;
        }
        // Nothing is gained beyond forty levels: the outline is smaller than the edges asked for are fine.
        if size > (self.density.edge)(centre).max(self.density.growth * nearest) && depth < 40 {
            let near: Vec<u32> =
                near.iter().copied().filter(|s| distance(s) <= nearest + 2.0 * reach).collect();
            let step = 0.25 * size;
            for offset in [[-step, -step], [step, -step], [-step, step], [step, step]] {
                self.visit(centre + DVec2::from_array(offset), 0.5 * size, &near, depth + 1);
            }
        } else if nearest > CLEARANCE * size && is_inside() {
            self.points.push(centre);
        }
    }
}

/// Least distance of a point inside from the outline, in cells.
const CLEARANCE: f64 = 0.6;

fn distance_to(p: DVec2, (a, b): (DVec2, DVec2)) -> f64 {
    let (way, from) = (b - a, p - a);
    let length = way.length_squared();
    let t = if length > 0.0 { (from.dot(way) / length).clamp(0.0, 1.0) } else { 0.0 };
    from.distance(way * t)
}

fn segments(outline: &[DVec2], ring: &[u32]) -> impl Iterator<Item = (DVec2, DVec2)> {
    let points = ring.iter().map(|&id| outline[id as usize]);
    points.clone().zip(points.cycle().skip(1))
}

/// Whether a point is inside of closed loops: whether a ray to the right meets an odd number of their segments.
fn is_inside(p: DVec2, segments: impl Iterator<Item = (DVec2, DVec2)>) -> bool {
    let is_met = |&(a, b): &(DVec2, DVec2)| {
        (a.y > p.y) != (b.y > p.y) && p.x < a.x + (p.y - a.y) / (b.y - a.y) * (b.x - a.x)
    };
    segments.filter(is_met).count() % 2 == 1
}

/// Signed area, from the first point so that a far origin costs no digits.
fn area(outline: &[DVec2], ring: &[u32]) -> f64 {
    let at = |i: usize| outline[ring[i] as usize] - outline[ring[0] as usize];
    0.5 * (1..ring.len() - 1).map(|i| at(i).perp_dot(at(i + 1))).sum::<f64>()
}

/// Adds the *n* − 2 triangles of a loop of *n* points by ear clipping, also if the loop crosses itself.
///
/// A corner is cut off if it turns left and its triangle holds no other point. Where there is none, because the loop
/// crosses itself, the flattest corner goes: it does least harm. O(*n*³) at worst; *n*² on ordinary loops.
fn cut_ears(outline: &[DVec2], ring: &[u32], triangles: &mut Vec<[u32; 3]>) {
    let mut left = ring.to_vec();
    // Seen so that the loop turns left.
    let sense = if area(outline, ring) < 0.0 { -1.0 } else { 1.0 };
    let at = |id: u32| outline[id as usize];
    let twice_area = |[a, b, c]: [u32; 3]| sense * (at(b) - at(a)).perp_dot(at(c) - at(a));
    let corner = |left: &[u32], i: usize| {
        let n = left.len();
        [left[(i + n - 1) % n], left[i], left[(i + 1) % n]]
    };
    let mut start = 0;
    while left.len() > 3 {
        let n = left.len();
        let is_ear = |&i: &usize| {
            let ear @ [a, b, c] = corner(&left, i);
            let holds = |p: u32| {
                !ear.contains(&p) && [[a, b, p], [b, c, p], [c, a, p]].iter().all(|t| twice_area(*t) >= 0.0)
            };
            twice_area(ear) > 0.0 && !left.iter().any(|&p| holds(p))
        };
        // From where the last one was, every other corner first, so that ears do not all meet in one point.
        let flatness = |i: &usize| twice_area(corner(&left, *i)).abs();
        let next = (0..n).map(|k| (start + k) % n).find(is_ear);
        let i = next.or_else(|| (0..n).min_by(|i, j| flatness(i).total_cmp(&flatness(j)))).unwrap_or(0);
        triangles.push(corner(&left, i));
        left.remove(i);
        start = (i + 1) % left.len();
    }
    triangles.push([left[0], left[1], left[2]]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    /// Checks the promise about edges and returns the area.
    #[track_caller]
    fn check(outline: &[DVec2], loops: &[Vec<u32>], interior: &Interior) -> f64 {
        let mut uses: BTreeMap<(u32, u32), usize> = BTreeMap::new();
        for t in &interior.triangles {
            for k in 0..3 {
                *uses.entry((t[k], t[(k + 1) % 3])).or_default() += 1;
            }
        }
        let rim: Vec<(u32, u32)> = loops
            .iter()
            .flat_map(|ring| (0..ring.len()).map(|i| (ring[i], ring[(i + 1) % ring.len()])))
            .collect();
        for edge in &rim {
            assert_eq!((uses.get(edge), uses.get(&(edge.1, edge.0))), (Some(&1), None), "{edge:?}");
        }
        for (edge, count) in &uses {
            let back = uses.get(&(edge.1, edge.0)).copied().unwrap_or(0);
            assert!(*count == 1 && (back == 1 || rim.contains(edge)), "{edge:?}");
        }
        triangle_areas(outline, interior).sum()
    }

    fn triangle_areas<'a>(outline: &'a [DVec2], interior: &'a Interior) -> impl Iterator<Item = f64> + 'a {
        let at = |id: u32| {
            outline.get(id as usize).copied().unwrap_or_else(|| interior.points[id as usize - outline.len()])
        };
        interior.triangles.iter().map(move |t| 0.5 * (at(t[1]) - at(t[0])).perp_dot(at(t[2]) - at(t[0])))
    }

    fn circle(points: &mut Vec<DVec2>, centre: [f64; 2], radius: f64, count: i32) -> Vec<u32> {
        let first = points.len() as u32;
        for i in 0..count.abs() {
            let angle = std::f64::consts::TAU * f64::from(i) / f64::from(count);
            points.push(DVec2::from(centre) + radius * DVec2::from_angle(angle));
        }
        (first..points.len() as u32).collect()
    }

    const FINE: Density = Density { edge: &|_| 0.1, growth: 1.0 };

    #[test]
    fn holes_and_islands_are_filled_where_they_are_inside() {
        let mut points = vec![];
        let mut loops = vec![
            circle(&mut points, [0.0, 0.0], 3.0, 90),
            circle(&mut points, [0.5, 0.0], 2.0, -60),
            circle(&mut points, [0.5, 0.2], 1.0, 30),
            circle(&mut points, [9.0, 0.0], 1.0, 30),
        ];
        let expected: f64 = loops.iter().map(|ring| area(&points, ring)).sum();
        for sense in [1.0, -1.0] {
            let interior = triangulate(&points, &loops, &FINE);
            let found = check(&points, &loops, &interior);
            assert!((found - sense * expected).abs() < 1e-12 * expected, "{found} instead of {expected}");
            assert!(interior.points.len() > 200);
            let turned = triangle_areas(&points, &interior).filter(|area| area * sense <= 0.0).count();
            assert_eq!(turned, 0, "nothing overlaps");
            // Inside out.
            loops.iter_mut().for_each(|ring| ring.reverse());
        }
        let coarse = triangulate(&points, &loops, &Density { edge: &|_| 0.1, growth: f64::INFINITY });
        check(&points, &loops, &coarse);
        assert!(coarse.points.is_empty());
    }

    #[test]
    fn loops_that_cross_are_filled_one_by_one() {
        let mut points = vec![];
        let loops = vec![
            circle(&mut points, [0.0, 0.0], 1.0, 20),
            circle(&mut points, [0.3, 0.0], 1.0, 20),
            circle(&mut points, [0.1, 0.0], 0.95, -20),
        ];
        let expected: f64 = loops.iter().map(|ring| area(&points, ring)).sum();
        let found = check(&points, &loops, &triangulate(&points, &loops, &FINE));
        assert!((found - expected).abs() < 1e-12, "{found} instead of {expected}");
    }

    #[test]
    fn a_slit_without_width_is_filled_like_anything_else() {
        let mut shape = vec![[0.0, 0.0], [1.0, 0.0]];
        shape.extend((1..=5).map(|i| [1.0, 0.2 * f64::from(i)]));
        shape.extend((0..5).rev().map(|i| [1.0, 0.2 * f64::from(i)]));
        shape.extend([[2.0, 0.0], [2.0, 2.0], [0.0, 2.0]]);
        let points: Vec<DVec2> = shape.into_iter().map(DVec2::from).collect();
        let mut ring: Vec<u32> = (0..points.len() as u32).collect();
        for sense in [1.0, -1.0] {
            let loops = vec![ring.clone()];
            let interior = triangulate(&points, &loops, &FINE);
            let found = check(&points, &loops, &interior);
            assert!((found - sense * 4.0).abs() < 1e-12, "{found}");
            assert!(interior.points.len() > 50, "{} points inside", interior.points.len());
            ring.reverse();
        }
    }

    #[test]
    fn whatever_a_loop_does_it_is_closed() {
        // An eight, a loop on a line, all points in one place, a fold by one unit in the last place.
        let eight = [[0.0, 0.0], [2.0, 2.0], [2.0, 0.0], [0.0, 2.0]];
        let line = [[0.0, 0.0], [1.0, 0.0], [3.0, 0.0], [2.0, 0.0]];
        let place = [[1.0, 1.0]; 5];
        let fold = [[0.0, 0.0], [1.0, 0.0], [1.0_f64.next_down(), 0.0], [2.0, 0.0], [1.0, 1.0]];
        for shape in [&eight[..], &line, &place, &fold] {
            let points: Vec<DVec2> = shape.iter().map(|&p| p.into()).collect();
            let loops = vec![(0..points.len() as u32).collect::<Vec<u32>>()];
            check(&points, &loops, &triangulate(&points, &loops, &FINE));
        }
    }
}
