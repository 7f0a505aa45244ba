//! What is written is read back equal, for any mesh.

mod common;

use fracas::geom::DVec3;
use fracas::mesh::Mesh;
use fracas_io::{Format, read_bytes, write_bytes};
use proptest::prelude::*;

/// Coordinates of every magnitude, and some that are special.
fn coordinate() -> impl Strategy<Value = f64> {
    prop_oneof![
        8 => proptest::num::f64::NORMAL | proptest::num::f64::SUBNORMAL | proptest::num::f64::ZERO,
        8 => -1000.0..1000.0,
        2 => (-20_i32..20).prop_map(f64::from),
        1 => prop::sample::select(vec![f64::MAX, f64::MIN, f64::MIN_POSITIVE, 5e-324, -0.0, 0.1 + 0.2, 1e16, 1e-7]),
    ]
}

fn any_mesh(coordinate: impl Strategy<Value = f64>) -> impl Strategy<Value = Mesh> {
    prop::collection::vec(prop::array::uniform3(coordinate), 0..40).prop_flat_map(|positions| {
        let positions: Vec<DVec3> = positions.into_iter().map(DVec3::from_array).collect();
        let vertices = positions.len() as u32;
        let count = if vertices == 0 { 0..1 } else { 0..60_usize };
        prop::collection::vec(prop::array::uniform3(0..vertices.max(1)), count)
            .prop_map(move |triangles| Mesh::new(positions.clone(), triangles).unwrap())
    })
}

/// Equal positions by their bits: 0.0 and -0.0 differ.
fn assert_same(a: &Mesh, b: &Mesh) {
    let bits =
        |mesh: &Mesh| mesh.positions().iter().map(|p| p.to_array().map(f64::to_bits)).collect::<Vec<_>>();
    assert_eq!(bits(a), bits(b));
    assert_eq!(a.triangles(), b.triangles());
}

proptest! {
    #[test]
    fn obj_off_and_ply_give_back_the_mesh(mesh in any_mesh(coordinate())) {
        for format in [Format::Obj, Format::Off, Format::Ply] {
            let bytes = write_bytes(&mesh, format, "mesh").unwrap();
            assert_same(&read_bytes(&bytes, format, "mesh").unwrap(), &mesh);
        }
    }

    #[test]
    fn stl_gives_back_the_corners_in_f32(mesh in any_mesh(-1e6..1e6)) {
        let bytes = write_bytes(&mesh, Format::Stl, "mesh").unwrap();
        let read = read_bytes(&bytes, Format::Stl, "mesh").unwrap();
        let corners: Vec<DVec3> =
            mesh.triangles().iter().flatten().map(|&v| mesh.positions()[v as usize].as_vec3().as_dvec3()).collect();
        let triangles = (0..mesh.triangle_count() as u32).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
        let soup = Mesh::new(corners, triangles).unwrap();
        assert_same(&read, &soup);
        // The second time nothing is lost.
        prop_assert_eq!(&write_bytes(&soup, Format::Stl, "mesh").unwrap(), &bytes);
    }
}

#[test]
fn large_meshes_cross_the_window_in_every_format() {
    // About 3 MB of text: many times the window through which files are read.
    let side = 150_u32;
    let positions = (0..=side)
        .flat_map(|i| {
            (0..=side)
                .map(move |j| DVec3::new(f64::from(i) / 7.0, f64::from(j) / 11.0, f64::from(i * j).sin()))
        })
        .collect();
    let triangles = (0..side)
        .flat_map(|i| (0..side).map(move |j| i * (side + 1) + j))
        .flat_map(|v| [[v, v + 1, v + side + 2], [v, v + side + 2, v + side + 1]])
        .collect();
    let mesh = Mesh::new(positions, triangles).unwrap();
    for format in [Format::Obj, Format::Off, Format::Ply] {
        let bytes = write_bytes(&mesh, format, "mesh").unwrap();
        assert_same(&read_bytes(&bytes, format, "mesh").unwrap(), &mesh);
    }
    let stl = write_bytes(&mesh, Format::Stl, "mesh").unwrap();
    let soup = read_bytes(&stl, Format::Stl, "mesh").unwrap();
    assert_eq!(write_bytes(&soup, Format::Stl, "mesh").unwrap(), stl);
    for (triangle, corners) in soup.triangles().iter().zip(mesh.triangles()) {
        for (&a, &b) in triangle.iter().zip(corners) {
            assert_eq!(soup.positions()[a as usize], mesh.positions()[b as usize].as_vec3().as_dvec3());
        }
    }
    let text = text_stl(&soup);
    assert_same(&read_bytes(text.as_bytes(), Format::Stl, "mesh").unwrap(), &soup);
}

fn text_stl(soup: &Mesh) -> String {
    let mut text = String::from("solid\n");
    for corners in soup.triangles() {
        text.push_str("facet normal 0 0 0\n outer loop\n");
        for &vertex in corners {
            let p = soup.positions()[vertex as usize];
            text.push_str(&format!("  vertex {:e} {:e} {:e}\n", p.x, p.y, p.z));
        }
        text.push_str(" endloop\nendfacet\n");
    }
    text + "endsolid\n"
}
