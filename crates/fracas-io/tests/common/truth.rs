//! Reads pairs that another program found with exact predicates, and the meshes they are of.
//!
//! The data is not part of the project. It is looked for beside the workspace, in `../shared/data`, or where the
//! variable `FRACAS_SHARED_DATA` says; without it the tests say so and pass. `truth/self__MESH.tsv` lists the pairs of a
//! mesh with itself, `truth/pair__A__B.tsv` those between two, one pair of triangle ids to a line.

use fracas::Mesh;
use fracas::pairs::Pair;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The folder with `truth/` and `meshes/`, if it is there.
pub fn data() -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let folder = std::env::var_os("FRACAS_SHARED_DATA").map_or(beside, PathBuf::from);
    if folder.join("truth").is_dir() {
        return Some(folder);
    }
    eprintln!("skipped: no truth in {} (set FRACAS_SHARED_DATA to where it is)", folder.display());
    None
}

/// Files in `truth/` whose names begin so, with the rest of the name.
pub fn truths(data: &Path, prefix: &str) -> Vec<(PathBuf, String)> {
    let entries = std::fs::read_dir(data.join("truth")).expect("the folder of truths");
    let mut found: Vec<_> = entries
        .map(|entry| entry.expect("an entry").path())
        .filter_map(|path| {
            let name = path.file_name()?.to_str()?;
            let rest = name.strip_prefix(prefix)?.strip_suffix(".tsv")?.to_owned();
            Some((path, rest))
        })
        .collect();
    found.sort();
    assert!(!found.is_empty(), "no file {prefix}*.tsv in {}", data.display());
    found
}

/// The pairs of a file, sorted, each once.
pub fn pairs_in(path: &Path) -> Vec<Pair> {
    let text = std::fs::read_to_string(path).expect("a list of pairs");
    let pair = |line: &str| {
        let (a, b) = line.split_once('\t').expect("two columns");
        Pair::new(a.trim().parse().expect("an id"), b.trim().parse().expect("an id"))
    };
    let pairs: BTreeSet<Pair> = text.lines().map(pair).collect();
    pairs.into_iter().collect()
}

/// A mesh of the folder.
pub fn mesh(data: &Path, name: &str) -> Mesh {
    fracas_io::read(data.join("meshes").join(name)).unwrap_or_else(|error| panic!("{error}"))
}

/// The two meshes that the rest of a name tells: the second is a placed file, and its name begins with that word.
pub fn pair_of(data: &Path, names: &str) -> [Mesh; 2] {
    let (first, placed) = names.split_once("__placed__").expect("two names");
    [mesh(data, first), mesh(data, &format!("placed__{placed}"))]
}
