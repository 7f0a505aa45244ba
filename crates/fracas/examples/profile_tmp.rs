use fracas::geom::{DQuat, DVec3, Pose};
use fracas::mesh::{Mesh, shapes};
use fracas::*;
fn main() {
    let what = std::env::args().nth(1).unwrap();
    let n: usize = std::env::args().nth(2).unwrap().parse().unwrap();
    let reps: usize = std::env::args().nth(3).unwrap().parse().unwrap();
    let a = shapes::noisy_sphere(n, 0.1, 1);
    let turn = Pose::new(DQuat::from_xyzw(0.1, 0.5, -0.3, 0.7), DVec3::ZERO).expect("a rotation");
    let b = shapes::noisy_sphere(n, 0.1, 2);
    let b =
        Mesh::new(b.positions().iter().map(|p| turn.apply(*p)).collect(), b.triangles().to_vec()).unwrap();
    let o = BuildOptions { self_queries: what != "plain", parallel: false, ..Default::default() };
    let (mut a, b) = (MeshTree::build_with(a, &o), MeshTree::build_with(b, &o));
    let mut f = PairFinder::new(PairOptions { parallel: false, ..Default::default() });
    let mut best = f64::MAX;
    for _ in 0..reps {
        let t = std::time::Instant::now();
        match what.as_str() {
            "between" => {
                f.find_pairs(&a, &b);
            }
            "self" | "plain" => {
                f.find_self_pairs(&a);
            }
            "refit" => a.refit(false),
            "build" => {
                let _ = MeshTree::build_with(a.mesh().clone(), &o);
            }
            _ => panic!(),
        }
        best = best.min(t.elapsed().as_secs_f64() * 1e3);
    }
    println!("{what} {best:.3} ms {:?}", f.stats());
}
