//! A pumpkin is filled with tetrahedra, hit, and its largest piece hit again; then the pieces lie on a floor.
//!
//! `cargo run --release -p fracas --example shatter`

use fracas::brittle::{BrittleBody, ContactFinder, FragmentId, Probe, Solid, SolidOptions};
use fracas::fill::{FillOptions, fill};
use fracas::fracture::{Breakable, FractureOptions, Impact, Material};
use fracas::geom::DVec3;
use fracas::mesh::shapes;
use std::error::Error;
use std::sync::Arc;

fn main() -> Result<(), Box<dyn Error>> {
    let tets = fill(&shapes::pumpkin(9, 5_000), &FillOptions { cells: 20.0, ..FillOptions::default() })?;
    let solid = Arc::new(Solid::build(tets, &SolidOptions::default())?);
    println!("{} tetrahedra fill the pumpkin", solid.mesh().tet_count());

    let mut body = BrittleBody::new(solid);
    for impulse in [2e6, 1e6] {
        let volume = |id: &FragmentId| body.fragment(*id).map_or(0.0, |fragment| fragment.mass().volume);
        let largest =
            body.fragments().max_by(|a, b| volume(a).total_cmp(&volume(b))).ok_or("no fragments")?;
        let fragment = body.fragment(largest)?;
        let part = Breakable {
            mesh: body.solid().mesh(),
            adjacency: body.solid().adjacency(),
            nodes: fragment.nodes(),
            volume: fragment.mass().volume,
        };
        let blow = Impact { point: fragment.bounds().min, direction: DVec3::Z, impulse };
        match part.hit(&blow, &Material::CERAMIC, &FractureOptions::default())? {
            Some(cracks) => {
                let pieces = body.split(largest, &cracks.labels, &cracks.weights)?;
                println!("a blow of {impulse} N s makes {} pieces", pieces.len());
            }
            None => println!("a blow of {impulse} N s does nothing"),
        }
    }

    // Each piece on its own on a floor at its lowest point.
    let mut finder = ContactFinder::default();
    for id in body.fragments() {
        let low = body.fragment(id)?.bounds().min.z;
        let floor = |p: DVec3, reach: f64| match p.z - low {
            distance if distance > reach => Probe::Far(distance),
            distance => Probe::Near { distance, surface: DVec3::new(p.x, p.y, low), normal: DVec3::Z },
        };
        let contacts = finder.find_with((&body, id), floor)?.len();
        println!("fragment {:>3}: {contacts} contacts, {} points visited", id.0, finder.stats().visited);
    }
    Ok(())
}
