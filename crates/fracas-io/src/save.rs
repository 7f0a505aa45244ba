//! Writes a file whole or not at all.
//!
//! The bytes go to a new file in the same folder, which takes the place of the old one only when all is written. So
//! a full disk or a refused mesh leaves what was there before. Devices and pipes are written to directly.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use crate::error::WriteError;

const BUFFER: usize = 256 * 1024;

/// Creates the file with what `content` writes.
pub(crate) fn save(
    path: &Path,
    content: impl FnOnce(&mut dyn Write) -> Result<(), WriteError>,
) -> Result<(), WriteError> {
    let io = |source: io::Error| WriteError::Io { file: path.display().to_string(), source };
    // Through a link, the file it leads to is replaced and the link stays.
    let target = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    if let Ok(metadata) = fs::metadata(&target)
        && !metadata.is_file()
    {
        // A folder is refused here by the system.
        let file = OpenOptions::new().write(true).open(&target).map_err(io)?;
        return fill(file, content, io);
    }
    let (file, part) = create_beside(&target).map_err(io)?;
    let written = fill(file, content, io).and_then(|()| fs::rename(&part, &target).map_err(io));
    if written.is_err() {
        // The error that matters is the first one.
        let _ = fs::remove_file(&part);
    }
    written
}

fn fill(
    file: File,
    content: impl FnOnce(&mut dyn Write) -> Result<(), WriteError>,
    io: impl Fn(io::Error) -> WriteError,
) -> Result<(), WriteError> {
    let mut out = BufWriter::with_capacity(BUFFER, file);
    content(&mut out)?;
    out.flush().map_err(io)
}

/// A new file in the folder of the target, and its name.
fn create_beside(target: &Path) -> io::Result<(File, PathBuf)> {
    static COUNTER: AtomicU64 = AtomicU64::new(0);
    let name = target.file_name().ok_or_else(|| io::Error::other("this is not the name of a file"))?;
    loop {
        let mut part = std::ffi::OsString::from(".");
        part.push(name);
        let number = COUNTER.fetch_add(1, Ordering::Relaxed);
        part.push(format!(".{}-{number}.part", std::process::id()));
        let part = target.with_file_name(part);
        match OpenOptions::new().write(true).create_new(true).open(&part) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            result => return result.map(|file| (file, part)),
        }
    }
}
