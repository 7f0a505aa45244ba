//! Reads and writes meshes.
