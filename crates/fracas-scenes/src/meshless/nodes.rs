//! Simulation nodes inside a closed surface, evenly apart, each with its share of the volume.
//!
//! The interior is a cloud of lattice points. Nodes begin far from each other (farthest-point sampling) and move to the middles of the
//! points that are nearer to them than to other nodes, several times (Lloyd). The number of these points is the volume of a node.

use crate::SceneError;
use crate::run::require_closed;
use fracas::geom::DVec3;
use fracas::mesh::{Mesh, Report};
use fracas::{MeshTree, Side};

/// Nodes of a solid.
#[derive(Clone, Debug)]
pub(crate) struct Nodes {
    pub positions: Vec<DVec3>,
    /// Together the volume of the solid.
    pub volumes: Vec<f64>,
}

/// Lattice points for each node.
const POINTS_PER_NODE: f64 = 48.0;
const ROUNDS: usize = 12;

impl Nodes {
    /// A number of nodes inside a closed surface.
    ///
    /// # Errors
    /// The surface is not closed, faces inward, or is too thin for this many nodes.
    pub fn inside(surface: &Mesh, count: usize) -> Result<Self, SceneError> {
        require_closed(surface)?;
        let volume = Report::of(surface).volume.unwrap_or_default();
        let tree = MeshTree::build(surface.clone());
        let points = lattice(&tree, libm::cbrt(volume / (POINTS_PER_NODE * count as f64)));
        if points.len() < 8 * count {
            return Err(SceneError::TooThin { nodes: count });
        }
        let mut positions = far_apart(&points, count);
        let mut nearest = vec![0; points.len()];
        let mut counts = vec![0_u32; count];
        for _ in 0..ROUNDS {
            assign(&points, &positions, &mut nearest);
            let mut sums = vec![DVec3::ZERO; count];
            counts.fill(0);
            for (p, &node) in points.iter().zip(&nearest) {
                sums[node as usize] += *p;
                counts[node as usize] += 1;
            }
            for node in 0..count {
                if counts[node] > 0 {
                    positions[node] = sums[node] / f64::from(counts[node]);
                }
            }
        }
        for node in 0..count {
            // The middle of a bent share may be outside: the nearest of its points is not.
            if tree.view().side_of(positions[node]) != Ok(Side::Inside) {
                let own = points.iter().zip(&nearest).filter(|(_, owner)| **owner == node as u32);
                let distance = |p: &DVec3| p.distance_squared(positions[node]);
                let inside = own.map(|(p, _)| *p).min_by(|p, q| distance(p).total_cmp(&distance(q)));
                positions[node] = inside.unwrap_or(positions[node]);
            }
        }
        let each = volume / points.len() as f64;
        Ok(Self { positions, volumes: counts.iter().map(|&n| each * f64::from(n.max(1))).collect() })
    }
}

/// The points of a cubic lattice inside a body.
fn lattice(body: &MeshTree, cell: f64) -> Vec<DVec3> {
    let (low, high) = body.mesh().bounds().corners();
    let [nx, ny, nz] = ((high - low) / cell).to_array().map(|n| n.ceil() as usize);
    let mut points = Vec::new();
    for k in 0..nz {
        for j in 0..ny {
            for i in 0..nx {
                let p = low + (DVec3::new(i as f64, j as f64, k as f64) + 0.5) * cell;
                if body.view().side_of(p) == Ok(Side::Inside) {
                    points.push(p);
                }
            }
        }
    }
    points
}

/// Points that are far from each other: each is the one farthest from those before.
fn far_apart(points: &[DVec3], count: usize) -> Vec<DVec3> {
    let mut chosen = vec![points[points.len() / 2]];
    let mut distances = vec![f64::INFINITY; points.len()];
    while chosen.len() < count {
        let last = chosen[chosen.len() - 1];
        let (mut farthest, mut most) = (0, -1.0);
        for (k, p) in points.iter().enumerate() {
            distances[k] = p.distance_squared(last).min(distances[k]);
            if distances[k] > most {
                (farthest, most) = (k, distances[k]);
            }
        }
        chosen.push(points[farthest]);
    }
    chosen
}

/// For every point the nearest node.
fn assign(points: &[DVec3], nodes: &[DVec3], nearest: &mut [u32]) {
    for (p, nearest) in points.iter().zip(nearest) {
        let mut least = p.distance_squared(nodes[*nearest as usize]);
        for (node, at) in nodes.iter().enumerate() {
            let distance = p.distance_squared(*at);
            if distance < least {
                (*nearest, least) = (node as u32, distance);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fracas::mesh::shapes;

    #[test]
    fn nodes_fill_a_body_evenly() {
        let body = shapes::torus(1.0, 0.4, 48);
        let volume = Report::of(&body).volume.unwrap();
        let nodes = Nodes::inside(&body, 96).unwrap();
        assert_eq!((nodes.positions.len(), nodes.volumes.len()), (96, 96));
        let tree = MeshTree::build(body);
        assert!(nodes.positions.iter().all(|p| tree.view().side_of(*p) == Ok(Side::Inside)));
        assert!((nodes.volumes.iter().sum::<f64>() / volume - 1.0).abs() < 1e-9);
        let mean = volume / 96.0;
        assert!(nodes.volumes.iter().all(|v| (0.5..1.7).contains(&(v / mean))), "{:?}", nodes.volumes);
        let apart = libm::cbrt(mean);
        for (k, p) in nodes.positions.iter().enumerate() {
            let nearest =
                nodes.positions.iter().enumerate().filter(|(j, _)| *j != k).map(|(_, q)| p.distance(*q));
            let nearest = nearest.fold(f64::INFINITY, f64::min);
            assert!((0.6 * apart..1.6 * apart).contains(&nearest), "{nearest} of {apart}");
        }
    }

    #[test]
    fn sheets_and_open_bodies_have_no_inside() {
        assert!(matches!(
            Nodes::inside(&shapes::cloth_grid(4, 4, [1.0, 1.0]), 9),
            Err(SceneError::NotClosed { .. })
        ));
        let flake = shapes::cuboid(DVec3::new(1.0, 1.0, 1e-5));
        assert_eq!(Nodes::inside(&flake, 500).unwrap_err(), SceneError::TooThin { nodes: 500 });
    }
}
