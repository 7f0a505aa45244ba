//! Every case of the corpus through the kernels: on the processor, and on a device if there is one.

mod common;

use common::cases::{self, Question};
use common::{machines, pairs_between, self_pairs};
use fracas::pairs::Touch;

#[test]
fn every_case_has_its_pairs() {
    let themes = cases::read_all();
    for (name, make) in machines() {
        let mut count = 0;
        for (path, theme) in &themes {
            for case in &theme.cases {
                for touch in [Touch::Include, Touch::Proper] {
                    let found = match case.question() {
                        Question::Itself(mesh) => self_pairs(make, &mesh, touch),
                        Question::Two { a, pose_a, b, pose_b } => {
                            let (a, b) =
                                (a.posed(&pose_a).expect("finite"), b.posed(&pose_b).expect("finite"));
                            pairs_between(make, &a, &b, touch)
                        }
                    };
                    let place = || format!("{name}: {} in {}, {touch:?}", case.name, path.display());
                    assert_eq!(found, case.expected(touch), "{}", place());
                    count += 1;
                }
            }
        }
        eprintln!("{name}: {count} cases");
        assert!(count > 200);
    }
}
