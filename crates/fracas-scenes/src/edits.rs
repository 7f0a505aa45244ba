//! Edits of meshes as frames tell them.

use crate::{AddedTriangle, Frame};
use fracas::mesh::{LiveMesh, MeshEdit, NewTriangle, Origin, TriangleId};

/// Adds all triangles of a mesh to a frame.
pub(crate) fn note_all(frame: &mut Frame, mesh: &LiveMesh) {
    let added = |id| AddedTriangle { id, corners: mesh.corners(id), is_crack: false, replaces: None };
    frame.added = mesh.live_triangles().map(added).collect();
}

/// Shifts the ids of an edit by `triangles` and `vertices`, for a mesh that is a part of a larger one.
pub(crate) fn shifted(edit: MeshEdit, triangles: u32, vertices: u32) -> MeshEdit {
    let shift = |id: TriangleId| TriangleId(id.0 + triangles);
    let added = edit.added.into_iter().map(|new| NewTriangle {
        corners: new.corners.map(|corner| corner + vertices),
        origin: match new.origin {
            Origin::Replaces(id) => Origin::Replaces(shift(id)),
            Origin::Crack => Origin::Crack,
        },
    });
    MeshEdit {
        removed: edit.removed.into_iter().map(shift).collect(),
        new_positions: edit.new_positions,
        moved: edit.moved.into_iter().map(|(vertex, p)| (vertex + vertices, p)).collect(),
        added: added.collect(),
        twins: edit.twins.into_iter().map(|twins| twins.map(|vertex| vertex + vertices)).collect(),
        twin_faces: edit.twin_faces.into_iter().map(|faces| faces.map(shift)).collect(),
    }
}

/// Which triangles of a mesh under edits are surface along a crack, or parts of such.
#[derive(Clone, Debug)]
pub(crate) struct Cracks(Vec<bool>);

impl Cracks {
    pub fn none(mesh: &LiveMesh) -> Self {
        Self(vec![false; mesh.slot_count()])
    }

    /// Takes note of an edit; all must be noted, in order.
    pub fn follow(&mut self, edit: &MeshEdit) {
        for new in &edit.added {
            self.0.push(match new.origin {
                Origin::Crack => true,
                Origin::Replaces(old) => self.contain(old),
            });
        }
    }

    /// Takes note of an edit, and adds to a frame what it will do to a mesh.
    pub fn note_edit(&mut self, frame: &mut Frame, before: &LiveMesh, edit: &MeshEdit) {
        let ids = (before.slot_count() as u32..).map(TriangleId);
        self.follow(edit);
        frame.removed.extend_from_slice(&edit.removed);
        let added = ids.zip(&edit.added);
        frame.added.extend(added.map(|(id, new)| AddedTriangle {
            id,
            corners: new.corners,
            is_crack: self.contain(id),
            replaces: match new.origin {
                Origin::Replaces(old) => Some(old),
                Origin::Crack => None,
            },
        }));
    }

    pub fn contain(&self, triangle: TriangleId) -> bool {
        self.0.get(triangle.index()).copied().unwrap_or(false)
    }
}
