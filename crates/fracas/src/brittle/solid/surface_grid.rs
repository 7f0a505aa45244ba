//! The surface distance grid: a regular grid that stores the nearest triangle of the original surface at each grid point.
//!
//! A fracture does not move the original surface, so close to it this grid is the better half of the distance field. A grid
//! of *distances* would be smooth where the surface has edges; a grid of *triangles* is not. A point measures its distance to the
//! triangles of the eight grid points around it. The nearest of these is nearly always the nearest of all.

use crate::base::parallel;
use crate::geom::DVec3;
use crate::mesh::TriangleId;
use crate::tree::MeshTree;

/// Grid points beyond which a grid is made coarser.
const MOST_POINTS: f64 = (1_u32 << 18) as f64;

/// The grid; see the module.
#[derive(Clone, Debug)]
pub(crate) struct SurfaceGrid {
    origin: DVec3,
    spacing: f64,
    counts: [usize; 3],
    nearest: Vec<u32>,
}

impl SurfaceGrid {
    /// A grid over the box of a surface with points about `spacing` apart.
    pub fn build(surface: &MeshTree, spacing: f64) -> Self {
        let (low, high) = surface.mesh().bounds().corners();
        let mut spacing = spacing;
        while ((high - low) / spacing + 2.0).element_product() > MOST_POINTS {
            spacing *= 1.1;
        }
        let counts = ((high - low) / spacing).to_array().map(|n| n.floor() as usize + 2);
        let at = |i: u32| {
            let i = i as usize;
            let place = [i % counts[0], i / counts[0] % counts[1], i / (counts[0] * counts[1])];
            low + DVec3::from_array(place.map(|x| x as f64)) * spacing
        };
        let nearest_of_row = |row: u32| {
            // The neighbour's triangle bounds the distance, so few boxes are opened.
            let mut found: Vec<u32> = Vec::with_capacity(counts[0]);
            for x in 0..counts[0] as u32 {
                let p = at(row * counts[0] as u32 + x);
                let reach = found.last().map_or(f64::INFINITY, |&t| {
                    let point = surface.mesh().triangle(TriangleId(t)).closest_point(p);
                    point.distance(p) * (1.0 + 1e-9) + 1e-300
                });
                let near = surface.view().nearest(p, reach).map(|near| near.triangle.0);
                found.push(near.unwrap_or_else(|| found.last().copied().unwrap_or(0)));
            }
            found
        };
        let rows = (counts[1] * counts[2]) as u32;
        let nearest = parallel::map(true, 0..rows, nearest_of_row).concat();
        Self { origin: low, spacing, counts, nearest }
    }

    /// The triangles nearest to the eight grid points around a point, each once.
    #[inline]
    pub fn around(&self, p: DVec3) -> impl Iterator<Item = u32> {
        let at = (p - self.origin) / self.spacing;
        let [x, y, z] = [0, 1, 2].map(|k| (at[k].max(0.0) as usize).min(self.counts[k] - 2));
        let first = (z * self.counts[1] + y) * self.counts[0] + x;
        let (row, layer) = (self.counts[0], self.counts[0] * self.counts[1]);
        let corner = |k: usize| self.nearest[first + (k & 1) + (k >> 1 & 1) * row + (k >> 2) * layer];
        let found = [0, 1, 2, 3, 4, 5, 6, 7].map(corner);
        (0..8).filter(move |&k| !found[..k].contains(&found[k])).map(move |k| found[k])
    }
}
