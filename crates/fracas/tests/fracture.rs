//! Labels from blows: connected, large enough, the same from the same seed, and smaller where the blow was.

use fracas::brittle::{BrittleBody, Solid, SolidOptions};
use fracas::fill::{FillOptions, fill};
use fracas::fracture::{
    Breakable, FractureError, FractureOptions, FracturePattern, Impact, Material, Relabelling,
};
use fracas::geom::DVec3;
use fracas::mesh::shapes;
use fracas::mesh::tets::brick;
use std::collections::BTreeSet;
use std::sync::Arc;

const PATTERNS: [FracturePattern; 3] =
    [FracturePattern::Cells { growth: 3.0 }, FracturePattern::Planes, FracturePattern::Radial];

/// A block, a ball and a body with horns.
fn solids() -> Vec<(&'static str, Arc<Solid>)> {
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

fn breakable<'a>(body: &'a BrittleBody, fragment: fracas::brittle::FragmentId) -> Breakable<'a> {
    let known = body.fragment(fragment).unwrap();
    let solid = body.solid();
    Breakable {
        mesh: solid.mesh(),
        adjacency: solid.adjacency(),
        nodes: known.nodes(),
        volume: known.mass().volume,
    }
}

fn check(part: &Breakable, relabelling: &Relabelling, least: usize) {
    let Relabelling { labels, weights, pieces } = relabelling;
    assert_eq!((labels.len(), weights.len()), (part.nodes.len(), part.nodes.len()));
    assert!(weights.iter().all(|&w| w > 0.0 && w.is_finite()));
    for piece in 0..*pieces as u32 {
        let nodes: BTreeSet<u32> =
            part.nodes.iter().zip(labels).filter(|(_, l)| **l == piece).map(|(&n, _)| n).collect();
        assert!(nodes.len() >= least, "piece {piece} has {} nodes", nodes.len());
        let mut reached = BTreeSet::from([*nodes.first().unwrap()]);
        let mut open: Vec<u32> = reached.iter().copied().collect();
        while let Some(node) = open.pop() {
            for &other in part.adjacency.neighbours(node) {
                if nodes.contains(&other) && reached.insert(other) {
                    open.push(other);
                }
            }
        }
        assert_eq!(reached, nodes, "piece {piece} does not hang together");
    }
}

#[test]
fn pieces_are_connected_large_enough_and_break_again() {
    for (name, solid) in solids() {
        for pattern in PATTERNS {
            let mut body = BrittleBody::new(solid.clone());
            let mut pieces_made = 0;
            for generation in 0..4 {
                let all: Vec<_> = body.fragments().collect();
                for fragment in all {
                    let part = breakable(&body, fragment);
                    let options =
                        FractureOptions { pattern, least_nodes: 6, seed: generation, ..Default::default() };
                    let point = part.mesh.positions()[part.nodes[0] as usize];
                    let found = part.break_up(point, DVec3::new(0.1, 0.3, -1.0), 6.0, &options).unwrap();
                    let Some(relabelling) = found else { continue };
                    check(&part, &relabelling, 6);
                    let same = part.break_up(point, DVec3::new(0.1, 0.3, -1.0), 6.0, &options).unwrap();
                    assert_eq!(same.as_ref(), Some(&relabelling), "the same seed, the same pieces");
                    let made = body.split(fragment, &relabelling.labels, &relabelling.weights).unwrap();
                    assert_eq!(made.len(), relabelling.pieces, "{name} {pattern:?}");
                    pieces_made += made.len();
                }
            }
            body.validate().unwrap();
            assert!(pieces_made > 20, "{name} {pattern:?}: {pieces_made}");
        }
    }
}

#[test]
fn harder_blows_make_more_pieces_and_soft_ones_none() {
    let solid =
        Solid::build(brick(DVec3::new(0.2, 0.1, 0.06), [16, 8, 5]), &SolidOptions::default()).unwrap();
    let body = BrittleBody::new(solid.into());
    let part = breakable(&body, body.fragments().next().unwrap());
    let options = FractureOptions { most_pieces: 200, least_nodes: 4, ..Default::default() };
    let pieces = |impulse: f64, material: &Material| {
        let blow = Impact { point: DVec3::new(0.1, 0.05, 0.03), direction: DVec3::NEG_X, impulse };
        part.hit(&blow, material, &options).unwrap().map_or(1, |relabelling| relabelling.pieces)
    };
    let found: Vec<usize> = [0.1, 12.0, 18.0, 25.0, 32.0].map(|j| pieces(j, &Material::BRICK)).to_vec();
    assert_eq!(found[0], 1);
    assert!(found.is_sorted() && found[1] >= 2 && found[4] > 3 * found[1], "{found:?}");
    let tough = Material { toughness: 80.0, ..Material::BRICK };
    assert!(pieces(25.0, &tough) < found[3]);
    let strong = Material { strength: 1e9, ..Material::BRICK };
    assert_eq!(pieces(25.0, &strong), 1);
}

#[test]
fn cells_grow_away_from_the_impact() {
    let solid =
        Solid::build(brick(DVec3::new(1.0, 1.0, 0.3), [20, 20, 6]), &SolidOptions::default()).unwrap();
    let mut body = BrittleBody::new(solid.into());
    let whole = body.fragments().next().unwrap();
    let point = DVec3::new(-0.5, -0.5, 0.0);
    let options = FractureOptions {
        pattern: FracturePattern::Cells { growth: 5.0 },
        most_pieces: 60,
        least_nodes: 2,
        seed: 4,
    };
    let found = breakable(&body, whole).break_up(point, DVec3::X, 40.0, &options).unwrap().unwrap();
    let pieces = body.split(whole, &found.labels, &found.weights).unwrap();
    let mut sizes: Vec<(f64, f64)> = pieces
        .iter()
        .map(|&id| body.fragment(id).unwrap().mass())
        .map(|mass| (mass.centre.distance(point), mass.volume))
        .collect();
    sizes.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mean = |part: &[(f64, f64)]| part.iter().map(|s| s.1).sum::<f64>() / part.len() as f64;
    let third = sizes.len() / 3;
    let (near, far) = (mean(&sizes[..third]), mean(&sizes[sizes.len() - third..]));
    assert!(far > 4.0 * near, "{near} {far}");
}

#[test]
fn blows_that_make_no_sense_are_refused_and_one_outside_hits_the_nearest_node() {
    let (_, solid) = solids().swap_remove(0);
    let body = BrittleBody::new(solid);
    let part = breakable(&body, body.fragments().next().unwrap());
    let options = FractureOptions::default();
    let up = |point, direction, wanted| part.break_up(point, direction, wanted, &options);
    let error = up(DVec3::NAN, DVec3::X, 3.0).unwrap_err();
    assert!(matches!(error, FractureError::BadPoint { point } if point.is_nan()));
    assert!(matches!(
        up(DVec3::ZERO, DVec3::ZERO, 3.0),
        Err(FractureError::BadDirection { direction: DVec3::ZERO })
    ));
    let error = up(DVec3::ZERO, DVec3::X, -1.0).unwrap_err();
    assert_eq!(error, FractureError::BadNumber { what: "number of pieces", value: -1.0 });
    let far = up(DVec3::new(9.0, 0.05, 0.03), DVec3::X, 5.0).unwrap();
    let near = up(DVec3::new(0.1, 0.05, 0.03), DVec3::X, 5.0).unwrap();
    assert!(far.is_some() && far == near);
    let zero = Impact { point: DVec3::ZERO, direction: DVec3::X, impulse: 0.0 };
    let error = part.hit(&zero, &Material::GLASS, &options).unwrap_err();
    assert_eq!(error, FractureError::BadNumber { what: "impulse", value: 0.0 });
}
