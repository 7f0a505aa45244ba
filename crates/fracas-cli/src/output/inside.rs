//! The answer of `inside`: for people and for programs.

use std::io::{self, Write};

use fracas::Side;
use serde::Serialize;

use super::{Align, Table, grouped, milliseconds, rounded, written};
use crate::questions::inside::Sides;

/// Points that are listed for people.
const LISTED: usize = 20;

#[derive(Serialize)]
struct Document {
    inside: Vec<i8>,
    winding: Vec<f64>,
    distance: Vec<f64>,
    ms: f64,
}

/// `{"inside":[-1|0|1,…],"winding":[…],"distance":[…],"ms":…}`: 1 inside, 0 on the surface, -1 outside; how often the surface goes
/// around the point, exact for points off a closed and oriented mesh; the distance to the surface, never negative; `ms` is the time to locate the points, the tree included.
///
/// # Errors
/// Those of the writer.
pub fn write_json(out: &mut dyn Write, sides: &Sides) -> io::Result<()> {
    let sign = |side: Side| match side {
        Side::Inside => 1,
        Side::On => 0,
        Side::Outside => -1,
    };
    let document = Document {
        inside: sides.located.iter().map(|located| sign(located.side)).collect(),
        winding: sides.located.iter().map(|located| located.winding).collect(),
        distance: sides.located.iter().map(|located| located.distance).collect(),
        ms: milliseconds(sides.build + sides.find),
    };
    serde_json::to_writer(&mut *out, &document)?;
    writeln!(out)
}

/// How many points lie where, and the first of them.
///
/// # Errors
/// Those of the writer.
pub fn write_text(out: &mut dyn Write, sides: &Sides) -> io::Result<()> {
    let count = |side| grouped(sides.located.iter().filter(|located| located.side == side).count());
    writeln!(
        out,
        "Of {} points, {} are inside, {} on the surface, {} outside.",
        grouped(sides.points.len()),
        count(Side::Inside),
        count(Side::On),
        count(Side::Outside)
    )?;
    let mut table = Table::new([Align::Right, Align::Left, Align::Left, Align::Left]);
    table.row(["point", "at", "", "distance to the surface"]);
    for (number, (point, located)) in sides.points.iter().zip(&sides.located).take(LISTED).enumerate() {
        let [x, y, z] = point.to_array().map(rounded);
        let side = match located.side {
            Side::Inside => "inside",
            Side::On => "on the surface",
            Side::Outside => "outside",
        };
        table.row([
            number.to_string(),
            format!("({x}, {y}, {z})"),
            side.to_owned(),
            rounded(located.distance),
        ]);
    }
    if !sides.points.is_empty() {
        writeln!(out)?;
        table.write(out, "  ")?;
    }
    if sides.points.len() > LISTED {
        writeln!(out, "  … and {} more; --json lists all", grouped(sides.points.len() - LISTED))?;
    }
    writeln!(
        out,
        "\nload {}, build {}, find {}",
        written(sides.load),
        written(sides.build),
        written(sides.find)
    )
}
