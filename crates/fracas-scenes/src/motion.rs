//! Bodies on known paths: positions at key times, linear in between.
//!
//! ```text
//!   tablecloth(2_000) ─┐
//!   shirt(32_000)      ├──▶ Vec<KeyedMotion>: cloth first, then what it falls on or who wears it
//!   dress(65_000)     ─┘      triangles · key times · one list of positions per key
//! ```
//!
//! [`spheres`] are not known ahead: their vertices fly straight on until their plans change ([`PlannedMotion`]).
//!
//! [`brain`], [`ring`], [`fishes`] and [`crowd`] are surfaces that follow few nodes ([`SkinnedMotion`]): frames have the transforms of
//! nodes, and a vertex is evaluated by who needs it.
//!
//! # Guarantee
//!
//! Cloth never passes through itself nor through the other body: not at keys, and not on the straight paths between
//! them, for the exact positions given. All bodies of a scene have the same key times. Keys are 0.04 s apart; where
//! straight ways would not do, there are keys in between.
//!
//! # Cost
//!
//! Keys are computed when they are asked for, on one thread. The same number of triangles gives the same keys. On one core
//! of an AMD EPYC:
//!
//! | motion | triangles | seconds | largest and mean way per key, in edge lengths |
//! |---|---|---|---|
//! | `tablecloth` | 2,000 · 16,200 | 1.2 · 11 | 3.3, 0.28 · 13, 1.1 |
//! | `shirt` | 32,000 · 326,000 | 8 · 41 | 6, 1.6 · 20, 4.9 |
//! | `dress` | 65,000 · 580,000 | 20 · 63 | 16, 2.5 · 52, 8.0 |

use crate::cloth::keyed::Key;
use crate::soup::Soup;
use crate::{Frame, Run, SceneError, SceneOptions};
use crate::{brain as brain_scene, crowd as crowd_scene, fishes as fishes_scene, ring as ring_scene};
use crate::{crossing as crossing_scene, dress as dress_scene, kick as kick_scene, shirt as shirt_scene};
use crate::{spheres as spheres_scene, tablecloth as tablecloth_scene, worn};
use fracas::geom::DVec3;
use fracas::mesh::{Mesh, MeshError};

pub use crate::ring::RingOptions;
pub use crate::skinned::SkinnedMotion;
pub use crate::spheres::{PlanChange, PlannedMotion};

/// Seconds from key to key.
pub const KEY_SECONDS: f64 = 0.04;
/// Frames that a scene shows for each key.
pub(crate) const FRAMES_PER_KEY: usize = 2;

/// A cloth of about this many triangles that falls on a table; then the table. 2 s.
///
/// # Errors
/// Fewer than 200 or more than 200,000 triangles.
///
/// ```no_run
/// let bodies = fracas_scenes::motion::tablecloth(2_000).unwrap();
/// assert_eq!((bodies[0].name(), bodies[1].name()), ("cloth", "table"));
/// ```
pub fn tablecloth(triangles: usize) -> Result<Vec<KeyedMotion>, SceneError> {
    tablecloth_scene::keys(triangles, tablecloth_scene::KEYS)
}

/// A shirt of about this many triangles; then the man who walks in it. 1.2 s.
///
/// # Errors
/// Fewer than 2,000 or more than 1,200,000 triangles.
///
/// ```no_run
/// let bodies = fracas_scenes::motion::shirt(32_000).unwrap();
/// assert_eq!((bodies[0].name(), bodies[1].name()), ("cloth", "figure"));
/// ```
pub fn shirt(triangles: usize) -> Result<Vec<KeyedMotion>, SceneError> {
    shirt_scene::keys(triangles, worn::KEYS)
}

/// A dress of about this many triangles; then the woman who walks in it. 1.2 s.
///
/// # Errors
/// Fewer than 2,000 or more than 1,200,000 triangles.
///
/// ```no_run
/// let bodies = fracas_scenes::motion::dress(65_000).unwrap();
/// assert_eq!((bodies[0].name(), bodies[1].name()), ("cloth", "figure"));
/// ```
pub fn dress(triangles: usize) -> Result<Vec<KeyedMotion>, SceneError> {
    dress_scene::keys(triangles, worn::KEYS)
}

/// Two expanding spheres of about this many triangles together, whose vertices turn back where they collide. 1.5 s.
///
/// # Errors
/// Fewer than 80 or more than 2,000,000 triangles.
pub fn spheres(triangles: usize) -> Result<Vec<PlannedMotion>, SceneError> {
    spheres_scene::plans(triangles)
}

/// Two sheets of about this many triangles together that pass through each other edge on edge, approaching at a speed in
/// metres per second. There is a key for every sixtieth of a second.
///
/// # Errors
/// Fewer than 16 or more than 4,000,000 triangles, or a speed not from 0.01 to 10,000.
///
/// ```
/// let bodies = fracas_scenes::motion::crossing(400, 200.0).unwrap();
/// // They have passed each other before the first frame is over.
/// assert_eq!(bodies[0].key_times().len(), 2);
/// ```
pub fn crossing(triangles: usize, speed: f64) -> Result<Vec<KeyedMotion>, SceneError> {
    crossing_scene::keys(triangles, speed)
}

/// A brain with the given numbers of vertices and nodes, pulled until its diagonal has grown by half. The paper has 3.5k, 30k
/// (29,966) and 145k vertices, and 65, 225 and 509 nodes. 8 nodes move each vertex.
///
/// # Errors
/// Not 500 to 2,000,000 vertices or not 9 to 4,000 nodes.
///
/// ```
/// let brain = fracas_scenes::motion::brain(500, 65).unwrap();
/// assert_eq!((brain.skin().rest().vertex_count(), brain.skin().node_count()), (500, 65));
/// ```
pub fn brain(vertices: usize, nodes: usize) -> Result<SkinnedMotion, SceneError> {
    brain_scene::pulled(vertices, nodes, usize::MAX)
}

/// Six elastic figures on a turning ring. 8 nodes move each vertex.
///
/// # Errors
/// Settings out of range.
///
/// ```no_run
/// let figures = fracas_scenes::motion::ring(&Default::default()).unwrap();
/// assert_eq!(figures.len(), 6);
/// ```
pub fn ring(options: &RingOptions) -> Result<Vec<SkinnedMotion>, SceneError> {
    ring_scene::swinging(options)
}

/// 24 elastic fishes, each with the given numbers of vertices and nodes, that swim through each other. 2 s. The paper has 8k vertices and 96 nodes. 8 nodes
/// move each vertex.
///
/// # Errors
/// Not 500 to 500,000 vertices or not 9 to 2,000 nodes.
///
/// ```no_run
/// let fishes = fracas_scenes::motion::fishes(8_000, 96).unwrap();
/// assert_eq!(fishes.len(), 24);
/// ```
pub fn fishes(vertices: usize, nodes: usize) -> Result<Vec<SkinnedMotion>, SceneError> {
    fishes_scene::swimming(vertices, nodes, fishes_scene::FRAMES)
}

/// People who walk through each other; `triangles` is the total of all. 2 s.
///
/// # Errors
/// No people or more than 10,000, or not 2,000 to 200,000 triangles for each.
///
/// ```
/// let people = fracas_scenes::motion::crowd(2, 4_000).unwrap();
/// assert!(people.iter().all(|person| person.skin().rest().triangle_count() == 2_000));
/// ```
pub fn crowd(people: usize, triangles: usize) -> Result<Vec<SkinnedMotion>, SceneError> {
    crowd_scene::walking(people, triangles, crowd_scene::FRAMES)
}

/// A dancer in a kick, from data that is no part of the project.
///
/// # Errors
/// [`SceneError::NoData`] if the data is not there.
///
/// ```
/// match fracas_scenes::motion::kick() {
///     Ok(dancer) => assert_eq!(dancer.keys().len(), 121),
///     Err(error) => eprintln!("skipped: {error}"),
/// }
/// ```
pub fn kick() -> Result<KeyedMotion, SceneError> {
    kick_scene::keys()
}

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
        let is_next = |k: &usize| {
            let earliest = if *k == 0 { f64::NEG_INFINITY } else { key_times[k - 1] };
            key_times[*k].is_finite() && key_times[*k] > earliest
        };
        if let Some(key) = (0..key_times.len()).find(|k| !is_next(k)) {
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

    /// The same motion elsewhere: two people who pass each other may wear one dress.
    #[must_use]
    pub fn moved_by(&self, by: DVec3) -> Self {
        let moved = |key: &Vec<DVec3>| key.iter().map(|p| *p + by).collect();
        Self { keys: self.keys.iter().map(moved).collect(), ..self.clone() }
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

/// Keys of a cloth and of another body as two bodies.
pub(crate) fn bodies(
    names: [&'static str; 2],
    triangles: [&[[u32; 3]]; 2],
    keys: Vec<Key>,
) -> Result<Vec<KeyedMotion>, SceneError> {
    let times: Vec<f64> = keys.iter().map(|key| key.0).collect();
    let (first, second): (Vec<_>, Vec<_>) = keys.into_iter().map(|(_, cloth, body)| (cloth, body)).unzip();
    Ok(vec![
        KeyedMotion::new(names[0], triangles[0].to_vec(), times.clone(), first)?,
        KeyedMotion::new(names[1], triangles[1].to_vec(), times, second)?,
    ])
}

/// How many keys after the first a scene needs for this many steps.
pub(crate) fn keys_for(steps: usize) -> usize {
    steps.div_ceil(FRAMES_PER_KEY)
}

/// Plays bodies on known paths; frames lie between keys.
pub(crate) fn play(bodies: &[KeyedMotion], steps: usize, ground: Option<f64>, options: &SceneOptions) -> Run {
    let meshes: Vec<Mesh> =
        bodies.iter().map(|body| body.mesh_at_key(0).expect("there is a first key")).collect();
    let mut soup = Soup::of(&meshes.iter().collect::<Vec<_>>(), options);
    let step_seconds = KEY_SECONDS / FRAMES_PER_KEY as f64;
    let bodies = bodies.to_vec();
    let advance = move |step: usize, frame: &mut Frame| {
        if step == 0 {
            soup.note_all(frame);
        }
        let seconds = step as f64 * step_seconds;
        let positions: Vec<DVec3> =
            frame.time("motion", || bodies.iter().flat_map(|body| body.positions_at(seconds)).collect());
        soup.look(&positions, frame);
        Ok(())
    };
    Run::new(steps, step_seconds, ground, Box::new(advance))
}
