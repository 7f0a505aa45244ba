//! A file or a slice, read through one small window.
//!
//! The readers push positions and triangles straight into their final arrays, so the window is the only other memory
//! that a large file takes. The window grows only for a caller that asks for more than it holds: a long line of text.
//!
//! The size of the input is always known. It bounds what a reader reserves for counts that a header claims, and what is read: not
//! a byte more, even of a file that grows. Pipes do not tell their size, so they are read into memory first. Devices are refused:
//! some never end.

use std::fs::File;
use std::io::{self, Cursor, Read, Seek, SeekFrom};
use std::path::Path;

use crate::error::{Fault, Place, Reason};

/// Large enough that system calls do not count, small enough to stay in the second-level cache.
const WINDOW: usize = 256 * 1024;

/// Bytes in order, seen through a window.
pub(crate) struct Input<'a> {
    source: Source<'a>,
    size: u64,
    /// What is not yet consumed of the window is `buffer[start..end]`.
    buffer: Vec<u8>,
    start: usize,
    end: usize,
    /// Where `buffer[start]` is in the file.
    offset: u64,
}

enum Source<'a> {
    File(File),
    Slice(Cursor<&'a [u8]>),
    Owned(Cursor<Vec<u8>>),
}

impl<'a> Input<'a> {
    /// Opens a file. Folders and empty files are refused.
    pub fn open(path: &Path) -> Result<Self, Fault> {
        let mut file = File::open(path)?;
        let metadata = file.metadata()?;
        if metadata.is_dir() {
            return Err(Fault::whole(Reason::Directory));
        }
        if metadata.is_file() {
            return Self::over(Source::File(file), metadata.len());
        }
        if is_device(&metadata) {
            return Err(Fault::whole(Reason::Device));
        }
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        Self::from_vec(bytes)
    }

    /// Opens a plain file whose first `length` bytes are wanted, and reads no more than these. Everything else is refused before it is
    /// opened: a pipe would wait for somebody to write, and a device may never end.
    pub fn open_plain(path: &Path, length: u64) -> Result<Self, Fault> {
        if !path.metadata()?.is_file() {
            return Err(Fault::whole(Reason::NotPlain));
        }
        let file = File::open(path)?;
        let metadata = file.metadata()?;
        if !metadata.is_file() {
            return Err(Fault::whole(Reason::NotPlain));
        }
        Self::over(Source::File(file), metadata.len().min(length))
    }

    /// Reads from memory.
    pub fn from_slice(bytes: &'a [u8]) -> Result<Self, Fault> {
        Self::over(Source::Slice(Cursor::new(bytes)), bytes.len() as u64)
    }

    /// Reads from memory that the input keeps.
    pub fn from_vec(bytes: Vec<u8>) -> Result<Self, Fault> {
        let size = bytes.len() as u64;
        Self::over(Source::Owned(Cursor::new(bytes)), size)
    }

    /// The same as from a slice, through a window of another size.
    #[cfg(test)]
    pub fn with_window(bytes: &'a [u8], window: usize) -> Result<Self, Fault> {
        let mut input = Self::from_slice(bytes)?;
        input.buffer.resize(window, 0);
        Ok(input)
    }

    fn over(source: Source<'a>, size: u64) -> Result<Self, Fault> {
        if size == 0 {
            return Err(Fault::whole(Reason::Empty));
        }
        // With a byte to spare, so that the end of a small file is found without growing.
        let window = size.saturating_add(1).min(WINDOW as u64) as usize;
        Ok(Self { source, size, buffer: vec![0; window], start: 0, end: 0, offset: 0 })
    }

    /// Size of the whole input in bytes.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Where the next byte is in the file.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// The place of the next byte.
    pub fn place(&self) -> Place {
        Place::Byte(self.offset)
    }

    /// Bytes not yet consumed, in the window and after it.
    pub fn left(&self) -> u64 {
        self.size.saturating_sub(self.offset)
    }

    /// The unread bytes that are at hand.
    #[inline]
    pub fn window(&self) -> &[u8] {
        &self.buffer[self.start..self.end]
    }

    /// The same, to be overwritten by a caller that rewrites what it is about to read.
    pub fn window_mut(&mut self) -> &mut [u8] {
        &mut self.buffer[self.start..self.end]
    }

    /// Steps over bytes of the window.
    #[inline]
    pub fn consume(&mut self, count: usize) {
        debug_assert!(count <= self.end - self.start);
        self.start += count;
        self.offset += count as u64;
    }

    /// Bytes just consumed: `length` of them, of which the last is `after` bytes behind the window.
    #[inline]
    pub fn last_consumed(&self, length: usize, after: usize) -> &[u8] {
        let end = self.start - after;
        &self.buffer[end - length..end]
    }

    /// The window with at least `count` bytes, or with all that are left if they are fewer.
    #[inline]
    pub fn fill(&mut self, count: usize) -> Result<&[u8], Fault> {
        while self.end - self.start < count {
            if !self.read_more()? {
                break;
            }
        }
        Ok(self.window())
    }

    /// Adds bytes to the window. Says whether there were any.
    pub fn read_more(&mut self) -> Result<bool, Fault> {
        if self.end == self.buffer.len() {
            if self.start > 0 {
                self.buffer.copy_within(self.start..self.end, 0);
                self.end -= self.start;
                self.start = 0;
            } else {
                let longer = self.buffer.len() * 2;
                self.buffer.resize(longer, 0);
            }
        }
        let at_hand = (self.end - self.start) as u64;
        let most = self.size.saturating_sub(self.offset + at_hand).min((self.buffer.len() - self.end) as u64);
        loop {
            let free = &mut self.buffer[self.end..self.end + most as usize];
            let read = match &mut self.source {
                Source::File(file) => file.read(free),
                Source::Slice(slice) => slice.read(free),
                Source::Owned(bytes) => bytes.read(free),
            };
            match read {
                Ok(count) => {
                    self.end += count;
                    return Ok(count > 0);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(Fault::new(self.place(), Reason::Io(error))),
            }
        }
    }

    /// Steps over any number of bytes. Says how many of them were missing at the end of the input.
    pub fn skip(&mut self, count: u64) -> Result<u64, Fault> {
        let at_hand = self.window().len() as u64;
        if count <= at_hand {
            self.consume(count as usize);
            return Ok(0);
        }
        let missing = count.saturating_sub(self.left());
        self.seek(self.offset + (count - missing))?;
        Ok(missing)
    }

    /// Goes to a byte of the file.
    pub fn seek(&mut self, offset: u64) -> Result<(), Fault> {
        let in_window = offset.wrapping_sub(self.offset);
        if offset >= self.offset && in_window <= (self.end - self.start) as u64 {
            self.consume(in_window as usize);
            return Ok(());
        }
        match &mut self.source {
            Source::File(file) => file.seek(SeekFrom::Start(offset)),
            Source::Slice(slice) => slice.seek(SeekFrom::Start(offset)),
            Source::Owned(bytes) => bytes.seek(SeekFrom::Start(offset)),
        }?;
        (self.start, self.end, self.offset) = (0, 0, offset);
        Ok(())
    }

    /// Copies the bytes from `offset` on, whatever the window shows; any number of threads may do so at a time. False if they
    /// are not there.
    #[cfg(feature = "parallel")]
    pub fn copy_at(&self, offset: u64, to: &mut [u8]) -> bool {
        let bytes: &[u8] = match &self.source {
            Source::File(file) => return read_at(file, offset, to),
            Source::Slice(slice) => slice.get_ref(),
            Source::Owned(bytes) => bytes.get_ref(),
        };
        let from = usize::try_from(offset).ok().and_then(|at| bytes.get(at..)?.get(..to.len()));
        from.is_some_and(|from| {
            to.copy_from_slice(from);
            true
        })
    }

    /// An error at `place` where fewer bytes are left than the `announced` elements need.
    ///
    /// Readers call it before they reserve memory, so that a false header costs nothing.
    pub fn check_room(&self, place: Place, what: &str, announced: u64, needed: u128) -> Result<(), Fault> {
        let left = self.left();
        if needed <= u128::from(left) {
            return Ok(());
        }
        let what = what.to_owned();
        Err(Fault::new(place, Reason::NotEnoughBytes { what, announced, needed, left }))
    }

    /// The same for elements of at least `each` bytes, at the next byte.
    pub fn check_announced(&self, what: &str, announced: u64, each: u64) -> Result<(), Fault> {
        self.check_room(self.place(), what, announced, u128::from(announced) * u128::from(each))
    }
}

/// Reads from a place of a file without regard to where it stands. False if that fails or the system offers no such call.
#[cfg(feature = "parallel")]
fn read_at(file: &File, offset: u64, to: &mut [u8]) -> bool {
    #[cfg(unix)]
    return std::os::unix::fs::FileExt::read_exact_at(file, to, offset).is_ok();
    #[cfg(not(unix))]
    {
        let _ = (file, offset, to);
        false
    }
}

/// Whether it is a device: a disk, a terminal, or a source of bytes such as `/dev/zero`.
fn is_device(metadata: &std::fs::Metadata) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt;
        let kind = metadata.file_type();
        kind.is_char_device() || kind.is_block_device()
    }
    #[cfg(not(unix))]
    {
        let _ = metadata;
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_read_no_further_than_it_was_declared() {
        let bytes: Vec<u8> = (0..600_000_u32).map(|i| (i % 249) as u8).collect();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("long.bin");
        std::fs::write(&path, &bytes).unwrap();
        for length in [1_u64, 100, 300_000] {
            let mut input = Input::open_plain(&path, length).unwrap();
            let mut seen = Vec::new();
            while !input.fill(1).unwrap().is_empty() {
                seen.extend_from_slice(input.window());
                input.consume(input.window().len());
            }
            assert!(seen == bytes[..length as usize], "{length}");
            let Source::File(file) = &mut input.source else { panic!("a file") };
            assert_eq!(file.stream_position().unwrap(), length);
        }
    }

    #[test]
    fn a_window_smaller_than_the_input_shows_every_byte_once() {
        let bytes: Vec<u8> = (0..1_000_003_u32).map(|i| (i * 31 % 251) as u8).collect();
        let mut input = Input::from_slice(&bytes).unwrap();
        let mut seen = Vec::new();
        while !input.fill(1000).unwrap().is_empty() {
            let step = input.window().len().min(999);
            seen.extend_from_slice(&input.window()[..step]);
            input.consume(step);
            assert_eq!(input.offset(), seen.len() as u64);
            assert_eq!(input.left(), (bytes.len() - seen.len()) as u64);
        }
        assert!(seen == bytes);
    }

    #[test]
    fn the_window_grows_when_asked_for_more_than_it_holds() {
        let bytes: Vec<u8> = (0..900_000_u32).map(|i| (i % 253) as u8).collect();
        let mut input = Input::from_slice(&bytes).unwrap();
        assert!(input.fill(700_000).unwrap()[..700_000] == bytes[..700_000]);
    }

    #[test]
    fn skipping_and_seeking_land_on_the_same_byte_inside_and_outside_the_window() {
        let bytes: Vec<u8> = (0..2_000_000_u32).map(|i| (i * 7 % 256) as u8).collect();
        let mut input = Input::from_slice(&bytes).unwrap();
        for target in [5_u64, 6, 1_500_000, 1_500_001, 17, 1_999_999] {
            input.seek(target).unwrap();
            assert_eq!(input.fill(1).unwrap()[0], bytes[target as usize]);
            assert_eq!(input.offset(), target);
        }
        input.seek(10).unwrap();
        assert_eq!(input.skip(1_000_000).unwrap(), 0);
        assert_eq!(input.offset(), 1_000_010);
        assert_eq!(input.skip(2_000_000).unwrap(), 1_000_010, "so many bytes were missing");
        assert_eq!(input.left(), 0);
    }
}
