//! How long steps take, and their kernels.

use crate::machine::{self, Machine, Memory};
use crate::{GpuError, GpuSoup};
use fracas::geom::DVec3;

/// Times of steps on the device, in milliseconds, positions already there.
#[derive(Clone, Debug, Default)]
pub struct StepTimes {
    /// Whole steps, each with other positions than the one before, from fastest to slowest.
    pub steps: Vec<f64>,
    /// The kernels of a step and what each adds to it, at the median.
    pub kernels: Vec<(&'static str, f64)>,
}

impl StepTimes {
    /// The median of all steps.
    #[must_use]
    pub fn median(&self) -> f64 {
        self.steps.get(self.steps.len() / 2).copied().unwrap_or(0.0)
    }
}

impl GpuSoup {
    /// Bytes per second that a large copy within the device's memory reads and writes.
    ///
    /// # Errors
    /// What the machine lacks, or what the driver refused.
    pub fn copy_bandwidth() -> Result<f64, GpuError> {
        const BYTES: usize = 1 << 30;
        let machine = Machine::cuda()?;
        let (from, mut to) = (machine.allocate(BYTES, 1)?, machine.allocate(BYTES, 1)?);
        let mut best = f64::INFINITY;
        for _ in 0..10 {
            let start = machine.mark()?;
            machine.copy(&from, &mut to)?;
            let end = machine.mark()?;
            machine::finish(&end)?;
            best = best.min(machine::between(&start, &end)?);
        }
        Ok(2.0 * BYTES as f64 / (best * 1e-3))
    }

    /// Times steps whose positions go through the given frames again and again. Positions are copied on the device before the
    /// clock of a step starts. The pairs of the last frame are what [`GpuSoup::find_pairs`] gives afterwards.
    ///
    /// # Errors
    /// Whatever steps fail with.
    pub fn measure(&mut self, frames: &[Vec<DVec3>], repeats: usize) -> Result<StepTimes, GpuError> {
        // Memory grows and plans are made before the clock starts.
        for _ in 0..2 {
            for frame in frames {
                self.set_positions(frame)?;
                self.find_pairs()?;
            }
        }
        self.find_pairs()?;
        let parts = self.parts_for_measuring();
        let mut copies: Vec<Memory> = Vec::new();
        for frame in frames {
            let numbers: Vec<[f64; 3]> = frame.iter().map(|p| p.to_array()).collect();
            let mut memory = parts.machine.allocate(numbers.len(), 24)?;
            parts.machine.write(&mut memory, &numbers)?;
            copies.push(memory);
        }
        let mut times = StepTimes::default();
        let mut before = 0.0;
        for count in 1..=parts.launches.len() {
            let recorded = parts.machine.record(&parts.launches[..count], &parts.arguments)?;
            let mut marks = Vec::new();
            for k in 0..repeats.max(copies.len()) {
                // The last frame comes last.
                let frame = copies.len() - 1 - (repeats.max(copies.len()) - 1 - k) % copies.len();
                parts.machine.copy(&copies[frame], parts.positions)?;
                let start = parts.machine.mark()?;
                parts.machine.start(&recorded)?;
                marks.push((start, parts.machine.mark()?));
            }
            if let Some((_, end)) = marks.last() {
                machine::finish(end)?;
            }
            times.steps = marks.iter().map(|(a, b)| machine::between(a, b)).collect::<Result<_, _>>()?;
            // The first few find caches cold and the device asleep.
            times.steps.drain(..times.steps.len().min(repeats / 10));
            times.steps.sort_by(f64::total_cmp);
            let median = times.median();
            times.kernels.push((parts.launches[count - 1].0.name(), median - before));
            before = median;
        }
        Ok(times)
    }
}
