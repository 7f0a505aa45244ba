//! A cloth falls on a body and comes to rest: `cargo run --release -p fracas-io --example cloth -- bunny.obj`
//!
//! Springs keep their length, and features that `find_near` reports keep a thickness apart. Before a step is taken,
//! `find_impacts` looks at its motion, and what would hit something stays where it is: nothing passes through.

use fracas::mesh::{Adjacency, shapes};
use fracas::{DVec3, Features, Finder, Mesh, MeshTree, Pose};
use std::error::Error;

const STEP: f64 = 0.01; // seconds
const THICKNESS: f64 = 0.01; // metres; no vertex falls farther than twice this in a step

/// A cloth, and a body that does not move.
pub(crate) struct Drape {
    pub(crate) cloth: MeshTree,
    pub(crate) body: MeshTree,
    pub(crate) finder: Finder,
    velocities: Vec<DVec3>,
    springs: Vec<([usize; 2], f64)>,
}

impl Drape {
    /// Scales the body to a length of one metre and lays a cloth of 1.2 metres above it.
    pub(crate) fn new(body: &Mesh) -> Result<Self, Box<dyn Error>> {
        let (middle, size) = (body.bounds().centre(), body.bounds().extent().max_element());
        let scaled = body.positions().iter().map(|p| (*p - middle) / size).collect();
        let body = Mesh::new(scaled, body.triangles().to_vec())?;
        let above = Pose::from_translation(DVec3::Z * (body.bounds().max.z + 0.05)).ok_or("not finite")?;
        let cloth = shapes::cloth_grid(20, 20, [1.2, 1.2]).posed(&above)?;
        let spring = |[v, w]: [usize; 2]| ([v, w], cloth.positions()[v].distance(cloth.positions()[w]));
        let springs = Adjacency::build(&cloth).edges().map(|e| spring(e.ends.map(|v| v as usize))).collect();
        let (velocities, finder) = (vec![DVec3::ZERO; cloth.vertex_count()], Finder::default());
        Ok(Self { cloth: MeshTree::build(cloth), body: MeshTree::build(body), finder, velocities, springs })
    }

    /// Does a step; returns the greatest speed.
    pub(crate) fn step(&mut self) -> Result<f64, Box<dyn Error>> {
        let Self { cloth, body, finder, velocities, springs } = self;
        let before = cloth.mesh().positions().to_vec();
        let fall = |v: DVec3| (STEP * (v - 9.81 * STEP * DVec3::Z)).clamp_length_max(2.0 * THICKNESS);
        let mut after: Vec<DVec3> = before.iter().zip(&*velocities).map(|(p, v)| *p + fall(*v)).collect();
        let mut contacts = Vec::new(); // vertices of the cloth, weights, a direction, the least height along it
        for near in finder.find_near(&*cloth, &*body, 3.0 * THICKNESS) {
            let [ours, theirs] = vertices(&near.features, cloth.mesh(), body.mesh());
            let (w, x) = near.weights.split_at(ours.len());
            let p: DVec3 = ours.iter().zip(w).map(|(v, w)| before[*v] * *w).sum();
            let q: DVec3 = theirs.iter().zip(x).map(|(v, x)| body.mesh().positions()[*v] * *x).sum();
            let normal = (p - q).normalize_or(DVec3::Z);
            contacts.push((ours, w.to_vec(), normal, normal.dot(q) + THICKNESS));
        }
        for _ in 0..20 {
            for &([v, w], length) in &*springs {
                let along = after[w] - after[v];
                let pull = along * (0.5 - 0.5 * length / along.length().max(1e-9));
                (after[v], after[w]) = (after[v] + pull, after[w] - pull);
            }
            for (ours, weights, normal, least) in &contacts {
                let height: f64 = ours.iter().zip(weights).map(|(v, w)| w * normal.dot(after[*v])).sum();
                let push = *normal * (least - height).max(0.0) / weights.iter().map(|w| w * w).sum::<f64>();
                for (&v, w) in ours.iter().zip(weights).filter(|_| height < *least) {
                    let slide = (after[v] - before[v]).reject_from_normalized(*normal); // friction
                    after[v] += push * *w - slide * (0.3 * w);
                }
            }
        }
        let mut hits = vec![0];
        while !hits.is_empty() {
            let motion = cloth.view().to_positions(&after)?;
            let on_body = finder.find_impacts(motion, &*body).all.iter();
            hits = on_body
                .flat_map(|hit| vertices(&hit.features, cloth.mesh(), body.mesh())[0].clone())
                .collect();
            let own = finder.find_self_impacts(motion).all.iter();
            hits.extend(own.flat_map(|hit| vertices(&hit.features, cloth.mesh(), cloth.mesh()).concat()));
            hits.iter().for_each(|&v| after[v] = before[v]);
        }
        *velocities = before.iter().zip(&after).map(|(from, to)| 0.97 * (*to - *from) / STEP).collect();
        cloth.set_positions(&after)?;
        Ok(velocities.iter().map(|v| v.length()).fold(0.0, f64::max))
    }
}

/// The vertices of two features.
fn vertices(features: &Features, first: &Mesh, second: &Mesh) -> [Vec<usize>; 2] {
    let ids = match *features {
        Features::VertexTriangle(v, t) => [vec![v], second.triangles()[t.index()].to_vec()],
        Features::TriangleVertex(t, v) => [first.triangles()[t.index()].to_vec(), vec![v]],
        Features::EdgeEdge(one, other) => [one.to_vec(), other.to_vec()],
    };
    ids.map(|ids| ids.into_iter().map(|v| v as usize).collect())
}

fn main() -> Result<(), Box<dyn Error>> {
    let file = std::env::args().nth(1).ok_or("the name of a mesh is missing")?;
    let mut drape = Drape::new(&fracas_io::read(file)?)?;
    let speeds = (0..600).map(|_| drape.step()).collect::<Result<Vec<_>, _>>()?;
    println!("greatest speeds in m/s, step by step: {speeds:.3?}");
    Ok(())
}
