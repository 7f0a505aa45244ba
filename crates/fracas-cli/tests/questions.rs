//! `fracas distance`, `near` and `inside`, against brute force with distances computed in another way.

mod common;

use std::collections::BTreeSet;

use common::{Folder, Run, mesh, moved, recording_in};
use fracas::geom::DVec3;
use fracas::mesh::{Mesh, shapes};
use fracas_frames::Kind;
use serde_json::{Value, json};

fn document(run: &Run) -> Value {
    assert_eq!((run.status, run.complaints.as_str()), (0, ""));
    serde_json::from_str(&run.out).unwrap()
}

/// The distance of a point from a segment.
fn to_segment(p: DVec3, a: DVec3, b: DVec3) -> f64 {
    let along = b - a;
    p.distance(a + along * ((p - a).dot(along) / along.length_squared()).clamp(0.0, 1.0))
}

/// The distance of a point from a triangle: its sides, and its plane where the point is above the inside.
fn to_triangle(p: DVec3, [a, b, c]: [DVec3; 3]) -> f64 {
    let n = (b - a).cross(c - a);
    let above = |u: DVec3, v: DVec3| n.dot((v - u).cross(p - u)) >= 0.0;
    if above(a, b) && above(b, c) && above(c, a) {
        return (n.dot(p - a) / n.length()).abs();
    }
    to_segment(p, a, b).min(to_segment(p, b, c)).min(to_segment(p, c, a))
}

/// The distance of two segments: their ends, and their lines where these are nearest inside both.
fn segments([a, b]: [DVec3; 2], [c, d]: [DVec3; 2]) -> f64 {
    let ends = to_segment(a, c, d).min(to_segment(b, c, d)).min(to_segment(c, a, b)).min(to_segment(d, a, b));
    let (u, v) = (b - a, d - c);
    let n = u.cross(v);
    let area = n.length_squared();
    let [s, t] = [v, u].map(|w| (c - a).cross(w).dot(n) / area);
    let inside = |x: f64| (0.0..=1.0).contains(&x);
    if inside(s) && inside(t) { ends.min((c - a).dot(n).abs() / area.sqrt()) } else { ends }
}

fn edges(mesh: &Mesh) -> BTreeSet<[u32; 2]> {
    let all = mesh.triangles().iter().flat_map(|t| [[t[0], t[1]], [t[1], t[2]], [t[2], t[0]]]);
    all.map(|[v, w]| [v.min(w), v.max(w)]).collect()
}

fn corners(mesh: &Mesh, triangle: usize) -> [DVec3; 3] {
    mesh.triangles()[triangle].map(|v| mesh.positions()[v as usize])
}

fn ends(mesh: &Mesh, edge: [u32; 2]) -> [DVec3; 2] {
    edge.map(|v| mesh.positions()[v as usize])
}

/// Every vertex of the first mesh with every triangle of the second: ids and distance.
fn vertex_triangle(a: &Mesh, b: &Mesh) -> Vec<(u32, u32, f64)> {
    let triangles = || (0..b.triangle_count()).map(|t| corners(b, t)).enumerate();
    let of = |(v, p): (usize, &DVec3)| {
        let p = *p;
        triangles().map(move |(t, corners)| (v as u32, t as u32, to_triangle(p, corners)))
    };
    a.positions().iter().enumerate().flat_map(of).collect()
}

fn edge_edge(a: &Mesh, b: &Mesh) -> Vec<([u32; 2], [u32; 2], f64)> {
    let (first, second) = (edges(a), edges(b));
    let of = |&e: &[u32; 2]| {
        second.iter().map(move |&f| (e, f, segments(ends(a, e), ends(b, f)))).collect::<Vec<_>>()
    };
    first.iter().flat_map(of).collect()
}

fn close(found: f64, expected: f64) -> bool {
    (found - expected).abs() < 1e-12
}

#[test]
fn the_distance_is_that_of_brute_force() {
    let a = shapes::noisy_sphere(300, 0.3, 1);
    let b = moved(&shapes::noisy_sphere(200, 0.3, 2), [2.3, 0.4, -0.3]);
    let all = [
        vertex_triangle(&a, &b).iter().map(|near| near.2).fold(f64::INFINITY, f64::min),
        vertex_triangle(&b, &a).iter().map(|near| near.2).fold(f64::INFINITY, f64::min),
        edge_edge(&a, &b).iter().map(|near| near.2).fold(f64::INFINITY, f64::min),
    ];
    let least = all.into_iter().fold(f64::INFINITY, f64::min);
    let folder = Folder::with_meshes(&[("a.obj", &a), ("b.ply", &b)]);
    let found = document(&folder.run("distance a.obj b.ply --json"));
    let distance = found["distance"].as_f64().unwrap();
    assert!(close(distance, least), "{distance} {least}");
    let points: [[f64; 3]; 2] = serde_json::from_value(found["points"].clone()).unwrap();
    let [p, q] = points.map(DVec3::from_array);
    assert!(close(p.distance(q), distance));
    let triangles: [usize; 2] = serde_json::from_value(found["triangles"].clone()).unwrap();
    assert!(to_triangle(p, corners(&a, triangles[0])) < 1e-12);
    assert!(to_triangle(q, corners(&b, triangles[1])) < 1e-12);
    let features = &found["features"];
    match features["kind"].as_str().unwrap() {
        "vf" => assert!(features["a"][0] != features["b"][0]),
        kind => assert_eq!((kind, &features["a"][0], &features["b"][0]), ("ee", &json!(0), &json!(1))),
    }
    assert!(found["ms"].as_f64().unwrap() >= 0.0);

    let alone = document(&folder.run("distance a.obj b.ply --json --threads 1"));
    assert_eq!((&alone["points"], &alone["triangles"]), (&found["points"], &found["triangles"]));
    let nothing = document(&folder.run(&format!("distance a.obj b.ply --json --within {}", 0.999 * least)));
    for key in ["distance", "points", "triangles", "features"] {
        assert_eq!(nothing[key], Value::Null, "{key}");
    }
    let within = document(&folder.run(&format!("distance a.obj b.ply --json --within {}", 1.001 * least)));
    assert_eq!(within["distance"], found["distance"]);
    let text = folder.run("distance a.obj b.ply").out;
    assert!(text.starts_with(&format!("The distance is {distance}.\n  mesh 0: (")), "{text}");
}

#[test]
fn meshes_that_intersect_have_the_distance_0_and_empty_ones_none() {
    let ball = shapes::icosphere(1.0, 2);
    let folder = Folder::with_meshes(&[("a.obj", &ball), ("b.obj", &moved(&ball, [1.5, 0.0, 0.0]))]);
    std::fs::write(folder.path("empty.off"), "OFF\n0 0 0\n").unwrap();
    assert_eq!(document(&folder.run("distance a.obj b.obj --json"))["distance"], json!(0.0));
    assert_eq!(document(&folder.run("distance a.obj b.obj --json --within 0"))["distance"], json!(0.0));
    assert!(
        folder.run("distance a.obj b.obj").out.starts_with("The meshes intersect: their distance is 0.\n")
    );
    let none = document(&folder.run("distance a.obj empty.off --json"));
    assert_eq!((&none["distance"], &none["points"]), (&Value::Null, &Value::Null));
    let text = folder.run("distance a.obj empty.off");
    assert_eq!(text.status, 0);
    assert!(text.out.starts_with("A mesh has no triangles, so there is no distance."), "{}", text.out);
}

/// Rows of JSON without their distances, which are compared apart, and the distances.
fn rows(list: &Value) -> (Vec<Value>, Vec<f64>) {
    let rows = list.as_array().unwrap().iter().map(|row| {
        let row = row.as_array().unwrap();
        assert_eq!(row.len(), 5);
        (Value::from(row[..4].to_vec()), row[4].as_f64().unwrap())
    });
    rows.unzip()
}

fn assert_rows(list: &Value, expected: &[(Value, f64)]) {
    let (ids, distances) = rows(list);
    assert_eq!(ids, expected.iter().map(|row| row.0.clone()).collect::<Vec<_>>());
    for (found, row) in distances.iter().zip(expected) {
        assert!(close(*found, row.1), "{} {found}", row.0);
    }
}

#[test]
fn near_features_of_two_meshes_are_those_of_brute_force() {
    let a = shapes::noisy_sphere(300, 0.2, 1);
    let b = moved(&shapes::noisy_sphere(200, 0.2, 2), [1.9, 0.3, 0.2]);
    let reach = 0.15;
    let of_a = vertex_triangle(&a, &b).into_iter().map(|(v, t, d)| (json!([0, v, 1, t]), d));
    let of_b = vertex_triangle(&b, &a).into_iter().map(|(v, t, d)| (json!([1, v, 0, t]), d));
    let vertices: Vec<(Value, f64)> = of_a.chain(of_b).filter(|row| row.1 <= reach).collect();
    let edges: Vec<(Value, f64)> = edge_edge(&a, &b)
        .into_iter()
        .filter(|row| row.2 <= reach)
        .map(|(e, f, d)| (json!([0, e, 1, f]), d))
        .collect();
    assert!(vertices.len() > 20 && edges.len() > 50, "{} {}", vertices.len(), edges.len());
    let folder = Folder::with_meshes(&[("a.obj", &a), ("b.obj", &b)]);
    let found = document(&folder.run(&format!("near a.obj b.obj --reach {reach} --json")));
    assert_rows(&found["vertex_triangle"], &vertices);
    assert_rows(&found["edge_edge"], &edges);
    // The weights lead to points at the distance.
    let meshes = [&a, &b];
    let weights: Vec<[f64; 4]> = serde_json::from_value(found["weights"]["edge_edge"].clone()).unwrap();
    assert_eq!(weights.len(), edges.len());
    for (w, row) in weights.iter().zip(found["edge_edge"].as_array().unwrap()) {
        let edge = |k: usize| serde_json::from_value::<[u32; 2]>(row[k].clone()).unwrap();
        let ([p, q], [r, s]) = (ends(&a, edge(1)), ends(&b, edge(3)));
        assert!(close((p * w[0] + q * w[1]).distance(r * w[2] + s * w[3]), row[4].as_f64().unwrap()));
    }
    let weights: Vec<[f64; 3]> = serde_json::from_value(found["weights"]["vertex_triangle"].clone()).unwrap();
    for (w, row) in weights.iter().zip(found["vertex_triangle"].as_array().unwrap()) {
        let [mesh_v, v, mesh_t, t] = [0, 1, 2, 3].map(|k| row[k].as_u64().unwrap() as usize);
        let [p, q, r] = corners(meshes[mesh_t], t);
        let point = p * w[0] + q * w[1] + r * w[2];
        assert!(close(meshes[mesh_v].positions()[v].distance(point), row[4].as_f64().unwrap()));
    }
    let alone = document(&folder.run(&format!("near a.obj b.obj --reach {reach} --json --threads 1")));
    assert_eq!(alone["edge_edge"], found["edge_edge"]);
    let text = folder.run(&format!("near a.obj b.obj --reach {reach}")).out;
    let start = format!(
        "{} vertices and triangles and {} pairs of edges are within 0.15.\n\nNearest\n",
        vertices.len(),
        edges.len()
    );
    assert!(text.starts_with(&start), "{text}");
    assert!(folder.run("near a.obj b.obj --reach 0").out.starts_with("Nothing is within 0.\n"));
}

#[test]
fn near_features_of_one_mesh_share_no_vertex() {
    let sheet = shapes::cloth_grid(5, 5, [1.0, 1.0]);
    let two = Mesh::join([&sheet, &moved(&sheet, [0.03, 0.02, 0.1])]).unwrap();
    let reach = 0.12;
    let shares = |t: u32, v: u32| two.triangles()[t as usize].contains(&v);
    let vertices: Vec<(Value, f64)> = vertex_triangle(&two, &two)
        .into_iter()
        .filter(|&(v, t, d)| d <= reach && !shares(t, v))
        .map(|(v, t, d)| (json!([0, v, 0, t]), d))
        .collect();
    let edges: Vec<(Value, f64)> = edge_edge(&two, &two)
        .into_iter()
        .filter(|(e, f, d)| e < f && *d <= reach && !e.iter().any(|v| f.contains(v)))
        .map(|(e, f, d)| (json!([0, e, 0, f]), d))
        .collect();
    assert!(vertices.len() > 20 && edges.len() > 20);
    let folder = Folder::with_meshes(&[("two.obj", &two), ("two.stl", &two)]);
    let found = document(&folder.run(&format!("near two.obj --reach {reach} --json")));
    assert_rows(&found["vertex_triangle"], &vertices);
    assert_rows(&found["edge_edge"], &edges);
    // Vertices of an STL file are joined only if asked for.
    let apart = document(&folder.run("near two.stl --reach 0 --json"));
    assert!(apart["vertex_triangle"].as_array().unwrap().len() > 20);
    let merged = document(&folder.run("near two.stl --reach 0 --json --merge"));
    assert_eq!((&merged["vertex_triangle"], &merged["edge_edge"]), (&json!([]), &json!([])));
}

#[test]
fn points_are_inside_on_or_outside() {
    let cube = shapes::cuboid(DVec3::splat(2.0));
    let folder = Folder::with_meshes(&[("cube.obj", &cube), ("cube.stl", &cube)]);
    std::fs::write(folder.path("points.xyz"), "# x y z\n0 0 0\n1 0.5 0.25\n\n0.5, 0, 3\n1 1 1\n-1.5 0 0")
        .unwrap();
    let found = document(&folder.run("inside cube.obj points.xyz --json"));
    assert_eq!(found["inside"], json!([1, 0, -1, 0, -1]));
    let windings: Vec<f64> = serde_json::from_value(found["winding"].clone()).unwrap();
    assert_eq!([windings[0], windings[2], windings[4]], [1.0, 0.0, 0.0]);
    // A face goes half around a point on it, a corner of a cube an eighth.
    assert!((windings[1] - 0.5).abs() < 0.01 && (windings[3] - 0.125).abs() < 0.01, "{windings:?}");
    let distances: Vec<f64> = serde_json::from_value(found["distance"].clone()).unwrap();
    assert!(distances.iter().zip([1.0, 0.0, 2.0, 0.0, 0.5]).all(|(a, b)| close(*a, b)), "{distances:?}");
    let text = folder.run("inside cube.obj points.xyz").out;
    assert!(text.starts_with("Of 5 points, 1 are inside, 2 on the surface, 2 outside.\n"), "{text}");
    assert!(text.contains("(0.5, 0, 3)") && text.contains("on the surface"), "{text}");
    // The vertices of a mesh are points too, and vertices of a soup can be joined.
    let corners = document(&folder.run("inside cube.obj cube.obj --json"));
    assert_eq!(corners["inside"], json!(vec![0; 8]));
    let soup = document(&folder.run("inside cube.stl points.xyz --merge --json"));
    assert_eq!(soup["inside"], found["inside"]);
    let ball = document(&folder.run("inside shape:noisy-sphere:500 cube.obj --json --threads 1"));
    assert_eq!(ball["inside"], json!(vec![-1; 8]));
}

#[test]
fn contacts_of_two_cubes_say_the_least_depth_and_the_way_out() {
    let cube = shapes::cuboid(DVec3::ONE);
    let beside = moved(&cube, [0.6, 0.03, 0.02]);
    let far = moved(&cube, [3.0, 0.0, 0.0]);
    let flat = mesh(&[[0.0, 0.0, 0.51], [1.0, 0.0, 0.51], [0.0, 1.0, 0.51]], &[[0, 1, 2]]);
    let folder = Folder::with_meshes(&[
        ("cube.obj", &cube),
        ("beside.obj", &beside),
        ("far.obj", &far),
        ("inner.obj", &shapes::cuboid(DVec3::splat(0.5))),
        ("flat.obj", &flat),
    ]);
    let found = document(&folder.run("contacts cube.obj beside.obj --json --html page.html"));
    let contacts = found["contacts"].as_array().unwrap();
    assert!((1..=4).contains(&contacts.len()));
    for contact in contacts {
        assert!((contact["depth"].as_f64().unwrap() - 0.4).abs() < 1e-9, "{contact}");
        assert!((contact["normal"][0].as_f64().unwrap() - 1.0).abs() < 1e-9, "{contact}");
    }
    assert_eq!(found["inside"], Value::Null);
    assert!((found["depth"].as_f64().unwrap() - 0.4).abs() < 1e-9);
    let inner = document(&folder.run("contacts inner.obj cube.obj --json"));
    assert_eq!(
        (&inner["inside"], inner["contacts"].as_array().unwrap().is_empty()),
        (&json!("a_in_b"), false)
    );
    assert_eq!(recording_in(&folder.path("page.html")).header.about.kind, Kind::Near);
    assert_eq!(document(&folder.run("contacts cube.obj far.obj --json"))["contacts"], json!([]));
    assert!(folder.run("contacts cube.obj far.obj").out.starts_with("The meshes do not touch.\n"));
    let with_thickness = document(&folder.run("contacts cube.obj flat.obj --thickness 0.02 --json"));
    assert!(!with_thickness["contacts"].as_array().unwrap().is_empty());
    let refused = folder.run("contacts cube.obj flat.obj");
    assert_eq!((refused.status, refused.out.as_str()), (2, ""));
    assert!(refused.complaints.starts_with("fracas: flat.obj: body 1 is open"), "{}", refused.complaints);
}

#[test]
fn an_open_mesh_has_an_inside_by_winding_numbers() {
    let (positions, mut triangles) = shapes::icosphere(1.0, 3).into_parts();
    triangles.truncate(triangles.len() - 20);
    let open = Mesh::new(positions, triangles).unwrap();
    let folder = Folder::with_meshes(&[("open.obj", &open)]);
    std::fs::write(folder.path("points.xyz"), "0 0 0\n0.5 0.1 0\n2 0 0\n").unwrap();
    let found = document(&folder.run("inside open.obj points.xyz --winding --json"));
    assert_eq!(found["inside"], json!([1, 1, -1]));
    let windings: Vec<f64> = serde_json::from_value(found["winding"].clone()).unwrap();
    assert!(windings[0] > 0.9 && windings[0] < 1.0 && windings[2].abs() < 0.1, "{windings:?}");
}

#[test]
fn questions_that_make_no_sense_are_refused() {
    let flat = mesh(&[[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], &[[0, 1, 2]]);
    let folder = Folder::with_meshes(&[("flat.obj", &flat), ("ball.obj", &shapes::icosphere(1.0, 1))]);
    for (name, text) in [
        ("empty.off", "OFF\n0 0 0\n"),
        ("two.xyz", "0 0 0\n1 2\n"),
        ("word.txt", "0 zero 0\n"),
        ("far.xyz", "nan 0 0\n"),
    ] {
        std::fs::write(folder.path(name), text).unwrap();
    }
    let before = folder.names();
    let help = "(see `fracas --help`)";
    for (words, sentence) in [
        (
            "inside flat.obj ball.obj",
            "flat.obj: the surface is open, so nothing is inside: 3 edges have an odd number of triangles (--winding \
             decides by winding numbers)"
                .to_owned(),
        ),
        ("inside empty.off two.xyz", "empty.off: the mesh has no triangles, so nothing is inside".to_owned()),
        ("inside ball.obj two.xyz", "two.xyz, line 2: a point has 3 coordinates, not 2".to_owned()),
        ("inside ball.obj word.txt", "word.txt, line 1: `zero` is not a number".to_owned()),
        ("inside ball.obj far.xyz", "far.xyz, line 1: the coordinate nan is not finite".to_owned()),
        ("inside ball.obj lost.xyz", "lost.xyz: No such file or directory (os error 2)".to_owned()),
        ("distance ball.obj lost.obj", "lost.obj: No such file or directory (os error 2)".to_owned()),
        (
            "distance ball.obj flat.obj --within -1",
            format!("invalid value '-1' for '--within <R>': a distance is 0 or more {help}"),
        ),
        (
            "near ball.obj --reach nan",
            format!("invalid value 'nan' for '--reach <R>': a distance is 0 or more {help}"),
        ),
        (
            "near ball.obj --reach wide",
            format!("invalid value 'wide' for '--reach <R>': this is not a number {help}"),
        ),
        ("near ball.obj", format!("the following required arguments were not provided: --reach <R> {help}")),
        (
            "near ball.obj --reach 1 --html page.txt",
            "page.txt: the page is written as HTML, so the name must end in .html".to_owned(),
        ),
        ("distance ball.obj flat.obj --html no/page.html", "no/page.html: there is no folder no".to_owned()),
    ] {
        let run = folder.run(words);
        assert_eq!(run.complaints, format!("fracas: {sentence}\n"), "{words}");
        assert_eq!((run.status, run.out.as_str()), (2, ""), "{words}");
        assert_eq!(folder.names(), before, "{words} left a file");
    }
}

#[test]
fn pages_show_closest_points_as_lines_and_near_triangles() {
    let ball = shapes::icosphere(1.0, 2);
    let folder = Folder::with_meshes(&[("a.obj", &ball), ("b.obj", &moved(&ball, [2.5, 0.0, 0.0]))]);
    let run = folder.run("distance a.obj b.obj --html distance.html");
    assert!(run.out.contains("\nWrote distance.html.\n"), "{}", run.out);
    let found = document(&folder.run("distance a.obj b.obj --json"));
    let page = recording_in(&folder.path("distance.html"));
    let about = &page.header.about;
    assert_eq!((about.kind, about.title.as_str()), (Kind::Near, "a.obj, b.obj"));
    assert_eq!(json!(about.lines), json!([found["points"]]));
    let first = ball.triangle_count() as u64;
    let pair = &page.frames[0].pairs[0];
    let [a, b] = [0, 1].map(|k| found["triangles"][k].as_u64().unwrap());
    assert_eq!([u64::from(pair.a.0), u64::from(pair.b.0)], [a, first + b]);

    let found = document(&folder.run("near a.obj b.obj --reach 0.7 --json --html near.html"));
    let page = recording_in(&folder.path("near.html"));
    let features = ["vertex_triangle", "edge_edge"].map(|key| found[key].as_array().unwrap().len());
    assert_eq!(page.header.about.lines.len(), features.iter().sum::<usize>());
    assert!(!page.frames[0].pairs.is_empty());
    // A near triangle is paired with one that has the near vertex.
    for row in found["vertex_triangle"].as_array().unwrap() {
        let [mesh_v, v, mesh_t, t] = [0, 1, 2, 3].map(|k| row[k].as_u64().unwrap());
        let (triangle, vertex) =
            ((mesh_t * first + t) as u32, (mesh_v * ball.vertex_count() as u64 + v) as u32);
        let has_vertex = |t: u32| page.triangles[t as usize].corners.contains(&vertex);
        let is_it = |pair: &fracas::Pair| {
            let (a, b) = (pair.a.0, pair.b.0);
            (a == triangle && has_vertex(b)) || (b == triangle && has_vertex(a))
        };
        assert!(page.frames[0].pairs.iter().any(is_it), "{row}");
    }
}
