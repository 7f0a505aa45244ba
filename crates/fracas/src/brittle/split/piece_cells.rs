//! Which cells of the grid each piece of a breaking fragment gets.
//!
//! # Idea
//!
//! ```text
//!    ┌───┬───┬───┬───┐      Cells that a surface passes through (#) belong to both sides. Any other cell is entirely in
//!    │ a │ a │ # │ b │      one piece, so its middle tells which: the tetrahedron that holds the middle is whole and belongs
//!    ├───┼───┼─╱─┼───┤      to a piece, or it is cut, and the middle is above or below the crack.
//!    │ a │ # │ # │ b │
//!    └───┴──╱┴───┴───┘      Cut tetrahedra are asked one by one, a row of cells at a time; the rest cell by cell.
//! ```
//!
//! # Invariants (checked by [`BrittleBody::validate`])
//!
//! Every point of a piece is in one of its cells, and every point of its surface in one of its surface cells.

use super::Breaking;
use super::cut_tet::{CutTet, polygons};
use super::pattern::{FacetSide, PatternBook};
use crate::brittle::query::marker::Marker;
use crate::brittle::solid::cells::{CellRow, Cells, GridPlane};
use crate::brittle::{BrittleBody, Fragment, Solid};

/// Cuts that are looked at together.
const GROUP: usize = 16;

impl BrittleBody {
    /// Gives pieces, of which boxes and tetrahedra are known, their cells. `cuts` are all that have a part of any of them.
    pub(super) fn divide_cells(&self, breaking: &Breaking, pieces: &mut [Fragment], cuts: [&[u32]; 2]) {
        let cells = &self.solid.cells;
        let mut markers: Vec<Marker> =
            pieces.iter().map(|piece| Marker::new(cells, [piece.low, piece.high])).collect();
        for group in cuts.into_iter().flat_map(|list| list.chunks(GROUP)) {
            // Their planes first: facets are far apart in memory, and are fetched together.
            let mut sections = [GridPlane::default(); GROUP];
            for (section, &index) in sections.iter_mut().zip(group) {
                let facet = &self.facets[self.cuts[index as usize].parts[0].from as usize];
                *section = cells.section(facet.triangle.a, facet.normal);
            }
            for (section, &index) in sections.iter().zip(group) {
                self.mark_cut(&self.cuts[index as usize], section, breaking, &mut markers);
            }
        }
        let solid = &*self.solid;
        let is_whole = |tet: u32| self.cut_of[tet as usize] == Solid::NONE;
        for (piece, marker) in pieces.iter().zip(&mut markers) {
            for &tet in piece.surface_tets.iter().filter(|&&tet| is_whole(tet)) {
                solid.triangles_of(tet).for_each(|triangle| solid.mark_surface(triangle, marker));
            }
        }
        // Every cell of a piece is one of the fragment that broke. What is in the middle of a whole tetrahedron goes where its nodes go.
        breaking.old.presence.visit_words(|first, word| {
            let tets = cells.tets_at_middles(first);
            // Neighbours along x mostly go to the same piece, and are marked together.
            let (mut piece, mut run) = (Solid::NONE, 0);
            let mut rest = word;
            while rest != 0 {
                let k = rest.trailing_zeros();
                rest &= rest - 1;
                let tet = tets[k as usize];
                if tet == Cells::NONE || !is_whole(tet) {
                    continue;
                }
                let fragment = self.fragment_of[solid.mesh.tets()[tet as usize][0] as usize];
                let Some(theirs) = breaking.piece(fragment) else { continue };
                if theirs != piece {
                    if run != 0 {
                        markers[piece as usize].mark_run(first, run);
                    }
                    (piece, run) = (theirs, 0);
                }
                run |= 1 << k;
            }
            if run != 0 {
                markers[piece as usize].mark_run(first, run);
            }
        });
        for (piece, marker) in pieces.iter_mut().zip(markers) {
            [piece.presence, piece.surface_cells] = marker.finish(cells);
        }
    }

    /// Marks the cells that the surfaces of the pieces pass through in a cut tetrahedron, and those whose middles it holds.
    /// `section` is the plane of a crack.
    fn mark_cut(&self, cut: &CutTet, section: &GridPlane, breaking: &Breaking, markers: &mut [Marker]) {
        if cut.part_count == 2 {
            self.mark_plane(cut, section, breaking, markers);
        } else {
            self.mark_planes(cut, breaking, markers);
        }
        if !self.solid.has_surface(cut.tet) {
            return;
        }
        for (part, shape) in cut.parts().iter().zip(&PatternBook::open().get(cut.pattern).parts) {
            let Some(piece) = breaking.piece(part.fragment) else { continue };
            for facet in &shape.facets[..shape.first_crack] {
                if let FacetSide::Face(face) = facet.side
                    && let Some(triangle) = self.solid.triangle_at(cut.tet, face)
                {
                    self.solid.mark_surface(triangle, &mut markers[piece as usize]);
                }
            }
        }
    }

    /// Two parts: the crack is one plane, and both have it.
    fn mark_plane(&self, cut: &CutTet, section: &GridPlane, breaking: &Breaking, markers: &mut [Marker]) {
        let cells = &self.solid.cells;
        let [below, above] = [0, 1].map(|k| breaking.piece(cut.parts[k].fragment));
        for (row, held) in cells.rows_of(cut.tet) {
            let [meets, is_above] = section.compare(row);
            // Cells that the crack itself passes through are surface cells, whoever holds their middles.
            let held = held & !meets;
            for (piece, inside) in [(below, held & !is_above), (above, held & is_above)] {
                if let Some(piece) = piece
                    && meets | inside != 0
                {
                    markers[piece as usize].mark_both(row, meets, inside);
                }
            }
        }
    }

    /// More parts: each has up to three cracks, one towards each of the others.
    fn mark_planes(&self, cut: &CutTet, breaking: &Breaking, markers: &mut [Marker]) {
        let cells = &self.solid.cells;
        for part in cut.parts() {
            let Some(piece) = breaking.piece(part.fragment) else { continue };
            let mut sections = [GridPlane::default(); 4];
            let mut count = 0;
            for polygon in polygons(&self.facets[part.crack_range()]).take(4) {
                sections[count] = cells.section(polygon[0].triangle.a, polygon[0].normal);
                count += 1;
            }
            for &row in cells.cells_of(cut.tet) {
                let meets =
                    sections[..count].iter().fold(0, |meets, section| meets | section.compare(row)[0]);
                markers[piece as usize].mark_surface(row, meets);
            }
        }
        let nodes = &self.solid.mesh.tets()[cut.tet as usize];
        for cell in cells.middles_of(cut.tet).iter().flat_map(|row| row.cells()) {
            let part = cut.part_at(&cells.coordinates(cut.tet, cells.middle(cell)));
            let fragment = self.fragment_of[nodes[part.trailing_zeros() as usize & 3] as usize];
            if let Some(piece) = breaking.piece(fragment) {
                markers[piece as usize].mark(CellRow::new(cell), 1);
            }
        }
    }
}
