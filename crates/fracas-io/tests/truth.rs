//! Real meshes against pairs that another program found with exact predicates.
//!
//! The data is not part of the project. It is looked for beside the workspace, in `../shared/data`, or where the
//! variable `FRACAS_SHARED_DATA` says; without it the tests say so and pass. `truth/self__MESH.tsv` lists the pairs of a
//! mesh with itself, `truth/pair__A__B.tsv` those between two, one pair of triangle ids to a line.

use fracas::geom::{DVec3, Pose};
use fracas::pairs::{Pair, PairOptions, Touch, brute};
use fracas::soup::{CellTable, SoupFinder, SoupOptions};
use fracas::{BuildOptions, Mesh, MeshTree, PairFinder, SplitRule};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Brute force compares at most this many triangles with each other.
const SMALL: usize = 8_000;

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

/// Files in `truth/` whose names begin so, with the rest of the name.
fn truths(data: &Path, prefix: &str) -> Vec<(PathBuf, String)> {
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

fn pairs_in(path: &Path) -> Vec<Pair> {
    let text = std::fs::read_to_string(path).expect("a list of pairs");
    let pair = |line: &str| {
        let (a, b) = line.split_once('\t').expect("two columns");
        Pair::new(a.trim().parse().expect("an id"), b.trim().parse().expect("an id"))
    };
    let pairs: BTreeSet<Pair> = text.lines().map(pair).collect();
    pairs.into_iter().collect()
}

fn mesh(data: &Path, name: &str) -> Mesh {
    fracas_io::read(data.join("meshes").join(name)).unwrap_or_else(|error| panic!("{error}"))
}

fn build_options() -> Vec<BuildOptions> {
    let rules = [SplitRule::SurfaceArea, SplitRule::Median, SplitRule::Midpoint];
    let options = rules.into_iter().flat_map(|split| {
        [(true, true), (true, false), (false, true)].map(|(self_queries, parallel)| BuildOptions {
            split,
            self_queries,
            parallel,
        })
    });
    options.collect()
}

fn finders() -> [PairFinder; 2] {
    [true, false].map(|parallel| PairFinder::new(PairOptions { touch: Touch::Include, parallel }))
}

#[track_caller]
fn check(what: &str, truth: &[Pair], found: &[Pair]) {
    let [wanted, got] = [truth, found].map(|list| list.iter().copied().collect::<BTreeSet<_>>());
    let missing: Vec<_> = wanted.difference(&got).take(5).collect();
    let extra: Vec<_> = got.difference(&wanted).take(5).collect();
    assert!(missing.is_empty() && extra.is_empty(), "{what}: missing {missing:?}…, extra {extra:?}…");
    assert!(truth == found, "{what}: pairs repeated or out of order");
}

#[test]
fn meshes_meet_themselves_where_the_truth_says() {
    let Some(data) = data() else { return };
    for (path, name) in truths(&data, "self__") {
        let (truth, mesh) = (pairs_in(&path), mesh(&data, &name));
        for options in build_options() {
            let body = MeshTree::build_with(mesh.clone(), &options);
            body.validate().unwrap_or_else(|broken| panic!("{name}, {options:?}: {broken}"));
            for finder in &mut finders() {
                check(&format!("{name}, {options:?}"), &truth, finder.find_self_pairs(&body));
            }
        }
        if mesh.triangle_count() <= SMALL {
            check(&format!("{name}, brute force"), &truth, &brute::find_self_pairs(&mesh, Touch::Include));
        }
    }
}

#[test]
fn meshes_meet_each_other_where_the_truth_says() {
    let Some(data) = data() else { return };
    for (path, names) in truths(&data, "pair__") {
        // The second is a placed file, and its name begins with that word.
        let (first, placed) = names.split_once("__placed__").expect("two names");
        let second = format!("placed__{placed}");
        let (truth, a, b) = (pairs_in(&path), mesh(&data, first), mesh(&data, &second));
        let mirrored: BTreeSet<Pair> = truth.iter().map(|p| Pair::new(p.b.0, p.a.0)).collect();
        let mirrored: Vec<Pair> = mirrored.into_iter().collect();
        for options in build_options() {
            let [a, b] = [&a, &b].map(|mesh| MeshTree::build_with(mesh.clone(), &options));
            for finder in &mut finders() {
                check(&format!("{names}, {options:?}"), &truth, finder.find_pairs(&a, &b));
                check(&format!("{names}, {options:?}, turned"), &mirrored, finder.find_pairs(&b, &a));
            }
        }
        if a.triangle_count().max(b.triangle_count()) <= SMALL {
            let found = brute::find_pairs(&a, &Pose::IDENTITY, &b, &Pose::IDENTITY, Touch::Include);
            check(&format!("{names}, brute force"), &truth, &found);
        }
    }
}

fn soup_finders() -> Vec<SoupFinder> {
    let tables = [CellTable::Sorted, CellTable::Morton, CellTable::Djb2];
    let options = tables.into_iter().flat_map(|table| [true, false].map(|parallel| (table, parallel)));
    options
        .map(|(table, parallel)| {
            SoupFinder::new(PairOptions { touch: Touch::Include, parallel }, SoupOptions { table })
        })
        .collect()
}

#[test]
fn soups_meet_where_the_truth_says() {
    let Some(data) = data() else { return };
    let mut finders = soup_finders();
    for (path, name) in truths(&data, "self__") {
        let (truth, mesh) = (pairs_in(&path), mesh(&data, &name));
        for finder in &mut finders {
            check(&format!("{name}, soup"), &truth, finder.find_self_pairs(&mesh));
            finder.validate(&mesh).unwrap_or_else(|broken| panic!("{name}: {broken}"));
        }
    }
    for (path, names) in truths(&data, "pair__") {
        let (first, placed) = names.split_once("__placed__").expect("two names");
        let (truth, a) = (pairs_in(&path), mesh(&data, first));
        let b = mesh(&data, &format!("placed__{placed}"));
        for finder in &mut finders {
            check(&format!("{names}, soup"), &truth, finder.find_pairs(&a, &b));
        }
    }
}

#[test]
fn moved_meshes_still_meet_where_the_truth_says() {
    let Some(data) = data() else { return };
    for (path, name) in truths(&data, "self__") {
        let (truth, mesh) = (pairs_in(&path), mesh(&data, &name));
        let mut body = MeshTree::build(mesh.clone());
        let away: Vec<_> =
            mesh.positions().iter().map(|p| DVec3::new(p.y, p.z, p.x) * 3.0e-3 + 1.0e4).collect();
        body.set_positions(&away).expect("finite positions");
        body.set_positions(mesh.positions()).expect("finite positions");
        body.validate().unwrap_or_else(|broken| panic!("{name}: {broken}"));
        check(&format!("{name}, moved away and back"), &truth, PairFinder::default().find_self_pairs(&body));
    }
}
