//! Triangles on the zero set of a smooth function.
//!
//! Surface nets: every cell of a grid whose corners differ in sign gets a vertex for each connected group of negative
//! corners, and every edge of the grid whose ends differ in sign a quadrangle between the four cells around it. Then
//! vertices move towards the middles of their neighbours and back to the surface, several times, which leaves triangles
//! of nearly equal size.
//!
//! A surface may end: it is cut where `rim` is zero. Vertices near the rim move onto it first, so that no slivers are left.
//!
//! # Reference
//!
//! S. F. F. Gibson, *Constrained elastic surface nets*, MICCAI, 1998.

use fracas::Finder;
use fracas::geom::{Box3, DVec3};
use fracas::mesh::{Adjacency, Mesh};

/// A smooth function whose zero set is meshed; negative inside.
pub(crate) trait Implicit {
    /// Value and gradient.
    fn at(&self, p: DVec3) -> (f64, DVec3);
    /// A box around the zero set.
    fn bounds(&self) -> Box3;
    /// Where the surface ends: positive beyond, about the distance to the rim; and the direction in which it grows.
    fn rim(&self, _p: DVec3) -> (f64, DVec3) {
        (-1.0, DVec3::ZERO)
    }
}

/// No function that is meshed grows faster than that.
const STEEPEST: f64 = 1.8;
/// Cells of a block along each axis: blocks far from the surface are skipped.
const BLOCK: usize = 6;
/// How often vertices move; where that makes the surface meet itself, less often.
const ROUNDS: [usize; 4] = [12, 6, 2, 0];

/// The zero set in about as many triangles as asked for: within a few per cent.
pub(crate) fn mesh_of(shape: &impl Implicit, triangles: usize) -> Mesh {
    let extent = shape.bounds().extent();
    let mut cell = 0.5 * extent.max_element() / (triangles as f64 / 12.0).sqrt();
    for _ in 0..12 {
        let net = cut(shape, &net(shape, cell), cell);
        let ratio = net.triangle_count() as f64 / triangles as f64;
        if (ratio - 1.0).abs() < 0.02 {
            let is_sheet = Adjacency::build(&net).edges().all(|edge| edge.uses.len() <= 2);
            if is_sheet {
                return relaxed(shape, &net);
            }
            // Where the grid is too coarse for the shape, another one may not be.
            cell *= 0.997;
        } else {
            cell *= ratio.max(0.05).sqrt();
        }
    }
    relaxed(shape, &cut(shape, &net(shape, cell), cell))
}

/// The surface net of a grid, without relaxation.
fn net(shape: &impl Implicit, cell: f64) -> Mesh {
    let grid = Grid::sample(shape, cell);
    let [nx, ny, nz] = grid.nodes;
    // The first vertex of every cell, and which of its vertices each corner has.
    let mut vertices_of = vec![(0_u32, [0_u8; 8]); grid.values.len()];
    let mut positions = Vec::new();
    for k in 0..nz - 1 {
        for j in 0..ny - 1 {
            for i in 0..nx - 1 {
                let (groups, middles) = grid.middles_of_crossings([i, j, k]);
                vertices_of[grid.index([i, j, k])] = (positions.len() as u32, groups);
                positions.extend(middles);
            }
        }
    }
    let mut triangles = Vec::new();
    for k in 1..nz - 1 {
        for j in 1..ny - 1 {
            for i in 1..nx - 1 {
                let here = grid.values[grid.index([i, j, k])];
                for axis in 0..3 {
                    let mut next = [i, j, k];
                    next[axis] += 1;
                    let there = grid.values[grid.index(next)];
                    if (here < 0.0) == (there < 0.0) {
                        continue;
                    }
                    let [u, v] = [(axis + 1) % 3, (axis + 2) % 3];
                    let mut corners = [[0, 0], [1, 0], [1, 1], [0, 1]].map(|[du, dv]| {
                        let mut at = [i, j, k];
                        at[u] -= du;
                        at[v] -= dv;
                        let (first, groups) = vertices_of[grid.index(at)];
                        let corner = du << u | dv << v | usize::from(here >= 0.0) << axis;
                        first + u32::from(groups[corner])
                    });
                    if here >= 0.0 {
                        corners.reverse();
                    }
                    triangles.extend(halves(corners, &positions));
                }
            }
        }
    }
    Mesh::new(positions, triangles).expect("finite positions and few triangles")
}

/// The part of a surface within its rim.
fn cut(shape: &impl Implicit, mesh: &Mesh, cell: f64) -> Mesh {
    let mut positions = mesh.positions().to_vec();
    let mut beyond: Vec<f64> = Vec::with_capacity(positions.len());
    for p in &mut positions {
        let (mut value, out) = shape.rim(*p);
        if value.abs() < 0.35 * cell {
            *p -= out * value;
            value = 0.0;
        }
        beyond.push(value);
    }
    let mut crossings = std::collections::BTreeMap::new();
    let mut triangles = Vec::new();
    for t in mesh.triangles() {
        let is_in = t.map(|v| beyond[v as usize] < 0.0);
        let is_out = t.map(|v| beyond[v as usize] > 0.0);
        if !is_in.contains(&true) {
            continue;
        }
        let mut polygon = Vec::with_capacity(4);
        for corner in 0..3 {
            let (here, next) = (corner, (corner + 1) % 3);
            if !is_out[here] {
                polygon.push(t[here]);
            }
            if is_in[here] && is_out[next] || is_out[here] && is_in[next] {
                let [a, b] = [t[here].min(t[next]), t[here].max(t[next])];
                polygon.push(*crossings.entry([a, b]).or_insert_with(|| {
                    let [p, q] = [a, b].map(|v| positions[v as usize]);
                    let [x, y] = [a, b].map(|v| beyond[v as usize]);
                    positions.push(p.lerp(q, x / (x - y)));
                    positions.len() as u32 - 1
                }));
            }
        }
        match polygon[..] {
            [a, b, c] => triangles.push([a, b, c]),
            [a, b, c, d] => triangles.extend(halves([a, b, c, d], &positions)),
            _ => (),
        }
    }
    largest_component(positions, &triangles)
}

/// A quadrangle as two triangles, parted along the shorter diagonal.
fn halves([a, b, c, d]: [u32; 4], positions: &[DVec3]) -> [[u32; 3]; 2] {
    let apart = |v: u32, w: u32| positions[v as usize].distance_squared(positions[w as usize]);
    if apart(a, c) <= apart(b, d) { [[a, b, c], [a, c, d]] } else { [[a, b, d], [b, c, d]] }
}

struct Grid {
    low: DVec3,
    cell: f64,
    nodes: [usize; 3],
    values: Vec<f64>,
}

impl Grid {
    fn sample(shape: &impl Implicit, cell: f64) -> Self {
        let bounds = shape.bounds().expanded(2.5 * cell);
        let low = bounds.min;
        let nodes = (bounds.extent() / cell).to_array().map(|n| n.ceil() as usize + 2);
        let mut grid = Self { low, cell, nodes, values: vec![1.0; nodes[0] * nodes[1] * nodes[2]] };
        let blocks = nodes.map(|n| n.div_ceil(BLOCK));
        let reach = STEEPEST * cell * BLOCK as f64;
        for block in 0..blocks[0] * blocks[1] * blocks[2] {
            let at = [block % blocks[0], block / blocks[0] % blocks[1], block / (blocks[0] * blocks[1])];
            let range = [0, 1, 2].map(|axis| at[axis] * BLOCK..nodes[axis].min((at[axis] + 1) * BLOCK));
            let middle = grid.place(at.map(|n| n * BLOCK + BLOCK / 2));
            let (value, _) = shape.at(middle);
            for k in range[2].clone() {
                for j in range[1].clone() {
                    for i in range[0].clone() {
                        let index = grid.index([i, j, k]);
                        grid.values[index] =
                            if value.abs() > reach { value } else { shape.at(grid.place([i, j, k])).0 };
                    }
                }
            }
        }
        grid
    }

    fn place(&self, [i, j, k]: [usize; 3]) -> DVec3 {
        self.low + DVec3::new(i as f64, j as f64, k as f64) * self.cell
    }

    fn index(&self, [i, j, k]: [usize; 3]) -> usize {
        i + self.nodes[0] * (j + self.nodes[1] * k)
    }

    /// The groups of negative corners of a cell that are connected along its edges, and for each group the middle of all
    /// points where its edges cross the surface.
    fn middles_of_crossings(&self, at: [usize; 3]) -> ([u8; 8], Vec<DVec3>) {
        let corner = |c: usize| [at[0] + (c & 1), at[1] + (c >> 1 & 1), at[2] + (c >> 2)];
        let values: [f64; 8] = std::array::from_fn(|c| self.values[self.index(corner(c))]);
        let mut groups = [u8::MAX; 8];
        let mut middles = Vec::new();
        for start in 0..8 {
            if values[start] >= 0.0 || groups[start] != u8::MAX {
                continue;
            }
            let (mut sum, mut count) = (DVec3::ZERO, 0.0);
            let mut stack = vec![start];
            groups[start] = middles.len() as u8;
            while let Some(c) = stack.pop() {
                for d in [c ^ 1, c ^ 2, c ^ 4] {
                    if values[d] >= 0.0 {
                        let share = values[c] / (values[c] - values[d]);
                        sum += self.place(corner(c)).lerp(self.place(corner(d)), share);
                        count += 1.0;
                    } else if groups[d] == u8::MAX {
                        groups[d] = middles.len() as u8;
                        stack.push(d);
                    }
                }
            }
            if count > 0.0 {
                middles.push(sum / count);
            }
        }
        (groups, middles)
    }
}

/// The part with the most triangles, without vertices that no triangle uses.
fn largest_component(positions: Vec<DVec3>, triangles: &[[u32; 3]]) -> Mesh {
    let mut leader: Vec<u32> = (0..positions.len() as u32).collect();
    fn find(leader: &mut [u32], mut v: u32) -> u32 {
        while leader[v as usize] != v {
            leader[v as usize] = leader[leader[v as usize] as usize];
            v = leader[v as usize];
        }
        v
    }
    for [a, b, c] in triangles {
        for other in [b, c] {
            let [x, y] = [*a, *other].map(|v| find(&mut leader, v));
            leader[x.max(y) as usize] = x.min(y);
        }
    }
    let mut sizes = vec![0_usize; positions.len()];
    triangles.iter().for_each(|t| sizes[find(&mut leader, t[0]) as usize] += 1);
    let largest = (0..sizes.len()).rev().max_by_key(|&v| sizes[v]).unwrap_or(0) as u32;
    let mut names = vec![u32::MAX; positions.len()];
    let mut kept_positions = Vec::new();
    let mut kept = Vec::new();
    for t in triangles {
        if find(&mut leader, t[0]) == largest {
            kept.push(t.map(|v| {
                let name = &mut names[v as usize];
                if *name == u32::MAX {
                    *name = kept_positions.len() as u32;
                    kept_positions.push(positions[v as usize]);
                }
                *name
            }));
        }
    }
    Mesh::new(kept_positions, kept).expect("finite positions and few triangles")
}

/// The mesh with vertices moved to the middles of their neighbours and back to the surface, as often as leaves it free of
/// self-intersections.
fn relaxed(shape: &impl Implicit, mesh: &Mesh) -> Mesh {
    let mut finder = Finder::default();
    let tries = ROUNDS.into_iter().map(|rounds| relaxed_by(shape, mesh, rounds));
    let clean = tries.into_iter().find(|mesh| finder.find_self_pairs(mesh).is_empty());
    clean.unwrap_or_else(|| mesh.clone())
}

fn relaxed_by(shape: &impl Implicit, mesh: &Mesh, rounds: usize) -> Mesh {
    let mut positions = mesh.positions().to_vec();
    let count = positions.len();
    let mut neighbours = vec![Vec::new(); count];
    let mut along_rim = vec![Vec::new(); count];
    for edge in Adjacency::build(mesh).edges() {
        let [a, b] = edge.ends;
        for (v, w) in [(a, b), (b, a)] {
            neighbours[v as usize].push(w);
            if edge.uses.len() == 1 {
                along_rim[v as usize].push(w);
            }
        }
    }
    // The plane that a vertex of the rim stays in, as its normal and its height.
    let plane = |v: usize| {
        let (beyond, out) = shape.rim(positions[v]);
        (!along_rim[v].is_empty()).then(|| (out, positions[v].dot(out) - beyond))
    };
    let planes: Vec<Option<(DVec3, f64)>> = (0..count).map(plane).collect();
    for _ in 0..rounds {
        let before = positions.clone();
        for v in 0..count {
            let around = if planes[v].is_some() { &along_rim[v] } else { &neighbours[v] };
            let middle = around.iter().map(|&w| before[w as usize]).sum::<DVec3>() / around.len() as f64;
            positions[v] = onto(shape, before[v].lerp(middle, 0.6), planes[v]);
        }
    }
    Mesh::new(positions, mesh.triangles().to_vec()).expect("the surface is finite")
}

/// The point of the surface near a point, and in a plane if there is one.
pub(crate) fn onto(shape: &impl Implicit, mut p: DVec3, plane: Option<(DVec3, f64)>) -> DVec3 {
    for _ in 0..4 {
        if let Some((out, height)) = plane {
            p -= out * (p.dot(out) - height);
        }
        let (value, slope) = shape.at(p);
        p -= slope * (value / slope.length_squared().max(0.05));
    }
    p
}

#[cfg(test)]
mod tests {
    use super::*;
    use fracas::mesh::Report;

    struct Bowl {
        half: bool,
    }

    impl Implicit for Bowl {
        fn at(&self, p: DVec3) -> (f64, DVec3) {
            (p.length() - 1.0, p.normalize_or(DVec3::Z))
        }

        fn bounds(&self) -> Box3 {
            Box3 { min: -DVec3::ONE, max: DVec3::ONE }
        }

        fn rim(&self, p: DVec3) -> (f64, DVec3) {
            if self.half { (p.z - 0.1, DVec3::Z) } else { (-1.0, DVec3::Z) }
        }
    }

    #[test]
    fn a_ball_comes_out_closed_and_round() {
        let mesh = mesh_of(&Bowl { half: false }, 3_000);
        let report = Report::of(&mesh);
        assert!(report.closed && report.oriented && report.volume.unwrap() > 4.1, "{report:?}");
        assert!((mesh.triangle_count() as f64 / 3_000.0 - 1.0).abs() < 0.05, "{}", mesh.triangle_count());
        assert!(mesh.positions().iter().all(|p| (p.length() - 1.0).abs() < 1e-9));
    }

    #[test]
    fn a_bowl_ends_at_its_rim() {
        let mesh = mesh_of(&Bowl { half: true }, 2_000);
        let adjacency = Adjacency::build(&mesh);
        let rim: Vec<u32> = adjacency.edges().filter(|e| e.uses.len() == 1).flat_map(|e| e.ends).collect();
        assert!(rim.len() > 60 && rim.iter().all(|&v| (mesh.positions()[v as usize].z - 0.1).abs() < 1e-3));
        assert!(adjacency.edges().all(|edge| edge.uses.len() <= 2));
        assert!(fracas::pairs::brute::find_self_pairs(&mesh, fracas::Touch::Include).is_empty());
    }
}
