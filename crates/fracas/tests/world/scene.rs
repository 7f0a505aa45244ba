//! A world beside a plain record of what is in it: meshes, poses and nothing else. The record is the oracle's.

use fracas::brittle::{BrittleBody, FragmentId, Solid, SolidOptions};
use fracas::exact::{Relation, tri_tri};
use fracas::geom::{Box3, DAffine3, DMat3, DQuat, Triangle};
use fracas::internal::Random;
use fracas::kinetic::{KineticBody, Plan, Plans};
use fracas::mesh::tets::brick;
use fracas::mesh::{Influence, LiveMesh, MeshEdit, Skin, TriangleId, shapes};
use fracas::skinned::{SkinOptions, SkinnedBody};
use fracas::world::{Ask, Body, BodyId, Settings, World, WorldOptions};
use fracas::{DVec3, Mesh, MeshTree, Pair, Pose};
use std::collections::BTreeMap;
use std::sync::Arc;

/// What a body is, without any structure.
#[derive(Clone)]
pub enum Thing {
    /// Triangles by id; some may be gone.
    Mesh(LiveMesh),
    Planned(Vec<[u32; 3]>, Plans),
    Skinned(Arc<Skin>, Vec<DAffine3>),
    Fragment(usize, FragmentId),
}

/// Triangles by id.
type Triangles = Vec<(u32, Triangle)>;

pub struct Scene {
    pub world: World,
    pub things: BTreeMap<BodyId, (Thing, Pose)>,
    pub brittle: Vec<BrittleBody>,
    pub random: Random,
    shared: Arc<MeshTree>,
    skin: Arc<Skin>,
    solid: Arc<Solid>,
    /// The side of the cube that bodies are in.
    room: f64,
    /// How many triangles bodies have: 1 for few, 2 for about five hundred.
    detail: u32,
}

impl Scene {
    pub fn new(options: WorldOptions, seed: u64, room: f64) -> Self {
        Self::with_detail(options, seed, room, 1)
    }

    pub fn with_detail(options: WorldOptions, seed: u64, room: f64, detail: u32) -> Self {
        let rest = shapes::capsule(0.2, 1.0, 12 * detail as usize);
        let weights = rest.positions().iter().map(|p| {
            let share = (p.z + 0.8).clamp(0.0, 1.6) / 1.6;
            [(0, 1.0 - share), (1, share)].map(|(node, weight)| Influence { node, weight })
        });
        let skin = Arc::new(Skin::new(rest.clone(), 2, weights).expect("weights that sum to one"));
        let solid =
            Solid::build(brick(DVec3::splat(0.8), [3, 3, 3]), &SolidOptions::default()).expect("a cube");
        Self {
            world: World::new(options),
            things: BTreeMap::new(),
            brittle: vec![],
            random: Random::new(seed),
            shared: Arc::new(MeshTree::build(shapes::torus(0.4, 0.15, 12 * detail as usize))),
            skin,
            solid: Arc::new(solid),
            room,
            detail,
        }
    }

    pub fn pose(&mut self) -> Pose {
        let room = self.room;
        let random = &mut self.random;
        let turn = turn(random, 1.0);
        let place = DVec3::new(random.unit(), random.unit(), random.unit()) * room;
        Pose::new(turn, place).expect("finite numbers")
    }

    fn pick(&mut self, accepts: impl Fn(&Thing) -> bool) -> Option<BodyId> {
        let fitting: Vec<BodyId> =
            self.things.iter().filter(|(_, (thing, _))| accepts(thing)).map(|(id, _)| *id).collect();
        if fitting.is_empty() { None } else { Some(fitting[self.random.below(fitting.len())]) }
    }

    /// Puts a body of a random kind somewhere.
    pub fn insert(&mut self, own: Ask) -> BodyId {
        let pose = self.pose();
        let settings = Settings { own, ..Settings::default() };
        let kind = self.random.below(6);
        let (body, thing) = match kind {
            0 => (Body::from(self.shared.clone()), Thing::Mesh(LiveMesh::new(self.shared.mesh().clone()))),
            1 => {
                let mesh = shapes::noisy_sphere(120 * self.detail.pow(2) as usize, 0.2, self.random.bits());
                (Body::from(mesh.clone()), Thing::Mesh(LiveMesh::new(mesh)))
            }
            2 => {
                let cells = 7 * self.detail as usize;
                let mesh = shapes::cloth_grid(cells, cells, [1.2, 1.2]);
                (Body::from(mesh.clone()), Thing::Mesh(LiveMesh::new(mesh)))
            }
            3 => {
                let mesh = shapes::icosphere(0.4, self.detail);
                let plans = self.plans(&mesh);
                let body = KineticBody::new(mesh.triangles().to_vec(), plans.clone()).expect("sound plans");
                (Body::from(body), Thing::Planned(mesh.triangles().to_vec(), plans))
            }
            4 => {
                let body =
                    SkinnedBody::new((*self.skin).clone(), &SkinOptions::default()).expect("a small skin");
                (Body::from(body), Thing::Skinned(self.skin.clone(), vec![DAffine3::IDENTITY; 2]))
            }
            _ => {
                let body = BrittleBody::new(self.solid.clone());
                let place = self.brittle.len();
                self.brittle.push(body.clone());
                let ids = self.world.insert_brittle(body, &pose, settings);
                let fragment = self.brittle[place].fragments().next().expect("a body has one");
                self.things.insert(ids[0], (Thing::Fragment(place, fragment), pose));
                return ids[0];
            }
        };
        let id = self.world.insert(body.at(&pose).with(settings));
        self.things.insert(id, (thing, pose));
        id
    }

    /// Plans from now on: keys that wobble.
    fn plans(&mut self, mesh: &Mesh) -> Plans {
        let now = self.world.time();
        let frames = (0..4).map(|_| self.wobbled(mesh.positions(), 0.2)).collect();
        let mut plans = Plans::keyframes((0..4).map(|k| now + 0.35 * f64::from(k)).collect(), frames)
            .expect("sound keys");
        plans.advance_to(now).expect("the first key");
        plans
    }

    fn wobbled(&mut self, positions: &[DVec3], by: f64) -> Vec<DVec3> {
        let random = &mut self.random;
        let shift = DVec3::new(random.signed(), random.signed(), random.signed()) * by;
        let (push, wave) = (random.signed() * by, random.unit());
        positions.iter().map(|p| *p + shift + DVec3::Z * push * zigzag(4.0 * p.x + wave)).collect()
    }

    /// Does something at random, to the world and to the record alike.
    pub fn act(&mut self) {
        match self.random.below(10) {
            0..3 => {
                let Some(id) = self.pick(|_| true) else { return };
                let pose = if self.random.below(2) == 0 { self.pose() } else { self.nudged(id) };
                self.world.set_pose(id, &pose).expect("a pose nearby");
                self.things.get_mut(&id).expect("picked").1 = pose;
            }
            3 | 4 => {
                let Some(id) = self.pick(|thing| matches!(thing, Thing::Mesh(_))) else { return };
                let Thing::Mesh(mesh) = self.things[&id].0.clone() else { return };
                let moved = self.wobbled(mesh.positions(), 0.1);
                self.world.set_positions(id, &moved).expect("as many positions");
                let Thing::Mesh(mesh) = &mut self.things.get_mut(&id).expect("picked").0 else { return };
                mesh.set_positions(&moved).expect("as many positions");
            }
            5 => self.edit(),
            6 => self.replan(),
            7 => {
                let Some(id) = self.pick(|thing| matches!(thing, Thing::Skinned(..))) else { return };
                let turn = DMat3::from_quat(turn(&mut self.random, 0.5));
                let bones = vec![DAffine3::IDENTITY, DAffine3::from_mat3(turn)];
                self.world.set_transforms(id, &bones).expect("two bones");
                let Thing::Skinned(_, known) = &mut self.things.get_mut(&id).expect("picked").0 else {
                    return;
                };
                *known = bones;
            }
            8 => self.crack(),
            _ => {
                let Some(id) = self.pick(|thing| matches!(thing, Thing::Mesh(_))) else { return };
                if self.random.below(3) == 0 {
                    let mesh = shapes::noisy_sphere(80, 0.3, self.random.bits());
                    self.world.set_mesh(id, mesh.clone()).expect("a mesh may be replaced");
                    self.things.get_mut(&id).expect("picked").0 = Thing::Mesh(LiveMesh::new(mesh));
                }
            }
        }
    }

    fn nudged(&mut self, id: BodyId) -> Pose {
        let random = &mut self.random;
        let by = DVec3::new(random.signed(), random.signed(), random.signed()) * 0.05;
        let turn = turn(random, 0.05);
        Pose::new(turn, by).expect("small").after(&self.things[&id].1)
    }

    /// Removes a few triangles, and divides one.
    fn edit(&mut self) {
        let Some(id) = self.pick(|thing| matches!(thing, Thing::Mesh(_))) else { return };
        let Thing::Mesh(mut mesh) = self.things[&id].0.clone() else { return };
        let live: Vec<TriangleId> = mesh.live_triangles().collect();
        if live.len() < 20 {
            return;
        }
        let mut edit = MeshEdit::default();
        let gone = live[self.random.below(live.len())];
        let divided = live[self.random.below(live.len())];
        if gone != divided {
            edit.remove(gone);
        }
        let [a, b, c] = mesh.corners(divided);
        let centre = mesh.vertex_count() as u32;
        edit.new_positions.push(mesh.triangle(divided).centroid());
        edit.replace(divided, [[a, b, centre], [b, c, centre], [c, a, centre]]);
        mesh.apply(&edit).expect("an edit of live triangles");
        self.world.apply(id, &edit).expect("an edit of live triangles");
        self.things.get_mut(&id).expect("picked").0 = Thing::Mesh(mesh);
    }

    fn replan(&mut self) {
        let Some(id) = self.pick(|thing| matches!(thing, Thing::Planned(..))) else { return };
        let Thing::Planned(triangles, mut plans) = self.things[&id].0.clone() else { return };
        match self.random.below(3) {
            0 => {
                // It leaves its plan.
                let mut now = vec![];
                plans.positions_at(self.world.time(), &mut now);
                let moved = self.wobbled(&now, 0.1);
                self.world.set_positions(id, &moved).expect("as many positions");
                let mesh = Mesh::new(moved, triangles).expect("a sound mesh");
                self.things.get_mut(&id).expect("picked").0 = Thing::Mesh(LiveMesh::new(mesh));
            }
            1 => {
                let change = [(3, Plan::Velocity(DVec3::new(0.1, 0.0, 0.2)))];
                plans.advance_to(self.world.time()).expect("time goes on");
                plans.change(&change).expect("a vertex that is there");
                self.world.change_plans(id, &change).expect("a vertex that is there");
                self.things.get_mut(&id).expect("picked").0 = Thing::Planned(triangles, plans);
            }
            _ => {
                let mut now = vec![];
                plans.positions_at(self.world.time(), &mut now);
                let plans = self.plans(&Mesh::new(now, triangles.clone()).expect("a sound mesh"));
                self.world.set_plans(id, plans.clone()).expect("plans that fit");
                self.things.get_mut(&id).expect("picked").0 = Thing::Planned(triangles, plans);
            }
        }
    }

    fn crack(&mut self) {
        let Some(id) = self.pick(|thing| matches!(thing, Thing::Fragment(..))) else { return };
        let (Thing::Fragment(place, fragment), pose) = self.things[&id].clone() else { return };
        let body = &mut self.brittle[place];
        let nodes = body.fragment(fragment).expect("a live fragment").nodes().to_vec();
        if nodes.len() < 8 {
            return;
        }
        let axis = self.random.below(3);
        let positions = body.solid().mesh().positions();
        let mut order: Vec<f64> = nodes.iter().map(|&node| positions[node as usize][axis]).collect();
        order.sort_by(f64::total_cmp);
        let middle = order[order.len() / 2];
        let labels: Vec<u32> =
            nodes.iter().map(|&n| u32::from(positions[n as usize][axis] >= middle)).collect();
        let weights = vec![1.0; nodes.len()];
        let made = body.split(fragment, &labels, &weights).expect("one label per node");
        let ids = self.world.split(id, &labels, &weights).expect("one label per node");
        assert_eq!(ids.len(), made.len());
        self.things.remove(&id);
        for (id, fragment) in ids.into_iter().zip(made) {
            self.things.insert(id, (Thing::Fragment(place, fragment), pose));
        }
    }

    pub fn remove_some(&mut self) {
        let Some(id) = self.pick(|_| true) else { return };
        self.world.remove(id).expect("a body that is there");
        assert!(self.world.remove(id).is_err(), "it is gone");
        self.things.remove(&id);
    }

    /// Where the record says that the triangles of a body are.
    pub fn triangles(&self, id: BodyId) -> Triangles {
        let (thing, pose) = &self.things[&id];
        let of_mesh = |mesh: &Mesh| -> Triangles {
            (0..mesh.triangle_count() as u32).map(|t| (t, mesh.triangle(TriangleId(t)))).collect()
        };
        let all = match thing {
            Thing::Mesh(mesh) => mesh.live_triangles().map(|t| (t.0, mesh.triangle(t))).collect(),
            Thing::Planned(triangles, plans) => {
                let mut now = vec![];
                plans.positions_at(self.world.time(), &mut now);
                of_mesh(&Mesh::new(now, triangles.clone()).expect("a sound mesh"))
            }
            Thing::Skinned(skin, bones) => {
                let mesh = Mesh::new(skin.evaluate(bones), skin.rest().triangles().to_vec());
                of_mesh(&mesh.expect("a sound mesh"))
            }
            Thing::Fragment(place, fragment) => {
                of_mesh(&self.brittle[*place].surface(*fragment).expect("a live fragment").0)
            }
        };
        all.into_iter().map(|(t, triangle)| (t, pose.apply_to_triangle(&triangle))).collect()
    }

    /// Takes a step without any time, and compares its pairs.
    pub fn check_pairs_now(&mut self, operation: usize) -> usize {
        self.world.step(0.0).expect("a sound step");
        self.check_pairs(&format!("operation {operation}"))
    }

    /// Compares all pairs of the last report with those of every two triangles.
    pub fn check_pairs(&self, what: &str) -> usize {
        let all: Vec<(BodyId, Triangles, Box3)> = self
            .things
            .keys()
            .map(|&id| {
                let triangles = self.triangles(id);
                let bounds = Box3::from_points(triangles.iter().flat_map(|(_, t)| t.corners()));
                (id, triangles, bounds)
            })
            .collect();
        let mut found = 0;
        for (k, (a, of_a, box_a)) in all.iter().enumerate() {
            for (b, of_b, box_b) in &all[k + 1..] {
                let mut expected = vec![];
                if box_a.overlaps(box_b) {
                    let near_b: Vec<_> = of_b.iter().filter(|(_, u)| u.bounds().overlaps(box_a)).collect();
                    for (i, t) in of_a.iter().filter(|(_, t)| t.bounds().overlaps(box_b)) {
                        for (j, u) in &near_b {
                            if t.bounds().overlaps(&u.bounds()) && tri_tri(t, u) != Relation::Disjoint {
                                expected.push(Pair::new(*i, *j));
                            }
                        }
                    }
                }
                expected.sort_unstable();
                let meeting = self.world.report().meeting(*a, *b);
                let given = meeting.map_or(&[][..], |meeting| meeting.pairs);
                assert!(
                    given == expected,
                    "{what}: bodies {a:?} and {b:?}: {} pairs, not {}",
                    given.len(),
                    expected.len()
                );
                // A body inside another touches it without a pair.
                let touches = meeting.is_some_and(|meeting| meeting.touches);
                assert!(touches != expected.is_empty() || touches && self.world.options().ask.touch);
                found += expected.len();
            }
        }
        found
    }
}

/// A rotation by square roots alone, which are the same on every machine. `far` from 0 to 1.
fn turn(random: &mut Random, far: f64) -> DQuat {
    let [x, y, z] = [0; 3].map(|_| random.signed() * far);
    DQuat::from_xyzw(x, y, z, 0.5).normalize()
}

fn zigzag(x: f64) -> f64 {
    2.0 * (x - x.round()).abs()
}
