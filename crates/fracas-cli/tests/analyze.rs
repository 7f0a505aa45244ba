//! The answers of `fracas analyze`.

mod common;

use common::Folder;
use fracas::crowd::KFree;
use fracas::geom::DVec3;
use fracas::mesh::shapes;
use serde_json::{Value, json};

/// Meshes in folders, good, empty and broken ones, and files that are no meshes.
fn folder() -> Folder {
    let folder = Folder::with_meshes(&[("cube.obj", &shapes::cuboid(DVec3::ONE))]);
    std::fs::create_dir_all(folder.path("scans/old")).unwrap();
    fracas_io::write(folder.path("scans/ball.ply"), &shapes::noisy_sphere(500, 0.2, 1)).unwrap();
    fracas_io::write(folder.path("scans/old/ball.stl"), &shapes::icosphere(1.0, 1)).unwrap();
    std::fs::write(folder.path("scans/broken.off"), "OFF\n1 0 0\n0 zero 0\n").unwrap();
    std::fs::write(folder.path("scans/empty.off"), "OFF\n0 0 0\n").unwrap();
    let nan = "v 0 0 0\nv 1 0 nan\nv 0 1 0\nf 1 2 3\n";
    std::fs::write(folder.path("scans/nan.obj"), nan).unwrap();
    std::fs::write(folder.path("scans/notes.txt"), "nothing").unwrap();
    folder
}

#[test]
fn folders_are_walked_and_broken_files_are_rows() {
    let folder = folder();
    let run = folder.run("analyze --json scans cube.obj");
    assert_eq!(run.status, 2);
    assert_eq!(run.complaints.lines().count(), 2, "{}", run.complaints);
    let lines: Vec<Value> = serde_json::from_str(&run.out).unwrap();
    let paths: Vec<&str> = lines.iter().map(|line| line["path"].as_str().unwrap()).collect();
    let names = [
        "scans/ball.ply",
        "scans/broken.off",
        "scans/empty.off",
        "scans/nan.obj",
        "scans/old/ball.stl",
        "cube.obj",
    ];
    assert_eq!(paths, names);
    let ball = KFree::of_mesh(&fracas_io::read(folder.path("scans/ball.ply")).unwrap());
    assert_eq!((&lines[0]["k"], &lines[0]["triangles"]), (&json!(ball.minimal()), &json!(500)));
    assert_eq!((&lines[0]["mean_k"], &lines[0]["height"]), (&json!(ball.mean()), &json!(ball.height())));
    assert!(lines[1]["error"].as_str().unwrap().contains("`zero` is not a number"));
    assert_eq!((&lines[2]["triangles"], &lines[2]["k"]), (&json!(0), &json!(1)));
    assert!(lines[3]["error"].as_str().unwrap().contains("nan"), "{}", lines[3]);
    // All faces of a cube are within a quarter of a diagonal of each other, but for opposite ones.
    assert_eq!(lines[5]["height"], 1);
}

#[test]
fn the_table_and_the_list_say_the_same() {
    let folder = folder();
    let table = folder.run("analyze scans --threads 2");
    let csv = folder.run("analyze scans --csv --threads 1");
    assert_eq!((table.status, csv.status), (2, 2));
    let lines: Vec<&str> = csv.out.lines().collect();
    assert_eq!(lines[0], "path,triangles,k,mean_k,adjacent,height,error");
    assert_eq!(lines.len(), 6);
    let k = lines[1].split(',').nth(2).unwrap();
    let row: Vec<&str> = table.out.lines().nth(1).unwrap().split_whitespace().collect();
    assert_eq!(row[..3], ["scans/ball.ply", "500", k]);
    assert!(lines[2].ends_with('"') && lines[2].starts_with("\"scans/broken.off\",,,,,,"));
    assert!(table.out.contains("2 meshes: k "), "{}", table.out);
}

#[test]
fn merging_brings_neighbours() {
    let folder = folder();
    let adjacent = |words: &str| {
        let run = folder.run(&format!("analyze --json scans/old/ball.stl {words}"));
        assert_eq!((run.status, run.complaints.as_str()), (0, ""));
        serde_json::from_str::<Vec<Value>>(&run.out).unwrap()[0]["adjacent"].as_f64().unwrap()
    };
    assert_eq!(adjacent(""), 0.0);
    assert!(adjacent("--merge") > 3.0);
}

#[test]
fn a_box_plot_is_drawn() {
    let folder = folder();
    let run = folder.run("analyze cube.obj shape:noisy-sphere:2000 shape:chazelle:960 --svg plot.svg");
    assert_eq!((run.status, run.complaints.as_str()), (0, ""));
    let text = std::fs::read_to_string(folder.path("plot.svg")).unwrap();
    assert!(text.starts_with("<svg") && text.matches("<rect").count() == 4);
    let run = folder.run("analyze cube.obj --svg nowhere/plot.svg");
    assert_eq!((run.status, run.out.as_str()), (2, ""));
    assert!(run.complaints.starts_with("fracas: nowhere/plot.svg: "), "{}", run.complaints);
}

#[test]
fn what_is_not_there_is_reported() {
    let run = folder().run("analyze lost.obj cube.obj");
    assert_eq!(run.status, 2);
    assert_eq!(run.complaints, "fracas: lost.obj: No such file or directory (os error 2)\n");
    assert!(run.out.lines().nth(2).unwrap().starts_with("cube.obj"));
}
