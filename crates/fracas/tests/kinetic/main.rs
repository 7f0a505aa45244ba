//! Bodies on known paths: plans, and the structures that follow them, against brute force and rational arithmetic.

mod aabb_tree;
mod body;
mod box_tree;
mod driven;
mod impacts;
mod motions;
mod plan;
mod separation;
mod window;
