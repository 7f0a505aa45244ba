//! Surfaces that follow a few nodes: the transforms of the nodes in every frame.
//!
//! Simulation nodes inside an elastic body (`meshless`) or the bones of a person who walks (`figure`) move the same kind of surface.

use crate::soup::Soup;
use crate::{Frame, Run, SceneError, SceneOptions};
use fracas::geom::{DAffine3, DVec3};
use fracas::mesh::{Adjacency, Mesh, Skin};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Seconds from one frame to the next.
pub(crate) const FRAME_SECONDS: f64 = 1.0 / 30.0;

/// A surface that follows nodes, and where they are in every frame.
///
/// ```
/// use fracas::geom::{DAffine3, DVec3};
/// use fracas::mesh::{Influence, Skin, shapes};
/// use fracas_scenes::motion::SkinnedMotion;
/// use std::sync::Arc;
/// let ball = shapes::icosphere(1.0, 1);
/// let whole = vec![[Influence { node: 0, weight: 1.0 }]; ball.vertex_count()];
/// let skin = Arc::new(Skin::new(ball, 1, whole).unwrap());
/// let frames = (0..3).map(|k| vec![DAffine3::from_translation(DVec3::X * f64::from(k))]).collect();
/// let motion = SkinnedMotion::new("ball", skin, 0.1, frames).unwrap();
/// assert!((motion.mesh_at(2).unwrap().bounds().max.x - 3.0).abs() < 0.2);
/// ```
#[derive(Clone, Debug)]
pub struct SkinnedMotion {
    name: &'static str,
    skin: Arc<Skin>,
    frame_seconds: f64,
    frames: Vec<Vec<DAffine3>>,
}

impl SkinnedMotion {
    /// A surface whose nodes have the transforms `frames[k]` after `k` times `frame_seconds`. Surfaces may share a skin.
    ///
    /// # Errors
    /// There are no frames, time does not go on, or transforms of a frame do not fit the skin.
    pub fn new(
        name: &'static str,
        skin: Arc<Skin>,
        frame_seconds: f64,
        frames: Vec<Vec<DAffine3>>,
    ) -> Result<Self, SceneError> {
        if frames.is_empty() {
            return Err(SceneError::BadKeys { keys: 0, times: 0 });
        }
        if !(frame_seconds > 0.0 && frame_seconds.is_finite()) {
            return Err(SceneError::BadKeyTime { key: 1, seconds: frame_seconds });
        }
        frames.iter().try_for_each(|transforms| skin.check_transforms(transforms))?;
        Ok(Self { name, skin, frame_seconds, frames })
    }

    /// What the surface is called in its scene.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// The surface at rest and the weights of its nodes.
    #[must_use]
    pub fn skin(&self) -> &Arc<Skin> {
        &self.skin
    }

    /// Seconds from one frame to the next.
    #[must_use]
    pub fn frame_seconds(&self) -> f64 {
        self.frame_seconds
    }

    /// The transforms of all nodes, frame by frame.
    #[must_use]
    pub fn frames(&self) -> &[Vec<DAffine3>] {
        &self.frames
    }

    /// Where all vertices are in a frame; after the last, as there.
    #[must_use]
    pub fn positions(&self, frame: usize) -> Vec<DVec3> {
        self.skin.evaluate(&self.frames[frame.min(self.frames.len() - 1)])
    }

    /// The surface as a mesh in a frame.
    ///
    /// # Errors
    /// There is no such frame.
    pub fn mesh_at(&self, frame: usize) -> Result<Mesh, SceneError> {
        if frame >= self.frames.len() {
            return Err(SceneError::NoSuchKey { key: frame, keys: self.frames.len() });
        }
        Ok(Mesh::new(self.positions(frame), self.skin.rest().triangles().to_vec())?)
    }
}

/// Plays surfaces and finds all pairs of the evaluated triangles.
pub(crate) fn play(
    bodies: Vec<SkinnedMotion>,
    steps: usize,
    ground: Option<f64>,
    options: &SceneOptions,
) -> Run {
    let mut soup = Soup::of(&bodies.iter().map(|body| body.skin.rest()).collect::<Vec<_>>(), options);
    let nodes: usize = bodies.iter().map(|body| body.skin.node_count()).sum();
    let step_seconds = bodies.first().map_or(FRAME_SECONDS, SkinnedMotion::frame_seconds);
    let advance = move |step: usize, frame: &mut Frame| {
        if step == 0 {
            soup.note_all(frame);
        }
        let positions: Vec<DVec3> =
            frame.time("motion", || bodies.iter().flat_map(|body| body.positions(step)).collect());
        soup.look(&positions, frame);
        frame.count("nodes", nodes as f64);
        frame.count("touching", soup.touching(&frame.pairs).len() as f64);
        Ok(())
    };
    Run::new(steps, step_seconds, ground, Box::new(advance))
}

/// A closed mesh with exactly this many vertices: its longest edges are split in the middle, which does not change the surface.
/// Panics if it has more already.
pub(crate) fn with_vertices(mut mesh: Mesh, count: usize) -> Mesh {
    assert!(mesh.vertex_count() <= count, "{} vertices are more than {count}", mesh.vertex_count());
    while mesh.vertex_count() < count {
        let length =
            |[a, b]: [u32; 2]| mesh.positions()[a as usize].distance_squared(mesh.positions()[b as usize]);
        let adjacency = Adjacency::build(&mesh);
        let mut edges: Vec<[u32; 2]> = adjacency.edges().map(|edge| edge.ends).collect();
        edges.sort_by(|a, b| length(*b).total_cmp(&length(*a)).then(a.cmp(b)));
        // At most one edge of a triangle, and of the triangles around a vertex, so that new edges stay long.
        let mut is_near = vec![false; mesh.vertex_count()];
        let (mut positions, triangles) = mesh.clone().into_parts();
        let mut middles = BTreeMap::new();
        for [a, b] in edges {
            if positions.len() == count {
                break;
            }
            if !is_near[a as usize] && !is_near[b as usize] {
                [a, b].iter().for_each(|v| is_near[*v as usize] = true);
                middles.insert([a.min(b), a.max(b)], positions.len() as u32);
                positions.push((positions[a as usize] + positions[b as usize]) * 0.5);
            }
        }
        let mut split = Vec::with_capacity(triangles.len() + 2 * middles.len());
        for t in triangles {
            let middle = |k: usize| {
                let [a, b] = [t[k], t[(k + 1) % 3]];
                middles.get(&[a.min(b), a.max(b)]).map(|m| (k, *m))
            };
            match (0..3).find_map(middle) {
                None => split.push(t),
                Some((k, m)) => {
                    let [a, b, c] = [t[k], t[(k + 1) % 3], t[(k + 2) % 3]];
                    split.extend([[a, m, c], [m, b, c]]);
                }
            }
        }
        mesh = Mesh::new(positions, split).expect("middles of finite edges");
    }
    mesh
}

#[cfg(test)]
mod tests {
    use super::*;
    use fracas::mesh::{Report, shapes};

    #[test]
    fn split_edges_leave_a_closed_surface_with_the_same_volume() {
        let ball = shapes::geodesic_sphere(1.0, 6);
        for count in [ball.vertex_count(), 363, 500, 2_000] {
            let finer = with_vertices(ball.clone(), count);
            let report = Report::of(&finer);
            assert_eq!(finer.vertex_count(), count);
            assert!(report.closed && report.oriented && report.euler_characteristic() == 2);
            assert!((report.volume.unwrap() / Report::of(&ball).volume.unwrap() - 1.0).abs() < 1e-12);
        }
    }
}
