//! Real meshes through the kernels, against pairs that another program found with exact predicates.

mod common;
#[path = "../../fracas-io/tests/common/truth.rs"]
mod reader;

use common::{machines, pairs_between, self_pairs};
use fracas::pairs::Touch;
use reader::{data, mesh, pair_of, pairs_in, truths};

#[test]
fn meshes_meet_where_the_truth_says() {
    let Some(data) = data() else { return };
    for (machine, make) in machines() {
        for (path, name) in truths(&data, "self__") {
            let found = self_pairs(make, &mesh(&data, &name), Touch::Include);
            assert!(found == pairs_in(&path), "{machine}: {name}");
        }
        for (path, names) in truths(&data, "pair__") {
            let [a, b] = pair_of(&data, &names);
            let found = pairs_between(make, &a, &b, Touch::Include);
            assert!(found == pairs_in(&path), "{machine}: {names}");
        }
    }
}
