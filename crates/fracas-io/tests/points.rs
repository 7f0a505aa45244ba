//! Questions about points of real meshes: nearest points and winding numbers against passes over all triangles.

use fracas::geom::DVec3;
use fracas::internal::Random;
use fracas::mesh::{Mesh, Report};
use fracas::winding::{WindingField, WindingOptions};
use fracas::{FindOptions, Finder, MeshTree, Side, Threads, View};
use std::path::{Path, PathBuf};

/// The real meshes beside the repository; empty where there are none.
fn meshes() -> Vec<(String, Mesh)> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let data = std::env::var_os("FRACAS_SHARED_DATA").map_or(beside, PathBuf::from).join("meshes");
    let Ok(entries) = std::fs::read_dir(&data) else {
        eprintln!("skipped: there are no meshes in {}", data.display());
        return vec![];
    };
    let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.sort();
    let name = |path: &Path| path.file_name().expect("a file").to_string_lossy().into_owned();
    paths.iter().map(|path| (name(path), fracas_io::read(path).expect("a mesh"))).collect()
}

/// Around the mesh, near it, on it and far away.
fn points(mesh: &Mesh, count: usize) -> Vec<DVec3> {
    let mut random = Random::new(61);
    let mut any = || DVec3::new(random.unit(), random.unit(), random.unit()) * 2.0 - 1.0;
    let bounds = mesh.bounds();
    let (middle, half) = (bounds.centre(), 0.5 * bounds.extent());
    let mut points: Vec<DVec3> = (0..count).map(|_| middle + half * any() * 1.3).collect();
    points.extend((0..count / 8).map(|_| middle + half * any() * 1e4));
    let step = 1 + mesh.vertex_count() / (count / 2);
    for p in mesh.positions().iter().step_by(step) {
        points.extend([*p, *p + half * any() * 1e-3]);
    }
    points
}

#[test]
fn nearest_points_are_those_of_a_pass_over_all_triangles() {
    for (name, mesh) in meshes() {
        let (tree, whole) = (MeshTree::build(mesh.clone()), View::from(&mesh));
        let largest = mesh.positions().iter().fold(0.0, |m: f64, p| m.max(p.abs().max_element()));
        let points = points(&mesh, 48);
        let each = Finder::default().nearest_each(&tree, &points, f64::INFINITY);
        for (p, near) in points.iter().zip(each) {
            let near = near.expect("a triangle");
            assert_eq!(Some(near), whole.nearest(*p, f64::INFINITY), "{name} {p}");
            let far = largest.max(p.abs().max_element());
            assert!((near.point.distance(*p) - near.distance).abs() <= 1e-12 * far, "{name} {p}");
        }
    }
}

#[test]
fn signs_of_closed_meshes_are_those_of_whole_winding_numbers() {
    for (name, mesh) in meshes() {
        let report = Report::of(&mesh);
        let tree = MeshTree::build(mesh);
        let view = tree.view();
        if !(report.closed && report.oriented) {
            let open = view.require_closed().err().map_or(0, |open| open.open_edges);
            assert!(open <= report.boundary_edges + report.nonmanifold_edges, "{name}");
            continue;
        }
        let points = points(tree.mesh(), 20_000);
        let one = Finder::new(FindOptions { threads: Threads::One, ..FindOptions::default() })
            .signed_distances(&tree, &points, f64::INFINITY);
        let all = Finder::default().signed_distances(&tree, &points, f64::INFINITY);
        assert_eq!(one, all, "{name}");
        let field = WindingField::build_with(&tree, &WindingOptions { accuracy: 0.1 });
        let numbers = field.at_each(&points, Threads::Auto);
        for ((p, found), number) in points.iter().zip(one.expect("closed")).zip(numbers) {
            let found = found.expect("a triangle");
            if found.side == Side::On {
                assert_eq!(found.distance, 0.0);
                continue;
            }
            assert!((number - number.round()).abs() < 0.1, "{name} {p}: {number}");
            assert_eq!(
                (number.round() as i64).rem_euclid(2) == 1,
                found.side == Side::Inside,
                "{name} {p}: {number}"
            );
        }
        for p in points.iter().step_by(2_000) {
            let (exact, fast) = (view.winding_number(*p), field.at(*p));
            assert!((exact - fast).abs() <= 0.1, "{name} {p}: {exact} {fast}");
        }
    }
}

#[test]
fn winding_numbers_are_within_their_accuracy_of_the_sum_over_all_triangles() {
    for (name, mesh) in meshes() {
        let truth = WindingField::build_with(&mesh, &WindingOptions { accuracy: 0.0 });
        let points = points(&mesh, 48);
        let expected = truth.at_each(&points, Threads::Auto);
        for accuracy in [0.4, 0.05, 1e-3] {
            let field = WindingField::build_with(&mesh, &WindingOptions { accuracy });
            for ((p, found), expected) in
                points.iter().zip(field.at_each(&points, Threads::Auto)).zip(&expected)
            {
                assert!(
                    (found - expected).abs() <= accuracy,
                    "{name} {accuracy} {p}: {found}, not {expected}"
                );
            }
        }
    }
}
