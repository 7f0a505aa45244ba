//! A flag in the wind is cut by a sword, while it collides with the sword, with its pole and with itself.
//!
//! # Idea
//!
//! ```text
//!   ║▒▒▒▒▒▒▒▒▒▒▒▒▒▒      The sword goes along a line on the flag, from its free end towards the pole. Where the blade crosses
//!   ║▒▒▒▒▒▒▒▒▒───┼──    triangles on the line ahead of the cut, the cut advances: the report's pairs decide, not the clock.
//!   ║▒▒▒▒▒▒▒▒▒▒▒▒▒▒      Everything else that is near pushes: lips of the cut slide along the blade, folds lie on each other.
//! ```
//!
//! The flag is points and links (`soft`), moved by gravity and by the pressure of the wind on each triangle. The report gives its features near blade,
//! pole and itself; they hold it off. Sizes: 1,200, 9,600 and 38,400 triangles of flag.

use crate::points::{Link, Point};
use crate::slit::{Made, Slit};
use crate::soft::{Motion, Surface, advance, pushes};
use crate::staged::Stage;
use crate::{Frame, Run, Scene, SceneError, SceneOptions, Size};
use fracas::cut::{CutOptions, CutSurface};
use fracas::geom::{DVec3, Pose};
use fracas::mesh::{LiveMesh, Mesh, MeshEdit, shapes};
use fracas::world::{Ask, Body};
use std::collections::BTreeMap;

/// The scene.
pub const SCENE: Scene = Scene {
    name: "flag",
    about: "a flag in the wind is cut by a sword while it collides with it, with its pole and with itself",
    steps: |_| 240,
    takes_mesh: false,
    takes_pieces: false,
    begin,
};

const STEP_SECONDS: f64 = 1.0 / 60.0;
/// Metres: the flag's width and height, and how near things may come to it, by the length of its edges.
const SIZE: [f64; 2] = [1.5, 1.0];
const NEAR: f64 = 0.3;
/// The wind in metres per second, and how strongly it takes cloth along that faces it, per second.
const WIND: f64 = 5.0;
const PRESSURE: f64 = 9.0;
/// Metres per second of the sword, the second at which it begins, and where the cut ends, from the middle towards the pole.
const SPEED: f64 = 0.6;
const BEGIN: f64 = 0.5;
const CUT_END: f64 = 0.55;
/// How much a link across an edge gives.
const BENDING: f64 = 4e-6;

struct Flag {
    points: Vec<Point>,
    slit: Slit,
    links: Vec<(Link, f64)>,
    /// The length of an edge.
    edge: f64,
    front: f64,
    height: f64,
}

fn begin(options: &SceneOptions) -> Result<Run, SceneError> {
    let rows = match options.size {
        Size::Small => 20,
        Size::Paper => 56,
        Size::Large => 112,
    };
    let mut flag = Flag::new(rows)?;
    let reach = NEAR * flag.edge;
    let ask = Ask { near: Some(reach), ..Ask::PAIRS };
    let mut stage = Stage::new(ask, options);
    let rest = flag.slit.rest.to_mesh().0;
    let cloth =
        stage.insert(Body::from(rest.clone()).asking_itself(ask), rest.vertex_count(), rest.triangles());
    let pole = shapes::cylinder(0.03, 2.2, 24);
    let pole_pose =
        Pose::from_translation(DVec3::new(-0.5 * SIZE[0] - 0.03 - 2.0 * reach, 0.0, -0.5)).expect("finite");
    let pole_id =
        stage.insert(Body::from(pole.clone()).at(&pole_pose), pole.vertex_count(), pole.triangles());
    let blade = shapes::brick(DVec3::new(0.06, 1.6, 0.006), 0.2);
    let sword = stage.insert(blade.clone(), blade.vertex_count(), blade.triangles());
    let advance = move |step: usize, frame: &mut Frame| {
        let seconds = STEP_SECONDS * step as f64;
        if step > 0 {
            let edit = frame.time("motion", || -> Result<MeshEdit, SceneError> {
                let [around, steel] = [stage.positions(pole_id)?, stage.positions(sword)?];
                let now: Vec<DVec3> = flag.points.iter().map(|point| point.position).collect();
                let others = BTreeMap::from([
                    (cloth, Surface { positions: &now, triangles: flag.slit.rest.triangles() }),
                    (pole_id, Surface { positions: &around, triangles: pole.triangles() }),
                    (sword, Surface { positions: &steel, triangles: blade.triangles() }),
                ]);
                let report = stage.world.report();
                let pushes = pushes(report, cloth, &others, reach);
                let edit = flag.cut(stage.world.report().meeting(cloth, sword).map_or(&[], |m| m.pairs))?;
                let motion = Motion { substeps: 12, drag: 0.3, farthest: 0.4 * reach };
                let pull = flag.accelerations(seconds);
                advance(&mut flag.points, &flag.links, &pushes, &pull, STEP_SECONDS, &motion);
                Ok(edit)
            })?;
            if !edit.is_empty() {
                stage.edit(cloth, &edit)?;
            }
            let positions: Vec<DVec3> = flag.points.iter().map(|point| point.position).collect();
            stage.world.set_positions(cloth, &positions)?;
        }
        stage.world.set_pose(sword, &flag.sword(seconds))?;
        stage.step(STEP_SECONDS, frame)?;
        frame.count("front", flag.front);
        Ok(())
    };
    Ok(Run::new(
        (options.steps).unwrap_or((SCENE.steps)(options.size)),
        STEP_SECONDS,
        None,
        Box::new(advance),
    ))
}

impl Flag {
    fn new(rows: usize) -> Result<Self, SceneError> {
        let flat = shapes::cloth_grid(rows * 3 / 2, rows, SIZE);
        let upright: Vec<DVec3> = flat.positions().iter().map(|p| DVec3::new(p.x, 0.0, p.y)).collect();
        let mesh = Mesh::new(upright, flat.triangles().to_vec()).expect("a flag");
        let edge = SIZE[1] / rows as f64;
        // A little beside a row of vertices, towards the pole.
        let surface = CutSurface::plane(DVec3::Z * (0.37 * edge), DVec3::Z, -DVec3::X)?;
        let options = CutOptions { end: CUT_END, ..CutOptions::default() };
        let point = |&position: &DVec3| Point {
            position,
            velocity: DVec3::ZERO,
            before: position,
            mobility: if position.x < -0.4999 * SIZE[0] { 0.0 } else { 1.0 },
        };
        let points = mesh.positions().iter().map(point).collect();
        let slit = Slit::new(mesh, &surface, &options)?;
        let links = links_of(&slit.rest);
        Ok(Self { points, slit, links, edge, front: -0.5 * SIZE[0], height: 0.0 })
    }

    /// Where the blade crosses the flag on the line ahead, the cut advances.
    fn cut(&mut self, crossed: &[fracas::Pair]) -> Result<MeshEdit, SceneError> {
        let rest = self.slit.rest.positions();
        let mut front = self.front;
        for pair in crossed.iter().filter(|pair| self.slit.rest.is_alive(pair.a)) {
            let corners = self.slit.rest.corners(pair.a).map(|v| rest[v as usize]);
            if corners.iter().any(|p| p.z.abs() < 1.5 * self.edge) {
                front = corners.iter().map(|p| -p.x).fold(front, f64::max);
            }
        }
        self.front = front.min(self.front + 2.0 * self.edge);
        let (mut edit, made) = self.slit.advance_to(self.front)?;
        for (position, made) in edit.new_positions.iter_mut().zip(made) {
            let Made::On(corners) = made else { unreachable!("a sheet has no inside") };
            let [p, v] = corners.iter().fold([DVec3::ZERO; 2], |[p, v], &(k, w)| {
                let point = self.points[k as usize];
                [p + point.position * w, v + point.velocity * w]
            });
            *position = p;
            self.points.push(Point { position: p, velocity: v, before: p, mobility: 1.0 });
        }
        if !edit.is_empty() {
            self.links = links_of(&self.slit.rest);
        }
        Ok(edit)
    }

    /// Gravity, and the wind on every triangle.
    fn accelerations(&self, seconds: f64) -> Vec<DVec3> {
        let mut all = vec![DVec3::Z * -9.81; self.points.len()];
        let turn = 0.5 * libm::sin(2.1 * seconds) + 0.3 * libm::sin(5.3 * seconds);
        let wind = DVec3::new(libm::cos(turn), libm::sin(turn), 0.05) * WIND;
        for id in self.slit.rest.live_triangles() {
            let corners = self.slit.rest.corners(id);
            let [a, b, c] = corners.map(|v| self.points[v as usize]);
            let across = (b.position - a.position).cross(c.position - a.position);
            let relative = wind - (a.velocity + b.velocity + c.velocity) / 3.0;
            let share = across.length() / (self.edge * self.edge);
            let force = across.normalize_or_zero()
                * (PRESSURE * share * relative.dot(across.normalize_or_zero()) / 6.0);
            corners.iter().for_each(|v| all[*v as usize] += force);
        }
        all
    }

    /// The sword goes along the line, as high as the cloth there is, and back.
    fn sword(&mut self, seconds: f64) -> Pose {
        let way = (SPEED * (seconds - BEGIN)).max(0.0);
        let turns = SIZE[0] * 0.5 + CUT_END + 0.1;
        let x = 0.5 * SIZE[0] + 0.1 - if way < turns { way } else { 2.0 * turns - way };
        let near = |p: &DVec3| (p.x + self.front).abs() < 2.5 * self.edge && p.z.abs() < 1.5 * self.edge;
        let rest = self.slit.rest.positions().iter().zip(&self.points);
        let (sum, count) = rest
            .filter(|(p, _)| near(p))
            .fold((DVec3::ZERO, 0.0), |(sum, count), (_, point)| (sum + point.position, count + 1.0));
        let height = if count > 0.0 { sum.z / count } else { 0.0 };
        self.height += 0.3 * (height - self.height);
        Pose::from_translation(DVec3::new(x, 0.0, self.height)).expect("finite")
    }
}

/// Links along all edges, and softer ones across each.
fn links_of(rest: &LiveMesh) -> Vec<(Link, f64)> {
    let at = |v: u32| rest.positions()[v as usize];
    let link = |ends: [u32; 2]| Link { ends, length: at(ends[0]).distance(at(ends[1])) };
    let mut opposite: BTreeMap<[u32; 2], Vec<u32>> = BTreeMap::new();
    for id in rest.live_triangles() {
        let t = rest.corners(id);
        for k in 0..3 {
            let [a, b] = [t[k], t[(k + 1) % 3]];
            opposite.entry([a.min(b), a.max(b)]).or_default().push(t[(k + 2) % 3]);
        }
    }
    let stretch = opposite.keys().map(|ends| (link(*ends), 0.0));
    let bend = opposite.values().filter_map(|list| match list[..] {
        [a, b] => Some((link([a, b]), BENDING)),
        _ => None,
    });
    stretch.chain(bend).collect()
}
