//! What the paper reports, as facts to set beside what we measure.
//!
//! R. Weller, N. Debowski, G. Zachmann, *kDet: parallel constant time collision detection for polygonal objects*, Computer
//! Graphics Forum 36(2), 2017: Table 1. Its curves (Figures 8 and 9) are not given as numbers, so they are not repeated.

/// The machine of all its figures (section 6.2).
pub const MACHINE: &str = "NVIDIA GTX 1080, CUDA 8.0, 2017";

/// Times of one of the two programs, in milliseconds per frame.
#[derive(Clone, Copy)]
pub struct Times {
    pub update: f64,
    pub collide: f64,
    pub total: f64,
}

/// A row of Table 1.
pub struct Row {
    pub scene: &'static str,
    pub triangles: usize,
    /// Mean and standard deviation.
    pub k: [f64; 2],
    pub height: [f64; 2],
    pub kdet: Times,
    /// gProximity of Lauterbach, Mo and Manocha (2010), on the same card.
    pub gproximity: Times,
}

const fn row(
    scene: &'static str,
    triangles: usize,
    k: [f64; 2],
    height: [f64; 2],
    [collide, update, total]: [f64; 3],
    [g_collide, g_update, g_total]: [f64; 3],
) -> Row {
    Row {
        scene,
        triangles,
        k,
        height,
        kdet: Times { update, collide, total },
        gproximity: Times { update: g_update, collide: g_collide, total: g_total },
    }
}

/// Table 1; times in the order of its columns: collisions, update, total.
pub const TABLE: [Row; 16] = [
    row("Dragon", 252_000, [8.4, 0.9], [7.8, 0.0], [8.3, 1.0, 9.3], [30.2, 3.1, 33.3]),
    row("Whirling cloth", 92_000, [6.6, 0.2], [3.4, 0.1], [5.2, 0.2, 6.1], [21.9, 2.1, 24.0]),
    row("N-body", 146_000, [9.7, 0.5], [4.4, 0.0], [4.1, 0.3, 4.4], [17.2, 2.1, 19.3]),
    row("Funnel", 18_000, [9.5, 2.0], [6.7, 1.0], [1.6, 0.1, 1.7], [12.3, 1.0, 13.3]),
    row("Chair", 40_000, [19.0, 0.3], [10.7, 0.0], [4.6, 0.1, 4.7], [11.8, 1.0, 12.8]),
    row("Chair", 90_000, [20.6, 0.5], [12.3, 0.0], [10.0, 0.2, 10.2], [23.1, 1.4, 24.5]),
    row("Chair", 130_000, [21.3, 0.6], [11.8, 0.0], [14.3, 0.3, 14.6], [32.1, 2.1, 34.2]),
    row("Breaking Buddha", 38_000, [16.8, 6.1], [8.3, 0.0], [4.9, 0.2, 5.1], [18.6, 0.9, 19.7]),
    row("Breaking Buddha", 68_000, [16.8, 6.8], [8.3, 0.0], [6.2, 0.2, 6.3], [27.1, 1.4, 28.5]),
    row("Breaking Buddha", 100_000, [13.3, 1.8], [8.3, 0.0], [7.6, 0.3, 7.9], [38.0, 2.1, 40.1]),
    row("Breaking Buddha", 120_000, [13.3, 1.8], [8.3, 0.0], [11.8, 0.4, 12.2], [59.2, 2.5, 61.7]),
    row("Cloth on Buddha", 20_000, [11.6, 2.0], [8.3, 0.0], [1.8, 0.1, 1.9], [8.3, 0.3, 8.6]),
    row("Cloth on Buddha", 40_000, [11.1, 2.0], [8.0, 0.0], [2.5, 0.1, 2.6], [11.2, 1.0, 12.2]),
    row("Cloth on Buddha", 90_000, [10.0, 1.4], [7.9, 0.0], [4.4, 0.2, 4.6], [17.0, 1.7, 18.7]),
    row("Cloth on Buddha", 200_000, [8.3, 0.9], [7.6, 0.0], [7.7, 0.5, 8.2], [31.3, 2.0, 33.4]),
    row("Cloth on Buddha", 250_000, [8.2, 0.6], [7.5, 0.0], [9.2, 0.5, 9.7], [39.1, 2.5, 41.6]),
];

/// The row of a scene with so many triangles.
pub fn row_of(scene: &str, triangles: usize) -> Option<&'static Row> {
    TABLE.iter().find(|row| row.scene == scene && row.triangles == triangles)
}

/// The points of Figure 9, left: triangles, and the total times of kDet and gProximity.
pub fn figure9() -> impl Iterator<Item = (usize, f64, f64)> {
    let cloth = TABLE.iter().filter(|row| row.scene == "Cloth on Buddha");
    cloth.map(|row| (row.triangles, row.kdet.total, row.gproximity.total))
}
