//! The examples do what they say.

#[allow(dead_code, reason = "the test calls the parts that the program is made of")]
#[path = "../examples/cloth.rs"]
mod cloth;

use fracas::Finder;
use fracas::mesh::shapes;

#[test]
fn a_cloth_comes_to_rest_on_a_body_from_a_file_and_passes_through_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("pumpkin.obj");
    fracas_io::write(&file, &shapes::pumpkin(9, 2_000)).unwrap();
    let mut drape = cloth::Drape::new(&fracas_io::read(&file).unwrap()).unwrap();
    let start = drape.cloth.mesh().bounds();
    let mut finder = Finder::default();
    let mut speeds = Vec::new();
    for step in 0..400 {
        speeds.push(drape.step().unwrap());
        assert!(finder.find_pairs(&drape.cloth, &drape.body).is_empty(), "step {step}");
        assert!(finder.find_self_pairs(&drape.cloth).is_empty(), "step {step}");
    }
    // It has fallen, its corners hang at the sides, and it lies still, about a thickness above the body.
    let end = drape.cloth.mesh().bounds();
    assert!(speeds.iter().any(|speed| *speed > 1.0) && end.min.z < start.min.z - 0.3, "{end:?}");
    assert!(speeds[380..].iter().all(|speed| *speed < 0.05), "{:?}", &speeds[380..]);
    let closest = finder.find_closest(&drape.cloth, &drape.body, f64::INFINITY).unwrap();
    assert!(closest.distance > 0.005 && closest.distance < 0.015, "{}", closest.distance);
}
