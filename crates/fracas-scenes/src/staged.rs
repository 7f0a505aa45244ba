//! A world of bodies as frames.
//!
//! A scene puts bodies on the stage, tells the world what happens to them, and lets a step pass. The frame then has every body where the world
//! has it, and what the report says: pairs and contacts of all bodies that were asked about.
//!
//! Vertices and triangles of a body follow those of the bodies before it; what an edit adds comes after all.

use crate::{AddedTriangle, Frame, FrameContact, SceneError, SceneOptions};
use fracas::geom::DVec3;
use fracas::mesh::{MeshEdit, Origin, TriangleId};
use fracas::pairs::{Pair, Touch};
use fracas::world::{Ask, Body, BodyId, Report, World, WorldOptions};
use std::collections::BTreeMap;

/// A world, and how frames show it.
pub(crate) struct Stage {
    pub world: World,
    /// The bodies in the order in which they came, and where each is in that list.
    shown: Vec<Shown>,
    place: BTreeMap<BodyId, usize>,
    vertices: u32,
    /// Whether each triangle of the frames is surface along a crack.
    is_crack: Vec<bool>,
    added: Vec<AddedTriangle>,
    removed: Vec<TriangleId>,
}

/// A body as it is shown.
struct Shown {
    id: BodyId,
    /// Its vertices and triangles by their numbers in frames.
    vertices: Vec<u32>,
    triangles: Vec<u32>,
    /// The vertices of each triangle, as the body numbers them; `None` where there is none any more.
    corners: Vec<Option<[u32; 3]>>,
    is_torn: bool,
}

impl Stage {
    /// An empty world that asks so about every two bodies.
    pub fn new(ask: Ask, options: &SceneOptions) -> Self {
        let world = World::new(WorldOptions { ask, find: options.find(Touch::Proper) });
        let (shown, place, is_crack, added, removed) = (vec![], BTreeMap::new(), vec![], vec![], vec![]);
        Self { world, shown, place, vertices: 0, is_crack, added, removed }
    }

    /// Puts a body with these triangles on the stage.
    pub fn insert(&mut self, body: impl Into<Body>, vertices: usize, triangles: &[[u32; 3]]) -> BodyId {
        let id = self.world.insert(body);
        self.place.insert(id, self.shown.len());
        let shown = Shown { id, vertices: vec![], triangles: vec![], corners: vec![], is_torn: false };
        self.shown.push(shown);
        self.grow(id, vertices, triangles.iter().map(|corners| (*corners, None, false)));
        id
    }

    /// Edits a body.
    pub fn edit(&mut self, id: BodyId, edit: &MeshEdit) -> Result<(), SceneError> {
        self.world.apply(id, edit)?;
        let shown = &mut self.shown[self.place[&id]];
        shown.is_torn = true;
        for triangle in &edit.removed {
            shown.corners[triangle.index()] = None;
            self.removed.push(TriangleId(shown.triangles[triangle.index()]));
        }
        let (names, is_crack) = (shown.triangles.clone(), self.is_crack.clone());
        let named = |old: &TriangleId| names.get(old.index()).copied();
        let added = edit.added.iter().map(|new| match &new.origin {
            Origin::Crack => (new.corners, None, true),
            Origin::Replaces(old) => {
                (new.corners, named(old), named(old).is_some_and(|slot| is_crack[slot as usize]))
            }
        });
        self.grow(id, edit.new_positions.len(), added);
        Ok(())
    }

    /// Adds vertices and triangles to a body, with the triangles that they replace and whether they are along a crack.
    fn grow(
        &mut self,
        id: BodyId,
        vertices: usize,
        triangles: impl Iterator<Item = ([u32; 3], Option<u32>, bool)>,
    ) {
        let shown = &mut self.shown[self.place[&id]];
        shown.vertices.extend(self.vertices..self.vertices + vertices as u32);
        self.vertices += vertices as u32;
        for (corners, replaces, is_crack) in triangles {
            let slot = self.is_crack.len() as u32;
            shown.triangles.push(slot);
            shown.corners.push(Some(corners));
            let corners = corners.map(|v| shown.vertices[v as usize]);
            let replaces = replaces.map(TriangleId);
            self.added.push(AddedTriangle { id: TriangleId(slot), corners, is_crack, replaces });
            self.is_crack.push(is_crack);
        }
    }

    /// Where the vertices of a body are.
    pub fn positions(&self, id: BodyId) -> Result<Vec<DVec3>, SceneError> {
        let shown = &self.shown[self.place[&id]];
        let view = self.world.view(id)?;
        let mut positions = vec![DVec3::ZERO; shown.vertices.len()];
        for (triangle, corners) in (0..).zip(&shown.corners) {
            let Some(corners) = corners else { continue };
            let at = view.triangle(TriangleId(triangle)).corners();
            corners.iter().zip(at).for_each(|(v, p)| positions[*v as usize] = p);
        }
        Ok(positions)
    }

    /// Lets a step pass, and takes down everything.
    pub fn step(&mut self, seconds: f64, frame: &mut Frame) -> Result<&Report, SceneError> {
        let times = *self.world.step(seconds)?.times();
        frame.times.extend([
            ("bodies", times.bodies),
            ("broad phase", times.broad),
            ("narrow phase", times.narrow),
            ("report", times.report),
        ]);
        frame.positions = vec![DVec3::ZERO; self.vertices as usize];
        for shown in &self.shown {
            let positions = self.positions(shown.id)?;
            shown.vertices.iter().zip(positions).for_each(|(v, p)| frame.positions[*v as usize] = p);
        }
        frame.fragments = self.fragments()?;
        frame.added = std::mem::take(&mut self.added);
        frame.removed = std::mem::take(&mut self.removed);
        frame.removed.sort_unstable();
        let report = self.world.report();
        for meeting in report.meetings() {
            let [a, b] = meeting.bodies.map(|id| &self.shown[self.place[&id]].triangles);
            let named = |pair: &Pair| {
                let (x, y) = (a[pair.a.index()], b[pair.b.index()]);
                Pair::new(x.min(y), x.max(y))
            };
            frame.pairs.extend(meeting.pairs.iter().map(named));
            frame.contacts.extend(meeting.contacts.iter().map(|contact| FrameContact {
                point: 0.5 * (contact.points[0] + contact.points[1]),
                normal: contact.normal,
                depth: contact.depth,
            }));
        }
        frame.pairs.sort_unstable();
        let mut pieces: Vec<u32> = frame.fragments.clone();
        pieces.sort_unstable();
        pieces.dedup();
        let live = frame.fragments.iter().filter(|&&fragment| fragment != Frame::DEAD).count();
        let pieces = pieces.iter().filter(|&&fragment| fragment != Frame::DEAD).count();
        let counters = report.counters();
        let counts = [
            ("triangles", live),
            ("removed", frame.removed.len()),
            ("added", frame.added.len()),
            ("pairs", frame.pairs.len()),
            ("pieces", pieces),
            ("contacts", frame.contacts.len()),
            ("bodies", counters.bodies),
            ("candidates", counters.candidates),
            ("asked", counters.asked),
            ("touching", counters.touching),
            ("began", report.began().len()),
            ("ended", report.ended().len()),
        ];
        counts.into_iter().for_each(|(name, value)| frame.count(name, value as f64));
        Ok(self.world.report())
    }

    /// A number for every body. Pieces of a torn body but the first have numbers after those of all bodies.
    fn fragments(&mut self) -> Result<Vec<u32>, SceneError> {
        let mut fragments = vec![Frame::DEAD; self.is_crack.len()];
        let mut next = self.shown.len() as u32;
        for (number, shown) in (0..).zip(&self.shown) {
            if !shown.is_torn {
                shown.triangles.iter().for_each(|slot| fragments[*slot as usize] = number);
                continue;
            }
            for (k, piece) in self.world.tear(shown.id)?.pieces().enumerate() {
                let fragment = if k == 0 { number } else { next };
                next += u32::from(k > 0);
                for triangle in piece.triangles() {
                    fragments[shown.triangles[triangle.index()] as usize] = fragment;
                }
            }
        }
        Ok(fragments)
    }
}
