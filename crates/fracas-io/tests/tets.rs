//! Tetrahedral meshes from Gmsh, Medit and VTK files: the same mesh in every form, damaged files, real files.

mod common;

use fracas::base::Random;
use fracas::geom::DVec3;
use fracas::mesh::tets::{TetAdjacency, TetMesh};
use fracas_io::TetFormat::{self, Gmsh, Medit, Vtk};
use fracas_io::{read_tets, read_tets_bytes};

/// Two tetrahedra and an unused node. The second is inside out in all files.
const POINTS: [[f64; 3]; 6] =
    [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 1.0, 1.0], [0.1, 0.2, -7.5]];

fn expected() -> TetMesh {
    let positions = POINTS.map(DVec3::from_array).to_vec();
    TetMesh::new(positions, vec![[0, 1, 2, 3], [1, 2, 3, 4]]).unwrap()
}

const MEDIT: &str = "MeshVersionFormatted 2\nDimension\n3\n# made by hand\nVertices\n6\n0 0 0 1\n1 0 0 1\n0 1 0 1\n\
    0 0 1 1\n1 1 1 1\n.1 .2 -7.5 0\nTriangles\n1\n1 2 3 5\nTetrahedra\n2\n1 2 3 4 0\n2 3 5 4 0\nEnd\n";

const VTK: &str = "# vtk DataFile Version 3.0\ntitle # not a comment\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 6 double\n\
    0 0 0 1 0 0 0 1 0\n0 0 1 1 1 1 .1 .2 -7.5\nCELLS 3 14\n4 0 1 2 3\n3 0 1 2\n4 1 2 4 3\nCELL_TYPES 3\n10\n5\n10\n\
    CELL_DATA 3\nSCALARS a float 1\nLOOKUP_TABLE default\n1 2 3\n";

const VTK_5: &str = "# vtk DataFile Version 5.1\nx\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 6 double\n\
    0 0 0 1 0 0 0 1 0 0 0 1 1 1 1 .1 .2 -7.5\nCELLS 4 11\nOFFSETS vtktypeint64\n0 4 7 11\n\
    CONNECTIVITY vtktypeint64\n0 1 2 3 0 1 2 1 2 4 3\nCELL_TYPES 3\n10 5 10\n";

const GMSH_2: &str = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n1\n3 1 \"body\"\n$EndPhysicalNames\n$Nodes\n6\n\
    10 0 0 0\n11 1 0 0\n12 0 1 0\n13 0 0 1\n900 1 1 1\n14 .1 .2 -7.5\n$EndNodes\n$Elements\n3\n1 2 2 1 1 10 11 12\n\
    2 4 2 1 1 10 11 12 13\n3 4 0 11 12 900 13\n$EndElements\n";

const GMSH_4: &str = "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Entities\n0 0 0 1\n1 0 0 0 1 1 1 0 0\n$EndEntities\n$Nodes\n\
    2 6 1 6\n2 1 1 4\n1\n2\n3\n4\n0 0 0 0.5 0.5\n1 0 0 0 0\n0 1 0 0 0\n0 0 1 0 0\n3 1 0 2\n5\n6\n1 1 1\n.1 .2 -7.5\n$EndNodes\n\
    $Elements\n2 3 1 3\n2 1 2 1\n1 1 2 3\n3 1 4 2\n2 1 2 3 4\n3 2 3 5 4\n$EndElements\n";

/// The same mesh as bytes of either version and order.
fn gmsh_binary(version_4: bool, big: bool) -> Vec<u8> {
    let int = |value: i32| if big { value.to_be_bytes() } else { value.to_le_bytes() }.to_vec();
    let long = |value: i64| if big { value.to_be_bytes() } else { value.to_le_bytes() }.to_vec();
    let float = |value: f64| if big { value.to_be_bytes() } else { value.to_le_bytes() }.to_vec();
    let ints = |values: &[i32]| values.iter().flat_map(|&v| int(v)).collect::<Vec<u8>>();
    let longs = |values: &[i64]| values.iter().flat_map(|&v| long(v)).collect::<Vec<u8>>();
    let point = |p: &[f64; 3]| p.iter().flat_map(|&x| float(x)).collect::<Vec<u8>>();
    let version = if version_4 { "4.1" } else { "2.2" };
    let mut file = format!("$MeshFormat\n{version} 1 8\n").into_bytes();
    file.extend([int(1), b"\n$EndMeshFormat\n$Nodes\n".to_vec()].concat());
    if version_4 {
        file.extend([longs(&[1, 6, 1, 6]), ints(&[3, 1, 0]), long(6), longs(&[1, 2, 3, 4, 5, 6])].concat());
        file.extend(POINTS.iter().flat_map(point));
        file.extend(b"\n$EndNodes\n$Elements\n");
        file.extend([longs(&[2, 3, 1, 3]), ints(&[2, 1, 2]), longs(&[1, 9, 1, 2, 3])].concat());
        file.extend([ints(&[3, 1, 4]), longs(&[2, 1, 1, 2, 3, 4, 2, 2, 3, 5, 4])].concat());
    } else {
        file.extend(b"6\n");
        file.extend(POINTS.iter().zip(1..).flat_map(|(p, tag)| [int(tag), point(p)].concat()));
        file.extend(b"\n$EndNodes\n$Elements\n3\n");
        file.extend(ints(&[2, 1, 2, 1, 7, 7, 1, 2, 3]));
        file.extend(ints(&[4, 2, 1, 2, 7, 1, 2, 3, 4, 3, 7, 2, 3, 5, 4]));
    }
    file.extend(b"\n$EndElements\n");
    file
}

/// The same mesh as a binary VTK file: lists of cells and single precision, or offsets and double precision.
fn vtk_binary(version_5: bool) -> Vec<u8> {
    let ints = |values: &[i32]| values.iter().flat_map(|v| v.to_be_bytes()).collect::<Vec<u8>>();
    let longs = |values: &[i64]| values.iter().flat_map(|v| v.to_be_bytes()).collect::<Vec<u8>>();
    let version = if version_5 { "5.1" } else { "3.0" };
    let mut file =
        format!("# vtk DataFile Version {version}\ntitle\nBINARY\nDATASET UNSTRUCTURED_GRID\n").into_bytes();
    if version_5 {
        // A field whose numbers look like lines, and words about it.
        file.extend(b"FIELD FieldData 2\nTIME 1 1 double\nPOINTS 9\nCYCLE 2 1 int\n\n\n\n\n\n\n\n\n\n");
        file.extend(b"METADATA\nINFORMATION 1\nNAME L2_NORM_RANGE LOCATION vtkDataArray\nDATA 2 0 1\n\n");
        file.extend(b"POINTS 6 double\n");
        file.extend(POINTS.iter().flatten().flat_map(|x| x.to_be_bytes()));
        file.extend(b"\nMETADATA\nINFORMATION 0\n\nCELLS 4 11\nOFFSETS vtktypeint64\n");
        file.extend(longs(&[0, 4, 7, 11]));
        file.extend(b"\nCONNECTIVITY vtktypeint32\n");
        file.extend(ints(&[0, 1, 2, 3, 0, 1, 2, 1, 2, 4, 3]));
    } else {
        file.extend(b"POINTS 6 float\n");
        file.extend(POINTS.iter().flatten().flat_map(|&x| (x as f32).to_be_bytes()));
        file.extend(b"\nCELLS 3 14\n");
        file.extend(ints(&[4, 0, 1, 2, 3, 3, 0, 1, 2, 4, 1, 2, 4, 3]));
    }
    file.extend(b"\nCELL_TYPES 3\n");
    file.extend(ints(&[10, 5, 10]));
    file.extend(b"\nCELL_DATA 3\nSCALARS a float 1\nLOOKUP_TABLE default\n............\n");
    file
}

#[test]
fn binary_vtk_with_single_precision() {
    let mesh = read_tets_bytes(&vtk_binary(false), Vtk, "file").unwrap();
    let rounded = POINTS.map(|p| DVec3::from_array(p.map(|x| f64::from(x as f32))));
    assert_eq!(mesh.positions(), rounded);
    assert_eq!(mesh.tets(), expected().tets());
}

/// A file that ends anywhere before its last section is refused, with the byte where the section begins or is cut.
#[test]
fn binary_vtk_that_ends_too_early() {
    for version_5 in [false, true] {
        let file = vtk_binary(version_5);
        let types = file.windows(10).position(|words| words == b"CELL_TYPES").unwrap();
        let header = file.windows(17).position(|words| words == b"UNSTRUCTURED_GRID").unwrap() + 17;
        for length in header..types + 13 + 12 {
            let error = read_tets_bytes(&file[..length], Vtk, "f").unwrap_err().to_string();
            assert!(error.starts_with("f, byte "), "{length}: {error}");
        }
        assert!(read_tets_bytes(&file[..types + 13 + 12], Vtk, "f").is_ok());
    }
}

#[test]
fn binary_vtk_errors_name_the_byte() {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let replaced = |version_5, from: &[u8], to: &[u8]| {
        let file = vtk_binary(version_5);
        let at = file.windows(from.len()).position(|found| found == from);
        let at = at.unwrap_or_else(|| panic!("no {} in the file", text(from)));
        let file = [&file[..at], to, &file[at + from.len()..]].concat();
        read_tets_bytes(&file, Vtk, "f").unwrap_err().to_string()
    };
    let nan = f32::NAN.to_be_bytes();
    let minus = (-7.5_f32).to_be_bytes();
    let found = [
        replaced(false, b"POINTS 6 float", b"POINTS 6 int"),
        replaced(false, &minus, &nan),
        replaced(false, b"CELLS 3 14", b"CELLS 4 14"),
        replaced(false, b"POINTS 6", b"POINTS 9999999999"),
        replaced(false, b"CELL_TYPES 3", b"CELL_TYPES x"),
        replaced(false, &[0, 0, 0, 4, 0, 0, 0, 0], &[0, 0, 0, 4, 0, 0, 0, 77]),
        replaced(true, b"TIME 1 1 double", b"TIME 1 1 string"),
        replaced(true, b"TIME 1 1 double", b"TIME 99999 99999 double"),
        replaced(true, b"CONNECTIVITY vtktypeint32", b"CONNECTIVITY float"),
    ];
    let expected = [
        "f, byte 66: points of type `int` are not read",
        "f, byte 141: the z coordinate is not finite: NaN",
        "f, byte 221: the list of cells ends within cell 3",
        "f, byte 90: 9999999999 points need at least 119999999988 bytes, but only 231 are left in the file",
        "f, byte 222: `x` is not a whole number",
        "f, cell 0: the tetrahedron names node 77, which is not among the 6 nodes of the file",
        "f, byte 84: a field of type `string` cannot be skipped",
        "f, byte 84: 9999800001 numbers of a field need at least 79998400008 bytes, but only 519 are left in the file",
        "f, byte 458: CONNECTIVITY of type `float` are not read",
    ];
    assert_eq!(found, expected);
}

fn files() -> Vec<(TetFormat, Vec<u8>)> {
    let text = [(Medit, MEDIT), (Vtk, VTK), (Vtk, VTK_5), (Gmsh, GMSH_2), (Gmsh, GMSH_4)];
    let mut files: Vec<(TetFormat, Vec<u8>)> = text.map(|(f, t)| (f, t.as_bytes().to_vec())).to_vec();
    for (version_4, big) in [(false, false), (false, true), (true, false), (true, true)] {
        files.push((Gmsh, gmsh_binary(version_4, big)));
    }
    files.push((Vtk, vtk_binary(true)));
    files
}

#[test]
fn every_form_gives_the_same_mesh() {
    for (k, (format, bytes)) in files().iter().enumerate() {
        let mesh = read_tets_bytes(bytes, *format, "file").unwrap_or_else(|error| panic!("{k}: {error}"));
        assert_eq!(mesh, expected(), "file {k}");
    }
}

/// Counts and values may share lines; what is left of a line must not be forgotten.
#[test]
fn all_on_one_line() {
    let text = MEDIT.replace("# made by hand\n", "").replace('\n', " ");
    assert_eq!(read_tets_bytes(text.as_bytes(), Medit, "file").unwrap(), expected());
}

#[test]
fn the_content_tells_the_format_where_the_name_does_not() {
    let folder = tempfile::tempdir().unwrap();
    for (k, (_, bytes)) in files().iter().enumerate() {
        let path = folder.path().join(format!("{k}.txt"));
        std::fs::write(&path, bytes).unwrap();
        assert_eq!(read_tets(&path).unwrap(), expected());
    }
    let path = folder.path().join("other.txt");
    std::fs::write(&path, "v 0 0 0").unwrap();
    let message = read_tets(&path).unwrap_err().to_string();
    assert!(message.ends_with("neither the name nor the content tells the format (known: msh, mesh, vtk)"));
}

#[test]
fn errors_name_the_line_and_the_reason() {
    let message = |format, text: &str| read_tets_bytes(text.as_bytes(), format, "f").unwrap_err().to_string();
    let cases = [
        (
            Medit,
            MEDIT.replace("2 3 5 4", "2 3 9 4"),
            "f, line 19: the tetrahedron names node 9, which is not among the 6 nodes of the file",
        ),
        (Medit, MEDIT.replace("0 0 1 1\n", "0 0 nan 1\n"), "f, line 10: the z coordinate is not finite: NaN"),
        (Medit, MEDIT.replace("1 2 3 4 0", "1 2 3 3 0"), "f: tetrahedron 0 has no volume"),
        (Medit, MEDIT.replace("\n3\n#", "\n2\n#"), "f, line 3: the mesh has 2 dimensions; only 3 are read"),
        (Medit, "solid".into(), "f, line 1: `SOLID` is not the header of a Medit file"),
        (
            Medit,
            MEDIT.replace("Vertices\n6", "Corners\n6"),
            "f, line 20: the file has no section of vertices",
        ),
        (Vtk, VTK.replace("ASCII", "BINAR"), "f, line 3: `BINAR` is neither ASCII nor BINARY"),
        (
            Vtk,
            VTK.replace("UNSTRUCTURED_GRID", "POLYDATA"),
            "f, line 4: only unstructured grids are read, not `POLYDATA`",
        ),
        (Vtk, VTK.replace("CELLS 3 14", "CELLS 3 13"), "f, line 11: the list of cells ends within cell 2"),
        (Vtk, VTK.replace("CELL_TYPES 3\n10\n", "CELL_TYPES 2\n"), "f, line 18: 2 cell types for 3 cells"),
        (
            Gmsh,
            GMSH_2.replace("2.2 0", "3.0 0"),
            "f, line 2: version `3.0` of Gmsh's format is not read; 2.2 and 4.1 are",
        ),
        (
            Gmsh,
            GMSH_2.replace("11 12 900", "11 12 901"),
            "f, line 21: the tetrahedron names node 901, which is not among the 6 nodes of the file",
        ),
        (Gmsh, GMSH_2.replace("900 1 1 1", "12 1 1 1"), "f: two nodes have the tag 12"),
        (
            Gmsh,
            GMSH_4.replace("2 6 1 6", "2 600000 1 6"),
            "f, line 9: 600000 nodes need at least 4799999 bytes, but only 178 are left in the file",
        ),
    ];
    let (found, expected): (Vec<String>, Vec<&str>) =
        cases.into_iter().map(|(format, text, expected)| (message(format, &text), expected)).unzip();
    assert_eq!(found, expected);
}

/// No panic and no endless loop, whatever happens to a file.
#[test]
fn damaged_files_are_refused_or_read() {
    let mut random = Random::linear(5);
    for (format, original) in files().into_iter().chain([(Vtk, vtk_binary(false))]) {
        for _ in 0..2000 {
            let mut bytes = original.clone();
            for _ in 0..=random.below(3) {
                let at = random.below(bytes.len());
                match random.below(4) {
                    0 => bytes[at] = random.below(256) as u8,
                    1 => bytes[at] ^= 1 << random.below(8),
                    2 => drop(bytes.remove(at)),
                    _ => bytes.truncate(at.max(1)),
                }
                if bytes.is_empty() {
                    break;
                }
            }
            let _ = read_tets_bytes(&bytes, format, "file");
        }
    }
}

/// Counts taken from the files by other means. Skipped where the folder is absent.
#[test]
fn real_files() {
    let folder = match std::env::var_os("FRACAS_SHARED_DATA") {
        Some(folder) => std::path::PathBuf::from(folder),
        None => std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data"),
    };
    if !folder.is_dir() {
        eprintln!("skipped: no files in {} (set FRACAS_SHARED_DATA to where they are)", folder.display());
        return;
    }
    for (file, nodes, tets) in REAL {
        let mesh = read_tets(folder.join("tets").join(file)).unwrap();
        assert_eq!((mesh.node_count(), mesh.tet_count()), (*nodes, *tets), "{file}");
        assert!(TetAdjacency::build(&mesh).is_ok(), "{file}");
    }
}

const REAL: &[(&str, usize, usize)] = &[
    ("bunny.mesh", 5433, 34055),
    ("bunny.msh", 4670, 19379),
    ("octopus-low.mesh", 452, 1140),
    ("plate41.vtk", 3362, 9600),
];
