//! `cargo xtask pictures`: the pictures of the README and the guide.
//!
//! Those of bodies come from real runs in headless Chromium: `web/pictures.mjs` lists which scene, which frame, seen from where, and what is
//! done in the page that is played. Runs go to `target/web/pictures`. The chart of the graphics card is drawn from measured figures in `docs/pictures/card.csv`, since the
//! machine that takes the pictures need not have a card.

use crate::{shell, web};
use fracas_plot::{Axis, Line, LineChart, Look};

/// Where the pictures lie.
const PICTURES: &str = "docs/pictures";

/// Draws the chart, runs the scenes and takes all pictures.
pub fn run() -> Result<(), String> {
    draw_card()?;
    web::install()?;
    let browser = web::browser()?;
    let mut build = shell::cargo(["build", "--release", "--locked", "-p", "fracas-cli"]);
    shell::run(&mut build, "The command does not build")?;
    let program =
        shell::root().join("target/release").join(format!("fracas{}", std::env::consts::EXE_SUFFIX));
    let mut node = std::process::Command::new("node");
    node.arg("pictures.mjs").arg(program).arg(shell::root().join(web::MADE).join("pictures"));
    node.arg(shell::root().join(PICTURES)).env("CHROMIUM", browser).current_dir(shell::root().join("web"));
    shell::run(&mut node, "A picture could not be taken")
}

/// Draws `card.svg` from `card.csv`.
fn draw_card() -> Result<(), String> {
    let file = shell::root().join(PICTURES).join("card.csv");
    let text = std::fs::read_to_string(&file)
        .map_err(|error| format!("{PICTURES}/card.csv cannot be read: {error}."))?;
    let chart = card_chart(&text).map_err(|error| format!("{PICTURES}/card.csv: {error}."))?;
    std::fs::write(file.with_extension("svg"), chart.svg())
        .map_err(|error| format!("{PICTURES}/card.svg cannot be written: {error}."))
}

/// The chart of a file whose lines are `triangles,step,floor` in milliseconds, below a comment that names the machine.
fn card_chart(text: &str) -> Result<LineChart, String> {
    let machine = text.lines().find_map(|line| line.strip_prefix("# ")).ok_or("no line names the machine")?;
    let mut columns = [Vec::new(), Vec::new()];
    for line in text.lines().filter(|line| !line.starts_with('#')).skip(1) {
        let numbers: Vec<f64> = line.split(',').filter_map(|word| word.trim().parse().ok()).collect();
        let [triangles, step, floor] = numbers[..] else {
            return Err(format!("`{line}` has not three numbers"));
        };
        columns[0].push([triangles / 1e6, step]);
        columns[1].push([triangles / 1e6, floor]);
    }
    let [step, floor] = columns;
    let line = |name: &str, points, look| Line { name: name.to_owned(), points, look };
    Ok(LineChart {
        title: format!("Folded cloth against itself on {machine}"),
        description: "Time of a step against the number of triangles, both axes logarithmic.".to_owned(),
        x: Axis::log("million triangles"),
        y: Axis::log("time (ms)"),
        lines: vec![
            line("one step: grid, search, decisions on the card", step, Look::Marked),
            line("reading positions and triangles once", floor, Look::Dashed),
        ],
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_chart_shows_every_line_of_its_file() {
        let text = "# a card\ntriangles,step,floor\n1000000,0.1,0.01\n2000000,0.2,0.02\n";
        let chart = card_chart(text).unwrap();
        assert!(chart.title.ends_with("on a card"));
        assert_eq!(chart.lines[0].points, [[1.0, 0.1], [2.0, 0.2]]);
        assert_eq!(chart.lines[1].points, [[1.0, 0.01], [2.0, 0.02]]);
        assert!(card_chart("# a card\ntriangles,step,floor\n1000,0.1\n").unwrap_err().contains("`1000,0.1`"));
        assert!(card_chart("triangles,step,floor\n").is_err());
    }

    #[test]
    fn the_committed_chart_is_that_of_its_file() {
        let file = shell::root().join(PICTURES).join("card.csv");
        let chart = card_chart(&std::fs::read_to_string(&file).unwrap()).unwrap();
        assert_eq!(std::fs::read_to_string(file.with_extension("svg")).unwrap(), chart.svg());
    }
}
