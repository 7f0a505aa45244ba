//! Bodies that have been broken again and again, at random but from a seed.

use fracas::brittle::{BrittleBody, FragmentId, Solid, SolidOptions};
use fracas::fill::{FillOptions, fill};
use fracas::geom::DVec3;
use fracas::mesh::shapes;
use fracas::mesh::tets::brick;
use std::sync::Arc;

/// Numbers from 0 to 1.
pub struct Random(fracas::internal::Random);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(fracas::internal::Random::new(seed))
    }

    pub fn next(&mut self) -> f64 {
        self.0.unit()
    }

    pub fn point(&mut self, low: DVec3, high: DVec3) -> DVec3 {
        low + DVec3::new(self.next(), self.next(), self.next()) * (high - low)
    }
}

/// A block, a ball and a body with horns.
pub fn solids() -> Vec<(&'static str, Arc<Solid>)> {
    let solid = |mesh| Arc::new(Solid::build(mesh, &SolidOptions::default()).unwrap());
    vec![
        ("brick", solid(brick(DVec3::new(0.2, 0.1, 0.06), [10, 5, 3]))),
        (
            "ball",
            solid(
                fill(&shapes::icosphere(1.0, 3), &FillOptions { cells: 12.0, ..FillOptions::default() })
                    .unwrap(),
            ),
        ),
        (
            "creature",
            solid(
                fill(&shapes::creature(6000), &FillOptions { cells: 40.0, ..FillOptions::default() })
                    .unwrap(),
            ),
        ),
    ]
}

/// Breaks a fragment into the cells of random nodes; the crack lies halfway between their centres.
pub fn break_fragment(
    body: &mut BrittleBody,
    fragment: FragmentId,
    cells: usize,
    random: &mut Random,
) -> Vec<FragmentId> {
    let nodes = body.fragment(fragment).unwrap().nodes().to_vec();
    let at = |&node: &u32| body.solid().mesh().positions()[node as usize];
    let sites: Vec<DVec3> =
        (0..cells).map(|_| at(&nodes[(random.next() * nodes.len() as f64) as usize])).collect();
    let (mut labels, mut weights) = (vec![], vec![]);
    for p in nodes.iter().map(at) {
        let mut order: Vec<usize> = (0..cells).collect();
        order.sort_by(|&a, &b| p.distance(sites[a]).total_cmp(&p.distance(sites[b])));
        let [s, t] = [sites[order[0]], sites[order[1]]];
        labels.push(order[0] as u32);
        let apart = s.distance(t).max(1e-12);
        weights.push(((p.distance_squared(t) - p.distance_squared(s)) / (2.0 * apart)).max(1e-9));
    }
    body.split(fragment, &labels, &weights).unwrap()
}

/// Breaks the largest fragments: one in the first generation, three in later ones.
pub fn break_largest(body: &mut BrittleBody, generation: usize, random: &mut Random) {
    let mut all: Vec<FragmentId> = body.fragments().collect();
    all.sort_by_key(|&id| std::cmp::Reverse(body.fragment(id).unwrap().nodes().len()));
    for &fragment in all.iter().take(if generation == 0 { 1 } else { 3 }) {
        if body.fragment(fragment).unwrap().nodes().len() > 20 {
            break_fragment(body, fragment, 4, random);
        }
    }
}

/// A body after some generations, in each of which the largest fragments break.
pub fn broken(solid: &Arc<Solid>, generations: usize, seed: u64) -> BrittleBody {
    let mut body = BrittleBody::new(solid.clone());
    let mut random = Random::new(seed);
    (0..generations).for_each(|generation| break_largest(&mut body, generation, &mut random));
    body
}
