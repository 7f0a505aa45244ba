//! Triangles that are hard to decide about, from a fixed stream of numbers.

use fracas::geom::{DVec3, Triangle};
use fracas::internal::Random;

/// A stream of numbers that is the same in every run (SplitMix64).
pub struct Stream(Random);

impl Stream {
    pub fn new(seed: u64) -> Self {
        Self(Random::new(seed))
    }

    pub fn bits(&mut self) -> u64 {
        self.0.bits()
    }

    pub fn below(&mut self, n: u64) -> u64 {
        self.bits() % n
    }

    /// Uniform in −1..1.
    pub fn unit(&mut self) -> f64 {
        self.0.signed()
    }

    fn points<const N: usize>(&mut self, mut coordinate: impl FnMut(&mut Self) -> f64) -> [DVec3; N] {
        std::array::from_fn(|_| DVec3::new(coordinate(self), coordinate(self), coordinate(self)))
    }
}

/// Where the coordinates come from.
#[derive(Clone, Copy, Debug)]
pub enum Family {
    /// Uniform in a cube.
    Random,
    /// Integers −3..3, or −1..1: coplanar, touching and flat triangles all the time.
    Grid(u64),
    /// Grid points moved by up to two units in the last place, some of them.
    NearGrid,
    /// Tenths, which are no `f64` numbers: planes that are nearly, but not exactly, what they look like.
    Tenths,
    /// Every coordinate with its own exponent within ±60.
    Mixed,
    /// Grid points times a power of two beyond the range of the expansions.
    Scaled(i32),
    /// Coordinates from the whole range of `f64`, subnormal numbers and the largest ones included.
    Extreme,
    /// A few subnormal units.
    Subnormal,
}

impl Family {
    pub const ALL: [Self; 12] = [
        Self::Random,
        Self::Grid(3),
        Self::Grid(1),
        Self::NearGrid,
        Self::Tenths,
        Self::Mixed,
        Self::Scaled(900),
        Self::Scaled(-900),
        Self::Scaled(-1070),
        Self::Scaled(1020),
        Self::Extreme,
        Self::Subnormal,
    ];

    /// Points of this family.
    pub fn points<const N: usize>(self, stream: &mut Stream) -> [DVec3; N] {
        let integer = |s: &mut Stream, reach: u64| s.below(2 * reach + 1) as f64 - reach as f64;
        match self {
            Self::Random => stream.points(Stream::unit),
            Self::Grid(reach) => stream.points(|s| integer(s, reach)),
            Self::NearGrid => stream
                .points(|s| {
                    let x = integer(s, 2);
                    if s.below(3) == 0 {
                        f64::from_bits((x.to_bits() as i64 + s.below(5) as i64 - 2).max(0) as u64)
                    } else {
                        x
                    }
                })
                .map(|p: DVec3| if p.is_finite() { p } else { DVec3::ZERO }),
            Self::Tenths => stream.points(|s| integer(s, 4) * 0.1 + 0.7),
            Self::Mixed => stream.points(|s| {
                let exponent = s.below(121) as i32 - 60;
                let x = if s.below(2) == 0 { integer(s, 2) } else { s.unit() };
                x * 2f64.powi(exponent)
            }),
            Self::Scaled(exponent) => stream
                .points(|s| integer(s, 3) * 2f64.powi(exponent / 2) * 2f64.powi(exponent - exponent / 2)),
            Self::Extreme => stream.points(|s| match s.below(6) {
                0 => 0.0,
                1 => f64::MAX * if s.below(2) == 0 { 1.0 } else { -1.0 },
                2 => integer(s, 3) * f64::from_bits(1),
                3 => integer(s, 2),
                _ => {
                    let x = f64::from_bits(s.bits());
                    if x.is_finite() { x } else { 1.0 }
                }
            }),
            Self::Subnormal => stream.points(|s| integer(s, 9) * f64::from_bits(1)),
        }
    }

    /// How many cases to try of a family, given how many of an easy one: long fractions take long.
    pub fn cases(self, easy: usize) -> usize {
        match self {
            Self::Random | Self::Mixed => easy / 4,
            Self::Extreme => easy / 40,
            Self::Scaled(_) | Self::Subnormal => easy / 4,
            Self::Grid(_) | Self::NearGrid | Self::Tenths => easy,
        }
    }
}

/// Two triangles of a family. Corners are reused now and then, within a triangle and between the two, exactly or as
/// the midpoint of two others.
pub fn pair(family: Family, stream: &mut Stream) -> [Triangle; 2] {
    let mut p: [DVec3; 6] = family.points(stream);
    while stream.below(3) == 0 {
        let [to, from, other] = [6, 6, 6].map(|n| stream.below(n) as usize);
        p[to] = if stream.below(2) == 0 { p[from] } else { 0.5 * p[from] + 0.5 * p[other] };
    }
    [Triangle::new(p[0], p[1], p[2]), Triangle::new(p[3], p[4], p[5])]
}

/// The six orders of three things.
pub const ORDERS: [[usize; 3]; 6] = [[0, 1, 2], [1, 2, 0], [2, 0, 1], [0, 2, 1], [2, 1, 0], [1, 0, 2]];

/// The triangle with its corners in another order.
pub fn reorder(t: &Triangle, [i, j, k]: [usize; 3]) -> Triangle {
    let p = t.corners();
    Triangle::new(p[i], p[j], p[k])
}
