//! `fracas play`: the page it writes, and what it refuses.

mod common;

use common::Folder;
use fracas::mesh::shapes;

fn page(folder: &Folder, name: &str) -> String {
    std::fs::read_to_string(folder.path(name)).unwrap()
}

#[test]
fn a_scene_or_a_mesh_is_in_the_page() {
    let folder = Folder::with_meshes(&[("ball.obj", &shapes::icosphere(1.0, 1))]);
    let run = folder.run("play bricks --size small --no-open --out bricks.html");
    assert_eq!((run.status, run.out.as_str(), run.complaints.as_str()), (0, "bricks.html\n", ""));
    let bricks = page(&folder, "bricks.html");
    assert!(bricks.contains("id=\"fracas-play\" data-scene=\"bricks\" data-size=\"small\"></script>"));
    assert!(bricks.len() < 4_000_000, "{} bytes", bricks.len());
    assert_eq!(folder.run("play --no-open --out plates.html").status, 0);
    assert!(page(&folder, "plates.html").contains("data-scene=\"plates\" data-size=\"paper\"></script>"));
    assert_eq!(folder.run("play ball.obj --no-open --out ball.html").status, 0);
    let ball = page(&folder, "ball.html");
    assert!(ball.contains("data-scene=\"mesh\" data-size=\"paper\" data-name=\"ball.obj\">"));
    // The very bytes of the file.
    let (_, after) = ball.split_once("data-name=\"ball.obj\">").unwrap();
    let (text, _) = after.split_once("</script>").unwrap();
    let mut wanted = Vec::new();
    fracas_frames::page::write_base64(&mut wanted, &std::fs::read(folder.path("ball.obj")).unwrap()).unwrap();
    assert_eq!(text.as_bytes(), wanted);
    assert_eq!(folder.run("play shape:noisy-sphere:500 --no-open --out s.html").status, 0);
    assert!(page(&folder, "s.html").contains("data-name=\"shape-noisy-sphere-500.ply\">"));
}

#[test]
fn what_cannot_be_played_with_is_named() {
    let folder = Folder::with_files(&[("broken.obj", "v 0 0 0\nf 1 2 3\n"), ("m.obj", "v 0 0 0\n")]);
    let before = folder.names();
    for (words, sentence) in [
        (
            "play pumpkins --no-open",
            "pumpkins: this is neither a scene to be played with (plates, handful, bricks, piggybank, cut) nor the file of a mesh",
        ),
        ("play lost.obj --no-open", "lost.obj: No such file or directory (os error 2)"),
        ("play plates --no-open --out lost/p.html", "lost/p.html: there is no folder lost"),
    ] {
        let run = folder.run(words);
        assert_eq!((run.status, run.out.as_str()), (2, ""), "{words}");
        assert_eq!(run.complaints, format!("fracas: {sentence}\n"), "{words}");
    }
    let run = folder.run("play broken.obj --no-open --out p.html");
    assert!(
        run.status == 2 && run.complaints.starts_with("fracas: broken.obj, line 2"),
        "{}",
        run.complaints
    );
    assert_eq!(folder.run("play m.obj --no-open --out m.obj").status, 2);
    assert_eq!(folder.names(), before);
}
