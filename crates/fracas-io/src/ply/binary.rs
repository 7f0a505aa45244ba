//! The body of a binary file, in either byte order.
//!
//! Elements without lists are rows of equal size. The others are walked property by property, since the length of
//! each list is known only when it is reached. Both are read from the window as long as it holds them whole; a list
//! longer than the window makes it grow.

use fracas::geom::DVec3;

use super::header::{Element, Kind, Scalar};
use super::{Parts, Plan, Role};
use crate::error::{Fault, Place, Reason};
use crate::input::Input;
use crate::polygon::{Fan, make_room};

pub(super) fn read<const BIG: bool>(
    mut input: Input<'_>,
    plans: &[Plan<'_>],
    parts: &mut Parts,
) -> Result<(), Fault> {
    for (i, plan) in plans.iter().enumerate() {
        let element = plan.element;
        input.check_announced(&super::plural(&element.name), element.count, element.least_bytes())?;
        if plan.is_vertex {
            parts.positions.reserve_exact(element.count as usize);
        }
        if plan.is_face {
            parts.triangles.reserve_exact(expected_triangles(&input, plan, &plans[i + 1..]) as usize);
        }
        match (element.is_fixed(), plan.is_vertex) {
            (true, true) => read_rows::<BIG>(&mut input, plan, parts)?,
            (true, false) => skip_rows(&mut input, element)?,
            (false, _) => read_varying::<BIG>(&mut input, plan, parts)?,
        }
    }
    Ok(())
}

/// How many triangles the faces make, as far as the sizes tell.
///
/// The bytes that are left, less all that is fixed, are corners, if nothing else has lists. Then the number is exact.
fn expected_triangles(input: &Input<'_>, plan: &Plan<'_>, later: &[Plan<'_>]) -> u64 {
    let faces = plan.element.count;
    let lists = plan.element.properties.iter().filter_map(|property| match property.kind {
        Kind::List { item, .. } => Some(item.size() as u64),
        Kind::Scalar(_) => None,
    });
    let item_sizes: Vec<u64> = lists.collect();
    if item_sizes.len() > 1 || later.iter().any(|plan| !plan.element.is_fixed()) {
        return faces;
    }
    let fixed_of = |element: &Element| u128::from(element.count) * u128::from(element.least_bytes());
    let fixed = fixed_of(plan.element) + later.iter().map(|plan| fixed_of(plan.element)).sum::<u128>();
    let corner_bytes = u128::from(input.left()).saturating_sub(fixed) as u64;
    let corners = corner_bytes / item_sizes.first().copied().unwrap_or(1);
    corners.saturating_sub(faces.saturating_mul(2))
}

fn cut_short(input: &Input<'_>, element: &Element, read: u64) -> Fault {
    let what = super::plural(&element.name);
    Fault::new(input.place(), Reason::CutShort { what, read, announced: element.count })
}

fn skip_rows(input: &mut Input<'_>, element: &Element) -> Result<(), Fault> {
    let row = element.least_bytes();
    // That this many bytes are left is checked before; a file may still shrink while it is read.
    let missing = input.skip(element.count * row)?;
    if missing > 0 {
        return Err(cut_short(input, element, element.count - missing.div_ceil(row)));
    }
    Ok(())
}

/// Where in a vertex of equal size its coordinates are, and of which type.
pub(super) fn axes(plan: &Plan<'_>) -> [(usize, Scalar); 3] {
    let mut axes = [(0, Scalar::F32); 3];
    let mut offset = 0;
    for (property, role) in plan.element.properties.iter().zip(&plan.roles) {
        let Kind::Scalar(scalar) = property.kind else { continue };
        if let Role::Axis(axis) = *role {
            axes[axis] = (offset, scalar);
        }
        offset += scalar.size();
    }
    axes
}

/// Vertices of equal size.
fn read_rows<const BIG: bool>(
    input: &mut Input<'_>,
    plan: &Plan<'_>,
    parts: &mut Parts,
) -> Result<(), Fault> {
    let row = plan.element.least_bytes() as usize;
    let axes = axes(plan);
    let mut done = 0;
    while done < plan.element.count {
        let rows = ((input.fill(row)?.len() / row) as u64).min(plan.element.count - done) as usize;
        if rows == 0 {
            return Err(cut_short(input, plan.element, done));
        }
        for (i, bytes) in input.window()[..rows * row].chunks_exact(row).enumerate() {
            let position = DVec3::from_array(axes.map(|(at, scalar)| number::<BIG>(&bytes[at..], scalar)));
            if !position.is_finite() {
                let axis = (0..3).find(|&axis| !position[axis].is_finite()).unwrap_or(0);
                let place = Place::Byte(input.offset() + (i * row + axes[axis].0) as u64);
                return Err(Fault::not_finite(position, place));
            }
            parts.positions.push(position);
        }
        input.consume(rows * row);
        done += rows as u64;
    }
    Ok(())
}

/// Elements whose instances differ in size.
fn read_varying<const BIG: bool>(
    input: &mut Input<'_>,
    plan: &Plan<'_>,
    parts: &mut Parts,
) -> Result<(), Fault> {
    let count = plan.element.count;
    let mut done = 0;
    while done < count {
        // As many instances as are at hand whole.
        let window = input.window();
        let (mut used, mut needed) = (0, 0);
        while done < count && needed == 0 {
            let left = input.left() - used as u64;
            match read_instance::<BIG>(&window[used..], plan, Progress { done, count, left }, parts) {
                Ok(size) => {
                    used += size;
                    done += 1;
                }
                Err(Stop::NeedsBytes(bytes)) => needed = bytes,
                Err(Stop::Broken { at, reason }) => {
                    return Err(Fault::new(Place::Byte(input.offset() + (used + at) as u64), reason));
                }
            }
        }
        input.consume(used);
        if needed as u64 > input.left() || input.fill(needed)?.len() < needed {
            return Err(cut_short(input, plan.element, done));
        }
    }
    Ok(())
}

/// How much of an element is read.
struct Progress {
    done: u64,
    count: u64,
    /// Bytes of the file from here.
    left: u64,
}

/// Why an instance was not read.
enum Stop {
    /// It takes at least this many bytes, more than are at hand.
    NeedsBytes(usize),
    /// It is wrong, this many bytes after its beginning.
    Broken { at: usize, reason: Reason },
}

/// Reads one instance from the beginning of the bytes and says how many it takes.
#[inline]
fn read_instance<const BIG: bool>(
    bytes: &[u8],
    plan: &Plan<'_>,
    progress: Progress,
    parts: &mut Parts,
) -> Result<usize, Stop> {
    let mut position = DVec3::ZERO;
    // The corners are added last, so that an instance that is not whole leaves nothing behind.
    let mut corners: Option<(&[u8], usize, Scalar)> = None;
    let mut at = 0;
    let take = |at: usize, size: usize| match bytes.get(at..).and_then(|rest| rest.get(..size)) {
        Some(part) => Ok(part),
        None => Err(Stop::NeedsBytes(at.saturating_add(size))),
    };
    for (property, role) in plan.element.properties.iter().zip(&plan.roles) {
        match property.kind {
            Kind::Scalar(scalar) => {
                let part = take(at, scalar.size())?;
                if let Role::Axis(axis) = *role {
                    position[axis] = number::<BIG>(part, scalar);
                    if !position[axis].is_finite() {
                        let (axis, value) = (['x', 'y', 'z'][axis], position[axis]);
                        return Err(Stop::Broken { at, reason: Reason::NotFinite { axis, value } });
                    }
                }
                at += scalar.size();
            }
            Kind::List { count, item } => {
                let length = whole::<BIG>(take(at, count.size())?, count);
                let Ok(length) = usize::try_from(length) else {
                    let reason = Reason::Malformed(format!("a list of length {length}"));
                    return Err(Stop::Broken { at, reason });
                };
                at += count.size();
                let size = length.saturating_mul(item.size());
                let part = take(at, size)?;
                if *role == Role::Corners {
                    corners = Some((part, at, item));
                }
                at += size;
            }
        }
    }
    if let Some((part, at, item)) = corners {
        add_face::<BIG>(part, item, plan.vertices, progress, &mut parts.triangles)
            .map_err(|(offset, reason)| Stop::Broken { at: at + offset, reason })?;
    }
    if plan.is_vertex {
        parts.positions.push(position);
    }
    Ok(at)
}

/// Adds the triangles of a face, or says which byte names a vertex that is not there.
#[inline]
fn add_face<const BIG: bool>(
    bytes: &[u8],
    item: Scalar,
    vertices: u64,
    progress: Progress,
    triangles: &mut Vec<[u32; 3]>,
) -> Result<(), (usize, Reason)> {
    let size = item.size();
    let Progress { done, count, left } = progress;
    make_room(triangles, (bytes.len() / size).saturating_sub(2), done, count, left / size as u64);
    let added = match item {
        Scalar::I8 => add_corners(bytes, |b| i8::from_le_bytes(b).into(), vertices, triangles),
        Scalar::U8 => add_corners(bytes, |b| u8::from_le_bytes(b).into(), vertices, triangles),
        Scalar::I16 => {
            add_corners(bytes, |b| i16::from_le_bytes(little::<BIG, _>(b)).into(), vertices, triangles)
        }
        Scalar::U16 => {
            add_corners(bytes, |b| u16::from_le_bytes(little::<BIG, _>(b)).into(), vertices, triangles)
        }
        Scalar::I32 => {
            add_corners(bytes, |b| i32::from_le_bytes(little::<BIG, _>(b)).into(), vertices, triangles)
        }
        Scalar::U32 => {
            add_corners(bytes, |b| u32::from_le_bytes(little::<BIG, _>(b)).into(), vertices, triangles)
        }
        // Refused with the header.
        Scalar::F32 | Scalar::F64 => Ok(()),
    };
    added.map_err(|(corner, vertex)| {
        (corner * size, Reason::NoSuchVertex { vertex, vertices, counted_from: 0 })
    })
}

/// Adds the triangles of corners of `N` bytes each, or says which corner names which vertex that is not there.
#[inline]
fn add_corners<const N: usize>(
    bytes: &[u8],
    vertex_of: impl Fn([u8; N]) -> i64,
    vertices: u64,
    triangles: &mut Vec<[u32; 3]>,
) -> Result<(), (usize, i64)> {
    let (corners, _) = bytes.as_chunks::<N>();
    let is_there = |vertex: i64| (0..vertices as i64).contains(&vertex);
    // Nearly all faces are triangles.
    if let &[a, b, c] = corners {
        let triangle = [a, b, c].map(&vertex_of);
        if triangle.iter().all(|&vertex| is_there(vertex)) {
            triangles.push(triangle.map(|vertex| vertex as u32));
            return Ok(());
        }
    }
    let mut fan = Fan::default();
    for (i, &corner) in corners.iter().enumerate() {
        let vertex = vertex_of(corner);
        if !is_there(vertex) {
            return Err((i, vertex));
        }
        fan.add(vertex as u32, triangles);
    }
    Ok(())
}

/// The first bytes as a number. There are enough of them.
#[inline]
pub(super) fn number<const BIG: bool>(bytes: &[u8], scalar: Scalar) -> f64 {
    match scalar {
        Scalar::F32 => f32::from_le_bytes(first::<BIG, _>(bytes)).into(),
        Scalar::F64 => f64::from_le_bytes(first::<BIG, _>(bytes)),
        _ => whole::<BIG>(bytes, scalar) as f64,
    }
}

/// The first bytes as a whole number; fractions are cut off.
#[inline]
pub(super) fn whole<const BIG: bool>(bytes: &[u8], scalar: Scalar) -> i64 {
    match scalar {
        Scalar::I8 => i8::from_le_bytes(first::<BIG, _>(bytes)).into(),
        Scalar::U8 => u8::from_le_bytes(first::<BIG, _>(bytes)).into(),
        Scalar::I16 => i16::from_le_bytes(first::<BIG, _>(bytes)).into(),
        Scalar::U16 => u16::from_le_bytes(first::<BIG, _>(bytes)).into(),
        Scalar::I32 => i32::from_le_bytes(first::<BIG, _>(bytes)).into(),
        Scalar::U32 => u32::from_le_bytes(first::<BIG, _>(bytes)).into(),
        Scalar::F32 | Scalar::F64 => number::<BIG>(bytes, scalar) as i64,
    }
}

/// The first bytes in little-endian order.
#[inline]
fn first<const BIG: bool, const N: usize>(bytes: &[u8]) -> [u8; N] {
    let mut array = [0; N];
    array.copy_from_slice(&bytes[..N]);
    little::<BIG, N>(array)
}

#[inline]
fn little<const BIG: bool, const N: usize>(mut bytes: [u8; N]) -> [u8; N] {
    if BIG {
        bytes.reverse();
    }
    bytes
}
