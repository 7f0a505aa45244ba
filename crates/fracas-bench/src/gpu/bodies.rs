//! Bodies that breathe: every frame has other positions, already on the device.
//!
//! A step is timed by the device's own clock: population, search and decision. Pairs of the last frame are compared with those
//! of the processor. Beside the times stands a floor: what it would take to read positions and triangles once and write the
//! pairs, at the bandwidth of a large copy.

use crate::metric::{Better, Report};
use crate::soup::figure9::Growth;
use fracas::geom::DVec3;
use fracas::mesh::{Mesh, shapes};
use fracas::{Finder, MeshTree};
use fracas_gpu::{GpuError, GpuOptions, GpuSoup, StepTimes};
use std::time::Instant;

/// Frames that a body goes through.
const FRAMES: usize = 4;

/// Measures all bodies; folded cloths are returned by size.
pub fn run(report: &mut Report, quick: bool) -> Result<Growth, GpuError> {
    let bandwidth = GpuSoup::copy_bandwidth()?;
    report.say(&format!(
        "large copies: {:.2} TB/s, bytes read and bytes written both counted",
        bandwidth / 1e12
    ));
    let cloth = shapes::folded_cloth(252_000);
    let statue = shapes::creature(252_000);
    let on_cloth = measure(report, "folded cloth", &cloth, 200, bandwidth)?;
    let on_statue = measure(report, "creature", &statue, 200, bandwidth)?;
    let note =
        "252k triangles against themselves, the slower of a folded cloth and a creature; population included";
    report.metric("gpu.total_ms", on_cloth.max(on_statue), "ms", Better::Lower, note);

    let mixed = shuffled(&cloth);
    let on_mixed = measure(report, "folded cloth, vertices and triangles shuffled", &mixed, 200, bandwidth)?;
    report.metric("gpu.shuffled", on_mixed / on_cloth, "x", Better::Lower, "shuffled over ordered, 252k");
    let floor = [[-1e4, -1e4], [1e4, -1e4], [0.0, 1e4]].map(|[x, y]| DVec3::new(x, y, -0.3));
    let floor = Mesh::new(floor.to_vec(), vec![[0, 1, 2]]).expect("a triangle");
    let placed = Mesh::join([&cloth, &floor]).expect("a cloth on a floor");
    let on_floor = measure(report, "folded cloth over a triangle 20,000 wide", &placed, 200, bandwidth)?;
    report.metric("gpu.giant", on_floor / on_cloth, "x", Better::Lower, "with a giant triangle over without");

    let sizes: &[usize] = if quick { &[1_000_000] } else { &[1_000_000, 10_000_000] };
    let mut growth = vec![(cloth.triangle_count(), on_cloth)];
    for size in [20_000, 90_000] {
        let mesh = shapes::folded_cloth(size);
        growth.push((mesh.triangle_count(), measure(report, "folded cloth", &mesh, 200, bandwidth)?));
    }
    let mut per_triangle = Vec::new();
    for &size in sizes {
        let mesh = shapes::folded_cloth(size);
        let ms = measure(report, "folded cloth", &mesh, 40, bandwidth)?;
        per_triangle.push(ms / mesh.triangle_count() as f64);
        growth.push((mesh.triangle_count(), ms));
        let name = if size == 1_000_000 { "gpu.total_1m_ms" } else { "gpu.total_10m_ms" };
        report.metric(name, ms, "ms", Better::Lower, &format!("{} triangles", mesh.triangle_count()));
        if size > 1_000_000 {
            let mixed = measure(report, "the same, shuffled", &shuffled(&mesh), 40, bandwidth)?;
            report.metric("gpu.shuffled_10m", mixed / ms, "x", Better::Lower, "shuffled over ordered, 10 M");
        }
    }
    once(report, quick)?;
    if let [at_one, at_ten] = per_triangle[..] {
        let note = "time per triangle, 10 M over 1 M";
        report.metric("gpu.growth", at_ten / at_one, "x", Better::Lower, note);
    }
    growth.sort_unstable_by_key(|&(triangles, _)| triangles);
    Ok(growth)
}

/// One question about a mesh in the processor's memory, from mesh to sorted pairs: is the way to the device worth it?
fn once(report: &Report, quick: bool) -> Result<(), GpuError> {
    let sizes: &[usize] = if quick { &[250_000] } else { &[50_000, 250_000, 1_000_000, 4_000_000] };
    report.say("one question, from a mesh on the processor to sorted pairs, all threads, best of three, ms");
    for &size in sizes {
        let mesh = shapes::folded_cloth(size);
        let mut best = [f64::INFINITY; 3];
        for _ in 0..3 {
            let start = Instant::now();
            let mut soup = GpuSoup::new(&[&mesh], GpuOptions::default())?;
            let on_device = soup.find_pairs()?.len();
            best[0] = best[0].min(start.elapsed().as_secs_f64());
            let start = Instant::now();
            let in_soup = Finder::default().find_self_pairs(&mesh).len();
            best[1] = best[1].min(start.elapsed().as_secs_f64());
            let start = Instant::now();
            let in_tree = Finder::default().find_self_pairs(&MeshTree::build(mesh.clone())).len();
            best[2] = best[2].min(start.elapsed().as_secs_f64());
            assert!(on_device == in_soup && in_soup == in_tree, "engines differ");
        }
        let [device, soup, tree] = best.map(|seconds| seconds * 1e3);
        report.say(&format!("  {size:>9} triangles: device {device:.1}, soup {soup:.1}, tree {tree:.1}"));
    }
    Ok(())
}

/// Times a body, prints its kernels, checks its pairs; the median step in milliseconds.
fn measure(
    report: &Report,
    name: &str,
    mesh: &Mesh,
    repeats: usize,
    bandwidth: f64,
) -> Result<f64, GpuError> {
    let frames = frames(mesh);
    let mut soup = GpuSoup::new(&[mesh], GpuOptions::default())?;
    let times: StepTimes = soup.measure(&frames, repeats)?;
    let found = soup.find_pairs()?.to_vec();
    let last = Mesh::new(frames[FRAMES - 1].clone(), mesh.triangles().to_vec()).expect("finite positions");
    let expected = Finder::default().find_self_pairs(&last).to_vec();
    assert!(found == expected, "{} pairs on the device, {} on the processor", found.len(), expected.len());
    let bytes = 24 * mesh.vertex_count() + 16 * mesh.triangle_count() + 8 * found.len();
    let stats = *soup.stats();
    report.say(&format!(
        "{name}, {} triangles: {} pairs, the same as on the processor; {} candidates, {} left open",
        mesh.triangle_count(),
        found.len(),
        stats.candidates,
        stats.open
    ));
    report.say(&format!(
        "  {} levels, fullest bucket {}, {} MB on the device",
        stats.levels,
        stats.fullest,
        stats.bytes / 1_000_000
    ));
    for (kernel, ms) in &times.kernels {
        report.say(&format!("  {kernel:<38} {:>10.1} µs", ms * 1e3));
    }
    let slow = times.steps[times.steps.len() * 9 / 10];
    report.say(&format!(
        "  {:<38} {:>10.1} µs   one step in ten above {:.1}; floor {:.1}",
        "all",
        times.median() * 1e3,
        slow * 1e3,
        bytes as f64 / bandwidth * 1e6
    ));
    Ok(times.median())
}

/// A body that breathes: every frame has other positions.
fn frames(mesh: &Mesh) -> Vec<Vec<DVec3>> {
    let (low, high) = mesh.bounds().corners();
    let size = (high - low).max_element();
    let amplitude = 0.2 * size / (mesh.triangle_count() as f64).sqrt();
    (0..FRAMES)
        .map(|k| {
            let phase = k as f64;
            let wave = |x: f64| (30.0 * x / size + phase).sin();
            let move_point = |p: &DVec3| *p + amplitude * DVec3::new(wave(p.y), wave(p.z), wave(p.x));
            mesh.positions().iter().map(move_point).collect()
        })
        .collect()
}

/// The same body with vertices and triangles in random order.
fn shuffled(mesh: &Mesh) -> Mesh {
    let mut state = 1_u64;
    let mut shuffle = |count: usize| {
        let mut order: Vec<u32> = (0..count as u32).collect();
        for k in (1..count).rev() {
            // xorshift
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            order.swap(k, (state % (k as u64 + 1)) as usize);
        }
        order
    };
    let new_place = shuffle(mesh.vertex_count());
    let mut positions = vec![DVec3::ZERO; mesh.vertex_count()];
    for (old, &new) in new_place.iter().enumerate() {
        positions[new as usize] = mesh.positions()[old];
    }
    let order = shuffle(mesh.triangle_count());
    let triangles =
        order.iter().map(|&t| mesh.triangles()[t as usize].map(|v| new_place[v as usize])).collect();
    Mesh::new(positions, triangles).expect("the same body")
}
