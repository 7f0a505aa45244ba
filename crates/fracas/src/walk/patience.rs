//! How many pairs a walk may decide in vain before it stops for another way to be tried.
//!
//! All threads of a query count together, and nothing is given back. So whether a walk loses its patience depends on the bodies alone, and not on how
//! its work is shared.

use std::sync::atomic::{AtomicU64, Ordering};

/// What is left of the decisions in vain that a walk may make.
pub(crate) struct Patience {
    /// `None`: as many as it takes.
    left: Option<AtomicU64>,
}

impl Patience {
    pub(crate) fn new(decisions: u64) -> Self {
        Self { left: Some(AtomicU64::new(decisions)) }
    }

    pub(crate) fn endless() -> Self {
        Self { left: None }
    }

    /// Whether the walk has to stop.
    #[inline(always)]
    pub(crate) fn is_lost(&self) -> bool {
        self.left.as_ref().is_some_and(|left| left.load(Ordering::Relaxed) == 0)
    }

    /// Notes decisions that found no pair.
    pub(crate) fn spend(&self, decisions: u64) {
        if let Some(left) = &self.left {
            let spend = |left: u64| Some(left.saturating_sub(decisions));
            let _ = left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, spend);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Patience;

    #[test]
    fn patience_is_lost_after_its_decisions_and_stays_so() {
        let patience = Patience::new(10);
        patience.spend(9);
        assert!(!patience.is_lost());
        patience.spend(7);
        assert!(patience.is_lost());
        patience.spend(0);
        assert!(patience.is_lost());
        let endless = Patience::endless();
        endless.spend(u64::MAX);
        assert!(!endless.is_lost());
    }
}
