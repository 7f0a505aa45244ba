//! The comparisons of a run, as a table and a chart.

use crate::folder::Folder;
use crate::metric::Report;
use fracas_plot::{Align, Axis, BarChart, Bars, Table};
use std::io;

/// What was compared so far.
#[derive(Default)]
pub struct Sheet {
    rows: Vec<Row>,
}

struct Row {
    question: &'static str,
    about: String,
    ours_us: f64,
    peer: String,
    theirs_us: f64,
    remark: String,
}

impl Sheet {
    /// Says and notes how long one question took on both sides, in microseconds.
    pub fn compare(
        &mut self,
        report: &Report,
        (question, about): (&'static str, String),
        ours_us: f64,
        (peer, theirs_us): (&str, f64),
        remark: String,
    ) {
        report.say(&format!("{question}, {about}: ours {ours_us:.2} µs, {peer} {theirs_us:.2} µs; {remark}"));
        self.rows.push(Row { question, about, ours_us, peer: peer.to_owned(), theirs_us, remark });
    }

    /// Writes the table, and a chart of how many times faster we are.
    pub fn write(&self, report: &Report, folder: &mut Folder) -> io::Result<()> {
        let heads = [
            ("question", Align::Left),
            ("about", Align::Left),
            ("ours, µs", Align::Right),
            ("peer", Align::Left),
            ("peer, µs", Align::Right),
            ("times faster", Align::Right),
            ("answers", Align::Left),
        ];
        let mut table = Table::new("Questions", heads);
        for row in &self.rows {
            let [ours, theirs, ratio] = [row.ours_us, row.theirs_us, row.theirs_us / row.ours_us];
            table.row([
                row.question.to_owned(),
                row.about.clone(),
                format!("{ours:.2}"),
                row.peer.clone(),
                format!("{theirs:.2}"),
                format!("{ratio:.2}"),
                row.remark.clone(),
            ]);
        }
        folder.section(
            "Both sides, question by question",
            "The same meshes at the same poses, one thread, best of several. parry works in f32, the others in f64. Peers with a Python package are timed \
             inside it, without the conversion of their arguments.",
        );
        folder.table(report, "questions", &table)?;
        let means = self.means();
        let chart = BarChart {
            title: "How many times faster".to_owned(),
            description: "Time of the peer over ours, geometric mean over all cases of a question."
                .to_owned(),
            groups: means.iter().map(|(name, _)| name.clone()).collect(),
            x_label: "question and peer".to_owned(),
            y: Axis::log("times faster"),
            bars: vec![Bars {
                name: "ours".to_owned(),
                values: means.iter().map(|(_, mean)| *mean).collect(),
            }],
            stacked: false,
        };
        folder.chart("questions", &chart.svg(), "Time of the peer over ours; 1 is equal.")
    }

    /// Geometric means by question and peer, in the order in which they came up.
    fn means(&self) -> Vec<(String, f64)> {
        let mut sums: Vec<(String, f64, usize)> = vec![];
        for row in &self.rows {
            let name = format!("{}, {}", row.question, row.peer);
            let place = sums.iter().position(|known| known.0 == name).unwrap_or_else(|| {
                sums.push((name, 0.0, 0));
                sums.len() - 1
            });
            sums[place].1 += (row.theirs_us / row.ours_us).ln();
            sums[place].2 += 1;
        }
        sums.into_iter().map(|(name, sum, count)| (name, (sum / count as f64).exp())).collect()
    }
}
