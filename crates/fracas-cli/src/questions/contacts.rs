//! `fracas contacts`: where two meshes touch or overlap, how deep, and in which direction they separate.

use std::io::Write;
use std::time::{Duration, Instant};

use fracas::geom::DVec3;
use fracas::mesh::Mesh;
use fracas::{Contact, ContactError, ContactOptions, ContactParts, Finder, MeshTree, Side};

use crate::args::ContactsArguments;
use crate::error::Failure;
use crate::find::MeshPair;
use crate::input::{self, Input};
use crate::output::{self, contacts as output_of, grouped, rounded};
use crate::page::{self, Content};
use crate::place::{self, Written};
use crate::progress::Progress;
use crate::{Status, threads, view};

/// Where two meshes touch or overlap.
#[derive(Debug)]
pub struct Contacts {
    /// The two meshes.
    pub meshes: Vec<Mesh>,
    /// Regions one after the other, the deepest first.
    pub contacts: Vec<Contact>,
    /// Which mesh is wholly inside the other one, if one is.
    pub inside: Option<Contained>,
    /// Time to read the meshes.
    pub load: Duration,
    /// Time to build trees.
    pub build: Duration,
    /// Time to find the contacts.
    pub find: Duration,
}

/// One mesh inside the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Contained {
    /// The first is inside the second.
    FirstInSecond,
    /// The second is inside the first.
    SecondInFirst,
}

impl Contacts {
    /// How many regions there are.
    #[must_use]
    pub fn regions(&self) -> usize {
        self.contacts.iter().map(|contact| contact.region as usize + 1).max().unwrap_or(0)
    }
}

/// Finds the contacts and prints them.
///
/// # Errors
/// Bad arguments, a mesh that cannot be read, an open mesh without a thickness, a page that cannot be written: nothing has then been
/// printed. Or standard output fails.
pub fn run(
    arguments: &ContactsArguments,
    threads: Option<u16>,
    out: &mut dyn Write,
) -> Result<Status, Failure> {
    let inputs = [Input::parse(&arguments.a)?, Input::parse(&arguments.b)?];
    if let Some(file) = &arguments.html {
        place::check_beside(file, Written::Page, "--html", &inputs)?;
    }
    let found = threads::on(threads, || find(&inputs, arguments))??;
    if let Some(file) = &arguments.html {
        let names = inputs.each_ref().map(Input::name);
        view::write_page(file, &page::record_meshes(&names, &found.meshes, &content(&found)))?;
    }
    output::send(out, |out| {
        if arguments.json {
            output_of::write_json(out, &found)
        } else {
            output_of::write_text(out, &found, arguments.html.as_deref())
        }
    })?;
    Ok(Status::Clear)
}

fn find(inputs: &[Input; 2], arguments: &ContactsArguments) -> Result<Contacts, Failure> {
    let progress = Progress::start();
    let start = Instant::now();
    let meshes: Vec<Mesh> =
        input::load_all(inputs, arguments.merge, &progress).into_iter().collect::<Result<_, Failure>>()?;
    let load = start.elapsed();
    let start = Instant::now();
    progress.begin("building", meshes.len());
    let trees: Vec<MeshTree> = meshes.into_iter().map(MeshTree::build).collect();
    let build = start.elapsed();
    let start = Instant::now();
    progress.begin("finding", 1);
    let options = ContactOptions { thickness: arguments.thickness, max_per_region: arguments.most.into() };
    let mut finder = Finder::default();
    let contacts = finder.find_contacts_with(&trees[0], &trees[1], &options).map_err(|error| {
        let mesh = match error {
            ContactError::Open { body, .. } => inputs[body].name().to_owned(),
            ContactError::Thickness(_) => "--thickness".to_owned(),
        };
        Failure::NoContacts { mesh, error }
    })?;
    let contacts = contacts.to_vec();
    let inside = contained(&mut finder, &trees);
    let find = start.elapsed();
    let meshes = trees.into_iter().map(MeshTree::into_mesh).collect();
    Ok(Contacts { meshes, contacts, inside, load, build, find })
}

/// Which mesh is wholly inside the other one. Only a closed one can hold another.
fn contained(finder: &mut Finder, trees: &[MeshTree]) -> Option<Contained> {
    if finder.find_first(&trees[0], &trees[1]).is_some() {
        return None;
    }
    let is_in = |inner: &MeshTree, outer: &MeshTree| {
        let corner = inner.mesh().triangles().first().map(|t| inner.mesh().positions()[t[0] as usize]);
        corner.is_some_and(|corner| outer.view().side_of(corner) == Ok(Side::Inside))
    };
    if is_in(&trees[0], &trees[1]) {
        Some(Contained::FirstInSecond)
    } else {
        is_in(&trees[1], &trees[0]).then_some(Contained::SecondInFirst)
    }
}

/// What the page shows: a line from point to point for each contact, and the triangles on which they lie.
fn content(found: &Contacts) -> Content<'static> {
    let pair = |contact: &Contact| match contact.between {
        ContactParts::Triangles(a, b) => Some([0, a.0, 1, b.0]),
        _ => None,
    };
    let mut pairs: Vec<MeshPair> = found.contacts.iter().filter_map(pair).collect();
    pairs.sort_unstable();
    pairs.dedup();
    let lines: Vec<[DVec3; 2]> = found.contacts.iter().map(|contact| contact.points).collect();
    let deepest = found.contacts.iter().map(|contact| contact.depth).fold(0.0, f64::max);
    let text = match found.regions() {
        0 => "The meshes do not touch.".to_owned(),
        1 => format!("One region of contact, {} deep.", rounded(deepest)),
        many => format!("{} regions of contact, {} deep at most.", grouped(many), rounded(deepest)),
    };
    let counters = vec![("contacts", found.contacts.len() as f64), ("depth", deepest)];
    Content::Near { pairs, lines, counters, text }
}
