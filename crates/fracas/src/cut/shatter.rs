//! A body broken at once: along surfaces, or into the Voronoi cells of some points.
//!
//! # Idea
//!
//! ```text
//!    along surfaces                cells of sites
//!   ┌───────╲──────┐            ┌───────╲──────┐    Surfaces cut right through, one after another, each through all
//!   │        ╲     │            │  ·     ╲  ·  │    pieces there are. A cell is what is nearer to its site than to
//!   │─────────╲────│            │────────╱╲    │    every other: the body clipped by the planes half-way to the other
//!   │          ╲   │            │   ·   ╱  ╲___│    sites, nearest first, until the next is out of reach.
//!   └───────────╲──┘            └──────╱───────┘
//! ```
//!
//! A cell may hold several lumps of the body; each becomes a piece of its own. A hollow that no cut opens belongs to the
//! piece around it.
//!
//! # Departures from the paper
//!
//! The paper takes the pieces as given. Here the same edit that adds the crack surfaces carries a label for every
//! triangle, old or new: a tree is split by these.

use super::caps::with_new_caps;
use super::clip::{Cell, Face};
use super::components::labelled;
use super::cutter::find_rim;
use super::options::check_density;
use super::section::{NONE, mean_side};
use super::{CutError, CutOptions, CutSurface, Cutter};
use crate::base::Random;
use crate::geom::{Box3, DVec3, UnitScale};
use crate::mesh::{LiveMesh, MeshEdit, NewTriangle, Origin, TriangleId};

/// How to break a body.
#[derive(Clone, Debug, PartialEq)]
pub struct ShatterOptions {
    /// Edge length of crack triangles beside the surface of the body, by that of the body. 0.05 or more.
    pub spacing: f64,
    /// How much longer the edges of crack triangles become per unit of distance from the surface of the body. 0.1 or
    /// more; infinite for no points inside at all.
    pub growth: f64,
}

impl Default for ShatterOptions {
    fn default() -> Self {
        let CutOptions { spacing, growth, .. } = CutOptions::default();
        Self { spacing, growth }
    }
}

/// What breaking a body does to its mesh.
#[derive(Clone, Debug, PartialEq)]
pub struct Shattered {
    /// The change. Pieces share no vertices after it.
    pub edit: MeshEdit,
    /// The piece of every triangle slot after the edit: slots of the mesh, then the added ones. [`Shattered::DEAD`] for
    /// triangles that are gone.
    pub labels: Vec<u32>,
    /// How many pieces there are. Labels are below; pieces are numbered by their lowest triangle.
    pub pieces: usize,
}

impl Shattered {
    /// The label of a triangle that is gone.
    pub const DEAD: u32 = NONE;
}

/// Breaks a closed body along surfaces, each of which cuts through everything.
///
/// # Errors
/// [`CutError::Open`] for a mesh with a rim; those of [`Cutter::new`](super::Cutter::new) for surfaces and options.
///
/// # Cost
/// A few times the cost of copying the mesh, per surface.
///
/// ```
/// use fracas::cut::{CutSurface, ShatterOptions, shatter_along};
/// use fracas::geom::DVec3;
/// use fracas::mesh::{LiveMesh, shapes};
/// let mut ball = LiveMesh::new(shapes::icosphere(1.0, 3));
/// let planes = [DVec3::X, DVec3::Y, DVec3::Z]
///     .map(|n| CutSurface::plane(DVec3::splat(0.1), n, n.any_orthogonal_vector()).unwrap());
/// let broken = shatter_along(&ball, &planes, &ShatterOptions::default()).unwrap();
/// ball.apply(&broken.edit).unwrap();
/// assert_eq!((broken.pieces, broken.labels.len()), (8, ball.slot_count()));
/// ```
pub fn shatter_along(
    mesh: &LiveMesh,
    surfaces: &[CutSurface],
    options: &ShatterOptions,
) -> Result<Shattered, CutError> {
    at_unit_scale(mesh, |mesh, factor| {
        let scaled: Vec<CutSurface> = surfaces.iter().map(|surface| surface.scaled(factor)).collect();
        shatter_ordinary_along(mesh, &scaled, options)
    })
}

fn shatter_ordinary_along(
    mesh: &LiveMesh,
    surfaces: &[CutSurface],
    options: &ShatterOptions,
) -> Result<Shattered, CutError> {
    options.check_for(mesh)?;
    let options = CutOptions { spacing: options.spacing, growth: options.growth, ..CutOptions::default() };
    let mut work = mesh.clone();
    let (first_slot, first_vertex) = (mesh.slot_count(), mesh.vertex_count());
    let mut origins: Vec<Origin> = vec![];
    for surface in surfaces {
        let edit = Cutter::begin(&work, surface, &options, false)?.advance_to(&work, f64::INFINITY)?;
        let traced = |new: &NewTriangle| match new.origin {
            Origin::Replaces(id) if id.index() >= first_slot => origins[id.index() - first_slot],
            origin => origin,
        };
        let new: Vec<Origin> = edit.added.iter().map(traced).collect();
        origins.extend(new);
        work.apply(&edit).expect("the cutter was given this very mesh");
    }
    let new: Vec<TriangleId> = work.live_triangles().filter(|id| id.index() >= first_slot).collect();
    // Faces of a crack are new; dead slots of the work between them are not in the edit.
    let renumbered = |id: TriangleId| {
        let place = new.binary_search(&id).expect("a living triangle of a crack");
        TriangleId((first_slot + place) as u32)
    };
    let edit = MeshEdit {
        removed: mesh.live_triangles().filter(|id| !work.is_alive(*id)).collect(),
        new_positions: work.positions()[first_vertex..].to_vec(),
        moved: vec![],
        added: new
            .iter()
            .map(|&id| NewTriangle { corners: work.corners(id), origin: origins[id.index() - first_slot] })
            .collect(),
        twins: work.twins().collect(),
        twin_faces: work
            .twin_faces()
            .filter(|pair| pair.iter().all(|id| id.index() >= first_slot))
            .map(|pair| pair.map(renumbered))
            .collect(),
    };
    Ok(labelled(mesh, edit))
}

/// Breaks a closed body into the cells of some points: each piece is what is nearest to one of them, or a lump of it.
///
/// Sites far away have empty cells. With one site, the body stays as it is.
///
/// # Errors
/// [`CutError::Open`] for a mesh with a rim, [`CutError::SameSite`] for two sites in one place, [`CutError::NotFinite`]
/// for a site that is not finite.
///
/// # Cost
/// About as long per site as three passes over the mesh.
///
/// ```
/// use fracas::cut::{ShatterOptions, scatter_sites, shatter_at};
/// use fracas::mesh::{LiveMesh, shapes};
/// let mut pumpkin = LiveMesh::new(shapes::pumpkin(9, 2_000));
/// let sites = scatter_sites(&pumpkin, 5, 1);
/// let broken = shatter_at(&pumpkin, &sites, &ShatterOptions::default()).unwrap();
/// pumpkin.apply(&broken.edit).unwrap();
/// assert!(broken.pieces >= 5);
/// ```
pub fn shatter_at(mesh: &LiveMesh, sites: &[DVec3], options: &ShatterOptions) -> Result<Shattered, CutError> {
    if let Some(&value) = sites.iter().find(|site| !site.is_finite()) {
        return Err(CutError::NotFinite { what: "site", value });
    }
    at_unit_scale(mesh, |mesh, factor| {
        // Farther away than this, a site is as good as any other in its direction.
        let farthest = DVec3::splat(1e100);
        let scaled: Vec<DVec3> =
            sites.iter().map(|site| (*site * factor).clamp(-farthest, farthest)).collect();
        shatter_ordinary_at(mesh, &scaled, options)
    })
}

fn shatter_ordinary_at(
    mesh: &LiveMesh,
    sites: &[DVec3],
    options: &ShatterOptions,
) -> Result<Shattered, CutError> {
    options.check_for(mesh)?;
    let whole = Cell::of(mesh);
    let size = whole.positions.iter().map(|p| p.abs().max_element()).fold(0.0, f64::max);
    let edge_length = options.spacing * mean_side(mesh, whole.triangles.iter().copied());
    let mut cells = vec![];
    for site in 0..sites.len() {
        match cell_of(&whole, sites, site, size)? {
            Some((cell, planes)) => cells.push(with_new_caps(cell, &planes, edge_length, options.growth)),
            // Every other cell is empty.
            None => return Ok(labelled(mesh, MeshEdit::default())),
        }
    }
    let edit = if cells.is_empty() { MeshEdit::default() } else { assembled(mesh, &cells) };
    Ok(labelled(mesh, edit))
}

/// Breaks a very large or very small body at unit scale, and scales the new vertices back. `work` is told the factor.
fn at_unit_scale(
    mesh: &LiveMesh,
    work: impl FnOnce(&LiveMesh, f64) -> Result<Shattered, CutError>,
) -> Result<Shattered, CutError> {
    let corners = mesh.live_triangles().flat_map(|id| mesh.corners(id));
    let Some(scale) = UnitScale::of(corners.map(|v| mesh.positions()[v as usize])) else {
        return work(mesh, 1.0);
    };
    let mut broken = work(&mesh.scaled(scale.to_unit), scale.to_unit)?;
    broken.edit.new_positions.iter_mut().for_each(|p| *p *= scale.back);
    Ok(broken)
}

/// Sites from which [`shatter_at`] makes pieces of similar size: between the surface of the body and the middle of its box.
/// The same numbers give the same sites. Fewer come out of a mesh without triangles: none.
#[must_use]
pub fn scatter_sites(mesh: &LiveMesh, count: usize, seed: u64) -> Vec<DVec3> {
    let ids: Vec<TriangleId> = mesh.live_triangles().collect();
    let corners = ids.iter().flat_map(|&id| mesh.triangle(id).corners());
    let middle = Box3::from_points(corners).centre();
    let mut random = Random::new(seed);
    let site =
        |id: TriangleId, share: f64| middle + (mesh.triangle(id).centroid() - middle) * (0.3 + 0.6 * share);
    let count = if ids.is_empty() { 0 } else { count };
    (0..count).map(|_| site(ids[(random.unit() * ids.len() as f64) as usize], random.unit())).collect()
}

/// The planes of a cell's caps, with their numbers.
type Planes = Vec<(u32, CutSurface)>;

/// What of a body is nearest to a site, and the planes that bound it; `None` if all of it is.
fn cell_of(body: &Cell, sites: &[DVec3], site: usize, size: f64) -> Result<Option<(Cell, Planes)>, CutError> {
    let centre = sites[site];
    let mut others: Vec<(f64, usize)> =
        (0..sites.len()).filter(|&j| j != site).map(|j| (0.5 * sites[j].distance(centre), j)).collect();
    others.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let mut cell: Option<Cell> = None;
    let mut reach = body.reach(centre);
    let mut planes = vec![];
    for (distance, other) in others {
        if distance > reach {
            break;
        }
        // The plane of a pair is the same for both, so that what one loses the other gets.
        let (low, high) = (site.min(other), site.max(other));
        let (middle, normal) = (0.5 * sites[low] + 0.5 * sites[high], sites[low] - sites[high]);
        let plane = CutSurface::plane(middle, normal, normal.any_orthogonal_vector())
            .map_err(|_| CutError::SameSite { sites: [low, high] })?;
        let current = cell.as_ref().unwrap_or(body);
        if let Some(smaller) = current.clipped(&plane, site == low, other as u32, size)? {
            reach = smaller.reach(centre);
            planes.push((other as u32, plane));
            cell = Some(smaller);
        }
    }
    Ok(cell.map(|cell| (cell.without_specks(size), planes)))
}

/// The edit that makes a body into cells.
///
/// Planes that touch a vertex up to rounding may leave it, and triangles at it, to the cells on both sides. Then the
/// first cell keeps them, and the others get copies.
fn assembled(mesh: &LiveMesh, cells: &[Cell]) -> MeshEdit {
    let mut is_divided = vec![false; mesh.slot_count()];
    for face in cells.iter().flat_map(|cell| &cell.faces) {
        if let Face::Piece(id) = face {
            is_divided[id.index()] = true;
        }
    }
    // The cell that has each vertex, and that keeps each triangle.
    let mut owners = vec![NONE; mesh.vertex_count()];
    let mut keepers = vec![NONE; mesh.slot_count()];
    for (number, cell) in cells.iter().enumerate() {
        for &face in &cell.faces {
            let Face::Whole(id) = face else { continue };
            let corners = mesh.corners(id).map(|v| v as usize);
            let is_free = |v: &usize| owners[*v] == NONE || owners[*v] == number as u32;
            if !is_divided[id.index()] && keepers[id.index()] == NONE && corners.iter().all(is_free) {
                keepers[id.index()] = number as u32;
                corners.iter().for_each(|&v| owners[v] = number as u32);
            }
        }
    }
    let mut edit = MeshEdit {
        removed: mesh.live_triangles().filter(|id| keepers[id.index()] == NONE).collect(),
        ..MeshEdit::default()
    };
    for (number, cell) in cells.iter().enumerate() {
        let mut vertices = vec![NONE; cell.positions.len()];
        for (&corners, &face) in cell.triangles.iter().zip(&cell.faces) {
            let origin = match face {
                Face::Whole(id) if keepers[id.index()] == number as u32 => continue,
                // Another cell keeps the triangle: this one has the same again.
                Face::Whole(id) if keepers[id.index()] != NONE => Origin::Crack,
                Face::Whole(id) | Face::Piece(id) => Origin::Replaces(id),
                Face::Cap(_) => Origin::Crack,
            };
            let corners = corners.map(|v| {
                let (source, vertex) = (cell.sources[v as usize], &mut vertices[v as usize]);
                if *vertex != NONE {
                    return *vertex;
                }
                let owner = owners.get_mut(source as usize).filter(|o| **o == NONE || **o == number as u32);
                *vertex = if let Some(owner) = owner {
                    *owner = number as u32;
                    source
                } else {
                    edit.new_positions.push(cell.positions[v as usize]);
                    (mesh.vertex_count() + edit.new_positions.len() - 1) as u32
                };
                *vertex
            });
            edit.added.push(NewTriangle { corners, origin });
        }
    }
    edit
}

impl ShatterOptions {
    fn check_for(&self, mesh: &LiveMesh) -> Result<(), CutError> {
        check_density(self.spacing, self.growth)?;
        find_rim(mesh).map_or(Ok(()), |ends| Err(CutError::Open { ends }))
    }
}
