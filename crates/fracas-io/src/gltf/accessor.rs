//! Buffers, and the numbers that accessors find in them.
//!
//! ```text
//! accessor --> bufferView --> buffer --> bytes in the .glb, in a file beside the document, or in its text
//!  what           where                  opened when the first accessor needs it
//! ```
//!
//! All sums of offsets are checked before a byte is read.

mod numbers;

use std::path::Path;

use base64::Engine as _;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use fracas::geom::DVec3;

use super::document::{Accessor, BufferEntry, Document, no_such};
use crate::error::{Fault, Place, Reason};
use crate::input::Input;

pub(super) use numbers::Kind;

/// A part of an input.
pub(super) struct Span<'a> {
    pub input: Input<'a>,
    pub start: u64,
    pub length: u64,
}

/// The buffers of a document, opened as they are needed.
pub(super) struct Buffers<'a> {
    entries: &'a [BufferEntry<'a>],
    folder: Option<&'a Path>,
    /// The binary chunk of a `.glb` file, until buffer 0 takes it.
    body: Option<Span<'a>>,
    open: Vec<Option<Span<'a>>>,
}

/// Rows of bytes in a buffer.
struct Rows {
    buffer: usize,
    start: u64,
    count: u64,
    size: usize,
    stride: usize,
}

impl<'a> Buffers<'a> {
    pub fn new(entries: &'a [BufferEntry<'a>], folder: Option<&'a Path>, body: Option<Span<'a>>) -> Self {
        Self { entries, folder, body, open: entries.iter().map(|_| None).collect() }
    }

    /// Opens the buffer of an accessor.
    pub fn open_for(&mut self, document: &Document<'_>, accessor: usize) -> Result<(), Fault> {
        if let Some(view) = document.accessor(accessor)?.buffer_view {
            self.span(document.view(view)?.buffer)?;
        }
        Ok(())
    }

    /// Bytes of all buffers that are open.
    pub fn size(&self) -> u64 {
        self.open.iter().flatten().map(|span| span.length).sum()
    }

    /// Appends the positions of an accessor.
    pub fn read_positions(
        &mut self,
        document: &Document<'_>,
        index: usize,
        positions: &mut Vec<DVec3>,
    ) -> Result<(), Fault> {
        let accessor = document.accessor(index)?;
        let place = || Place::Part(format!("accessor {index}"));
        if accessor.shape != "VEC3" {
            let reason = format!("positions are of type {}, not VEC3", accessor.shape);
            return Err(Fault::malformed(place(), reason));
        }
        let Some(number) = Number::of(accessor.component_type) else {
            return Err(unknown_type(accessor.component_type, place()));
        };
        let norm =
            |value: f64, largest: f64| if accessor.normalized { (value / largest).max(-1.0) } else { value };
        let whole = (document, accessor, index);
        // One arm for each type, so that the inner loops have no choice to make.
        match number {
            Number::F32 => self.read_vectors(whole, |b| f32::from_le_bytes(b).into(), positions),
            Number::U32 => {
                self.read_vectors(whole, |b| norm(u32::from_le_bytes(b).into(), 4_294_967_295.0), positions)
            }
            Number::I16 => {
                self.read_vectors(whole, |b| norm(i16::from_le_bytes(b).into(), 32_767.0), positions)
            }
            Number::U16 => {
                self.read_vectors(whole, |b| norm(u16::from_le_bytes(b).into(), 65_535.0), positions)
            }
            Number::I8 => self.read_vectors(whole, |b| norm(i8::from_le_bytes(b).into(), 127.0), positions),
            Number::U8 => self.read_vectors(whole, |b| norm(u8::from_le_bytes(b).into(), 255.0), positions),
        }
    }

    /// Appends positions whose components have `N` bytes.
    fn read_vectors<const N: usize>(
        &mut self,
        (document, accessor, index): (&Document<'_>, &Accessor, usize),
        component: impl Fn([u8; N]) -> f64,
        positions: &mut Vec<DVec3>,
    ) -> Result<(), Fault> {
        let place = || Place::Part(format!("accessor {index}"));
        let vector = |row: &[u8]| match row.as_chunks::<N>().0 {
            &[x, y, z, ..] => DVec3::new(component(x), component(y), component(z)),
            _ => DVec3::NAN,
        };
        let first = positions.len();
        match accessor.buffer_view {
            Some(view) => {
                let rows = self.rows(document, view, accessor.byte_offset, accessor.count, 3 * N, place)?;
                self.for_each(&rows, |row| {
                    positions.push(vector(row));
                    Ok(())
                })?;
            }
            // Without a view all values are zero, but for the sparse ones.
            None => positions.resize(first + accessor.count as usize, DVec3::ZERO),
        }
        let Some(sparse) = &accessor.sparse else { return Ok(()) };
        let mut replaced = self.sparse_indices(document, accessor, index)?.into_iter();
        let values = &sparse.values;
        let rows = self.rows(document, values.buffer_view, values.byte_offset, sparse.count, 3 * N, place)?;
        self.for_each(&rows, |row| {
            if let Some(vertex) = replaced.next() {
                positions[first + vertex as usize] = vector(row);
            }
            Ok(())
        })
    }

    /// Hands over the indices of an accessor, one by one.
    pub fn read_indices(
        &mut self,
        document: &Document<'_>,
        index: usize,
        mut take: impl FnMut(u32) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        let accessor = document.accessor(index)?;
        let place = || Place::Part(format!("accessor {index}"));
        if accessor.shape != "SCALAR" {
            let reason = format!("indices are of type {}, not SCALAR", accessor.shape);
            return Err(Fault::malformed(place(), reason));
        }
        if accessor.sparse.is_some() {
            return Err(Fault::unsupported(place(), "sparse indices of triangles are not read"));
        }
        let Some(view) = accessor.buffer_view else {
            return Err(Fault::malformed(place(), "the indices have no bufferView"));
        };
        let number = index_type(accessor.component_type, place)?;
        let rows = self.rows(document, view, accessor.byte_offset, accessor.count, number.size(), place)?;
        match number {
            Number::U8 => self.for_each(&rows, |row| take(row[0].into())),
            Number::U16 => self.for_each(&rows, |row| take(u16::from_le_bytes([row[0], row[1]]).into())),
            _ => self.for_each(&rows, |row| take(u32::from_le_bytes([row[0], row[1], row[2], row[3]]))),
        }
    }

    /// The elements that a sparse accessor replaces: in ascending order, each within the accessor.
    fn sparse_indices(
        &mut self,
        document: &Document<'_>,
        accessor: &Accessor,
        index: usize,
    ) -> Result<Vec<u32>, Fault> {
        let Some(sparse) = &accessor.sparse else { return Ok(Vec::new()) };
        let place = || Place::Part(format!("accessor {index}, sparse"));
        let number = index_type(sparse.indices.component_type, place)?;
        let (view, offset) = (sparse.indices.buffer_view, sparse.indices.byte_offset);
        let rows = self.rows(document, view, offset, sparse.count, number.size(), place)?;
        let mut indices = Vec::new();
        self.for_each(&rows, |row| {
            let index = number.index(row);
            if u64::from(index) >= accessor.count || indices.last().is_some_and(|&last| last >= index) {
                let reason = format!("index {index} is out of order or beyond {} elements", accessor.count);
                return Err(Fault::malformed(place(), reason));
            }
            indices.push(index);
            Ok(())
        })?;
        Ok(indices)
    }

    /// Finds `count` rows of `size` bytes and checks that the view and the buffer hold them.
    fn rows(
        &mut self,
        document: &Document<'_>,
        view_index: usize,
        offset: u64,
        count: u64,
        size: usize,
        place: impl Fn() -> Place,
    ) -> Result<Rows, Fault> {
        let view = document.view(view_index)?;
        let view_place = || Place::Part(format!("bufferView {view_index}"));
        if let Some(extension) = view.compression() {
            let reason = format!("the geometry is compressed by {extension}, which is not read");
            return Err(Fault::unsupported(view_place(), reason));
        }
        let stride = view.byte_stride.unwrap_or(size as u64);
        if !(size as u64..=252).contains(&stride) {
            let reason =
                format!("the stride of {stride} bytes is less than an element's {size} or more than 252");
            return Err(Fault::malformed(view_place(), reason));
        }
        let length = match count {
            0 => 0,
            _ => u128::from(count - 1) * u128::from(stride) + size as u128,
        };
        let end = u128::from(offset) + length;
        if end > u128::from(view.byte_length) {
            let reason = format!(
                "{count} elements end at byte {end} of bufferView {view_index}, which has {}",
                view.byte_length
            );
            return Err(Fault::malformed(place(), reason));
        }
        let span = self.span(view.buffer)?;
        let end_of_view = u128::from(view.byte_offset) + u128::from(view.byte_length);
        if end_of_view > u128::from(span.length) {
            let reason = format!(
                "the view ends at byte {end_of_view} of buffer {}, which has {}",
                view.buffer, span.length
            );
            return Err(Fault::malformed(view_place(), reason));
        }
        let start = span.start + view.byte_offset + offset;
        Ok(Rows { buffer: view.buffer, start, count, size, stride: stride as usize })
    }

    #[inline]
    fn for_each(
        &mut self,
        rows: &Rows,
        mut take: impl FnMut(&[u8]) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        let place = || Place::Part(format!("buffer {}", rows.buffer));
        let input = &mut self.span(rows.buffer)?.input;
        if rows.count == 0 {
            return Ok(());
        }
        input.seek(rows.start)?;
        let mut left = rows.count;
        while left > 0 {
            let window = input.fill(rows.stride)?;
            if window.len() < rows.size {
                return Err(Fault::malformed(place(), "the buffer is shorter than it says"));
            }
            // The last row in the window need not be followed by the rest of its stride.
            let at_hand = ((window.len() - rows.size) / rows.stride + 1) as u64;
            let at_hand = at_hand.min(left);
            for row in window.chunks(rows.stride).take(at_hand as usize) {
                take(&row[..rows.size])?;
            }
            input.skip(at_hand * rows.stride as u64)?;
            left -= at_hand;
        }
        Ok(())
    }

    fn span(&mut self, index: usize) -> Result<&mut Span<'a>, Fault> {
        let entry = self.entries.get(index).ok_or_else(|| no_such("buffer", index))?;
        if self.open[index].is_none() {
            self.open[index] = Some(self.open_buffer(index, entry)?);
        }
        self.open[index].as_mut().ok_or_else(|| no_such("buffer", index))
    }

    fn open_buffer(&mut self, index: usize, entry: &BufferEntry<'_>) -> Result<Span<'a>, Fault> {
        let place = || Place::Part(format!("buffer {index}"));
        let mut span = match entry.uri.as_ref().map(|uri| &*uri.0) {
            None if index == 0 && self.body.is_some() => {
                self.body.take().ok_or_else(|| no_such("buffer", index))?
            }
            None => return Err(Fault::malformed(place(), "the buffer has no data")),
            Some(uri) => {
                let input = match uri.strip_prefix("data:") {
                    Some(data) => decode_data(data).map_err(|reason| Fault::malformed(place(), reason))?,
                    None => self.open_file(uri, index, entry.byte_length)?,
                };
                let length = input.size();
                Span { input, start: 0, length }
            }
        };
        if span.length < entry.byte_length {
            let reason =
                format!("the buffer has {} bytes, but should have {}", span.length, entry.byte_length);
            return Err(Fault::malformed(place(), reason));
        }
        span.length = entry.byte_length;
        Ok(span)
    }

    /// Opens a plain file inside the folder of the document: links and `..` are resolved first, and may not lead out of it.
    fn open_file(&self, uri: &str, index: usize, length: u64) -> Result<Input<'a>, Fault> {
        let place = || Place::Part(format!("buffer {index} (`{}`)", crate::text::shown(uri.as_bytes())));
        let Some(folder) = self.folder else {
            let reason = "the buffer is in another file, which cannot be found from bytes in memory";
            return Err(Fault::unsupported(place(), reason));
        };
        let name = percent_decoded(uri);
        if uri.contains(':') || Path::new(&name).has_root() {
            return Err(Fault::unsupported(place(), "only buffers in files beside the document are read"));
        }
        // A document without a folder in its path lies in the working folder.
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        let open = || {
            let (folder, file) = (folder.canonicalize()?, folder.join(&name).canonicalize()?);
            if !file.starts_with(&folder) {
                return Err(Fault::whole(Reason::Outside));
            }
            Input::open_plain(&file, length)
        };
        open().map_err(|fault: Fault| Fault::new(place(), fault.reason))
    }
}

/// What follows `data:` in a URI, as bytes.
fn decode_data<'a>(data: &str) -> Result<Input<'a>, String> {
    let Some((_, base64)) = data.split_once(";base64,") else {
        return Err("the embedded buffer is not in base64".into());
    };
    // Some writers leave out the padding at the end.
    let config = GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent);
    let engine = GeneralPurpose::new(&STANDARD, config);
    let bytes = engine.decode(base64).map_err(|error| format!("the base64 text is damaged: {error}"))?;
    Input::from_vec(bytes).map_err(|fault| fault.reason.to_string())
}

/// A URI with `%20` and the like made plain.
fn percent_decoded(uri: &str) -> String {
    let mut bytes = Vec::with_capacity(uri.len());
    let mut rest = uri.as_bytes();
    while let [first, after @ ..] = rest {
        let hex = |byte: u8| (byte as char).to_digit(16);
        let code = match (first, after) {
            (b'%', [high, low, ..]) => hex(*high).zip(hex(*low)).map(|(high, low)| (high * 16 + low) as u8),
            _ => None,
        };
        bytes.push(code.unwrap_or(*first));
        rest = if code.is_some() { &after[2..] } else { after };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The type of a component.
#[derive(Clone, Copy, PartialEq)]
enum Number {
    I8,
    U8,
    I16,
    U16,
    U32,
    F32,
}

impl Number {
    fn of(component_type: u32) -> Option<Self> {
        Some(match component_type {
            5120 => Number::I8,
            5121 => Number::U8,
            5122 => Number::I16,
            5123 => Number::U16,
            5125 => Number::U32,
            5126 => Number::F32,
            _ => return None,
        })
    }

    fn size(self) -> usize {
        match self {
            Number::I8 | Number::U8 => 1,
            Number::I16 | Number::U16 => 2,
            Number::U32 | Number::F32 => 4,
        }
    }

    /// The number at the beginning of the bytes, for the types that indices have.
    #[inline]
    fn index(self, bytes: &[u8]) -> u32 {
        match self.size() {
            1 => bytes[0].into(),
            2 => u16::from_le_bytes([bytes[0], bytes[1]]).into(),
            _ => u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]),
        }
    }
}

fn index_type(component_type: u32, place: impl Fn() -> Place) -> Result<Number, Fault> {
    match Number::of(component_type) {
        Some(number @ (Number::U8 | Number::U16 | Number::U32)) => Ok(number),
        _ => Err(unknown_type(component_type, place())),
    }
}

fn unknown_type(component_type: u32, place: Place) -> Fault {
    Fault::new(place, Reason::Malformed(format!("component type {component_type} does not belong here")))
}
