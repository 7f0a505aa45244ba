//! Weights of nodes at the vertices of a surface.

use fracas::geom::DVec3;
use fracas::mesh::{Influence, Mesh, Skin};

/// How many nodes move a vertex.
pub(crate) const INFLUENCES: usize = 8;

/// A surface that follows its nearest nodes. Weights fall to zero at the distance of the first node that does not count, so they
/// are continuous over the surface. Panics if there are not more than [`INFLUENCES`] nodes.
pub(crate) fn skin_of(surface: Mesh, nodes: &[DVec3]) -> Skin {
    let mut near: Vec<(f64, u32)> = Vec::with_capacity(nodes.len());
    let mut of_vertex = |p: &DVec3| {
        near.clear();
        near.extend(nodes.iter().zip(0..).map(|(x, node)| (x.distance_squared(*p), node)));
        near.select_nth_unstable_by(INFLUENCES, |a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let radius_squared = near[INFLUENCES].0;
        let weight = |square: f64| (1.0 - square / radius_squared).powi(3);
        let sum: f64 = near[..INFLUENCES].iter().map(|other| weight(other.0)).sum();
        let influence = |&(square, node): &(f64, u32)| Influence { node, weight: weight(square) / sum };
        near[..INFLUENCES].iter().map(influence).collect::<Vec<_>>()
    };
    let influences: Vec<_> = surface.positions().iter().map(&mut of_vertex).collect();
    Skin::new(surface, nodes.len(), influences).expect("convex weights of nodes that are there")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::meshless::nodes::Nodes;
    use fracas::mesh::shapes;

    #[test]
    fn weights_are_convex_and_vary_smoothly() {
        let ball = shapes::geodesic_sphere(1.0, 20);
        let nodes = Nodes::inside(&ball, 65).unwrap();
        let skin = skin_of(ball.clone(), &nodes.positions);
        for vertex in 0..ball.vertex_count() {
            let list = skin.influences(vertex);
            assert!((8..=16).contains(&list.len()));
            assert!((list.iter().map(|i| i.weight).sum::<f64>() - 1.0).abs() < 1e-12);
        }
        // No weight jumps: between neighbours that are half as far apart it changes about half as much.
        let [coarse, fine] = [20, 40].map(|frequency| {
            let ball = shapes::geodesic_sphere(1.0, frequency);
            let skin = skin_of(ball.clone(), &nodes.positions);
            let dense = |vertex: u32| {
                let mut weights = [0.0; 65];
                skin.influences(vertex as usize).iter().for_each(|i| weights[i.node as usize] = i.weight);
                weights
            };
            let change = |[a, b, _]: &[u32; 3]| {
                dense(*a).iter().zip(dense(*b)).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max)
            };
            ball.triangles().iter().map(change).fold(0.0, f64::max)
        });
        assert!(coarse < 0.25 && fine < 0.7 * coarse, "{coarse} and {fine}");
    }
}
