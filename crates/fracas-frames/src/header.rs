//! What a recording says about itself, as JSON.

use serde::{Deserialize, Serialize};

/// What was recorded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// A run of a scene.
    #[default]
    Run,
    /// Meshes in which collisions were sought.
    Check,
    /// Meshes as they are.
    Mesh,
    /// Meshes whose distance was measured, or in which near features were sought.
    Near,
}

/// What a recording is of; a viewer shows it as it is.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct About {
    /// What was recorded.
    pub kind: Kind,
    /// Its name: that of the scene or file.
    pub title: String,
    /// What is to be seen, in one line.
    pub text: String,
    /// The size of the scene, as a word; empty if there is none.
    pub size: String,
    /// How many steps there were to be.
    pub steps: usize,
    /// Time in the scene from one step to the next, in seconds.
    pub step_seconds: f64,
    /// Height of the ground, if there is one. Up is z.
    pub ground: Option<f64>,
    /// The meshes that make up the triangles, in order; empty if that means nothing.
    pub meshes: Vec<MeshSpan>,
    /// What others have reported.
    pub reported: Vec<Reported>,
    /// Lines that are drawn on top, each between two points.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lines: Vec<[[f64; 3]; 2]>,
    /// The program that wrote it.
    pub program: String,
}

/// A mesh whose triangles follow each other.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MeshSpan {
    /// As the user named it.
    pub path: String,
    /// How many vertices it has.
    pub vertices: usize,
    /// How many triangles it has.
    pub triangles: usize,
}

/// A figure that others have reported, to be set beside ours.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Reported {
    /// The column it belongs to: the name of a phase or counter.
    pub column: String,
    /// The source of the figure, and what it is.
    pub label: String,
    /// The figure, in the unit of the column.
    pub value: f64,
}

/// A number for each frame.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Column {
    /// What it is.
    pub name: String,
    /// One for each frame; `None` where a frame has no such number.
    pub values: Vec<Option<f64>>,
}

impl Column {
    /// Notes the number of a frame in the column of its name.
    pub(crate) fn note(columns: &mut Vec<Column>, name: &str, frame: usize, value: f64) {
        let at = columns.iter().position(|column| column.name == name).unwrap_or_else(|| {
            columns.push(Column { name: name.to_owned(), values: Vec::new() });
            columns.len() - 1
        });
        columns[at].values.resize(frame, None);
        columns[at].values.push(value.is_finite().then_some(value));
    }
}

/// Everything a viewer has to know before it shows the first frame.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Header {
    /// What was recorded.
    pub about: About,
    /// The position of the node 0, 0, 0.
    pub origin: [f64; 3],
    /// The distance of two nodes along an axis.
    pub step: f64,
    /// How many frames there are.
    pub frames: usize,
    /// The step of the scene that each frame is the state after.
    pub steps: Vec<usize>,
    /// Time in the scene of each frame, in seconds.
    pub seconds: Vec<f64>,
    /// Milliseconds of each phase.
    pub phases: Vec<Column>,
    /// All counters.
    pub counters: Vec<Column>,
    /// The first frame of each group.
    pub groups: Vec<usize>,
    /// The most vertices a frame has.
    pub vertices: usize,
    /// How many triangles there ever were.
    pub triangles: usize,
    /// The most contacts a frame has.
    pub contacts: usize,
    /// The lowest and highest corner of everything that was ever there.
    pub low: [f64; 3],
    /// See `low`.
    pub high: [f64; 3],
    /// How many boxes the levels of trees have at most, from the roots down.
    pub levels: Vec<usize>,
}
