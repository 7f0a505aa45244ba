//! What meets during a step: bodies swept from where they were to where they are going.

use super::body::Kept;
use super::step::{Job, Jobs};
use super::{Pending, World, WorldError};
use crate::base::parallel;
use crate::geom::DVec3;
use crate::impact::{Impact, Sweep};
use crate::pairs::Threads;
use std::collections::BTreeMap;

/// Positions at the end of the step, of bodies that do not only change their pose.
pub(super) type Ends = BTreeMap<u32, Vec<DVec3>>;

impl World {
    /// Where all vertices of moved bodies are at the end of a step, unless only their pose moves.
    pub(super) fn find_ends(&self, end: f64) -> Result<Ends, WorldError> {
        let mut ends = Ends::new();
        for &slot in &self.active {
            let Some(member) = self.slots[slot as usize].member.as_deref() else { continue };
            let mut positions = match (&member.kept, &member.pending) {
                (_, Some(Pending::Positions(list))) => list.clone(),
                (Kept::Skinned(body), Some(Pending::Transforms(list))) => body.skin().evaluate(list),
                (Kept::Kinetic(body), _) => {
                    let mut list = vec![];
                    body.plans().positions_at(end.max(body.now()), &mut list);
                    list
                }
                _ => continue,
            };
            positions.iter_mut().for_each(|p| *p = member.pose.apply(*p));
            if !positions.iter().all(|p| p.is_finite()) {
                return Err(WorldError::TooFar(self.id_at(slot)));
            }
            ends.insert(slot, positions);
        }
        Ok(ends)
    }

    /// What meets during the step, by job. Structures are still where they were.
    pub(super) fn find_impacts(&self, jobs: &Jobs, ends: &Ends) -> Vec<Vec<Impact>> {
        let is_asked = |job: &&Job| job.ask.impacts && !job.is_known;
        let asked: Vec<&Job> = jobs.list.iter().filter(is_asked).collect();
        let is_parallel = self.options.find.threads != Threads::One;
        let sweep_of = |slot: u32| -> Sweep<'_> {
            let member = self.at(slot);
            let view = member.kept.view(&self.brittle).at(&member.before);
            match ends.get(&slot) {
                Some(end) => view.to_positions(end).expect("one for each vertex, and finite"),
                None if member.before != member.pose => view.to(&member.pose),
                None => view.into(),
            }
        };
        let found = parallel::map(is_parallel, asked.into_iter(), |job| {
            let [a, b] = job.slots;
            self.with_finder(|finder| {
                let found = if a == b {
                    finder.find_self_impacts(sweep_of(a))
                } else {
                    finder.find_impacts(sweep_of(a), sweep_of(b))
                };
                found.all.to_vec()
            })
        });
        let mut found = found.into_iter();
        let by_job = jobs
            .list
            .iter()
            .map(|job| if is_asked(&job) { found.next().unwrap_or_default() } else { vec![] });
        by_job.collect()
    }
}
