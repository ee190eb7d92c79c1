//! What the book's made figures have in common: an SVG file on a ground of its own, readable in light and dark, by
//! itself, on a code host and in the book, without scripts.
//!
//! A file that a page shows as an image cannot know the page's theme. So it has a ground, and follows what the
//! reader's system prefers.

use std::fmt::Write as _;

/// Names of the colours below; a shape takes one as its class.
pub const INK: &str = "ink";
/// What is less important: axes, units.
pub const PALE: &str = "pale";
/// The baseline, or what is slow.
pub const SLOW: &str = "slow";
/// The solution.
pub const MAIN: &str = "main";
/// A step on the way.
pub const STEP: &str = "step";
/// A library, or a limit of the machine.
pub const LIMIT: &str = "limit";

const STYLE: &str = "<style>\
text{font:13px system-ui,sans-serif}.small{font-size:11.5px}\
.ground{fill:#fff;stroke:#d0d4da}.ink{fill:#1d2330}.pale{fill:#5b6472}\
.slow{fill:#b3402f}.main{fill:#1f6f43}.step{fill:#3d6fb4}.limit{fill:#7a5195}\
.cell{fill-opacity:.3}.line{fill:none;stroke-width:1.6}.line.ink{stroke:#1d2330}.line.pale{stroke:#b9c0ca;stroke-width:1}\
.line.slow{stroke:#b3402f}.line.main{stroke:#1f6f43}.line.step{stroke:#3d6fb4}.line.limit{stroke:#7a5195}\
@media(prefers-color-scheme:dark){.ground{fill:#1c212b;stroke:#3a4250}.ink{fill:#e6e9ef}.pale{fill:#a5aebb}\
.slow{fill:#f08a78}.main{fill:#6fd09b}.step{fill:#8db8f2}.limit{fill:#cda3e8}\
.line.ink{stroke:#e6e9ef}.line.pale{stroke:#4a5362}.line.slow{stroke:#f08a78}.line.main{stroke:#6fd09b}\
.line.step{stroke:#8db8f2}.line.limit{stroke:#cda3e8}}\
</style>";

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

    /// The file's text.
    pub fn svg(&self) -> String {
        let [width, height] = self.size;
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" \
             role=\"img\" aria-label=\"{}\">\n{STYLE}\n\
             <rect class=\"ground\" x=\"0.5\" y=\"0.5\" width=\"{}\" height=\"{}\" rx=\"6\"/>\n{}</svg>\n",
            escaped(&self.says).replace('"', "&quot;"),
            width - 1.0,
            height - 1.0,
            self.drawn
        )
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_ends_no_element() {
        let mut figure = Figure::new([10.0, 10.0], "a \"b\" <c>");
        figure.text([1.0, 2.0], Anchor::End, INK, "a<b & c");
        let svg = figure.svg();
        assert!(svg.contains("aria-label=\"a &quot;b&quot; &lt;c&gt;\""), "{svg}");
        assert!(svg.contains(">a&lt;b &amp; c</text>"), "{svg}");
    }
}
