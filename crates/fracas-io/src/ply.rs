//! Polygon File Format (PLY), read as text and binary of either byte order, written as binary.
//!
//! # What is read
//!
//! - Element `vertex`: the scalar properties `x`, `y`, `z`, of any type.
//! - Element `face`: the list property `vertex_indices` or `vertex_index`, with whole numbers of any type, counted
//!   from 0. Lists of fewer than three corners are legal and give no triangle. A file without faces is a mesh without
//!   triangles.
//! - Elements and properties may come in any order. All others are stepped over, lists included. What follows the
//!   last element is skipped.
//!
//! In text, each instance of an element has its own line. Elements `tristrips` are refused with a reason.
//!
//! # Idea
//!
//! The header says what the body is made of. Each property gets a [`Role`]: a coordinate, the corners of a face, or
//! nothing. Then one loop for text and one for binary walk the body by these roles and push straight into the
//! final arrays. Counts are believed only as far as the bytes that are left can hold them. Large files are first read in blocks
//! on all threads (`in_blocks`), which give up where a file has anything wrong or rare in it.
//!
//! # When to use something else
//!
//! `ply-rs-bw` 4.0 reads every property into a type of the user's, or a map. It allocates a list for each face, keeps
//! arrays of its own beside those of the mesh, and names no byte where a binary body is broken, so it is not used
//! here.
//!
//! # Reference
//!
//! Turk. *The PLY Polygon File Format*. Stanford University, 1994.

mod binary;
mod header;
#[cfg(feature = "parallel")]
mod in_blocks;
mod text;
mod write;

use fracas::geom::DVec3;
use fracas::mesh::Mesh;

use crate::error::{Fault, Reason};
use crate::input::Input;
use crate::polygon::finish;
use crate::text::{Lines, shown};
use header::{Element, Encoding, Kind, Scalar};

pub(crate) use write::{write, write_coloured};

pub(crate) fn read(input: Input<'_>) -> Result<Mesh, Fault> {
    let mut lines = Lines::new(input)?;
    let header = header::read(&mut lines)?;
    let plans = plan(&header.elements)?;
    #[cfg(feature = "parallel")]
    if let Some(blocks) = crate::blocks::for_size(lines.input().size())
        && let Some(parts) = in_blocks::read(blocks, &lines, header.encoding, &plans)
    {
        return finish(parts.positions, parts.triangles);
    }
    let mut parts = Parts::default();
    match header.encoding {
        Encoding::Text => text::read(lines, &plans, &mut parts)?,
        Encoding::LittleEndian => binary::read::<false>(lines.into_input(), &plans, &mut parts)?,
        Encoding::BigEndian => binary::read::<true>(lines.into_input(), &plans, &mut parts)?,
    }
    finish(parts.positions, parts.triangles)
}

/// The mesh, as far as it is read.
#[derive(Default)]
struct Parts {
    positions: Vec<DVec3>,
    triangles: Vec<[u32; 3]>,
}

/// An element and what its properties are for.
struct Plan<'h> {
    element: &'h Element,
    roles: Vec<Role>,
    /// Vertices in the file, which corners may name.
    vertices: u64,
    is_vertex: bool,
    is_face: bool,
}

/// What a property is for.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Role {
    /// x, y or z.
    Axis(usize),
    /// The vertices of a face.
    Corners,
    /// Nothing that a mesh has.
    Skip,
}

/// Finds the properties that make a mesh, or says which one is missing.
fn plan(elements: &[Element]) -> Result<Vec<Plan<'_>>, Fault> {
    for (i, element) in elements.iter().enumerate() {
        if elements[..i].iter().any(|earlier| earlier.name == element.name) {
            let reason = format!("a second element `{}`", element.name);
            return Err(Fault::malformed(element.place(), reason));
        }
        if element.name == "tristrips" && element.count > 0 {
            let reason = "the triangles are in strips (element `tristrips`), which are not read";
            return Err(Fault::unsupported(element.place(), reason));
        }
    }
    let Some(vertex) = elements.iter().find(|element| element.name == "vertex") else {
        return Err(Fault::whole(Reason::Malformed("the header has no element `vertex`".into())));
    };
    if vertex.count >= u64::from(u32::MAX) {
        let reason = format!("{} vertices are more than ids can name", vertex.count);
        return Err(Fault::unsupported(vertex.place(), reason));
    }
    elements
        .iter()
        .map(|element| {
            let roles = match element.name.as_str() {
                "vertex" => roles_of_vertex(element)?,
                "face" => roles_of_face(element)?,
                _ => vec![Role::Skip; element.properties.len()],
            };
            let is_vertex = element.name == "vertex";
            let is_face = roles.contains(&Role::Corners);
            Ok(Plan { element, roles, vertices: vertex.count, is_vertex, is_face })
        })
        .collect()
}

fn roles_of_vertex(element: &Element) -> Result<Vec<Role>, Fault> {
    let mut roles = vec![Role::Skip; element.properties.len()];
    for (axis, name) in ["x", "y", "z"].into_iter().enumerate() {
        let found = element.properties.iter().position(|property| property.name == name);
        match found.map(|at| (at, element.properties[at].kind)) {
            Some((at, Kind::Scalar(_))) => roles[at] = Role::Axis(axis),
            _ => {
                let reason = format!("element `vertex` has no scalar property `{name}`");
                return Err(Fault::malformed(element.place(), reason));
            }
        }
    }
    Ok(roles)
}

fn roles_of_face(element: &Element) -> Result<Vec<Role>, Fault> {
    let mut roles = vec![Role::Skip; element.properties.len()];
    let names = ["vertex_indices", "vertex_index"];
    let found = element.properties.iter().position(|property| names.contains(&property.name.as_str()));
    match found.map(|at| (at, element.properties[at].kind)) {
        Some((at, Kind::List { item, .. })) if !matches!(item, Scalar::F32 | Scalar::F64) => {
            roles[at] = Role::Corners;
        }
        None if element.count == 0 => {}
        _ => {
            let reason = "element `face` has no list of whole numbers `vertex_indices` or `vertex_index`";
            return Err(Fault::malformed(element.place(), reason));
        }
    }
    Ok(roles)
}

/// The name of an element in the plural, for messages.
fn plural(element: &str) -> String {
    match element {
        "vertex" => "vertices".into(),
        "face" => "faces".into(),
        other => format!("elements `{}`", shown(other.as_bytes())),
    }
}
