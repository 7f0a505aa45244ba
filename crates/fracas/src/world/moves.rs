//! What happens to a body between two steps: poses, positions, edits, plans, bones and cracks.
//!
//! Without impacts a structure follows at once. If impacts are asked for, positions and transforms wait for the step, which needs to know
//! where the body was. Edits and cracks always take effect at once, after what waits.

use super::body::Kept;
use super::choice::{self, Why};
use super::{BodyId, Member, Pending, World, WorldError};
use crate::geom::{DAffine3, DVec3, Pose};
use crate::kinetic::{DrivenBody, KineticBody, Plan, Plans};
use crate::mesh::{Mesh, MeshEdit, MeshError, SkinError, TriangleId};
use crate::tearing::{TearStats, TearingBody};
use std::sync::Arc;

impl World {
    /// Moves a body as a whole.
    ///
    /// # Errors
    /// The body is not in this world, or the pose sends it beyond all finite numbers.
    pub fn set_pose(&mut self, id: BodyId, pose: &Pose) -> Result<(), WorldError> {
        if self.member(id)?.pose == *pose {
            return Ok(());
        }
        self.check_pose(id, pose)?;
        self.member_mut(id)?.pose = *pose;
        self.mark(id.slot);
        Ok(())
    }

    /// Deforms a body: new positions of all its vertices, in its own coordinates. A body on known paths leaves them.
    ///
    /// # Errors
    /// The body is not in this world, its vertices are moved by bones or belong to a fragment, or the positions do not fit.
    pub fn set_positions(&mut self, id: BodyId, positions: &[DVec3]) -> Result<(), WorldError> {
        let waits = self.sweeps;
        let member = self.member(id)?;
        let kept = member.kept.keep();
        if matches!(member.kept, Kept::Skinned(_) | Kept::Fragment { .. }) {
            return Err(WorldError::WrongKind { id, kept, asked: "take positions" });
        }
        let step = self.report.step;
        if waits {
            let view = member.kept.view(&self.brittle);
            let _fits = view.to_positions(positions).map_err(|error| WorldError::Mesh { id, error })?;
            let member = self.member_mut(id)?;
            match &mut member.pending {
                Some(Pending::Positions(list)) => list.copy_from_slice(positions),
                pending => *pending = Some(Pending::Positions(positions.to_vec())),
            }
        } else {
            let member = self.member_mut(id)?;
            member.take_positions(positions, step).map_err(|error| WorldError::Mesh { id, error })?;
        }
        self.member_mut(id)?.history.deformed = true;
        self.mark(id.slot);
        Ok(())
    }

    /// Replaces all triangles of a body.
    ///
    /// # Errors
    /// The body is not in this world, or it is moved by bones or a fragment.
    pub fn set_mesh(&mut self, id: BodyId, mesh: Mesh) -> Result<(), WorldError> {
        let step = self.report.step;
        let member = self.member_mut(id)?;
        if matches!(member.kept, Kept::Skinned(_) | Kept::Fragment { .. }) {
            let kept = member.kept.keep();
            return Err(WorldError::WrongKind { id, kept, asked: "take another mesh" });
        }
        member.become_kept(Kept::Soup(mesh), Why::Replaced, step);
        member.pending = None;
        member.history.replaced = true;
        self.mark(id.slot);
        Ok(())
    }

    /// Edits the triangles of a body, which is kept as a [`TearingBody`] from the first edit on.
    ///
    /// # Errors
    /// The body is not in this world, its vertices are moved by bones or belong to a fragment, or the edit does not fit; the body is then as
    /// it was, though it may already be kept as a tearing body.
    ///
    /// # Cost
    /// That of [`TearingBody::apply`]; the first edit builds the tree, or takes over the order of the one that is there
    /// ([`TearingBody::from_tree`]).
    pub fn apply(&mut self, id: BodyId, edit: &MeshEdit) -> Result<TearStats, WorldError> {
        self.tear(id)?;
        let member = self.member_mut(id)?;
        let Kept::Tearing(body) = &mut member.kept else { unreachable!("made so above") };
        let stats = body.apply(edit).map_err(|error| WorldError::Edit { id, error })?;
        self.mark(id.slot);
        Ok(stats)
    }

    /// Makes a body ready for edits, and lends it: a [`Cutter`](crate::cut::Cutter) needs its mesh.
    ///
    /// # Errors
    /// The body is not in this world, or its vertices are moved by bones or belong to a fragment.
    ///
    /// # Cost
    /// The first time it builds a tree or takes over the one that is there, unless the body was inserted as a [`TearingBody`].
    pub fn tear(&mut self, id: BodyId) -> Result<&TearingBody, WorldError> {
        let step = self.report.step;
        let member = self.member_mut(id)?;
        let kept = member.kept.keep();
        if matches!(member.kept, Kept::Skinned(_) | Kept::Fragment { .. }) {
            return Err(WorldError::WrongKind { id, kept, asked: "be edited" });
        }
        // What waits for the step came before the edit.
        if let Some(Pending::Positions(positions)) = member.pending.take() {
            member.take_positions(&positions, step).map_err(|error| WorldError::Mesh { id, error })?;
        }
        if !matches!(member.kept, Kept::Tearing(_)) {
            let body = member.kept.take_as_tearing();
            member.become_kept(Kept::Tearing(Box::new(body)), Why::Edited, step);
            self.mark(id.slot);
        }
        match &self.at(id.slot).kept {
            Kept::Tearing(body) => Ok(body),
            _ => unreachable!("made so above"),
        }
    }

    /// Gives all vertices of a body plans; it moves along them as the time of the world goes on.
    ///
    /// # Errors
    /// The body is not in this world, has been edited, is moved by bones or a fragment, or the plans do not fit it or the present time.
    pub fn set_plans(&mut self, id: BodyId, plans: Plans) -> Result<(), WorldError> {
        let (time, step) = (self.time, self.report.step);
        let member = self.member_mut(id)?;
        let kept = member.kept.keep();
        let triangles = match &member.kept {
            Kept::Soup(mesh) => mesh.triangles().to_vec(),
            Kept::Tree(tree) => tree.mesh().triangles().to_vec(),
            Kept::Driven(body) => body.triangles().to_vec(),
            Kept::Kinetic(body) => body.triangles().to_vec(),
            Kept::Tearing(_) | Kept::Skinned(_) | Kept::Fragment { .. } => {
                return Err(WorldError::WrongKind { id, kept, asked: "follow plans" });
            }
        };
        let planned = KineticBody::new(triangles, plans).and_then(|mut body| {
            body.advance_to(time)?;
            Ok(body)
        });
        let body = planned.map_err(|error| WorldError::Plan { id, error })?;
        member.become_kept(Kept::Kinetic(Box::new(body)), Why::Planned, step);
        member.pending = None;
        self.mark(id.slot);
        Ok(())
    }

    /// Changes the plans of some vertices of a body on known paths.
    ///
    /// # Errors
    /// The body is not in this world or has no plans, or the new ones do not fit.
    pub fn change_plans(&mut self, id: BodyId, changes: &[(u32, Plan)]) -> Result<(), WorldError> {
        let member = self.member_mut(id)?;
        let kept = member.kept.keep();
        let Kept::Kinetic(body) = &mut member.kept else {
            return Err(WorldError::WrongKind { id, kept, asked: "change plans" });
        };
        body.change(changes).map_err(|error| WorldError::Plan { id, error })?;
        self.mark(id.slot);
        Ok(())
    }

    /// Moves the nodes or bones of a skinned body.
    ///
    /// # Errors
    /// The body is not in this world or has no bones, or the transforms do not fit.
    pub fn set_transforms(&mut self, id: BodyId, transforms: &[DAffine3]) -> Result<(), WorldError> {
        let waits = self.sweeps;
        let member = self.member_mut(id)?;
        let kept = member.kept.keep();
        let Kept::Skinned(body) = &mut member.kept else {
            return Err(WorldError::WrongKind { id, kept, asked: "take transforms" });
        };
        let refused = |error: SkinError| WorldError::Skin { id, error };
        if waits {
            body.skin().check_transforms(transforms).map_err(refused)?;
            member.pending = Some(Pending::Transforms(transforms.to_vec()));
        } else {
            body.set_transforms(transforms).map_err(refused)?;
        }
        self.mark(id.slot);
        Ok(())
    }

    /// Breaks a fragment of a brittle body; see [`BrittleBody::split`](crate::BrittleBody::split). The pieces are bodies with the pose and settings
    /// of the fragment, which is no more. If it does not come apart, it stays, and is returned alone.
    ///
    /// # Errors
    /// The body is not in this world, is no fragment, or labels and weights do not fit.
    pub fn split(&mut self, id: BodyId, labels: &[u32], weights: &[f64]) -> Result<Vec<BodyId>, WorldError> {
        let member = self.member(id)?;
        let (kept, pose, settings) = (member.kept.keep(), member.pose, member.settings);
        let Kept::Fragment { brittle, fragment } = member.kept else {
            return Err(WorldError::WrongKind { id, kept, asked: "break" });
        };
        let whole = self.brittle[brittle as usize].as_mut().expect("kept while a fragment is there");
        let made = whole.body.split(fragment, labels, weights);
        let made = made.map_err(|error| WorldError::Brittle { id, error })?;
        if made == [fragment] {
            return Ok(vec![id]);
        }
        whole.users += made.len() as u32;
        // Facets of the other fragments may have other numbers now.
        for slot in 0..self.slots.len() as u32 {
            let member = self.slots[slot as usize].member.as_deref();
            let is_sibling =
                |member: &Member| matches!(member.kept, Kept::Fragment { brittle: of, .. } if of == brittle);
            if member.is_some_and(is_sibling) {
                self.mark(slot);
            }
        }
        let insert = |fragment| {
            let kept = Kept::Fragment { brittle, fragment };
            self.insert(super::Body { kept, pose, settings })
        };
        let ids = made.into_iter().map(insert).collect();
        self.remove(id)?;
        Ok(ids)
    }

    /// The nodes and cracks of the brittle body that a fragment belongs to.
    ///
    /// # Errors
    /// The body is not in this world, or is no fragment.
    pub fn brittle(
        &self,
        id: BodyId,
    ) -> Result<(&crate::brittle::BrittleBody, crate::brittle::FragmentId), WorldError> {
        let member = self.member(id)?;
        match member.kept {
            Kept::Fragment { brittle, fragment } => {
                let whole = self.brittle[brittle as usize].as_ref();
                Ok((&whole.expect("kept while a fragment is there").body, fragment))
            }
            _ => Err(WorldError::WrongKind {
                id,
                kept: member.kept.keep(),
                asked: "be looked at as a fragment",
            }),
        }
    }
}

impl World {
    /// Notes that a body has moved or changed since the last step.
    pub(super) fn mark(&mut self, slot: u32) {
        let member = self.slots[slot as usize].member.as_deref_mut().expect("a place with a body");
        member.changed = true;
        if !std::mem::replace(&mut member.is_active, true) {
            self.active.push(slot);
        }
    }
}

impl Member {
    /// Changes the structure that is kept.
    pub(super) fn become_kept(&mut self, kept: Kept, why: Why, step: u64) {
        self.kept = kept;
        self.ball = None;
        self.history.begin(why, step);
    }

    /// Moves all vertices at once. Bodies without positions of their own are refused before.
    pub(super) fn take_positions(&mut self, positions: &[DVec3], step: u64) -> Result<(), MeshError> {
        self.ball = None;
        match &mut self.kept {
            Kept::Soup(mesh) => mesh.set_positions(positions),
            Kept::Tree(tree) => Arc::make_mut(tree).set_positions(positions),
            Kept::Driven(body) => body.set_positions(positions),
            Kept::Tearing(body) => body.set_positions(positions),
            Kept::Kinetic(_) => {
                let _fits = self.kept.view(&[]).to_positions(positions)?;
                let kept = choice::without_plan(self.kept.take_as_mesh());
                self.become_kept(kept, Why::LostPlan, step);
                self.take_positions(positions, step)
            }
            Kept::Skinned(_) | Kept::Fragment { .. } => unreachable!("refused before"),
        }
    }
}

impl Kept {
    /// The triangles as a body that can be torn; the ids of triangles and vertices stay.
    pub(super) fn take_as_tearing(&mut self) -> TearingBody {
        match std::mem::replace(self, Self::Soup(Mesh::default())) {
            // The order of a tree is worth keeping.
            Self::Tree(tree) => TearingBody::from_tree(Arc::unwrap_or_clone(tree)),
            Self::Driven(body) => TearingBody::from_tree(body.into_tree()),
            other => {
                *self = other;
                let (mesh, dead) = self.take_as_mesh();
                Self::tearing_of(mesh, dead)
            }
        }
    }

    /// A body that can be torn, without some of its triangles.
    pub(super) fn tearing_of(mesh: Mesh, dead: Vec<TriangleId>) -> TearingBody {
        let mut body = TearingBody::build(mesh);
        if !dead.is_empty() {
            let edit = MeshEdit { removed: dead, ..MeshEdit::default() };
            body.apply(&edit).expect("triangles that are there");
        }
        body
    }

    /// The triangles where they are now, and those among them that were removed. Leaves an empty soup.
    pub(super) fn take_as_mesh(&mut self) -> (Mesh, Vec<TriangleId>) {
        let taken = std::mem::replace(self, Self::Soup(Mesh::default()));
        match taken {
            Self::Soup(mesh) => (mesh, vec![]),
            Self::Tree(tree) => (Arc::unwrap_or_clone(tree).into_mesh(), vec![]),
            Self::Driven(body) => (mesh_of(body.positions().to_vec(), body.triangles()), vec![]),
            Self::Kinetic(body) => {
                let mut positions = vec![];
                body.plans().positions_at(body.now(), &mut positions);
                let count = body.triangles().len() as u32;
                let dead = (0..count).map(TriangleId).filter(|&t| !body.has_triangle(t)).collect();
                (mesh_of(positions, body.triangles()), dead)
            }
            Self::Tearing(_) | Self::Skinned(_) | Self::Fragment { .. } => {
                unreachable!("these stay what they are")
            }
        }
    }
}

fn mesh_of(positions: Vec<DVec3>, triangles: &[[u32; 3]]) -> Mesh {
    Mesh::new(positions, triangles.to_vec()).expect("positions that were checked")
}

/// A driven body at rest where a mesh is.
pub(super) fn driven(mesh: Mesh) -> Kept {
    Kept::Driven(Box::new(DrivenBody::new(mesh)))
}
