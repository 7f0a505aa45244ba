use fracas::mesh::shapes;
use fracas::{FindOptions, Finder, MeshTree, Threads};
use std::time::Instant;
fn main() {
    let n: usize = std::env::args().nth(1).map_or(5, |x| x.parse().unwrap());
    let cloth = shapes::folded_cloth(92_000);
    let at = |v: u32| cloth.positions()[v as usize];
    let reach = 0.5
        * cloth
            .triangles()
            .iter()
            .flat_map(|&[a, b, c]| [(a, b), (b, c), (c, a)])
            .map(|(v, w)| at(v).distance(at(w)))
            .sum::<f64>()
        / (3 * cloth.triangle_count()) as f64;
    let tree = MeshTree::build(cloth);
    let mut finder = Finder::new(FindOptions { threads: Threads::One, ..FindOptions::default() });
    for _ in 0..n {
        let t = Instant::now();
        let k = finder.find_near_self(&tree, reach).len();
        println!("{k} {:.1} ms", t.elapsed().as_secs_f64() * 1e3);
    }
}
