//! Everything that finds pairs, under one name each. A new structure is one more line in [`all`].

use super::bodies::{AnyBody, KINDS};
use super::cases::Question;
use super::inputs::Stream;
use super::threads::{on_threads, threads};
use fracas::geom::{DVec3, Pose};
use fracas::mesh::Mesh;
use fracas::pairs::{Pair, Touch, brute};
use fracas::soup::{CellTable, SoupOptions};
use fracas::{BuildOptions, FindOptions, Finder, MeshTree, SplitRule, Threads};

pub const RULES: [SplitRule; 3] = [SplitRule::SurfaceArea, SplitRule::Median, SplitRule::Midpoint];

pub const TABLES: [CellTable; 3] = [CellTable::Sorted, CellTable::Morton, CellTable::Djb2];

/// Answers questions; pairs come sorted, each once.
pub struct Engine {
    pub name: String,
    pub find: Box<Find>,
}

type Ask = fn(&Question, Touch) -> Vec<Pair>;

type Find = dyn Fn(&Question, Touch) -> Vec<Pair>;

impl Engine {
    pub fn new(name: impl Into<String>, find: impl Fn(&Question, Touch) -> Vec<Pair> + 'static) -> Self {
        Self { name: name.into(), find: Box::new(find) }
    }
}

/// All engines that the corpus is run on.
pub fn all() -> Vec<Engine> {
    let mut engines = vec![Engine::new("brute force", brute_force)];
    for split in RULES {
        for self_queries in [true, false] {
            for threads in [1, 4] {
                let options = BuildOptions { split, self_queries, parallel: threads > 1 };
                let culling = if self_queries { "culling" } else { "no culling" };
                let name = format!("tree by {split:?}, {culling}, {threads} threads");
                engines.push(Engine::new(name, move |q, touch| tree(q, touch, &options, threads)));
            }
        }
        engines.push(Engine::new(format!("tree by {split:?}, moved away and back"), move |q, touch| {
            ask_trees(q, touch, false, |mesh| moved_away_and_back(mesh, split))
        }));
        engines.push(Engine::new(format!("tree by {split:?}, built elsewhere"), move |q, touch| {
            ask_trees(q, touch, false, |mesh| built_elsewhere(mesh, split))
        }));
    }
    for table in TABLES {
        for threads in [1, 3] {
            let name = format!("soup in a {table:?} table, {threads} threads");
            engines.push(Engine::new(name, move |q, touch| soup(q, touch, table, threads)));
        }
    }
    // Every structure against every other.
    for (i, first) in KINDS.iter().enumerate() {
        for (j, second) in KINDS.iter().enumerate() {
            let name = format!("{} and {}", first.name, second.name);
            engines.push(Engine::new(name, move |q, touch| {
                ask_bodies(q, touch, first.make, second.make, i + j)
            }));
        }
    }
    engines.push(Engine::new("soup, corners in other orders", |q, touch| default_soup(&turned(q), touch)));
    engines.push(Engine::new("soup, in a crowd", |q, touch| in_a_crowd(q, touch, 1e3, default_soup)));
    engines.push(Engine::new("soup, in a wide crowd", |q, touch| in_a_crowd(q, touch, 1e7, default_soup)));
    engines.push(Engine::new("soup, two meshes as one", |q, touch| joined(q, touch, default_soup)));
    engines.push(Engine::new("tree, triangles in reverse order", in_reverse_order));
    engines.push(Engine::new("tree, corners in other orders", |q, touch| default_tree(&turned(q), touch)));
    engines.push(Engine::new("tree, in a crowd", |q, touch| in_a_crowd(q, touch, 1e3, default_tree)));
    engines.push(Engine::new("tree, in a wide crowd", |q, touch| in_a_crowd(q, touch, 1e7, default_tree)));
    engines.push(Engine::new("tree, second mesh first", swapped));
    engines.push(Engine::new("tree, two meshes as one", |q, touch| joined(q, touch, default_tree)));
    engines
}

fn brute_force(question: &Question, touch: Touch) -> Vec<Pair> {
    match question {
        Question::Itself(mesh) => brute::find_self_pairs(mesh, touch),
        Question::Two { a, pose_a, b, pose_b } => brute::find_pairs(a, pose_a, b, pose_b, touch),
    }
}

fn tree(question: &Question, touch: Touch, options: &BuildOptions, threads: usize) -> Vec<Pair> {
    on_threads(threads, || {
        ask_trees(question, touch, options.parallel, |mesh| MeshTree::build_with(mesh.clone(), options))
    })
}

fn soup(question: &Question, touch: Touch, table: CellTable, count: usize) -> Vec<Pair> {
    on_threads(count, || {
        let options = FindOptions { touch, threads: threads(count > 1), ..FindOptions::default() };
        ask_soup(&mut Finder::new(FindOptions { soup: SoupOptions { table }, ..options }), question)
    })
}

fn default_soup(question: &Question, touch: Touch) -> Vec<Pair> {
    let options = FindOptions { touch, threads: Threads::One, ..FindOptions::default() };
    ask_soup(&mut Finder::new(options), question)
}

fn ask_soup(finder: &mut Finder, question: &Question) -> Vec<Pair> {
    match question {
        Question::Itself(mesh) => {
            let found = finder.find_self_pairs(mesh).to_vec();
            finder.validate_soup(mesh).expect("a sound grid");
            found
        }
        Question::Two { a, pose_a, b, pose_b } => finder.find_pairs(a.at(pose_a), b.at(pose_b)).to_vec(),
    }
}

/// Two kinds of bodies against each other; the first kind against itself.
fn ask_bodies(
    question: &Question,
    touch: Touch,
    first: fn(&Mesh) -> Box<dyn AnyBody>,
    second: fn(&Mesh) -> Box<dyn AnyBody>,
    number: usize,
) -> Vec<Pair> {
    let threads = [Threads::One, Threads::Auto, Threads::All][number % 3];
    let mut finder = Finder::new(FindOptions { touch, threads, ..FindOptions::default() });
    match question {
        Question::Itself(mesh) => {
            let body = first(mesh);
            body.validate();
            finder.find_self_pairs(body.view()).to_vec()
        }
        Question::Two { a, pose_a, b, pose_b } => {
            let (a, b) = (first(a), second(b));
            finder.find_pairs(a.view().at(pose_a), b.view().at(pose_b)).to_vec()
        }
    }
}

fn default_tree(question: &Question, touch: Touch) -> Vec<Pair> {
    ask_trees(question, touch, false, |mesh| MeshTree::build(mesh.clone()))
}

fn ask_trees(
    question: &Question,
    touch: Touch,
    parallel: bool,
    build: impl Fn(&Mesh) -> MeshTree,
) -> Vec<Pair> {
    let build = |mesh| {
        let body = build(mesh);
        body.validate().expect("a sound tree");
        body
    };
    let mut finder = Finder::new(FindOptions { touch, threads: threads(parallel), ..FindOptions::default() });
    match question {
        Question::Itself(mesh) => finder.find_self_pairs(&build(mesh)).to_vec(),
        Question::Two { a, pose_a, b, pose_b } => {
            finder.find_pairs(build(a).at(pose_a), build(b).at(pose_b)).to_vec()
        }
    }
}

/// Other positions for the same triangles: stretched, turned over and far away, as far as numbers go.
fn elsewhere(mesh: &Mesh) -> Vec<DVec3> {
    let size = mesh.positions().iter().fold(1e-300, |size: f64, p| size.max(p.abs().max_element()));
    let away = |p: DVec3| DVec3::new(-0.25 * p.z, 0.125 * p.x + 0.5 * size, p.y * 1e-5 - 0.3 * p.x);
    mesh.positions().iter().map(|p| away(*p)).collect()
}

fn moved_away_and_back(mesh: &Mesh, split: SplitRule) -> MeshTree {
    let mut body = MeshTree::build_with(mesh.clone(), &BuildOptions { split, ..BuildOptions::default() });
    body.set_positions(&elsewhere(mesh)).expect("finite positions");
    body.validate().expect("a sound tree elsewhere");
    body.set_positions(mesh.positions()).expect("the first positions");
    body
}

fn built_elsewhere(mesh: &Mesh, split: SplitRule) -> MeshTree {
    let away = Mesh::new(elsewhere(mesh), mesh.triangles().to_vec()).expect("finite positions");
    let mut body = MeshTree::build_with(away, &BuildOptions { split, ..BuildOptions::default() });
    body.set_positions(mesh.positions()).expect("the first positions");
    body
}

/// The question with every mesh replaced.
fn with_meshes(question: &Question, change: impl Fn(&Mesh) -> Mesh) -> Question {
    match question {
        Question::Itself(mesh) => Question::Itself(change(mesh)),
        Question::Two { a, pose_a, b, pose_b } => {
            Question::Two { a: change(a), pose_a: *pose_a, b: change(b), pose_b: *pose_b }
        }
    }
}

/// How many triangles the first and the second triangle of a pair are chosen from.
fn counts(question: &Question) -> [u32; 2] {
    match question {
        Question::Itself(mesh) => [mesh.triangle_count() as u32; 2],
        Question::Two { a, b, .. } => [a.triangle_count() as u32, b.triangle_count() as u32],
    }
}

fn rebuilt(mesh: &Mesh, triangles: Vec<[u32; 3]>) -> Mesh {
    Mesh::new(mesh.positions().to_vec(), triangles).expect("the same vertices")
}

fn in_reverse_order(question: &Question, touch: Touch) -> Vec<Pair> {
    let reversed = with_meshes(question, |mesh| {
        let triangles = mesh.triangles().iter().rev().copied().collect();
        rebuilt(mesh, triangles)
    });
    let [first, second] = counts(question);
    let found = default_tree(&reversed, touch).into_iter().map(|pair| {
        let (a, b) = (first - 1 - pair.a.0, second - 1 - pair.b.0);
        if matches!(question, Question::Itself(_)) { Pair::new(b, a) } else { Pair::new(a, b) }
    });
    sorted(found.collect())
}

fn turned(question: &Question) -> Question {
    with_meshes(question, |mesh| {
        let turn = |(k, [a, b, c]): (usize, &[u32; 3])| match k % 3 {
            0 => [*b, *c, *a],
            1 => [*b, *a, *c],
            _ => [*c, *b, *a],
        };
        let triangles = mesh.triangles().iter().enumerate().map(turn).collect();
        rebuilt(mesh, triangles)
    })
}

/// Adds triangles around the mesh, `spread` times as far as it reaches. They make the tree deeper and its numbers
/// coarser; the pairs of the first triangles stay as they are.
fn in_a_crowd(question: &Question, touch: Touch, spread: f64, find: Ask) -> Vec<Pair> {
    let crowded = with_meshes(question, |mesh| {
        let (low, high) = mesh.bounds().corners();
        let (middle, size) = (0.5 * low + 0.5 * high, (high - low).max_element());
        let reach = if size > 0.0 { size } else { 1.0 } * spread;
        if !(middle.is_finite() && (middle + DVec3::splat(2.0 * reach)).is_finite()) {
            return mesh.clone();
        }
        let (mut positions, mut triangles) = (mesh.positions().to_vec(), mesh.triangles().to_vec());
        let mut stream = Stream::new(7);
        for _ in 0..50 {
            let first = positions.len() as u32;
            let mut point = |reach: f64| DVec3::new(stream.unit(), stream.unit(), stream.unit()) * reach;
            let corner = middle + point(reach);
            positions.extend([corner, corner + point(0.01 * reach), corner + point(0.01 * reach)]);
            triangles.push([first, first + 1, first + 2]);
        }
        Mesh::new(positions, triangles).expect("finite positions")
    });
    let [first, second] = counts(question);
    let mut found = find(&crowded, touch);
    found.retain(|pair| pair.a.0 < first && pair.b.0 < second);
    found
}

fn swapped(question: &Question, touch: Touch) -> Vec<Pair> {
    let Question::Two { a, pose_a, b, pose_b } = question else { return default_tree(question, touch) };
    let other_way = Question::Two { a: b.clone(), pose_a: *pose_b, b: a.clone(), pose_b: *pose_a };
    sorted(default_tree(&other_way, touch).into_iter().map(|pair| Pair::new(pair.b.0, pair.a.0)).collect())
}

/// Both meshes, where their poses put them, as one mesh; pairs within either are left out.
fn joined(question: &Question, touch: Touch, find: Ask) -> Vec<Pair> {
    let Question::Two { a, pose_a, b, pose_b } = question else { return find(question, touch) };
    let posed = |mesh: &Mesh, pose: &Pose| -> Vec<DVec3> {
        mesh.positions().iter().map(|p| pose.apply(*p)).collect()
    };
    let (vertices, first) = (a.vertex_count() as u32, a.triangle_count() as u32);
    let positions = [posed(a, pose_a), posed(b, pose_b)].concat();
    let moved = b.triangles().iter().map(|t| t.map(|v| v + vertices));
    let triangles = a.triangles().iter().copied().chain(moved).collect();
    let both = Question::Itself(Mesh::new(positions, triangles).expect("finite positions"));
    let mut found = find(&both, touch);
    found.retain(|pair| pair.a.0 < first && pair.b.0 >= first);
    found.into_iter().map(|pair| Pair::new(pair.a.0, pair.b.0 - first)).collect()
}

fn sorted(mut pairs: Vec<Pair>) -> Vec<Pair> {
    pairs.sort_unstable();
    pairs
}
