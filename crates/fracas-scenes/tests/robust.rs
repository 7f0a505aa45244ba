//! Every real mesh is thrown about and broken, open and broken ones too.

use fracas::Mesh;
use fracas::mesh::Report;
use fracas_scenes::{SceneOptions, Size};
use std::path::{Path, PathBuf};

/// The real meshes beside the repository; `None` where there are none.
fn meshes() -> Option<Vec<PathBuf>> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let data = std::env::var_os("FRACAS_SHARED_DATA").map_or(beside, PathBuf::from).join("meshes");
    let Ok(entries) = std::fs::read_dir(&data) else {
        eprintln!("skipped: there are no meshes in {}", data.display());
        return None;
    };
    let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.sort();
    Some(paths)
}

fn read(path: &Path) -> Mesh {
    let mut mesh = fracas_io::read(path).expect("a mesh");
    if !Report::of(&mesh).closed {
        mesh.merge_equal_vertices();
    }
    mesh
}

#[test]
fn all_real_meshes_are_filled_thrown_and_broken() {
    let Some(paths) = meshes() else { return };
    let mut refused = vec![];
    for path in &paths {
        let name = path.file_name().expect("a file").to_string_lossy().into_owned();
        let mesh = read(path);
        let plain =
            SceneOptions { size: Size::Small, steps: Some(45), mesh: Some(mesh), ..SceneOptions::default() };
        if fracas_scenes::start("handful", &plain).is_err() {
            refused.push(name.clone());
        }
        let options = SceneOptions { robust: true, ..plain };
        let run = fracas_scenes::start("handful", &options).unwrap_or_else(|error| panic!("{name}: {error}"));
        let filling = run.filling.expect("what was filled is reported");
        let share = |distance: f64| distance / filling.size;
        let deviation = filling.deviation;
        eprintln!(
            "{name}: {} parts left out; from the mesh {:.4} at most, {:.4} on average; to the mesh {:.4}, {:.4}",
            filling.parts_left_out,
            share(deviation.from_given.greatest),
            share(deviation.from_given.mean),
            share(deviation.to_given.greatest),
            share(deviation.to_given.mean)
        );
        // Eight cells along the longest side: the filled surface keeps to the mesh within a few cells.
        assert!(share(deviation.to_given.greatest) < 0.5 && share(deviation.to_given.mean) < 0.06, "{name}");
        let steps = run.steps;
        let frames: Vec<_> =
            run.map(|frame| frame.unwrap_or_else(|error| panic!("{name}: {error}"))).collect();
        assert_eq!(frames.len(), steps + 1);
        assert!(frames.iter().flat_map(|frame| &frame.positions).all(|p| p.is_finite()), "{name}");
        assert!(!frames[0].added.is_empty(), "{name}");
    }
    eprintln!("refused without robust filling: {}", refused.join(", "));
    assert!(paths.len() < 5 || !refused.is_empty(), "some of these meshes are open");
}
