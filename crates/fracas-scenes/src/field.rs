//! A closed body as a grid of distances: how far from its surface a point is, and which way leads out.
//!
//! # Idea
//!
//! ```text
//!    ·  ·  ·  ·      Nodes near the surface know their exact distance to the nearest triangle: each triangle is shown to
//!    ·  ●──●  ·      the nodes around it. A node is inside if a line from below meets the surface an odd number of
//!    ·  │▒▒│  ·      times before it. Between nodes, distances are interpolated, and their slope is the way out.
//!    ·  ●──●  ·
//! ```
//!
//! Away from the surface, distances are cut off at the width of the band. Lines run a little beside the nodes, so that
//! they meet no edge of a mesh whose vertices lie on a grid.

use crate::obstacle::Obstacle;
use fracas::geom::DVec3;
use fracas::mesh::{Mesh, TriangleId};

/// Distances to the surface of a body at the nodes of a grid.
#[derive(Debug)]
pub(crate) struct Field {
    low: DVec3,
    cell: f64,
    nodes: [usize; 3],
    /// Distances, negative inside, cut off at the width of the band.
    distances: Vec<f32>,
}

/// Cells on either side of the surface in which distances are known.
const BAND: f64 = 3.0;

impl Field {
    /// Samples a closed mesh with about `resolution` cells along its longest side.
    pub fn of(mesh: &Mesh, resolution: usize) -> Self {
        let (low, high) = mesh.bounds().corners();
        let cell = (high - low).max_element() / resolution as f64;
        let low = low - DVec3::splat((BAND + 1.0) * cell);
        let nodes = ((high - low) / cell + DVec3::splat(BAND + 2.0)).ceil().to_array().map(|n| n as usize);
        let count = nodes.iter().product();
        let mut field = Self { low, cell, nodes, distances: vec![(BAND * cell) as f32; count] };
        for triangle in 0..mesh.triangle_count() as u32 {
            field.show(mesh.triangle(TriangleId(triangle)).corners());
        }
        field.turn_inside(mesh);
        field
    }

    /// Lowers the distances of the nodes around a triangle.
    fn show(&mut self, corners: [DVec3; 3]) {
        let [a, b, c] = corners;
        let band = DVec3::splat(BAND * self.cell);
        let from = self.node_below(a.min(b).min(c) - band);
        let to = self.node_below(a.max(b).max(c) + band);
        for k in from[2]..=to[2] {
            for j in from[1]..=to[1] {
                for i in from[0]..=to[0] {
                    let distance =
                        self.place([i, j, k]).distance(nearest(corners, self.place([i, j, k]))) as f32;
                    let index = self.index([i, j, k]);
                    self.distances[index] = self.distances[index].min(distance);
                }
            }
        }
    }

    /// Makes distances inside the body negative.
    fn turn_inside(&mut self, mesh: &Mesh) {
        let [nx, ny, nz] = self.nodes;
        let aside = DVec3::new(0.001_37, 0.002_19, 0.0) * self.cell;
        // Heights at which the line of each column meets the surface.
        let mut heights: Vec<Vec<f64>> = vec![Vec::new(); nx * ny];
        for triangle in 0..mesh.triangle_count() as u32 {
            let [a, b, c] = mesh.triangle(TriangleId(triangle)).corners().map(|p| p - aside);
            let [from, to] = [self.node_below(a.min(b).min(c)), self.node_below(a.max(b).max(c))];
            for j in from[1]..=(to[1] + 1).min(ny - 1) {
                for i in from[0]..=(to[0] + 1).min(nx - 1) {
                    heights[i + nx * j].extend(height_at([a, b, c], self.place([i, j, 0])));
                }
            }
        }
        for (column, heights) in heights.iter_mut().enumerate() {
            heights.sort_by(f64::total_cmp);
            for k in 0..nz {
                let [i, j] = [column % nx, column / nx];
                let z = self.place([i, j, k]).z;
                if heights.partition_point(|&height| height < z) % 2 == 1 {
                    let index = self.index([i, j, k]);
                    self.distances[index] = -self.distances[index];
                }
            }
        }
    }

    fn place(&self, [i, j, k]: [usize; 3]) -> DVec3 {
        self.low + DVec3::new(i as f64, j as f64, k as f64) * self.cell
    }

    /// The node below a point in all directions; the nearest one there is.
    fn node_below(&self, p: DVec3) -> [usize; 3] {
        let at = ((p - self.low) / self.cell).floor().to_array();
        [0, 1, 2].map(|axis| (at[axis].max(0.0) as usize).min(self.nodes[axis] - 1))
    }

    fn index(&self, [i, j, k]: [usize; 3]) -> usize {
        i + self.nodes[0] * (j + self.nodes[1] * k)
    }
}

impl Obstacle for Field {
    fn distance(&self, p: DVec3, reach: f64) -> Option<(f64, DVec3)> {
        let at = (p - self.low) / self.cell;
        let top = DVec3::from_array(self.nodes.map(|n| n as f64 - 1.000_001));
        if at.cmplt(DVec3::ZERO).any() || at.cmpgt(top).any() {
            return None;
        }
        let base = at.floor();
        let [u, v, w] = (at - base).to_array();
        let [i, j, k] = base.to_array().map(|x| x as usize);
        let d = |x: usize, y: usize, z: usize| f64::from(self.distances[self.index([i + x, j + y, k + z])]);
        let mix = |a: f64, b: f64, t: f64| a + (b - a) * t;
        let edges = [[0, 0], [1, 0], [0, 1], [1, 1]].map(|[y, z]| [d(0, y, z), d(1, y, z)]);
        let [e00, e10, e01, e11] = edges.map(|[a, b]| mix(a, b, u));
        let [s00, s10, s01, s11] = edges.map(|[a, b]| b - a);
        let distance = mix(mix(e00, e10, v), mix(e01, e11, v), w);
        if distance > reach {
            return None;
        }
        let slope = DVec3::new(
            mix(mix(s00, s10, v), mix(s01, s11, v), w),
            mix(e10 - e00, e11 - e01, w),
            mix(e01 - e00, e11 - e10, v),
        );
        Some((distance, slope.normalize_or(DVec3::Z)))
    }
}

/// The point of a triangle nearest to a point.
fn nearest([a, b, c]: [DVec3; 3], p: DVec3) -> DVec3 {
    let on_edge = |a: DVec3, b: DVec3| {
        let along = (p - a).dot(b - a) / (b - a).length_squared();
        a + (b - a) * if along.is_finite() { along.clamp(0.0, 1.0) } else { 0.0 }
    };
    let normal = (b - a).cross(c - a);
    let inside = |x: DVec3, y: DVec3| (y - x).cross(p - x).dot(normal) >= 0.0;
    if normal != DVec3::ZERO && inside(a, b) && inside(b, c) && inside(c, a) {
        return p - normal * ((p - a).dot(normal) / normal.length_squared());
    }
    let candidates = [on_edge(a, b), on_edge(b, c), on_edge(c, a)];
    let closer = |x: &DVec3, y: &DVec3| p.distance_squared(*x).total_cmp(&p.distance_squared(*y));
    candidates.into_iter().min_by(closer).unwrap_or(a)
}

/// The height at which an upright line through a point meets a triangle.
fn height_at([a, b, c]: [DVec3; 3], p: DVec3) -> Option<f64> {
    let side = |x: DVec3, y: DVec3| (y.x - x.x) * (p.y - x.y) - (y.y - x.y) * (p.x - x.x);
    let [u, v, w] = [side(b, c), side(c, a), side(a, b)];
    let sum = u + v + w;
    let within = (u > 0.0 && v > 0.0 && w > 0.0) || (u < 0.0 && v < 0.0 && w < 0.0);
    (within && sum != 0.0).then(|| (u * a.z + v * b.z + w * c.z) / sum)
}

#[cfg(test)]
mod tests {
    use super::*;
    use fracas::mesh::shapes;

    #[test]
    fn the_field_of_a_ball_is_the_distance_to_it() {
        let field = Field::of(&shapes::icosphere(1.0, 5), 48);
        let mut met = 0;
        for k in 0..3000 {
            let k = f64::from(k);
            let p = DVec3::new((k * 0.618).fract(), (k * 0.414).fract(), (k * 0.732).fract()) * 2.4
                - DVec3::splat(1.2);
            let truth = p.length() - 1.0;
            if let Some((distance, out)) = field.distance(p, 0.08)
                && truth.abs() < 0.08
            {
                assert!((distance - truth).abs() < 0.005, "{p}: {distance} is not {truth}");
                assert!(out.dot(p.normalize()) > 0.99, "{p}: {out}");
                met += 1;
            }
            assert!(truth < 0.075 || field.distance(p, 0.07).is_none());
            assert!(truth > -0.2 || field.distance(p, 0.0).is_some_and(|(distance, _)| distance < 0.0));
        }
        assert!(met > 100);
    }

    #[test]
    fn the_inside_of_a_hollow_body_is_its_wall() {
        let shell = Mesh::join([&shapes::icosphere(1.0, 4), &shapes::icosphere(0.5, 4).flipped()]).unwrap();
        let field = Field::of(&shell, 40);
        let is_inside = |x: f64| field.distance(DVec3::X * x, 0.0).is_some();
        assert_eq!([0.0, 0.4, 0.6, 0.9, 1.1].map(is_inside), [false, false, true, true, false]);
    }
}
