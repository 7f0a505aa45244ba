//! The structures that kernels and host share; `kernels/layout.h` has the same ones in the same order.

/// Levels of the grid.
pub(crate) const LEVELS: usize = 32;
/// Sizes of triangles that are told apart: four to an octave, those of an `f32` whose bits end in 21 zeros.
pub(crate) const GRADES: usize = 256;
/// The first of them, as the leading bits of an `f32`.
pub(crate) const SMALLEST_GRADE: u32 = 412;
/// Cells of a brick.
pub(crate) const BRICK: u32 = 1 << 7;
/// Threads of a block.
pub(crate) const BLOCK: u32 = 128;
/// Buckets that a block of the kernel `allot` looks after.
pub(crate) const ALLOTTED: u32 = BLOCK * 8;
/// Bytes of a record and of a triangle's corners.
pub(crate) const RECORD_BYTES: usize = 32;
pub(crate) const CORNERS_BYTES: usize = 48;

/// Where triangles of which size go.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub(crate) struct PlanLayout {
    pub(crate) centre: [f64; 3],
    pub(crate) scale: f64,
    pub(crate) levels: u32,
    pub(crate) buckets: u32,
    pub(crate) per_width: [f32; LEVELS],
    pub(crate) first_bucket: [u32; LEVELS],
    pub(crate) brick_mask: [u32; LEVELS],
    pub(crate) most: [u32; LEVELS],
    pub(crate) level_of: [u8; GRADES],
}

/// What a step finds out, besides pairs.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(crate) struct Counters {
    pub(crate) placed: u32,
    pub(crate) candidates: u32,
    pub(crate) pairs: u32,
    pub(crate) open: u32,
    pub(crate) stopped: u32,
    pub(crate) bad_vertex: u32,
    pub(crate) fullest: u32,
    pub(crate) occupied: u32,
    pub(crate) on_level: [u32; LEVELS],
    pub(crate) in_grade: [u32; GRADES],
}

/// What a kernel is given: addresses in the machine's memory, how much is there, and the plan.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(crate) struct Arguments {
    pub(crate) positions: u64,
    pub(crate) triangles: u64,
    pub(crate) groups: u64,
    pub(crate) ranks: u64,
    pub(crate) counts: u64,
    pub(crate) ranges: u64,
    pub(crate) records: u64,
    pub(crate) corners: u64,
    pub(crate) candidates: u64,
    pub(crate) pairs: u64,
    pub(crate) open: u64,
    pub(crate) open_corners: u64,
    pub(crate) counters: u64,
    pub(crate) triangle_count: u32,
    pub(crate) spare: u32,
    pub(crate) candidate_room: u32,
    pub(crate) pair_room: u32,
    pub(crate) open_room: u32,
    pub(crate) between: u32,
    pub(crate) never_stop: u32,
    pub(crate) open_count: u32,
    pub(crate) plan: PlanLayout,
}

/// The kernels, in the order of a step; the last one runs on request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub(crate) enum Kernel {
    Populate,
    Allot,
    Fill,
    Search,
    Settle,
    Gather,
}

impl Kernel {
    pub(crate) const ALL: [Self; 6] =
        [Self::Populate, Self::Allot, Self::Fill, Self::Search, Self::Settle, Self::Gather];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Populate => "populate",
            Self::Allot => "allot",
            Self::Fill => "fill",
            Self::Search => "search",
            Self::Settle => "settle",
            Self::Gather => "gather",
        }
    }
}
