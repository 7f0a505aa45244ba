//! Numbers as bytes: varints, and signed numbers folded into unsigned ones.

/// What a reader of numbers can run into.
pub(crate) type Broken = &'static str;

/// Appends a varint: seven bits to a byte, low ones first.
pub(crate) fn put(out: &mut Vec<u8>, mut value: u32) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Appends a signed number; near zero is short.
pub(crate) fn put_signed(out: &mut Vec<u8>, value: i32) {
    put(out, ((value << 1) ^ (value >> 31)) as u32);
}

/// Appends a number as it is.
pub(crate) fn put_f32(out: &mut Vec<u8>, value: f32) {
    out.extend(value.to_le_bytes());
}

/// Takes numbers off the front of bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reader<'a>(pub &'a [u8]);

impl Reader<'_> {
    pub fn byte(&mut self) -> Result<u8, Broken> {
        let (&first, rest) = self.0.split_first().ok_or("it ends early")?;
        self.0 = rest;
        Ok(first)
    }

    pub fn varint(&mut self) -> Result<u32, Broken> {
        let mut value = 0_u32;
        for shift in (0..35).step_by(7) {
            let byte = self.byte()?;
            let bits = u32::from(byte & 0x7f);
            if shift == 28 && bits > 0xf {
                break;
            }
            value |= bits << shift;
            if byte < 0x80 {
                return Ok(value);
            }
        }
        Err("a number has too many bits")
    }

    pub fn signed(&mut self) -> Result<i32, Broken> {
        let folded = self.varint()?;
        Ok((folded >> 1) as i32 ^ -((folded & 1) as i32))
    }

    pub fn f32(&mut self) -> Result<f32, Broken> {
        let (bytes, rest) = self.0.split_first_chunk().ok_or("it ends early")?;
        self.0 = rest;
        Ok(f32::from_le_bytes(*bytes))
    }

    /// A number of items that take at least this many bytes each: more than there can be is refused before anything is
    /// reserved for them.
    pub fn count(&mut self, least_bytes: usize) -> Result<usize, Broken> {
        let count = self.varint()? as usize;
        if count.saturating_mul(least_bytes) > self.0.len() {
            return Err("it claims more items than it has bytes for");
        }
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn numbers_come_back(values in proptest::collection::vec(any::<i32>(), 0..50), shift in 0_u32..32) {
            let mut bytes = Vec::new();
            for &value in &values {
                put_signed(&mut bytes, value >> shift);
                put(&mut bytes, value as u32 >> shift);
            }
            let mut reader = Reader(&bytes);
            for &value in &values {
                prop_assert_eq!(reader.signed(), Ok(value >> shift));
                prop_assert_eq!(reader.varint(), Ok(value as u32 >> shift));
            }
            prop_assert!(reader.0.is_empty() && reader.byte().is_err());
        }
    }

    #[test]
    fn small_numbers_take_one_byte_and_large_ones_are_refused() {
        let mut bytes = Vec::new();
        (-64..64).for_each(|value| put_signed(&mut bytes, value));
        assert_eq!(bytes.len(), 128);
        assert!(Reader(&[0xff; 9]).varint().is_err());
        assert!(Reader(&[0xff, 0xff, 0xff, 0xff, 0x1f]).varint().is_err());
        assert_eq!(Reader(&[0xff, 0xff, 0xff, 0xff, 0x0f]).varint(), Ok(u32::MAX));
        assert!(Reader(&[200, 1, 0]).count(1).is_err());
    }
}
