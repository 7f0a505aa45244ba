//! Checks where the files of a command will go, before the work begins.

use std::path::Path;

use crate::error::Failure;
use crate::input::Input;

/// What is written, which decides how its name must end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Written {
    /// A marked mesh, `.ply`.
    Ply,
    /// A page, `.html`.
    Page,
    /// Anything: the name may end as it likes.
    Anything,
}

/// Refuses a file that cannot be written, or that a command reads: `option` is what named it.
///
/// # Errors
/// A name with another ending, a folder that is not there, or a file that is one of the inputs.
pub fn check(out: &Path, written: Written, option: &'static str, inputs: &[&Path]) -> Result<(), Failure> {
    let file = out.display().to_string();
    let ends_in = |ending: &str| out.extension().is_some_and(|end| end.eq_ignore_ascii_case(ending));
    match written {
        Written::Ply if !ends_in("ply") => return Err(Failure::OutIsNotPly { file }),
        Written::Page if !ends_in("html") => return Err(Failure::OutIsNotHtml { file }),
        _ => {}
    }
    if let Some(folder) = out.parent()
        && !folder.as_os_str().is_empty()
        && !folder.is_dir()
    {
        return Err(Failure::NoFolder { file, folder: folder.display().to_string() });
    }
    match inputs.iter().any(|input| is_one_file(out, input)) {
        true => Err(Failure::OutIsInput { file, option }),
        false => Ok(()),
    }
}

/// [`check`] for several meshes.
///
/// # Errors
/// As [`check`].
pub fn check_beside(
    out: &Path,
    written: Written,
    option: &'static str,
    inputs: &[Input],
) -> Result<(), Failure> {
    let files: Vec<&Path> = inputs.iter().filter_map(Input::file).collect();
    check(out, written, option, &files)
}

/// Whether two paths lead to one file, through links of either kind.
fn is_one_file(a: &Path, b: &Path) -> bool {
    if let (Ok(a), Ok(b)) = (a.canonicalize(), b.canonicalize())
        && a == b
    {
        return true;
    }
    #[cfg(unix)]
    if let (Ok(a), Ok(b)) = (a.metadata(), b.metadata()) {
        use std::os::unix::fs::MetadataExt;
        return a.is_file() && (a.dev(), a.ino()) == (b.dev(), b.ino());
    }
    false
}
