//! The extent of a fragment's surface points along a direction.
//!
//! Coordinates are stored in separate arrays, so that several points are compared at a time. The extreme points in the
//! 26 directions to the neighbours in a grid are listed separately: they alone give nearly the same extent.

use fracas::geom::DVec3;

/// Points compared at a time.
const WIDTH: usize = 4;

/// Points of a surface.
#[derive(Debug)]
pub(crate) struct Cloud {
    /// Groups of points, by coordinate. The last point fills up the last group.
    points: Vec<[[f64; WIDTH]; 3]>,
    /// Those that are farthest in some direction.
    outermost: Vec<DVec3>,
}

impl Cloud {
    /// A cloud of some points.
    pub fn new(points: &[DVec3]) -> Self {
        let group = |group: &[DVec3]| {
            let at = |k: usize| group[k.min(group.len() - 1)];
            [0, 1, 2].map(|axis| [0, 1, 2, 3].map(|k| at(k)[axis]))
        };
        let mut cloud = Self { points: points.chunks(WIDTH).map(group).collect(), outermost: vec![] };
        for k in (0..27).filter(|&k| k != 13) {
            let direction = DVec3::new(f64::from(k % 3), f64::from(k / 3 % 3), f64::from(k / 9)) - 1.0;
            let most = cloud.support(direction);
            let found = points.iter().find(|p| p.dot(direction) >= most);
            if let Some(p) = found.filter(|p| !cloud.outermost.contains(p)) {
                cloud.outermost.push(*p);
            }
        }
        cloud
    }

    /// How far the points go along a direction; −∞ if there are none.
    pub fn support(&self, direction: DVec3) -> f64 {
        let mut most = [f64::NEG_INFINITY; WIDTH];
        for [x, y, z] in &self.points {
            for k in 0..WIDTH {
                let along = direction.x * x[k] + direction.y * y[k] + direction.z * z[k];
                most[k] = if along > most[k] { along } else { most[k] };
            }
        }
        most.into_iter().fold(f64::NEG_INFINITY, f64::max)
    }

    /// A point that is about the farthest along a direction: the farthest of the outermost.
    pub fn about_farthest(&self, direction: DVec3) -> DVec3 {
        let mut best = (f64::NEG_INFINITY, DVec3::ZERO);
        for &p in &self.outermost {
            let along = direction.dot(p);
            if along > best.0 {
                best = (along, p);
            }
        }
        best.1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn support_is_that_of_a_look_at_every_point() {
        let points: Vec<DVec3> = (0..103)
            .map(|k| {
                let k = f64::from(k);
                DVec3::new((k * 0.7).fract() - 0.5, (k * 0.37).fract() - 0.5, (k * 0.19).fract() - 0.5)
            })
            .collect();
        let cloud = Cloud::new(&points);
        for &d in &points {
            let most = points.iter().map(|p| p.dot(d)).fold(f64::NEG_INFINITY, f64::max);
            assert!((cloud.support(d) - most).abs() < 1e-15);
            let about = cloud.about_farthest(d);
            assert!(points.contains(&about) && about.dot(d) > 0.6 * most);
        }
        for axis in DVec3::AXES {
            assert_eq!(cloud.about_farthest(axis).dot(axis), cloud.support(axis));
        }
        assert_eq!(Cloud::new(&[]).support(DVec3::X), f64::NEG_INFINITY);
    }
}
