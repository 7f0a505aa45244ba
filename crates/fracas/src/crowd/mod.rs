//! How crowded a set of triangles or polygons is: the smallest *k* for which it is *k*-free.
//!
//! Let d be the diameter of the smallest sphere around an element, and grow the element by d / 4 on all sides. The
//! element is *k*-free if fewer than *k* elements of at least its own size come into the grown one. A set is *k*-free if
//! all its elements are; then no triangle meets more than 3 *k* larger ones of the set (polygons: 7 *k*), and two such sets
//! of *n* triangles have at most 3 *n k* intersecting pairs, however they lie. [`KFree`] holds the smallest such *k* of
//! each element and of the set.
//!
//! ```text
//!           ╭───────────────╮
//!          ╱   ┌─────────┐   ╲        grown by d / 4
//!         │    │ element │    │  ◀── counts: comes in, and is not smaller
//!          ╲   └─────────┘   ╱
//!           ╰───────────────╯
//! ```
//!
//! # Departures from the paper
//!
//! - An element does not count itself, so the smallest *k* is the largest count plus one.
//! - Diameters that differ by less than one part in 10⁹ count as equal, so that congruent triangles count each other
//!   in any orientation.
//! - Distances are computed in `f64` and rounded; an element that only just comes in may be missed.
//!
//! # Reference
//!
//! Definitions 3.1 and 3.2 of Weller, Debowski, Zachmann: *kDet: Parallel Constant Time Collision Detection for Polygonal
//! Objects*, Computer Graphics Forum, 2017.

mod elements;
mod size_grid;
mod sketch;

use crate::base::{Lists, parallel};
use crate::geom::DVec3;
use crate::mesh::Mesh;
use elements::{Elements, Loops};
use size_grid::Crowd;
use std::sync::atomic::{AtomicU32, Ordering};

/// The smallest *k* of each element of a set, and of the set.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct KFree {
    /// For each element, one more than the number of larger ones that come near it.
    pub k: Vec<u32>,
    /// For each element, how many of those share a vertex with it, by index.
    pub adjacent: Vec<u32>,
    /// Diameter of the smallest and the largest sphere around an element that is not a point; zero without any.
    pub diameters: [f64; 2],
}

/// How many elements a thread takes at a time.
const ELEMENTS_AT_A_TIME: usize = 1024;

impl KFree {
    /// Measures the triangles of a mesh (Definition 3.1), on all threads of the current rayon pool with the feature
    /// `parallel`.
    ///
    /// # Cost
    /// About proportional to the number of triangles and to the *k* found; a microsecond per triangle of an ordinary
    /// mesh.
    ///
    /// ```
    /// use fracas::mesh::shapes;
    /// use fracas::crowd::KFree;
    /// let sphere = KFree::of_mesh(&shapes::icosphere(1.0, 4));
    /// assert!(sphere.minimal() < 30 && sphere.height() == 1);
    /// let worst = KFree::of_mesh(&shapes::chazelle(40));
    /// assert!(worst.minimal() > 40);
    /// ```
    #[must_use]
    pub fn of_mesh(mesh: &Mesh) -> Self {
        Self::of(&Elements::new(mesh.positions(), Loops::Triangles(mesh.triangles())))
    }

    /// Measures polygons (Definition 3.2), given by the indices of their corners. Polygons count as the fans of
    /// triangles around their first corners.
    ///
    /// # Panics
    /// If a polygon has no corner, or one that is not there.
    ///
    /// ```
    /// use fracas::geom::DVec3;
    /// use fracas::crowd::KFree;
    /// let corners = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0], [2.0, 0.0], [2.0, 1.0]];
    /// let corners = corners.map(|[x, y]| DVec3::new(x, y, 0.0));
    /// let squares = [vec![0, 1, 2, 3], vec![1, 4, 5, 2]];
    /// assert_eq!(KFree::of_polygons(&corners, &squares).k, [2, 2]);
    /// ```
    #[must_use]
    pub fn of_polygons(positions: &[DVec3], polygons: &[Vec<u32>]) -> Self {
        let mut loops = Lists::default();
        polygons.iter().for_each(|corners| loops.append(|all| all.extend_from_slice(corners)));
        Self::of(&Elements::new(positions, Loops::Polygons(loops)))
    }

    /// The smallest *k* for which the whole set is *k*-free: the largest of its elements'; 1 for an empty set.
    #[must_use]
    pub fn minimal(&self) -> u32 {
        self.k.iter().copied().max().unwrap_or(1)
    }

    /// The mean over all elements; 1 for an empty set.
    #[must_use]
    pub fn mean(&self) -> f64 {
        let sum: u64 = self.k.iter().map(|&k| u64::from(k)).sum();
        if self.k.is_empty() { 1.0 } else { sum as f64 / self.k.len() as f64 }
    }

    /// Levels that a hierarchy of grids needs, each twice as coarse as the one before, from the smallest element to
    /// the largest. Points need none.
    #[must_use]
    pub fn height(&self) -> u32 {
        let [smallest, largest] = self.diameters;
        if largest > 0.0 { 1 + libm::log2(largest / smallest).floor() as u32 } else { 0 }
    }

    fn of(elements: &Elements) -> Self {
        let list = elements.list();
        let crowd = Crowd::new(elements, &list);
        let mut counts = vec![[0_u32; 2]; list.len()];
        let chunks = counts.chunks_mut(ELEMENTS_AT_A_TIME).enumerate();
        parallel::for_each(true, chunks, |(chunk, counts)| {
            crowd.count(chunk * ELEMENTS_AT_A_TIME, counts);
        });
        // Places in the order of the elements, from those in the order of the crowd: each is written once, by any thread.
        let [k, adjacent] = [1, 0].map(|value| {
            let mut list = Vec::with_capacity(list.len());
            list.resize_with(counts.len(), || AtomicU32::new(value));
            list
        });
        let chunks = crowd.order.chunks(ELEMENTS_AT_A_TIME).zip(counts.chunks(ELEMENTS_AT_A_TIME));
        parallel::for_each(true, chunks, |(order, counts)| {
            for (&item, [near, touching]) in order.iter().zip(counts) {
                k[item as usize].store(near + 1, Ordering::Relaxed);
                adjacent[item as usize].store(*touching, Ordering::Relaxed);
            }
        });
        let [k, adjacent] = [k, adjacent].map(|list| list.into_iter().map(AtomicU32::into_inner).collect());
        let ends = parallel::map(true, list.chunks(elements::AT_A_TIME), |list| {
            let sizes = list.iter().map(|e| e.diameter).filter(|&d| d > 0.0);
            sizes.fold([f64::INFINITY, 0.0], |[least, most]: [f64; 2], d| [least.min(d), most.max(d)])
        });
        let ends = ends.into_iter().reduce(|[a, b], [c, d]| [a.min(c), b.max(d)]);
        let diameters = match ends {
            Some([least, most]) if most > 0.0 => [least, most].map(|d| d / elements.scale),
            _ => [0.0; 2],
        };
        Self { k, adjacent, diameters }
    }
}
