//! Questions about many points at once, on all threads.
//!
//! Points are processed along a Morton curve. Each search starts with the nearest triangle of the point before it as an upper bound, and finds
//! nodes and rows in the cache. Answers come in the order of the points and equal those of single queries, bit for bit: the nearest point is a
//! minimum over the whole body, wherever a search starts.

use super::Finder;
use super::closest::tree_of_soup;
use crate::geom::DVec3;
use crate::mesh::TriangleId;
use crate::pairs::Threads;
use crate::tree::MeshTree;
use crate::walk::{CHUNK, Nearest, NearestSearch, OpenSurface, Side, SignedDistance, View, ask_along_curve};

/// Of a mesh without a structure, a tree is built for more points than this.
const FEW_POINTS: usize = 4;

/// The triangle that was nearest to the last point.
type Last = Option<TriangleId>;

impl Finder {
    /// The nearest point of a body to each of the given points; see [`View::nearest`].
    ///
    /// # Cost
    /// Many points are shared among all threads. Points near each other cost less than single ones. For a mesh without a
    /// structure, a tree is built first.
    ///
    /// ```
    /// use fracas::{Finder, MeshTree, geom::DVec3, mesh::shapes};
    /// let ball = MeshTree::build(shapes::icosphere(1.0, 4));
    /// let points: Vec<DVec3> = (0..100).map(|k| DVec3::X * f64::from(k)).collect();
    /// let found = Finder::default().nearest_each(&ball, &points, 20.0);
    /// assert_eq!(found[5], ball.view().nearest(points[5], 20.0));
    /// assert!(found[30].is_none());
    /// ```
    pub fn nearest_each<'a>(
        &mut self,
        body: impl Into<View<'a>>,
        points: &[DVec3],
        reach: f64,
    ) -> Vec<Option<Nearest>> {
        let body = body.into();
        let tree = self.tree_for(&body, points);
        let view = tree.as_ref().map_or(body, |tree| tree.at(&body.pose));
        let search = NearestSearch::new(&view);
        self.ask_each(&view, points, |p, last: &mut Last| {
            let found = search.find(p, reach, *last);
            *last = found.map(|near| near.triangle).or(*last);
            found
        })
    }

    /// The signed distance of each of the given points from a closed body; see [`View::signed_distance`].
    ///
    /// # Errors
    /// A surface that is open.
    ///
    /// # Cost
    /// As [`Finder::nearest_each`], and a ray for each point within reach.
    ///
    /// ```
    /// use fracas::{Finder, MeshTree, geom::DVec3, mesh::shapes};
    /// let ball = MeshTree::build(shapes::icosphere(1.0, 4));
    /// let found = Finder::default().signed_distances(&ball, &[DVec3::ZERO, 2.0 * DVec3::X], f64::INFINITY).unwrap();
    /// assert!(found[0].unwrap().distance < -0.9 && found[1].unwrap().distance > 0.9);
    /// ```
    pub fn signed_distances<'a>(
        &mut self,
        body: impl Into<View<'a>>,
        points: &[DVec3],
        reach: f64,
    ) -> Result<Vec<Option<SignedDistance>>, OpenSurface> {
        let body = body.into();
        body.require_closed()?;
        let tree = self.tree_for(&body, points);
        let view = tree.as_ref().map_or(body, |tree| tree.at(&body.pose));
        let search = NearestSearch::new(&view);
        Ok(self.ask_each(&view, points, |p, last: &mut Last| {
            let found = search.find(p, reach, *last);
            *last = found.map(|near| near.triangle).or(*last);
            found.map(|near| view.signed(p, near))
        }))
    }

    /// On which side of a closed body each of the given points lies; see [`View::side_of`].
    ///
    /// # Errors
    /// A surface that is open.
    ///
    /// ```
    /// use fracas::{Finder, MeshTree, Side, geom::DVec3, mesh::shapes};
    /// let ball = MeshTree::build(shapes::icosphere(1.0, 3));
    /// let sides = Finder::default().sides(&ball, &[DVec3::ZERO, 2.0 * DVec3::X]).unwrap();
    /// assert_eq!(sides, [Side::Inside, Side::Outside]);
    /// ```
    pub fn sides<'a>(
        &mut self,
        body: impl Into<View<'a>>,
        points: &[DVec3],
    ) -> Result<Vec<Side>, OpenSurface> {
        let body = body.into();
        body.require_closed()?;
        let tree = self.tree_for(&body, points);
        let view = tree.as_ref().map_or(body, |tree| tree.at(&body.pose));
        Ok(self.ask_each(&view, points, |p, ()| view.side_by_parity(p)))
    }

    fn tree_for(&self, body: &View, points: &[DVec3]) -> Option<MeshTree> {
        if points.len() > FEW_POINTS { tree_of_soup(body) } else { None }
    }

    /// Asks about each point, along a curve; `ask` gets what the point before it has left behind, within a chunk.
    fn ask_each<T: Copy + Send, M: Default>(
        &self,
        view: &View,
        points: &[DVec3],
        ask: impl Fn(DVec3, &mut M) -> T + Sync + Send,
    ) -> Vec<T> {
        let parallel = self.options.threads != Threads::One && points.len() > CHUNK;
        ask_along_curve(&view.bounds(), points, parallel, ask)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Random;
    use crate::mesh::shapes;

    #[test]
    fn answers_do_not_depend_on_the_order_of_points() {
        let ball = MeshTree::build(shapes::noisy_sphere(2_000, 0.2, 5));
        let mut random = Random::new(3);
        let mut any = || 3.0 * random.unit() - 1.5;
        let points: Vec<DVec3> = (0..2_000).map(|_| DVec3::new(any(), any(), any())).collect();
        let mut finder = Finder::default();
        let forward = finder.nearest_each(&ball, &points, 0.4);
        let turned: Vec<DVec3> = points.iter().rev().copied().collect();
        let mut backward = finder.nearest_each(&ball, &turned, 0.4);
        backward.reverse();
        assert_eq!(forward, backward);
        let last: Last = forward.iter().flatten().map(|near| near.triangle).next();
        assert!(last.is_some() && forward.iter().any(Option::is_none));
    }
}
