//! A body during a step.

use crate::geom::{DVec3, Pose};
use crate::mesh::{MeshError, check_finite};
use crate::walk::{Shape, View};

/// A body during a step: where it is at the start, and where it is going.
///
/// Every vertex moves linearly. A view alone stands for a body that rests.
///
/// ```
/// use fracas::{Finder, MeshTree, geom::{DVec3, Pose}, mesh::shapes};
/// let wall = MeshTree::build(shapes::cuboid(DVec3::new(0.01, 1.0, 1.0)));
/// let ball = MeshTree::build(shapes::icosphere(0.1, 3));
/// let [before, after] = [-1.0, 3.0].map(|x| Pose::from_translation(DVec3::X * x).unwrap());
/// // At both ends of the step the ball is far from the wall.
/// let mut finder = Finder::default();
/// let first = finder.find_impacts(ball.at(&before).to(&after), &wall).first().unwrap();
/// assert!((4.0 * first.low - 0.895).abs() < 0.005);
/// ```
#[derive(Clone, Copy, Debug)]
#[must_use]
pub struct Sweep<'a> {
    pub(crate) view: View<'a>,
    pub(crate) course: Course<'a>,
}

/// Where a body goes.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Course<'a> {
    Rest,
    Positions(&'a [DVec3]),
    Pose(Pose),
}

impl<'a, T: Into<View<'a>>> From<T> for Sweep<'a> {
    fn from(view: T) -> Self {
        Self { view: view.into(), course: Course::Rest }
    }
}

impl<'a> View<'a> {
    /// The body during a step that ends with another pose.
    ///
    /// # Panics
    /// As [`View::at`], if the end is too far away.
    pub fn to(self, end: &Pose) -> Sweep<'a> {
        let end = self.at(end).pose;
        Sweep { view: self, course: Course::Pose(end) }
    }

    /// The body during a step that ends with these positions, which no pose moves.
    ///
    /// # Errors
    /// A number of positions other than that of the body's vertices (a fragment of a brittle body has none that could be
    /// replaced), or one that is not finite.
    pub fn to_positions(self, end: &'a [DVec3]) -> Result<Sweep<'a>, MeshError> {
        let expected = match self.shape {
            Shape::Hierarchy { body, .. } => body.vertex_count(),
            Shape::Soup(mesh) => mesh.positions().len(),
        };
        if expected != end.len() {
            return Err(MeshError::WrongVertexCount { expected, given: end.len() });
        }
        check_finite(end)?;
        Ok(Sweep { view: self, course: Course::Positions(end) })
    }
}

impl<'a> Sweep<'a> {
    /// Poses that divide a rigid motion into equal pieces, the first and last included: `pieces` steps, in each of which
    /// vertices move linearly. See the [module](super) for how far that is from the rotation.
    ///
    /// # Panics
    /// If `pieces` is zero.
    pub fn through(start: &Pose, end: &Pose, pieces: usize) -> Vec<Pose> {
        assert!(pieces > 0, "a motion has at least one piece");
        let [from, to] = [start, end].map(|pose| glam::DQuat::from_mat3(&pose.rotation()));
        let between = |k: usize| {
            let t = k as f64 / pieces as f64;
            let turned = from.slerp(to, t).normalize();
            Pose::new(turned, start.translation().lerp(end.translation(), t)).expect("between two poses")
        };
        (0..=pieces)
            .map(|k| {
                if k == 0 {
                    *start
                } else if k == pieces {
                    *end
                } else {
                    between(k)
                }
            })
            .collect()
    }
}
