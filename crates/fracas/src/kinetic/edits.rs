//! Changes of a kinetic body while it runs: new plans, vertices and triangles that come and go.

use super::aabb_tree::check_triangles;
use super::{KineticBody, KineticError, Piece, Plan};
use crate::mesh::TriangleId;
use crate::walk::Stamp;
use std::ops::Range;

impl KineticBody {
    /// Gives new plans to some vertices, from now on.
    ///
    /// # Errors
    /// As [`Plans::change`](super::Plans::change); nothing has then changed.
    ///
    /// # Cost
    /// The boxes above the triangles of those vertices, if they have no key before the end of the interval; else two refits.
    pub fn change(&mut self, changes: &[(u32, Plan)]) -> Result<(), KineticError> {
        if changes.is_empty() {
            return Ok(());
        }
        self.plans.change(changes)?;
        self.follow(|| changes.iter().map(|change| change.0), changes.len());
        Ok(())
    }

    /// Adds vertices and returns their indices. They count from the first triangle on that names them.
    ///
    /// # Errors
    /// As [`Plans::insert_vertices`](super::Plans::insert_vertices); nothing has then changed.
    pub fn insert_vertices(&mut self, plans: &[Plan]) -> Result<Range<u32>, KineticError> {
        let added = self.plans.insert_vertices(plans)?;
        self.follow(|| added.clone(), plans.len());
        Ok(added)
    }

    /// Adds triangles and returns the first id; the others follow.
    ///
    /// # Errors
    /// A triangle that names a vertex that is not there, or too many triangles. Nothing has then changed.
    ///
    /// # Cost
    /// That of building a tree of all triangles that came after the last rebuild. When they are more than a sixteenth of the body,
    /// the body is rebuilt.
    ///
    /// ```
    /// use fracas::kinetic::{KineticBody, Plan, Plans};
    /// use fracas::{Finder, MeshTree, geom::DVec3, mesh::shapes};
    /// let ball = shapes::icosphere(1.0, 2);
    /// let rest = vec![DVec3::ZERO; ball.positions().len()];
    /// let plans = Plans::moving(0.0, ball.positions(), &rest).unwrap();
    /// let mut body = KineticBody::new(ball.triangles().to_vec(), plans).unwrap();
    /// // A shard breaks off: one triangle gets vertices of its own and flies away.
    /// let corners = ball.triangles()[0].map(|v| ball.positions()[v as usize]);
    /// let fly = corners.map(|position| Plan::Line { position, velocity: 8.0 * position });
    /// let added = body.insert_vertices(&fly).unwrap();
    /// body.remove_triangles(&[fracas::TriangleId(0)]).unwrap();
    /// let shard = body.insert_triangles(&[[added.start, added.start + 1, added.start + 2]]).unwrap();
    /// body.advance_to(1.0).unwrap();
    /// let wall = MeshTree::build(shapes::icosphere(8.95, 3));
    /// let pairs = Finder::default().find_pairs(&body, &wall).to_vec();
    /// assert!(!pairs.is_empty() && pairs.iter().all(|pair| pair.a == shard));
    /// ```
    pub fn insert_triangles(&mut self, triangles: &[[u32; 3]]) -> Result<TriangleId, KineticError> {
        check_triangles(&self.plans, triangles, self.triangles.len())?;
        let first = TriangleId(self.triangles.len() as u32);
        if triangles.is_empty() {
            return Ok(first);
        }
        self.stamp = Stamp::new();
        self.triangles.extend_from_slice(triangles);
        let (plans, now) = (&self.plans, self.plans.now());
        if self.forest.insert(&self.triangles, |vertex| plans.at(vertex, now)) {
            let vertices = self.forest.loose_vertices();
            self.fit(vertices.iter().copied());
        } else {
            self.rebuild();
        }
        Ok(first)
    }

    /// Removes triangles. Their ids are not used again; their vertices stay.
    ///
    /// # Errors
    /// A triangle that is not there, or not any more, or is named twice. Nothing has then changed.
    ///
    /// # Cost
    /// The boxes above the triangles. When half of the body has gone, it is rebuilt.
    pub fn remove_triangles(&mut self, triangles: &[TriangleId]) -> Result<(), KineticError> {
        let mut sorted = triangles.to_vec();
        sorted.sort_unstable();
        for (k, &triangle) in sorted.iter().enumerate() {
            if !self.has_triangle(triangle) || k > 0 && sorted[k - 1] == triangle {
                return Err(KineticError::NoSuchTriangle { triangle: triangle.0 });
            }
        }
        self.stamp = Stamp::new();
        triangles.iter().for_each(|triangle| self.forest.remove(triangle.0));
        if self.forest.is_sparse() {
            self.rebuild();
        } else {
            self.forest.fit();
        }
        Ok(())
    }

    /// Whether there is a triangle with this id, and it was not removed.
    #[must_use]
    pub fn has_triangle(&self, triangle: TriangleId) -> bool {
        self.forest.has(triangle.index())
    }

    /// Brings boxes up to date with new plans of some vertices.
    fn follow<I: Iterator<Item = u32>>(&mut self, vertices: impl Fn() -> I, count: usize) {
        self.stamp = Stamp::new();
        let now = self.plans.now();
        let [from, until] = self.interval;
        // A line can be followed back to the beginning of the interval; a chord that begins now cannot.
        let goes_back = |vertex: u32| match self.plans.interval(vertex, now) {
            Piece::Line { .. } => true,
            Piece::Chord { from: begin, .. } => begin <= from,
        };
        let is_linear = self.plans.next_key().is_none_or(|key| key >= until) && vertices().all(goes_back);
        // A pass over all vertices costs less than many single ones.
        if !is_linear || 4 * count > self.plans.vertex_count() {
            self.begin_interval(now);
        } else {
            self.fit(vertices());
        }
    }

    /// Fits boxes around some vertices, at both ends.
    fn fit(&mut self, vertices: impl Iterator<Item = u32>) {
        for vertex in vertices {
            let at = self.interval.map(|time| self.frame.map(self.plans.at(vertex, time)));
            self.forest.set_vertex(vertex, at);
        }
        self.forest.fit();
        // A vertex that flies off may leave the frame.
        if !self.is_in_frame() {
            self.begin_interval(self.plans.now());
        }
    }
}
