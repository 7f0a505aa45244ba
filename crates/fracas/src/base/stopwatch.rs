//! Times of the stages of a long computation, for benchmarks that ask where the time goes.
//!
//! A stopwatch that was not started never looks at the clock: some targets have none.

use web_time::{Duration, Instant};

/// Notes how long each stage took, if it was started.
pub(crate) struct Stopwatch(Option<Laps>);

struct Laps {
    last: Instant,
    laps: Vec<(&'static str, Duration)>,
}

impl Stopwatch {
    /// One that notes nothing.
    pub(crate) fn stopped() -> Self {
        Self(None)
    }

    /// One that runs from now on.
    pub(crate) fn started() -> Self {
        Self(Some(Laps { last: Instant::now(), laps: vec![] }))
    }

    /// A stage has ended, and the next one begins.
    pub(crate) fn lap(&mut self, stage: &'static str) {
        if let Some(Laps { last, laps }) = &mut self.0 {
            let now = Instant::now();
            laps.push((stage, now - *last));
            *last = now;
        }
    }

    /// The stages in order, and how long each took.
    pub(crate) fn into_laps(self) -> Vec<(&'static str, Duration)> {
        self.0.map_or(vec![], |running| running.laps)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stages_are_noted_in_order_if_it_was_started() {
        for (mut watch, expected) in
            [(Stopwatch::started(), &["one", "two"][..]), (Stopwatch::stopped(), &[])]
        {
            watch.lap("one");
            watch.lap("two");
            assert!(watch.into_laps().iter().map(|lap| lap.0).eq(expected.iter().copied()));
        }
    }
}
