//! A few good contacts between two fragments, or between a fragment and any shape with a distance function.
//!
//! # Idea
//!
//! The sphere tree of one is walked level by level against the facet tree of the other. A point within the tolerance becomes a
//! contact. A point farther away than everything below it reaches ends its branch. Coarse points come first, so the first
//! contacts are spread over the whole region of contact:
//!
//! ```text
//!    tolerance +ε, until the budget is used up          then −ε: only what is deeper still counts
//!    ●          ●          ●          ●                  ●    ○  ○   ●  ○    ○  ●   ○    ●
//!   ═══════════════════════════════════════             ════════════════════════════════════
//! ```
//!
//! If a solver resolves the first contacts and the next query finds nothing deeper, the bodies are separated up to ε. So the number
//! of contacts adapts itself.
//!
//! # Departures from the paper
//!
//! - Each point is queried once, at the level where it appears, instead of once per level.
//! - Distances between fragments come from facet trees. A facet tree answers faster than the fragment distance field and
//!   pays for its build after some tens of points.

use crate::brittle::{BrittleBody, BrittleError, Fragment, FragmentId, SphereTree};
use crate::contact::{self, ContactParts};
use crate::geom::{DMat3, DVec3, Pose};

/// How contacts are chosen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactOptions {
    /// Contacts of each direction after which only deeper ones are added; 1 or more. `usize::MAX` finds all.
    pub budget: usize,
    /// Points up to this far from the other body become contacts, in units of length; 0 or more. Engines that look ahead
    /// ask for more than 0.
    pub prediction: f64,
    /// The tolerance ε by the radius of the fragment whose points are taken. Points this near become contacts at least, and
    /// after the budget is used up, those deeper than this.
    pub tolerance: f64,
    /// Take only points of the surface as contacts. Points inside are deep in the other body if they are in it at all, and
    /// some point of the surface is deeper; if you want all points of contact at once, you can do without them.
    pub surface_only: bool,
}

impl Default for ContactOptions {
    fn default() -> Self {
        Self { budget: 8, prediction: 0.0, tolerance: 0.002, surface_only: false }
    }
}

/// A contact: a point of one body near or inside another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contact {
    /// The point.
    pub point: DVec3,
    /// The point of the other body's surface nearest to it.
    pub surface: DVec3,
    /// Separation direction of the point: unit vector outward from the other body.
    pub normal: DVec3,
    /// Distance to the other body's surface; negative inside.
    pub distance: f64,
    /// The point's place in the sphere tree: the same as long as the fragment does not break.
    pub feature: u32,
    /// In answers about two fragments: whether the point belongs to the second.
    pub is_of_second: bool,
}

/// The same contact as any two bodies have it: the normal points from the first body to the second. Nothing is lost.
///
/// ```
/// use fracas::{Contact, brittle, geom::DVec3};
/// let on_floor = brittle::Contact {
///     point: DVec3::new(0.0, 0.0, -0.51), surface: DVec3::new(0.0, 0.0, -0.5), normal: DVec3::Z,
///     distance: -0.01, feature: 7, is_of_second: false,
/// };
/// let contact = Contact::from(on_floor);
/// assert_eq!((contact.normal, contact.depth), (-DVec3::Z, 0.01));
/// assert_eq!(brittle::Contact::try_from(contact), Ok(on_floor));
/// ```
impl From<Contact> for contact::Contact {
    fn from(found: Contact) -> Self {
        let Contact { point, surface, normal, distance, feature, is_of_second } = found;
        let (points, normal) =
            if is_of_second { ([surface, point], normal) } else { ([point, surface], -normal) };
        let between = ContactParts::Sample { index: feature, is_of_second };
        Self { points, normal, depth: -distance, between, region: 0 }
    }
}

/// A contact of a fragment's point, if it is one: others come back as they are.
impl TryFrom<contact::Contact> for Contact {
    type Error = contact::Contact;

    fn try_from(found: contact::Contact) -> Result<Self, contact::Contact> {
        let ContactParts::Sample { index: feature, is_of_second } = found.between else { return Err(found) };
        let [first, second] = found.points;
        let (point, surface, normal) =
            if is_of_second { (second, first, found.normal) } else { (first, second, -found.normal) };
        Ok(Self { point, surface, normal, distance: -found.depth, feature, is_of_second })
    }
}

/// What one query did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ContactStats {
    /// Points of sphere trees visited.
    pub visited: u64,
    /// Points whose distance was measured.
    pub measured: u64,
    /// Points found within the tolerance, whether handed over or not.
    pub colliding: u64,
}

/// What the other body says about a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Probe {
    /// Farther away than asked for; at least this far.
    Far(f64),
    /// Near or inside.
    Near {
        /// Distance to the surface; negative inside.
        distance: f64,
        /// Nearest point of the surface.
        surface: DVec3,
        /// Unit vector outward.
        normal: DVec3,
    },
}

/// Finds contacts; keeps its memory from query to query.
#[derive(Clone, Debug, Default)]
pub struct ContactFinder {
    /// How contacts are chosen.
    pub options: ContactOptions,
    contacts: Vec<Contact>,
    active: Vec<Active>,
    next: Vec<Active>,
    /// What is known of the least distance of each point.
    bounds: Vec<f64>,
    stats: ContactStats,
}

/// A fragment with more points is walked through its tree, even if a plane rules most of them out.
const MOST_IN_A_ROW: usize = 1000;

/// How near points must be to become contacts, and how many more may.
struct Quota {
    /// Points farther away never matter.
    reach: f64,
    /// After the budget is used up, only points deeper than this become contacts.
    depth: f64,
    /// Points nearer than this become contacts now.
    tolerance: f64,
    left: usize,
}

/// A point whose children are yet to be visited.
#[derive(Clone, Copy, Debug)]
struct Active {
    point: u32,
    /// The first child that is left.
    child: usize,
    /// The point is at least this far from the other body.
    bound: f64,
}

impl ContactFinder {
    /// A finder with the given options.
    #[must_use]
    pub fn new(options: ContactOptions) -> Self {
        Self { options, ..Self::default() }
    }

    /// What the last query did.
    #[must_use]
    pub fn stats(&self) -> ContactStats {
        self.stats
    }

    /// Contacts between two fragments: points of the first near the second, then the other way round. Coordinates are those
    /// of the first; `second_pose` takes the second there.
    ///
    /// # Errors
    /// If there is no such fragment, or it has broken.
    ///
    /// ```
    /// use fracas::brittle::{BrittleBody, ContactFinder, Solid, SolidOptions};
    /// use fracas::{geom::{DVec3, Pose}, mesh::tets::brick};
    /// let solid = Solid::build(brick(DVec3::ONE, [4, 4, 4]), &SolidOptions::default())?;
    /// let body = BrittleBody::new(solid.into());
    /// let cube = body.fragments().next().unwrap();
    /// let mut finder = ContactFinder::default();
    /// let above = Pose::from_translation(DVec3::new(0.1, 0.2, 0.99)).unwrap();
    /// let contacts = finder.find_between((&body, cube), (&body, cube), &above)?;
    /// assert!(contacts.iter().all(|c| (c.distance + 0.01).abs() < 1e-9 && c.normal.z.abs() > 0.999));
    /// # Ok::<(), fracas::brittle::BrittleError>(())
    /// ```
    pub fn find_between(
        &mut self,
        first: (&BrittleBody, FragmentId),
        second: (&BrittleBody, FragmentId),
        second_pose: &Pose,
    ) -> Result<&[Contact], BrittleError> {
        let (a, b) = (first.0.fragment(first.1)?, second.0.fragment(second.1)?);
        self.begin();
        let back = second_pose.inverse();
        if boxes_touch(a, b, second_pose, self.reach(a).max(self.reach(b))) {
            let [to_a, to_b] = [first.0.facet_tree(first.1)?, second.0.facet_tree(second.1)?];
            let unknown = f64::NEG_INFINITY;
            self.walk(a, |p, reach| to_b.probe(second.0, back.apply(p), reach, unknown));
            let ours = self.contacts.len();
            let turn = second_pose.rotation();
            for contact in &mut self.contacts {
                contact.surface = second_pose.apply(contact.surface);
                contact.normal = turn * contact.normal;
            }
            self.walk(b, |p, reach| to_a.probe(first.0, second_pose.apply(p), reach, unknown));
            for contact in &mut self.contacts[ours..] {
                contact.point = second_pose.apply(contact.point);
                contact.is_of_second = true;
            }
        }
        Ok(&self.contacts)
    }

    /// Contacts of a fragment's points with anything that answers for its distance: a floor, a ball, another engine's shape.
    ///
    /// `probe` is given a point in the fragment's coordinates and how far away it may be to matter. Its answers are stored as they
    /// are. With `surface_only`, points inside never matter: they come with −∞, and any bound of their distance will do.
    ///
    /// # Errors
    /// If there is no such fragment, or it has broken.
    ///
    /// ```
    /// use fracas::brittle::{BrittleBody, ContactFinder, Probe, Solid, SolidOptions};
    /// use fracas::{geom::DVec3, mesh::tets::brick};
    /// let solid = Solid::build(brick(DVec3::ONE, [4, 4, 4]), &SolidOptions::default())?;
    /// let body = BrittleBody::new(solid.into());
    /// let floor = |p: DVec3, reach: f64| match p.z + 0.49 {
    ///     distance if distance > reach => Probe::Far(distance),
    ///     distance => Probe::Near { distance, surface: DVec3::new(p.x, p.y, -0.49), normal: DVec3::Z },
    /// };
    /// let mut finder = ContactFinder::default();
    /// let contacts = finder.find_with((&body, body.fragments().next().unwrap()), floor)?;
    /// assert!(contacts.len() >= 8 && contacts.iter().all(|c| c.distance < 0.0));
    /// # Ok::<(), fracas::brittle::BrittleError>(())
    /// ```
    pub fn find_with(
        &mut self,
        fragment: (&BrittleBody, FragmentId),
        probe: impl FnMut(DVec3, f64) -> Probe,
    ) -> Result<&[Contact], BrittleError> {
        let known = fragment.0.fragment(fragment.1)?;
        self.begin();
        self.walk(known, probe);
        Ok(&self.contacts)
    }

    /// As [`ContactFinder::find_with`], for a body that is known to lie behind a plane: a point `p` is at least
    /// `offset + direction · p` away from it, where `direction` has length 1. Points that are too far by this are not asked about.
    ///
    /// # Errors
    /// If there is no such fragment, or it has broken.
    pub fn find_behind_plane(
        &mut self,
        fragment: (&BrittleBody, FragmentId),
        offset: f64,
        direction: DVec3,
        mut probe: impl FnMut(DVec3, f64) -> Probe,
    ) -> Result<&[Contact], BrittleError> {
        let known = fragment.0.fragment(fragment.1)?;
        self.begin();
        if known.tree.points.len() <= MOST_IN_A_ROW {
            self.pass(known, |p| offset + direction.dot(p), probe);
            return Ok(&self.contacts);
        }
        self.walk(known, |p, reach| match offset + direction.dot(p) {
            bound if bound > reach.max(0.0) => Probe::Far(bound),
            _ => probe(p, reach),
        });
        Ok(&self.contacts)
    }

    /// Passes over all points of a fragment, coarse ones first. The distance of a point's parent often rules the point out.
    fn pass(
        &mut self,
        fragment: &Fragment,
        bound: impl Fn(DVec3) -> f64,
        mut probe: impl FnMut(DVec3, f64) -> Probe,
    ) {
        let mut quota = self.quota(fragment);
        let (tree, surface_only) = (&fragment.tree, self.options.surface_only);
        self.bounds.clear();
        self.bounds.resize(tree.points.len(), f64::NEG_INFINITY);
        for (p, &point) in tree.points.iter().enumerate() {
            let mut least = bound(point);
            if least >= quota.tolerance {
                continue;
            }
            if tree.parents[p] != SphereTree::NONE {
                let above = tree.parents[p] as usize;
                let way = tree.points[above].distance(point);
                least = least.max(self.bounds[above].max(bound(tree.points[above])) - way);
            }
            if least < quota.tolerance && !(surface_only && fragment.is_inside[p]) {
                self.stats.visited += 1;
                least = match probe(point, quota.reach) {
                    Probe::Far(bound) => least.max(bound),
                    near => self.accept(point, p as u32, near, &mut quota),
                };
            }
            self.bounds[p] = least;
        }
    }

    /// Counts a point, and makes it a contact if it is near enough. Returns its distance, or what is known of it.
    #[inline]
    fn accept(&mut self, point: DVec3, feature: u32, probe: Probe, quota: &mut Quota) -> f64 {
        let (distance, surface, normal) = match probe {
            Probe::Far(bound) => return bound,
            Probe::Near { distance, surface, normal } => (distance, surface, normal),
        };
        self.stats.measured += 1;
        self.stats.colliding += u64::from(distance < quota.reach);
        if distance < quota.tolerance {
            self.contacts.push(Contact { point, surface, normal, distance, feature, is_of_second: false });
            quota.left = quota.left.saturating_sub(1);
            if quota.left == 0 {
                quota.tolerance = -quota.depth;
            }
        }
        distance
    }

    fn begin(&mut self) {
        self.contacts.clear();
        self.stats = ContactStats::default();
    }

    fn depth(&self, fragment: &Fragment) -> f64 {
        self.options.tolerance * fragment.radius()
    }

    fn reach(&self, fragment: &Fragment) -> f64 {
        self.options.prediction.max(self.depth(fragment))
    }

    fn quota(&self, fragment: &Fragment) -> Quota {
        let (reach, depth) = (self.reach(fragment), self.depth(fragment));
        Quota { reach, depth, tolerance: reach, left: self.options.budget }
    }

    /// Walks the tree of a fragment. `probe` is given a point and how far away it may be to matter: −∞ for a point that cannot
    /// become a contact, of which any bound of the distance will do.
    fn walk(&mut self, fragment: &Fragment, mut probe: impl FnMut(DVec3, f64) -> Probe) {
        let mut quota = self.quota(fragment);
        let (tree, surface_only) = (&fragment.tree, self.options.surface_only);
        self.active.clear();
        let mut visit = |finder: &mut Self, point: u32, quota: &mut Quota| {
            let p = point as usize;
            finder.stats.visited += 1;
            let is_bound_enough = surface_only && fragment.is_inside[p];
            let found = probe(tree.points[p], if is_bound_enough { f64::NEG_INFINITY } else { quota.reach });
            let bound = match found {
                Probe::Near { distance, .. } if is_bound_enough => distance,
                found => finder.accept(tree.points[p], point, found, quota),
            };
            let children = tree.children.range(p);
            if !children.is_empty() && bound - tree.tails[children.start] < quota.tolerance {
                finder.next.push(Active { point, child: children.start, bound });
            }
        };
        self.next.clear();
        for &root in &tree.roots {
            visit(self, root, &mut quota);
        }
        let mut level = 0_u32;
        while !self.next.is_empty() {
            level += 1;
            std::mem::swap(&mut self.active, &mut self.next);
            self.next.clear();
            let active = std::mem::take(&mut self.active);
            for &Active { point, mut child, bound } in &active {
                let end = tree.children.range(point as usize).end;
                // Children that appear by this level; later ones wait, unless they are out of reach.
                while child < end && bound - tree.tails[child] < quota.tolerance {
                    let below = tree.children.items()[child];
                    if u32::from(tree.levels[below as usize]) > level {
                        self.next.push(Active { point, child, bound });
                        break;
                    }
                    visit(self, below, &mut quota);
                    child += 1;
                }
            }
            self.active = active;
        }
    }
}

/// Whether the boxes of two fragments may come within a distance of each other, seen along the axes of either.
fn boxes_touch(a: &Fragment, b: &Fragment, b_pose: &Pose, distance: f64) -> bool {
    let (half_a, half_b) = (0.5 * (a.high - a.low) + distance, 0.5 * (b.high - b.low));
    let (turn, back) = (b_pose.rotation(), b_pose.rotation().transpose());
    let way = b_pose.apply(0.5 * (b.low + b.high)) - 0.5 * (a.low + a.high);
    // Half the size of a box that is turned.
    let spread = |turn: DMat3, half: DVec3| {
        turn.x_axis.abs() * half.x + turn.y_axis.abs() * half.y + turn.z_axis.abs() * half.z
    };
    (way.abs() - half_a - spread(turn, half_b)).max_element() <= 0.0
        && ((back * way).abs() - half_b - spread(back, half_a)).max_element() <= 0.0
}
