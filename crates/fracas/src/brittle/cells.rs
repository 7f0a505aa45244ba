//! A grid of cells over a tetrahedral mesh: which tetrahedra may hold a point, and which cells a tetrahedron lies in.
//!
//! # Invariants
//!
//! A cell lists every tetrahedron that has a point in it, and perhaps some that pass close by. Both lists are sorted.

use crate::geom::{DVec3, DVec4, Triangle};
use crate::mesh::tets::{EDGES, FACES, TetMesh};

/// Cells beyond which a grid is made coarser, in all and along one axis.
const MOST_CELLS: [f64; 2] = [(1_u32 << 21) as f64, 1020.0];

/// Coordinates of a cell in one word: they are read far more often than its index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PackedCell(u32);

impl PackedCell {
    #[inline]
    pub fn new([x, y, z]: [usize; 3]) -> Self {
        Self((x | y << 10 | z << 20) as u32)
    }

    /// The coordinates.
    #[inline]
    pub fn cell(self) -> [usize; 3] {
        [self.0 & 1023, self.0 >> 10 & 1023, self.0 >> 20].map(|i| i as usize)
    }
}

/// The grid, and the barycentric coordinates of each tetrahedron.
#[derive(Clone, Debug)]
pub(super) struct Cells {
    pub origin: DVec3,
    pub size: f64,
    pub counts: [usize; 3],
    /// Cell `c` has the tetrahedra from `cell_starts[c]` to `cell_starts[c + 1]`.
    cell_starts: Vec<u32>,
    tets_of_cell: Vec<u32>,
    /// Tetrahedron `t` lies in the cells from `tet_starts[t]` to `tet_starts[t + 1]`.
    tet_starts: Vec<u32>,
    cells_of_tet: Vec<PackedCell>,
    /// The tetrahedron that holds the middle of each cell, or [`Cells::NONE`], and its first node.
    middles: Vec<[u32; 2]>,
    /// Of each tetrahedron, corners 1 to 3: the coordinate is a dot product with (p, 1).
    coordinates: Vec<[DVec4; 3]>,
}

/// Where a point is: its tetrahedron, and its barycentric coordinates there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Place {
    pub tet: u32,
    pub coordinates: [f64; 4],
}

/// A plane through the grid.
#[derive(Clone, Copy, Default)]
pub(super) struct Section {
    /// What a cell more along each axis adds to the height above the plane.
    step: DVec3,
    /// Height of the first cell's middle.
    offset: f64,
    /// Cells whose middles are this near have points on the plane.
    reach: f64,
}

impl Section {
    /// Whether the plane passes through a cell.
    #[inline]
    pub fn meets(&self, [x, y, z]: [usize; 3]) -> bool {
        // Small numbers are converted faster.
        let [x, y, z] = [x as u32, y as u32, z as u32].map(f64::from);
        let height = self.step.x * x + self.step.y * y + self.step.z * z;
        (self.offset + height).abs() <= self.reach
    }
}

/// Points this little outside of a tetrahedron, in barycentric coordinates, count as inside: on a face between two, rounding
/// must not let a point fall through.
const EDGE: f64 = -1e-12;

impl Cells {
    /// No tetrahedron.
    pub const NONE: u32 = u32::MAX;

    /// A grid with cells about `share` times as large as the mean edge is long.
    pub fn build(mesh: &TetMesh, share: f64) -> Self {
        let (low, high) = mesh.bounds();
        let mut size = share * mean_edge(mesh);
        let extent = high - low;
        let is_too_fine = |size: f64| {
            let cells = extent / size + 2.0;
            cells.element_product() > MOST_CELLS[0] || cells.max_element() > MOST_CELLS[1]
        };
        while is_too_fine(size) {
            size *= 1.25;
        }
        let pad = 1e-9 * extent.max_element();
        let origin = low - pad;
        let counts = ((extent + 2.0 * pad) / size).to_array().map(|n| n.floor() as usize + 1);
        let mut cells = Self {
            origin,
            size,
            counts,
            cell_starts: vec![],
            tets_of_cell: vec![],
            tet_starts: vec![0],
            cells_of_tet: vec![],
            middles: vec![],
            coordinates: (0..mesh.tet_count()).map(|tet| coordinates(mesh.corners(tet))).collect(),
        };
        for tet in 0..mesh.tet_count() {
            cells.list_cells(mesh.corners(tet));
        }
        cells.list_tets();
        let [nx, ny, nz] = counts;
        let all = (0..nx * ny * nz).map(|i| cells.middle([i % nx, i / nx % ny, i / (nx * ny)]));
        let at_middle = |p: DVec3| {
            cells.locate(p).map_or([Self::NONE; 2], |place| [place.tet, mesh.tets()[place.tet as usize][0]])
        };
        cells.middles = all.map(at_middle).collect();
        cells
    }

    /// The middle of a cell.
    #[inline]
    pub fn middle(&self, cell: [usize; 3]) -> DVec3 {
        let at = DVec3::from_array(cell.map(|i| f64::from(i as u32)));
        self.origin + (at + 0.5) * self.size
    }

    /// Visits the cells whose middles lie in a tetrahedron.
    pub fn visit_middles(&self, visit: &mut impl FnMut([usize; 3])) {
        let [nx, ny, _] = self.counts;
        for (i, _) in self.middles.iter().enumerate().filter(|(_, middle)| middle[0] != Self::NONE) {
            visit([i % nx, i / nx % ny, i / (nx * ny)]);
        }
    }

    /// The tetrahedron that holds the middle of a cell, or [`Cells::NONE`], and its first node.
    #[inline]
    pub fn tet_at_middle(&self, cell: [usize; 3]) -> [u32; 2] {
        self.middles[self.index(cell) as usize]
    }

    fn list_cells(&mut self, corners: [DVec3; 4]) {
        let low = corners.iter().fold(DVec3::INFINITY, |low, &p| low.min(p));
        let high = corners.iter().fold(DVec3::NEG_INFINITY, |high, &p| high.max(p));
        let (from, to) = (self.cell_of(low), self.cell_of(high));
        let planes = FACES.map(|face| {
            let [a, b, c] = face.map(|k| corners[k]);
            let normal = (b - a).cross(c - a).normalize_or_zero();
            (normal, normal.dot(a))
        });
        let half = 0.5 * self.size;
        for z in from[2]..=to[2] {
            for y in from[1]..=to[1] {
                for x in from[0]..=to[0] {
                    let middle = self.middle([x, y, z]);
                    let misses = planes.iter().any(|&(normal, offset)| {
                        let reach = half * normal.abs().element_sum() * (1.0 + 1e-9);
                        normal.dot(middle) - offset > reach + 1e-9 * self.size
                    });
                    if !misses {
                        self.cells_of_tet.push(PackedCell::new([x, y, z]));
                    }
                }
            }
        }
        self.tet_starts.push(self.cells_of_tet.len() as u32);
    }

    fn list_tets(&mut self) {
        let count = self.counts.iter().product::<usize>();
        let mut starts = vec![0_u32; count + 1];
        for &cell in &self.cells_of_tet {
            starts[self.index(cell.cell()) as usize + 1] += 1;
        }
        for cell in 0..count {
            starts[cell + 1] += starts[cell];
        }
        let mut next = starts.clone();
        self.tets_of_cell = vec![0; self.cells_of_tet.len()];
        for tet in 0..self.coordinates.len() {
            for at in self.tet_starts[tet]..self.tet_starts[tet + 1] {
                let slot = &mut next[self.index(self.cells_of_tet[at as usize].cell()) as usize];
                self.tets_of_cell[*slot as usize] = tet as u32;
                *slot += 1;
            }
        }
        self.cell_starts = starts;
    }

    /// The cell that holds a point, or the nearest one for points outside.
    #[inline]
    pub fn cell_of(&self, p: DVec3) -> [usize; 3] {
        let at = (p - self.origin) / self.size;
        [0, 1, 2].map(|k| (at[k].max(0.0) as usize).min(self.counts[k] - 1))
    }

    /// Visits the cells that a triangle passes through, and perhaps some that its plane does; `normal` is its unit normal.
    pub fn visit_triangle(&self, triangle: &Triangle, normal: DVec3, visit: &mut impl FnMut([usize; 3])) {
        let Triangle { a, b, c } = *triangle;
        let pad = 1e-9 * self.size;
        let (from, to) = (self.cell_of(a.min(b).min(c) - pad), self.cell_of(a.max(b).max(c) + pad));
        let reach = 0.5 * self.size * normal.abs().element_sum() + pad;
        for z in from[2]..=to[2] {
            for y in from[1]..=to[1] {
                for x in from[0]..=to[0] {
                    let middle = self.middle([x, y, z]);
                    if normal.dot(middle - a).abs() <= reach {
                        visit([x, y, z]);
                    }
                }
            }
        }
    }

    /// A plane through the grid, by a point and its unit normal.
    #[inline]
    pub fn section(&self, point: DVec3, normal: DVec3) -> Section {
        Section {
            step: normal * self.size,
            offset: normal.dot(self.origin + 0.5 * self.size - point),
            reach: 0.5 * self.size * normal.abs().element_sum() + 1e-9 * self.size,
        }
    }

    #[inline]
    pub fn index(&self, cell: [usize; 3]) -> u32 {
        ((cell[2] * self.counts[1] + cell[1]) * self.counts[0] + cell[0]) as u32
    }

    #[inline]
    pub fn tets_in(&self, cell: u32) -> &[u32] {
        let c = cell as usize;
        &self.tets_of_cell[self.cell_starts[c] as usize..self.cell_starts[c + 1] as usize]
    }

    #[inline]
    pub fn cells_of(&self, tet: u32) -> &[PackedCell] {
        let t = tet as usize;
        &self.cells_of_tet[self.tet_starts[t] as usize..self.tet_starts[t + 1] as usize]
    }

    /// The barycentric coordinates of a point in a tetrahedron.
    #[inline]
    pub fn coordinates(&self, tet: u32, p: DVec3) -> [f64; 4] {
        let [b, c, d] = self.coordinates[tet as usize].map(|row| row.truncate().dot(p) + row.w);
        [1.0 - b - c - d, b, c, d]
    }

    /// The tetrahedron that holds a point; of several, the one it lies deepest in, then the first. `None` outside.
    #[inline]
    pub fn locate(&self, p: DVec3) -> Option<Place> {
        let at = (p - self.origin) / self.size;
        let limits = DVec3::from_array(self.counts.map(|n| n as f64));
        if !(at.cmpge(DVec3::ZERO).all() && at.cmplt(limits).all()) {
            return None;
        }
        let cell = self.index([at.x as usize, at.y as usize, at.z as usize]);
        let mut best: Option<(f64, Place)> = None;
        for &tet in self.tets_in(cell) {
            let coordinates = self.coordinates(tet, p);
            let [a, b, c, d] = coordinates;
            let least = a.min(b).min(c.min(d));
            if least > 0.0 {
                return Some(Place { tet, coordinates });
            }
            if least >= EDGE && best.is_none_or(|(depth, _)| least > depth) {
                best = Some((least, Place { tet, coordinates }));
            }
        }
        best.map(|(_, place)| place)
    }
}

pub(super) fn mean_edge(mesh: &TetMesh) -> f64 {
    let mut total = 0.0;
    for tet in 0..mesh.tet_count() {
        let corners = mesh.corners(tet);
        total += EDGES.iter().map(|&[i, j]| corners[i].distance(corners[j])).sum::<f64>();
    }
    total / (6 * mesh.tet_count()).max(1) as f64
}

fn coordinates([a, b, c, d]: [DVec3; 4]) -> [DVec4; 3] {
    let (u, v, w) = (b - a, c - a, d - a);
    let volume = u.cross(v).dot(w);
    // The gradient of a coordinate stands on the face opposite its corner.
    [v.cross(w), w.cross(u), u.cross(v)].map(|normal| {
        let gradient = normal / volume;
        gradient.extend(-gradient.dot(a))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::tets::brick;

    #[test]
    fn points_are_found_where_a_look_at_every_tetrahedron_finds_them() {
        let mesh = brick(DVec3::new(1.0, 0.7, 0.4), [6, 4, 3]);
        let cells = Cells::build(&mesh, 0.7);
        let mut state = 1_u64;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1_u64 << 53) as f64 - 0.5
        };
        for _ in 0..5000 {
            let p = DVec3::new(next(), next(), next()) * DVec3::new(1.2, 0.9, 0.6);
            let holds = |&t: &usize| cells.coordinates(t as u32, p).iter().all(|&b| b > 0.0);
            let expected = (0..mesh.tet_count()).find(holds).map(|t| t as u32);
            assert_eq!(cells.locate(p).map(|place| place.tet), expected);
            if let Some(place) = cells.locate(p) {
                let corners = mesh.corners(place.tet as usize);
                let back: DVec3 = (0..4).map(|k| corners[k] * place.coordinates[k]).sum();
                assert!(back.distance(p) < 1e-14);
            }
        }
        // Every node and every middle of an edge lies in some tetrahedron.
        for (tet, corners) in mesh.tets().iter().enumerate() {
            for [i, j] in EDGES {
                let [p, q] = [i, j].map(|k| mesh.positions()[corners[k] as usize]);
                assert!(cells.locate(p).is_some() && cells.locate(0.5 * (p + q)).is_some(), "{tet}");
            }
        }
    }
}
