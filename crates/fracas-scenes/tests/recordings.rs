//! Recordings of scenes: what is read is what was written, and no damage makes a reader panic.

use fracas_frames::{About, Frame, FrameContact, Recorder, RecorderOptions, Recording};
use fracas_scenes::{SceneOptions, Size, start};
use std::collections::BTreeSet;

fn frames(scene: &str, steps: usize) -> (Vec<Frame>, Option<f64>) {
    let options =
        SceneOptions { size: Size::Small, steps: Some(steps), boxes: 600, ..SceneOptions::default() };
    let run = start(scene, &options).unwrap();
    let ground = run.ground;
    (run.map(Result::unwrap).collect(), ground)
}

fn record(frames: &[Frame], ground: Option<f64>) -> Recording {
    let about = About { title: "test".into(), ground, ..About::default() };
    let mut recorder = Recorder::new(about, RecorderOptions::default());
    frames.iter().for_each(|frame| recorder.note(frame));
    recorder.finish()
}

#[test]
fn every_frame_of_a_scene_comes_back() {
    for (scene, steps) in
        [("triceratops", 11), ("apple", 130), ("pumpkin", 90), ("breaking-statue", 40), ("nbody", 40)]
    {
        let (mut frames, ground) = frames(scene, steps);
        let contact = FrameContact {
            point: frames[3].positions[0],
            normal: frames[3].positions[1].normalize(),
            depth: 0.25,
        };
        frames[3].contacts = vec![contact; 3];
        let recording = record(&frames, ground);
        let recording = Recording::from_bytes(&recording.to_bytes()).unwrap();
        assert_eq!(recording.to_bytes().len(), recording.size());
        let stored = recording.unpack().unwrap();
        assert_eq!(stored.frames.len(), frames.len());
        let step = stored.header.step;
        let mut alive = BTreeSet::new();
        for (k, (frame, read)) in frames.iter().zip(&stored.frames).enumerate() {
            assert_eq!(read.positions.len(), frame.positions.len());
            for (p, q) in frame.positions.iter().zip(&read.positions) {
                assert!((*p - *q).abs().max_element() <= 0.501 * step, "{scene}, frame {k}");
            }
            assert_eq!(
                (&read.pairs, &read.fragments),
                (&frame.pairs, &frame.fragments),
                "{scene}, frame {k}"
            );
            assert_eq!(read.boxes.len(), frame.boxes.len());
            for (b, c) in frame.boxes.iter().zip(&read.boxes) {
                assert_eq!(b.level, c.level);
                for off in [b.low - c.low, c.high - b.high] {
                    assert!(off.min_element() >= -1e-9 * step && off.max_element() <= 1.001 * step);
                }
            }
            assert_eq!(read.contacts.len(), frame.contacts.len());
            for (b, c) in frame.contacts.iter().zip(&read.contacts) {
                assert!((b.point - c.point).length() < 1e-5 && (b.normal - c.normal).length() < 1e-5);
                assert_eq!(b.depth, c.depth);
            }
            frame.removed.iter().for_each(|id| assert!(alive.remove(&id.index())));
            frame.added.iter().for_each(|new| assert!(alive.insert(new.id.index())));
            let read_alive = (0..stored.triangles.len()).filter(|&t| stored.triangles[t].is_in(k));
            assert_eq!(read_alive.collect::<BTreeSet<_>>(), alive, "{scene}, frame {k}");
            for new in &frame.added {
                let triangle = stored.triangles[new.id.index()];
                assert_eq!((triangle.corners, triangle.is_crack), (new.corners, new.is_crack));
            }
            for &(name, value) in &frame.counters {
                let column = stored.header.counters.iter().find(|column| column.name == name).unwrap();
                let read = column.values[k].unwrap();
                assert!((read - value).abs() <= 1e-6 * value.abs(), "{name}: {value} became {read}");
            }
        }
        assert_eq!(stored.header.steps, (0..=steps).collect::<Vec<_>>());
    }
}

#[test]
fn no_damage_makes_a_reader_panic() {
    let (frames, ground) = frames("pumpkin", 60);
    let bytes = record(&frames, ground).to_bytes();
    let mut refused = 0;
    for k in 0..400_usize {
        let mut broken = bytes.clone();
        let at = k * 7919 % bytes.len();
        broken[at] ^= 1 << (k % 8);
        refused += usize::from(Recording::from_bytes(&broken).and_then(|r| r.unpack()).is_err());
    }
    // zlib's checksum notices nearly everything; a few bits of its streams mean nothing.
    assert!(refused > 380, "{refused} of 400");
}
