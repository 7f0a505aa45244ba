//! Recordings of frames made by hand come back, and other bytes are refused with a reason.
//!
//! Real scenes and random damage are tested in `fracas-scenes`.

use fracas::geom::DVec3;
use fracas::mesh::TriangleId;
use fracas::pairs::Pair;
use fracas_frames::{About, AddedTriangle, Frame, ReadError, Recorder, RecorderOptions, Recording, VERSION};

/// Triangles side by side that move; each frame after the first removes one and adds one.
fn frames(count: usize) -> Vec<Frame> {
    let grid = |k: usize| DVec3::new((k % 9) as f64, (k / 9) as f64, 0.25 * (k % 4) as f64);
    let triangle = |id: usize| AddedTriangle {
        id: TriangleId(id as u32),
        corners: [id, id + 1, id + 9].map(|corner| corner as u32),
        is_crack: id % 3 == 2,
        replaces: None,
    };
    let frame = |step: usize| Frame {
        step,
        seconds: 0.5 * step as f64,
        positions: (0..80).map(|k| grid(k) + DVec3::Z * (step * k) as f64 / 64.0).collect(),
        removed: (step > 0).then(|| TriangleId(step as u32 - 1)).into_iter().collect(),
        added: if step == 0 { (0..30).map(triangle).collect() } else { vec![triangle(29 + step)] },
        fragments: (0..30 + step)
            .map(|slot| if slot < step { Frame::DEAD } else { slot as u32 / 7 })
            .collect(),
        pairs: (step as u32..20).map(|k| Pair::new(k, k + 5)).collect(),
        counters: vec![("triangles", 30.0)],
        ..Frame::default()
    };
    (0..count).map(frame).collect()
}

fn record(frames: &[Frame]) -> Recording {
    let mut recorder = Recorder::new(About::default(), RecorderOptions::default());
    frames.iter().for_each(|frame| recorder.note(frame));
    recorder.finish()
}

#[test]
fn frames_made_by_hand_come_back() {
    let frames = frames(20);
    let stored = Recording::from_bytes(&record(&frames).to_bytes()).unwrap().unpack().unwrap();
    assert_eq!((stored.header.frames, stored.triangles.len()), (20, 49));
    for (k, (frame, read)) in frames.iter().zip(&stored.frames).enumerate() {
        assert_eq!((&read.pairs, &read.fragments), (&frame.pairs, &frame.fragments), "frame {k}");
        for (p, q) in frame.positions.iter().zip(&read.positions) {
            assert!((*p - *q).abs().max_element() <= 0.501 * stored.header.step, "frame {k}");
        }
        let alive = (0..stored.triangles.len()).filter(|&t| stored.triangles[t].is_in(k));
        assert!(alive.eq(k..30 + k), "frame {k}");
    }
}

#[test]
fn a_recording_without_frames_is_one() {
    let stored = Recording::from_bytes(&record(&[]).to_bytes()).unwrap().unpack().unwrap();
    assert!(stored.frames.is_empty() && stored.triangles.is_empty());
}

#[test]
fn other_versions_and_missing_bytes_are_named() {
    let bytes = record(&frames(3)).to_bytes();
    let mut older = bytes.clone();
    older[8] = 0;
    assert_eq!(Recording::from_bytes(&older), Err(ReadError::Version { found: 0, known: VERSION }));
    for length in [9, 15, 30, bytes.len() / 2, bytes.len() - 1] {
        let error = Recording::from_bytes(&bytes[..length]).unwrap_err();
        assert!(matches!(error, ReadError::Truncated { have, .. } if have == length), "{length}: {error}");
    }
    assert_eq!(Recording::from_bytes(b"GLTF----"), Err(ReadError::NotOurs));
    assert_eq!(Recording::from_bytes(b""), Err(ReadError::NotOurs));
}
