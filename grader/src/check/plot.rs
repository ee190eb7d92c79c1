//! A report's plots: on the terminal as text, and as SVG.

use std::{fmt::Write, path::Path};

use colored::{ColoredString, Colorize};
use harness::report::Plot;
use plotters::prelude::*;

use crate::{outputs::beginning, terminal::Terminal, visible::visible};

/// Lines of a terminal plot without axes.
const HEIGHT: usize = 11;
/// What each series draws with, by its index.
const MARKS: [char; 6] = ['●', '+', '×', '◇', '△', '□'];

/// Dark for those whose system prefers that: every shade is turned round, and the hues stay.
const STYLE: &str =
    "<style>@media(prefers-color-scheme:dark){svg{filter:invert(.9) hue-rotate(180deg)}}</style>";

/// The plot in characters. Where series coincide, the last one drawn hides the others; the legend says so.
pub fn text(plot: &Plot, terminal: Terminal) -> String {
    if terminal.plain {
        return sentences(plot);
    }
    let Some(bounds) = Bounds::of(plot) else {
        return format!("{}: no points", visible(&plot.title));
    };
    let vertical = Vertical::of(plot, &bounds);
    let ticks = vertical.ticks();
    let margin = ticks.iter().map(|(_, label)| label.len()).max().unwrap_or(0) + 1;
    let width = terminal.width.saturating_sub(margin + 4).clamp(20, 72);
    let mut grid = vec![vec![None; width]; HEIGHT];
    let mut coincide = vec![true; plot.series.len()];
    for (index, series) in plot.series.iter().enumerate() {
        for &(x, y) in series.points.iter().filter(|(x, y)| x.is_finite() && y.is_finite()) {
            let column = scaled(x, bounds.x, width);
            let row = vertical.row(y);
            if grid[row][column].is_none() {
                coincide[index] = false;
                grid[row][column] = Some(index);
            }
        }
    }
    let mut out =
        format!("{}\n{:>margin$} {}\n", visible(&plot.title).bold(), "", visible(&plot.y_label).dimmed());
    for (row, cells) in grid.iter().enumerate() {
        let label = ticks.iter().find(|(value, _)| vertical.row(*value) == row);
        let label = label.map_or("", |(_, label)| label.as_str());
        let line: String =
            cells.iter().map(|cell| cell.map_or(" ".to_owned(), |index| mark(index).to_string())).collect();
        let _ = writeln!(out, "{label:>margin$} ┤{}", line.trim_end());
    }
    let _ = writeln!(out, "{:>margin$} └{}", "", "─".repeat(width));
    let (left, right) = (number(bounds.x.0), number(bounds.x.1));
    let gap = width.saturating_sub(left.len() + right.len());
    let label = visible(&plot.x_label);
    let _ = writeln!(out, "{:>margin$}  {left}{label:^gap$}{right}", "");
    for (index, series) in plot.series.iter().enumerate() {
        let hidden =
            if coincide[index] && !series.points.is_empty() { " (covered by the others)" } else { "" };
        let _ = writeln!(out, "{:>margin$}  {} {}{hidden}", "", mark(index), visible(&series.name));
    }
    out
}

/// The points as numbers, a series a line.
fn sentences(plot: &Plot) -> String {
    let mut out =
        format!("{}: {} by {}\n", visible(&plot.title), visible(&plot.y_label), visible(&plot.x_label));
    for series in &plot.series {
        let points: Vec<String> =
            series.points.iter().map(|(x, y)| format!("{} at {}", number(*y), number(*x))).collect();
        let _ = writeln!(out, "{}: {}", visible(&series.name), points.join(", "));
    }
    out
}

fn mark(index: usize) -> ColoredString {
    let mark = MARKS[index % MARKS.len()].to_string();
    match index % 3 {
        0 => mark.cyan(),
        1 => mark.yellow(),
        _ => mark.magenta(),
    }
}

/// Rounds a value to a cell.
fn scaled(value: f64, (low, high): (f64, f64), cells: usize) -> usize {
    let share = (value - low) / (high - low);
    ((share * (cells - 1) as f64).round() as usize).min(cells - 1)
}

/// The ranges of both axes. y starts at 0, so that heights compare.
struct Bounds {
    x: (f64, f64),
    y: (f64, f64),
}

impl Bounds {
    fn of(plot: &Plot) -> Option<Self> {
        let points = || {
            plot.series
                .iter()
                .flat_map(|series| series.points.iter().copied())
                .filter(|(x, y)| x.is_finite() && y.is_finite())
        };
        points().next()?;
        let range = |values: &mut dyn Iterator<Item = f64>| {
            let (low, high) =
                values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(v), high.max(v)));
            if low < high { (low, high) } else { (low - 0.5, high + 0.5) }
        };
        let x = range(&mut points().map(|(x, _)| x));
        let y = range(&mut points().map(|(_, y)| y).chain([0.0]));
        Some(Bounds { x, y })
    }
}

/// The vertical axis in characters: linear from 0, or by powers of two where values above 0 spread widely,
/// since a dozen lines can't show 1, 2 and 32 apart otherwise.
struct Vertical {
    range: (f64, f64),
    logarithmic: bool,
}

impl Vertical {
    fn of(plot: &Plot, bounds: &Bounds) -> Self {
        let values = || plot.series.iter().flat_map(|series| series.points.iter().map(|(_, y)| *y));
        let least = values().filter(|y| y.is_finite()).fold(f64::INFINITY, f64::min);
        if least > 0.0 && bounds.y.1 / least >= 16.0 {
            Vertical { range: (least.log2().floor(), bounds.y.1.log2().ceil()), logarithmic: true }
        } else {
            Vertical { range: bounds.y, logarithmic: false }
        }
    }

    fn row(&self, y: f64) -> usize {
        let y = if self.logarithmic { y.log2() } else { y };
        HEIGHT - 1 - scaled(y, self.range, HEIGHT)
    }

    /// Values worth a label.
    fn ticks(&self) -> Vec<(f64, String)> {
        let (low, high) = self.range;
        if self.logarithmic {
            let step = ((high - low) / 5.0).ceil().max(1.0);
            let count = ((high - low) / step).floor() as usize;
            return (0..=count).map(|i| (low + i as f64 * step).exp2()).map(|y| (y, number(y))).collect();
        }
        [0.0, 0.5, 1.0].iter().map(|share| low + share * (high - low)).map(|y| (y, number(y))).collect()
    }
}

fn number(value: f64) -> String {
    if value == value.trunc() && value.abs() < 1e9 { format!("{value:.0}") } else { format!("{value:.3}") }
}

/// Whether a file is an SVG that this program has drawn.
pub fn is_one(path: &Path) -> bool {
    String::from_utf8_lossy(&beginning(path, 1 << 10)).contains(STYLE)
}

/// The plots as one SVG, one below the other.
pub fn svg(plots: &[Plot]) -> String {
    let mut out = String::new();
    let height = 420 * plots.len().max(1) as u32;
    {
        let root = SVGBackend::with_string(&mut out, (760, height)).into_drawing_area();
        // Drawing into a string has no input or output that could fail, and the ranges
        // are finite and not empty.
        let _ = root.fill(&WHITE);
        for (area, plot) in root.split_evenly((plots.len().max(1), 1)).iter().zip(plots) {
            let _ = draw(area, plot);
        }
        let _ = root.present();
    }
    // The first line is the element's beginning.
    out.replacen(">\n", &format!(">\n{STYLE}\n"), 1)
}

fn draw<DB: DrawingBackend>(
    area: &DrawingArea<DB, plotters::coord::Shift>,
    plot: &Plot,
) -> Result<(), DrawingAreaErrorKind<DB::ErrorType>> {
    let Some(bounds) = Bounds::of(plot) else {
        return Ok(());
    };
    let headroom = (bounds.y.1 - bounds.y.0) * 0.08;
    let mut chart = ChartBuilder::on(area)
        .caption(&plot.title, ("sans-serif", 18))
        .margin(14)
        .x_label_area_size(44)
        .y_label_area_size(54)
        .build_cartesian_2d(bounds.x.0..bounds.x.1, bounds.y.0..bounds.y.1 + headroom)?;
    chart
        .configure_mesh()
        .x_desc(&plot.x_label)
        .y_desc(&plot.y_label)
        .x_label_formatter(&|value| number(*value))
        .y_label_formatter(&|value| number(*value))
        .light_line_style(BLACK.mix(0.04))
        .bold_line_style(BLACK.mix(0.1))
        .label_style(("sans-serif", 13))
        .draw()?;
    // Blue, orange and green that readers with colour blindness tell apart; the marks differ too.
    let colours =
        [RGBColor(0, 114, 178), RGBColor(213, 94, 0), RGBColor(0, 158, 115), RGBColor(120, 94, 240)];
    for (index, series) in plot.series.iter().enumerate() {
        let colour = colours[index % colours.len()];
        let points = || series.points.iter().copied().filter(|(x, y)| x.is_finite() && y.is_finite());
        chart.draw_series(LineSeries::new(points(), colour.mix(0.5)))?;
        let drawn = match index % 3 {
            0 => chart.draw_series(
                points().map(|point| Circle::new(point, 5, colour.stroke_width(2)).into_dyn()),
            )?,
            1 => chart
                .draw_series(points().map(|point| Cross::new(point, 4, colour.stroke_width(2)).into_dyn()))?,
            _ => chart.draw_series(
                points().map(|point| TriangleMarker::new(point, 5, colour.filled()).into_dyn()),
            )?,
        };
        drawn
            .label(&series.name)
            .legend(move |(x, y)| Rectangle::new([(x, y - 4), (x + 14, y + 4)], colour.filled()));
    }
    chart
        .configure_series_labels()
        // What grows with x, as conflicts do with the stride, is highest on the right.
        .position(SeriesLabelPosition::UpperLeft)
        .background_style(WHITE.mix(0.85))
        .border_style(BLACK.mix(0.2))
        .label_font(("sans-serif", 13))
        .draw()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use harness::report::Series;

    use super::*;

    /// Conflicts against stride, predicted and simulated.
    fn sample() -> Plot {
        let gcd = |mut a: u32, mut b: u32| {
            while b != 0 {
                (a, b) = (b, a % b);
            }
            a
        };
        let wavefronts = |stride: u32| if stride == 0 { 1.0 } else { f64::from(gcd(stride, 32)) };
        let points: Vec<(f64, f64)> =
            (0..=33).map(|stride| (f64::from(stride), wavefronts(stride))).collect();
        Plot {
            title: "Wavefronts of data[lane * stride]".to_owned(),
            x_label: "stride (4-byte words)".to_owned(),
            y_label: "wavefronts".to_owned(),
            series: vec![
                Series { name: "predicted".to_owned(), points: points.clone() },
                Series { name: "simulated".to_owned(), points },
            ],
        }
    }

    const PLAIN: Terminal = Terminal { width: 80, rows: usize::MAX, colour: false, plain: false };

    #[test]
    fn conflicts_against_stride() {
        insta::assert_snapshot!(text(&sample(), PLAIN));
    }

    #[test]
    fn degenerate_plots_are_still_drawn() {
        let mut plot = sample();
        plot.series.truncate(1);
        plot.series[0].points = vec![(3.0, f64::NAN)];
        assert!(text(&plot, PLAIN).contains("no points"));
        plot.series[0].points = vec![(3.0, 0.0)];
        assert!(text(&plot, PLAIN).contains('●'));
        assert!(svg(&[plot]).contains("</svg>"));
    }

    #[test]
    fn the_svg_carries_title_labels_and_legend() {
        let svg = svg(&[sample()]);
        for expected in
            ["Wavefronts of data[lane * stride]", "stride (4-byte words)", "predicted", "simulated"]
        {
            assert!(svg.contains(expected), "{expected}");
        }
        assert_eq!(svg.lines().nth(1), Some(STYLE));
    }
}
