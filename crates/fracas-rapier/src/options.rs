//! How a body breaks and how its surface behaves, checked where it is given.

use crate::BreakError;
use fracas::fracture::{FractureOptions, FracturePattern, Material};
use rapier3d::prelude::RigidBody;

/// How a body breaks, and how its surface behaves.
///
/// ```
/// use fracas_rapier::{BreakOptions, fracas::fracture::Material};
/// let glass = BreakOptions { material: Material::GLASS, friction: 0.3, ..BreakOptions::default() };
/// assert_eq!((glass.grace, glass.generations), (4, 8));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BreakOptions {
    /// What it is made of; its density gives the mass.
    pub material: Material,
    /// What cracks look like, how many there may be, and the seed for chance.
    pub fracture: FractureOptions,
    /// Coefficient of friction, 0 or more.
    pub friction: f32,
    /// Share of the speed that is left after a bounce, 0 to 1.
    pub restitution: f32,
    /// Steps after its birth in which a piece does not break: loads that were shared by the whole come as blows.
    pub grace: u32,
    /// How often pieces of pieces may break. 0: never at all.
    pub generations: u32,
}

impl Default for BreakOptions {
    fn default() -> Self {
        Self {
            material: Material::BRICK,
            fracture: FractureOptions::default(),
            friction: 0.6,
            restitution: 0.0,
            grace: 4,
            generations: 8,
        }
    }
}

impl BreakOptions {
    /// Refuses what would fail later, in the middle of a step, or would be taken for something else without a word.
    pub(crate) fn check(&self, volume: f64) -> Result<(), BreakError> {
        // Whatever is wrong with the material is wrong with every blow.
        self.material.pieces(volume, 1.0)?;
        let refuse = BreakError::unless;
        let (share, mass) = (self.material.share, self.material.density * volume);
        refuse(share <= 1.0, "the share of energy", share, "at most 1")?;
        let density = self.material.density as f32;
        let is_normal = |x: f32| x > 0.0 && x.is_normal();
        refuse(is_normal(density), "the density in single precision", density.into(), "positive and finite")?;
        let mass = mass as f32;
        refuse(is_normal(mass), "the mass in single precision", mass.into(), "positive and finite")?;
        let (friction, restitution) = (self.friction, self.restitution);
        let is_friction = friction >= 0.0 && friction.is_finite();
        refuse(is_friction, "the friction", friction.into(), "finite and at least 0")?;
        let is_restitution = (0.0..=1.0).contains(&restitution);
        refuse(is_restitution, "the restitution", restitution.into(), "from 0 to 1")?;
        let FractureOptions { pattern, most_pieces, least_nodes, .. } = self.fracture;
        refuse(most_pieces >= 2, "the most pieces of a blow", most_pieces as f64, "at least 2")?;
        let is_least = least_nodes >= 1 && u32::try_from(least_nodes).is_ok();
        refuse(is_least, "the least nodes of a piece", least_nodes as f64, "from 1 to 4294967295")?;
        if let FracturePattern::Cells { growth } = pattern {
            let is_growth = growth >= 0.0 && growth.is_finite();
            refuse(is_growth, "the growth of cells", growth, "finite and at least 0")?;
        }
        Ok(())
    }
}

/// Refuses a rigid body whose place or motion is not finite.
pub(crate) fn check_body(body: &RigidBody) -> Result<(), BreakError> {
    let first_bad = |numbers: &[f32]| numbers.iter().copied().find(|x| !x.is_finite());
    let pose = body.position();
    let all = [
        ("a coordinate of the position", first_bad(&pose.translation.to_array())),
        ("a coordinate of the rotation", first_bad(&pose.rotation.to_array())),
        ("a coordinate of the velocity", first_bad(&body.linvel().to_array())),
        ("a coordinate of the angular velocity", first_bad(&body.angvel().to_array())),
        (
            "a number of damping, gravity scale or soft CCD",
            first_bad(&[
                body.linear_damping(),
                body.angular_damping(),
                body.gravity_scale(),
                body.soft_ccd_prediction(),
            ]),
        ),
    ];
    for (what, bad) in all {
        if let Some(value) = bad {
            return Err(BreakError::BadNumber { what, value: value.into(), expected: "finite" });
        }
    }
    Ok(())
}
