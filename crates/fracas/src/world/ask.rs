//! What a world is asked about two bodies, and which bodies it looks at together.

use crate::contact::ContactOptions;

/// The questions that a world answers about two bodies at every step. For a body alone (`Settings::own`), `pairs`, `near` and `impacts`
/// count.
///
/// ```
/// use fracas::world::Ask;
/// let ask = Ask { near: Some(0.002), ..Ask::PAIRS };
/// assert!(ask.pairs && !ask.impacts);
/// assert_eq!(ask.reach(), 0.002);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[must_use]
pub struct Ask {
    /// Do they share a point? One closed body inside another counts. See [`Finder::overlaps`](crate::Finder::overlaps).
    pub touch: bool,
    /// All pairs of intersecting triangles. See [`Finder::find_pairs`](crate::Finder::find_pairs).
    pub pairs: bool,
    /// Contacts. See [`Finder::find_contacts_with`](crate::Finder::find_contacts_with).
    pub contacts: Option<ContactOptions>,
    /// All features that are no further apart than this. See [`Finder::find_near`](crate::Finder::find_near).
    pub near: Option<f64>,
    /// What meets during the step. See [`Finder::find_impacts`](crate::Finder::find_impacts).
    pub impacts: bool,
}

impl Ask {
    /// No question: the bodies pass through each other unnoticed.
    pub const NOTHING: Self = Self { touch: false, pairs: false, contacts: None, near: None, impacts: false };

    /// Whether they touch.
    pub const TOUCH: Self = Self { touch: true, ..Self::NOTHING };

    /// Pairs of triangles.
    pub const PAIRS: Self = Self { pairs: true, ..Self::NOTHING };

    /// Contacts between closed bodies.
    pub const CONTACTS: Self =
        Self { contacts: Some(ContactOptions { thickness: 0.0, max_per_region: 4 }), ..Self::NOTHING };

    /// Impacts during the step.
    pub const IMPACTS: Self = Self { impacts: true, ..Self::NOTHING };

    /// How far apart bodies may be and still be in an answer.
    #[must_use]
    pub fn reach(&self) -> f64 {
        self.near.unwrap_or(0.0).max(self.contacts.map_or(0.0, |contacts| contacts.thickness))
    }

    /// A reach that is no distance.
    pub(super) fn bad_reach(&self) -> Option<f64> {
        let thickness = self.contacts.map(|contacts| contacts.thickness);
        [self.near, thickness].into_iter().flatten().find(|reach| !(*reach >= 0.0 && reach.is_finite()))
    }

    /// Whether a tree is needed: other questions are answered for triangles without one, too.
    pub(super) fn needs_tree(&self) -> bool {
        self.contacts.is_some() || self.near.is_some() || self.impacts
    }
}

/// The groups that a body belongs to, and the groups that it is compared with. Two bodies are compared if each belongs to a group that the
/// other looks at.
///
/// ```
/// use fracas::world::Groups;
/// let (bullet, smoke) = (Groups { of: 0b01, with: 0b10 }, Groups { of: 0b100, with: 0 });
/// assert!(Groups::default().meets(&Groups::default()) && !bullet.meets(&smoke));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[doc(alias = "InteractionGroups")]
#[must_use]
pub struct Groups {
    /// A bit for every group that the body belongs to.
    pub of: u32,
    /// A bit for every group that it is compared with.
    pub with: u32,
}

impl Default for Groups {
    fn default() -> Self {
        Self { of: 1, with: u32::MAX }
    }
}

impl Groups {
    /// Whether bodies of these groups are compared.
    #[must_use]
    pub const fn meets(&self, other: &Self) -> bool {
        self.of & other.with != 0 && other.of & self.with != 0
    }
}
