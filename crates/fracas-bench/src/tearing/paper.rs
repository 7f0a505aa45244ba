//! What the paper reports, as facts to set beside what we measure.
//!
//! M. A. Otaduy, O. Chassot, D. Steinemann, M. Gross, *Balanced hierarchies for collision detection between fracturing
//! objects*, IEEE Virtual Reality 2007: Table 1 and section 5. Its curves are not given as numbers, so they are not
//! repeated.

/// The machine of all its figures (section 5.1).
pub const MACHINE: &str = "dual Pentium 4, 3.0 GHz, 2 GB, 2007";

/// A row of Table 1; times are milliseconds per step.
pub struct Row {
    pub first: usize,
    pub last: usize,
    pub old: f64,
    pub decomposed: f64,
    pub crack: f64,
    pub refit: f64,
    pub optimise: f64,
    pub total: f64,
    pub midpoint: f64,
    pub median: f64,
}

/// Table 1.
pub const TABLE: [Row; 3] = [
    Row {
        first: 5_660,
        last: 6_702,
        old: 16.27,
        decomposed: 49.00,
        crack: 62.00,
        refit: 2.60,
        optimise: 4.08,
        total: 6.78,
        midpoint: 25.48,
        median: 49.42,
    },
    Row {
        first: 22_640,
        last: 24_672,
        old: 29.73,
        decomposed: 89.36,
        crack: 125.09,
        refit: 9.48,
        optimise: 15.99,
        total: 25.68,
        midpoint: 100.10,
        median: 226.07,
    },
    Row {
        first: 90_560,
        last: 94_560,
        old: 57.45,
        decomposed: 172.55,
        crack: 248.55,
        refit: 37.02,
        optimise: 62.27,
        total: 100.74,
        midpoint: 410.60,
        median: 1491.59,
    },
];

/// The apple (section 5.3).
pub mod apple {
    pub const TRIANGLES: [usize; 2] = [6_124, 11_152];
    /// Restructuring stays below this in every frame but those with a rebuild, in milliseconds.
    pub const UPDATE_BELOW: f64 = 12.0;
    /// Greatest speed-up of a restructured frame over a rebuilt one.
    pub const SPEED_UP: f64 = 20.0;
    /// Q above which the whole tree was rebuilt, and how often that happened.
    pub const LIMIT: f64 = 2.3;
    pub const REBUILDS: usize = 9;
    /// Mean time of a self-collision query, in milliseconds: restructured, rebuilt.
    pub const QUERY: [f64; 2] = [142.8, 138.3];
}

/// The pumpkin in eight pieces (section 5.4); times in milliseconds: restructured, rebuilt.
pub mod pumpkin {
    pub const TRIANGLES: [usize; 2] = [10_000, 16_136];
    /// Restructuring is faster than rebuilding below this many pieces.
    pub const FASTER_BELOW: usize = 8;
    pub const QUERY_MAX: [f64; 2] = [71.5, 61.3];
    pub const QUERY_MEAN: [f64; 2] = [23.7, 18.6];
}
