//! Runs the real program on files in a folder of its own.
#![allow(dead_code, reason = "each test program uses a part of this")]

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use fracas::Touch;
use fracas::geom::{DVec3, Pose};
use fracas::mesh::{Mesh, shapes};
use fracas::pairs::brute;
use serde_json::Value;

/// A folder with files; the program runs inside it.
pub struct Folder {
    folder: tempfile::TempDir,
}

/// How a run of the program ended.
#[derive(Debug)]
pub struct Run {
    pub status: i32,
    pub out: String,
    pub complaints: String,
}

impl Folder {
    pub fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    pub fn with_meshes(meshes: &[(&str, &Mesh)]) -> Self {
        let folder = Self::new();
        for (name, mesh) in meshes {
            fracas_io::write(folder.path(name), mesh).unwrap();
        }
        folder
    }

    pub fn with_files(files: &[(&str, &str)]) -> Self {
        let folder = Self::new();
        for (name, content) in files {
            std::fs::write(folder.path(name), content).unwrap();
        }
        folder
    }

    pub fn path(&self, name: impl AsRef<Path>) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Names of all files, hidden ones too.
    pub fn names(&self) -> BTreeSet<String> {
        let entries = std::fs::read_dir(self.folder.path()).unwrap();
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    }

    pub fn command<S: AsRef<OsStr>>(&self, words: impl IntoIterator<Item = S>) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_fracas"));
        command.args(words).current_dir(self.folder.path()).stdin(Stdio::null());
        command
    }

    /// Runs `fracas` with words given in one string.
    pub fn run(&self, words: &str) -> Run {
        self.run_words(words.split_whitespace())
    }

    pub fn run_words<S: AsRef<OsStr>>(&self, words: impl IntoIterator<Item = S>) -> Run {
        let output = self.command(words).output().unwrap();
        Run {
            status: output.status.code().expect("the program was not killed"),
            out: String::from_utf8(output.stdout).unwrap(),
            complaints: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// Runs `fracas check --json` and checks all that is promised of every such answer.
    pub fn check(&self, words: &str) -> Checked {
        let run = self.run(&format!("check --json {words}"));
        assert_eq!(run.complaints, "", "{words}");
        let document: Value = serde_json::from_str(&run.out).unwrap();
        let keys: Vec<&String> = document.as_object().unwrap().keys().collect();
        assert_eq!(keys, ["count", "meshes", "ms", "pairs"], "serde_json sorts them");
        let pairs: Vec<[u32; 4]> = serde_json::from_value(document["pairs"].clone()).unwrap();
        assert_eq!(document["count"], pairs.len());
        assert!(pairs.is_sorted_by(|a, b| a < b), "sorted, each once");
        assert!(pairs.iter().all(|pair| pair[..2] < pair[2..]));
        let times = document["ms"].as_object().unwrap();
        assert_eq!(times.keys().collect::<Vec<_>>(), ["build", "find", "load"]);
        assert!(times.values().all(|ms| ms.as_f64().unwrap() >= 0.0));
        assert_eq!(run.status, i32::from(!pairs.is_empty()));
        Checked { pairs, meshes: document["meshes"].clone(), text: run.out }
    }
}

/// The answer of `fracas check --json`.
pub struct Checked {
    pub pairs: Vec<[u32; 4]>,
    pub meshes: Value,
    pub text: String,
}

impl Checked {
    /// The answer without its times, which differ from run to run.
    pub fn timeless(&self) -> &str {
        self.text.split(",\"ms\":").next().unwrap()
    }
}

/// What brute force finds: between all meshes, and within each if asked for.
pub fn by_brute_force(meshes: &[&Mesh], within: bool, touch: Touch) -> Vec<[u32; 4]> {
    let mut all = Vec::new();
    for (a, mesh_a) in (0..).zip(meshes) {
        for (b, mesh_b) in (0..).zip(meshes) {
            let pairs = match a.cmp(&b) {
                std::cmp::Ordering::Equal if within => brute::find_self_pairs(mesh_a, touch),
                std::cmp::Ordering::Less => {
                    brute::find_pairs(mesh_a, &Pose::IDENTITY, mesh_b, &Pose::IDENTITY, touch)
                }
                _ => continue,
            };
            all.extend(pairs.iter().map(|pair| [a, pair.a.0, b, pair.b.0]));
        }
    }
    all.sort_unstable();
    all
}

/// Three bumpy balls in one mesh of about this many triangles, each through the others.
pub fn tangle(triangles: usize) -> Mesh {
    let ball = |seed| shapes::noisy_sphere(triangles / 3, 0.3, seed);
    let aside = [[0.0; 3], [0.5, 0.3, 0.0], [0.1, 0.7, 0.4]];
    let balls: Vec<Mesh> = aside.iter().zip(1..).map(|(&by, seed)| moved(&ball(seed), by)).collect();
    Mesh::join(&balls).unwrap()
}

pub fn moved(mesh: &Mesh, by: [f64; 3]) -> Mesh {
    mesh.posed(&Pose::from_translation(DVec3::from_array(by)).unwrap()).unwrap()
}

pub fn mesh(positions: &[[f64; 3]], triangles: &[[u32; 3]]) -> Mesh {
    Mesh::new(positions.iter().map(|&p| DVec3::from_array(p)).collect(), triangles.to_vec()).unwrap()
}

/// The recording inside a page.
pub fn recording_in(page: &Path) -> fracas_frames::Stored {
    use base64::Engine;
    let text = std::fs::read_to_string(page).unwrap();
    let texts = text.split("<script type=\"text/plain\" id=\"fracas-").skip(1);
    let bytes = texts.flat_map(|text| {
        let (from, until) = (text.find('>').unwrap() + 1, text.find("</script>").unwrap());
        base64::engine::general_purpose::STANDARD.decode(&text[from..until]).unwrap()
    });
    let bytes: Vec<u8> = bytes.collect();
    fracas_frames::Recording::from_bytes(&bytes).unwrap().unpack().unwrap()
}
