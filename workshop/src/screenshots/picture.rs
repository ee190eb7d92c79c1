//! A terminal's screen as a picture (SVG): every run of cells that look the same is a text of that width.

use minijinja::{Environment, Value, context, value::Serde};
use serde::Serialize;

/// A cell, in the picture's units.
const CELL: (f64, f64) = (8.4, 18.0);
const MARGIN: f64 = 14.0;
/// The bar with the title.
const BAR: f64 = 30.0;
const BACKGROUND: &str = "#16181d";
const FOREGROUND: &str = "#d7dae0";
/// Black, red, green, yellow, blue, magenta, cyan, white; then the same, bright. On that background each is easy to
/// read (a contrast of 4.5 and more, but for black).
const COLOURS: [&str; 16] = [
    "#3b3f4a", "#f07178", "#8fce6b", "#e5c07b", "#74b0f4", "#cf9fe8", "#5fcad6", "#d7dae0", "#8b909c",
    "#ff8b92", "#a8e587", "#f5d795", "#94c6ff", "#e0b8f5", "#7fe0eb", "#ffffff",
];

const TEMPLATE: &str = r##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {{ width }} {{ height }}" width="{{ width }}" height="{{ height }}" font-family="ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace" font-size="14">
<title>{{ title }}</title>
<rect width="{{ width }}" height="{{ height }}" rx="8" fill="{{ background }}"/>
<g fill="#565b67"><circle cx="18" cy="15" r="5"/><circle cx="34" cy="15" r="5"/><circle cx="50" cy="15" r="5"/></g>
<text x="{{ width / 2 }}" y="20" text-anchor="middle" fill="#8b909c">{{ title }}</text>
{% for run in runs -%}
<text x="{{ run.x }}" y="{{ run.y }}" textLength="{{ run.width }}" lengthAdjust="spacingAndGlyphs" fill="{{ run.colour }}"{% if run.bold %} font-weight="bold"{% endif %}{% if run.dim %} opacity="0.65"{% endif %}{% if run.underlined %} text-decoration="underline"{% endif %} xml:space="preserve">{{ run.text }}</text>
{% endfor -%}
</svg>
"##;

/// Cells beside each other that look the same.
#[derive(Debug, PartialEq, Serialize)]
struct Run {
    x: f64,
    y: f64,
    width: f64,
    text: String,
    colour: String,
    bold: bool,
    dim: bool,
    underlined: bool,
}

/// The picture of a screen, in a window of this title.
pub fn svg(screen: &vt100::Screen, title: &str) -> String {
    let (rows, columns) = screen.size();
    let rows = (0..rows).rev().find(|&row| !is_empty(screen, row, columns)).map_or(1, |last| last + 1);
    let mut environment = Environment::new();
    // By its name it is XML, and what is put in is escaped.
    environment.add_template("screen.xml", TEMPLATE).expect("the template is right, as the test proves");
    let runs: Vec<Value> =
        (0..rows).flat_map(|row| runs(screen, row, columns)).map(|run| Value::from(Serde(run))).collect();
    let template = environment.get_template("screen.xml").expect("it was added");
    let drawn = template.render(context! {
        width => (f64::from(columns) * CELL.0 + 2.0 * MARGIN).round() as u32,
        height => (f64::from(rows) * CELL.1 + BAR + MARGIN).round() as u32,
        background => BACKGROUND,
        title,
        runs,
    });
    drawn.expect("it has all that it names")
}

fn is_empty(screen: &vt100::Screen, row: u16, columns: u16) -> bool {
    (0..columns).all(|column| screen.cell(row, column).is_none_or(|cell| cell.contents().trim().is_empty()))
}

/// The runs of a row, without the empty cells at either end of each.
fn runs(screen: &vt100::Screen, row: u16, columns: u16) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    let mut open = false;
    for column in 0..columns {
        let Some(cell) = screen.cell(row, column).filter(|cell| !cell.is_wide_continuation()) else {
            continue;
        };
        let text = if cell.has_contents() { cell.contents() } else { " " };
        if text == " " && !cell.underline() {
            open = false;
            continue;
        }
        let cells = if cell.is_wide() { 2.0 } else { 1.0 };
        let run = Run {
            x: tenths(MARGIN + f64::from(column) * CELL.0),
            y: tenths(BAR + (f64::from(row) + 0.75) * CELL.1),
            width: tenths(cells * CELL.0),
            text: text.to_owned(),
            colour: colour(cell.fgcolor()),
            bold: cell.bold(),
            dim: cell.dim(),
            underlined: cell.underline(),
        };
        let looks = |run: &Run| (run.colour.clone(), run.bold, run.dim, run.underlined);
        match runs.last_mut() {
            Some(last) if open && looks(last) == looks(&run) => {
                last.text.push_str(&run.text);
                last.width = tenths(last.width + run.width);
            }
            _ => runs.push(run),
        }
        open = true;
    }
    runs
}

fn tenths(length: f64) -> f64 {
    (10.0 * length).round() / 10.0
}

fn colour(colour: vt100::Color) -> String {
    match colour {
        vt100::Color::Default => FOREGROUND.to_owned(),
        vt100::Color::Idx(index @ 0..16) => COLOURS[usize::from(index)].to_owned(),
        // The cube of six by six by six, and the greys.
        vt100::Color::Idx(index @ 16..232) => {
            let level = |step: u8| if step == 0 { 0 } else { 55 + 40 * step };
            let index = index - 16;
            format!("#{:02x}{:02x}{:02x}", level(index / 36), level(index / 6 % 6), level(index % 6))
        }
        vt100::Color::Idx(grey) => {
            let level = 8 + 10 * (grey - 232);
            format!("#{level:02x}{level:02x}{level:02x}")
        }
        vt100::Color::Rgb(red, green, blue) => format!("#{red:02x}{green:02x}{blue:02x}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn screen(text: &str) -> vt100::Parser {
        let mut parser = vt100::Parser::new(4, 20, 0);
        parser.process(text.as_bytes());
        parser
    }

    #[test]
    fn words_that_look_the_same_keep_their_places() {
        let parser = screen("\x1b[1;31merror\x1b[0m ok\r\n  <&>");
        let found: Vec<Run> = (0..2).flat_map(|row| runs(parser.screen(), row, 20)).collect();
        let texts: Vec<(&str, f64, bool)> = found.iter().map(|run| (&*run.text, run.x, run.bold)).collect();
        assert_eq!(texts, [("error", 14.0, true), ("ok", 64.4, false), ("<&>", 30.8, false)]);
        assert_eq!((&*found[0].colour, &*found[1].colour), (COLOURS[1], FOREGROUND));
    }

    #[test]
    fn a_picture_is_xml_and_as_high_as_what_is_on_the_screen() {
        let drawn = svg(screen("one\r\n<two>").screen(), "a & b");
        assert!(drawn.contains("height=\"80\"") && drawn.contains(">&lt;two&gt;</text>"), "{drawn}");
        assert!(drawn.contains("<title>a &amp; b</title>"), "{drawn}");
    }
}
