//! Checks a world against what its lists promise.

use super::World;
use super::body::Kept;

impl World {
    /// Checks the world's lists, and the structures of its bodies. For tests: it looks at everything.
    ///
    /// # Errors
    /// What is wrong first.
    pub fn validate(&self) -> Result<(), String> {
        let members = self.slots.iter().filter_map(|slot| slot.member.as_deref());
        if members.clone().count() != self.count {
            return Err(format!("{} bodies are counted", self.count));
        }
        let mut boxes = 0;
        for (slot, entry) in (0..).zip(&self.slots) {
            let Some(member) = entry.member.as_deref() else { continue };
            boxes += member.proxies.len();
            for &proxy in &member.proxies {
                if self.proxies[proxy as usize].slot != slot {
                    return Err(format!("box {proxy} of place {slot} belongs to another"));
                }
            }
            if member.is_active != self.active.contains(&slot) {
                return Err(format!(
                    "place {slot} is not in the list of bodies that may change, or is by mistake"
                ));
            }
            let found = match &member.kept {
                Kept::Tree(tree) => tree.validate().map_err(|broken| broken.0),
                Kept::Tearing(body) => body.validate().map_err(|broken| broken.0),
                _ => Ok(()),
            };
            found.map_err(|broken| format!("place {slot}: {broken}"))?;
        }
        if boxes + self.free_proxies.len() != self.proxies.len() {
            return Err(format!("{boxes} boxes are in use, of {}", self.proxies.len()));
        }
        for (place, brittle) in self.brittle.iter().enumerate() {
            let is_part =
                |kept: &Kept| matches!(kept, Kept::Fragment { brittle, .. } if *brittle as usize == place);
            let users = members.clone().filter(|member| is_part(&member.kept)).count();
            if brittle.as_ref().map_or(0, |brittle| brittle.users as usize) != users {
                return Err(format!("brittle body {place} has {users} fragments in the world"));
            }
        }
        Ok(())
    }
}
