//! Writes binary PLY, little endian, with positions as `double` so that what is read back is equal.

use std::io::{self, Write};

use fracas::mesh::Mesh;

use crate::error::WriteError;

const RED: [u8; 3] = [220, 40, 30];
const LIGHT_GREY: [u8; 3] = [205, 205, 205];

pub(crate) fn write(out: &mut dyn Write, mesh: &Mesh) -> io::Result<()> {
    write_header(out, mesh.vertex_count(), mesh.triangle_count(), false)?;
    write_positions(out, mesh)?;
    write_triangles(out, mesh, 0, |_, _| Ok(()))
}

/// Several meshes in one file, one after the other, with marked triangles red and all others light grey.
pub(crate) fn write_coloured(
    out: &mut dyn Write,
    meshes: &[(&Mesh, &[bool])],
    file: &str,
) -> Result<(), WriteError> {
    let total = |what, count: fn(&Mesh) -> usize| {
        let count = meshes.iter().map(|(mesh, _)| count(mesh)).sum();
        if count >= u32::MAX as usize {
            return Err(WriteError::TooMany { file: file.to_owned(), what, count });
        }
        Ok(count)
    };
    let vertices = total("vertices", Mesh::vertex_count)?;
    let triangles = total("triangles", Mesh::triangle_count)?;
    for (index, (mesh, marks)) in meshes.iter().enumerate() {
        let (triangles, marks) = (mesh.triangle_count(), marks.len());
        if triangles != marks {
            return Err(WriteError::WrongMarkCount { file: file.to_owned(), mesh: index, triangles, marks });
        }
    }
    let io = |source: io::Error| WriteError::Io { file: file.to_owned(), source };
    write_header(out, vertices, triangles, true).map_err(io)?;
    for (mesh, _) in meshes {
        write_positions(out, mesh).map_err(io)?;
    }
    let mut first_vertex = 0;
    for (mesh, marks) in meshes {
        let colour = |out: &mut dyn Write, triangle: usize| {
            out.write_all(if marks[triangle] { &RED } else { &LIGHT_GREY })
        };
        write_triangles(out, mesh, first_vertex, colour).map_err(io)?;
        first_vertex += mesh.vertex_count() as u32;
    }
    Ok(())
}

fn write_header(out: &mut dyn Write, vertices: usize, triangles: usize, colours: bool) -> io::Result<()> {
    // More programs read `int` than `uint`.
    let index = if vertices <= i32::MAX as usize { "int" } else { "uint" };
    writeln!(out, "ply\nformat binary_little_endian 1.0\nelement vertex {vertices}")?;
    writeln!(out, "property double x\nproperty double y\nproperty double z")?;
    writeln!(out, "element face {triangles}\nproperty list uchar {index} vertex_indices")?;
    if colours {
        writeln!(out, "property uchar red\nproperty uchar green\nproperty uchar blue")?;
    }
    writeln!(out, "end_header")
}

fn write_positions(out: &mut dyn Write, mesh: &Mesh) -> io::Result<()> {
    for position in mesh.positions() {
        let mut row = [0; 24];
        for (value, bytes) in position.to_array().iter().zip(row.chunks_exact_mut(8)) {
            bytes.copy_from_slice(&value.to_le_bytes());
        }
        out.write_all(&row)?;
    }
    Ok(())
}

fn write_triangles(
    out: &mut dyn Write,
    mesh: &Mesh,
    first_vertex: u32,
    after: impl Fn(&mut dyn Write, usize) -> io::Result<()>,
) -> io::Result<()> {
    for (triangle, corners) in mesh.triangles().iter().enumerate() {
        let mut row = [3; 13];
        for (vertex, bytes) in corners.iter().zip(row[1..].chunks_exact_mut(4)) {
            bytes.copy_from_slice(&(first_vertex + vertex).to_le_bytes());
        }
        out.write_all(&row)?;
        after(out, triangle)?;
    }
    Ok(())
}
