//! Spheres whose radii add up what nodes may do, for comparison: the approach of Adams et al. 2005, which the paper's Figure 5 shows beside
//! its own.
//!
//! A subtree has a sphere around its vertices at rest. Node j displaces a point by d(x) = T(x) − x, and no vertex of the subtree gives it
//! more than the weight h. So no vertex is farther from the centre than the radius at rest plus Σ h max |d| over the sphere. Every node that
//! moves one vertex of the subtree counts with its largest weight, which is what makes large subtrees loose.

use fracas::geom::{DAffine3, DMat3, DVec3};
use fracas::mesh::Skin;
use fracas::skinned::Tightness;

/// Children of a node, and vertices from which a node has none: the shape of the trees that it is compared with.
const CHILDREN: usize = 8;
const LEAF: usize = 8;

/// Spheres over the vertices of a skin, by level.
pub struct SphereTree {
    levels: Vec<Vec<Sphere>>,
}

struct Sphere {
    vertices: Vec<u32>,
    centre: DVec3,
    radius: f64,
    /// The nodes that move a vertex, with their largest weights.
    nodes: Vec<(u32, f64)>,
}

impl SphereTree {
    pub fn new(skin: &Skin) -> Self {
        let all = (0..skin.rest().vertex_count() as u32).collect();
        let mut levels = vec![vec![Sphere::new(skin, all)]];
        while let Some(level) = levels.last().filter(|level| level.iter().any(|s| s.vertices.len() > LEAF)) {
            let parents = level.iter().filter(|sphere| sphere.vertices.len() > LEAF);
            let next = parents.flat_map(|sphere| split(skin, &sphere.vertices));
            let next = next.map(|vertices| Sphere::new(skin, vertices)).collect();
            levels.push(next);
        }
        Self { levels }
    }

    /// Radii over half the diagonals of the smallest boxes, by level.
    pub fn tightness(&self, positions: &[DVec3], transforms: &[DAffine3]) -> Vec<Tightness> {
        let of_level = |spheres: &Vec<Sphere>| {
            let ratios = spheres.iter().map(|sphere| sphere.moved(transforms) / sphere.smallest(positions));
            let ratios: Vec<f64> = ratios.filter(|ratio| ratio.is_finite()).collect();
            let boxes = ratios.len();
            let average = ratios.iter().sum::<f64>() / boxes.max(1) as f64;
            Tightness { boxes, average, largest: ratios.into_iter().fold(0.0, f64::max) }
        };
        self.levels.iter().map(of_level).collect()
    }
}

impl Sphere {
    fn new(skin: &Skin, vertices: Vec<u32>) -> Self {
        let rest = skin.rest().positions();
        let (low, high) = extent(rest, &vertices);
        let centre = 0.5 * (low + high);
        let radius = vertices.iter().map(|&v| rest[v as usize].distance(centre)).fold(0.0, f64::max);
        let mut most = vec![0.0_f64; skin.node_count()];
        for influence in vertices.iter().flat_map(|&v| skin.influences(v as usize)) {
            most[influence.node as usize] = most[influence.node as usize].max(influence.weight);
        }
        let nodes = most.into_iter().enumerate().filter(|(_, weight)| *weight > 0.0);
        let nodes = nodes.map(|(node, weight)| (node as u32, weight)).collect();
        Self { vertices, centre, radius, nodes }
    }

    /// The radius under the transforms of all nodes.
    fn moved(&self, transforms: &[DAffine3]) -> f64 {
        let displaced = self.nodes.iter().map(|&(node, weight)| {
            let transform = &transforms[node as usize];
            let stretch = transform.matrix3 - DMat3::IDENTITY;
            let norm = stretch.to_cols_array().iter().map(|x| x * x).sum::<f64>().sqrt();
            weight * (transform.transform_point3(self.centre).distance(self.centre) + norm * self.radius)
        });
        self.radius + displaced.sum::<f64>()
    }

    fn smallest(&self, positions: &[DVec3]) -> f64 {
        let (low, high) = extent(positions, &self.vertices);
        0.5 * low.distance(high)
    }
}

fn extent(positions: &[DVec3], vertices: &[u32]) -> (DVec3, DVec3) {
    let at = vertices.iter().map(|&v| positions[v as usize]);
    at.fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(low, high), p| (low.min(p), high.max(p)))
}

/// Halves a list along its longest axis, again and again, until there are eight parts.
fn split(skin: &Skin, vertices: &[u32]) -> Vec<Vec<u32>> {
    let rest = skin.rest().positions();
    let mut parts = vec![vertices.to_vec()];
    while parts.len() < CHILDREN {
        let halve = |mut part: Vec<u32>| {
            let (low, high) = extent(rest, &part);
            let size = (high - low).to_array();
            let axis = (0..3).max_by(|&i, &j| size[i].total_cmp(&size[j])).unwrap_or(0);
            part.sort_by(|&v, &w| rest[v as usize][axis].total_cmp(&rest[w as usize][axis]));
            let upper = part.split_off(part.len() / 2);
            [part, upper]
        };
        parts = parts.into_iter().flat_map(halve).filter(|part| !part.is_empty()).collect();
        if parts.iter().all(|part| part.len() == 1) {
            break;
        }
    }
    parts
}
