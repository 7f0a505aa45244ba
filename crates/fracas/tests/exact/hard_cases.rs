//! Triangles that other libraries got wrong. The truth is what fractions say, and where a report states one, also that.
#![allow(clippy::excessive_precision)] // Digits as they were reported.

use crate::inputs::{ORDERS, reorder};
use crate::reference;
use fracas::exact::{Relation, tri_tri, tri_tri_segment, tri_tri_shared};
use fracas::geom::{DVec3, Triangle};

fn triangle(corners: [[f64; 3]; 3]) -> Triangle {
    let [a, b, c] = corners.map(DVec3::from_array);
    Triangle::new(a, b, c)
}

/// The fractions' answer, given in both argument orders and all orders of corners.
fn check(t: &Triangle, u: &Triangle, expected: Relation) {
    assert_eq!(reference::relation(t, u), expected);
    for order in ORDERS {
        for other in ORDERS {
            let (t, u) = (reorder(t, order), reorder(u, other));
            assert_eq!((tri_tri(&t, &u), tri_tri(&u, &t)), (expected, expected), "{order:?} {other:?}");
            assert_eq!(tri_tri_segment(&t, &u).is_some(), expected != Relation::Disjoint);
        }
    }
}

/// All pairs of a mesh that meet outside what they share, by the library and by fractions.
fn self_pairs(positions: &[[f64; 3]], faces: &[[u32; 3]]) -> [Vec<(usize, usize, Relation)>; 2] {
    let triangles: Vec<_> = faces.iter().map(|ids| triangle(ids.map(|id| positions[id as usize]))).collect();
    let mut found = [vec![], vec![]];
    for (i, t) in triangles.iter().enumerate() {
        for (j, u) in triangles.iter().enumerate().skip(i + 1) {
            let relations = [
                tri_tri_shared(t, faces[i], u, faces[j]),
                reference::relation_shared(t, faces[i], u, faces[j]),
            ];
            for (list, relation) in found.iter_mut().zip(relations) {
                if relation != Relation::Disjoint {
                    list.push((i, j, relation));
                }
            }
        }
    }
    found
}

/// libigl issue 2381: a triangle subdivided twice, nearly flat, reported with five self-intersections.
#[test]
fn subdivided_triangle_has_no_self_intersection() {
    let positions = [
        [0.280039012432098, 0.82766300439834595, 0.46377500891685502],
        [0.33890101313590998, 0.78804200887680098, 0.48812699317932101],
        [0.31805300712585399, 0.76836401224136397, 0.49308800697326699],
        [0.30947001278400399, 0.80785250663757346, 0.47595100104808802],
        [0.299046009778976, 0.79801350831985496, 0.47843150794506101],
        [0.32847701013088199, 0.77820301055908248, 0.490607500076294],
        [0.29475451260805097, 0.81775775551795971, 0.46986300498247152],
        [0.28954251110553697, 0.81283825635910045, 0.47110325843095802],
        [0.32418551295995701, 0.79794725775718722, 0.48203899711370451],
        [0.33368901163339598, 0.78312250971794173, 0.48936724662780751],
        [0.30854950845241502, 0.78318876028060946, 0.485759757459164],
        [0.32326500862836799, 0.77328351140022322, 0.4918477535247805],
        [0.30425801128148999, 0.80293300747871421, 0.47719125449657451],
        [0.31897351145744302, 0.79302775859832797, 0.48327925056219101],
        [0.31376150995492902, 0.78810825943946872, 0.4845195040106775],
    ];
    let faces = [
        [2, 11, 10],
        [1, 8, 9],
        [0, 7, 6],
        [3, 12, 13],
        [5, 14, 11],
        [3, 13, 8],
        [4, 12, 7],
        [4, 14, 12],
        [4, 10, 14],
        [5, 9, 13],
        [3, 6, 12],
        [5, 13, 14],
        [14, 10, 11],
        [13, 9, 8],
        [12, 6, 7],
        [14, 13, 12],
    ];
    let [ours, truth] = self_pairs(&positions, &faces);
    assert_eq!(truth, []);
    assert_eq!(ours, []);
}

/// libigl pull request 2382: another false positive, found while repairing the first.
#[test]
fn thin_triangles_beside_each_other() {
    let p = [
        [0.39234799146652199, 0.38443601131439198, 0.44744500517845198],
        [0.38924700021743752, 0.385637506842613, 0.45762349665164948],
        [0.38700349628925301, 0.38789276033639897, 0.45634675025939975],
        [0.39079749584197976, 0.38503675907850249, 0.45253425091505073],
        [0.38769650459289529, 0.38623825460672351, 0.46271274238824822],
        [0.39279749989509577, 0.37299175560474374, 0.45553924888372399],
    ];
    check(&triangle([p[0], p[3], p[2]]), &triangle([p[1], p[5], p[4]]), Relation::Disjoint);
}

/// jgt-code issue 9: upright triangles over one line, one above the other, whose planes differ by rounding alone. The
/// last two corners of the second are rebuilt from the same columns; the report calls the pair disjoint.
#[test]
fn upright_triangles_over_one_line() {
    let (near, far) = ([22.3743700520433, 29.5499517077955], [22.355455793708, 29.5919729814261]);
    let heights = [0.600000003652259, 0.699999992258484, 0.800000012016314];
    let at = |[x, y]: [f64; 2], z: f64| [x, y, z];
    let lower = triangle([at(near, heights[1]), at(far, heights[0]), at(near, heights[0])]);
    let above = triangle([at(far, heights[2]), at(far, heights[1]), at(near, heights[2])]);
    check(&lower, &above, Relation::Disjoint);
    // Lowered by one column, the second stands on the first: on an edge, then on a corner.
    let on_edge = triangle([at(far, heights[1]), at(far, heights[0]), at(near, heights[1])]);
    check(&lower, &on_edge, Relation::Touching);
    let on_corner = triangle([at(far, heights[2]), at(far, heights[1]), at(near, heights[1])]);
    check(&lower, &on_corner, Relation::Touching);
}

/// axom issue 152: coplanar triangles with a common corner; 6 of 36 orders of corners failed.
#[test]
fn common_corner_in_a_plane_in_every_order() {
    let a = [[76.648, 54.6752, 15.0012], [76.648, 54.6752, 14.5542], [76.582, 54.6752, 14.7879]];
    let b = [[76.6252, 54.6752, 14.892], [76.582, 54.6752, 14.7879], [76.5617, 54.6752, 14.7929]];
    check(&triangle(a), &triangle(b), Relation::Touching);
}

/// three-mesh-bvh issue 655: far apart, in perpendicular planes across axes.
#[test]
fn distant_axis_aligned_triangles() {
    let t = [
        [32.22699737548828, 1.2630000114440918, -11.8149995803833],
        [31.316997528076172, 1.2630000114440918, -11.739999771118164],
        [32.22699737548828, 1.2630000114440918, -11.739999771118164],
    ];
    let u = [
        [31.316997528076172, 1.933000087738037, -7.585000038146973],
        [31.316997528076172, -0.8669999837875366, -7.295000076293945],
        [31.316997528076172, -0.8669999837875366, -7.585000038146973],
    ];
    check(&triangle(t), &triangle(u), Relation::Disjoint);
}

/// geogram issue 10: a corner and an edge almost on a plane sent the classification where it should not have been.
#[test]
fn small_triangle_over_a_large_one() {
    let t = [[1898.68, 775.0, 1158.48], [2000.0, 775.0, 1166.7], [1898.68, 675.0, 1148.6]];
    let u = [[1966.41, 675.0, 1163.79], [1971.63, 675.0, 1166.95], [1967.56, 684.554, 1166.67]];
    check(&triangle(t), &triangle(u), Relation::Disjoint);
}

/// benardp/contours issue 1: nearly coplanar and far apart.
#[test]
fn nearly_coplanar_and_apart() {
    let t = [[12.3015, -0.253368, 5.49101], [18.6765, -2.55337, 4.91756], [12.3015, -2.55337, 4.91756]];
    let u = [[-11.9885, -0.253368, 5.49101], [1.61448, -0.253368, 5.49101], [1.61448, -2.55337, 4.91756]];
    check(&triangle(t), &triangle(u), Relation::Disjoint);
}

/// fast-triangle-triangle-intersection issues 3 and 4: coplanar overlaps that were missed.
#[test]
fn coplanar_overlaps() {
    let t = [[-1.0, 0.0, 0.0], [2.0, 0.0, -2.0], [2.0, 0.0, 2.0]];
    let u = [[0.551, 0.0, -0.796], [1.224, 0.0, 0.326], [3.469, 0.0, 1.0]];
    check(&triangle(t), &triangle(u), Relation::Touching);
    let t = [[0.0, 0.0, 0.0], [0.0, 0.0, 8.0], [8.0, 0.0, 0.0]];
    let u = [[2.0, 0.0, 2.0], [1.0, 0.0, 4.0], [9.0, 0.0, 0.0]];
    check(&triangle(t), &triangle(u), Relation::Touching);
}

/// geometry3Sharp issue 85: triangles that are points and segments.
#[test]
fn points_and_segments() {
    let point = triangle([[0.0; 3]; 3]);
    let segment = triangle([[0.0; 3], [0.0; 3], [0.0, 1.0, 0.0]]);
    let proper = triangle([[0.0, 0.0, 1.0], [0.0, 1.0, 1.0], [1.0, 1.0, 1.0]]);
    check(&point, &point, Relation::Touching);
    check(&point, &segment, Relation::Touching);
    check(&point, &proper, Relation::Disjoint);
    check(&segment, &proper, Relation::Disjoint);
}
