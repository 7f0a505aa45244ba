//! Frames that are packed together: the first stands alone, the others are differences.
//!
//! ```text
//!   frame   positions   list of nodes (`lattice.rs`)
//!           fragments   slots, then runs that differ from the last frame: unchanged, changed, value + 1 (0: dead)
//!           pairs       number, then first and second triangle, each as the difference to the pair before
//!           contacts    number, then point, normal and depth as seven f32
//!           boxes       number of levels, boxes of each, list of lower nodes, list of upper nodes
//! ```

use crate::bytes::{Broken, Reader, put, put_f32, put_signed};
use crate::frame::{Frame, FrameContact};
use crate::lattice::{Lattice, Memory};
use fracas::geom::DVec3;
use fracas::pairs::Pair;
use fracas::tearing::TreeBox;

/// A frame as it was recorded.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StoredFrame {
    /// Where every vertex is, to half a step of the lattice.
    pub positions: Vec<DVec3>,
    /// The fragment of every triangle slot so far; [`Frame::DEAD`] for those that are gone.
    pub fragments: Vec<u32>,
    /// Pairs of triangles that pass through each other.
    pub pairs: Vec<Pair>,
    /// Contacts, in single precision.
    pub contacts: Vec<FrameContact>,
    /// Boxes of trees, each grown by less than a step.
    pub boxes: Vec<TreeBox>,
}

/// What the next frame of a group is compared with.
#[derive(Clone, Debug, Default)]
pub(crate) struct Packer {
    positions: Memory,
    fragments: Vec<u32>,
    low: Memory,
    high: Memory,
    levels: Vec<u32>,
}

impl Packer {
    /// Forgets everything: the next frame stands alone.
    pub fn begin(&mut self) {
        self.positions.clear();
        self.low.clear();
        self.high.clear();
        self.fragments.clear();
        self.levels.clear();
    }

    pub fn put(&mut self, out: &mut Vec<u8>, frame: &Frame, lattice: &Lattice) {
        self.positions.put(out, frame.positions.iter().map(|&p| lattice.nearest(p)).collect());
        self.put_fragments(out, &frame.fragments);
        put(out, frame.pairs.len() as u32);
        let mut before = [0_u32; 2];
        for pair in &frame.pairs {
            let now = [pair.a.0, pair.b.0];
            // The second is compared with the first where that is new, as partners are often near.
            let base = if now[0] == before[0] { before[1] } else { now[0] };
            put_signed(out, now[0].wrapping_sub(before[0]) as i32);
            put_signed(out, now[1].wrapping_sub(base) as i32);
            before = now;
        }
        put(out, frame.contacts.len() as u32);
        for contact in &frame.contacts {
            let [p, n] = [contact.point, contact.normal].map(|v| v.as_vec3().to_array());
            p.into_iter().chain(n).chain([contact.depth as f32]).for_each(|x| put_f32(out, x));
        }
        self.put_boxes(out, &frame.boxes, lattice);
    }

    fn put_fragments(&mut self, out: &mut Vec<u8>, fragments: &[u32]) {
        put(out, fragments.len() as u32);
        self.fragments.resize(fragments.len(), Frame::DEAD);
        let mut at = 0;
        while at < fragments.len() {
            let is_same = |k: &usize| fragments[*k] == self.fragments[*k];
            let same = (at..fragments.len()).take_while(is_same).count();
            at += same;
            put(out, same as u32);
            if at == fragments.len() {
                break;
            }
            let value = fragments[at];
            let run = (at..fragments.len()).take_while(|k| fragments[*k] == value && !is_same(k)).count();
            put(out, run as u32);
            put(out, value.wrapping_add(1));
            at += run;
        }
        self.fragments.copy_from_slice(fragments);
    }

    fn put_boxes(&mut self, out: &mut Vec<u8>, boxes: &[TreeBox], lattice: &Lattice) {
        let levels: Vec<u32> =
            boxes.chunk_by(|a, b| a.level == b.level).map(|level| level.len() as u32).collect();
        put(out, levels.len() as u32);
        levels.iter().for_each(|&count| put(out, count));
        if levels != self.levels {
            self.low.clear();
            self.high.clear();
        }
        self.levels = levels;
        self.low.put(out, boxes.iter().map(|b| lattice.below(b.low)).collect());
        self.high.put(out, boxes.iter().map(|b| lattice.above(b.high)).collect());
    }

    /// Takes a frame off the front.
    pub fn take(&mut self, bytes: &mut Reader, lattice: &Lattice) -> Result<StoredFrame, Broken> {
        let nodes = self.positions.take(bytes)?;
        let positions = nodes.into_iter().map(|node| lattice.position(node)).collect();
        self.take_fragments(bytes)?;
        let count = bytes.count(2)?;
        let mut pairs = Vec::with_capacity(count);
        let mut before = [0_u32; 2];
        for _ in 0..count {
            let a = before[0].wrapping_add(bytes.signed()? as u32);
            let base = if a == before[0] { before[1] } else { a };
            let b = base.wrapping_add(bytes.signed()? as u32);
            before = [a, b];
            pairs.push(Pair::new(a, b));
        }
        let count = bytes.count(28)?;
        let mut contacts = Vec::with_capacity(count);
        for _ in 0..count {
            let mut numbers = [0.0; 7];
            for number in &mut numbers {
                *number = f64::from(bytes.f32()?);
            }
            let [x, y, z, i, j, k, depth] = numbers;
            contacts.push(FrameContact { point: DVec3::new(x, y, z), normal: DVec3::new(i, j, k), depth });
        }
        let boxes = self.take_boxes(bytes, lattice)?;
        Ok(StoredFrame { positions, fragments: self.fragments.clone(), pairs, contacts, boxes })
    }

    fn take_fragments(&mut self, bytes: &mut Reader) -> Result<(), Broken> {
        let slots = bytes.varint()? as usize;
        // Triangles come with positions, so that many slots without bytes for them are a lie.
        if slots > self.fragments.len().saturating_add(0xff_ffff) {
            return Err("it claims too many triangles");
        }
        self.fragments.resize(slots, Frame::DEAD);
        let mut at = 0;
        while at < slots {
            at = at.saturating_add(bytes.varint()? as usize);
            if at >= slots {
                break;
            }
            let run = bytes.varint()? as usize;
            let value = bytes.varint()?.wrapping_sub(1);
            let run =
                self.fragments.get_mut(at..at.saturating_add(run)).ok_or("a run of fragments is too long")?;
            run.fill(value);
            at += run.len();
        }
        if at > slots { Err("a run of fragments is too long") } else { Ok(()) }
    }

    fn take_boxes(&mut self, bytes: &mut Reader, lattice: &Lattice) -> Result<Vec<TreeBox>, Broken> {
        let count = bytes.count(1)?;
        let levels: Vec<u32> = (0..count).map(|_| bytes.varint()).collect::<Result<_, _>>()?;
        if levels != self.levels {
            self.low.clear();
            self.high.clear();
        }
        let (low, high) = (self.low.take(bytes)?, self.high.take(bytes)?);
        let all: u64 = levels.iter().map(|&count| u64::from(count)).sum();
        if low.len() != high.len() || low.len() as u64 != all {
            return Err("levels and boxes do not agree");
        }
        let level_of =
            levels.iter().zip(0..).flat_map(|(&count, level)| std::iter::repeat_n(level, count as usize));
        let boxes = level_of.zip(low.iter().zip(&high)).map(|(level, (&low, &high))| TreeBox {
            level,
            low: lattice.position(low),
            high: lattice.position(high),
        });
        let boxes = boxes.collect();
        self.levels = levels;
        Ok(boxes)
    }
}
