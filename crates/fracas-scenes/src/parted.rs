//! Bodies that touch themselves along edges, as scans do, taken apart there, so that they can be cut.
//!
//! # Idea
//!
//! ```text
//!      a │ b            Four triangles meet at an edge, here seen along it. Between a and b, and between c and d, is the
//!     ▓▓▓●▓▓▓   ──▶     inside of the body. So a and b stay together, and so do c and d; the two get vertices of their
//!      c │ d            own, in the same place.
//! ```
//!
//! A vertex then has as many copies as there are groups of triangles around it that are connected across edges. Where the two
//! are connected around both ends of an edge all the same, one of them gets a vertex in the middle of the edge.

use fracas::geom::DVec3;
use fracas::mesh::{Adjacency, Edge, EdgeUse, Mesh};

/// The same surface, with every edge between two triangles wherever an inside can be told from an outside.
pub(crate) fn parted(mesh: &Mesh) -> Mesh {
    let mut groups = Groups((0..3 * mesh.triangle_count() as u32).collect());
    // Triangles in twos that belong together at an edge of more than two, with the corners of the first at its ends.
    let mut touching: Vec<([usize; 2], [u32; 2])> = Vec::new();
    for edge in Adjacency::build(mesh).edges() {
        for [a, b] in together(mesh, &edge) {
            if edge.uses.len() > 2 {
                let sides = [a, b].map(|side| side.triangle().index());
                touching.push((sides, edge.ends.map(|vertex| corner(mesh, a, vertex))));
            }
            for vertex in edge.ends {
                groups.join(corner(mesh, a, vertex), corner(mesh, b, vertex));
            }
        }
    }
    let mut positions = mesh.positions().to_vec();
    let mut triangles = mesh.triangles().to_vec();
    // The group that has the vertex itself; others get copies.
    let mut first: Vec<Option<u32>> = vec![None; mesh.vertex_count()];
    let mut copies: Vec<Option<u32>> = vec![None; 3 * mesh.triangle_count()];
    for (k, place) in triangles.as_flattened_mut().iter_mut().enumerate() {
        let (vertex, group) = (*place as usize, groups.of(k as u32));
        if *first[vertex].get_or_insert(group) != group {
            *place = *copies[group as usize].get_or_insert_with(|| {
                positions.push(mesh.positions()[vertex]);
                positions.len() as u32 - 1
            });
        }
    }
    let mut taken: Vec<[u32; 2]> = Vec::new();
    for (sides, corners) in touching {
        let ends = corners.map(|corner| triangles[corner as usize / 3][corner as usize % 3]);
        if !taken.contains(&ends) {
            taken.push(ends);
            continue;
        }
        let middle = positions.len() as u32;
        positions.push(0.5 * (positions[ends[0] as usize] + positions[ends[1] as usize]));
        sides.into_iter().for_each(|side| split(&mut triangles, side, ends, middle));
    }
    Mesh::new(positions, triangles).unwrap_or_else(|_| mesh.clone())
}

/// Divides a triangle at the middle of one of its edges.
fn split(triangles: &mut Vec<[u32; 3]>, triangle: usize, ends: [u32; 2], middle: u32) {
    let part = |old: u32| triangles[triangle].map(|corner| if corner == old { middle } else { corner });
    let parts = ends.map(part);
    triangles[triangle] = parts[0];
    triangles.push(parts[1]);
}

/// The uses of an edge in twos that belong together.
fn together(mesh: &Mesh, edge: &Edge) -> Vec<[EdgeUse; 2]> {
    if let [a, b] = *edge.uses {
        return vec![[a, b]];
    }
    let [from, to] = edge.ends.map(|v| mesh.positions()[v as usize]);
    let axis = (to - from).normalize_or_zero();
    let (u, v) = axis.any_orthonormal_pair();
    // By angle around the edge; a triangle that runs along it has its inside below that angle, the others above.
    let mut around: Vec<(f64, bool, EdgeUse)> = edge
        .uses
        .iter()
        .map(|&side| {
            let tip: DVec3 = mesh.positions()[tip(mesh, side, edge.ends) as usize] - from;
            (libm::atan2(tip.dot(v), tip.dot(u)), side.ends(mesh) == edge.ends, side)
        })
        .collect();
    around.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut pairs = Vec::new();
    // From a triangle that has the inside above it to the next that has it below. A scan may be folded there, so that others
    // come in between: the innermost go first.
    while let Some(k) = (0..around.len()).find(|&k| !around[k].1 && around[(k + 1) % around.len()].1) {
        let next = (k + 1) % around.len();
        pairs.push([around[k].2, around[next].2]);
        around.remove(k.max(next));
        around.remove(k.min(next));
    }
    // If some are left over, there is no inside.
    if around.is_empty() { pairs } else { Vec::new() }
}

/// The corner of a triangle that is not on its side.
fn tip(mesh: &Mesh, side: EdgeUse, ends: [u32; 2]) -> u32 {
    let corners = mesh.triangles()[side.triangle().index()];
    corners.into_iter().find(|corner| !ends.contains(corner)).unwrap_or(corners[0])
}

/// The number of the corner of a triangle that is at a vertex.
fn corner(mesh: &Mesh, side: EdgeUse, vertex: u32) -> u32 {
    let triangle = side.triangle().index();
    let at = mesh.triangles()[triangle].iter().position(|&corner| corner == vertex).unwrap_or(0);
    (3 * triangle + at) as u32
}

/// Corners that are connected: each knows another of its group, the last one itself.
struct Groups(Vec<u32>);

impl Groups {
    fn of(&mut self, mut corner: u32) -> u32 {
        while self.0[corner as usize] != corner {
            let next = self.0[corner as usize];
            self.0[corner as usize] = self.0[next as usize];
            corner = next;
        }
        corner
    }

    fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.of(a), self.of(b));
        self.0[a.max(b) as usize] = a.min(b);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fracas::mesh::{Report, shapes};
    use glam::DAffine3;

    /// Cubes at the given places, with common vertices where they touch.
    fn cubes(places: &[[f64; 3]]) -> Mesh {
        let cube = shapes::cuboid(DVec3::ONE);
        let parts: Vec<Mesh> = places
            .iter()
            .map(|&p| cube.transformed(&DAffine3::from_translation(DVec3::from_array(p))).unwrap())
            .collect();
        let mut all = Mesh::join(&parts).unwrap();
        all.merge_equal_vertices();
        all
    }

    #[test]
    fn cubes_that_touch_along_edges_are_taken_apart() {
        // In a chain, so that some vertices are on two such edges.
        let all = cubes(&[[0.0; 3], [1.0, 1.0, 0.0], [2.0, 0.0, 0.0], [1.0, 1.0, 2.0], [2.0, 1.0, 1.0]]);
        assert!(!Report::of(&all).closed);
        let apart = parted(&all);
        let report = Report::of(&apart);
        assert!(report.closed && report.oriented && (report.volume.unwrap() - 5.0).abs() < 1e-12);
        for (before, after) in all.triangles().iter().zip(apart.triangles()) {
            let places = |mesh: &Mesh, ids: &[u32; 3]| ids.map(|v| mesh.positions()[v as usize]);
            assert_eq!(places(&all, before), places(&apart, after), "no triangle moves");
        }
    }

    #[test]
    fn what_is_closed_or_hopeless_stays_as_it_is() {
        let ball = shapes::icosphere(1.0, 2);
        assert_eq!(parted(&ball), ball);
        let corners = vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z, -DVec3::Y];
        let book = Mesh::new(corners, vec![[0, 1, 2], [0, 1, 3], [0, 1, 4]]).unwrap();
        assert!(!Report::of(&parted(&book)).closed);
    }
}
