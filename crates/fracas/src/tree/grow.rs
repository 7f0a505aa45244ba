//! Dividing the triangles, from the whole mesh down to rows of eight.
//!
//! A node starts with one part, its whole set, and divides the part with the largest box again and again until it
//! has eight parts or nothing is left to divide. Parts that fit into a full tree of lower height (8, 64, 512, …
//! triangles) are left whole, so that nodes near the leaves, which are most of the tree, come out well filled. If
//! self-queries are expected, small sets are first divided into their smooth pieces (`smooth_pieces`).
//!
//! # Threads
//!
//! ```text
//!   items > LARGE        all threads divide one set together (large)
//!   items > LARGEST_TASK one thread divides a set; its parts are tasks
//!   else                 one thread builds the whole subtree
//! ```
//!
//! What happens to a set depends on its size and never on the number of threads.

use super::assemble::{Grown, Subtree};
use super::build::{BuildOptions, extent_of};
use super::large::divide_large;
use super::partition::{Extent, Item, SplitRule, split, whole_rows};
use super::smooth_pieces::{Grouping, LARGEST_SET, Numbering, SMALLEST_SET};
use crate::base::parallel;
use crate::mesh::Mesh;
use crate::pairs::LANES;
use crate::walk::{Child, Node};
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

/// In larger sets pieces are not divided further within the node that tells them apart.
const LARGEST_SHARED: usize = 8 * 512;

/// Larger sets are divided by all threads together.
const LARGE: usize = 1 << 15;

/// Sets up to this size are built by one thread.
const LARGEST_TASK: usize = 4096;

/// A run of items of a node under construction.
struct Span {
    items: Range<usize>,
    extent: Extent,
}

impl Span {
    fn new(all: &[Item], items: Range<usize>) -> Self {
        Self { extent: Extent::of(&all[items.clone()]), items }
    }
}

/// What finds the smooth pieces of sets.
#[derive(Default)]
struct PieceFinder {
    numbering: Numbering,
    grouping: Grouping,
}

pub(super) struct Builder<'a> {
    mesh: &'a Mesh,
    options: &'a BuildOptions,
    /// Those that no thread uses.
    finders: Mutex<Vec<PieceFinder>>,
}

impl<'a> Builder<'a> {
    pub(super) fn new(mesh: &'a Mesh, options: &'a BuildOptions) -> Self {
        Self { mesh, options, finders: Mutex::default() }
    }

    /// Orders the items as leaves need them, and builds the tree over them; `None` without items.
    pub(super) fn grow(&self, items: &mut [Item]) -> Option<Grown> {
        if items.is_empty() {
            return None;
        }
        let extent = extent_of(items, self.options.parallel);
        // A tree of one leaf has a node, too.
        Some(if items.len() <= LARGEST_TASK {
            Grown::Subtree(self.subtree(items, &extent))
        } else {
            self.grow_set(items, &extent)
        })
    }

    fn grow_set(&self, mut items: &mut [Item], extent: &Extent) -> Grown {
        let count = items.len();
        if count <= LANES {
            return Grown::Leaf(count as u8);
        } else if count <= LARGEST_TASK {
            return Grown::Subtree(self.subtree(items, extent));
        }
        let parts = self.divide_alone(items, extent);
        let mut tasks = Vec::with_capacity(parts.len());
        for part in &parts {
            let set;
            (set, items) = items.split_at_mut(part.items.len());
            tasks.push((set, &part.extent));
        }
        let parts = tasks.into_iter();
        Grown::Joint(parallel::map(self.options.parallel, parts, |(set, extent)| self.grow_set(set, extent)))
    }

    /// Divides a set whose parts are then tasks.
    fn divide_alone(&self, items: &mut [Item], extent: &Extent) -> Vec<Span> {
        let is_grouped = self.options.self_queries && items.len() <= LARGEST_SET;
        self.with_finder(items, is_grouped, |items, pieces| self.divide(items, extent, pieces))
    }

    fn subtree(&self, items: &mut [Item], extent: &Extent) -> Subtree {
        let mut subtree = Subtree {
            nodes: Vec::with_capacity(items.len() / (4 * LANES) + 1),
            leaves: Vec::with_capacity(items.len() / LANES + 1),
        };
        let is_grouped = self.options.self_queries && items.len() >= SMALLEST_SET;
        self.with_finder(items, is_grouped, |items, pieces| {
            self.append_node(items, extent, pieces, &mut subtree);
        });
        subtree
    }

    /// Lends a finder of pieces, with the items numbered if they are to be grouped. Finders are kept for the next set, as their tables
    /// are large enough for the system to take them back each time.
    fn with_finder<T>(
        &self,
        items: &mut [Item],
        is_grouped: bool,
        work: impl FnOnce(&mut [Item], &mut PieceFinder) -> T,
    ) -> T {
        if !is_grouped {
            return work(items, &mut PieceFinder::default());
        }
        let lock = || self.finders.lock().unwrap_or_else(PoisonError::into_inner);
        let mut finder = lock().pop().unwrap_or_default();
        finder.numbering.begin(items, self.mesh);
        let result = work(items, &mut finder);
        finder.numbering.end(items);
        lock().push(finder);
        result
    }

    /// Appends the node over `items` and everything below it.
    fn append_node(&self, items: &mut [Item], extent: &Extent, pieces: &mut PieceFinder, out: &mut Subtree) {
        let parts = self.divide(items, extent, pieces);
        let (index, first_leaf) = (out.nodes.len(), out.leaves.len() as u32);
        out.nodes.push(Node::EMPTY);
        let mut children = [Child::NONE; LANES];
        for (lane, part) in parts.iter().enumerate() {
            if part.items.len() <= LANES {
                children[lane] = Child::leaf(out.leaves.len());
                out.leaves.push(part.items.len() as u8);
            } else {
                children[lane] = Child::node(out.nodes.len());
                self.append_node(&mut items[part.items.clone()], &part.extent, pieces, out);
            }
        }
        let (end, leaves) = (out.nodes.len() as u32, [first_leaf, out.leaves.len() as u32]);
        let node = &mut out.nodes[index];
        node.children = children;
        node.count = parts.len() as u32;
        node.nodes_end = end;
        node.leaves = leaves;
    }

    /// Divides a set into at most eight parts: smooth pieces, then always the part with the largest box.
    fn divide(&self, items: &mut [Item], extent: &Extent, pieces: &mut PieceFinder) -> Vec<Span> {
        let count = items.len();
        let whole = Span { items: 0..count, extent: *extent };
        let mut parts = Vec::with_capacity(LANES);
        if self.options.self_queries && (SMALLEST_SET..=LARGEST_SET).contains(&count) {
            let sizes = pieces.grouping.group_by_piece(items, &pieces.numbering);
            if sizes.len() == 1 {
                parts.push(whole);
            } else {
                let mut start = 0;
                for size in sizes {
                    parts.push(Span::new(items, start..start + size));
                    start += size;
                }
            }
        } else {
            parts.push(whole);
        }
        // A large piece keeps a node of its own: its outline is worth more than a full node.
        if parts.len() > 1 && count > LARGEST_SHARED {
            return parts;
        }
        let mut small = LANES;
        while small * LANES < count {
            small *= LANES;
        }
        while parts.len() < LANES {
            let divisible = parts.iter().enumerate().filter(|(_, part)| part.items.len() > small);
            let largest = divisible.max_by(|p, q| p.1.extent.half_area().total_cmp(&q.1.extent.half_area()));
            let Some((at, _)) = largest else { break };
            let part = parts.remove(at);
            let [first, second] = self.halve(items, part);
            parts.insert(at, second);
            parts.insert(at, first);
        }
        parts
    }

    fn halve(&self, items: &mut [Item], part: Span) -> [Span; 2] {
        let Range { start, end } = part.items;
        let (parallel, rule) = (self.options.parallel, self.options.split);
        if part.items.len() <= LARGE || rule != SplitRule::SurfaceArea {
            let middle = start + split(&mut items[start..end], &part.extent, rule);
            return [Span::new(items, start..middle), Span::new(items, middle..end)];
        }
        let set = &mut items[start..end];
        let (count, [first, second]) = divide_large(set, &part.extent, parallel).unwrap_or_else(|| {
            // All centres in one place: any halves will do.
            let count = whole_rows(set.len() / 2, set.len());
            (count, [extent_of(&set[..count], parallel), extent_of(&set[count..], parallel)])
        });
        let middle = start + count;
        [Span { items: start..middle, extent: first }, Span { items: middle..end, extent: second }]
    }
}
