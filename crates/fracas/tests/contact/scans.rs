//! Real meshes pulled slowly through others.

use super::{place, way_out};
use fracas::geom::{DQuat, DVec3};
use fracas::mesh::{Mesh, shapes};
use fracas::{Finder, MeshTree};
use std::path::{Path, PathBuf};

/// A mesh of the data folder, centred, with the longest edge of its box 2 long; `None` if the folder is not there.
fn scan(name: &str) -> Option<Mesh> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let data = std::env::var_os("FRACAS_SHARED_DATA").map_or(beside, PathBuf::from);
    let path = data.join("meshes").join(name);
    let Ok(text) = std::fs::read_to_string(&path) else {
        eprintln!("skipped: no {} (set FRACAS_SHARED_DATA to the folder above meshes)", path.display());
        return None;
    };
    let (mut points, mut triangles) = (vec![], vec![]);
    for line in text.lines() {
        let mut words = line.split_whitespace();
        match words.next() {
            Some("v") => {
                let x: Vec<f64> = words.take(3).map(|word| word.parse().expect("a number")).collect();
                points.push(DVec3::from_slice(&x));
            }
            Some("f") => {
                let first =
                    |word: &str| word.split('/').next().unwrap().parse::<u32>().expect("an index") - 1;
                let corners: Vec<u32> = words.map(first).collect();
                (2..corners.len()).for_each(|k| triangles.push([corners[0], corners[k - 1], corners[k]]));
            }
            _ => {}
        }
    }
    let mesh = Mesh::new(points, triangles).expect("a sound file");
    let (low, high) = mesh.bounds().corners();
    let scale = 2.0 / (high - low).max_element();
    let points = mesh.positions().iter().map(|p| (*p - 0.5 * (low + high)) * scale).collect();
    Some(Mesh::new(points, mesh.triangles().to_vec()).expect("finite"))
}

#[test]
fn a_direction_turns_only_to_one_that_is_as_good() {
    const STEPS: i32 = 160;
    let mut turns = 0;
    for (name, obstacle) in [("cow.obj", 1), ("fish.obj", 0), ("spot.obj", 2)] {
        let Some(mesh) = scan(name) else { return };
        let b = MeshTree::build(mesh.clone());
        let a = MeshTree::build(match obstacle {
            0 => shapes::icosphere(0.5, 4),
            1 => shapes::brick(DVec3::ONE, 0.1),
            _ => mesh,
        });
        let mut finder = Finder::default();
        let mut last: Option<DVec3> = None;
        for k in 0..=STEPS {
            let x = 3.2 * f64::from(k) / f64::from(STEPS) - 1.6;
            let pose = place(DQuat::from_rotation_y(0.3), DVec3::new(x, 0.1, 0.2));
            let contacts = finder.find_contacts(&a, b.at(&pose)).expect("closed").to_vec();
            // Where regions merge and part, there is a reason.
            let Some(first) = contacts.first().filter(|_| contacts.iter().all(|c| c.region == 0)) else {
                last = None;
                continue;
            };
            if let Some(before) = last.filter(|before| before.angle_between(first.normal).to_degrees() > 15.0)
            {
                // Had it kept its direction, it would be no better off.
                let kept = way_out(&mut finder, &a, &b, &pose, before, 3.0);
                assert!(first.depth < 1.1 * kept, "{name} at {x}: {first:?}, but {kept} along {before}");
                turns += 1;
            }
            last = Some(first.normal);
        }
    }
    assert!(turns < 60, "{turns} turns in 480 steps");
}
