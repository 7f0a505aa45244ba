//! A world written down, and read again.
//!
//! A snapshot holds what bodies are and where: meshes, plans, weights, fractures. Structures are rebuilt from it. A report does not depend on
//! them, so a restored world goes on as the first one does, bit for bit. It is also what makes a snapshot safe to read: every index and number
//! goes through the same checks as when a body is made.
//!
//! Trees that bodies share are written once, and shared again.
//!
//! # Versions
//!
//! [`Snapshot::VERSION`] grows when the layout changes. Other versions are refused by name.

use super::body::{Brittle, Kept};
use super::choice::History;
use super::report::Entry;
use super::{Ask, BodyId, Keep, Member, Pending, Settings, Slot, World, WorldOptions};
use crate::brittle::{BrittleBody, Fracture, FragmentId, Solid, SolidOptions};
use crate::find::FindOptions;
use crate::geom::{DAffine3, DVec3, Pose};
use crate::kinetic::{DrivenBody, KineticBody, PlansState};
use crate::mesh::tets::TetMesh;
use crate::mesh::{Influence, LiveMesh, Mesh, Skin, TriangleId};
use crate::pairs::{Touch, Twins};
use crate::skinned::{SkinOptions, SkinnedBody};
use crate::tearing::{TearingBody, TearingOptions};
use crate::tree::MeshTree;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A world as it was between two steps. Any format of serde can write it that keeps `f64` exactly.
///
/// ```
/// use fracas::world::{Ask, Snapshot, World, WorldOptions};
/// use fracas::{DVec3, Pose, mesh::shapes};
/// let mut world = World::new(WorldOptions { ask: Ask::PAIRS, ..WorldOptions::default() });
/// let [_, ball] = [0, 1].map(|_| world.insert(shapes::icosphere(1.0, 2)));
/// world.step(0.1)?;
/// let text = serde_json::to_string(&world.snapshot())?;
/// let mut again = World::restore(&serde_json::from_str::<Snapshot>(&text)?)?;
/// for world in [&mut world, &mut again] {
///     world.set_pose(ball, &Pose::from_translation(DVec3::X).unwrap())?;
///     world.step(0.1)?;
/// }
/// assert_eq!(world.report().digest(), again.report().digest());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Snapshot {
    version: u32,
    world: u32,
    ask: Ask,
    touch: Touch,
    twins: Twins,
    time: f64,
    step: u64,
    sweeps: bool,
    slots: Vec<SlotState>,
    free: Vec<u32>,
    trees: Vec<MeshState>,
    solids: Vec<SolidState>,
    brittle: Vec<Option<BrittleState>>,
    asks: Vec<([BodyId; 2], Ask)>,
    touching: Vec<[BodyId; 2]>,
}

#[derive(Clone, Debug, Deserialize, Serialize)]
struct SlotState {
    generation: u32,
    member: Option<MemberState>,
}

#[derive(Clone, Debug, Deserialize, Serialize)]
struct MemberState {
    kept: KeptState,
    pose: Pose,
    before: Pose,
    settings: Settings,
    pending: Option<PendingState>,
    changed: bool,
    changed_in: u64,
    is_active: bool,
    history: History,
}

#[derive(Clone, Debug, Deserialize, Serialize)]
enum PendingState {
    Positions(Vec<DVec3>),
    Transforms(Vec<DAffine3>),
}

#[derive(Clone, Debug, Deserialize, Serialize)]
struct MeshState {
    positions: Vec<DVec3>,
    triangles: Vec<[u32; 3]>,
}

#[derive(Clone, Debug, Deserialize, Serialize)]
enum KeptState {
    Soup(MeshState),
    /// By its place among the trees.
    Tree(u32),
    Driven(MeshState),
    Tearing {
        mesh: LiveMesh,
        options: TearingOptions,
        pieces: Vec<u32>,
    },
    Kinetic {
        triangles: Vec<[u32; 3]>,
        removed: Vec<u32>,
        plans: PlansState,
    },
    Skinned {
        rest: MeshState,
        nodes: usize,
        influences: Vec<Vec<Influence>>,
        options: SkinOptions,
        transforms: Vec<DAffine3>,
    },
    Fragment {
        brittle: u32,
        fragment: FragmentId,
    },
}

#[derive(Clone, Debug, Deserialize, Serialize)]
struct SolidState {
    positions: Vec<DVec3>,
    tets: Vec<[u32; 4]>,
    options: SolidOptions,
}

#[derive(Clone, Debug, Deserialize, Serialize)]
struct BrittleState {
    solid: u32,
    fractures: Vec<Fracture>,
}

/// Why a snapshot cannot be restored.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RestoreError {
    /// It was written by another version.
    #[error("the snapshot has version {found}, and this library reads version {}", Snapshot::VERSION)]
    Version {
        /// The version of the snapshot.
        found: u32,
    },
    /// Something in it does not fit together.
    #[error("the snapshot is broken: {0}")]
    Broken(String),
}

impl Snapshot {
    /// The version that this library writes and reads.
    pub const VERSION: u32 = 1;
}

/// What two snapshots of one world may share, by address.
struct Shared<'a, T> {
    known: Vec<(*const T, u32)>,
    items: Vec<&'a Arc<T>>,
}

impl<'a, T> Shared<'a, T> {
    fn new() -> Self {
        Self { known: vec![], items: vec![] }
    }

    fn place(&mut self, item: &'a Arc<T>) -> u32 {
        let address = Arc::as_ptr(item);
        match self.known.binary_search_by_key(&address, |known| known.0) {
            Ok(place) => self.known[place].1,
            Err(place) => {
                self.items.push(item);
                let number = self.items.len() as u32 - 1;
                self.known.insert(place, (address, number));
                number
            }
        }
    }
}

impl World {
    /// The world as it is now. Steps, bodies and questions that follow do not change the snapshot.
    ///
    /// # Cost
    /// A copy of all meshes.
    #[must_use]
    pub fn snapshot(&self) -> Snapshot {
        let (mut trees, mut solids) = (Shared::new(), Shared::new());
        let slots = self.slots.iter().map(|slot| SlotState {
            generation: slot.generation,
            member: slot.member.as_deref().map(|member| member.state(&mut trees)),
        });
        let slots = slots.collect();
        let brittle = self.brittle.iter().map(|brittle| {
            let body = &brittle.as_ref()?.body;
            Some(BrittleState { solid: solids.place(body.solid()), fractures: body.history().to_vec() })
        });
        let brittle = brittle.collect();
        let solid = |solid: &&Arc<Solid>| SolidState {
            positions: solid.mesh().positions().to_vec(),
            tets: solid.mesh().tets().to_vec(),
            options: *solid.options(),
        };
        Snapshot {
            version: Snapshot::VERSION,
            world: self.tag,
            ask: self.options.ask,
            touch: self.options.find.touch,
            twins: self.options.find.twins,
            time: self.time,
            step: self.report.step,
            sweeps: self.sweeps,
            slots,
            free: self.free.clone(),
            trees: trees.items.iter().map(|tree| MeshState::of(tree.mesh())).collect(),
            solids: solids.items.iter().map(solid).collect(),
            brittle,
            asks: self.asks.iter().map(|(bodies, ask)| (*bodies, *ask)).collect(),
            touching: self.report.touching().collect(),
        }
    }

    /// The world that a snapshot shows. It knows the ids that the first one gave out. Threads are not part of it: see [`World::set_options`].
    ///
    /// # Errors
    /// A snapshot of another version, or one that does not fit together.
    ///
    /// # Cost
    /// That of building all structures.
    pub fn restore(snapshot: &Snapshot) -> Result<Self, RestoreError> {
        if snapshot.version != Snapshot::VERSION {
            return Err(RestoreError::Version { found: snapshot.version });
        }
        Self::rebuild(snapshot).map_err(RestoreError::Broken)
    }

    fn rebuild(snapshot: &Snapshot) -> Result<Self, String> {
        let Snapshot { touch, twins, ask, .. } = *snapshot;
        let find = FindOptions { touch, twins, ..FindOptions::default() };
        let mut world = Self::new(WorldOptions { ask, find });
        world.tag = snapshot.world;
        if !(snapshot.time >= 0.0 && snapshot.time <= crate::kinetic::LARGEST_TIME) {
            return Err(format!("its time is {}", snapshot.time));
        }
        (world.time, world.sweeps, world.report.step) = (snapshot.time, snapshot.sweeps, snapshot.step);
        let trees = snapshot.trees.iter().map(|mesh| Ok(Arc::new(MeshTree::build(mesh.restore()?))));
        let trees = trees.collect::<Result<Vec<_>, String>>()?;
        let solids = snapshot.solids.iter().map(SolidState::restore).collect::<Result<Vec<_>, String>>()?;
        for state in &snapshot.brittle {
            let body = state.as_ref().map(|state| state.restore(&solids)).transpose()?;
            world.brittle.push(body.map(|body| Brittle { body, users: 0 }));
        }
        for state in &snapshot.slots {
            let member =
                state.member.as_ref().map(|member| member.restore(&trees, &mut world.brittle)).transpose()?;
            world.count += usize::from(member.is_some());
            world.slots.push(Slot { generation: state.generation, member: member.map(Box::new) });
        }
        world.restore_lists(snapshot)?;
        if world.brittle.iter().flatten().any(|brittle| brittle.users == 0) {
            return Err("a brittle body has no fragment in the world".into());
        }
        Ok(world)
    }

    /// Free places, questions, and what touched in the last step; then the boxes of all bodies.
    fn restore_lists(&mut self, snapshot: &Snapshot) -> Result<(), String> {
        let mut is_free = vec![false; self.slots.len()];
        for &slot in &snapshot.free {
            let is_empty = self.slots.get(slot as usize).is_some_and(|slot| slot.member.is_none());
            if !is_empty || std::mem::replace(&mut is_free[slot as usize], true) {
                return Err(format!("place {slot} is not free"));
            }
        }
        self.free.clone_from(&snapshot.free);
        for (bodies, ask) in &snapshot.asks {
            let [a, b] = *bodies;
            if a > b {
                return Err(format!("bodies {a:?} and {b:?} of a question are not in order"));
            }
            self.ask(a, b, *ask).map_err(|error| error.to_string())?;
        }
        if !snapshot.touching.is_sorted() || snapshot.touching.iter().flatten().any(|id| id.world != self.tag)
        {
            return Err("the bodies that touched are not in order".into());
        }
        let nothing = self.report.found.begin([BodyId { slot: 0, generation: 0, world: self.tag }; 2]);
        let entries =
            snapshot.touching.iter().map(|&bodies| Entry { bodies, touches: true, ..nothing.clone() });
        self.report.found.meetings = entries.collect();
        self.margin = self.find_margin().map_err(|error| error.to_string())?;
        for slot in 0..self.slots.len() as u32 {
            let Some(member) = self.slots[slot as usize].member.as_deref() else { continue };
            if member.is_active {
                self.active.push(slot);
            }
            self.place(slot, None).map_err(|error| error.to_string())?;
        }
        Ok(())
    }
}

impl Member {
    fn state<'a>(&'a self, trees: &mut Shared<'a, MeshTree>) -> MemberState {
        let kept = match &self.kept {
            Kept::Soup(mesh) => KeptState::Soup(MeshState::of(mesh)),
            Kept::Tree(tree) => KeptState::Tree(trees.place(tree)),
            Kept::Driven(body) => KeptState::Driven(MeshState {
                positions: body.positions().to_vec(),
                triangles: body.triangles().to_vec(),
            }),
            Kept::Tearing(body) => {
                let mut pieces = vec![0; body.mesh().slot_count()];
                for (number, piece) in (0..).zip(body.pieces()) {
                    piece.triangles().iter().for_each(|t| pieces[t.index()] = number);
                }
                KeptState::Tearing { mesh: body.mesh().clone(), options: *body.options(), pieces }
            }
            Kept::Kinetic(body) => {
                let all = 0..body.triangles().len() as u32;
                KeptState::Kinetic {
                    triangles: body.triangles().to_vec(),
                    removed: all.filter(|&t| !body.has_triangle(TriangleId(t))).collect(),
                    plans: body.plans().into(),
                }
            }
            Kept::Skinned(body) => {
                let skin = body.skin();
                KeptState::Skinned {
                    rest: MeshState::of(skin.rest()),
                    nodes: skin.node_count(),
                    influences: (0..skin.rest().vertex_count())
                        .map(|v| skin.influences(v).to_vec())
                        .collect(),
                    options: *body.options(),
                    transforms: body.transforms().to_vec(),
                }
            }
            &Kept::Fragment { brittle, fragment } => KeptState::Fragment { brittle, fragment },
        };
        let pending = self.pending.clone().map(|pending| match pending {
            Pending::Positions(list) => PendingState::Positions(list),
            Pending::Transforms(list) => PendingState::Transforms(list),
        });
        let Self { pose, before, settings, changed, changed_in, is_active, history, .. } = *self;
        MemberState { kept, pose, before, settings, pending, changed, changed_in, is_active, history }
    }
}

impl MemberState {
    fn restore(&self, trees: &[Arc<MeshTree>], brittle: &mut [Option<Brittle>]) -> Result<Member, String> {
        let kept = self.kept.restore(trees, brittle)?;
        if let Some(reach) = self.settings.own.bad_reach() {
            return Err(format!("a body asks about itself within {reach}"));
        }
        let pending = match (&self.pending, &kept) {
            (None, _) => None,
            (Some(PendingState::Transforms(list)), Kept::Skinned(body)) => {
                body.skin().check_transforms(list).map_err(|error| error.to_string())?;
                Some(Pending::Transforms(list.clone()))
            }
            (Some(PendingState::Positions(list)), kept)
                if !matches!(kept.keep(), Keep::Skinned | Keep::Fragment) =>
            {
                let _fits = kept.view(&[]).to_positions(list).map_err(|error| error.to_string())?;
                Some(Pending::Positions(list.clone()))
            }
            _ => return Err("a motion that waits is not one that its body can do".into()),
        };
        let Self { pose, before, settings, changed, changed_in, is_active, history, .. } = *self;
        Ok(Member {
            kept,
            pose,
            settings,
            proxies: vec![],
            before,
            pending,
            changed,
            changed_in,
            is_active,
            history,
            ball: None,
        })
    }
}

impl KeptState {
    fn restore(&self, trees: &[Arc<MeshTree>], brittle: &mut [Option<Brittle>]) -> Result<Kept, String> {
        Ok(match self {
            Self::Soup(mesh) => Kept::Soup(mesh.restore()?),
            Self::Tree(number) => {
                let tree = trees.get(*number as usize).ok_or_else(|| format!("there is no tree {number}"))?;
                Kept::Tree(tree.clone())
            }
            Self::Driven(mesh) => Kept::Driven(Box::new(DrivenBody::new(mesh.restore()?))),
            Self::Tearing { mesh, options, pieces } => {
                mesh.validate()?;
                let body = TearingBody::restore(mesh.clone(), *options, pieces);
                Kept::Tearing(Box::new(body.map_err(|error| error.to_string())?))
            }
            Self::Kinetic { triangles, removed, plans } => {
                let mut body = KineticBody::new(triangles.clone(), plans.restore()?)
                    .map_err(|error| error.to_string())?;
                let removed: Vec<TriangleId> = removed.iter().copied().map(TriangleId).collect();
                body.remove_triangles(&removed).map_err(|error| error.to_string())?;
                Kept::Kinetic(Box::new(body))
            }
            Self::Skinned { rest, nodes, influences, options, transforms } => {
                let skin = Skin::restore(rest.restore()?, *nodes, influences);
                let body = skin.and_then(|skin| {
                    let mut body = SkinnedBody::new(skin, options)?;
                    body.set_transforms(transforms)?;
                    Ok(body)
                });
                Kept::Skinned(Box::new(body.map_err(|error| error.to_string())?))
            }
            &Self::Fragment { brittle: number, fragment } => {
                let body = brittle.get_mut(number as usize).and_then(Option::as_mut);
                let body = body.ok_or_else(|| format!("there is no brittle body {number}"))?;
                body.body.fragment(fragment).map_err(|error| error.to_string())?;
                body.users += 1;
                Kept::Fragment { brittle: number, fragment }
            }
        })
    }
}

impl MeshState {
    fn of(mesh: &Mesh) -> Self {
        Self { positions: mesh.positions().to_vec(), triangles: mesh.triangles().to_vec() }
    }

    fn restore(&self) -> Result<Mesh, String> {
        Mesh::new(self.positions.clone(), self.triangles.clone()).map_err(|error| error.to_string())
    }
}

impl SolidState {
    fn restore(&self) -> Result<Arc<Solid>, String> {
        let mesh =
            TetMesh::new(self.positions.clone(), self.tets.clone()).map_err(|error| error.to_string())?;
        Solid::build(mesh, &self.options).map(Arc::new).map_err(|error| error.to_string())
    }
}

impl BrittleState {
    /// The same fractures, one after the other.
    fn restore(&self, solids: &[Arc<Solid>]) -> Result<BrittleBody, String> {
        let solid =
            solids.get(self.solid as usize).ok_or_else(|| format!("there is no solid {}", self.solid))?;
        let mut body = BrittleBody::new(solid.clone());
        for Fracture { fragment, labels, weights } in &self.fractures {
            body.split(*fragment, labels, weights).map_err(|error| error.to_string())?;
        }
        Ok(body)
    }
}
