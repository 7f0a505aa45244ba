//! Axes: what they say, how numbers become places along them, and where ticks stand.

/// How numbers are spread along an axis.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scale {
    /// Equal steps for equal differences.
    #[default]
    Linear,
    /// Equal steps for equal ratios; only positive numbers can be shown.
    Log,
}

/// An axis of a chart.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Axis {
    /// What is shown, with its unit, such as "time per step (ms)".
    pub label: String,
    /// How numbers are spread.
    pub scale: Scale,
    /// Numbers that the axis must reach, beside those of the data.
    pub include: Vec<f64>,
}

impl Axis {
    /// A linear axis.
    ///
    /// ```
    /// let axis = fracas_plot::Axis::linear("depth").from_zero();
    /// assert_eq!(axis.include, [0.0]);
    /// ```
    #[must_use]
    pub fn linear(label: impl Into<String>) -> Self {
        Self { label: label.into(), ..Self::default() }
    }

    /// A logarithmic axis.
    #[must_use]
    pub fn log(label: impl Into<String>) -> Self {
        Self { label: label.into(), scale: Scale::Log, ..Self::default() }
    }

    /// The axis, made to reach zero.
    #[must_use]
    pub fn from_zero(mut self) -> Self {
        self.include.push(0.0);
        self
    }

    /// Whether a number can be shown.
    pub(crate) fn shows(&self, value: f64) -> bool {
        value.abs() <= MOST && (self.scale == Scale::Linear || value >= LEAST)
    }

    /// The way from numbers to places, wide enough for all numbers given, ticks included.
    pub(crate) fn over(&self, values: impl Iterator<Item = f64>) -> Mapping {
        let shown = values.chain(self.include.iter().copied()).filter(|&value| self.shows(value));
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for value in shown {
            (low, high) = (low.min(value), high.max(value));
        }
        match self.scale {
            Scale::Linear => Mapping::linear(low, high),
            Scale::Log => Mapping::log(low, high),
        }
    }
}

/// Numbers from `low` to `high` as shares from 0 to 1, and the ticks between.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Mapping {
    scale: Scale,
    low: f64,
    high: f64,
    pub ticks: Vec<f64>,
}

/// The largest magnitude that an axis shows, so that sums and differences of a few numbers stay finite. Larger ones are left out.
const MOST: f64 = 1e280;
/// The smallest positive number that a logarithmic axis shows; powers of ten below are not exact.
const LEAST: f64 = 1e-280;
/// A linear axis spans at least this share of its largest number: closer numbers could not have different ticks.
const NARROWEST: f64 = 1e-9;

/// The most decades that each get a tick.
const MOST_DECADES: i32 = 24;

/// About how many ticks an axis gets.
const TICKS: f64 = 6.0;

impl Mapping {
    fn linear(low: f64, high: f64) -> Self {
        let (low, high) = match (low.is_finite(), high > low) {
            (false, _) => (0.0, 1.0),
            (true, false) => (low - 0.5 * low.abs().max(1.0), low + 0.5 * low.abs().max(1.0)),
            (true, true) => {
                // Ticks are whole multiples of a step, which must be neither too many of them nor subnormal.
                let span = (high - low).max(NARROWEST * high.abs().max(low.abs())).max(LEAST);
                let middle = 0.5 * low + 0.5 * high;
                (low.min(middle - 0.5 * span), high.max(middle + 0.5 * span))
            }
        };
        let step = round_step((high - low) / TICKS);
        let (first, last) = ((low / step + 1e-9).floor() as i64, (high / step - 1e-9).ceil() as i64);
        let last = last.max(first + 1);
        let ticks: Vec<f64> = (first..=last).map(|k| k as f64 * step).collect();
        Self { scale: Scale::Linear, low: first as f64 * step, high: last as f64 * step, ticks }
    }

    /// Whole decades where there are several, every second, third … where there are very many; otherwise ticks at 1, 2 and 5 as well.
    fn log(low: f64, high: f64) -> Self {
        let (low, high) = if low.is_finite() { (low, high) } else { (1.0, 10.0) };
        let (first, last) = (low.log10().floor() as i32, high.log10().ceil() as i32);
        let fine = last - first <= 3;
        let steps: &[f64] = if fine { &[1.0, 2.0, 5.0] } else { &[1.0] };
        // Not every decade gets a tick where there are very many.
        let stride = ((last - first) / MOST_DECADES + 1) as usize;
        let last = first + (last - first + stride as i32 - 1) / stride as i32 * stride as i32;
        let all: Vec<f64> = (first..=last)
            .step_by(stride)
            .flat_map(|decade| steps.iter().map(move |step| step * 10f64.powi(decade)))
            .collect();
        let from = all.iter().rposition(|&tick| tick <= low * 1.000_001).unwrap_or(0);
        let to = all.iter().position(|&tick| tick >= high * 0.999_999).unwrap_or(all.len() - 1);
        let to = if to == from { (to + 1).min(all.len() - 1) } else { to };
        let ticks = all[from..=to].to_vec();
        Self { scale: Scale::Log, low: ticks[0], high: ticks[ticks.len() - 1], ticks }
    }

    /// Where a number is between the ends of the axis.
    pub fn share(&self, value: f64) -> f64 {
        match self.scale {
            Scale::Linear => (value - self.low) / (self.high - self.low),
            // Quotients of numbers hundreds of decades apart would overflow; differences of logarithms do not.
            Scale::Log => {
                let [value, low, high] = [value, self.low, self.high].map(f64::ln);
                (value - low) / (high - low).max(f64::MIN_POSITIVE)
            }
        }
    }

    /// The number from which bars grow.
    pub fn floor(&self) -> f64 {
        match self.scale {
            Scale::Linear => 0.0_f64.clamp(self.low, self.high),
            Scale::Log => self.low,
        }
    }
}

/// 1, 2 or 5 times a power of ten, at least about as large as asked for.
fn round_step(step: f64) -> f64 {
    let decade = 10f64.powf(step.log10().floor());
    let round = [1.0, 2.0, 5.0, 10.0].into_iter().find(|&round| round * decade >= 0.999 * step);
    round.unwrap_or(10.0) * decade
}

/// A number as a tick shows it: grouped thousands, no needless zeros.
pub(crate) fn shown(value: f64) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    let magnitude = value.abs();
    if !(1e-4..1e7).contains(&magnitude) {
        return format!("{value:.0e}");
    }
    let digits = (2 - magnitude.log10().floor() as i32).clamp(0, 6) as usize;
    let text = format!("{magnitude:.digits$}");
    let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    let (whole, rest) = text.split_once('.').unwrap_or((text, ""));
    let mut grouped = String::new();
    for (k, digit) in whole.chars().enumerate() {
        if k > 0 && (whole.len() - k) % 3 == 0 {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    let sign = if value < 0.0 { "−" } else { "" };
    if rest.is_empty() { format!("{sign}{grouped}") } else { format!("{sign}{grouped}.{rest}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_hold_the_data() {
        let mapping = Axis::linear("x").over([0.3, 11.0].into_iter());
        assert_eq!(mapping.ticks, [0.0, 2.0, 4.0, 6.0, 8.0, 10.0, 12.0]);
        assert_eq!((mapping.share(0.0), mapping.share(12.0), mapping.share(3.0)), (0.0, 1.0, 0.25));
        let mapping = Axis::linear("x").from_zero().over([7.0].into_iter());
        assert_eq!(mapping.ticks[0], 0.0);
        assert!(*mapping.ticks.last().unwrap() >= 7.0);
    }

    #[test]
    fn a_logarithmic_axis_has_equal_ratios_and_nothing_below_zero() {
        let axis = Axis::log("ms");
        assert!(!axis.shows(0.0) && !axis.shows(-1.0) && !axis.shows(f64::NAN) && axis.shows(1e-9));
        let mapping = axis.over([0.03, 1491.0, 0.0, f64::NAN].into_iter());
        assert_eq!(mapping.ticks, [0.01, 0.1, 1.0, 10.0, 100.0, 1000.0, 10_000.0]);
        assert!((mapping.share(10.0) - 0.5).abs() < 1e-12);
        let narrow = axis.over([1.2, 4.0].into_iter());
        assert_eq!(narrow.ticks, [1.0, 2.0, 5.0]);
        for value in [1e-12, 0.5, 1.0, 3.0, 1e30] {
            let one = axis.over([value].into_iter());
            assert!(one.ticks.len() > 1 && (0.0..=1.0).contains(&one.share(value)), "{value}: {one:?}");
        }
    }

    #[test]
    fn an_axis_over_nothing_or_one_number_has_an_extent() {
        for values in [vec![], vec![f64::NAN], vec![0.0], vec![-3.0], vec![1e30]] {
            let mapping = Axis::linear("x").over(values.iter().copied());
            assert!(mapping.ticks.len() > 1, "{values:?}");
            assert!(values.iter().all(|v| v.is_nan() || (0.0..=1.0).contains(&mapping.share(*v))));
        }
        assert!(Axis::log("x").over(std::iter::empty()).ticks.len() > 1);
    }

    #[test]
    fn extreme_values_panicked_or_printed_no_numbers() {
        let extremes = [
            0.0,
            5e-324,
            1e-310,
            1e-300,
            1e-200,
            1.0,
            1.0 + f64::EPSILON,
            1e15,
            1e15 + 1.0,
            1e200,
            1e300,
            1e308,
            f64::MAX,
            f64::INFINITY,
            f64::NAN,
        ];
        for axis in [Axis::linear("x"), Axis::log("x"), Axis::linear("x").from_zero()] {
            for a in extremes {
                for b in extremes {
                    for values in [[a, b], [-a, b], [-a, -b]] {
                        let mapping = axis.over(values.into_iter());
                        let ticks = &mapping.ticks;
                        assert!((2..100).contains(&ticks.len()), "{values:?}: {} ticks", ticks.len());
                        assert!(
                            ticks.iter().all(|tick| tick.is_finite()) && ticks.is_sorted(),
                            "{values:?}: {ticks:?}"
                        );
                        for value in values.into_iter().filter(|&value| axis.shows(value)) {
                            let share = mapping.share(value);
                            assert!(
                                (-1e-6..=1.000_001).contains(&share),
                                "{values:?}: {value} at {share} of {ticks:?}"
                            );
                        }
                        let floor = mapping.share(mapping.floor());
                        assert!((0.0..=1.0).contains(&floor), "{values:?}: {floor}");
                    }
                }
            }
        }
    }

    #[test]
    fn numbers_are_shown_as_people_write_them() {
        let all = [0.0, 0.05, 2.5, 100.0, 90_560.0, -1_500.0, 1e-5, 2e9, 0.125];
        let words = ["0", "0.05", "2.5", "100", "90,560", "−1,500", "1e-5", "2e9", "0.125"];
        assert_eq!(all.map(shown), words);
    }
}
