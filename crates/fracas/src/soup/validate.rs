//! Checks every invariant of the grid against the mesh it was made of.

use super::SoupFinder;
use super::order::{self, AXIS_BITS};
use crate::mesh::{Mesh, TriangleId};
use crate::pairs::LANES;
use crate::tree::Broken;

impl SoupFinder {
    /// Checks that the grid of the last [`SoupFinder::find_self_pairs`] or [`SoupFinder::populate`] is sound.
    ///
    /// # Errors
    /// The first invariant found broken; also if the grid is of another mesh.
    pub fn validate(&self, mesh: &Mesh) -> Result<(), Broken> {
        let grid = self.grid();
        let mut seen = vec![false; mesh.triangle_count()];
        for (number, cell) in grid.cells.iter().enumerate() {
            let layer = &grid.layers[cell.layer as usize];
            let place = order::unmorton(cell.key & ((1 << (3 * AXIS_BITS)) - 1));
            let found = grid.table.find(&grid.cells, cell.key, u64::from(cell.layer), place);
            ensure(found == Some(number as u32), || format!("cell {number} is not found by its key"))?;
            let rows = (cell.rows[1] - cell.rows[0]) as usize;
            ensure(rows == (cell.count as usize).div_ceil(LANES), || {
                format!("cell {number} has {rows} rows")
            })?;
            for k in 0..cell.count as usize {
                let (row, lane) = (cell.rows[0] as usize + k / LANES, k % LANES);
                let id = grid.corners[LANES * row + lane][3] as u32;
                let known = seen.get_mut(id as usize).filter(|seen| !**seen);
                let known = known.ok_or_else(|| Broken(format!("triangle {id} is twice in the grid")))?;
                *known = true;
                let t = mesh.triangle(TriangleId(id));
                let (low, high) = grid.rows[row].lanes.lane(lane);
                let bounds = [grid.boxes[row], cell.bounds];
                for p in t.corners() {
                    let x = p * layer.scale - layer.base;
                    for axis in 0..3 {
                        let within =
                            |low: f32, high: f32| f64::from(low) <= x[axis] && x[axis] <= f64::from(high);
                        let held = within(low[axis], high[axis])
                            && bounds.iter().all(|b| within(b.low()[axis], b.high()[axis]));
                        ensure(held, || {
                            format!("triangle {id} has {x} outside of row {row}, lane {low:?} to {high:?}")
                        })?;
                        let from_cell = x[axis] - f64::from(cell.place[axis]);
                        let near = -0.51 - layer.pad() <= from_cell
                            && from_cell <= layer.cell_width() + 0.51 + layer.pad();
                        ensure(near, || format!("triangle {id} is too far from cell {number}"))?;
                    }
                }
            }
        }
        match seen.iter().position(|seen| !seen) {
            Some(id) => Err(Broken(format!("triangle {id} is in no cell"))),
            None => Ok(()),
        }
    }
}

fn ensure(holds: bool, broken: impl FnOnce() -> String) -> Result<(), Broken> {
    if holds { Ok(()) } else { Err(Broken(broken())) }
}
