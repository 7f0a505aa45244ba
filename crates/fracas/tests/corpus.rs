//! The corpus on every structure.
//!
//! Cases are small meshes with the pairs they make ([`corpus/README.md`](../../../corpus/README.md)). Engines are all ways to find
//! pairs ([`common::engines`]). Every engine must find what every case expects, and what a case expects must be what
//! rational arithmetic says, which shares nothing with the library.

mod common;
#[allow(dead_code)] // Written for other tests as well.
#[path = "exact/reference.rs"]
mod reference;

use common::cases::{self, Case, Question, Theme};
use common::{bodies, engines, generate};
use fracas::exact::Relation;
use fracas::geom::{DVec3, Pose, Triangle};
use fracas::mesh::Mesh;
use fracas::pairs::{Pair, Touch};
use std::collections::BTreeSet;

const TOUCHES: [Touch; 2] = [Touch::Include, Touch::Proper];

#[test]
fn every_engine_finds_the_expected_pairs() {
    let engines = engines::all();
    let mut failures = vec![];
    for (_, theme) in cases::read_all() {
        for case in &theme.cases {
            let question = case.question();
            for engine in &engines {
                for touch in TOUCHES {
                    let found = (engine.find)(&question, touch);
                    if let Some(difference) = difference(&case.expected(touch), &found) {
                        failures.push(format!("{}, {}, {touch:?}: {difference}", case.name, engine.name));
                    }
                }
            }
        }
    }
    assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), failures.join("\n"));
}

/// What is wrong with an answer: pairs that are missing, that do not belong, that come twice or out of order.
fn difference(expected: &[Pair], found: &[Pair]) -> Option<String> {
    if expected == found {
        return None;
    }
    let [wanted, got] = [expected, found].map(|list| list.iter().copied().collect::<BTreeSet<_>>());
    let list = |pairs: Vec<&Pair>| {
        let shown = pairs.iter().take(8).map(|pair| format!("{}–{}", pair.a.0, pair.b.0));
        format!("{} [{}]", pairs.len(), shown.collect::<Vec<_>>().join(", "))
    };
    let (missing, extra) = (wanted.difference(&got).collect(), got.difference(&wanted).collect());
    Some(match wanted == got {
        true => "pairs repeated or out of order".into(),
        false => format!("missing {}, extra {}", list(missing), list(extra)),
    })
}

/// Reads the source: whatever implements the walk's trait is in the table of bodies, and so on the list of engines.
#[test]
fn every_structure_is_in_the_table() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let (mut implementors, mut tests) = (BTreeSet::new(), String::new());
    let mut folders = vec![root.join("src"), root.join("tests")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder of the crate") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let text = std::fs::read_to_string(&path).unwrap_or_default();
            if path.starts_with(root.join("tests")) {
                tests.push_str(&text);
            } else if !path.ends_with("find/contract.rs") {
                let named = text.lines().filter_map(|line| line.strip_prefix("impl Hierarchy for "));
                implementors.extend(named.map(|rest| rest.trim_end_matches(" {").to_string()));
            }
        }
    }
    let known = bodies::KINDS.iter().map(|kind| kind.structure).filter(|name| !name.is_empty());
    let known: BTreeSet<String> =
        known.chain(bodies::OTHERS.iter().map(|(name, _)| *name)).map(String::from).collect();
    assert_eq!(implementors, known, "the table in tests/common/bodies.rs");
    for (structure, test) in bodies::OTHERS {
        assert!(tests.contains(&format!("fn {test}(")), "{structure} has no test {test}");
    }
}

#[test]
fn expected_pairs_are_those_of_rational_arithmetic() {
    for (path, theme) in cases::read_all() {
        for case in &theme.cases {
            let [include, proper] = pairs_by_fractions(&case.question());
            let check = |touch, truth: &[Pair]| {
                if let Some(difference) = difference(truth, &case.expected(touch)) {
                    panic!("{}, {}, {touch:?}: {difference}", path.display(), case.name);
                }
            };
            check(Touch::Include, &include);
            check(Touch::Proper, &proper);
        }
    }
}

/// All pairs that touch or cross, and those that cross.
fn pairs_by_fractions(question: &Question) -> [Vec<Pair>; 2] {
    let posed = |mesh: &Mesh, pose: &Pose| -> Vec<Triangle> {
        let corner = |v: u32| pose.apply(mesh.positions()[v as usize]);
        mesh.triangles().iter().map(|t| Triangle::new(corner(t[0]), corner(t[1]), corner(t[2]))).collect()
    };
    let mut found = [vec![], vec![]];
    let mut add = |i: usize, j: usize, relation: Relation| {
        let pair = Pair::new(i as u32, j as u32);
        match relation {
            Relation::Disjoint => {}
            Relation::Touching => found[0].push(pair),
            Relation::Crossing => found.iter_mut().for_each(|list| list.push(pair)),
        }
    };
    match question {
        Question::Itself(mesh) => {
            let (t, ids) = (posed(mesh, &Pose::IDENTITY), mesh.triangles());
            for i in 0..t.len() {
                for j in (i + 1..t.len()).filter(|j| boxes_overlap(&t[i], &t[*j])) {
                    add(i, j, reference::relation_shared(&t[i], ids[i], &t[j], ids[j]));
                }
            }
        }
        Question::Two { a, pose_a, b, pose_b } => {
            let (t, u) = (posed(a, pose_a), posed(b, pose_b));
            for i in 0..t.len() {
                for j in (0..u.len()).filter(|j| boxes_overlap(&t[i], &u[*j])) {
                    add(i, j, reference::relation(&t[i], &u[j]));
                }
            }
        }
    }
    found
}

/// Comparisons of input numbers are exact; they spare most of the long fractions.
fn boxes_overlap(t: &Triangle, u: &Triangle) -> bool {
    let bounds = |t: &Triangle| (t.a.min(t.b).min(t.c), t.a.max(t.b).max(t.c));
    let ((t_low, t_high), (u_low, u_high)): ((DVec3, DVec3), (DVec3, DVec3)) = (bounds(t), bounds(u));
    t_low.cmple(u_high).all() && u_low.cmple(t_high).all()
}

#[test]
fn cases_are_well_formed() {
    let mut names = BTreeSet::new();
    let mut bytes = 0;
    for (path, theme) in cases::read_all() {
        bytes += std::fs::metadata(&path).expect("a file").len();
        assert!(!theme.about.is_empty() && !theme.cases.is_empty(), "{}", path.display());
        for case in &theme.cases {
            let name = &case.name;
            assert!(names.insert(name.clone()), "{name} occurs twice");
            assert!(case.why.ends_with('.'), "{name}: why is it there?");
            assert!(matches!(case.poses.len(), 0 | 2), "{name}: {} poses", case.poses.len());
            assert!(case.meshes.iter().all(|mesh| mesh.triangles.len() <= 200), "{name} is too large");
            for list in [&case.include, &case.proper] {
                assert!(list.is_sorted_by(|p, q| p < q), "{name}: pairs out of order");
                assert!(case.meshes.len() == 2 || list.iter().all(|p| p[0] < p[1]), "{name}: pairs turned");
            }
            assert!(
                case.proper.iter().all(|pair| case.include.contains(pair)),
                "{name}: crossing without meeting"
            );
        }
    }
    assert!(names.len() >= 200, "{} cases", names.len());
    assert!(bytes < 1_000_000, "{bytes} bytes");
}

#[test]
fn generated_files_hold_what_the_generator_makes() {
    let stored = cases::read_all();
    for (file, theme) in generate::themes() {
        let (_, read) = stored.iter().find(|(path, _)| path.ends_with(file)).expect(file);
        assert_eq!(read.about, theme.about);
        let describe = |case: &Case| format!("{} {} {:?} {:?}", case.name, case.why, case.meshes, case.poses);
        for (old, new) in read.cases.iter().zip(&theme.cases) {
            assert_eq!(describe(old), describe(new), "{file} is out of date: run regenerate_corpus");
        }
        assert_eq!(read.cases.len(), theme.cases.len(), "{file}");
    }
}

/// Writes `corpus/generated`: `cargo test -p fracas --test corpus regenerate_corpus -- --ignored`
#[test]
#[ignore = "writes into the source tree"]
fn regenerate_corpus() {
    for (file, Theme { about, mut cases }) in generate::themes() {
        for case in &mut cases {
            let lists = pairs_by_fractions(&case.question());
            [case.include, case.proper] = lists.map(|list| list.iter().map(|p| [p.a.0, p.b.0]).collect());
        }
        let text = cases::write(&Theme { about, cases });
        std::fs::write(cases::folder().join("generated").join(file), text).expect("a writable corpus");
    }
}
