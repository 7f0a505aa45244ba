//! Every structure and question at 2^k times the size, k from −900 to 900: the answers are 2^k times the answers, or a named refusal.
//!
//! A power of two rounds nothing, so most answers must be equal to the last bit. Random exponents come from a fixed seed.

mod common;

use common::bodies::{AnyBody, KINDS};
use common::inputs::Stream;
use common::soups::mapped;
use fracas::brittle::{BrittleBody, BrittleError, ContactFinder, Solid, SolidOptions};
use fracas::cut::{
    CutOptions, CutSurface, Cutter, Front, HeightGrid, ShatterOptions, scatter_sites, shatter_along,
    shatter_at,
};
use fracas::fill::{FillError, FillOptions, GradedFillOptions, Grading, fill, fill_graded};
use fracas::fracture::{Breakable, FractureOptions, FracturePattern};
use fracas::geom::{DQuat, DVec3, Pose};
use fracas::mesh::tets::{TetAdjacency, TetMesh, brick};
use fracas::mesh::{LiveMesh, Mesh, MeshEdit, shapes};
use fracas::winding::WindingField;
use fracas::{ContactOptions, Finder, FragmentId, TearingBody, View};

/// Both ends, sizes at which squares, cubes and fifth powers leave the range, ordinary ones, and some at random.
fn exponents(seed: u64) -> Vec<i32> {
    let mut stream = Stream::new(seed);
    let mut all = vec![-900, -540, -400, -260, -100, -33, -1, 1, 31, 100, 260, 400, 520, 900];
    all.extend((0..4).map(|_| (900.0 * stream.unit()) as i32));
    all
}

fn scaled(mesh: &Mesh, k: i32) -> Mesh {
    mapped(mesh, |p| p * 2f64.powi(k))
}

fn posed(pose: &Pose, k: i32) -> Pose {
    let turn = DQuat::from_mat3(&pose.rotation());
    let straight = pose.rotation() == Pose::IDENTITY.rotation();
    let turn = if straight { DQuat::IDENTITY } else { turn };
    Pose::new(turn, pose.translation() * 2f64.powi(k)).unwrap()
}

fn near(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-12 * a.abs().max(b.abs()).max(1e-3)
}

fn near_points(a: DVec3, b: DVec3) -> bool {
    (a - b).abs().max_element() <= 1e-12
}

/// What a body and a second one answer, with lengths divided by 2^k.
struct Answers {
    pairs: Vec<fracas::Pair>,
    own_pairs: Vec<fracas::Pair>,
    closest: Option<f64>,
    near: Vec<(fracas::Features, f64)>,
    nearest: Vec<Option<(u32, f64, DVec3)>>,
    winding: Vec<f64>,
    contacts: Option<Vec<(f64, DVec3, [DVec3; 2])>>,
    impacts: Vec<(fracas::Features, f64, f64)>,
}

fn answers(body: &dyn AnyBody, other: &dyn AnyBody, poses: [&Pose; 2], k: i32) -> Answers {
    let (size, back) = (2f64.powi(k), 2f64.powi(-k));
    let [here, there] = poses.map(|pose| posed(pose, k));
    let mut finder = Finder::default();
    let (view, moved) = (body.view(), other.view().at(&here));
    let points: Vec<DVec3> = (0..12)
        .map(|i| DVec3::new((f64::from(i) * 0.7).sin(), (f64::from(i) * 1.1).cos(), 0.3 - 0.1 * f64::from(i)))
        .collect();
    let far = other.view().at(&there);
    let impacts = finder.find_impacts(far.to(&here), view).all.to_vec();
    Answers {
        pairs: finder.find_pairs(view, moved).to_vec(),
        own_pairs: finder.find_self_pairs(view).to_vec(),
        closest: finder.find_closest(view, far, f64::INFINITY).map(|closest| closest.distance * back),
        near: finder
            .find_near(view, moved, 0.02 * size)
            .iter()
            .map(|near| (near.features, near.distance * back))
            .collect(),
        nearest: points
            .iter()
            .map(|&p| view.nearest(p * size, f64::INFINITY))
            .map(|near| near.map(|near| (near.triangle.0, near.distance * back, near.point * back)))
            .collect(),
        winding: points.iter().map(|&p| view.winding_number(p * size)).collect(),
        contacts: finder
            .find_contacts_with(
                view,
                moved,
                &ContactOptions { thickness: 0.01 * size, ..ContactOptions::default() },
            )
            .ok()
            .map(|contacts| {
                let contact = |c: &fracas::Contact| (c.depth * back, c.normal, c.points.map(|p| p * back));
                contacts.iter().map(contact).collect()
            }),
        impacts: impacts.iter().map(|impact| (impact.features, impact.time.low, impact.time.high)).collect(),
    }
}

impl Answers {
    fn compare(&self, unit: &Self, what: &str) {
        assert!(self.pairs == unit.pairs, "pairs: {what}");
        assert!(self.own_pairs == unit.own_pairs, "own pairs: {what}");
        assert!(self.closest.zip(unit.closest).is_none_or(|(a, b)| near(a, b)), "closest: {what}");
        assert_eq!(self.closest.is_some(), unit.closest.is_some(), "closest: {what}");
        let features = |near: &[(fracas::Features, f64)]| near.iter().map(|n| n.0).collect::<Vec<_>>();
        assert!(features(&self.near) == features(&unit.near), "near: {what}");
        assert!(self.near.iter().zip(&unit.near).all(|(a, b)| near(a.1, b.1)), "near: {what}");
        for (a, b) in self.nearest.iter().zip(&unit.nearest) {
            let (Some(a), Some(b)) = (a, b) else {
                assert_eq!(a.is_some(), b.is_some(), "nearest: {what}");
                continue;
            };
            assert!(a.0 == b.0 && near(a.1, b.1) && near_points(a.2, b.2), "nearest: {what}: {a:?} {b:?}");
        }
        let all_near = self.winding.iter().zip(&unit.winding).all(|(a, b)| near(*a, *b));
        assert!(all_near, "winding: {what}: {:?} {:?}", self.winding, unit.winding);
        let (a, b) = (self.contacts.as_deref().unwrap_or(&[]), unit.contacts.as_deref().unwrap_or(&[]));
        assert_eq!(a.len(), b.len(), "contacts: {what}");
        for (a, b) in a.iter().zip(b) {
            // On an even face, rounding decides which of equally deep points a search ends at.
            let points = (0..2).all(|i| a.2[i].distance(b.2[i]) < 1e-8);
            let same = near(a.0, b.0) && near_points(a.1, b.1) && points;
            assert!(same, "contacts: {what}: {a:?} {b:?}");
        }
        // Sizes at which doubles no longer decide get their times from integers, in narrower intervals.
        let by_features = |impacts: &[(fracas::Features, f64, f64)]| {
            let mut impacts = impacts.to_vec();
            impacts.sort_by_key(|impact| impact.0);
            impacts
        };
        let (ours, theirs) = (by_features(&self.impacts), by_features(&unit.impacts));
        assert_eq!(ours.len(), theirs.len(), "impacts: {what}");
        for (a, b) in ours.iter().zip(&theirs) {
            assert!(a.0 == b.0 && a.1 <= b.2 && b.1 <= a.2, "impacts: {what}: {a:?} {b:?}");
        }
    }
}

#[test]
fn bodies_of_all_kinds_answer_alike_at_every_size() {
    let meshes = [
        (shapes::noisy_sphere(300, 0.2, 3), shapes::torus(0.8, 0.3, 12)),
        (shapes::cloth_grid(9, 7, [1.5, 1.2]), shapes::icosphere(0.6, 2)),
    ];
    let turn = DQuat::from_xyzw(0.1, -0.3, 0.2, 0.9);
    let near_by = [
        Pose::from_translation(DVec3::new(0.75, 0.25, 0.125)).unwrap(),
        Pose::new(turn, DVec3::new(0.5, -0.25, 0.375)).unwrap(),
    ];
    let far = Pose::from_translation(DVec3::new(2.5, 0.5, 0.25)).unwrap();
    for (kind, seed) in KINDS.iter().zip(1..) {
        for (first, second) in &meshes {
            for pose in &near_by {
                let ask = |k: i32| {
                    let bodies = [first, second].map(|mesh| (kind.make)(&scaled(mesh, k)));
                    answers(&*bodies[0], &*bodies[1], [pose, &far], k)
                };
                let unit = ask(0);
                assert!(!unit.pairs.is_empty() && !unit.impacts.is_empty(), "{}", kind.name);
                // Both ends, and others in turn: integers decide impacts at the ends, which takes its time.
                let offset = seed as usize % 6;
                for k in [-900, 900].into_iter().chain(exponents(seed).into_iter().skip(offset).step_by(6)) {
                    ask(k).compare(&unit, &format!("{} at 2^{k}", kind.name));
                }
            }
        }
    }
}

#[test]
fn winding_fields_answer_alike_at_every_size() {
    let mesh = shapes::cloth_grid(20, 20, [1.5, 1.2]);
    let points: Vec<DVec3> =
        (0..40).map(|i| DVec3::new(f64::from(i) * 0.05 - 1.0, 0.2, 0.1 * f64::from(i % 7))).collect();
    let ask = |k: i32| {
        let field = WindingField::build(&scaled(&mesh, k));
        points.iter().map(|&p| field.at(p * 2f64.powi(k))).collect::<Vec<_>>()
    };
    let unit = ask(0);
    for k in exponents(7) {
        assert!(ask(k).iter().zip(&unit).all(|(a, b)| near(*a, *b)), "2^{k}");
    }
}

/// A way to fill a surface.
type Filling<'a> = &'a dyn Fn(&Mesh) -> Result<TetMesh, FillError>;

#[test]
fn fillings_scale_with_the_surface() {
    let surface = shapes::noisy_sphere(600, 0.2, 1);
    let uniform = |mesh: &Mesh| fill(mesh, &FillOptions { cells: 8.0, ..FillOptions::default() });
    let robust = |mesh: &Mesh| fill(mesh, &FillOptions { cells: 8.0, robust: true });
    let graded = |mesh: &Mesh| {
        let grading = Grading::Curvature { cells_per_radius: 2.0 };
        fill_graded(mesh, &GradedFillOptions { cells: 16.0, levels: 2, grading })
    };
    let fillings: [Filling; 3] = [&uniform, &robust, &graded];
    for (number, filled) in fillings.iter().enumerate() {
        let unit = filled(&surface).unwrap();
        for k in exponents(number as u64) {
            let mesh = filled(&scaled(&surface, k)).unwrap_or_else(|error| panic!("2^{k}: {error}"));
            assert_eq!(mesh.tets(), unit.tets(), "filling {number} at 2^{k}");
            let back = 2f64.powi(-k);
            let same = mesh.positions().iter().zip(unit.positions()).all(|(a, b)| near_points(*a * back, *b));
            assert!(same, "filling {number} at 2^{k}");
        }
    }
}

fn scaled_edit(edit: &MeshEdit, k: i32) -> MeshEdit {
    let new_positions = edit.new_positions.iter().map(|p| *p * 2f64.powi(k)).collect();
    MeshEdit { new_positions, ..edit.clone() }
}

/// A surface and how the front runs on it, at a size.
fn cuts(size: f64) -> Vec<(CutSurface, CutOptions, Vec<f64>)> {
    let (point, up, forward) = (DVec3::new(0.05, 0.02, 0.03) * size, DVec3::new(0.2, 0.1, 1.0), DVec3::X);
    let heights = (0..12).map(|i| 0.05 * f64::from(i * i % 7) * size).collect();
    let grid = HeightGrid { corner: [-size; 2], cell: 0.7 * size, columns: 4, heights };
    let lengths: Vec<f64> = [-0.5, 0.0, 0.4, 2.0].map(|x| x * size).to_vec();
    let angles = vec![1.0, 3.0, 100.0];
    let by = |front| CutOptions { front, ..CutOptions::default() };
    vec![
        (CutSurface::plane(point, up, forward).unwrap(), by(Front::U), lengths.clone()),
        (CutSurface::height_field(point, up, forward, grid).unwrap(), by(Front::V), lengths.clone()),
        (CutSurface::cylinder(point, up, 0.5 * size, forward).unwrap(), by(Front::U), angles.clone()),
        (CutSurface::cylinder(point, up, 0.5 * size, forward).unwrap(), by(Front::V), lengths),
        (
            CutSurface::helicoid(point + DVec3::X * size, up, 0.9 * size, -forward).unwrap(),
            by(Front::U),
            angles,
        ),
    ]
}

#[test]
fn cuts_scale_with_the_body() {
    let mesh = shapes::noisy_sphere(2_000, 0.1, 2);
    let edits = |number: usize, k: i32| {
        let size = 2f64.powi(k);
        let mut body = TearingBody::build(scaled(&mesh, k));
        let (surface, options, fronts) = cuts(size).swap_remove(number);
        let mut cutter = Cutter::new(body.mesh(), &surface, &options)?;
        let mut edits = vec![];
        for to in fronts {
            let edit = cutter.advance_to(body.mesh(), to)?;
            body.apply(&edit).unwrap();
            body.validate().unwrap();
            edits.push(scaled_edit(&edit, -k));
        }
        Ok::<_, fracas::cut::CutError>((
            edits,
            body.piece_count(),
            cutter.range().map(|r| r.map(f64::is_finite)),
        ))
    };
    for number in 0..cuts(1.0).len() {
        let unit = edits(number, 0);
        assert!(number == 4 || unit.is_ok(), "{unit:?}");
        for k in exponents(20 + number as u64) {
            let large = edits(number, k);
            // Errors may name lengths; their kinds must agree.
            match (&large, &unit) {
                (Err(a), Err(b)) => assert_eq!(std::mem::discriminant(a), std::mem::discriminant(b), "2^{k}"),
                _ => assert!(large == unit, "cut {number} at 2^{k}"),
            }
        }
    }
}

#[test]
fn shattered_bodies_scale() {
    let mesh = shapes::noisy_sphere(1_200, 0.15, 4);
    let broken = |k: i32| {
        let live = LiveMesh::new(scaled(&mesh, k));
        let size = 2f64.powi(k);
        let sites = scatter_sites(&live, 6, 1);
        let cells = shatter_at(&live, &sites, &ShatterOptions::default()).unwrap();
        let planes = [DVec3::X, DVec3::new(0.1, 1.0, 0.3)]
            .map(|n| CutSurface::plane(DVec3::splat(0.1 * size), n, n.any_orthogonal_vector()).unwrap());
        let along = shatter_along(&live, &planes, &ShatterOptions::default()).unwrap();
        [cells, along].map(|broken| (scaled_edit(&broken.edit, -k), broken.labels, broken.pieces))
    };
    let unit = broken(0);
    assert!(unit[0].2 >= 6 && unit[1].2 == 4);
    for k in exponents(30) {
        assert!(broken(k) == unit, "2^{k}");
    }
}

#[test]
fn fracture_patterns_scale() {
    let (positions, tets) = brick(DVec3::new(2.0, 1.0, 0.7), [10, 5, 4]).into_parts();
    let at = |k: i32, pattern: FracturePattern| {
        let size = 2f64.powi(k);
        let mesh = TetMesh::new(positions.iter().map(|p| *p * size).collect(), tets.clone()).unwrap();
        let adjacency = TetAdjacency::build(&mesh).unwrap();
        let nodes: Vec<u32> = (0..mesh.node_count() as u32).collect();
        let body = Breakable { mesh: &mesh, adjacency: &adjacency, nodes: &nodes, volume: 1.0 };
        let options = FractureOptions { pattern, least_nodes: 3, ..FractureOptions::default() };
        let direction = DVec3::new(0.1, 0.2, -1.0) * size;
        let broken =
            body.break_up(DVec3::new(0.4, 0.1, 0.4) * size, direction, 9.0, &options).unwrap().unwrap();
        let weights: Vec<f64> = broken.weights.iter().map(|weight| weight / size).collect();
        (broken.labels, broken.pieces, weights)
    };
    for pattern in [FracturePattern::Cells { growth: 3.0 }, FracturePattern::Planes, FracturePattern::Radial]
    {
        let unit = at(0, pattern);
        for k in exponents(40) {
            let large = at(k, pattern);
            assert_eq!((&large.0, large.1), (&unit.0, unit.1), "{pattern:?} at 2^{k}");
            assert!(large.2.iter().zip(&unit.2).all(|(a, b)| near(*a, *b)), "{pattern:?} at 2^{k}");
        }
    }
}

/// A broken brick at a size and place.
fn broken_brick(size: f64, shift: DVec3) -> Result<BrittleBody, BrittleError> {
    let (positions, tets) = brick(DVec3::new(1.0, 0.8, 0.6), [6, 5, 4]).into_parts();
    let mesh = TetMesh::new(positions.iter().map(|p| (*p + shift) * size).collect(), tets).unwrap();
    let labels: Vec<u32> =
        mesh.positions().iter().map(|p| u32::from(p.x > (shift.x + 0.05) * size)).collect();
    let weights: Vec<f64> = mesh.positions().iter().map(|p| (p.x - (shift.x + 0.05) * size).abs()).collect();
    let mut body = BrittleBody::new(Solid::build(mesh, &SolidOptions::default())?.into());
    body.split(FragmentId(0), &labels, &weights)?;
    Ok(body)
}

#[test]
fn brittle_bodies_scale_or_are_refused() {
    type Found = (Vec<(f64, DVec3, bool)>, Vec<(f64, DVec3, DVec3)>, Vec<f64>, usize);
    let ask = |k: i32| -> Result<Found, BrittleError> {
        let (size, back) = (2f64.powi(k), 2f64.powi(-k));
        let body = broken_brick(size, DVec3::ZERO)?;
        body.validate().unwrap();
        let fragments: Vec<FragmentId> = body.fragments().collect();
        let mut nearest = vec![];
        for i in 0..60 {
            let p =
                DVec3::new((f64::from(i) * 0.7).sin(), (f64::from(i) * 1.1).cos(), 0.02 * f64::from(i) - 0.6)
                    * 0.5;
            for &fragment in &fragments {
                let tree = body.facet_tree(fragment)?;
                let found = [
                    body.find_nearest(fragment, p * size, f64::INFINITY),
                    tree.find_nearest(&body, p * size, f64::INFINITY, false),
                ];
                nearest.extend(
                    found.map(|near| near.unwrap()).map(|n| (n.distance * back, n.normal, n.is_crack)),
                );
            }
        }
        let pose = Pose::from_translation(DVec3::new(0.1, 0.2, 0.59) * size).unwrap();
        let mut finder = ContactFinder::new(fracas::brittle::ContactOptions::default());
        let contacts = finder.find_between((&body, fragments[0]), (&body, fragments[0]), &pose)?;
        let contacts = contacts.iter().map(|c| (c.distance * back, c.normal, c.surface * back)).collect();
        let masses =
            fragments.iter().map(|&f| body.fragment(f).unwrap().mass().volume * back.powi(3)).collect();
        let views: Vec<View> = fragments.iter().map(|&f| body.view(f).unwrap()).collect();
        let pairs = Finder::default().find_pairs(views[0], views[1]).len();
        Ok((nearest, contacts, masses, pairs))
    };
    let unit = ask(0).unwrap();
    assert!(unit.0.len() > 100 && unit.1.len() > 3);
    let mut refused = 0;
    for k in exponents(50).into_iter().chain([-31, -20, -7, 9, 22, 30]) {
        match ask(k) {
            Ok(large) => {
                assert!(k.abs() <= 33, "2^{k}");
                assert_eq!(
                    (large.0.len(), large.1.len(), large.3),
                    (unit.0.len(), unit.1.len(), unit.3),
                    "2^{k}"
                );
                let same = |(a, b): (&(f64, DVec3, bool), &(f64, DVec3, bool))| {
                    near(a.0, b.0) && near_points(a.1, b.1) && a.2 == b.2
                };
                assert!(large.0.iter().zip(&unit.0).all(same), "nearest at 2^{k}");
                let same = |(a, b): (&(f64, DVec3, DVec3), &(f64, DVec3, DVec3))| {
                    near(a.0, b.0) && near_points(a.1, b.1) && near_points(a.2, b.2)
                };
                assert!(large.1.iter().zip(&unit.1).all(same), "contacts at 2^{k}");
                assert!(large.2.iter().zip(&unit.2).all(|(a, b)| near(*a, *b)), "masses at 2^{k}");
            }
            Err(error) => {
                assert!(matches!(error, BrittleError::OutOfRange { .. }) && k.abs() >= 31, "2^{k}: {error}");
                refused += 1;
            }
        }
    }
    assert!(refused > 5);
}

#[test]
fn a_brick_far_from_its_origin_is_sound_or_refused() {
    for far in [0.0, 1.0, 30.0, 1e3, 1e5] {
        let shift = DVec3::new(far, -0.5 * far, 0.25 * far);
        let body = broken_brick(1.0, shift).unwrap();
        body.validate().unwrap();
        for fragment in body.fragments() {
            let tree = body.facet_tree(fragment).unwrap();
            for i in 0..40 {
                let p = shift
                    + 0.7
                        * DVec3::new(
                            (f64::from(i) * 0.7).sin(),
                            (f64::from(i) * 1.1).cos(),
                            0.05 * f64::from(i) - 1.0,
                        );
                let [a, b] = [
                    body.find_nearest(fragment, p, f64::INFINITY).unwrap().distance,
                    tree.find_nearest(&body, p, f64::INFINITY, false).unwrap().distance,
                ];
                assert!((a - b).abs() < 1e-9 + 1e-14 * far, "{far} {p}: {a} {b}");
            }
        }
    }
    for far in [1e7, 1e9, 1e12] {
        assert!(matches!(broken_brick(1.0, DVec3::X * far), Err(BrittleError::OutOfRange { .. })), "{far}");
    }
}

#[test]
fn specks_far_apart_do_not_make_endless_grids() {
    let corners = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z].map(|p| p * 1e-200);
    // Two nodes at one place would be degenerate; exact volumes tell that these are not.
    let positions = corners.into_iter().chain(corners.map(|p| DVec3::splat(1e-190) + p * 1e5));
    let specks = TetMesh::new(positions.collect(), vec![[0, 1, 2, 3], [4, 5, 6, 7]]).unwrap();
    assert!(Solid::build(specks, &SolidOptions::default()).is_err());
    let large = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
    let tiny = (0..200).flat_map(|i| corners.map(|p| p + DVec3::Z * 1e-190 * f64::from(i)));
    let tets = (0..201).map(|t| [0, 1, 2, 3].map(|k| 4 * t + k)).collect();
    let mixed = TetMesh::new(large.into_iter().chain(tiny).collect(), tets).unwrap();
    let solid = Solid::build(mixed, &SolidOptions::default());
    assert!(solid.is_ok() || matches!(solid, Err(BrittleError::BadNumber { .. } | BrittleError::Mesh(_))));
}

#[test]
fn endless_bricks_and_helicoids_are_refused() {
    for edge in [1e-300, 1e-17, 1e-9] {
        let made = std::panic::catch_unwind(|| shapes::brick(DVec3::ONE, edge));
        assert!(made.is_err(), "{edge}");
    }
    let ball = LiveMesh::new(shapes::icosphere(1.0, 3));
    for pitch in [1e-6, 1e-17, -1e-17, 1e-200, 5e-324] {
        let helicoid = CutSurface::helicoid(DVec3::new(0.1, 0.0, 0.0), DVec3::Z, pitch, DVec3::X).unwrap();
        let error = Cutter::new(&ball, &helicoid, &CutOptions::default()).unwrap_err();
        assert!(matches!(error, fracas::cut::CutError::TooManyTurns { .. }), "{pitch}: {error}");
    }
    // Coarse for the helicoid, but not endless: an answer of either kind.
    for pitch in [1e-2, 1e-3, 1e-4] {
        let helicoid = CutSurface::helicoid(DVec3::new(0.1, 0.0, 0.0), DVec3::Z, pitch, DVec3::X).unwrap();
        let _ = Cutter::new(&ball, &helicoid, &CutOptions::default());
    }
}
