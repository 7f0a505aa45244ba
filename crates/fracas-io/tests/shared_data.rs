//! Real meshes, with counts that were taken from the files by other means.
//!
//! They are not part of the project. They are looked for in the folder named by `FRACAS_SHARED_DATA`, or else in
//! `../shared/data` beside the workspace; without them the test says so and passes.

use std::path::PathBuf;

use fracas::geom::DVec3;
use fracas_io::{Format, read, read_bytes, write_bytes};

fn shared_data() -> Option<PathBuf> {
    let folder = match std::env::var_os("FRACAS_SHARED_DATA") {
        Some(folder) => PathBuf::from(folder),
        None => PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data"),
    };
    if folder.is_dir() {
        return Some(folder);
    }
    eprintln!("skipped: no meshes in {} (set FRACAS_SHARED_DATA to where they are)", folder.display());
    None
}

/// File, vertices, triangles, sum of the coordinates, sum of all indices times their place in the triangle plus one.
const EXPECTED: &[(&str, usize, usize, [f64; 3], u64)] = &[
    (
        "meshes/buddha.obj",
        49950,
        100000,
        [-956.1151120000038, -4887.39606999998, 2110.4363640000047],
        14982997748,
    ),
    ("meshes/cow.obj", 2903, 5804, [3304.8940310000016, 99.40442400000163, 0.05231099999993449], 50123231),
    (
        "meshes/dragon-48k.ply",
        22998,
        47794,
        [-245.20252309599925, 2500.584168499996, -190.21372602709087],
        3292340963,
    ),
    (
        "meshes/fish.obj",
        10786,
        21568,
        [37054.57266999997, 227.01690199999854, -1701.2539660000105],
        709225468,
    ),
    (
        "meshes/mannequin-devil.off",
        12977,
        25888,
        [2736.2746520000105, -86134.31900099985, 18027.63813299994],
        1058663187,
    ),
    (
        "meshes/placed__fish__spot.off",
        2930,
        5856,
        [9954.560546874998, 570.6550220420016, -1032.950784105002],
        51926054,
    ),
    (
        "meshes/placed__stanford-bunny__dragon-48k.off",
        22998,
        47794,
        [-492.2513514115926, 2163.699402641505, -122.8367728385847],
        3292340963,
    ),
    (
        "meshes/placed__triceratops__cow.off",
        2903,
        5804,
        [-2082.202172374997, 3286.0813089374956, 45.463996999999566],
        50123231,
    ),
    ("meshes/spot.obj", 2930, 5856, [1.588278120134845e-13, 301.69017829199976, 566.5316377700003], 51926054),
    (
        "meshes/stanford-bunny.obj",
        35947,
        69451,
        [-961.9384690000044, 3422.731702000017, 321.6218939999993],
        7501917564,
    ),
    (
        "meshes/triceratops.off",
        2832,
        5660,
        [4236.565739000001, -126.11189100000223, 44.497431999998525],
        48103379,
    ),
    ("meshes/truck.obj", 2956, 4770, [122.14815472400112, -0.4678029984001618, -68.78942137899983], 41381554),
    (
        "ccd/cloth-funnel/227.ply",
        9450,
        18484,
        [15.812092963210716, 35.403034670267516, -3777.8587284088135],
        538744605,
    ),
    (
        "ccd/cloth-funnel/228.ply",
        9450,
        18484,
        [14.154478441025162, 33.194321361601396, -3798.4733640551567],
        538744605,
    ),
];

#[test]
fn real_meshes_have_the_counts_and_sums_that_were_taken_by_other_means() {
    let Some(folder) = shared_data() else { return };
    for &(name, vertices, triangles, sums, index_sum) in EXPECTED {
        let mesh = read(folder.join(name)).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!((mesh.vertex_count(), mesh.triangle_count()), (vertices, triangles), "{name}");
        let sum = mesh.positions().iter().fold(DVec3::ZERO, |sum, &p| sum + p);
        assert_eq!(sum.to_array(), sums, "{name}");
        let weighted = |[a, b, c]: &[u32; 3]| u64::from(*a) + 2 * u64::from(*b) + 3 * u64::from(*c);
        assert_eq!(mesh.triangles().iter().map(weighted).sum::<u64>(), index_sum, "{name}");
        for format in [Format::Obj, Format::Off, Format::Ply] {
            let bytes = write_bytes(&mesh, format, name).unwrap();
            assert_eq!(read_bytes(&bytes, format, name).unwrap(), mesh, "{name} as {format}");
        }
    }
}

#[test]
fn every_mesh_of_the_folder_is_listed() {
    let Some(folder) = shared_data() else { return };
    for entry in std::fs::read_dir(folder.join("meshes")).unwrap() {
        let name = entry.unwrap().file_name();
        let listed = EXPECTED.iter().any(|(known, ..)| known.strip_prefix("meshes/") == name.to_str());
        assert!(listed, "{} is not listed", name.display());
    }
}
