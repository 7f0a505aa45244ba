//! Random calls on bodies that are edited: every call is refused or leaves a sound body, and pairs are those of brute force.
#![no_main]

use fracas::brittle::{BrittleBody, ContactFinder, Solid, SolidOptions};
use fracas::cut::{CutOptions, CutSurface, Cutter, ShatterOptions, shatter_along, shatter_at};
use fracas::geom::{DVec3, Pose};
use fracas::mesh::tets::brick;
use fracas::mesh::{MeshEdit, NewTriangle, Origin, TriangleId, shapes};
use fracas::pairs::brute;
use fracas::tearing::{Metric, TearingBuild, TearingOptions};
use fracas::{FindOptions, Finder, FragmentId, TearingBody, Threads, Touch, Twins};
use libfuzzer_sys::fuzz_target;
use std::sync::{Arc, OnceLock};

#[path = "../input.rs"]
mod input;
use input::Input;

/// Ids that are there, and now and then one that is not.
fn id(input: &mut Input, count: usize) -> u32 {
    input.below(count + 2) as u32
}

fn edit(input: &mut Input, body: &TearingBody) -> MeshEdit {
    let (slots, vertices) = (body.mesh().slot_count(), body.mesh().vertex_count());
    let mut edit = MeshEdit::default();
    for _ in 0..input.below(3) {
        edit.new_positions.push(input.point(Input::small));
    }
    let all = vertices + edit.new_positions.len();
    for _ in 0..input.below(3) {
        edit.removed.push(TriangleId(id(input, slots)));
    }
    for _ in 0..input.below(4) {
        let corners = [0; 3].map(|_| id(input, all));
        let origin = match edit.removed.first() {
            Some(&removed) if input.byte() % 2 == 0 => Origin::Replaces(removed),
            _ => Origin::Crack,
        };
        edit.added.push(NewTriangle { corners, origin });
    }
    if input.byte() % 4 == 0 {
        edit.moved.push((id(input, vertices), input.point(Input::number)));
    }
    if input.byte() % 8 == 0 {
        edit.twins.push([0; 2].map(|_| id(input, all)));
    }
    if input.byte() % 8 == 0 {
        edit.twin_faces.push([0; 2].map(|_| TriangleId(id(input, slots + edit.added.len()))));
    }
    edit
}

fn tear(input: &mut Input) {
    let mesh = match input.byte() % 3 {
        0 => shapes::icosphere(1.0, 1),
        1 => shapes::cloth_grid(4, 3, [1.0, 1.0]),
        _ => {
            let Some(mesh) = input.mesh(Input::small) else { return };
            mesh
        }
    };
    let mut body = TearingBody::build(mesh);
    let mut cutter: Option<Cutter> = None;
    while !input.is_empty() {
        match input.byte() % 12 {
            0..3 => {
                let edit = edit(input, &body);
                let count = body.mesh().live_count();
                if body.apply(&edit).is_err() {
                    assert_eq!(body.mesh().live_count(), count);
                }
            }
            3 => {
                let scale = 2f64.powi(input.exponent() / 4);
                let shift = input.point(Input::small);
                let moved: Vec<DVec3> = body.mesh().positions().iter().map(|p| *p * scale + shift).collect();
                let _ = body.set_positions(&moved);
            }
            4 => {
                let positions: Vec<DVec3> =
                    (0..body.mesh().vertex_count()).map(|_| input.point(Input::number)).collect();
                let _ = body.set_positions(&positions);
            }
            5 => body.set_options(TearingOptions {
                build: if input.byte() % 2 == 0 { TearingBuild::Median } else { TearingBuild::SurfaceArea },
                metric: if input.byte() % 2 == 0 { Metric::Area } else { Metric::SquaredVolume },
                upkeep: [0, 1, 64, 500, usize::MAX / 2 + 1, usize::MAX][input.below(6)],
                settle_height: input.byte(),
                separate: input.byte() % 2 == 0,
                rebuild_above_q: (input.byte() % 4 == 0).then(|| input.number()),
            }),
            6 => {
                let labels: Vec<u32> = (0..body.mesh().slot_count()).map(|_| input.below(3) as u32).collect();
                let _ = body.split(&labels);
            }
            7 => drop(body.refit_and_optimise(input.below(64))),
            8 => body.lay_out(),
            9 => body.rebuild(),
            10 => {
                // A cut that goes on while others edit.
                let surface =
                    CutSurface::plane(input.point(Input::small) / 16.0, input.point(Input::small), DVec3::X);
                if cutter.is_none()
                    && let Ok(surface) = surface
                {
                    cutter = Cutter::new(body.mesh(), &surface, &CutOptions::default()).ok();
                }
                if let Some(running) = &mut cutter
                    && let Ok(edit) = running.advance_to(body.mesh(), input.small() / 8.0)
                {
                    body.apply(&edit).expect("an edit for this very mesh");
                }
            }
            _ => {
                let points = [input.point(Input::small), input.point(Input::small)].map(|p| p / 16.0);
                let broken = if input.byte() % 2 == 0 {
                    shatter_at(body.mesh(), &points, &ShatterOptions::default())
                } else {
                    let planes: Vec<CutSurface> =
                        points.iter().filter_map(|&p| CutSurface::plane(p, p, DVec3::Z).ok()).collect();
                    shatter_along(body.mesh(), &planes, &ShatterOptions::default())
                };
                if let Ok(broken) = broken {
                    assert_eq!(body.shatter(&broken.edit, &broken.labels), Ok(broken.pieces));
                    cutter = None;
                }
            }
        }
        body.validate().unwrap();
        if body.mesh().live_count() > 2_000 {
            break;
        }
    }
    body.mesh().validate().unwrap();
    // Duplicates and touching triangles count; twins are told apart by a test of their own.
    let options = FindOptions { twins: Twins::Report, threads: Threads::One, ..FindOptions::default() };
    if body.mesh().live_count() < 400 {
        let (mesh, ids) = body.mesh().to_mesh();
        let expected: Vec<_> = brute::find_self_pairs(&mesh, Touch::Include)
            .iter()
            .map(|pair| [ids[pair.a.index()], ids[pair.b.index()]])
            .collect();
        let mut finder = Finder::new(options);
        let found: Vec<_> = finder.find_self_pairs(&body).iter().map(|pair| [pair.a, pair.b]).collect();
        assert_eq!(found, expected);
    }
}

/// The shape that all brittle bodies here have.
fn solid() -> Arc<Solid> {
    static SOLID: OnceLock<Arc<Solid>> = OnceLock::new();
    let build = || Solid::build(brick(DVec3::new(1.0, 0.8, 0.6), [3, 2, 2]), &SolidOptions::default());
    SOLID.get_or_init(|| build().expect("a good brick").into()).clone()
}

fn shatter(input: &mut Input) {
    let mut body = BrittleBody::new(solid());
    for _ in 0..8 {
        if input.is_empty() {
            break;
        }
        let fragments: Vec<FragmentId> = body.fragments().collect();
        let fragment = fragments[input.below(fragments.len())];
        let count = body.fragment(fragment).expect("a living fragment").nodes().len();
        // Now and then a fragment that is not there, or lists that are too short.
        let wrong = input.byte() % 16;
        let target = if wrong == 0 { FragmentId(input.below(300) as u32) } else { fragment };
        let listed = if wrong == 1 { count / 2 } else { count };
        let labels: Vec<u32> = (0..listed).map(|_| input.below(4) as u32).collect();
        let weights: Vec<f64> = (0..count)
            .map(|_| if wrong == 2 { input.number() } else { 0.01 + input.small().abs() })
            .collect();
        let before = body.fragments().count();
        match body.split(target, &labels, &weights) {
            Ok(pieces) => assert!(pieces.iter().all(|&piece| body.fragment(piece).is_ok())),
            Err(_) => assert_eq!(body.fragments().count(), before),
        }
        body.validate().unwrap();
        let volume: f64 = body.fragments().map(|f| body.fragment(f).expect("living").mass().volume).sum();
        assert!((volume - 0.48).abs() < 1e-9, "{volume}");
        let (p, reach) = (input.point(Input::number), input.number());
        let fragments: Vec<FragmentId> = body.fragments().collect();
        let [a, b] = [0; 2].map(|_| fragments[input.below(fragments.len())]);
        let _ = body.find_nearest(a, p, reach);
        let _ = body.facet_tree(a).expect("living").find_nearest(&body, p, reach, input.byte() % 2 == 0);
        if let Some(pose) = Pose::from_translation(input.point(Input::small) / 8.0) {
            let contacts =
                ContactFinder::default().find_between((&body, a), (&body, b), &pose).map(<[_]>::len);
            assert!(contacts.is_ok());
        }
    }
}

fuzz_target!(|data: &[u8]| {
    let mut input = Input(data);
    if input.byte() % 4 == 0 { shatter(&mut input) } else { tear(&mut input) }
});
