//! Lists, strips and fans of corners become triangles.

/// How the corners of a primitive make triangles.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Mode {
    List,
    Strip,
    Fan,
}

/// Makes triangles of a stream of corners.
pub(super) struct Assembly {
    mode: Mode,
    /// Corners so far: of the present triangle in a list, of all in a strip.
    corners: u64,
    /// The two corners that the next one makes a triangle with.
    kept: [u32; 2],
}

impl Assembly {
    pub fn new(mode: Mode) -> Self {
        Self { mode, corners: 0, kept: [0; 2] }
    }

    #[inline]
    pub fn add(&mut self, corner: u32, triangles: &mut Vec<[u32; 3]>) {
        let [a, b] = self.kept;
        if self.corners < 2 {
            self.kept[self.corners as usize] = corner;
            self.corners += 1;
            return;
        }
        // Every other triangle of a strip is turned, so that all face the same way.
        let turned = self.mode == Mode::Strip && self.corners % 2 == 1;
        triangles.push(if turned { [a, corner, b] } else { [a, b, corner] });
        match self.mode {
            Mode::List => self.corners = 0,
            Mode::Strip => (self.kept, self.corners) = ([b, corner], self.corners + 1),
            Mode::Fan => self.kept = [a, corner],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assemble(mode: Mode, corners: u32) -> Vec<[u32; 3]> {
        let (mut assembly, mut triangles) = (Assembly::new(mode), Vec::new());
        (0..corners).for_each(|corner| assembly.add(corner, &mut triangles));
        triangles
    }

    #[test]
    fn lists_strips_and_fans_follow_the_specification() {
        assert_eq!(assemble(Mode::List, 6), [[0, 1, 2], [3, 4, 5]]);
        // p_i = v_i, v_{i + 1 + i % 2}, v_{i + 2 - i % 2}
        assert_eq!(assemble(Mode::Strip, 6), [[0, 1, 2], [1, 3, 2], [2, 3, 4], [3, 5, 4]]);
        // p_i = v_0, v_{i + 1}, v_{i + 2}, up to the corner that comes first
        assert_eq!(assemble(Mode::Fan, 5), [[0, 1, 2], [0, 2, 3], [0, 3, 4]]);
        for mode in [Mode::List, Mode::Strip, Mode::Fan] {
            assert!(assemble(mode, 2).is_empty());
        }
    }
}
