//! The body, and what is known of each of its fragments.

use super::query::crack_field::CrackField;
use super::query::marker::Marker;
use super::query::presence::Presence;
use super::split::NodeNotes;
use super::split::cut_tet::{CutTet, FacetTriangle};
use super::{BrittleError, FacetTree, Solid, SphereTree, SplitStats};
use crate::geom::{Box3, DVec3};
use crate::mesh::mass::{MassProperties, Moments};
use std::sync::{Arc, OnceLock};

/// Names a fragment of one body. While the body lives, the id is never given to another fragment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
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
    /// Place of each node among the nodes of its fragment.
    pub(super) place_of: Vec<u32>,
    /// Index of each tetrahedron among the cut ones, or [`Solid::NONE`].
    pub(super) cut_of: Vec<u32>,
    pub(super) cuts: Vec<CutTet>,
    /// Integrals over the parts of cut tetrahedra, but the largest of each.
    pub(super) part_moments: Vec<Moments>,
    /// The surface of all parts of cut tetrahedra. Facets never move, since facet trees name their places. A tetrahedron is divided three times at
    /// most, into ever more facets, so about half of them at most are no longer used.
    pub(super) facets: Vec<FacetTriangle>,
    pub(super) fragments: Vec<Option<Fragment>>,
    pub(super) last_split: SplitStats,
    /// All fractures so far, which lead from the unbroken body to this one.
    pub(super) history: Vec<Fracture>,
    pub(super) notes: NodeNotes,
}

/// What broke, and how: the arguments of a [`BrittleBody::split`].
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Fracture {
    pub(crate) fragment: FragmentId,
    pub(crate) labels: Vec<u32>,
    pub(crate) weights: Vec<f64>,
}

/// A connected piece of a body.
#[derive(Clone, Debug)]
pub struct Fragment {
    pub(super) nodes: Vec<u32>,
    /// Tetrahedra of which it has a part, in order.
    pub(super) tets: Vec<u32>,
    /// Those of them in which it has surface: the ones that are cut, and those with a triangle of the original surface.
    pub(super) surface_tets: Vec<u32>,
    pub(super) tree: SphereTree,
    /// Which points of the tree are inside, not on the surface.
    pub(super) is_inside: Vec<bool>,
    pub(super) presence: Presence,
    /// The cells that its surface passes through.
    pub(super) surface_cells: Presence,
    /// Built when a point inside is first asked about.
    pub(super) crack_field: OnceLock<CrackField>,
    /// Built when contacts are first asked for.
    pub(super) facet_tree: OnceLock<FacetTree>,
    pub(super) mass: MassProperties,
    pub(super) low: DVec3,
    pub(super) high: DVec3,
}

impl Fragment {
    /// A fragment of which only the points are known; its lists, its cells and its mass are yet to be set.
    pub(super) fn new(solid: &Solid, tree: SphereTree) -> Self {
        let ends = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        let (low, high) = tree.points.iter().fold(ends, |(low, high), &p| (low.min(p), high.max(p)));
        let is_inside = |(&node, &is_crack): (&u32, &bool)| {
            !is_crack && solid.depths[node as usize] > 1e-9 * solid.radius
        };
        Self {
            is_inside: tree.owners.iter().zip(&tree.is_crack).map(is_inside).collect(),
            nodes: vec![],
            tets: vec![],
            surface_tets: vec![],
            tree,
            presence: Presence::default(),
            surface_cells: Presence::default(),
            crack_field: OnceLock::new(),
            facet_tree: OnceLock::new(),
            mass: Moments::default().properties(solid.middle),
            low,
            high,
        }
    }

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

    /// Its box.
    pub fn bounds(&self) -> Box3 {
        Box3 { min: self.low, max: self.high }
    }

    /// Half the diagonal of its box.
    #[must_use]
    pub fn radius(&self) -> f64 {
        0.5 * (self.high - self.low).length()
    }
}

impl BrittleBody {
    /// A body that has not broken yet. Each connected component of the shape is a fragment.
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
        let mut place_of = fragment_of.clone();
        for (&node, place) in solid.nodes.iter().zip(0..) {
            (fragment_of[node as usize], place_of[node as usize]) = (0, place);
        }
        let mut moments = Moments::default();
        solid.moments.iter().for_each(|of_tet| moments.add(of_tet));
        let mut whole = Fragment::new(&solid, solid.tree.clone());
        whole.nodes.clone_from(&solid.nodes);
        whole.tets = (0..tets as u32).collect();
        whole.surface_tets = (0..tets as u32).filter(|&tet| solid.has_surface(tet)).collect();
        whole.mass = moments.properties(solid.middle);
        let mut marker = Marker::new(&solid.cells, [whole.low, whole.high]);
        whole.tets.iter().for_each(|&tet| solid.mark_tet(tet, &mut marker));
        [whole.presence, whole.surface_cells] = marker.finish(&solid.cells);
        let (labels, weights) = (vec![0; solid.nodes.len()], vec![1.0; solid.nodes.len()]);
        let mut body = Self {
            fragment_of,
            place_of,
            cut_of: vec![Solid::NONE; tets],
            cuts: vec![],
            part_moments: vec![],
            facets: vec![],
            fragments: vec![Some(whole)],
            last_split: SplitStats::default(),
            history: vec![],
            notes: NodeNotes::new(nodes),
            solid,
        };
        body.split(FragmentId(0), &labels, &weights).expect("one label for each node is legal");
        body.history.clear();
        body
    }

    /// All fractures so far.
    #[cfg(feature = "serde")]
    pub(crate) fn history(&self) -> &[Fracture] {
        &self.history
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

    /// What is known of a tetrahedron that is cut.
    #[inline]
    pub(super) fn cut_tet(&self, tet: u32) -> Option<&CutTet> {
        self.cuts.get(self.cut_of[tet as usize] as usize)
    }

    /// The surface of a fragment in one tetrahedron, cracks first.
    #[inline]
    pub(super) fn facets_in(&self, fragment: u32, tet: u32) -> &[FacetTriangle] {
        match self.cut_tet(tet) {
            Some(cut) => cut.part_of(fragment).map_or(&[], |part| &self.facets[cut.parts[part].range()]),
            None if self.fragment_of[self.solid.mesh.tets()[tet as usize][0] as usize] == fragment => {
                self.solid.facets_of(tet)
            }
            None => &[],
        }
    }

    /// The cracks of a fragment in one tetrahedron.
    #[inline]
    pub(super) fn cracks_in(&self, fragment: u32, tet: u32) -> &[FacetTriangle] {
        let Some(cut) = self.cut_tet(tet) else { return &[] };
        cut.part_of(fragment).map_or(&[], |part| &self.facets[cut.parts[part].crack_range()])
    }
}
