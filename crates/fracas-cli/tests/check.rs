//! The answers of `fracas check`, against brute force.

mod common;

use common::{Folder, by_brute_force, mesh, moved, tangle};
use fracas::Touch;
use fracas::geom::DVec3;
use fracas::mesh::shapes;

#[test]
fn one_mesh_against_itself() {
    let tangle = tangle(1_500);
    let folder = Folder::with_meshes(&[("tangle.obj", &tangle)]);
    let expected = by_brute_force(&[&tangle], true, Touch::Include);
    assert!(expected.len() > 100);
    for words in [
        "tangle.obj",
        "tangle.obj --self",
        "tangle.obj --engine tree",
        "tangle.obj --engine soup",
        "tangle.obj --engine brute",
    ] {
        assert_eq!(folder.check(words).pairs, expected, "{words}");
    }
}

#[test]
fn the_document_names_meshes_and_keeps_the_order_of_keys() {
    let folder =
        Folder::with_files(&[("quad.obj", "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 9 9 9\nf 1 2 3 4\n")]);
    let checked = folder.check("quad.obj ./quad.obj");
    assert_eq!(
        checked.timeless(),
        r#"{"meshes":[{"path":"quad.obj","vertices":5,"triangles":2},{"path":"./quad.obj","vertices":5,"triangles":2}],"#
            .to_owned()
            + r#""count":4,"pairs":[[0,0,1,0],[0,0,1,1],[0,1,1,0],[0,1,1,1]]"#
    );
    assert!(checked.text.ends_with("}\n") && checked.text.lines().count() == 1);
    let order = ["\"load\":", "\"build\":", "\"find\":"].map(|key| checked.text.find(key).unwrap());
    assert!(order.is_sorted());
}

#[test]
fn polygons_are_fans_from_their_first_vertex() {
    // The pentagon becomes the triangles 0, 1, 2; the needle pierces the middle one alone.
    let pentagon = "v 0 0 0\nv 2 0 0\nv 3 2 0\nv 1 3 0\nv -1 2 0\nf 1 2 3 4 5\n";
    let needle = "v 1.2 1.8 -1\nv 1.2 1.8 1\nv 1.2 1.9 1\nf 1 2 3\n";
    let folder = Folder::with_files(&[("pentagon.obj", pentagon), ("needle.obj", needle)]);
    assert_eq!(folder.check("pentagon.obj needle.obj").pairs, [[0, 1, 1, 0]]);
}

#[test]
fn three_meshes_with_and_without_each_against_itself() {
    let (a, b, c) =
        (tangle(1_500), moved(&tangle(1_500), [0.02, 0.01, 0.03]), shapes::noisy_sphere(800, 0.3, 9));
    let far = moved(&a, [100.0, 0.0, 0.0]);
    let folder = Folder::with_meshes(&[("a.off", &a), ("b.ply", &b), ("c.obj", &c), ("far.obj", &far)]);
    let meshes = [&a, &far, &b, &c];
    for (flag, within) in [("", false), ("--self", true)] {
        for (touch, which) in [(Touch::Include, "include"), (Touch::Proper, "proper")] {
            let expected = by_brute_force(&meshes, within, touch);
            assert!(expected.iter().any(|pair| (pair[0], pair[2]) == (0, 2)));
            assert!(expected.iter().any(|pair| (pair[0], pair[2]) == (2, 3)));
            let found = folder.check(&format!("a.off far.obj b.ply c.obj {flag} --touch {which}")).pairs;
            assert_eq!(found, expected, "{flag} {which}");
        }
    }
}

#[test]
fn the_same_file_twice_is_two_meshes() {
    let cube = shapes::cuboid(DVec3::ONE);
    let folder = Folder::with_meshes(&[("cube.obj", &cube)]);
    let expected = by_brute_force(&[&cube, &cube], false, Touch::Include);
    assert!((0..12).all(|t| expected.contains(&[0, t, 1, t])), "each triangle meets its copy");
    assert_eq!(folder.check("cube.obj cube.obj").pairs, expected);
    assert_eq!(folder.check("cube.obj").pairs, [[0; 4]; 0]);
}

#[test]
fn the_number_of_threads_does_not_show() {
    let (a, b) = (tangle(20_000), shapes::noisy_sphere(10_000, 0.3, 9));
    let folder = Folder::with_meshes(&[("a.ply", &a), ("b.ply", &b)]);
    let words = "a.ply b.ply --self";
    let all = folder.check(words);
    assert!(all.pairs.len() > 500);
    for threads in [1, 2, 3] {
        let some = folder.check(&format!("{words} --threads {threads}"));
        assert_eq!(some.timeless(), all.timeless(), "{threads} threads");
    }
}

#[test]
fn merging_makes_neighbours_of_a_soup() {
    let cube = shapes::cuboid(DVec3::ONE);
    let folder = Folder::with_meshes(&[("cube.stl", &cube)]);
    let mut soup = fracas_io::read(folder.path("cube.stl")).unwrap();
    let expected = by_brute_force(&[&soup], true, Touch::Include);
    assert!(expected.len() >= 30, "neighbours touch");
    assert_eq!(folder.check("cube.stl").pairs, expected);
    soup.merge_equal_vertices();
    assert!(by_brute_force(&[&soup], true, Touch::Include).is_empty());
    assert_eq!(folder.check("cube.stl --merge").pairs, [[0; 4]; 0]);
}

#[test]
fn touching_counts_unless_only_crossings_are_wanted() {
    let flat = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    // The second stands with its tip on the first, the third pierces it.
    let standing = [[0.2, 0.2, 0.0], [0.2, 0.2, 1.0], [0.5, 0.2, 1.0]];
    let piercing = [[0.3, 0.3, -1.0], [0.3, 0.3, 1.0], [0.3, 0.4, 1.0]];
    let soup = mesh(&[flat, standing, piercing].concat(), &[[0, 1, 2], [3, 4, 5], [6, 7, 8]]);
    let folder = Folder::with_meshes(&[("soup.off", &soup)]);
    assert_eq!(folder.check("soup.off").pairs, [[0, 0, 0, 1], [0, 0, 0, 2]]);
    assert_eq!(folder.check("soup.off --touch include").pairs, [[0, 0, 0, 1], [0, 0, 0, 2]]);
    assert_eq!(folder.check("soup.off --touch proper").pairs, [[0, 0, 0, 2]]);
}

#[test]
fn a_mesh_without_triangles_meets_nothing() {
    let files = [("empty.off", "OFF\n0 0 0\n"), ("points.obj", "v 0 0 0\nv 1 0 0\n")];
    let folder = Folder::with_files(&files);
    for words in [
        "empty.off",
        "points.obj",
        "empty.off points.obj empty.off --self",
        "empty.off --engine tree",
        "empty.off --engine soup",
    ] {
        assert_eq!(folder.check(words).pairs, [[0; 4]; 0], "{words}");
    }
    assert_eq!(folder.check("points.obj").meshes[0]["vertices"], 2);
    let run = folder.run("check empty.off shape:noisy-sphere:20 --out marked.ply");
    assert_eq!((run.status, run.complaints.as_str()), (0, ""));
    assert!(run.out.contains("\nWrote marked.ply with no triangles in red.\n"), "{}", run.out);
    assert_eq!(fracas_io::read(folder.path("marked.ply")).unwrap().triangle_count(), 20);
}

#[test]
fn shapes_stand_wherever_a_file_does() {
    let folder = Folder::new();
    let pumpkin = shapes::pumpkin(10, 700);
    let sphere = shapes::noisy_sphere(500, 0.2, 1);
    let checked = folder.check("shape:pumpkin:700 shape:noisy-sphere:500 --self");
    assert!(checked.pairs.len() > 100);
    assert_eq!(checked.pairs, by_brute_force(&[&pumpkin, &sphere], true, Touch::Include));
    assert_eq!(checked.meshes[1]["path"], "shape:noisy-sphere:500");
    assert_eq!(checked.meshes[1]["triangles"], 500);
}

#[test]
fn the_marked_mesh_has_red_where_triangles_meet() {
    // One triangle of the first mesh pierces the second triangle of the second.
    let needle = "v 2.2 0.2 -1\nv 2.2 0.2 1\nv 2.2 0.3 1\nf 1 2 3\n";
    let two = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 2 0 0\nv 3 0 0\nv 2 1 0\nf 1 2 3\nf 4 5 6\n";
    let folder =
        Folder::with_files(&[("needle.obj", needle), ("two.obj", two), ("marked.ply", "what was there")]);
    let run = folder.run("check needle.obj two.obj --out marked.ply");
    assert_eq!((run.status, run.complaints.as_str()), (1, ""));
    assert!(run.out.contains("\nWrote marked.ply with these triangles in red.\n"), "{}", run.out);
    let first = std::fs::read(folder.path("marked.ply")).unwrap();
    let marked = fracas_io::read(folder.path("marked.ply")).unwrap();
    assert_eq!((marked.vertex_count(), marked.triangles()), (9, &[[0, 1, 2], [3, 4, 5], [6, 7, 8]][..]));
    assert_eq!(face_is_red(&first), [true, false, true]);
    // Once more over the first result, and as JSON.
    assert_eq!(folder.check("needle.obj two.obj --out marked.ply").pairs, [[0, 0, 1, 1]]);
    assert_eq!(std::fs::read(folder.path("marked.ply")).unwrap(), first);
    assert_eq!(folder.names(), ["marked.ply", "needle.obj", "two.obj"].map(str::to_owned).into());
}

/// Faces are the last part of the file: a count, three indices, and red, green, blue.
fn face_is_red(ply: &[u8]) -> Vec<bool> {
    let header_end = ply.windows(11).position(|w| w == b"end_header\n").unwrap() + 11;
    let header = std::str::from_utf8(&ply[..header_end]).unwrap();
    assert!(header.contains("binary_little_endian") && header.contains("property uchar red"), "{header}");
    let faces: usize = header.lines().find_map(|l| l.strip_prefix("element face ")).unwrap().parse().unwrap();
    let size = 1 + 3 * 4 + 3;
    let faces = ply[ply.len() - faces * size..].chunks_exact(size);
    faces.map(|face| face[13] > 200 && face[14] < 100 && face[15] < 100).collect()
}

#[test]
fn people_get_a_summary() {
    let tangle = tangle(1_500);
    let folder = Folder::with_meshes(&[("a.obj", &tangle), ("b.obj", &shapes::noisy_sphere(500, 0.1, 1))]);
    let alone = folder.run("check b.obj --threads 1");
    assert_eq!((alone.status, alone.complaints.as_str()), (0, ""));
    let start = "mesh   vertices  triangles\nb.obj       252        500\n\nNo triangles intersect.\n\nload ";
    assert!(alone.out.starts_with(start), "{}", alone.out);
    assert!(alone.out.ends_with(" (soup, 1 thread)\n"), "{}", alone.out);

    let within = by_brute_force(&[&tangle], true, Touch::Include);
    let both = folder.run("check a.obj b.obj --self --touch include");
    assert_eq!((both.status, both.complaints.as_str()), (1, ""));
    assert!(both.out.contains(&format!("  {}  within 0 a.obj\n", within.len())), "{}", both.out);
    let [_, first, _, second] = folder.check("a.obj b.obj --self").pairs[0];
    assert!(both.out.contains(&format!("\nMesh:triangle\n  0:{first}")), "{first} {second} {}", both.out);
    assert!(both.out.contains(" more; --json lists all\n"), "{}", both.out);

    let crossing = folder.run("check b.obj --touch proper");
    assert!(crossing.out.contains("\nNo triangles cross.\n"), "{}", crossing.out);
}

/// Real meshes with answers from elsewhere, where the folder with them is there.
#[test]
fn truth_from_elsewhere() {
    let data = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let Ok(entries) = std::fs::read_dir(data.join("truth")) else {
        eprintln!("skipped: there is no {}", data.display());
        return;
    };
    let folder = Folder::new();
    let mut cases = 0;
    for entry in entries {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap();
        let (kind, names) = name.split_once("__").unwrap();
        // In `pair__A__placed__A__B.off` the second name begins with `placed`.
        let names = names
            .split_once("__placed")
            .map_or(vec![names.to_owned()], |(a, b)| vec![a.to_owned(), format!("placed{b}")]);
        let words: Vec<String> =
            names.iter().map(|n| data.join("meshes").join(n).display().to_string()).collect();
        let (b, text) = (u32::from(kind == "pair"), std::fs::read_to_string(&path).unwrap());
        let mut expected: Vec<[u32; 4]> = text
            .lines()
            .map(|line| {
                let ids: Vec<u32> = line.split_whitespace().map(|id| id.parse().unwrap()).collect();
                [0, ids[0], b, ids[1]]
            })
            .collect();
        expected.sort_unstable();
        assert_eq!(folder.check(&words.join(" ")).pairs, expected, "{name}");
        cases += 1;
    }
    assert!(cases > 0);
}
