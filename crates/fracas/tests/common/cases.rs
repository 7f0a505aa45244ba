//! The cases of `corpus/`: reading, writing, and what they ask. The format is described in `corpus/README.md`.

use fracas::geom::{DQuat, DVec3, Pose};
use fracas::mesh::Mesh;
use fracas::pairs::{Pair, Touch};
use serde::Deserialize;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// One file: cases on one theme.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Theme {
    pub about: String,
    pub cases: Vec<Case>,
}

/// One or two meshes and the pairs they make.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    pub name: String,
    pub why: String,
    pub meshes: Vec<Shape>,
    #[serde(default)]
    pub poses: Vec<Place>,
    /// Expected pairs if touching counts.
    pub include: Vec<[u32; 2]>,
    /// Expected pairs if only crossing counts.
    pub proper: Vec<[u32; 2]>,
}

/// A mesh as it is written.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Shape {
    pub positions: Vec<[f64; 3]>,
    pub triangles: Vec<[u32; 3]>,
}

/// A pose as it is written: a quaternion x, y, z, w and the translation that follows.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Place {
    pub rotation: [f64; 4],
    pub translation: [f64; 3],
}

/// What a case asks of an engine.
#[derive(Clone, Debug)]
#[allow(clippy::large_enum_variant)] // Few of them are alive at a time.
pub enum Question {
    Itself(Mesh),
    Two { a: Mesh, pose_a: Pose, b: Mesh, pose_b: Pose },
}

impl Shape {
    pub fn of(mesh: &Mesh) -> Self {
        let positions = mesh.positions().iter().map(|p| p.to_array()).collect();
        Self { positions, triangles: mesh.triangles().to_vec() }
    }

    pub fn mesh(&self) -> Mesh {
        let positions = self.positions.iter().map(|p| DVec3::from_array(*p)).collect();
        Mesh::new(positions, self.triangles.clone()).expect("a mesh of the corpus")
    }
}

impl Case {
    pub fn question(&self) -> Question {
        let pose = |k: usize| match self.poses.get(k) {
            None => Pose::IDENTITY,
            Some(place) => {
                let rotation = DQuat::from_array(place.rotation);
                Pose::new(rotation, DVec3::from_array(place.translation)).expect("a pose of the corpus")
            }
        };
        match self.meshes.as_slice() {
            [mesh] => Question::Itself(mesh.mesh()),
            [a, b] => Question::Two { a: a.mesh(), pose_a: pose(0), b: b.mesh(), pose_b: pose(1) },
            other => panic!("{}: {} meshes", self.name, other.len()),
        }
    }

    pub fn expected(&self, touch: Touch) -> Vec<Pair> {
        let list = match touch {
            Touch::Include => &self.include,
            Touch::Proper => &self.proper,
        };
        list.iter().map(|[a, b]| Pair::new(*a, *b)).collect()
    }
}

/// The folder of the corpus.
pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus")
}

/// All files below the corpus with their themes, in the order of their names.
pub fn read_all() -> Vec<(PathBuf, Theme)> {
    let mut paths: Vec<PathBuf> = ["hand", "generated"]
        .iter()
        .flat_map(|name| std::fs::read_dir(folder().join(name)).expect("a folder of the corpus"))
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "json"))
        .collect();
    paths.sort();
    let read = |path: PathBuf| {
        let text = std::fs::read_to_string(&path).expect("a file of the corpus");
        let theme = serde_json::from_str(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        (path, theme)
    };
    paths.into_iter().map(read).collect()
}

/// The text of a file: numbers as the shortest decimals that give the same `f64`.
pub fn write(theme: &Theme) -> String {
    let mut text = format!("{{\n  \"about\": {:?},\n  \"cases\": [\n", theme.about);
    for (k, case) in theme.cases.iter().enumerate() {
        let separator = if k + 1 < theme.cases.len() { "," } else { "" };
        writeln!(text, "{}{separator}", write_case(case)).expect("memory");
    }
    text.push_str("  ]\n}\n");
    text
}

fn write_case(case: &Case) -> String {
    let shape = |shape: &Shape| {
        let positions = wrapped(&shape.positions, 4);
        let triangles = wrapped(&shape.triangles, 10);
        format!(
            "        {{\n          \"positions\": {positions},\n          \"triangles\": {triangles}\n        }}"
        )
    };
    let place = |place: &Place| {
        format!("        {{\"rotation\": {:?}, \"translation\": {:?}}}", place.rotation, place.translation)
    };
    let meshes: Vec<String> = case.meshes.iter().map(shape).collect();
    let places: Vec<String> = case.poses.iter().map(place).collect();
    let poses = match places.is_empty() {
        true => String::new(),
        false => format!("      \"poses\": [\n{}\n      ],\n", places.join(",\n")),
    };
    format!(
        "    {{\n      \"name\": {:?},\n      \"why\": {:?},\n      \"meshes\": [\n{}\n      ],\n{poses}      \
         \"include\": {},\n      \"proper\": {}\n    }}",
        case.name,
        case.why,
        meshes.join(",\n"),
        wrapped(&case.include, 14),
        wrapped(&case.proper, 14),
    )
}

/// A list with a few items to a line.
fn wrapped<T: std::fmt::Debug>(items: &[T], per_line: usize) -> String {
    let lines: Vec<String> = items
        .chunks(per_line)
        .map(|line| line.iter().map(|item| format!("{item:?}")).collect::<Vec<_>>().join(", "))
        .collect();
    match lines.as_slice() {
        [] => "[]".into(),
        [line] => format!("[{line}]"),
        _ => format!("[\n            {}\n          ]", lines.join(",\n            ")),
    }
}
