//! The solid as the theory of elasticity wants it.

use super::*;
use fracas::geom::DQuat;
use fracas::mesh::shapes;

const RUBBER: Material =
    Material { young: 1e5, poisson: 0.3, density: 1000.0, keep_volume: 0.0, viscosity: 0.0, drag: 0.0 };
const FREE: Drive<'_> = Drive { path: &|_, _| DVec3::ZERO, pull: &|_, _, _, _| DVec3::ZERO };

fn bar(material: Material) -> Elastic {
    let surface = shapes::brick(DVec3::new(1.0, 0.25, 0.25), 0.1);
    Elastic::new(&Nodes::inside(&surface, 160).unwrap(), material)
}

/// Sum of momenta and of their moments about the origin.
fn momenta(solid: &Elastic) -> [DVec3; 2] {
    let mut sums = [DVec3::ZERO; 2];
    for ((p, v), m) in solid.positions.iter().zip(&solid.velocities).zip(&solid.masses) {
        sums[0] += *v * *m;
        sums[1] += p.cross(*v * *m);
    }
    sums
}

/// Deforms the solid by waves and sets it into motion.
fn disturb(solid: &mut Elastic) {
    for (p, v) in solid.positions.iter_mut().zip(&mut solid.velocities) {
        *v = DVec3::new(0.3, (4.0 * p.x).cos(), (5.0 * p.y + 2.0 * p.x).sin()) * 0.5;
        *p += DVec3::new((6.0 * p.z).sin(), (3.0 * p.x).sin(), (4.0 * p.x).cos()) * 0.05;
    }
}

#[test]
fn at_rest_it_stays_at_rest() {
    let mut solid = bar(Material { keep_volume: 1.0, viscosity: 1e-3, ..RUBBER });
    for _ in 0..20 {
        solid.advance(1.0 / 60.0, &FREE);
    }
    for (p, x) in solid.positions.iter().zip(&solid.rest) {
        assert!(p.distance(*x) < 1e-9);
    }
    assert!(solid.transforms().iter().all(|t| t.abs_diff_eq(DAffine3::IDENTITY, 1e-7)));
}

#[test]
fn a_rotation_and_a_shift_cost_no_force() {
    let mut solid = bar(Material { keep_volume: 2.0, viscosity: 1e-3, ..RUBBER });
    let turn = DQuat::from_axis_angle(DVec3::new(1.0, 2.0, -0.5).normalize(), 2.1);
    let spin = DVec3::new(0.3, -1.0, 2.0);
    let moved: Vec<DVec3> = solid.rest.iter().map(|x| turn * *x + DVec3::new(5.0, 0.0, -3.0)).collect();
    let velocities: Vec<DVec3> = moved.iter().map(|y| spin.cross(*y) + DVec3::X).collect();
    let mut forces = vec![DVec3::ZERO; moved.len()];
    solid.forces(&moved, Some(&velocities), &mut forces);
    let scale = solid.material.young * 0.01;
    assert!(forces.iter().all(|f| f.length() < 1e-9 * scale), "{forces:?}");
    solid.positions = moved;
    for transform in solid.transforms() {
        assert!(transform.matrix3.abs_diff_eq(DMat3::from_quat(turn), 1e-9));
    }
}

#[test]
fn forces_are_the_slopes_of_the_energy() {
    let mut solid = bar(Material { keep_volume: 1.5, ..RUBBER });
    disturb(&mut solid);
    let mut forces = vec![DVec3::ZERO; solid.rest.len()];
    solid.forces(&solid.positions, None, &mut forces);
    let largest = forces.iter().map(|f| f.length()).fold(0.0, f64::max);
    for i in (0..solid.rest.len()).step_by(13) {
        for axis in DVec3::AXES {
            let energy = |step: f64| {
                let mut moved = solid.clone();
                moved.positions[i] += axis * step;
                moved.energy()
            };
            let slope = (energy(1e-6) - energy(-1e-6)) / 2e-6;
            assert!(
                (slope + forces[i].dot(axis)).abs() < 1e-5 * largest,
                "node {i}: {slope} and {}",
                forces[i]
            );
        }
    }
}

#[test]
fn momentum_is_kept_without_loads() {
    let mut solid = bar(Material { keep_volume: 1.0, viscosity: 1e-3, ..RUBBER });
    disturb(&mut solid);
    let before = momenta(&solid);
    for _ in 0..30 {
        solid.advance(1.0 / 60.0, &FREE);
    }
    let after = momenta(&solid);
    assert!(before[0].distance(after[0]) < 1e-9 * before[0].length(), "{before:?} {after:?}");
    // Angular momentum is kept by the forces; the integrator keeps it as well, for it moves nodes along their velocities.
    assert!(before[1].distance(after[1]) < 1e-6 * before[1].length(), "{before:?} {after:?}");
}

#[test]
fn energy_does_not_grow() {
    for viscosity in [0.0, 2e-3] {
        let mut solid = bar(Material { keep_volume: 1.0, viscosity, ..RUBBER });
        disturb(&mut solid);
        let begin = solid.energy();
        let mut energies = vec![begin];
        for frame in 0..120 {
            solid.advance(1.0 / 60.0, &FREE);
            let now = solid.energy();
            // Positions and velocities are half a step apart, so the sum swings by a few per cent.
            assert!(now < 1.1 * begin, "frame {frame}: {now} of {begin}");
            if viscosity > 0.0 {
                assert!(now < 1.01 * energies[frame], "frame {frame}: {now} after {}", energies[frame]);
            }
            energies.push(now);
        }
        let mean = |part: &[f64]| part.iter().sum::<f64>() / part.len() as f64;
        let share = mean(&energies[91..]) / mean(&energies[..30]);
        assert!(if viscosity > 0.0 { share < 0.5 } else { (0.97..1.02).contains(&share) }, "{share}");
    }
}

#[test]
fn a_pulled_bar_stretches_as_force_and_modulus_predict() {
    // In uniaxial tension without constraint, St. Venant–Kirchhoff has the nominal stress Y s (s² − 1) / 2 at the stretch s.
    let mut solid = bar(Material { viscosity: 4e-3, drag: 6.0, ..RUBBER });
    let volume: f64 = solid.volumes.iter().sum();
    let stretch = 1.25_f64;
    let force = 0.5 * RUBBER.young * stretch * (stretch * stretch - 1.0) * 0.25 * 0.25;
    // The ends are pulled in opposite directions, in proportion to mass.
    let reach = 0.5 - 0.13;
    let end_mass: f64 =
        (0..solid.rest.len()).filter(|&i| solid.rest[i].x > reach).map(|i| solid.masses[i]).sum();
    let rest = solid.rest.clone();
    let pull = move |i: usize, _: f64, _: DVec3, _: DVec3| {
        if rest[i].x.abs() > reach { DVec3::X * (rest[i].x.signum() * force / end_mass) } else { DVec3::ZERO }
    };
    for _ in 0..400 {
        solid.advance(1.0 / 60.0, &Drive { path: &|_, _| DVec3::ZERO, pull: &pull });
    }
    // Away from the ends the stretch is uniform.
    let middle: Vec<f64> = (0..solid.rest.len())
        .filter(|&i| solid.rest[i].x.abs() < 0.2)
        .map(|i| solid.transforms()[i].matrix3.x_axis.x)
        .collect();
    let mean = middle.iter().sum::<f64>() / middle.len() as f64;
    assert!((volume - 0.0625).abs() < 1e-9);
    assert!((mean - stretch).abs() < 0.02, "a stretch of {mean}, not {stretch}");
    // The sides come in: S is zero across, so that lateral strain is −ν times the axial one.
    let across = 1.0 - RUBBER.poisson * (stretch * stretch - 1.0);
    let side: f64 = (0..solid.rest.len())
        .filter(|&i| solid.rest[i].x.abs() < 0.2)
        .map(|i| solid.transforms()[i].matrix3.y_axis.y)
        .sum::<f64>()
        / middle.len() as f64;
    assert!((side - across.sqrt()).abs() < 0.02, "{side}, not {}", across.sqrt());
}

#[test]
fn held_nodes_go_where_they_are_told() {
    let mut solid = bar(Material { viscosity: 2e-3, drag: 3.0, ..RUBBER });
    solid.hold(|x| x.x.abs() > 0.35);
    let rest = solid.rest.clone();
    let path = |i: usize, seconds: f64| rest[i] + DVec3::X * (rest[i].x.signum() * 0.1 * seconds);
    for _ in 0..60 {
        solid.advance(1.0 / 60.0, &Drive { path: &path, pull: &|_, _, _, _| DVec3::ZERO });
    }
    for i in 0..rest.len() {
        if solid.is_held(i) {
            assert!(solid.positions[i].distance(path(i, 1.0)) < 1e-9);
        } else {
            assert!(
                (solid.positions[i].x - rest[i].x * 1.24).abs() < 0.06,
                "{} {}",
                solid.positions[i],
                rest[i]
            );
        }
    }
}
