//! A dancer in a kick: 121 frames of a body of 25,472 triangles that another program computed.
//!
//! The data is no part of the project. It is looked for beside the workspace, in `../shared/data/cloth`, or where the
//! variable `FRACAS_SHARED_DATA` says: `kick_positions.npy` (frames × vertices × 3, `f32`) and `kick_triangles.npy`
//! (triangles × 3, `u32`). Without it the scene says so and does not begin.
//!
//! Frames are keys, 25 a second; all sizes are the same. The body intersects itself, in 496 pairs of triangles in the first
//! frame alone, so nothing is promised about it.

use crate::motion::{self, KEY_SECONDS, KeyedMotion};
use crate::{Run, Scene, SceneError, SceneOptions};
use fracas::geom::DVec3;
use std::path::{Path, PathBuf};

/// The scene.
pub const SCENE: Scene = Scene {
    name: "kick",
    about: "a dancer in a kick, if the data is there",
    steps: |_| motion::FRAMES_PER_KEY * 120,
    takes_mesh: false,
    takes_pieces: false,
    begin,
};

fn begin(options: &SceneOptions) -> Result<Run, SceneError> {
    let body = keys()?;
    let steps = options.steps.unwrap_or((SCENE.steps)(options.size));
    Ok(motion::play(&[body], steps, None, options))
}

/// The motion of the dancer.
pub(crate) fn keys() -> Result<KeyedMotion, SceneError> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let folder = std::env::var_os("FRACAS_SHARED_DATA").map_or(beside, PathBuf::from).join("cloth");
    let read = |name: &str| {
        let path = folder.join(name);
        let trouble =
            |why: String| SceneError::NoData { scene: "kick", file: path.display().to_string(), why };
        let bytes = std::fs::read(&path).map_err(|error| trouble(error.to_string()))?;
        Npy::parse(bytes).map_err(trouble).map(|npy| (npy, path.display().to_string()))
    };
    let (positions, file) = read("kick_positions.npy")?;
    let (triangles, other) = read("kick_triangles.npy")?;
    let bad = |file: &str, why: &str| SceneError::NoData {
        scene: "kick",
        file: file.to_owned(),
        why: why.to_owned(),
    };
    let (&[frames, vertices, 3], "<f4") = (&positions.shape[..], positions.kind.as_str()) else {
        return Err(bad(&file, "not an array of f32, frames × vertices × 3"));
    };
    let (&[_, 3], "<u4") = (&triangles.shape[..], triangles.kind.as_str()) else {
        return Err(bad(&other, "not an array of u32, triangles × 3"));
    };
    let number = |word: [u8; 4]| f64::from(f32::from_le_bytes(word));
    let points: Vec<DVec3> = positions
        .words()
        .collect::<Vec<_>>()
        .chunks_exact(3)
        .map(|p| DVec3::new(number(p[0]), number(p[1]), number(p[2])))
        .collect();
    // The data has y up.
    let turned = |p: &DVec3| DVec3::new(p.x, -p.z, p.y);
    let keys = points.chunks_exact(vertices.max(1)).map(|key| key.iter().map(turned).collect()).collect();
    let corners: Vec<u32> = triangles.words().map(u32::from_le_bytes).collect();
    let triangles = corners.chunks_exact(3).map(|t| [t[0], t[1], t[2]]).collect();
    let times = (0..frames).map(|k| k as f64 * KEY_SECONDS).collect();
    KeyedMotion::new("figure", triangles, times, keys)
}

/// An array of four-byte words in the format of NumPy, in the order of C.
struct Npy {
    kind: String,
    shape: Vec<usize>,
    bytes: Vec<u8>,
    first: usize,
}

impl Npy {
    fn parse(bytes: Vec<u8>) -> Result<Self, String> {
        if bytes.get(..6) != Some(b"\x93NUMPY") {
            return Err("not a file of NumPy".to_owned());
        }
        let short = || "it ends too early".to_owned();
        let (length, begin) = match bytes.get(6) {
            Some(1) => (usize::from(u16::from_le_bytes([byte(&bytes, 8)?, byte(&bytes, 9)?])), 10),
            _ => return Err("not version 1 of the format".to_owned()),
        };
        let header = bytes.get(begin..begin + length).ok_or_else(short)?;
        let header = std::str::from_utf8(header).map_err(|_| "its header is not text".to_owned())?;
        let after = |key: &str| header.split_once(key).map(|(_, rest)| rest);
        let kind =
            after("'descr': '").and_then(|rest| rest.split_once('\'')).map(|(kind, _)| kind.to_owned());
        let shape = after("'shape': (").and_then(|rest| rest.split_once(')')).map(|(list, _)| list);
        let order = after("'fortran_order': ").is_some_and(|rest| rest.starts_with("False"));
        let (Some(kind), Some(shape), true) = (kind, shape, order) else {
            return Err("its header names no type, no shape, or the order of Fortran".to_owned());
        };
        let numbers = shape.split(',').map(str::trim).filter(|word| !word.is_empty());
        let shape: Vec<usize> = numbers
            .map(|word| word.parse().map_err(|_| format!("`{word}` in its shape is no number")))
            .collect::<Result<_, _>>()?;
        let words =
            shape.iter().try_fold(1_usize, |all, n| all.checked_mul(*n)).ok_or("its shape is too large")?;
        let first = begin + length;
        if words.checked_mul(4) != Some(bytes.len() - first) {
            return Err(format!("it has {} bytes for an array of {words} words", bytes.len() - first));
        }
        Ok(Self { kind, shape, bytes, first })
    }

    fn words(&self) -> impl Iterator<Item = [u8; 4]> {
        self.bytes[self.first..].chunks_exact(4).map(|word| [word[0], word[1], word[2], word[3]])
    }
}

fn byte(bytes: &[u8], at: usize) -> Result<u8, String> {
    bytes.get(at).copied().ok_or_else(|| "it ends too early".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(header: &str, words: usize) -> Vec<u8> {
        let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
        bytes.extend((header.len() as u16).to_le_bytes());
        bytes.extend(header.as_bytes());
        bytes.extend((0..words as u32).flat_map(u32::to_le_bytes));
        bytes
    }

    #[test]
    fn arrays_are_read_and_damaged_ones_refused() {
        let header = "{'descr': '<u4', 'fortran_order': False, 'shape': (2, 3), }";
        let npy = Npy::parse(file(header, 6)).unwrap();
        assert_eq!((npy.kind.as_str(), &npy.shape[..]), ("<u4", &[2, 3][..]));
        assert_eq!(npy.words().map(u32::from_le_bytes).collect::<Vec<_>>(), [0, 1, 2, 3, 4, 5]);
        assert!(Npy::parse(file(header, 5)).is_err() && Npy::parse(b"PK".to_vec()).is_err());
        for end in 0..file(header, 6).len() {
            assert!(Npy::parse(file(header, 6)[..end].to_vec()).is_err());
        }
        let odd = [
            "{}",
            "{'descr': '<u4', 'fortran_order': True, 'shape': (2,), }",
            "{'descr': '<u4', 'fortran_order': False, 'shape': (x,), }",
        ];
        assert!(odd.iter().all(|header| Npy::parse(file(header, 2)).is_err()));
    }

    #[test]
    fn the_dancer_moves_and_stands_upright() {
        let body = match keys() {
            Ok(body) => body,
            Err(error @ SceneError::NoData { .. }) => return eprintln!("skipped: {error}"),
            Err(error) => panic!("{error}"),
        };
        assert_eq!((body.keys().len(), body.triangles().len(), body.keys()[0].len()), (121, 25_472, 12_811));
        let ways = body.keys()[0].iter().zip(&body.keys()[60]).map(|(p, q)| p.distance(*q));
        assert!(ways.fold(0.0, f64::max) > 0.2, "it moves");
        let tall = body.mesh_at_key(0).unwrap().bounds().extent();
        assert!(tall.z > tall.y, "it stands along z: {tall}");
    }
}
