//! Finer keys from coarse ones: smooth where there is room, and still free of impacts.
//!
//! # Idea
//!
//! ```text
//!    ●─────●     ●──○──●      Dividing every triangle into four changes no surface: coarse keys without impacts
//!     \   /  ─▶   \/ \/       stay without. Each vertex is then moved by a share of the way to where Loop's
//!      \ /         ○──○       subdivision would put it. Where that leads to an impact between any two keys, the
//!       ●           \/        shares of the vertices that meet are halved, at all keys alike, until there is none.
//!                    ●        With shares of 0 the surface is the coarse one.
//! ```
//!
//! Shares do not depend on time, so smoothed folds do not flicker.
//!
//! # Reference
//!
//! C. Loop, *Smooth subdivision surfaces based on triangles*, University of Utah, 1987.

use super::features::FeatureFinder;
use super::impacts::impacts;
use crate::SceneError;
use fracas::geom::DVec3;
use fracas::mesh::{Adjacency, EdgeUse, Mesh};

/// Shares below this become 0.
const LEAST: f64 = 0.1;

/// A cloth with finer triangles, and its keys.
#[derive(Clone, Debug)]
pub(crate) struct Finer {
    pub triangles: Vec<[u32; 3]>,
    pub keys: Vec<Vec<DVec3>>,
}

/// One division of all triangles into four.
struct Level {
    triangles: Vec<[u32; 3]>,
    /// For each vertex of the coarse mesh its neighbours; along the rim those on the rim alone.
    rings: Vec<(Vec<u32>, bool)>,
    /// For each new vertex the ends of its edge, and the corners across it if there are two.
    edges: Vec<([u32; 2], Option<[u32; 2]>)>,
}

impl Level {
    fn of(positions: &[DVec3], triangles: &[[u32; 3]]) -> Self {
        let mesh = Mesh::new(positions.to_vec(), triangles.to_vec()).expect("a mesh that was checked before");
        let adjacency = Adjacency::build(&mesh);
        let count = mesh.vertex_count();
        let mut rings = vec![(Vec::new(), false); count];
        for edge in adjacency.edges().filter(|edge| edge.uses.len() == 1) {
            edge.ends.iter().for_each(|&v| rings[v as usize].1 = true);
        }
        let corner = |side: &EdgeUse| triangles[side.triangle().index()][(side.corner() + 2) % 3];
        let mut edges = Vec::new();
        for edge in adjacency.edges() {
            let [a, b] = edge.ends;
            for (v, w) in [(a, b), (b, a)] {
                if !rings[v as usize].1 || edge.uses.len() == 1 {
                    rings[v as usize].0.push(w);
                }
            }
            let across = if let [one, other] = edge.uses { Some([corner(one), corner(other)]) } else { None };
            edges.push((edge.ends, across));
        }
        let mut finer = Vec::with_capacity(4 * triangles.len());
        for (t, [a, b, c]) in triangles.iter().copied().enumerate() {
            let [ab, bc, ca] = adjacency.edges_of_triangles()[t].map(|edge| count as u32 + edge.0);
            finer.extend([[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]);
        }
        Self { triangles: finer, rings, edges }
    }

    fn flat(&self, coarse: &[DVec3]) -> Vec<DVec3> {
        let middle =
            |([a, b], _): &([u32; 2], Option<[u32; 2]>)| (coarse[*a as usize] + coarse[*b as usize]) * 0.5;
        coarse.iter().copied().chain(self.edges.iter().map(middle)).collect()
    }

    fn smooth(&self, coarse: &[DVec3]) -> Vec<DVec3> {
        let at = |v: &u32| coarse[*v as usize];
        let moved = |(p, (ring, is_rim)): (&DVec3, &(Vec<u32>, bool))| {
            let sum: DVec3 = ring.iter().map(at).sum();
            let count = ring.len() as f64;
            if *is_rim {
                return if ring.len() == 2 { *p * 0.75 + sum * 0.125 } else { *p };
            }
            let weight = if ring.len() == 3 { 3.0 / 16.0 } else { 3.0 / (8.0 * count.max(1.0)) };
            *p * (1.0 - count * weight) + sum * weight
        };
        let made = |(ends, across): &([u32; 2], Option<[u32; 2]>)| {
            let middle: DVec3 = ends.iter().map(at).sum();
            let sides = across.map(|across| across.iter().map(at).sum::<DVec3>());
            sides.map_or(middle * 0.5, |sides| middle * 0.375 + sides * 0.125)
        };
        coarse.iter().zip(&self.rings).map(moved).chain(self.edges.iter().map(made)).collect()
    }
}

/// Keys of the cloth with every triangle divided into four, so often, and of the body as they are; with the finer triangles.
/// There are no impacts between the given keys, and none between those that come out.
///
/// # Errors
/// [`SceneError::Caught`] if coarse keys are so close that rounding makes them meet.
pub(crate) fn refined(
    triangles: &[[u32; 3]],
    keys: &[Vec<DVec3>],
    body_triangles: &[[u32; 3]],
    body_keys: &[Vec<DVec3>],
    times: usize,
) -> Result<Finer, SceneError> {
    let mut levels: Vec<Level> = Vec::new();
    let mut at = keys[0].clone();
    for _ in 0..times {
        let level = Level::of(&at, levels.last().map_or(triangles, |level| &level.triangles));
        at = level.flat(&at);
        levels.push(level);
    }
    let Some(finest) = levels.last() else {
        return Ok(Finer { triangles: triangles.to_vec(), keys: keys.to_vec() });
    };
    let through = |key: &Vec<DVec3>, step: fn(&Level, &[DVec3]) -> Vec<DVec3>| {
        levels.iter().fold(key.clone(), |at, level| step(level, &at))
    };
    let fine = Mesh::new(at, finest.triangles.clone()).expect("divided triangles are a mesh");
    let body =
        Mesh::new(body_keys[0].clone(), body_triangles.to_vec()).expect("a mesh that was checked before");
    let mut finder = FeatureFinder::new(&fine, &body);
    let mut shares = vec![1.0; fine.vertex_count()];
    let placed = |key: usize, shares: &[f64]| -> Vec<DVec3> {
        let blend = |((p, q), share): ((&DVec3, &DVec3), &f64)| *p + (*q - *p) * *share;
        let [flat, smooth] = [Level::flat, Level::smooth].map(|step| through(&keys[key], step));
        let mut joint: Vec<DVec3> = flat.iter().zip(&smooth).zip(shares).map(blend).collect();
        joint.extend(&body_keys[key]);
        joint
    };
    // Lists of vertices whose shares have changed, and for each interval how many of the lists it has been checked for.
    let mut changes: Vec<Vec<u32>> = vec![(0..fine.vertex_count() as u32).collect()];
    let mut checked = vec![0; keys.len() - 1];
    while let Some(interval) = (0..checked.len()).find(|&k| checked[k] < changes.len()) {
        let mut marked = vec![false; fine.vertex_count() + body.vertex_count()];
        changes[checked[interval]..].iter().flatten().for_each(|&v| marked[v as usize] = true);
        checked[interval] = changes.len();
        let [start, end] = [interval, interval + 1].map(|key| placed(key, &shares));
        let met = impacts(&mut finder, &start, &end, |v| marked[v as usize]);
        let mut vertices: Vec<u32> = met.iter().flat_map(|impact| impact.features.vertices()).collect();
        vertices.retain(|&v| shares.get(v as usize).is_some_and(|share| *share > 0.0));
        vertices.sort_unstable();
        vertices.dedup();
        for &v in &vertices {
            let share = &mut shares[v as usize];
            *share = if *share < 2.0 * LEAST { 0.0 } else { 0.5 * *share };
        }
        if !vertices.is_empty() {
            changes.push(vertices);
        } else if !met.is_empty() {
            return Err(SceneError::Caught { seconds: interval as f64 });
        }
    }
    let keys = (0..keys.len()).map(|key| placed(key, &shares)[..fine.vertex_count()].to_vec()).collect();
    Ok(Finer { triangles: finest.triangles.clone(), keys })
}

#[cfg(test)]
mod tests {
    use super::*;
    use fracas::mesh::shapes;

    /// A sheet folded over itself with little room between its layers, which slides and opens.
    fn folded(open: f64) -> (Mesh, Vec<DVec3>) {
        let sheet = shapes::cloth_grid(12, 4, [3.0, 1.0]);
        let fold = |p: &DVec3| {
            let (x, wave) = (p.x.abs(), 0.1 * libm::cos(2.5 * p.x.abs()));
            let gap = if p.x < 0.0 { 0.02 + open * x } else { 0.0 };
            DVec3::new(x + open * p.x.signum(), p.y, wave + if x < 1e-9 { 0.01 } else { gap })
        };
        let positions = sheet.positions().iter().map(fold).collect();
        (sheet, positions)
    }

    #[test]
    fn finer_keys_are_smooth_and_meet_nothing() {
        let (sheet, first) = folded(0.0);
        let keys = vec![first, folded(0.05).1, folded(0.01).1];
        let body = shapes::icosphere(0.1, 1);
        let away: Vec<DVec3> = body.positions().iter().map(|p| *p - DVec3::Z * 2.0).collect();
        let body_keys = vec![away; 3];
        let joint = |key: &Vec<DVec3>, k: usize| [key.clone(), body_keys[k].clone()].concat();
        let mut coarse =
            FeatureFinder::new(&Mesh::new(keys[0].clone(), sheet.triangles().to_vec()).unwrap(), &body);
        for k in 0..2 {
            assert_eq!(impacts(&mut coarse, &joint(&keys[k], k), &joint(&keys[k + 1], k + 1), |_| true), []);
        }
        let Finer { triangles, keys: finer } =
            refined(sheet.triangles(), &keys, body.triangles(), &body_keys, 2).unwrap();
        assert_eq!(triangles.len(), 16 * sheet.triangle_count());
        let mut finder = FeatureFinder::new(&Mesh::new(finer[0].clone(), triangles.clone()).unwrap(), &body);
        for k in 0..2 {
            assert_eq!(
                impacts(&mut finder, &joint(&finer[k], k), &joint(&finer[k + 1], k + 1), |_| true),
                []
            );
        }
        // Most of it is no longer made of flat triangles: new vertices have left the middles of their edges.
        let level = Level::of(&keys[0], sheet.triangles());
        let flat = Level::of(&level.flat(&keys[0]), &level.triangles).flat(&level.flat(&keys[0]));
        let moved = flat.iter().zip(&finer[0]).filter(|(p, q)| p.distance(**q) > 1e-3).count();
        assert!(moved > flat.len() / 2, "{moved} of {}", flat.len());
        // Without room nothing is moved, and nothing is lost.
        let same = refined(sheet.triangles(), &keys, body.triangles(), &body_keys, 0).unwrap();
        assert!(same.keys == keys);
    }
}
