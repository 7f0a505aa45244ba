//! A step under way, and what it leaves behind.

use crate::{GpuError, GpuSoup};
use fracas::pairs::Pair;

/// A step under way.
#[must_use = "the pairs are not brought back unless asked for"]
pub struct Step<'a> {
    pub(crate) soup: &'a mut GpuSoup,
}

/// Pairs that stayed on the device.
#[derive(Debug)]
pub struct DevicePairs {
    /// Where they are: two `u32` for each pair, the lower number first, in any order. Valid until the next step.
    pub address: u64,
    /// How many they are.
    pub count: u32,
    /// Pairs that had to be decided on the processor, sorted; they are not on the device.
    pub elsewhere: Vec<Pair>,
}

impl<'a> Step<'a> {
    /// Whether the device has finished. Asking for the pairs waits until it has.
    ///
    /// # Errors
    /// What the driver refused.
    pub fn is_done(&self) -> Result<bool, GpuError> {
        self.soup.is_done()
    }

    /// All pairs: sorted, each once, the lower number first.
    ///
    /// # Errors
    /// A position that is not finite, too little memory, or what the driver refused.
    pub fn pairs(self) -> Result<&'a [Pair], GpuError> {
        let counters = self.soup.wait()?;
        self.soup.bring_pairs(&counters)?;
        Ok(&self.soup.found)
    }

    /// Waits, and leaves the pairs where they are.
    ///
    /// # Errors
    /// A position that is not finite, too little memory, or what the driver refused.
    pub fn leave_on_device(self) -> Result<DevicePairs, GpuError> {
        let counters = self.soup.wait()?;
        let mut elsewhere = self.soup.bring_open(&counters)?;
        elsewhere.sort_unstable();
        self.soup.stats.found = counters.pairs as usize + elsewhere.len();
        Ok(DevicePairs { address: self.soup.pairs_address(), count: counters.pairs, elsewhere })
    }
}
