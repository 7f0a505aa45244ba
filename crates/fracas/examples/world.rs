//! A ball, a floor and a cloth in one world: `cargo run --release -p fracas --example world`
//!
//! A world takes bodies of every kind, keeps the structure that suits each, and reports what touches after every step.

use fracas::geom::{DVec3, Pose};
use fracas::mesh::shapes;
use fracas::world::{Ask, Body, BodyId, Keep, World, WorldError, WorldOptions};

/// The depth of the first contact: ten lines from nothing to there.
pub(crate) fn first_contact() -> Result<f64, WorldError> {
    let mut world = World::new(WorldOptions { ask: Ask::CONTACTS, ..WorldOptions::default() });
    let floor = world.insert(shapes::cuboid(DVec3::new(9.0, 9.0, 1.0)));
    let ball = world.insert(shapes::icosphere(0.5, 3));
    world.set_pose(ball, &Pose::from_translation(DVec3::Z * 0.95).expect("finite"))?;
    let report = world.step(0.01)?;
    let contacts = report.meeting(floor, ball).map_or(&[][..], |meeting| meeting.contacts);
    Ok(contacts.iter().map(|contact| contact.depth).fold(0.0, f64::max))
}

/// What a world with a ball that passes through a waving cloth has told.
#[derive(Debug, Default)]
pub(crate) struct Told {
    /// Steps in which the two began and ceased to touch.
    pub(crate) events: Vec<(u64, &'static str)>,
    /// The most pairs of triangles in one step.
    pub(crate) pairs: usize,
    /// What was kept for the cloth.
    pub(crate) kept: Vec<Keep>,
}

/// A ball rises through a cloth that waves all the time.
pub(crate) fn ball_through_cloth() -> Result<Told, WorldError> {
    let mut world = World::new(WorldOptions { ask: Ask::PAIRS, ..WorldOptions::default() });
    let ball: BodyId = world.insert(Body::from(shapes::icosphere(0.3, 4)));
    let flat = shapes::cloth_grid(48, 48, [4.0, 4.0]);
    let cloth = world.insert(flat.clone());
    let mut told = Told::default();
    for k in 0..60 {
        let time = f64::from(k) / 60.0;
        let wave = |p: &DVec3| *p + DVec3::Z * 0.1 * (4.0 * p.x + 9.0 * time).sin();
        world.set_positions(cloth, &flat.positions().iter().map(wave).collect::<Vec<_>>())?;
        let height = DVec3::Z * (2.0 * time - 1.0);
        world.set_pose(ball, &Pose::from_translation(height).expect("finite"))?;
        let report = world.step(1.0 / 60.0)?;
        let [began, ended] = [("touch", report.began()), ("part", report.ended())];
        told.events.extend([began, ended].iter().filter(|e| !e.1.is_empty()).map(|e| (report.step(), e.0)));
        told.pairs = told.pairs.max(report.meeting(ball, cloth).map_or(0, |meeting| meeting.pairs.len()));
        told.kept.push(world.explain(cloth)?.kept);
    }
    println!("{}", world.explain(cloth)?);
    told.kept.dedup();
    Ok(told)
}

fn main() -> Result<(), WorldError> {
    println!("the ball is {:.4} deep in the floor", first_contact()?);
    println!("{:?}", ball_through_cloth()?);
    Ok(())
}
