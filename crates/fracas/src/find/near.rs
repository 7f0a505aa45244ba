//! Features and triangles of bodies within a distance of each other.

use super::Finder;
use crate::impact::{Question, Sweep};
use crate::near::Near;
use crate::pairs::Pair;
use crate::walk::View;

impl Finder {
    /// Every vertex–triangle pair and every edge–edge pair of two bodies whose distance is at most `reach`: each once, sorted by
    /// features. [`near`](crate::near) says what counts, and how rounding is treated.
    ///
    /// If the reach is NaN or negative, there are none.
    ///
    /// ```
    /// use fracas::{Features, Finder, MeshTree, geom::{DVec3, Pose}, mesh::shapes};
    /// let floor = MeshTree::build(shapes::cloth_grid(8, 8, [4.0, 4.0]));
    /// let ball = MeshTree::build(shapes::icosphere(1.0, 3));
    /// let above = Pose::from_translation(DVec3::Z * 1.01).unwrap();
    /// let mut finder = Finder::default();
    /// let near = finder.find_near(&floor, ball.at(&above), 0.05);
    /// let least = near.iter().map(|near| near.distance).fold(f64::INFINITY, f64::min);
    /// assert!((least - 0.01).abs() < 1e-3 && near.len() > 20);
    /// assert!(finder.find_near(&floor, ball.at(&above), 0.009).is_empty());
    /// ```
    ///
    /// # Cost
    /// A pass over both bodies, then about proportional to the number of features within reach. For a mesh without a structure, a tree
    /// is built first. Does not allocate once its buffers have grown.
    #[doc(alias = "proximity")]
    pub fn find_near<'a, 'b>(
        &mut self,
        a: impl Into<View<'a>>,
        b: impl Into<View<'b>>,
        reach: f64,
    ) -> &[Near] {
        self.ask_near(&[a.into(), b.into()], Question::Near(reach), reach);
        &self.impacts.near
    }

    /// Every vertex–triangle pair and every edge–edge pair of one body that share no vertex and whose distance is at most `reach`. See
    /// [`Finder::find_near`].
    #[doc(alias = "self_proximity")]
    pub fn find_near_self<'a>(&mut self, body: impl Into<View<'a>>, reach: f64) -> &[Near] {
        self.ask_near(&[body.into()], Question::Near(reach), reach);
        &self.impacts.near
    }

    /// Every pair of triangles of two bodies whose distance is at most `reach`, those that intersect included; sorted, each once.
    #[doc(alias = "tolerance_verification")]
    pub fn find_near_triangles<'a, 'b>(
        &mut self,
        a: impl Into<View<'a>>,
        b: impl Into<View<'b>>,
        reach: f64,
    ) -> &[Pair] {
        self.ask_near(&[a.into(), b.into()], Question::NearTriangles(reach), reach);
        &self.impacts.near_triangles
    }

    /// Every pair of triangles of one body that share no vertex and whose distance is at most `reach`; `a < b`, sorted, each once.
    pub fn find_near_triangles_self<'a>(&mut self, body: impl Into<View<'a>>, reach: f64) -> &[Pair] {
        self.ask_near(&[body.into()], Question::NearTriangles(reach), reach);
        &self.impacts.near_triangles
    }

    fn ask_near(&mut self, views: &[View], question: Question, reach: f64) {
        if reach >= 0.0 {
            match *views {
                [a, b] => self.sweep(&[Sweep::from(a), Sweep::from(b)], question),
                [body] => self.sweep(&[Sweep::from(body)], question),
                _ => unreachable!("one body or two"),
            }
        } else {
            self.impacts.near.clear();
            self.impacts.near_triangles.clear();
        }
    }
}
