//! Pages: what `fracas check --html` and `fracas view` write.

mod common;

use common::{Folder, recording_in, tangle};
use fracas::mesh::shapes;
use fracas::pairs::Pair;
use fracas_frames::Kind;

#[test]
fn the_page_of_a_check_has_all_meshes_and_pairs() {
    let (a, b) = (tangle(600), shapes::icosphere(0.6, 2));
    let folder = Folder::with_meshes(&[("a.obj", &a), ("b.obj", &b)]);
    let found = folder.check("a.obj b.obj --self --html page.html");
    assert!(found.pairs.len() > 50);
    let stored = recording_in(&folder.path("page.html"));
    assert_eq!(stored.header.about.kind, Kind::Check);
    assert_eq!(stored.triangles.len(), a.triangle_count() + b.triangle_count());
    let first = [0, a.triangle_count() as u32];
    let joint = |p: &[u32; 4]| Pair::new(first[p[0] as usize] + p[1], first[p[2] as usize] + p[3]);
    assert_eq!(stored.frames[0].pairs, found.pairs.iter().map(joint).collect::<Vec<_>>());
    let positions = a.positions().iter().chain(b.positions());
    for (p, q) in positions.zip(&stored.frames[0].positions) {
        assert!((*p - *q).length() < 1e-5);
    }
    let run = folder.run("check a.obj --html again.html");
    assert_eq!(run.status, 1);
    assert!(run.out.contains("Wrote again.html"), "{}", run.out);
}

#[test]
fn meshes_pages_and_runs_can_be_viewed() {
    let ball = shapes::icosphere(1.0, 2);
    let folder = Folder::with_meshes(&[("ball.obj", &ball)]);
    let run = folder.run("view ball.obj --no-open --out ball.html");
    assert_eq!((run.status, run.out.as_str(), run.complaints.as_str()), (0, "ball.html\n", ""));
    let stored = recording_in(&folder.path("ball.html"));
    assert_eq!((stored.header.about.kind, stored.header.about.title.as_str()), (Kind::Mesh, "ball.obj"));
    assert_eq!(stored.triangles.iter().map(|t| t.corners).collect::<Vec<_>>(), ball.triangles());

    assert_eq!(folder.run("view ball.html --no-open").out, "ball.html\n");
    assert_eq!(folder.run("view shape:noisy-sphere:500 --no-open --out s.html").status, 0);
    assert_eq!(folder.run("run triceratops --size small --steps 2").status, 0);
    assert_eq!(folder.run("view out/triceratops --no-open").out, "out/triceratops/report.html\n");
    assert_eq!(folder.run("view out/triceratops --no-open --out copy.html").out, "copy.html\n");
    assert_eq!(recording_in(&folder.path("copy.html")).frames.len(), 3);
}

#[test]
fn what_cannot_be_viewed_is_named() {
    let folder = Folder::with_files(&[
        ("large.html", "<script type=\"text/plain\" id=\"fracas-head\" data-beside=\"frames\">"),
        ("other.html", "<p>hello</p>"),
        ("ball.obj", "v 0 0 0\n"),
    ]);
    let before = folder.names();
    for (words, sentence) in [
        ("view other.html --no-open", "other.html: this page has no data of fracas inside"),
        (
            "view . --no-open",
            ".: there is no report.html in this folder (`fracas run` leaves one in the folder of the scene)",
        ),
        (
            "view large.html --no-open --out copy.html",
            "large.html: its frames lie beside this page, so it cannot be copied alone: copy the whole folder",
        ),
        ("view lost.html --no-open", "lost.html: No such file or directory (os error 2)"),
        ("view lost.obj --no-open", "lost.obj: No such file or directory (os error 2)"),
        (
            "check ball.obj --html page.txt",
            "page.txt: the page is written as HTML, so the name must end in .html",
        ),
        ("check ball.obj --html lost/page.html", "lost/page.html: there is no folder lost"),
    ] {
        let run = folder.run(words);
        assert_eq!(run.complaints, format!("fracas: {sentence}\n"), "{words}");
        assert_eq!((run.status, run.out.as_str()), (2, ""), "{words}");
        assert_eq!(folder.names(), before, "{words} left a file");
    }
}
