//! A grid of cells over a tetrahedral mesh: which tetrahedra may hold a point, and which cells a tetrahedron lies in.
//!
//! # Invariants
//!
//! A cell lists every tetrahedron that has a point in it, and perhaps some that pass close by. A tetrahedron lists the same
//! cells, in rows along x, and separately the cells whose middles it holds. All lists are sorted.

use crate::base::Lists;
use crate::brittle::split::cut_tet::FacetTriangle;
use crate::geom::{DVec3, DVec4, Triangle, Vec4};
use crate::mesh::tets::{EDGES, FACES, TetMesh};

/// Cells beyond which a grid is made coarser, in all and along one axis.
const MOST_CELLS: [f64; 2] = [(1_u32 << 21) as f64, 1020.0];

/// Up to four cells in a row along x, in one word: where the first is, and how many follow it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CellRow(u32);

impl CellRow {
    /// Most cells in a row.
    const MOST: u32 = 4;
    /// The bits that tell where the first cell is.
    const FIRST: u32 = (1 << 30) - 1;

    /// A row of one cell.
    #[inline]
    pub fn new([x, y, z]: [usize; 3]) -> Self {
        Self((x | y << 10 | z << 20) as u32)
    }

    /// The coordinates of the first cell.
    #[inline]
    pub fn first(self) -> [u32; 3] {
        [self.0 & 1023, self.0 >> 10 & 1023, self.0 >> 20 & 1023]
    }

    /// How many cells there are.
    #[inline]
    fn len(self) -> u32 {
        (self.0 >> 30) + 1
    }

    /// A bit for each of its cells.
    #[inline]
    pub fn mask(self) -> u32 {
        (2 << (self.0 >> 30)) - 1
    }

    /// The coordinates of its cells.
    pub fn cells(self) -> impl Iterator<Item = [usize; 3]> + Clone {
        let first = self.first().map(|i| i as usize);
        (0..self.len() as usize).map(move |k| [first[0] + k, first[1], first[2]])
    }

    /// Appends a cell to the rows from `begin` on: if it follows the last one along x, it joins its row.
    #[inline]
    pub fn add(rows: &mut Vec<Self>, begin: usize, cell: [usize; 3]) {
        let new = Self::new(cell);
        match rows[begin..].last_mut() {
            Some(row) if row.len() < Self::MOST && (row.0 & Self::FIRST) + row.len() == new.0 => {
                row.0 += 1 << 30;
            }
            _ => rows.push(new),
        }
    }
}

/// The grid, and the barycentric coordinates of each tetrahedron.
#[derive(Clone, Debug)]
pub(crate) struct Cells {
    pub origin: DVec3,
    pub size: f64,
    pub counts: [usize; 3],
    /// By cell: the tetrahedra that lie in it.
    tets_of_cell: Lists<u32>,
    /// By tetrahedron: the cells that it lies in.
    cells_of_tet: Lists<CellRow>,
    /// By row of these: the cells whose middles the tetrahedron holds, a bit for each.
    held_of_row: Vec<u8>,
    /// By tetrahedron: the cells whose middles it holds.
    middles_of_tet: Lists<CellRow>,
    /// By cell: the tetrahedron that holds its middle, or [`Cells::NONE`].
    tet_of_middle: Vec<u32>,
    /// Of each tetrahedron, corners 1 to 3: the coordinate is a dot product with (p, 1).
    coordinates: Vec<[DVec4; 3]>,
}

/// Where a point is: its tetrahedron, and its barycentric coordinates there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Place {
    pub tet: u32,
    pub coordinates: [f64; 4],
}

/// A plane through the grid, in units of cells and in `f32`, four cells at a time.
///
/// A grid has 1,020 cells along an axis at most, so rounding moves a height by less than [`GridPlane::ROUNDING`] of a cell.
/// The plane counts as that much thicker: it meets a few cells more than it passes through, and never one less. Cells that it
/// does not meet are on the right side.
#[derive(Clone, Copy, Default)]
pub(crate) struct GridPlane {
    /// What a cell more along y and z adds to the height above the plane.
    step: [f32; 2],
    /// The same along x.
    along: f32,
    /// The heights of the middles of the first four cells.
    heights: Vec4,
    /// Cells whose middles are this near have points on the plane.
    reach: Vec4,
}

impl GridPlane {
    /// More than what rounding changes, in cells.
    const ROUNDING: f64 = 1e-3;

    /// Which cells of a row the plane passes through, and the middles of which are above it: a bit for each. The second is certain where the
    /// first is 0.
    #[inline]
    pub fn compare(&self, row: CellRow) -> [u32; 2] {
        // Signed numbers are converted faster.
        let [x, y, z] = row.first().map(|i| i as i32 as f32);
        let heights = self.heights + (self.along * x + self.step[0] * y + self.step[1] * z);
        let meets = heights.abs().cmple(self.reach).bitmask();
        let above = heights.cmpgt(Vec4::ZERO).bitmask();
        [meets & row.mask(), above & row.mask()]
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
        let (low, high) = mesh.bounds().corners();
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
            tets_of_cell: Lists::default(),
            cells_of_tet: Lists::default(),
            held_of_row: vec![],
            middles_of_tet: Lists::default(),
            tet_of_middle: vec![],
            coordinates: (0..mesh.tet_count()).map(|tet| coordinates(mesh.corners(tet))).collect(),
        };
        let mut cells_of_tet = Lists::default();
        for tet in 0..mesh.tet_count() {
            cells_of_tet.append(|rows| cells.list_cells(mesh.corners(tet), rows));
        }
        cells.tets_of_cell = cells.list_tets(&cells_of_tet);
        cells.cells_of_tet = cells_of_tet;
        cells.list_middles();
        cells
    }

    /// The middle of a cell.
    #[inline]
    pub fn middle(&self, cell: [usize; 3]) -> DVec3 {
        let at = DVec3::from_array(cell.map(|i| f64::from(i as u32)));
        self.origin + (at + 0.5) * self.size
    }

    /// The tetrahedra that hold the middles of a cell and of those that follow along x, or [`Cells::NONE`].
    #[inline]
    pub fn tets_at_middles(&self, first: [usize; 3]) -> &[u32] {
        let row = self.counts[0] - first[0];
        let from = self.index(first) as usize;
        &self.tet_of_middle[from..from + row]
    }

    /// The cells whose middles lie in a tetrahedron: each cell has one at most.
    #[inline]
    pub fn middles_of(&self, tet: u32) -> &[CellRow] {
        self.middles_of_tet.list(tet as usize)
    }

    fn list_middles(&mut self) {
        let [nx, ny, nz] = self.counts;
        let all = (0..nx * ny * nz).map(|i| [i % nx, i / nx % ny, i / (nx * ny)]);
        let held = all.filter_map(|cell| Some((self.locate(self.middle(cell))?.tet, cell)));
        let held: Vec<(u32, [usize; 3])> = held.collect();
        self.tet_of_middle = vec![Self::NONE; nx * ny * nz];
        for &(tet, cell) in &held {
            let cell = self.index(cell) as usize;
            self.tet_of_middle[cell] = tet;
        }
        for cells in Lists::from_pairs(self.coordinates.len(), held.into_iter()).iter() {
            self.middles_of_tet.append(|rows| {
                let begin = rows.len();
                cells.iter().for_each(|&cell| CellRow::add(rows, begin, cell));
            });
        }
        for (tet, rows) in (0..).zip(self.cells_of_tet.iter()) {
            for row in rows {
                let first = self.index(row.first().map(|i| i as usize)) as usize;
                let held = self.tet_of_middle[first..first + row.len() as usize].iter().zip(0..);
                self.held_of_row.push(held.map(|(&holder, k)| u8::from(holder == tet) << k).sum());
            }
        }
    }

    fn list_cells(&self, corners: [DVec3; 4], rows: &mut Vec<CellRow>) {
        let low = corners.iter().fold(DVec3::INFINITY, |low, &p| low.min(p));
        let high = corners.iter().fold(DVec3::NEG_INFINITY, |high, &p| high.max(p));
        let (from, to) = (self.cell_of(low), self.cell_of(high));
        let planes = FACES.map(|face| {
            let [a, b, c] = face.map(|k| corners[k]);
            let normal = (b - a).cross(c - a).normalize_or_zero();
            let reach = 0.5 * self.size * normal.abs().element_sum() * (1.0 + 1e-9);
            (normal, normal.dot(a), reach + 1e-9 * self.size)
        });
        self.list_between(from, to, rows, |middle| {
            !planes.iter().any(|&(normal, offset, reach)| normal.dot(middle) - offset > reach)
        });
    }

    /// Lists the cells of a box whose middles have a property.
    #[inline]
    fn list_between(
        &self,
        from: [usize; 3],
        to: [usize; 3],
        rows: &mut Vec<CellRow>,
        has: impl Fn(DVec3) -> bool,
    ) {
        let begin = rows.len();
        for z in from[2]..=to[2] {
            for y in from[1]..=to[1] {
                for x in from[0]..=to[0] {
                    if has(self.middle([x, y, z])) {
                        CellRow::add(rows, begin, [x, y, z]);
                    }
                }
            }
        }
    }

    fn list_tets(&self, cells_of_tet: &Lists<CellRow>) -> Lists<u32> {
        let cells = (0..).zip(cells_of_tet.iter()).flat_map(|(tet, rows)| {
            rows.iter().flat_map(move |&row| {
                let first = self.index(row.first().map(|i| i as usize));
                (first..first + row.len()).map(move |cell| (cell, tet))
            })
        });
        Lists::from_pairs(self.counts.iter().product(), cells)
    }

    /// The cell that holds a point, or the nearest one for points outside.
    #[inline]
    pub fn cell_of(&self, p: DVec3) -> [usize; 3] {
        let at = (p - self.origin) / self.size;
        [0, 1, 2].map(|k| (at[k].max(0.0) as usize).min(self.counts[k] - 1))
    }

    /// Lists the cells that a facet passes through, and perhaps some that only its plane does.
    pub fn list_facet(&self, facet: &FacetTriangle, rows: &mut Vec<CellRow>) {
        let (Triangle { a, b, c }, normal) = (facet.triangle, facet.normal);
        let pad = 1e-9 * self.size;
        let (from, to) = (self.cell_of(a.min(b).min(c) - pad), self.cell_of(a.max(b).max(c) + pad));
        let reach = 0.5 * self.size * normal.abs().element_sum() + pad;
        self.list_between(from, to, rows, |middle| normal.dot(middle - a).abs() <= reach);
    }

    /// A plane through the grid, by a point and its unit normal.
    #[inline]
    pub fn section(&self, point: DVec3, normal: DVec3) -> GridPlane {
        let height = normal.dot(self.origin + 0.5 * self.size - point) / self.size;
        let reach = 0.5 * normal.abs().element_sum() + GridPlane::ROUNDING;
        let normal = normal.as_vec3();
        GridPlane {
            step: [normal.y, normal.z],
            along: normal.x,
            heights: height as f32 + normal.x * Vec4::new(0.0, 1.0, 2.0, 3.0),
            reach: Vec4::splat(reach as f32),
        }
    }

    #[inline]
    pub fn index(&self, cell: [usize; 3]) -> u32 {
        ((cell[2] * self.counts[1] + cell[1]) * self.counts[0] + cell[0]) as u32
    }

    #[inline]
    pub fn tets_in(&self, cell: u32) -> &[u32] {
        self.tets_of_cell.list(cell as usize)
    }

    /// The cells that a tetrahedron lies in.
    #[inline]
    pub fn cells_of(&self, tet: u32) -> &[CellRow] {
        self.cells_of_tet.list(tet as usize)
    }

    /// The cells that a tetrahedron lies in, each row with those whose middles it holds, a bit for each.
    #[inline]
    pub fn rows_of(&self, tet: u32) -> impl Iterator<Item = (CellRow, u32)> {
        let range = self.cells_of_tet.range(tet as usize);
        let held = self.held_of_row[range.clone()].iter().map(|&held| u32::from(held));
        self.cells_of_tet.items()[range].iter().copied().zip(held)
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

pub(crate) fn mean_edge(mesh: &TetMesh) -> f64 {
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
        let mut random = crate::base::Random::linear(1);
        let mut next = || random.unit() - 0.5;
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

    #[test]
    fn every_middle_is_listed_once_by_the_tetrahedron_that_holds_it() {
        let mesh = brick(DVec3::new(1.0, 0.7, 0.4), [6, 4, 3]);
        let cells = Cells::build(&mesh, 0.3);
        let [nx, ny, nz] = cells.counts;
        let all = (0..nx * ny * nz).map(|i| [i % nx, i / nx % ny, i / (nx * ny)]);
        let held = all.filter_map(|cell| Some((cells.locate(cells.middle(cell))?.tet, cell)));
        let mut expected: Vec<(u32, [usize; 3])> = held.collect();
        expected.sort_unstable();
        let mut found = vec![];
        for tet in 0..mesh.tet_count() as u32 {
            let listed: Vec<_> = cells.cells_of(tet).iter().flat_map(|row| row.cells()).collect();
            for cell in cells.middles_of(tet).iter().flat_map(|row| row.cells()) {
                assert!(listed.contains(&cell));
                found.push((tet, cell));
            }
            let held = cells.rows_of(tet).flat_map(|(row, held)| {
                row.cells().enumerate().filter(move |(k, _)| held >> k & 1 == 1).map(|(_, cell)| cell)
            });
            assert!(held.eq(cells.middles_of(tet).iter().flat_map(|row| row.cells())));
        }
        found.sort_unstable();
        assert_eq!(found, expected);
        for &(tet, cell) in &expected {
            assert_eq!(cells.tets_at_middles(cell)[0], tet);
        }
        assert_eq!(cells.tet_of_middle.iter().filter(|&&tet| tet != Cells::NONE).count(), expected.len());
    }

    #[test]
    fn a_plane_meets_the_cells_of_a_row_that_have_corners_on_both_sides() {
        let mesh = brick(DVec3::ONE, [4, 4, 4]);
        let cells = Cells::build(&mesh, 0.3);
        for k in 0..200 {
            let normal = DVec3::new(f64::from(k % 7) - 3.1, f64::from(k % 5) - 1.9, f64::from(k % 3) - 0.7);
            let (point, normal) = (DVec3::splat(0.003 * f64::from(k) - 0.3), normal.normalize());
            let section = cells.section(point, normal);
            for &row in (0..mesh.tet_count() as u32).step_by(5).flat_map(|tet| cells.cells_of(tet)) {
                let [meets, above] = section.compare(row);
                for (k, cell) in row.cells().enumerate() {
                    let height = normal.dot(cells.middle(cell) - point);
                    let reach = 0.5 * cells.size * normal.abs().element_sum();
                    let is_met = meets >> k & 1 == 1;
                    // No cell less, and those more have the plane within a five-hundredth of their size.
                    let most = reach + 2.0 * GridPlane::ROUNDING * cells.size;
                    assert!(if is_met { height.abs() <= most } else { height.abs() > reach }, "{height}");
                    assert!(is_met || (above >> k & 1 == 1) == (height > 0.0), "{height}");
                }
                assert_eq!((meets | above) & !row.mask(), 0);
            }
        }
    }
}
