//! What may be read, and how files come to be: only files that were meant, whole or not at all.
#![cfg(unix)]

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use fracas_io::{Staging, WriteError, read};

/// A triangle whose positions are in another file.
fn document(uri: &str) -> String {
    format!(
        r#"{{"asset":{{"version":"2.0"}},"meshes":[{{"primitives":[{{"attributes":{{"POSITION":0}}}}]}}],
        "accessors":[{{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3"}}],
        "bufferViews":[{{"buffer":0,"byteLength":36}}],"buffers":[{{"uri":"{uri}","byteLength":36}}]}}"#
    )
}

fn positions() -> Vec<u8> {
    [0.0_f32, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0].iter().flat_map(|x| x.to_le_bytes()).collect()
}

/// A folder `in` with a document, and files in it and beside it.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let inner = folder.path().join("in");
    fs::create_dir_all(inner.join("sub")).unwrap();
    for file in ["secret.bin", "in/near.bin", "in/sub/deep.bin", "in/a b.bin"] {
        fs::write(folder.path().join(file), positions()).unwrap();
    }
    symlink(folder.path().join("secret.bin"), inner.join("link.bin")).unwrap();
    symlink(folder.path(), inner.join("up")).unwrap();
    symlink("near.bin", inner.join("alias.bin")).unwrap();
    symlink("/dev/zero", inner.join("zero.bin")).unwrap();
    assert!(Command::new("mkfifo").arg(inner.join("pipe.bin")).status().unwrap().success());
    folder
}

fn read_with(folder: &Path, uri: &str) -> Result<usize, String> {
    let file = folder.join("in/scene.gltf");
    fs::write(&file, document(uri)).unwrap();
    read(&file).map(|mesh| mesh.triangle_count()).map_err(|error| {
        let error = error.to_string();
        error.strip_prefix(&format!("{}, ", file.display())).unwrap().to_owned()
    })
}

#[test]
fn a_gltf_document_could_read_files_outside_its_folder() {
    let folder = folder();
    let outside = "this leads out of the folder of the document, where only files inside it are read";
    for uri in [
        "../secret.bin",
        "%2e%2e/secret.bin",
        "%2E%2E%2Fsecret.bin",
        "sub/../../secret.bin",
        "link.bin",
        "up/secret.bin",
    ] {
        assert_eq!(read_with(folder.path(), uri), Err(format!("buffer 0 (`{uri}`): {outside}")));
    }
    let secret = folder.path().join("secret.bin").display().to_string();
    for uri in [secret.as_str(), &format!("file://{secret}"), "%2fdev/zero", "/dev/zero"] {
        let error = read_with(folder.path(), uri).unwrap_err();
        assert!(error.ends_with("only buffers in files beside the document are read"), "{error}");
    }
    for uri in ["near.bin", "./near.bin", "sub/deep.bin", "sub/../near.bin", "a%20b.bin", "alias.bin"] {
        assert_eq!(read_with(folder.path(), uri), Ok(1), "{uri}");
    }
    let error = read_with(folder.path(), "lost.bin").unwrap_err();
    assert_eq!(error, "buffer 0 (`lost.bin`): No such file or directory (os error 2)");
}

#[test]
fn a_gltf_document_could_hang_on_a_pipe_or_fill_the_memory_from_a_device() {
    let folder = folder();
    assert_eq!(
        read_with(folder.path(), "pipe.bin"),
        Err("buffer 0 (`pipe.bin`): this is not a plain file".to_owned())
    );
    assert_eq!(read_with(folder.path(), "sub"), Err("buffer 0 (`sub`): this is not a plain file".to_owned()));
    let error = read_with(folder.path(), "zero.bin").unwrap_err();
    assert!(error.contains("leads out of the folder"), "{error}");
    // A document in the folder of devices may not read them either.
    if fs::metadata("/dev/zero").is_ok() {
        for device in ["/dev/zero", "/dev/null"] {
            let error = read(device).unwrap_err().to_string();
            assert_eq!(error, format!("{device}: this is a device, not a file or a pipe"));
        }
    }
}

fn names(folder: &Path) -> BTreeSet<String> {
    fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

#[test]
fn staged_files_appear_together_or_not_at_all() {
    let folder = tempfile::tempdir().unwrap();
    let [a, b, c] = ["a.txt", "b.txt", "c.txt"].map(|name| folder.path().join(name));
    fs::write(&a, "old a").unwrap();
    let staged = || {
        let mut files = Staging::default();
        for (file, text) in [(&a, "new a"), (&b, "new b"), (&c, "new c")] {
            files.write(file, |out| out.write_all(text.as_bytes())).unwrap();
        }
        files
    };
    drop(staged());
    assert_eq!(
        (names(folder.path()), fs::read(&a).unwrap()),
        (BTreeSet::from(["a.txt".to_owned()]), b"old a".to_vec())
    );
    // Something stands in the way of the last: the first two are put back.
    let files = staged();
    fs::create_dir(&c).unwrap();
    let error = files.commit().unwrap_err().to_string();
    assert!(error.starts_with(&c.display().to_string()), "{error}");
    assert_eq!(names(folder.path()), BTreeSet::from(["a.txt", "c.txt"].map(str::to_owned)));
    assert_eq!(fs::read(&a).unwrap(), b"old a");
    fs::remove_dir(&c).unwrap();
    staged().commit().unwrap();
    assert_eq!([&a, &b, &c].map(|file| fs::read_to_string(file).unwrap()), ["new a", "new b", "new c"]);
    assert_eq!(names(folder.path()).len(), 3);
}

#[test]
fn one_file_is_not_written_twice_by_one_command() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("page.html");
    symlink("page.html", folder.path().join("mesh.ply")).unwrap();
    fs::write(&file, "old").unwrap();
    let mut files = Staging::default();
    files.write(&file, |out| out.write_all(b"new")).unwrap();
    let again = folder.path().join("mesh.ply");
    assert!(matches!(files.write(&again, |_| Ok(())), Err(WriteError::Twice { .. })));
    files.commit().unwrap();
    assert_eq!(fs::read_to_string(&again).unwrap(), "new");
    assert!(again.symlink_metadata().unwrap().is_symlink(), "the link stays");
}

#[test]
fn long_names_have_room_for_no_suffix_and_permissions_stay() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join(format!("{}.txt", "x".repeat(251)));
    fs::write(&file, "old").unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
    let mut files = Staging::default();
    files.write(&file, |out| out.write_all(b"new")).unwrap();
    files.commit().unwrap();
    assert_eq!(fs::read(&file).unwrap(), b"new");
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o640);
}
