//! Readers of large files: OBJ, PLY and STL, text and binary, written beforehand into a folder for temporary files.

use super::Setting;
use super::stage::{Row, Stage, timed};
use crate::metric::Report;
use fracas::mesh::Mesh;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// Larger meshes are not written as text STL: the files would take gigabytes.
const MOST_IN_TEXT_STL: usize = 1_100_000;

/// Files that are removed in the end.
pub struct Scratch(PathBuf);

impl Scratch {
    pub fn new(name: &str) -> io::Result<Self> {
        let path = std::env::temp_dir().join(format!("fracas-bench-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path)?;
        Ok(Self(path))
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A reader: as in `cores.NAME.speedup`, for people, the file's name, and what writes the file.
type Reader = (&'static str, &'static str, &'static str, fn(&Path, &Mesh) -> io::Result<()>);

/// Times all readers on one mesh.
pub fn run(report: &Report, setting: &Setting, mesh: &Mesh, rows: &mut Vec<Row>) -> io::Result<()> {
    let scratch = Scratch::new("files")?;
    let readers: [Reader; 5] = [
        ("read_obj", "reading OBJ", "cloth.obj", write_known),
        ("read_ply_text", "reading PLY, text", "text.ply", write_text_ply),
        ("read_ply", "reading PLY, binary", "cloth.ply", write_known),
        ("read_stl_text", "reading STL, text", "text.stl", write_text_stl),
        ("read_stl", "reading STL, binary", "cloth.stl", write_known),
    ];
    for (name, about, file, write) in readers {
        let size = mesh.triangle_count();
        if name == "read_stl_text" && size > MOST_IN_TEXT_STL {
            report
                .say(&format!("  {about}: left out, as the file would take {:.1} GB", size as f64 * 250e-9));
            continue;
        }
        let path = scratch.path(file);
        write(&path, mesh)?;
        let length = std::fs::metadata(&path)?.len() as f64;
        // The system copies the file to us, and the mesh is written.
        let is_stl = file.ends_with("stl");
        let vertices = if is_stl { 3 * size } else { mesh.vertex_count() } as f64;
        let bytes = 2.0 * length + 24.0 * vertices + 12.0 * size as f64;
        let run = || {
            let (time, read) = timed(|| fracas_io::read(&path).expect("a file that we wrote"));
            assert!(read.triangle_count() == size && (is_stl || read == *mesh), "{name}: another mesh");
            let sum = read.positions().iter().fold(0_u64, |sum, p| sum.wrapping_mul(31) ^ p.x.to_bits());
            (time, sum)
        };
        rows.push(Stage { name, about, size, bytes, run: Box::new(run) }.measure(report, setting));
        std::fs::remove_file(&path)?;
    }
    Ok(())
}

/// A file of a format that Fracas writes.
pub fn write_known(path: &Path, mesh: &Mesh) -> io::Result<()> {
    fracas_io::write(path, mesh).map_err(io::Error::other)
}

fn write_text_ply(path: &Path, mesh: &Mesh) -> io::Result<()> {
    let mut out = BufWriter::new(std::fs::File::create(path)?);
    writeln!(out, "ply\nformat ascii 1.0\nelement vertex {}", mesh.vertex_count())?;
    writeln!(out, "property double x\nproperty double y\nproperty double z")?;
    writeln!(
        out,
        "element face {}\nproperty list uchar int vertex_indices\nend_header",
        mesh.triangle_count()
    )?;
    for p in mesh.positions() {
        writeln!(out, "{:?} {:?} {:?}", p.x, p.y, p.z)?;
    }
    for [a, b, c] in mesh.triangles() {
        writeln!(out, "3 {a} {b} {c}")?;
    }
    out.flush()
}

fn write_text_stl(path: &Path, mesh: &Mesh) -> io::Result<()> {
    let mut out = BufWriter::new(std::fs::File::create(path)?);
    writeln!(out, "solid cloth")?;
    for corners in mesh.triangles() {
        writeln!(out, "facet normal 0 0 0\n outer loop")?;
        for vertex in corners {
            let p = mesh.positions()[*vertex as usize].as_vec3();
            writeln!(out, "  vertex {:?} {:?} {:?}", p.x, p.y, p.z)?;
        }
        writeln!(out, " endloop\nendfacet")?;
    }
    writeln!(out, "endsolid cloth")?;
    out.flush()
}
