//! The answers of `fracas ccd --queries`.

mod common;

use common::{Folder, Run};
use serde_json::{Value, json};
use std::path::Path;

/// A vertex falls from z = 2 to the given z, over a triangle that rests in the plane z = 0.
fn falling(x: &str, y: &str, z: &str, label: &str) -> String {
    let triangle =
        ["0,1,0,1,0,1", "2,1,0,1,0,1", "0,1,2,1,0,1"].map(|row| format!("{row}{label}\n")).concat();
    format!("{x},{y},2,1{label}\n{triangle}{x},{y},{z}{label}\n{triangle}")
}

/// Right through the triangle, onto its border at the last instant, and just past it.
fn three(labels: [&str; 3]) -> String {
    let past = "9007199254740993,9007199254740992";
    let past = past.replace("993", "994");
    falling("1,2", "1,2", "-6,1", labels[0])
        + &falling("1,1", "1,1", "0,1", labels[1])
        + &falling(&past, "1,1", "-6,1", labels[2])
}

fn document(run: &Run) -> Value {
    assert_eq!((run.status, run.complaints.as_str()), (0, ""));
    serde_json::from_str(&run.out).unwrap()
}

#[test]
fn answers_are_exact() {
    let folder = Folder::with_files(&[("three.csv", &three([""; 3]))]);
    let found = document(&folder.run("ccd --queries three.csv --kind vf --json"));
    assert_eq!((&found["queries"], &found["hits"]), (&json!(3), &json!([1, 1, 0])));
    let low = |query: usize| found["toi"][query][0].as_f64().unwrap();
    let high = |query: usize| found["toi"][query][1].as_f64().unwrap();
    assert!(low(0) <= 0.25 && 0.25 <= high(0) && high(0) - low(0) <= 1e-9, "{found}");
    assert!(low(1) <= 1.0 && high(1) == 1.0, "{found}");
    assert_eq!(found["toi"][2], Value::Null);
    assert!(found["ms"].as_f64().unwrap() >= 0.0 && found.get("labels").is_none());
    let alone = document(&folder.run("ccd --queries three.csv --kind vf --json --threads 1"));
    assert_eq!(alone["toi"], found["toi"]);
}

#[test]
fn edges_are_a_question_of_their_own() {
    // The edge from (-1, 0, 1) to (1, 0, 1) falls by 2 onto one that rests.
    let rest = "0,1,-1,1,0,1\n0,1,1,1,0,1\n";
    let text = format!("-1,1,0,1,1,1\n1,1,0,1,1,1\n{rest}-1,1,0,1,-1,1\n1,1,0,1,-1,1\n{rest}");
    let folder = Folder::with_files(&[("edges.csv", &text)]);
    let found = document(&folder.run("ccd --queries edges.csv --kind ee --json"));
    let time = &found["toi"][0];
    assert!(time[0].as_f64().unwrap() <= 0.5 && 0.5 <= time[1].as_f64().unwrap(), "{found}");
}

#[test]
fn labels_are_compared() {
    let folder = Folder::with_files(&[
        ("column.csv", &three([",1", ",0", ",1"])),
        ("plain.csv", &three([""; 3])),
        ("good.json", "[true, true, false]"),
    ]);
    let differ = json!({ "missed": [2], "invented": [1] });
    assert_eq!(document(&folder.run("ccd --queries column.csv --kind vf --json"))["labels"], differ);
    let all = "ccd --queries column.csv --kind vf --labels good.json --json";
    assert_eq!(document(&folder.run(all))["labels"], json!({ "missed": [], "invented": [] }));
    let text = |words: &str| {
        let run = folder.run(words);
        assert_eq!((run.status, run.complaints.as_str()), (0, ""));
        run.out
    };
    let plain = text("ccd --queries plain.csv --kind vf");
    assert!(plain.starts_with("2 of 3 queries are contacts; the first is query 0 at t = 0.25"), "{plain}");
    let good = text("ccd --queries plain.csv --kind vf --labels good.json");
    assert!(good.contains("All answers agree with the labels."), "{good}");
    let bad = text("ccd --queries column.csv --kind vf");
    assert!(bad.contains("1 label says contact and there is none: query 2"), "{bad}");
    assert!(bad.contains("1 label says no contact and there is one: query 1"), "{bad}");
}

#[test]
fn bad_files_are_named() {
    let rows = three([""; 3]);
    let broken = |line: usize, row: &str| {
        let mut lines: Vec<&str> = rows.lines().collect();
        lines[line - 1] = row;
        lines.join("\n")
    };
    let folder = Folder::with_files(&[
        ("three.csv", &rows),
        ("third.csv", &broken(2, "1,3,0,1,0,1")),
        ("word.csv", &broken(5, "1,1,zero,1,0,1")),
        ("short.csv", &broken(9, "1,1,0,1")),
        ("label.csv", &broken(4, "1,1,0,1,0,1,2")),
        ("mixed.csv", &broken(4, "1,1,0,1,0,1,1")),
        ("half.csv", &rows.lines().take(11).collect::<Vec<_>>().join("\n")),
        ("few.json", "[true]"),
        ("odd.json", "[true,\n7]"),
    ]);
    let fails = |words: &str, sentence: &str| {
        let run = folder.run(&format!("ccd --queries {words}"));
        assert_eq!((run.status, run.out.as_str()), (2, ""), "{words}");
        assert!(run.complaints.starts_with(&format!("fracas: {sentence}")), "{words}: {}", run.complaints);
    };
    fails("third.csv --kind vf", "third.csv, line 2: 1/3 is not an f64 number");
    fails("word.csv --kind vf", "word.csv, line 5: `zero` is not an integer");
    fails("short.csv --kind vf", "short.csv, line 9: a row has 6 numbers and perhaps a label, not 4 values");
    fails("label.csv --kind vf", "label.csv, line 4: `2` is not a label: 0 or 1");
    fails("mixed.csv --kind vf", "mixed.csv, line 4: the rows of one query have different labels");
    fails("half.csv --kind vf", "half.csv, line 11: the last query has 3 rows instead of 8");
    fails("lost.csv --kind vf", "lost.csv: ");
    fails("three.csv --kind vf --labels few.json", "few.json, line 1: 1 labels for 3 queries");
    fails("three.csv --kind vf --labels odd.json", "odd.json, line 2: not a list of true and false");
    fails("three.csv", "the following required arguments were not provided: --kind <KIND>");
}

/// Queries of others with exact labels, read from beside the workspace or from where `FRACAS_SHARED_DATA` says.
#[test]
fn labels_of_others_are_met() {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let data = std::env::var_os("FRACAS_SHARED_DATA").map_or(beside, Into::into).join("ccd/cloth-funnel");
    if !data.is_dir() {
        eprintln!("skipped: no folder {} (set FRACAS_SHARED_DATA to the one two above)", data.display());
        return;
    }
    let data = data.canonicalize().unwrap().display().to_string();
    for (kind, count) in [("vf", 91), ("ee", 262)] {
        let words =
            format!("--kind {kind} --queries {data}/227{kind}.csv --labels {data}/227{kind}_mma_bool.json");
        let found = document(&Folder::new().run(&format!("ccd --json {words}")));
        assert!(found["queries"].as_u64().unwrap() >= count, "{kind}: {}", found["queries"]);
        assert_eq!(found["labels"], json!({ "missed": [], "invented": [] }), "{kind}");
    }
}

/// A triangle in the plane z as an OFF file.
fn flat(z: f64) -> String {
    format!("OFF\n3 1 0\n0 0 {z}\n4 0 {z}\n0 4 {z}\n3 0 1 2\n")
}

/// A triangle that stands on its tip at the given height.
fn tip(z: f64) -> String {
    format!("OFF\n3 1 0\n1 1 {z}\n1 2 {}\n2 1 {}\n3 0 1 2\n", z + 5.0, z + 5.0)
}

#[test]
fn meshes_at_two_times_give_impacts_with_meshes_and_ids() {
    let folder = Folder::with_files(&[
        ("a0.off", &flat(0.0)),
        ("b0.off", &tip(1.0)),
        ("b1.off", &tip(-3.0)),
        ("b2.off", &tip(0.5)),
    ]);
    let found = document(&folder.run("ccd a0.off a0.off b0.off b1.off --json"));
    let impact = &found["impacts"][0];
    assert_eq!((&impact["kind"], &impact["a"], &impact["b"]), (&json!("vf"), &json!([1, 0]), &json!([0, 0])));
    assert_eq!((&found["first"], &found["touching_at_start"]), (&impact["t"], &json!(false)));
    let [low, high] = [0, 1].map(|k| impact["t"][k].as_f64().unwrap());
    assert!(low <= 0.25 && 0.25 <= high && high - low <= 1e-9, "{found}");
    let none = document(&folder.run("ccd a0.off a0.off b0.off b2.off --json"));
    assert_eq!((&none["first"], &none["impacts"]), (&Value::Null, &json!([])));
    let through = document(&folder.run("ccd a0.off a0.off b1.off b1.off --json"));
    assert_eq!((&through["touching_at_start"], &through["impacts"]), (&json!(true), &json!([])));
    let text = folder.run("ccd a0.off a0.off b0.off b1.off");
    assert!(text.out.contains("the first contact is at t = 0.25"), "{}", text.out);
}

/// Two sheets in one file pass through each other, edge on edge.
#[test]
fn a_mesh_may_meet_itself() {
    let sheets = |z: f64| {
        format!("OFF\n6 2 0\n0 -1 0\n0 1 0\n-3 0 -2\n-1 0 {z}\n1 0 {z}\n0 3 {}\n3 0 1 2\n3 3 4 5\n", z + 2.0)
    };
    let folder = Folder::with_files(&[("0.off", &sheets(1.0)), ("1.off", &sheets(-1.0))]);
    let found = document(&folder.run("ccd 0.off 1.off --json"));
    let edges: Vec<&Value> =
        found["impacts"].as_array().unwrap().iter().filter(|impact| impact["kind"] == "ee").collect();
    assert!(
        edges.iter().any(|impact| impact["a"] == json!([0, 0, 1]) && impact["b"] == json!([0, 3, 4])),
        "{found}"
    );
    let threads = document(&folder.run("ccd 0.off 1.off --json --threads 1"));
    assert_eq!(threads["impacts"], found["impacts"]);
}

#[test]
fn meshes_that_are_not_one_and_wrong_numbers_of_files_are_refused() {
    let folder =
        Folder::with_files(&[("a.off", &flat(0.0)), ("b.off", "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 2 1\n")]);
    let complaint = |words: &str| {
        let run = folder.run(words);
        assert_eq!((run.status, run.out.as_str()), (2, ""), "{words}");
        run.complaints
    };
    assert!(complaint("ccd a.off b.off").contains("b.off: not the mesh of a.off at another time"));
    assert!(complaint("ccd a.off").contains("ccd takes one mesh or two, each at two times, not 1 files"));
    assert!(complaint("ccd").contains("required"));
    assert!(complaint("ccd a.off a.off --queries q.csv --kind vf").contains("cannot be used"));
    assert!(complaint("ccd --queries q.csv").contains("--kind"));
}
