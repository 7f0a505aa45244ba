//! The kernels' source, and what was compiled from it, kept in a file.
//!
//! Compiling takes about a second, so the result is kept in the user's cache folder, under a name made from everything
//! it depends on: source, options, architecture and the compiler's version. A file is used only if its length and
//! checksum are right; a broken one is compiled again and replaced. If nothing can be written, nothing is kept.

use std::fs;
use std::path::{Path, PathBuf};

/// All files in the order in which they build on each other.
pub(crate) const SOURCE: &str = concat!(
    include_str!("../kernels/machine.h"),
    include_str!("../kernels/layout.h"),
    include_str!("../kernels/grid.h"),
    include_str!("../kernels/filter.h"),
    include_str!("../kernels/decide.h"),
    include_str!("../kernels/kernels.cu"),
);

/// Error bounds count on operations being rounded one by one, and on tiny numbers being kept.
pub(crate) const OPTIONS: [&str; 5] =
    ["--std=c++17", "--fmad=false", "--ftz=false", "--prec-div=true", "--prec-sqrt=true"];

const MAGIC: &[u8; 16] = b"fracas kernels 1";

/// The folder for compiled kernels: `FRACAS_CACHE` if set, else a folder among the user's caches.
pub(crate) fn cache_folder() -> Option<PathBuf> {
    let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    variable("FRACAS_CACHE")
        .or_else(|| variable("XDG_CACHE_HOME").map(|folder| folder.join("fracas")))
        .or_else(|| variable("LOCALAPPDATA").map(|folder| folder.join("fracas")))
        .or_else(|| variable("HOME").map(|folder| folder.join(".cache").join("fracas")))
}

/// The file in which kernels for a target would be kept.
pub(crate) fn cache_file(folder: &Path, target: &str, compiler: (i32, i32), options: &[String]) -> PathBuf {
    let mut text = format!("{target} {}.{} {options:?} ", compiler.0, compiler.1);
    text.push_str(SOURCE);
    folder.join(format!("kernels-{target}-{:016x}.bin", checksum(text.as_bytes())))
}

/// What is kept in a file, if it is there and whole.
pub(crate) fn read(file: &Path) -> Option<Vec<u8>> {
    let bytes = fs::read(file).ok()?;
    let (head, image) = bytes.split_at_checked(MAGIC.len() + 16)?;
    let (magic, numbers) = head.split_at(MAGIC.len());
    let (length, sum) = numbers.split_at(8);
    let whole = magic == MAGIC
        && length == (image.len() as u64).to_le_bytes()
        && sum == checksum(image).to_le_bytes();
    whole.then(|| image.to_vec())
}

/// Keeps an image, if that is possible: first under another name, so that nobody sees half of it.
pub(crate) fn write(file: &Path, image: &[u8]) {
    let mut bytes = MAGIC.to_vec();
    bytes.extend((image.len() as u64).to_le_bytes());
    bytes.extend(checksum(image).to_le_bytes());
    bytes.extend_from_slice(image);
    let Some(folder) = file.parent() else { return };
    let draft = file.with_extension(format!("{}.draft", std::process::id()));
    let written = fs::create_dir_all(folder)
        .and_then(|()| fs::write(&draft, bytes))
        .and_then(|()| fs::rename(&draft, file));
    if written.is_err() {
        // A cache that cannot be written is slow, not wrong.
        fs::remove_file(&draft).ok();
    }
}

/// FNV-1a.
fn checksum(bytes: &[u8]) -> u64 {
    let step = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, step)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kept_image_comes_back_and_a_broken_one_does_not() {
        let folder = tempfile::tempdir().unwrap();
        let file = cache_file(&folder.path().join("new"), "sm_90", (13, 0), &[]);
        assert_eq!(read(&file), None);
        let image: Vec<u8> = (0..1000).map(|k| (k * k) as u8).collect();
        write(&file, &image);
        assert_eq!(read(&file), Some(image.clone()));
        let whole = fs::read(&file).unwrap();
        for cut in [0, 10, 20, 31, 32, 500, whole.len() - 1] {
            fs::write(&file, &whole[..cut]).unwrap();
            assert_eq!(read(&file), None, "{cut}");
        }
        for at in [3, 18, 27, 40, 900] {
            let mut changed = whole.clone();
            changed[at] ^= 4;
            fs::write(&file, changed).unwrap();
            assert_eq!(read(&file), None, "{at}");
        }
        write(&file, &image);
        assert_eq!(read(&file), Some(image));
        let left: Vec<_> = fs::read_dir(file.parent().unwrap()).unwrap().collect();
        assert_eq!(left.len(), 1, "drafts stay behind: {left:?}");
    }

    #[test]
    fn everything_an_image_depends_on_is_in_its_name() {
        let folder = Path::new("somewhere");
        let name =
            |target: &str, minor, option: &str| cache_file(folder, target, (13, minor), &[option.to_owned()]);
        let one = name("sm_90", 0, "");
        assert!(one != name("sm_80", 0, "") && one != name("sm_90", 1, "") && one != name("sm_90", 0, "-DX"));
        assert_eq!(one, name("sm_90", 0, ""));
    }

    #[test]
    fn a_folder_that_cannot_be_made_is_no_failure() {
        let folder = tempfile::tempdir().unwrap();
        let in_the_way = folder.path().join("file");
        fs::write(&in_the_way, "not a folder").unwrap();
        let file = cache_file(&in_the_way, "sm_90", (13, 0), &[]);
        write(&file, &[1, 2, 3]);
        assert_eq!(read(&file), None);
    }
}
