//! A whole recording as bytes, and back.

use crate::bytes::Reader;
use crate::group::{Packer, StoredFrame};
use crate::header::Header;
use crate::lattice::Lattice;
use crate::triangles::{self, StoredTriangle};
use crate::{MAGIC, ReadError, VERSION};
use flate2::Compression;
use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;
use fracas::geom::DVec3;
use std::io::{Read, Write};

/// Sections before the groups: header and triangles.
const BEFORE_GROUPS: usize = 2;
/// A section does not unpack to more than this.
const MOST_UNPACKED: u64 = 1 << 30;

/// A recording, packed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recording {
    sections: Vec<Vec<u8>>,
}

/// A recording, unpacked.
#[derive(Clone, Debug, PartialEq)]
pub struct Stored {
    /// What it says about itself.
    pub header: Header,
    /// All triangles there ever were.
    pub triangles: Vec<StoredTriangle>,
    /// All frames.
    pub frames: Vec<StoredFrame>,
}

impl Recording {
    pub(crate) fn of_sections(sections: Vec<Vec<u8>>) -> Self {
        Self { sections }
    }

    /// The beginning: all lengths, header and triangles. With the groups behind it, it is the whole.
    #[must_use]
    pub fn head(&self) -> Vec<u8> {
        let mut head = MAGIC.to_vec();
        let lengths = self.sections.iter().map(|section| section.len() as u32);
        let numbers = [VERSION, self.sections.len() as u32].into_iter().chain(lengths);
        head.extend(numbers.flat_map(u32::to_le_bytes));
        self.sections[..BEFORE_GROUPS].iter().for_each(|section| head.extend(section));
        head
    }

    /// The groups of frames, packed, in order.
    #[must_use]
    pub fn groups(&self) -> &[Vec<u8>] {
        &self.sections[BEFORE_GROUPS..]
    }

    /// How many bytes it has.
    #[must_use]
    pub fn size(&self) -> usize {
        MAGIC.len() + 8 + self.sections.iter().map(|section| 4 + section.len()).sum::<usize>()
    }

    /// All of it.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = self.head();
        self.groups().iter().for_each(|group| bytes.extend(group));
        bytes
    }

    /// Takes bytes for a recording; what is in its sections shows when it is unpacked.
    ///
    /// # Errors
    /// Bytes that are something else, of another version, or too few.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, ReadError> {
        let rest = bytes.strip_prefix(&MAGIC).ok_or(ReadError::NotOurs)?;
        let word = |k: usize| {
            let have = rest.get(4 * k..4 * k + 4).and_then(|word| word.try_into().ok());
            have.map(u32::from_le_bytes)
                .ok_or(ReadError::Truncated { have: bytes.len(), need: MAGIC.len() + 4 * (k + 1) })
        };
        let version = word(0)?;
        if version != VERSION {
            return Err(ReadError::Version { found: version, known: VERSION });
        }
        let count = word(1)? as usize;
        if count < BEFORE_GROUPS {
            return Err(ReadError::Damaged { section: 0, what: "there are too few sections" });
        }
        let lengths: Vec<usize> =
            (0..count).map(|k| word(2 + k).map(|length| length as usize)).collect::<Result<_, _>>()?;
        let begin = MAGIC.len() + 4 * (2 + count);
        let need = lengths.iter().fold(begin, |sum, &length| sum.saturating_add(length));
        if bytes.len() < need {
            return Err(ReadError::Truncated { have: bytes.len(), need });
        }
        let mut at = begin;
        let section = |length: usize| {
            at += length;
            bytes[at - length..at].to_vec()
        };
        Ok(Self { sections: lengths.into_iter().map(section).collect() })
    }

    /// Unpacks the header alone.
    ///
    /// # Errors
    /// A header that makes no sense.
    pub fn header(&self) -> Result<Header, ReadError> {
        let text = self.unpacked(0)?;
        serde_json::from_slice(&text).map_err(|_| ReadError::Damaged { section: 0, what: "it is no header" })
    }

    /// Unpacks everything.
    ///
    /// # Errors
    /// The first section that makes no sense.
    pub fn unpack(&self) -> Result<Stored, ReadError> {
        let header = self.header()?;
        let damaged = |section: usize| move |what| ReadError::Damaged { section, what };
        let triangles = triangles::decode(&self.unpacked(1)?).map_err(damaged(1))?;
        let lattice = Lattice { origin: DVec3::from_array(header.origin), step: header.step };
        let mut frames = Vec::new();
        for section in BEFORE_GROUPS..self.sections.len() {
            let bytes = self.unpacked(section)?;
            let (mut reader, mut packer) = (Reader(&bytes), Packer::default());
            while !reader.0.is_empty() {
                frames.push(packer.take(&mut reader, &lattice).map_err(damaged(section))?);
            }
        }
        if frames.len() != header.frames {
            return Err(ReadError::Damaged { section: 0, what: "it promises another number of frames" });
        }
        Ok(Stored { header, triangles, frames })
    }

    fn unpacked(&self, section: usize) -> Result<Vec<u8>, ReadError> {
        let mut bytes = Vec::new();
        let mut stream = ZlibDecoder::new(&self.sections[section][..]).take(MOST_UNPACKED);
        match stream.read_to_end(&mut bytes) {
            Ok(_) if (bytes.len() as u64) < MOST_UNPACKED => Ok(bytes),
            _ => Err(ReadError::Damaged { section, what: "it cannot be unpacked" }),
        }
    }
}

/// A zlib stream of bytes, made quickly or small.
pub(crate) fn deflated(bytes: &[u8], quick: bool) -> Vec<u8> {
    let level = if quick { Compression::fast() } else { Compression::default() };
    let mut encoder = ZlibEncoder::new(Vec::new(), level);
    encoder.write_all(bytes).and_then(|()| encoder.finish()).expect("memory takes all")
}
