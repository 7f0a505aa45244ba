//! Bodies under random edits: after every step the trees are valid and the pairs are those of brute force.

use fracas::geom::DVec3;
use fracas::internal::Random;
use fracas::mesh::{LiveMesh, MeshEdit, NewTriangle, Origin, TriangleId, shapes};
use fracas::pairs::{Touch, Twins, brute};
use fracas::tearing::{Metric, TearingBuild, TearingOptions};
use fracas::{FindOptions, Finder, TearingBody, Threads};
use fracas::{Mesh, Pair};
use proptest::prelude::*;

/// A small generator of numbers; the same seed gives the same numbers everywhere.
#[derive(Clone)]
struct Dice(Random);

impl Dice {
    fn below(&mut self, n: usize) -> usize {
        self.0.below(n)
    }

    fn unit(&mut self) -> f64 {
        self.below(1 << 20) as f64 / f64::from(1 << 20)
    }
}

/// A random edit that the mesh accepts: triangles removed, split at a point, grown along edges, vertices moved.
fn random_edit(mesh: &LiveMesh, size: usize, dice: &mut Dice) -> MeshEdit {
    let live: Vec<TriangleId> = mesh.live_triangles().collect();
    let mut edit = MeshEdit::default();
    let mut gone = vec![false; mesh.slot_count()];
    let new_vertex = |edit: &mut MeshEdit, p: DVec3| {
        edit.new_positions.push(p);
        (mesh.vertex_count() + edit.new_positions.len() - 1) as u32
    };
    for _ in 0..size {
        let kind = dice.below(10);
        let Some(&t) = live.get(dice.below(live.len())) else { break };
        let corners = mesh.corners(t);
        let distinct = corners[0] != corners[1] && corners[1] != corners[2] && corners[2] != corners[0];
        match kind {
            0 | 1 if !gone[t.index()] => {
                gone[t.index()] = true;
                edit.removed.push(t);
            }
            2..=5 if !gone[t.index()] && distinct => {
                gone[t.index()] = true;
                edit.removed.push(t);
                let centre =
                    mesh.triangle(t).centroid() + 0.01 * DVec3::new(dice.unit(), dice.unit(), dice.unit());
                let v = new_vertex(&mut edit, centre);
                let [a, b, c] = corners;
                for corners in [[a, b, v], [b, c, v], [c, a, v]] {
                    edit.added.push(NewTriangle { corners, origin: Origin::Replaces(t) });
                }
            }
            6 | 7 if distinct => {
                let tip = mesh.triangle(t).centroid() * (1.0 + 0.2 * dice.unit());
                let v = new_vertex(&mut edit, tip);
                edit.added.push(NewTriangle { corners: [corners[0], corners[1], v], origin: Origin::Crack });
            }
            8 => {
                let at = DVec3::new(dice.unit(), dice.unit(), dice.unit())
                    * if dice.below(20) == 0 { 9.0 } else { 1.0 };
                let [u, v, w] =
                    [DVec3::ZERO, DVec3::X, DVec3::Y].map(|e| new_vertex(&mut edit, at + 0.2 * e));
                edit.added.push(NewTriangle { corners: [u, v, w], origin: Origin::Crack });
            }
            _ => {
                let v = corners[dice.below(3)];
                if !edit.moved.iter().any(|(w, _)| *w == v) {
                    let p = mesh.positions()[v as usize];
                    edit.moved.push((v, p + 0.05 * DVec3::new(dice.unit(), dice.unit(), dice.unit())));
                }
            }
        }
    }
    edit
}

/// All self-intersections by comparing everything with everything, with the ids of the body.
fn expected(body: &TearingBody, touch: Touch) -> Vec<Pair> {
    let (mesh, ids) = body.mesh().to_mesh();
    let pairs = brute::find_self_pairs(&mesh, touch);
    pairs.iter().map(|p| Pair { a: ids[p.a.index()], b: ids[p.b.index()] }).collect()
}

fn options(kind: usize) -> TearingOptions {
    let default = TearingOptions::default();
    match kind {
        0 => default,
        1 => TearingOptions { upkeep: 0, ..default },
        2 => TearingOptions { settle_height: 0, upkeep: 64, ..default },
        3 => TearingOptions { build: TearingBuild::Median, metric: Metric::SquaredVolume, ..default },
        _ => TearingOptions::paper(),
    }
}

fn start(kind: usize) -> Mesh {
    match kind {
        0 => shapes::icosphere(1.0, 2),
        1 => shapes::folded_cloth(2000),
        2 => shapes::cloth_grid(8, 8, [1.0, 1.0]),
        3 => Mesh::new(vec![DVec3::ZERO, DVec3::X, DVec3::Y], vec![[0, 1, 2]]).unwrap(),
        _ => Mesh::default(),
    }
}

/// Bodies so large that a part is searched for region by region, and divided from the root of its tree.
#[test]
fn large_parts_that_come_apart_are_the_connected_components() {
    use fracas::cut::{CutOptions, CutSurface, Cutter};
    let mut dice = Dice(Random::linear(19));
    for mesh in [shapes::icosphere(1.0, 5), shapes::torus(1.0, 0.4, 80), shapes::creature(20_000)] {
        let mut body = TearingBody::build(mesh);
        for _ in 0..6 {
            let mut direction = || DVec3::from_array([0; 3].map(|_| dice.below(2001) as f64 / 1000.0 - 1.0));
            let (point, normal) = (0.3 * direction(), direction());
            let plane = CutSurface::plane(point, normal, normal.any_orthogonal_vector()).unwrap();
            let mut cutter = Cutter::new(body.mesh(), &plane, &CutOptions::default()).unwrap();
            let Some([from, to]) = cutter.range() else { continue };
            for step in 1..=5 {
                let front = if step == 5 { to } else { from + (to - from) * f64::from(step) / 5.0 };
                let edit = cutter.advance_to(body.mesh(), front).unwrap();
                body.apply(&edit).unwrap();
                assert_eq!(body.validate(), Ok(()));
                check_pieces(&body);
            }
        }
        assert!(body.piece_count() > 3);
        // Copies, new positions and new layouts know as much as the original.
        let mut copy = body.clone();
        copy.lay_out();
        let moved: Vec<DVec3> = copy.mesh().positions().iter().map(|p| *p * 1.5).collect();
        copy.set_positions(&moved).unwrap();
        assert_eq!(copy.validate(), Ok(()));
        let removed: Vec<TriangleId> = copy.mesh().live_triangles().filter(|_| dice.below(5) == 0).collect();
        for body in [&mut body, &mut copy] {
            body.apply(&MeshEdit { removed: removed.clone(), ..MeshEdit::default() }).unwrap();
            assert_eq!(body.validate(), Ok(()));
            check_pieces(body);
        }
        let pieces = |body: &TearingBody| {
            let mut pieces: Vec<_> = body.pieces().map(|piece| piece.triangles()).collect();
            pieces.sort();
            pieces
        };
        assert_eq!(pieces(&body), pieces(&copy));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn pairs_after_any_edits_are_those_of_brute_force(
        seed in any::<u64>(), kind in 0..5_usize, shape in 0..5_usize, steps in 1..12_usize, size in 1..40_usize,
    ) {
        let mut dice = Dice(Random::linear(seed));
        let mut body = TearingBody::build_with(start(shape), options(kind));
        let touch = if seed % 3 == 0 { Touch::Proper } else { Touch::Include };
        let mut finder = Finder::new(FindOptions { touch, threads: if seed % 2 == 0 { Threads::All } else { Threads::One }, ..FindOptions::default() });
        prop_assert_eq!(body.validate(), Ok(()));
        for _ in 0..steps {
            let edit = random_edit(body.mesh(), size, &mut dice);
            body.apply(&edit).unwrap();
            prop_assert_eq!(body.validate(), Ok(()));
            let quality = body.quality();
            let limit = 1.45 * (quality.triangles.max(1) as f64).log2() + 1.0;
            prop_assert!(quality.depth as f64 <= limit, "{:?}", quality);
            prop_assert_eq!(finder.find_self_pairs(&body), expected(&body, touch));
            if dice.below(4) == 0 {
                body.refit_and_optimise(50);
                prop_assert_eq!(body.validate(), Ok(()));
            }
            if dice.below(4) == 0 {
                let moved: Vec<DVec3> = body.mesh().positions().iter().map(|p| *p * 1.3 + DVec3::splat(dice.unit())).collect();
                body.set_positions(&moved).unwrap();
                prop_assert_eq!(body.validate(), Ok(()));
                prop_assert_eq!(finder.find_self_pairs(&body), expected(&body, touch));
            }
        }
    }
}

/// Components of the living triangles, by shared vertices: the smallest triangle of each triangle's component.
fn components(mesh: &LiveMesh) -> Vec<u32> {
    let mut of: Vec<u32> = (0..mesh.slot_count() as u32).collect();
    loop {
        let mut changed = false;
        for v in 0..mesh.vertex_count() as u32 {
            let Some(least) = mesh.triangles_of_vertex(v).map(|t| of[t.index()]).min() else { continue };
            for t in mesh.triangles_of_vertex(v) {
                changed |= std::mem::replace(&mut of[t.index()], least) != least;
            }
        }
        if !changed {
            return of;
        }
    }
}

/// Whether the pieces of a body are exactly its connected components.
fn check_pieces(body: &TearingBody) {
    let of = components(body.mesh());
    for (number, piece) in body.pieces().enumerate() {
        let triangles = piece.triangles();
        assert!(
            triangles.iter().all(|t| of[t.index()] == of[triangles[0].index()]),
            "a piece that is not connected"
        );
        assert!(triangles.iter().all(|t| body.piece_of(*t) == Some(number)));
    }
    let mut all: Vec<u32> = body.mesh().live_triangles().map(|t| of[t.index()]).collect();
    all.sort_unstable();
    all.dedup();
    assert_eq!(body.piece_count(), all.len());
}

#[test]
fn a_cut_that_ends_leaves_two_pieces_and_no_step_before_does() {
    use fracas::cut::{CutOptions, CutSurface, Cutter};
    for (mesh, pieces) in
        [(shapes::icosphere(1.0, 4), 2), (shapes::torus(1.0, 0.4, 40), 2), (shapes::creature(5_000), 0)]
    {
        let plane =
            CutSurface::plane(DVec3::new(0.01, 0.02, 0.03), DVec3::new(1.0, 0.1, 0.05), DVec3::Y).unwrap();
        let mut body = TearingBody::build(mesh);
        let mut cutter = Cutter::new(body.mesh(), &plane, &CutOptions::default()).unwrap();
        let [from, to] = cutter.range().unwrap();
        for step in 1..=9 {
            let front = if step == 9 { to } else { from + (to - from) * f64::from(step) / 9.0 };
            let edit = cutter.advance_to(body.mesh(), front).unwrap();
            body.apply(&edit).unwrap();
            assert_eq!(body.validate(), Ok(()));
            check_pieces(&body);
        }
        assert!(body.piece_count() >= 2);
        assert!(pieces == 0 || body.piece_count() == pieces);
        // The two faces of the crack coincide; nothing passes through anything.
        let mut finder = Finder::new(FindOptions {
            touch: Touch::Proper,
            threads: Threads::One,
            ..FindOptions::default()
        });
        assert_eq!(finder.find_self_pairs(&body), expected(&body, Touch::Proper));
        let mut finder = Finder::new(FindOptions { twins: Twins::Report, ..FindOptions::default() });
        assert_eq!(finder.find_self_pairs(&body), expected(&body, Touch::Include));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn pieces_follow_components_through_any_edits(seed in any::<u64>(), shape in 0..5_usize, steps in 1..15_usize) {
        let mut dice = Dice(Random::linear(seed));
        // A soup of one piece only: what is apart from the beginning stays one piece.
        let start = if shape == 1 { shapes::icosphere(1.0, 1) } else { start(shape) };
        let mut body = TearingBody::build(start);
        for _ in 0..steps {
            let mut edit = MeshEdit::default();
            let live: Vec<TriangleId> = body.mesh().live_triangles().collect();
            for t in live {
                if dice.below(12) == 0 {
                    edit.removed.push(t);
                }
            }
            body.apply(&edit).unwrap();
            prop_assert_eq!(body.validate(), Ok(()));
            check_pieces(&body);
        }
    }

    #[test]
    fn a_split_keeps_equal_labels_together(seed in any::<u64>(), shape in 0..3_usize, labels in 1..70_u32, kind in 0..5_usize) {
        let mut dice = Dice(Random::linear(seed));
        let mut body = TearingBody::build_with(start(shape), options(kind));
        let edit = random_edit(body.mesh(), 60, &mut dice);
        body.apply(&edit).unwrap();
        let before: Vec<Vec<TriangleId>> = body.pieces().map(|piece| piece.triangles()).collect();
        // Labels in space or at random.
        let coherent = dice.below(2) == 0;
        let label_of = |t: usize, dice: &mut Dice| if coherent {
            let c = body.mesh().triangle(TriangleId(t as u32)).centroid();
            (((c.x + 1.0) * f64::from(labels) / 2.0) as u32).min(labels - 1)
        } else {
            dice.below(labels as usize) as u32
        };
        let of: Vec<u32> = (0..body.mesh().slot_count()).map(|t| label_of(t, &mut dice)).collect();
        let mut expected: Vec<Vec<TriangleId>> = Vec::new();
        for piece in &before {
            for label in 0..labels {
                let part: Vec<TriangleId> = piece.iter().copied().filter(|t| of[t.index()] == label).collect();
                if !part.is_empty() {
                    expected.push(part);
                }
            }
        }
        prop_assert_eq!(body.split(&of), Ok(expected.len()));
        prop_assert_eq!(body.validate(), Ok(()));
        let mut after: Vec<Vec<TriangleId>> = body.pieces().map(|piece| piece.triangles()).collect();
        after.sort();
        expected.sort();
        prop_assert_eq!(after, expected);
        let mut finder = Finder::default();
        prop_assert_eq!(finder.find_self_pairs(&body), crate::expected(&body, Touch::Include));
        prop_assert!(body.split(&of[1..]).is_err());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn a_shattered_body_has_one_piece_for_each_label(
        seed in any::<u64>(),
        shape in 0..5_usize,
        labels in 1..40_usize,
        kind in 0..5_usize,
        edited_before in any::<bool>(),
    ) {
        let mut dice = Dice(Random::linear(seed));
        let mut body = TearingBody::build_with(start(shape), options(kind));
        if edited_before {
            let edit = random_edit(body.mesh(), 40, &mut dice);
            body.apply(&edit).unwrap();
        }
        let edit = random_edit(body.mesh(), 200, &mut dice);
        let of: Vec<u32> = (0..body.mesh().slot_count() + edit.added.len())
            .map(|t| if dice.below(9) == 0 { dice.below(labels) as u32 } else { (t * labels / 1500) as u32 })
            .collect();
        let before = body.clone();
        let one_more = [&of[..], &[0]].concat();
        prop_assert!(body.shatter(&edit, &one_more).is_err());
        prop_assert_eq!(body.mesh().live_count(), before.mesh().live_count());
        let count = body.shatter(&edit, &of).unwrap();
        prop_assert_eq!(body.validate(), Ok(()));
        let mut expected: std::collections::BTreeMap<u32, Vec<TriangleId>> = Default::default();
        for t in body.mesh().live_triangles() {
            expected.entry(of[t.index()]).or_default().push(t);
        }
        let expected: Vec<Vec<TriangleId>> = expected.into_values().collect();
        let pieces: Vec<Vec<TriangleId>> = body.pieces().map(|piece| piece.triangles()).collect();
        prop_assert_eq!(pieces.len(), count);
        prop_assert_eq!(pieces, expected);
        let mut finder = Finder::default();
        prop_assert_eq!(finder.find_self_pairs(&body), crate::expected(&body, Touch::Include));
        // Life goes on.
        let edit = random_edit(body.mesh(), 40, &mut dice);
        body.apply(&edit).unwrap();
        prop_assert_eq!(body.validate(), Ok(()));
    }
}

/// A hundred bodies with a thousand edits each, with every invariant checked after each edit. Bodies begin anew because vertices and slots
/// are never given back: in one body, checks would soon look at nothing but the dead.
#[test]
fn a_hundred_thousand_edits() {
    let options = [
        TearingOptions::default(),
        TearingOptions { upkeep: 0, separate: false, ..TearingOptions::default() },
        TearingOptions::paper(),
    ];
    let mut finder = Finder::new(FindOptions { threads: Threads::One, ..FindOptions::default() });
    for seed in 0..100 {
        let mut dice = Dice(Random::linear(seed));
        let mut body =
            TearingBody::build_with(shapes::icosphere(1.0, 1), options[seed as usize % options.len()]);
        for edit_number in 1..=1_000 {
            let at = format!("body {seed}, edit {edit_number}");
            let size = 1 + dice.below(3);
            let mut edit = random_edit(body.mesh(), size, &mut dice);
            if body.mesh().live_count() > 160 {
                let live: Vec<TriangleId> = body.mesh().live_triangles().collect();
                edit = MeshEdit { removed: live[dice.below(40)..120].to_vec(), ..MeshEdit::default() };
            }
            body.apply(&edit).unwrap();
            assert_eq!(body.validate(), Ok(()), "{at}");
            if edit_number % 50 == 0 {
                assert_eq!(finder.find_self_pairs(&body), expected(&body, Touch::Include), "{at}");
            }
        }
    }
}

/// Triangles added, removed and moved by the hundred thousand in large edits, with every invariant checked after each of them.
#[test]
fn a_hundred_thousand_triangles_in_large_edits() {
    let mut dice = Dice(Random::linear(42));
    let mut body = TearingBody::build(shapes::icosphere(1.0, 3));
    let mut finder = Finder::new(FindOptions { threads: Threads::One, ..FindOptions::default() });
    let (mut changed, mut steps) = (0, 0);
    while changed < 100_000 {
        let mut edit = random_edit(body.mesh(), 120, &mut dice);
        if body.mesh().live_count() > 3_000 {
            // A large part is lost at once, so that bodies stay small and trees fall as well as grow.
            let live: Vec<TriangleId> = body.mesh().live_triangles().collect();
            edit = MeshEdit { removed: live[dice.below(500)..2_500].to_vec(), ..MeshEdit::default() };
        }
        changed += edit.removed.len() + edit.added.len() + edit.moved.len();
        steps += 1;
        body.apply(&edit).unwrap();
        assert_eq!(body.validate(), Ok(()), "after step {steps}");
        if steps % 100 == 0 {
            assert_eq!(finder.find_self_pairs(&body), expected(&body, Touch::Include), "after step {steps}");
        }
    }
}

#[test]
fn bad_edits_are_refused_and_change_nothing() {
    let mut body = TearingBody::build(shapes::icosphere(1.0, 1));
    let good = |corners| NewTriangle { corners, origin: Origin::Crack };
    let bad = [
        MeshEdit { removed: vec![TriangleId(80)], ..MeshEdit::default() },
        MeshEdit { removed: vec![TriangleId(3), TriangleId(3)], ..MeshEdit::default() },
        MeshEdit { added: vec![good([0, 1, 1])], ..MeshEdit::default() },
        MeshEdit { added: vec![good([0, 1, 42])], ..MeshEdit::default() },
        MeshEdit { new_positions: vec![DVec3::NAN], ..MeshEdit::default() },
        MeshEdit { moved: vec![(0, DVec3::splat(f64::INFINITY))], ..MeshEdit::default() },
    ];
    let before = (body.mesh().live_count(), body.quality());
    for edit in bad {
        assert!(body.apply(&edit).is_err(), "{edit:?}");
        assert_eq!((body.mesh().live_count(), body.quality()), before);
        assert_eq!(body.validate(), Ok(()));
    }
    // A triangle that is gone cannot go again; a body may lose all it has and grow again.
    let all = MeshEdit { removed: (0..80).map(TriangleId).collect(), ..MeshEdit::default() };
    body.apply(&all).unwrap();
    assert!(body.apply(&all).is_err());
    assert_eq!((body.validate(), body.piece_count()), (Ok(()), 0));
    assert!(Finder::default().find_self_pairs(&body).is_empty());
    body.apply(&MeshEdit { added: vec![good([0, 1, 2]), good([2, 1, 3])], ..MeshEdit::default() }).unwrap();
    assert_eq!((body.validate(), body.quality().triangles), (Ok(()), 2));
    let wrong = body.set_positions(&[DVec3::ZERO]);
    assert!(wrong.is_err());
}

/// Boxes say nothing of where parts are until a refit, and parts come apart all the same.
#[test]
fn a_part_comes_apart_while_boxes_are_out_of_date() {
    let mut body = TearingBody::build(shapes::icosphere(1.0, 4));
    let height = |t: TriangleId| body.mesh().triangle(t).centroid().z;
    let removed = body.mesh().live_triangles().filter(|&t| (0.8..0.9).contains(&height(t))).collect();
    let cap: Vec<TriangleId> = body.mesh().live_triangles().filter(|&t| height(t) >= 0.9).collect();
    let edit = MeshEdit { removed, ..MeshEdit::default() };
    let upside_down: Vec<DVec3> = body.mesh().positions().iter().map(|p| -*p).collect();
    body.move_vertices(&upside_down).unwrap();
    assert_eq!(body.apply(&edit).unwrap().parted, 1);
    let pieces: Vec<Vec<TriangleId>> = body.pieces().map(|piece| piece.triangles()).collect();
    let of_cap = body.piece_of(cap[0]).unwrap();
    assert_eq!((pieces.len(), pieces[of_cap].len()), (2, cap.len()));
    assert!(cap.iter().all(|&t| body.piece_of(t) == Some(of_cap)));
    body.refit();
    body.validate().unwrap();
}
