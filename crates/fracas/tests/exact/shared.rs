//! `tri_tri_shared` against fractions: every way to share ids, on every family of points.

use crate::inputs::{Family, ORDERS, Stream};
use crate::reference;
use fracas::exact::{Relation, tri_tri, tri_tri_shared};
use fracas::geom::{DVec3, Triangle};

/// Two triangles over a few vertices; the fewer, the more they share, and ids repeat within a triangle.
fn case(family: Family, vertices: u64, stream: &mut Stream) -> ([Triangle; 2], [[u32; 3]; 2]) {
    let mut p: [DVec3; 6] = family.points(stream);
    while stream.below(3) == 0 {
        let [to, from, other] = [6, 6, 6].map(|n| stream.below(n) as usize);
        p[to] = if stream.below(2) == 0 { p[from] } else { 0.5 * p[from] + 0.5 * p[other] };
    }
    let ids = [(); 2].map(|()| [(); 3].map(|()| stream.below(vertices) as u32));
    let triangles = ids.map(|[a, b, c]| Triangle::new(p[a as usize], p[b as usize], p[c as usize]));
    (triangles, ids)
}

#[test]
fn shared_corners_agree_with_fractions() {
    for (seed, family) in Family::ALL.into_iter().enumerate() {
        let mut stream = Stream::new(5_000 + seed as u64);
        // How often each number of distinct shared ids led to each relation.
        let mut seen = [[0; 3]; 4];
        for k in 0..family.cases(60_000) {
            let ([t, u], [t_ids, u_ids]) = case(family, 3 + k as u64 % 4, &mut stream);
            let expected = reference::relation_shared(&t, t_ids, &u, u_ids);
            let context = || format!("{family:?} {t:?} {t_ids:?} {u:?} {u_ids:?}");
            assert_eq!(tri_tri_shared(&t, t_ids, &u, u_ids), expected, "{}", context());
            let [i, j, k] = ORDERS[stream.below(6) as usize];
            let (p, ids) = (u.corners(), [u_ids[i], u_ids[j], u_ids[k]]);
            let turned = Triangle::new(p[i], p[j], p[k]);
            assert_eq!(tri_tri_shared(&turned, ids, &t, t_ids), expected, "{}", context());
            let mut common: Vec<_> = t_ids.iter().filter(|id| u_ids.contains(id)).collect();
            common.sort_unstable();
            common.dedup();
            if common.is_empty() {
                assert_eq!(tri_tri(&t, &u), expected, "{}", context());
            }
            seen[common.len()][expected as usize] += 1;
        }
        let [none, corner, edge, all] = seen;
        assert!(none.iter().all(|n| *n > 0) && corner.iter().all(|n| *n > 0), "{family:?}: {seen:?}");
        assert!(edge[0] > 0 && edge[1] > 0 && all[0] > 0 && all[1] > 0, "{family:?}: {seen:?}");
        assert_eq!((edge[2], all[2]), (0, 0), "triangles that share an edge cannot cross");
    }
}

/// A segment a–c with b inside it, beside proper triangles that share some of its ids.
#[test]
fn flat_triangles_among_neighbours() {
    let [a, b, c, d, e] = [0.0, 1.0, 2.0, 3.0, 0.5].map(|x| DVec3::new(x, 0.0, 0.0));
    let top = DVec3::new(1.0, 1.0, 0.0);
    let needle = Triangle::new(a, b, c);
    let relation = |t: &Triangle, ids| tri_tri_shared(&needle, [0, 1, 2], t, ids);
    // Edge a–b shared; the needle goes on to c, where the neighbour has nothing.
    assert_eq!(relation(&Triangle::new(a, b, top), [0, 1, 9]), Relation::Disjoint);
    // Edge a–c shared; the needle fills it.
    assert_eq!(relation(&Triangle::new(a, c, top), [0, 2, 9]), Relation::Disjoint);
    // Only a is shared, and the neighbour's edge a–d runs along the needle.
    assert_eq!(relation(&Triangle::new(a, d, top), [0, 8, 9]), Relation::Touching);
    // Only b is shared, in the middle of the needle, and the neighbour stands on that point.
    assert_eq!(relation(&Triangle::new(b, top, top + DVec3::Z), [1, 8, 9]), Relation::Disjoint);
    // The same, but the needle enters the neighbour on one side of b.
    assert_eq!(relation(&Triangle::new(b, d - DVec3::Y, d + DVec3::Y), [1, 8, 9]), Relation::Touching);
    // Two needles on one line: they share the ids a, b and overlap up to c.
    assert_eq!(relation(&Triangle::new(a, b, d), [0, 1, 9]), Relation::Touching);
    // They overlap in a–b alone.
    assert_eq!(relation(&Triangle::new(a, b, e), [0, 1, 9]), Relation::Disjoint);
    // The same needle again lies in its own edges.
    assert_eq!(relation(&Triangle::new(c, b, a), [2, 1, 0]), Relation::Disjoint);
}
