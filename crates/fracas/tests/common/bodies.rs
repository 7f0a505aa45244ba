//! Every kind of body, in one table. A new structure is one more line in [`KINDS`]; `every_structure_is_in_the_table` fails without it.

use fracas::mesh::{Mesh, MeshEdit, TriangleId};
use fracas::tearing::TearingOptions;
use fracas::{BuildOptions, MeshRef, MeshTree, SplitRule, TearingBody, View};

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
