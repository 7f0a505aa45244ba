//! Fracture patterns: labels and weights from Voronoi cells, planes, or sectors and rings.

use crate::base::Random;
use crate::geom::{Box3, DVec3};
use libm::{atan2, cos, log, sin};
use std::f64::consts::{FRAC_PI_2, PI, TAU};

/// What labels are made from.
pub(super) struct Layout<'a> {
    pub points: &'a [DVec3],
    /// Where the body was hit.
    pub hit: DVec3,
    /// Direction of the blow, of length 1.
    pub axis: DVec3,
    /// How many pieces, about.
    pub wanted: f64,
    pub seed: u64,
}

fn cube(x: f64) -> f64 {
    x * x * x
}

/// The smallest weight: what lies on a crack.
const LEAST: f64 = 1e-300;

/// Labels and weights of all points.
pub(super) type Labelled = (Vec<u32>, Vec<f64>);

impl Layout<'_> {
    fn random(&self) -> Random {
        Random::new(self.seed ^ 0x5851_f42d_4c95_7f2d)
    }

    /// The greatest distance of a point from where the body was hit.
    fn reach(&self) -> f64 {
        self.points.iter().map(|p| p.distance(self.hit)).fold(f64::MIN_POSITIVE, f64::max)
    }
}

/// The cells of sites that lie closer together near the impact.
///
/// Let r be a point's share of the way from the impact to the farthest point. Cells there should have the size
/// s = s₀ (1 + growth · r), so sites are drawn with a density of 1 / s³, and none comes nearer to another than most of s.
pub(super) fn cells(layout: &Layout, growth: f64) -> Labelled {
    let mut random = layout.random();
    let reach = layout.reach();
    let scale = |p: DVec3| 1.0 + growth * p.distance(layout.hit) / reach;
    // A draw without replacement by weight: the smallest of −ln(u) / weight comes first.
    let mut draw = |(k, &p): (usize, &DVec3)| (-log(random.inner_unit()) * cube(scale(p)), k);
    let mut drawn: Vec<(f64, usize)> = layout.points.iter().enumerate().map(&mut draw).collect();
    let wanted = layout.wanted.round().max(2.0) as usize;
    // The first few are nearly always enough; the rest is put in order when they are not.
    let by_draw = |a: &(f64, usize), b: &(f64, usize)| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1));
    let mut sorted = drawn.len().min(16 * wanted);
    if sorted < drawn.len() {
        drawn.select_nth_unstable_by(sorted, by_draw);
    }
    drawn[..sorted].sort_unstable_by(by_draw);
    // Points stand for equal volumes, so a cell of size s₀ at the impact holds this many of them.
    let density: f64 = layout.points.iter().map(|&p| 1.0 / cube(scale(p))).sum();
    let extent = Box3::from_points(layout.points.iter().copied()).extent();
    let volume = extent.max(DVec3::splat(1e-3 * reach)).element_product();
    let cell = volume * density / layout.points.len() as f64 / wanted as f64;
    let mut sites: Vec<DVec3> = vec![];
    // Too strict a distance finds too few sites; loosen it until there are enough.
    let mut apart = 0.8 * libm::cbrt(cell);
    // The distance shrinks by a factor each time, so that the loop ends; one that is no number ends it at once.
    while sites.len() < wanted && apart > 1e-6 * reach && apart.is_finite() {
        sites.clear();
        for at in 0..drawn.len() {
            if at == sorted {
                drawn[sorted..].sort_unstable_by(by_draw);
                sorted = drawn.len();
            }
            let p = layout.points[drawn[at].1];
            if sites.iter().all(|site| site.distance(p) >= apart * scale(p)) {
                sites.push(p);
            }
            if sites.len() == wanted {
                break;
            }
        }
        apart *= 0.85;
    }
    by_sites(layout.points, &sites)
}

/// Each point goes to its nearest site; its weight is the distance to the plane halfway to the next.
fn by_sites(points: &[DVec3], sites: &[DVec3]) -> Labelled {
    let label = |&p: &DVec3| {
        let mut first = (f64::INFINITY, 0);
        let mut second = first;
        for (k, site) in sites.iter().enumerate() {
            let squared = site.distance_squared(p);
            if squared < first.0 {
                (second, first) = (first, (squared, k));
            } else if squared < second.0 {
                second = (squared, k);
            }
        }
        let apart = sites.get(first.1).zip(sites.get(second.1)).map_or(1.0, |(a, b)| a.distance(*b));
        let margin = if second.0.is_finite() { (second.0 - first.0) / (2.0 * apart) } else { 1.0 };
        (first.1 as u32, margin.max(LEAST))
    };
    points.iter().map(label).unzip()
}

/// The sides of planes through the impact and along the blow, or nearly: each doubles the number of pieces at most.
pub(super) fn planes(layout: &Layout) -> Labelled {
    let mut random = layout.random();
    // Planes through a common point make 2, 4, 6, … pieces; shifted ones make more.
    let count = (libm::log2(layout.wanted).ceil() as usize).clamp(1, 16);
    let across = layout.axis.any_orthonormal_pair();
    let reach = layout.reach();
    let first_angle = PI * random.inner_unit();
    let plane = |k: usize| {
        let angle = first_angle + PI * (k as f64 + 0.4 * random.inner_unit()) / count as f64;
        let tilt = 0.5 * (random.inner_unit() - 0.5);
        let normal = across.0 * cos(angle) + across.1 * sin(angle) + layout.axis * tilt;
        let normal = normal.normalize();
        (normal, normal.dot(layout.hit) + 0.25 * reach * (random.inner_unit() - 0.5) * f64::from(k > 0))
    };
    let planes: Vec<(DVec3, f64)> = (0..count).map(plane).collect();
    let label = |&p: &DVec3| {
        let sides = planes.iter().map(|(normal, offset)| normal.dot(p) - offset);
        let label: u32 = sides.clone().enumerate().map(|(k, side)| u32::from(side > 0.0) << k).sum();
        (label, sides.map(f64::abs).fold(f64::INFINITY, f64::min).max(LEAST))
    };
    layout.points.iter().map(label).unzip()
}

/// Sectors and rings around the axis through the impact. The innermost ring is not divided.
pub(super) fn radial(layout: &Layout) -> Labelled {
    let mut random = layout.random();
    let (u, v) = layout.axis.any_orthonormal_pair();
    let flat = |p: DVec3| {
        let d = p - layout.hit;
        (d.dot(u), d.dot(v))
    };
    let reach = layout.points.iter().map(|&p| flat(p)).map(|(x, y)| (x * x + y * y).sqrt());
    let reach = reach.fold(f64::MIN_POSITIVE, f64::max);
    let sectors = (1.6 * layout.wanted.sqrt()).round().clamp(3.0, 24.0) as usize;
    let rings = ((layout.wanted / sectors as f64).round() as usize).clamp(1, 8);
    // Rings grow outward by a constant factor; the last reaches beyond the body.
    let radii: Vec<f64> = (1..=rings)
        .map(|k| reach * libm::pow(2.2, k as f64 - rings as f64 - 0.3) * (0.9 + 0.2 * random.inner_unit()))
        .collect();
    let step = TAU / sectors as f64;
    let turn = step * random.inner_unit();
    let angle = |k: usize| turn + step * k as f64 + 0.5 * step * (random.inner_unit() - 0.5);
    let angles: Vec<f64> = (0..sectors).map(angle).collect();
    let label = |&p: &DVec3| {
        let (x, y) = flat(p);
        let radius = (x * x + y * y).sqrt();
        let ring = radii.iter().filter(|&&r| radius > r).count();
        let to_ring = radii.iter().map(|r| (radius - r).abs()).fold(f64::INFINITY, f64::min);
        if ring == 0 {
            return (0, to_ring.max(LEAST));
        }
        let angle = atan2(y, x);
        // The ray passed last, going around; and how far the nearest one is, across.
        let behind = |a: f64| (angle - a).rem_euclid(TAU);
        let sector = (0..sectors).reduce(|a, b| if behind(angles[b]) < behind(angles[a]) { b } else { a });
        let sector = sector.unwrap_or(0);
        let gap = |a: f64| behind(a).min(TAU - behind(a)).min(FRAC_PI_2);
        let nearest = angles.iter().map(|&a| gap(a)).fold(f64::INFINITY, f64::min);
        let weight = to_ring.min(radius * sin(nearest));
        ((1 + (ring - 1) * sectors + sector) as u32, weight.max(LEAST))
    };
    layout.points.iter().map(label).unzip()
}
