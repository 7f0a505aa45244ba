//! `fracas scenes` and `fracas run`.

mod common;

use common::{Folder, recording_in};
use fracas::mesh::shapes;
use serde_json::Value;

fn stats(folder: &Folder, scene: &str) -> Value {
    serde_json::from_slice(&std::fs::read(folder.path(format!("out/{scene}/stats.json"))).unwrap()).unwrap()
}

/// The document of a binary glTF file, after a look at its frame.
fn film(folder: &Folder, path: &str) -> Value {
    let bytes = std::fs::read(folder.path(path)).unwrap();
    let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
    assert_eq!((&bytes[..4], word(4), word(8)), (&b"glTF"[..], 2, bytes.len()));
    assert_eq!(&bytes[16..20], b"JSON");
    let end = 20 + word(12);
    assert_eq!((&bytes[end + 4..end + 8], end + 8 + word(end)), (&b"BIN\0"[..], bytes.len()));
    serde_json::from_slice(&bytes[20..end]).unwrap()
}

#[test]
fn scenes_are_listed() {
    let folder = Folder::new();
    let run = folder.run("scenes");
    assert_eq!((run.status, run.complaints.as_str()), (0, ""));
    let names: Vec<&str> =
        run.out.lines().skip(1).filter_map(|line| line.split_whitespace().next()).collect();
    let all: Vec<&str> = fracas_scenes::SCENES.iter().map(|scene| scene.name).collect();
    assert_eq!(names, all);
    assert!(["triceratops", "cloth-statue", "bricks"].iter().all(|name| all.contains(name)));
    let run = folder.run("scenes --json");
    let list: Vec<Value> = serde_json::from_str(&run.out).unwrap();
    assert_eq!(list.iter().map(|scene| scene["name"].as_str().unwrap()).collect::<Vec<_>>(), names);
    let animal = list.iter().find(|scene| scene["name"] == "triceratops").unwrap();
    assert_eq!((&animal["steps"], &animal["takes_mesh"]), (&11.into(), &true.into()));
}

#[test]
fn a_run_leaves_statistics_a_film_and_a_report() {
    let folder = Folder::new();
    let run = folder.run("run triceratops --size small");
    assert_eq!((run.status, run.complaints.as_str()), (0, ""));
    for part in ["11 steps done", "ms per step", "query", "at last", "out/triceratops/stats.json"] {
        assert!(run.out.contains(part), "{part} is not in\n{}", run.out);
    }
    let stats = stats(&folder, "triceratops");
    assert_eq!(stats["scene"], "triceratops");
    assert_eq!((&stats["steps"], &stats["done"], &stats["complete"]), (&11.into(), &11.into(), &true.into()));
    let frames = stats["frames"].as_array().unwrap();
    assert_eq!(frames.len(), 12);
    assert_eq!(frames[0]["counters"]["triangles"], 5660.0);
    assert_eq!(frames[11]["counters"]["pieces"], 2.0);
    for phase in ["cut", "edit", "query", "all"] {
        let times = &stats["ms"][phase];
        assert!(times["mean"].as_f64().unwrap() <= times["max"].as_f64().unwrap(), "{phase}: {times}");
    }

    let stored = recording_in(&folder.path("out/triceratops/report.html"));
    assert_eq!(stored.frames.len(), 12);
    assert_eq!(stored.header.about.reported[0].value, 6.78);
    for (k, frame) in frames.iter().enumerate() {
        let alive = stored.triangles.iter().filter(|triangle| triangle.is_in(k)).count();
        assert_eq!(frame["counters"]["triangles"], alive as f64);
        assert_eq!(frame["counters"]["pairs"], stored.frames[k].pairs.len() as f64);
        // A tree of n triangles has 2n - 1 boxes, and few frames have room for all of them.
        let pieces = frame["counters"]["pieces"].as_f64().unwrap() as usize;
        assert_eq!(stored.frames[k].boxes.len(), 2 * alive - pieces);
    }
    let names: Vec<&str> = stored.header.phases.iter().map(|phase| phase.name.as_str()).collect();
    assert_eq!(names, ["cut", "edit", "query"]);
    for name in ["times", "pairs", "pieces", "q", "depth", "triangles"] {
        let chart = std::fs::read_to_string(folder.path(format!("out/triceratops/{name}.svg"))).unwrap();
        assert!(chart.starts_with("<svg") && chart.contains("triceratops"), "{name}");
    }

    let path = "out/triceratops/triceratops.glb";
    let document = film(&folder, path);
    // A node that turns everything, and one for each key frame, each switched by a channel.
    assert_eq!(document["nodes"].as_array().unwrap().len(), 1 + 12);
    assert_eq!(document["animations"][0]["channels"].as_array().unwrap().len(), 12);
    let triangles: f64 = frames.iter().map(|frame| frame["counters"]["triangles"].as_f64().unwrap()).sum();
    assert_eq!(fracas_io::read(folder.path(path)).unwrap().triangle_count() as f64, triangles);
}

#[test]
fn json_is_the_document_of_the_statistics_and_counters_do_not_depend_on_threads() {
    let folder = Folder::new();
    let timeless = |words: &str| {
        let run = folder.run(&format!("run pumpkin --size small --steps 60 --pieces 5 --json {words}"));
        assert_eq!((run.status, run.complaints.as_str()), (0, ""));
        let mut document: Value = serde_json::from_str(&run.out).unwrap();
        assert_eq!(document, stats(&folder, "pumpkin"));
        document["ms"].take();
        document["frames"].as_array_mut().unwrap().iter_mut().for_each(|frame| drop(frame["ms"].take()));
        document
    };
    let one = timeless("--threads 1");
    assert_eq!(one["frames"].as_array().unwrap().len(), 61);
    assert!(one["frames"][60]["counters"]["pieces"].as_f64().unwrap() >= 5.0);
    assert_eq!(one, timeless("--threads 3"));
}

#[test]
fn meshes_of_the_user_are_cut_and_soups_are_closed_first() {
    let ring = shapes::torus(1.0, 0.3, 40);
    let folder = Folder::with_meshes(&[("ring.obj", &ring), ("ring.stl", &ring)]);
    for file in ["ring.obj", "ring.stl"] {
        let run = folder.run(&format!("run triceratops --mesh {file} --size small --out there"));
        assert_eq!((run.status, run.complaints.as_str()), (0, ""), "{file}");
        let text = std::fs::read(folder.path("there/triceratops/stats.json")).unwrap();
        let stats: Value = serde_json::from_slice(&text).unwrap();
        let counters = |step: usize| &stats["frames"][step]["counters"];
        assert_eq!(counters(0)["triangles"], ring.triangle_count() as f64);
        assert_eq!(counters(11)["pieces"], 2.0);
    }
    assert!(!folder.path("out").exists());
}

#[test]
fn a_short_run_of_the_apple() {
    let folder = Folder::new();
    let run = folder.run("run apple --size small --steps 130");
    assert_eq!((run.status, run.complaints.as_str()), (0, ""));
    let stats = stats(&folder, "apple");
    let counter = |step: usize, name: &str| stats["frames"][step]["counters"][name].as_f64().unwrap();
    assert!(counter(130, "free") > 0.0);
    assert!(counter(130, "triangles") > counter(0, "triangles"));
    let nodes = film(&folder, "out/apple/apple.glb")["nodes"].as_array().unwrap().len();
    assert_eq!(nodes, 1 + 60 + 1, "60 key frames and the ground");
}

#[test]
fn scenes_without_a_tree_leave_the_same_files() {
    let folder = Folder::new();
    for scene in ["nbody", "cloth-statue", "breaking-statue"] {
        let run = folder.run(&format!("run {scene} --size small --steps 20"));
        assert_eq!((run.status, run.complaints.as_str()), (0, ""), "{scene}");
        let stats = stats(&folder, scene);
        let last = &stats["frames"][20];
        assert!(last["counters"]["triangles"].as_f64().unwrap() > 3_000.0);
        assert!(last["ms"]["query"].as_f64().unwrap() > 0.0 && last["ms"]["physics"].is_number());
        let nodes = film(&folder, &format!("out/{scene}/{scene}.glb"))["nodes"].as_array().unwrap().len();
        assert!(nodes > 20, "{scene} has {nodes} nodes");
    }
}

#[test]
fn bad_words_and_bad_meshes_leave_nothing() {
    let sheet = shapes::cloth_grid(3, 3, [1.0, 1.0]);
    let folder = Folder::with_meshes(&[("sheet.obj", &sheet), ("ball.obj", &shapes::icosphere(1.0, 1))]);
    std::fs::write(folder.path("taken"), "a file").unwrap();
    let before = folder.names();
    let help = "(see `fracas --help`)";
    let names: Vec<&str> = fracas_scenes::SCENES.iter().map(|scene| scene.name).collect();
    let all = names.join(", ");
    for (words, sentence) in [
        ("run pear", format!("there is no scene `pear` (there are {all}) {help}")),
        (
            "run pumpkin --pieces 1",
            format!("invalid value '1' for '--pieces <N>': 1 is not in 2..=64 {help}"),
        ),
        (
            "run pumpkin --steps 0",
            format!("invalid value '0' for '--steps <N>': 0 is not in 1..=100000 {help}"),
        ),
        (
            "run apple --pieces 3",
            format!("the scene apple breaks into no pieces, so --pieces means nothing {help}"),
        ),
        (
            "run apple --mesh ball.obj",
            "ball.obj: the scene apple makes its own mesh and takes no other".to_owned(),
        ),
        (
            "run triceratops --mesh sheet.obj",
            "sheet.obj: the mesh is not closed: 12 edges are not between two triangles (scenes that fill bodies take it with `robust`)".to_owned(),
        ),
        ("run pumpkin --mesh lost.obj", "lost.obj: No such file or directory (os error 2)".to_owned()),
        (
            "run triceratops --size small --out taken",
            "taken/triceratops: Not a directory (os error 20)".to_owned(),
        ),
    ] {
        let run = folder.run(words);
        assert_eq!(run.complaints, format!("fracas: {sentence}\n"), "{words}");
        assert_eq!((run.status, run.out.as_str()), (2, ""), "{words}");
        assert_eq!(folder.names(), before, "{words} left a file");
    }
}

#[cfg(unix)]
#[test]
fn an_interrupted_run_writes_what_it_has() {
    ended_by(&["-INT"]);
}

#[cfg(unix)]
#[test]
fn sigterm_and_sighup_lost_what_a_run_had_done() {
    ended_by(&["-TERM"]);
    ended_by(&["-HUP"]);
    // A terminal that closes may send more than one.
    ended_by(&["-HUP", "-TERM", "-HUP"]);
}

/// Runs a long scene, sends it signals, and looks at what it leaves.
#[cfg(unix)]
fn ended_by(signals: &[&str]) {
    let folder = Folder::new();
    let mut command = folder.command(["run", "apple", "--steps", "100000"]);
    let mut child = command.stdout(std::process::Stdio::null()).spawn().unwrap();
    // The folder is there shortly before the first step.
    let waited = std::time::Instant::now();
    while !folder.path("out/apple").exists() && waited.elapsed().as_secs() < 60 {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    std::thread::sleep(std::time::Duration::from_millis(500));
    for signal in signals {
        let sent = std::process::Command::new("kill").args([signal, &child.id().to_string()[..]]).status();
        assert!(sent.unwrap().success());
    }
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let stats = stats(&folder, "apple");
    let done = stats["done"].as_u64().unwrap();
    assert!(done > 0 && done < 100_000);
    assert_eq!(stats["complete"], false);
    assert_eq!(stats["frames"].as_array().unwrap().len() as u64, done + 1);
    let stored = recording_in(&folder.path("out/apple/report.html"));
    assert_eq!((stored.frames.len() as u64, stored.header.about.steps), (done + 1, 100_000));
    let nodes = film(&folder, "out/apple/apple.glb")["nodes"].clone();
    // The first state, the last, and the ground, under the node that turns them.
    assert_eq!(nodes.as_array().unwrap().len(), 4);
    assert_eq!(nodes[2]["name"], format!("step {done}"));
}
