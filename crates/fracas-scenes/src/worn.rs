//! Clothes on people that walk: what the scenes `shirt` and `dress` have in common.
//!
//! The person first stands with the arms away from the body, as the garment was made, and then begins to walk; keys are
//! given out once the walk has set in. People walk on the spot, so the air moves instead.
//!
//! Up to 12,000 triangles the solver moves every vertex. Finer garments are solved on a mesh with a quarter of the
//! triangles, above 100,000 with a sixteenth, which are then divided and smoothed as far as there is room
//! (`cloth/refine.rs`).

use crate::SceneError;
use crate::cloth::keyed::{Key, KeyedCloth, KeyedOptions};
use crate::cloth::refine::refined;
use crate::figure::Figure;
use crate::figure::garment::Garment;
use crate::motion::{self, KeyedMotion};
use fracas::geom::DVec3;
use fracas::mesh::Mesh;

/// Up to how many triangles a garment is solved as it is, and up to how many on a quarter of them.
const COARSE: [usize; 2] = [12_000, 100_000];
/// Keys until the walk has set in.
const ONSET: usize = 22;
/// Keys after the first that are given out: a little more than a period.
pub(crate) const KEYS: usize = 30;
/// How fast people walk, in metres per second.
const SPEED: f64 = 1.2;

/// A person and what is worn.
pub(crate) struct Worn {
    pub scene: &'static str,
    /// The person, in about this many triangles.
    pub figure: fn(usize) -> Figure,
    pub garment: Garment,
}

impl Worn {
    /// The motion of a garment of about this many triangles and of the person in it, with this many keys after the first.
    pub fn keys(&self, triangles: usize, count: usize) -> Result<Vec<KeyedMotion>, SceneError> {
        let (least, most) = (2_000, 1_200_000);
        if !(least..=most).contains(&triangles) {
            return Err(SceneError::BadSize { scene: self.scene, triangles, least, most });
        }
        let levels = COARSE.iter().filter(|&&most| triangles > most).count();
        let coarse = triangles >> (2 * levels);
        let figure = (self.figure)(coarse.clamp(8_000, 16_000));
        let garment = self.garment.mesh(coarse);
        let body = Mesh::new(figure.positions(0.0), figure.triangles().to_vec())?;
        let options = KeyedOptions { wind: DVec3::Y * -SPEED, friction: 0.6, ..KeyedOptions::default() };
        let mut solver = KeyedCloth::new(&garment, &body, options);
        let mut keys: Vec<Key> = Vec::new();
        for k in 1..=ONSET + count {
            let next = solver.advance(&figure.positions(options.key_seconds * k as f64))?;
            if k == ONSET {
                keys.extend(next.into_iter().next_back());
            } else if k > ONSET {
                keys.extend(next);
            }
        }
        let begin = keys.first().map_or(0.0, |key| key.0);
        keys.iter_mut().for_each(|key| key.0 -= begin);
        let [cloth_keys, body_keys]: [Vec<Vec<DVec3>>; 2] =
            [keys.iter().map(|key| key.1.clone()).collect(), keys.iter().map(|key| key.2.clone()).collect()];
        let finer = refined(garment.triangles(), &cloth_keys, figure.triangles(), &body_keys, levels)?;
        let keys =
            keys.into_iter().zip(finer.keys).map(|((time, _, body), cloth)| (time, cloth, body)).collect();
        motion::bodies(["cloth", "figure"], [&finer.triangles, figure.triangles()], keys)
    }
}
