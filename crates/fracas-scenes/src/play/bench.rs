//! A sheet and a soft solid that are cut along strokes, while they move and collide with each other and with themselves.
//!
//! # Idea
//!
//! ```text
//!    ▔▔▔▔▔▔▔▔▔▔▔▔  held       A stroke meets the surface of a body in points. These are points of its material, so they are known in the body at
//!    ▒▒▒▒▒╱▒▒▒▒▒▒             rest, where the cut runs (`slit`). The cut advances with the speed of a blade, step by step; the body in space follows
//!    ▒▒▒▒╱▒▒▒▒▒▒▒             and gapes. What is near holds bodies off each other and off themselves, as in `flag` and `surgery`.
//! ```
//!
//! Both bodies are in one world; its report gives the features that are near. Sizes: sheets of 576, 1,296 and 3,680 triangles; solids of 720, 1,280 and
//! 3,920.

use super::pick::Placed;
use super::stroke::{self, Line, Ribbon};
use super::{Outcome, Ray, Tool};
use crate::banner::Banner;
use crate::lattice::{Lattice, Parting};
use crate::points::Point;
use crate::slit::Slit;
use crate::soft::{Motion, Push, advance};
use crate::staged::Stage;
use crate::{Frame, SceneError, SceneOptions, Size};
use fracas::cut::CutOptions;
use fracas::geom::DVec3;
use fracas::mesh::{LiveMesh, Mesh, MeshEdit, shapes};
use fracas::tearing::TreeBox;
use fracas::world::{Ask, Body, BodyId};
use std::collections::VecDeque;

pub(super) const STEP_SECONDS: f64 = 1.0 / 60.0;
/// Metres: width and height of the sheet, and its middle.
const SHEET: [f64; 2] = [1.3, 1.2];
const SHEET_AT: DVec3 = DVec3::new(-0.8, 0.0, 0.95);
/// Half the solid, and its middle.
const HALF: DVec3 = DVec3::new(0.6, 0.45, 0.4);
const SOLID_AT: DVec3 = DVec3::new(0.8, 0.0, 0.43);
/// What is lower than this part of its half height is held.
const HELD: f64 = -0.75;
/// What the blade takes away between the faces of a cut, by the distance at which features push each other: so they never begin inside each other.
const KERF: f64 = 1.2;
/// Metres per second of the blade.
const BLADE: f64 = 2.5;
/// The farthest that a held point is moved in a step.
const DRAG: f64 = 0.05;
/// Bodies that have had more triangles than this are not cut any more.
const MOST_SLOTS: usize = 60_000;

/// The scene.
pub(super) struct Bench {
    stage: Stage,
    sheet: Sheet,
    solid: Solid,
    /// How near features push each other.
    reach: f64,
    grip: Option<Grip>,
}

struct Sheet {
    id: BodyId,
    cloth: Banner,
    edge: f64,
    cuts: Cuts,
}

struct Solid {
    id: BodyId,
    lattice: Lattice,
    slit: Slit,
    edge: f64,
    cuts: Cuts,
    /// All cuts so far, the last one up to its front.
    partings: Vec<Parting>,
}

/// Cuts that wait; how far the one under way has come, where it meets the body last, and where it ends.
#[derive(Default)]
struct Cuts {
    waiting: VecDeque<Ribbon>,
    front: f64,
    last: f64,
    end: f64,
}

/// Points that follow the pointer.
struct Grip {
    is_sheet: bool,
    /// Each with its place beside the target, and whether it was held before.
    points: Vec<(u32, DVec3, f64)>,
    target: DVec3,
    facing: DVec3,
}

impl Bench {
    pub fn new(options: &SceneOptions) -> Result<Self, SceneError> {
        let (rows, frequency, spacing) = match options.size {
            Size::Small => (16, 6, 0.13),
            Size::Paper => (24, 8, 0.11),
            Size::Large => (40, 14, 0.09),
        };
        let flat = shapes::cloth_grid(rows * 37 / 32, rows, SHEET);
        let upright = |p: &DVec3| DVec3::new(p.x, 0.0, p.y) + SHEET_AT;
        let mesh = made(&flat, upright)?;
        let edge = SHEET[1] / rows as f64;
        let top = SHEET_AT.z + 0.4999 * SHEET[1];
        let cloth = Banner::new(Slit::whole(mesh.clone()), edge, |p| p.z > top);
        let ball = shapes::geodesic_sphere(1.0, frequency);
        let rest = made(&ball, |p| *p * HALF)?;
        let solid_edge = 1.1 * HALF.x / f64::from(frequency);
        let reach = 0.25 * edge.min(solid_edge);
        let is_inside = |p: DVec3| (p / (HALF + 0.3 * spacing)).length_squared() < 1.0;
        let mut lattice = Lattice::new(HALF + spacing, spacing, 1e-5, is_inside);
        for (point, rest) in lattice.points.iter_mut().zip(&lattice.rest) {
            point.position += SOLID_AT;
            point.before = point.position;
            point.mobility = f64::from(u8::from(rest.z > HELD * HALF.z));
        }
        let slit = Slit::whole(rest.clone());
        lattice.kerf = KERF * reach;
        lattice.part(&slit.rest, &[]);
        let ask = Ask { near: Some(reach), ..Ask::PAIRS };
        let mut stage = Stage::new(ask, options);
        let id = stage.insert(Body::from(mesh.clone()).asking_itself(ask), &mesh);
        let sheet = Sheet { id, cloth, edge, cuts: Cuts::default() };
        let there = made(&rest, |p| *p + SOLID_AT)?;
        let id = stage.insert(Body::from(there.clone()).asking_itself(ask), &there);
        let (cuts, partings) = (Cuts::default(), vec![]);
        let solid = Solid { id, lattice, slit, edge: solid_edge, cuts, partings };
        Ok(Self { stage, sheet, solid, reach, grip: None })
    }

    pub fn renumber(&mut self) {
        self.stage.show_again();
    }

    pub fn advance(&mut self, step: usize, boxes: usize, frame: &mut Frame) -> Result<(), SceneError> {
        if step > 0 {
            self.drag();
            self.move_sheet(STEP_SECONDS * step as f64, frame)?;
            self.move_solid(frame)?;
        }
        self.stage.step(if step == 0 { 0.0 } else { STEP_SECONDS }, frame)?;
        if boxes > 0 {
            let mut all: Vec<TreeBox> = vec![];
            for id in [self.sheet.id, self.solid.id] {
                all.extend(self.stage.world.tear(id)?.boxes(boxes / 2));
            }
            all.sort_by_key(|b| b.level);
            frame.boxes = all;
        }
        Ok(())
    }

    fn move_sheet(&mut self, seconds: f64, frame: &mut Frame) -> Result<(), SceneError> {
        let Self { stage, sheet, reach, .. } = self;
        let mut pushes = frame.time("motion", || stage.pushes(sheet.id, *reach))?;
        let front = sheet.cuts.next(&mut sheet.cloth.slit)?.map(|(front, _)| front);
        if let Some(front) = front {
            let edit = frame.time("cut", || sheet.cloth.cut_to(front))?;
            if !edit.is_empty() {
                stage.edit(sheet.id, &edit)?;
            }
        }
        frame.time("motion", || {
            let breeze = DVec3::new(0.15, 0.6 * libm::sin(1.7 * seconds), 0.0);
            let pull = sheet.cloth.accelerations(breeze);
            pushes.extend(ground(&sheet.cloth.points, *reach));
            let motion = Motion { substeps: 12, drag: 0.8, farthest: 0.4 * *reach, push: 0.1 * *reach };
            let Banner { points, links, .. } = &mut sheet.cloth;
            advance(points, links, &pushes, &pull, STEP_SECONDS, &motion);
        });
        Ok(stage.world.set_positions(sheet.id, &sheet.cloth.positions())?)
    }

    fn move_solid(&mut self, frame: &mut Frame) -> Result<(), SceneError> {
        let Self { stage, solid, reach, .. } = self;
        let mut pushes = frame.time("motion", || -> Result<Vec<Push>, SceneError> {
            let now = solid.lattice.carry(&solid.slit.rest);
            Ok(solid.lattice.on_points(stage.pushes(solid.id, *reach)?, &now))
        })?;
        let edit = frame.time("cut", || solid.cut())?;
        frame.time("motion", || {
            let lattice = &mut solid.lattice;
            pushes.extend(ground(&lattice.points, 0.03));
            let motion = Motion { substeps: 12, drag: 2.0, farthest: 0.02, push: 0.1 * *reach };
            let weight = vec![DVec3::Z * -5.0; lattice.points.len()];
            advance(&mut lattice.points, &lattice.links, &pushes, &weight, STEP_SECONDS, &motion);
        });
        let positions = solid.lattice.carry(&solid.slit.rest);
        if !edit.is_empty() {
            let first = positions.len() - edit.new_positions.len();
            let edit = MeshEdit { new_positions: positions[first..].to_vec(), moved: vec![], ..edit };
            stage.edit(solid.id, &edit)?;
        }
        Ok(stage.world.set_positions(solid.id, &positions)?)
    }

    pub fn apply(&mut self, tool: &Tool, shown: &Placed) -> Result<Outcome, SceneError> {
        match tool {
            Tool::Grab { ray } => Ok(self.grab(&ray.unit(), shown)),
            Tool::Drag { ray } => {
                let ray = ray.unit();
                let Some(grip) = &mut self.grip else { return Ok(Outcome::nothing("Nothing is held.")) };
                if let Some(target) = ray.through(grip.target, grip.facing) {
                    grip.target = target.max(DVec3::new(f64::MIN, f64::MIN, 0.0));
                }
                Ok(Outcome::done("Dragged."))
            }
            Tool::Release => Ok(self.release()),
            Tool::Strike { ray, strength } => Ok(self.strike(&ray.unit(), *strength, shown)),
            Tool::Cut { rays } => self.cut(rays, shown),
            Tool::Ball { .. } | Tool::Throw { .. } => {
                Ok(Outcome::nothing("Nothing is thrown here: cut, grab or strike."))
            }
        }
    }

    fn points(&mut self, is_sheet: bool) -> &mut Vec<Point> {
        if is_sheet { &mut self.sheet.cloth.points } else { &mut self.solid.lattice.points }
    }

    fn grab(&mut self, ray: &Ray, shown: &Placed) -> Outcome {
        self.release();
        let Some(hit) = shown.nearest(ray) else {
            return Outcome::nothing("There is nothing under the pointer.");
        };
        let Some((id, corners)) = self.stage.owner(hit.triangle) else {
            return Outcome::nothing("There is nothing under the pointer.");
        };
        let is_sheet = id == self.sheet.id;
        let mut list: Vec<u32> = corners.to_vec();
        if !is_sheet {
            let (from, of) = (self.solid.lattice.followed(&corners), &self.solid.lattice.points);
            list = from;
            let far = |v: &u32| of[*v as usize].position.distance_squared(hit.point);
            list.sort_by(|a, b| far(a).total_cmp(&far(b)));
            list.truncate(6);
        }
        let points = self.points(is_sheet);
        let mut held = vec![];
        for v in list {
            let point = &mut points[v as usize];
            held.push((v, point.position - hit.point, point.mobility));
            point.mobility = 0.0;
        }
        self.grip = Some(Grip { is_sheet, points: held, target: hit.point, facing: ray.along });
        Outcome::done("Held.")
    }

    fn release(&mut self) -> Outcome {
        let Some(grip) = self.grip.take() else { return Outcome::nothing("Nothing is held.") };
        let points = self.points(grip.is_sheet);
        for (v, _, mobility) in grip.points {
            (points[v as usize].mobility, points[v as usize].velocity) = (mobility, DVec3::ZERO);
        }
        Outcome::done("Let go.")
    }

    /// Moves held points towards the pointer.
    fn drag(&mut self) {
        let Some(grip) = self.grip.take() else { return };
        let points = self.points(grip.is_sheet);
        for (v, beside, _) in &grip.points {
            let point = &mut points[*v as usize];
            point.position += (grip.target + *beside - point.position).clamp_length_max(DRAG);
            point.velocity = DVec3::ZERO;
        }
        self.grip = Some(grip);
    }

    fn strike(&mut self, ray: &Ray, strength: f64, shown: &Placed) -> Outcome {
        let Some(hit) = shown.nearest(ray) else {
            return Outcome::nothing("There is nothing under the pointer.");
        };
        let Some((id, _)) = self.stage.owner(hit.triangle) else {
            return Outcome::nothing("There is nothing under the pointer.");
        };
        for point in self.points(id == self.sheet.id).iter_mut().filter(|point| point.mobility > 0.0) {
            let share = (1.0 - point.position.distance(hit.point) / 0.25).max(0.0);
            point.velocity += ray.along * (8.0 * strength * share);
        }
        Outcome::done("Struck.")
    }

    fn cut(&mut self, rays: &[Ray], shown: &Placed) -> Result<Outcome, SceneError> {
        let rays = stroke::dense(rays);
        let mut cut = 0;
        for is_sheet in [true, false] {
            let (id, rest, edge) = if is_sheet {
                (self.sheet.id, &self.sheet.cloth.slit.rest, self.sheet.edge)
            } else {
                (self.solid.id, &self.solid.slit.rest, self.solid.edge)
            };
            if rest.slot_count() > MOST_SLOTS {
                return Ok(Outcome::nothing("This body is in shreds: begin again."));
            }
            let Some(line) = self.line(&rays, id, rest, is_sheet, shown) else { continue };
            let Some(ribbon) = line.ribbon(is_sheet, 2.0 * edge)? else { continue };
            let cuts = if is_sheet { &mut self.sheet.cuts } else { &mut self.solid.cuts };
            cuts.waiting.push_back(ribbon);
            cut += 1;
        }
        Ok(match cut {
            0 => Outcome::nothing("The stroke cuts nothing: draw a line across a body."),
            _ => Outcome::done("Cut along the stroke."),
        })
    }

    /// Where a stroke meets a body, in the body at rest.
    fn line(
        &self,
        rays: &[Ray],
        id: BodyId,
        rest: &LiveMesh,
        is_sheet: bool,
        shown: &Placed,
    ) -> Option<Line> {
        let at_rest = |hit: &super::pick::Hit| {
            let (owner, corners) = self.stage.owner(hit.triangle)?;
            let parts = corners.iter().zip(hit.weights).map(|(v, w)| rest.positions()[*v as usize] * w);
            (owner == id).then(|| parts.sum::<DVec3>())
        };
        let ends = |ray: &Ray| {
            let met: Vec<DVec3> = shown.hits(ray).iter().filter_map(at_rest).collect();
            Some([*met.first()?, *met.last()?])
        };
        let all: Vec<Option<[DVec3; 2]>> = rays.iter().map(ends).collect();
        let met: Vec<[DVec3; 2]> = all.iter().flatten().copied().collect();
        let depth = if is_sheet { DVec3::Y } else { met.iter().map(|[near, far]| *far - *near).sum() };
        let is_open = [all.first()?.is_none(), all.last()?.is_none()];
        (met.len() > 2).then(|| Line { points: met.iter().map(|[near, _]| *near).collect(), depth, is_open })
    }
}

impl Solid {
    /// Advances the cut under way; the edit has positions of the body at rest.
    fn cut(&mut self) -> Result<MeshEdit, SceneError> {
        let Some((front, begun)) = self.cuts.next(&mut self.slit)? else { return Ok(MeshEdit::default()) };
        if let Some(Ribbon { origin, normal, ahead, range, .. }) = begun {
            let (start, front) = (range[0], f64::NEG_INFINITY);
            self.partings.push(Parting { origin, normal, ahead, start, front });
        }
        let edit = self.slit.advance_to(front)?.0;
        let is_finished = self.slit.is_finished();
        if let Some(parting) = self.partings.last_mut()
            && (is_finished || !edit.is_empty())
        {
            // The front of the mesh follows edges; at its end, all is cut that was to be.
            parting.front = if is_finished { self.cuts.end } else { front };
            self.lattice.part(&self.slit.rest, &self.partings);
        }
        Ok(edit)
    }
}

impl Cuts {
    /// How far the front goes in this step, and the cut that begins with it, if one does; `None` if there is nothing to cut.
    fn next(&mut self, slit: &mut Slit) -> Result<Option<(f64, Option<Ribbon>)>, SceneError> {
        let mut begun = None;
        if slit.is_finished() {
            let Some(ribbon) = self.waiting.pop_front() else { return Ok(None) };
            let [start, end] = ribbon.range;
            let options = CutOptions { start, end, ..CutOptions::default() };
            let Some([first, last]) = slit.begin(&ribbon.surface, &options)? else { return Ok(None) };
            (self.front, self.last, self.end) = (first, last, end);
            begun = Some(ribbon);
        }
        self.front = (self.front + BLADE * STEP_SECONDS).min(self.last);
        Ok(Some((self.front, begun)))
    }
}

/// What keeps points above the ground.
fn ground(points: &[Point], least: f64) -> Vec<Push> {
    let low = (0..).zip(points).filter(|(_, point)| point.mobility > 0.0 && point.position.z < 3.0 * least);
    low.map(|(v, _)| Push { ends: vec![(v, 1.0)], normal: DVec3::Z, least }).collect()
}

/// A mesh of a formula, moved.
fn made(mesh: &Mesh, place: impl Fn(&DVec3) -> DVec3) -> Result<Mesh, SceneError> {
    let positions = mesh.positions().iter().map(place).collect();
    Mesh::new(positions, mesh.triangles().to_vec()).map_err(|error| SceneError::Mesh(error.to_string()))
}
