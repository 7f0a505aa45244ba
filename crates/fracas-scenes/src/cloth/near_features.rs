//! The nearest points of two features.

use fracas::geom::DVec3;

/// From the nearest point of a face to a vertex, and the weights of the three corners in that point.
/// The vertex comes first.
pub(crate) fn vertex_face([p, a, b, c]: [DVec3; 4]) -> (DVec3, [f64; 3]) {
    let (ab, ac, ap) = (b - a, c - a, p - a);
    let (d1, d2) = (ab.dot(ap), ac.dot(ap));
    let told = |weights: [f64; 3]| (p - (a * weights[0] + b * weights[1] + c * weights[2]), weights);
    if d1 <= 0.0 && d2 <= 0.0 {
        return told([1.0, 0.0, 0.0]);
    }
    let bp = p - b;
    let (d3, d4) = (ab.dot(bp), ac.dot(bp));
    if d3 >= 0.0 && d4 <= d3 {
        return told([0.0, 1.0, 0.0]);
    }
    let share = |part: f64, rest: f64| if part + rest == 0.0 { 0.0 } else { part / (part + rest) };
    let vc = d1 * d4 - d3 * d2;
    if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
        let v = share(d1, -d3);
        return told([1.0 - v, v, 0.0]);
    }
    let cp = p - c;
    let (d5, d6) = (ab.dot(cp), ac.dot(cp));
    if d6 >= 0.0 && d5 <= d6 {
        return told([0.0, 0.0, 1.0]);
    }
    let vb = d5 * d2 - d1 * d6;
    if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
        let w = share(d2, -d6);
        return told([1.0 - w, 0.0, w]);
    }
    let va = d3 * d6 - d5 * d4;
    if va <= 0.0 && d4 >= d3 && d5 >= d6 {
        let w = share(d4 - d3, d5 - d6);
        return told([0.0, 1.0 - w, w]);
    }
    let sum = va + vb + vc;
    if sum == 0.0 {
        return told([1.0, 0.0, 0.0]);
    }
    let (v, w) = (vb / sum, vc / sum);
    told([1.0 - v - w, v, w])
}

/// From the nearest point of the second edge to that of the first, and where they are along the edges: 0 to 1.
pub(crate) fn edge_edge([a, b, c, d]: [DVec3; 4]) -> (DVec3, [f64; 2]) {
    let (u, v, w) = (b - a, d - c, a - c);
    let (uu, vv, uv, uw, vw) = (u.dot(u), v.dot(v), u.dot(v), u.dot(w), v.dot(w));
    let clamp = |x: f64| if x.is_finite() { x.clamp(0.0, 1.0) } else { 0.0 };
    let area = uu * vv - uv * uv;
    let mut s = if area > 1e-12 * uu * vv { clamp((uv * vw - vv * uw) / area) } else { 0.5 };
    let t = clamp((uv * s + vw) / vv);
    s = clamp((uv * t - uw) / uu);
    (w + u * s - v * t, [s, t])
}

#[cfg(test)]
mod tests {
    use super::*;
    use fracas::internal::Random;

    #[test]
    fn no_sampled_points_are_nearer() {
        let mut random = Random::linear(11);
        for _ in 0..400 {
            let points = [0; 4].map(|_| DVec3::new(random.unit(), random.unit(), random.unit()));
            let [p, a, b, c] = points;
            let (to_face, weights) = vertex_face(points);
            assert!((weights.iter().sum::<f64>() - 1.0).abs() < 1e-12 && weights.iter().all(|w| *w > -1e-12));
            let (between, [s, t]) = edge_edge(points);
            assert!((between - (p.lerp(a, s) - b.lerp(c, t))).length() < 1e-12);
            for i in 0..=20 {
                for j in 0..=20 {
                    let (x, y) = (f64::from(i) / 20.0, f64::from(j) / 20.0);
                    let on_face = a + (b - a) * (x * (1.0 - y)) + (c - a) * (x * y);
                    assert!(p.distance(on_face) >= to_face.length() - 1e-12);
                    assert!(p.lerp(a, x).distance(b.lerp(c, y)) >= between.length() - 1e-9);
                }
            }
        }
    }
}
