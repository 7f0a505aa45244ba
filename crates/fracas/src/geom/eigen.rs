//! Eigenvectors of symmetric 3×3 matrices, by Jacobi rotations.
//!
//! Each rotation zeroes one entry off the diagonal. A few sweeps over the three of them are enough. Every step is stable, whatever the
//! rank, and eigenvectors come out orthonormal up to rounding, which is what boxes and pseudo-inverses need. Nothing but arithmetic and
//! square roots is used, so results are the same on every machine.

use crate::geom::{DMat3, DVec3};

/// Eigenvalues, the largest first, and eigenvectors of length one as columns. Only the upper triangle is read.
pub(crate) fn symmetric_eigen(matrix: &DMat3) -> (DVec3, DMat3) {
    let mut a = [matrix.x_axis, matrix.y_axis, matrix.z_axis].map(|column| column.to_array());
    for i in 0..3 {
        for j in 0..i {
            a[j][i] = a[i][j];
        }
    }
    let mut vectors = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    for _ in 0..24 {
        let beside = a[0][1].abs() + a[0][2].abs() + a[1][2].abs();
        if beside == 0.0 {
            break;
        }
        for (p, q) in [(0, 1), (0, 2), (1, 2)] {
            rotate(&mut a, &mut vectors, p, q);
        }
    }
    let mut order = [0, 1, 2];
    order.sort_by(|&i, &j| a[j][j].total_cmp(&a[i][i]));
    let values = DVec3::from(order.map(|k| a[k][k]));
    let columns = order.map(|k| DVec3::from(vectors[k]).normalize());
    (values, DMat3::from_cols(columns[0], columns[1], columns[2]))
}

/// Zeroes the entry in row p and column q. `vectors[k]` is the eigenvector of the diagonal entry k.
fn rotate(a: &mut [[f64; 3]; 3], vectors: &mut [[f64; 3]; 3], p: usize, q: usize) {
    if a[p][q] == 0.0 {
        return;
    }
    let theta = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
    // An infinite theta makes the rotation none at all.
    let t = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
    let c = 1.0 / (t * t + 1.0).sqrt();
    let s = t * c;
    let off = a[p][q];
    a[p][p] -= t * off;
    a[q][q] += t * off;
    (a[p][q], a[q][p]) = (0.0, 0.0);
    let r = 3 - p - q;
    let (arp, arq) = (a[r][p], a[r][q]);
    (a[r][p], a[r][q]) = (c * arp - s * arq, s * arp + c * arq);
    (a[p][r], a[q][r]) = (a[r][p], a[r][q]);
    for k in 0..3 {
        let (vp, vq) = (vectors[p][k], vectors[q][k]);
        (vectors[p][k], vectors[q][k]) = (c * vp - s * vq, s * vp + c * vq);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Random;

    #[test]
    fn eigenvectors_rebuild_the_matrix_whatever_its_rank() {
        let mut random = Random::new(1);
        for round in 0..2000 {
            let rank = 1 + round % 3;
            let mut matrix = DMat3::ZERO;
            for _ in 0..rank {
                let v = DVec3::new(random.signed(), random.signed(), random.signed());
                let v = v * 10f64.powi(random.below(7) as i32 - 3);
                matrix += DMat3::from_cols(v * v.x, v * v.y, v * v.z);
            }
            let (values, vectors) = symmetric_eigen(&matrix);
            assert!(values.x >= values.y && values.y >= values.z);
            let rebuilt = vectors * DMat3::from_diagonal(values) * vectors.transpose();
            let size = values.x.abs();
            assert!(rebuilt.abs_diff_eq(matrix, 1e-13 * size), "{matrix} {rebuilt}");
            assert!((vectors.transpose() * vectors).abs_diff_eq(DMat3::IDENTITY, 1e-13));
            assert!((0..3).filter(|&k| values[k] > 1e-12 * size).count() <= rank);
        }
        let (values, vectors) = symmetric_eigen(&DMat3::ZERO);
        assert_eq!((values, vectors), (DVec3::ZERO, DMat3::IDENTITY));
    }
}
