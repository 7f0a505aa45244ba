//! How the structures pass keys: one instant after the other.

use super::plan::{Plans, Track};

/// If more than one in this many vertices changes its plan or piece at once, a structure renews all certificates in one pass.
const FEW: usize = 8;

impl Plans {
    /// The next key that has not been passed.
    #[inline]
    pub(super) fn next_key(&self) -> Option<f64> {
        self.keys.first().map(|key| key.time)
    }

    /// Moves on to the next key; afterwards the vertices of its block, which is returned, are on the pieces that begin there.
    pub(super) fn pass_key(&mut self) -> u32 {
        let Some(key) = self.keys.pop() else { unreachable!("callers look at the next key first") };
        self.now = self.now.max(key.time);
        let block = &mut self.blocks[key.slot as usize];
        block.passed += 1;
        self.keys.set(key.slot, block.times.get(block.passed).copied());
        key.slot
    }

    /// Passes all keys of the next instant. Lists the vertices that are on new pieces, or returns false if these are many.
    pub(super) fn pass_keys(&mut self, vertices: &mut Vec<u32>) -> bool {
        vertices.clear();
        let instant = self.next_key();
        let mut few = true;
        while instant.is_some() && self.next_key() == instant {
            let block = self.pass_key();
            few &= !self.is_most(self.blocks[block as usize].users);
            if few {
                self.list_followers(block, vertices);
            }
        }
        few && !self.is_most(vertices.len())
    }

    /// Moves on within the present pieces.
    pub(super) fn wait_until(&mut self, time: f64) {
        debug_assert!(time >= self.now && self.next_key().is_none_or(|key| time <= key));
        self.now = time;
    }

    /// Whether a number of vertices is a large share of all.
    pub(super) fn is_most(&self, vertices: usize) -> bool {
        FEW * vertices > self.tracks.len()
    }

    /// Appends the vertices that follow a block.
    fn list_followers(&self, block: u32, vertices: &mut Vec<u32>) {
        let columns = self.blocks[block as usize].columns() as u32;
        let all = (0..columns).map(|column| (self.blocks[block as usize].vertex(column), column));
        let follows =
            |&(vertex, column): &(u32, u32)| self.tracks[vertex as usize] == Track { block, column };
        vertices.extend(all.filter(follows).map(|(vertex, _)| vertex));
    }
}
