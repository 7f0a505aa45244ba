//! Elastic solids without a mesh: forces between simulation nodes from moving least squares.
//!
//! Node *i* has a rest position xᵢ, a mass mᵢ and a volume vᵢ. Now it is at yᵢ. Its neighbours *j* have weights wᵢⱼ that fall to
//! zero at the edge of its support.
//!
//! ```text
//!   moments        Aᵢ  = Σⱼ wᵢⱼ (xⱼ − xᵢ)(xⱼ − xᵢ)ᵀ
//!   slopes         dᵢⱼ = wᵢⱼ Aᵢ⁻¹ (xⱼ − xᵢ)
//!   gradient       Fᵢ  = Σⱼ (yⱼ − yᵢ) dᵢⱼᵀ          the linear map that fits the motion of the neighbours best
//!   Green strain   Eᵢ  = ½ (FᵢᵀFᵢ − I)
//!   stress         Sᵢ  = λ tr(Eᵢ) I + 2 μ Eᵢ          (St. Venant–Kirchhoff)
//!   energy         Uᵢ  = vᵢ (½ Eᵢ : Sᵢ + ½ k (det Fᵢ − 1)²)
//!   force          fⱼ  = −∂Uᵢ/∂yⱼ = −vᵢ Pᵢ dᵢⱼ,   Pᵢ = Fᵢ Sᵢ + k (det Fᵢ − 1) cof Fᵢ,   and its opposite on node i
//! ```
//!
//! The surface follows the nodes by the transforms (Fᵢ, yᵢ − Fᵢ xᵢ), which is Equation 3 of Steinemann et al.
//!
//! # Invariants
//!
//! Forces come from an energy that no translation and no rotation changes, and act in opposite pairs: linear and angular momentum are kept
//! to rounding unless drag, loads or held nodes change them. The time step follows from the largest frequency of the solid as it
//! is, which power iteration finds again in every frame. The same calls give the same motion.
//!
//! # Departures from the paper
//!
//! - Gradients at nodes do not see motion that alternates from node to node. A second energy, ½ c Σⱼ wᵢⱼ |yⱼ − yᵢ − Fᵢ (xⱼ − xᵢ)|²,
//!   holds neighbours to the linear fit. Its force on *j* is −c wᵢⱼ times the misfit, as least squares make the other terms cancel.
//! - Volumes are shares of the interior, counted by sample points, in place of mass over kernel density: that is too small near the surface.
//! - Strain has the factor ½, and damping is a stress in proportion to the rate of strain, so that rigid motion is not damped.
//!
//! # Reference
//!
//! M. Müller, R. Keiser, A. Nealen, M. Pauly, M. Gross and M. Alexa, *Point based animation of elastic, plastic and melting objects*,
//! Symposium on Computer Animation, 2004. D. Steinemann, M. A. Otaduy and M. Gross, *Tight and efficient surface bounds in meshless
//! animation*, Computers & Graphics 32, 2008, section 3.

mod neighbours;
pub(crate) mod nodes;
pub(crate) mod skin;

use fracas::geom::{DAffine3, DMat3, DVec3};
use fracas::internal::Random;
use neighbours::Neighbours;
use nodes::Nodes;

/// What a solid is made of.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Material {
    /// Young's modulus, in pascals.
    pub young: f64,
    /// Poisson's ratio, from 0 to below 0.5.
    pub poisson: f64,
    /// Kilograms per cubic metre.
    pub density: f64,
    /// k: resistance against a change of volume beyond that of Poisson's ratio, as a multiple of Young's modulus.
    pub keep_volume: f64,
    /// Stress from the rate of strain against stress from strain, in seconds.
    pub viscosity: f64,
    /// Rate at which what is around the solid slows it down, per second.
    pub drag: f64,
}

/// c: how strongly neighbours are held to the linear fit, as a multiple of Young's modulus.
const HOLD_TO_FIT: f64 = 0.2;
/// Steps are this part of the longest that is stable at present; stretching within a frame makes the solid stiffer.
const SAFETY: f64 = 0.5;

/// An elastic solid in motion.
#[derive(Clone, Debug)]
pub(crate) struct Elastic {
    material: Material,
    rest: Vec<DVec3>,
    positions: Vec<DVec3>,
    velocities: Vec<DVec3>,
    masses: Vec<f64>,
    volumes: Vec<f64>,
    neighbours: Neighbours,
    is_held: Vec<bool>,
    /// About the motion with the largest frequency.
    fastest: Vec<DVec3>,
    seconds: f64,
}

/// What acts on a solid from outside, as functions of a node and the time.
pub(crate) struct Drive<'d> {
    /// Where held nodes are.
    pub path: &'d dyn Fn(usize, f64) -> DVec3,
    /// Acceleration of a node at a position with a velocity.
    pub pull: &'d dyn Fn(usize, f64, DVec3, DVec3) -> DVec3,
}

impl Elastic {
    /// A solid at rest. Panics if all nodes lie in a plane.
    pub fn new(nodes: &Nodes, material: Material) -> Self {
        let count = nodes.positions.len();
        let mut random = Random::new(5);
        let mut solid = Self {
            material,
            rest: nodes.positions.clone(),
            positions: nodes.positions.clone(),
            velocities: vec![DVec3::ZERO; count],
            masses: nodes.volumes.iter().map(|volume| volume * material.density).collect(),
            volumes: nodes.volumes.clone(),
            neighbours: Neighbours::of(&nodes.positions),
            is_held: vec![false; count],
            fastest: (0..count)
                .map(|_| DVec3::new(random.signed(), random.signed(), random.signed()))
                .collect(),
            seconds: 0.0,
        };
        solid.largest_frequency(24);
        solid
    }

    /// Holds the nodes for which the test is true: from now on they are where the drive says.
    pub fn hold(&mut self, test: impl Fn(DVec3) -> bool) {
        self.is_held.iter_mut().zip(&self.rest).for_each(|(is_held, x)| *is_held |= test(*x));
    }

    /// Puts the solid elsewhere as it is now, at rest, and begins to count time. Turning it costs no force.
    pub fn place(&mut self, pose: &DAffine3) {
        self.positions.iter_mut().for_each(|p| *p = pose.transform_point3(*p));
        self.fastest.iter_mut().for_each(|v| *v = pose.transform_vector3(*v));
        self.velocities.fill(DVec3::ZERO);
        self.seconds = 0.0;
    }

    /// Gives every node the same velocity.
    pub fn set_velocity(&mut self, velocity: DVec3) {
        self.velocities.fill(velocity);
    }

    #[cfg(test)]
    pub fn is_held(&self, node: usize) -> bool {
        self.is_held[node]
    }

    /// The transform of each node.
    pub fn transforms(&self) -> Vec<DAffine3> {
        let transform = |i: usize| {
            let matrix3 = self.neighbours.gradient(i, &self.positions);
            DAffine3 { matrix3, translation: self.positions[i] - matrix3 * self.rest[i] }
        };
        (0..self.rest.len()).map(transform).collect()
    }

    /// Lets time go by.
    pub fn advance(&mut self, seconds: f64, drive: &Drive<'_>) {
        let frequency = self.largest_frequency(4);
        let damping = 0.5 * self.material.viscosity * frequency;
        let longest = SAFETY * 2.0 / frequency * ((1.0 + damping * damping).sqrt() - damping);
        let steps = (seconds / longest).ceil().max(1.0);
        let step = seconds / steps;
        let mut forces = vec![DVec3::ZERO; self.rest.len()];
        let begin = self.seconds;
        for k in 0..steps as usize {
            let now = begin + step * k as f64;
            self.forces(&self.positions, Some(&self.velocities), &mut forces);
            for (i, force) in forces.iter().enumerate() {
                let (at, velocity) = (self.positions[i], self.velocities[i]);
                if self.is_held[i] {
                    self.positions[i] = (drive.path)(i, now + step);
                    self.velocities[i] = (self.positions[i] - at) / step;
                } else {
                    let pull = (drive.pull)(i, now, at, velocity);
                    let faster = velocity + (*force / self.masses[i] + pull) * step;
                    self.velocities[i] = faster / (1.0 + self.material.drag * step);
                    self.positions[i] = at + self.velocities[i] * step;
                }
            }
        }
        self.seconds = begin + seconds;
    }

    /// Forces at positions; with velocities, those of viscosity too.
    fn forces(&self, positions: &[DVec3], velocities: Option<&[DVec3]>, forces: &mut [DVec3]) {
        forces.fill(DVec3::ZERO);
        let Material { young, viscosity, .. } = self.material;
        for i in 0..positions.len() {
            let gradient = self.neighbours.gradient(i, positions);
            let mut stress = self.stress(strain(gradient));
            if let Some(velocities) = velocities.filter(|_| viscosity > 0.0) {
                let half = gradient.transpose() * self.neighbours.gradient(i, velocities);
                stress += self.stress((half + half.transpose()) * 0.5) * viscosity;
            }
            let keep = self.material.keep_volume * young * (gradient.determinant() - 1.0);
            let first_piola = (gradient * stress + cofactor(gradient) * keep) * self.volumes[i];
            let hold = HOLD_TO_FIT * young * self.volumes[i] / self.neighbours.mean_square(i);
            for neighbour in self.neighbours.list(i) {
                let j = neighbour.node as usize;
                let misfit = positions[j] - positions[i] - gradient * neighbour.offset;
                let force = first_piola * neighbour.slope + misfit * (hold * neighbour.share);
                forces[j] -= force;
                forces[i] += force;
            }
        }
    }

    fn stress(&self, strain: DMat3) -> DMat3 {
        let Material { young, poisson, .. } = self.material;
        let lambda = young * poisson / ((1.0 + poisson) * (1.0 - 2.0 * poisson));
        let mu = 0.5 * young / (1.0 + poisson);
        DMat3::from_diagonal(DVec3::splat(lambda * trace(strain))) + strain * (2.0 * mu)
    }

    /// The largest frequency of small motions about the present positions, in radians per second.
    fn largest_frequency(&mut self, rounds: usize) -> f64 {
        let size = self.neighbours.mean_square(0).sqrt();
        let mut moved = self.positions.clone();
        let [mut before, mut after] = [vec![DVec3::ZERO; moved.len()], vec![DVec3::ZERO; moved.len()]];
        let mut square = 0.0;
        for _ in 0..rounds {
            let length = self.fastest.iter().map(|v| v.length_squared()).sum::<f64>().sqrt();
            let reach = 1e-4 * size / length.max(f64::MIN_POSITIVE);
            for (forces, sign) in [(&mut before, -reach), (&mut after, reach)] {
                moved
                    .iter_mut()
                    .zip(&self.positions)
                    .zip(&self.fastest)
                    .for_each(|((m, p), v)| *m = *p + *v * sign);
                self.forces(&moved, None, forces);
            }
            for i in 0..moved.len() {
                let pushed = (before[i] - after[i]) / (2.0 * reach * self.masses[i] * length);
                self.fastest[i] = if self.is_held[i] { DVec3::ZERO } else { pushed };
            }
            square = self.fastest.iter().map(|v| v.length_squared()).sum::<f64>().sqrt();
        }
        square.sqrt()
    }

    /// Energy of strain and of motion.
    #[cfg(test)]
    fn energy(&self) -> f64 {
        let young = self.material.young;
        let of_node = |i: usize| {
            let gradient = self.neighbours.gradient(i, &self.positions);
            let strain = strain(gradient);
            let keep = self.material.keep_volume * young * (gradient.determinant() - 1.0).powi(2);
            let misfit = |n: &neighbours::Neighbour| {
                let off = self.positions[n.node as usize] - self.positions[i] - gradient * n.offset;
                n.share * off.length_squared()
            };
            let hold = HOLD_TO_FIT * young / self.neighbours.mean_square(i);
            let fit: f64 = self.neighbours.list(i).iter().map(misfit).sum();
            let elastic = trace(strain * self.stress(strain)) + keep + hold * fit;
            0.5 * (self.volumes[i] * elastic + self.masses[i] * self.velocities[i].length_squared())
        };
        (0..self.rest.len()).map(of_node).sum()
    }
}

fn strain(gradient: DMat3) -> DMat3 {
    (gradient.transpose() * gradient - DMat3::IDENTITY) * 0.5
}

fn trace(m: DMat3) -> f64 {
    m.x_axis.x + m.y_axis.y + m.z_axis.z
}

/// The derivative of the determinant.
fn cofactor(m: DMat3) -> DMat3 {
    DMat3::from_cols(m.y_axis.cross(m.z_axis), m.z_axis.cross(m.x_axis), m.x_axis.cross(m.y_axis))
}

#[cfg(test)]
mod tests;
