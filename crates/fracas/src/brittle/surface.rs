//! The surface of a fragment as a triangle mesh: for rendering, and for exact pairs.

use super::pattern::{FacetSide, PatternBook};
use super::spheres::Key;
use super::{BrittleBody, BrittleError, Fragment, FragmentId, Solid};
use crate::geom::DVec3;
use crate::mesh::Mesh;
use crate::mesh::tets::FACES;

/// A sharp, convex edge of a fragment's surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SharpEdge {
    /// Its ends.
    pub ends: [DVec3; 2],
    /// For either of its faces, the unit vector from the edge into the face, square to the edge.
    pub into_faces: [DVec3; 2],
}

impl BrittleBody {
    /// The surface of a fragment, closed and facing outward, and for each triangle whether it lies on a crack.
    ///
    /// The two sides of a crack have corners at the same positions, up to rounding.
    ///
    /// # Errors
    /// If there is no such fragment, or it has broken.
    ///
    /// # Cost
    /// A sort of the corners of its surface.
    ///
    /// ```
    /// use fracas::brittle::{BrittleBody, Solid, SolidOptions};
    /// use fracas::{geom::DVec3, mesh::{Report, tets::brick}};
    /// let solid = Solid::build(brick(DVec3::ONE, [3, 3, 3]), &SolidOptions::default())?;
    /// let body = BrittleBody::new(solid.into());
    /// let (surface, is_crack) = body.surface(body.fragments().next().unwrap())?;
    /// assert!(Report::of(&surface).closed && is_crack.iter().all(|crack| !crack));
    /// # Ok::<(), fracas::brittle::BrittleError>(())
    /// ```
    pub fn surface(&self, fragment: FragmentId) -> Result<(Mesh, Vec<bool>), BrittleError> {
        let known = self.fragment(fragment)?;
        let (corners, is_crack) = self.surface_corners(known, fragment);
        Ok((joined(&corners), is_crack))
    }

    /// For each point of a fragment's sphere tree, the unit normal of the surface there, outward; zero for points inside.
    ///
    /// Where facets meet, it is their mean by angle: at the corner of a cube it points along the diagonal.
    ///
    /// # Errors
    /// If there is no such fragment, or it has broken.
    ///
    /// # Cost
    /// As [`BrittleBody::surface`].
    ///
    /// ```
    /// use fracas::brittle::{BrittleBody, Solid, SolidOptions};
    /// use fracas::{geom::DVec3, mesh::tets::brick};
    /// let solid = Solid::build(brick(DVec3::ONE, [2, 2, 2]), &SolidOptions::default())?;
    /// let body = BrittleBody::new(solid.into());
    /// let cube = body.fragments().next().unwrap();
    /// let points = body.fragment(cube)?.tree().points();
    /// for (p, normal) in points.iter().zip(body.point_normals(cube)?) {
    ///     let is_outside = p.abs().max_element() == 0.5;
    ///     assert!(normal.distance(if is_outside { p.normalize() } else { DVec3::ZERO }) < 1e-9);
    /// }
    /// # Ok::<(), fracas::brittle::BrittleError>(())
    /// ```
    pub fn point_normals(&self, fragment: FragmentId) -> Result<Vec<DVec3>, BrittleError> {
        let known = self.fragment(fragment)?;
        Ok(Skin::of(self, known, fragment).normals(&known.tree.keys))
    }

    /// The edges of a fragment's surface along which it is convex and its faces meet at more than `least_turn`, given as the
    /// cosine between their normals: where vertices alone would let two bodies sink into each other.
    ///
    /// # Errors
    /// If there is no such fragment, or it has broken.
    ///
    /// # Cost
    /// As [`BrittleBody::surface`].
    ///
    /// ```
    /// use fracas::brittle::{BrittleBody, Solid, SolidOptions};
    /// use fracas::{geom::DVec3, mesh::tets::brick};
    /// let solid = Solid::build(brick(DVec3::ONE, [3, 3, 3]), &SolidOptions::default())?;
    /// let body = BrittleBody::new(solid.into());
    /// let edges = body.sharp_edges(body.fragments().next().unwrap(), 0.9)?;
    /// let total: f64 = edges.iter().map(|edge| edge.ends[0].distance(edge.ends[1])).sum();
    /// assert_eq!(edges.len(), 12 * 3);
    /// assert!((total - 12.0).abs() < 1e-12, "the twelve edges of a cube");
    /// # Ok::<(), fracas::brittle::BrittleError>(())
    /// ```
    pub fn sharp_edges(&self, fragment: FragmentId, least_turn: f64) -> Result<Vec<SharpEdge>, BrittleError> {
        let known = self.fragment(fragment)?;
        Ok(Skin::of(self, known, fragment).sharp_edges(least_turn))
    }

    /// [`BrittleBody::point_normals`] and [`BrittleBody::sharp_edges`] at once, for not much more than either.
    ///
    /// # Errors
    /// If there is no such fragment, or it has broken.
    pub fn surface_features(
        &self,
        fragment: FragmentId,
        least_turn: f64,
    ) -> Result<(Vec<DVec3>, Vec<SharpEdge>), BrittleError> {
        let known = self.fragment(fragment)?;
        let skin = Skin::of(self, known, fragment);
        Ok((skin.normals(&known.tree.keys), skin.sharp_edges(least_turn)))
    }

    /// The corners of all triangles of a fragment's surface, and which triangles lie on a crack.
    fn surface_corners(&self, known: &Fragment, fragment: FragmentId) -> (Vec<(Key, DVec3)>, Vec<bool>) {
        let mut corners: Vec<(Key, DVec3)> = vec![];
        let mut is_crack = vec![];
        for &tet in &known.tets {
            let nodes = self.solid.mesh.tets()[tet as usize];
            let triangles = self.solid.triangles_of_tet[tet as usize];
            let index = self.cut_of[tet as usize];
            if index == Solid::NONE {
                for face in (0..4).filter(|&face| triangles[face] != Solid::NONE) {
                    corners.extend(FACES[face].map(|k| (key_of(&nodes, 1 << k), self.position(nodes[k]))));
                    is_crack.push(false);
                }
                continue;
            }
            let cut = &self.cuts[index as usize];
            let pattern = PatternBook::open().get(cut.pattern);
            let number = cut.part_of(fragment.0).expect("the tetrahedron has a part of the fragment");
            let part = &pattern.parts[number];
            let places = cut.corners_of(part, &self.solid.mesh.corners(tet as usize));
            for facet in &part.facets {
                let crack = match facet.side {
                    FacetSide::Crack => true,
                    FacetSide::Face(face) if triangles[face as usize] != Solid::NONE => false,
                    FacetSide::Face(_) => continue,
                };
                let corner = |v: u8| (key_of(&nodes, part.supports[v as usize]), places[v as usize]);
                for k in 1..facet.ring.len() - 1 {
                    corners.extend([facet.ring[0], facet.ring[k], facet.ring[k + 1]].map(corner));
                    is_crack.push(crack);
                }
            }
        }
        (corners, is_crack)
    }
}

/// The corners of a fragment's triangles, and which of them are the same vertex.
struct Skin {
    corners: Vec<(Key, DVec3)>,
    /// The vertex of each corner.
    vertex_of: Vec<u32>,
    /// The key of each vertex, ascending.
    keys: Vec<u128>,
}

/// A key as one number: numbers are sorted much faster than lists of them.
fn packed(key: &Key) -> u128 {
    key.iter().fold(0, |number, &node| number << 32 | u128::from(node))
}

impl Skin {
    fn of(body: &BrittleBody, known: &Fragment, fragment: FragmentId) -> Self {
        let (corners, _) = body.surface_corners(known, fragment);
        let mut order: Vec<(u128, u32)> = corners.iter().zip(0..).map(|(c, k)| (packed(&c.0), k)).collect();
        order.sort_unstable();
        let mut vertex_of = vec![0; corners.len()];
        let mut keys: Vec<u128> = Vec::with_capacity(corners.len() / 4);
        for (key, corner) in order {
            if keys.last() != Some(&key) {
                keys.push(key);
            }
            vertex_of[corner as usize] = keys.len() as u32 - 1;
        }
        Self { corners, vertex_of, keys }
    }

    /// The normal at each of the points with the given keys; zero where there is no vertex.
    fn normals(&self, keys: &[Key]) -> Vec<DVec3> {
        let mut sums = vec![DVec3::ZERO; self.keys.len()];
        for (triangle, vertices) in self.corners.chunks_exact(3).zip(self.vertex_of.chunks_exact(3)) {
            let [a, b, c] = [0, 1, 2].map(|k| triangle[k].1);
            let normal = (b - a).cross(c - a).normalize_or_zero();
            for (k, [p, q, r]) in [[a, b, c], [b, c, a], [c, a, b]].into_iter().enumerate() {
                let angle = libm::atan2((q - p).cross(r - p).length(), (q - p).dot(r - p));
                sums[vertices[k] as usize] += normal * angle;
            }
        }
        let normal = |key: &Key| {
            let vertex = self.keys.binary_search(&packed(key));
            vertex.map_or(DVec3::ZERO, |vertex| sums[vertex].normalize_or_zero())
        };
        keys.iter().map(normal).collect()
    }

    fn sharp_edges(&self, least_turn: f64) -> Vec<SharpEdge> {
        // Each side of each triangle by its ends, in order, and where its first end stands.
        let mut sides: Vec<(u64, u32)> = Vec::with_capacity(self.corners.len());
        for (k, vertices) in self.vertex_of.chunks_exact(3).enumerate() {
            for side in 0..3 {
                let (a, b) = (vertices[side], vertices[(side + 1) % 3]);
                sides.push((u64::from(a.min(b)) << 32 | u64::from(a.max(b)), (3 * k + side) as u32));
            }
        }
        sides.sort_unstable();
        let mut edges = vec![];
        for pair in sides.chunk_by(|x, y| x.0 == y.0) {
            let &[(_, first), (_, second)] = pair else { continue };
            let corner = |side: u32, k: u32| self.corners[(side - side % 3 + (side + k) % 3) as usize].1;
            let [a, b, c, d] = [corner(first, 0), corner(first, 1), corner(first, 2), corner(second, 2)];
            let along = (b - a).normalize_or_zero();
            // Into either face, square to the edge.
            let [into, other] = [c, d].map(|p| (p - a - along * along.dot(p - a)).normalize_or_zero());
            let (n, m) = (along.cross(into), other.cross(along));
            if n.dot(other) < -1e-9 && n.dot(m) < least_turn {
                edges.push(SharpEdge { ends: [a, b], into_faces: [into, other] });
            }
        }
        edges
    }
}

/// The corner with a given support in a tetrahedron.
pub(super) fn key_of(nodes: &[u32; 4], support: u8) -> Key {
    let mut key = [Solid::NONE; 4];
    for (k, slot) in key.iter_mut().enumerate() {
        if support >> k & 1 == 1 {
            *slot = nodes[k];
        }
    }
    key.sort_unstable();
    key
}

/// A mesh of triangles whose corners are the same vertex where they have the same key.
fn joined(corners: &[(Key, DVec3)]) -> Mesh {
    let mut order: Vec<u32> = (0..corners.len() as u32).collect();
    order.sort_unstable_by_key(|&i| (corners[i as usize].0, i));
    let mut positions = vec![];
    let mut vertex_of = vec![0; corners.len()];
    for (k, &i) in order.iter().enumerate() {
        let (key, position) = corners[i as usize];
        if k == 0 || corners[order[k - 1] as usize].0 != key {
            positions.push(position);
        }
        vertex_of[i as usize] = positions.len() as u32 - 1;
    }
    let triangles = vertex_of.chunks_exact(3).map(|t| [t[0], t[1], t[2]]).collect();
    Mesh::new(positions, triangles).expect("corners lie between finite nodes")
}
