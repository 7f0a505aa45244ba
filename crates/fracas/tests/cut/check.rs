//! Runs a cut and checks every promise after every step.

use fracas::TriangleId;
use fracas::cut::{CutOptions, CutSurface, Cutter};
use fracas::geom::{DVec3, Triangle};
use fracas::mesh::{LiveMesh, Mesh, MeshEdit, Origin, Report};
use std::collections::BTreeMap;

/// What a finished cut has left behind.
pub struct Outcome {
    pub mesh: Mesh,
    pub report: Report,
    pub edits: Vec<MeshEdit>,
}

/// Cuts in steps, to the end, and checks all there is to check.
pub fn cut(mesh: &Mesh, surface: &CutSurface, options: &CutOptions, steps: usize) -> Outcome {
    let mut live = LiveMesh::new(mesh.clone());
    let mut cutter = Cutter::new(&live, surface, options).unwrap();
    let mut history = History::new(mesh, surface, options.clearance);
    let [from, to] = cutter.range().unwrap_or([0.0, 0.0]);
    for step in 1..=steps {
        let front = if step == steps { to } else { from + (to - from) * step as f64 / steps as f64 };
        let edit = cutter.advance_to(&live, front).unwrap();
        live.apply(&edit).unwrap();
        history.check(&live, edit);
    }
    assert!(cutter.is_finished(), "the front has reached the end");
    live.validate().unwrap();
    history.outcome(&live)
}

/// What was there at first, and all that happened since.
pub struct History {
    surface: CutSurface,
    before: Report,
    original: Mesh,
    edge_length: f64,
    longest: f64,
    /// How far crack triangles may be from the cut surface.
    tolerance: f64,
    edits: Vec<MeshEdit>,
    /// Where each living triangle comes from, for triangles on the crack `None`.
    origins: BTreeMap<TriangleId, Option<TriangleId>>,
}

impl History {
    pub fn new(mesh: &Mesh, surface: &CutSurface, clearance: f64) -> Self {
        let before = Report::of(mesh);
        let edge = |t: &[u32; 3], k: usize| {
            mesh.positions()[t[k] as usize].distance(mesh.positions()[t[(k + 1) % 3] as usize])
        };
        let longest = mesh.triangles().iter().flat_map(|t| (0..3).map(|k| edge(t, k))).fold(0.0, f64::max);
        let ids = (0..mesh.triangle_count() as u32).map(TriangleId);
        Self {
            surface: surface.clone(),
            edge_length: (before.area / mesh.triangle_count().max(1) as f64 * 2.0).sqrt(),
            longest,
            tolerance: (clearance + 1e-13) * longest,
            before,
            original: mesh.clone(),
            edits: vec![],
            origins: ids.map(|id| (id, Some(id))).collect(),
        }
    }

    /// Checks the mesh after an edit.
    pub fn check(&mut self, live: &LiveMesh, edit: MeshEdit) {
        self.trace(live, &edit);
        self.edits.push(edit);
        let (mesh, ids) = live.to_mesh();
        assert!(ids.iter().eq(self.origins.keys()), "every living triangle has an origin");
        let report = Report::of(&mesh);
        assert_eq!(report.nonmanifold_edges, 0);
        assert_eq!(report.inconsistent_edges, 0);
        assert_eq!((report.duplicate_triangles, report.repeated_vertex_triangles), (0, 0));
        if self.before.closed {
            assert_eq!(report.boundary_edges, 0);
            assert!(report.closed && report.oriented);
            let (now, before) = (report.volume.unwrap(), self.before.volume.unwrap());
            assert!((now - before).abs() <= 1e-12 * before.abs(), "volume {now} instead of {before}");
        }
        self.check_old_surface(live);
        self.check_crack(live);
    }

    pub fn outcome(self, mesh: &LiveMesh) -> Outcome {
        let (mesh, _) = mesh.to_mesh();
        Outcome { report: Report::of(&mesh), mesh, edits: self.edits }
    }

    fn trace(&mut self, live: &LiveMesh, edit: &MeshEdit) {
        let first = live.slot_count() - edit.added.len();
        let mut parents = BTreeMap::new();
        for id in &edit.removed {
            parents.insert(*id, self.origins.remove(id).expect("only living triangles are removed"));
        }
        for (i, new) in edit.added.iter().enumerate() {
            let origin = match new.origin {
                Origin::Replaces(old) => parents[&old],
                Origin::Crack => None,
            };
            self.origins.insert(TriangleId((first + i) as u32), origin);
        }
        // What replaces a triangle covers it: the sum of the oriented areas is that of the triangle.
        let mut covered: BTreeMap<TriangleId, DVec3> = BTreeMap::new();
        for (i, new) in edit.added.iter().enumerate() {
            if let Origin::Replaces(old) = new.origin {
                *covered.entry(old).or_default() +=
                    live.triangle(TriangleId((first + i) as u32)).area_vector();
            }
        }
        for (old, sum) in &covered {
            let area = live.triangle(*old).area_vector();
            assert!((*sum - area).length() <= 1e-12 * self.edge_length.powi(2), "{sum} instead of {area}");
        }
        for id in &edit.removed {
            assert!(covered.contains_key(id), "a removed triangle is replaced");
        }
    }

    /// The parts of each triangle of the original cover it, face its way and lie in its plane.
    fn check_old_surface(&self, live: &LiveMesh) {
        let mut areas: Vec<f64> = vec![0.0; self.original.triangle_count()];
        let tolerance = 1e-12 * self.edge_length;
        for (&id, origin) in &self.origins {
            let Some(old) = origin else { continue };
            let (part, whole) = (live.triangle(id), self.original.triangle(*old));
            areas[old.index()] += part.area();
            let normal = whole.area_vector().normalize_or_zero();
            assert!(part.area_vector().dot(normal) >= -tolerance * self.edge_length, "turned over");
            for corner in part.corners() {
                // By the volume between them: the normal of a sliver is not worth much.
                let volume = (corner - whole.a).dot(whole.area_vector());
                assert!(volume.abs() <= 1e-13 * self.longest.powi(3), "not in the plane of the whole");
            }
        }
        for (t, sum) in areas.iter().enumerate() {
            let area = self.original.triangle(TriangleId(t as u32)).area();
            assert!((sum - area).abs() <= tolerance * self.edge_length, "{sum} instead of {area}");
        }
    }

    /// Crack triangles lie on the cut and come in pairs, face to face.
    fn check_crack(&self, live: &LiveMesh) {
        let mut faces: BTreeMap<[[u64; 3]; 3], i64> = BTreeMap::new();
        for (&id, _) in self.origins.iter().filter(|(_, origin)| origin.is_none()) {
            let triangle = live.triangle(id);
            for p in triangle.corners() {
                let off = self.surface.side(p).abs();
                assert!(off <= self.tolerance, "{off} off the cut");
            }
            let (key, turned) = sorted(&triangle);
            // Where corners coincide, both faces are the same segment.
            if key[0] == key[1] || key[1] == key[2] {
                continue;
            }
            *faces.entry(key).or_default() += if turned { -1 } else { 1 };
        }
        assert!(faces.values().all(|count| *count == 0), "every face has one opposite");
    }
}

/// The corners by their bits, in order, and whether that order turns the triangle around.
fn sorted(triangle: &Triangle) -> ([[u64; 3]; 3], bool) {
    let corners = triangle.corners().map(|p| p.to_array().map(f64::to_bits));
    let mut order = [0, 1, 2];
    order.sort_by_key(|&k| corners[k]);
    (order.map(|k| corners[k]), matches!(order, [1, 0, 2] | [0, 2, 1] | [2, 1, 0]))
}
