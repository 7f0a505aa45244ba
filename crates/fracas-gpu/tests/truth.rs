//! Real meshes through the kernels, against pairs that another program found with exact predicates.
//!
//! The data is not part of the project. It is looked for beside the workspace, in `../shared/data`, or where the
//! variable `FRACAS_SHARED_DATA` says; without it the test says so and passes.

mod common;

use common::{machines, pairs_between, self_pairs};
use fracas::Mesh;
use fracas::pairs::{Pair, Touch};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The folder with `truth/` and `meshes/`, if it is there.
fn data() -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let folder = std::env::var_os("FRACAS_SHARED_DATA").map_or(beside, PathBuf::from);
    if folder.join("truth").is_dir() {
        return Some(folder);
    }
    eprintln!("skipped: no truth in {} (set FRACAS_SHARED_DATA to where it is)", folder.display());
    None
}

fn pairs_in(path: &Path) -> Vec<Pair> {
    let text = std::fs::read_to_string(path).expect("a list of pairs");
    let pair = |line: &str| {
        let (a, b) = line.split_once('\t').expect("two columns");
        Pair::new(a.trim().parse().expect("an id"), b.trim().parse().expect("an id"))
    };
    text.lines().map(pair).collect::<BTreeSet<Pair>>().into_iter().collect()
}

#[test]
fn meshes_meet_where_the_truth_says() {
    let Some(data) = data() else { return };
    let read = |name: &str| -> Mesh {
        fracas_io::read(data.join("meshes").join(name)).unwrap_or_else(|error| panic!("{error}"))
    };
    let entries = std::fs::read_dir(data.join("truth")).expect("the folder of truths");
    let mut count = 0;
    for path in entries.map(|entry| entry.expect("an entry").path()) {
        let name = path.file_stem().and_then(|name| name.to_str()).expect("a name").to_owned();
        for (machine, make) in machines() {
            let found = if let Some(mesh) = name.strip_prefix("self__") {
                self_pairs(make, &read(mesh), Touch::Include)
            } else if let Some((a, b)) = name.strip_prefix("pair__").and_then(|n| n.split_once("__placed__"))
            {
                pairs_between(make, &read(a), &read(&format!("placed__{b}")), Touch::Include)
            } else {
                continue;
            };
            assert!(found == pairs_in(&path), "{machine}: {name}");
            count += 1;
        }
    }
    assert!(count > 0, "no truths in {}", data.display());
}
