//! What the paper reports, as facts to set beside what we measure.
//!
//! G. Zachmann, R. Weller, *Kinetic bounding volume hierarchies for collision detection of deformable objects*, Technical
//! Report IfI-06-02, TU Clausthal, 2006, §9. Its curves are not given as numbers, so they are not repeated. It does not say how many
//! frames it shows per key.

/// The machine of all its figures.
pub const MACHINE: &str = "Pentium 4, 3.0 GHz, 1 GB, 2006";

/// The tablecloth in its highest resolution, per frame.
pub mod tablecloth {
    pub const EVENTS: f64 = 400.0;
    pub const UPDATES: f64 = 1_000.0;
    /// Values that a bottom-up update computes.
    pub const BOTTOM_UP_UPDATES: f64 = 60_000.0;
}

/// How many times as fast as a bottom-up update.
pub mod speed_up {
    /// Updates of the kinetic AABB tree: tablecloth, spheres, shirt and dress.
    pub const TABLECLOTH: f64 = 5.0;
    pub const SPHERES: f64 = 5.0;
    pub const WORN: f64 = 10.0;
    /// Updates and checks of the separation list: dress and tablecloth.
    pub const DRESS_IN_ALL: f64 = 5.0;
    pub const TABLECLOTH_IN_ALL: f64 = 3.0;
}
