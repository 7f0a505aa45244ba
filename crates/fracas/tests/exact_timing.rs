//! What one decision costs. Not run by default: `cargo test --release -p fracas --test exact_timing -- --ignored --nocapture`.

use fracas::base::Random;
use fracas::exact::{orient3d, tri_tri, tri_tri_segment, tri_tri_shared};
use fracas::geom::{DQuat, DVec3, Triangle};
use std::hint::black_box;
use std::time::Instant;

/// A stream of numbers in −1..1 that is the same in every run.
struct Stream(Random);

impl Stream {
    fn unit(&mut self) -> f64 {
        self.0.signed()
    }

    fn point(&mut self) -> DVec3 {
        DVec3::new(self.unit(), self.unit(), self.unit())
    }

    fn triangle(&mut self) -> Triangle {
        Triangle::new(self.point(), self.point(), self.point())
    }
}

/// Prints the mean over all pairs, after one round to warm up.
fn report<R>(name: &str, pairs: &[[Triangle; 2]], decide: impl Fn(&Triangle, &Triangle) -> R) {
    let mut nanoseconds = f64::INFINITY;
    for _ in 0..4 {
        let start = Instant::now();
        for [t, u] in pairs {
            black_box(decide(black_box(t), black_box(u)));
        }
        nanoseconds = nanoseconds.min(start.elapsed().as_nanos() as f64 / pairs.len() as f64);
    }
    println!("{name:<48} {nanoseconds:8.1} ns");
}

#[test]
#[ignore = "prints times, checks nothing"]
fn time_per_decision() {
    const COUNT: usize = 20_000;
    let mut stream = Stream(Random::linear(1));
    let random: Vec<_> = (0..COUNT).map(|_| [stream.triangle(), stream.triangle()]).collect();
    let (mut crossing, mut apart) = (vec![], vec![]);
    while crossing.len() < COUNT {
        let pair = [stream.triangle(), stream.triangle()];
        let list = if tri_tri(&pair[0], &pair[1]) as u8 == 2 { &mut crossing } else { &mut apart };
        list.push(pair);
    }
    // Neighbouring triangles of a bumpy sheet and of its copy at the same place.
    let turn = DQuat::from_rotation_x(0.3) * DQuat::from_rotation_y(0.7);
    let sheet = |i: usize, j: usize, bumps: f64| {
        let height = bumps * ((i * 7919 + j * j * 31 + i * j * 17) % 101) as f64;
        turn * DVec3::new(i as f64 * 0.1, j as f64 * 0.1, height * 0.001)
    };
    let near_pairs = |bumps: f64| -> Vec<[Triangle; 2]> {
        let cell = |i, j| {
            [
                Triangle::new(sheet(i, j, bumps), sheet(i + 1, j, bumps), sheet(i, j + 1, bumps)),
                Triangle::new(sheet(i + 1, j, bumps), sheet(i + 1, j + 1, bumps), sheet(i, j + 1, bumps)),
            ]
        };
        let mut pairs = vec![];
        for i in 0..40 {
            for j in 0..40 {
                for t in cell(i, j) {
                    for u in [cell(i, j), cell(i + 1, j), cell(i, j + 1)].concat() {
                        pairs.push([t, u]);
                    }
                }
            }
        }
        pairs
    };
    let across_axis: Vec<_> = random.iter().map(|pair| pair.map(|t| flat(&t))).collect();
    let corner: Vec<_> = random.iter().map(|[t, u]| [*t, Triangle::new(t.a, u.b, u.c)]).collect();
    let edge: Vec<_> = random.iter().map(|[t, u]| [*t, Triangle::new(t.a, t.b, u.c)]).collect();

    report("orient3d, random", &random, |t, u| orient3d(t.a, t.b, t.c, u.a));
    report("tri_tri, random", &random, tri_tri);
    report("tri_tri, crossing", &crossing, tri_tri);
    report("tri_tri, apart", &apart, tri_tri);
    report("tri_tri, coincident copies of a bumpy sheet", &near_pairs(1.0), tri_tri);
    report("tri_tri, coincident copies of a flat turned sheet", &near_pairs(0.0), tri_tri);
    report("tri_tri, plane across an axis", &across_axis, tri_tri);
    report("tri_tri_shared, common corner", &corner, |t, u| tri_tri_shared(t, [0, 1, 2], u, [0, 3, 4]));
    report("tri_tri, common corner", &corner, tri_tri);
    report("tri_tri, common edge", &edge, tri_tri);
    report(
        "tri_tri, the same triangle twice",
        &random.iter().map(|[t, _]| [*t, *t]).collect::<Vec<_>>(),
        tri_tri,
    );
    report("tri_tri_shared, common edge", &edge, |t, u| tri_tri_shared(t, [0, 1, 2], u, [0, 1, 4]));
    report("tri_tri_segment, crossing", &crossing, tri_tri_segment);
    report("tri_tri_segment, copies of a bumpy sheet", &near_pairs(1.0), tri_tri_segment);
}

fn flat(t: &Triangle) -> Triangle {
    let [a, b, c] = t.corners().map(|p| DVec3::new(p.x, 0.25, p.z));
    Triangle::new(a, b, c)
}
