//! The shape of a person at rest: round cones along bones, blended into one smooth body.
//!
//! ```text
//!        ( )         z is up, y is where the person looks, the ground is z = 0. At rest the arms
//!       --+--        are held away from the body. A part is a cone between two spheres; its depth
//!      / | | \       along y may be smaller than its width. Parts blend by a soft minimum of
//!     /  |_|  \      their distances d: −k ln Σ exp(−d / k), which is never above the least.
//!        / \
//!       /   \        A garment blends the same parts, and its own, with a larger k and a margin:
//!      _|   |_       so it lies outside the body wherever it is.
//! ```

use super::surface::Implicit;
use fracas::geom::{Box3, DVec3};

/// The bones, parents before their children.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bone {
    Pelvis,
    Chest,
    Head,
    Thigh(Side),
    Shin(Side),
    Foot(Side),
    UpperArm(Side),
    Forearm(Side),
    Hand(Side),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    Left,
    Right,
}

impl Side {
    /// The sign of x on this side.
    pub fn sign(self) -> f64 {
        match self {
            Self::Left => -1.0,
            Self::Right => 1.0,
        }
    }
}

/// Every bone, parents first; the place in the list is the number of the bone.
pub(crate) const BONES: [Bone; 15] = {
    use Side::{Left as L, Right as R};
    [
        Bone::Pelvis,
        Bone::Chest,
        Bone::Head,
        Bone::Thigh(L),
        Bone::Thigh(R),
        Bone::Shin(L),
        Bone::Shin(R),
        Bone::Foot(L),
        Bone::Foot(R),
        Bone::UpperArm(L),
        Bone::UpperArm(R),
        Bone::Forearm(L),
        Bone::Forearm(R),
        Bone::Hand(L),
        Bone::Hand(R),
    ]
};

impl Bone {
    pub fn parent(self) -> Option<Self> {
        Some(match self {
            Self::Pelvis => return None,
            Self::Chest | Self::Thigh(_) => Self::Pelvis,
            Self::Head | Self::UpperArm(_) => Self::Chest,
            Self::Shin(side) => Self::Thigh(side),
            Self::Foot(side) => Self::Shin(side),
            Self::Forearm(side) => Self::UpperArm(side),
            Self::Hand(side) => Self::Forearm(side),
        })
    }

    pub fn side(self) -> Option<Side> {
        match self {
            Self::Pelvis | Self::Chest | Self::Head => None,
            Self::Thigh(side) | Self::Shin(side) | Self::Foot(side) => Some(side),
            Self::UpperArm(side) | Self::Forearm(side) | Self::Hand(side) => Some(side),
        }
    }
}

/// A cone between two spheres, flattened along y.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Part {
    pub bone: Bone,
    pub ends: [DVec3; 2],
    pub radii: [f64; 2],
    /// Depth along y as a share of the width.
    pub depth: f64,
}

impl Part {
    /// About the distance, and its gradient.
    pub fn at(&self, p: DVec3) -> (f64, DVec3) {
        let [a, b] = self.ends;
        let y = 0.5 * (a.y + b.y);
        let squeezed = DVec3::new(p.x, y + (p.y - y) / self.depth, p.z);
        let axis = b - a;
        let along = ((squeezed - a).dot(axis) / axis.length_squared()).clamp(0.0, 1.0);
        let away = squeezed - (a + axis * along);
        let out = away.normalize_or(DVec3::Z);
        let radius = self.radii[0] + (self.radii[1] - self.radii[0]) * along;
        let mut slope = out;
        if along > 0.0 && along < 1.0 {
            slope -= axis * ((self.radii[1] - self.radii[0]) / axis.length_squared());
        }
        slope.y /= self.depth;
        (away.length() - radius, slope)
    }
}

/// Measures of a person, in metres.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Measures {
    pub hip: DVec3,
    pub knee: DVec3,
    pub ankle: DVec3,
    pub waist: f64,
    pub chest: f64,
    pub shoulder: DVec3,
    pub neck: f64,
    pub head: f64,
    pub upper_arm: f64,
    pub forearm: f64,
    /// Radii of pelvis, waist, chest, thigh, knee, calf, upper arm, forearm.
    pub girth: [f64; 8],
    /// Half the lengths of the parts across pelvis, waist, chest.
    pub width: [f64; 3],
    /// Radius of the bust, if there is one.
    pub bust: f64,
}

impl Measures {
    pub const MALE: Self = Self {
        hip: DVec3::new(0.1, 0.0, 0.93),
        knee: DVec3::new(0.115, 0.01, 0.5),
        ankle: DVec3::new(0.12, -0.02, 0.085),
        waist: 1.12,
        chest: 1.32,
        shoulder: DVec3::new(0.19, 0.0, 1.43),
        neck: 1.5,
        head: 1.66,
        upper_arm: 0.29,
        forearm: 0.26,
        girth: [0.1, 0.105, 0.125, 0.08, 0.054, 0.054, 0.05, 0.038],
        width: [0.075, 0.06, 0.085],
        bust: 0.0,
    };

    pub const FEMALE: Self = Self {
        hip: DVec3::new(0.1, 0.0, 0.88),
        knee: DVec3::new(0.1, 0.01, 0.47),
        ankle: DVec3::new(0.1, -0.02, 0.08),
        waist: 1.06,
        chest: 1.23,
        shoulder: DVec3::new(0.155, 0.0, 1.34),
        neck: 1.4,
        head: 1.555,
        upper_arm: 0.27,
        forearm: 0.235,
        girth: [0.105, 0.085, 0.105, 0.078, 0.048, 0.048, 0.04, 0.034],
        width: [0.08, 0.05, 0.06],
        bust: 0.055,
    };

    /// Where the arms point at rest.
    pub fn arm_direction(side: Side) -> DVec3 {
        DVec3::new(side.sign() * 0.6, 0.0, -0.8)
    }

    /// The joint about which a bone turns.
    pub fn joint(&self, bone: Bone) -> DVec3 {
        let mirrored = |p: DVec3, side: Side| DVec3::new(p.x * side.sign(), p.y, p.z);
        let arm =
            |side: Side, length: f64| mirrored(self.shoulder, side) + Self::arm_direction(side) * length;
        match bone {
            Bone::Pelvis => DVec3::Z * self.hip.z,
            Bone::Chest => DVec3::Z * self.waist,
            Bone::Head => DVec3::Z * self.neck,
            Bone::Thigh(side) => mirrored(self.hip, side),
            Bone::Shin(side) => mirrored(self.knee, side),
            Bone::Foot(side) => mirrored(self.ankle, side),
            Bone::UpperArm(side) => arm(side, 0.0),
            Bone::Forearm(side) => arm(side, self.upper_arm),
            Bone::Hand(side) => arm(side, self.upper_arm + self.forearm),
        }
    }

    /// The parts of the body.
    pub fn parts(&self) -> Vec<Part> {
        let [pelvis, waist, chest, thigh, knee, calf, upper_arm, forearm] = self.girth;
        let mut parts = Vec::new();
        let mut part = |bone, ends: [DVec3; 2], radii, depth| parts.push(Part { bone, ends, radii, depth });
        let across = |half: f64, y: f64, z: f64| [DVec3::new(-half, y, z), DVec3::new(half, y, z)];
        let low = self.hip.z + 0.045;
        part(Bone::Pelvis, across(self.width[0], -0.015, low), [pelvis; 2], 0.95);
        part(Bone::Pelvis, across(self.width[1], 0.0, self.waist - 0.02), [waist; 2], 0.8);
        part(Bone::Chest, across(self.width[2], 0.0, self.chest), [chest; 2], 0.78);
        let upper = self.shoulder.z - 0.03;
        part(Bone::Chest, across(self.shoulder.x - 0.05, 0.0, upper), [0.6 * chest; 2], 0.85);
        let spine = [DVec3::Z * low, DVec3::Z * self.chest];
        part(Bone::Chest, spine, [1.1 * waist, 1.05 * chest], 0.75);
        if self.bust > 0.0 {
            for x in [-0.065, 0.065] {
                let ends = [DVec3::new(x, 0.055, self.chest - 0.01), DVec3::new(0.9 * x, 0.0, self.chest)];
                part(Bone::Chest, ends, [self.bust; 2], 1.0);
            }
        }
        let (neck, head) = (DVec3::Z * (self.neck - 0.05), DVec3::new(0.0, 0.02, self.head));
        part(Bone::Head, [neck, DVec3::new(0.0, 0.01, self.head - 0.08)], [0.36 * chest + 0.008; 2], 1.0);
        part(Bone::Head, [head - DVec3::Z * 0.05, head + DVec3::Z * 0.03], [0.066, 0.085], 1.15);
        part(Bone::Head, [head + DVec3::new(0.0, 0.085, -0.035), head], [0.014, 0.05], 1.0);
        for side in [Side::Left, Side::Right] {
            let joint = |bone: fn(Side) -> Bone| self.joint(bone(side));
            let (hip, knees, ankle) = (joint(Bone::Thigh), joint(Bone::Shin), joint(Bone::Foot));
            part(Bone::Thigh(side), [hip, knees], [thigh, knee], 1.05);
            part(Bone::Shin(side), [knees, ankle], [0.95 * knee, 0.034], 1.0);
            let bulge = knees.lerp(ankle, 0.28) - DVec3::Y * 0.016;
            part(Bone::Shin(side), [bulge, bulge.lerp(ankle, 0.3)], [calf, 0.8 * calf], 1.0);
            let heel = DVec3::new(ankle.x, ankle.y - 0.025, 0.045);
            let toe = DVec3::new(ankle.x + 0.015 * side.sign(), ankle.y + 0.17, 0.03);
            part(Bone::Foot(side), [heel, toe], [0.04, 0.028], 1.0);
            part(Bone::Foot(side), [ankle, heel.lerp(toe, 0.45)], [0.034, 0.032], 1.0);
            let (shoulder, elbow, wrist) = (joint(Bone::UpperArm), joint(Bone::Forearm), joint(Bone::Hand));
            part(Bone::UpperArm(side), [shoulder, elbow], [upper_arm, 0.82 * upper_arm], 1.0);
            part(Bone::Forearm(side), [elbow, wrist], [0.95 * forearm, 0.68 * forearm], 1.0);
            let along = Self::arm_direction(side);
            part(Bone::Hand(side), [wrist + along * 0.02, wrist + along * 0.13], [0.03, 0.02], 0.8);
        }
        parts
    }
}

/// Parts blended into one body.
#[derive(Clone, Debug)]
pub(crate) struct Body {
    pub parts: Vec<Part>,
    /// k: how softly parts blend.
    pub blend: f64,
    /// The surface lies so far outside the blend.
    pub margin: f64,
}

impl Body {
    /// A body without clothes.
    pub fn of(measures: &Measures) -> Self {
        Self { parts: measures.parts(), blend: 0.016, margin: 0.0 }
    }
}

impl Implicit for Body {
    fn at(&self, p: DVec3) -> (f64, DVec3) {
        let mut least = f64::INFINITY;
        self.parts.iter().for_each(|part| least = least.min(part.at(p).0));
        let (mut sum, mut slope) = (0.0, DVec3::ZERO);
        for part in &self.parts {
            let (d, gradient) = part.at(p);
            if d - least < 12.0 * self.blend {
                let weight = libm::exp((least - d) / self.blend);
                sum += weight;
                slope += gradient * weight;
            }
        }
        (least - self.blend * libm::log(sum) - self.margin, slope / sum)
    }

    fn bounds(&self) -> Box3 {
        let reach = self.margin + 3.0 * self.blend;
        let mut bounds = Box3::default();
        for part in &self.parts {
            for (end, radius) in part.ends.iter().zip(part.radii) {
                let out = DVec3::splat(radius * part.depth.max(1.0) + reach);
                bounds = bounds.union(&Box3 { min: *end - out, max: *end + out });
            }
        }
        bounds
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gradients_are_those_of_the_values() {
        let body = Body::of(&Measures::FEMALE);
        for k in 0..400 {
            let k = f64::from(k);
            let p = DVec3::new(
                (k * 0.618).fract() - 0.5,
                0.5 * (k * 0.414).fract() - 0.25,
                1.7 * (k * 0.732).fract(),
            );
            let (_, slope) = body.at(p);
            let step = 1e-6;
            let by = |d: DVec3| (body.at(p + d * step).0 - body.at(p - d * step).0) / (2.0 * step);
            let measured = DVec3::new(by(DVec3::X), by(DVec3::Y), by(DVec3::Z));
            // Ends of cones have a small kink.
            assert!((slope - measured).length() < 0.25, "{p}: {slope} is not {measured}");
        }
    }

    #[test]
    fn a_softer_blend_with_a_margin_is_outside() {
        let body = Body::of(&Measures::MALE);
        let garment = Body { blend: 0.03, margin: 0.015, ..body.clone() };
        for k in 0..400 {
            let k = f64::from(k);
            let p = DVec3::new(
                (k * 0.618).fract() - 0.5,
                0.5 * (k * 0.414).fract() - 0.25,
                1.8 * (k * 0.732).fract(),
            );
            assert!(garment.at(p).0 <= body.at(p).0 - 0.015 + 1e-9);
        }
    }
}
