//! People that walk: closed surfaces whose vertices follow bones.
//!
//! ```text
//!   Measures ──▶ Body (shape) ──▶ mesh (surface) ─┐
//!                                                 ├──▶ Figure::positions(seconds)
//!   Gait: angles of joints (gait) ────────────────┘
//! ```
//!
//! A vertex follows the bones whose parts are near it, each with a weight that falls with distance (linear blend
//! skinning). Limbs of one side do not move vertices of the other.

pub(crate) mod gait;
pub(crate) mod garment;
pub(crate) mod shape;
pub(crate) mod surface;

use crate::skinned::with_vertices;
use fracas::geom::{DAffine3, DMat3, DVec3};
use fracas::mesh::{Influence, Mesh, Skin};
use gait::Gait;
use shape::{BONES, Body, Measures};

/// A person with a way of walking.
#[derive(Clone, Debug)]
pub(crate) struct Figure {
    pub measures: Measures,
    gait: Gait,
    /// The surface at rest.
    mesh: Mesh,
    /// Bones and weights of each vertex; weights add up to one.
    skin: Vec<Vec<(usize, f64)>>,
}

/// Weights fall by a factor e over this distance, in metres.
const SOFTNESS: f64 = 0.02;

impl Figure {
    /// A man whose surface has about this many triangles.
    pub fn man(triangles: usize) -> Self {
        Self::new(Measures::MALE, Gait::MALE, triangles)
    }

    /// A woman whose surface has about this many triangles.
    pub fn woman(triangles: usize) -> Self {
        Self::new(Measures::FEMALE, Gait::FEMALE, triangles)
    }

    /// A man and a woman, each with exactly the given number of triangles, which must be even.
    pub fn people(triangles: usize) -> [Self; 2] {
        [(Measures::MALE, Gait::MALE), (Measures::FEMALE, Gait::FEMALE)].map(|(measures, gait)| {
            let vertices = triangles / 2 + 2;
            // Meshes come out within a few per cent; splitting edges gives the rest.
            let mut shares = [0.96, 0.9, 0.8, 0.6].into_iter().map(|share| share * triangles as f64);
            let fits = |mesh: &Mesh| {
                mesh.vertex_count() <= vertices && mesh.triangle_count() == 2 * mesh.vertex_count() - 4
            };
            let mesh = shares.find_map(|wanted| {
                Some(surface::mesh_of(&Body::of(&measures), wanted as usize)).filter(fits)
            });
            Self::with_mesh(measures, gait, with_vertices(mesh.expect("a surface without handles"), vertices))
        })
    }

    fn new(measures: Measures, gait: Gait, triangles: usize) -> Self {
        let mesh = surface::mesh_of(&Body::of(&measures), triangles);
        Self::with_mesh(measures, gait, mesh)
    }

    fn with_mesh(measures: Measures, gait: Gait, mesh: Mesh) -> Self {
        let body = Body::of(&measures);
        let skin = mesh.positions().iter().map(|p| weights(&body, *p)).collect();
        Self { measures, gait, mesh, skin }
    }

    pub fn triangles(&self) -> &[[u32; 3]] {
        self.mesh.triangles()
    }

    /// The surface at rest with the weights of the bones.
    pub fn skin(&self) -> Skin {
        let influence = |&(bone, weight): &(usize, f64)| Influence { node: bone as u32, weight };
        let influences = self.skin.iter().map(|list| list.iter().map(influence));
        Skin::new(self.mesh.clone(), BONES.len(), influences).expect("weights that add up to one")
    }

    /// The transforms of the bones at a time.
    pub fn bones(&self, seconds: f64) -> Vec<DAffine3> {
        let transform = |(turn, translation)| DAffine3 { matrix3: DMat3::from_quat(turn), translation };
        self.gait.pose(&self.measures, seconds).into_iter().map(transform).collect()
    }

    /// Where all vertices are at a time.
    pub fn positions(&self, seconds: f64) -> Vec<DVec3> {
        let pose = self.gait.pose(&self.measures, seconds);
        let place = |(p, weights): (&DVec3, &Vec<(usize, f64)>)| {
            weights.iter().map(|&(bone, weight)| (pose[bone].0 * *p + pose[bone].1) * weight).sum()
        };
        self.mesh.positions().iter().zip(&self.skin).map(place).collect()
    }
}

/// Which bones move a point of the surface, and with which weights.
fn weights(body: &Body, p: DVec3) -> Vec<(usize, f64)> {
    let mut nearest = [f64::INFINITY; BONES.len()];
    for part in &body.parts {
        let bone = BONES.iter().position(|bone| *bone == part.bone).expect("every bone is listed");
        nearest[bone] = nearest[bone].min(part.at(p).0);
    }
    let least = nearest.iter().copied().fold(f64::INFINITY, f64::min);
    let weight = |(bone, d): (usize, &f64)| {
        // Limbs fade out towards the plane between left and right.
        let own_side = BONES[bone].side().map_or(1.0, |side| {
            let share = (0.5 + side.sign() * p.x / 0.05).clamp(0.0, 1.0);
            share * share * (3.0 - 2.0 * share)
        });
        (bone, own_side * libm::exp((least - d) / SOFTNESS))
    };
    let mut weights: Vec<(usize, f64)> =
        nearest.iter().enumerate().map(weight).filter(|(_, weight)| *weight > 1e-3).collect();
    let sum: f64 = weights.iter().map(|(_, weight)| weight).sum();
    weights.iter_mut().for_each(|(_, weight)| *weight /= sum);
    weights
}

#[cfg(test)]
mod tests {
    use super::*;
    use fracas::mesh::Report;

    #[test]
    fn people_are_closed_and_keep_their_volume_as_they_walk() {
        for figure in [Figure::man(6_000), Figure::woman(6_000)] {
            let report = Report::of(&figure.mesh);
            assert!(report.closed && report.oriented && report.components == 1, "{report:?}");
            let volume = report.volume.unwrap();
            assert!((0.04..0.1).contains(&volume), "{volume} cubic metres");
            for k in 0..20 {
                let posed =
                    Mesh::new(figure.positions(0.1 * f64::from(k)), figure.triangles().to_vec()).unwrap();
                let now = Report::of(&posed).volume.unwrap();
                assert!((now / volume - 1.0).abs() < 0.05, "{now} of {volume}");
            }
        }
    }
}
