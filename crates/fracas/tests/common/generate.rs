//! The cases that are made by formula. Meshes come from here; the expected pairs are for the caller to find.

use super::cases::{Case, Place, Shape, Theme};
use super::inputs::Stream;
use super::patches::{self, sheet};
use super::soups::{grid_soup, loose_grid_soup, mapped, needles, random_soup, soup, together};
use fracas::geom::DVec3;
use fracas::mesh::{Mesh, shapes};

/// File names and themes of all generated cases, without their pairs.
pub fn themes() -> Vec<(&'static str, Theme)> {
    let theme = |about: &str, cases| Theme { about: about.into(), cases };
    vec![
        ("soups.json", theme("Triangles thrown together.", soups())),
        ("scales.json", theme("Very large, very small, far from the origin, and all at once.", scales())),
        (
            "crowds.json",
            theme("Counts around the sizes of rows and nodes, copies, one against many.", crowds()),
        ),
        ("outlines.json", theme("Pieces of surface with outlines that are hard to judge.", outlines())),
        ("bodies.json", theme("Closed bodies and sheets that meet or coincide.", bodies())),
    ]
}

fn itself(name: &str, why: &str, mesh: &Mesh) -> Case {
    case(name, why, &[mesh], vec![])
}

fn two(name: &str, why: &str, a: &Mesh, b: &Mesh) -> Case {
    case(name, why, &[a, b], vec![])
}

fn case(name: &str, why: &str, meshes: &[&Mesh], poses: Vec<Place>) -> Case {
    Case {
        name: name.into(),
        why: why.into(),
        meshes: meshes.iter().map(|mesh| Shape::of(mesh)).collect(),
        poses,
        include: vec![],
        proper: vec![],
    }
}

fn soups() -> Vec<Case> {
    let mut s = Stream::new(1);
    vec![
        itself("grid-soup-tiny", "Eight points, 24 triangles.", &grid_soup(&mut s, [2, 2, 2], 8, 24)),
        itself("grid-soup-flat", "Everything in one plane.", &grid_soup(&mut s, [4, 4, 1], 14, 40)),
        itself("grid-soup-line", "Everything on one line.", &grid_soup(&mut s, [9, 1, 1], 12, 30)),
        itself("grid-soup", "Few points, many triangles.", &grid_soup(&mut s, [4, 4, 3], 30, 90)),
        itself("grid-soup-loose", "No vertex is shared by index.", &loose_grid_soup(&mut s, [5, 5, 5], 60)),
        itself("random-soup", "Nothing special anywhere.", &random_soup(&mut s, 100, 0.4)),
        itself("random-soup-large", "Large triangles: most boxes overlap.", &random_soup(&mut s, 40, 2.0)),
        itself("needles", "Long triangles a billionth wide.", &needles(&mut s, 50, 1e-9)),
        itself(
            "needles-thin",
            "Long triangles a few units in the last place wide.",
            &needles(&mut s, 40, 1e-16),
        ),
        two(
            "grid-soups",
            "Two meshes on one grid.",
            &grid_soup(&mut s, [3, 3, 3], 12, 40),
            &grid_soup(&mut s, [3, 3, 3], 12, 40),
        ),
        two("random-soups", "Two soups.", &random_soup(&mut s, 50, 0.6), &random_soup(&mut s, 60, 0.6)),
    ]
}

fn scales() -> Vec<Case> {
    let mut s = Stream::new(2);
    let base = together(&[grid_soup(&mut s, [3, 3, 3], 12, 20), random_soup(&mut s, 12, 1.5)]);
    let scaled = |by: f64| mapped(&base, move |p| p * by);
    let moved = |by: DVec3| mapped(&base, move |p| p + by);
    let units = mapped(&grid_soup(&mut s, [5, 5, 5], 16, 24), |p| p * f64::from_bits(1));
    let spread = soup((0..40).map(|k| {
        let size = 10f64.powi(k - 20);
        [(); 3].map(|()| size * DVec3::new(s.unit(), s.unit(), s.unit()))
    }));
    let largest = mapped(&base, |p| p * (f64::MAX / 4.0));
    let across = mapped(&base, |p| (p - DVec3::splat(0.5)) * (f64::MAX / 4.0));
    vec![
        itself("scale-1e-150", "Products of coordinates underflow.", &scaled(1e-150)),
        itself("scale-1e-300", "Squares of coordinates are zero.", &scaled(1e-300)),
        itself("scale-smallest", "Coordinates are a few of the smallest positive numbers.", &units),
        itself("scale-1e150", "Products of coordinates overflow.", &scaled(1e150)),
        itself("scale-largest", "Coordinates near the largest number.", &largest),
        itself("scale-across-everything", "From one end of the numbers to the other.", &across),
        itself("scale-every", "Triangles of forty sizes around one point, each ten times as large.", &spread),
        itself("far-1e6", "A million away.", &moved(DVec3::new(1e6, -1e6, 1e6))),
        itself(
            "far-1e12",
            "So far away that the fine detail is rounded.",
            &moved(DVec3::new(1e12, 1e12, -1e12)),
        ),
        itself(
            "far-along-x",
            "Far away along one axis only.",
            &moved(DVec3::new(4503599627370496.0, 0.0, 0.0)),
        ),
        two("far-both", "Both far away.", &moved(DVec3::splat(1e9)), &moved(DVec3::splat(1e9) + 0.5)),
        two(
            "scale-tiny-in-huge",
            "A tiny mesh at a corner of a huge one.",
            &scaled(1e100),
            &mapped(&base, |p| (p - DVec3::ONE) * 1e-100),
        ),
        two("scale-1e-150-both", "Two tiny meshes.", &scaled(1e-150), &scaled(0.75e-150)),
        two("scale-1e150-both", "Two huge meshes.", &scaled(1e150), &scaled(0.75e150)),
    ]
}

fn crowds() -> Vec<Case> {
    let mut cases = vec![];
    for count in [7, 8, 9, 15, 16, 17, 63, 64, 65, 129] {
        // Small triangles in a spiral of squares, and a large one through every second of them.
        let small = (0..count).map(|k| {
            let corner =
                DVec3::new(f64::from(k % 12), f64::from(k / 12), if k % 2 == 0 { -0.25 } else { 0.25 });
            [corner, corner + DVec3::new(0.5, 0.0, 0.125), corner + DVec3::new(0.0, 0.5, 0.5)]
        });
        let large = [DVec3::new(-9.0, -9.0, 0.0), DVec3::new(90.0, -9.0, 0.0), DVec3::new(-9.0, 90.0, 0.0)];
        let mesh = soup(small.chain([large]));
        cases.push(itself(
            &format!("one-through-{count}"),
            "One triangle crosses every second of the others; counts around the sizes of rows and nodes.",
            &mesh,
        ));
    }
    let t = [DVec3::ZERO, DVec3::X, DVec3::Y];
    let copies = Mesh::new(t.to_vec(), vec![[0, 1, 2]; 20]).expect("copies");
    let points = Mesh::new(vec![DVec3::ONE; 40], (0..30).map(|k| [k, k + 1, (k * 7) % 40]).collect());
    let mut s = Stream::new(3);
    let giant = soup([[DVec3::new(-1e6, -1e6, 0.0), DVec3::new(2e6, -1e6, 0.0), DVec3::new(0.0, 2e6, 0.0)]]);
    let dust = soup((0..120).map(|_| {
        let corner = DVec3::new(s.unit(), s.unit(), 0.01 * (s.below(5) as f64 - 2.0));
        [
            corner,
            corner + 0.02 * DVec3::new(s.unit(), s.unit(), s.unit()),
            corner + DVec3::new(0.01, 0.0, 0.0),
        ]
    }));
    cases.extend([
        itself("copies", "Twenty copies of one triangle, on the same vertices.", &copies),
        itself("copies-loose", "Twelve copies, each with its own vertices.", &soup([t; 12])),
        itself("all-vertices-equal", "Thirty triangles that are one point.", &points.expect("points")),
        itself(
            "giant-over-dust",
            "One giant triangle over dust that lies on it, above it and through it.",
            &together(&[dust.clone(), giant.clone()]),
        ),
        two("giant-and-dust", "The same as two meshes.", &giant, &dust),
        two("nothing-and-dust", "A mesh without triangles meets nothing.", &Mesh::default(), &dust),
    ]);
    cases
}

fn outlines() -> Vec<Case> {
    patches::outlines().iter().map(|(name, why, mesh)| itself(name, why, mesh)).collect()
}

fn bodies() -> Vec<Case> {
    let ball = shapes::icosphere(1.0, 1);
    let aside = |by: DVec3| mapped(&ball, move |p| p + by);
    let cloth = sheet(5, 5, |_, _| 0.0);
    let shifted = mapped(&cloth, |p| p + DVec3::new(0.5, 0.25, 0.0));
    let brick = |low: DVec3, high: DVec3| {
        mapped(&shapes::brick(DVec3::ONE, 0.5), move |p| {
            DVec3::select(
                (p * 4.0).round().cmpgt(DVec3::ZERO),
                high,
                DVec3::select((p * 4.0).round().cmplt(DVec3::ZERO), low, 0.5 * (low + high)),
            )
        })
    };
    let (left, right) =
        (brick(DVec3::ZERO, DVec3::splat(2.0)), brick(DVec3::new(2.0, 0.0, 0.0), DVec3::new(4.0, 2.0, 2.0)));
    let turned = |rotation, translation| Place { rotation, translation };
    let still = turned([0.0, 0.0, 0.0, 1.0], [0.0; 3]);
    vec![
        itself("ball", "A closed body.", &ball),
        itself(
            "ball-and-ball",
            "Two balls in one mesh.",
            &together(&[ball.clone(), aside(DVec3::new(0.75, 0.5, 0.25))]),
        ),
        two("balls", "Two balls, one shifted.", &ball, &aside(DVec3::new(0.75, 0.5, 0.25))),
        two("balls-apart", "Boxes overlap, surfaces do not.", &ball, &aside(DVec3::splat(1.2))),
        two("ball-in-ball", "A smaller ball inside.", &ball, &mapped(&ball, |p| 0.5 * p)),
        two(
            "ball-through-ball",
            "A body through itself, squeezed along one axis.",
            &ball,
            &mapped(&ball, |p| p * DVec3::new(1.25, 1.0, 0.75)),
        ),
        two("balls-coincide", "The same body twice.", &ball, &ball),
        two(
            "balls-almost-coincide",
            "The same body twice, one a little larger than the other.",
            &ball,
            &mapped(&ball, |p| p * (1.0 + f64::EPSILON)),
        ),
        case(
            "balls-posed",
            "Both turned and moved.",
            &[&ball, &ball],
            vec![
                turned([0.1, 0.2, 0.3, 0.9], [3.0, -2.0, 1.0]),
                turned([-0.7, 0.1, 0.2, 0.4], [3.5, -1.25, 1.0]),
            ],
        ),
        case(
            "balls-posed-far",
            "Both turned and moved a million away.",
            &[&ball, &ball],
            vec![
                turned([0.1, 0.2, 0.3, 0.9], [1e6, -1e6, 1e6]),
                turned([0.5, 0.1, 0.2, 0.4], [1e6 + 0.5, -1e6, 1e6 + 0.25]),
            ],
        ),
        case(
            "balls-posed-alike",
            "The same body twice at the same pose.",
            &[&ball, &ball],
            vec![turned([0.1, 0.2, 0.3, 0.9], [3.0, -2.0, 1.0]); 2],
        ),
        case(
            "ball-still-and-turned",
            "The same body, one turned a little in place.",
            &[&ball, &ball],
            vec![still, turned([0.001, 0.0, 0.002, 1.0], [0.0; 3])],
        ),
        two(
            "bricks-face-to-face",
            "Two bricks with a common face, as after a crack: equal grids.",
            &left,
            &right,
        ),
        itself(
            "bricks-face-to-face-in-one",
            "The same in one mesh.",
            &together(&[left.clone(), right.clone()]),
        ),
        two(
            "bricks-face-to-face-shifted",
            "The second slides along the common face.",
            &left,
            &mapped(&right, |p| p + DVec3::new(0.0, 0.25, 0.5)),
        ),
        two(
            "bricks-edge-to-edge",
            "The second slides up until edges touch.",
            &left,
            &mapped(&right, |p| p + DVec3::new(0.0, 0.0, 2.0)),
        ),
        two("sheets-coincide", "Two sheets, equal.", &cloth, &cloth),
        two("sheets-shifted", "Two sheets in one plane, one shifted by half a square.", &cloth, &shifted),
        two(
            "sheet-and-hills",
            "A flat sheet and one that dips through it.",
            &cloth,
            &sheet(5, 5, |x, y| 0.25 * (x - 1.75) * (y - 2.5)),
        ),
    ]
}
