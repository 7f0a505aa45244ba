//! A mesh under edits, against a model that is too simple to be wrong: a list of triangles that are there or not.

use fracas::TriangleId;
use fracas::geom::DVec3;
use fracas::mesh::{Applied, EditError, LiveMesh, Mesh, MeshEdit, MeshError, NewTriangle, Origin, shapes};
use proptest::collection::vec;
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::time::Instant;

/// Everything that can be seen of a mesh from outside.
#[derive(Debug, PartialEq)]
struct Seen {
    positions: Vec<DVec3>,
    slots: Vec<Option<[u32; 3]>>,
    around: Vec<BTreeSet<u32>>,
}

fn seen(mesh: &LiveMesh) -> Seen {
    mesh.validate().unwrap();
    let slots = (0..mesh.slot_count() as u32).map(TriangleId);
    let living: Vec<TriangleId> = mesh.live_triangles().collect();
    assert!(living.is_sorted() && living.len() == mesh.live_count());
    let (compact, ids) = mesh.to_mesh();
    assert_eq!(ids, living);
    assert!(ids.iter().zip(compact.triangles()).all(|(&id, corners)| mesh.corners(id) == *corners));
    assert_eq!(compact.positions(), mesh.positions());
    let around = |v| {
        let list: Vec<u32> = mesh.triangles_of_vertex(v).map(|id| id.0).collect();
        let set: BTreeSet<u32> = list.iter().copied().collect();
        assert_eq!(set.len(), list.len(), "each triangle once");
        set
    };
    Seen {
        positions: mesh.positions().to_vec(),
        slots: slots.map(|id| mesh.is_alive(id).then(|| mesh.corners(id))).collect(),
        around: (0..mesh.vertex_count() as u32).map(around).collect(),
    }
}

/// The model: what must be seen.
#[derive(Clone, Default)]
struct Model {
    positions: Vec<DVec3>,
    slots: Vec<Option<[u32; 3]>>,
}

impl Model {
    fn of(mesh: &Mesh) -> Self {
        let slots = mesh.triangles().iter().copied().map(Some).collect();
        Self { positions: mesh.positions().to_vec(), slots }
    }

    fn apply(&mut self, edit: &MeshEdit) {
        for id in &edit.removed {
            self.slots[id.index()] = None;
        }
        for &(v, p) in &edit.moved {
            self.positions[v as usize] = p;
        }
        self.positions.extend(&edit.new_positions);
        self.slots.extend(edit.added.iter().map(|new| Some(new.corners)));
    }

    fn seen(&self) -> Seen {
        let names = |v: u32| {
            let slots = self.slots.iter().enumerate();
            slots
                .filter(move |(_, slot)| slot.is_some_and(|c| c.contains(&v)))
                .map(|(t, _)| t as u32)
                .collect()
        };
        Seen {
            positions: self.positions.clone(),
            slots: self.slots.clone(),
            around: (0..self.positions.len() as u32).map(names).collect(),
        }
    }
}

/// Raw numbers from which an edit of whatever mesh there is can be made.
#[derive(Clone, Debug)]
struct Recipe {
    removed: Vec<u32>,
    new_positions: Vec<[f64; 3]>,
    moved: Vec<(u32, [f64; 3])>,
    added: Vec<([u32; 3], u32)>,
}

fn recipe() -> impl Strategy<Value = Recipe> {
    let number = || any::<u32>();
    let point = || proptest::array::uniform3(-9.0..9.0_f64);
    (
        vec(number(), 0..12),
        vec(point(), 0..5),
        vec((number(), point()), 0..4),
        vec((proptest::array::uniform3(number()), number()), 0..14),
    )
        .prop_map(|(removed, new_positions, moved, added)| Recipe {
            removed,
            new_positions,
            moved,
            added,
        })
}

/// A legal edit of the model.
fn legal(recipe: &Recipe, model: &Model) -> MeshEdit {
    let living: Vec<u32> =
        (0..model.slots.len() as u32).filter(|&t| model.slots[t as usize].is_some()).collect();
    let mut removed: Vec<TriangleId> = vec![];
    for r in &recipe.removed {
        if !living.is_empty() {
            let id = TriangleId(living[*r as usize % living.len()]);
            if !removed.contains(&id) {
                removed.push(id);
            }
        }
    }
    let old = model.positions.len() as u32;
    let mut moved: Vec<(u32, DVec3)> = vec![];
    for &(v, p) in &recipe.moved {
        if old > 0 && moved.iter().all(|(w, _)| *w != v % old) {
            moved.push((v % old, p.into()));
        }
    }
    let new_positions: Vec<DVec3> = recipe.new_positions.iter().map(|&p| p.into()).collect();
    let vertices = old + new_positions.len() as u32;
    let mut added = vec![];
    for &(corners, origin) in &recipe.added {
        if vertices == 0 {
            break;
        }
        let corners @ [a, b, c] = corners.map(|v| v % vertices);
        if a != b && b != c && c != a {
            let origin = match removed.len() as u32 {
                0 => Origin::Crack,
                _ if origin % 3 == 0 => Origin::Crack,
                n => Origin::Replaces(removed[(origin % n) as usize]),
            };
            added.push(NewTriangle { corners, origin });
        }
    }
    MeshEdit { removed, new_positions, moved, added, ..MeshEdit::default() }
}

/// A way to make a legal edit of the mesh illegal, and the error it must give.
fn spoil(edit: &mut MeshEdit, mesh: &LiveMesh, way: u8) -> Option<EditError> {
    let (slots, vertices) = (mesh.slot_count(), mesh.vertex_count());
    let after = vertices + edit.new_positions.len();
    let some_corners = (after >= 3).then_some([0, 1, 2])?;
    let crack = |corners| NewTriangle { corners, origin: Origin::Crack };
    let added = edit.added.len();
    Some(match way {
        0 => {
            edit.removed.push(TriangleId(slots as u32));
            EditError::NoSuchTriangle { triangle: TriangleId(slots as u32), slots }
        }
        1 => {
            let triangle = (0..slots as u32).map(TriangleId).find(|&id| !mesh.is_alive(id))?;
            edit.removed.insert(0, triangle);
            EditError::DeadTriangle { triangle }
        }
        2 => {
            let triangle = *edit.removed.last()?;
            edit.removed.push(triangle);
            EditError::RemovedTwice { triangle }
        }
        3 => {
            // NaN would not be equal to itself.
            let value = DVec3::new(0.0, f64::NEG_INFINITY, 1.0);
            edit.new_positions.push(value);
            EditError::NewPositionNotFinite { position: edit.new_positions.len() - 1, value }
        }
        4 => {
            let (vertex, value) = (edit.moved.last()?.0, DVec3::splat(f64::INFINITY));
            edit.moved.last_mut()?.1 = value;
            EditError::MoveNotFinite { vertex, value }
        }
        5 => {
            edit.moved.push((vertices as u32, DVec3::ZERO));
            EditError::NoSuchVertexToMove { vertex: vertices as u32, vertices }
        }
        6 => {
            let vertex = edit.moved.first()?.0;
            edit.moved.push((vertex, DVec3::ONE));
            EditError::MovedTwice { vertex }
        }
        7 => {
            edit.added.push(crack([0, after as u32, 1]));
            EditError::NoSuchVertex { added, vertex: after as u32, vertices: after }
        }
        8 => {
            edit.added.push(crack([[1, 1, 0], [0, 1, 1], [1, 0, 1]][added % 3]));
            EditError::RepeatedVertex { added, vertex: 1 }
        }
        _ => {
            let kept = |id: &TriangleId| !edit.removed.contains(id);
            let triangle = (0..=slots as u32).map(TriangleId).find(kept)?;
            edit.added.push(NewTriangle { corners: some_corners, origin: Origin::Replaces(triangle) });
            EditError::ReplacesKept { added, triangle }
        }
    })
}

fn start(which: u8) -> Mesh {
    match which {
        0 => Mesh::default(),
        // A triangle that names a vertex twice is legal in a mesh, and a vertex without triangles too.
        1 => Mesh::new(vec![DVec3::ZERO; 5], vec![[0, 1, 2], [2, 2, 3], [1, 1, 1], [0, 2, 1]]).unwrap(),
        2 => shapes::cuboid(DVec3::ONE),
        _ => shapes::icosphere(1.0, 1),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn edits_do_what_the_model_does_and_bad_ones_nothing(
        which in 0_u8..4,
        script in vec((recipe(), 0_u8..20), 1..14),
    ) {
        let mesh = start(which);
        let mut model = Model::of(&mesh);
        let mut live = LiveMesh::new(mesh);
        live.reserve(usize::from(which), 7);
        prop_assert_eq!(seen(&live), model.seen());
        for (recipe, way) in script {
            let edit = legal(&recipe, &model);
            let mut bad = edit.clone();
            if let Some(expected) = spoil(&mut bad, &live, way) {
                prop_assert_eq!(live.check(&bad), Err(expected.clone()));
                prop_assert_eq!(live.apply(&bad), Err(expected));
                prop_assert_eq!(seen(&live), model.seen());
            }
            let (slots, vertices) = (live.slot_count() as u32, live.vertex_count() as u32);
            prop_assert_eq!(live.check(&edit), Ok(()));
            let applied = live.apply(&edit).unwrap();
            prop_assert_eq!(applied, Applied {
                triangles: slots..slots + edit.added.len() as u32,
                vertices: vertices..vertices + edit.new_positions.len() as u32,
            });
            model.apply(&edit);
            prop_assert_eq!(seen(&live), model.seen());
        }
    }
}

#[test]
fn a_body_may_vanish_and_grow_again() {
    let mut mesh = LiveMesh::new(shapes::cuboid(DVec3::ONE));
    let all = MeshEdit { removed: mesh.live_triangles().collect(), ..MeshEdit::default() };
    mesh.apply(&all).unwrap();
    assert_eq!((mesh.live_count(), mesh.slot_count(), mesh.vertex_count()), (0, 12, 8));
    assert!((0..8).all(|v| mesh.triangles_of_vertex(v).count() == 0));
    assert_eq!(mesh.to_mesh().0.triangle_count(), 0);
    let one = NewTriangle { corners: [0, 1, 2], origin: Origin::Crack };
    mesh.apply(&MeshEdit { added: vec![one], ..MeshEdit::default() }).unwrap();
    assert!(mesh.live_triangles().eq([TriangleId(12)]));
}

#[test]
fn the_same_triangle_may_go_and_come_back_under_another_id() {
    let mut mesh = LiveMesh::new(shapes::cuboid(DVec3::ONE));
    let corners = mesh.corners(TriangleId(3));
    let back = NewTriangle { corners, origin: Origin::Replaces(TriangleId(3)) };
    let edit = MeshEdit { removed: vec![TriangleId(3)], added: vec![back], ..MeshEdit::default() };
    assert!(!edit.is_empty());
    mesh.apply(&edit).unwrap();
    assert_eq!((mesh.is_alive(TriangleId(3)), mesh.corners(TriangleId(12))), (false, corners));
    mesh.validate().unwrap();
}

#[test]
fn vertices_move_all_at_once_or_not_at_all() {
    let mut mesh = LiveMesh::new(shapes::cuboid(DVec3::ONE));
    let before = mesh.positions().to_vec();
    assert_eq!(mesh.set_positions(&before[1..]), Err(MeshError::WrongVertexCount { expected: 8, given: 7 }));
    let mut bad = before.clone();
    bad[5].z = f64::INFINITY;
    assert_eq!(mesh.set_positions(&bad), Err(MeshError::NotFinite { vertex: 5, position: bad[5] }));
    assert_eq!(mesh.positions(), before);
    let twice: Vec<DVec3> = before.iter().map(|p| 2.0 * *p).collect();
    mesh.set_positions(&twice).unwrap();
    assert_eq!(mesh.positions(), twice);
}

#[test]
fn errors_are_sentences() {
    let mut mesh = LiveMesh::new(shapes::cuboid(DVec3::ONE));
    let remove = |t| MeshEdit { removed: vec![TriangleId(t)], ..MeshEdit::default() };
    let add =
        |corners, origin| MeshEdit { added: vec![NewTriangle { corners, origin }], ..MeshEdit::default() };
    let mut error = |edit| mesh.apply(&edit).unwrap_err().to_string();
    assert_eq!(error(remove(12)), "triangle 12 cannot be removed: there are 12 triangle slots");
    assert_eq!(
        error(add([0, 1, 8], Origin::Crack)),
        "added triangle 0 names vertex 8, but there will be 8 vertices"
    );
    assert_eq!(error(add([4, 1, 4], Origin::Crack)), "added triangle 0 names vertex 4 twice");
    assert_eq!(
        error(add([0, 1, 2], Origin::Replaces(TriangleId(5)))),
        "added triangle 0 replaces triangle 5, which the edit does not remove"
    );
    let mut edit = MeshEdit { moved: vec![(9, DVec3::ZERO)], ..MeshEdit::default() };
    assert_eq!(error(edit.clone()), "vertex 9 cannot move: there are 8 vertices");
    edit.clear();
    assert!(edit.is_empty());
}

/// Prints how long an edit of the paper's size takes. Run in release mode with `--ignored --nocapture`.
#[test]
#[ignore = "measures time"]
fn time_of_an_edit() {
    let start = shapes::noisy_sphere(90_560, 0.1, 1);
    let mut mesh = LiveMesh::new(start);
    mesh.reserve(100_000, 20_000);
    let mut times: Vec<f64> = vec![];
    for step in 0..200_u32 {
        // A band of triangles goes, cut into three each, and 249 come along the crack between their vertices.
        let first = 300 + 400 * step;
        let removed: Vec<TriangleId> = (0..57).map(|i| TriangleId(first + 3 * i)).collect();
        let mut edit = MeshEdit { removed, ..MeshEdit::default() };
        let base = mesh.vertex_count() as u32;
        for (i, &id) in edit.removed.iter().enumerate() {
            let [a, b, c] = mesh.corners(id);
            edit.new_positions.push(mesh.triangle(id).centroid());
            let d = base + i as u32;
            for corners in [[a, b, d], [b, c, d], [c, a, d]] {
                edit.added.push(NewTriangle { corners, origin: Origin::Replaces(id) });
            }
        }
        for i in 0..250_u32 {
            let corners = [base + i % 57, base + (i + 1 + i / 57) % 57, base + (i + 7 + i / 57) % 57];
            edit.added.push(NewTriangle { corners, origin: Origin::Crack });
        }
        let begin = Instant::now();
        mesh.apply(&edit).unwrap();
        times.push(begin.elapsed().as_secs_f64() * 1e6);
    }
    times.sort_by(f64::total_cmp);
    println!(
        "an edit of −57 +421 triangles of {} in µs: least {:.1}, median {:.1}, most {:.1}",
        mesh.live_count(),
        times[0],
        times[100],
        times[199]
    );
    mesh.validate().unwrap();
}
