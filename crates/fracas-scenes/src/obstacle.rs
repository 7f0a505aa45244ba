//! Solid things that cloth slides over: each tells how far away its surface is, and how it moves.

use crate::field::Field;
use fracas::geom::DVec3;
use glam::DQuat;

/// Something solid.
pub(crate) trait Obstacle {
    /// How far a point is from the surface, negative inside, and the direction away from it. `None` if it is farther
    /// than `reach`; a point that is deep inside may get any distance that is negative.
    fn distance(&self, p: DVec3, reach: f64) -> Option<(f64, DVec3)>;

    /// How the surface moves near a point.
    fn velocity(&self, _: DVec3) -> DVec3 {
        DVec3::ZERO
    }
}

/// The obstacles there are.
#[derive(Debug)]
pub(crate) enum Solid {
    /// Everything below a height.
    Ground {
        /// The height.
        height: f64,
    },
    Ball(Ball),
    Turned(Turned),
    Rods(Vec<Rod>),
    Field(Field),
}

impl Obstacle for Solid {
    fn distance(&self, p: DVec3, reach: f64) -> Option<(f64, DVec3)> {
        match self {
            Self::Ground { height } => (p.z - height < reach).then_some((p.z - height, DVec3::Z)),
            Self::Ball(ball) => ball.distance(p, reach),
            Self::Turned(turned) => turned.distance(p, reach),
            Self::Rods(rods) => {
                let near = rods.iter().filter_map(|rod| rod.distance(p, reach));
                near.min_by(|a, b| a.0.total_cmp(&b.0))
            }
            Self::Field(field) => field.distance(p, reach),
        }
    }

    fn velocity(&self, p: DVec3) -> DVec3 {
        match self {
            Self::Ball(ball) => ball.velocity(p),
            _ => DVec3::ZERO,
        }
    }
}

/// A ball that may move and spin.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Ball {
    pub centre: DVec3,
    pub radius: f64,
    pub velocity: DVec3,
    pub spin: DVec3,
    /// How far it has turned.
    pub turn: DQuat,
}

impl Obstacle for Ball {
    fn distance(&self, p: DVec3, reach: f64) -> Option<(f64, DVec3)> {
        let away = p - self.centre;
        let square = away.length_squared();
        if square > (self.radius + reach).powi(2) {
            return None;
        }
        let length = square.sqrt();
        Some((length - self.radius, if length > 0.0 { away / length } else { DVec3::Z }))
    }

    fn velocity(&self, p: DVec3) -> DVec3 {
        self.velocity + self.spin.cross(p - self.centre)
    }
}

/// A wall of even thickness around the z axis: a line through points (r, z), turned.
#[derive(Clone, Debug)]
pub(crate) struct Turned {
    pub profile: Vec<[f64; 2]>,
    pub half_thickness: f64,
}

impl Obstacle for Turned {
    fn distance(&self, p: DVec3, reach: f64) -> Option<(f64, DVec3)> {
        let r = libm::sqrt(p.x * p.x + p.y * p.y);
        let reach = reach + self.half_thickness;
        let mut nearest: Option<(f64, [f64; 2])> = None;
        for ends in self.profile.windows(2) {
            let [[r0, z0], [r1, z1]] = [ends[0], ends[1]];
            let (dr, dz) = (r1 - r0, z1 - z0);
            let along = ((r - r0) * dr + (p.z - z0) * dz) / (dr * dr + dz * dz);
            let along = along.clamp(0.0, 1.0);
            let away = [r - r0 - along * dr, p.z - z0 - along * dz];
            let square = away[0] * away[0] + away[1] * away[1];
            if square < reach * reach && nearest.is_none_or(|(least, _)| square < least) {
                nearest = Some((square, away));
            }
        }
        let (square, away) = nearest?;
        let length = square.sqrt();
        if length == 0.0 || r == 0.0 {
            return Some((length - self.half_thickness, DVec3::Z));
        }
        let [outward, up] = [away[0] / length, away[1] / length];
        Some((length - self.half_thickness, DVec3::new(outward * p.x / r, outward * p.y / r, up)))
    }
}

/// A rod with round ends.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rod {
    pub ends: [DVec3; 2],
    pub radius: f64,
}

impl Obstacle for Rod {
    fn distance(&self, p: DVec3, reach: f64) -> Option<(f64, DVec3)> {
        let [a, b] = self.ends;
        let far = DVec3::splat(self.radius + reach);
        if p.cmplt(a.min(b) - far).any() || p.cmpgt(a.max(b) + far).any() {
            return None;
        }
        let axis = b - a;
        let along = ((p - a).dot(axis) / axis.length_squared()).clamp(0.0, 1.0);
        let away = p - a - axis * along;
        let square = away.length_squared();
        if square > (self.radius + reach).powi(2) {
            return None;
        }
        let length = square.sqrt();
        Some((length - self.radius, if length > 0.0 { away / length } else { axis.any_orthonormal_vector() }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Where there is a distance, walking by it reaches the surface.
    fn assert_leads_to_the_surface(solid: &impl Obstacle, points: impl Iterator<Item = DVec3>) {
        let mut met = 0;
        for p in points {
            if let Some((distance, out)) = solid.distance(p, 0.3) {
                let surface = p - out * distance;
                let (left, _) = solid.distance(surface, 0.3).expect("it is on the surface");
                assert!(left.abs() < 1e-9, "{p}: {distance} leads {left} away");
                met += 1;
            }
        }
        assert!(met > 20, "only {met} points are near");
    }

    fn points() -> impl Iterator<Item = DVec3> {
        (0..4000).map(|k| {
            let k = f64::from(k);
            DVec3::new((k * 0.618).fract(), (k * 0.414).fract(), (k * 0.732).fract()) * 2.4
                - DVec3::splat(1.2)
        })
    }

    #[test]
    fn distances_lead_to_the_surface() {
        assert_leads_to_the_surface(&Ball { radius: 0.6, ..Ball::default() }, points());
        let rod = Rod { ends: [DVec3::new(-0.5, 0.1, 0.0), DVec3::new(0.5, 0.3, 0.4)], radius: 0.1 };
        assert_leads_to_the_surface(&rod, points());
        let funnel = Turned { profile: vec![[1.0, 1.0], [0.3, 0.0], [0.3, -0.8]], half_thickness: 0.02 };
        // Not where two sides are equally near.
        let clear = |p: &DVec3| p.x.hypot(p.y) > 0.35 || p.z > 0.5;
        assert_leads_to_the_surface(&funnel, points().filter(clear));
    }

    #[test]
    fn a_spinning_ball_drags_what_it_touches() {
        let ball = Ball { radius: 1.0, spin: DVec3::Z * 2.0, velocity: DVec3::Y, ..Ball::default() };
        assert_eq!(ball.velocity(DVec3::X), DVec3::new(0.0, 3.0, 0.0));
    }
}
