//! Every way to fail: status 2, one sentence that names the offender, nothing printed, no file changed.

mod common;

use common::{Folder, mesh};
use fracas::geom::DVec3;
use fracas::mesh::shapes;
use std::process::Stdio;

const BROKEN: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 9\n";

/// A folder with a good mesh, a broken one, and other things that are no meshes.
fn folder() -> Folder {
    let folder = Folder::with_files(&[
        ("good.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"),
        ("broken.obj", BROKEN),
        ("nothing.obj", ""),
        ("letter.docx", "Dear reader"),
        ("short.off", "OFF\n3 1 0\n0.00 0.00 0.00\n1.00 0.00 0.00\n"),
        ("inf.obj", "v 0 0 0\nv 1 1e999 0\n"),
    ]);
    std::fs::create_dir(folder.path("taken.ply")).unwrap();
    folder
}

/// Runs the words and checks that they fail as promised, with the given sentence.
#[track_caller]
fn assert_fails(words: &str, sentence: &str) {
    let folder = folder();
    let before = folder.names();
    let run = folder.run(words);
    assert_eq!(run.complaints, format!("fracas: {sentence}\n"), "{words}");
    assert_eq!((run.status, run.out.as_str()), (2, ""), "{words}");
    assert_eq!(folder.names(), before, "{words} left a file");
}

#[test]
fn words_that_make_no_sense() {
    let help = "(see `fracas --help`)";
    let commands = "check, ccd, distance, near, contacts, inside, info, analyze, scenes, run, view or play";
    assert_fails("", &format!("a command is missing: {commands} {help}"));
    assert_fails("explode good.obj", &format!("unrecognized subcommand 'explode' {help}"));
    let missing = format!("the following required arguments were not provided: <MESH>... {help}");
    assert_fails("check", &missing);
    assert_fails("info --json", &missing);
    assert_fails("check good.obj --fast", &format!("unexpected argument '--fast' found {help}"));
    assert_fails("info good.obj --self", &format!("unexpected argument '--self' found {help}"));
    assert_fails(
        "check good.obj --touch softly",
        &format!("invalid value 'softly' for '--touch <WHICH>' [possible values: include, proper] {help}"),
    );
    assert_fails(
        "check good.obj --engine steam",
        &format!(
            "invalid value 'steam' for '--engine <NAME>' [possible values: auto, tree, soup, brute, gpu] {help}"
        ),
    );
    let twice = "the argument '--out <FILE.ply>' cannot be used multiple times";
    assert_fails("check good.obj --out a.ply --out b.ply", &format!("{twice} {help}"));
    assert_fails(
        "check good.obj --out",
        &format!("a value is required for '--out <FILE.ply>' but none was supplied {help}"),
    );
}

#[test]
fn bad_numbers_of_threads() {
    for (number, reason) in [
        ("0", "0 is not in 1..=1024"),
        ("1025", "1025 is not in 1..=1024"),
        ("two", "invalid digit found in string"),
        ("99999999999", "99999999999 is not in 1..=1024"),
    ] {
        for words in ["check good.obj --threads", "info good.obj --threads"] {
            assert_fails(
                &format!("{words} {number}"),
                &format!("invalid value '{number}' for '--threads <N>': {reason} (see `fracas --help`)"),
            );
        }
    }
}

#[test]
fn engines_that_the_machine_has_no_device_for() {
    if let Err(reason) = fracas_gpu::GpuSoup::available() {
        assert_fails(
            "check good.obj --engine gpu",
            &format!("the engine gpu cannot be used: {reason} (the engines tree and soup find the same)"),
        );
    }
}

#[test]
fn files_that_cannot_be_read() {
    for command in
        ["check", "check --json", "check --threads 2 good.obj", "check good.obj --self --out new.ply"]
    {
        assert_fails(&format!("{command} lost.obj"), "lost.obj: No such file or directory (os error 2)");
        assert_fails(
            &format!("{command} broken.obj"),
            "broken.obj, line 4: the face names vertex 9, but only 3 are defined",
        );
        assert_fails(&format!("{command} nothing.obj"), "nothing.obj: the file is empty");
        assert_fails(
            &format!("{command} letter.docx"),
            "letter.docx: neither the name nor the content tells the format (known: obj, off, stl, ply, gltf, glb)",
        );
        assert_fails(
            &format!("{command} short.off"),
            "short.off, line 4: the file ends after 2 of 3 vertices",
        );
        assert_fails(&format!("{command} ."), ".: this is a folder, not a file");
    }
    assert_fails("check inf.obj", "inf.obj, line 2: the y coordinate is not finite: inf");
}

#[test]
fn of_several_bad_files_the_first_is_named() {
    for threads in [1, 4] {
        assert_fails(
            &format!("check good.obj broken.obj lost.obj nothing.obj --threads {threads}"),
            "broken.obj, line 4: the face names vertex 9, but only 3 are defined",
        );
    }
}

#[test]
fn shapes_that_do_not_exist() {
    for command in ["check", "info"] {
        let run = folder().run(&format!("{command} good.obj shape:ufo"));
        assert_eq!((run.status, run.out.as_str()), (2, ""));
        let start = "fracas: shape:ufo: there is no shape `ufo` (there are folded-cloth, ";
        assert!(run.complaints.starts_with(start), "{}", run.complaints);
        assert_eq!(run.complaints.lines().count(), 1);
        assert_fails(
            &format!("{command} shape:folded-cloth:many"),
            "shape:folded-cloth:many: `many` is not a number of triangles",
        );
        assert_fails(
            &format!("{command} shape:folded-cloth:100"),
            "shape:folded-cloth:100: a folded-cloth has 2000 to 50000000 triangles, not 100",
        );
    }
}

#[test]
fn places_where_nothing_can_be_written() {
    assert_fails(
        "check good.obj --out marked.obj",
        "marked.obj: the marked mesh is written as PLY, so the name must end in .ply",
    );
    assert_fails(
        "check good.obj --out no/where/marked.ply",
        "no/where/marked.ply: there is no folder no/where",
    );
    assert_fails("check good.obj --out taken.ply --json", "taken.ply: Is a directory (os error 21)");
}

#[test]
fn a_mesh_that_is_read_is_not_replaced() {
    let folder = Folder::with_meshes(&[("cube.ply", &shapes::cuboid(DVec3::ONE))]);
    let before = std::fs::read(folder.path("cube.ply")).unwrap();
    let run = folder.run("check shape:noisy-sphere:20 cube.ply --out ./cube.ply");
    assert_eq!(run.complaints, "fracas: ./cube.ply: this file is being read, so --out needs another name\n");
    assert_eq!((run.status, run.out.as_str()), (2, ""));
    assert_eq!(std::fs::read(folder.path("cube.ply")).unwrap(), before);
}

#[test]
fn a_failed_run_keeps_the_old_output() {
    let folder = folder();
    std::fs::write(folder.path("marked.ply"), "what was there").unwrap();
    let before = folder.names();
    assert_eq!(folder.run("check good.obj broken.obj --out marked.ply").status, 2);
    assert_eq!(std::fs::read(folder.path("marked.ply")).unwrap(), b"what was there");
    assert_eq!(folder.names(), before);
}

#[test]
fn help_and_version_are_no_failures() {
    for (words, part) in [
        ("--help", "Usage: fracas"),
        ("--version", concat!("fracas ", env!("CARGO_PKG_VERSION"))),
        ("check --help", "--touch <WHICH>"),
        ("info --help", "--merge"),
        ("help check", "folded-cloth"),
    ] {
        let run = folder().run(words);
        assert_eq!((run.status, run.complaints.as_str()), (0, ""), "{words}");
        assert!(run.out.contains(part), "{}", run.out);
    }
}

#[test]
fn a_reader_who_leaves_early_causes_no_panic() {
    // Two copies of one mesh touch everywhere: more pairs than fit into any pipe.
    let ball = shapes::noisy_sphere(3_000, 0.1, 1);
    let folder = Folder::with_meshes(&[("ball.ply", &ball)]);
    for (words, status) in [
        (&["check", "ball.ply", "ball.ply", "--json"][..], 1),
        (&["check", "ball.ply", "ball.ply"], 1),
        (&["info", "ball.ply"], 0),
        (&["--help"], 0),
    ] {
        let mut child = folder.command(words).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{words:?}");
        assert_eq!(output.status.code(), Some(status), "{words:?}");
    }
}

#[cfg(target_os = "linux")]
mod on_linux {
    use super::*;
    use std::ffi::{OsStr, OsString};
    use std::os::unix::ffi::OsStrExt;

    #[test]
    fn a_full_disk_behind_standard_output_is_reported() {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let mut command = folder().command(["check", "shape:noisy-sphere:20", "--json"]);
        let output = command.current_dir("/").stdout(full).output().unwrap();
        let complaints = String::from_utf8(output.stderr).unwrap();
        assert_eq!(complaints, "fracas: standard output: No space left on device (os error 28)\n");
        assert_eq!(output.status.code(), Some(2));
    }

    #[test]
    fn a_full_disk_behind_the_marked_mesh_is_reported() {
        let folder = folder();
        std::os::unix::fs::symlink("/dev/full", folder.path("full.ply")).unwrap();
        let before = folder.names();
        let run = folder.run("check good.obj --out full.ply");
        assert_eq!(run.complaints, "fracas: full.ply: No space left on device (os error 28)\n");
        assert_eq!((run.status, run.out.as_str()), (2, ""));
        assert_eq!(folder.names(), before);
    }

    #[test]
    fn a_folder_that_takes_no_files_is_reported() {
        let run = folder().run("check good.obj --out /proc/marked.ply");
        assert!(run.complaints.starts_with("fracas: /proc/marked.ply: "), "{}", run.complaints);
        assert_eq!((run.status, run.out.as_str(), run.complaints.lines().count()), (2, "", 1));
    }

    #[test]
    fn odd_names_of_files_stay_on_one_line() {
        let folder = Folder::new();
        let run = folder.run_words(["check", "two\nlines\u{1b}[31m.obj"]);
        let name = "two\\nlines\\u{1b}[31m.obj";
        assert_eq!(run.complaints, format!("fracas: {name}: No such file or directory (os error 2)\n"));

        let bytes = OsStr::from_bytes(b"caf\xe9.obj");
        let triangle = mesh(&[[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], &[[0, 1, 2]]);
        fracas_io::write(folder.path(bytes), &triangle).unwrap();
        let words: [OsString; 3] = ["check".into(), bytes.into(), "--json".into()];
        let run = folder.run_words(words);
        assert_eq!((run.status, run.complaints.as_str()), (0, ""));
        let document: serde_json::Value = serde_json::from_str(&run.out).unwrap();
        assert_eq!(document["meshes"][0]["path"], "caf\u{fffd}.obj");
    }
}

#[test]
fn so_many_duplicate_faces_that_memory_ran_out() {
    let face = "f 1 2 3\n";
    let faces = 15_000;
    let text = format!("v 0 0 0\nv 1 0 0\nv 0 1 0\n{}", face.repeat(faces));
    let folder = Folder::with_files(&[("crowd.obj", &text)]);
    let run = folder.run("check crowd.obj --html page.html");
    let sentence = format!(
        "fracas: there are {} pairs or more, and at most 100000000 are listed: remove duplicate faces, or ask for --touch proper\n",
        faces * (faces - 1) / 2
    );
    assert_eq!((run.status, run.complaints), (2, sentence));
    assert!(!folder.path("page.html").exists());
}

#[test]
fn forty_thousand_duplicate_faces_took_minutes_for_an_empty_answer() {
    // A quad whose two faces have the same box.
    let text = format!("v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n{}", "f 1 2 3\nf 3 4 1\n".repeat(20_000));
    let folder = Folder::with_files(&[("crowd.obj", &text)]);
    for engine in ["auto", "tree", "soup"] {
        let run = folder.run(&format!("check crowd.obj --touch proper --engine {engine} --json"));
        assert_eq!((run.status, run.complaints.as_str()), (0, ""));
        let document: serde_json::Value = serde_json::from_str(&run.out).unwrap();
        assert_eq!(document["count"], 0, "{engine}");
        // Forty thousand faces, compared each with each, take many times as long on any machine.
        let find = document["ms"]["find"].as_f64().unwrap();
        assert!(find < 30_000.0, "{engine}: {find} ms");
    }
}
