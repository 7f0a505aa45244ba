//! Triangles at one place: one of them is searched for all.
//!
//! Files with every face written twice are common, and some hold a face thousands of times. Pairs of equal triangles are pairs of overlapping
//! boxes, and no filter tells them apart: *k* copies are *k*²/2 exact decisions. If every touch counts, the answer is as long as that. With
//! [`Touch::Proper`] it is empty, and so it must not take that long.
//!
//! # Idea
//!
//! Whether two triangles cross properly is a matter of their positions alone: what they share by index never crosses. So all copies of a
//! triangle cross the same others, and none of each other.
//!
//! ```text
//!    triangles  0 1 2 3 4 5 6 …     groups  {0 2 5} {1 4} {3} {6} …      the first of each is searched
//!    pairs      (1 3)          ──▶  (1 3) (3 4)                          and stands for all
//! ```
//!
//! Grouping costs a sort, which most queries do not need. A grid is looked at before it is searched: its cells say how crowded it is. A walk has
//! a [`Patience`]: it stops if it has decided many pairs in vain, and then the bodies are grouped and searched as soups.

use super::{FindOptions, Finder, Gathered, Source};
use crate::geom::DVec3;
use crate::pairs::{Pair, Touch};
use crate::soup::Soup;
use crate::walk::{Hierarchy, Patience, View};
use std::cmp::Ordering;

/// How many others a triangle must have in its cell, on average, for a soup to be grouped.
const CROWDED: usize = 256;

/// Decisions in vain that a walk may make, for each vertex and altogether. Vertices that were not merged make two for each vertex.
const FOR_EACH_VERTEX: u64 = 16;
const FOR_ALL: u64 = 1 << 18;

/// Groups of triangles at one place.
#[derive(Default)]
pub(super) struct Groups {
    /// By group: where its members begin. The last is the end of all.
    starts: Vec<u32>,
    /// The triangles of each group, ascending.
    members: Vec<u32>,
    /// The vertices of the first of each group.
    triangles: Vec<[u32; 3]>,
}

impl Groups {
    /// Groups the triangles of a soup by place.
    fn of(source: &Source) -> Self {
        let corners = |triangle: u32| {
            let vertices = source.triangles[triangle as usize];
            // Zeros of either sign are one place.
            let mut corners = vertices.map(|v| source.positions[v as usize] + DVec3::ZERO);
            corners.sort_unstable_by(compare_points);
            corners
        };
        let mut sorted: Vec<([DVec3; 3], u32)> =
            (0..source.triangles.len() as u32).map(|triangle| (corners(triangle), triangle)).collect();
        sorted.sort_unstable_by(|(p, t), (q, u)| compare_corners(p, q).then(t.cmp(u)));
        let mut runs: Vec<&[([DVec3; 3], u32)]> = sorted.chunk_by(|(p, _), (q, _)| p == q).collect();
        // In the order of the triangles, as a soup would have them.
        runs.sort_unstable_by_key(|run| run[0].1);
        let mut groups = Self { starts: vec![0], ..Self::default() };
        for run in runs {
            groups.triangles.push(source.triangles[run[0].1 as usize]);
            groups.members.extend(run.iter().map(|(_, triangle)| triangle));
            groups.starts.push(groups.members.len() as u32);
        }
        groups
    }

    /// Whether fewer are left to be searched, by so much that it pays.
    fn save_much(&self) -> bool {
        2 * self.triangles.len() <= self.members.len()
    }

    fn group(&self, number: u32) -> &[u32] {
        let [from, to] = [number, number + 1].map(|k| self.starts[k as usize] as usize);
        &self.members[from..to]
    }
}

fn compare_points(p: &DVec3, q: &DVec3) -> Ordering {
    p.x.total_cmp(&q.x).then(p.y.total_cmp(&q.y)).then(p.z.total_cmp(&q.z))
}

fn compare_corners(p: &[DVec3; 3], q: &[DVec3; 3]) -> Ordering {
    p.iter().zip(q).fold(Ordering::Equal, |order, (p, q)| order.then_with(|| compare_points(p, q)))
}

impl Finder {
    /// How many decisions in vain a walk over these bodies may make.
    pub(super) fn patience(&self, bodies: &[&dyn Hierarchy]) -> Patience {
        let vertices: usize = bodies.iter().map(|body| body.vertex_count()).sum();
        match self.options.touch {
            Touch::Proper => Patience::new(FOR_ALL + FOR_EACH_VERTEX * vertices as u64),
            Touch::Include => Patience::endless(),
        }
    }

    /// Groups the triangles of bodies on which a walk has lost its patience, and searches them as soups. Returns whether that was done; if not,
    /// they are no duplicates.
    pub(super) fn search_groups(&mut self, views: &[View], most: usize) -> bool {
        let mut gathered = std::mem::take(&mut self.gathered);
        for (to, view) in gathered.iter_mut().zip(views) {
            to.gather(view);
        }
        let is_done = self.find_in_groups(&gathered, views, most);
        if is_done {
            self.asked_soup = true;
            self.rename(&gathered[..views.len()]);
        }
        self.gathered = gathered;
        is_done
    }

    /// Searches a crowded grid by groups, if that pays. The grid has just been populated.
    pub(super) fn search_crowd(&mut self, gathered: &[Gathered; 2], views: &[View], most: usize) -> bool {
        self.options.touch == Touch::Proper
            && self.soup.crowding() > CROWDED
            && self.find_in_groups(gathered, views, most)
    }

    fn find_in_groups(&mut self, gathered: &[Gathered; 2], views: &[View], most: usize) -> bool {
        let groups: Vec<Groups> =
            views.iter().zip(gathered).map(|(view, from)| Groups::of(&from.source(view))).collect();
        if !groups.iter().any(Groups::save_much) {
            return false;
        }
        let sources: Vec<Source> = views
            .iter()
            .zip(gathered)
            .zip(&groups)
            .map(|((view, from), groups)| Source { triangles: &groups.triangles, ..from.source(view) })
            .collect();
        let FindOptions { touch, threads, soup, .. } = &self.options;
        // A grid of its own: that of the finder tells of all triangles.
        let mut of_groups = Soup::default();
        of_groups.find(&sources, soup, (*touch, most), *threads);
        std::mem::swap(&mut self.soup.crew, &mut of_groups.crew);
        if self.soup.crew.stats.found > most as u64 {
            // The pairs of groups are more than may be kept, so those of triangles can only be counted one by one.
            let sources: Vec<Source> =
                views.iter().zip(gathered).map(|(view, from)| from.source(view)).collect();
            self.soup.find(&sources, soup, (*touch, most), *threads);
            return true;
        }
        let crew = &mut self.soup.crew;
        let (first, second) = (&groups[0], &groups[groups.len() - 1]);
        let sizes = crew.pairs.iter().map(|pair| first.group(pair.a.0).len() * second.group(pair.b.0).len());
        crew.stats.found = sizes.map(|size| size as u64).sum();
        let short = std::mem::take(&mut crew.pairs);
        if crew.stats.found > most as u64 {
            return true;
        }
        let is_itself = views.len() == 1;
        for pair in &short {
            for &a in first.group(pair.a.0) {
                let others = second.group(pair.b.0).iter();
                crew.pairs.extend(others.map(|&b| match is_itself {
                    true => Pair::new(a.min(b), a.max(b)),
                    false => Pair::new(a, b),
                }));
            }
        }
        crew.pairs.sort_unstable();
        true
    }

    /// Gives the triangles of pairs the ids that they have in their bodies.
    pub(super) fn rename(&mut self, gathered: &[Gathered]) {
        if gathered.iter().any(|list| !list.ids.is_empty()) {
            let name = |list: &Gathered, id: u32| list.ids.get(id as usize).copied().unwrap_or(id);
            for pair in &mut self.soup.crew.pairs {
                *pair =
                    Pair::new(name(&gathered[0], pair.a.0), name(&gathered[gathered.len() - 1], pair.b.0));
            }
        }
    }
}
