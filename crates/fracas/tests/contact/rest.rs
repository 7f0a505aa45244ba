//! Bodies that fall on others come to rest: the example `rest`, run to the end.

#[path = "../../examples/rest.rs"]
#[allow(dead_code)]
mod example;

use fracas::Finder;

#[test]
fn a_box_on_a_box_and_a_ring_on_a_peg_come_to_rest() {
    let mut finder = Finder::default();
    for (name, ground, mut body) in example::scenes() {
        let mut deepest: f64 = 0.0;
        for step in 0..1440 {
            let depth = body.step(&ground, &mut finder).expect("closed");
            if step >= 1200 {
                deepest = deepest.max(depth);
                let (speed, spin) = (body.velocity.length(), body.spin.length());
                assert!(speed < 0.02 && spin < 0.02, "{name}, step {step}: speed {speed}, spin {spin}");
            }
        }
        assert!(deepest > 0.0 && deepest < 0.01, "{name}: {deepest}");
        // The ring lies around the peg, the box on the table.
        let place = body.centre;
        assert!(
            place.x.hypot(place.y) < 1.0
                && (place.z - if name.contains("ring") { 0.3 } else { 1.0 }).abs() < 0.02,
            "{name}: {place}"
        );
    }
}
