//! The shape of the apple: a dented ball of revolution, its skin as a shell, its core, and the cut around it.
//!
//! All surfaces are at a distance from the centre that depends on the polar angle alone, so a point is inside the core
//! if it is nearer to the centre than the core's surface in its direction.

use crate::Size;
use fracas::cut::{CutError, CutSurface};
use fracas::geom::DVec3;
use fracas::mesh::{Mesh, shapes};
use std::f64::consts::{PI, TAU};

/// An apple 2 wide, its middle at the origin, its axis along z.
#[derive(Clone, Copy, Debug)]
pub(super) struct Apple {
    pub segments: usize,
    pub rows: usize,
    pub turns: f64,
}

impl Apple {
    /// Thickness of the skin.
    pub const THICKNESS: f64 = 0.07;
    /// Height of the ground.
    pub const GROUND: f64 = -2.2;
    /// Free room between skin and core.
    const GAP: f64 = 0.02;
    /// The skin leaves these angles around the lower and the upper end of the axis bare.
    const BARE: [f64; 2] = [0.45, 0.5];

    pub fn new(size: Size) -> Self {
        match size {
            Size::Small => Self { segments: 24, rows: 12, turns: 3.0 },
            Size::Paper => Self { segments: 44, rows: 28, turns: 7.0 },
            Size::Large => Self { segments: 88, rows: 56, turns: 7.0 },
        }
    }

    /// Distance of the outer surface from the centre, by the angle from the upper end of the axis.
    pub fn radius(angle: f64) -> f64 {
        let dent = |angle: f64, depth: f64, width: f64| depth * libm::exp(-(angle / width) * (angle / width));
        let (sin, cos) = (libm::sin(angle), libm::cos(angle));
        1.0 - dent(angle, 0.35, 0.35) - dent(PI - angle, 0.2, 0.3) + 0.06 * cos * sin * sin
    }

    /// How deep a point is below the surface of the core; negative outside.
    pub fn depth_in_core(p: DVec3) -> f64 {
        let distance = p.length();
        if distance > 1.1 {
            return -1.0;
        }
        let angle = libm::atan2(libm::sqrt(p.x * p.x + p.y * p.y), p.z);
        Self::radius(angle) - Self::THICKNESS - Self::GAP - distance
    }

    /// The skin: rings from below, first those of the outer side, then those of the inner, then the two rims.
    pub fn skin(&self) -> Mesh {
        let Self { segments, rows, .. } = *self;
        let mut positions = Vec::new();
        for depth in [0.0, Self::THICKNESS] {
            for row in 0..=rows {
                let angle = self.angle(row as f64 / rows as f64);
                for s in 0..segments {
                    positions.push(place(
                        angle,
                        Self::radius(angle) - depth,
                        TAU * s as f64 / segments as f64,
                    ));
                }
            }
        }
        let mut triangles = Vec::new();
        for row in 0..rows {
            for s in 0..segments {
                let [a, b] = [self.outer(row, s), self.outer(row, s + 1)];
                let [d, c] = [self.outer(row + 1, s), self.outer(row + 1, s + 1)];
                // Diagonals in turn, so that the skin has no grain.
                let halves = if (row + s) % 2 == 0 { [[a, b, c], [a, c, d]] } else { [[a, b, d], [b, c, d]] };
                triangles.extend(halves);
                triangles.extend(halves.map(|[a, b, c]| [a, c, b].map(|v| v + self.per_side())));
            }
        }
        for s in 0..segments {
            let [a, b] = [self.outer(0, s), self.outer(0, s + 1)];
            let [d, c] = [self.outer(rows, s), self.outer(rows, s + 1)];
            let inner = |v: u32| v + self.per_side();
            triangles.extend([[b, a, inner(a)], [b, inner(a), inner(b)]]);
            triangles.extend([[d, c, inner(c)], [d, inner(c), inner(d)]]);
        }
        Mesh::new(positions, triangles).expect("a ring of rings")
    }

    /// Vertices on one side of the skin; the index of an inner vertex is that of the outer one plus this number.
    pub fn per_side(&self) -> u32 {
        ((self.rows + 1) * self.segments) as u32
    }

    /// A vertex of the outer side of the skin.
    pub fn outer(&self, row: usize, segment: usize) -> u32 {
        (row * self.segments + segment % self.segments) as u32
    }

    /// How far vertices of two layers are kept apart: a little more than half the diagonal of a cell, so that none fits
    /// through between four others.
    pub fn room(&self) -> f64 {
        let cell = [TAU / self.segments as f64, (PI - Self::BARE[0] - Self::BARE[1]) / self.rows as f64];
        0.55 * libm::sqrt(cell[0] * cell[0] + cell[1] * cell[1])
    }

    /// The core, dents and all.
    pub fn core(&self) -> Mesh {
        let (segments, rings) = (2 * self.segments / 3, 2 * self.rows / 3);
        let profile: Vec<[f64; 2]> = (0..=rings)
            .map(|ring| {
                let angle = PI * (1.0 - ring as f64 / rings as f64);
                let radius = Self::radius(angle) - Self::THICKNESS - Self::GAP;
                let away = if ring == 0 || ring == rings { 0.0 } else { radius * libm::sin(angle) };
                [away, radius * libm::cos(angle)]
            })
            .collect();
        shapes::surface_of_revolution(&profile, segments)
    }

    /// The surface along which the skin is cut: it climbs by one turn of the peel per turn.
    pub fn helicoid(&self) -> Result<CutSurface, CutError> {
        CutSurface::helicoid(DVec3::Z * self.helix_start(), DVec3::Z, self.pitch(), DVec3::X)
    }

    /// The angle along the helix at which the cut passes above a point.
    pub fn passed_at(&self, p: DVec3) -> f64 {
        let around = libm::atan2(p.y, p.x);
        let around = if around < 0.0 { around + TAU } else { around };
        let turns = (p.z - self.helix_start()) / self.pitch() - around / TAU;
        around + TAU * turns.ceil()
    }

    fn pitch(&self) -> f64 {
        (self.height(1.0) - self.height(0.0)) / self.turns
    }

    /// Chosen so that the cut enters the lower rim between two vertices.
    fn helix_start(&self) -> f64 {
        self.height(0.0) - 0.37 * self.pitch()
    }

    fn height(&self, share: f64) -> f64 {
        let angle = self.angle(share);
        Self::radius(angle) * libm::cos(angle)
    }

    /// The polar angle at a share of the way from the lower rim to the upper.
    fn angle(&self, share: f64) -> f64 {
        let [low, high] = [PI - Self::BARE[0], Self::BARE[1]];
        low + (high - low) * share
    }
}

fn place(angle: f64, radius: f64, around: f64) -> DVec3 {
    let away = radius * libm::sin(angle);
    DVec3::new(away * libm::cos(around), away * libm::sin(around), radius * libm::cos(angle))
}

#[cfg(test)]
mod tests {
    use super::*;
    use fracas::mesh::Report;

    #[test]
    fn skin_and_core_are_closed_and_apart() {
        for size in [Size::Small, Size::Paper] {
            let apple = Apple::new(size);
            let (skin, core) = (Report::of(&apple.skin()), Report::of(&apple.core()));
            assert!(skin.closed && skin.oriented && core.closed && core.oriented);
            assert!(skin.volume.unwrap() > 0.0 && core.volume.unwrap() > 0.0);
            let both = Mesh::join([&apple.skin(), &apple.core()]).unwrap();
            assert_eq!(fracas::pairs::brute::find_self_pairs(&both, fracas::Touch::Include), []);
        }
    }

    #[test]
    fn the_cut_passes_above_each_point_once() {
        let apple = Apple::new(Size::Paper);
        let helicoid = apple.helicoid().unwrap();
        for (around, turn) in [(0.3, 1.0), (3.0, 2.0), (6.2, 5.0)] {
            let at = around + TAU * turn;
            let on_the_cut = helicoid.point([at, 0.9]);
            assert!((apple.passed_at(on_the_cut - 1e-6 * DVec3::Z) - at).abs() < 1e-9);
            assert!((apple.passed_at(on_the_cut + 1e-6 * DVec3::Z) - at - TAU).abs() < 1e-9);
        }
    }
}
