//! Points of the engine's own shapes that are tested against a fragment: corners, points along edges, centres of balls.
//!
//! Only shapes with sharp or small features need them. A half-space has none: every point of it that a fragment touches is
//! found from the fragment.

use crate::MeshShape;
use crate::convert::{double, single};
use fracas::geom::{Box3, DVec3};
use rapier3d::math::{Pose, Vector};
use rapier3d::parry::bounding_volume::Aabb;
use rapier3d::parry::shape::{Shape, TypedShape};

/// A point of a shape, in its frame.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sample {
    pub point: DVec3,
    /// Half the thickness of the shape around the point; 0 for corners.
    pub radius: f64,
    /// About outward; zero if that means nothing.
    pub normal: DVec3,
    /// The same as long as the shape is.
    pub feature: u32,
}

/// Points between the ends of an edge.
const ALONG_EDGE: u32 = 4;
/// Corners of a box and points of its twelve edges.
const BOX_SAMPLES: u32 = 8 + 12 * ALONG_EDGE;
/// Points around a rim.
const AROUND_RIM: u32 = 16;

/// Visits the points of a shape that may lie in a box.
pub(crate) fn visit_samples(shape: &dyn Shape, near: &Aabb, visit: &mut dyn FnMut(Sample)) {
    let mut counter = 0;
    visit_part(shape, &Pose::IDENTITY, near, 0.0, &mut counter, visit);
}

fn visit_part(
    shape: &dyn Shape,
    pose: &Pose,
    near: &Aabb,
    border: f64,
    counter: &mut u32,
    visit: &mut dyn FnMut(Sample),
) {
    if let Some(half) = half_extents(shape)
        && !reaches_an_edge(&near.transform_by(&pose.inverse()), half, border)
    {
        *counter += BOX_SAMPLES;
        return;
    }
    let mut add = |p: Vector, normal: Vector, radius: f64| {
        let point = pose * p;
        let feature = *counter;
        *counter += 1;
        let is_near = (0..3).all(|k| {
            let r = radius as f32;
            point[k] >= near.mins[k] - r && point[k] <= near.maxs[k] + r
        });
        if is_near {
            let normal = double(pose.rotation * normal).normalize_or_zero();
            visit(Sample { point: double(point), radius, normal, feature });
        }
    };
    match shape.as_typed_shape() {
        TypedShape::Ball(ball) => add(Vector::ZERO, Vector::ZERO, f64::from(ball.radius)),
        TypedShape::Cuboid(cuboid) => box_samples(cuboid.half_extents, border, &mut add),
        TypedShape::RoundCuboid(round) => {
            box_samples(round.inner_shape.half_extents, f64::from(round.border_radius), &mut add);
        }
        TypedShape::Capsule(capsule) => {
            let (a, b) = (capsule.segment.a, capsule.segment.b);
            let steps = ((b - a).length() / capsule.radius.max(1e-6)).ceil().clamp(1.0, 16.0);
            for k in 0..=steps as u32 {
                add(a + (b - a) * (k as f32 / steps), Vector::ZERO, f64::from(capsule.radius));
            }
        }
        TypedShape::Segment(segment) => {
            edge_samples(segment.a, segment.b, Vector::ZERO, border, true, &mut add)
        }
        TypedShape::Triangle(triangle) => {
            for (a, b) in [(triangle.a, triangle.b), (triangle.b, triangle.c), (triangle.c, triangle.a)] {
                edge_samples(a, b, Vector::ZERO, border, true, &mut add);
            }
        }
        TypedShape::ConvexPolyhedron(hull) => {
            let points = hull.points();
            let middle = points.iter().copied().sum::<Vector>() / points.len().max(1) as f32;
            points.iter().for_each(|&p| add(p, p - middle, border));
            for edge in hull.edges() {
                let [a, b] = edge.vertices.map(|v| points[v as usize]);
                edge_samples(a, b, 0.5 * (a + b) - middle, border, false, &mut add);
            }
        }
        TypedShape::Cylinder(cylinder) => {
            rim_samples(cylinder.half_height, cylinder.radius, border, &mut add);
            rim_samples(-cylinder.half_height, cylinder.radius, border, &mut add);
            rim_samples(0.0, cylinder.radius, border, &mut add);
        }
        TypedShape::Cone(cone) => {
            add(Vector::Y * cone.half_height, Vector::Y, border);
            rim_samples(-cone.half_height, cone.radius, border, &mut add);
            rim_samples(0.0, 0.5 * cone.radius, border, &mut add);
        }
        TypedShape::TriMesh(mesh) => {
            let local = near.transform_by(&pose.inverse());
            let mut vertices: Vec<u32> =
                mesh.bvh().intersect_aabb(&local).flat_map(|t| mesh.indices()[t as usize]).collect();
            vertices.sort_unstable();
            vertices.dedup();
            for v in vertices {
                let point = double(pose * mesh.vertices()[v as usize]);
                visit(Sample { point, radius: border, normal: DVec3::ZERO, feature: *counter + v });
            }
            *counter += mesh.vertices().len() as u32;
        }
        TypedShape::HeightField(field) => {
            let local = near.transform_by(&pose.inverse());
            field.map_elements_in_local_aabb(&local, &mut |id, triangle| {
                for (k, p) in [triangle.a, triangle.b, triangle.c].into_iter().enumerate() {
                    let feature = id.wrapping_mul(3).wrapping_add(k as u32) & 0x0fff_ffff;
                    visit(Sample { point: double(pose * p), radius: border, normal: DVec3::ZERO, feature });
                }
            });
        }
        TypedShape::Compound(compound) => {
            for (child_pose, child) in compound.shapes() {
                visit_part(&**child, &(*pose * *child_pose), near, border, counter, visit);
            }
        }
        TypedShape::Custom(custom) => {
            if let Some(mesh) = custom.as_shape::<MeshShape>() {
                let local = near.transform_by(&pose.inverse());
                let region = Box3 { min: double(local.mins), max: double(local.maxs) };
                mesh.visit_vertices(&region, |p, normal, v| {
                    let point = double(pose * single(p));
                    let normal =
                        if mesh.is_closed() { double(pose.rotation * single(normal)) } else { DVec3::ZERO };
                    let radius = border + mesh.thickness();
                    visit(Sample { point, radius, normal, feature: *counter + v });
                });
            }
        }
        // Half-spaces and rounded shapes are found from the fragment.
        _ => {}
    }
}

/// Half the size of a box with sharp edges.
fn half_extents(shape: &dyn Shape) -> Option<Vector> {
    match shape.as_typed_shape() {
        TypedShape::Cuboid(cuboid) => Some(cuboid.half_extents),
        _ => None,
    }
}

/// Whether a box, in the frame of a box around the origin, comes up to one of that one's edges. Floors and walls are large boxes, and
/// what touches them is seldom near an edge.
fn reaches_an_edge(near: &Aabb, half: Vector, border: f64) -> bool {
    let border = border as f32;
    let reaches = |k: &usize| near.maxs[*k] + border >= half[*k] || near.mins[*k] - border <= -half[*k];
    (0..3).filter(reaches).count() >= 2
}

/// Corners of a box, and points along its edges: as many as [`BOX_SAMPLES`].
fn box_samples(half: Vector, radius: f64, add: &mut dyn FnMut(Vector, Vector, f64)) {
    let corner = |k: usize| {
        let sign = |bit: usize| if k >> bit & 1 == 1 { 1.0 } else { -1.0 };
        Vector::new(sign(0), sign(1), sign(2))
    };
    (0..8).for_each(|k| add(corner(k) * half, corner(k), radius));
    for k in 0..8 {
        for bit in (0..3).filter(|bit| k >> bit & 1 == 0) {
            let (a, b) = (corner(k), corner(k | 1 << bit));
            edge_samples(a * half, b * half, a + b, radius, false, add);
        }
    }
}

fn edge_samples(
    a: Vector,
    b: Vector,
    normal: Vector,
    radius: f64,
    with_ends: bool,
    add: &mut dyn FnMut(Vector, Vector, f64),
) {
    let (from, to) = if with_ends { (0, ALONG_EDGE + 1) } else { (1, ALONG_EDGE) };
    for k in from..=to {
        add(a + (b - a) * (k as f32 / (ALONG_EDGE + 1) as f32), normal, radius);
    }
}

/// A circle around the axis y.
fn rim_samples(y: f32, radius: f32, border: f64, add: &mut dyn FnMut(Vector, Vector, f64)) {
    // Rotated by equal turns, so that no sine is needed but that of a sixteenth.
    const STEP: [f32; 2] = [0.923_879_5, 0.382_683_43];
    let (mut x, mut z) = (1.0_f32, 0.0_f32);
    for _ in 0..AROUND_RIM {
        let out = Vector::new(x, 0.0, z);
        let up = if y == 0.0 { Vector::ZERO } else { Vector::Y * y.signum() };
        add(out * radius + Vector::Y * y, out + up, border);
        (x, z) = (x * STEP[0] - z * STEP[1], x * STEP[1] + z * STEP[0]);
    }
}
