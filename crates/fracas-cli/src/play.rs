//! `fracas play`: a page in which the library runs and things are broken by hand.
//!
//! The page is built from `web/` and `crates/fracas-web` and committed, so that only a Rust toolchain is needed to build the command. Here it is told what
//! to begin with: a scene, or a mesh whose bytes are put inside.

use std::ffi::OsStr;
use std::io::{self, Write};
use std::path::Path;

use fracas_frames::page::{PLACE, write_base64};
use fracas_io::{Format, Staging};
use fracas_scenes::play::PLAYABLE;

use crate::Status;
use crate::args::PlayArguments;
use crate::error::Failure;
use crate::input::Input;
use crate::place::{self, Written};
use crate::progress::Progress;
use crate::view::{new_folder, show};

/// The page, without a scene.
const PAGE: &str = include_str!("../assets/play.html");

/// What a page begins with.
struct Wish {
    scene: &'static str,
    /// The name of a mesh, and its file.
    mesh: Option<(String, Vec<u8>)>,
}

/// Writes the page for what the arguments name, and opens it.
///
/// # Errors
/// A word that is neither a scene nor a mesh, a mesh that cannot be read, a file that cannot be written, or no browser.
pub fn run(arguments: &PlayArguments, out: &mut dyn Write) -> Result<Status, Failure> {
    let wish = match &arguments.what {
        None => Wish { scene: "plates", mesh: None },
        Some(word) => wish(word, arguments.out.as_deref())?,
    };
    if let Some(out) = &arguments.out {
        place::check(out, Written::Anything, "--out", &[])?;
    }
    let file = match &arguments.out {
        Some(out) => out.clone(),
        None => new_folder("play")?.join("play.html"),
    };
    let mut files = Staging::default();
    files.write(&file, |out| write(out, &wish, arguments.size.name()))?;
    files.commit()?;
    show(&file, arguments.no_open, out)
}

/// What a word names: a scene, else a mesh.
fn wish(word: &OsStr, out: Option<&Path>) -> Result<Wish, Failure> {
    let known = PLAYABLE.iter().filter(|scene| scene.name != "mesh");
    if let Some(scene) = known.into_iter().find(|scene| word == scene.name) {
        return Ok(Wish { scene: scene.name, mesh: None });
    }
    let progress = Progress::start();
    progress.begin("loading", 1);
    let input = Input::parse(word)?;
    if let Some(out) = out {
        place::check_beside(out, Written::Anything, "--out", std::slice::from_ref(&input))?;
    }
    let is_file = input.file().is_some_and(Path::is_file);
    if !is_file && input.file().is_some() && Format::from_path(Path::new(word)).is_none() {
        let scenes = PLAYABLE.iter().map(|scene| scene.name).filter(|name| *name != "mesh");
        return Err(Failure::NotPlayable {
            word: word.to_string_lossy().into_owned(),
            scenes: scenes.collect::<Vec<_>>().join(", "),
        });
    }
    let mesh = input.load(false)?;
    let name = Path::new(input.name())
        .file_name()
        .map_or(input.name().to_owned(), |name| name.to_string_lossy().into_owned());
    // A file goes in as it is, if it needs no other; everything else as PLY.
    let whole = input.file().filter(|file| {
        let format = Format::from_path(file);
        format
            .is_some_and(|format| format != Format::Gltf || file.extension().is_some_and(|end| end == "glb"))
    });
    let own = whole.and_then(|file| std::fs::read(file).ok());
    let (name, bytes) = match own {
        Some(bytes) => (name, bytes),
        None => {
            let name = format!("{}.ply", name.replace(':', "-"));
            let bytes = fracas_io::write_bytes(&mesh, Format::Ply, &name)?;
            (name, bytes)
        }
    };
    Ok(Wish { scene: "mesh", mesh: Some((name, bytes)) })
}

/// Writes the page with a wish inside.
fn write(out: &mut dyn Write, wish: &Wish, size: &str) -> io::Result<()> {
    let (before, after) = PAGE.split_once(PLACE).unwrap_or((PAGE, ""));
    out.write_all(before.as_bytes())?;
    let scene = wish.scene;
    write!(
        out,
        "<script type=\"text/plain\" id=\"fracas-play\" data-scene=\"{scene}\" data-size=\"{size}\""
    )?;
    match &wish.mesh {
        None => write!(out, ">")?,
        Some((name, bytes)) => {
            write!(out, " data-name=\"{}\">", attribute(name))?;
            write_base64(out, bytes)?;
        }
    }
    write!(out, "</script>")?;
    out.write_all(after.as_bytes())
}

/// A text as the value of an attribute.
fn attribute(text: &str) -> String {
    text.replace('&', "&amp;").replace('"', "&quot;").replace('<', "&lt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_has_one_place_for_a_wish_and_asks_for_nothing() {
        assert_eq!(PAGE.matches(PLACE).count(), 1);
        assert!(PAGE.len() <= 4_000_000, "{} bytes", PAGE.len());
        assert!(PAGE.contains("default-src 'none'") && !PAGE.contains("connect-src"));
        assert!(PAGE.contains("id=\"fracas-wasm\"") && PAGE.contains("id=\"fracas-template\""));
    }

    #[test]
    fn names_do_not_end_an_attribute() {
        assert_eq!(attribute("a\"><b>&.obj"), "a&quot;>&lt;b>&amp;.obj");
    }
}
