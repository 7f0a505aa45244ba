//! Figure 5: a plate rolls on the ground, with few contacts or with all of them.
//!
//! The same plate starts in the same way in three worlds that differ only in what their solver gets:
//!
//! | mode | contacts |
//! |---|---|
//! | adaptive | the first eight points nearer than ε, coarse ones first, and then those deeper than ε |
//! | full | every point nearer than ε |
//! | four per normal | what `fracas-rapier` hands over: of every point, those four of each normal that hold best |
//!
//! ε is 0.2 % of the plate's radius, as in the paper. The first two do not look ahead, the third does: it gets what will touch within
//! the step. The engine's solver takes four points of a manifold, so more are handed over in several. Runs are repeated; a step is the same in
//! each, and its best time counts. *Solver* is all of a step but the query.

use crate::folder::Folder;
use crate::metric::{Better, Report};
use fracas::brittle::{BrittleBody, ContactFinder, ContactOptions, Probe, Solid, SolidOptions};
use fracas::fill::{FillOptions, fill};
use fracas::geom::DVec3;
use fracas::mesh::shapes;
use fracas_plot::{Align, Axis, Line, LineChart, Look, Table};
use fracas_rapier::{FragmentDispatcher, FragmentShape, SharedBody};
use rapier3d::math::{Pose, Real};
use rapier3d::parry::query::details::{
    ContactManifoldsWorkspace, NormalConstraints, ShapeCastOptions, TypedWorkspaceData, WorkspaceData,
};
use rapier3d::parry::query::{
    ClosestPoints, Contact, ContactManifold, DefaultQueryDispatcher, NonlinearRigidMotion,
    PersistentQueryDispatcher, QueryDispatcher, ShapeCastHit, ShapeDistance, ShapeIntersection,
    TrackedContact, Unsupported,
};
use rapier3d::parry::shape::{HalfSpace, PackedFeatureId, Shape};
use rapier3d::prelude::{ColliderBuilder, PhysicsWorld, RigidBodyBuilder, SharedShape, Vector};
use std::collections::BTreeMap;
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::Instant;

const RADIUS: f64 = 0.5;
const THICKNESS: f64 = 0.06;
/// Steps of a sixtieth of a second, until the plate lies still.
const STEPS: usize = 480;

/// Runs all modes, and writes table and charts.
pub fn write(report: &mut Report, folder: &mut Folder, quick: bool) -> io::Result<()> {
    let surface = shapes::cylinder(RADIUS, THICKNESS, 96);
    let mesh =
        fill(&surface, &FillOptions { cells: 30.0, ..FillOptions::default() }).expect("a closed surface");
    let solid = Arc::new(Solid::build(mesh, &SolidOptions::default()).expect("a sound mesh"));
    let rounds = if quick { 2 } else { 5 };
    let adaptive = best_of(rounds, || roll(&solid, Some(ContactOptions::default().budget)));
    let full = best_of(rounds, || roll(&solid, Some(usize::MAX)));
    let ours = best_of(rounds, || roll(&solid, None));
    let modes = [("adaptive", &adaptive), ("full", &full), ("four per normal", &ours)];

    let triangles = BrittleBody::new(solid.clone());
    let whole = triangles.fragments().next().and_then(|id| triangles.surface(id).ok());
    let triangles = whole.map_or(0, |(surface, _)| surface.triangle_count());
    folder.section(
        "Figure 5: few contacts against all",
        &format!(
            "A plate of {triangles} triangles (the paper's has 5,392) rolls on the ground, tips over and comes to rest. The paper \
             counts up to 6 contacts with the self-adapting query and up to 128 without."
        ),
    );
    let head = [
        ("mode", Align::Left),
        ("contacts, mean", Align::Right),
        ("most", Align::Right),
        ("query µs, mean", Align::Right),
        ("solver µs, mean", Align::Right),
        ("worst step µs", Align::Right),
        ("penetration mm, at rest", Align::Right),
        ("most", Align::Right),
    ];
    let mut table = Table::new("Figure 5. The same scene with three sets of contacts.", head);
    for (name, run) in modes {
        let whole: Vec<f64> = run.iter().map(|step| step.query + step.solver).collect();
        let rest: Vec<f64> = run[STEPS - 60..].iter().map(|step| step.depth).collect();
        table.row([
            name.to_owned(),
            format!("{:.1}", mean(run, |step| step.contacts)),
            format!("{:.0}", most(run, |step| step.contacts)),
            format!("{:.1}", mean(run, |step| step.query)),
            format!("{:.1}", mean(run, |step| step.solver)),
            format!("{:.1}", whole.iter().copied().fold(0.0, f64::max)),
            format!("{:.3}", 1e3 * rest.iter().sum::<f64>() / rest.len() as f64),
            format!("{:.3}", 1e3 * most(run, |step| step.depth)),
        ]);
    }
    folder.table(report, "figure5", &table)?;
    let charts = [
        ("figure5_contacts", "contacts", "contacts handed over", 1.0, Step::contacts as fn(&Step) -> f64),
        ("figure5_time", "time", "query and solver (µs)", 1.0, Step::time),
        ("figure5_depth", "penetration", "deepest point below the ground (mm)", 1e3, Step::depth),
    ];
    for (file, what, label, scale, value) in charts {
        let line = |&(name, run): &(&str, &Vec<Step>)| Line {
            name: name.to_owned(),
            points: run.iter().enumerate().map(|(k, step)| [k as f64 / 60.0, scale * value(step)]).collect(),
            look: Look::Thin,
        };
        let chart = LineChart {
            title: format!("Figure 5: {what} of a rolling plate"),
            description: format!("{label} over time, with few contacts and with all of them."),
            x: Axis::linear("time (s)"),
            // Contacts and times differ by factors of a hundred; penetration is zero most of the time.
            y: if scale > 1.0 { Axis::linear(label).from_zero() } else { Axis::log(label) },
            lines: modes.iter().map(line).collect(),
        };
        folder.chart(file, &chart.svg(), "The plate rolls, tips over, and lies flat.")?;
    }
    let note =
        format!("rolling plate of {triangles} triangles, most contacts of any step, all over adaptive");
    let ratio = most(&full, |step| step.contacts) / most(&adaptive, |step| step.contacts);
    report.metric("brittle.figure5.contacts.reduction", ratio, "x", Better::Higher, &note);
    let ratio = mean(&full, Step::time) / mean(&adaptive, Step::time);
    let note = "mean step, query and solver, all contacts over adaptive";
    report.metric("brittle.figure5.step.vs_full", ratio, "x", Better::Higher, note);
    Ok(())
}

/// One step of a run.
#[derive(Clone, Copy)]
struct Step {
    contacts: f64,
    /// Microseconds.
    query: f64,
    solver: f64,
    /// Of the deepest vertex below the ground.
    depth: f64,
}

impl Step {
    fn contacts(&self) -> f64 {
        self.contacts
    }

    fn time(&self) -> f64 {
        self.query + self.solver
    }

    fn depth(&self) -> f64 {
        self.depth
    }
}

fn mean(run: &[Step], value: impl Fn(&Step) -> f64) -> f64 {
    run.iter().map(value).sum::<f64>() / run.len() as f64
}

fn most(run: &[Step], value: impl Fn(&Step) -> f64) -> f64 {
    run.iter().map(value).fold(0.0, f64::max)
}

/// Several runs that differ only in their times; each step has its best time.
fn best_of(rounds: usize, run: impl Fn() -> Vec<Step>) -> Vec<Step> {
    let mut best = run();
    for _ in 1..rounds {
        for (best, again) in best.iter_mut().zip(run()) {
            best.query = best.query.min(again.query);
            best.solver = best.solver.min(again.solver);
        }
    }
    best
}

/// Rolls the plate with a budget of contacts, or with the contacts of `fracas-rapier`.
fn roll(solid: &Arc<Solid>, budget: Option<usize>) -> Vec<Step> {
    let body: SharedBody = Arc::new(RwLock::new(BrittleBody::new(solid.clone())));
    let (whole, points) = {
        let body = body.read().unwrap_or_else(PoisonError::into_inner);
        let whole = body.fragments().next().expect("it is whole");
        (whole, body.surface(whole).expect("it is there").0.positions().to_vec())
    };
    let shape = FragmentShape::new(&body, whole).expect("it is there");
    let (origin, mass) = (shape.origin(), shape.mass_properties(2300.0));
    let mut world = PhysicsWorld { gravity: Vector::Z * -9.81, ..PhysicsWorld::default() };
    let ours = FragmentDispatcher::default();
    let chosen = Chosen::default();
    match budget {
        Some(budget) => {
            let options = ContactOptions { budget, ..ContactOptions::default() };
            *chosen.finder.lock().unwrap_or_else(PoisonError::into_inner) = ContactFinder::new(options);
            world.narrow_phase.set_query_dispatcher(chosen.clone().chain(DefaultQueryDispatcher));
            // Otherwise the engine makes four points of all that have one normal.
            world.integration_parameters.contact_clustering = false;
        }
        None => world.narrow_phase.set_query_dispatcher(ours.clone().chain(DefaultQueryDispatcher)),
    }
    let ground = SharedShape::halfspace(Vector::Z);
    world.insert_collider(ColliderBuilder::new(ground).friction(0.6), None);
    // On its rim, leaning a little, so that it rolls in a curve and tips over.
    let lean = 0.35_f32;
    let height = RADIUS as f32 * lean.cos() + 0.5 * THICKNESS as f32 * lean.sin() + 0.002;
    let plate = RigidBodyBuilder::dynamic()
        .translation(Vector::Z * height)
        .rotation(Vector::X * (std::f32::consts::FRAC_PI_2 - lean))
        .linvel(Vector::X * 1.5)
        .angvel(Vector::Y * (1.5 / RADIUS as f32))
        .can_sleep(false);
    let collider = ColliderBuilder::new(SharedShape(Arc::new(shape))).mass_properties(mass).friction(0.6);
    let handle = world.insert(plate, collider).0;
    let mut steps = Vec::with_capacity(STEPS);
    let spent = || match budget {
        Some(_) => chosen.nanoseconds.load(Ordering::Relaxed),
        None => ours.work().nanoseconds,
    };
    for _ in 0..STEPS {
        let (begin, before) = (Instant::now(), spent());
        world.step();
        let all = begin.elapsed().as_secs_f64() * 1e6;
        let query = (spent() - before) as f64 * 1e-3;
        let pairs = world.narrow_phase.contact_pairs();
        let manifolds = pairs.flat_map(|pair| pair.solver_manifolds());
        let contacts: usize = manifolds.map(|manifold| manifold.data.solver_contacts.len()).sum();
        let pose = world.bodies[handle].position();
        let below = |p: &DVec3| -f64::from((pose * single(*p - origin)).z);
        let depth = points.iter().map(below).fold(0.0, f64::max);
        steps.push(Step { contacts: contacts as f64, query, solver: all - query, depth });
    }
    steps
}

fn single(v: DVec3) -> Vector {
    Vector::from_array(v.as_vec3().to_array())
}

fn double(v: Vector) -> DVec3 {
    DVec3::from_array(v.to_array().map(f64::from))
}

/// Hands over what a finder finds between a fragment and a half-space, all of it.
#[derive(Clone, Default)]
struct Chosen {
    finder: Arc<Mutex<ContactFinder>>,
    nanoseconds: Arc<AtomicU64>,
}

impl Chosen {
    /// Manifolds of four points each: the engine's solver drops what is more.
    fn find<M: Default + Clone, C: Default + Copy>(
        &self,
        fragment: &FragmentShape,
        to_ground: &Pose,
        is_first: bool,
        manifolds: &mut Vec<ContactManifold<M, C>>,
    ) {
        let back = to_ground.inverse();
        let (origin, up) = (fragment.origin(), double(back.rotation * Vector::Z));
        let probe = |p: DVec3, reach: f64| {
            let distance = f64::from((to_ground * single(p - origin)).z);
            if distance > reach {
                return Probe::Far(distance);
            }
            Probe::Near { distance, surface: p - up * distance, normal: up }
        };
        let body = fragment.body().read().unwrap_or_else(PoisonError::into_inner);
        let mut finder = self.finder.lock().unwrap_or_else(PoisonError::into_inner);
        let found = finder.find_with((&body, fragment.fragment()), probe).unwrap_or_default();
        // Impulses of the last step, to begin with.
        let of_plate = |point: &TrackedContact<C>| if is_first { point.fid1 } else { point.fid2 };
        let points = manifolds.iter().flat_map(|manifold| &manifold.points);
        let old: BTreeMap<u32, C> = points.map(|point| (of_plate(point).0, point.data)).collect();
        manifolds.clear();
        for few in found.chunks(4) {
            let mut manifold = ContactManifold::with_data(0, 0, M::default());
            let (of_plate, of_ground) = (single(-up), Vector::Z);
            (manifold.local_n1, manifold.local_n2) =
                if is_first { (of_plate, of_ground) } else { (of_ground, of_plate) };
            for contact in few {
                let on_plate = single(contact.point - origin);
                let on_ground = to_ground * single(contact.surface - origin);
                let (plate, ground) = (PackedFeatureId::vertex(contact.feature), PackedFeatureId::face(0));
                let distance = contact.distance as f32;
                let mut point = if is_first {
                    TrackedContact::new(on_plate, on_ground, plate, ground, distance)
                } else {
                    TrackedContact::new(on_ground, on_plate, ground, plate, distance)
                };
                point.data = old.get(&plate.0).copied().unwrap_or_default();
                manifold.points.push(point);
            }
            manifolds.push(manifold);
        }
    }
}

impl<M: Default + Clone, C: Default + Copy> PersistentQueryDispatcher<M, C> for Chosen {
    fn contact_manifolds(
        &self,
        pos12: &Pose,
        g1: &dyn Shape,
        g2: &dyn Shape,
        _: Real,
        manifolds: &mut Vec<ContactManifold<M, C>>,
        workspace: &mut Option<ContactManifoldsWorkspace>,
    ) -> Result<(), Unsupported> {
        let begin = Instant::now();
        let is_ground = |shape: &dyn Shape| shape.as_shape::<HalfSpace>().is_some();
        match (g1.as_shape::<FragmentShape>(), g2.as_shape::<FragmentShape>()) {
            (Some(fragment), None) if is_ground(g2) => {
                self.find(fragment, &pos12.inverse(), true, manifolds);
            }
            (None, Some(fragment)) if is_ground(g1) => {
                self.find(fragment, pos12, false, manifolds);
            }
            _ => return Err(Unsupported),
        }
        *workspace = Some(Changing.into());
        self.nanoseconds.fetch_add(begin.elapsed().as_nanos() as u64, Ordering::Relaxed);
        Ok(())
    }

    fn contact_manifold_convex_convex(
        &self,
        _: &Pose,
        _: &dyn Shape,
        _: &dyn Shape,
        _: Option<&dyn NormalConstraints>,
        _: Option<&dyn NormalConstraints>,
        _: Real,
        _: &mut ContactManifold<M, C>,
    ) -> Result<(), Unsupported> {
        Err(Unsupported)
    }
}

/// Tells the engine that the number of manifolds changes.
#[derive(Clone)]
struct Changing;

impl WorkspaceData for Changing {
    fn as_typed_workspace_data(&self) -> TypedWorkspaceData<'_> {
        TypedWorkspaceData::Custom
    }

    fn clone_dyn(&self) -> Box<dyn WorkspaceData> {
        Box::new(self.clone())
    }
}

/// Nothing but contacts is asked for in this scene.
impl QueryDispatcher for Chosen {
    fn intersection_test(
        &self,
        _: &Pose,
        _: &dyn Shape,
        _: &dyn Shape,
    ) -> Result<ShapeIntersection, Unsupported> {
        Err(Unsupported)
    }

    fn distance(&self, _: &Pose, _: &dyn Shape, _: &dyn Shape) -> Result<ShapeDistance, Unsupported> {
        Err(Unsupported)
    }

    fn contact(
        &self,
        _: &Pose,
        _: &dyn Shape,
        _: &dyn Shape,
        _: Real,
    ) -> Result<Option<Contact>, Unsupported> {
        Err(Unsupported)
    }

    fn closest_points(
        &self,
        _: &Pose,
        _: &dyn Shape,
        _: &dyn Shape,
        _: Real,
    ) -> Result<ClosestPoints, Unsupported> {
        Err(Unsupported)
    }

    fn cast_shapes(
        &self,
        _: &Pose,
        _: Vector,
        _: &dyn Shape,
        _: &dyn Shape,
        _: ShapeCastOptions,
    ) -> Result<Option<ShapeCastHit>, Unsupported> {
        Err(Unsupported)
    }

    fn cast_shapes_nonlinear(
        &self,
        _: &NonlinearRigidMotion,
        _: &dyn Shape,
        _: &NonlinearRigidMotion,
        _: &dyn Shape,
        _: Real,
        _: Real,
        _: bool,
    ) -> Result<Option<ShapeCastHit>, Unsupported> {
        Err(Unsupported)
    }
}
