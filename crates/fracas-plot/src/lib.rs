//! Charts as SVG, tables as Markdown and HTML, and pages that hold them: what Fracas' reports are made of.
//!
//! # Idea
//!
//! A chart is plain data: a title, two axes, and named series of numbers. `svg()` turns it into text.
//!
//! ```text
//!   LineChart ─┐                         title
//!   BarChart  ─┼─▶ Frame ─▶ SVG text     legend, wrapped      above the plot, so that it never hides data
//!   BoxChart  ─┘   axes, grid, legend    y label │ plot
//!                                                └── ticks, x label
//!   Table ─▶ Markdown · HTML · plain text        Page ─▶ one HTML file with everything inside
//! ```
//!
//! - Colours are those of Okabe and Ito, which people with any kind of colour vision can tell apart. Series differ in
//!   the shape of their marks as well.
//! - Colours are classes of a style sheet inside the SVG, with a second set for readers who prefer dark pages.
//! - A number that is not finite, or not positive on a logarithmic axis, is left out; a chart without numbers is empty
//!   and still a chart.
//!
//! # When to use something else
//!
//! There is no interaction, no map and no third dimension. Drawing libraries of the ecosystem have more kinds of charts;
//! those we looked at fix colours where they draw, which leaves dark pages out, or bring fonts and bitmaps along.
//!
//! # Reference
//!
//! M. Okabe and K. Ito, *Color universal design*, 2008; J. W. Tukey, *Exploratory data analysis*, 1977, for box plots.
#![forbid(unsafe_code)]

mod bar;
mod boxes;
mod frame;
mod line;
mod page;
mod scale;
mod svg;
mod table;

pub use bar::{BarChart, Bars};
pub use boxes::{BoxChart, BoxColumn, quantile};
pub use line::{Line, LineChart, Look};
pub use page::{Page, escaped};
pub use scale::{Axis, Scale};
pub use table::{Align, Table};
