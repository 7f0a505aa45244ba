//! Views: which body, or part of one, and where it is.

use super::{Child, Corners, Hierarchy, Node};
use crate::geom::{Box3, DVec3, Pose, PoseError, Triangle};
use crate::mesh::{Mesh, MeshRef, TriangleId};
use crate::pairs::{Frame, LANES, RowIds};

/// A body of any kind at a place: the argument of all queries.
///
/// `&body` is a view of the body as it stands, and `body.at(&pose)` a view of the body moved by the pose. Answers are exact for the
/// positions that [`Pose::apply`] gives.
///
/// ```
/// use fracas::{Finder, MeshTree, geom::{DVec3, Pose}, mesh::shapes};
/// let ball = MeshTree::build(shapes::icosphere(1.0, 3));
/// let aside = Pose::from_translation(DVec3::new(1.5, 0.0, 0.0)).unwrap();
/// assert!(!Finder::default().find_pairs(&ball, ball.at(&aside)).is_empty());
/// assert!(ball.at(&aside).nearest(DVec3::ZERO, 1.0).is_some());
/// ```
#[derive(Clone, Copy)]
#[must_use]
pub struct View<'a> {
    pub(crate) shape: Shape<'a>,
    pub(crate) pose: Pose,
}

/// What a view shows.
#[derive(Clone, Copy)]
pub(crate) enum Shape<'a> {
    /// A body with a hierarchy; all of its trees, or one.
    Hierarchy { body: &'a dyn Hierarchy, tree: Option<usize> },
    /// Triangles without one.
    Soup(MeshRef<'a>),
}

impl<'a> From<&'a Mesh> for View<'a> {
    fn from(mesh: &'a Mesh) -> Self {
        MeshRef::from(mesh).into()
    }
}

impl<'a> From<MeshRef<'a>> for View<'a> {
    fn from(mesh: MeshRef<'a>) -> Self {
        Self { shape: Shape::Soup(mesh), pose: Pose::IDENTITY }
    }
}

impl Mesh {
    /// The mesh where a pose puts it, for queries that keep no structure. Panics as [`View::at`] does, if that is too far away.
    pub fn at(&self, pose: &Pose) -> View<'_> {
        View::from(self).at(pose)
    }
}

impl<'a> MeshRef<'a> {
    /// The mesh where a pose puts it. Panics as [`View::at`] does, if that is too far away.
    pub fn at(self, pose: &Pose) -> View<'a> {
        View::from(self).at(pose)
    }
}

impl std::fmt::Debug for View<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("View").field("pose", &self.pose).finish_non_exhaustive()
    }
}

impl<'a> View<'a> {
    /// A view of a body with a hierarchy.
    pub(crate) fn of(body: &'a dyn Hierarchy, tree: Option<usize>) -> Self {
        Self { shape: Shape::Hierarchy { body, tree }, pose: Pose::IDENTITY }
    }

    /// The same body where another pose puts it.
    ///
    /// # Panics
    /// If that is farther from the origin than [`Pose::FARTHEST`]. [`View::try_at`] refuses the pose instead.
    pub fn at(self, pose: &Pose) -> Self {
        self.try_at(pose).unwrap_or_else(|error| panic!("{error}"))
    }

    /// The same body where another pose puts it, if all its points stay in range.
    ///
    /// # Errors
    /// If the largest coordinate of the body and the largest of the translation are more than [`Pose::FARTHEST`] together. The
    /// identity is always good.
    ///
    /// # Cost
    /// Constant for bodies with a hierarchy, whose frame bounds their coordinates; linear for soups.
    ///
    /// ```
    /// use fracas::{MeshTree, geom::{DVec3, Pose}, mesh::shapes};
    /// let ball = MeshTree::build(shapes::icosphere(1.0, 2));
    /// let far = Pose::from_translation(DVec3::X * 1e308).unwrap();
    /// assert!(ball.view().try_at(&far).is_err());
    /// assert!(ball.view().try_at(&Pose::IDENTITY).is_ok());
    /// ```
    pub fn try_at(self, pose: &Pose) -> Result<Self, PoseError> {
        if !pose.is_identity() {
            let reach = self.largest_coordinate() + pose.translation().abs().max_element();
            // A translation that is no number is in no range.
            if !(0.0..=Pose::FARTHEST).contains(&reach) {
                return Err(PoseError { reach });
            }
        }
        Ok(Self { pose: *pose, ..self })
    }

    /// A bound of the body's coordinates before it is posed.
    fn largest_coordinate(&self) -> f64 {
        match self.shape {
            Shape::Hierarchy { body, .. } => {
                let frame = body.frame();
                f64::from(Frame::REACH) / frame.scale + frame.centre.abs().max_element()
            }
            Shape::Soup(mesh) => {
                let positions = MeshRef::positions(&mesh).iter();
                positions.fold(DVec3::ZERO, |most, p| most.max(p.abs())).max_element()
            }
        }
    }

    /// A triangle where the pose puts it. Panics if the body has no such triangle.
    pub fn triangle(&self, id: TriangleId) -> Triangle {
        let t = match self.shape {
            Shape::Hierarchy { body, .. } => body.triangle(id.0),
            Shape::Soup(mesh) => mesh.triangle(id.index()),
        };
        self.pose.apply_to_triangle(&t)
    }

    /// A box around all triangles; empty if there are none. It may be larger than the smallest by about a millionth of the body's
    /// size, and by more if the pose turns the body.
    pub fn bounds(&self) -> Box3 {
        match self.shape {
            Shape::Hierarchy { body, tree } => {
                body.bounds(tree).map_or(Box3::EMPTY, |corners| self.sight().in_world(corners))
            }
            Shape::Soup(mesh) => {
                let vertices = mesh.triangles().iter().flatten();
                Box3::from_points(vertices.map(|&v| self.pose.apply(mesh.positions()[v as usize])))
            }
        }
    }

    /// Visits triangles below boxes in the order of a lower bound, nearest first.
    ///
    /// `bounds` writes a bound for every lane of a node; what exceeds the limit is not visited. `visit` is called with
    /// each triangle as the pose puts it, and returns the new limit, or `None` to stop.
    pub(super) fn visit(
        &self,
        mut limit: f64,
        mut bounds: impl FnMut(&Node, &mut [f64; LANES]),
        mut visit: impl FnMut(u32, &Triangle) -> Option<f64>,
    ) {
        let (body, tree) = match self.shape {
            Shape::Hierarchy { body, tree } => (body, tree),
            Shape::Soup(mesh) => {
                let posed = |index| self.pose.apply_to_triangle(&mesh.triangle(index));
                let mut all = 0..mesh.triangles().len();
                all.all(|index| visit(index as u32, &posed(index)).is_some());
                return;
            }
        };
        let mut stack: Vec<(f64, Child)> = Vec::with_capacity(64);
        stack.extend(body.roots(tree).map(|(root, _)| (f64::NEG_INFINITY, root)));
        let (mut node, mut ids, mut lanes) = (Node::EMPTY, RowIds::EMPTY, [0.0; LANES]);
        while let Some((bound, child)) = stack.pop() {
            if bound > limit {
                continue;
            }
            if child.is_leaf() {
                for triangle in body.ids(child.index(), &mut ids).triangle_ids() {
                    let t = self.pose.apply_to_triangle(&body.triangle(triangle.0));
                    match visit(triangle.0, &t) {
                        Some(next) => limit = next,
                        None => return,
                    }
                }
                continue;
            }
            let node = body.node(child.index(), &mut node);
            bounds(node, &mut lanes);
            let first = stack.len();
            stack.extend(
                node.used().map(|(lane, child)| (lanes[lane], child)).filter(|(bound, _)| *bound <= limit),
            );
            stack[first..].sort_unstable_by(|a, b| b.0.total_cmp(&a.0));
        }
    }

    /// How the frame of the view's hierarchy sees the world.
    pub(super) fn sight(&self) -> Sight {
        let frame = match self.shape {
            Shape::Hierarchy { body, .. } => body.frame(),
            Shape::Soup(_) => Frame::default(),
        };
        let to_body = (!self.pose.is_identity()).then(|| self.pose.inverse());
        let pad = if to_body.is_some() { posing_error(&frame, &self.pose) * frame.scale } else { 0.0 };
        Sight { frame, pose: self.pose, to_body, pad }
    }
}

/// How far positions that a pose has moved may be from the exact ones: they are rounded once, and the pose and its inverse
/// are off by a few roundings themselves.
pub(super) fn posing_error(frame: &Frame, pose: &Pose) -> f64 {
    let size = f64::from(Frame::REACH) / frame.scale + frame.centre.abs().max_element();
    64.0 * f64::EPSILON * (2.0 * size + pose.translation().abs().max_element())
}

/// The map from the world to the frame of a posed body, in `f64`.
pub(super) struct Sight {
    pub(super) frame: Frame,
    pose: Pose,
    to_body: Option<Pose>,
    /// How far the exact posed triangles may be from where the frame sees them.
    pub(super) pad: f64,
}

impl Sight {
    /// A point in frame coordinates. Rounding is up to `16 ε` of the largest of them, and [`Sight::pad`].
    pub(super) fn point(&self, p: DVec3) -> DVec3 {
        self.frame.map_exact(self.to_body.map_or(p, |pose| pose.apply(p)))
    }

    /// [`Sight::pad`], and the rounding of a point with coordinates up to `far`. Only poses mix coordinates, and so their roundings.
    pub(super) fn rounding(&self, far: f64) -> f64 {
        if self.pad > 0.0 { self.pad + 32.0 * f64::EPSILON * far } else { 0.0 }
    }

    /// A point, scaled and turned like the frame but not moved: differences of these are directions.
    pub(super) fn direction(&self, p: DVec3) -> DVec3 {
        self.to_body.map_or(p, |pose| pose.rotation() * p) * self.frame.scale
    }

    /// A box in the world around a box in frame coordinates, with all roundings allowed for.
    pub(super) fn in_world(&self, (low, high): Corners) -> Box3 {
        let pad = f64::from(Frame::SLACK);
        let unmap = |x: [f32; 3], pad: f64| {
            let p = self.frame.unmap(DVec3::from_array(x.map(f64::from)) + pad);
            p + p.abs() * (4.0 * f64::EPSILON) * pad.signum()
        };
        posed_box(&self.pose, unmap(low, -pad), unmap(high, pad))
    }
}

/// A box that holds a box where a pose puts it.
fn posed_box(pose: &Pose, low: DVec3, high: DVec3) -> Box3 {
    if pose.is_identity() {
        return Box3 { min: low, max: high };
    }
    let (centre, half) = (0.5 * low + 0.5 * high, 0.5 * high - 0.5 * low);
    let r = pose.rotation();
    let reach = r.x_axis.abs() * half.x + r.y_axis.abs() * half.y + r.z_axis.abs() * half.z;
    let middle = pose.apply(centre);
    let rounding = 16.0 * f64::EPSILON * (centre.abs() + half).max_element()
        + 8.0 * f64::EPSILON * pose.translation().abs();
    Box3 { min: middle - reach - rounding, max: middle + reach + rounding }
}
