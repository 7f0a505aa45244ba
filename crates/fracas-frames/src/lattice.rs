//! Positions as integers, and their differences to predictions.

use crate::bytes::{Broken, Reader, put, put_signed};
use fracas::geom::DVec3;

/// Whole numbers for coordinates: `p = origin + step · n`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Lattice {
    pub origin: DVec3,
    pub step: f64,
}

/// A point of the lattice.
pub(crate) type Node = [i32; 3];

impl Lattice {
    /// The lattice of a box: its lowest corner is the origin, its longest side has this many steps.
    pub fn around(low: DVec3, high: DVec3, steps: f64) -> Self {
        let side = (high - low).max_element();
        // Half of each first, lest a box of all numbers be infinitely long.
        let side = if side.is_finite() { side } else { 2.0 * (0.5 * high - 0.5 * low).max_element() };
        let step = if side > 0.0 { side.min(f64::MAX) / steps } else { 1.0 };
        let origin = if low.is_finite() { low } else { DVec3::ZERO };
        Self { origin, step: if step > 0.0 { step } else { 1.0 } }
    }

    /// The nearest node. What is more than 2³¹ steps away ends there.
    pub fn nearest(&self, p: DVec3) -> Node {
        ((p - self.origin) / self.step).to_array().map(|x| x.round() as i32)
    }

    /// The highest node below in all coordinates.
    pub fn below(&self, p: DVec3) -> Node {
        ((p - self.origin) / self.step).to_array().map(|x| x.floor() as i32)
    }

    /// The lowest node above in all coordinates.
    pub fn above(&self, p: DVec3) -> Node {
        ((p - self.origin) / self.step).to_array().map(|x| x.ceil() as i32)
    }

    pub fn position(&self, node: Node) -> DVec3 {
        self.origin + self.step * DVec3::from_array(node.map(f64::from))
    }
}

/// What a node is written as the difference to, if there is a last frame and it had this node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
enum Guess {
    /// The node before it in the list.
    Before = 0,
    /// Where it was in the last frame.
    Last = 1,
    /// As far from there as it came since the frame before the last.
    Onward = 2,
}

/// The nodes of a list in the last frames of a group; empty at its beginning.
#[derive(Clone, Debug, Default)]
pub(crate) struct Memory {
    last: Vec<Node>,
    /// Never longer than `last`.
    earlier: Vec<Node>,
}

impl Memory {
    pub fn clear(&mut self) {
        self.last.clear();
        self.earlier.clear();
    }

    /// Appends a list: its length, the guess, and all differences, one axis after the other.
    pub fn put(&mut self, out: &mut Vec<u8>, nodes: Vec<Node>) {
        put(out, nodes.len() as u32);
        let cost = |guess: Guess| -> u64 {
            let bits = |difference: i32| u64::from(32 - difference.unsigned_abs().leading_zeros());
            (0..nodes.len())
                .map(|k| (0..3).map(|axis| bits(self.difference(guess, &nodes, k, axis))).sum::<u64>())
                .sum()
        };
        let guesses: &[Guess] = match (self.last.is_empty(), self.earlier.is_empty()) {
            (true, _) => &[Guess::Before],
            (false, true) => &[Guess::Last, Guess::Before],
            (false, false) => &[Guess::Last, Guess::Onward, Guess::Before],
        };
        let best = *guesses.iter().min_by_key(|&&guess| cost(guess)).expect("there are some");
        out.push(best as u8);
        for axis in 0..3 {
            for k in 0..nodes.len() {
                put_signed(out, self.difference(best, &nodes, k, axis));
            }
        }
        self.keep(nodes);
    }

    /// Takes a list off the front.
    pub fn take(&mut self, bytes: &mut Reader) -> Result<Vec<Node>, Broken> {
        let count = bytes.count(3)?;
        let guess = match bytes.byte()? {
            0 => Guess::Before,
            1 => Guess::Last,
            2 => Guess::Onward,
            _ => return Err("an unknown way to guess positions"),
        };
        let mut nodes = vec![[0; 3]; count];
        for axis in 0..3 {
            for k in 0..count {
                let difference = bytes.signed()?;
                nodes[k][axis] = self.guess(guess, &nodes, k, axis).wrapping_add(difference);
            }
        }
        self.keep(nodes.clone());
        Ok(nodes)
    }

    fn guess(&self, guess: Guess, nodes: &[Node], k: usize, axis: usize) -> i32 {
        match (guess, self.last.get(k), self.earlier.get(k)) {
            (Guess::Onward, Some(last), Some(earlier)) => {
                last[axis].wrapping_add(last[axis].wrapping_sub(earlier[axis]))
            }
            (Guess::Last | Guess::Onward, Some(last), _) => last[axis],
            _ => k.checked_sub(1).map_or(0, |before| nodes[before][axis]),
        }
    }

    fn difference(&self, guess: Guess, nodes: &[Node], k: usize, axis: usize) -> i32 {
        nodes[k][axis].wrapping_sub(self.guess(guess, nodes, k, axis))
    }

    fn keep(&mut self, nodes: Vec<Node>) {
        self.earlier = std::mem::replace(&mut self.last, nodes);
        self.earlier.truncate(self.last.len());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn lists_of_any_length_come_back(
            lists in proptest::collection::vec(proptest::collection::vec(any::<[i32; 3]>(), 0..30), 1..6),
            shift in 0_u32..32,
        ) {
            let (mut bytes, mut memory) = (Vec::new(), Memory::default());
            let lists: Vec<Vec<Node>> = lists.iter().map(|list| list.iter().map(|n| n.map(|x| x >> shift)).collect()).collect();
            lists.iter().for_each(|list| memory.put(&mut bytes, list.clone()));
            let (mut reader, mut memory) = (Reader(&bytes), Memory::default());
            for list in lists {
                prop_assert_eq!(memory.take(&mut reader), Ok(list));
            }
            prop_assert!(reader.0.is_empty());
        }

        #[test]
        fn positions_are_off_by_half_a_step(corners in any::<[[i16; 3]; 2]>(), share in any::<[u16; 3]>(), scale in -300_i32..300) {
            let scale = 2.0_f64.powi(scale);
            let [a, b] = corners.map(|c| DVec3::from_array(c.map(f64::from)) * scale);
            let (low, high) = (a.min(b), a.max(b));
            let lattice = Lattice::around(low, high, 65536.0);
            let p = low + (high - low) * DVec3::from_array(share.map(|x| f64::from(x) / 65535.0));
            let off = (lattice.position(lattice.nearest(p)) - p).abs().max_element();
            prop_assert!(off <= 0.5001 * lattice.step);
            prop_assert!(lattice.step <= ((high - low).max_element() / 65536.0).max(1.0));
        }
    }

    #[test]
    fn steady_motion_costs_next_to_nothing() {
        let at = |t: i32| (0..100).map(|k| [900 * k + 30 * t, 7 * t, -500 * k]).collect::<Vec<Node>>();
        let (mut bytes, mut memory) = (Vec::new(), Memory::default());
        (0..3).for_each(|t| memory.put(&mut bytes, at(t)));
        assert!(bytes[bytes.len() - 300..].iter().all(|&difference| difference == 0));
    }

    #[test]
    fn boxes_of_any_size_have_a_lattice() {
        for (low, high) in [
            (DVec3::ZERO, DVec3::ZERO),
            (DVec3::INFINITY, DVec3::NEG_INFINITY),
            (DVec3::splat(-f64::MAX), DVec3::splat(f64::MAX)),
            (DVec3::ZERO, DVec3::splat(f64::from_bits(3))),
        ] {
            let lattice = Lattice::around(low, high, 65536.0);
            assert!(
                lattice.step > 0.0 && lattice.step.is_finite() && lattice.origin.is_finite(),
                "{lattice:?}"
            );
        }
    }
}
