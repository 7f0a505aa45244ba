//! What can stand where a mesh is expected: a file, or a shape that the program makes.
//!
//! `shape:NAME` or `shape:NAME:TRIANGLES` is a shape, everything else the path of a file. A file whose own name begins
//! with `shape:` is reached as `./shape:…`.

use std::ffi::{OsStr, OsString};
use std::io::Read;
use std::path::{Path, PathBuf};

use fracas::mesh::{Mesh, shapes};
use rayon::prelude::*;

use crate::error::Failure;
use crate::progress::Progress;

/// A mesh as the user named it.
#[derive(Clone, Debug)]
pub struct Input {
    name: String,
    source: Source,
}

#[derive(Clone, Debug)]
enum Source {
    File(PathBuf),
    Shape { shape: &'static Shape, triangles: usize },
}

/// A mesh that the program can make.
#[derive(Debug)]
struct Shape {
    name: &'static str,
    /// Triangles it has unless a number is given.
    usual: usize,
    least: usize,
    make: fn(usize) -> Mesh,
}

/// More triangles than this are refused: the number is more likely a slip than a wish.
const MOST_TRIANGLES: usize = 50_000_000;

const SHAPES: &[Shape] = &[
    Shape { name: "folded-cloth", usual: 92_000, least: 2_000, make: shapes::folded_cloth },
    Shape { name: "noisy-sphere", usual: 23_000, least: 20, make: |n| shapes::noisy_sphere(n, 0.2, 1) },
    Shape { name: "pumpkin", usual: 10_000, least: 20, make: |n| shapes::pumpkin(10, n) },
    Shape { name: "chazelle", usual: 4_800, least: 60, make: |n| shapes::chazelle((n / 48).max(1)) },
    Shape { name: "creature", usual: 20_000, least: 5_000, make: shapes::creature },
];

/// The names of all shapes, for people.
#[must_use]
pub fn shape_names() -> String {
    SHAPES.iter().map(|shape| shape.name).collect::<Vec<_>>().join(", ")
}

impl Input {
    /// Understands one word of the command line. Whether a file is there shows when it is loaded.
    ///
    /// # Errors
    /// A shape with an unknown name or an impossible number of triangles.
    ///
    /// ```
    /// use fracas_cli::input::Input;
    /// let sphere = Input::parse("shape:noisy-sphere:500".as_ref()).unwrap();
    /// assert_eq!(sphere.load(false).unwrap().triangle_count(), 500);
    /// assert!(Input::parse("shape:noisy-sphere:5".as_ref()).is_err());
    /// ```
    pub fn parse(word: &OsStr) -> Result<Self, Failure> {
        let name = word.to_string_lossy().into_owned();
        let source = match name.strip_prefix("shape:") {
            Some(wish) => shape(&name, wish)?,
            None => Source::File(word.into()),
        };
        Ok(Self { name, source })
    }

    /// A file, whatever its name.
    #[must_use]
    pub fn from_file(path: PathBuf) -> Self {
        Self { name: path.to_string_lossy().into_owned(), source: Source::File(path) }
    }

    /// The word on the command line.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The file to be read, if it is one.
    #[must_use]
    pub fn file(&self) -> Option<&Path> {
        match &self.source {
            Source::File(path) => Some(path),
            Source::Shape { .. } => None,
        }
    }

    /// Reads or makes the mesh; `merge` makes vertices at equal positions one.
    ///
    /// # Errors
    /// A file that cannot be read, by file and place.
    pub fn load(&self, merge: bool) -> Result<Mesh, Failure> {
        let mut mesh = match &self.source {
            Source::File(path) => fracas_io::read(path)?,
            Source::Shape { shape, triangles } => (shape.make)(*triangles),
        };
        if merge {
            mesh.merge_equal_vertices();
        }
        Ok(mesh)
    }
}

/// Understands all words.
///
/// # Errors
/// Those of the first word that makes no sense.
pub fn parse_all(words: &[OsString]) -> Result<Vec<Input>, Failure> {
    words.iter().map(|word| Input::parse(word)).collect()
}

/// Loads all meshes, several at a time; results come in the order of the inputs.
#[must_use]
pub fn load_all(inputs: &[Input], merge: bool, progress: &Progress) -> Vec<Result<Mesh, Failure>> {
    progress.begin("loading", inputs.len());
    inputs
        .par_iter()
        .map(|input| {
            let mesh = input.load(merge);
            progress.advance();
            mesh
        })
        .collect()
}

/// The text of a file or a pipe. Devices are refused, since some never end; bytes that are no text are shown as they can be.
///
/// # Errors
/// A file that cannot be read, or that is a folder or a device.
pub fn read_text(file: &Path) -> Result<String, Failure> {
    let failed = |source| Failure::File { file: file.display().to_string(), source };
    let mut opened = std::fs::File::open(file).map_err(failed)?;
    if is_device(&opened.metadata().map_err(failed)?) {
        return Err(Failure::Device { file: file.display().to_string() });
    }
    let mut bytes = Vec::new();
    opened.read_to_end(&mut bytes).map_err(failed)?;
    Ok(String::from_utf8(bytes)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()))
}

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

/// The shape that `wish` asks for: a name, or a name and a number. `given` is the whole word, for errors.
fn shape(given: &str, wish: &str) -> Result<Source, Failure> {
    let given = given.to_owned();
    let (name, count) = wish.split_once(':').map_or((wish, None), |(name, count)| (name, Some(count)));
    let Some(shape) = SHAPES.iter().find(|shape| shape.name == name) else {
        return Err(Failure::UnknownShape { given, name: name.to_owned(), known: shape_names() });
    };
    let triangles = match count.map(str::parse::<usize>) {
        None => shape.usual,
        Some(Ok(count)) => count,
        Some(Err(_)) => {
            return Err(Failure::NotACount { given, count: count.unwrap_or_default().to_owned() });
        }
    };
    if !(shape.least..=MOST_TRIANGLES).contains(&triangles) {
        let (name, least, most) = (shape.name, shape.least, MOST_TRIANGLES);
        return Err(Failure::CountOutOfRange { given, name, count: triangles, least, most });
    }
    Ok(Source::Shape { shape, triangles })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shape_can_be_made_with_its_usual_and_its_least_number_of_triangles() {
        for shape in SHAPES {
            for (word, count) in [
                (format!("shape:{}", shape.name), shape.usual),
                (format!("shape:{}:{}", shape.name, shape.least), shape.least),
            ] {
                let mesh = Input::parse(word.as_ref()).unwrap().load(false).unwrap();
                assert!(mesh.triangle_count().abs_diff(count) <= count / 10, "{word}");
            }
        }
    }

    #[test]
    fn wrong_shapes_are_refused_with_the_reason() {
        let complaint = |word: &str| Input::parse(word.as_ref()).unwrap_err().to_string();
        let names = shape_names();
        assert_eq!(complaint("shape:"), format!("shape:: there is no shape `` (there are {names})"));
        assert_eq!(
            complaint("shape:ufo:9"),
            format!("shape:ufo:9: there is no shape `ufo` (there are {names})")
        );
        for count in ["", "many", "-5", "1e6", "99999999999999999999999", "500:2"] {
            let word = format!("shape:noisy-sphere:{count}");
            assert_eq!(complaint(&word), format!("{word}: `{count}` is not a number of triangles"));
        }
        assert_eq!(
            complaint("shape:folded-cloth:1999"),
            "shape:folded-cloth:1999: a folded-cloth has 2000 to 50000000 triangles, not 1999"
        );
        assert!(complaint("shape:folded-cloth:50000001").ends_with("not 50000001"));
    }

    #[test]
    fn everything_else_is_a_file() {
        for word in ["bunny.obj", "./shape:noisy-sphere", "Shape:noisy-sphere", "shapes:noisy-sphere", "-"] {
            assert_eq!(Input::parse(word.as_ref()).unwrap().file(), Some(Path::new(word)));
        }
    }
}
