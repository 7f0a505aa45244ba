//! Telling whether a body is still the one that was seen before.

use std::sync::atomic::{AtomicU64, Ordering};

/// A number that no other change of any body has. A body takes a new one with every change, a copy keeps that of its original
/// until either changes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stamp(u64);

impl Stamp {
    pub(crate) fn new() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Self(NEXT.fetch_add(1, Ordering::Relaxed))
    }
}

/// Without the number: bodies made in the same way read alike.
impl std::fmt::Debug for Stamp {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Stamp")
    }
}
