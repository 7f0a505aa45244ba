//! Chazelle's polyhedron: the worst case for almost everything that takes polyhedra apart.
//!
//! # Idea
//!
//! ```text
//!     z   ┌──┐ ┌──┐ ┌──┐        A block with notches cut into its top, along x, and into its bottom, along y.
//!     │   │  │ │  │ │  │        The edge at the bottom of a notch is a straight line just above the saddle
//!     │   │  \ /  \ /  │        z = x y, the edge at the top of a lower notch one just below it: all edges of
//!     │   └────────────┘        one kind pass closely over all edges of the other.
//!     └─────────────────── y
//! ```
//!
//! The walls of the notches are long and thin triangles, each near all others. Turned and laid into another one, each
//! wall goes through all walls of the other: the number of intersecting pairs grows with the square of the number of
//! triangles.
//!
//! # Reference
//!
//! Chazelle: *Convex Partitions of Polyhedra: A Lower Bound and Worst-Case Optimal Algorithm*, SIAM Journal on
//! Computing, 1984.

use super::shape;
use crate::geom::DVec3;
use crate::mesh::Mesh;

/// Half the width of a notch, where notches are 1 apart.
const HALF_WIDTH: f64 = 0.25;

/// How far the edges of the notches stay from the saddle, as a part of the height of the block.
const CLEARANCE: f64 = 0.01;

/// Chazelle's polyhedron with `notches` notches in its top and as many in its bottom, around the origin: closed, of
/// 48 `notches` + 12 triangles. Notches are 1 apart, and the block is `notches` + 1 long, wide and high.
///
/// # Panics
/// If there are no notches.
pub fn chazelle(notches: usize) -> Mesh {
    assert!(notches > 0, "a Chazelle polyhedron without notches is a block");
    let half = 0.5 * (notches + 1) as f64;
    let mut positions = Vec::with_capacity(24 * notches + 8);
    for corner in 0..8 {
        let sign = |bit: u32| if corner >> bit & 1 == 1 { half } else { -half };
        positions.push(DVec3::new(sign(0), sign(1), sign(2)));
    }
    let top = Face::new(notches, half, true, &mut positions);
    let bottom = Face::new(notches, half, false, &mut positions);
    let mut triangles = Vec::with_capacity(48 * notches + 12);
    let turned = |feet: &Vec<u32>| -> Vec<u32> { feet.iter().rev().copied().collect() };
    top.append([&turned(&bottom.feet[0]), &turned(&bottom.feet[1])], &mut triangles);
    let outside_in = triangles.len();
    bottom.append([&top.feet[1], &top.feet[0]], &mut triangles);
    // The bottom is a mirror image of the top.
    for triangle in &mut triangles[outside_in..] {
        triangle.swap(1, 2);
    }
    shape(positions, triangles)
}

/// A notched face of the block: the top, or the bottom, which is the top under (x, y, z) ↦ (−y, x, −z).
///
/// This map keeps the saddle on which the edges of all notches lie, and turns up into down.
struct Face {
    /// Vertices across the notches, at their two ends, corners of the block included: where x = −`half`, and `half`.
    chains: [Vec<u32>; 2],
    /// Under each of them, a vertex on the edge of the opposite face.
    feet: [Vec<u32>; 2],
}

impl Face {
    fn new(notches: usize, half: f64, top: bool, positions: &mut Vec<DVec3>) -> Self {
        let place = |p: DVec3| if top { p } else { DVec3::new(-p.y, p.x, -p.z) };
        let corner = |x: f64, y: f64, z: f64| {
            let p = place(DVec3::new(x, y, z));
            u32::from(p.x > 0.0) | u32::from(p.y > 0.0) << 1 | u32::from(p.z > 0.0) << 2
        };
        let [mut chains, mut feet] = [(); 2].map(|()| [-half, half].map(|_| Vec::new()));
        for (side, x) in [-half, half].into_iter().enumerate() {
            let mut add = |p: DVec3| {
                positions.push(place(p));
                positions.len() as u32 - 1
            };
            chains[side].push(corner(x, -half, half));
            feet[side].push(corner(x, -half, -half));
            for notch in 1..=notches {
                let y = notch as f64 - half;
                let edge = x * y / (2.0 * half) + CLEARANCE * half;
                for (y, z) in [(y - HALF_WIDTH, half), (y, edge), (y + HALF_WIDTH, half)] {
                    chains[side].push(add(DVec3::new(x, y, z)));
                    feet[side].push(add(DVec3::new(x, y, -half)));
                }
            }
            chains[side].push(corner(x, half, half));
            feet[side].push(corner(x, half, -half));
        }
        Self { chains, feet }
    }

    /// Adds the face and the two sides on which its notches end. `rims` are the feet of the other face on the edges
    /// y = −`half` and y = `half` of this one, in the order of x.
    fn append(&self, rims: [&[u32]; 2], triangles: &mut Vec<[u32; 3]>) {
        let [near, far] = &self.chains;
        let (first, last) = (1, near.len() - 2);
        for k in first..last {
            triangles.push([near[k], far[k], far[k + 1]]);
            triangles.push([near[k], far[k + 1], near[k + 1]]);
        }
        // Flat rims between the outermost notches and the edges.
        let [low, high] = rims;
        triangles.extend(low.windows(2).map(|edge| [near[first], edge[0], edge[1]]));
        triangles.push([near[first], low[low.len() - 1], far[first]]);
        triangles.push([near[last], far[last], high[high.len() - 1]]);
        triangles.extend(high.windows(2).map(|edge| [near[last], edge[1], edge[0]]));
        for k in 0..near.len() - 1 {
            let (e, g) = (&self.chains[0], &self.feet[0]);
            triangles.extend([[g[k], e[k], e[k + 1]], [g[k], e[k + 1], g[k + 1]]]);
            let (e, g) = (&self.chains[1], &self.feet[1]);
            triangles.extend([[g[k], g[k + 1], e[k + 1]], [g[k], e[k + 1], e[k]]]);
        }
    }
}
