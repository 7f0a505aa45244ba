//! Bodies on known paths: positions at key times, linear in between.
//!
//! ```text
//!   tablecloth(2_000) ─┐
//!   shirt(32_000)      ├──▶ Vec<KeyedMotion>: cloth first, then what it falls on or who wears it
//!   dress(65_000)     ─┘      triangles · key times · one list of positions per key
//! ```
//!
//! Cloth never passes through itself nor through the other body: not at keys, and not on the straight paths between
//! them, for the exact positions given. All bodies of a scene have the same key times.

use crate::SceneError;
use fracas::geom::DVec3;
use fracas::mesh::{Mesh, MeshError};

/// A body whose vertices move on straight lines from key to key.
///
/// ```
/// use fracas::DVec3;
/// use fracas_scenes::motion::KeyedMotion;
/// let at = |x: f64| vec![DVec3::X * x, DVec3::X * (x + 1.0), DVec3::new(x, 1.0, 0.0)];
/// let motion = KeyedMotion::new("tile", vec![[0, 1, 2]], vec![0.0, 0.5], vec![at(0.0), at(2.0)]).unwrap();
/// assert_eq!(motion.positions_at(0.125)[0], DVec3::X * 0.5);
/// assert_eq!(motion.positions_at(9.0)[0], DVec3::X * 2.0);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct KeyedMotion {
    name: &'static str,
    triangles: Vec<[u32; 3]>,
    key_times: Vec<f64>,
    keys: Vec<Vec<DVec3>>,
}

impl KeyedMotion {
    /// A body of the given triangles that is at `keys[k]` at time `key_times[k]`.
    ///
    /// # Errors
    /// There are no keys, times do not grow, keys differ in length, or a key and the triangles are no mesh.
    pub fn new(
        name: &'static str,
        triangles: Vec<[u32; 3]>,
        key_times: Vec<f64>,
        keys: Vec<Vec<DVec3>>,
    ) -> Result<Self, SceneError> {
        if keys.is_empty() || keys.len() != key_times.len() {
            return Err(SceneError::BadKeys { keys: keys.len(), times: key_times.len() });
        }
        let grows = |pair: &[f64]| pair[0] < pair[1];
        let finite = key_times.iter().all(|time| time.is_finite());
        if let Some(key) =
            key_times.windows(2).position(|pair| !grows(pair)).map(|k| k + 1).or((!finite).then_some(0))
        {
            return Err(SceneError::BadKeyTime { key, seconds: key_times[key] });
        }
        let mut mesh = Mesh::new(keys[0].clone(), triangles)?;
        keys[1..].iter().try_for_each(|key| mesh.set_positions(key))?;
        let (_, triangles) = mesh.into_parts();
        Ok(Self { name, triangles, key_times, keys })
    }

    /// What the body is: `cloth`, `figure`, `table`.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// The triangles, by vertex.
    #[must_use]
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// The times of the keys in seconds, ascending.
    #[must_use]
    pub fn key_times(&self) -> &[f64] {
        &self.key_times
    }

    /// Where every vertex is at each key.
    #[must_use]
    pub fn keys(&self) -> &[Vec<DVec3>] {
        &self.keys
    }

    /// The body as a mesh at a key.
    ///
    /// # Errors
    /// There is no such key.
    pub fn mesh_at_key(&self, key: usize) -> Result<Mesh, SceneError> {
        let positions = self.keys.get(key).ok_or(SceneError::NoSuchKey { key, keys: self.keys.len() })?;
        Ok(Mesh::new(positions.clone(), self.triangles.clone())?)
    }

    /// Where every vertex is at a time; before the first key and after the last, as there.
    #[must_use]
    pub fn positions_at(&self, seconds: f64) -> Vec<DVec3> {
        let next = self.key_times.partition_point(|time| *time <= seconds);
        if next == 0 || next == self.key_times.len() {
            return self.keys[next.saturating_sub(1)].clone();
        }
        let [from, to] = [self.key_times[next - 1], self.key_times[next]];
        let share = (seconds - from) / (to - from);
        let between = |(p, q): (&DVec3, &DVec3)| *p + (*q - *p) * share;
        self.keys[next - 1].iter().zip(&self.keys[next]).map(between).collect()
    }

    /// The largest and the mean way of a vertex from one key to the next, in mean edge lengths of the first key.
    #[must_use]
    pub fn motion_per_key(&self) -> [f64; 2] {
        let first = &self.keys[0];
        let edges = self.triangles.iter().flat_map(|[a, b, c]| [[a, b], [b, c], [c, a]]);
        let length = |[a, b]: [&u32; 2]| first[*a as usize].distance(first[*b as usize]);
        let edge = edges.map(length).sum::<f64>() / (3 * self.triangles.len()).max(1) as f64;
        let (mut most, mut sum, mut count) = (0.0_f64, 0.0, 0.0_f64);
        for pair in self.keys.windows(2) {
            for (p, q) in pair[0].iter().zip(&pair[1]) {
                let way = p.distance(*q);
                most = most.max(way);
                sum += way;
                count += 1.0;
            }
        }
        [most / edge, sum / (count.max(1.0) * edge)]
    }
}

impl From<MeshError> for SceneError {
    fn from(error: MeshError) -> Self {
        Self::Mesh(error.to_string())
    }
}
