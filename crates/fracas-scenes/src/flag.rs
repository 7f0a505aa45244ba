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
//! pole and itself; they hold it off. Sizes: 1,200, 9,408 and 37,632 triangles of flag.

use crate::banner::Banner;
use crate::slit::Slit;
use crate::soft::{Motion, advance};
use crate::staged::Stage;
use crate::{Frame, Run, Scene, SceneError, SceneOptions, Size};
use fracas::Pair;
use fracas::cut::{CutOptions, CutSurface};
use fracas::geom::{DVec3, Pose};
use fracas::mesh::{Mesh, shapes};
use fracas::world::{Ask, Body};

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
/// The wind, in metres per second.
const WIND: f64 = 4.0;
/// Metres per second of the sword, the second at which it begins, and where the cut ends, from the middle towards the pole.
const SPEED: f64 = 0.6;
const BEGIN: f64 = 0.5;
const CUT_END: f64 = 0.55;

struct Flag {
    cloth: Banner,
    /// The length of an edge.
    edge: f64,
    /// How far the cut has come, and how high the sword is.
    front: f64,
    height: f64,
}

fn begin(options: &SceneOptions) -> Result<Run, SceneError> {
    let rows = match options.size {
        Size::Small => 20,
        Size::Paper => 56,
        Size::Large => 112,
    };
    let (mut flag, rest) = Flag::new(rows)?;
    let reach = NEAR * flag.edge;
    let ask = Ask { near: Some(reach), ..Ask::PAIRS };
    let mut stage = Stage::new(ask, options);
    let body = Body::from(rest.clone()).asking_itself(ask);
    let cloth = stage.insert(body, &rest);
    let pole = shapes::surface_of_revolution(&[[0.0, -1.1], [0.03, -1.1], [0.03, 1.1], [0.0, 1.1]], 24);
    let beside = DVec3::new(-0.5 * SIZE[0] - 0.03 - 2.0 * reach, 0.0, -0.5);
    let body = Body::from(pole.clone()).at(&Pose::from_translation(beside).expect("finite"));
    stage.insert(body, &pole);
    let blade = shapes::cuboid(DVec3::new(0.06, 1.6, 0.006));
    let sword = stage.insert(blade.clone(), &blade);
    let advance = move |step: usize, frame: &mut Frame| {
        let seconds = STEP_SECONDS * step as f64;
        if step > 0 {
            let pushes = stage.pushes(cloth, reach)?;
            let crossed = stage.world.report().meeting(cloth, sword).map_or(&[][..], |meeting| meeting.pairs);
            flag.follow(crossed);
            let edit = flag.cloth.cut_to(flag.front)?;
            if !edit.is_empty() {
                stage.edit(cloth, &edit)?;
            }
            let pull = flag.cloth.accelerations(wind(seconds));
            let Banner { points, links, .. } = &mut flag.cloth;
            let motion = Motion { substeps: 12, drag: 0.6, farthest: 0.4 * reach, push: 0.1 * reach };
            frame.time("motion", || advance(points, links, &pushes, &pull, STEP_SECONDS, &motion));
            stage.world.set_positions(cloth, &flag.cloth.positions())?;
        }
        stage.world.set_pose(sword, &flag.sword(seconds))?;
        stage.step(STEP_SECONDS, frame)?;
        frame.count("front", flag.front);
        Ok(())
    };
    let steps = options.steps.unwrap_or((SCENE.steps)(options.size));
    Ok(Run::new(steps, STEP_SECONDS, None, Box::new(advance)))
}

/// Gusts from side to side.
fn wind(seconds: f64) -> DVec3 {
    let turn = 0.25 * libm::sin(2.1 * seconds) + 0.15 * libm::sin(5.3 * seconds);
    DVec3::new(libm::cos(turn), libm::sin(turn), 0.05) * WIND
}

impl Flag {
    /// A flag with a number of rows, and its mesh; its left rim is held.
    fn new(rows: usize) -> Result<(Self, Mesh), SceneError> {
        let flat = shapes::cloth_grid(rows * 3 / 2, rows, SIZE);
        let upright = flat.positions().iter().map(|p| DVec3::new(p.x, 0.0, p.y)).collect();
        let mesh = Mesh::new(upright, flat.triangles().to_vec()).expect("a flag");
        let edge = SIZE[1] / rows as f64;
        // A little beside a row of vertices, towards the pole.
        let surface = CutSurface::plane(DVec3::Z * (0.37 * edge), DVec3::Z, -DVec3::X)?;
        let slit = Slit::new(mesh.clone(), &surface, &CutOptions { end: CUT_END, ..CutOptions::default() })?;
        let cloth = Banner::new(slit, edge, |p| p.x < -0.4999 * SIZE[0]);
        Ok((Self { cloth, edge, front: -0.5 * SIZE[0], height: 0.0 }, mesh))
    }

    /// Where the blade crosses the flag on the line ahead, the cut advances.
    fn follow(&mut self, crossed: &[Pair]) {
        let rest = &self.cloth.slit.rest;
        let mut front = self.front;
        for pair in crossed.iter().filter(|pair| rest.is_alive(pair.a)) {
            let corners = rest.corners(pair.a).map(|v| rest.positions()[v as usize]);
            if corners.iter().any(|p| p.z.abs() < 1.5 * self.edge) {
                front = corners.iter().map(|p| -p.x).fold(front, f64::max);
            }
        }
        self.front = front.min(self.front + 2.0 * self.edge);
    }

    /// The sword goes along the line, as high as the cloth there is, and back.
    fn sword(&mut self, seconds: f64) -> Pose {
        let way = (SPEED * (seconds - BEGIN)).max(0.0);
        let turns = SIZE[0] * 0.5 + CUT_END + 0.1;
        let x = 0.5 * SIZE[0] + 0.1 - if way < turns { way } else { 2.0 * turns - way };
        let near = |p: &DVec3| (p.x + self.front).abs() < 2.5 * self.edge && p.z.abs() < 1.5 * self.edge;
        let all = self.cloth.slit.rest.positions().iter().zip(&self.cloth.points);
        let heights: Vec<f64> = all.filter(|(p, _)| near(p)).map(|(_, point)| point.position.z).collect();
        let height = heights.iter().sum::<f64>() / heights.len().max(1) as f64;
        self.height += 0.3 * (height - self.height);
        Pose::from_translation(DVec3::new(x, 0.0, self.height)).expect("finite")
    }
}
