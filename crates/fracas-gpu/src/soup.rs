//! A soup on the device: memory, plan and steps.

use crate::GpuError;
use crate::finish;
use crate::layout::{ALLOTTED, Arguments, BLOCK, Counters, GRADES, Kernel, PlanLayout};
use crate::machine::{self, Machine, Memory, Recorded};
use crate::memory::{MOST, Memories, Room, check};
use crate::order;
use crate::plan::{self, Histogram};
use crate::scene::{frame_of, sizes_of};
use crate::step::Step;
use fracas::geom::DVec3;
use fracas::internal::Frame;
use fracas::mesh::Mesh;
use fracas::pairs::{Pair, Touch};
use rayon::prelude::*;

/// What to find.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GpuOptions {
    /// Which meetings count. Default: all of them.
    pub touch: Touch,
    /// Pairs within a mesh too, not only pairs between meshes. Default: true.
    pub within: bool,
}

impl Default for GpuOptions {
    fn default() -> Self {
        Self { touch: Touch::Include, within: true }
    }
}

/// Work done by the last step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GpuStats {
    /// Pairs that single precision could not tell apart.
    pub candidates: u32,
    /// Pairs that double precision could not decide either; decided on the processor.
    pub open: u32,
    /// Pairs found.
    pub found: usize,
    /// How often the step was run again: memory was too small, or sizes had changed too much.
    pub repeats: u32,
    /// Levels of the grid with triangles on them.
    pub levels: u32,
    /// Most triangles in a bucket, if more than eight.
    pub fullest: u32,
    /// Bytes of device memory in use.
    pub bytes: usize,
}

/// Triangles on a device, whose pairs are found from scratch in every step.
///
/// Positions stay on the device from step to step. Write them with [`GpuSoup::set_positions`], or have kernels of your own
/// write them where [`GpuSoup::positions_address`] says. Triangles are numbered through: those of the first mesh,
/// then those of the second, and so on; vertices likewise.
///
/// ```
/// use fracas::mesh::shapes;
/// use fracas_gpu::{GpuOptions, GpuSoup};
/// let ball = shapes::icosphere(1.0, 3);
/// if GpuSoup::available().is_ok() {
///     let mut soup = GpuSoup::new(&[&ball], GpuOptions::default())?;
///     assert!(soup.find_pairs()?.is_empty());
/// }
/// # Ok::<(), fracas_gpu::GpuError>(())
/// ```
pub struct GpuSoup {
    recorded: Option<Recorded>,
    memory: Memories,
    machine: Machine,
    options: GpuOptions,
    /// Vertices and number of each triangle, in the order they have on the device.
    triangles: Vec<[u32; 4]>,
    vertex_count: usize,
    frame: Frame,
    plan: PlanLayout,
    /// The sizes the plan was made for, and whether small triangles turned out to be crowded together.
    sizes: Histogram,
    bunched: bool,
    room: Room,
    pub(crate) found: Vec<Pair>,
    pub(crate) stats: GpuStats,
}

impl GpuSoup {
    /// Whether there is a device and a compiler for it; the name of the device.
    ///
    /// # Errors
    /// What is missing.
    pub fn available() -> Result<String, GpuError> {
        machine::look_for_device()
    }

    /// Puts meshes on the first device.
    ///
    /// # Errors
    /// What the machine lacks, or what the driver refused.
    ///
    /// # Cost
    /// Sorts the triangles along a curve, once. The first time on a machine, kernels are compiled (about a second).
    pub fn new(meshes: &[&Mesh], options: GpuOptions) -> Result<Self, GpuError> {
        Self::on(Machine::cuda()?, meshes, options)
    }

    /// The same on the processor, with the kernels as a C++ compiler makes them. For tests.
    ///
    /// # Errors
    /// Too little memory, or too much of anything.
    #[cfg(feature = "host")]
    pub fn on_host(meshes: &[&Mesh], options: GpuOptions) -> Result<Self, GpuError> {
        Self::on(Machine::Host, meshes, options)
    }

    fn on(machine: Machine, meshes: &[&Mesh], options: GpuOptions) -> Result<Self, GpuError> {
        let total = |count: fn(&Mesh) -> usize| meshes.iter().map(|mesh| count(mesh)).sum::<usize>();
        let vertex_count = check("vertices", total(Mesh::vertex_count), u32::MAX as usize - 1)?;
        let triangle_count = check("triangles", total(Mesh::triangle_count), 1 << 31)?;
        check("meshes", meshes.len(), 1 << 27)?;
        let positions: Vec<DVec3> = meshes.iter().flat_map(|mesh| mesh.positions()).copied().collect();
        let (mut corners, mut groups, mut first) = (Vec::with_capacity(triangle_count), Vec::new(), 0);
        for (group, mesh) in meshes.iter().enumerate() {
            corners.extend(mesh.triangles().iter().map(|t| t.map(|v| v + first)));
            groups.resize(corners.len(), group as u32);
            first += mesh.vertex_count() as u32;
        }
        let order = order::along_curve(&positions, &corners);
        let triangles: Vec<[u32; 4]> = order
            .par_iter()
            .map(|&t| {
                let [a, b, c] = corners[t as usize];
                [a, b, c, t]
            })
            .collect();
        let groups: Vec<u32> = order.par_iter().map(|&t| groups[t as usize]).collect();
        let frame = frame_of(&positions, &triangles);
        let sizes = sizes_of(&frame, &positions, &triangles);
        let plan = plan::plan(&frame, &sizes, false);
        let room = Room {
            candidates: triangle_count.clamp(1 << 12, 1 << 26) as u32,
            pairs: (triangle_count / 4).clamp(1 << 12, 1 << 24) as u32,
            open: 1 << 12,
        };
        let memory = Memories::new(&machine, vertex_count, triangle_count, &plan, room)?;
        let mut soup = Self {
            recorded: None,
            memory,
            machine,
            options,
            triangles,
            vertex_count,
            frame,
            plan,
            sizes,
            bunched: false,
            room,
            found: Vec::new(),
            stats: GpuStats::default(),
        };
        soup.machine.write(&mut soup.memory.triangles, &soup.triangles)?;
        soup.machine.write(&mut soup.memory.groups, &groups)?;
        soup.write_positions(&positions)?;
        Ok(soup)
    }

    /// Name of the device.
    #[must_use]
    pub fn device(&self) -> &str {
        self.machine.name()
    }

    /// What the soup looks for.
    #[must_use]
    pub fn options(&self) -> &GpuOptions {
        &self.options
    }

    /// Number of triangles of all meshes.
    #[must_use]
    pub fn triangle_count(&self) -> usize {
        self.triangles.len()
    }

    /// Number of vertices of all meshes.
    #[must_use]
    pub fn vertex_count(&self) -> usize {
        self.vertex_count
    }

    /// Work done by the last step.
    #[must_use]
    pub fn stats(&self) -> &GpuStats {
        &self.stats
    }

    /// Moves all vertices, in the order of the meshes and of their vertices.
    ///
    /// # Errors
    /// A wrong number of positions, or the first one that is not finite; nothing is changed then. What the driver refused.
    pub fn set_positions(&mut self, positions: &[DVec3]) -> Result<(), GpuError> {
        if positions.len() != self.vertex_count {
            return Err(GpuError::WrongVertexCount { expected: self.vertex_count, given: positions.len() });
        }
        if let Some(vertex) = positions.iter().position(|p| !p.is_finite()) {
            return Err(GpuError::NotFinite { vertex: vertex as u32 });
        }
        self.look_at(positions);
        self.write_positions(positions)
    }

    /// Where the positions are in the device's memory: three `f64` for each vertex, in the order of the meshes. Kernels of other
    /// programs' making may write there in the stream at [`GpuSoup::stream_address`], or while no step is under way. A
    /// step fails if it meets a position that is not finite.
    #[must_use]
    pub fn positions_address(&self) -> u64 {
        self.machine.address(&self.memory.positions)
    }

    /// The stream (`CUstream`) in which steps are done, in order.
    #[must_use]
    pub fn stream_address(&self) -> u64 {
        self.machine.stream_address()
    }

    /// Reads the positions on the device and chooses its single-precision coordinates again. Steps are right without
    /// it; after a body has moved far away they become slow.
    ///
    /// # Errors
    /// What the driver refused.
    pub fn recentre(&mut self) -> Result<(), GpuError> {
        let mut positions = vec![[0.0; 3]; self.vertex_count];
        self.machine.read(&self.memory.positions, &mut positions)?;
        let positions: Vec<DVec3> = positions.into_iter().map(DVec3::from_array).collect();
        if positions.iter().all(|p| p.is_finite()) {
            self.look_at(&positions);
        }
        Ok(())
    }

    /// Starts a step and returns at once.
    ///
    /// # Errors
    /// What the driver refused.
    pub fn step_async(&mut self) -> Result<Step<'_>, GpuError> {
        self.stats = GpuStats::default();
        self.start(false)?;
        Ok(Step { soup: self })
    }

    /// Every pair for the positions as they are: sorted, each once, the lower number first.
    ///
    /// # Errors
    /// A position that is not finite, too little memory, or what the driver refused.
    pub fn find_pairs(&mut self) -> Result<&[Pair], GpuError> {
        self.step_async()?.pairs()
    }

    fn write_positions(&mut self, positions: &[DVec3]) -> Result<(), GpuError> {
        let numbers: Vec<[f64; 3]> = positions.iter().map(|p| p.to_array()).collect();
        self.machine.write(&mut self.memory.positions, &numbers)
    }

    /// Takes another frame if the bodies have left the present one, or shrunk in it.
    fn look_at(&mut self, positions: &[DVec3]) {
        let frame = frame_of(positions, &self.triangles);
        let moved = ((frame.centre - self.frame.centre) * self.frame.scale).abs().max_element();
        if frame.scale != self.frame.scale || moved > 0.25 || moved.is_nan() {
            self.frame = frame;
            let sizes = sizes_of(&frame, positions, &self.triangles);
            self.make_plan(&sizes);
        }
    }

    fn make_plan(&mut self, sizes: &Histogram) {
        self.sizes = *sizes;
        self.plan = plan::plan(&self.frame, sizes, self.bunched);
        self.recorded = None;
    }

    fn start(&mut self, never_stop: bool) -> Result<(), GpuError> {
        if self.recorded.is_none() {
            self.memory.make_room(&self.machine, &self.plan, self.room)?;
            let arguments = self.arguments(never_stop);
            self.recorded = Some(self.machine.record(&self.launches(), &arguments)?);
        }
        let recorded = self.recorded.as_ref().expect("just recorded");
        self.machine.start(recorded)
    }

    /// A step: kernels and their blocks.
    fn launches(&self) -> [(Kernel, u32); 5] {
        let triangles = (self.triangles.len() as u32).div_ceil(BLOCK);
        let candidates = self.room.candidates.div_ceil(BLOCK).min(self.machine.full_grid());
        [
            (Kernel::Populate, triangles),
            (Kernel::Allot, self.plan.buckets / ALLOTTED),
            (Kernel::Fill, triangles),
            (Kernel::Search, triangles),
            (Kernel::Settle, candidates),
        ]
    }

    fn arguments(&self, never_stop: bool) -> Arguments {
        let (machine, memory) = (&self.machine, &self.memory);
        Arguments {
            positions: machine.address(&memory.positions),
            triangles: machine.address(&memory.triangles),
            groups: machine.address(&memory.groups),
            ranks: machine.address(&memory.ranks),
            counts: machine.address(&memory.counts),
            ranges: machine.address(&memory.ranges),
            records: machine.address(&memory.records),
            corners: machine.address(&memory.corners),
            candidates: machine.address(&memory.candidates),
            pairs: machine.address(&memory.pairs),
            open: machine.address(&memory.open),
            open_corners: 0,
            counters: machine.address(&memory.counters),
            triangle_count: self.triangles.len() as u32,
            spare: 0,
            candidate_room: self.room.candidates,
            pair_room: self.room.pairs,
            open_room: self.room.open,
            between: u32::from(!self.options.within),
            never_stop: u32::from(never_stop),
            open_count: 0,
            plan: self.plan,
        }
    }

    /// Waits for the step that was started, and runs it again as long as anything was too small.
    pub(crate) fn wait(&mut self) -> Result<Counters, GpuError> {
        loop {
            let counters = self.machine.wait(&self.memory.counters)?;
            if counters.bad_vertex != 0 {
                return Err(GpuError::NotFinite { vertex: !counters.bad_vertex });
            }
            if counters.stopped > 1 {
                return Err(GpuError::TooMany { what: "pairs", count: MOST, most: MOST });
            }
            let stopped = counters.stopped != 0;
            if stopped {
                self.make_plan(&counters.in_grade);
            }
            let grew = self.room.grow(&counters)?;
            if !stopped && !grew {
                self.learn(&counters);
                return Ok(counters);
            }
            self.stats.repeats += 1;
            self.recorded = None;
            self.start(stopped)?;
            if stopped {
                // The next step may stop again.
                self.sizes = [0; GRADES];
            }
        }
    }

    /// Notes the work done, and makes another plan for the next step if sizes have changed.
    fn learn(&mut self, counters: &Counters) {
        self.stats.candidates = counters.candidates;
        self.stats.open = counters.open;
        self.stats.levels = counters.occupied.count_ones();
        self.stats.fullest = counters.fullest;
        self.stats.bytes = self.memory.bytes();
        let crowded = counters.fullest > 96 && !self.bunched;
        self.bunched |= crowded;
        if crowded || !plan::still_fits(&self.sizes, &counters.in_grade) {
            self.make_plan(&counters.in_grade);
        }
    }

    /// The pairs on the device, and the open ones that turn out to meet.
    pub(crate) fn bring_pairs(&mut self, counters: &Counters) -> Result<(), GpuError> {
        let mut raw = vec![[0_u32; 2]; counters.pairs as usize];
        self.machine.read(&self.memory.pairs, &mut raw)?;
        self.found.clear();
        self.found.extend(raw.into_iter().map(|[a, b]| Pair::new(a, b)));
        let open = self.bring_open(counters)?;
        self.found.extend(open);
        self.found.par_sort_unstable();
        self.stats.found = self.found.len();
        Ok(())
    }

    /// The open pairs that meet, decided here.
    pub(crate) fn bring_open(&mut self, counters: &Counters) -> Result<Vec<Pair>, GpuError> {
        let count = counters.open as usize;
        if count == 0 {
            return Ok(Vec::new());
        }
        let gathered = self.machine.allocate(count, 18 * size_of::<f64>())?;
        let mut arguments = self.arguments(false);
        arguments.open_corners = self.machine.address(&gathered);
        arguments.open_count = counters.open;
        self.machine.run(Kernel::Gather, counters.open.div_ceil(BLOCK), &arguments)?;
        let mut open = vec![[0_u32; 2]; count];
        self.machine.read(&self.memory.open, &mut open)?;
        let mut corners = vec![[0.0; 18]; count];
        self.machine.read(&gathered, &mut corners)?;
        Ok(finish::decide(&self.triangles, &open, &corners, self.options.touch))
    }

    pub(crate) fn is_done(&self) -> Result<bool, GpuError> {
        self.machine.is_done()
    }

    pub(crate) fn pairs_address(&self) -> u64 {
        self.machine.address(&self.memory.pairs)
    }

    pub(crate) fn parts_for_measuring(&mut self) -> Measured<'_> {
        let launches = self.launches();
        let arguments = self.arguments(false);
        Measured { machine: &mut self.machine, positions: &mut self.memory.positions, launches, arguments }
    }
}

/// What the stopwatch in `measure.rs` works with.
pub(crate) struct Measured<'a> {
    pub(crate) machine: &'a mut Machine,
    pub(crate) positions: &'a mut Memory,
    pub(crate) launches: [(Kernel, u32); 5],
    pub(crate) arguments: Arguments,
}

#[cfg(all(test, feature = "host"))]
mod tests {
    use super::*;
    use fracas::mesh::shapes;

    #[test]
    fn a_position_that_is_not_finite_on_the_device_is_named() {
        let ball = shapes::icosphere(1.0, 2);
        let mut soup = GpuSoup::on_host(&[&ball], GpuOptions::default()).unwrap();
        for (vertex, number) in [(99, f64::NAN), (40, f64::INFINITY), (41, f64::NEG_INFINITY)] {
            let mut numbers: Vec<[f64; 3]> = ball.positions().iter().map(|p| p.to_array()).collect();
            numbers[vertex as usize][1] = number;
            numbers[120][2] = number;
            // As a kernel of somebody else would.
            soup.machine.write(&mut soup.memory.positions, &numbers).unwrap();
            assert_eq!(soup.find_pairs(), Err(GpuError::NotFinite { vertex }));
        }
        soup.set_positions(ball.positions()).unwrap();
        assert_eq!(soup.find_pairs(), Ok(&[][..]));
    }

    #[test]
    fn sizes_that_no_plan_expected_make_a_new_one() {
        let cloth = shapes::folded_cloth(12_000);
        let mut soup = GpuSoup::on_host(&[&cloth], GpuOptions::default()).unwrap();
        let expected = soup.find_pairs().unwrap().to_vec();
        assert!(!expected.is_empty());
        for scale in [64.0, 1.0 / 1024.0] {
            let numbers: Vec<[f64; 3]> = cloth.positions().iter().map(|p| (*p * scale).to_array()).collect();
            soup.machine.write(&mut soup.memory.positions, &numbers).unwrap();
            assert_eq!(soup.find_pairs().unwrap(), expected);
            let repeats = soup.stats().repeats;
            assert!(repeats > 0 || scale < 1.0, "larger triangles went unnoticed");
            assert_eq!(soup.find_pairs().unwrap(), expected);
            assert_eq!(soup.stats().repeats, 0);
            assert!(soup.stats().fullest < 64, "the plan was not made anew: {:?}", soup.stats());
        }
    }
}
