//! Moments of the area vectors of a patch: its effect at a distance.
//!
//! With *y* a point of the patch relative to a centre and *n* the unit normal there, the moments are the integrals of *n*,
//! *y n*, *y y n* and *y y y n* over the patch. They add up, and moving the centre mixes them.

use crate::geom::DVec3;

/// Moments about a centre.
#[derive(Clone, Copy, Debug)]
pub(super) struct Moments {
    pub(super) centre: DVec3,
    /// ∫ n.
    pub(super) n: DVec3,
    /// ∫ yᵢ n.
    pub(super) yn: [DVec3; 3],
    /// ∫ yᵢ yⱼ n, for xx, yy, zz, xy, yz, zx.
    pub(super) yyn: [DVec3; 6],
    /// ∫ yᵢ yⱼ yₖ n, in the order of [`TRIPLES`].
    pub(super) yyyn: [DVec3; 10],
}

/// Which coordinates the second moments are of.
pub(super) const PAIRS: [[usize; 2]; 6] = [[0, 0], [1, 1], [2, 2], [0, 1], [1, 2], [2, 0]];

/// Which coordinates the third moments are of.
pub(super) const TRIPLES: [[usize; 3]; 10] = [
    [0, 0, 0],
    [1, 1, 1],
    [2, 2, 2],
    [0, 0, 1],
    [0, 0, 2],
    [0, 1, 1],
    [1, 1, 2],
    [0, 2, 2],
    [1, 2, 2],
    [0, 1, 2],
];

/// Where a pair of coordinates is among [`PAIRS`].
pub(super) const fn pair(i: usize, j: usize) -> usize {
    if i == j {
        i
    } else if i + j == 1 {
        3
    } else if i + j == 3 {
        4
    } else {
        5
    }
}

impl Moments {
    pub(super) fn zero(centre: DVec3) -> Self {
        Self { centre, n: DVec3::ZERO, yn: [DVec3::ZERO; 3], yyn: [DVec3::ZERO; 6], yyyn: [DVec3::ZERO; 10] }
    }

    /// Adds a triangle, exactly integrated.
    pub(super) fn add_triangle(&mut self, corners: &[DVec3; 3]) {
        let y = corners.map(|p| p - self.centre);
        let n = 0.5 * (y[1] - y[0]).cross(y[2] - y[0]);
        let sum = y[0] + y[1] + y[2];
        self.n += n;
        for i in 0..3 {
            self.yn[i] += n * (sum[i] / 3.0);
        }
        for (k, [i, j]) in PAIRS.into_iter().enumerate() {
            let products: f64 = y.iter().map(|y| y[i] * y[j]).sum();
            self.yyn[k] += n * ((products + sum[i] * sum[j]) / 12.0);
        }
        let squares = PAIRS.map(|[i, j]| y.iter().map(|y| y[i] * y[j]).sum::<f64>());
        for (k, [i, j, l]) in TRIPLES.into_iter().enumerate() {
            let cubes: f64 = y.iter().map(|y| y[i] * y[j] * y[l]).sum();
            let mixed =
                sum[i] * squares[pair(j, l)] + sum[j] * squares[pair(i, l)] + sum[l] * squares[pair(i, j)];
            self.yyyn[k] += n * ((sum[i] * sum[j] * sum[l] + mixed + 2.0 * cubes) / 60.0);
        }
    }

    /// Adds another patch.
    pub(super) fn add(&mut self, other: &Self) {
        let d = other.centre - self.centre;
        self.n += other.n;
        for i in 0..3 {
            self.yn[i] += other.yn[i] + other.n * d[i];
        }
        for (k, [i, j]) in PAIRS.into_iter().enumerate() {
            self.yyn[k] += other.yyn[k] + other.yn[j] * d[i] + other.yn[i] * d[j] + other.n * (d[i] * d[j]);
        }
        for (k, [i, j, l]) in TRIPLES.into_iter().enumerate() {
            let twice =
                other.yyn[pair(j, l)] * d[i] + other.yyn[pair(i, l)] * d[j] + other.yyn[pair(i, j)] * d[l];
            let once =
                other.yn[l] * (d[i] * d[j]) + other.yn[j] * (d[i] * d[l]) + other.yn[i] * (d[j] * d[l]);
            self.yyyn[k] += other.yyyn[k] + twice + once + other.n * (d[i] * d[j] * d[l]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moving_the_centre_is_the_same_as_integrating_there() {
        let [a, b, c, d] = [
            DVec3::new(0.3, -0.2, 0.5),
            DVec3::new(1.0, 0.4, -0.1),
            DVec3::new(-0.6, 0.9, 0.2),
            DVec3::new(0.1, 0.2, 1.3),
        ];
        let (mut near, mut far) =
            (Moments::zero(DVec3::new(0.1, 0.2, 0.3)), Moments::zero(DVec3::splat(2.0)));
        let mut moved = far;
        for t in [[a, b, c], [b, d, c]] {
            near.add_triangle(&t);
            far.add_triangle(&t);
        }
        moved.add(&near);
        assert!((moved.n - far.n).length() < 1e-14);
        assert!((0..3).all(|k| (moved.yn[k] - far.yn[k]).length() < 1e-14));
        assert!((0..6).all(|k| (moved.yyn[k] - far.yyn[k]).length() < 1e-13));
        assert!((0..10).all(|k| (moved.yyyn[k] - far.yyyn[k]).length() < 1e-12));
    }
}
