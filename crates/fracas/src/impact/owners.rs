//! Which triangle owns which vertex and edge.

/// The vertices and edges that each triangle owns: bit k for its corner k, bit 3 + k for the edge from corner k to the next.
/// Every vertex and every edge of the list has one owner, the first triangle that names it.
#[derive(Default)]
pub(crate) struct Owners {
    triangles: Vec<[u32; 3]>,
    bits: Vec<u8>,
    /// By edge: its two vertices in ascending order, the triangle, and which of its edges.
    edges: Vec<(u64, u32, u8)>,
}

impl Owners {
    /// Finds the owners, unless the triangles are those of the last call.
    pub(crate) fn find(&mut self, triangles: &[[u32; 3]], vertices: usize) -> &[u8] {
        if self.triangles != triangles {
            self.triangles.clear();
            self.triangles.extend_from_slice(triangles);
            self.find_anew(vertices);
        }
        &self.bits
    }

    fn find_anew(&mut self, vertices: usize) {
        self.bits.clear();
        self.bits.resize(self.triangles.len(), 0);
        self.edges.clear();
        let mut is_owned = vec![false; vertices];
        for (index, corners) in self.triangles.iter().enumerate() {
            for k in 0..3 {
                if !std::mem::replace(&mut is_owned[corners[k] as usize], true) {
                    self.bits[index] |= 1 << k;
                }
                let [v, w] = ends(corners, k);
                if v != w {
                    self.edges.push((u64::from(v) << 32 | u64::from(w), index as u32, k as u8));
                }
            }
        }
        self.edges.sort_unstable();
        let mut last = None;
        for &(edge, triangle, k) in &self.edges {
            if last.replace(edge) != Some(edge) {
                self.bits[triangle as usize] |= 8 << k;
            }
        }
    }
}

/// The ends of an edge of a triangle, the lower one first.
#[inline(always)]
pub(crate) fn ends(corners: &[u32; 3], edge: usize) -> [u32; 2] {
    let (v, w) = (corners[edge], corners[(edge + 1) % 3]);
    [v.min(w), v.max(w)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::shapes;

    #[test]
    fn every_vertex_and_edge_has_one_owner_whatever_was_asked_before() {
        let mut owners = Owners::default();
        for mesh in [shapes::icosphere(1.0, 2), shapes::torus(1.0, 0.4, 12), shapes::icosphere(1.0, 2)] {
            let bits = owners.find(mesh.triangles(), mesh.positions().len()).to_vec();
            let count = |mask: u8| bits.iter().map(|b| (b & mask).count_ones() as usize).sum::<usize>();
            let mut edges: Vec<[u32; 2]> =
                mesh.triangles().iter().flat_map(|t| [0, 1, 2].map(|k| ends(t, k))).collect();
            edges.sort_unstable();
            edges.dedup();
            assert_eq!((count(7), count(56)), (mesh.positions().len(), edges.len()));
        }
    }

    #[test]
    fn an_edge_without_length_has_no_owner() {
        assert_eq!(Owners::default().find(&[[0, 0, 1], [1, 0, 0]], 2), [0b10_101, 0]);
    }
}
