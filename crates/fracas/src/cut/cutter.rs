//! A running cut: opens its sheet step by step, and says what that does to the mesh.
//!
//! # Idea
//!
//! ```text
//!   ────────┬────────┬── surface      A point of the sheet is *passed* when the front has reached it. A triangle of the
//!   \  #   / \   #  / \               sheet opens when one of its points is passed. A point is *parted*, has one vertex
//!    \ # /  # \   /  # \              above and one below, when all triangles around it are open; while some are not, it
//!     \ /   #  \ /      \             is on the front, and both sides share its vertex.
//!      ·────────·────────·
//!   passed   front    untouched
//! ```
//!
//! Then every edge is used twice. An edge with open triangles on both sides needs a parted end, or its two copies
//! would be one edge used four times; where neither end is parted, the end that the front would pass first
//! is passed early. (In a plane that happens only in flat corners: two triangles that are both behind their common edge.)
//!
//! A divided triangle keeps all its parts on the side where they are, so parting a point renames corners of the parts
//! below and of nothing else: these are replaced one for one.
//!
//! Very large and very small bodies are cut at unit scale, so that cuts of a body 2ᵏ times as large are 2ᵏ times as large.

use super::chart::require;
use super::divide::{Parts, Vertex};
use super::section::{Crossed, NONE, sides};
use super::sheet::{Sheet, UNCUT};
use super::{CutError, CutOptions, CutSurface};
use crate::base::sorted_set;
use crate::geom::{DVec3, UnitScale};
use crate::mesh::{LiveMesh, MeshEdit, TriangleId};

/// One cut through one body, while it runs.
///
/// The body keeps its shape and its triangles along the cut while the cut runs; elsewhere it may be edited.
#[derive(Clone, Debug)]
pub struct Cutter {
    crossed: Vec<Crossed>,
    /// The crossed triangles at each cut point.
    crossed_at: Vec<[u32; 2]>,
    /// The triangles to be opened, at unit scale.
    sheet: Sheet,
    /// From the mesh to the sheet and back.
    scale: UnitScale,
    /// The same for the front's coordinate, unless that is an angle.
    front_scale: UnitScale,
    /// An open mesh is parted without faces.
    is_open: bool,
    /// The points of the sheet that will be passed, in that order, and how many have been.
    order: Vec<u32>,
    cursor: usize,
    front: f64,
    passed: Vec<bool>,
    open: Vec<bool>,
    open_around: Vec<u32>,
    vertices: Vec<Vertex>,
    parts: Vec<Parts>,
    /// The faces above and below of each open triangle.
    faces: Vec<[TriangleId; 2]>,
}

/// What a step opens.
#[derive(Default)]
struct Opening {
    passed: Vec<u32>,
    triangles: Vec<u32>,
}

impl Cutter {
    /// Begins a cut: finds where the surface crosses the mesh, and fills the section with triangles. The mesh stays
    /// as it is until [`Cutter::advance_to`].
    ///
    /// A closed mesh gets faces on both sides of the cut. An open one, which has an edge with one triangle, is parted
    /// along the cut and stays a sheet. Where the surface does not meet the mesh, the cut is finished at once.
    ///
    /// # Errors
    /// An option that makes no sense; a mesh that is not a surface where it is cut; triangles too large for a helicoid.
    ///
    /// # Cost
    /// Linear in the size of the mesh: about 11 ms for 90,000 triangles. Steps depend on what they cut alone.
    ///
    /// ```
    /// use fracas::cut::{CutOptions, CutSurface, Cutter};
    /// use fracas::geom::DVec3;
    /// use fracas::mesh::{LiveMesh, Report, shapes};
    /// let mut ball = LiveMesh::new(shapes::icosphere(1.0, 3));
    /// let plane = CutSurface::plane(DVec3::ZERO, DVec3::Z, DVec3::X).unwrap();
    /// let mut cutter = Cutter::new(&ball, &plane, &CutOptions::default()).unwrap();
    /// for x in [-0.5, 0.0, 0.5, 1.0] {
    ///     let edit = cutter.advance_to(&ball, x).unwrap();
    ///     ball.apply(&edit).unwrap();
    ///     assert!(Report::of(&ball.to_mesh().0).closed);
    /// }
    /// assert!(cutter.is_finished());
    /// assert_eq!(Report::of(&ball.to_mesh().0).components, 2);
    /// ```
    pub fn new(mesh: &LiveMesh, surface: &CutSurface, options: &CutOptions) -> Result<Self, CutError> {
        options.check()?;
        Self::begin(mesh, surface, options, find_rim(mesh).is_some())
    }

    /// As [`Cutter::new`], for a mesh of which it is known whether it has a rim, and options that make sense.
    pub(super) fn begin(
        mesh: &LiveMesh,
        surface: &CutSurface,
        options: &CutOptions,
        is_open: bool,
    ) -> Result<Self, CutError> {
        let positions =
            mesh.live_triangles().flat_map(|id| mesh.corners(id)).map(|v| mesh.positions()[v as usize]);
        let scale = UnitScale::of(positions).unwrap_or(UnitScale::NONE);
        let front_scale = if surface.is_length(options.front) { scale } else { UnitScale::NONE };
        let (unit_mesh, unit_surface, unit_options);
        let (mesh_here, surface, options) = if scale == UnitScale::NONE {
            (mesh, surface, options)
        } else {
            let [start, end] = [options.start, options.end].map(|at| at * front_scale.to_unit);
            unit_mesh = mesh.scaled(scale.to_unit);
            unit_surface = surface.scaled(scale.to_unit);
            unit_options = CutOptions { start, end, ..options.clone() };
            (&unit_mesh, &unit_surface, &unit_options)
        };
        let section = options.section(mesh_here, surface)?;
        let edge_length = (!is_open).then(|| section.edge_length(mesh_here));
        let sheet = Sheet::of(&section, surface, options, edge_length)?;
        let will_be_passed = |&p: &u32| {
            let at = sheet.passed_at[p as usize];
            at >= options.start && at <= options.end && !sheet.is_held[p as usize]
        };
        let points = sheet.positions.len();
        let mut order: Vec<u32> = (0..points as u32).filter(will_be_passed).collect();
        order.sort_unstable_by(|&a, &b| sheet.by_passing(a, b));
        let whole = |crossed: &Crossed| Parts::whole(crossed.triangle, mesh.corners(crossed.triangle));
        Ok(Self {
            parts: section.crossed.iter().map(whole).collect(),
            crossed_at: section.points.iter().map(|point| point.crossed).collect(),
            crossed: section.crossed,
            scale,
            front_scale,
            is_open,
            order,
            cursor: 0,
            front: f64::NEG_INFINITY,
            passed: vec![false; points],
            open: vec![false; sheet.triangles.len()],
            open_around: vec![0; points],
            vertices: vec![Vertex::ABSENT; points],
            faces: vec![[TriangleId(NONE); 2]; sheet.triangles.len()],
            sheet,
        })
    }

    /// How far the front has come: the largest value given to [`Cutter::advance_to`], −∞ at first.
    #[must_use]
    pub fn front(&self) -> f64 {
        self.front
    }

    /// Where the cut begins and where it ends, in the front's coordinate; `None` if there is nothing to cut.
    #[must_use]
    pub fn range(&self) -> Option<[f64; 2]> {
        let at = |p: &u32| self.sheet.passed_at[*p as usize] * self.front_scale.back;
        Some([at(self.order.first()?), at(self.order.last()?)])
    }

    /// Whether the front has passed everything there is to cut.
    #[must_use]
    pub fn is_finished(&self) -> bool {
        self.cursor == self.order.len()
    }

    /// Moves the front and returns what that does to the mesh. Apply the edit before the next step.
    ///
    /// The edit removes the triangles that are divided, and those whose corners get other vertices because the crack has
    /// come by; both are replaced. Triangles on the crack come in pairs, one above and one below, and their
    /// vertices are twins ([`MeshEdit::twins`], [`MeshEdit::twin_faces`]). The front follows the edges of the crack's triangles, so it may run ahead of `to`, or open nothing at all, by the length of an edge.
    /// A front does not go back: with a `to` behind it, nothing happens and the edit is empty.
    ///
    /// # Errors
    /// [`CutError::BadNumber`] for NaN. [`CutError::Changed`] if the last edit was not applied, the mesh was edited on the cut by
    /// others, or this is another mesh. The cutter is then as before.
    ///
    /// # Cost
    /// Linear in the size of the edit, up to sorting.
    pub fn advance_to(&mut self, mesh: &LiveMesh, to: f64) -> Result<MeshEdit, CutError> {
        require("front", to, !to.is_nan())?;
        if to <= self.front {
            return Ok(MeshEdit::default());
        }
        let cursor = self.cursor;
        let opening = self.open_up_to(to * self.front_scale.to_unit);
        let points = self.changed_points(&opening);
        let crossed = self.crossed_triangles_at(&points);
        let faces = self.faces_to_rename(&points, &opening);
        if let Some(triangle) = self.first_changed(mesh, &crossed, &faces) {
            self.cursor = cursor;
            self.close(&opening);
            return Err(CutError::Changed { triangle });
        }
        self.front = to;

        let mut edit = MeshEdit::default();
        for &p in &points {
            self.update_vertex(p, mesh.vertex_count(), &mut edit);
        }
        let first = mesh.slot_count() as u32;
        for &i in &crossed {
            let crossed = &self.crossed[i as usize];
            let ends = crossed.points.map(|p| match p {
                NONE => (Vertex::ABSENT, DVec3::ZERO),
                p => (self.vertices[p as usize], self.sheet.positions[p as usize]),
            });
            self.parts[i as usize].divide(mesh, crossed, (ends, self.scale.to_unit), first, &mut edit);
        }
        for t in faces.into_iter().map(|t| t as usize) {
            let (id, corners) = (self.faces[t][1], self.face(t, false));
            if mesh.corners(id) != corners {
                self.faces[t][1] = TriangleId(first + edit.added.len() as u32);
                edit.replace(id, [corners]);
                edit.twin_faces.push(self.faces[t]);
            }
        }
        for t in opening.triangles.into_iter().map(|t| t as usize) {
            let new = first + edit.added.len() as u32;
            [true, false].into_iter().for_each(|above| edit.insert(self.face(t, above)));
            self.faces[t] = [TriangleId(new), TriangleId(new + 1)];
            edit.twin_faces.push(self.faces[t]);
        }
        Ok(edit)
    }

    /// The first triangle among those that a step works on that is not as the cut has left it: gone, or with other corners, as
    /// in another mesh.
    fn first_changed(&self, mesh: &LiveMesh, crossed: &[u32], faces: &[u32]) -> Option<TriangleId> {
        let part = crossed.iter().find_map(|&i| self.parts[i as usize].first_changed(mesh));
        let is_changed = |id: TriangleId, corners| !mesh.is_alive(id) || mesh.corners(id) != corners;
        let face = |&t: &u32| {
            let ids = self.faces[t as usize].into_iter().zip([true, false]);
            ids.filter(|&(id, above)| is_changed(id, self.face(t as usize, above))).map(|(id, _)| id).next()
        };
        part.or_else(|| faces.iter().find_map(face))
    }

    /// Passes points and opens the triangles around them.
    fn open_up_to(&mut self, to: f64) -> Opening {
        let mut opening = Opening::default();
        while let Some(&p) = self.order.get(self.cursor)
            && self.sheet.passed_at[p as usize] <= to
        {
            self.pass(p, &mut opening);
            self.cursor += 1;
        }
        // Points that were passed early are skipped here, so that a finished cut knows it.
        let mut checked = 0;
        while let Some(&t) = opening.triangles.get(checked) {
            for k in 0..3 {
                if let Some(p) = self.to_pass_early(t as usize, k) {
                    self.pass(p, &mut opening);
                }
            }
            checked += 1;
        }
        while let Some(&p) = self.order.get(self.cursor)
            && self.passed[p as usize]
        {
            self.cursor += 1;
        }
        opening.triangles.sort_unstable();
        opening
    }

    fn pass(&mut self, p: u32, opening: &mut Opening) {
        if std::mem::replace(&mut self.passed[p as usize], true) {
            return;
        }
        opening.passed.push(p);
        for &t in self.sheet.star(p) {
            if !std::mem::replace(&mut self.open[t as usize], true) {
                opening.triangles.push(t);
                for q in self.sheet.triangles[t as usize] {
                    self.open_around[q as usize] += 1;
                }
            }
        }
    }

    /// An end of a side of an open triangle, if both its ends are on the front and there is no front on it.
    fn to_pass_early(&self, t: usize, k: usize) -> Option<u32> {
        let [a, b] = sides(self.sheet.triangles[t])[k];
        let is_front = match self.sheet.across[t][k] {
            NONE => false,
            UNCUT => true,
            other => !self.open[other as usize],
        };
        if is_front || self.is_parted(a) || self.is_parted(b) {
            return None;
        }
        let free = [a, b].into_iter().filter(|&p| !self.sheet.is_held[p as usize]);
        free.min_by(|&a, &b| self.sheet.by_passing(a, b))
    }

    fn is_parted(&self, p: u32) -> bool {
        if self.is_open {
            self.passed[p as usize]
        } else {
            self.open_around[p as usize] as usize == self.sheet.star(p).len()
                && !self.sheet.is_held[p as usize]
        }
    }

    fn close(&mut self, opening: &Opening) {
        for &p in &opening.passed {
            self.passed[p as usize] = false;
        }
        for &t in &opening.triangles {
            self.open[t as usize] = false;
            for q in self.sheet.triangles[t as usize] {
                self.open_around[q as usize] -= 1;
            }
        }
    }

    /// Points that get vertices in this step, ascending.
    fn changed_points(&self, opening: &Opening) -> Vec<u32> {
        let of_faces = opening.triangles.iter().flat_map(|&t| self.sheet.triangles[t as usize]);
        let passed = if self.is_open { &opening.passed[..] } else { &[] };
        let crossed = passed.iter().flat_map(|&p| self.crossed_at[p as usize]).filter(|&i| i != NONE);
        let of_crossed = crossed.flat_map(|i| self.crossed[i as usize].points).filter(|&p| p != NONE);
        let mut points = sorted_set(of_faces.chain(of_crossed));
        points.retain(|&p| {
            let vertex = self.vertices[p as usize];
            vertex == Vertex::ABSENT || vertex.above == vertex.below && self.is_parted(p)
        });
        points
    }

    fn crossed_triangles_at(&self, points: &[u32]) -> Vec<u32> {
        let cut_points = points.iter().filter_map(|&p| self.crossed_at.get(p as usize));
        sorted_set(cut_points.flatten().copied().filter(|&i| i != NONE))
    }

    /// Triangles of the sheet that were open before, at points that are parted now.
    fn faces_to_rename(&self, points: &[u32], opening: &Opening) -> Vec<u32> {
        let parted = points.iter().filter(|&&p| self.vertices[p as usize] != Vertex::ABSENT);
        let mut faces = sorted_set(parted.flat_map(|&p| self.sheet.star(p)).copied());
        faces.retain(|t| self.open[*t as usize] && opening.triangles.binary_search(t).is_err());
        faces
    }

    fn update_vertex(&mut self, p: u32, vertex_count: usize, edit: &mut MeshEdit) {
        let position = self.sheet.positions[p as usize] * self.scale.back;
        let mut add = || {
            edit.new_positions.push(position);
            (vertex_count + edit.new_positions.len() - 1) as u32
        };
        let is_parted = self.is_parted(p);
        let Vertex { above, below } = &mut self.vertices[p as usize];
        if *above == NONE {
            *above = add();
            *below = *above;
        }
        if is_parted {
            *below = add();
            edit.twins.push([*above, *below]);
        }
    }

    /// Corners of a face of the crack: seen from above as the sheet for the part below, turned for the part above.
    fn face(&self, t: usize, above: bool) -> [u32; 3] {
        let [a, b, c] = self.sheet.triangles[t].map(|p| self.vertices[p as usize].on(above));
        if above { [a, c, b] } else { [a, b, c] }
    }
}

/// An edge with a single triangle, if there is one.
pub(super) fn find_rim(mesh: &LiveMesh) -> Option<[u32; 2]> {
    let is_rim = |triangle: TriangleId, [a, b]: [u32; 2]| {
        !mesh.triangles_of_vertex(a).any(|other| other != triangle && mesh.corners(other).contains(&b))
    };
    mesh.live_triangles().find_map(|triangle| {
        sides(mesh.corners(triangle)).into_iter().find(|&ends| ends[0] != ends[1] && is_rim(triangle, ends))
    })
}
