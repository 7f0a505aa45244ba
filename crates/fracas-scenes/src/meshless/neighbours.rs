//! The neighbours of every node, and the gradient of what is known at them.

use fracas::geom::{DMat3, DVec3};

/// A node near another one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Neighbour {
    pub node: u32,
    /// Its weight, of a sum of one.
    pub share: f64,
    /// From the other one at rest.
    pub offset: DVec3,
    /// What a unit there adds to the gradient.
    pub slope: DVec3,
}

/// The neighbours of all nodes.
#[derive(Clone, Debug)]
pub(super) struct Neighbours {
    /// Where the list of each node ends.
    ends: Vec<u32>,
    all: Vec<Neighbour>,
    /// For each node, the weighted mean of the squares of offsets.
    mean_squares: Vec<f64>,
}

/// Neighbours of a node, where they lie to all sides of it.
const FEW: usize = 14;
/// The product of the eigenvalues of moments with mean one that is enough: 1 for neighbours in all directions, 0 in a plane.
const SPREAD: f64 = 0.03;
/// Less than this cannot be inverted.
const FLAT: f64 = 1e-9;

impl Neighbours {
    /// For each node its nearest ones: more of them where they lie nearly in a plane. Panics if all nodes lie in one.
    pub fn of(nodes: &[DVec3]) -> Self {
        let mut neighbours = Self { ends: Vec::new(), all: Vec::new(), mean_squares: Vec::new() };
        for (i, &x) in nodes.iter().enumerate() {
            let mut others: Vec<(f64, u32)> = (0..)
                .zip(nodes)
                .filter(|(j, _)| *j != i as u32)
                .map(|(j, p)| (p.distance_squared(x), j))
                .collect();
            others.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            let mut count = FEW.min(others.len());
            let (list, inverse, mean_square) = loop {
                let list = weighted(&others, count, x, nodes);
                let moments = moments(&list);
                let mean_square = moments.x_axis.x + moments.y_axis.y + moments.z_axis.z;
                let spread = (moments * (3.0 / mean_square)).determinant();
                if spread >= SPREAD || count == others.len() {
                    assert!(spread > FLAT, "all nodes lie in a plane");
                    break (list, moments.inverse(), mean_square);
                }
                count = (count + count / 4 + 1).min(others.len());
            };
            neighbours
                .all
                .extend(list.into_iter().map(|n| Neighbour { slope: inverse * n.offset * n.share, ..n }));
            neighbours.ends.push(neighbours.all.len() as u32);
            neighbours.mean_squares.push(mean_square);
        }
        neighbours
    }

    pub fn list(&self, node: usize) -> &[Neighbour] {
        let begin = if node == 0 { 0 } else { self.ends[node - 1] };
        &self.all[begin as usize..self.ends[node] as usize]
    }

    pub fn mean_square(&self, node: usize) -> f64 {
        self.mean_squares[node]
    }

    /// The gradient at a node of what has the given values at all nodes: the linear map that fits best.
    pub fn gradient(&self, node: usize, values: &[DVec3]) -> DMat3 {
        let here = values[node];
        let [mut x, mut y, mut z] = [DVec3::ZERO; 3];
        for neighbour in self.list(node) {
            let change = values[neighbour.node as usize] - here;
            x += change * neighbour.slope.x;
            y += change * neighbour.slope.y;
            z += change * neighbour.slope.z;
        }
        DMat3::from_cols(x, y, z)
    }
}

/// The nearest nodes of a list, with weights that fall to zero where the next one is.
fn weighted(others: &[(f64, u32)], count: usize, x: DVec3, nodes: &[DVec3]) -> Vec<Neighbour> {
    let radius_squared = others.get(count).map_or_else(|| 1.2 * others[count - 1].0, |next| next.0);
    let kernel = |square: f64| (1.0 - square / radius_squared).max(0.0).powi(3);
    let sum: f64 = others[..count].iter().map(|other| kernel(other.0)).sum();
    let neighbour = |&(square, node): &(f64, u32)| Neighbour {
        node,
        share: kernel(square) / sum,
        offset: nodes[node as usize] - x,
        slope: DVec3::ZERO,
    };
    others[..count].iter().map(neighbour).filter(|n| n.share > 0.0).collect()
}

fn moments(list: &[Neighbour]) -> DMat3 {
    let outer = |n: &Neighbour| {
        let v = n.offset * n.share;
        DMat3::from_cols(v * n.offset.x, v * n.offset.y, v * n.offset.z)
    };
    list.iter().map(outer).fold(DMat3::ZERO, |sum, m| sum + m)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gradients_of_linear_maps_are_exact_even_in_a_thin_plate() {
        let at = |k: usize| {
            let [i, j, l] = [k % 9, k / 9 % 9, k / 81];
            let wobble = 0.13 * ((k * 37 % 11) as f64 / 11.0);
            DVec3::new(i as f64 + wobble, j as f64 - wobble, 0.4 * l as f64 + 0.5 * wobble)
        };
        let nodes: Vec<DVec3> = (0..162).map(at).collect();
        let neighbours = Neighbours::of(&nodes);
        let map = DMat3::from_cols(
            DVec3::new(1.0, 0.3, -0.2),
            DVec3::new(0.1, -2.0, 0.4),
            DVec3::new(0.0, 0.7, 3.0),
        );
        let values: Vec<DVec3> = nodes.iter().map(|x| map * *x + DVec3::new(5.0, -3.0, 1.0)).collect();
        for i in 0..nodes.len() {
            assert!(neighbours.list(i).len() >= 8);
            assert!(neighbours.gradient(i, &values).abs_diff_eq(map, 1e-10), "node {i}");
        }
    }

    #[test]
    #[should_panic(expected = "all nodes lie in a plane")]
    fn a_plane_is_no_solid() {
        let _ = Neighbours::of(
            &(0..100).map(|k| DVec3::new((k % 10) as f64, (k / 10) as f64, 0.0)).collect::<Vec<_>>(),
        );
    }
}
