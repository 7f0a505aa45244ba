//! Where two bodies touch or overlap.

use super::Finder;
use super::closest::tree_of_soup;
use crate::base::DisjointSets;
use crate::contact::{
    Bodies, Contact, ContactError, ContactOptions, ContactParts, Surface, overlap_contacts, spread_out,
};
use crate::geom::{Box3, DVec3, Pose, Triangle, UnitScale};
use crate::mesh::{Mesh, TriangleId};
use crate::near::Near;
use crate::pairs::{Features, Pair, Touch};
use crate::tree::MeshTree;
use crate::walk::{Shape, Side, View};
use std::collections::VecDeque;

/// What the question keeps from one time to the next.
#[derive(Default)]
pub(super) struct ContactMemory {
    surfaces: [Surface; 2],
    /// Surfaces of bodies that were asked about lately, the latest last: a step asks about one body against several others.
    shelf: VecDeque<Surface>,
    pairs: Vec<Pair>,
    contacts: Vec<Contact>,
}

/// Surfaces that are kept at most, besides the two of the last question.
const KEPT: usize = 62;

impl ContactMemory {
    /// Lists the surfaces of two bodies, unless they are known.
    fn list_surfaces(&mut self, views: &[View; 2]) {
        let Self { surfaces, shelf, .. } = self;
        if surfaces[0].is_of(&views[1]) || surfaces[1].is_of(&views[0]) {
            surfaces.swap(0, 1);
        }
        for (surface, view) in surfaces.iter_mut().zip(views) {
            if !surface.is_of(view) {
                let found = shelf.iter().position(|kept| kept.is_of(view));
                let taken = match found {
                    Some(place) => shelf.remove(place),
                    None if shelf.len() < KEPT => None,
                    None => shelf.pop_front(),
                };
                shelf.push_back(std::mem::replace(surface, taken.unwrap_or_default()));
            }
            surface.list(view);
        }
    }
}

/// Sizes beyond this, or below its inverse, are brought near one first.
const LARGE: f64 = 1e60;

impl Finder {
    /// Where two bodies overlap, how deep, and in which direction they separate: a few contacts for each region of overlap. Calls
    /// [`Finder::find_contacts_with`] with the default options.
    ///
    /// ```
    /// use fracas::{Finder, MeshTree, geom::{DVec3, Pose}, mesh::shapes};
    /// let (floor, box_) = (MeshTree::build(shapes::cuboid(DVec3::new(9.0, 9.0, 1.0))), MeshTree::build(shapes::cuboid(DVec3::ONE)));
    /// let standing = Pose::from_translation(DVec3::new(0.3, 0.2, 0.99)).unwrap();
    /// let mut finder = Finder::default();
    /// let contacts = finder.find_contacts(&floor, box_.at(&standing))?;
    /// assert_eq!(contacts.len(), 4); // the corners of the box
    /// assert!(contacts.iter().all(|c| c.normal.distance(DVec3::Z) < 1e-9 && (c.depth - 0.01).abs() < 1e-9));
    /// # Ok::<(), fracas::ContactError>(())
    /// ```
    ///
    /// # Errors
    /// As [`Finder::find_contacts_with`].
    #[doc(alias = "manifold")]
    #[doc(alias = "penetration")]
    pub fn find_contacts<'a, 'b>(
        &mut self,
        a: impl Into<View<'a>>,
        b: impl Into<View<'b>>,
    ) -> Result<&[Contact], ContactError> {
        self.find_contacts_with(a, b, &ContactOptions::default())
    }

    /// Contacts between two bodies, with a thickness and a limit of the caller's. [`contact`](crate::contact) defines depth and
    /// direction.
    ///
    /// If both bodies are closed, each region of overlap has up to [`ContactOptions::max_per_region`] contacts; one body inside another counts.
    /// Regions shallower than a few billionths of the smaller body's size are left out, so bodies that only touch have no contacts. With a
    /// thickness, gaps up to the thickness also have contacts, a few for each connected group of features.
    ///
    /// If a body is open, every vertex–triangle pair and every edge–edge pair within the thickness is a contact, in the order of
    /// [`Finder::find_near`]; where features meet, the normal is that of the triangle or of both edges, and its sign is arbitrary.
    ///
    /// Empty bodies have no contacts.
    ///
    /// # Errors
    /// [`ContactError::Open`] if a body is open and the thickness is 0; [`ContactError::Thickness`] if the thickness is negative,
    /// infinite or NaN.
    ///
    /// # Cost
    /// That of [`Finder::find_pairs`]; then, for each region, about a hundred lines through both bodies and a pass over the surfaces
    /// inside. The connectivity of each body is listed in one pass, and again when the body has changed. For a mesh without a structure, a
    /// tree is built first.
    #[doc(alias = "manifold")]
    #[doc(alias = "penetration")]
    pub fn find_contacts_with<'a, 'b>(
        &mut self,
        a: impl Into<View<'a>>,
        b: impl Into<View<'b>>,
        options: &ContactOptions,
    ) -> Result<&[Contact], ContactError> {
        let views = [a.into(), b.into()];
        let mut memory = std::mem::take(&mut self.contacts);
        let found = self.list_contacts(views, options, &mut memory);
        self.contacts = memory;
        found.map(|()| self.contacts.contacts.as_slice())
    }

    fn list_contacts(
        &mut self,
        views: [View; 2],
        options: &ContactOptions,
        memory: &mut ContactMemory,
    ) -> Result<(), ContactError> {
        memory.contacts.clear();
        let thickness = options.thickness;
        if !(thickness >= 0.0 && thickness.is_finite()) {
            return Err(ContactError::Thickness(thickness));
        }
        memory.list_surfaces(&views);
        if memory.surfaces.iter().any(|surface| surface.triangle_count() == 0) {
            return Ok(());
        }
        let open = (0..2).find_map(|body| Some((body, memory.surfaces[body].open_edge()?)));
        match open {
            Some((body, edge)) if thickness == 0.0 => return Err(ContactError::Open { body, edge }),
            Some(_) => memory.contacts.extend(self.near_contacts(&views, thickness)),
            None => self.closed_contacts(views, options, memory),
        }
        Ok(())
    }

    /// All features within the thickness.
    fn near_contacts(&mut self, views: &[View; 2], thickness: f64) -> Vec<Contact> {
        let near = self.find_near(views[0], views[1], thickness);
        let places = [0, 1].map(|k| if near.is_empty() { vec![] } else { vertex_places(&views[k]) });
        near.iter().map(|near| contact_of(near, views, &places, thickness)).collect()
    }

    fn closed_contacts(&mut self, views: [View; 2], options: &ContactOptions, memory: &mut ContactMemory) {
        let bounds = [0, 1].map(|k| memory.surfaces[k].bounds_at(&views[k].pose));
        let thickness = options.thickness;
        let apart = (bounds[0].min - bounds[1].max).max(bounds[1].min - bounds[0].max).max_element();
        if apart > thickness {
            return;
        }
        let both = Box3 { min: bounds[0].min.min(bounds[1].min), max: bounds[0].max.max(bounds[1].max) };
        let size = 0.5 * both.max - 0.5 * both.min;
        let (size, far) = (size.max_element(), both.min.abs().max(both.max.abs()).max_element());
        let far = views.iter().fold(far, |far, view| far.max(view.pose.translation().abs().max_element()));
        let scale = (size * LARGE < 1.0 || far > LARGE).then(|| UnitScale::of_length(far)).flatten();
        match scale {
            Some(scale) => self.scaled_contacts(&views, (scale, bounds), options, memory),
            None => self.unscaled_contacts(views, bounds, options, memory),
        }
    }

    /// Products of lengths would overflow or vanish: copies of the bodies at unit scale are asked instead, with the same roundings.
    fn scaled_contacts(
        &mut self,
        views: &[View; 2],
        (scale, bounds): (UnitScale, [Box3; 2]),
        options: &ContactOptions,
        memory: &mut ContactMemory,
    ) {
        let surfaces = &memory.surfaces;
        let trees: [MeshTree; 2] =
            [0, 1].map(|k| MeshTree::build(scaled_copy(&views[k], &surfaces[k], scale.to_unit)));
        let mut scaled = ContactMemory::default();
        let thickness = options.thickness * scale.to_unit;
        let options = ContactOptions { thickness: thickness.min(1e9), ..*options };
        let copies = [0, 1].map(|k| trees[k].at(&views[k].pose.scaled(scale.to_unit)));
        (0..2).for_each(|k| scaled.surfaces[k].list(&copies[k]));
        let at_unit = |b: Box3| Box3 { min: b.min * scale.to_unit, max: b.max * scale.to_unit };
        self.unscaled_contacts(copies, bounds.map(at_unit), &options, &mut scaled);
        for contact in scaled.contacts {
            let id = |body: usize, id: TriangleId| surfaces[body].id(id.0);
            let between = match contact.between {
                ContactParts::Triangles(t, u) => ContactParts::Triangles(id(0, t), id(1, u)),
                ContactParts::Features(Features::VertexTriangle(v, u)) => {
                    ContactParts::Features(Features::VertexTriangle(v, id(1, u)))
                }
                ContactParts::Features(Features::TriangleVertex(t, v)) => {
                    ContactParts::Features(Features::TriangleVertex(id(0, t), v))
                }
                other => other,
            };
            let points = contact.points.map(|p| p * scale.back);
            memory.contacts.push(Contact { points, depth: contact.depth * scale.back, between, ..contact });
        }
    }

    fn unscaled_contacts(
        &mut self,
        views: [View; 2],
        bounds: [Box3; 2],
        options: &ContactOptions,
        memory: &mut ContactMemory,
    ) {
        let trees = [0, 1].map(|k| tree_of_soup(&views[k]));
        let walked =
            [0, 1].map(|k| trees[k].as_ref().map_or(views[k], |tree| tree.view().at(&views[k].pose)));
        let size = bounds.map(|b| (b.max - b.min).max_element());
        let both = Box3 { min: bounds[0].min.min(bounds[1].min), max: bounds[0].max.max(bounds[1].max) };
        let far = both.min.abs().max(both.max.abs()).max_element();
        // Aligned faces and edges that meet have no contour. The second body is moved by a few billionths, in a direction without a pattern:
        // then edges pierce triangles or do not.
        let tiny = (size[0].min(size[1]) * 2.0_f64.powi(-31)).max(far * 2.0_f64.powi(-44));
        let shift = DVec3::new(0.6829, -0.4127, 0.6031) * tiny;
        let mut shifted = walked;
        shifted[1].pose = Pose::from_translation(shift).unwrap_or_default().after(&walked[1].pose);
        let ContactMemory { surfaces, pairs, contacts, .. } = memory;
        let touch = std::mem::replace(&mut self.options.touch, Touch::Proper);
        pairs.clear();
        pairs.extend_from_slice(self.compare(shifted[0], shifted[1], false, usize::MAX));
        self.options.touch = touch;
        let reach = (both.max - both.min).length() * 1.01;
        let bodies = Bodies { views: shifted, surfaces: [&surfaces[0], &surfaces[1]], reach };
        overlap_contacts(&bodies, pairs, options.max_per_region, 4.0 * tiny, contacts);
        for contact in contacts.iter_mut() {
            // Back to where the second body is.
            contact.depth += shift.dot(contact.normal);
            contact.points[1] = contact.points[0] - contact.normal * contact.depth;
            contact.depth += options.thickness;
        }
        if options.thickness > 0.0 {
            self.add_gaps(&views, &walked, options, contacts);
        }
    }

    /// Contacts of closed bodies where they are apart, but by no more than the thickness.
    fn add_gaps(
        &mut self,
        views: &[View; 2],
        walked: &[View; 2],
        options: &ContactOptions,
        contacts: &mut Vec<Contact>,
    ) {
        let is_outside = |contact: &Contact| {
            let middle = 0.5 * (contact.points[0] + contact.points[1]);
            contact.points[0] != contact.points[1]
                && walked.iter().all(|view| view.side_by_parity(middle) == Side::Outside)
        };
        let mut gaps = self.near_contacts(walked, options.thickness);
        gaps.retain(is_outside);
        let mut groups = Groups::of(&gaps, views);
        let mut regions: Vec<Vec<Contact>> = vec![];
        let mut numbers = vec![None; groups.count()];
        for gap in gaps {
            let number = &mut numbers[groups.root(&gap) as usize];
            let region = *number.get_or_insert(regions.len());
            if region == regions.len() {
                regions.push(vec![]);
            }
            regions[region].push(gap);
        }
        let first = contacts.last().map_or(0, |contact| contact.region + 1);
        for (region, group) in (first..).zip(regions) {
            let few = spread_out(&group, options.max_per_region);
            contacts.extend(few.into_iter().map(|contact| Contact { region, ..contact }));
        }
    }
}

/// Which features are connected: those that share a vertex, and those that are in one contact.
struct Groups<'a> {
    views: &'a [View<'a>; 2],
    sets: DisjointSets,
    /// The vertices of the second body come after those of the first.
    offset: u32,
}

impl<'a> Groups<'a> {
    fn of(contacts: &[Contact], views: &'a [View<'a>; 2]) -> Self {
        let mut groups = Self { views, sets: DisjointSets::default(), offset: 0 };
        let all: Vec<[Vec<u32>; 2]> = contacts.iter().map(|contact| groups.vertices(contact)).collect();
        let last = |k: usize| all.iter().flat_map(|both| &both[k]).max().map_or(0, |v| v + 1);
        groups.offset = last(0);
        groups.sets = DisjointSets::new((last(0) + last(1)) as usize);
        for [of_a, of_b] in &all {
            let first = of_a[0];
            of_a.iter().copied().chain(of_b.iter().map(|v| v + groups.offset)).for_each(|v| {
                groups.sets.join(first, v);
            });
        }
        groups
    }

    fn count(&self) -> usize {
        self.sets.len()
    }

    fn root(&mut self, contact: &Contact) -> u32 {
        let vertex = self.vertices(contact)[0][0];
        self.sets.root(vertex)
    }

    fn vertices(&self, contact: &Contact) -> [Vec<u32>; 2] {
        let corners = |k: usize, id: TriangleId| names_of(&self.views[k], id).to_vec();
        match contact.between {
            ContactParts::Features(Features::VertexTriangle(v, t)) => [vec![v], corners(1, t)],
            ContactParts::Features(Features::TriangleVertex(t, v)) => [corners(0, t), vec![v]],
            ContactParts::Features(Features::EdgeEdge(e, f)) => [e.to_vec(), f.to_vec()],
            ContactParts::Triangles(t, u) => [corners(0, t), corners(1, u)],
            ContactParts::Sample { .. } => unreachable!("not of meshes"),
        }
    }
}

/// The vertices of a triangle.
fn names_of(view: &View, id: TriangleId) -> [u32; 3] {
    match view.shape {
        Shape::Hierarchy { body, .. } => body.vertices(id.0, false),
        Shape::Soup(mesh) => mesh.triangles()[id.index()],
    }
}

/// Where the view shows each vertex that a triangle names.
fn vertex_places(view: &View) -> Vec<DVec3> {
    let mut places = vec![];
    let mut add = |id: TriangleId| {
        let (names, t) = (names_of(view, id), view.triangle(id));
        for (name, place) in names.into_iter().zip(t.corners()) {
            if places.len() <= name as usize {
                places.resize(name as usize + 1, DVec3::ZERO);
            }
            places[name as usize] = place;
        }
    };
    match view.shape {
        Shape::Hierarchy { body, tree } => {
            body.roots(tree).for_each(|(root, _)| body.for_each_triangle(root, &mut add));
        }
        Shape::Soup(mesh) => (0..mesh.triangles().len() as u32).for_each(|id| add(TriangleId(id))),
    }
    places
}

fn contact_of(near: &Near, views: &[View; 2], places: &[Vec<DVec3>; 2], thickness: f64) -> Contact {
    let w = near.weights;
    let at = |k: usize, v: u32| places[k][v as usize];
    let on = |t: &Triangle, w: &[f64]| t.a * w[0] + t.b * w[1] + t.c * w[2];
    // The normal of features that meet.
    let (points, crossed) = match near.features {
        Features::VertexTriangle(v, id) => {
            let t = views[1].triangle(id);
            ([at(0, v), on(&t, &w[1..])], normal_of([t.b - t.a, t.c - t.a]))
        }
        Features::TriangleVertex(id, v) => {
            let t = views[0].triangle(id);
            ([on(&t, &w[..3]), at(1, v)], normal_of([t.b - t.a, t.c - t.a]))
        }
        Features::EdgeEdge(e, f) => {
            let (p, q) = (e.map(|v| at(0, v)), f.map(|v| at(1, v)));
            let points = [p[0] * w[0] + p[1] * w[1], q[0] * w[2] + q[1] * w[3]];
            (points, normal_of([p[1] - p[0], q[1] - q[0]]))
        }
    };
    let way = points[1] - points[0];
    // Scaled first: squares of very small lengths vanish.
    let size = way.abs().max_element();
    let normal = if size > 0.0 { (way / size).normalize() } else { crossed };
    Contact {
        points,
        normal,
        depth: thickness - near.distance,
        between: ContactParts::Features(near.features),
        region: 0,
    }
}

/// A unit vector across two directions; some unit vector if they are parallel.
fn normal_of([u, v]: [DVec3; 2]) -> DVec3 {
    let unit = |d: DVec3| (d / d.abs().max_element().max(f64::MIN_POSITIVE)).normalize_or_zero();
    let (u, v) = (unit(u), unit(v));
    let across = u.cross(v).normalize_or_zero();
    if across != DVec3::ZERO {
        return across;
    }
    if u == DVec3::ZERO { DVec3::Z } else { u.any_orthonormal_vector() }
}

/// A body without its pose, so many times as large, with its triangles numbered as in its surface.
fn scaled_copy(view: &View, surface: &Surface, factor: f64) -> Mesh {
    let here = View { pose: Pose::IDENTITY, ..*view };
    let places: Vec<DVec3> = vertex_places(&here).into_iter().map(|p| p * factor).collect();
    let triangles = (0..surface.triangle_count() as u32).map(|t| names_of(view, surface.id(t))).collect();
    Mesh::new(places, triangles).expect("coordinates near one")
}
