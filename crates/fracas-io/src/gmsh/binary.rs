//! The sections of a binary file: lines of text between which numbers lie as they were in memory.
//!
//! The number 1, after the header, tells the byte order. Version 2 has 32-bit whole numbers throughout, version 4.1 has 32 bits
//! for what there are few of and 64 bits for tags and counts.

use fracas::geom::DVec3;

use super::{Header, Reading, TETRAHEDRON, next_section};
use crate::error::{Fault, Place, Reason};
use crate::input::Input;
use crate::text::Lines;

/// Nodes of the elements of each type, from type 1 on; 0 where there is no such type.
const NODES: [u64; 31] = [
    2, 3, 4, 4, 8, 6, 5, 3, 6, 9, 10, 27, 18, 14, 1, 8, 20, 15, 13, 9, 10, 12, 15, 15, 21, 4, 5, 6, 20, 35,
    56,
];

pub(super) fn read(input: Input<'_>, header: Header, reading: &mut Reading) -> Result<(), Fault> {
    let mut numbers = Numbers { input, is_big: false };
    let one = numbers.bytes::<4>("the mark of the byte order")?;
    numbers.is_big = match (i32::from_le_bytes(one), i32::from_be_bytes(one)) {
        (1, _) => false,
        (_, 1) => true,
        (other, _) => {
            return Err(Fault::malformed(
                numbers.input.place(),
                format!("the mark of the byte order is {other}"),
            ));
        }
    };
    loop {
        let mut lines = Lines::new(numbers.input)?;
        let Some(name) = next_section(&mut lines)? else { return Ok(()) };
        // In version 2, the count is a line of text.
        let count = match (name.as_str(), header.is_4) {
            ("$Nodes" | "$Elements", false) => {
                let Some(mut line) = lines.next()? else { return Ok(()) };
                let count = line.whole("the number of nodes or elements")?;
                let negative = || Fault::malformed(line.place(), format!("a count is negative: {count}"));
                u64::try_from(count).map_err(|_| negative())?
            }
            _ => 0,
        };
        numbers.input = lines.into_input();
        match (name.as_str(), header.is_4) {
            ("$Nodes", false) => numbers.nodes_2(count, reading)?,
            ("$Elements", false) => numbers.elements_2(count, reading)?,
            ("$Nodes", true) => numbers.nodes_4(reading)?,
            ("$Elements", true) => numbers.elements_4(reading)?,
            _ => {}
        }
    }
}

struct Numbers<'a> {
    input: Input<'a>,
    is_big: bool,
}

impl Numbers<'_> {
    fn bytes<const N: usize>(&mut self, what: &'static str) -> Result<[u8; N], Fault> {
        let place = self.input.place();
        let Some(&bytes) = self.input.fill(N)?.first_chunk::<N>() else {
            return Err(Fault::new(place, Reason::Missing { what }));
        };
        self.input.consume(N);
        Ok(bytes)
    }

    fn int(&mut self, what: &'static str) -> Result<i64, Fault> {
        let bytes = self.bytes::<4>(what)?;
        Ok(i64::from(if self.is_big { i32::from_be_bytes(bytes) } else { i32::from_le_bytes(bytes) }))
    }

    fn long(&mut self, what: &'static str) -> Result<i64, Fault> {
        let bytes = self.bytes::<8>(what)?;
        Ok(if self.is_big { i64::from_be_bytes(bytes) } else { i64::from_le_bytes(bytes) })
    }

    fn count(&mut self, what: &'static str) -> Result<u64, Fault> {
        let value = self.long(what)?;
        let negative = || Fault::malformed(self.input.place(), format!("{what} is negative: {value}"));
        u64::try_from(value).map_err(|_| negative())
    }

    fn position(&mut self) -> Result<DVec3, Fault> {
        let place = self.input.place();
        let mut position = DVec3::ZERO;
        for axis in 0..3 {
            let bytes = self.bytes::<8>("a coordinate")?;
            position[axis] = if self.is_big { f64::from_be_bytes(bytes) } else { f64::from_le_bytes(bytes) };
        }
        if position.is_finite() { Ok(position) } else { Err(Fault::not_finite(position, place)) }
    }

    fn nodes_2(&mut self, count: u64, reading: &mut Reading) -> Result<(), Fault> {
        self.input.check_announced("nodes", count, 28)?;
        for _ in 0..count {
            let tag = self.int("the tag of a node")?;
            reading.tags.push(tag);
            let position = self.position()?;
            reading.positions.push(position);
        }
        Ok(())
    }

    fn elements_2(&mut self, count: u64, reading: &mut Reading) -> Result<(), Fault> {
        let mut done = 0;
        while done < count {
            let kind = self.int("the type of elements")?;
            let many = self.int("the number of elements")?;
            let labels = self.int("the number of labels")?;
            let place = self.input.place();
            if many < 1 || labels < 0 {
                let reason = format!("a group of {many} elements with {labels} labels");
                return Err(Fault::malformed(place, reason));
            }
            let nodes = nodes_of(kind, place)?;
            self.input.check_announced("elements", many as u64, 4 * (1 + labels as u64 + nodes))?;
            for _ in 0..many {
                self.skip(4 * (1 + labels as u64))?;
                if TETRAHEDRON.contains(&kind) {
                    self.corners(reading, Self::int)?;
                    self.skip(4 * (nodes - 4))?;
                } else {
                    self.skip(4 * nodes)?;
                }
            }
            done += many as u64;
        }
        Ok(())
    }

    fn nodes_4(&mut self, reading: &mut Reading) -> Result<(), Fault> {
        let blocks = self.count("the number of blocks")?;
        self.skip(24)?;
        for _ in 0..blocks {
            let dimension = self.int("the dimension of a block")?;
            self.int("the tag of a block")?;
            let has_parameters = self.int("whether nodes have parameters")? != 0;
            let count = self.count("the number of nodes of a block")?;
            self.input.check_announced("nodes", count, 32)?;
            for _ in 0..count {
                let tag = self.long("the tag of a node")?;
                reading.tags.push(tag);
            }
            for _ in 0..count {
                let position = self.position()?;
                reading.positions.push(position);
                if has_parameters {
                    self.skip(8 * dimension.clamp(0, 3) as u64)?;
                }
            }
        }
        Ok(())
    }

    fn elements_4(&mut self, reading: &mut Reading) -> Result<(), Fault> {
        let blocks = self.count("the number of blocks")?;
        self.skip(24)?;
        for _ in 0..blocks {
            self.skip(8)?;
            let place = self.input.place();
            let kind = self.int("the type of elements")?;
            let nodes = nodes_of(kind, place)?;
            let count = self.count("the number of elements of a block")?;
            self.input.check_announced("elements", count, 8 * (1 + nodes))?;
            for _ in 0..count {
                self.skip(8)?;
                if TETRAHEDRON.contains(&kind) {
                    self.corners(reading, Self::long)?;
                    self.skip(8 * (nodes - 4))?;
                } else {
                    self.skip(8 * nodes)?;
                }
            }
        }
        Ok(())
    }

    fn corners(
        &mut self,
        reading: &mut Reading,
        one: fn(&mut Self, &'static str) -> Result<i64, Fault>,
    ) -> Result<(), Fault> {
        let place = self.input.place();
        let mut corners = [0; 4];
        for corner in &mut corners {
            *corner = one(self, "a corner")?;
        }
        reading.tets.push((corners, place));
        Ok(())
    }

    fn skip(&mut self, bytes: u64) -> Result<(), Fault> {
        match self.input.skip(bytes)? {
            0 => Ok(()),
            _ => Err(Fault::new(self.input.place(), Reason::Missing { what: "the rest of the section" })),
        }
    }
}

fn nodes_of(kind: i64, place: Place) -> Result<u64, Fault> {
    let nodes = usize::try_from(kind - 1).ok().and_then(|at| NODES.get(at));
    let unknown = || Fault::unsupported(place, format!("elements of type {kind} are not known"));
    nodes.copied().ok_or_else(unknown)
}
