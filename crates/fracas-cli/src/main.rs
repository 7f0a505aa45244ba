//! The `fracas` command.
fn main() {}
