//! What the worker of the page is given: frames as bytes, tools as texts, sentences for everything that is wrong.

use fracas::mesh::shapes;
use fracas_frames::Recording;
use fracas_io::{Format, write_bytes};
use fracas_web::session::Session;

/// A frame as the page reads it.
struct Read {
    flags: u32,
    counts: [usize; 6],
    bytes: Vec<u8>,
}

impl Read {
    fn of(bytes: &[u8]) -> Self {
        let word = |k: usize| u32::from_le_bytes(bytes[4 * k..4 * k + 4].try_into().unwrap());
        assert_eq!(word(0), 1, "the version");
        let counts = [3, 4, 5, 6, 7, 8].map(|k| word(k) as usize);
        Self { flags: word(2), counts, bytes: bytes.to_vec() }
    }

    fn word(&self, at: usize) -> u32 {
        u32::from_le_bytes(self.bytes[4 * at..4 * at + 4].try_into().unwrap())
    }
}

#[test]
fn frames_list_triangles_only_when_they_change() {
    let mut session = Session::make("plates", "small", 0.0, None).unwrap();
    let first = Read::of(session.write_frame());
    let [vertices, triangles, pairs, contacts, boxes, shown] = first.counts;
    assert_eq!((first.flags, pairs, boxes, shown), (3, 0, 0, triangles));
    assert_eq!(first.bytes.len(), 4 * (16 + 3 * vertices + 6 * triangles + 7 * contacts));
    for t in 0..3 * triangles {
        assert!((first.word(16 + 3 * vertices + t) as usize) < vertices);
    }
    session.step().unwrap();
    let second = Read::of(session.write_frame());
    assert_eq!((second.flags, second.counts[1], second.counts[5]), (0, 0, triangles));
    let tool = r#"{"tool":"ball","ray":{"from":[-0.7,0,6],"along":[0,0,-1]}}"#;
    assert!(session.use_tool(tool).unwrap().contains("\"done\":true"));
    session.set_boxes(100);
    session.step().unwrap();
    let third = Read::of(session.write_frame());
    assert_eq!(third.flags, 1, "a ball has come");
    assert!(third.counts[5] > triangles && third.counts[4] == 5, "{:?}", third.counts);
    let about = session.about();
    assert!(about.contains("\"stepSeconds\":0.03") && about.contains("\"ground\":0.0"), "{about}");
    assert!(session.numbers().contains("\"collision\""));
}

#[test]
fn what_was_played_is_a_page_with_all_frames() {
    let mut session = Session::make("bricks", "small", 0.0, None).unwrap();
    for _ in 0..30 {
        session.step().unwrap();
    }
    assert_eq!(session.recorded(), 31);
    let page = String::from_utf8(session.saved("<html><!--fracas-data--></html>")).unwrap();
    assert!(page.starts_with("<html><script") && page.ends_with("</html>"));
    assert!(page.contains("id=\"fracas-head\"") && page.contains("id=\"fracas-group-1\""));
    assert!(Recording::from_bytes(b"").is_err());
}

#[test]
fn what_is_wrong_is_a_sentence_and_changes_nothing() {
    let refused = |outcome: Result<Session, String>| match outcome {
        Ok(_) => panic!("it is taken"),
        Err(sentence) => sentence,
    };
    let known = "there are plates, handful, bricks, piggybank, cut, mesh";
    assert_eq!(
        refused(Session::make("house", "small", 0.0, None)),
        format!("There is no scene `house` ({known}).")
    );
    assert!(refused(Session::make("plates", "huge", 0.0, None)).contains("no size `huge`"));
    assert!(refused(Session::make("plates", "small", f64::NAN, None)).contains("NaN"));
    assert!(refused(Session::make("mesh", "small", 0.0, None)).contains("load one first"));
    let mut session = Session::make("plates", "small", 0.0, None).unwrap();
    let before = session.hash();
    for (tool, word) in [
        ("", "no tool"),
        ("{}", "no tool"),
        (r#"{"tool":"hammer"}"#, "no tool"),
        (r#"{"tool":"ball","ray":{"from":[0,0],"along":[0,0,1]}}"#, "no tool"),
        (r#"{"tool":"ball","ray":{"from":[0,0,1e300],"along":[0,0,1]}}"#, "at most a million"),
        (r#"{"tool":"strike","ray":{"from":[0,0,1],"along":[0,0,1]},"strength":7}"#, "from 0 to 1"),
    ] {
        let sentence = session.use_tool(tool).unwrap_err();
        assert!(sentence.contains(word) && sentence.ends_with('.'), "{sentence}");
    }
    assert_eq!(session.hash(), before);
    session.step().unwrap();
}

#[test]
fn files_are_read_and_broken_ones_are_named() {
    let mesh = shapes::icosphere(1.0, 2);
    for (format, name) in [(Format::Obj, "a.obj"), (Format::Off, "a.off"), (Format::Ply, "a.PLY")] {
        let bytes = write_bytes(&mesh, format, name).unwrap();
        let (mut session, read) = Session::load(name, &bytes).unwrap();
        assert_eq!(read, mesh, "{name}");
        assert!(session.about().contains("\"closed\":true") && session.about().contains("\"pairs\":0"));
        assert_eq!(Read::of(session.write_frame()).counts[1], 320);
        assert!(session.use_tool(r#"{"tool":"release"}"#).unwrap().contains("\"done\":false"));
    }
    for (name, bytes, word) in [
        ("a.obj", &b"v 0 0 0\nf 1 2 3\n"[..], "a.obj, line 2"),
        ("a.txt", b"hello", "a.txt is of a format that is not known here"),
        ("a.stl", b"", "a.stl"),
        ("a.glb", b"glTF????", "a.glb"),
    ] {
        let sentence = Session::load(name, bytes).map(|_| ()).unwrap_err();
        assert!(sentence.to_lowercase().contains(&word.to_lowercase()), "{sentence}");
        assert!(sentence.ends_with('.'), "{sentence}");
    }
}
