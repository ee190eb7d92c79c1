//! What the book's figures have in common: SVG files on a ground of their own, one for light and one for dark, readable by
//! themselves, on a code host and in the book, without scripts.
//!
//! A file that a page shows as an image cannot know the page's theme. So the page names both, and the reader's browser takes
//! the one that it prefers; the book's own script (`theme/figures.js`) takes the one of the theme that was chosen. The ground
//! keeps either readable where the choice went wrong.

use std::fmt::Write as _;

use crate::texts::Text;

/// Names of the colours below; a shape takes one as its class. Text that lines cross has `over` as well, for a rim in the
/// ground's colour.
pub const INK: &str = "ink";
/// What is less important: axes, units.
pub const PALE: &str = "pale";
/// The baseline, or what is slow.
pub const SLOW: &str = "slow";
/// The solution.
pub const MAIN: &str = "main";
/// A step on the way.
pub const STEP: &str = "step";
/// What the grader has plotted, in colours of its own.
pub const PLOT: &str = "plot";
/// A library, or a limit of the machine.
pub const LIMIT: &str = "limit";

/// What all figures have, before their colours.
const STYLE: &str = "<style>\
svg{font-family:system-ui,sans-serif}.small{font-size:11.5px}\
.cell{fill-opacity:.3}.line{fill:none;stroke-width:1.6}.line.pale{stroke-width:1}\
.over{paint-order:stroke;stroke-width:4;stroke-linejoin:round}";
const STYLE_END: &str = "</style>";

/// Colours on a light ground and on a dark one. `svg`'s own colour is what a sketch calls `currentColor`.
const LIGHT: &str = "svg{color:#1d2330}.ground{fill:#fff;stroke:#d0d4da}.over{stroke:#fff}.ink{fill:#1d2330}.pale{fill:#5b6472}\
.slow{fill:#b3402f}.main{fill:#1f6f43}.step{fill:#3d6fb4}.limit{fill:#7a5195}\
.line.ink{stroke:#1d2330}.line.pale{stroke:#b9c0ca}\
.line.slow{stroke:#b3402f}.line.main{stroke:#1f6f43}.line.step{stroke:#3d6fb4}.line.limit{stroke:#7a5195}";
const DARK: &str = "svg{color:#e6e9ef}.ground{fill:#1c212b;stroke:#3a4250}.over{stroke:#1c212b}.ink{fill:#e6e9ef}.pale{fill:#a5aebb}\
.slow{fill:#f08a78}.main{fill:#6fd09b}.step{fill:#8db8f2}.limit{fill:#cda3e8}\
.line.ink{stroke:#e6e9ef}.line.pale{stroke:#4a5362}\
.line.slow{stroke:#f08a78}.line.main{stroke:#6fd09b}.line.step{stroke:#8db8f2}.line.limit{stroke:#cda3e8}\
.plot{filter:invert(.9) hue-rotate(180deg)}";

/// A figure's two files, for light and for dark, from what it is in light. `path` is the first one's.
pub fn files(path: &str, light: &str) -> [Text; 2] {
    [(path.to_owned(), light.to_owned()), (dark_path(path), light.replacen(LIGHT, DARK, 1))]
}

fn dark_path(path: &str) -> String {
    format!("{}-dark.svg", path.trim_end_matches(".svg"))
}

/// How a page shows a figure, in the light or dark that the reader prefers. `path` is from the page, `says` is for readers
/// who don't see it.
pub fn picture(path: &str, says: &str) -> String {
    format!(
        "<picture><source media=\"(prefers-color-scheme: dark)\" srcset=\"{}\"><img src=\"{path}\" alt=\"{}\"></picture>",
        dark_path(path),
        quoted(says)
    )
}

/// An SVG file around what is drawn: on a ground of its own, in the colours of light.
pub fn framed([left, top, width, height]: [f64; 4], says: &str, drawn: &str) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"{left} {top} {width} {height}\" width=\"{width}\" height=\"{height}\" \
         font-size=\"13\" role=\"img\" aria-label=\"{}\">\n{STYLE}{LIGHT}{STYLE_END}\n\
         <rect class=\"ground\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"6\"/>\n{drawn}</svg>\n",
        quoted(says),
        left + 0.5,
        top + 0.5,
        width - 1.0,
        height - 1.0,
    )
}

/// Where a text's given place is in it.
#[derive(Clone, Copy, PartialEq)]
pub enum Anchor {
    /// Its beginning.
    Start,
    /// Its middle.
    Middle,
    /// Its end.
    End,
}

/// A figure that is being drawn; lengths are in CSS pixels.
pub struct Figure {
    size: [f64; 2],
    says: String,
    drawn: String,
}

impl Figure {
    /// An empty one. `says` is for readers who don't see it.
    pub fn new(size: [f64; 2], says: &str) -> Self {
        Self { size, says: says.to_owned(), drawn: String::new() }
    }

    /// A filled rectangle.
    pub fn bar(&mut self, [x, y]: [f64; 2], [width, height]: [f64; 2], class: &str) {
        let _ = writeln!(
            self.drawn,
            "<rect class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\"/>"
        );
    }

    /// A rectangle that is lightly filled, so that text on it can be read.
    pub fn cell(&mut self, [x, y]: [f64; 2], [width, height]: [f64; 2], class: &str) {
        let _ = writeln!(
            self.drawn,
            "<rect class=\"{class} cell\" x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" rx=\"2\"/>"
        );
    }

    /// A filled circle.
    pub fn dot(&mut self, [x, y]: [f64; 2], class: &str) {
        let _ = writeln!(self.drawn, "<circle class=\"{class}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4.5\"/>");
    }

    /// A line through points.
    pub fn line(&mut self, points: &[[f64; 2]], class: &str) {
        let points: Vec<String> = points.iter().map(|[x, y]| format!("{x:.1},{y:.1}")).collect();
        let _ = writeln!(self.drawn, "<polyline class=\"line {class}\" points=\"{}\"/>", points.join(" "));
    }

    /// A line of text, at its base line.
    pub fn text(&mut self, [x, y]: [f64; 2], anchor: Anchor, class: &str, text: &str) {
        let anchor = match anchor {
            Anchor::Start => "",
            Anchor::Middle => " text-anchor=\"middle\"",
            Anchor::End => " text-anchor=\"end\"",
        };
        let _ = writeln!(
            self.drawn,
            "<text class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\"{anchor}>{}</text>",
            escaped(text)
        );
    }

    /// A line of text that begins at a place and rises by an angle, in degrees.
    pub fn rising_text(&mut self, [x, y]: [f64; 2], degrees: f64, class: &str, text: &str) {
        let _ = writeln!(
            self.drawn,
            "<text class=\"{class}\" transform=\"translate({x:.1} {y:.1}) rotate({:.1})\">{}</text>",
            -degrees,
            escaped(text)
        );
    }

    /// The file's text, in light.
    pub fn svg(&self) -> String {
        let [width, height] = self.size;
        framed([0.0, 0.0, width, height], &self.says, &self.drawn)
    }
}

/// Text as it stands in an attribute.
fn quoted(text: &str) -> String {
    escaped(text).replace('"', "&quot;")
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// The texts of a drawn figure, each with its place, in their order.
#[cfg(test)]
pub fn texts_of(svg: &str) -> Vec<([f64; 2], String)> {
    let number = |tag: &str, name: &str| -> Option<f64> {
        tag.split_once(&format!(" {name}=\""))?.1.split_once('"')?.0.parse().ok()
    };
    let text = |rest: &str| {
        let (tag, after) = rest.split_once('>')?;
        let place = [number(tag, "x")?, number(tag, "y")?];
        Some((place, after.split_once("</text>")?.0.to_owned()))
    };
    svg.split("<text").skip(1).filter_map(text).collect()
}

/// The lines of a drawn figure, each from its first point to its last.
#[cfg(test)]
pub fn lines_of(svg: &str) -> Vec<[[f64; 2]; 2]> {
    let point = |point: &str| {
        let (x, y) = point.split_once(',')?;
        Some([x.parse().ok()?, y.parse().ok()?])
    };
    let line = |rest: &str| {
        let points = rest.split_once(" points=\"")?.1.split_once('"')?.0;
        Some([point(points.split(' ').next()?)?, point(points.split(' ').next_back()?)?])
    };
    svg.split("<polyline").skip(1).filter_map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dark_differs_in_its_colours_only() {
        let [(light, one), (dark, other)] = files("a/b.svg", &Figure::new([10.0, 10.0], "a").svg());
        assert_eq!((light.as_str(), dark.as_str()), ("a/b.svg", "a/b-dark.svg"));
        assert!(one.contains(LIGHT) && one.replace(LIGHT, "") == other.replace(DARK, ""));
        let shown = picture("a/b.svg", "a \"b\"");
        assert!(
            shown.contains("srcset=\"a/b-dark.svg\"") && shown.contains("alt=\"a &quot;b&quot;\""),
            "{shown}"
        );
    }

    #[test]
    fn text_ends_no_element() {
        let mut figure = Figure::new([10.0, 10.0], "a \"b\" <c>");
        figure.text([1.0, 2.0], Anchor::End, INK, "a<b & c");
        let svg = figure.svg();
        assert!(svg.contains("aria-label=\"a &quot;b&quot; &lt;c&gt;\""), "{svg}");
        assert!(svg.contains(">a&lt;b &amp; c</text>"), "{svg}");
    }
}
