//! The body, and what is known of each of its fragments.

use super::mass::{MassProperties, Moments};
use super::query::presence::{Marker, Presence};
use super::split::Scratch;
use super::split::cut_tet::{CutTet, FacetTriangle};
use super::{BrittleError, Solid, SphereTree, SplitStats};
use crate::geom::DVec3;
use std::sync::Arc;

/// Names a fragment of one body. While the body lives, the id is never given to another fragment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FragmentId(pub u32);

impl FragmentId {
    #[inline]
    pub(super) const fn index(self) -> usize {
        self.0 as usize
    }
}

/// A body that breaks; see the [module](super).
///
/// All coordinates are those of the unbroken shape. A fragment that has moved has a pose of its own, which whoever moves
/// it keeps; queries are about points taken back by that pose.
#[derive(Clone, Debug)]
pub struct BrittleBody {
    pub(super) solid: Arc<Solid>,
    /// Fragment of each node.
    pub(super) fragment_of: Vec<u32>,
    /// The cut tetrahedron whose crack is nearest to each node, as far as is known, and how near.
    pub(super) crack_of: Vec<u32>,
    pub(super) crack_distance: Vec<f64>,
    /// The middle of that crack, and its squared distance from the node: what fronts go by.
    pub(super) crack_middle: Vec<(DVec3, f64)>,
    /// Index of each tetrahedron among the cut ones, or [`Solid::NONE`].
    pub(super) cut_of: Vec<u32>,
    pub(super) cuts: Vec<CutTet>,
    /// Integrals over the parts of cut tetrahedra, but the largest of each.
    pub(super) part_moments: Vec<Moments>,
    pub(super) facets: Vec<FacetTriangle>,
    /// Facets that no part uses any more.
    pub(super) wasted: usize,
    pub(super) fragments: Vec<Option<Fragment>>,
    /// How many fractures there have been.
    pub(super) fractures: u32,
    pub(super) last_split: SplitStats,
    pub(super) scratch: Scratch,
}

/// A connected piece of a body.
#[derive(Clone, Debug)]
pub struct Fragment {
    pub(super) nodes: Vec<u32>,
    /// Tetrahedra of which it has a part, in order.
    pub(super) tets: Vec<u32>,
    /// Triangles of the original surface at tetrahedra that are not cut, in order.
    pub(super) triangles: Vec<u32>,
    pub(super) tree: SphereTree,
    /// Which points of the tree are inside, not on the surface.
    pub(super) is_inside: Vec<bool>,
    pub(super) presence: Presence,
    /// The cells of its surface.
    pub(super) skin: Presence,
    pub(super) mass: MassProperties,
    pub(super) low: DVec3,
    pub(super) high: DVec3,
}

impl Fragment {
    /// Its nodes, in order.
    #[must_use]
    pub fn nodes(&self) -> &[u32] {
        &self.nodes
    }

    /// The tetrahedra of which it has a part, in order.
    #[must_use]
    pub fn tets(&self) -> &[u32] {
        &self.tets
    }

    /// Volume, centre and inertia for density 1.
    #[must_use]
    pub fn mass(&self) -> &MassProperties {
        &self.mass
    }

    /// Its sphere tree.
    #[must_use]
    pub fn tree(&self) -> &SphereTree {
        &self.tree
    }

    /// Lowest and highest corner of its box.
    #[must_use]
    pub fn bounds(&self) -> (DVec3, DVec3) {
        (self.low, self.high)
    }

    /// Half the diagonal of its box.
    #[must_use]
    pub fn radius(&self) -> f64 {
        0.5 * (self.high - self.low).length()
    }
}

impl BrittleBody {
    /// A body that has not broken yet. Parts of the shape that hang together nowhere are fragments of their own.
    ///
    /// # Cost
    /// A copy of the sphere tree and a few arrays; the solid is shared.
    ///
    /// ```
    /// use fracas::brittle::{BrittleBody, Solid, SolidOptions};
    /// use fracas::{geom::DVec3, mesh::tets::brick};
    /// use std::sync::Arc;
    /// let solid = Solid::build(brick(DVec3::ONE, [4, 4, 4]), &SolidOptions::default())?;
    /// let mut body = BrittleBody::new(Arc::new(solid));
    /// let whole = body.fragments().next().unwrap();
    ///
    /// // Left and right of a plane, which is what the weights say how far away from.
    /// let at = |&n: &u32| body.solid().mesh().positions()[n as usize].x + 0.1;
    /// let nodes = body.fragment(whole).unwrap().nodes();
    /// let labels: Vec<u32> = nodes.iter().map(|n| u32::from(at(n) > 0.0)).collect();
    /// let weights: Vec<f64> = nodes.iter().map(|n| at(n).abs().max(1e-9)).collect();
    /// let halves = body.split(whole, &labels, &weights)?;
    /// let volumes: Vec<f64> = halves.iter().map(|&half| body.fragment(half).unwrap().mass().volume).collect();
    /// assert!((volumes[0] - 0.4).abs() < 1e-9 && (volumes[1] - 0.6).abs() < 1e-9);
    /// # Ok::<(), fracas::brittle::BrittleError>(())
    /// ```
    #[must_use]
    pub fn new(solid: Arc<Solid>) -> Self {
        let (nodes, tets) = (solid.mesh.node_count(), solid.mesh.tet_count());
        let mut fragment_of = vec![Solid::NONE; nodes];
        solid.nodes.iter().for_each(|&node| fragment_of[node as usize] = 0);
        let all: Vec<u32> = (0..tets as u32).collect();
        let mut moments = Moments::default();
        solid.moments.iter().for_each(|of_tet| moments.add(of_tet));
        let (low, high) = solid.mesh.bounds();
        let triangles: Vec<u32> = (0..solid.boundary.faces.len() as u32).collect();
        let mut marker = Marker::new(&solid.cells, [low, high]);
        triangles.iter().for_each(|&triangle| solid.mark_skin(triangle, &mut marker));
        for &row in all.iter().flat_map(|&tet| solid.cells.middles_of(tet)) {
            marker.mark(row, row.mask());
        }
        let [presence, skin] = marker.finish(&solid.cells);
        let whole = Fragment {
            nodes: solid.nodes.clone(),
            is_inside: solid.points_inside(&solid.tree),
            tree: solid.tree.clone(),
            presence,
            skin,
            tets: all,
            triangles,
            mass: moments.properties(solid.middle),
            low,
            high,
        };
        let labels = vec![0; solid.nodes.len()];
        let mut body = Self {
            fragment_of,
            crack_of: vec![Solid::NONE; nodes],
            crack_distance: vec![f64::INFINITY; nodes],
            crack_middle: vec![(DVec3::ZERO, f64::INFINITY); nodes],
            cut_of: vec![Solid::NONE; tets],
            cuts: vec![],
            part_moments: vec![],
            facets: vec![],
            wasted: 0,
            fragments: vec![Some(whole)],
            fractures: 0,
            last_split: SplitStats::default(),
            scratch: Scratch::new(nodes),
            solid,
        };
        let one = vec![1.0; labels.len()];
        body.split(FragmentId(0), &labels, &one).expect("one label for each node is legal");
        body
    }

    /// The shape, as it was prepared.
    #[must_use]
    pub fn solid(&self) -> &Arc<Solid> {
        &self.solid
    }

    /// The fragments there are, in the order of their ids.
    pub fn fragments(&self) -> impl Iterator<Item = FragmentId> + '_ {
        let alive = self.fragments.iter().enumerate().filter(|(_, fragment)| fragment.is_some());
        alive.map(|(id, _)| FragmentId(id as u32))
    }

    /// What is known of a fragment.
    ///
    /// # Errors
    /// If there is no such fragment, or it has broken.
    pub fn fragment(&self, fragment: FragmentId) -> Result<&Fragment, BrittleError> {
        let found = self.fragments.get(fragment.index()).and_then(Option::as_ref);
        found.ok_or(BrittleError::NoSuchFragment { fragment })
    }

    /// How many tetrahedra are cut.
    #[must_use]
    pub fn cut_count(&self) -> usize {
        self.cuts.len()
    }

    #[inline]
    pub(super) fn position(&self, node: u32) -> DVec3 {
        self.solid.mesh.positions()[node as usize]
    }
}
