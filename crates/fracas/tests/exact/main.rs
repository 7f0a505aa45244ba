//! The decisions of `fracas::exact` against rational arithmetic.
//!
//! The reference ([`reference`]) shares nothing with the library: it cuts one triangle by the half-spaces of the other in
//! exact fractions and looks at what is left. The inputs ([`inputs`]) are made to be hard: small grids full of coincidences,
//! grids moved by a few units in the last place, mixed and extreme exponents.

mod ccd;
mod ccd_batch;
mod ccd_inputs;
mod ccd_labels;
mod ccd_reference;
mod hard_cases;
mod inputs;
mod predicates;
mod reference;
mod relation;
mod segment;
mod shared;
