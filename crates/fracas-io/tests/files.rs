//! Files on disk: finding the format, failing to open, and writing whole or not at all.

mod common;

use std::fs;

use common::{SQUARE, assert_mesh, gltf_triangle, square};
use fracas::geom::DVec3;
use fracas::mesh::Mesh;
use fracas_io::{
    Format, Place, Reason, WriteError, read, read_bytes, write, write_bytes, write_ply_coloured,
};

#[test]
fn files_that_cannot_be_opened() {
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join("gone.obj");
    let error = read(&missing).unwrap_err();
    assert_eq!(error.place, Place::Whole);
    assert!(matches!(&error.reason, Reason::Io(io) if io.kind() == std::io::ErrorKind::NotFound));
    assert!(error.to_string().starts_with(&format!("{}: ", missing.display())), "{error}");

    let named_like_a_mesh = folder.path().join("folder.obj");
    fs::create_dir(&named_like_a_mesh).unwrap();
    assert!(read(&named_like_a_mesh).unwrap_err().to_string().ends_with(": this is a folder, not a file"));

    let empty = folder.path().join("empty.stl");
    fs::write(&empty, "").unwrap();
    assert!(read(&empty).unwrap_err().to_string().ends_with(": the file is empty"));
}

#[test]
fn the_extension_tells_the_format_in_capitals_too_and_else_the_content() {
    let folder = tempfile::tempdir().unwrap();
    let mut square_of = Vec::new();
    for (name, format) in
        [("a.OBJ", Format::Obj), ("a.Off", Format::Off), ("a.STL", Format::Stl), ("a.pLy", Format::Ply)]
    {
        let path = folder.path().join(name);
        let bytes = write_bytes(&square(), format, "square").unwrap();
        fs::write(&path, &bytes).unwrap();
        let expected = read_bytes(&bytes, format, "square").unwrap();
        assert_eq!(read(&path).unwrap(), expected);
        square_of.push((bytes, expected));
    }
    let text_stl = b"solid x\nendsolid x\n".to_vec();
    square_of.push((text_stl, Mesh::default()));
    let gltf = gltf_triangle(r#""nodes":[{"mesh":0}]"#);
    square_of.push((gltf.clone().into_bytes(), read_bytes(gltf.as_bytes(), Format::Gltf, "").unwrap()));
    for name in ["unknown.mesh", "no_extension"] {
        let path = folder.path().join(name);
        for (bytes, expected) in &square_of {
            fs::write(&path, bytes).unwrap();
            assert_eq!(&read(&path).unwrap(), expected);
        }
        for unclear in ["hello", "1 2 3\n", "# only a comment", "\0\0\0"] {
            fs::write(&path, unclear).unwrap();
            let error = read(&path).unwrap_err();
            assert!(matches!(error.reason, Reason::UnknownFormat), "{error}");
        }
    }
}

#[test]
#[cfg(unix)]
fn pipes_are_read_too() {
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("pipe.obj");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let bytes = write_bytes(&square(), Format::Obj, "square").unwrap();
    let writer = std::thread::spawn({
        let pipe = pipe.clone();
        move || fs::write(pipe, bytes).unwrap()
    });
    assert_eq!(read(&pipe).unwrap(), square());
    writer.join().unwrap();
}

#[test]
fn a_failed_write_leaves_what_was_there_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("kept.stl");
    fs::write(&path, "before").unwrap();
    let far = Mesh::new(vec![DVec3::ZERO, DVec3::X, DVec3::new(0.0, 1e39, 0.0)], vec![[0, 1, 1], [0, 1, 2]])
        .unwrap();
    let error = write(&path, &far).unwrap_err();
    assert!(matches!(error, WriteError::TooLargeForStl { triangle: 1, value: 1e39, .. }));
    assert!(
        error.to_string().ends_with("triangle 1 has the coordinate 1e39, too large for the 32 bits of STL"),
        "{error}"
    );

    let error = write_ply_coloured(&path, &[(&far, &[true, false]), (&far, &[true])]).unwrap_err();
    assert!(error.to_string().ends_with("1 marks for the 2 triangles of mesh 1"), "{error}");
    assert_eq!(fs::read(&path).unwrap(), b"before");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);

    let error = write(folder.path().join("mesh.glb"), &far).unwrap_err();
    assert!(
        error
            .to_string()
            .ends_with("mesh.glb: glTF is only read, not written (written are obj, off, stl, ply)")
    );
    assert!(matches!(write_bytes(&far, Format::Gltf, "x"), Err(WriteError::ReadOnlyFormat { .. })));
    let error = write(folder.path().join("mesh.txt"), &far).unwrap_err();
    assert!(matches!(error, WriteError::UnknownFormat { .. }), "{error}");
    for bad in ["no/such/folder/mesh.obj", "", ".."] {
        let error = write_ply_coloured(folder.path().join(bad), &[]).unwrap_err();
        assert!(matches!(error, WriteError::Io { .. }), "{error}");
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn a_write_replaces_what_was_there() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("square.ply");
    fs::write(&path, "a much longer text than there will be".repeat(100)).unwrap();
    write(&path, &square()).unwrap();
    assert_eq!(read(&path).unwrap(), square());
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    #[cfg(unix)]
    {
        let link = folder.path().join("link.ply");
        std::os::unix::fs::symlink(&path, &link).unwrap();
        write(&link, &Mesh::default()).unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(read(&path).unwrap(), Mesh::default());
    }
}

#[test]
fn marked_meshes_follow_one_another_with_their_colours() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("marked.ply");
    let triangle = Mesh::new(vec![DVec3::X, DVec3::Y, DVec3::Z], vec![[2, 1, 0]]).unwrap();
    write_ply_coloured(&path, &[(&square(), &[false, true]), (&triangle, &[true])]).unwrap();
    let positions = [&SQUARE[..], &[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]].concat();
    assert_mesh(&read(&path).unwrap(), &positions, &[[0, 1, 2], [0, 2, 3], [6, 5, 4]]);

    // Each face is a count, three indices of four bytes and three bytes of colour, at the end of the file.
    let bytes = fs::read(&path).unwrap();
    let colours: Vec<&[u8]> = bytes[bytes.len() - 3 * 16..].chunks(16).map(|face| &face[13..]).collect();
    let is_red = |colour: &[u8]| colour[0] > 200 && colour[1] < 50 && colour[2] < 50;
    let is_light_grey = |colour: &[u8]| colour[0] > 200 && colour.iter().all(|&part| part == colour[0]);
    assert!(is_light_grey(colours[0]) && is_red(colours[1]) && is_red(colours[2]), "{colours:?}");
    let header = String::from_utf8_lossy(&bytes);
    let properties = "property list uchar int vertex_indices\nproperty uchar red\nproperty uchar green\nproperty uchar blue\n";
    assert!(header.contains(properties));
}
