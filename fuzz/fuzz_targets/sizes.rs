//! Any sizes: at 2^k times the size, answers are 2^k times the answers, and hostile numbers are refused without a panic or a hang.
#![no_main]

use fracas::brittle::{BrittleBody, Solid, SolidOptions};
use fracas::cut::{CutOptions, CutSurface, Cutter, Front, ShatterOptions, shatter_along, shatter_at};
use fracas::fill::{FillOptions, fill};
use fracas::fracture::{Breakable, FractureOptions, FracturePattern};
use fracas::geom::DVec3;
use fracas::mesh::tets::{TetAdjacency, TetMesh, brick};
use fracas::mesh::{LiveMesh, Mesh, MeshEdit, shapes};
use fracas::{FindOptions, Finder, MeshTree, Threads, View};
use libfuzzer_sys::fuzz_target;

#[path = "../input.rs"]
mod input;
use input::Input;

fn scaled(mesh: &Mesh, k: i32) -> Mesh {
    let positions = mesh.positions().iter().map(|p| *p * 2f64.powi(k)).collect();
    Mesh::new(positions, mesh.triangles().to_vec()).expect("a scaled copy")
}

/// Pairs, distances and neighbourhoods of two meshes; lengths as shares of the size.
fn asked(a: &Mesh, b: &Mesh, k: i32, p: DVec3) -> impl PartialEq + std::fmt::Debug + use<> {
    let (a, b) = (scaled(a, k), scaled(b, k));
    let (tree_a, tree_b) = (MeshTree::build(a.clone()), MeshTree::build(b.clone()));
    let (size, back) = (2f64.powi(k), 2f64.powi(-k));
    let mut finder = Finder::new(FindOptions { threads: Threads::One, ..FindOptions::default() });
    let pairs = finder.find_pairs(&tree_a, &tree_b).to_vec();
    assert_eq!(finder.find_pairs(&a, &b), &pairs[..]);
    let own = finder.find_self_pairs(&tree_a).to_vec();
    let closest = finder.find_closest(&tree_a, &tree_b, f64::INFINITY).map(|closest| closest.distance * back);
    let nearest = tree_a.view().nearest(p * size, f64::INFINITY).map(|near| near.distance * back);
    let near: Vec<_> = finder.find_near(&tree_a, &tree_b, size).iter().map(|near| near.features).collect();
    (pairs, own, closest.map(f64::to_bits), nearest.map(f64::to_bits), near)
}

/// What a cut does, with lengths as shares of the size.
fn cut(
    mesh: &Mesh,
    surface: &dyn Fn(f64) -> Option<CutSurface>,
    options: &CutOptions,
    k: i32,
) -> Option<Vec<MeshEdit>> {
    let size = 2f64.powi(k);
    let mut live = LiveMesh::new(scaled(mesh, k));
    let mut cutter = Cutter::new(&live, &surface(size)?, options).ok()?;
    let mut edits = vec![];
    for to in [-0.3, 0.2, f64::INFINITY] {
        let edit = cutter.advance_to(&live, to * size).ok()?;
        live.apply(&edit).expect("the cutter was given this very mesh");
        let new_positions = edit.new_positions.iter().map(|p| *p / size).collect();
        edits.push(MeshEdit { new_positions, ..edit });
    }
    Some(edits)
}

fuzz_target!(|data: &[u8]| {
    let mut input = Input(data);
    let k = input.exponent();
    match input.byte() % 6 {
        0 => {
            let (Some(a), Some(b)) = (input.mesh(Input::small), input.mesh(Input::small)) else { return };
            let p = input.point(Input::small);
            assert_eq!(asked(&a, &b, k, p), asked(&a, &b, 0, p), "2^{k}");
        }
        1 => {
            let ball = shapes::icosphere(1.0, 1);
            let (point, normal) = (input.point(Input::small) / 16.0, input.point(Input::small));
            let radius = input.small().abs() / 8.0;
            let is_plane = input.byte() % 2 == 0;
            let surface = |size: f64| {
                if is_plane {
                    CutSurface::plane(point * size, normal, normal.any_orthogonal_vector()).ok()
                } else {
                    CutSurface::cylinder(point * size, normal, radius * size, normal.any_orthogonal_vector())
                        .ok()
                }
            };
            // The front's coordinate is a length on both.
            let options = CutOptions { front: Front::V, ..CutOptions::default() };
            assert!(cut(&ball, &surface, &options, k) == cut(&ball, &surface, &options, 0), "2^{k}");
        }
        2 => {
            // Numbers of any kind: an answer or an error.
            let ball = LiveMesh::new(scaled(&shapes::icosphere(1.0, 1), k));
            let (point, axis, forward) =
                (input.point(Input::number), input.point(Input::number), input.point(Input::number));
            let number = input.number();
            let surface = match input.byte() % 3 {
                0 => CutSurface::plane(point, axis, forward),
                1 => CutSurface::cylinder(point, axis, number, forward),
                _ => CutSurface::helicoid(point, axis, number, forward),
            };
            let Ok(surface) = surface else { return };
            let options = CutOptions {
                front: if input.byte() % 2 == 0 { Front::U } else { Front::V },
                start: if input.byte() % 2 == 0 { f64::NEG_INFINITY } else { input.number() },
                end: if input.byte() % 2 == 0 { f64::INFINITY } else { input.number() },
                ..CutOptions::default()
            };
            if let Ok(mut cutter) = Cutter::new(&ball, &surface, &options) {
                let mut mesh = ball.clone();
                for to in [input.number(), f64::INFINITY] {
                    let Ok(edit) = cutter.advance_to(&mesh, to) else { break };
                    mesh.apply(&edit).expect("the cutter was given this very mesh");
                }
            }
            let _ = shatter_along(&ball, &[surface.clone(), surface], &ShatterOptions::default());
            let sites: Vec<DVec3> = (0..3).map(|_| input.point(Input::number)).collect();
            let _ = shatter_at(&ball, &sites, &ShatterOptions::default());
        }
        3 => {
            let mesh = scaled(&shapes::icosphere(1.0, 1), k);
            let cells = 2.0 + input.small().abs() / 4.0;
            let robust = input.byte() % 2 == 0;
            let options = FillOptions { cells, robust, ..FillOptions::default() };
            let unit = fill(&scaled(&mesh, -k), &options);
            match (fill(&mesh, &options), unit) {
                (Ok(large), Ok(unit)) => assert_eq!(large.tets(), unit.tets(), "2^{k}"),
                (large, unit) => assert_eq!(large.is_ok(), unit.is_ok(), "2^{k}"),
            }
        }
        4 => {
            let size = 2f64.powi(k);
            let shift = input.point(Input::number);
            let (positions, tets) = brick(DVec3::ONE, [2, 2, 2]).into_parts();
            let positions: Vec<DVec3> = positions.iter().map(|p| (*p + shift) * size).collect();
            let Ok(mesh) = TetMesh::new(positions, tets) else { return };
            let Ok(adjacency) = TetAdjacency::build(&mesh) else { return };
            let nodes: Vec<u32> = (0..mesh.node_count() as u32).collect();
            let body =
                Breakable { mesh: &mesh, adjacency: &adjacency, nodes: &nodes, volume: mesh.total_volume() };
            let pattern = match input.byte() % 3 {
                0 => FracturePattern::Cells { growth: input.number() },
                1 => FracturePattern::Planes,
                _ => FracturePattern::Radial,
            };
            let options =
                FractureOptions { pattern, least_nodes: 1 + input.below(4), ..FractureOptions::default() };
            let (point, direction, wanted) =
                (input.point(Input::number), input.point(Input::number), input.number());
            let broken = body.break_up(point, direction, wanted, &options);
            let Ok(solid) = Solid::build(mesh.clone(), &SolidOptions::default()) else { return };
            let mut body = BrittleBody::new(solid.into());
            let whole = body.fragments().next().expect("a new body is whole");
            if let Ok(Some(broken)) = broken {
                body.split(whole, &broken.labels, &broken.weights).expect("labels and weights of a fracture");
            }
            body.validate().unwrap();
            let p = input.point(Input::number);
            let fragments: Vec<_> = body.fragments().collect();
            for fragment in fragments {
                let _ = body.find_nearest(fragment, p, input.number());
                let _ = body.facet_tree(fragment).unwrap().find_nearest(&body, p, input.number(), false);
            }
        }
        _ => {
            // Any coordinates at all.
            let Some(mesh) = input.mesh(Input::number) else { return };
            let tree = MeshTree::build(mesh.clone());
            let mut finder = Finder::new(FindOptions { threads: Threads::One, ..FindOptions::default() });
            let pairs = finder.find_self_pairs(&tree).to_vec();
            assert_eq!(finder.find_self_pairs(&mesh), &pairs[..]);
            let view = View::from(&mesh);
            let p = input.point(Input::number);
            let _ = (
                view.nearest(p, f64::INFINITY),
                tree.view().nearest(p, f64::INFINITY),
                view.winding_number(p),
            );
            let _ = finder.find_contacts(&tree, &tree).map(<[_]>::len);
        }
    }
});
