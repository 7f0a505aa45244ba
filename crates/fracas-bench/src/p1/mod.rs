//! `fracas-bench p1`: trees that follow a cut, beside obvhs, parry and the figures of Otaduy et al. 2007.

mod contestants;
mod script;

use crate::metric::{Better, Report};
use contestants::{Contestant, Obvhs, Ours, Parry, time_steps};
use fracas::tearing::{TearingBody, TearingBuild, TearingOptions};
use std::time::{Duration, Instant};

pub fn run(report: &mut Report, quick: bool) {
    let script = script::triceratops(90_560);
    let [out, into] = script.mean_sizes();
    report.say(&format!(
        "{} triangles, {} steps, {out:.1} out, {into:.1} in per step",
        script.mesh.triangle_count(),
        script.steps.len()
    ));
    let bare = TearingOptions { upkeep: 0, ..TearingOptions::default() };
    let ours = || Box::new(Ours::new(&script, bare)) as Box<dyn Contestant>;
    let kept = || Box::new(Ours::new(&script, TearingOptions::default())) as Box<dyn Contestant>;
    let obvhs = || Box::new(Obvhs::new(&script)) as Box<dyn Contestant>;
    let parry = || Box::new(Parry::new(&script)) as Box<dyn Contestant>;
    let runs = if quick { 3 } else { 15 };
    let times = time_steps(&script, runs, &[&ours, &kept, &obvhs, &parry]);
    let mean = |times: &[Duration]| times.iter().sum::<Duration>().as_secs_f64() * 1e3 / times.len() as f64;
    for (name, times) in ["fracas", "fracas with upkeep", "obvhs", "parry"].iter().zip(&times) {
        let steps: Vec<String> = times.iter().map(|t| format!("{:.0}", t.as_secs_f64() * 1e6)).collect();
        report.say(&format!("  {name:<24} {:.4} ms per step: {} µs", mean(times), steps.join(" ")));
    }
    for build in [TearingBuild::SurfaceArea, TearingBuild::Median] {
        let mut body = TearingBody::build_with(script.mesh.clone(), TearingOptions { build, ..bare });
        let begin = Instant::now();
        body.rebuild();
        report.say(&format!(
            "  rebuild {build:?} {:.3} ms {:?}",
            begin.elapsed().as_secs_f64() * 1e3,
            body.quality()
        ));
    }
    let peer = mean(&times[2]).min(mean(&times[3]));
    report.metric("p1.edit.vs_peer_edit", peer / mean(&times[0]), "x", Better::Higher, "");
}
