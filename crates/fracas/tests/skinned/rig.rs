//! A real rig: the elephant of libigl with its weights and poses.
//!
//! The data is not part of the project. It is looked for beside the workspace, in `../shared/data`, or where the variable
//! `FRACAS_SHARED_DATA` says; without it the test says so and passes.

use crate::motions::evaluated;
use fracas::geom::{DAffine3, DMat3, Pose};
use fracas::mesh::{Influence, Mesh, Skin, shapes};
use fracas::skinned::{SkinOptions, SkinnedBody};
use fracas::{DVec3, Finder, MeshTree};
use std::path::{Path, PathBuf};

fn data() -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let folder = std::env::var_os("FRACAS_SHARED_DATA").map_or(beside, PathBuf::from).join("skin");
    if folder.join("elephant.obj").is_file() {
        return Some(folder);
    }
    eprintln!("skipped: no elephant.obj in {} (set FRACAS_SHARED_DATA to where it is)", folder.display());
    None
}

/// Vertices and triangles of an OBJ file; polygons become fans.
fn read_obj(path: &Path) -> Mesh {
    let text = std::fs::read_to_string(path).expect("an OBJ file");
    let (mut positions, mut triangles) = (vec![], vec![]);
    for line in text.lines() {
        let mut words = line.split_whitespace();
        match words.next() {
            Some("v") => {
                let x: Vec<f64> = words.map(|word| word.parse().expect("a number")).collect();
                positions.push(DVec3::new(x[0], x[1], x[2]));
            }
            Some("f") => {
                let index = |word: &str| word.split('/').next().expect("an index").parse::<u32>();
                let face: Vec<u32> = words.map(|word| index(word).expect("an index") - 1).collect();
                triangles.extend((2..face.len()).map(|k| [face[0], face[k - 1], face[k]]));
            }
            _ => {}
        }
    }
    Mesh::new(positions, triangles).expect("a sound mesh")
}

/// Columns of a binary DMAT file: an empty header, a second one with columns and rows, then numbers.
fn read_dmat(path: &Path) -> Vec<Vec<f64>> {
    let bytes = std::fs::read(path).expect("a DMAT file");
    let end = |from: usize| from + bytes[from..].iter().position(|&b| b == b'\n').expect("a line") + 1;
    let (first, second) = (end(0), end(end(0)));
    let header = std::str::from_utf8(&bytes[first..second]).expect("numbers");
    let sizes: Vec<usize> = header.split_whitespace().map(|w| w.parse().expect("a size")).collect();
    let numbers: Vec<f64> =
        bytes[second..].chunks_exact(8).map(|b| f64::from_le_bytes(b.try_into().expect("eight"))).collect();
    assert_eq!(numbers.len(), sizes[0] * sizes[1]);
    numbers.chunks(sizes[1]).map(<[f64]>::to_vec).collect()
}

/// The transforms of a pose: 4 numbers per bone and axis, x of all bones first.
fn transforms(pose: &[f64], bones: usize) -> Vec<DAffine3> {
    let entry = |bone: usize, axis: usize, k: usize| pose[axis * 4 * bones + 4 * bone + k];
    let column = |bone: usize, k: usize| DVec3::from([0, 1, 2].map(|axis| entry(bone, axis, k)));
    let bone = |b: usize| DAffine3 {
        matrix3: DMat3::from_cols(column(b, 0), column(b, 1), column(b, 2)),
        translation: column(b, 3),
    };
    (0..bones).map(bone).collect()
}

#[test]
fn the_elephant_walks_and_its_pairs_are_those_of_a_tree() {
    let Some(folder) = data() else { return };
    let mesh = read_obj(&folder.join("elephant.obj"));
    let columns = read_dmat(&folder.join("elephant-weights.dmat"));
    let poses = read_dmat(&folder.join("elephant-anim.dmat"));
    let bones = columns.len();
    let influences = (0..mesh.vertex_count()).map(|v| {
        let weights = columns.iter().enumerate();
        weights.map(move |(node, column)| Influence { node: node as u32, weight: column[v] })
    });
    let skin = Skin::new(mesh.clone(), bones, influences).expect("weights within the tolerance");
    let mut body = SkinnedBody::new(skin, &SkinOptions::default()).unwrap();
    let bounds = mesh.bounds();
    let size = (bounds.max - bounds.min).max_element();
    let rod = MeshTree::build(shapes::cuboid(DVec3::splat(0.2 * size)));
    let mut finder = Finder::default();
    let mut found = 0;
    for pose in poses.iter().step_by(20) {
        body.set_transforms(&transforms(pose, bones)).unwrap();
        let tree = MeshTree::build(evaluated(&body));
        let mut fresh = Finder::default();
        let centre = tree.view().bounds().centre();
        let at = Pose::from_translation(centre + DVec3::new(0.0, 0.2 * size, 0.0)).unwrap();
        let expected = fresh.find_pairs(&tree, rod.at(&at)).to_vec();
        assert_eq!(finder.find_pairs(&body, rod.at(&at)), expected);
        assert_eq!(finder.find_self_pairs(&body), fresh.find_self_pairs(&tree));
        found += expected.len();
        let (outer, inner) = (body.view().bounds(), tree.view().bounds());
        assert!(outer.min.cmple(inner.min).all() && outer.max.cmpge(inner.max).all());
    }
    assert!(found > 100, "{found}");
}
