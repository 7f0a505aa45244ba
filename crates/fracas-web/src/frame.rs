//! The state of a scene as the bytes of one buffer. The layout is that of `web/src/play/protocol.ts`.
//!
//! Triangles are listed only when they have changed, and then vertices are numbered again: only those in use are written.

use fracas_scenes::play::Play;

/// The version of the layout.
pub const VERSION: u32 = 1;
/// Words before the positions.
pub const HEADER_WORDS: usize = 16;
/// The flag of frames that list triangles, and of the first one of a scene.
pub const TOPOLOGY: u32 = 1;
/// See [`TOPOLOGY`].
pub const FRESH: u32 = 2;

/// Writes frames.
#[derive(Debug, Default)]
pub struct Writer {
    bytes: Vec<u8>,
    /// The vertices in use, in order.
    vertices: Vec<u32>,
    /// The place of every triangle slot in the list; only meaningful for those that are there.
    places: Vec<u32>,
    shown: u32,
    generation: u32,
    /// Whether triangles came or went since they were listed.
    is_stale: bool,
}

impl Writer {
    /// Triangles have come or gone.
    pub fn mark_changed(&mut self) {
        self.is_stale = true;
    }

    /// The last frame that was written.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Writes the state of a scene.
    pub fn write(&mut self, play: &Play) -> &[u8] {
        let frame = play.frame();
        let is_fresh = self.generation == 0;
        let is_listed = is_fresh || std::mem::take(&mut self.is_stale);
        let mut corners: Vec<u32> = vec![];
        let mut of_triangles: [Vec<u32>; 3] = Default::default();
        if is_listed {
            self.generation += 1;
            let mut place = vec![u32::MAX; frame.positions.len()];
            self.places = vec![u32::MAX; frame.fragments.len()];
            self.shown = 0;
            let [fragments, cracks, ids] = &mut of_triangles;
            for triangle in play.triangles() {
                triangle.corners.iter().for_each(|v| place[*v as usize] = 0);
                corners.extend(triangle.corners);
                fragments.push(frame.fragments[triangle.id.index()]);
                cracks.push(u32::from(triangle.is_crack));
                ids.push(triangle.id.0);
                self.places[triangle.id.index()] = self.shown;
                self.shown += 1;
            }
            self.vertices = (0..place.len() as u32).filter(|v| place[*v as usize] == 0).collect();
            self.vertices.iter().zip(0..).for_each(|(v, k)| place[*v as usize] = k);
            corners.iter_mut().for_each(|v| *v = place[*v as usize]);
        }
        let header = [
            VERSION,
            frame.step as u32,
            u32::from(is_listed) * TOPOLOGY + u32::from(is_fresh) * FRESH,
            self.vertices.len() as u32,
            if is_listed { self.shown } else { 0 },
            frame.pairs.len() as u32,
            frame.contacts.len() as u32,
            frame.boxes.len() as u32,
            self.shown,
            self.generation,
            (frame.seconds as f32).to_bits(),
        ];
        let out = &mut self.bytes;
        out.clear();
        let mut put = |word: u32| out.extend(word.to_le_bytes());
        header.into_iter().chain([0; HEADER_WORDS]).take(HEADER_WORDS).for_each(&mut put);
        let mut put_all = |numbers: &[f64]| numbers.iter().for_each(|x| put((*x as f32).to_bits()));
        for v in &self.vertices {
            put_all(&frame.positions[*v as usize].to_array());
        }
        corners.iter().chain(of_triangles.iter().flatten()).for_each(|word| put(*word));
        for pair in &frame.pairs {
            [pair.a, pair.b].into_iter().for_each(|id| put(self.places[id.index()]));
        }
        let mut put_all = |numbers: &[f64]| numbers.iter().for_each(|x| put((*x as f32).to_bits()));
        for contact in &frame.contacts {
            put_all(&contact.point.to_array());
            put_all(&contact.normal.to_array());
            put_all(&[contact.depth]);
        }
        for tree_box in &frame.boxes {
            put_all(&tree_box.low.to_array());
            put_all(&tree_box.high.to_array());
            put_all(&[f64::from(tree_box.level)]);
        }
        &self.bytes
    }
}
