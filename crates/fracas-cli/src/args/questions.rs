//! The arguments of `distance`, `near`, `contacts` and `inside`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;

use super::meshes_and_status;

/// The arguments of `fracas distance`.
#[derive(Debug, Args)]
#[command(after_help = meshes_and_status())]
pub struct DistanceArguments {
    /// The first mesh
    #[arg(value_name = "A")]
    pub a: OsString,
    /// The second mesh
    #[arg(value_name = "B")]
    pub b: OsString,
    /// Search no farther than this; meshes that are farther apart have no distance [default: no limit]
    #[arg(long, value_name = "R", value_parser = distance, allow_hyphen_values = true)]
    pub within: Option<f64>,
    /// Write a page that shows the meshes, with a line between the closest points
    #[arg(long, value_name = "FILE.html")]
    pub html: Option<PathBuf>,
    /// Print one JSON document
    #[arg(long)]
    pub json: bool,
}

/// The arguments of `fracas near`.
#[derive(Debug, Args)]
#[command(after_help = meshes_and_status())]
pub struct NearArguments {
    /// A mesh; without a second one, its own features that share no vertex are compared
    #[arg(value_name = "A")]
    pub a: OsString,
    /// Another mesh: features of the first are compared with features of this one
    #[arg(value_name = "B")]
    pub b: Option<OsString>,
    /// The greatest distance that counts
    #[arg(long, value_name = "R", value_parser = distance, allow_hyphen_values = true)]
    pub reach: f64,
    /// First merge vertices at equal positions; STL files need this
    #[arg(long)]
    pub merge: bool,
    /// Write a page that shows the meshes, near triangles in red, with a line for each near pair of features
    #[arg(long, value_name = "FILE.html")]
    pub html: Option<PathBuf>,
    /// Print one JSON document
    #[arg(long)]
    pub json: bool,
}

/// The arguments of `fracas contacts`.
#[derive(Debug, Args)]
#[command(after_help = meshes_and_status())]
pub struct ContactsArguments {
    /// The first mesh
    #[arg(value_name = "A")]
    pub a: OsString,
    /// The second mesh
    #[arg(value_name = "B")]
    pub b: OsString,
    /// Surfaces this far apart are still in contact; open meshes need a thickness above 0
    #[arg(long, value_name = "T", value_parser = thickness, default_value_t = 0.0, allow_hyphen_values = true)]
    pub thickness: f64,
    /// The most contacts of one region of overlap
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u16).range(1..))]
    pub most: u16,
    /// First merge vertices at equal positions; STL files need this
    #[arg(long)]
    pub merge: bool,
    /// Write a page that shows the meshes, with a line for each contact
    #[arg(long, value_name = "FILE.html")]
    pub html: Option<PathBuf>,
    /// Print one JSON document
    #[arg(long)]
    pub json: bool,
}

/// The arguments of `fracas inside`.
#[derive(Debug, Args)]
#[command(after_help = meshes_and_status())]
pub struct InsideArguments {
    /// A closed mesh, or any with --winding
    #[arg(value_name = "MESH")]
    pub mesh: OsString,
    /// The points: the vertices of a mesh, or a text file with three numbers on each line
    #[arg(value_name = "POINTS")]
    pub points: OsString,
    /// First merge vertices of the mesh at equal positions; STL files need this
    #[arg(long)]
    pub merge: bool,
    /// Decide by winding numbers, also for open and broken meshes: a point is inside if its winding number is above a half
    #[arg(long)]
    pub winding: bool,
    /// Print one JSON document
    #[arg(long)]
    pub json: bool,
}

/// A thickness: a finite number that is not negative.
fn thickness(word: &str) -> Result<f64, String> {
    let thickness = distance(word)?;
    if thickness.is_finite() { Ok(thickness) } else { Err("a thickness is finite".to_owned()) }
}

/// A distance: a number that is not negative; `inf` is without limit.
fn distance(word: &str) -> Result<f64, String> {
    match word.parse::<f64>() {
        Ok(distance) if distance >= 0.0 => Ok(distance),
        Ok(_) => Err("a distance is 0 or more".to_owned()),
        Err(_) => Err("this is not a number".to_owned()),
    }
}
