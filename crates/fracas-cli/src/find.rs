//! From meshes to pairs of intersecting triangles, with the engine of choice.
//!
//! Two meshes meet if their boxes overlap, and a mesh meets itself if that is asked for. Only meetings are searched,
//! and only meshes that take part in one get a tree.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use fracas::geom::{Box3, Pose};
use fracas::mesh::Mesh;
use fracas::pairs::{Pair, brute};
use fracas::{BuildOptions, FindOptions, Finder, MeshTree, Touch};
use rayon::slice::ParallelSliceMut;

use crate::error::Failure;
use crate::progress::Progress;

/// Two triangles that intersect: mesh and triangle, mesh and triangle. The first two are less than the last two.
pub type MeshPair = [u32; 4];

/// The number of triangle comparisons up to which brute force takes less time than building and searching trees.
const FEW_COMPARISONS: u64 = 20_000;

/// The most pairs that one search lists. A page or a report of more serves nobody, and memory would run out.
pub const MOST_PAIRS: usize = 100_000_000;

// Costs of a single search in nanoseconds, measured on a machine with an H200 and 16 cores.

/// Opening the card and compiling its kernels.
#[cfg(any(feature = "gpu", test))]
const CARD_OPENING: f64 = 290e6;
/// One triangle on the card, transfer included.
#[cfg(any(feature = "gpu", test))]
const CARD_TRIANGLE: f64 = 87.0;
/// One triangle in a grid on one core.
#[cfg(any(feature = "gpu", test))]
const CORE_TRIANGLE: f64 = 175.0;
/// n cores are nᵖ times as fast as one; this is p.
#[cfg(any(feature = "gpu", test))]
const CORES_TOGETHER: f64 = 0.7;

/// How pairs are searched for. All engines find the same pairs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Engine {
    /// What takes the least time: brute force for at most 20,000 comparisons of two triangles (200 triangles against
    /// themselves), a grid where most meshes are looked at once, trees where they meet several others; for several million
    /// triangles on one or two threads the graphics card, if there is one.
    Auto,
    /// A bounding-volume tree over each mesh.
    Tree,
    /// A grid of cells, made for each search and forgotten.
    Soup,
    /// Every triangle against every other: quadratic, and the measure of all else.
    Brute,
    /// The same grid on a graphics card.
    #[cfg(feature = "gpu")]
    Gpu,
}

/// What to search for, and how.
#[derive(Clone, Copy, Debug)]
pub struct Question {
    /// Pairs within each mesh too. A single mesh is always searched.
    pub within: bool,
    /// Which meetings of triangles count.
    pub touch: Touch,
    /// How to search.
    pub engine: Engine,
}

/// What was found.
#[derive(Debug)]
pub struct Answer {
    /// The meshes, as they came.
    pub meshes: Vec<Mesh>,
    /// All pairs, sorted.
    pub pairs: Vec<MeshPair>,
    /// The engine that did it: `"tree"`, `"soup"`, `"brute"` or `"gpu"`.
    pub engine: &'static str,
    /// Time to build trees.
    pub build: Duration,
    /// Time to search.
    pub find: Duration,
}

/// Finds all pairs. The answer does not depend on the number of threads or the engine.
///
/// ```
/// use fracas::{Touch, mesh::shapes};
/// use fracas_cli::{find::{self, Engine}, progress::Progress};
/// let meshes = vec![shapes::icosphere(1.0, 2), shapes::torus(1.0, 0.2, 24)];
/// let question = find::Question { within: false, touch: Touch::Include, engine: Engine::Auto };
/// let answer = find::find(meshes, question, &Progress::silent())?;
/// assert!(answer.pairs.iter().all(|&[mesh_a, _, mesh_b, _]| (mesh_a, mesh_b) == (0, 1)));
/// assert!(answer.pairs.len() > 100);
/// # Ok::<(), fracas_cli::error::Failure>(())
/// ```
///
/// # Errors
/// The engine that was asked for needs what the machine does not have; there are more than [`MOST_PAIRS`] pairs.
pub fn find(mut meshes: Vec<Mesh>, question: Question, progress: &Progress) -> Result<Answer, Failure> {
    let meetings = meetings(&meshes, question.within || meshes.len() == 1);
    let engine = match question.engine {
        Engine::Auto => choose(&meshes, &meetings),
        chosen => chosen,
    };
    let mut pairs = Vec::new();
    let start = Instant::now();
    let (build, engine) = if engine == Engine::Tree {
        let trees = build_trees(&mut meshes, &meetings, progress);
        let build = start.elapsed();
        find_with_trees(&trees, &meetings, question.touch, progress, &mut pairs)?;
        for (mesh, tree) in trees {
            meshes[mesh as usize] = tree.into_mesh();
        }
        (build, "tree")
    } else if engine == Engine::Soup {
        find_with_soup(&meshes, &meetings, question.touch, progress, &mut pairs)?;
        (Duration::ZERO, "soup")
    } else if is_gpu(engine) {
        (find_on_gpu(&meshes, &meetings, question, progress, &mut pairs)?, "gpu")
    } else {
        find_by_brute_force(&meshes, &meetings, question.touch, progress, &mut pairs);
        (Duration::ZERO, "brute")
    };
    pairs.par_sort_unstable();
    Ok(Answer { meshes, pairs, engine, build, find: start.elapsed() - build })
}

fn is_gpu(engine: Engine) -> bool {
    #[cfg(feature = "gpu")]
    return engine == Engine::Gpu;
    #[cfg(not(feature = "gpu"))]
    {
        let _ = engine;
        false
    }
}

/// All meshes that meet any as one soup; returns the time to get them to the device.
#[cfg(feature = "gpu")]
fn find_on_gpu(
    meshes: &[Mesh],
    meetings: &[[u32; 2]],
    question: Question,
    progress: &Progress,
    found: &mut Vec<MeshPair>,
) -> Result<Duration, Failure> {
    use fracas_gpu::{GpuOptions, GpuSoup};
    let start = Instant::now();
    progress.begin("finding", 1);
    let parts: Vec<usize> = participants(meetings).into_keys().map(|mesh| mesh as usize).collect();
    let within = meetings.iter().any(|[a, b]| a == b);
    let list: Vec<&Mesh> = parts.iter().map(|&mesh| &meshes[mesh]).collect();
    let options = GpuOptions { touch: question.touch, within };
    let mut soup = GpuSoup::new(&list, options).map_err(Failure::Gpu)?;
    let build = start.elapsed();
    // Triangles are numbered through.
    let mut first = vec![0];
    first.extend(list.iter().scan(0, |end, mesh| {
        *end += mesh.triangle_count() as u32;
        Some(*end)
    }));
    let place = |triangle: u32| {
        let part = first.partition_point(|&begin| begin <= triangle) - 1;
        [parts[part] as u32, triangle - first[part]]
    };
    found.extend(soup.find_pairs().map_err(Failure::Gpu)?.iter().map(|pair| {
        let ([mesh_a, a], [mesh_b, b]) = (place(pair.a.0), place(pair.b.0));
        [mesh_a, a, mesh_b, b]
    }));
    progress.advance();
    Ok(build)
}

#[cfg(not(feature = "gpu"))]
fn find_on_gpu(
    _: &[Mesh],
    _: &[[u32; 2]],
    _: Question,
    _: &Progress,
    _: &mut Vec<MeshPair>,
) -> Result<Duration, Failure> {
    Err(Failure::NoSuchEngine { name: "gpu" })
}

/// Meshes that may intersect, by number, the lower one first; a mesh and itself if `within`.
fn meetings(meshes: &[Mesh], within: bool) -> Vec<[u32; 2]> {
    let bounds: Vec<Box3> = meshes.iter().map(Mesh::bounds).collect();
    let mut meetings = Vec::new();
    for a in 0..meshes.len() {
        let others = if within { a..meshes.len() } else { a + 1..meshes.len() };
        meetings.extend(others.filter(|&b| bounds[a].overlaps(&bounds[b])).map(|b| [a as u32, b as u32]));
    }
    meetings
}

/// How many pairs of triangles brute force would look at.
fn comparisons(meshes: &[Mesh], meetings: &[[u32; 2]]) -> u64 {
    let count = |mesh: u32| meshes[mesh as usize].triangle_count() as u64;
    let of = |&[a, b]: &[u32; 2]| {
        if a == b { count(a) * count(a).saturating_sub(1) / 2 } else { count(a) * count(b) }
    };
    meetings.iter().map(of).fold(0, u64::saturating_add)
}

/// The engine that takes the least time.
///
/// Measured from a cold start on one thread: to build trees and search them takes 2.5 times as long as a grid for two
/// meshes, and 2 to 4 times as long for a mesh with itself. Trees stay, a grid is made for every meeting: so a tree is
/// worth two meetings, or three if one is with itself. A graphics card pays when there is much to do and cores are few.
fn choose(meshes: &[Mesh], meetings: &[[u32; 2]]) -> Engine {
    if comparisons(meshes, meetings) <= FEW_COMPARISONS {
        return Engine::Brute;
    }
    let count = |mesh: u32| meshes[mesh as usize].triangle_count() as u64;
    let parts = participants(meetings);
    let grids: u64 = meetings.iter().map(|&[a, b]| if a == b { count(a) } else { count(a) + count(b) }).sum();
    let trees: u64 = parts
        .iter()
        .map(|(&mesh, &meets_itself)| if meets_itself { 3 * count(mesh) } else { 2 * count(mesh) })
        .sum();
    #[cfg(feature = "gpu")]
    if card_pays(parts.keys().map(|&mesh| count(mesh)).sum(), grids.min(trees), rayon::current_num_threads())
        && fracas_gpu::GpuSoup::available().is_ok()
    {
        return Engine::Gpu;
    }
    if grids <= trees { Engine::Soup } else { Engine::Tree }
}

/// Whether the card is faster than the processor. `on_card` and `on_cores` are the numbers of triangles that each of them has to process.
#[cfg(any(feature = "gpu", test))]
fn card_pays(on_card: u64, on_cores: u64, threads: usize) -> bool {
    let card = CARD_OPENING + CARD_TRIANGLE * on_card as f64;
    card < CORE_TRIANGLE * on_cores as f64 / (threads.max(1) as f64).powf(CORES_TOGETHER)
}

/// The meshes that take part in a meeting, and whether they meet themselves.
fn participants(meetings: &[[u32; 2]]) -> BTreeMap<u32, bool> {
    let mut parts = BTreeMap::new();
    for &[a, b] in meetings {
        for mesh in [a, b] {
            *parts.entry(mesh).or_default() |= a == b;
        }
    }
    parts
}

/// Trees over the meshes that meet any, which are moved into them.
fn build_trees(meshes: &mut [Mesh], meetings: &[[u32; 2]], progress: &Progress) -> BTreeMap<u32, MeshTree> {
    let parts = participants(meetings);
    progress.begin("building", parts.len());
    let mut trees = BTreeMap::new();
    for (mesh, self_queries) in parts {
        let options = BuildOptions { self_queries, ..BuildOptions::default() };
        trees.insert(mesh, MeshTree::build_with(std::mem::take(&mut meshes[mesh as usize]), &options));
        progress.advance();
    }
    trees
}

fn finder_for(touch: Touch) -> Finder {
    Finder::new(FindOptions { touch, most_pairs: MOST_PAIRS, ..FindOptions::default() })
}

/// Refuses to go on when there are too many pairs to list.
fn check_count(found: &[MeshPair], finder: &Finder) -> Result<(), Failure> {
    let last = finder.stats().found as usize;
    let count = if last > MOST_PAIRS { last } else { found.len() };
    if count > MOST_PAIRS { Err(Failure::TooManyPairs { count, most: MOST_PAIRS }) } else { Ok(()) }
}

fn find_with_trees(
    trees: &BTreeMap<u32, MeshTree>,
    meetings: &[[u32; 2]],
    touch: Touch,
    progress: &Progress,
    found: &mut Vec<MeshPair>,
) -> Result<(), Failure> {
    let mut finder = finder_for(touch);
    progress.begin("finding", meetings.len());
    for &[a, b] in meetings {
        let pairs = if a == b {
            finder.find_self_pairs(&trees[&a])
        } else {
            finder.find_pairs(&trees[&a], &trees[&b])
        };
        found.extend(pairs.iter().map(|pair| of_meshes(a, b, pair)));
        check_count(found, &finder)?;
        progress.advance();
    }
    Ok(())
}

fn find_with_soup(
    meshes: &[Mesh],
    meetings: &[[u32; 2]],
    touch: Touch,
    progress: &Progress,
    found: &mut Vec<MeshPair>,
) -> Result<(), Failure> {
    let mut finder = finder_for(touch);
    progress.begin("finding", meetings.len());
    for &[a, b] in meetings {
        let (mesh_a, mesh_b) = (&meshes[a as usize], &meshes[b as usize]);
        let pairs = if a == b { finder.find_self_pairs(mesh_a) } else { finder.find_pairs(mesh_a, mesh_b) };
        found.extend(pairs.iter().map(|pair| of_meshes(a, b, pair)));
        check_count(found, &finder)?;
        progress.advance();
    }
    Ok(())
}

fn find_by_brute_force(
    meshes: &[Mesh],
    meetings: &[[u32; 2]],
    touch: Touch,
    progress: &Progress,
    found: &mut Vec<MeshPair>,
) {
    progress.begin("finding", meetings.len());
    for &[a, b] in meetings {
        let (mesh_a, mesh_b) = (&meshes[a as usize], &meshes[b as usize]);
        let pairs = if a == b {
            brute::find_self_pairs(mesh_a, touch)
        } else {
            brute::find_pairs(mesh_a, &Pose::IDENTITY, mesh_b, &Pose::IDENTITY, touch)
        };
        found.extend(pairs.iter().map(|pair| of_meshes(a, b, pair)));
        progress.advance();
    }
}

fn of_meshes(a: u32, b: u32, pair: &Pair) -> MeshPair {
    [a, pair.a.0, b, pair.b.0]
}

#[cfg(test)]
mod tests {
    use super::*;
    use fracas::geom::DVec3;
    use fracas::mesh::shapes;

    fn moved(mesh: &Mesh, x: f64) -> Mesh {
        mesh.posed(&Pose::from_translation(DVec3::new(x, 0.0, 0.0)).unwrap()).unwrap()
    }

    fn ask(meshes: &[Mesh], within: bool, engine: Engine) -> Answer {
        let question = Question { within, touch: Touch::Include, engine };
        find(meshes.to_vec(), question, &Progress::silent()).unwrap()
    }

    #[test]
    fn only_overlapping_boxes_meet_and_touching_ones_do() {
        let cube = shapes::cuboid(DVec3::ONE);
        let row = [cube.clone(), moved(&cube, 1.0), moved(&cube, 2.5), Mesh::default()];
        assert_eq!(meetings(&row, false), [[0, 1]]);
        assert_eq!(meetings(&row, true), [[0, 0], [0, 1], [1, 1], [2, 2]]);
    }

    #[test]
    fn a_card_pays_for_many_triangles_where_cores_are_few() {
        let from = |threads: usize| {
            (1..100).find(|&millions| card_pays(millions * 1_000_000, millions * 1_000_000, threads))
        };
        assert_eq!([1, 2, 4, 16].map(from), [Some(4), Some(14), None, None]);
        assert!(!card_pays(0, 0, 0));
    }

    #[test]
    fn engines_agree_and_give_the_meshes_back() {
        let ball = shapes::noisy_sphere(400, 0.2, 1);
        let tangle = Mesh::join([&ball, &moved(&ball, 0.7)]).unwrap();
        let meshes = [tangle.clone(), moved(&tangle, 0.1), moved(&tangle, 50.0), Mesh::default()];
        for within in [false, true] {
            let [tree, soup, brute, auto] = [Engine::Tree, Engine::Soup, Engine::Brute, Engine::Auto]
                .map(|engine| ask(&meshes, within, engine));
            assert!(!tree.pairs.is_empty() && tree.pairs.is_sorted());
            assert!(tree.pairs.iter().all(|pair| pair[..2] < pair[2..]));
            assert_eq!(tree.pairs.iter().any(|pair| pair[0] == pair[2]), within);
            assert_eq!(tree.pairs, brute.pairs);
            assert_eq!((tree.pairs == soup.pairs, soup.engine), (true, "soup"));
            assert_eq!(tree.pairs, auto.pairs);
            assert_eq!((tree.engine, brute.engine, auto.engine), ("tree", "brute", "soup"));
            assert_eq!((&tree.meshes[..], &brute.meshes[..]), (&meshes[..], &meshes[..]));
        }
    }

    #[cfg(feature = "gpu")]
    #[test]
    fn the_graphics_card_agrees_or_says_what_is_missing() {
        let ball = shapes::noisy_sphere(400, 0.2, 1);
        let tangle = Mesh::join([&ball, &moved(&ball, 0.7)]).unwrap();
        let meshes = [moved(&tangle, 50.0), tangle.clone(), Mesh::default(), moved(&tangle, 0.1)];
        for within in [false, true] {
            let question = Question { within, touch: Touch::Include, engine: Engine::Gpu };
            match find(meshes.to_vec(), question, &Progress::silent()) {
                Ok(answer) => assert_eq!(answer.pairs, ask(&meshes, within, Engine::Brute).pairs),
                Err(Failure::Gpu(_)) => assert!(fracas_gpu::GpuSoup::available().is_err()),
                Err(other) => panic!("{other}"),
            }
        }
    }

    #[test]
    fn meshes_that_meet_many_others_are_worth_a_tree() {
        let ball = shapes::icosphere(1.0, 2);
        let row: Vec<Mesh> = (0..8).map(|k| moved(&ball, 0.1 * f64::from(k))).collect();
        for (count, engine) in [(1, "soup"), (2, "soup"), (3, "soup"), (4, "tree"), (8, "tree")] {
            let answer = ask(&row[..count], false, Engine::Auto);
            assert_eq!(answer.engine, engine, "{count} meshes");
            assert_eq!(answer.pairs, ask(&row[..count], false, Engine::Brute).pairs);
        }
    }

    #[test]
    fn a_handful_of_triangles_is_not_worth_a_tree() {
        let answer = ask(&[shapes::cuboid(DVec3::ONE), shapes::cuboid(DVec3::ONE)], true, Engine::Auto);
        assert_eq!(answer.engine, "brute");
        assert_eq!(answer.build, Duration::ZERO);
    }
}
