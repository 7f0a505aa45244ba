//! A box falls on a box, and a ring on a peg: a plain sequential-impulse solver brings them to rest by the contacts of `find_contacts`.
//!
//! `cargo run --release -p fracas --example rest`

use fracas::geom::{DMat3, DQuat, DVec3, Pose};
use fracas::mesh::{MassProperties, Mesh, TriangleId, shapes};
use fracas::{Contact, ContactError, Finder, MeshTree};

const STEP: f64 = 1.0 / 240.0;
const FRICTION: f64 = 0.5;

/// A body that moves, with its centre of mass at the origin of its mesh.
pub(crate) struct Body {
    tree: MeshTree,
    mass: f64,
    inertia: DMat3,
    pub(crate) centre: DVec3,
    pub(crate) turn: DQuat,
    pub(crate) velocity: DVec3,
    pub(crate) spin: DVec3,
}

impl Body {
    pub(crate) fn new(mesh: Mesh, centre: DVec3, turn: DQuat) -> Self {
        let triangles = (0..mesh.triangle_count() as u32).map(|t| mesh.triangle(TriangleId(t)));
        let MassProperties { volume, inertia, .. } = MassProperties::inside(triangles).expect("a solid");
        let (velocity, spin) = (DVec3::ZERO, DVec3::ZERO);
        Self { tree: MeshTree::build(mesh), mass: volume, inertia, centre, turn, velocity, spin }
    }

    /// Moves the body by one step, on and around another that stands still. Returns the depth of the deepest contact.
    pub(crate) fn step(&mut self, ground: &MeshTree, finder: &mut Finder) -> Result<f64, ContactError> {
        self.velocity -= DVec3::Z * 9.81 * STEP;
        let pose = Pose::new(self.turn, self.centre).expect("finite");
        let contacts = finder.find_contacts(ground, self.tree.at(&pose))?;
        let turn = pose.rotation();
        let inverse = turn * self.inertia.inverse() * turn.transpose();
        let mut impulses = vec![[0.0_f64; 3]; contacts.len()];
        for _ in 0..20 {
            for (contact, impulse) in contacts.iter().zip(&mut impulses) {
                self.push(contact, impulse, inverse);
            }
        }
        self.centre += self.velocity * STEP;
        self.turn = (DQuat::from_scaled_axis(self.spin * STEP) * self.turn).normalize();
        Ok(contacts.iter().map(|contact| contact.depth).fold(0.0, f64::max))
    }

    /// Impulses at one contact: along the normal, never pulling, and against sliding, up to the limit of friction.
    fn push(&mut self, contact: &Contact, impulse: &mut [f64; 3], inverse: DMat3) {
        let arm = contact.points[1] - self.centre;
        let (u, v) = contact.normal.any_orthonormal_pair();
        // A part of the overlap is pushed out in every step, but for a little that keeps the contact alive.
        let push_out = (0.1 * (contact.depth - 0.001).max(0.0) / STEP).min(1.0);
        for (k, (way, wanted)) in [(contact.normal, push_out), (u, 0.0), (v, 0.0)].into_iter().enumerate() {
            let lever = arm.cross(way);
            let ease = 1.0 / self.mass + (inverse * lever).dot(lever);
            let speed = (self.velocity + self.spin.cross(arm)).dot(way);
            let (low, high) =
                if k == 0 { (0.0, f64::INFINITY) } else { (-FRICTION * impulse[0], FRICTION * impulse[0]) };
            let sum = (impulse[k] + (wanted - speed) / ease).clamp(low, high);
            let change = sum - impulse[k];
            impulse[k] = sum;
            self.velocity += way * (change / self.mass);
            self.spin += inverse * lever * change;
        }
    }
}

/// What falls on what.
pub(crate) fn scenes() -> [(&'static str, MeshTree, Body); 2] {
    let table = MeshTree::build(shapes::cuboid(DVec3::new(4.0, 4.0, 1.0)));
    let tilted = DQuat::from_rotation_x(0.3) * DQuat::from_rotation_y(0.2);
    let cube = Body::new(shapes::cuboid(DVec3::ONE), DVec3::new(0.1, 0.2, 2.0), tilted);
    let stand = [[0.0, -0.5], [3.0, -0.5], [3.0, 0.0], [0.3, 0.0], [0.3, 1.5], [0.0, 1.5]];
    let peg = MeshTree::build(shapes::surface_of_revolution(&stand, 48));
    let ring = Body::new(shapes::torus(1.0, 0.3, 48), DVec3::new(0.5, 0.1, 2.0), DQuat::from_rotation_x(0.2));
    [("a box on a box", table, cube), ("a ring on a peg", peg, ring)]
}

fn main() -> Result<(), ContactError> {
    let mut finder = Finder::default();
    for (name, ground, mut body) in scenes() {
        println!("{name}");
        for k in 1..=1440 {
            let depth = body.step(&ground, &mut finder)?;
            if k % 120 == 0 {
                let (speed, spin) = (body.velocity.length(), body.spin.length());
                let height = body.centre.z;
                println!(
                    "{:5.1} s: height {height:.4}, speed {speed:.4}, spin {spin:.4}, depth {depth:.4}",
                    f64::from(k) * STEP
                );
            }
        }
    }
    Ok(())
}
