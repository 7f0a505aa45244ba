//! Writes pages and recordings for the tests of the viewer, with the truth about them beside.
//!
//! `web_fixtures FOLDER` leaves there:
//!
//! - `truth.html`, `truth.bin` and `truth.json`: a pumpkin that breaks, as a page, as a recording, and as plain numbers that never
//!   went through a recording; contacts are made up, since this scene has none;
//! - `beside/`: the same with its frames beside the page;
//! - `large.html`: 200 frames of a cloth of 250,000 triangles that waves, with all its pairs.

use std::error::Error;
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::Path;
use std::time::Duration;

use fracas::Finder;
use fracas::geom::DVec3;
use fracas::mesh::{TriangleId, shapes};
use fracas_cli::page;
use fracas_frames::{About, AddedTriangle, Frame, FrameContact, Recorder, RecorderOptions, Recording};
use fracas_scenes::{SceneOptions, Size};
use serde_json::{Value, json};

type Outcome<T = ()> = Result<T, Box<dyn Error>>;

fn main() -> Outcome {
    let folder = std::env::args().nth(1).ok_or("a folder is missing")?;
    let folder = Path::new(&folder);
    fs::create_dir_all(folder.join("beside").join(page::BESIDE))?;

    let (recording, truth) = small()?;
    fs::write(folder.join("truth.bin"), recording.to_bytes())?;
    fs::write(folder.join("truth.json"), truth.to_string())?;
    written(&folder.join("truth.html"), |out| page::write_whole(out, &recording))?;
    written(&folder.join("beside/report.html"), |out| page::write_head(out, &recording, page::BESIDE))?;
    for number in 0..recording.groups().len() {
        let file = folder.join("beside").join(page::BESIDE).join(format!("{number}.js"));
        written(&file, |out| page::write_group(out, &recording, number))?;
    }
    let recording = large();
    println!("{} bytes in the large recording", recording.size());
    written(&folder.join("large.html"), |out| page::write_whole(out, &recording))
}

fn written(file: &Path, content: impl FnOnce(&mut dyn Write) -> std::io::Result<()>) -> Outcome {
    let mut out = BufWriter::new(File::create(file)?);
    content(&mut out)?;
    Ok(out.flush()?)
}

/// A pumpkin that breaks, and what is true of its frames.
fn small() -> Outcome<(Recording, Value)> {
    let options =
        SceneOptions { size: Size::Small, steps: Some(90), pieces: 5, boxes: 400, ..SceneOptions::default() };
    let run = fracas_scenes::start("pumpkin", &options)?;
    let about = About {
        title: "pumpkin".to_owned(),
        text: "a pumpkin falls and breaks".to_owned(),
        steps: run.steps,
        step_seconds: run.step_seconds,
        ground: run.ground,
        program: page::program(),
        ..About::default()
    };
    let mut recorder = Recorder::new(about, RecorderOptions::default());
    let mut frames = Vec::new();
    let mut alive: Vec<bool> = Vec::new();
    for frame in run {
        let mut frame = frame?;
        frame.contacts = made_up_contacts(&frame);
        recorder.note(&frame);
        frame.added.iter().for_each(|new| {
            alive.resize(alive.len().max(new.id.index() + 1), false);
            alive[new.id.index()] = true;
        });
        frame.removed.iter().for_each(|id| alive[id.index()] = false);
        frames.push(truth_about(&frame, &alive));
    }
    let recording = recorder.finish();
    let header = recording.header()?;
    Ok((recording, json!({ "step": header.step, "origin": header.origin, "frames": frames })))
}

/// One contact for each of the first pairs, at a corner of its first triangle.
fn made_up_contacts(frame: &Frame) -> Vec<FrameContact> {
    let contact = |k: usize| FrameContact {
        point: frame.positions[7 * k % frame.positions.len()],
        normal: DVec3::new(0.6, 0.0, 0.8),
        depth: 0.01 * k as f64,
    };
    (0..frame.pairs.len().min(9)).map(contact).collect()
}

fn truth_about(frame: &Frame, alive: &[bool]) -> Value {
    let mut fragments: Vec<u32> = frame.fragments.iter().copied().filter(|&f| f != Frame::DEAD).collect();
    fragments.sort_unstable();
    fragments.dedup();
    let levels = frame.boxes.chunk_by(|a, b| a.level == b.level).map(<[_]>::len);
    json!({
        "positions": frame.positions.iter().map(|p| p.to_array()).collect::<Vec<_>>(),
        "alive": (0..alive.len()).filter(|&t| alive[t]).collect::<Vec<_>>(),
        "fragments": frame.fragments,
        "pieces": fragments.len(),
        "pairs": frame.pairs.iter().map(|pair| [pair.a.0, pair.b.0]).collect::<Vec<_>>(),
        "contacts": frame.contacts.iter()
            .map(|c| [c.point.to_array().to_vec(), c.normal.to_array().to_vec(), vec![c.depth]].concat())
            .collect::<Vec<_>>(),
        "levels": levels.collect::<Vec<_>>(),
        "boxes": frame.boxes.iter().map(|b| [b.low.to_array(), b.high.to_array()]).collect::<Vec<_>>(),
        "counters": frame.counters.iter().map(|&(name, value)| json!([name, value])).collect::<Vec<_>>(),
    })
}

/// A large cloth that waves.
fn large() -> Recording {
    let rest = shapes::folded_cloth(250_000);
    let mut mesh = rest.clone();
    let mut finder = Finder::default();
    let about = About {
        title: "large".to_owned(),
        text: "a cloth of 250,000 triangles waves".to_owned(),
        steps: 199,
        step_seconds: 1.0 / 60.0,
        program: page::program(),
        ..About::default()
    };
    let mut recorder = Recorder::new(about, RecorderOptions::default());
    for step in 0..200 {
        let t = step as f64 / 60.0;
        let wave = |p: &DVec3| *p + DVec3::Z * (0.15 * (2.0 * p.x + 3.0 * t).sin() * (1.5 * p.y + t).cos());
        let positions: Vec<DVec3> = rest.positions().iter().map(wave).collect();
        mesh.set_positions(&positions).expect("a wave is finite");
        let pairs = finder.find_self_pairs(&mesh).to_vec();
        let added = (0..if step == 0 { rest.triangle_count() } else { 0 }).map(|t| AddedTriangle {
            id: TriangleId(t as u32),
            corners: rest.triangles()[t],
            is_crack: false,
            replaces: None,
        });
        recorder.note(&Frame {
            step,
            seconds: t,
            positions,
            added: added.collect(),
            fragments: (0..rest.triangle_count()).map(|t| t as u32 / 25_000).collect(),
            counters: vec![("triangles", rest.triangle_count() as f64), ("pairs", pairs.len() as f64)],
            times: vec![("query", Duration::from_micros(16_000 + 50 * step as u64))],
            pairs,
            ..Frame::default()
        });
    }
    recorder.finish()
}
