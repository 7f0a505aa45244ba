//! Cuts through bodies: what must hold after every step, whatever is cut along whatever.

mod bodies;
mod check;
mod curved;
mod hard;
mod open;
mod planes;
mod shatter;
mod table;
