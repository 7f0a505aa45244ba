//! Pieces of surface: clean ones, and ones that meet themselves in ways a glance at normals and outlines may miss.

use super::soups::{mapped, soup, together};
use fracas::geom::DVec3;
use fracas::mesh::Mesh;

/// A grid of squares, each cut in two, over (0..=nx) × (0..=ny); all normals point up.
pub fn sheet(nx: u32, ny: u32, height: impl Fn(f64, f64) -> f64) -> Mesh {
    let at = |i: u32, j: u32| {
        let (x, y) = (f64::from(i), f64::from(j));
        DVec3::new(x, y, height(x, y))
    };
    let positions = (0..=nx).flat_map(|i| (0..=ny).map(move |j| (i, j))).map(|(i, j)| at(i, j)).collect();
    let vertex = |i: u32, j: u32| i * (ny + 1) + j;
    let mut triangles = vec![];
    for i in 0..nx {
        for j in 0..ny {
            let [a, b, c, d] = [vertex(i, j), vertex(i + 1, j), vertex(i + 1, j + 1), vertex(i, j + 1)];
            triangles.extend([[a, b, c], [a, c, d]]);
        }
    }
    Mesh::new(positions, triangles).expect("a sheet")
}

/// A point on the unit circle, from a rational parameter: `quarters` turns by a right angle for each unit.
pub fn on_circle(quarters: f64) -> [f64; 2] {
    let whole = quarters.floor();
    // tan of half the angle, near enough to linear: the points are on the circle, their spacing does not matter.
    let t = (quarters - whole) * (0.9 + 0.1 * (quarters - whole));
    let (x, y) = ((1.0 - t * t) / (1.0 + t * t), 2.0 * t / (1.0 + t * t));
    // t = 1 is a right angle.
    match whole.rem_euclid(4.0) as u32 {
        0 => [x, y],
        1 => [-y, x],
        2 => [-x, -y],
        _ => [y, -x],
    }
}

/// A strip of `steps` squares around the z axis, one right angle for every `per_quarter` of them, between radius 1 and
/// 2, climbing by `rise` for each right angle. All normals point up, however often it goes around.
pub fn ramp(steps: u32, per_quarter: u32, rise: f64) -> Mesh {
    let mut positions = vec![];
    for k in 0..=steps {
        let quarters = f64::from(k) / f64::from(per_quarter);
        let [x, y] = on_circle(quarters);
        positions.extend([1.0, 2.0].map(|radius| DVec3::new(radius * x, radius * y, rise * quarters)));
    }
    let triangles = (0..steps).flat_map(|k| {
        let [a, b, c, d] = [2 * k, 2 * k + 1, 2 * k + 3, 2 * k + 2];
        [[a, b, c], [a, c, d]]
    });
    Mesh::new(positions, triangles.collect()).expect("a ramp")
}

/// The ramp with its last two vertices joined to the first two: a flat ring if it goes around once without rising.
pub fn closed_ramp(steps: u32, per_quarter: u32, rise: f64) -> Mesh {
    let open = ramp(steps, per_quarter, rise);
    let join = |v: u32| if v >= 2 * steps { v - 2 * steps } else { v };
    let triangles = open.triangles().iter().map(|t| t.map(join)).collect();
    Mesh::new(open.positions().to_vec(), triangles).expect("a ring")
}

/// A strip around a circle that turns over `half_turns` times on the way.
pub fn twisted_band(steps: u32, half_turns: u32) -> Mesh {
    let mut positions = vec![];
    for k in 0..steps {
        let around = 4.0 * f64::from(k) / f64::from(steps);
        let ([x, y], [out, up]) = (on_circle(around), on_circle(0.5 * f64::from(half_turns) * around));
        for side in [-0.5, 0.5] {
            let radius = 2.0 + side * out;
            positions.push(DVec3::new(radius * x, radius * y, side * up));
        }
    }
    let turned = half_turns % 2;
    let vertex = |k: u32, side: u32| if k < steps { 2 * k + side } else { side ^ turned };
    let triangles = (0..steps).flat_map(|k| {
        let [a, b, c, d] = [vertex(k, 0), vertex(k, 1), vertex(k + 1, 1), vertex(k + 1, 0)];
        [[a, b, c], [a, c, d]]
    });
    Mesh::new(positions, triangles.collect()).expect("a band")
}

/// A sheet folded to and fro, all layers in one plane.
pub fn accordion(layers: u32) -> Mesh {
    let flat = sheet(2 * layers, 2, |_, _| 0.0);
    let fold = |x: f64| {
        let within = x.rem_euclid(4.0);
        if within <= 2.0 { within } else { 4.0 - within }
    };
    mapped(&flat, |p| DVec3::new(fold(p.x), p.y, 0.0))
}

/// A flat sheet cut along its middle line, both sides with vertices of their own at the same places.
pub fn slit_sheet(n: u32) -> Mesh {
    let half = |shift: f64| mapped(&sheet(n, n, |_, _| 0.0), move |p| p + DVec3::new(shift, 0.0, 0.0));
    let mut both = together(&[half(0.0), half(f64::from(n))]);
    // Joined again at the two ends of the slit, so that the sheet is connected and its outline is one loop.
    let (left, right) = (n * (n + 1), (n + 1) * (n + 1));
    let join = |v: u32| {
        if v == right {
            left
        } else if v == right + n {
            left + n
        } else {
            v
        }
    };
    let triangles = both.triangles().iter().map(|t| t.map(join)).collect();
    both = Mesh::new(both.positions().to_vec(), triangles).expect("a sheet");
    both
}

/// Meshes of one theme with a name and a reason each.
pub type Named = (&'static str, &'static str, Mesh);

/// Flat or one-sided patches whose outlines are hard to judge.
pub fn outlines() -> Vec<Named> {
    let flat = || sheet(5, 5, |_, _| 0.0);
    let upright = |turns: usize| {
        mapped(&flat(), move |p| match turns {
            1 => DVec3::new(p.z, p.x, p.y),
            _ => DVec3::new(p.y, p.z, p.x),
        })
    };
    let move_vertex = |vertex: usize, to: DVec3| {
        let mut positions = flat().positions().to_vec();
        positions[vertex] = to;
        Mesh::new(positions, flat().triangles().to_vec()).expect("a sheet")
    };
    let without = |mesh: Mesh, gone: &[usize]| {
        let triangles = mesh.triangles().iter().enumerate().filter(|(k, _)| !gone.contains(k));
        let triangles = triangles.map(|(_, t)| *t).collect();
        Mesh::new(mesh.positions().to_vec(), triangles).expect("a part")
    };
    let with = |mesh: Mesh, corners: [DVec3; 3]| together(&[mesh, soup([corners])]);
    // One more triangle on vertices of the sheet and new ones, which follow its 36.
    let hang = |positions: &[DVec3], triangle: [u32; 3]| {
        let (mut all, mut triangles) = flat().into_parts();
        all.extend_from_slice(positions);
        triangles.push(triangle);
        Mesh::new(all, triangles).expect("one more")
    };
    let p = DVec3::new;
    vec![
        ("sheet", "Flat, normals up, a convex outline: nothing to find.", flat()),
        ("sheet-upright-x", "The same in the plane x = 0.", upright(1)),
        ("sheet-upright-y", "The same in the plane y = 0.", upright(2)),
        ("sheet-hilly", "A height field.", sheet(7, 7, |x, y| (x - 3.0) * (y - 2.0) * 0.125 - x * 0.25)),
        (
            "sheet-inner-vertex-pulled-over",
            "An inner vertex is pulled over its neighbours: some triangles turn over.",
            move_vertex(14, p(4.25, 3.5, 0.0)),
        ),
        (
            "sheet-rim-vertex-pulled-in",
            "A vertex of the rim is pulled into the sheet, in its plane.",
            move_vertex(2, p(1.5, 2.5, 0.0)),
        ),
        (
            "sheet-rim-vertex-onto-vertex",
            "A vertex of the rim is moved exactly onto its inner neighbour: flat triangles.",
            move_vertex(2, p(1.0, 2.0, 0.0)),
        ),
        (
            "sheet-rim-vertex-on-rim-edge",
            "A corner of the sheet is moved along the rim, beyond the next vertex.",
            move_vertex(0, p(0.0, 1.5, 0.0)),
        ),
        ("sheet-with-slit", "Cut along the middle: both sides of the cut touch.", slit_sheet(3)),
        ("sheet-with-hole", "Two loops of outline; nothing to find.", without(flat(), &[24, 25])),
        (
            "sheet-with-two-holes-at-a-vertex",
            "Holes that meet in a vertex: the outline passes it twice.",
            without(flat(), &[12, 13, 24, 25]),
        ),
        (
            "sheet-with-bite-at-a-vertex",
            "A hole that meets the outer rim in a vertex: one loop that passes it twice.",
            without(flat(), &[2, 3]),
        ),
        (
            "sheet-with-lid-on-hole",
            "A hole filled by a triangle with vertices of its own: it touches all around.",
            with(without(flat(), &[24]), [p(2.0, 2.0, 0.0), p(3.0, 2.0, 0.0), p(3.0, 3.0, 0.0)]),
        ),
        (
            "sheet-with-flap-inside",
            "A triangle hangs on a corner of the sheet and lies on its inside.",
            hang(&[p(1.0, 0.5, 0.0), p(0.5, 1.0, 0.0)], [0, 36, 37]),
        ),
        (
            "sheet-with-flap-outside",
            "A triangle hangs on a corner of the sheet and lies beside it.",
            hang(&[p(-1.0, -0.5, 0.0), p(-0.5, -1.0, 0.0)], [0, 36, 37]),
        ),
        (
            "sheet-with-flap-above",
            "A triangle hangs on a corner of the sheet and stands above it.",
            hang(&[p(1.0, 0.5, 0.25), p(0.5, 1.0, 0.5)], [0, 36, 37]),
        ),
        (
            "sheet-with-doubled-triangle",
            "One triangle is there twice, with the same vertices.",
            hang(&[], [7, 13, 14]),
        ),
        (
            "sheet-with-t-junction",
            "A triangle beside the sheet has a corner inside an edge of the rim.",
            with(flat(), [p(2.5, 0.0, 0.0), p(2.0, -1.0, 0.0), p(3.0, -1.0, 0.0)]),
        ),
        (
            "sheet-with-neighbour-over-half-an-edge",
            "A triangle shares a vertex of the rim and runs along half of the next edge.",
            hang(&[p(0.5, 0.0, 0.0), p(0.5, -1.0, 0.0)], [0, 37, 36]),
        ),
        ("ramp-three-quarters", "A ramp that does not come around.", ramp(9, 3, 0.25)),
        ("ramp-twice-around", "A ramp that goes around twice, one floor above the other.", ramp(24, 3, 0.25)),
        ("ramp-twice-around-flat", "The same without rising: all floors in one plane.", ramp(16, 2, 0.0)),
        (
            "ramp-comes-around",
            "A flat ramp whose end meets its start, vertices at the same places.",
            ramp(12, 3, 0.0),
        ),
        ("ramp-overlaps-by-one", "A flat ramp whose end lies on its start.", ramp(13, 3, 0.0)),
        ("ring", "A flat ring: two loops of outline.", closed_ramp(12, 3, 0.0)),
        (
            "ring-twice-around",
            "A flat ring that goes around twice: it covers itself.",
            closed_ramp(24, 3, 0.0),
        ),
        ("ramp-touches-itself-in-a-vertex", "The end of a flat ramp reaches a corner of its start.", {
            let open = ramp(11, 3, 0.0);
            let mut positions = open.positions().to_vec();
            positions[23] = p(2.0, 0.0, 0.0);
            Mesh::new(positions, open.triangles().to_vec()).expect("a ramp")
        }),
        (
            "ramp-falls-into-itself",
            "A ramp that rises once around, then falls steeply through its first floor.",
            {
                mapped(&ramp(24, 3, 0.25), |p| {
                    DVec3::new(p.x, p.y, if p.z > 1.0 { 1.0 - 1.5 * (p.z - 1.0) } else { p.z })
                })
            },
        ),
        ("band", "A band around an axis: no side is up.", twisted_band(16, 0)),
        ("moebius-band", "A band with half a turn.", twisted_band(16, 1)),
        ("twice-turned-band", "A band with two half turns.", twisted_band(16, 2)),
        ("three-times-turned-band", "A band with three half turns, coarse.", twisted_band(9, 3)),
        ("accordion", "Four layers folded onto each other in one plane.", accordion(4)),
    ]
}
