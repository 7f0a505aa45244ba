//! Why bytes cannot be read as a recording.

/// Why a recording could not be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReadError {
    /// The first bytes are not ours.
    #[error("this is not a recording of Fracas")]
    NotOurs,
    /// Another version wrote it.
    #[error("the recording has version {found} of the format, and this program reads version {known}")]
    Version {
        /// Its version.
        found: u32,
        /// The one that can be read.
        known: u32,
    },
    /// Bytes are missing at the end.
    #[error("the recording ends early: {have} bytes of {need}")]
    Truncated {
        /// How many there are.
        have: usize,
        /// How many there should be.
        need: usize,
    },
    /// A section makes no sense.
    #[error("section {section} of the recording is damaged: {what}")]
    Damaged {
        /// Its number.
        section: usize,
        /// What is wrong with it.
        what: &'static str,
    },
}
