//! The body of a text file: a line for each instance of an element.

use fracas::geom::DVec3;

use super::header::Kind;
use super::{Parts, Plan, Role};
use crate::error::{Fault, Reason};
use crate::polygon::{Fan, make_room};
use crate::text::{Line, Lines};

pub(super) fn read(mut lines: Lines<'_>, plans: &[Plan<'_>], parts: &mut Parts) -> Result<(), Fault> {
    for plan in plans {
        // An instance without properties has no line.
        if !plan.element.properties.is_empty() {
            read_element(&mut lines, plan, parts)?;
        }
    }
    Ok(())
}

fn read_element(lines: &mut Lines<'_>, plan: &Plan<'_>, parts: &mut Parts) -> Result<(), Fault> {
    let (element, count) = (plan.element, plan.element.count);
    // Each value is a digit and a blank at least, but for the last blank of the file.
    let needed = (2 * element.properties.len() as u128 * u128::from(count)).saturating_sub(1);
    lines.input().check_room(element.place(), &super::plural(&element.name), count, needed)?;
    let left = lines.input().left();
    if plan.is_vertex {
        parts.positions.reserve_exact(count as usize);
    }
    if plan.is_face {
        parts.triangles.reserve_exact(count.min(left / 8 + 1) as usize);
    }
    for done in 0..count {
        let left = lines.input().left();
        let Some(mut line) = next_content(lines)? else {
            let reason =
                Reason::CutShort { what: super::plural(&element.name), read: done, announced: count };
            return Err(Fault::new(lines.place(), reason));
        };
        read_instance(&mut line, plan, parts, |triangles, length| {
            let expected = length.saturating_sub(2).min(left / 2) as usize;
            make_room(triangles, expected, done, count, left / 2);
        })?;
    }
    Ok(())
}

/// Reads one instance of an element from its line. `make_room` hears of a face's corners before they come.
#[inline]
pub(super) fn read_instance(
    line: &mut Line<'_>,
    plan: &Plan<'_>,
    parts: &mut Parts,
    make_room: impl Fn(&mut Vec<[u32; 3]>, u64),
) -> Result<(), Fault> {
    let element = plan.element;
    let mut position = [0.0; 3];
    for (property, role) in element.properties.iter().zip(&plan.roles) {
        match (*role, property.kind) {
            (Role::Axis(axis), _) => position[axis] = line.coordinate(['x', 'y', 'z'][axis])?,
            (Role::Corners, _) => {
                let length = read_length(line)?;
                make_room(&mut parts.triangles, length);
                read_corners(line, length, plan.vertices, &mut parts.triangles)?;
            }
            (Role::Skip, Kind::Scalar(_)) => skip_value(line)?,
            (Role::Skip, Kind::List { .. }) => {
                for _ in 0..read_length(line)? {
                    skip_value(line)?;
                }
            }
        }
    }
    if !line.is_done() {
        let reason = format!("there are more values than element `{}` has properties", element.name);
        return Err(Fault::malformed(line.place(), reason));
    }
    if plan.is_vertex {
        parts.positions.push(DVec3::from_array(position));
    }
    Ok(())
}

/// The next line that is not blank.
fn next_content<'l>(lines: &'l mut Lines<'_>) -> Result<Option<Line<'l>>, Fault> {
    while let Some(mut line) = lines.next()? {
        if !line.is_done() {
            let length = line.length();
            return Ok(Some(lines.end_of_line(length)));
        }
    }
    Ok(None)
}

#[inline]
fn read_corners(
    line: &mut Line<'_>,
    corners: u64,
    vertices: u64,
    triangles: &mut Vec<[u32; 3]>,
) -> Result<(), Fault> {
    let mut fan = Fan::default();
    for _ in 0..corners {
        let vertex = line.whole("a corner")?;
        if vertex < 0 || vertex as u64 >= vertices {
            return Err(Fault::new(line.place(), Reason::NoSuchVertex { vertex, vertices, counted_from: 0 }));
        }
        fan.add(vertex as u32, triangles);
    }
    Ok(())
}

#[inline]
fn read_length(line: &mut Line<'_>) -> Result<u64, Fault> {
    let length = line.whole("the length of a list")?;
    u64::try_from(length).map_err(|_| Fault::malformed(line.place(), format!("a list of length {length}")))
}

fn skip_value(line: &mut Line<'_>) -> Result<(), Fault> {
    match line.word() {
        Some(_) => Ok(()),
        None => Err(Fault::new(line.place(), Reason::Missing { what: "a value" })),
    }
}
