//! All triangles of a recording: what they are, and from when to when they are there.
//!
//! ```text
//!   number of slots
//!   of each slot:  birth       frame + 1, less that of the slot before (signed); birth 0: there never was such a triangle
//!   of each:       death       0 lives on, else 1 + frames from birth to death
//!   of each:       crack       runs: how many without, how many with, how many without …
//!   of each:       corners     difference to the same corner of the slot before (signed), three times
//! ```

use crate::bytes::{Broken, Reader, put, put_signed};

/// A triangle of a recording; its number is its place in the list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StoredTriangle {
    /// Its vertices.
    pub corners: [u32; 3],
    /// Whether it is surface along a crack.
    pub is_crack: bool,
    /// The first frame that has it, counted from 0; `None` if the number was never given to a triangle.
    pub born: Option<u32>,
    /// The first frame that has it no more.
    pub died: Option<u32>,
}

impl StoredTriangle {
    /// Whether a frame has it.
    #[must_use]
    pub fn is_in(&self, frame: usize) -> bool {
        self.born.is_some_and(|born| born as usize <= frame)
            && self.died.is_none_or(|died| frame < died as usize)
    }
}

pub(crate) fn encode(triangles: &[StoredTriangle]) -> Vec<u8> {
    let mut out = Vec::new();
    put(&mut out, triangles.len() as u32);
    let mut before = 0;
    for triangle in triangles {
        let birth = triangle.born.map_or(0, |born| born as i32 + 1);
        put_signed(&mut out, birth - before);
        before = birth;
    }
    for triangle in triangles {
        let age = triangle.died.map(|died| died.saturating_sub(triangle.born.unwrap_or(0)));
        put(&mut out, age.map_or(0, |age| age + 1));
    }
    let mut is_crack = false;
    let mut rest = triangles;
    while !rest.is_empty() {
        let run = rest.iter().take_while(|triangle| triangle.is_crack == is_crack).count();
        put(&mut out, run as u32);
        rest = &rest[run..];
        is_crack = !is_crack;
    }
    for corner in 0..3 {
        let mut before = 0_u32;
        for triangle in triangles {
            put_signed(&mut out, triangle.corners[corner].wrapping_sub(before) as i32);
            before = triangle.corners[corner];
        }
    }
    out
}

pub(crate) fn decode(bytes: &[u8]) -> Result<Vec<StoredTriangle>, Broken> {
    let mut bytes = Reader(bytes);
    let mut triangles = vec![StoredTriangle::default(); bytes.count(5)?];
    let mut before = 0_i32;
    for triangle in &mut triangles {
        before = before.wrapping_add(bytes.signed()?);
        triangle.born =
            u32::try_from(before).map_err(|_| "a triangle is born before the first frame")?.checked_sub(1);
    }
    for triangle in &mut triangles {
        let age = bytes.varint()?.checked_sub(1);
        triangle.died = age.map(|age| triangle.born.unwrap_or(0).saturating_add(age));
    }
    let (mut at, mut is_crack) = (0, false);
    while at < triangles.len() {
        let run = bytes.varint()? as usize;
        let run = triangles.get_mut(at..at.saturating_add(run)).ok_or("a run of cracks is too long")?;
        run.iter_mut().for_each(|triangle| triangle.is_crack = is_crack);
        at += run.len();
        is_crack = !is_crack;
    }
    for corner in 0..3 {
        let mut before = 0_u32;
        for triangle in &mut triangles {
            before = before.wrapping_add(bytes.signed()? as u32);
            triangle.corners[corner] = before;
        }
    }
    Ok(triangles)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn triangles_come_back() {
        let triangle = |k: u32| StoredTriangle {
            corners: [k, 7 * k % 13, u32::MAX - k],
            is_crack: k % 5 > 2,
            born: (k % 4 != 1).then_some(k / 3),
            died: (k % 4 == 2).then_some(k / 3 + k % 9),
        };
        let triangles: Vec<_> = (0..200).map(triangle).collect();
        assert_eq!(decode(&encode(&triangles)), Ok(triangles.clone()));
        assert_eq!(decode(&encode(&[])), Ok(vec![]));
        assert!(!triangles[1].is_in(1_000) && triangles[3].is_in(1) && !triangles[3].is_in(0));
        assert!(triangles[6].is_in(7) && !triangles[6].is_in(8), "{:?}", triangles[6]);
        let bytes = encode(&triangles);
        for length in 0..bytes.len() {
            assert!(decode(&bytes[..length]).is_err(), "{length}");
        }
    }
}
