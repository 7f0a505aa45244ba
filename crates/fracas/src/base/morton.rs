//! Morton codes: the bits of three coordinates, interleaved.
//!
//! Points near each other mostly have codes near each other, and the leading bits of a code are the code of a larger cell.

/// Bits of each coordinate, at most.
pub(crate) const AXIS_BITS: u32 = 19;

/// Spreads the bits of a coordinate, two zeros before each.
#[inline(always)]
pub(crate) fn spread(x: u64) -> u64 {
    u64::from(SPREAD[(x & 0x3ff) as usize]) | u64::from(SPREAD[(x >> 10 & 0x1ff) as usize]) << 30
}

/// Ten bits, spread.
static SPREAD: [u32; 1024] = spread_table();

const fn spread_table() -> [u32; 1024] {
    let mut table = [0; 1024];
    let mut x = 0;
    while x < 1024 {
        let mut bit = 0;
        while bit < 10 {
            table[x] |= ((x >> bit & 1) as u32) << (3 * bit);
            bit += 1;
        }
        x += 1;
    }
    table
}

/// The code of three coordinates.
#[inline(always)]
pub(crate) fn encode(cell: [u64; 3]) -> u64 {
    spread(cell[0]) | spread(cell[1]) << 1 | spread(cell[2]) << 2
}

/// The coordinates of a code. Bits above those of three coordinates are ignored.
pub(crate) fn decode(code: u64) -> [u64; 3] {
    [0, 1, 2].map(|axis| {
        let x = code >> axis & 0x1249_2492_4924_9249;
        let x = (x | x >> 2) & 0x10c3_0c30_c30c_30c3;
        let x = (x | x >> 4) & 0x100f_00f0_0f00_f00f;
        let x = (x | x >> 8) & 0x001f_0000_ff00_00ff;
        let x = (x | x >> 16) & 0x001f_0000_0000_ffff;
        (x | x >> 32) & ((1 << AXIS_BITS) - 1)
    })
}

/// A hash of a code; its upper bits depend on all bits of the code.
#[inline(always)]
pub(crate) fn hash(code: u64) -> u64 {
    (code ^ code >> 31).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_are_interleaved() {
        for cell in [[0, 0, 0], [1, 2, 3], [524_287, 262_144, 77_777]] {
            assert_eq!(decode(encode(cell)), cell);
            assert_eq!(decode(encode(cell) | 0x7f << (3 * AXIS_BITS)), cell);
        }
        assert_eq!(encode([0b101, 0b011, 0b110]), 0b101_110_011);
        let all = (1 << AXIS_BITS) - 1;
        assert_eq!(encode([all; 3]), (1 << (3 * AXIS_BITS)) - 1);
        for bit in 0..AXIS_BITS {
            assert_eq!(spread(1 << bit), 1 << (3 * bit));
        }
    }
}
