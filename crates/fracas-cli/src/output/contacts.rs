//! The answer of `contacts`: for people and for programs.

use std::io::{self, Write};
use std::path::Path;

use fracas::{Contact, ContactParts};
use serde::Serialize;
use serde_json::{Value, json};

use super::text::FEW;
use super::{grouped, milliseconds, rounded, text, written};
use crate::questions::contacts::{Contacts, Contained};
use crate::questions::named_features;

#[derive(Serialize)]
struct Document {
    contacts: Vec<Value>,
    depth: Option<f64>,
    direction: Option<[f64; 3]>,
    inside: Option<&'static str>,
    ms: f64,
}

/// `{"contacts":[{"point":[x,y,z],"points":[[x,y,z],[x,y,z]],"normal":[x,y,z],"depth":…,"region":…,"triangles":[a,b]|null,"features":{…}|null},…],
/// "depth":…|null,"direction":[x,y,z]|null,"inside":null|"a_in_b"|"b_in_a","ms":…}`: regions one after the other, the deepest first. A contact's
/// point is the middle of its two, its normal points from the first mesh to the second, and features are written as in the answer of
/// `distance`. Depth and direction are those of the deepest contact.
///
/// # Errors
/// Those of the writer.
pub fn write_json(out: &mut dyn Write, found: &Contacts) -> io::Result<()> {
    let contacts = found.contacts.iter().map(named).collect();
    let deepest = found.contacts.iter().max_by(|a, b| a.depth.total_cmp(&b.depth));
    let document = Document {
        contacts,
        depth: deepest.map(|contact| contact.depth),
        direction: deepest.map(|contact| contact.normal.to_array()),
        inside: found.inside.map(|contained| match contained {
            Contained::FirstInSecond => "a_in_b",
            Contained::SecondInFirst => "b_in_a",
        }),
        ms: milliseconds(found.build + found.find),
    };
    serde_json::to_writer(&mut *out, &document)?;
    writeln!(out)
}

fn named(contact: &Contact) -> Value {
    let (triangles, features) = match &contact.between {
        ContactParts::Triangles(a, b) => (json!([a.0, b.0]), Value::Null),
        ContactParts::Features(features) => (Value::Null, named_features(features)),
        ContactParts::Sample { .. } => (Value::Null, Value::Null),
    };
    json!({
        "point": (0.5 * (contact.points[0] + contact.points[1])).to_array(),
        "points": contact.points.map(|p| p.to_array()),
        "normal": contact.normal.to_array(),
        "depth": contact.depth,
        "region": contact.region,
        "triangles": triangles,
        "features": features,
    })
}

/// How many contacts there are, and the first of them.
///
/// # Errors
/// Those of the writer.
pub fn write_text(out: &mut dyn Write, found: &Contacts, page: Option<&Path>) -> io::Result<()> {
    let count = found.contacts.len();
    if count == 0 {
        writeln!(out, "The meshes do not touch.")?;
    } else {
        let (regions, noun) = (found.regions(), if count == 1 { "contact" } else { "contacts" });
        let places =
            if regions == 1 { "one region".to_owned() } else { format!("{} regions", grouped(regions)) };
        let inside = match found.inside {
            None => "",
            Some(Contained::FirstInSecond) => " Mesh 0 is inside mesh 1.",
            Some(Contained::SecondInFirst) => " Mesh 1 is inside mesh 0.",
        };
        writeln!(out, "{} {noun} in {places}.{inside}\n", grouped(count))?;
        for contact in found.contacts.iter().take(FEW) {
            let vector = |v: fracas::DVec3| {
                let [x, y, z] = v.to_array().map(rounded);
                format!("({x}, {y}, {z})")
            };
            writeln!(
                out,
                "  region {}: {} deep at {}, way out {}",
                contact.region,
                rounded(contact.depth),
                vector(contact.points[0]),
                vector(contact.normal)
            )?;
        }
        if count > FEW {
            writeln!(out, "  … and {} more; --json lists all", grouped(count - FEW))?;
        }
    }
    text::write_page_name(out, page)?;
    writeln!(
        out,
        "\nload {}, build {}, find {}",
        written(found.load),
        written(found.build),
        written(found.find)
    )
}
