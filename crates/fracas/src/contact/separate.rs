//! The direction in which two bodies leave a region of overlap over the shortest distance, and that distance.
//!
//! The *depth* of a region in a direction n is the longest chord in it: the least distance by which B must move along n so that, on every
//! line in this direction, the stretch of B that reaches into the region has left the stretch of A. The depth of the region is the least of
//! all directions. Neither depends on how surfaces are divided into triangles.
//!
//! ```text
//!    samples inside the region ──▶ a line through each ──▶ longest chords ──▶ climb ──▶ depth in this direction, planes that touch
//!              ▲                                                                                        │
//!              └──────────────────────── next direction: the normal of such a plane ◀───────────────────┘
//! ```
//!
//! In most cases a lower bound ends the search early. A point inside both bodies has to leave one of them, so no direction
//! separates them in less than the sum of its distances to both surfaces. If the best direction reaches this bound, the search ends.
//! Otherwise more directions are tried: those in which surfaces face most, and those to the nearest surfaces.

use super::climb::{Chord, Climb};
use super::line::{Line, Stretch};
use super::region::{Bodies, Region, Seed};
use crate::geom::DVec3;
use crate::mesh::TriangleId;

/// A direction, and the longest chord in it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Way {
    pub(super) direction: DVec3,
    pub(super) chord: Chord,
}

/// A point on the boundary of a region, and one inside it nearby.
#[derive(Clone, Copy)]
struct Sample {
    seed: DVec3,
    inside: DVec3,
}

/// Looks for the best direction of one region.
pub(super) struct Search<'a> {
    bodies: &'a Bodies<'a>,
    samples: Vec<Sample>,
    hits: Vec<(f64, u32)>,
    stretches: [Vec<Stretch>; 2],
}

/// Points from which chords are looked for.
const SAMPLES: usize = 24;

/// Steps from one direction to a better one.
const STEPS: usize = 16;

/// Directions from which the search goes on.
const DESCENTS: usize = 8;

/// Directions whose price exceeds the least by less than this part take part in the mean.
const BAND: f64 = 0.02;

/// What a direction across the area vector costs, as a part of its depth.
const CHARGE: f64 = 0.05;

/// By how much, as a part of the depth, a direction may be worse to be nearer to the area vector.
const LEEWAY: f64 = 0.02;

/// The cosine of the greatest angle, 2°, at which a triangle faces in a direction.
const FLAT: f64 = 0.9994;

/// A mean counts if it is near the area vector: cosines of the angles from which on it counts, and counts fully.
const AROUND: [f64; 2] = [0.9, 0.99];

/// A depth is good enough if it exceeds the bound by no more than this.
const GOOD: f64 = 1.002;

impl<'a> Search<'a> {
    /// `None` if no point of the region is found, because the region is too thin.
    pub(super) fn new(bodies: &'a Bodies<'a>, region: &Region, samples: usize) -> Option<Self> {
        let mut search = Self { bodies, samples: vec![], hits: vec![], stretches: [vec![], vec![]] };
        let seeds = spread(&region.seeds, samples.max(SAMPLES));
        let sum: DVec3 = seeds.iter().map(|seed| seed.point - seeds[0].point).sum();
        for seed in &seeds {
            // Where surfaces nearly coincide their normals lead nowhere: begin a little nearer to the middle then.
            let middle = seeds[0].point + sum / seeds.len() as f64;
            let point = seed.point + (middle - seed.point) * 1e-3;
            let other = Seed { point, inward: region.area.normalize_or_zero() };
            if let Some(inside) = search.point_inside(seed).or_else(|| search.point_inside(&other)) {
                search.samples.push(Sample { seed: seed.point, inside });
            }
        }
        (!search.samples.is_empty()).then_some(search)
    }

    /// The middle of the overlap on a line that leads from a seed into the region.
    fn point_inside(&mut self, seed: &Seed) -> Option<DVec3> {
        // Lines through corners are hard on rounding: begin a little beside it.
        let tiny = 1e-10 * self.bodies.reach;
        let origin = seed.point + DVec3::new(0.31, -0.53, 0.79) * tiny;
        let way = if seed.inward == DVec3::ZERO { DVec3::Z } else { seed.inward };
        let line = Line::new(origin, way);
        self.cast(&line);
        let [of_a, of_b] = &self.stretches;
        let mut best: Option<(f64, f64)> = None;
        for a in of_a {
            for b in of_b {
                let (from, to) = (a.from.max(b.from), a.to.min(b.to));
                let far = from.max(-to).max(0.0);
                if from < to && far < 1e-6 * self.bodies.reach && best.is_none_or(|best| far < best.0) {
                    best = Some((far, 0.5 * (from + to)));
                }
            }
        }
        best.map(|(_, middle)| line.at(middle))
    }

    fn cast(&mut self, line: &Line) {
        for k in 0..2 {
            let reach = 2.0 * self.bodies.reach;
            line.stretches(&self.bodies.views[k], reach, &mut self.hits, &mut self.stretches[k]);
        }
    }

    /// The chord through a point inside both bodies.
    pub(super) fn chord(&mut self, p: DVec3, direction: DVec3) -> Option<Chord> {
        let line = Line::new(p, direction);
        self.cast(&line);
        let [a, b] = [0, 1].map(|k| self.stretches[k].iter().find(|s| s.from < 0.0 && s.to > 0.0));
        let (a, b) = (a?, b?);
        let number = |k: usize, id: u32| self.bodies.surfaces[k].number(TriangleId(id));
        Some(Chord {
            depth: a.to - b.from,
            points: [line.at(a.to), line.at(b.from)],
            triangles: [number(0, a.leaves), number(1, b.enters)],
        })
    }

    /// The longest chord in a direction.
    fn along(&mut self, direction: DVec3) -> Option<Way> {
        self.along_some(direction, usize::MAX)
    }

    /// The longest chord in a direction, as far as a few climbs find it.
    fn along_some(&mut self, direction: DVec3, climbs: usize) -> Option<Way> {
        let points: Vec<DVec3> = self.samples.iter().map(|sample| sample.inside).collect();
        let mut chords: Vec<Chord> = points.iter().filter_map(|&p| self.chord(p, direction)).collect();
        chords.sort_by(|x, y| y.depth.total_cmp(&x.depth).then(x.triangles.cmp(&y.triangles)));
        let longest = *chords.first()?;
        let peaks = self.peaks(direction, &chords, climbs);
        let higher = |longest: Chord, peak: Chord| if peak.depth >= longest.depth { peak } else { longest };
        Some(Way { direction, chord: peaks.into_iter().fold(longest, higher) })
    }

    /// Where climbs from some chords end.
    fn peaks(&self, direction: DVec3, chords: &[Chord], most: usize) -> Vec<Chord> {
        let Some(first) = chords.first() else { return vec![] };
        let mut climb = Climb::new(self.bodies, first.points[0], direction);
        let mut peaks = vec![];
        for chord in chords.iter().take(most) {
            peaks.extend(climb.climb(chord.triangles));
        }
        peaks
    }

    /// Goes from direction to direction as long as the depth becomes less.
    fn descend(&mut self, mut best: Way) -> Way {
        'steps: for _ in 0..STEPS {
            let climb = Climb::new(self.bodies, best.chord.points[0], best.direction);
            for normal in climb.planes(&best.chord) {
                let Some(next) = self.along(normal) else { continue };
                // Of directions that are equally good, that of the plane is the one that all chords agree on.
                let (before, after) = (best.chord.depth, next.chord.depth);
                if after <= before * (1.0 + 1e-9) {
                    best = next;
                    if after < before * (1.0 - 1e-9) {
                        continue 'steps;
                    }
                    return best;
                }
            }
            break;
        }
        best
    }

    /// No direction separates in less: the greatest sum of distances from one point to both surfaces, of the samples and the middle
    /// of a chord.
    fn bound(&self, way: &Way) -> f64 {
        let middle = 0.5 * (way.chord.points[0] + way.chord.points[1]);
        let both = |p: DVec3| -> f64 {
            (0..2)
                .map(|k| self.bodies.views[k].nearest(p, f64::INFINITY).map_or(0.0, |near| near.distance))
                .sum()
        };
        self.samples.iter().map(|sample| both(sample.inside)).fold(both(middle), f64::max)
    }

    /// The direction of least depth, or one nearly as good that is nearer to the area vector.
    pub(super) fn find(&mut self, region: &Region) -> Option<Way> {
        let mut least: Vec<Way> = vec![];
        let first = region.area.try_normalize();
        if let Some(direction) = first
            && let Some(way) = self.along(direction)
        {
            let best = self.descend(way);
            least.push(best);
            // Round bodies have many faces that are nearly as good, all around the first direction.
            let aside = best.direction - direction * best.direction.dot(direction);
            if aside.length() > 1e-3 {
                let turned = direction.cross(aside);
                for aside in [turned, -aside, -turned] {
                    self.descend_from(best.direction.dot(direction) * direction + aside, &mut least);
                }
            }
            let bound = self.bound(&best);
            if least.iter().any(|way| way.chord.depth <= GOOD * bound) {
                return self.choose(&least, region);
            }
        }
        let mut ways: Vec<Way> = vec![];
        for direction in self.guesses(region) {
            ways.extend(self.along_some(direction, 3));
        }
        ways.sort_by(|x, y| x.chord.depth.total_cmp(&y.chord.depth));
        for way in ways.into_iter().take(DESCENTS) {
            self.descend_from(way.direction, &mut least);
        }
        if let Some(best) = least.iter().copied().min_by(|x, y| x.chord.depth.total_cmp(&y.chord.depth)) {
            self.look_around(best, &mut least);
        }
        self.choose(&least, region)
    }

    /// Looks for better directions around one that bumps may have stopped at.
    fn look_around(&mut self, mut best: Way, least: &mut Vec<Way>) {
        for angle in [0.3, 0.1] {
            let (u, v) = best.direction.any_orthonormal_pair();
            let around = (0..6).map(|k| f64::from(k) * std::f64::consts::FRAC_PI_3);
            let tried: Vec<DVec3> = around
                .map(|turn| best.direction + (u * libm::cos(turn) + v * libm::sin(turn)) * angle)
                .collect();
            for direction in tried {
                let Some(way) = self.along(direction.normalize()) else { continue };
                if way.chord.depth < best.chord.depth {
                    best = way;
                }
            }
        }
        self.descend_from(best.direction, least);
    }

    fn descend_from(&mut self, direction: DVec3, least: &mut Vec<Way>) {
        let Some(direction) = direction.try_normalize() else { return };
        let Some(way) = self.along(direction) else { return };
        let way = self.descend(way);
        // Two descents to the same place may end at slightly different directions.
        match least.iter_mut().find(|known| known.direction.distance(way.direction) < 0.02) {
            Some(known) if way.chord.depth < known.chord.depth => *known = way,
            Some(_) => {}
            None => least.push(way),
        }
    }

    /// The best of some directions.
    ///
    /// The area vector changes slowly, least depths of bumpy bodies may be anywhere: so a direction is charged a little for every degree
    /// by which it is off. Directions all around the area vector that are equally good, as those of the faces at an edge that meets another
    /// one, have their mean.
    fn choose(&mut self, least: &[Way], region: &Region) -> Option<Way> {
        let (size, first) = (region.area.length(), region.area.normalize_or_zero());
        // Of regions that are about to be inside, the area vector vanishes and means little.
        let trust = |depth: f64| if size > 0.0 { size / (size + depth * depth) } else { 0.0 };
        let price = |way: &Way| {
            let depth = way.chord.depth;
            depth * (1.0 + CHARGE * trust(depth) * (1.0 - way.direction.dot(first)))
        };
        let best = *least.iter().min_by(|x, y| price(x).total_cmp(&price(y)))?;
        let weight = |way: &Way| (1.0 - (price(way) / price(&best) - 1.0) / BAND).max(0.0).powi(2);
        let sum: DVec3 = least.iter().map(|way| way.direction * weight(way)).sum();
        let Some(mean) = sum.try_normalize() else { return Some(best) };
        let share = ((mean.dot(first) - AROUND[0]) / (AROUND[1] - AROUND[0])).clamp(0.0, 1.0);
        let share = if trust(best.chord.depth) > 0.1 { share } else { 0.0 };
        let direction = best.direction + (mean - best.direction) * share;
        if direction.distance(best.direction) > 1e-9 {
            return self.along(direction.normalize()).or(Some(best));
        }
        Some(self.settle(best, region))
    }

    /// Turns the best direction towards the area vector as far as that costs little depth.
    ///
    /// Round and bumpy bodies have many directions that are nearly as good; which of them is best changes with every step of a motion. The
    /// area vector does not. Where faces lie flat on each other the best direction stays as it is.
    fn settle(&mut self, best: Way, region: &Region) -> Way {
        let Some(first) = region.area.try_normalize() else { return best };
        let most = best.chord.depth * (1.0 + LEEWAY * (1.0 - 2.0 * self.flatness(&best, region)).max(0.0));
        if most <= best.chord.depth * (1.0 + 1e-6) || first.dot(best.direction) < 0.5 {
            return best;
        }
        let (mut chosen, mut low, mut high) = (best, 0.0, 1.0);
        let mut share = 1.0;
        for _ in 0..4 {
            let direction = (best.direction * (1.0 - share) + first * share).normalize();
            match self.along(direction) {
                Some(way) if way.chord.depth <= most => {
                    (chosen, low) = (way, share);
                    if share == 1.0 {
                        break;
                    }
                }
                _ => high = share,
            }
            share = 0.5 * (low + high);
        }
        chosen
    }

    /// The areas of the region's surfaces by direction, on a grid on the sides of a cube; those of the second body turned round.
    fn areas(&self, region: &Region, grid: usize) -> Vec<DVec3> {
        let mut areas = vec![DVec3::ZERO; 6 * grid * grid];
        for (k, sign) in [(0, 1.0), (1, -1.0)] {
            let step = region.triangles[k].len().div_ceil(4000).max(1);
            for &t in region.triangles[k].iter().step_by(step) {
                let area = self.bodies.triangle(k, t).area_vector() * sign;
                if let Some(cell) = cell_on_cube(area, grid) {
                    areas[cell] += area;
                }
            }
        }
        areas
    }

    /// How much of the surface across a direction is flat: triangles that face in it, by the area of the region as seen along it; for the body
    /// of which this is more. It may exceed one, since triangles are counted whole.
    fn flatness(&self, way: &Way, region: &Region) -> f64 {
        let flat = [0, 1].map(|k| -> f64 {
            let areas = region.triangles[k].iter().map(|&t| self.bodies.triangle(k, t).area_vector());
            let faces = |area: &DVec3| area.dot(way.direction).abs() > FLAT * area.length();
            0.5 * areas.filter(faces).map(|area| area.length()).sum::<f64>()
        });
        flat[0].max(flat[1]) / region.area.dot(way.direction).abs().max(f64::MIN_POSITIVE)
    }

    /// Directions to begin with: against the first guess, those in which the surfaces of the region face most, and to the nearest surfaces
    /// of points deep inside.
    fn guesses(&self, region: &Region) -> Vec<DVec3> {
        let mut guesses: Vec<DVec3> = region.area.try_normalize().map(|d| -d).into_iter().collect();
        let mut areas = self.areas(region, 4);
        areas.sort_by(|x, y| y.length_squared().total_cmp(&x.length_squared()));
        guesses.extend(areas.iter().take(8).filter_map(|area| area.try_normalize()));
        let mut deep: Vec<(f64, [DVec3; 2])> = vec![];
        for sample in &self.samples {
            let p = sample.inside;
            let near = self.bodies.views.each_ref().map(|view| view.nearest(p, f64::INFINITY));
            if let [Some(a), Some(b)] = near {
                deep.push((a.distance + b.distance, [a.point - p, p - b.point]));
            }
        }
        deep.sort_by(|x, y| y.0.total_cmp(&x.0));
        let to_nearest = deep.iter().take(3).flat_map(|(_, ways)| ways);
        guesses.extend(to_nearest.filter_map(|way| way.try_normalize()));
        // And all around.
        for k in (0..27).filter(|&k| k != 13) {
            let [x, y, z] = [k % 3, k / 3 % 3, k / 9].map(|x| f64::from(x) - 1.0);
            guesses.push(DVec3::new(x, y, z).normalize());
        }
        guesses
    }

    /// Chords in a direction at places that are spread over the region: at its boundary, inside, and where they are longest.
    pub(super) fn chords(&mut self, direction: DVec3) -> Vec<Chord> {
        let samples = self.samples.clone();
        let (mut outer, mut inner) = (vec![], vec![]);
        for Sample { seed, inside } in samples {
            outer.extend(self.chord(seed + (inside - seed) * 0.02, direction));
            inner.extend(self.chord(inside, direction));
        }
        let peaks = self.peaks(direction, &inner, usize::MAX);
        outer.into_iter().chain(inner).chain(peaks).collect()
    }
}

/// The cell of a direction on the sides of a cube.
fn cell_on_cube(d: DVec3, grid: usize) -> Option<usize> {
    let size = d.abs().max_element();
    if !(size > 0.0 && size.is_finite()) {
        return None;
    }
    let axis = (0..3).find(|&k| d[k].abs() == size)?;
    let side = 2 * axis + usize::from(d[axis] < 0.0);
    let place = |k: usize| (((d[(axis + k) % 3] / size + 1.0) * 0.5 * grid as f64) as usize).min(grid - 1);
    Some((side * grid + place(1)) * grid + place(2))
}

/// Some of the seeds, spread evenly: each is farthest from all before it.
fn spread(seeds: &[Seed], count: usize) -> Vec<Seed> {
    let Some(first) = seeds.first() else { return vec![] };
    let centre = seeds.iter().map(|seed| seed.point - first.point).sum::<DVec3>() / seeds.len() as f64;
    let from_centre = |seed: &Seed| (seed.point - first.point).distance_squared(centre);
    let mut next = 0;
    for (k, seed) in seeds.iter().enumerate() {
        if from_centre(seed) > from_centre(&seeds[next]) {
            next = k;
        }
    }
    let mut distances = vec![f64::INFINITY; seeds.len()];
    let mut chosen = vec![];
    while chosen.len() < count && distances[next] > 0.0 {
        let seed = seeds[next];
        chosen.push(seed);
        for (distance, other) in distances.iter_mut().zip(seeds) {
            *distance = distance.min(seed.point.distance_squared(other.point));
        }
        next = 0;
        for (k, distance) in distances.iter().enumerate() {
            if *distance > distances[next] {
                next = k;
            }
        }
    }
    chosen
}
