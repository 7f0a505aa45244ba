//! The header of a PLY file: the elements in it and the properties of each.

use crate::error::{Fault, Place, Reason};
use crate::text::{Line, Lines, shown};

pub(super) struct Header {
    pub encoding: Encoding,
    pub elements: Vec<Element>,
}

#[derive(Clone, Copy)]
pub(super) enum Encoding {
    Text,
    LittleEndian,
    BigEndian,
}

/// A kind of thing, of which `count` follow in the body.
pub(super) struct Element {
    pub name: String,
    pub count: u64,
    pub properties: Vec<Property>,
    place: Place,
}

pub(super) struct Property {
    pub name: String,
    pub kind: Kind,
}

#[derive(Clone, Copy)]
pub(super) enum Kind {
    Scalar(Scalar),
    List { count: Scalar, item: Scalar },
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Scalar {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    F32,
    F64,
}

impl Element {
    /// The line that announces the element.
    pub fn place(&self) -> Place {
        self.place.clone()
    }

    /// Whether all properties are scalars, so that all instances have the same size.
    pub fn is_fixed(&self) -> bool {
        self.properties.iter().all(|property| matches!(property.kind, Kind::Scalar(_)))
    }

    /// The fewest bytes an instance takes in a binary body: all of them, if there are no lists.
    pub fn least_bytes(&self) -> u64 {
        let size = |property: &Property| match property.kind {
            Kind::Scalar(scalar) => scalar.size() as u64,
            Kind::List { count, .. } => count.size() as u64,
        };
        self.properties.iter().map(size).sum()
    }
}

impl Scalar {
    pub fn size(self) -> usize {
        match self {
            Scalar::I8 | Scalar::U8 => 1,
            Scalar::I16 | Scalar::U16 => 2,
            Scalar::I32 | Scalar::U32 | Scalar::F32 => 4,
            Scalar::F64 => 8,
        }
    }

    fn from_name(name: &[u8]) -> Option<Self> {
        Some(match name {
            b"char" | b"int8" => Scalar::I8,
            b"uchar" | b"uint8" => Scalar::U8,
            b"short" | b"int16" => Scalar::I16,
            b"ushort" | b"uint16" => Scalar::U16,
            b"int" | b"int32" => Scalar::I32,
            b"uint" | b"uint32" => Scalar::U32,
            b"float" | b"float32" => Scalar::F32,
            b"double" | b"float64" => Scalar::F64,
            _ => return None,
        })
    }
}

/// Reads up to and including the line `end_header`.
pub(super) fn read(lines: &mut Lines<'_>) -> Result<Header, Fault> {
    let first = lines.next()?.and_then(|mut line| line.word());
    if first != Some(b"ply") {
        return Err(Fault::malformed(Place::Line(1), "the file does not begin with the word `ply`"));
    }
    let mut encoding = None;
    let mut elements: Vec<Element> = Vec::new();
    loop {
        let place = lines.place();
        let Some(mut line) = lines.next()? else {
            return Err(Fault::malformed(place, "the header has no `end_header`"));
        };
        match line.word() {
            None | Some(b"comment" | b"obj_info") => {}
            Some(b"format") => encoding = Some(read_format(&mut line)?),
            Some(b"element") => elements.push(read_element(&mut line)?),
            Some(b"property") => {
                let property = read_property(&mut line)?;
                let Some(element) = elements.last_mut() else {
                    return Err(Fault::malformed(line.place(), "a property stands before the first element"));
                };
                if element.properties.iter().any(|earlier| earlier.name == property.name) {
                    let reason = format!("a second property `{}` of `{}`", property.name, element.name);
                    return Err(Fault::malformed(line.place(), reason));
                }
                element.properties.push(property);
            }
            Some(b"end_header") => {
                let place = line.place();
                let no_format = || Fault::malformed(place, "the header has no `format`");
                return Ok(Header { encoding: encoding.ok_or_else(no_format)?, elements });
            }
            Some(word) => {
                let reason = format!("`{}` is not a statement of a PLY header", shown(word));
                return Err(Fault::malformed(line.place(), reason));
            }
        }
    }
}

fn read_format(line: &mut Line<'_>) -> Result<Encoding, Fault> {
    let encoding = match line.word().unwrap_or_default() {
        b"ascii" => Encoding::Text,
        b"binary_little_endian" => Encoding::LittleEndian,
        b"binary_big_endian" => Encoding::BigEndian,
        word => {
            let reason = format!("the format `{}` is not known", shown(word));
            return Err(Fault::unsupported(line.place(), reason));
        }
    };
    match line.word().unwrap_or_default() {
        b"1.0" => Ok(encoding),
        word => {
            let reason = format!("version `{}` is not known, only 1.0", shown(word));
            Err(Fault::unsupported(line.place(), reason))
        }
    }
}

fn read_element(line: &mut Line<'_>) -> Result<Element, Fault> {
    let name = read_name(line, "the name of the element")?;
    let count = line.whole("the number of elements")?;
    let negative = || Fault::malformed(line.place(), format!("the number of elements is negative: {count}"));
    let count = u64::try_from(count).map_err(|_| negative())?;
    Ok(Element { name, count, properties: Vec::new(), place: line.place() })
}

fn read_property(line: &mut Line<'_>) -> Result<Property, Fault> {
    let kind = match line.word().unwrap_or_default() {
        b"list" => {
            let count = read_scalar(line)?;
            if matches!(count, Scalar::F32 | Scalar::F64) {
                return Err(Fault::malformed(
                    line.place(),
                    "the length of a list is not of a whole-number type",
                ));
            }
            Kind::List { count, item: read_scalar(line)? }
        }
        word => Kind::Scalar(scalar_named(word, line)?),
    };
    Ok(Property { name: read_name(line, "the name of the property")?, kind })
}

fn read_scalar(line: &mut Line<'_>) -> Result<Scalar, Fault> {
    let word = line.word().unwrap_or_default();
    scalar_named(word, line)
}

fn scalar_named(word: &[u8], line: &Line<'_>) -> Result<Scalar, Fault> {
    Scalar::from_name(word)
        .ok_or_else(|| Fault::malformed(line.place(), format!("`{}` is not a type of PLY", shown(word))))
}

fn read_name(line: &mut Line<'_>, what: &'static str) -> Result<String, Fault> {
    match line.word() {
        Some(word) => Ok(String::from_utf8_lossy(word).into_owned()),
        None => Err(Fault::new(line.place(), Reason::Missing { what })),
    }
}
