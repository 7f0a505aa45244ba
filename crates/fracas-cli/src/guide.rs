//! The examples of the README and the guide, compiled and run as documentation tests. They are here because this crate sees all others.

#[doc = include_str!("../../../README.md")]
struct Readme;

#[doc = include_str!("../../../docs/guide/start.md")]
struct Start;

#[doc = include_str!("../../../docs/guide/bodies.md")]
struct Bodies;

#[doc = include_str!("../../../docs/guide/questions.md")]
struct Questions;

#[doc = include_str!("../../../docs/guide/world.md")]
struct World;

#[doc = include_str!("../../../docs/guide/cutting.md")]
struct Cutting;

#[doc = include_str!("../../../docs/guide/rapier.md")]
struct Rapier;

#[doc = include_str!("../../../docs/guide/card.md")]
struct Card;
