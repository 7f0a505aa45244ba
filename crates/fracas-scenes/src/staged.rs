//! A world of bodies as frames.
//!
//! A scene puts bodies on the stage, tells the world what happens to them, and lets a step pass. The frame then has every body where the world
//! has it, and what the report says: pairs and contacts of all bodies that were asked about.
//!
//! Vertices and triangles of a body follow those of the bodies before it; what an edit adds comes after all.

use crate::soft::{Push, Surface, pushes};
use crate::{AddedTriangle, Frame, FrameContact, SceneError, SceneOptions};
use fracas::brittle::{BrittleBody, Solid};
use fracas::fracture::Relabelling;
use fracas::geom::{DVec3, Pose};
use fracas::kinetic::{KineticBody, Plans};
use fracas::mesh::{Mesh, MeshEdit, Origin, TriangleId};
use fracas::pairs::{Pair, Touch};
use fracas::world::{Ask, Body, BodyId, Report, Settings, World, WorldOptions};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A world, and how frames show it.
pub(crate) struct Stage {
    pub world: World,
    /// The bodies in the order in which they came, and where each is in that list.
    shown: Vec<Shown>,
    place: BTreeMap<BodyId, usize>,
    vertices: u32,
    /// Where the vertices of frames are; those of bodies that are gone stay where they were.
    positions: Vec<DVec3>,
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
    is_gone: bool,
    /// The vertices of a fragment in its own coordinates.
    own: Option<Vec<DVec3>>,
}

impl Stage {
    /// An empty world that asks so about every two bodies.
    pub fn new(ask: Ask, options: &SceneOptions) -> Self {
        let world = World::new(WorldOptions { ask, find: options.find(Touch::Proper) });
        let (shown, place, is_crack, added, removed) = (vec![], BTreeMap::new(), vec![], vec![], vec![]);
        Self { world, shown, place, vertices: 0, positions: vec![], is_crack, added, removed }
    }

    /// Puts a body with the triangles of a mesh on the stage.
    pub fn insert(&mut self, body: impl Into<Body>, mesh: &Mesh) -> BodyId {
        let id = self.world.insert(body);
        self.show(id, None);
        let triangles = mesh.triangles().iter().map(|corners| (*corners, None, false));
        self.grow(id, mesh.vertex_count(), triangles);
        id
    }

    /// Shows a body that is in the world.
    fn show(&mut self, id: BodyId, own: Option<Vec<DVec3>>) {
        self.place.insert(id, self.shown.len());
        let (vertices, triangles, corners) = (vec![], vec![], vec![]);
        self.shown.push(Shown { id, vertices, triangles, corners, is_torn: false, is_gone: false, own });
    }

    /// Puts a body that can break on the stage.
    pub fn insert_brittle(&mut self, solid: &Arc<Solid>, pose: &Pose) -> Result<Vec<BodyId>, SceneError> {
        let body = BrittleBody::new(Arc::clone(solid));
        let ids = self.world.insert_brittle(body, pose, Settings::default());
        ids.iter().try_for_each(|id| self.show_fragment(*id))?;
        Ok(ids)
    }

    /// Breaks a fragment; see [`World::split`].
    pub fn split(&mut self, id: BodyId, labels: &Relabelling) -> Result<Vec<BodyId>, SceneError> {
        let pieces = self.world.split(id, &labels.labels, &labels.weights)?;
        if pieces != [id] {
            let shown = &mut self.shown[self.place[&id]];
            shown.is_gone = true;
            self.removed.extend(shown.triangles.iter().map(|slot| TriangleId(*slot)));
            pieces.iter().try_for_each(|piece| self.show_fragment(*piece))?;
        }
        Ok(pieces)
    }

    fn show_fragment(&mut self, id: BodyId) -> Result<(), SceneError> {
        let (body, fragment) = self.world.brittle(id)?;
        let (mesh, is_crack) = body.surface(fragment).map_err(SceneError::Solid)?;
        self.show(id, Some(mesh.positions().to_vec()));
        let triangles = mesh.triangles().iter().zip(is_crack);
        self.grow(id, mesh.vertex_count(), triangles.map(|(corners, is_crack)| (*corners, None, is_crack)));
        Ok(())
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

    /// The body that a triangle of frames belongs to, and its vertices as the body numbers them.
    pub fn owner(&self, slot: TriangleId) -> Option<(BodyId, [u32; 3])> {
        self.shown.iter().filter(|shown| !shown.is_gone).find_map(|shown| {
            let at = shown.triangles.binary_search(&slot.0).ok()?;
            Some((shown.id, shown.corners[at]?))
        })
    }

    /// The next frame has all triangles as added, and none as removed.
    pub fn show_again(&mut self) {
        self.removed.clear();
        self.added.clear();
        for shown in self.shown.iter().filter(|shown| !shown.is_gone) {
            for (slot, corners) in shown.triangles.iter().zip(&shown.corners) {
                let Some(corners) = corners else { continue };
                let corners = corners.map(|v| shown.vertices[v as usize]);
                let is_crack = self.is_crack[*slot as usize];
                let id = TriangleId(*slot);
                self.added.push(AddedTriangle { id, corners, is_crack, replaces: None });
            }
        }
        self.added.sort_unstable_by_key(|new| new.id);
    }

    /// Where the vertices of a body are.
    pub fn positions(&self, id: BodyId) -> Result<Vec<DVec3>, SceneError> {
        let shown = &self.shown[self.place[&id]];
        if let Some(own) = &shown.own {
            let pose = self.world.pose(id)?;
            return Ok(own.iter().map(|p| pose.apply(*p)).collect());
        }
        let view = self.world.view(id)?;
        let mut positions = vec![DVec3::ZERO; shown.vertices.len()];
        for (triangle, corners) in (0..).zip(&shown.corners) {
            let Some(corners) = corners else { continue };
            let at = view.triangle(TriangleId(triangle)).corners();
            corners.iter().zip(at).for_each(|(v, p)| positions[*v as usize] = p);
        }
        Ok(positions)
    }

    /// What keeps a soft body off all that the last report finds near it; see [`pushes`].
    pub fn pushes(&self, body: BodyId, thickness: f64) -> Result<Vec<Push>, SceneError> {
        let report = self.world.report();
        let mut surfaces = BTreeMap::new();
        for id in
            report.meetings().filter(|meeting| !meeting.near.is_empty()).flat_map(|meeting| meeting.bodies)
        {
            let triangles = &self.shown[self.place[&id]].corners;
            surfaces.insert(id, Surface { positions: self.positions(id)?, triangles });
        }
        Ok(pushes(report, body, &surfaces, thickness))
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
        let mut all = std::mem::take(&mut self.positions);
        all.resize(self.vertices as usize, DVec3::ZERO);
        for shown in self.shown.iter().filter(|shown| !shown.is_gone) {
            let positions = self.positions(shown.id)?;
            shown.vertices.iter().zip(positions).for_each(|(v, p)| all[*v as usize] = p);
        }
        frame.positions = all.clone();
        self.positions = all;
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
        for (number, shown) in (0..).zip(&self.shown).filter(|(_, shown)| !shown.is_gone) {
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

/// A body on a known path, with keys every `seconds`; `place` says where its vertices are.
pub(crate) fn planned(
    mesh: &Mesh,
    keys: usize,
    seconds: f64,
    place: impl Fn(f64, DVec3) -> DVec3,
) -> KineticBody {
    let times: Vec<f64> = (0..keys).map(|key| seconds * key as f64).collect();
    let at = |time: &f64| mesh.positions().iter().map(|p| place(*time, *p)).collect();
    let plans = Plans::keyframes(times.clone(), times.iter().map(at).collect()).expect("keys in order");
    KineticBody::new(mesh.triangles().to_vec(), plans).expect("plans of this mesh")
}
