//! What a brittle material withstands, and into how many pieces a blow breaks it.
//!
//! # Model
//!
//! A blow with impulse J changes the velocity of a body of mass m by v = J / m. Where it is hit, a wave of stress starts with
//! σ = ρ c v, with c = √(E / ρ) the speed of sound in the material (density ρ, Young's modulus E). If σ reaches the
//! strength, the body breaks. Of the energy J² / 2 m a share goes into new surface, which takes the toughness G per area, so the
//! area of all cracks is A = share · J² / (2 m G). Cubes of side s have 3 V / s of area between them, so pieces are
//! s = 3 V / A large and there are V / s³ of them.
//!
//! The model does not simulate stress. It reproduces what a viewer sees: nothing happens below a threshold, harder blows and
//! smaller toughness make more and smaller pieces, and a body of twice the size needs a heavier blow.

use super::error::{FractureError, require_positive};

/// A brittle material, in SI units. All numbers are positive.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Material {
    /// Mass per volume, kg/m³.
    pub density: f64,
    /// Young's modulus, Pa.
    pub stiffness: f64,
    /// Stress at which it breaks, Pa.
    pub strength: f64,
    /// Energy per area of new crack, J/m².
    pub toughness: f64,
    /// Share of a blow's energy that goes into cracks, 0 to 1; the rest becomes motion, sound and heat.
    pub share: f64,
}

impl Material {
    /// Window glass.
    pub const GLASS: Self =
        Self { density: 2500.0, stiffness: 70e9, strength: 45e6, toughness: 8.0, share: 0.03 };
    /// Fired clay with a glaze: plates, piggy banks.
    pub const CERAMIC: Self =
        Self { density: 2300.0, stiffness: 60e9, strength: 30e6, toughness: 15.0, share: 0.03 };
    /// Bricks.
    pub const BRICK: Self =
        Self { density: 1900.0, stiffness: 15e9, strength: 4e6, toughness: 40.0, share: 0.05 };

    /// How many pieces a blow makes of a volume: `None` if it withstands, and 2 or more otherwise.
    ///
    /// # Errors
    /// A number of the material, the volume or the impulse that is not positive and finite.
    ///
    /// ```
    /// use fracas::fracture::Material;
    /// let plate = 2e-4; // cubic metres
    /// assert_eq!(Material::CERAMIC.pieces(plate, 0.5), Ok(None));
    /// let (hard, harder) = (Material::CERAMIC.pieces(plate, 2.0)?, Material::CERAMIC.pieces(plate, 4.0)?);
    /// assert!(hard.unwrap() >= 2.0 && harder > hard);
    /// # Ok::<(), fracas::fracture::FractureError>(())
    /// ```
    pub fn pieces(&self, volume: f64, impulse: f64) -> Result<Option<f64>, FractureError> {
        require_positive(&[
            ("density", self.density),
            ("stiffness", self.stiffness),
            ("strength", self.strength),
            ("toughness", self.toughness),
            ("share of energy", self.share),
            ("volume", volume),
            ("impulse", impulse),
        ])?;
        let mass = self.density * volume;
        let velocity = impulse / mass;
        let stress = velocity * (self.stiffness * self.density).sqrt();
        if stress < self.strength {
            return Ok(None);
        }
        let area = self.share * 0.5 * impulse * velocity / self.toughness;
        let side = 3.0 * volume / area;
        Ok(Some((volume / (side * side * side)).clamp(2.0, 1e6)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_threshold_is_where_stress_reaches_strength() {
        let m = Material::GLASS;
        let volume = 1e-3;
        let threshold = m.strength * volume * (m.density / m.stiffness).sqrt();
        assert_eq!(m.pieces(volume, 0.999 * threshold), Ok(None));
        assert!(m.pieces(volume, 1.001 * threshold).unwrap().is_some());
    }

    #[test]
    fn tougher_material_makes_fewer_pieces_and_weak_numbers_are_refused() {
        let m = Material::CERAMIC;
        let tough = Material { toughness: 3.0 * m.toughness, ..m };
        assert!(m.pieces(1e-4, 9.0).unwrap() > tough.pieces(1e-4, 9.0).unwrap());
        let none = Material { strength: 0.0, ..m };
        assert_eq!(none.pieces(1e-4, 1.0), Err(FractureError::BadNumber { what: "strength", value: 0.0 }));
        assert!(m.pieces(1e-4, f64::NAN).is_err() && m.pieces(0.0, 1.0).is_err());
    }
}
