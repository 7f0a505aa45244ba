//! A hash of everything that steps leave behind, times apart.

use crate::Frame;

/// FNV-1a in words of eight bytes, with a rotation so that high bits reach low ones.
pub(super) struct Hash(u64);

impl Default for Hash {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Hash {
    fn word(&mut self, word: u64) {
        self.0 = (self.0 ^ word).wrapping_mul(0x0100_0000_01b3).rotate_left(23);
    }

    /// Takes in a frame. Boxes are left out: whether there are any is a matter of what is looked at.
    pub fn note(&mut self, frame: &Frame) {
        self.word(frame.step as u64);
        frame.positions.iter().flat_map(|p| p.to_array()).for_each(|x| self.word(x.to_bits()));
        frame.removed.iter().for_each(|id| self.word(id.0.into()));
        for new in &frame.added {
            self.word(new.id.0.into());
            new.corners.iter().for_each(|v| self.word((*v).into()));
            self.word(new.is_crack.into());
        }
        frame.fragments.iter().for_each(|fragment| self.word((*fragment).into()));
        for pair in &frame.pairs {
            self.word(u64::from(pair.a.0) << 32 | u64::from(pair.b.0));
        }
        for contact in &frame.contacts {
            let numbers = contact.point.to_array().into_iter().chain(contact.normal.to_array());
            numbers.chain([contact.depth]).for_each(|x| self.word(x.to_bits()));
        }
        frame.counters.iter().for_each(|(_, value)| self.word(value.to_bits()));
    }

    pub fn value(&self) -> u64 {
        self.0
    }
}
