//! The event queue: an indexed heap with one place per slot.
//!
//! A structure has a fixed set of slots, for example one per node and direction, and each slot has at most one event. The
//! queue knows where each slot's event is, so an event is moved or deleted in *O(log k)* without a search, and no event
//! allocates memory.
//!
//! # Idea
//!
//! A heap of four children per node: half as deep as a binary one, and the four lie in one cache line.
//!
//! # Invariants (checked by [`EventQueue::validate`])
//!
//! No entry is earlier than its parent, by (time, slot); `place[slot]` is the index of the slot's entry, or [`NONE`]. Times are
//! numbers. Events of one instant leave the queue in the order of their slots, whatever was done to it before.

const NONE: u32 = u32::MAX;
/// Children per node of the heap.
const ARITY: usize = 4;

/// One event: when, and at which slot.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Event {
    pub(crate) time: f64,
    pub(crate) slot: u32,
}

impl Event {
    #[inline]
    fn is_before(&self, other: &Self) -> bool {
        self.time < other.time || self.time == other.time && self.slot < other.slot
    }
}

/// Events ordered by (time, slot), at most one per slot.
#[derive(Clone, Debug, Default)]
pub(crate) struct EventQueue {
    heap: Vec<Event>,
    place: Vec<u32>,
}

impl EventQueue {
    /// Makes room for slots below `count`. Slots stay if there are more.
    pub(crate) fn grow(&mut self, count: usize) {
        if count > self.place.len() {
            self.place.resize(count, NONE);
        }
    }

    /// Number of events.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.heap.len()
    }

    /// The first event.
    #[inline]
    pub(crate) fn first(&self) -> Option<Event> {
        self.heap.first().copied()
    }

    /// When the slot's event takes place, if it has one.
    #[inline]
    pub(crate) fn time_of(&self, slot: u32) -> Option<f64> {
        let place = self.place[slot as usize];
        (place != NONE).then(|| self.heap[place as usize].time)
    }

    /// Sets, moves or deletes the event of a slot.
    #[inline]
    pub(crate) fn set(&mut self, slot: u32, time: Option<f64>) {
        let place = self.place[slot as usize];
        match time {
            Some(time) => {
                debug_assert!(!time.is_nan());
                let event = Event { time, slot };
                if place == NONE {
                    self.heap.push(event);
                    self.rise(self.heap.len() - 1, event);
                } else if event.is_before(&self.heap[place as usize]) {
                    self.rise(place as usize, event);
                } else {
                    self.sink(place as usize, event);
                }
            }
            None if place != NONE => self.delete_at(place as usize),
            None => {}
        }
    }

    /// Takes out the first event.
    pub(crate) fn pop(&mut self) -> Option<Event> {
        let first = self.first()?;
        self.delete_at(0);
        Some(first)
    }

    /// Deletes all events.
    pub(crate) fn clear(&mut self) {
        for event in self.heap.drain(..) {
            self.place[event.slot as usize] = NONE;
        }
    }

    /// Adds an event for a slot that has none, out of order. Call [`EventQueue::restore`] before anything else.
    #[inline]
    pub(crate) fn push_unordered(&mut self, slot: u32, time: f64) {
        debug_assert!(!time.is_nan() && self.place[slot as usize] == NONE);
        self.place[slot as usize] = self.heap.len() as u32;
        self.heap.push(Event { time, slot });
    }

    /// Brings all events in order, in linear time.
    pub(crate) fn restore(&mut self) {
        for place in (0..self.heap.len().div_ceil(ARITY)).rev() {
            self.sink(place, self.heap[place]);
        }
    }

    fn delete_at(&mut self, place: usize) {
        self.place[self.heap[place].slot as usize] = NONE;
        let Some(last) = self.heap.pop() else { return };
        if place == self.heap.len() {
            return;
        }
        if place > 0 && last.is_before(&self.heap[(place - 1) / ARITY]) {
            self.rise(place, last);
        } else {
            self.sink(place, last);
        }
    }

    /// Puts an event at the place, or as far above as it belongs.
    #[inline]
    fn rise(&mut self, mut place: usize, event: Event) {
        while place > 0 {
            let parent = (place - 1) / ARITY;
            if !event.is_before(&self.heap[parent]) {
                break;
            }
            self.put(place, self.heap[parent]);
            place = parent;
        }
        self.put(place, event);
    }

    /// Puts an event at the place, or as far below as it belongs.
    #[inline]
    fn sink(&mut self, mut place: usize, event: Event) {
        loop {
            let first = ARITY * place + 1;
            if first >= self.heap.len() {
                break;
            }
            let mut least = first;
            for child in first + 1..self.heap.len().min(first + ARITY) {
                if self.heap[child].is_before(&self.heap[least]) {
                    least = child;
                }
            }
            if !self.heap[least].is_before(&event) {
                break;
            }
            self.put(place, self.heap[least]);
            place = least;
        }
        self.put(place, event);
    }

    #[inline]
    fn put(&mut self, place: usize, event: Event) {
        self.heap[place] = event;
        self.place[event.slot as usize] = place as u32;
    }

    /// Checks the invariants; the first violation as a sentence.
    pub(crate) fn validate(&self) -> Result<(), String> {
        for (place, event) in self.heap.iter().enumerate() {
            if event.time.is_nan() {
                return Err(format!("the event of slot {} has no time", event.slot));
            }
            if self.place[event.slot as usize] != place as u32 {
                return Err(format!("slot {} does not know that its event is at {place}", event.slot));
            }
            if place > 0 && event.is_before(&self.heap[(place - 1) / ARITY]) {
                return Err(format!("the event at {place} is earlier than its parent"));
            }
        }
        let known = self.place.iter().filter(|&&place| place != NONE).count();
        if known != self.heap.len() {
            return Err(format!("{known} slots have a place, but there are {} events", self.heap.len()));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Random;
    use std::collections::BTreeMap;

    #[test]
    fn follows_a_sorted_map_through_random_changes() {
        let mut random = Random::new(1);
        let mut queue = EventQueue::default();
        queue.grow(60);
        let mut map: BTreeMap<u32, f64> = BTreeMap::new();
        for round in 0..20_000 {
            let slot = random.below(60) as u32;
            // Few different times, so that many are equal.
            let time = random.below(8) as f64;
            match random.below(4) {
                0 => {
                    queue.set(slot, None);
                    map.remove(&slot);
                }
                1 => {
                    let first = map
                        .iter()
                        .map(|(&slot, &time)| (time, slot))
                        .min_by(|a, b| a.partial_cmp(b).unwrap());
                    assert_eq!(queue.pop().map(|event| (event.time, event.slot)), first);
                    first.map(|(_, slot)| map.remove(&slot));
                }
                _ => {
                    queue.set(slot, Some(time));
                    map.insert(slot, time);
                }
            }
            assert_eq!((queue.len(), queue.time_of(slot)), (map.len(), map.get(&slot).copied()));
            if round % 100 == 0 {
                queue.validate().unwrap();
            }
            if round % 1000 == 0 {
                queue.clear();
                map.iter().for_each(|(&slot, &time)| queue.push_unordered(slot, time));
                queue.restore();
                queue.validate().unwrap();
            }
        }
    }
}
