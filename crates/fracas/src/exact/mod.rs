//! Decisions that may not be wrong.
