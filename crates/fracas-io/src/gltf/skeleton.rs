//! The nodes of a document: their hierarchy and their transforms.

use fracas::geom::{DAffine3, DQuat, DVec3};

use super::document::{Document, no_such};
use super::scene::local_transform;
use crate::error::{Fault, Place};

/// All nodes of a document.
#[derive(Clone, Debug)]
pub(super) struct Skeleton {
    rest: Vec<Local>,
    parents: Vec<Option<usize>>,
    /// All nodes, parents before their children.
    order: Vec<usize>,
}

/// The transform of a node against its parent.
#[derive(Clone, Copy, Debug)]
pub(super) enum Local {
    /// A matrix of the document. It cannot be animated.
    Matrix(DAffine3),
    /// What clips change: first scale, then rotate, then move.
    Parts(Parts),
}

/// A transform in parts.
#[derive(Clone, Copy, Debug)]
pub(super) struct Parts {
    pub translation: DVec3,
    /// Of length one.
    pub rotation: DQuat,
    pub scale: DVec3,
}

impl Skeleton {
    /// Reads all nodes, whether the scene shows them or not.
    pub fn of(document: &Document<'_>) -> Result<Self, Fault> {
        let count = document.nodes.len();
        let (mut rest, mut parents) = (Vec::with_capacity(count), vec![None; count]);
        for (index, node) in document.nodes.iter().enumerate() {
            let place = || Place::Part(format!("node {index}"));
            let whole = local_transform(node).map_err(|reason| Fault::malformed(place(), reason))?;
            rest.push(match (node.matrix, whole) {
                (Some(_), Some(matrix)) => Local::Matrix(matrix),
                _ => Local::Parts(Parts {
                    translation: DVec3::from_array(node.translation.unwrap_or_default()),
                    // The transform is known to have a rotation that can be divided by its length.
                    rotation: node.rotation.map_or(DQuat::IDENTITY, |q| DQuat::from_array(q).normalize()),
                    scale: DVec3::from_array(node.scale.unwrap_or([1.0; 3])),
                }),
            });
            for &child in &node.children {
                let parent = parents.get_mut(child).ok_or_else(|| no_such("node", child))?;
                if parent.replace(index).is_some() {
                    let reason = "the node is the child of two nodes, so the nodes are not a tree";
                    return Err(Fault::malformed(Place::Part(format!("node {child}")), reason));
                }
            }
        }
        let mut order = document.roots();
        let mut next = 0;
        while let Some(&node) = order.get(next) {
            order.extend(&document.nodes[node].children);
            next += 1;
        }
        if order.len() < count {
            let mut is_reached = vec![false; count];
            order.iter().for_each(|&node| is_reached[node] = true);
            let index = is_reached.iter().position(|reached| !reached).unwrap_or_default();
            let reason = "the node is below itself, so the nodes are not a tree";
            return Err(Fault::malformed(Place::Part(format!("node {index}")), reason));
        }
        Ok(Self { rest, parents, order })
    }

    /// The transforms of all nodes against their parents, as the document has them.
    pub fn rest(&self) -> &[Local] {
        &self.rest
    }

    /// The transform of every node against the world.
    pub fn global(&self, locals: &[Local]) -> Vec<DAffine3> {
        let mut global = vec![DAffine3::IDENTITY; locals.len()];
        for &node in &self.order {
            let local = locals[node].transform();
            global[node] = match self.parents[node] {
                Some(parent) => global[parent] * local,
                None => local,
            };
        }
        global
    }
}

impl Local {
    fn transform(&self) -> DAffine3 {
        match self {
            Local::Matrix(matrix) => *matrix,
            Local::Parts(Parts { translation, rotation, scale }) => {
                DAffine3::from_scale_rotation_translation(*scale, *rotation, *translation)
            }
        }
    }
}
