//! One finder for every question about any two bodies.
//!
//! ```text
//!   find_pairs(a, b)         both have a hierarchy ──▶ bridge ──▶ rounds of PairWalk and Unfolding ─┐
//!   find_self_pairs(a)       one of them is a soup ──▶ both become soups ──▶ grid ──▶ CellSearch ───┤
//!                                                                                                  ▼
//!                                                                                         sorted pairs
//! ```
//!
//! A finder holds memory and options, and nothing that changes an answer. Bodies are only read, so several finders may ask about one
//! body at the same time, from several threads.

mod closest;
mod contacts;
#[cfg(test)]
mod contract;
mod duplicates;
mod first;
mod impacts;
mod near;
mod points;

pub use self::closest::Closest;
use self::closest::ClosestMemory;
use self::contacts::ContactMemory;
use self::first::Shells;
use self::impacts::ImpactMemory;
use crate::geom::{DVec3, Pose};
use crate::mesh::{Mesh, MeshRef, TriangleId};
use crate::pairs::{Crew, FindStats, Pair, Threads, Touch, Twins};
use crate::soup::{Soup, SoupOptions, SoupStats, Source};
use crate::tree::Broken;
use crate::walk::overlap;
use crate::walk::{
    Bridge, Child, Corners, Hierarchy, Meeting, Opened, PairWalk, Patience, Posed, RowTwins, Shape, Shelf,
    Unfolding, View,
};

/// Options of a [`Finder`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FindOptions {
    /// Which intersections count. Default: every common point.
    pub touch: Touch,
    /// What to do with the two faces of a crack that have not moved apart. Default: leave them out.
    pub twins: Twins,
    /// How many threads a query may use. The pairs are the same, byte for byte. Default: all of them where it pays.
    pub threads: Threads,
    /// How soups are sorted into cells. The pairs are the same.
    pub soup: SoupOptions,
    /// Whether [`Finder::find_impacts`] also looks for triangles that intersect at the start of the step. Default: yes.
    pub look_at_start: bool,
    /// The most pairs that an answer may have, 8 bytes each. If there are more, [`Finder::find_pairs`] and [`Finder::find_self_pairs`]
    /// count them all ([`FindStats::found`]), list none, and take no more memory than twice this number on each thread. Crowds have many:
    /// 40,000 triangles at one place are 800 million pairs. Default: no limit.
    pub most_pairs: usize,
}

impl Default for FindOptions {
    fn default() -> Self {
        let (touch, twins, threads) = (Touch::default(), Twins::default(), Threads::default());
        Self {
            touch,
            twins,
            threads,
            soup: SoupOptions::default(),
            look_at_start: true,
            most_pairs: usize::MAX,
        }
    }
}

/// Answers questions about bodies of any kind; keeps its memory from query to query.
///
/// ```
/// use fracas::{Finder, MeshTree, TearingBody, geom::{DVec3, Pose}, mesh::shapes};
/// let ball = MeshTree::build(shapes::icosphere(1.0, 3));
/// let apple = TearingBody::build(shapes::icosphere(1.0, 3));
/// let soup = shapes::cuboid(DVec3::splat(1.7));
/// let mut finder = Finder::default();
/// assert!(finder.find_self_pairs(&ball).is_empty());
/// let aside = Pose::from_translation(DVec3::new(1.5, 0.0, 0.0)).unwrap();
/// assert!(!finder.find_pairs(&ball, apple.at(&aside)).is_empty());
/// assert!(!finder.find_pairs(&apple, &soup).is_empty());
/// ```
#[doc(alias = "collide")]
#[derive(Default)]
pub struct Finder {
    options: FindOptions,
    crew: Crew<PairWalk>,
    /// What was opened of bodies that compute their nodes on demand: of the first and second body of a query, and of a body
    /// that was asked about itself.
    unfoldings: [Unfolding; 2],
    shelf: Shelf,
    roots: [Vec<Root>; 2],
    parked: Vec<(Child, Child)>,
    soup: Soup,
    /// Bodies of a query as soups.
    gathered: [Gathered; 2],
    /// Whether the last answer is that of the soup, and not that of the walk.
    asked_soup: bool,
    impacts: ImpactMemory,
    closest: ClosestMemory,
    contacts: ContactMemory,
    shells: [Shells; 2],
}

/// Where a tree begins, and the box around it.
type Root = (Child, Corners);

/// A body, its trees or one of them, and where it is.
type PosedTrees<'a> = (&'a dyn Hierarchy, Option<usize>, Pose);

impl Finder {
    /// A finder with the given options.
    #[must_use]
    pub fn new(options: FindOptions) -> Self {
        Self { options, ..Self::default() }
    }

    /// What the finder looks for.
    #[must_use]
    pub fn options(&self) -> &FindOptions {
        &self.options
    }

    /// Changes what the finder looks for from now on.
    pub fn set_options(&mut self, options: FindOptions) {
        self.options = options;
    }

    /// Forgets what it has opened of bodies that compute their nodes on demand, and which triangles were closest last; keeps the memory:
    /// for measuring what a query costs after a change. Answers do not depend on it.
    pub fn forget(&mut self) {
        self.unfoldings.iter_mut().for_each(Unfolding::forget);
        self.shelf.forget();
        self.closest.forget();
    }

    /// Work done by the last query. In a soup `node_pairs` counts pairs of cells, and `culled` vertices whose triangles were proved
    /// not to meet each other.
    #[must_use]
    pub fn stats(&self) -> &FindStats {
        if self.asked_soup { &self.soup.crew.stats } else { &self.crew.stats }
    }

    fn pairs(&self) -> &[Pair] {
        if self.asked_soup { &self.soup.crew.pairs } else { &self.crew.pairs }
    }

    /// The grid of the last query about a soup.
    #[must_use]
    pub fn soup_stats(&self) -> SoupStats {
        self.soup.stats()
    }

    /// Every pair of triangles of one body that meet in more than the vertices and edges they share; `a < b`, sorted, each
    /// once. A view of one piece of a body stands for that piece alone.
    ///
    /// # Cost
    /// About proportional to the number of pairs whose boxes overlap. A body that computes its nodes on demand also costs a pass over it if
    /// it has changed since the last query. Does not allocate once its buffers have grown to the size of the answer (threads of
    /// rayon may, for their own queues).
    #[doc(alias = "self_intersections")]
    pub fn find_self_pairs<'a>(&mut self, body: impl Into<View<'a>>) -> &[Pair] {
        self.compare_with_itself(body.into(), self.options.most_pairs)
    }

    /// All pairs within a body; if they are more than `most`, only their number.
    fn compare_with_itself(&mut self, view: View, most: usize) -> &[Pair] {
        match view.shape {
            Shape::Hierarchy { body, tree } => {
                let patience = self.patience(&[body]);
                self.walk_itself(body, tree, most, &patience);
                if patience.is_lost() && !self.search_groups(&[View::of(body, tree)], most) {
                    self.walk_itself(body, tree, most, &Patience::endless());
                }
            }
            // A pose moves all triangles alike, but rounds each of them.
            Shape::Soup(_) => self.search_soups(&[view], most),
        }
        self.pairs()
    }

    /// Every intersecting pair between two bodies; sorted, each once. Exact for the positions that
    /// [`Pose::apply`] gives.
    ///
    /// # Cost
    /// As for [`Finder::find_self_pairs`], but bodies that compute their nodes on demand compute only those that the walk reaches. If
    /// either is a soup, linear in the number of triangles of both.
    #[doc(alias = "collide")]
    #[doc(alias = "intersect")]
    pub fn find_pairs<'a, 'b>(&mut self, a: impl Into<View<'a>>, b: impl Into<View<'b>>) -> &[Pair] {
        self.compare(a.into(), b.into(), false, self.options.most_pairs)
    }

    /// All pairs between two bodies; with `first`, some of them if there are any. If they are more than `most`, only their number.
    fn compare(&mut self, a: View, b: View, first: bool, most: usize) -> &[Pair] {
        match (a.shape, b.shape) {
            (Shape::Hierarchy { body: one, tree: s }, Shape::Hierarchy { body: other, tree: t }) => {
                // The larger of the two lends the frame, so that coordinates of the other stay small in it.
                let swapped = other.frame().scale < one.frame().scale;
                let patience = self.patience(&[one, other]);
                let (one, other) = ((one, s, a.pose), (other, t, b.pose));
                let (frame, guest) = if swapped { (other, one) } else { (one, other) };
                self.walk_two(frame, guest, (swapped, first), most, &patience);
                if patience.is_lost() && !self.search_groups(&[a, b], most) {
                    self.walk_two(frame, guest, (swapped, first), most, &Patience::endless());
                }
            }
            _ => self.search_soups(&[a, b], most),
        }
        self.pairs()
    }

    /// Sorts the triangles of a mesh into cells and stops there: for measuring.
    #[doc(hidden)]
    pub fn populate(&mut self, mesh: &Mesh) {
        let source = Source { positions: mesh.positions(), triangles: mesh.triangles() };
        self.soup.populate(&[source], &self.options.soup, self.options.threads);
    }

    /// Checks the grid of the last query, which was about the given mesh alone.
    ///
    /// # Errors
    /// The first invariant found broken; also if the grid is of another mesh.
    #[doc(hidden)]
    pub fn validate_soup(&self, mesh: &Mesh) -> Result<(), Broken> {
        self.soup.validate(mesh)
    }

    fn walk_itself(&mut self, body: &dyn Hierarchy, tree: Option<usize>, most: usize, patience: &Patience) {
        self.asked_soup = false;
        self.crew.reset();
        let FindOptions { touch, threads, .. } = self.options;
        let weld = self.options.twins == Twins::LeaveOut && body.has_twins();
        let unfolding = &mut self.unfoldings[0];
        if body.ready().is_none() {
            // A twin may be in another tree: only a query about all trees can speak for both.
            let twins = match tree {
                None if weld => RowTwins::Hidden,
                Some(_) if weld => RowTwins::Welded,
                _ => RowTwins::Apart,
            };
            unfolding.begin(body, twins);
            unfolding.open_all(body, threads.count() > 1);
        }
        let roots = &mut self.roots[0];
        list_roots(body, unfolding, tree, roots);
        for (k, (root, corners)) in roots.iter().enumerate() {
            self.crew.add((*root, *root));
            for (other, _) in roots[k + 1..].iter().filter(|other| overlap(corners, &other.1)) {
                self.crew.add((*root, *other));
            }
        }
        let open = opened(body, unfolding);
        let hidden = weld && tree.is_none() && body.ready().is_none();
        let precision = body.precision();
        let meeting = Meeting::Itself { body, open, precision, weld, hidden, touch, most, patience };
        self.crew.run(&meeting, threads);
        self.crew.finish(threads, most);
    }

    /// `a` provides the frame; `swapped` if it is the caller's second.
    /// With `first`, the walk ends at the first pair. It also ends when patience is lost.
    fn walk_two(
        &mut self,
        (a, tree_a, pose_a): PosedTrees,
        (b, tree_b, pose_b): PosedTrees,
        (swapped, first): (bool, bool),
        most: usize,
        patience: &Patience,
    ) {
        self.asked_soup = false;
        self.crew.reset();
        let FindOptions { touch, threads, .. } = self.options;
        if let Some((box_a, box_b)) = a.bounds(tree_a).zip(b.bounds(tree_b))
            && let Some(bridge) = Bridge::new((a, &pose_a, box_a), (b, &pose_b, box_b))
        {
            self.shelf.arrange(&mut self.unfoldings, [a, b]);
            let [of_a, of_b] = &mut self.unfoldings;
            for (body, unfolding) in [(a, &mut *of_a), (b, &mut *of_b)] {
                if body.ready().is_none() {
                    unfolding.begin(body, RowTwins::Apart);
                }
            }
            let [roots_a, roots_b] = &mut self.roots;
            list_roots(a, of_a, tree_a, roots_a);
            list_roots(b, of_b, tree_b, roots_b);
            roots_b.iter_mut().for_each(|(_, corners)| *corners = bridge.map_box(*corners));
            for (root, box_a) in roots_a {
                for (other, _) in roots_b.iter().filter(|(_, box_b)| overlap(box_a, box_b)) {
                    self.crew.add((*root, *other));
                }
            }
            // In rounds: walk as far as nodes are open, then open what the walk waits for.
            loop {
                let one = Posed { body: a, open: opened(a, of_a), pose: &pose_a };
                let other = Posed { body: b, open: opened(b, of_b), pose: &pose_b };
                let meeting = Meeting::Two { a: one, b: other, bridge, swapped, touch, most, patience };
                if first {
                    if self.crew.run_until_found(&meeting) {
                        break;
                    }
                } else {
                    self.crew.run(&meeting, threads);
                }
                self.parked.clear();
                self.crew.workers.iter_mut().for_each(|worker| worker.take_parked(&mut self.parked));
                if self.parked.is_empty() {
                    break;
                }
                let parallel = threads.count() > 1;
                of_a.open_for(a, &self.parked, |task| task.0, parallel);
                of_b.open_for(b, &self.parked, |task| task.1, parallel);
                self.parked
                    .iter()
                    .for_each(|task| self.crew.add((of_a.resolve(task.0), of_b.resolve(task.1))));
            }
        }
        self.crew.finish(threads, most);
    }

    fn search_soups(&mut self, views: &[View], most: usize) {
        self.asked_soup = true;
        let mut gathered = std::mem::take(&mut self.gathered);
        for (to, view) in gathered.iter_mut().zip(views) {
            to.gather(view);
        }
        let FindOptions { touch, threads, soup, .. } = self.options;
        let sources =
            [0, 1].map(|k| views.get(k).map_or_else(Source::default, |view| gathered[k].source(view)));
        let sources = &sources[..views.len()];
        let threads = self.soup.populate(sources, &soup, threads);
        if !self.search_crowd(&gathered, views, most) {
            self.soup.search(sources, (touch, most), threads);
        }
        self.rename(&gathered[..views.len()]);
        self.gathered = gathered;
    }
}

/// Lists the roots of a body, or that of one of its trees, as far as they are open.
fn list_roots(body: &dyn Hierarchy, unfolding: &Unfolding, tree: Option<usize>, out: &mut Vec<Root>) {
    out.clear();
    match (body.ready(), tree) {
        (Some(_), _) => out.extend(body.roots(tree)),
        (None, Some(tree)) => out.push(unfolding.roots()[tree]),
        (None, None) => out.extend(unfolding.roots()),
    }
}

fn opened<'a>(body: &'a dyn Hierarchy, unfolding: &'a Unfolding) -> Opened<'a> {
    body.ready().unwrap_or_else(|| unfolding.opened())
}

/// A body as a soup: what has to be copied of it.
#[derive(Default)]
struct Gathered {
    /// Positions where the pose puts them; empty if the body's own serve.
    positions: Vec<DVec3>,
    /// Triangles that are there, and the ids that they have in the body, ascending; empty if the body's own serve.
    triangles: Vec<[u32; 3]>,
    ids: Vec<u32>,
}

impl Gathered {
    fn gather(&mut self, view: &View) {
        self.positions.clear();
        self.triangles.clear();
        self.ids.clear();
        if let Shape::Hierarchy { body, tree } = view.shape
            && own_triangles(view).is_none()
        {
            let mut list = |id: TriangleId| self.ids.push(id.0);
            body.roots(tree).for_each(|(root, _)| body.for_each_triangle(root, &mut list));
            self.ids.sort_unstable();
            for &id in &self.ids {
                if body.positions().is_some() {
                    self.triangles.push(body.vertices(id, false));
                } else {
                    let first = self.positions.len() as u32;
                    self.triangles.push([first, first + 1, first + 2]);
                    self.positions.extend(view.triangle(TriangleId(id)).corners());
                }
            }
        }
        if let Some(positions) = own_positions(view)
            && !view.pose.is_identity()
        {
            self.positions.extend(positions.iter().map(|p| view.pose.apply(*p)));
        }
    }

    fn source<'a>(&'a self, view: &View<'a>) -> Source<'a> {
        let triangles = own_triangles(view).unwrap_or(&self.triangles);
        let positions = match own_positions(view) {
            Some(positions) if view.pose.is_identity() => positions,
            _ => &self.positions,
        };
        Source { positions, triangles }
    }
}

/// The triangles that a body keeps ready, all of them and no others.
fn own_triangles<'a>(view: &View<'a>) -> Option<&'a [[u32; 3]]> {
    match view.shape {
        Shape::Soup(mesh) => Some(mesh.triangles()),
        Shape::Hierarchy { body, tree: None } => body.triangles(),
        Shape::Hierarchy { .. } => None,
    }
}

/// The positions that a body keeps ready.
fn own_positions<'a>(view: &View<'a>) -> Option<&'a [DVec3]> {
    match view.shape {
        Shape::Soup(mesh) => Some(MeshRef::positions(&mesh)),
        Shape::Hierarchy { body, .. } => body.positions(),
    }
}
