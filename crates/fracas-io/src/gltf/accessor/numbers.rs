//! Accessors of other things than positions: weights, joints, matrices, key times and key values.

use super::{Accessor, Buffers, Document, Fault, Number, Place, unknown_type};

/// What the components of an accessor may be.
#[derive(Clone, Copy, PartialEq)]
pub(in crate::gltf) enum Kind {
    /// 32-bit floats alone.
    Float,
    /// Floats, or integers that are normalised: −1 to 1, or 0 to 1.
    Fraction,
    /// Unsigned integers of 8 or 16 bits.
    Index,
}

/// All numbers of an accessor, row after row.
pub(in crate::gltf) struct Numbers {
    pub values: Vec<f64>,
    /// How many numbers a row has.
    pub width: usize,
    /// The distance of neighbouring numbers if they were stored as normalised integers, or 0.
    pub step: f64,
}

impl Numbers {
    /// The rows, one after another.
    pub fn rows(&self) -> std::slice::ChunksExact<'_, f64> {
        self.values.chunks_exact(self.width)
    }
}

/// Accessors without bytes of their own are zeros, and may not be longer than this many numbers.
const MOST_ZEROS: u64 = 1 << 22;

impl Buffers<'_> {
    /// The numbers of an accessor of the given shape. They need not be finite.
    pub fn read_numbers(
        &mut self,
        document: &Document<'_>,
        index: usize,
        shape: &'static str,
        kind: Kind,
    ) -> Result<Numbers, Fault> {
        let accessor = document.accessor(index)?;
        let place = || Place::Part(format!("accessor {index}"));
        if accessor.shape != shape {
            let reason = format!("the accessor is of type {}, not {shape}", accessor.shape);
            return Err(Fault::malformed(place(), reason));
        }
        let number =
            number_of(accessor, kind).ok_or_else(|| unknown_type(accessor.component_type, place()))?;
        let width = match shape {
            "SCALAR" => 1,
            "VEC3" => 3,
            "VEC4" => 4,
            _ => 16,
        };
        let size = width * number.size();
        let is_fraction = kind != Kind::Index;
        let row_of = |row: &[u8], values: &mut Vec<f64>| {
            values.extend(row.chunks_exact(number.size()).map(|bytes| number.value(bytes, is_fraction)));
        };
        let mut values = Vec::new();
        match accessor.buffer_view {
            Some(view) => {
                let rows = self.rows(document, view, accessor.byte_offset, accessor.count, size, place)?;
                values.reserve_exact(accessor.count as usize * width);
                self.for_each(&rows, |row| {
                    row_of(row, &mut values);
                    Ok(())
                })?;
            }
            None if accessor.count.saturating_mul(width as u64) > MOST_ZEROS => {
                let reason =
                    format!("{} elements without a bufferView are more than are read", accessor.count);
                return Err(Fault::unsupported(place(), reason));
            }
            None => values.resize(accessor.count as usize * width, 0.0),
        }
        if let Some(sparse) = &accessor.sparse {
            let mut replaced = self.sparse_indices(document, accessor, index)?.into_iter();
            let stored = &sparse.values;
            let rows =
                self.rows(document, stored.buffer_view, stored.byte_offset, sparse.count, size, place)?;
            let mut one = Vec::new();
            self.for_each(&rows, |row| {
                if let Some(element) = replaced.next() {
                    one.clear();
                    row_of(row, &mut one);
                    values[element as usize * width..][..width].copy_from_slice(&one);
                }
                Ok(())
            })?;
        }
        let step = if number == Number::F32 { 0.0 } else { 1.0 / number.largest() };
        Ok(Numbers { values, width, step })
    }
}

/// The type of the components of an accessor, if it is among those that belong there.
fn number_of(accessor: &Accessor, kind: Kind) -> Option<Number> {
    let number = Number::of(accessor.component_type)?;
    let is_right = match (kind, number) {
        (Kind::Float | Kind::Fraction, Number::F32) => true,
        (Kind::Float, _) => false,
        (Kind::Fraction, Number::U32) => false,
        (Kind::Fraction, _) => accessor.normalized,
        (Kind::Index, number) => matches!(number, Number::U8 | Number::U16) && !accessor.normalized,
    };
    is_right.then_some(number)
}

impl Number {
    /// The largest number of an integer type.
    fn largest(self) -> f64 {
        match self {
            Number::I8 => 127.0,
            Number::U8 => 255.0,
            Number::I16 => 32_767.0,
            Number::U16 => 65_535.0,
            Number::U32 => 4_294_967_295.0,
            Number::F32 => 1.0,
        }
    }

    /// The number that the bytes are, as a fraction of the largest one if asked for.
    fn value(self, bytes: &[u8], is_fraction: bool) -> f64 {
        let value = match (self, bytes) {
            (Number::I8, &[a]) => i8::from_le_bytes([a]).into(),
            (Number::U8, &[a]) => a.into(),
            (Number::I16, &[a, b]) => i16::from_le_bytes([a, b]).into(),
            (Number::U16, &[a, b]) => u16::from_le_bytes([a, b]).into(),
            (Number::U32, &[a, b, c, d]) => u32::from_le_bytes([a, b, c, d]).into(),
            (Number::F32, &[a, b, c, d]) => f32::from_le_bytes([a, b, c, d]).into(),
            _ => f64::NAN,
        };
        match self {
            Number::F32 => value,
            _ if is_fraction => (value / self.largest()).max(-1.0),
            _ => value,
        }
    }
}
