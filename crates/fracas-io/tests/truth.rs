//! Real meshes against pairs that another program found with exact predicates.

#[path = "common/truth.rs"]
mod reader;

use fracas::geom::{DVec3, Pose};
use fracas::kinetic::{KineticBody, Plans};
use fracas::mesh::Mesh;
use fracas::pairs::{Pair, Touch, brute};
use fracas::soup::CellTable;
use fracas::{
    BuildOptions, FindOptions, Finder, MeshTree, SoupOptions, SplitRule, TearingBody, Threads, View,
};
use reader::{data, mesh, pair_of, pairs_in, truths};
use std::collections::BTreeSet;

/// Brute force compares at most this many triangles with each other.
const SMALL: usize = 8_000;

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

fn finders() -> [Finder; 2] {
    [Threads::One, Threads::All].map(|threads| Finder::new(FindOptions { threads, ..FindOptions::default() }))
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
        let (truth, [a, b]) = (pairs_in(&path), pair_of(&data, &names));
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

fn soup_finders() -> Vec<Finder> {
    let tables = [CellTable::Sorted, CellTable::Morton, CellTable::Djb2];
    let options =
        tables.into_iter().flat_map(|table| [Threads::One, Threads::All].map(|threads| (table, threads)));
    options
        .map(|(table, threads)| {
            Finder::new(FindOptions { threads, soup: SoupOptions { table }, ..FindOptions::default() })
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
            finder.validate_soup(&mesh).unwrap_or_else(|broken| panic!("{name}: {broken}"));
        }
    }
    for (path, names) in truths(&data, "pair__") {
        let (truth, [a, b]) = (pairs_in(&path), pair_of(&data, &names));
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
        check(&format!("{name}, moved away and back"), &truth, Finder::default().find_self_pairs(&body));
    }
}

/// A mesh as every kind of body that can hold it.
fn kinds(mesh: &Mesh) -> (MeshTree, TearingBody, KineticBody) {
    let rest = Plans::keyframes(vec![0.0], vec![mesh.positions().to_vec()]).expect("one key");
    let kinetic = KineticBody::new(mesh.triangles().to_vec(), rest).expect("the mesh's own vertices");
    (MeshTree::build(mesh.clone()), TearingBody::build(mesh.clone()), kinetic)
}

/// Views of all kinds of bodies, with names.
fn views<'a>(
    mesh: &'a Mesh,
    bodies: &'a (MeshTree, TearingBody, KineticBody),
) -> [(&'static str, View<'a>); 4] {
    let (tree, tearing, kinetic) = bodies;
    [("soup", mesh.into()), ("tree", tree.into()), ("tearing", tearing.into()), ("kinetic", kinetic.into())]
}

#[test]
fn all_kinds_of_bodies_meet_where_the_truth_says() {
    let Some(data) = data() else { return };
    let mut finder = Finder::default();
    for (path, name) in truths(&data, "self__") {
        let (truth, mesh) = (pairs_in(&path), mesh(&data, &name));
        let bodies = kinds(&mesh);
        for (kind, view) in views(&mesh, &bodies) {
            check(&format!("{name}, {kind}"), &truth, finder.find_self_pairs(view));
        }
    }
    for (path, names) in truths(&data, "pair__") {
        let (truth, [a, b]) = (pairs_in(&path), pair_of(&data, &names));
        let (bodies_a, bodies_b) = (kinds(&a), kinds(&b));
        for (kind, view) in views(&a, &bodies_a) {
            for (other_kind, other) in views(&b, &bodies_b) {
                check(&format!("{names}, {kind} and {other_kind}"), &truth, finder.find_pairs(view, other));
            }
        }
    }
}
