//! Cloth: a sheet of points and links that falls, slides over obstacles and lies on itself.
//!
//! # Idea
//!
//! ```text
//!    ●───●───●     links along all edges resist stretching, links across each edge, from one corner to the other,
//!    │ ╲ │ ╲ │     resist bending, more softly
//!    ●───●───●
//!      ↖   ↗       points that come closer than the thickness push each other apart (`near`)
//! ```
//!
//! A step is divided into many small ones, each with one pass over links, contacts and obstacles (extended
//! position-based dynamics). The thickness is the length of the shortest edge: no point fits through the gap
//! between the three corners of a triangle then, and no edge through an edge, so keeping points apart keeps
//! sheets apart. Points move less than half the thickness in a small step, so none can jump over another.
//!
//! Obstacles hold points off by half the thickness, with friction against their own motion.
//!
//! Key poses that must not pass through each other in between come from another solver, which keeps faces and edges apart
//! exactly (`cloth/keyed.rs`).
//!
//! # Limits
//!
//! Obstacles push out only points and, optionally, the centres of triangles. A sharp edge of an obstacle can press through between them. Then there
//! are pairs of intersecting triangles, which every frame counts exactly.
//!
//! # Reference
//!
//! M. Macklin, M. Müller and N. Chentanez, *XPBD: position-based simulation of compliant constrained dynamics*, Motion
//! in Games, 2016; M. Macklin and others, *Small steps in physics simulation*, Symposium on Computer Animation, 2019.

mod apart;
mod contacts;
pub(crate) mod features;
pub(crate) mod impacts;
pub(crate) mod keyed;
mod moving_tree;
mod near_features;
pub(crate) mod refine;

use crate::near::Near;
use crate::obstacle::Obstacle;
use crate::points::{Link, Point, pull};
use fracas::geom::DVec3;
use fracas::mesh::{Adjacency, EdgeUse, Mesh};

/// What cloth is like, and what acts on it. Lengths are metres, masses those of a point.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ClothOptions {
    /// Acceleration of everything. Default: that of the earth, down.
    pub gravity: DVec3,
    /// Share of velocity that is lost per second to the air, to first order. Default: 1.
    pub drag: f64,
    /// How much a link across an edge gives under unit force, for a point of unit mass. Default: 2e-6.
    pub bending: f64,
    /// Friction against obstacles and between layers, as in Coulomb's law. Default: 0.4.
    pub friction: f64,
    /// Hold off the middles of triangles too, which thin obstacles need. Default: no.
    pub faces: bool,
    /// Small steps in a step. Default: 12.
    pub substeps: usize,
}

impl Default for ClothOptions {
    fn default() -> Self {
        Self {
            gravity: DVec3::new(0.0, 0.0, -9.81),
            drag: 1.0,
            bending: 2e-6,
            friction: 0.4,
            faces: false,
            substeps: 12,
        }
    }
}

/// A piece of cloth.
pub(crate) struct Cloth {
    options: ClothOptions,
    points: Vec<Point>,
    triangles: Vec<[u32; 3]>,
    stretch: Vec<Link>,
    bend: Vec<Link>,
    /// Points of two layers are kept this far apart.
    thickness: f64,
    /// Where points are at rest.
    rest: Vec<DVec3>,
    near: Near,
}

/// How far a point may move in a small step, in thicknesses.
const FASTEST: f64 = 0.4;
/// Small steps after which neighbours are searched again, and inner friction acts.
const LOOK_EVERY: usize = 3;
/// The share of a difference in velocity that the ends of a link exchange then.
const INNER_FRICTION: f64 = 0.08;

impl Cloth {
    /// A sheet at rest in the shape of a mesh.
    pub fn new(mesh: &Mesh, options: ClothOptions) -> Self {
        let at = |v: u32| mesh.positions()[v as usize];
        let link = |ends: [u32; 2]| Link { ends, length: at(ends[0]).distance(at(ends[1])) };
        let (mut stretch, mut bend) = (Vec::new(), Vec::new());
        for edge in Adjacency::build(mesh).edges() {
            stretch.push(link(edge.ends));
            let corner = |side: &EdgeUse| mesh.triangles()[side.triangle().index()][(side.corner() + 2) % 3];
            if let [one, other] = edge.uses {
                bend.push(link([corner(one), corner(other)]));
            }
        }
        let (stretch, bend) = (by_colour(stretch, mesh.vertex_count()), by_colour(bend, mesh.vertex_count()));
        let thickness = stretch.iter().map(|link| link.length).fold(f64::INFINITY, f64::min);
        let point =
            |&position: &DVec3| Point { position, velocity: DVec3::ZERO, before: position, mobility: 1.0 };
        Self {
            options,
            points: mesh.positions().iter().map(point).collect(),
            triangles: mesh.triangles().to_vec(),
            stretch,
            bend,
            thickness,
            rest: mesh.positions().to_vec(),
            near: Near::default(),
        }
    }

    /// Moves the cloth by a step. `drive` moves the obstacles; it is given the seconds of the step that have passed.
    pub fn step<O: Obstacle>(&mut self, seconds: f64, obstacles: &mut [O], drive: impl Fn(&mut [O], f64)) {
        let Self { options, points, triangles, stretch, bend, thickness, rest, near } = self;
        let thickness = *thickness;
        let dt = seconds / options.substeps as f64;
        let keep = 1.0 / (1.0 + options.drag * dt);
        let (fastest, bending) = (FASTEST * thickness / dt, options.bending / (dt * dt));
        for substep in 0..options.substeps {
            drive(obstacles, dt * (substep + 1) as f64);
            if substep % LOOK_EVERY == 0 {
                stretch.iter().for_each(|link| calm(points, link, INNER_FRICTION));
                let speed =
                    points.iter().map(|point| point.velocity.length_squared()).fold(0.0, f64::max).sqrt();
                let travel = ((speed + options.gravity.length() * seconds) * dt).min(FASTEST * thickness);
                // Neighbours at rest may be as close as they are there, and a little closer.
                let apart = (1.05 * thickness).powi(2);
                let least = |a: usize, b: usize, _: f64| {
                    (rest[a].distance_squared(rest[b]) > apart).then_some(thickness)
                };
                near.look(points, thickness + 2.0 * LOOK_EVERY as f64 * travel, least);
            }
            for point in points.iter_mut().filter(|point| point.mobility > 0.0) {
                point.velocity += options.gravity * dt;
                point.before = point.position;
                point.position += point.velocity.clamp_length_max(fastest) * dt;
            }
            stretch.iter().for_each(|link| pull(points, link, 0.0));
            bend.iter().for_each(|link| pull(points, link, bending));
            near.part(points, options.friction);
            for obstacle in obstacles.iter() {
                let touch = Touch { obstacle, margin: 0.5 * thickness, friction: options.friction, dt };
                if options.faces {
                    triangles.iter().for_each(|corners| touch.hold_off(points, *corners));
                }
                (0..points.len() as u32).for_each(|v| touch.hold_off(points, [v]));
            }
            for point in points.iter_mut().filter(|point| point.mobility > 0.0) {
                point.velocity = (point.position - point.before) * (keep / dt);
            }
        }
    }

    /// Where the points are.
    pub fn positions(&self) -> impl ExactSizeIterator<Item = DVec3> {
        self.points.iter().map(|point| point.position)
    }

    /// Energy of motion, for points of unit mass.
    pub fn energy(&self) -> f64 {
        self.points.iter().map(|point| 0.5 * point.velocity.length_squared()).sum()
    }

    /// By how much links along edges are longer or shorter than at rest, on average.
    pub fn strain(&self) -> f64 {
        let at = |v: u32| self.points[v as usize].position;
        let of = |link: &Link| (at(link.ends[0]).distance(at(link.ends[1])) / link.length - 1.0).abs();
        self.stretch.iter().map(of).sum::<f64>() / self.stretch.len().max(1) as f64
    }
}

/// Puts links in an order in which none follows another at the same point, so that pulls do not run across the cloth in
/// the order of its vertices and drag it to one side. Each gets the first colour that no link at its ends has yet.
fn by_colour(links: Vec<Link>, points: usize) -> Vec<Link> {
    let mut taken = vec![0_u64; points];
    let colour = |link: Link| {
        let [a, b] = link.ends.map(|v| v as usize);
        let free = (taken[a] | taken[b]).trailing_ones().min(63);
        taken[a] |= 1 << free;
        taken[b] |= 1 << free;
        (free, link)
    };
    let mut coloured: Vec<(u32, Link)> = links.into_iter().map(colour).collect();
    coloured.sort_by_key(|(colour, _)| *colour);
    coloured.into_iter().map(|(_, link)| link).collect()
}

/// Inner friction: the ends of a link exchange a share of their difference in velocity.
fn calm(points: &mut [Point], link: &Link, share: f64) {
    let [a, b] = link.ends.map(|v| v as usize);
    let exchanged = (points[b].velocity - points[a].velocity) * share;
    if points[a].mobility > 0.0 && points[b].mobility > 0.0 {
        points[a].velocity += exchanged;
        points[b].velocity -= exchanged;
    }
}

/// Contact with an obstacle in a small step.
struct Touch<'a, O> {
    obstacle: &'a O,
    margin: f64,
    friction: f64,
    dt: f64,
}

impl<O: Obstacle> Touch<'_, O> {
    /// Moves points so that their middle is out of the obstacle, without rebound; friction takes away sliding in
    /// proportion to how deep it was.
    fn hold_off<const N: usize>(&self, points: &mut [Point], group: [u32; N]) {
        let middle = |of: &dyn Fn(&Point) -> DVec3| -> DVec3 {
            group.iter().map(|&v| of(&points[v as usize])).sum::<DVec3>() / N as f64
        };
        let place = middle(&|point| point.position);
        let Some((distance, out)) = self.obstacle.distance(place, self.margin) else { return };
        let depth = self.margin - distance;
        if depth <= 0.0 {
            return;
        }
        let moved = place + out * depth
            - middle(&|point| point.before)
            - self.obstacle.velocity(place + out * depth) * self.dt;
        let away = moved.dot(out);
        let sliding = moved - out * away;
        let length = sliding.length();
        let held = if length > 0.0 { (self.friction * depth / length).min(1.0) } else { 0.0 };
        for v in group {
            let point = &mut points[v as usize];
            if point.mobility > 0.0 {
                point.position += out * depth - sliding * held;
                // Being moved out leaves no speed away from the obstacle.
                point.before += out * away.max(0.0);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::obstacle::{Ball, Solid};
    use fracas::geom::DVec3;
    use fracas::mesh::shapes;

    fn raised(mesh: &Mesh, by: f64) -> Mesh {
        mesh.transformed(&glam::DAffine3::from_translation(DVec3::Z * by)).unwrap()
    }

    #[test]
    fn a_sheet_on_a_ball_comes_to_rest_outside_of_it() {
        let ball = Ball { radius: 0.3, ..Ball::default() };
        let mut cloth =
            Cloth::new(&raised(&shapes::cloth_grid(16, 16, [0.8, 0.8]), 0.35), ClothOptions::default());
        let mut obstacles = [Solid::Ball(ball)];
        for _ in 0..180 {
            cloth.step(1.0 / 60.0, &mut obstacles, |_, _| ());
            assert!(cloth.positions().all(|p| p.length() > 0.3));
        }
        assert!(cloth.strain() < 0.03, "{}", cloth.strain());
        assert!(cloth.energy() < 1.0, "{}", cloth.energy());
        let lowest = cloth.positions().map(|p| p.z).fold(f64::INFINITY, f64::min);
        assert!(lowest < 0.2, "it hangs down, to {lowest}");
    }

    #[test]
    fn a_sheet_that_falls_on_itself_does_not_pass_through() {
        // Upright, it crumples on the ground.
        let sheet = shapes::cloth_grid(12, 24, [0.5, 1.0]);
        let upright = |p: &DVec3| DVec3::new(p.x, 0.01 * (9.0 * p.y).sin(), p.y + 0.52);
        let positions = sheet.positions().iter().map(upright).collect();
        let sheet = Mesh::new(positions, sheet.triangles().to_vec()).unwrap();
        let mut cloth = Cloth::new(&sheet, ClothOptions::default());
        let mut obstacles = [Solid::Ground { height: 0.0 }];
        let mut now = sheet.clone();
        for _ in 0..150 {
            cloth.step(1.0 / 60.0, &mut obstacles, |_, _| ());
            now.set_positions(&cloth.positions().collect::<Vec<_>>()).unwrap();
            let pairs = fracas::pairs::brute::find_self_pairs(&now, fracas::Touch::Proper);
            assert!(pairs.is_empty(), "{pairs:?}");
        }
        let highest = now.positions().iter().map(|p| p.z).fold(0.0, f64::max);
        assert!(highest < 0.5, "it lies in a heap, {highest} high");
    }
}
