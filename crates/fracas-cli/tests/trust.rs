//! Files of users: none is lost, none is half written, whatever happens. Each test is named after what once went wrong.
#![cfg(unix)]

mod common;

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use common::{Folder, recording_in};
use fracas::internal::Random;
use fracas::mesh::shapes;

const TRIANGLE: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";

#[test]
fn view_m_obj_out_m_obj_replaced_the_mesh_by_a_page() {
    let folder = Folder::with_files(&[("m.obj", TRIANGLE)]);
    fs::hard_link(folder.path("m.obj"), folder.path("hard.obj")).unwrap();
    std::os::unix::fs::symlink("m.obj", folder.path("soft.html")).unwrap();
    let before = folder.names();
    for (words, file, option) in [
        ("view m.obj --no-open --out m.obj", "m.obj", "--out"),
        ("view m.obj --no-open --out ./m.obj", "./m.obj", "--out"),
        ("view m.obj --no-open --out hard.obj", "hard.obj", "--out"),
        ("view m.obj --no-open --out soft.html", "soft.html", "--out"),
        ("check m.obj --html soft.html", "soft.html", "--html"),
        ("near m.obj --reach 1 --html soft.html", "soft.html", "--html"),
        ("distance shape:pumpkin m.obj --html soft.html", "soft.html", "--html"),
        ("analyze m.obj --svg m.obj", "m.obj", "--svg"),
    ] {
        let run = folder.run(words);
        let sentence = format!("fracas: {file}: this file is being read, so {option} needs another name\n");
        assert_eq!((run.complaints, run.status, run.out.as_str()), (sentence, 2, ""), "{words}");
        assert_eq!(fs::read_to_string(folder.path("m.obj")).unwrap(), TRIANGLE, "{words}");
        assert_eq!(folder.names(), before, "{words}");
    }
}

#[test]
fn view_p_html_out_p_html_truncated_the_page() {
    let folder = Folder::with_files(&[("m.obj", TRIANGLE)]);
    assert_eq!(folder.run("view m.obj --no-open --out p.html").status, 0);
    let page = fs::read(folder.path("p.html")).unwrap();
    let run = folder.run("view p.html --no-open --out p.html");
    assert_eq!(run.complaints, "fracas: p.html: this file is being read, so --out needs another name\n");
    assert_eq!(fs::read(folder.path("p.html")).unwrap(), page);
    assert_eq!(folder.run("view p.html --no-open --out copy.html").status, 0);
    assert_eq!(fs::read(folder.path("copy.html")).unwrap(), page);
}

#[test]
fn a_run_could_replace_the_film_that_it_was_given_as_a_mesh() {
    let folder = Folder::new();
    assert_eq!(folder.run("run triceratops --size small --steps 1").status, 0);
    let film = fs::read(folder.path("out/triceratops/triceratops.glb")).unwrap();
    let run = folder.run("run triceratops --size small --steps 1 --mesh out/triceratops/triceratops.glb");
    assert_eq!((run.status, run.out.as_str()), (2, ""), "{}", run.complaints);
    assert_eq!(fs::read(folder.path("out/triceratops/triceratops.glb")).unwrap(), film);
}

/// Runs `fracas` where no file may be longer than a few kilobytes. The system ends a program that tries, unless it is told not to.
fn with_small_disk(folder: &Folder, words: &str, told_not_to: bool) -> std::process::Output {
    let ignore = if told_not_to { "trap '' XFSZ; " } else { "" };
    let script = format!("{ignore}ulimit -f 8; exec '{}' {words}", env!("CARGO_BIN_EXE_fracas"));
    Command::new("sh").args(["-c", &script]).current_dir(folder.path("")).output().unwrap()
}

#[test]
fn a_full_disk_left_half_a_page_in_place_of_the_old_one() {
    let folder =
        Folder::with_files(&[("m.obj", TRIANGLE), ("old.html", "what was there"), ("old.ply", "and there")]);
    let before = folder.names();
    let words = "check m.obj --out old.ply --html old.html";
    let full = with_small_disk(&folder, words, true);
    let complaints = String::from_utf8(full.stderr).unwrap();
    assert_eq!(complaints, "fracas: old.html: File too large (os error 27)\n");
    assert_eq!((full.status.code(), full.stdout.len()), (Some(2), 0));
    assert_eq!(folder.names(), before);
    let ended = with_small_disk(&folder, words, false);
    assert!(ended.status.signal().is_some(), "{:?}", ended.status);
    assert_eq!(fs::read(folder.path("old.html")).unwrap(), b"what was there");
    assert_eq!(fs::read(folder.path("old.ply")).unwrap(), b"and there");
    let left: BTreeSet<String> = folder.names().difference(&before).cloned().collect();
    assert!(left.iter().all(|name| is_temporary(name)), "{left:?}");
}

fn is_temporary(name: &str) -> bool {
    name.starts_with(".fracas-") && (name.ends_with(".part") || name.ends_with(".old"))
}

#[test]
fn check_out_a_html_b_with_b_failing_left_a_behind() {
    let folder = Folder::with_files(&[("m.obj", TRIANGLE)]);
    fs::create_dir(folder.path("b.html")).unwrap();
    std::os::unix::fs::symlink("/dev/full", folder.path("full.html")).unwrap();
    let before = folder.names();
    for (page, sentence) in [
        ("b.html", "b.html: Is a directory (os error 21)"),
        ("full.html", "full.html: No space left on device (os error 28)"),
    ] {
        let run = folder.run(&format!("check m.obj --out a.ply --html {page}"));
        assert_eq!((run.status, run.out.as_str()), (2, ""));
        assert_eq!(run.complaints, format!("fracas: {sentence}\n"));
        assert_eq!(folder.names(), before, "{page}");
    }
}

/// What the files of a command hold when it runs alone.
fn alone(words: &str, files: &[&str]) -> Vec<Vec<u8>> {
    let folder = Folder::new();
    let run = folder.run(words);
    assert!(run.status <= 1, "{}", run.complaints);
    files.iter().map(|file| fs::read(folder.path(file)).unwrap()).collect()
}

#[test]
fn two_hundred_runs_into_one_folder_mixed_their_files() {
    let files = ["marked.ply", "page.html"];
    let words = |kind: usize| {
        format!("check shape:noisy-sphere:{} --out marked.ply --html page.html", 20 + 400 * kind)
    };
    let kinds = 8;
    let expected: Vec<Vec<Vec<u8>>> = (0..kinds).map(|kind| alone(&words(kind), &files)).collect();
    let folder = Folder::new();
    let quiet = |words: &str| {
        let mut command = folder.command(words.split(' '));
        command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
    };
    let scene = "run triceratops --size small --steps 1";
    let children: Vec<Child> =
        (0..200).map(|k| if k % 25 == 24 { quiet(scene) } else { quiet(&words(k % kinds)) }).collect();
    for child in children {
        let output = child.wait_with_output().unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stderr), "");
        assert_eq!(output.status.code(), Some(0));
    }
    for (number, file) in files.iter().enumerate() {
        let found = fs::read(folder.path(file)).unwrap();
        assert!(expected.iter().any(|kind| kind[number] == found), "{file} is of no run");
    }
    assert_eq!(folder.names(), ["marked.ply", "out", "page.html"].map(str::to_owned).into());
    // Files of scenes hold times, so no two runs write the same; each must be whole.
    assert_eq!(recording_in(&folder.path("out/triceratops/report.html")).frames.len(), 2);
    let text = fs::read(folder.path("out/triceratops/stats.json")).unwrap();
    serde_json::from_slice::<serde_json::Value>(&text).unwrap();
    assert!(
        fracas_io::read(folder.path("out/triceratops/triceratops.glb")).unwrap().triangle_count() > 5_000
    );
    let left = fs::read_dir(folder.path("out/triceratops")).unwrap();
    assert!(left.flatten().all(|entry| !is_temporary(&entry.file_name().to_string_lossy())));
}

#[test]
fn a_kill_at_any_moment_leaves_the_old_file_or_the_new_one() {
    let folder = Folder::with_meshes(&[
        ("a.ply", &shapes::noisy_sphere(20_000, 0.2, 1)),
        ("b.ply", &shapes::noisy_sphere(21_000, 0.2, 2)),
    ]);
    let words = |mesh: &str| format!("check {mesh} --engine tree --out marked.ply --html page.html");
    let files = ["marked.ply", "page.html"];
    let whole = |mesh: &str| {
        assert_eq!(folder.run(&words(mesh)).status, 0);
        files.map(|file| fs::read(folder.path(file)).unwrap())
    };
    let start = Instant::now();
    let versions = [whole("a.ply"), whole("b.ply")];
    let usual = start.elapsed() / 2;
    let mut random = Random::new(7);
    let (mut killed, mut replaced) = (0, 0);
    let mut there = 1;
    for round in 0..100 {
        let next = 1 - there;
        let mut command = folder.command(words(["a.ply", "b.ply"][next]).split(' '));
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(usual.mul_f64(1.2 * random.unit()));
        let _ = child.kill();
        killed += usize::from(child.wait().unwrap().signal().is_some());
        let found = files.map(|file| fs::read(folder.path(file)).unwrap());
        let of = [0, 1].map(|k| versions.iter().position(|version| version[k] == found[k]));
        assert!(
            of.iter().all(Option::is_some),
            "round {round}: a file is neither the old one nor the new one"
        );
        if of == [Some(next); 2] {
            replaced += 1;
            there = next;
        }
        if of[0] != of[1] {
            // Between two renames; the next round begins with files of one run again.
            whole(["a.ply", "b.ply"][there]);
        }
    }
    assert!(killed >= 30 && replaced >= 5, "{killed} killed, {replaced} replaced");
    let left = folder.names();
    let known = ["a.ply", "b.ply", "marked.ply", "page.html"];
    assert!(left.iter().all(|name| known.contains(&name.as_str()) || is_temporary(name)), "{left:?}");
    // What is left disturbs nobody.
    assert!(whole("a.ply") == versions[0]);
    assert!(start.elapsed() < Duration::from_secs(60), "{:?}", start.elapsed());
}

#[test]
fn a_device_as_input_was_read_until_memory_ended() {
    let folder = Folder::with_files(&[("m.obj", TRIANGLE)]);
    for words in [
        "check /dev/zero",
        "info /dev/zero",
        "inside shape:noisy-sphere:20 /dev/zero",
        "ccd --queries /dev/zero --kind vf",
    ] {
        let run = folder.run(words);
        assert_eq!(run.complaints, "fracas: /dev/zero: this is a device, not a file or a pipe\n", "{words}");
        assert_eq!((run.status, run.out.trim()), (2, ""), "{words}");
    }
    // Pipes are read.
    let script = format!("cat m.obj | '{}' info --json /dev/stdin", env!("CARGO_BIN_EXE_fracas"));
    let output = Command::new("sh").args(["-c", &script]).current_dir(folder.path("")).output().unwrap();
    let found: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(found[0]["triangles"], 1, "{found}");
}

#[test]
fn bytes_of_a_file_elsewhere_came_out_of_a_gltf_document() {
    let document = |uri: &str| {
        format!(
            r#"{{"asset":{{"version":"2.0"}},"meshes":[{{"primitives":[{{"attributes":{{"POSITION":0}}}}]}}],
            "accessors":[{{"bufferView":0,"componentType":5121,"count":3,"type":"VEC3"}}],
            "bufferViews":[{{"buffer":0,"byteLength":9}}],"buffers":[{{"uri":"{uri}","byteLength":9}}]}}"#
        )
    };
    let folder = Folder::with_files(&[("secret.txt", "password: 1234567"), ("zero.off", "OFF\n0 0 0\n")]);
    fs::create_dir(folder.path("in")).unwrap();
    for uri in ["../secret.txt", "%2e%2e/secret.txt", "../../../../../../../../etc/passwd"] {
        fs::write(folder.path("in/scene.gltf"), document(uri)).unwrap();
        let run = folder.run("check in/scene.gltf --out copy.ply");
        assert_eq!((run.status, run.out.as_str()), (2, ""));
        let sentence = format!(
            "fracas: in/scene.gltf, buffer 0 (`{uri}`): this leads out of the folder of the document"
        );
        assert!(run.complaints.starts_with(&sentence), "{}", run.complaints);
        assert!(!folder.path("copy.ply").exists());
    }
}
