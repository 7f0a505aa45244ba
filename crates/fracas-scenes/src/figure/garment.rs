//! Shirts and dresses: surfaces around a body at rest that end at hem, neck and sleeves.
//!
//! A garment blends the parts of the body and its own, such as the cone of a skirt, with a margin (`shape`). It is cut
//! where the body is to stick out: below the hem, around the neck, and beyond the ends of the sleeves, which is near the
//! axes of the arms only, so that the skirt is left alone.

use super::shape::{Body, Bone, Measures, Part, Side};
use super::surface::{Implicit, mesh_of};
use fracas::geom::{Box3, DVec3};
use fracas::mesh::Mesh;

/// Where a garment ends; lengths in metres.
#[derive(Clone, Debug)]
pub(crate) struct Garment {
    body: Body,
    measures: Measures,
    hem: f64,
    /// Length of the sleeves from the shoulder on.
    sleeve: f64,
    /// Radius of the opening around the neck.
    collar: f64,
}

impl Garment {
    /// A loose shirt that ends at the hips.
    pub fn shirt(measures: &Measures) -> Self {
        let mut body = Body { blend: 0.032, margin: 0.018, ..Body::of(measures) };
        let column = [DVec3::Z * (measures.hip.z - 0.2), DVec3::Z * (measures.chest - 0.05)];
        let barrel = |x: f64| Part {
            bone: Bone::Pelvis,
            ends: column.map(|end| end + DVec3::X * x),
            radii: [0.135, 0.13],
            depth: 0.9,
        };
        body.parts.extend([barrel(-0.075), barrel(0.075)]);
        let measures = *measures;
        Self { body, measures, hem: measures.hip.z - 0.04, sleeve: 0.22, collar: 0.12 }
    }

    /// A dress with a wide skirt that ends below the knees.
    pub fn dress(measures: &Measures) -> Self {
        let mut body = Body { blend: 0.026, margin: 0.012, ..Body::of(measures) };
        let skirt = Part {
            bone: Bone::Pelvis,
            ends: [DVec3::Z * (measures.waist - 0.03), DVec3::Z * (measures.knee.z - 0.35)],
            radii: [0.1, 0.44],
            depth: 0.92,
        };
        body.parts.push(skirt);
        let measures = *measures;
        Self { body, measures, hem: measures.knee.z - 0.1, sleeve: 0.2, collar: 0.102 }
    }

    /// The garment in about this many triangles.
    pub fn mesh(&self, triangles: usize) -> Mesh {
        mesh_of(self, triangles)
    }
}

impl Implicit for Garment {
    fn at(&self, p: DVec3) -> (f64, DVec3) {
        self.body.at(p)
    }

    fn bounds(&self) -> Box3 {
        let mut bounds = self.body.bounds();
        bounds.min.z = self.hem - 0.05;
        bounds.max.z = bounds.max.z.min(self.measures.neck + 0.1);
        let reach = self.measures.shoulder.x + 0.6 * self.sleeve + 0.2;
        let skirt = 0.6;
        bounds.min.x = bounds.min.x.max(-reach.max(skirt));
        bounds.max.x = bounds.max.x.min(reach.max(skirt));
        bounds
    }

    fn rim(&self, p: DVec3) -> (f64, DVec3) {
        if p.z > self.measures.chest + 0.06 && p.x.abs() < self.measures.shoulder.x - 0.02 {
            let away = DVec3::new(p.x, p.y, 0.0);
            return (self.collar - away.length(), -away.normalize_or(DVec3::X));
        }
        let side = if p.x < 0.0 { Side::Left } else { Side::Right };
        let direction = Measures::arm_direction(side);
        let from = p - self.measures.joint(Bone::UpperArm(side));
        let along = from.dot(direction);
        if (from - direction * along).length() < 0.1 && along > 0.0 {
            return (along - self.sleeve, direction);
        }
        (self.hem - p.z, -DVec3::Z)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figure::Figure;
    use fracas::mesh::Adjacency;
    use fracas::{Finder, Touch};

    /// The rims of a garment, as the number of loops along which it ends.
    fn rims(mesh: &Mesh) -> usize {
        let adjacency = Adjacency::build(mesh);
        assert!(adjacency.edges().all(|edge| edge.uses.len() <= 2));
        let mut next = vec![Vec::new(); mesh.vertex_count()];
        for edge in adjacency.edges().filter(|edge| edge.uses.len() == 1) {
            let [a, b] = edge.ends.map(|v| v as usize);
            next[a].push(b);
            next[b].push(a);
        }
        let mut seen = vec![false; next.len()];
        let mut loops = 0;
        for start in 0..next.len() {
            if next[start].is_empty() || seen[start] {
                continue;
            }
            loops += 1;
            let mut stack = vec![start];
            while let Some(v) = stack.pop() {
                assert_eq!(next[v].len(), 2, "the rim is a simple loop");
                if !std::mem::replace(&mut seen[v], true) {
                    stack.extend(&next[v]);
                }
            }
        }
        loops
    }

    #[test]
    fn garments_are_sheets_with_four_rims_around_the_body() {
        let (man, woman) = (Figure::man(6_000), Figure::woman(6_000));
        let garments = [(Garment::shirt(&man.measures), man), (Garment::dress(&woman.measures), woman)];
        for (garment, figure) in garments {
            for triangles in [3_000, 8_000] {
                let mesh = garment.mesh(triangles);
                let off = mesh.triangle_count() as f64 / triangles as f64 - 1.0;
                assert!(off.abs() < 0.05, "{} triangles", mesh.triangle_count());
                assert_eq!(rims(&mesh), 4, "hem, neck and two sleeves at {triangles}");
                let body = Mesh::new(figure.positions(0.0), figure.triangles().to_vec()).unwrap();
                let mut finder = Finder::default();
                assert_eq!(finder.options().touch, Touch::Include);
                let at = |id: fracas::TriangleId| mesh.triangle(id).corners()[0];
                let places: Vec<DVec3> =
                    finder.find_self_pairs(&mesh).iter().map(|pair| at(pair.a)).collect();
                assert!(places.is_empty(), "{triangles}: {} {:?}", places.len(), &places[..1]);
                assert!(finder.find_pairs(&mesh, &body).is_empty());
            }
        }
    }
}
