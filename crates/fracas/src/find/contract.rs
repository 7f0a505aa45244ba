//! The contract of a hierarchy, checked on every structure: see the head of [`crate::walk`].

use super::Finder;
use crate::base::Random;
use crate::brittle::{BrittleBody, Solid, SolidOptions};
use crate::geom::{DAffine3, DMat3, DVec3, Triangle};
use crate::mesh::{Influence, Mesh, MeshEdit, Skin, TriangleId, shapes};
use crate::pairs::{Crew, Frame, LANES, Row, RowIds, Threads, Touch};
use crate::skinned::{Bound, SkinOptions, SkinnedBody};
use crate::tearing::TearingBody;
use crate::tree::MeshTree;
use crate::walk::{
    Bridge, Child, Corners, Hierarchy, Meeting, Node, PairWalk, Patience, Posed, RowTwins, Shape, Stamp,
    Unfolding, View,
};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Checks points 1 to 3 of the contract, and returns the triangles of the body.
pub(crate) fn check(body: &dyn Hierarchy) -> Vec<u32> {
    let mut triangles = Vec::new();
    for tree in 0..body.root_count() {
        let (root, corners) = body.root(tree);
        check_below(body, root, corners, &mut triangles);
    }
    if let Some(open) = body.ready() {
        assert!(open.rows.len() == open.ids.len());
    }
    let count = triangles.len();
    triangles.sort_unstable();
    triangles.dedup();
    assert_eq!(triangles.len(), count, "a triangle is in two rows");
    triangles
}

fn check_below(body: &dyn Hierarchy, child: Child, (low, high): Corners, triangles: &mut Vec<u32>) {
    if child.is_leaf() {
        return check_row(body, child.index(), (low, high), triangles);
    }
    let (mut scratch, mut again) = (Node::EMPTY, Node::EMPTY);
    let node = *body.node(child.index(), &mut scratch);
    let second = *body.node(child.index(), &mut again);
    assert_eq!(format!("{node:?}"), format!("{second:?}"), "another answer the second time");
    assert!(node.count > 0 && node.count as usize <= LANES);
    for (lane, below) in node.used() {
        let (l, h) = node.boxes.lane(lane);
        let inside = (0..3).all(|k| low[k] <= l[k] && h[k] <= high[k]);
        assert!(inside, "a box sticks out of the one above it");
        check_below(body, below, (l, h), triangles);
    }
}

fn check_row(body: &dyn Hierarchy, place: usize, (low, high): Corners, triangles: &mut Vec<u32>) {
    let (mut row, mut ids, mut alone) = (Row::ZERO, RowIds::EMPTY, RowIds::EMPTY);
    body.row(place, RowTwins::Apart, &mut row, &mut ids);
    let frame = body.frame();
    let used = ids.used().trailing_ones() as usize;
    assert!(used > 0 && ids.used() == (1 << used) - 1, "used lanes do not come first");
    assert_eq!(body.ids(place, &mut alone).triangles, ids.triangles);
    for lane in 0..LANES {
        let triangle = ids.triangles[if lane < used { lane } else { 0 }];
        let (t, vertices) = (body.triangle(triangle), body.vertices(triangle, false));
        for (k, p) in t.corners().into_iter().enumerate() {
            let stored = [0, 1, 2].map(|axis| row.corners[k][axis][lane]);
            assert!(stored.iter().all(|x| x.is_finite()));
            if lane < used {
                assert_eq!(stored, frame.map(p));
                assert_eq!(ids.vertices[k][lane], vertices[k]);
                let x = (p - frame.centre) * frame.scale;
                let slack = f64::from(Frame::SLACK);
                let held =
                    (0..3).all(|a| f64::from(low[a]) - slack <= x[a] && x[a] <= f64::from(high[a]) + slack);
                assert!(held, "triangle {triangle} sticks out of its box");
            }
        }
    }
    triangles.extend(&ids.triangles[..used]);
}

fn crumpled(triangles: usize, seed: u64) -> crate::mesh::Mesh {
    shapes::noisy_sphere(triangles, 0.4, seed)
}

#[test]
fn every_structure_keeps_the_contract() {
    for (size, seed) in [(1, 1), (8, 2), (20, 3), (80, 4), (700, 5), (5000, 6)] {
        let mesh = crumpled(size, seed);
        let all: Vec<u32> = (0..mesh.triangle_count() as u32).collect();
        assert_eq!(check(&MeshTree::build(mesh.clone())), all);
        let mut body = TearingBody::build(mesh);
        assert_eq!(check(&body), all);
        // Half of it goes, the rest becomes three pieces.
        let removed: Vec<TriangleId> = all.iter().filter(|&t| t % 2 == 1).map(|&t| TriangleId(t)).collect();
        body.apply(&MeshEdit { removed, ..MeshEdit::default() }).expect("triangles that are there");
        let labels: Vec<u32> = all.iter().map(|t| t / 2 % 3).collect();
        body.split(&labels).expect("a label for each");
        assert_eq!(check(&body), all.iter().copied().filter(|t| t % 2 == 0).collect::<Vec<_>>());
    }
}

#[test]
fn fragments_keep_the_contract() {
    for cells in [1, 4] {
        let block = crate::mesh::tets::brick(DVec3::new(1.0, 0.5, 0.25), [cells; 3]);
        let solid = Solid::build(block, &SolidOptions::default()).expect("a sound block");
        let mut body = BrittleBody::new(solid.into());
        let nodes = body.solid().mesh().node_count() as u32;
        let (whole, labels) = (body.fragments().next().expect("one"), (0..nodes).map(|node| node % 3));
        let labels: Vec<u32> = labels.collect();
        if cells > 1 {
            body.split(whole, &labels, &vec![1.0; labels.len()]).expect("labels for all nodes");
        }
        for fragment in body.fragments() {
            let Shape::Hierarchy { body: facets, .. } = body.view(fragment).expect("it is there").shape
            else {
                unreachable!("fragments have a hierarchy")
            };
            check(facets);
        }
    }
}

/// A skin with weights that fall off with the distance from random nodes, and some that are random.
fn random_skin(random: &mut Random, mesh: &Mesh, nodes: usize) -> Skin {
    let bounds = mesh.bounds();
    let size = (bounds.max - bounds.min).max_element();
    let mut point = || DVec3::new(random.signed(), random.signed(), random.signed());
    let centres: Vec<DVec3> = (0..nodes).map(|_| bounds.centre() + point() * size * 0.5).collect();
    let noise = random.below(2) as f64 * 0.1;
    let weights: Vec<Vec<Influence>> = mesh
        .positions()
        .iter()
        .map(|p| {
            let near = |c: &DVec3| (1.0 - (p.distance(*c) / (0.7 * size)).powi(2)).max(0.0);
            let mut weights: Vec<f64> = centres.iter().map(near).collect();
            weights
                .iter_mut()
                .for_each(|w| *w += noise * random.unit() * f64::from(random.below(3) as u32 / 2));
            weights[random.below(nodes)] += 1e-3;
            let sum: f64 = weights.iter().sum();
            let influence = |(node, w): (usize, &f64)| Influence { node: node as u32, weight: w / sum };
            weights.iter().enumerate().map(influence).collect()
        })
        .collect();
    Skin::new(mesh.clone(), nodes, weights).expect("weights that sum to one")
}

/// Transforms of every kind: near the identity, rotations, reflections, shears, flat ones, and one that is far off.
fn random_transforms(random: &mut Random, nodes: usize, size: f64) -> Vec<DAffine3> {
    let kind = random.below(7);
    let mut vector = |scale: f64| scale * DVec3::new(random.signed(), random.signed(), random.signed());
    let mut transforms = Vec::with_capacity(nodes);
    for _ in 0..nodes {
        let near = DMat3::from_cols(DVec3::X + vector(0.2), DVec3::Y + vector(0.2), DVec3::Z + vector(0.2));
        let axis = (vector(1.0) + DVec3::X * 1e-3).normalize();
        let (matrix3, translation) = match kind {
            0 => (near, vector(0.1 * size)),
            1 => (DMat3::from_axis_angle(axis, vector(3.0).x), vector(size)),
            2 => (DMat3::from_diagonal(DVec3::new(-1.0, 1.0, 1.0)) * near, DVec3::ZERO),
            3 => (DMat3::from_cols(DVec3::X, DVec3::Y + vector(5.0), DVec3::Z), vector(0.5 * size)),
            4 => (DMat3::ZERO, vector(size)),
            5 => (DMat3::from_cols(vector(3.0), vector(3.0), DVec3::ZERO), vector(1e6 * size)),
            _ => (near * 1e3, vector(size)),
        };
        transforms.push(DAffine3 { matrix3, translation });
    }
    transforms
}

#[test]
fn skinned_bodies_keep_the_contract_under_any_transforms() {
    for seed in 0..60 {
        let mut random = Random::new(seed);
        let size = [1.0, 1e-200, 1e200, 1e-3, 1e6][seed as usize % 5];
        let nodes = [1, 2, 5, 40][seed as usize % 4];
        let ball = crumpled([1, 20, 300, 2000][random.below(4)], seed);
        // Half of the bodies rest far from the origin.
        let aside = DVec3::splat([0.0, 1e3][random.below(2)]);
        let positions = ball.positions().iter().map(|p| (*p + aside) * size).collect();
        let mesh = Mesh::new(positions, ball.triangles().to_vec()).expect("finite");
        let all: Vec<u32> = (0..mesh.triangle_count() as u32).collect();
        let skin = random_skin(&mut random, &mesh, nodes);
        let bound = [Bound::Equation12, Bound::Knapsack][random.below(2)];
        let options = SkinOptions { bound, ..SkinOptions::default() };
        let mut body = SkinnedBody::new(skin, &options).expect("a surface of moderate size");
        assert_eq!(check(&body), all, "seed {seed}");
        for _ in 0..6 {
            let transforms = random_transforms(&mut random, nodes, size);
            body.set_transforms(&transforms).expect("finite");
            assert_eq!(check(&body), all, "seed {seed}");
        }
        // One node of almost no weight that goes very far.
        let mut transforms = body.transforms().to_vec();
        transforms[0] = DAffine3::from_scale(DVec3::splat(1e100));
        body.set_transforms(&transforms).expect("finite");
        assert_eq!(check(&body), all, "seed {seed}");
    }
}

#[test]
fn every_change_of_a_body_changes_its_stamp() {
    let mesh = crumpled(500, 1);
    let mut tree = MeshTree::build(mesh.clone());
    let mut stamps = vec![tree.stamp()];
    tree.set_positions(mesh.positions()).expect("as many");
    stamps.push(tree.stamp());
    tree.refit(false);
    stamps.push(tree.stamp());
    let mut body = TearingBody::build(mesh.clone());
    let labels = vec![0; mesh.triangle_count()];
    let changes: [&dyn Fn(&mut TearingBody); 9] = [
        &|_| {},
        &|body| {
            body.apply(&MeshEdit { removed: vec![TriangleId(3)], ..MeshEdit::default() })
                .expect("it is there");
        },
        &|body| assert!(body.set_positions(mesh.positions()).is_ok()),
        &|body| assert!(body.move_vertices(mesh.positions()).is_ok()),
        &|body| body.refit(),
        &|body| body.lay_out(),
        &|body| body.rebuild(),
        &|body| assert!(body.split(&labels).is_ok()),
        &|body| assert!(body.shatter(&MeshEdit::default(), &labels).is_ok()),
    ];
    for change in changes {
        change(&mut body);
        stamps.push(body.stamp());
    }
    for (k, stamp) in stamps.iter().enumerate() {
        assert!(!stamps[..k].contains(stamp), "change {k}");
    }
    assert_eq!(body.clone().stamp(), body.stamp());
}

/// A tree whose nodes and rows are computed when they are asked for, and counted.
struct OnDemand {
    tree: MeshTree,
    nodes: AtomicUsize,
    rows: AtomicUsize,
    stamp: Stamp,
}

impl OnDemand {
    fn new(tree: MeshTree) -> Self {
        Self { tree, nodes: AtomicUsize::new(0), rows: AtomicUsize::new(0), stamp: Stamp::new() }
    }
}

impl Hierarchy for OnDemand {
    fn frame(&self) -> Frame {
        self.tree.frame()
    }

    fn root_count(&self) -> usize {
        self.tree.root_count()
    }

    fn root(&self, tree: usize) -> (Child, Corners) {
        self.tree.root(tree)
    }

    fn node<'s>(&'s self, place: usize, scratch: &'s mut Node) -> &'s Node {
        self.nodes.fetch_add(1, Ordering::Relaxed);
        *scratch = *self.tree.node(place, &mut Node::EMPTY.clone());
        scratch
    }

    fn ids<'s>(&'s self, place: usize, scratch: &'s mut RowIds) -> &'s RowIds {
        self.tree.ids(place, scratch)
    }

    fn row(&self, place: usize, twins: RowTwins, row: &mut Row, ids: &mut RowIds) {
        self.rows.fetch_add(1, Ordering::Relaxed);
        self.tree.row(place, twins, row, ids);
    }

    fn triangle(&self, id: u32) -> Triangle {
        self.tree.triangle(id)
    }

    fn vertices(&self, id: u32, weld: bool) -> [u32; 3] {
        self.tree.vertices(id, weld)
    }

    fn stamp(&self) -> Stamp {
        self.stamp
    }
}

#[test]
fn nodes_on_demand_give_the_same_answers_and_only_those_that_are_reached_are_made() {
    let ready = MeshTree::build(crumpled(20_000, 1));
    let lazy = OnDemand::new(MeshTree::build(crumpled(20_000, 1)));
    let spike = MeshTree::build(shapes::icosphere(0.2, 2));
    let at = crate::geom::Pose::from_translation(DVec3::new(0.9, 0.1, 0.0)).expect("a pose");
    check(&lazy);
    lazy.nodes.store(0, Ordering::Relaxed);
    lazy.rows.store(0, Ordering::Relaxed);
    let mut finder = Finder::default();
    let expected = finder.find_pairs(&ready, spike.at(&at)).to_vec();
    assert!(!expected.is_empty());
    assert_eq!(finder.find_pairs(View::of(&lazy, None), spike.at(&at)), expected);
    let made = |counter: &AtomicUsize| counter.load(Ordering::Relaxed);
    let (nodes, rows) = (made(&lazy.nodes), made(&lazy.rows));
    assert!(rows > 0 && 10 * rows < 20_000 / LANES, "{rows} rows of {}", 20_000 / LANES);
    // The same finder has them still; another one makes as many, and finds the same, from any thread.
    assert_eq!(finder.find_pairs(View::of(&lazy, None), spike.at(&at)), expected);
    assert_eq!((made(&lazy.nodes), made(&lazy.rows)), (nodes, rows));
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                let mut other = Finder::default();
                assert_eq!(other.find_pairs(View::of(&lazy, None), spike.at(&at)), expected);
            });
        }
    });
    assert_eq!((made(&lazy.nodes), made(&lazy.rows)), (4 * nodes, 4 * rows));
    let itself = finder.find_self_pairs(&ready).to_vec();
    assert_eq!(finder.find_self_pairs(View::of(&lazy, None)), itself);
}

#[test]
fn a_body_that_meets_several_others_is_opened_once() {
    let bodies = [4, 5, 6].map(|seed| OnDemand::new(MeshTree::build(crumpled(2000, seed))));
    let ready = [4, 5, 6].map(|seed| MeshTree::build(crumpled(2000, seed)));
    let made = || bodies.iter().map(|body| body.nodes.load(Ordering::Relaxed)).collect::<Vec<_>>();
    let mut finder = Finder::default();
    let mut after_rounds = vec![];
    for _ in 0..2 {
        for (i, j) in [(0, 1), (0, 2), (1, 2), (2, 1), (1, 0)] {
            let found = finder.find_pairs(View::of(&bodies[i], None), View::of(&bodies[j], None)).to_vec();
            assert!(!found.is_empty());
            assert_eq!(Finder::default().find_pairs(&ready[i], &ready[j]), found);
        }
        after_rounds.push(made());
    }
    assert_eq!(after_rounds[0], after_rounds[1]);
    finder.forget();
    finder.find_pairs(View::of(&bodies[0], None), View::of(&bodies[1], None));
    assert!(made()[0] > after_rounds[1][0]);
}

/// Places may be opened in any order: whatever is open before, the walk finds the same.
#[test]
fn a_walk_finds_the_same_whatever_is_open_before() {
    let (a, b) = (
        OnDemand::new(MeshTree::build(crumpled(3000, 2))),
        OnDemand::new(MeshTree::build(crumpled(3000, 3))),
    );
    let ends = [&a, &b].map(|body| (body as &dyn Hierarchy).bounds(None).expect("triangles"));
    let pose = crate::geom::Pose::IDENTITY;
    let bridge = Bridge::new((&a, &pose, ends[0]), (&b, &pose, ends[1])).expect("they overlap");
    let mut answers = Vec::new();
    for whole in [true, false] {
        let mut crew: Crew<PairWalk> = Crew::default();
        let mut sides = [Unfolding::default(), Unfolding::default()];
        for (side, body) in sides.iter_mut().zip([&a, &b]) {
            side.begin(body, RowTwins::Apart);
            if whole {
                side.open_all(body, true);
            }
        }
        crew.add((sides[0].roots()[0].0, sides[1].roots()[0].0));
        let mut rounds = 0;
        loop {
            let [first, second] = [(&a, &sides[0]), (&b, &sides[1])].map(|(body, side)| Posed {
                body,
                open: side.opened(),
                pose: &pose,
            });
            let (swapped, touch, most) = (false, Touch::Include, usize::MAX);
            let patience = &Patience::endless();
            let meeting = Meeting::Two { a: first, b: second, bridge, swapped, touch, most, patience };
            crew.run(&meeting, Threads::Auto);
            let mut parked = Vec::new();
            crew.workers.iter_mut().for_each(|worker| worker.take_parked(&mut parked));
            if parked.is_empty() {
                break;
            }
            rounds += 1;
            sides[0].open_for(&a, &parked, |task| task.0, true);
            sides[1].open_for(&b, &parked, |task| task.1, true);
            parked.iter().for_each(|task| crew.add((sides[0].resolve(task.0), sides[1].resolve(task.1))));
        }
        assert_eq!(rounds > 0, !whole);
        crew.finish(Threads::Auto, usize::MAX);
        answers.push((crew.pairs.clone(), crew.stats));
    }
    assert!(!answers[0].0.is_empty());
    assert_eq!(answers[0], answers[1]);
}
