//! Checks every invariant of the grid against the mesh it was made of.

use super::Soup;
use super::layer::{NOT_FLAT, Scale, Source};
use super::window::Window;
use crate::base::morton;
use crate::exact::{self, Relation};
use crate::mesh::{Mesh, TriangleId};
use crate::pairs::LANES;
use crate::tree::{Broken, ensure};
use fearless_simd::Level;
use std::collections::BTreeMap;

impl Soup {
    /// Checks that the grid of the last query, which was about one mesh alone, is sound.
    ///
    /// # Errors
    /// The first invariant found broken; also if the grid is of another mesh.
    pub(crate) fn validate(&self, mesh: &Mesh) -> Result<(), Broken> {
        let grid = &self.grid;
        let vertices = |scale: &Scale| scale.steps.len() == mesh.vertex_count();
        let is_its = grid.triangle_count() == mesh.triangle_count()
            && grid.scales[..grid.scale_count].iter().all(vertices);
        ensure(is_its, || format!("the grid of {} triangles is of another mesh", grid.triangle_count()))?;
        let sources = [Source { positions: mesh.positions(), triangles: mesh.triangles() }];
        let mut window = Window::default();
        window.open(grid);
        let mut seen = vec![false; mesh.triangle_count()];
        let mut fans: BTreeMap<i32, Vec<u32>> = BTreeMap::new();
        for (number, cell) in grid.cells.iter().enumerate() {
            let layer = &grid.layers[cell.layer as usize];
            let place = morton::decode(cell.key);
            let found = grid.table.find(&grid.cells, cell.key, u64::from(cell.layer), place);
            ensure(found == Some(number as u32), || format!("cell {number} is not found by its key"))?;
            let place = window.admit(grid, number as u32);
            window.fill(Level::new(), grid, &sources);
            let filled = window.cells[place as usize];
            for k in 0..cell.count as usize {
                let (row, lane) = (filled.rows[0] as usize + k / LANES, k % LANES);
                ensure(row < filled.rows[1] as usize, || format!("cell {number} has too few rows"))?;
                let id = window.corners[LANES * row + lane][3] as u32;
                let known = seen.get_mut(id as usize).filter(|seen| !**seen);
                let known = known.ok_or_else(|| Broken(format!("triangle {id} is twice in the grid")))?;
                *known = true;
                for (corner, flat) in window.rows[row].flat.iter().enumerate() {
                    let (vertex, carried) = (window.corners[LANES * row + lane][corner], flat[lane]);
                    ensure(carried == vertex || carried == NOT_FLAT, || {
                        format!("triangle {id} carries {carried}")
                    })?;
                    if carried != NOT_FLAT {
                        fans.entry(carried).or_default().push(id);
                    }
                }
                let t = mesh.triangle(TriangleId(id));
                let lane = window.rows[row].lanes.lane(lane);
                let boxes = [window.boxes[row], filled.bounds].map(|b| (b.low(), b.high()));
                for p in t.corners() {
                    let x = p * layer.scale - layer.base;
                    for axis in 0..3 {
                        let is_held = |(low, high): &([f32; 3], [f32; 3])| {
                            f64::from(low[axis]) <= x[axis] && x[axis] <= f64::from(high[axis])
                        };
                        let held = is_held(&lane) && boxes.iter().all(is_held);
                        ensure(held, || {
                            format!("triangle {id} has {x} outside of row {row}, lane {lane:?}")
                        })?;
                        let from_cell = x[axis] - f64::from(cell.place[axis]);
                        let near = -0.51 - layer.pad() <= from_cell
                            && from_cell <= layer.cell_width() + 0.51 + layer.pad();
                        ensure(near, || format!("triangle {id} is too far from cell {number}"))?;
                    }
                }
            }
        }
        fans.into_iter().try_for_each(|(vertex, fan)| check_fan(mesh, vertex, &fan))?;
        let mut seen = seen.into_iter().enumerate();
        seen.try_for_each(|(id, seen)| ensure(seen, || format!("triangle {id} is in no cell")))
    }
}

/// Checks that triangles around a vertex meet in what they share only.
fn check_fan(mesh: &Mesh, vertex: i32, fan: &[u32]) -> Result<(), Broken> {
    for (k, &i) in fan.iter().enumerate() {
        for &j in &fan[..k] {
            let (t, u) = (mesh.triangle(TriangleId(i)), mesh.triangle(TriangleId(j)));
            let ids = [i, j].map(|t| mesh.triangles()[t as usize]);
            let apart = exact::tri_tri_shared(&t, ids[0], &u, ids[1]) == Relation::Disjoint;
            ensure(apart, || format!("vertex {vertex} is not flat: triangles {j} and {i} meet"))?;
        }
    }
    Ok(())
}
