//! The answers of `fracas info`.

mod common;

use common::Folder;
use fracas::geom::DVec3;
use fracas::mesh::shapes;
use serde_json::{Value, json};

const SQUARE: &str = "v 0 0 0\nv 2 0 0\nv 2 2 0\nv 0 2 0\nv 9 9 9\nf 1 2 3 4\n";

fn folder() -> Folder {
    let folder = Folder::with_meshes(&[
        ("cube.obj", &shapes::cuboid(DVec3::new(1.0, 2.0, 3.0))),
        ("cube.stl", &shapes::cuboid(DVec3::new(1.0, 2.0, 3.0))),
    ]);
    std::fs::write(folder.path("square.obj"), SQUARE).unwrap();
    std::fs::write(folder.path("broken.off"), "OFF\n1 0 0\n0 zero 0\n").unwrap();
    std::fs::write(folder.path("empty.off"), "OFF\n0 0 0\n").unwrap();
    folder
}

fn documents(folder: &Folder, words: &str) -> Vec<Value> {
    let run = folder.run(&format!("info --json {words}"));
    assert_eq!((run.status, run.complaints.as_str()), (0, ""), "{words}");
    serde_json::from_str(&run.out).unwrap()
}

#[test]
fn the_document_holds_the_whole_report() {
    assert_eq!(
        documents(&folder(), "square.obj cube.obj empty.off"),
        [
            json!({
                "path": "square.obj", "vertices": 5, "unreferenced_vertices": 1, "triangles": 2, "edges": 5,
                "components": 1, "boundary_edges": 4, "boundary_loops": 1, "nonmanifold_edges": 0,
                "inconsistent_edges": 0, "degenerate_triangles": 0, "repeated_vertex_triangles": 0,
                "duplicate_triangles": 0, "closed": false, "oriented": true, "volume": null, "area": 4.0,
                "bounds": [[0.0, 0.0, 0.0], [9.0, 9.0, 9.0]],
            }),
            json!({
                "path": "cube.obj", "vertices": 8, "unreferenced_vertices": 0, "triangles": 12, "edges": 18,
                "components": 1, "boundary_edges": 0, "boundary_loops": 0, "nonmanifold_edges": 0,
                "inconsistent_edges": 0, "degenerate_triangles": 0, "repeated_vertex_triangles": 0,
                "duplicate_triangles": 0, "closed": true, "oriented": true, "volume": 6.0, "area": 22.0,
                "bounds": [[-0.5, -1.0, -1.5], [0.5, 1.0, 1.5]],
            }),
            json!({
                "path": "empty.off", "vertices": 0, "unreferenced_vertices": 0, "triangles": 0, "edges": 0,
                "components": 0, "boundary_edges": 0, "boundary_loops": 0, "nonmanifold_edges": 0,
                "inconsistent_edges": 0, "degenerate_triangles": 0, "repeated_vertex_triangles": 0,
                "duplicate_triangles": 0, "closed": false, "oriented": true, "volume": null, "area": 0.0,
                "bounds": null,
            }),
        ]
    );
}

#[test]
fn merging_closes_a_soup() {
    let folder = folder();
    let soup = &documents(&folder, "cube.stl")[0];
    assert_eq!((&soup["closed"], &soup["components"]), (&json!(false), &json!(12)));
    let merged = &documents(&folder, "cube.stl --merge --threads 2")[0];
    assert_eq!((&merged["closed"], &merged["volume"]), (&json!(true), &json!(6.0)));
}

#[test]
fn one_mesh_is_described_at_length() {
    let run = folder().run("info cube.obj");
    assert_eq!((run.status, run.complaints.as_str()), (0, ""));
    let text = "\
cube.obj
  vertices                                     8
    in no triangle                             0
  triangles                                   12
    degenerate                                 0
    duplicate                                  0
  edges                                       18
    boundary                                   0
    non-manifold                               0
    between faces turned against each other    0
  components                                   1
  boundary loops                               0
  closed                                     yes
  volume                                       6
  area                                        22
  from (-0.5, -1, -1.5) to (0.5, 1, 1.5)
";
    assert_eq!(run.out, text);
}

#[test]
fn several_meshes_are_a_table() {
    let run = folder().run("info cube.obj square.obj shape:noisy-sphere:20");
    assert_eq!((run.status, run.complaints.as_str()), (0, ""));
    let lines: Vec<Vec<&str>> = run.out.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(lines[2], ["cube.obj", "8", "12", "1", "0", "0", "0", "0", "yes", "6"]);
    assert_eq!(lines[3], ["square.obj", "5", "2", "1", "4", "0", "0", "0", "no", "–"]);
    assert_eq!(lines[4][..3], ["shape:noisy-sphere:20", "12", "20"]);
    assert_eq!(lines.len(), 5);
}

#[test]
fn a_broken_file_does_not_hide_the_others() {
    let folder = folder();
    let sentences = "fracas: broken.off, line 3: `zero` is not a number\n\
                     fracas: lost.obj: No such file or directory (os error 2)\n";
    let run = folder.run("info broken.off cube.obj lost.obj");
    assert_eq!((run.status, run.complaints.as_str()), (2, sentences));
    assert!(run.out.lines().last().unwrap().starts_with("cube.obj  "), "{}", run.out);

    let run = folder.run("info broken.off cube.obj lost.obj --json");
    assert_eq!((run.status, run.complaints.as_str()), (2, sentences));
    let documents: Vec<Value> = serde_json::from_str(&run.out).unwrap();
    let error = "broken.off, line 3: `zero` is not a number";
    assert_eq!(documents[0], json!({ "path": "broken.off", "error": error }));
    assert_eq!((&documents[1]["path"], &documents[1]["closed"]), (&json!("cube.obj"), &json!(true)));
    assert_eq!(documents[2]["path"], "lost.obj");
    assert_eq!(documents.len(), 3);

    let run = folder.run("info broken.off");
    assert_eq!((run.status, run.out.as_str()), (2, ""));
}
