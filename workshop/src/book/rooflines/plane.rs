//! Where a roofline's lines, dots and names stand: both axes are logarithmic.

use super::{MEMORIES, Point, Roofline, bandwidth};
use crate::{
    book::figure::{Anchor, Figure, INK, LIMIT, PALE},
    record::PeerRecord,
};

/// What a figure's axes show, and where the names of its roofs stand.
pub struct Plane {
    /// Operations for each byte, from the left edge to the right one.
    pub across: [f64; 2],
    /// Tflop/s, from the lower edge to the upper one.
    pub up: [f64; 2],
    /// What is marked of either.
    pub marks_across: &'static [f64],
    pub marks_up: &'static [f64],
    /// The operations for each byte at which the name of a memory's roof begins, and how far its base line is from the roof.
    /// The nearest memory comes first.
    pub names: &'static [[f64; 2]],
    /// The operations for each byte from which on the library's line is drawn, and how far its name's base line is from it.
    pub library: [f64; 2],
}

/// Kernels that compute in single precision.
pub const SINGLE: Plane = Plane {
    across: [0.05, 64.0],
    up: [0.2, 128.0],
    marks_across: &[0.0625, 0.25, 1.0, 4.0, 16.0, 64.0],
    marks_up: &[0.5, 2.0, 8.0, 32.0],
    // The first two nearly meet: one name stands above its line, the other below.
    names: &[[0.5, -6.0], [0.6, 14.0], [1.5, -6.0], [2.2, 15.0]],
    library: [16.0, 15.0],
};

/// Kernels that read fragments: from plain tiles to swizzled ones.
pub const FRAGMENTS: Plane = Plane {
    across: [1.0, 128.0],
    up: [32.0, 1280.0],
    marks_across: &[1.0, 4.0, 16.0, 64.0],
    marks_up: &[40.0, 80.0, 160.0, 320.0, 640.0],
    names: &[[2.2, -6.0]],
    library: [32.0, 15.0],
};

/// Kernels on both sides of the corner where the roofs meet.
pub const CORNER: Plane = Plane {
    across: [4.0, 128.0],
    up: [160.0, 1280.0],
    marks_across: &[4.0, 8.0, 16.0, 32.0, 64.0, 128.0],
    marks_up: &[160.0, 320.0, 640.0],
    names: &[[8.0, -6.0]],
    // The fastest kernels' names stand below the line.
    library: [64.0, -5.0],
};

/// The roofs, the vendor's library and the kernels; none where the record lacks a roof.
pub fn drawn(roofline: &Roofline<'_>) -> Option<String> {
    let Roofline { exercise, record, points, memories, arithmetic, plane, says } = roofline;
    let memories = MEMORIES[..*memories].iter();
    let roofs = memories.map(|(name, figure)| Some((name, bandwidth(record, figure)?)));
    let roofs: Vec<_> = roofs.collect::<Option<_>>()?;
    let is_library = |peer: &&PeerRecord| peer.exercise == *exercise && peer.peer.starts_with("cublas");
    let library = record.peers.iter().find(is_library);
    let library = library.map(|library| library.operations / library.median_microseconds() * 1e-6);

    let [left, top, width, height] = [64.0, 20.0, 620.0, 300.0];
    let part = |value: f64, [least, most]: [f64; 2]| (value / least).log2() / (most / least).log2();
    let x = |intensity: f64| left + width * part(intensity, plane.across);
    let y = |tflops: f64| top + height * (1.0 - part(tflops, plane.up));
    let mut figure = Figure::new([720.0, 370.0], says);
    for intensity in plane.marks_across {
        figure.line(&[[x(*intensity), top], [x(*intensity), top + height]], PALE);
        let place = [x(*intensity), top + height + 16.0];
        figure.text(place, Anchor::Middle, "pale small", &intensity.to_string());
    }
    for tflops in plane.marks_up {
        figure.line(&[[left, y(*tflops)], [left + width, y(*tflops)]], PALE);
        figure.text([left - 6.0, y(*tflops) + 4.0], Anchor::End, "pale small", &tflops.to_string());
    }
    let across = "operations for each byte asked of the memory that answers";
    figure.text([left + width, top + height + 36.0], Anchor::End, PALE, across);
    figure.text([8.0, 14.0], Anchor::Start, PALE, "Tflop/s");
    let flat = arithmetic.tflops;
    // All roofs of memories rise alike.
    let rise = ((y(1.0) - y(2.0)) / (x(2.0) - x(1.0))).atan().to_degrees();
    for ((name, bandwidth), [place, off]) in roofs.iter().zip(plane.names) {
        let begins = (plane.up[0] / bandwidth).max(plane.across[0]);
        let ends = flat / bandwidth;
        figure.line(&[[x(begins), y(begins * bandwidth)], [x(ends), y(flat)]], LIMIT);
        let begin = [x(*place), y(place * bandwidth) + off];
        figure.rising_text(begin, rise, "limit small", &format!("{name}, {bandwidth:.1} TB/s"));
    }
    let nearest = roofs.first()?.1;
    figure.line(&[[x(flat / nearest), y(flat)], [left + width, y(flat)]], LIMIT);
    let says = format!("{}, {flat} Tflop/s (data sheet)", arithmetic.name);
    figure.text([left + width, y(flat) - 6.0], Anchor::End, "limit small", &says);
    if let Some(library) = library {
        let [begins, off] = plane.library;
        figure.line(&[[x(begins), y(library)], [left + width, y(library)]], INK);
        let place = [left + width, y(library) + off];
        figure.text(place, Anchor::End, "ink small", &format!("cuBLAS, {library:.1} Tflop/s"));
    }
    for Point { name, intensity, tflops, class, beside } in points {
        figure.dot([x(*intensity), y(*tflops)], class);
        let place = [x(*intensity) + beside[0], y(*tflops) + beside[1]];
        figure.text(place, Anchor::Start, class, &format!("{name}: {tflops:.1}"));
    }
    Some(figure.svg())
}

#[cfg(test)]
mod tests {
    use super::super::tests::{figures, record};
    use crate::book::figure::texts_of;

    /// A character's width, and how far a line of text reaches above and below its base line.
    const CHARACTER: f64 = 7.0;
    const ABOVE: f64 = 9.4;
    const BELOW: f64 = 2.6;

    #[test]
    fn no_kernels_name_stands_on_anothers() {
        for (file, svg) in figures(&record()) {
            let names: Vec<([f64; 2], String)> =
                texts_of(&svg).into_iter().filter(|(_, text)| text.contains(": ")).collect();
            assert!(names.len() > 2, "{file}: {names:?}");
            let right = |([x, _], text): &([f64; 2], String)| x + CHARACTER * text.chars().count() as f64;
            for (place, name) in names.iter().enumerate() {
                assert!(right(name) < 718.0, "{file}: {name:?} ends outside");
                for other in &names[..place] {
                    let is_beside = name.0[0] > right(other) || other.0[0] > right(name);
                    let apart = (name.0[1] - other.0[1]).abs();
                    assert!(is_beside || apart > ABOVE + BELOW, "{file}: {name:?} stands on {other:?}");
                }
            }
        }
    }
}
