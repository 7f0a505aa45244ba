//! The contract of a hierarchy, on every kind of body.
