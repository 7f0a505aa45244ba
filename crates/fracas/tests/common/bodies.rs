//! Every kind of body, in one table. A new structure is one more line in [`KINDS`]; `every_structure_is_in_the_table` fails without it.

use fracas::geom::{DAffine3, DVec3};
use fracas::kinetic::{DrivenBody, KineticBody, Plan, Plans};
use fracas::mesh::{Influence, Mesh, MeshEdit, Skin, TriangleId};
use fracas::skinned::{Bound, SkinOptions};
use fracas::tearing::TearingOptions;
use fracas::{BuildOptions, MeshRef, MeshTree, SkinnedBody, SplitRule, TearingBody, View};

/// A way to make a body of the triangles of a mesh, with the ids that they have there.
pub struct Kind {
    pub name: &'static str,
    /// The type that implements the walk's trait; `""` for soups, which have no hierarchy.
    pub structure: &'static str,
    pub make: fn(&Mesh) -> Box<dyn AnyBody>,
}

/// Structures that cannot be made of any mesh, and the test that takes the place of the corpus for them.
pub const OTHERS: &[(&str, &str)] =
    &[("FacetTree", "pairs_between_fragments_and_other_bodies_are_those_of_brute_force")];

pub const KINDS: &[Kind] = &[
    Kind { name: "tree", structure: "MeshTree", make: |mesh| Box::new(MeshTree::build(mesh.clone())) },
    Kind { name: "tree by midpoints, no culling", structure: "MeshTree", make: plain_tree },
    Kind {
        name: "tearing body",
        structure: "TearingBody",
        make: |mesh| Box::new(TearingBody::build(mesh.clone())),
    },
    Kind { name: "tearing body as in the paper, edited", structure: "TearingBody", make: edited },
    Kind { name: "tearing body in pieces", structure: "TearingBody", make: in_pieces },
    Kind { name: "kinetic body at a key", structure: "KineticBody", make: at_a_key },
    Kind { name: "kinetic body with a new plan", structure: "KineticBody", make: stopped },
    Kind { name: "driven body", structure: "DrivenBody", make: driven },
    Kind { name: "skinned body with one node", structure: "SkinnedBody", make: on_one_node },
    Kind { name: "skinned body with many nodes, mirrored", structure: "SkinnedBody", make: on_many_nodes },
    Kind { name: "mesh", structure: "", make: |mesh| Box::new(mesh.clone()) },
    Kind { name: "borrowed mesh", structure: "", make: |mesh| Box::new(Lent(mesh.clone())) },
];

/// A body of any kind.
pub trait AnyBody: Sync {
    fn view(&self) -> View<'_>;
    fn validate(&self) {}
}

impl AnyBody for MeshTree {
    fn view(&self) -> View<'_> {
        self.into()
    }
    fn validate(&self) {
        MeshTree::validate(self).expect("a sound tree");
    }
}

impl AnyBody for TearingBody {
    fn view(&self) -> View<'_> {
        self.into()
    }
    fn validate(&self) {
        TearingBody::validate(self).expect("a sound body");
    }
}

impl AnyBody for KineticBody {
    fn view(&self) -> View<'_> {
        self.into()
    }
}

impl AnyBody for DrivenBody {
    fn view(&self) -> View<'_> {
        self.into()
    }
}

impl AnyBody for SkinnedBody {
    fn view(&self) -> View<'_> {
        self.into()
    }
}

impl AnyBody for Mesh {
    fn view(&self) -> View<'_> {
        self.into()
    }
}

struct Lent(Mesh);

impl AnyBody for Lent {
    fn view(&self) -> View<'_> {
        MeshRef::new(self.0.positions(), self.0.triangles()).expect("parts of a mesh").into()
    }
}

fn plain_tree(mesh: &Mesh) -> Box<dyn AnyBody> {
    let options = BuildOptions { split: SplitRule::Midpoint, self_queries: false, parallel: false };
    Box::new(MeshTree::build_with(mesh.clone(), &options))
}

/// A body that has got triangles and lost them again, so that some of its slots are dead.
fn edited(mesh: &Mesh) -> Box<dyn AnyBody> {
    let mut body = TearingBody::build_with(mesh.clone(), TearingOptions::paper());
    let count = mesh.triangle_count() as u32;
    let new: Vec<[u32; 3]> =
        mesh.triangles().iter().copied().filter(|[a, b, c]| a != b && b != c && c != a).take(20).collect();
    let mut more = MeshEdit::default();
    new.iter().for_each(|corners| more.insert(*corners));
    body.apply(&more).expect("triangles with the mesh's own vertices");
    let mut fewer = MeshEdit::default();
    (count..count + new.len() as u32).for_each(|slot| fewer.remove(TriangleId(slot)));
    body.apply(&fewer).expect("triangles that are there");
    Box::new(body)
}

/// A body whose triangles are dealt to three pieces.
fn in_pieces(mesh: &Mesh) -> Box<dyn AnyBody> {
    let mut body = TearingBody::build(mesh.clone());
    let labels: Vec<u32> = (0..mesh.triangle_count() as u32).map(|k| k % 3).collect();
    body.split(&labels).expect("a label for each");
    Box::new(body)
}

/// Keys of which the one in the middle has the positions of the mesh. Plans refuse coordinates beyond 2¹⁰⁰⁰; such a mesh is
/// asked about as it is.
fn on_the_way(mesh: &Mesh, time: f64) -> Result<KineticBody, Box<dyn AnyBody>> {
    let scaled = |by: f64| mesh.positions().iter().map(|p| *p * by).collect::<Vec<_>>();
    let frames = vec![scaled(0.5), mesh.positions().to_vec(), scaled(0.25)];
    let Ok(plans) = Plans::keyframes(vec![0.0, 1.0, 3.0], frames) else {
        return Err(Box::new(Lent(mesh.clone())));
    };
    let mut body = KineticBody::new(mesh.triangles().to_vec(), plans).expect("vertices of the mesh");
    body.advance_to(time).expect("later");
    Ok(body)
}

fn at_a_key(mesh: &Mesh) -> Box<dyn AnyBody> {
    on_the_way(mesh, 1.0).map_or_else(|lent| lent, |body| Box::new(body))
}

/// Half of the vertices are put where the mesh has them, in the middle of an interval.
fn stopped(mesh: &Mesh) -> Box<dyn AnyBody> {
    let stop = |v: usize| Plan::Line { position: mesh.positions()[v], velocity: fracas::DVec3::ZERO };
    let vertices = mesh.positions().len();
    let changes: Vec<(u32, Plan)> = (0..vertices).map(|v| (v as u32, stop(v))).collect();
    let body = on_the_way(mesh, 2.5).map(|mut body| {
        let (even, odd): (Vec<_>, Vec<_>) = changes.into_iter().partition(|(v, _)| v % 2 == 0);
        body.change(&even).expect("vertices that are there");
        body.change(&odd).expect("vertices that are there");
        body
    });
    body.map_or_else(|lent| lent, |body| Box::new(body))
}

/// A body that was small, and then got the positions of the mesh.
fn driven(mesh: &Mesh) -> Box<dyn AnyBody> {
    let scaled = mesh.positions().iter().map(|p| *p * 0.01).collect();
    let small = Mesh::new(scaled, mesh.triangles().to_vec()).expect("finite positions");
    let mut body = DrivenBody::new(small);
    body.set_positions(mesh.positions()).expect("positions of a mesh");
    Box::new(body)
}

/// A skin whose vertices are where the mesh has them, to the last bit. Some meshes are too large for a skin, or so small that half a
/// coordinate rounds; they are asked about as they are.
fn exact_or_lent(mesh: &Mesh, body: Option<SkinnedBody>) -> Box<dyn AnyBody> {
    let is_exact =
        |body: &SkinnedBody| (0..mesh.vertex_count()).all(|v| body.vertex(v) == mesh.positions()[v]);
    match body {
        Some(body) if is_exact(&body) => Box::new(body),
        _ => Box::new(Lent(mesh.clone())),
    }
}

fn on_one_node(mesh: &Mesh) -> Box<dyn AnyBody> {
    let weights = vec![[Influence { node: 0, weight: 1.0 }]; mesh.vertex_count()];
    let skin = Skin::new(mesh.clone(), 1, weights).expect("weights of one");
    exact_or_lent(mesh, SkinnedBody::new(skin, &SkinOptions::default()).ok())
}

/// Weights ¼, ¼ and ½ in this order add up without rounding. The mesh at rest is turned by half a turn, and the nodes turn it back.
fn on_many_nodes(mesh: &Mesh) -> Box<dyn AnyBody> {
    let half_turn = DAffine3::from_scale(DVec3::new(-1.0, 1.0, -1.0));
    let turned = mesh.positions().iter().map(|p| half_turn.transform_point3(*p)).collect();
    let rest = Mesh::new(turned, mesh.triangles().to_vec()).expect("finite positions");
    let weights = (0..mesh.vertex_count() as u32).map(|v| {
        [(v % 3, 0.25), (3 + v % 2, 0.25), (5 + v / 7 % 4, 0.5)]
            .map(|(node, weight)| Influence { node, weight })
    });
    let skin = Skin::new(rest, 9, weights).expect("weights that sum to one");
    let options = SkinOptions { bound: Bound::Knapsack, ..SkinOptions::default() };
    let body = SkinnedBody::new(skin, &options).ok().and_then(|mut body| {
        body.set_transforms(&[DAffine3::from_scale(DVec3::splat(0.01)); 9]).ok()?;
        body.set_transforms(&[half_turn; 9]).ok()?;
        Some(body)
    });
    exact_or_lent(mesh, body)
}
