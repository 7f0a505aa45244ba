//! One piece of a body that has come apart.

use super::TearingBody;
use crate::base::sorted_set;
use crate::geom::{Box3, Pose};
use crate::mesh::TriangleId;
use crate::walk::View;

/// A piece of a [`TearingBody`]: a body of its own for every query, with a pose of its own.
///
/// ```
/// use fracas::geom::{DVec3, Pose};
/// use fracas::{Finder, TearingBody, mesh::shapes};
/// let mut body = TearingBody::build(shapes::icosphere(1.0, 3));
/// let labels: Vec<u32> = (0..1280).map(|t| u32::from(body.mesh().triangle(fracas::TriangleId(t)).centroid().x > 0.0)).collect();
/// assert_eq!(body.split(&labels), Ok(2));
/// let away = Pose::from_translation(DVec3::new(5.0, 0.0, 0.0)).unwrap();
/// let (left, right) = (body.piece(0).unwrap(), body.piece(1).unwrap());
/// assert!(Finder::default().find_pairs(left, right.at(&away)).is_empty());
/// assert_eq!(left.triangles().len() + right.triangles().len(), 1280);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Piece<'a> {
    body: &'a TearingBody,
    index: usize,
}

impl TearingBody {
    /// The piece with this index; `None` if there is none.
    #[must_use]
    pub fn piece(&self, index: usize) -> Option<Piece<'_>> {
        (index < self.piece_count()).then_some(Piece { body: self, index })
    }

    /// All pieces.
    pub fn pieces(&self) -> impl ExactSizeIterator<Item = Piece<'_>> {
        (0..self.piece_count()).map(|index| Piece { body: self, index })
    }
}

impl<'a> Piece<'a> {
    /// The piece as it stands.
    pub fn view(self) -> View<'a> {
        View::of(self.body, Some(self.index))
    }

    /// The piece where a pose puts it. Panics as [`View::at`] does, if that is too far away.
    pub fn at(self, pose: &Pose) -> View<'a> {
        self.view().at(pose)
    }

    /// A box around the piece; see [`View::bounds`].
    pub fn bounds(self) -> Box3 {
        self.view().bounds()
    }

    /// Its triangles, sorted by id.
    #[must_use]
    pub fn triangles(self) -> Vec<TriangleId> {
        let mut triangles = self.body.tree.arena.triangles(self.body.tree.roots[self.index]);
        triangles.sort_unstable();
        triangles.into_iter().map(TriangleId).collect()
    }

    /// The vertices of its triangles, ascending.
    #[must_use]
    pub fn vertices(self) -> Vec<u32> {
        sorted_set(self.triangles().into_iter().flat_map(|t| self.body.mesh().corners(t)))
    }
}

impl<'a> From<Piece<'a>> for View<'a> {
    fn from(piece: Piece<'a>) -> Self {
        piece.view()
    }
}
