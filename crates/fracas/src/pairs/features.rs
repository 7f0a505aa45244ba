//! Two features of bodies: what impacts and nearness are about.

use crate::mesh::TriangleId;

/// A vertex and a triangle, or two edges, of two bodies or of one.
///
/// Vertices are named by their indices, an edge by its two vertices in ascending order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Features {
    /// A vertex of the first body and a triangle of the second.
    VertexTriangle(u32, TriangleId),
    /// A triangle of the first body and a vertex of the second. Not used within one body.
    TriangleVertex(TriangleId, u32),
    /// An edge of the first body and one of the second. Within one body the lower edge comes first.
    EdgeEdge([u32; 2], [u32; 2]),
}
