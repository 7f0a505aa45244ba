//! A body that breaks into rigid pieces, maybe beside another that stays whole and does not move.
//!
//! The mesh of the body is kept in its own coordinates; poses take the pieces to where they are. A break is one edit and
//! one label for each triangle. Pieces inherit the velocity of the body at their place, and what a kick gives them on top.
//!
//! Motion is that of the engine Rapier, with the convex hull of each piece as its shape. Cells are convex, so hulls of
//! pieces of different cells do not overlap at birth. Mass, centre and inertia are those of the true pieces.

use crate::edits::{Cracks, shifted};
use crate::rigid::{RigidWorld, mass_of, mass_of_part};
use crate::soup::Soup;
use crate::{Frame, SceneError, SceneOptions};
use fracas::cut::{ShatterOptions, Shattered, shatter_at};
use fracas::geom::{DVec3, Pose};
use fracas::mesh::{LiveMesh, Mesh, TriangleId};
use glam::DMat3;

/// A body, its pieces once it is broken, and what stands beside it.
pub(crate) struct Fragments {
    /// The body in its own coordinates.
    pub rest: LiveMesh,
    pub world: RigidWorld,
    /// What stands beside it comes first in frames, then the body.
    fixed: Mesh,
    all: LiveMesh,
    piece_of_vertex: Vec<u32>,
    soup: Soup,
}

/// What a piece gets when the body breaks: a change of velocity and one of spin.
pub(crate) type Kick<'a> = &'a dyn Fn(&Piece) -> [DVec3; 2];

/// A piece at the moment of the break, in the world.
pub(crate) struct Piece {
    pub mass: f64,
    pub centre: DVec3,
    /// The inverse of its inertia about the centre.
    pub spin_per_torque: DMat3,
    pub points: Vec<DVec3>,
}

impl Fragments {
    /// A body on its way; `motion` is its velocity and spin.
    pub fn new(
        mesh: &Mesh,
        pose: &Pose,
        motion: [DVec3; 2],
        fixed: Mesh,
        step_seconds: f64,
        options: &SceneOptions,
    ) -> Result<Self, SceneError> {
        let mass = mass_of(mesh)?;
        let mut world = RigidWorld::new(step_seconds);
        world.add(&mass, mesh.positions(), pose, motion);
        let all = Mesh::join([&fixed, mesh])
            .map_err(|_| SceneError::TooLarge { triangles: mesh.triangle_count() })?;
        let parts: Vec<&Mesh> = [&fixed, mesh].into_iter().filter(|part| part.triangle_count() > 0).collect();
        Ok(Self {
            soup: Soup::of(&parts, options),
            all: LiveMesh::new(all),
            rest: LiveMesh::new(mesh.clone()),
            piece_of_vertex: vec![0; mesh.vertex_count()],
            world,
            fixed,
        })
    }

    /// Breaks the body into the cells of sites, which are given in its own coordinates.
    pub fn shatter(&mut self, sites: &[DVec3], kick: Kick, frame: &mut Frame) -> Result<(), SceneError> {
        let Shattered { edit, labels, pieces } =
            frame.time("cut", || shatter_at(&self.rest, sites, &ShatterOptions::default()))?;
        self.rest.apply(&edit).expect("made for this mesh");
        let edit = shifted(edit, self.fixed.triangle_count() as u32, self.fixed.vertex_count() as u32);
        Cracks::none(&self.all).note_edit(frame, &self.all, &edit);
        self.all.apply(&edit).expect("the body took the same edit");
        self.become_pieces(&labels, pieces, kick)?;
        let first = u32::from(self.fixed.triangle_count() > 0);
        let mut fragments = vec![0; self.fixed.triangle_count()];
        fragments.extend(
            labels.iter().map(|&label| if label == Shattered::DEAD { Frame::DEAD } else { label + first }),
        );
        self.soup.replace(&self.all, fragments);
        Ok(())
    }

    /// Each piece becomes a rigid body in place of the whole.
    fn become_pieces(&mut self, labels: &[u32], pieces: usize, kick: Kick) -> Result<(), SceneError> {
        let whole = self.world.pose(0);
        let [velocity, spin, centre] = [self.world.velocity(0), self.world.spin(0), self.world.centre(0)];
        self.world.clear();
        let mut triangles: Vec<Vec<TriangleId>> = vec![Vec::new(); pieces];
        for id in self.rest.live_triangles() {
            triangles[labels[id.index()] as usize].push(id);
        }
        self.piece_of_vertex = vec![0; self.rest.vertex_count()];
        for (piece, triangles) in triangles.iter().enumerate() {
            let (mass, vertices) = mass_of_part(&self.rest, triangles)?;
            vertices.iter().for_each(|&v| self.piece_of_vertex[v as usize] = piece as u32);
            let points: Vec<DVec3> = vertices.iter().map(|&v| self.rest.positions()[v as usize]).collect();
            let turn = whole.rotation();
            let at = Piece {
                mass: mass.volume,
                centre: whole.apply(mass.centre),
                spin_per_torque: turn * mass.inertia.inverse() * turn.transpose(),
                points: points.iter().map(|p| whole.apply(*p)).collect(),
            };
            let [faster, more] = kick(&at);
            let inherited = velocity + spin.cross(at.centre - centre);
            self.world.add(&mass, &points, &whole, [inherited + faster, spin + more]);
        }
        Ok(())
    }

    /// Where everything is.
    pub fn positions(&self) -> Vec<DVec3> {
        let poses: Vec<Pose> = (0..self.world.count()).map(|piece| self.world.pose(piece)).collect();
        let body = self.rest.positions().iter().zip(&self.piece_of_vertex);
        let placed = body.map(|(rest, &piece)| poses[piece as usize].apply(*rest));
        self.fixed.positions().iter().copied().chain(placed).collect()
    }

    /// Finds all pairs and takes everything down.
    pub fn look(&mut self, frame: &mut Frame) {
        if frame.step == 0 {
            self.soup.note_all(frame);
        }
        let positions = self.positions();
        self.soup.look(&positions, frame);
        frame.count("energy", self.world.energy());
        frame.count("asleep", self.world.asleep() as f64);
    }
}
