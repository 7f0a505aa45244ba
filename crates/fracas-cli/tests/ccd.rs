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
