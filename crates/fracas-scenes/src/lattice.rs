//! A soft solid: a lattice of points and links that a surface follows, and that a cut parts.
//!
//! # Idea
//!
//! ```text
//!    ·──·──·  ·──·     Every point is linked to its 26 neighbours. A link that the cut has passed is gone. A vertex of the surface
//!    │╳ │╳ │  │╳ │     follows the points around it that it can see past the cut, so the two faces of the cut follow different ones.
//!    ·──·──·  ·──·
//! ```
//!
//! Point *i* is at xᵢ at rest and at yᵢ now. Fᵢ is the linear map that fits the motion of its linked neighbours best, held to the identity where there
//! are too few of them. A vertex p goes to Σ wᵢ (yᵢ + Fᵢ (p − xᵢ)), with weights that fall to zero at the distance [`REACH`].

use crate::points::{Link, Point};
use crate::soft::Push;
use fracas::geom::{DMat3, DVec3};
use fracas::mesh::LiveMesh;

/// How far a point moves vertices, in spacings.
const REACH: f64 = 1.9;

/// A plane, cut where the coordinate along `ahead` is from `start` to `front`. Coordinates count from `origin`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Parting {
    pub origin: DVec3,
    pub normal: DVec3,
    pub ahead: DVec3,
    pub start: f64,
    pub front: f64,
}

impl Parting {
    fn height(&self, p: DVec3) -> f64 {
        (p - self.origin).dot(self.normal)
    }

    /// Whether the cut lies between two points at rest.
    fn is_between(&self, a: DVec3, b: DVec3) -> bool {
        let (h, k) = (self.height(a), self.height(b));
        h * k <= 0.0 && h != k && {
            let crossing = a + (b - a) * (h / (h - k));
            (self.start..=self.front).contains(&(crossing - self.origin).dot(self.ahead))
        }
    }
}

pub(crate) struct Lattice {
    pub points: Vec<Point>,
    pub rest: Vec<DVec3>,
    pub links: Vec<(Link, f64)>,
    spacing: f64,
    /// How much material a cut takes away between its faces: they begin this far apart.
    pub kerf: f64,
    /// The points that each vertex of the surface follows, and how far a kerf has moved it at rest.
    follows: Vec<Vec<(u32, f64)>>,
    moved: Vec<DVec3>,
}

impl Lattice {
    /// Points at half-odd multiples of the spacing, where the test says so; links give by the compliance.
    pub fn new(half: DVec3, spacing: f64, compliance: f64, is_inside: impl Fn(DVec3) -> bool) -> Self {
        let counts = (half / spacing).ceil().to_array().map(|n| n as i32);
        let mut rest = vec![];
        for x in -counts[0]..counts[0] {
            for y in -counts[1]..counts[1] {
                for z in -counts[2]..counts[2] {
                    let p = (DVec3::new(x.into(), y.into(), z.into()) + DVec3::splat(0.5)) * spacing;
                    rest.extend(is_inside(p).then_some(p));
                }
            }
        }
        let mut links = vec![];
        for (i, a) in rest.iter().enumerate() {
            for (j, b) in rest.iter().enumerate().skip(i + 1) {
                if (*a - *b).abs().max_element() < 1.1 * spacing {
                    let link = Link { ends: [i as u32, j as u32], length: a.distance(*b) };
                    links.push((link, compliance));
                }
            }
        }
        let point =
            |&position: &DVec3| Point { position, velocity: DVec3::ZERO, before: position, mobility: 1.0 };
        Self {
            points: rest.iter().map(point).collect(),
            rest,
            links,
            spacing,
            kerf: 0.0,
            follows: vec![],
            moved: vec![],
        }
    }

    /// Takes away links that cuts have passed, and finds again what each vertex of the surface follows.
    pub fn part(&mut self, surface: &LiveMesh, partings: &[Parting]) {
        let rest = &self.rest;
        self.links.retain(|(link, _)| {
            let [a, b] = link.ends.map(|v| rest[v as usize]);
            !partings.iter().any(|parting| parting.is_between(a, b))
        });
        let sides: Vec<Vec<f64>> = partings.iter().map(|parting| sides_of(surface, parting)).collect();
        let reach = REACH * self.spacing;
        let follow = |(vertex, p): (usize, &DVec3)| {
            let weight = |x: &DVec3| (1.0 - x.distance_squared(*p) / (reach * reach)).max(0.0).powi(3);
            // Seen from its own side of every cut.
            let hides = |parting: &Parting, side: f64, x: DVec3| {
                let height = parting.height(*p);
                let from = *p + parting.normal * (side * height.abs().max(1e-9) - height);
                side != 0.0 && parting.is_between(from, x)
            };
            let is_seen =
                |x: &DVec3| !partings.iter().zip(&sides).any(|(cut, side)| hides(cut, side[vertex], *x));
            let near = (0..).zip(rest).map(|(v, x)| (v, x, weight(x))).filter(|(.., weight)| *weight > 0.0);
            let near = near.filter(|(_, x, _)| is_seen(x));
            let mut list: Vec<(u32, f64)> = near.map(|(v, _, weight)| (v, weight)).collect();
            if list.is_empty() {
                let far = |v: &u32| rest[*v as usize].distance_squared(*p);
                let nearest = (0..rest.len() as u32).min_by(|v, w| far(v).total_cmp(&far(w)));
                list.extend(nearest.map(|v| (v, 1.0)));
            }
            let sum: f64 = list.iter().map(|(_, weight)| weight).sum();
            list.iter_mut().for_each(|(_, weight)| *weight /= sum);
            list
        };
        self.follows = surface.positions().iter().enumerate().map(follow).collect();
        let (kerf, tiny) = (0.5 * self.kerf, 1e-9 * self.spacing);
        let moved = |(vertex, p): (usize, &DVec3)| {
            let beside = partings.iter().zip(&sides).filter(|(cut, _)| cut.height(*p).abs() < tiny);
            beside.map(|(cut, side)| cut.normal * (kerf * side[vertex])).sum()
        };
        self.moved = surface.positions().iter().enumerate().map(moved).collect();
    }

    /// Where the vertices of the surface are.
    pub fn carry(&self, surface: &LiveMesh) -> Vec<DVec3> {
        let gradients = self.gradients();
        let place = |((p, moved), list): ((&DVec3, &DVec3), &Vec<(u32, f64)>)| {
            let at = |&(v, w): &(u32, f64)| {
                let v = v as usize;
                (self.points[v].position + gradients[v] * (*p + *moved - self.rest[v])) * w
            };
            list.iter().map(at).sum()
        };
        surface.positions().iter().zip(&self.moved).zip(&self.follows).map(place).collect()
    }

    /// The points that vertices of the surface follow, each once.
    pub fn followed(&self, vertices: &[u32]) -> Vec<u32> {
        let lists = vertices.iter().filter_map(|v| self.follows.get(*v as usize));
        let mut all: Vec<u32> = lists.flatten().map(|(v, _)| *v).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// Pushes on vertices of the surface, which are where `now` says, as pushes on points.
    pub fn on_points(&self, pushes: Vec<Push>, now: &[DVec3]) -> Vec<Push> {
        let expand = |mut push: Push| {
            let mut ends: Vec<(u32, f64)> = vec![];
            for &(vertex, w) in &push.ends {
                // A vertex lies beside the mean of its points: the bound moves by as much.
                push.least -= w * now[vertex as usize].dot(push.normal);
                for &(v, u) in &self.follows[vertex as usize] {
                    push.least += w * u * self.points[v as usize].position.dot(push.normal);
                    match ends.iter_mut().find(|end| end.0 == v) {
                        Some(end) => end.1 += w * u,
                        None => ends.push((v, w * u)),
                    }
                }
            }
            Push { ends, ..push }
        };
        // Features that follow the same points cannot be parted.
        let can_part = |push: &Push| push.ends.iter().map(|(_, w)| w.abs()).sum::<f64>() > 0.7;
        pushes.into_iter().map(expand).filter(can_part).collect()
    }

    /// The linear map that fits the motion around each point.
    fn gradients(&self) -> Vec<DMat3> {
        let hold = 0.05 * self.spacing * self.spacing;
        let start = (DMat3::from_diagonal(DVec3::splat(hold)), DMat3::from_diagonal(DVec3::splat(hold)));
        let mut sums = vec![start; self.rest.len()];
        let outer = |a: DVec3, b: DVec3| DMat3::from_cols(a * b.x, a * b.y, a * b.z);
        for (link, _) in &self.links {
            let [i, j] = link.ends.map(|v| v as usize);
            let x = self.rest[j] - self.rest[i];
            let y = self.points[j].position - self.points[i].position;
            for k in [i, j] {
                sums[k].0 += outer(y, x);
                sums[k].1 += outer(x, x);
            }
        }
        sums.into_iter().map(|(moved, moments)| moved * moments.inverse()).collect()
    }
}

/// On which side of the plane of a cut each vertex is; 0 for those that belong to both.
fn sides_of(surface: &LiveMesh, parting: &Parting) -> Vec<f64> {
    let mut sides = vec![[false; 2]; surface.vertex_count()];
    for id in surface.live_triangles() {
        let t = surface.triangle(id);
        let [a, b, c] = t.corners();
        let normal = (b - a).cross(c - a);
        // A face of the cut looks away from the part that it belongs to.
        let [a, b, c] = [a, b, c].map(|p| parting.height(p));
        let height = a.abs().max(b.abs()).max(c.abs());
        let is_face = height < 0.05 * normal.length().sqrt();
        let is_positive = if is_face { normal.dot(parting.normal) < 0.0 } else { a + b + c > 0.0 };
        surface.corners(id).iter().for_each(|v| sides[*v as usize][usize::from(is_positive)] = true);
    }
    let side = |[negative, positive]: [bool; 2]| f64::from(i8::from(positive) - i8::from(negative));
    sides.into_iter().map(side).collect()
}
