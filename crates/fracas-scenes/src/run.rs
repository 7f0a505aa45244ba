//! A scene that is running: an iterator over its frames.

use crate::parted::parted;
use crate::{Frame, SceneError};
use fracas::fill::Deviation;
use fracas::geom::DVec3;
use fracas::mesh::{Adjacency, Edge, Mesh, Report};
use fracas::tearing::TearingBody;
use std::fmt;

/// A running scene. Each call of `next` does one step; the first gives the state before any.
pub struct Run {
    /// How many steps there will be; there is one frame more.
    pub steps: usize,
    /// Time in the scene from one step to the next, in seconds.
    pub step_seconds: f64,
    /// Height of the ground, if there is one. Up is z.
    pub ground: Option<f64>,
    /// What became of a mesh that was filled robustly.
    pub filling: Option<Filling>,
    advance: Box<Advance>,
    done: usize,
    failed: bool,
}

/// How a mesh was filled by its winding numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Filling {
    /// Connected parts beside the largest, which are left out.
    pub parts_left_out: usize,
    /// Longest side of the mesh's box, in the scene; distances are in the same unit.
    pub size: f64,
    /// How far the surface of the filling is from the mesh, both ways, at vertices.
    pub deviation: Deviation,
}

/// Does the step of the given number, 0 being the state before the first; fills in everything but number and time.
pub(crate) type Advance = dyn FnMut(usize, &mut Frame) -> Result<(), SceneError> + Send;

impl Run {
    pub(crate) fn new(steps: usize, step_seconds: f64, ground: Option<f64>, advance: Box<Advance>) -> Self {
        Self { steps, step_seconds, ground, filling: None, advance, done: 0, failed: false }
    }

    /// The same run of a body that was filled in this way.
    pub(crate) fn filled(self, filling: Option<Filling>) -> Self {
        Self { filling, ..self }
    }
}

impl Iterator for Run {
    type Item = Result<Frame, SceneError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.failed || self.done > self.steps {
            return None;
        }
        let step = self.done;
        self.done += 1;
        let mut frame = Frame { step, seconds: step as f64 * self.step_seconds, ..Frame::default() };
        let result = (self.advance)(step, &mut frame);
        self.failed = result.is_err();
        Some(result.map(|()| frame))
    }
}

impl fmt::Debug for Run {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { steps, step_seconds, ground, filling: _, advance: _, done, failed } = self;
        f.debug_struct("Run")
            .field("steps", steps)
            .field("step_seconds", step_seconds)
            .field("ground", ground)
            .field("done", done)
            .field("failed", failed)
            .finish_non_exhaustive()
    }
}

/// Refuses a mesh that does not enclose a body.
pub(crate) fn require_closed(mesh: &Mesh) -> Result<(), SceneError> {
    let report = Report::of(mesh);
    if !report.closed {
        let edges = (report.boundary_edges + report.nonmanifold_edges).max(1);
        return Err(SceneError::NotClosed { edges });
    }
    if !report.oriented || report.volume.is_none_or(|volume| volume <= 0.0) {
        return Err(SceneError::NotOriented);
    }
    Ok(())
}

/// A mesh that encloses a body: as it is, or without triangles that lie on each other, and with its holes filled by fans
/// if they are simple loops.
pub(crate) fn made_closed(mesh: &Mesh) -> Result<Mesh, SceneError> {
    let closed = if Report::of(mesh).closed { mesh.clone() } else { filled(&without_doubles(mesh)) };
    require_closed(&closed).map_err(|error| require_closed(mesh).err().unwrap_or(error))?;
    Ok(closed)
}

/// A mesh that can be cut: closed, or made so where the body touches itself along edges.
pub(crate) fn breakable(mesh: &Mesh) -> Result<Mesh, SceneError> {
    made_closed(mesh).or_else(|error| {
        let parted = parted(&without_doubles(mesh));
        require_closed(&parted).map(|()| parted).map_err(|_| error)
    })
}

/// A mesh with an inside: every edge is between an even number of triangles, though the body may touch itself.
pub(crate) fn with_inside(mesh: &Mesh) -> Result<Mesh, SceneError> {
    made_closed(mesh).or_else(|error| {
        let is_odd = |edge: &Edge| edge.uses.len() % 2 == 1;
        let odd = Adjacency::build(mesh).edges().filter(is_odd).count();
        if odd == 0 && mesh.triangle_count() > 0 { Ok(mesh.clone()) } else { Err(error) }
    })
}

/// Takes away triangles that have the same corners, in pairs: two of them enclose nothing.
fn without_doubles(mesh: &Mesh) -> Mesh {
    let sorted = |triangle: &[u32; 3]| {
        let mut corners = *triangle;
        corners.sort_unstable();
        corners
    };
    let mut order: Vec<usize> = (0..mesh.triangle_count()).collect();
    order.sort_by_key(|&k| sorted(&mesh.triangles()[k]));
    let mut kept: Vec<usize> = order
        .chunk_by(|&j, &k| sorted(&mesh.triangles()[j]) == sorted(&mesh.triangles()[k]))
        .filter(|same| same.len() % 2 == 1)
        .map(|same| same[0])
        .collect();
    kept.sort_unstable();
    let triangles = kept.into_iter().map(|k| mesh.triangles()[k]).collect();
    Mesh::new(mesh.positions().to_vec(), triangles).unwrap_or_else(|_| mesh.clone())
}

/// Fills every hole whose rim is a simple loop with a fan around its middle.
fn filled(mesh: &Mesh) -> Mesh {
    let vertices = mesh.vertex_count();
    // From each vertex on a rim, where the hole goes on: against the triangle beside it.
    let mut next: Vec<Option<u32>> = vec![None; vertices];
    for edge in Adjacency::build(mesh).edges() {
        if let [side] = edge.uses {
            let [from, to] = side.ends(mesh);
            next[to as usize] = Some(from);
        }
    }
    let (mut positions, mut triangles) = (mesh.positions().to_vec(), mesh.triangles().to_vec());
    for start in 0..vertices as u32 {
        let mut rim = Vec::new();
        let mut at = start;
        while let Some(to) = next[at as usize].take() {
            rim.push(at);
            at = to;
        }
        if rim.is_empty() || at != start {
            continue;
        }
        let middle = rim.iter().map(|&v| mesh.positions()[v as usize]).sum::<DVec3>() / rim.len() as f64;
        let hub = positions.len() as u32;
        positions.push(middle);
        triangles.extend((0..rim.len()).map(|k| [rim[k], rim[(k + 1) % rim.len()], hub]));
    }
    Mesh::new(positions, triangles).unwrap_or_else(|_| mesh.clone())
}

/// The piece of every slot of a body, [`Frame::DEAD`] for dead ones.
pub(crate) fn fragments_of(body: &TearingBody) -> Vec<u32> {
    let mut fragments = vec![Frame::DEAD; body.mesh().slot_count()];
    for (number, piece) in (0..).zip(body.pieces()) {
        piece.triangles().iter().for_each(|triangle| fragments[triangle.index()] = number);
    }
    fragments
}

/// The counters that every scene with a tearing body has.
pub(crate) fn count_body(frame: &mut Frame, body: &TearingBody) {
    let quality = body.quality();
    frame.count("triangles", quality.triangles as f64);
    frame.count("removed", frame.removed.len() as f64);
    frame.count("added", frame.added.len() as f64);
    frame.count("pairs", frame.pairs.len() as f64);
    frame.count("pieces", body.piece_count() as f64);
    frame.count("depth", quality.depth as f64);
    frame.count("sah", quality.sah);
    if let Some(q) = quality.q {
        frame.count("q", q);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fracas::mesh::shapes;

    #[test]
    fn a_body_that_touches_itself_along_an_edge_has_an_inside() {
        let cube = shapes::cuboid(DVec3::ONE);
        let other = cube.transformed(&glam::DAffine3::from_translation(DVec3::new(1.0, 1.0, 0.0))).unwrap();
        let mut both = Mesh::join([&cube, &other]).unwrap();
        both.merge_equal_vertices();
        assert!(made_closed(&both).is_err());
        assert_eq!(with_inside(&both).unwrap(), both);
        let sheet = Mesh::new(vec![DVec3::ZERO, DVec3::X, DVec3::Y], vec![[0, 1, 2]]).unwrap();
        assert_eq!(with_inside(&sheet).unwrap_err(), SceneError::NotClosed { edges: 3 });
    }

    #[test]
    fn holes_are_filled_and_sheets_are_refused() {
        let ball = shapes::icosphere(1.0, 3);
        let keep = |k: &usize| ![0, 1, 2, 700, 1000].contains(k);
        let mut triangles: Vec<_> =
            (0..ball.triangle_count()).filter(keep).map(|k| ball.triangles()[k]).collect();
        // A flap of two triangles back to back.
        let [a, b, _] = triangles[50];
        triangles.extend([[a, b, 600], [b, a, 600]]);
        let open = Mesh::new(ball.positions().to_vec(), triangles).unwrap();
        assert!(!Report::of(&open).closed);
        let closed = made_closed(&open).unwrap();
        let report = Report::of(&closed);
        assert!(report.closed && report.oriented && report.components == 1);
        assert!((report.volume.unwrap() / Report::of(&ball).volume.unwrap() - 1.0).abs() < 0.01);
        let sheet = Mesh::new(vec![DVec3::ZERO, DVec3::X, DVec3::Y], vec![[0, 1, 2]]).unwrap();
        assert_eq!(made_closed(&sheet).unwrap_err(), SceneError::NotClosed { edges: 3 });
        assert_eq!(made_closed(&ball).unwrap(), ball);
    }
}
