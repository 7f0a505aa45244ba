//! Files that appear whole, and together.
//!
//! ```text
//!   write a  ──▶ .fracas-71-0.part ─┐
//!   write b  ──▶ .fracas-71-1.part ─┤ commit ──▶ rename all      a and b are new
//!   write c  ──▶ disk is full ──────┘ drop   ──▶ remove parts    a and b are as they were
//! ```
//!
//! Bytes go to a new file with a name of its own, in the folder of the file they are meant for. When all files of a
//! command are written and synced, each is renamed to its final name. So no program ever sees half a file: not after a full
//! disk, not after a kill, and not if several programs write the same name at once; then the last one wins.
//!
//! A program that is killed may leave files behind whose names begin with `.fracas-` and end in `.part` or `.old`. They disturb
//! nothing and can be deleted.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use fracas::mesh::Mesh;

use crate::error::WriteError;
use crate::ply;

const BUFFER: usize = 256 * 1024;

/// Files that are written aside and take their places together.
///
/// # Limits
/// Several files cannot be renamed in one instant. Where the second rename fails, the first file is put back, which needs a
/// file system with hard links. A kill between two renames leaves the first file new and the second old; each is whole. Devices
/// and pipes have no place to be renamed to: their bytes are kept in memory and written when all else is ready.
///
/// ```
/// # let folder = std::env::temp_dir().join(format!("fracas-staging-{}", std::process::id()));
/// # std::fs::create_dir_all(&folder)?;
/// use fracas_io::Staging;
/// let (list, sum) = (folder.join("list.txt"), folder.join("sum.txt"));
/// let mut files = Staging::default();
/// files.write(&list, |out| writeln!(out, "1 2 3"))?;
/// files.write(&sum, |out| writeln!(out, "6"))?;
/// assert!(!list.exists());
/// files.commit()?;
/// assert_eq!(std::fs::read_to_string(sum)?, "6\n");
/// # std::fs::remove_dir_all(&folder)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Default)]
pub struct Staging {
    parts: Vec<Part>,
    direct: Vec<Direct>,
}

/// A file that waits beside its place.
#[derive(Debug)]
struct Part {
    file: String,
    target: PathBuf,
    /// Where it waits; gone when it has taken its place.
    temporary: Option<PathBuf>,
    /// What was there before, under another name, while it may have to be put back.
    old: Option<PathBuf>,
    existed: bool,
}

/// Bytes for a device or a pipe.
#[derive(Debug)]
struct Direct {
    file: String,
    target: PathBuf,
    bytes: Vec<u8>,
}

impl Staging {
    /// Writes a file aside. Nothing is to be seen of it before [`Staging::commit`]. Through a symbolic link, the file it leads to is
    /// meant, and permissions stay as they are.
    ///
    /// # Errors
    /// A failure of the system, or a file that is part of the staging already. Other files of the staging are not affected.
    pub fn write(
        &mut self,
        path: impl AsRef<Path>,
        content: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), WriteError> {
        let path = path.as_ref();
        let failed = |source| WriteError::Io { file: path.display().to_string(), source };
        self.stage(path, |out| content(out).map_err(failed))
    }

    /// Writes meshes aside as [`write_ply_coloured`](crate::write_ply_coloured) does.
    ///
    /// # Errors
    /// As [`Staging::write`], and those of `write_ply_coloured`.
    pub fn write_ply_coloured(
        &mut self,
        path: impl AsRef<Path>,
        meshes: &[(&Mesh, &[bool])],
    ) -> Result<(), WriteError> {
        let path = path.as_ref();
        let file = path.display().to_string();
        self.stage(path, |out| ply::write_coloured(out, meshes, &file))
    }

    pub(crate) fn stage(
        &mut self,
        path: &Path,
        content: impl FnOnce(&mut dyn Write) -> Result<(), WriteError>,
    ) -> Result<(), WriteError> {
        let file = path.display().to_string();
        let failed = |source: io::Error| WriteError::Io { file: path.display().to_string(), source };
        let target = true_path(path);
        let taken = self.parts.iter().map(|part| &part.target).chain(self.direct.iter().map(|it| &it.target));
        if taken.into_iter().any(|taken| *taken == target) {
            return Err(WriteError::Twice { file });
        }
        let before = fs::metadata(&target).ok();
        if before.as_ref().is_some_and(|before| !before.is_file()) {
            if before.is_some_and(|before| before.is_dir()) {
                // The system says best what is wrong with that.
                OpenOptions::new().write(true).open(&target).map_err(failed)?;
            }
            let mut bytes = Vec::new();
            content(&mut bytes)?;
            self.direct.push(Direct { file, target, bytes });
            return Ok(());
        }
        let (out, temporary) = create_beside(&target, "part").map_err(failed)?;
        // From here on, dropping the staging removes it.
        let existed = before.is_some();
        self.parts.push(Part { file, target, temporary: Some(temporary), old: None, existed });
        let written = fill(&out, content, failed).and_then(|()| match before {
            Some(before) => out.set_permissions(before.permissions()).map_err(failed),
            None => Ok(()),
        });
        if written.is_err()
            && let Some(part) = self.parts.pop()
        {
            part.remove_parts();
        }
        written
    }

    /// Puts all files in their places.
    ///
    /// # Errors
    /// A failure of the system. Files are then as they were before, with the limits that [`Staging`] states.
    pub fn commit(mut self) -> Result<(), WriteError> {
        for Direct { file, target, bytes } in &self.direct {
            let failed = |source| WriteError::Io { file: file.clone(), source };
            let mut out = OpenOptions::new().write(true).open(target).map_err(failed)?;
            out.write_all(bytes).and_then(|()| out.flush()).map_err(failed)?;
        }
        if self.parts.len() > 1 {
            self.parts
                .iter_mut()
                .filter(|part| part.existed)
                .for_each(|part| part.old = linked(&part.target));
        }
        for number in 0..self.parts.len() {
            let part = &mut self.parts[number];
            let Some(temporary) = &part.temporary else { continue };
            if let Err(source) = fs::rename(temporary, &part.target) {
                let error = WriteError::Io { file: part.file.clone(), source };
                self.parts[..number].iter_mut().for_each(Part::put_back);
                return Err(error);
            }
            part.temporary = None;
        }
        let mut folders: Vec<&Path> = self.parts.iter().filter_map(|part| part.target.parent()).collect();
        folders.sort_unstable();
        folders.dedup();
        for folder in folders {
            // Renames are on the disk as soon as their folder is. Not every system can do that, and then it does it later.
            let _ = File::open(folder).and_then(|folder| folder.sync_all());
        }
        Ok(())
    }
}

impl Part {
    /// Removes the files beside the target. What cannot be removed does no harm.
    fn remove_parts(&self) {
        for file in [&self.temporary, &self.old].into_iter().flatten() {
            let _ = fs::remove_file(file);
        }
    }

    /// Puts back what was there before.
    fn put_back(&mut self) {
        // The error that led here is the one that is reported.
        match self.old.take() {
            Some(old) => drop(fs::rename(old, &self.target)),
            None if !self.existed => drop(fs::remove_file(&self.target)),
            None => {}
        }
    }
}

impl Drop for Staging {
    /// Removes what did not take its place.
    fn drop(&mut self) {
        self.parts.iter().for_each(Part::remove_parts);
    }
}

/// Creates one file with what `content` writes, whole or not at all.
pub(crate) fn save(
    path: &Path,
    content: impl FnOnce(&mut dyn Write) -> Result<(), WriteError>,
) -> Result<(), WriteError> {
    let mut files = Staging::default();
    files.stage(path, content)?;
    files.commit()
}

fn fill(
    file: &File,
    content: impl FnOnce(&mut dyn Write) -> Result<(), WriteError>,
    failed: impl Fn(io::Error) -> WriteError,
) -> Result<(), WriteError> {
    let mut out = BufWriter::with_capacity(BUFFER, file);
    content(&mut out)?;
    out.flush().map_err(&failed)?;
    file.sync_all().map_err(failed)
}

/// The file that a path leads to, by a name that is the same for all paths that lead there.
fn true_path(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        match (folder.canonicalize(), path.file_name()) {
            (Ok(folder), Some(name)) => folder.join(name),
            _ => path.to_owned(),
        }
    })
}

/// A name in the folder of the target that no other program has.
fn name_beside(target: &Path, ending: &str) -> io::Result<PathBuf> {
    static COUNTER: AtomicU64 = AtomicU64::new(0);
    if target.file_name().is_none() {
        return Err(io::Error::other("this is not the name of a file"));
    }
    let number = COUNTER.fetch_add(1, Ordering::Relaxed);
    Ok(target.with_file_name(format!(".fracas-{}-{number}.{ending}", std::process::id())))
}

/// A new file in the folder of the target, and its name.
fn create_beside(target: &Path, ending: &str) -> io::Result<(File, PathBuf)> {
    loop {
        let name = name_beside(target, ending)?;
        match OpenOptions::new().write(true).create_new(true).open(&name) {
            // Left behind by a program of the same number, or written by one on another machine.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            result => return result.map(|file| (file, name)),
        }
    }
}

/// A second name for a file, where the system has such.
fn linked(target: &Path) -> Option<PathBuf> {
    loop {
        let name = name_beside(target, "old").ok()?;
        match fs::hard_link(target, &name) {
            Ok(()) => return Some(name),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(_) => return None,
        }
    }
}
