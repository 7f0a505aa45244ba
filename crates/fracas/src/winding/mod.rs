//! Winding numbers: how often a surface goes around a point, for open and broken surfaces too.
//!
//! The winding number of a point is the sum of the solid angles of all triangles, seen from it, divided by 4π. For a closed surface it
//! is an integer: 1 inside, 0 outside. For a surface with holes, gaps and overlaps it is any real number, and changes
//! smoothly away from the surface. So "more than a half" is a good definition of *inside* for a surface that is not closed.
//!
//! | question | call | answer |
//! |---|---|---|
//! | one point, or a closed surface | [`View::winding_number`] | whole numbers are exact; others are sums over all triangles |
//! | many points | [`WindingField`] | within the accuracy asked for, in about a microsecond |
//! | inside or outside | [`View::side_by_winding`], [`WindingField::side`] | |
//!
//! # On the surface
//!
//! A winding number jumps by one across the surface. A point exactly on a triangle sees it as if it were not there: the triangle lies in
//! one plane with the point and counts as zero, which is the mean of both sides.
//!
//! # References
//!
//! A. Jacobson, L. Kavan, O. Sorkine-Hornung, *Robust inside–outside segmentation using generalized winding numbers*, ACM Transactions on
//! Graphics 32(4), 2013. G. Barill, N. G. Dickson, R. Schmidt, D. I. W. Levin, A. Jacobson, *Fast winding numbers for soups and clouds*,
//! ACM Transactions on Graphics 37(4), 2018. A. van Oosterom, J. Strackee, *The solid angle of a plane triangle*, 1983.

mod evaluate;
mod expansion;
mod field;
mod moments;
mod rows;
mod solid_angle;

pub use field::{WindingField, WindingOptions};

use crate::geom::DVec3;
use crate::mesh::TriangleId;
use crate::walk::{Shape, Side, View};
use solid_angle::winding;

impl View<'_> {
    /// The winding number of the surface around a point.
    ///
    /// Of a surface that is closed and consistently oriented it is a whole number, decided exactly by counting the triangles that a way
    /// outside enters and leaves. Of others it is the sum of the solid angles of all triangles, rounded. On the surface it is
    /// the mean of both sides, rounded. A point that is not finite, and any point of an empty body, has 0.
    ///
    /// # Cost
    /// That of a ray, where the surface is closed (which is found out once per body, see [`View::require_closed`]). Else a
    /// pass over all triangles: for many points build a [`WindingField`].
    ///
    /// ```
    /// use fracas::{MeshTree, geom::DVec3, mesh::shapes};
    /// let ball = MeshTree::build(shapes::icosphere(1.0, 3));
    /// assert_eq!(ball.view().winding_number(DVec3::ZERO), 1.0);
    /// let sheet = MeshTree::build(shapes::cloth_grid(4, 4, [2.0, 2.0]));
    /// let near = sheet.view().winding_number(sheet.mesh().bounds().centre() + DVec3::splat(1e-6));
    /// assert!((near.abs() - 0.5).abs() < 1e-3);
    /// ```
    #[must_use]
    pub fn winding_number(&self, p: DVec3) -> f64 {
        if !p.is_finite() {
            return 0.0;
        }
        if self.is_closed_and_oriented()
            && let Some(crossings) = self.crossings(p)
        {
            return crossings.winding as f64;
        }
        let mut sum = 0.0;
        for_each_triangle(self, &mut |id| {
            sum += winding(&self.triangle(id).corners().map(|corner| corner - p))
        });
        sum
    }

    /// On which side of a surface a point lies by its winding number: inside where it is a half or more, or minus a half or less.
    ///
    /// This has an answer for every surface, open or broken. It never says *on*.
    ///
    /// ```
    /// use fracas::{Mesh, MeshTree, Side, geom::DVec3, mesh::shapes};
    /// let (positions, mut triangles) = shapes::icosphere(1.0, 3).into_parts();
    /// triangles.truncate(triangles.len() - 20);
    /// let open = MeshTree::build(Mesh::new(positions, triangles).unwrap());
    /// assert!(open.view().side_of(DVec3::ZERO).is_err());
    /// assert_eq!(open.view().side_by_winding(DVec3::ZERO), Side::Inside);
    /// ```
    #[must_use]
    pub fn side_by_winding(&self, p: DVec3) -> Side {
        side(self.winding_number(p))
    }
}

/// The side that a winding number means.
fn side(winding: f64) -> Side {
    if winding.abs() >= 0.5 { Side::Inside } else { Side::Outside }
}

/// Calls `visit` with every triangle of a view, in an order that depends on the body alone.
fn for_each_triangle(view: &View, visit: &mut impl FnMut(TriangleId)) {
    match view.shape {
        Shape::Hierarchy { body, tree } => {
            body.roots(tree).for_each(|(root, _)| body.for_each_triangle(root, visit));
        }
        Shape::Soup(mesh) => (0..mesh.triangles().len() as u32).map(TriangleId).for_each(visit),
    }
}
