//! The skin as an elastic body that is freed bit by bit.
//!
//! Every vertex of the skin is a point. It is held until the cut has passed above all triangles around it, but for
//! a short lag behind the front, so that what the cutter works on is still at rest.
//!
//! Links run along all edges of the mesh, and through the thickness between the vertices that were there at
//! first: straight across, and crosswise to the neighbours, which resists shear. A link through the thickness breaks when
//! the cut passes between its ends. Vertices on the cut are braced likewise, against the other side of the triangle they
//! divide, or the rims of the peel would fold flat:
//!
//! Turns are kept apart by their vertices (`near`), as far as they can be; where triangles have run into each other all
//! the same, the exact pairs of the last frame drive them apart (`contact`).
//!
//! ```text
//!   outer  ──●────────●────▪ cut       ▪ is on the cut, ● was there at first.
//!            │ ╲    ╱ │  ╱ │
//!            │   ╳    │ ╱  │ face of the cut
//!            │ ╱    ╲ │╱   │
//!   inner  ──●────────●────▪
//! ```

use super::contact::{self, Contact};
use super::shape::Apple;
use super::soft::{self, Surroundings};
use crate::edits::Cracks;
use crate::near::Near;
use crate::points::{Link, Point};
use fracas::geom::DVec3;
use fracas::mesh::{Applied, LiveMesh, MeshEdit, Origin, TriangleId};
use fracas::pairs::Pair;
use std::f64::consts::TAU;

/// How much of its curvature the peel loses if it is left to itself: 0 none, 1 all of it, more bends it the other way.
const RETRACTION: f64 = 0.8;
const SURROUNDINGS: Surroundings = Surroundings {
    gravity: DVec3::new(0.0, 0.0, -2.0),
    drag: 1.5,
    compliance: 2e-7,
    substeps: 30,
    friction: 0.5,
    obstacle,
};

/// Vertices that the cut passes within this angle of each other are next to each other on one turn.
const NEXT: f64 = 0.6;
/// Small steps after which neighbours are searched again.
const LOOK_EVERY: usize = 6;

pub(super) struct Peel {
    apple: Apple,
    points: Vec<Point>,
    /// On which side of the skin each vertex is: 1 outer, −1 inner, between on the rims of cuts.
    sides: Vec<f64>,
    /// At which front each vertex becomes free.
    free_at: Vec<f64>,
    cracks: Cracks,
    /// Links through the thickness, each with the front at which it breaks.
    across: Vec<(Link, f64)>,
    /// Links from vertices on the cut through the thickness. Those to the wrong side of the cut do not count.
    braces: Vec<Link>,
    free: Vec<u32>,
    links: Vec<Link>,
    contacts: Vec<Contact>,
    near: Near,
    /// Scratch: edges, each as one number.
    edges: Vec<u64>,
    positions: Vec<DVec3>,
}

impl Peel {
    /// The skin before the cut, all of it held.
    pub fn new(apple: Apple, rest: &LiveMesh) -> Self {
        let held =
            |&position: &DVec3| Point { position, velocity: DVec3::ZERO, before: position, mobility: 0.0 };
        let count = rest.vertex_count() as u32;
        let mut peel = Self {
            apple,
            points: rest.positions().iter().map(held).collect(),
            sides: (0..count).map(|v| if v < apple.per_side() { 1.0 } else { -1.0 }).collect(),
            free_at: vec![f64::INFINITY; count as usize],
            cracks: Cracks::none(rest),
            across: across(&apple, rest),
            braces: Vec::new(),
            free: Vec::new(),
            links: Vec::new(),
            contacts: Vec::new(),
            near: Near::default(),
            edges: Vec::new(),
            positions: rest.positions().to_vec(),
        };
        (0..count).for_each(|v| peel.note_freedom(rest, v));
        peel
    }

    /// Takes over an edit that has just been applied to the shape at rest. Returns where the new vertices are now.
    pub fn follow(&mut self, rest: &LiveMesh, edit: &MeshEdit, applied: &Applied) -> Vec<DVec3> {
        self.cracks.follow(edit);
        let first = applied.vertices.start as usize;
        let mut hosts: Vec<Option<TriangleId>> = vec![None; edit.new_positions.len()];
        for new in &edit.added {
            if let Origin::Replaces(host) = new.origin {
                for corner in new.corners.iter().filter(|&&v| v as usize >= first) {
                    hosts[*corner as usize - first].get_or_insert(host);
                }
            }
        }
        for (vertex, (place, host)) in applied.vertices.clone().zip(edit.new_positions.iter().zip(hosts)) {
            for corner in host.into_iter().flat_map(|host| rest.corners(host)) {
                if let Some(opposite) = self.opposite(corner) {
                    let length = place.distance(rest.positions()[opposite as usize]);
                    self.braces.push(Link { ends: [vertex, opposite], length });
                }
            }
            let (point, side) = host.map_or_else(
                || (Point { position: *place, velocity: DVec3::ZERO, before: *place, mobility: 0.0 }, 0.0),
                |host| self.between(rest, rest.corners(host), *place),
            );
            self.points.push(point);
            self.sides.push(side);
            self.free_at.push(f64::INFINITY);
        }
        let mut touched: Vec<u32> = edit.added.iter().flat_map(|new| new.corners).collect();
        touched.extend(edit.removed.iter().flat_map(|&id| rest.corners(id)));
        touched.sort_unstable();
        touched.dedup();
        touched.into_iter().for_each(|v| self.note_freedom(rest, v));
        self.positions = self.points.iter().map(|point| point.position).collect();
        self.positions[first..].to_vec()
    }

    /// Frees everything that the cut has passed, and rebuilds the links.
    pub fn free_up_to(&mut self, rest: &LiveMesh, front: f64) {
        let behind = front - 3.0 * TAU / self.apple.segments as f64;
        let free_at = &self.free_at;
        self.free.clear();
        self.free.extend((0..self.points.len() as u32).filter(|&v| free_at[v as usize] <= behind));
        for &v in &self.free {
            self.points[v as usize].mobility = 1.0 / self.mass(rest, v);
        }
        self.edges.clear();
        for id in rest.live_triangles() {
            let corners = rest.corners(id);
            if corners.iter().any(|&v| free_at[v as usize] <= behind) {
                for k in 0..3 {
                    let (a, b) = (corners[k], corners[(k + 1) % 3]);
                    self.edges.push(u64::from(a.min(b)) << 32 | u64::from(a.max(b)));
                }
            }
        }
        self.edges.sort_unstable();
        self.edges.dedup();
        self.links.clear();
        // Strain on either side that takes away a share of the curvature of a ball of radius 1.
        let strain = RETRACTION * 0.5 * Apple::THICKNESS / (1.0 - 0.5 * Apple::THICKNESS);
        for &edge in &self.edges {
            let ends = [(edge >> 32) as u32, edge as u32];
            let [a, b] = ends.map(|v| rest.positions()[v as usize]);
            let side = 0.5 * (self.sides[ends[0] as usize] + self.sides[ends[1] as usize]);
            self.links.push(Link { ends, length: a.distance(b) * (1.0 - side * strain) });
        }
        let is_free = |v: u32| free_at[v as usize] <= behind;
        let whole = self
            .across
            .iter()
            .filter(|(link, breaks_at)| *breaks_at > front && link.ends.iter().any(|&v| is_free(v)));
        self.links.extend(whole.map(|(link, _)| *link));
        // Vertices of one turn are freed by fronts less than half a turn apart.
        let braces = self.braces.iter().filter(|Link { ends: [a, b], .. }| {
            let apart = free_at[*a as usize] - free_at[*b as usize];
            apart.abs() < 0.5 * TAU && (is_free(*a) || is_free(*b))
        });
        self.links.extend(braces);
    }

    /// Moves everything that is free.
    pub fn step(&mut self, seconds: f64) {
        let room = self.apple.room();
        let Self { points, free, links, contacts, free_at, near, .. } = self;
        // Parts of one turn that are next to each other are held in shape by links. Others may come as close as they
        // are now, if that is less than what is asked for: at birth the two faces of a cut are in one place.
        let least = |a: usize, b: usize, distance: f64| {
            let apart = (free_at[a] - free_at[b]).abs();
            (apart > NEXT).then_some(room.min(1.02 * distance))
        };
        soft::step(points, free, links, contacts, &SURROUNDINGS, seconds, |substep, points| {
            if substep % LOOK_EVERY == 0 {
                near.look(points, 1.5 * room, least);
            }
            near.part(points, SURROUNDINGS.friction);
        });
        self.positions.clear();
        self.positions.extend(self.points.iter().map(|point| point.position));
    }

    /// Makes contacts from the pairs of triangles that intersect now.
    pub fn meet(&mut self, rest: &LiveMesh, pairs: &[Pair]) {
        self.contacts.clear();
        for pair in pairs {
            let (a, b) = (rest.corners(pair.a), rest.corners(pair.b));
            contact::add(a, b, &self.points, 1.2 * Apple::THICKNESS, &mut self.contacts);
        }
        contact::keep_shallowest(&mut self.contacts);
    }

    pub fn positions(&self) -> &[DVec3] {
        &self.positions
    }

    pub fn free_count(&self) -> usize {
        self.free.len()
    }

    /// Energy of motion.
    pub fn energy(&self) -> f64 {
        let moving = self.points.iter().filter(|point| point.mobility > 0.0);
        moving.map(|point| 0.5 * point.velocity.length_squared() / point.mobility).sum()
    }

    /// A vertex of the rest shape within a triangle: where it is now, and on which side.
    fn between(&self, rest: &LiveMesh, corners: [u32; 3], place: DVec3) -> (Point, f64) {
        let shares = shares(corners.map(|v| rest.positions()[v as usize]), place);
        let (mut position, mut velocity, mut side) = (place, DVec3::ZERO, 0.0);
        for (v, share) in corners.into_iter().zip(shares) {
            let point = &self.points[v as usize];
            // Displacements are interpolated, so that what is at rest stays at rest exactly.
            position += (point.position - rest.positions()[v as usize]) * share;
            velocity += point.velocity * share;
            side += self.sides[v as usize] * share;
        }
        (Point { position, velocity, before: position, mobility: 0.0 }, side)
    }

    /// The vertex on the other side of the skin; only vertices that were there at first have one.
    fn opposite(&self, vertex: u32) -> Option<u32> {
        let per_side = self.apple.per_side();
        match vertex / per_side {
            0 => Some(vertex + per_side),
            1 => Some(vertex - per_side),
            _ => None,
        }
    }

    /// Finds out when a vertex becomes free: when the cut has passed above all triangles around it.
    ///
    /// Corners that were there at first tell on which side of the cut a triangle is; those on the cut cannot.
    fn note_freedom(&mut self, rest: &LiveMesh, vertex: u32) {
        let around = rest.triangles_of_vertex(vertex).filter(|id| !self.cracks.contain(*id));
        let corners = around.flat_map(|id| rest.corners(id)).filter(|&v| self.opposite(v).is_some());
        let passed = corners.map(|v| self.apple.passed_at(rest.positions()[v as usize]));
        self.free_at[vertex as usize] = passed.reduce(f64::max).unwrap_or(f64::INFINITY);
    }

    /// The share of the area around a vertex, by the mean of all; never so small that it would fly.
    fn mass(&self, rest: &LiveMesh, vertex: u32) -> f64 {
        let area: f64 = rest.triangles_of_vertex(vertex).map(|id| rest.triangle(id).area() / 3.0).sum();
        let usual = TAU / self.apple.segments as f64 * 2.3 / self.apple.rows as f64;
        (area / usual).max(0.2)
    }
}

/// Links through the thickness of the skin, and where along the helix they break.
fn across(apple: &Apple, rest: &LiveMesh) -> Vec<(Link, f64)> {
    let mut links = Vec::new();
    let mut add = |a: u32, b: u32| {
        let (a, b) = (a, b + apple.per_side());
        let [p, q] = [a, b].map(|v| rest.positions()[v as usize]);
        let [u, v] = [apple.passed_at(p), apple.passed_at(q)];
        // Ends between the same turns are passed at nearly the same front, others a turn apart.
        let breaks_at = if (u - v).abs() > 0.5 * TAU { u.min(v) } else { f64::INFINITY };
        links.push((Link { ends: [a, b], length: p.distance(q) }, breaks_at));
    };
    for row in 0..=apple.rows {
        for s in 0..apple.segments {
            let here = apple.outer(row, s);
            let mut neighbours = vec![apple.outer(row, s + 1)];
            if row < apple.rows {
                neighbours.push(apple.outer(row + 1, s));
            }
            add(here, here);
            for there in neighbours {
                add(here, there);
                add(there, here);
            }
        }
    }
    links
}

/// Barycentric coordinates of a point in a triangle.
fn shares([a, b, c]: [DVec3; 3], p: DVec3) -> [f64; 3] {
    let n = (b - a).cross(c - a);
    let area = n.length_squared();
    if area == 0.0 {
        return [1.0, 0.0, 0.0];
    }
    let v = ((c - b).cross(p - b)).dot(n) / area;
    let w = ((a - c).cross(p - c)).dot(n) / area;
    [v, w, 1.0 - v - w]
}

/// The core and the ground.
fn obstacle(p: DVec3) -> Option<(f64, DVec3)> {
    if p.z < Apple::GROUND {
        return Some((Apple::GROUND - p.z, DVec3::Z));
    }
    let depth = Apple::depth_in_core(p);
    (depth > 0.0).then(|| (depth, p.normalize_or(DVec3::Z)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Size;
    use fracas::cut::{CutOptions, Cutter};

    #[test]
    fn the_cut_severs_every_link_across_it_and_frees_all_below_its_end() {
        let apple = Apple::new(Size::Small);
        let mut rest = LiveMesh::new(apple.skin());
        let options = CutOptions { growth: f64::INFINITY, clearance: 0.25, ..CutOptions::default() };
        let mut cutter = Cutter::new(&rest, &apple.helicoid().unwrap(), &options).unwrap();
        let mut peel = Peel::new(apple, &rest);
        let [from, to] = cutter.range().unwrap();
        for step in 1..=50 {
            let front = from + (to - from) * f64::from(step) / 50.0;
            let edit = cutter.advance_to(&rest, front).unwrap();
            let applied = rest.apply(&edit).unwrap();
            let new = peel.follow(&rest, &edit, &applied);
            assert_eq!(new, edit.new_positions, "nothing has moved yet");
            peel.free_up_to(&rest, front);
            let is_free = |v: &u32| peel.free.binary_search(v).is_ok();
            assert!((0..apple.per_side()).all(|v| {
                let passed = apple.passed_at(rest.positions()[v as usize]);
                !is_free(&v) || passed <= front
            }));
        }
        assert!(cutter.is_finished());
        // Ends of a link are passed within less than half a turn: the cut is not between them.
        for link in peel.links.iter().filter(|link| link.ends.iter().all(|&v| peel.free_at[v as usize] < to))
        {
            let [a, b] = link.ends.map(|v| peel.free_at[v as usize]);
            assert!((a - b).abs() < 0.5 * TAU, "{link:?} joins two turns: {a} and {b}");
        }
        // Of the vertices that were there at first, all are free whose neighbourhood lies below the end of the cut.
        let below = (0..2 * apple.per_side()).filter(|&v| {
            apple.passed_at(rest.positions()[v as usize]) < to - 6.0 * TAU / apple.segments as f64
        });
        let held: Vec<u32> = below.filter(|v| peel.free.binary_search(v).is_err()).collect();
        assert!(held.is_empty(), "{held:?} are held");
    }

    #[test]
    fn new_vertices_inherit_motion_and_side() {
        let apple = Apple::new(Size::Small);
        let rest = LiveMesh::new(apple.skin());
        let mut peel = Peel::new(apple, &rest);
        let corners = rest.corners(TriangleId(0));
        for (k, v) in corners.into_iter().enumerate() {
            peel.points[v as usize].position += DVec3::new(k as f64, 0.0, 1.0);
            peel.points[v as usize].velocity = DVec3::Y * k as f64;
        }
        let (point, side) = peel.between(&rest, corners, rest.triangle(TriangleId(0)).centroid());
        let shift = point.position - rest.triangle(TriangleId(0)).centroid();
        assert!((shift - DVec3::new(1.0, 0.0, 1.0)).length() < 1e-12);
        assert!((point.velocity - DVec3::Y).length() < 1e-12);
        assert!((side - 1.0).abs() < 1e-12);
    }
}
