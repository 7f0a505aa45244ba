//! What OBJ, OFF and text STL files may look like.

mod common;

use common::{SQUARE, assert_mesh, mesh};
use fracas_io::Format::{Obj, Off, Stl};

const FAN: [[u32; 3]; 2] = [[0, 1, 2], [0, 2, 3]];
const CORNERS: &str = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n";

#[test]
fn obj_faces_of_every_kind_name_the_same_vertices() {
    for face in [
        "f 1 2 3 4",
        "f 1/1 2/2 3/3 4/4",
        "f 1//1 2//2 3//3 4//4",
        "f 1/9/7 2/9/7 3/9/7 4/9/7",
        "f 1/ 2/ 3// 4",
        "f -4 -3 -2 -1",
        "f -4/-1/-1 2 -2//-1 4",
        "fo 1 2 3 4",
        "f\t1  2\t 3 4  ",
        "  f 1 2 3 4 # 5 6 7",
        "f 1 2 \\\n 3 4",
        "f 1\\\r\n 2 3 4",
        "f +1 02 3 4",
    ] {
        assert_mesh(&mesh(Obj, format!("{CORNERS}{face}\n")), &SQUARE, &FAN);
        assert_mesh(&mesh(Obj, format!("{CORNERS}{face}")), &SQUARE, &FAN);
    }
}

#[test]
fn obj_skips_weights_colours_and_unknown_statements() {
    let text = "# corners\nmtllib a.mtl\no square\ng one two\ns off\nv 0 0 0 1\nv 1 0 0 0.1 0.2 0.3\n\
        v 1 1 0 1 0.1 0.2 0.3\nvt 0 0\nvn 0 0 nan\nvp 1\nv 0 1 0\nusemtl red\nl 1 2\np 1\nxyz 1 2 3\nf 1 2 3 4\n";
    assert_mesh(&mesh(Obj, text), &SQUARE, &FAN);
}

#[test]
fn obj_keeps_the_order_of_the_file() {
    // Faces before the vertices they name, negative numbers counted at the face, unused vertices, degenerate faces.
    let text = "f 1 2 3\nv 5 5 5\nv 1 2 3\nv 4 5 6\nf -1 -2 -3\nv 7 8 9\nf 2 2 3\nf -1 1 2\n";
    let positions = [[5.0, 5.0, 5.0], [1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]];
    assert_mesh(&mesh(Obj, text), &positions, &[[0, 1, 2], [2, 1, 0], [1, 1, 2], [3, 0, 1]]);
}

#[test]
fn obj_line_ends_and_marks_of_every_system() {
    let text = format!("{CORNERS}f 1 2 3 4\n");
    for text in [text.replace('\n', "\r\n"), text.replace('\n', "\r"), format!("\u{feff}{text}"), text] {
        assert_mesh(&mesh(Obj, text), &SQUARE, &FAN);
    }
}

#[test]
fn obj_comments_and_names_may_be_in_any_encoding() {
    let mut text = b"# Stra\xdfe C:\\\no M\xfcller\n".to_vec();
    text.extend(CORNERS.as_bytes());
    text.extend(b"f 1 2 3 4 # \xff\xfe\n");
    assert_mesh(&mesh(Obj, text), &SQUARE, &FAN);
}

#[test]
fn files_without_triangles_are_legal() {
    assert_mesh(&mesh(Obj, "# nothing\n"), &[], &[]);
    assert_mesh(&mesh(Obj, "o empty\n"), &[], &[]);
    assert_mesh(&mesh(Obj, "v 1 2 3\n"), &[[1.0, 2.0, 3.0]], &[]);
    assert_mesh(&mesh(Off, "OFF 1 0 0\n1 2 3"), &[[1.0, 2.0, 3.0]], &[]);
    assert_mesh(&mesh(Off, "OFF\n0 0 0\n"), &[], &[]);
    assert_mesh(&mesh(Stl, "solid nothing\nendsolid nothing\n"), &[], &[]);
}

#[test]
fn off_headers() {
    let body = "0 0 0\n1 0 0\n1 1 0\n0 1 0\n4 0 1 2 3\n";
    for header in [
        "OFF\n4 1 0\n",
        "OFF\n4 1 4\n",
        "OFF 4 1 0\n",
        "OFF4 1 0\n",
        "off\n4 1 0\n",
        "4 1 0\n",
        "OFF\n4 1\n",
        "# first\n\nOFF # the kind\n# counts\n4 1 0 # three\n\n",
        "OFF\r\n4 1 0\r\n",
        "OFF\n4\n1 0\n",
    ] {
        assert_mesh(&mesh(Off, format!("{header}{body}")), &SQUARE, &FAN);
    }
}

#[test]
fn off_skips_normals_colours_and_texture_coordinates() {
    let face = "4 0 1 2 3 255 0 0 255 # red\n";
    for (header, more) in [
        ("COFF", "255 0 0 255"),
        ("COFF", "1.0 0.5 0.5"),
        ("NOFF", "0 0 1"),
        ("CNOFF", "0 0 1 1 0 0 1"),
        ("STOFF", "0.5 0.5"),
        ("STCNOFF", "0 0 1 1 0 0 1 0.5 0.5"),
        // Not announced, but not to be taken for positions either.
        ("OFF", "255 0 0 255"),
        ("OFF", "0.5 0.5"),
    ] {
        let lines: String = SQUARE.iter().map(|[x, y, z]| format!("{x} {y} {z} {more}\n")).collect();
        assert_mesh(&mesh(Off, format!("{header}\n4 1 0\n{lines}{face}")), &SQUARE, &FAN);
    }
}

#[test]
fn off_in_free_form() {
    for text in [
        "OFF 4 1 0\n0 0 0 1 0 0\n1 1 0 0 1 0\n4 0 1 2 3",
        "OFF 4 1 0\n0\n0 0\n1 0 0 # half\n1 1 0\n0\n1\n0\n4\n0 1\n2 3",
        "OFF 4 1 0\n0 0 0 1 0 0 1 1 0 0 1 0\n4 0 1 # more\n\n2 3 0.5\n",
    ] {
        assert_mesh(&mesh(Off, text), &SQUARE, &FAN);
    }
}

#[test]
fn off_faces_of_one_and_two_corners_make_no_triangle() {
    let text = "OFF 4 5 0\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n1 0\n2 0 1\n4 0 1 2 3\n0\n2 1 2\n";
    assert_mesh(&mesh(Off, text), &SQUARE, &FAN);
}

#[test]
fn off_what_follows_the_last_face_is_skipped() {
    let text = "OFF 4 1 0\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n4 0 1 2 3\nmade by hand\n";
    assert_mesh(&mesh(Off, text), &SQUARE, &FAN);
}

const FACET: &str =
    "facet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 1 1 0\nendloop\nendfacet\n";
const SOUP: [[f64; 3]; 3] = [SQUARE[0], SQUARE[1], SQUARE[2]];

#[test]
fn text_stl_in_many_layouts() {
    for text in [
        format!("solid\n{FACET}endsolid\n"),
        format!("solid a facet named endsolid\n{FACET}endsolid a facet"),
        format!("SOLID X\n{}ENDSOLID X\n", FACET.to_uppercase()),
        format!("  solid x\r\n\r\n{}endsolid", FACET.replace('\n', "\r\n\t")),
        format!("solid x\n{} endsolid x", FACET.replace('\n', " ")),
        format!("solid x\n{}endsolid x", FACET.replace("0 0 1", "-nan(ind) 1.#QNAN nan")),
    ] {
        assert_mesh(&mesh(Stl, text), &SOUP, &[[0, 1, 2]]);
    }
}

#[test]
fn text_stl_of_several_solids_counts_through() {
    let text = format!("solid a\n{FACET}{FACET}endsolid a\nsolid b\n{FACET}endsolid b\n");
    let read = mesh(Stl, text);
    assert_mesh(&read, &[SOUP, SOUP, SOUP].concat(), &[[0, 1, 2], [3, 4, 5], [6, 7, 8]]);
}

#[test]
fn text_coordinates_keep_all_their_digits() {
    let text = "v 0.1 1e-300 -123456789.12345679\n";
    assert_mesh(&mesh(Obj, text), &[[0.1, 1e-300, -123_456_789.123_456_79]], &[]);
    let text = "OFF 1 0 0\n0.30000000000000004 5e-324 1.7976931348623157e308";
    assert_mesh(&mesh(Off, text), &[[0.1 + 0.2, 5e-324, f64::MAX]], &[]);
}
