//! A fracture by itself moves nothing.

mod common;
use common::{block, world};
use fracas::geom::DVec3;
use fracas_rapier::BreakOptions;
use rapier3d::prelude::*;

#[test]
fn pieces_of_a_fresh_fracture_lie_still() {
    for seed in 0..6 {
        let (mut world, mut set) = world();
        world.gravity = Vector::ZERO;
        let mut options = BreakOptions::default();
        options.fracture.seed = seed;
        options.fracture.most_pieces = 12;
        let turn = Vector::new(0.3, 0.9, -0.2);
        let body = RigidBodyBuilder::dynamic().translation(Vector::new(1.0, 2.0, 3.0)).rotation(turn);
        let whole = set.insert(&mut world, &block([0.8, 0.4, 0.25], [8, 4, 3]), body, &options).unwrap();
        world.step();
        let point = set.pose(&world, whole).unwrap().apply(DVec3::new(0.4, 0.0, 0.0));
        let broken = set.strike(&mut world, whole, point, DVec3::new(-4000.0, 0.0, 0.0)).unwrap().unwrap();
        assert!(broken.pieces.len() >= 6, "{}", broken.pieces.len());
        let (mut fastest, mut contacts) = (0.0_f32, 0);
        for _ in 0..120 {
            set.step(&mut world).unwrap();
            for piece in &broken.pieces {
                let body = &world.bodies[piece.body];
                fastest = fastest.max(body.linvel().length()).max(body.angvel().length());
            }
            contacts = contacts
                .max(world.narrow_phase.contact_pairs().filter(|p| p.has_any_active_contact()).count());
        }
        assert!(contacts > 4 && fastest < 1e-3, "{contacts} {fastest}");
    }
}
