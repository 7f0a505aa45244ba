//! Checks everything a brittle body promises, slowly.

use super::query::crack_field::CrackField;
use super::split::pattern::part_of;
use super::{BrittleBody, FacetTree, Fragment, FragmentId, Solid};
use crate::base::sorted_set;
use crate::geom::DVec3;
use std::collections::BTreeSet;

impl BrittleBody {
    /// Checks every invariant; for tests.
    ///
    /// # Errors
    /// The first that is broken, in words.
    pub fn validate(&self) -> Result<(), String> {
        self.validate_nodes()?;
        self.validate_cuts()?;
        for (id, fragment) in self.fragments.iter().enumerate() {
            let Some(fragment) = fragment else { continue };
            fragment.tree.validate().map_err(|error| format!("tree of fragment {id}: {error}"))?;
            let nodes = fragment.tree.owners.iter().zip(&fragment.tree.is_crack);
            let mut nodes: Vec<u32> = nodes.filter(|(_, crack)| !**crack).map(|(&node, _)| node).collect();
            nodes.sort_unstable();
            if nodes != fragment.nodes {
                return Err(format!("the tree of fragment {id} does not have its nodes"));
            }
            self.validate_cells(id, fragment)?;
            self.validate_field(id as u32, fragment)?;
            self.validate_corners(id as u32, fragment)?;
        }
        Ok(())
    }

    /// Whatever is inside a fragment must be in its cells: middles of cells, its nodes, and samples of its tetrahedra.
    fn validate_cells(&self, id: usize, fragment: &Fragment) -> Result<(), String> {
        let cells = &self.solid.cells;
        let is_marked = |p: DVec3| fragment.presence.has(cells.cell_of(p));
        let mut outside = fragment.nodes.iter().map(|&node| self.position(node)).find(|&p| !is_marked(p));
        for &tet in &fragment.tets {
            let corners = self.solid.mesh.corners(tet as usize);
            for near in 0..4 {
                let weight = |k: usize| if k == near { 0.61 } else { 0.13 };
                let p: DVec3 = (0..4).map(|k| corners[k] * weight(k)).sum();
                if self.fragment_at(p) == Some(FragmentId(id as u32)) && !is_marked(p) {
                    outside = Some(p);
                }
            }
            for middle in cells.middles_of(tet).iter().flat_map(|row| row.cells()).map(|c| cells.middle(c)) {
                if self.fragment_at(middle) == Some(FragmentId(id as u32)) && !is_marked(middle) {
                    outside = Some(middle);
                }
            }
        }
        outside.map_or(Ok(()), |p| Err(format!("fragment {id} is not marked in the cell of {p}")))
    }

    fn validate_nodes(&self) -> Result<(), String> {
        for &node in &self.solid.nodes {
            let id = self.fragment_of[node as usize] as usize;
            let Some(fragment) = self.fragments.get(id).and_then(Option::as_ref) else {
                return Err(format!("node {node} is in fragment {id}, which is not there"));
            };
            if fragment.nodes.binary_search(&node).is_err() {
                return Err(format!("fragment {id} does not list node {node}"));
            }
        }
        let listed: usize = self.fragments.iter().flatten().map(|fragment| fragment.nodes.len()).sum();
        if listed != self.solid.nodes.len() {
            return Err(format!("{listed} nodes are listed, not {}", self.solid.nodes.len()));
        }
        for (id, fragment) in self.fragments.iter().enumerate() {
            let Some(fragment) = fragment else { continue };
            let mut reached = BTreeSet::from([fragment.nodes[0]]);
            let mut open = vec![fragment.nodes[0]];
            while let Some(node) = open.pop() {
                for &other in self.solid.adjacency.neighbours(node) {
                    if self.fragment_of[other as usize] as usize == id && reached.insert(other) {
                        open.push(other);
                    }
                }
            }
            if reached.len() != fragment.nodes.len() {
                return Err(format!("fragment {id} is not connected"));
            }
            let tets = fragment.nodes.iter().flat_map(|&node| self.solid.adjacency.tets_of(node));
            let tets = sorted_set(tets.copied());
            if tets != fragment.tets {
                return Err(format!("fragment {id} does not list its tetrahedra"));
            }
            let has_surface = |tet: &&u32| !self.facets_in(id as u32, **tet).is_empty();
            if !tets.iter().filter(has_surface).eq(&fragment.surface_tets) {
                return Err(format!("fragment {id} does not list the tetrahedra with its surface"));
            }
        }
        Ok(())
    }

    fn validate_cuts(&self) -> Result<(), String> {
        for (tet, nodes) in self.solid.mesh.tets().iter().enumerate() {
            let fragments: BTreeSet<u32> =
                nodes.iter().map(|&node| self.fragment_of[node as usize]).collect();
            let index = self.cut_of[tet];
            if (index == Solid::NONE) != (fragments.len() == 1) {
                return Err(format!(
                    "tetrahedron {tet} has {} fragments, but is cut or is not",
                    fragments.len()
                ));
            }
            if index == Solid::NONE {
                continue;
            }
            let cut = &self.cuts[index as usize];
            for k in 0..4 {
                let expected: u8 = (0..4)
                    .filter(|&j| self.fragment_of[nodes[j] as usize] == self.fragment_of[nodes[k] as usize])
                    .map(|j| 1 << j)
                    .sum();
                let part = cut.part_with(k);
                let is_own = part.fragment == self.fragment_of[nodes[k] as usize];
                if part_of(&cut.groups, k) != expected || part.nodes != expected || !is_own {
                    return Err(format!("the parts of tetrahedron {tet} are not those of its nodes"));
                }
            }
        }
        Ok(())
    }

    /// The nodes of a fragment know cracks of their own; those of its cut tetrahedra know one in any case.
    fn validate_field(&self, id: u32, fragment: &Fragment) -> Result<(), String> {
        let field = CrackField::build(self, id, fragment);
        for (&node, place) in fragment.nodes.iter().zip(0..) {
            if self.place_of[node as usize] != place {
                return Err(format!("node {node} is not in place {place} of fragment {id}"));
            }
            let crack = field.get(place);
            let is_beside = self.solid.adjacency.tets_of(node).iter().any(|&tet| self.cut_tet(tet).is_some());
            if crack.is_none() && is_beside {
                return Err(format!("node {node} of a cut tetrahedron knows no crack"));
            }
            if let Some(tet) = crack.filter(|&tet| self.cracks_in(id, tet).is_empty()) {
                return Err(format!(
                    "node {node} knows a crack in tetrahedron {tet}, where fragment {id} has none"
                ));
            }
        }
        Ok(())
    }

    /// Corners of facets must be points of the tree, and crack points must be such corners.
    fn validate_corners(&self, id: u32, fragment: &Fragment) -> Result<(), String> {
        let (points, facets) = (&fragment.tree.points, FacetTree::build(self, FragmentId(id), fragment));
        let mut is_corner = vec![false; points.len()];
        let reach = (self.solid.middle.abs() + self.solid.radius).max_element();
        let tolerance = 1e-9 * self.solid.radius + 16.0 * f64::EPSILON * reach;
        let of_tree = facets.sources.iter().filter_map(|&source| self.facet_from(source));
        for (facet, corners) in of_tree.zip(facets.points(self, fragment)) {
            for (p, &corner) in facet.triangle.corners().iter().zip(corners) {
                is_corner[corner as usize] = true;
                if p.distance(points[corner as usize]) > tolerance {
                    return Err(format!("the corner {p} of fragment {id} is not point {corner} of its tree"));
                }
            }
            let cell = self.solid.cells.cell_of(facet.triangle.centroid());
            if !fragment.surface_cells.has(cell) {
                return Err(format!("the surface of fragment {id} is not marked in cell {cell:?}"));
            }
        }
        let is_crack = &fragment.tree.is_crack;
        if let Some(point) = (0..points.len()).find(|&point| is_crack[point] && !is_corner[point]) {
            return Err(format!("the crack point {point} of fragment {id} is no corner of its surface"));
        }
        Ok(())
    }
}
