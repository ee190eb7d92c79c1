//! Findings and compiler messages as annotated excerpts of the learner's source.
//!
//! Both places of a finding are shown in one excerpt. A place in a file whose text the report does not carry
//! (a header) is named without an excerpt.

mod folded;
mod labels;
mod meant;

use std::{collections::BTreeMap, ops::Range, path::Path};

use annotate_snippets::{
    AnnotationKind, Element, Group, Level, Origin, Renderer, Snippet, renderer::DecorStyle,
};
use harness::report::{Diagnostic, number_of};
use textwrap::core::display_width;
use warpsim::{Finding, FindingKind, Place, Severity, Thread};

pub use folded::{folded, is_folded};
pub use labels::too_wide;

use self::meant::{Meant, span};
use crate::{
    paragraph, sentences,
    terminal::Terminal,
    visible::{one_line, push, visible},
};

/// Columns of a line ahead of what is meant that stay where the line is cut there.
const SHOWN_AHEAD: usize = 12;
/// Columns of a source that are shown however narrow the terminal.
const LEAST_SOURCE: usize = 24;
/// What draws excerpts cuts nothing itself: it would show less of a line than there is room for.
const NO_EDGE: usize = 100_000;
/// As wide is a tab drawn.
const TAB: usize = 4;

/// The file judged.
#[derive(Clone, Copy, Debug)]
pub struct Judged<'a> {
    /// Its path, as the reader knows it.
    pub path: &'a str,
    /// Its text.
    pub source: &'a str,
}

fn level(severity: Severity) -> Level<'static> {
    match severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Note => Level::NOTE,
    }
}

/// One finding.
pub fn finding(finding: &Finding, judged: Judged<'_>, terminal: Terminal) -> String {
    if terminal.plain {
        return sentences::finding(finding, judged).to_string();
    }
    fitted(terminal, |how| drawn(finding, judged, terminal, how, facts(finding)))
}

/// One finding in fewer lines, for a screen that is short of them: without its facts, and without rows in which nothing
/// is drawn.
pub fn short_finding(finding: &Finding, judged: Judged<'_>, terminal: Terminal) -> String {
    let text = fitted(terminal, |how| drawn(finding, judged, terminal, how, String::new()));
    text.lines().filter(|line| !labels::is_empty_row(line)).map(|line| format!("{line}\n")).collect()
}

/// What is drawn; if that is too wide, drawn again with its labels where they fit.
fn fitted(terminal: Terminal, draw: impl Fn(Labels) -> (String, Vec<String>)) -> String {
    let (text, _) = draw(Labels::Whole);
    if too_wide(&text, terminal.width).is_none() {
        return text;
    }
    let (text, of_it) = draw(Labels::StoodFor);
    labels::put(&text, &of_it, terminal.width)
}

/// How labels are drawn.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Labels {
    /// As they are.
    Whole,
    /// Something stands for each, which is to be replaced.
    StoodFor,
}

/// The excerpt, and its labels.
fn drawn(
    finding: &Finding,
    judged: Judged<'_>,
    terminal: Terminal,
    how: Labels,
    facts: String,
) -> (String, Vec<String>) {
    let level = level(finding.severity);
    let message = visible(&finding.message);
    let (title, explanation) = first_sentence(&message);
    // `error[race]: ` comes before the title, and its further lines are indented as far.
    let label = finding.severity.name().len() + finding.kind.name().len() + "[]: ".len();
    let mut group = level.primary_title(wrap(title, terminal, label)).id(finding.kind.name()).element_list();
    let (here, there) = labels(finding);
    let name = finding.allocation.as_ref().map(|allocation| allocation.name.as_str());
    // In the source it is the parameter's.
    let name = name.map(|name| name.rsplit_once(OF_A_LAUNCH).map_or(name, |(_, parameter)| parameter));
    let meant = |side: usize| name.map(|name| Meant { name, side: finding.sides.get(side).copied() });
    let marked = |place, side| is_judged(place, judged).then(|| span(judged.source, place, meant(side)));
    let mut places = Vec::new();
    match (&finding.place, &finding.other) {
        (Some(place), Some(other)) if place == other && marked(place, 0) == marked(other, 1) => {
            let both = both_here(finding).unwrap_or(format!("{here}; {there}"));
            places.push((AnnotationKind::Primary, place, meant(0), Some(both)));
        }
        (place, other) => {
            let here = (!here.is_empty()).then_some(here);
            places.extend(place.iter().map(|place| (AnnotationKind::Primary, place, meant(0), here.clone())));
            places.extend(
                other.iter().map(|other| (AnnotationKind::Context, other, meant(1), Some(there.clone()))),
            );
        }
    }
    let labels = annotate(&mut group, places, judged, (how, terminal));
    if !explanation.is_empty() {
        group.push(Level::HELP.message(wrap(explanation, terminal, 12)).into());
    }
    if !facts.is_empty() {
        group.push(Level::NOTE.message(wrap(&facts, terminal, 12)).into());
    }
    (render(group, terminal), labels)
}

/// One compiler message.
pub fn diagnostic(diagnostic: &Diagnostic, judged: Judged<'_>, terminal: Terminal) -> String {
    if terminal.plain {
        return sentences::diagnostic(diagnostic, judged).to_string();
    }
    let level = level(diagnostic.severity);
    let message = visible(&diagnostic.message);
    let known = diagnostic.place.as_ref().is_some_and(|place| is_judged(place, judged));
    let mut text = fitted(terminal, |how| {
        let mut group = level.clone().primary_title(wrap(&message, terminal, 8)).element_list();
        let place = diagnostic.place.iter().map(|place| (AnnotationKind::Primary, place, None, None));
        annotate(&mut group, place.collect(), judged, (how, terminal));
        if let Some(help) = &diagnostic.help {
            group.push(Level::HELP.message(wrap(&visible(help), terminal, 12)).into());
        }
        (render(group, terminal), Vec::new())
    });
    if !known && !diagnostic.excerpt.trim().is_empty() {
        // A header's text: what the compiler drew is all there is.
        for line in visible(diagnostic.excerpt.trim_end()).lines() {
            text.push_str("\n   | ");
            text.push_str(line);
        }
    }
    text
}

/// A title with the elements below it, still open.
struct Open<'a> {
    title: annotate_snippets::Title<'a>,
    elements: Vec<Element<'a>>,
    place: Option<Position>,
}

/// Where an excerpt is from, with its column as it is in what is shown, and as it is in the file.
struct Position {
    drawn: String,
    meant: String,
}

/// The line and column of a byte, from 1.
fn position(source: &str, at: usize) -> (usize, usize) {
    let at = (0..=at).rev().find(|&at| source.is_char_boundary(at)).unwrap_or(0);
    let before = &source[..at];
    let line_start = before.rfind('\n').map_or(0, |end| end + 1);
    (before.matches('\n').count() + 1, before[line_start..].chars().count() + 1)
}

trait ElementList<'a> {
    fn element_list(self) -> Open<'a>;
}

impl<'a> ElementList<'a> for annotate_snippets::Title<'a> {
    fn element_list(self) -> Open<'a> {
        Open { title: self, elements: Vec::new(), place: None }
    }
}

impl<'a> Open<'a> {
    fn push(&mut self, element: Element<'a>) {
        self.elements.push(element);
    }
}

fn render(open: Open<'_>, terminal: Terminal) -> String {
    let renderer = if terminal.colour { Renderer::styled() } else { Renderer::plain() };
    let group: Group<'_> = open.title.elements(open.elements);
    let text = renderer.decor_style(DecorStyle::Ascii).term_width(NO_EDGE).render(&[group]);
    // What draws it knows the line as it is cut.
    let text = match open.place {
        Some(place) => text.replacen(&place.drawn, &place.meant, 1),
        None => text,
    };
    // Without an excerpt the gutter's first line is a lonely bar.
    let mut lines = text.lines();
    match (lines.next(), lines.next()) {
        (Some(title), Some(gutter)) if plain(gutter).trim() == "|" => {
            std::iter::once(title).chain(lines).collect::<Vec<_>>().join("\n")
        }
        _ => text,
    }
}

/// A line without its escape sequences.
fn plain(line: &str) -> String {
    let mut out = String::new();
    let mut escape = false;
    for c in line.chars() {
        match (escape, c) {
            (false, '\x1b') => escape = true,
            (false, c) => out.push(c),
            (true, c) => escape = !c.is_ascii_alphabetic(),
        }
    }
    out
}

/// Adds the places, and gives the labels.
fn annotate<'a>(
    group: &mut Open<'a>,
    places: Vec<(AnnotationKind, &'a Place, Option<Meant<'_>>, Option<String>)>,
    judged: Judged<'a>,
    (how, terminal): (Labels, Terminal),
) -> Vec<String> {
    let mut labels: Vec<String> = Vec::new();
    let mut spans = Vec::new();
    let mut kinds: Vec<(AnnotationKind, Option<String>)> = Vec::new();
    let mut elsewhere: Vec<Element<'a>> = Vec::new();
    let digits = places.iter().map(|(_, place, ..)| place.line.to_string().len()).max().unwrap_or(1);
    for (kind, place, meant, label) in places {
        let span = is_judged(place, judged).then(|| span(judged.source, place, meant)).flatten();
        match span {
            Some(span) => {
                spans.push(span);
                let label = label.filter(|label| !label.is_empty()).map(|label| {
                    labels.push(label.clone());
                    match how {
                        Labels::Whole => label,
                        Labels::StoodFor => labels::stand_in(labels.len() - 1, &label),
                    }
                });
                kinds.push((kind, label));
            }
            None => {
                let mut origin = Origin::path(one_line(&place.file)).line(place.line as usize);
                if place.column > 0 {
                    origin = origin.char_column(place.column as usize);
                }
                elsewhere.push(origin.into());
                if let Some(label) = label {
                    let label = format!("{}:{}: {label}", one_line(base(&place.file)), place.line);
                    elsewhere.push(Level::NOTE.message(wrap(&label, terminal, 12)).into());
                }
            }
        }
    }
    if !spans.is_empty() {
        // `12 | ` stands before it.
        let room = terminal.width.saturating_sub(digits + " | ".len());
        let (source, shown) = shown(judged.source, &spans, room.max(LEAST_SOURCE));
        let primary = kinds.iter().position(|(kind, _)| *kind == AnnotationKind::Primary).unwrap_or(0);
        let (line, column) = position(judged.source, spans[primary].start);
        group.place = Some(Position {
            drawn: format!("{}:{line}:{}", one_line(judged.path), position(&source, shown[primary].start).1),
            meant: format!("{}:{line}:{column}", one_line(judged.path)),
        });
        let annotations =
            shown.into_iter().zip(kinds).map(|(span, (kind, label))| kind.span(span).label(label));
        group.push(Snippet::source(source).path(one_line(judged.path)).annotations(annotations).into());
    }
    group.elements.extend(elsewhere);
    labels
}

/// A source as it may be shown in so many columns, and where the spans are in that: hidden characters are spelled out, and
/// of a line that is too long there is what lies around its spans.
fn shown(source: &str, spans: &[Range<usize>], room: usize) -> (String, Vec<Range<usize>>) {
    let mut places: BTreeMap<usize, usize> =
        spans.iter().flat_map(|span| [(span.start, 0), (span.end, 0)]).collect();
    let mut out = String::with_capacity(source.len());
    let mut line_start = 0;
    for line in source.split_inclusive('\n') {
        let text = line.strip_suffix('\n').map_or(line, |text| text.strip_suffix('\r').unwrap_or(text));
        let line_end = line_start + text.len();
        let mut of_line = places.range(line_start..=line_end).map(|(&at, _)| at - line_start);
        let first = of_line.next().unwrap_or(0);
        let meant = first..of_line.next_back().unwrap_or(first);
        let window = window(text, meant, room);
        if window.start > 0 {
            out.push('…');
        }
        let mut column = 0;
        for (at, c) in text.char_indices() {
            if let Some(place) = places.get_mut(&(line_start + at)) {
                *place = out.len();
            }
            let end = column + columns(c);
            if column >= window.start && end <= window.end {
                push(&mut out, c);
            }
            column = end;
        }
        let end = out.len();
        let ends = line_end..(line_start + line.len()).max(line_end + 1);
        places.range_mut(ends).for_each(|(_, place)| *place = end);
        if column > window.end {
            out.push('…');
        }
        out.push_str(if line.ends_with('\n') { "\n" } else { "" });
        line_start += line.len();
    }
    // Behind the last line's end there is a line without anything.
    if let Some(place) = places.get_mut(&source.len()).filter(|_| !source.ends_with(|c| c != '\n')) {
        *place = out.len();
    }
    let spans = spans.iter().map(|span| places[&span.start]..places[&span.end]).collect();
    (out, spans)
}

/// The columns of a line that are shown in so many columns, dots where it is cut included. What is meant is among them; if
/// there is no room for that, its beginning.
fn window(line: &str, meant: Range<usize>, room: usize) -> Range<usize> {
    let width = |end: usize| -> usize {
        line.char_indices().take_while(|(at, _)| *at < end).map(|(_, c)| columns(c)).sum()
    };
    let (before, through, all) = (width(meant.start), width(meant.end), width(line.len()));
    if all <= room {
        return 0..all;
    }
    if through < room {
        return 0..room - 1;
    }
    let room = room.saturating_sub(2);
    let start = match through - before <= room {
        true => (through - room).max(before.saturating_sub(SHOWN_AHEAD)),
        false => before,
    };
    start..start + room
}

/// How wide a character is drawn.
fn columns(c: char) -> usize {
    match c {
        '\t' => TAB,
        ' '..='~' => 1,
        _ => {
            let mut spelled = String::new();
            push(&mut spelled, c);
            display_width(&spelled)
        }
    }
}

/// The compiler saw the file under its own name or path; the last component decides.
pub(crate) fn is_judged(place: &Place, judged: Judged<'_>) -> bool {
    base(&place.file) == base(judged.path)
}

fn base(path: &str) -> &str {
    Path::new(path).file_name().and_then(|name| name.to_str()).unwrap_or(path)
}

/// What to say at the two places.
pub(crate) fn labels(finding: &Finding) -> (String, String) {
    let thread = |index: usize| finding.threads.get(index).map(thread_text);
    let (first, second) = (thread(0), thread(1));
    match finding.kind {
        FindingKind::Race if is_one_thread(finding) => {
            (format!("{} here", first.unwrap_or_default()), "the same thread here, by another way".to_owned())
        }
        FindingKind::Race => (
            format!("{} here", first.unwrap_or_else(|| "one thread".to_owned())),
            format!("{} here, unordered", second.unwrap_or_else(|| "another thread".to_owned())),
        ),
        FindingKind::BarrierDivergence => {
            ("some threads wait here".to_owned(), "others go on here".to_owned())
        }
        // Of a shuffle, which reads no memory.
        FindingKind::UninitializedRead if finding.space.is_none() => {
            ("used here".to_owned(), "read here, from a lane that takes no part".to_owned())
        }
        FindingKind::UninitializedRead => {
            ("used here".to_owned(), "read here, before anything wrote it".to_owned())
        }
        FindingKind::Deadlock => ("waits here".to_owned(), "the others wait here".to_owned()),
        FindingKind::OutOfBounds => (outside(finding).unwrap_or_default(), "allocated here".to_owned()),
        _ => (String::new(), "the other side".to_owned()),
    }
}

/// A thread races with its own asynchronous copy, or reads what it wrote by a way that does not see it.
fn is_one_thread(finding: &Finding) -> bool {
    matches!(finding.threads.as_slice(), [first, second, ..] if first == second)
}

/// Two threads of one block that meet at one place, or one thread and what it began there, in few words.
pub(crate) fn both_here(finding: &Finding) -> Option<String> {
    match (finding.kind, finding.threads.as_slice()) {
        (FindingKind::Race, [first, ..]) if is_one_thread(finding) => {
            Some(format!("{} here, twice", thread_text(first)))
        }
        (FindingKind::Race, [first, second, ..]) if first.block == second.block => Some(format!(
            "threads {} and {} of block {} here",
            coordinates(first.thread),
            coordinates(second.thread),
            coordinates(first.block)
        )),
        _ => None,
    }
}

fn outside(finding: &Finding) -> Option<String> {
    let allocation = finding.allocation.as_ref().filter(|allocation| allocation.distance > 0)?;
    let side = if allocation.offset < 0 { "before the start" } else { "past the end" };
    Some(format!("{} {side} of {}", bytes(allocation.distance), quoted(&allocation.name)))
}

/// A name in quotes, but where it is a description with quotes of its own. Of a launch's parameter, `launch 2's out`, the
/// parameter alone is a name.
fn quoted(name: &str) -> String {
    let name = one_line(name);
    match name.rsplit_once(OF_A_LAUNCH) {
        _ if name.contains('`') => name,
        Some((launch, parameter)) => format!("{launch}{OF_A_LAUNCH}`{parameter}`"),
        None => format!("`{name}`"),
    }
}

/// What stands between a launch and its parameter.
const OF_A_LAUNCH: &str = "'s ";

/// Who, where, how often.
pub(crate) fn facts(finding: &Finding) -> String {
    let mut facts = Vec::new();
    if let Some(allocation) = &finding.allocation {
        let count = i64::try_from(allocation.bytes).ok().and_then(|size| finding.elements(size));
        let (count, index) = (count.filter(|&count| count != 0), finding.elements(allocation.offset));
        let (size, offset) = (bytes(allocation.bytes), allocation.offset);
        let (size, at) = match (count, index) {
            (Some(1), Some(index)) => {
                (format!("1 element ({size})"), format!("element {index} (byte {offset})"))
            }
            (Some(count), Some(index)) => {
                (format!("{count} elements ({size})"), format!("element {index} (byte {offset})"))
            }
            _ => (size, format!("byte {offset}")),
        };
        facts.push(format!("{} has {size}; the access is at {at}", quoted(&allocation.name)));
    }
    if !finding.threads.is_empty() && finding.kind != FindingKind::Race {
        let threads: Vec<String> = finding.threads.iter().map(thread_text).collect();
        facts.push(format!("first seen in {}", threads.join(", ")));
    }
    if finding.count > 1 {
        facts.push(format!("{} times in all", finding.count));
    }
    facts.join("; ")
}

/// `thread 5 of block 0`, with as many coordinates as are needed.
fn thread_text(thread: &Thread) -> String {
    format!("thread {} of block {}", coordinates(thread.thread), coordinates(thread.block))
}

fn coordinates(xyz: [u32; 3]) -> String {
    match xyz {
        [x, 0, 0] => x.to_string(),
        [x, y, 0] => format!("({x}, {y})"),
        [x, y, z] => format!("({x}, {y}, {z})"),
    }
}

fn bytes(count: u64) -> String {
    number_of(count, "byte")
}

/// Splits after the first sentence.
pub fn first_sentence(message: &str) -> (&str, &str) {
    match message.find(". ") {
        Some(end) => (&message[..end], message[end + 2..].trim()),
        None => (message.trim_end_matches('.'), ""),
    }
}

fn wrap(text: &str, terminal: Terminal, indent: usize) -> String {
    paragraph::fill(text, terminal.width.saturating_sub(indent).max(24))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    const PLAIN: Terminal = Terminal { width: 80, rows: usize::MAX, colour: false, plain: false };

    fn judged() -> Judged<'static> {
        Judged { path: "learn/03-reduction/kernel.cu", source: sample::SOURCE }
    }

    #[test]
    fn both_places_of_a_race_are_in_one_excerpt() {
        insta::assert_snapshot!(finding(&sample::race(), judged(), PLAIN));
    }

    #[test]
    fn a_short_finding_lacks_facts_and_empty_rows_alone() {
        for colour in [false, true] {
            let terminal = Terminal { colour, ..PLAIN };
            let mut race = sample::race();
            race.place.as_mut().expect("a place").line = 3;
            let whole = finding(&race, judged(), terminal);
            let is_kept = |line: &&str| !labels::is_empty_row(line);
            let expected: Vec<&str> =
                whole.lines().filter(is_kept).take_while(|line| !line.contains("note")).collect();
            let short = short_finding(&race, judged(), terminal);
            assert_eq!(short.lines().collect::<Vec<_>>(), expected);
            assert!(short.contains("Put a __syncthreads()") && !short.contains("1024 bytes"), "{short}");
        }
    }

    #[test]
    fn a_race_of_a_line_with_itself() {
        let mut race = sample::race();
        race.other = race.place.clone();
        insta::assert_snapshot!(finding(&race, judged(), PLAIN));
    }

    #[test]
    fn a_description_with_quotes_is_not_put_in_quotes_again() {
        let mut finding = sample::out_of_bounds();
        let allocation = finding.allocation.as_mut().expect("an array");
        allocation.name = "`tile` of another block of the cluster".to_owned();
        let said = facts(&finding) + &outside(&finding).expect("a distance");
        assert_eq!(said.matches("`tile` of another block of the cluster").count(), 2, "{said}");
        assert!(!said.contains("``") && !said.contains("cluster`"), "{said}");
    }

    #[test]
    fn of_a_launch_s_parameter_the_parameter_is_a_name() {
        let mut finding = sample::out_of_bounds();
        finding.allocation.as_mut().expect("an array").name = "launch 1's partial".to_owned();
        let said = super::finding(&finding, judged(), PLAIN);
        assert!(said.contains("launch 1's `partial` has") && !said.contains("`launch"), "{said}");
    }

    #[test]
    fn an_access_out_of_bounds() {
        insta::assert_snapshot!(finding(&sample::out_of_bounds(), judged(), PLAIN));
    }

    #[test]
    fn a_finding_without_a_place_has_no_gutter() {
        let mut finding = sample::out_of_bounds();
        finding.place = None;
        for colour in [false, true] {
            let text = super::finding(
                &finding,
                judged(),
                Terminal { width: 80, rows: usize::MAX, colour, plain: false },
            );
            assert!(plain(text.lines().nth(1).unwrap()).trim_start().starts_with("= note:"), "{text}");
        }
    }

    /// No line is wider than the terminal where words can break, whatever the label, the place and the colours.
    #[test]
    fn labels_fit_the_terminal() {
        let mut drawn = 0;
        for (width, colour) in [40, 60, 80, 120].into_iter().flat_map(|width| [(width, false), (width, true)])
        {
            let terminal = Terminal { width, colour, ..PLAIN };
            for (line, column) in (1..=15).flat_map(|line| [0, 1, 5, 9, 13].map(|column| (line, column))) {
                for far in [0, 3, 70_000] {
                    let mut race = sample::race();
                    let at = |line| Some(Place { file: "kernel.cu".to_owned(), line, column });
                    (race.place, race.other) = (at(line), at(line + far % 7));
                    for (thread, block) in race.threads.iter_mut().zip([far, 2 * far + 1]) {
                        thread.thread = [block % 7, block, 0];
                        thread.block = [block, 0, far];
                    }
                    let text = finding(&race, judged(), terminal);
                    assert_eq!(too_wide(&text, width), None, "{width}: {text}");
                    // What is meant is shown whole, but a line is cut around it.
                    let underlines = plain(&text);
                    let underlines =
                        underlines.split_whitespace().filter(|word| word.trim_matches(['^', '-']).is_empty());
                    let meant = underlines.map(str::len).max().unwrap_or(0);
                    if meant + 24 <= width && far % 7 == 0 {
                        assert!(labels::widest_source(&text) <= width, "{width}: {text}");
                    }
                    let said =
                        plain(&text).split_whitespace().filter(|word| *word != "|").collect::<String>();
                    assert!(said.contains("unordered") || said.contains("ofblock"), "{text}");
                    assert!(!text.contains(['\u{e000}', '\u{e001}']), "{text}");
                    drawn += usize::from(!text.contains("here, unordered"));
                }
            }
        }
        assert!(drawn > 50, "no label was broken: {drawn}");
    }

    #[test]
    fn a_label_that_is_too_long_goes_on_below() {
        let mut race = sample::race();
        race.other = race.place.clone();
        race.threads[0].block = [1, 0, 0];
        insta::assert_snapshot!(finding(&race, judged(), Terminal { width: 60, ..PLAIN }));
    }

    #[test]
    fn a_thread_that_races_with_its_own_copy_is_one() {
        let mut race = sample::race();
        race.threads[1] = race.threads[0];
        assert_eq!(labels(&race).1, "the same thread here, by another way");
        let one = both_here(&race).unwrap();
        assert!(one.ends_with("here, twice") && !one.contains("threads"), "{one}");
    }

    #[test]
    fn a_place_in_a_header_is_named() {
        let mut race = sample::race();
        race.other = Some(Place { file: "tile.cuh".to_owned(), line: 4, column: 2 });
        insta::assert_snapshot!(finding(&race, judged(), PLAIN));
    }

    #[test]
    fn names_of_files_cannot_drive_the_terminal() {
        let path = "learn/k\u{1b}[2J.cu";
        let mut race = sample::race();
        race.other = Some(Place { file: "\u{1b}[2J.cuh".to_owned(), line: 4, column: 2 });
        race.place = race.place.map(|place| Place { file: path.to_owned(), ..place });
        let text = finding(&race, Judged { path, ..judged() }, PLAIN);
        assert!(!text.contains('\u{1b}'), "{text:?}");
    }

    #[test]
    fn places_beyond_the_source_do_no_harm() {
        for (line, column) in [(0, 0), (1, 0), (1, 4000), (4000, 1), (2, 1), (2, 0), (15, 1), (16, 1)] {
            let mut race = sample::race();
            race.place = Some(Place { file: "kernel.cu".to_owned(), line, column });
            finding(&race, judged(), PLAIN);
            finding(&race, Judged { source: "", ..judged() }, PLAIN);
            finding(&race, Judged { source: "ä\u{1b}ö\r\n\tß\n", ..judged() }, PLAIN);
        }
    }

    #[test]
    fn a_compiler_message() {
        let message = Diagnostic {
            place: Some(Place { file: "kernel.cu".to_owned(), line: 8, column: 18 }),
            severity: Severity::Error,
            message: "identifier \"blockidx\" is undefined".to_owned(),
            excerpt: String::new(),
            help: Some("is `blockIdx` meant?".to_owned()),
        };
        insta::assert_snapshot!(diagnostic(&message, judged(), PLAIN));
    }

    #[test]
    fn a_source_is_shown_with_its_spans() {
        let hidden = "int a;\n  b\u{202e}c = d;\r\n\tend\n";
        let at = |text: &str| hidden.find(text).map(|at| at..at + text.len()).unwrap();
        let (text, spans) = shown(hidden, &[at("= d"), at("end"), at("b\u{202e}c")], 200);
        assert_eq!(text, "int a;\n  b\\u{202e}c = d;\n\tend\n");
        assert_eq!(
            spans.iter().map(|span| &text[span.clone()]).collect::<Vec<_>>(),
            ["= d", "end", "b\\u{202e}c"]
        );
        let end = hidden.len()..hidden.len();
        assert_eq!(shown(hidden, &[end], 200).1, vec![Range { start: text.len(), end: text.len() }]);
        // A long line: what lies around the span.
        let long = format!("{}wrong{}\nnext\n", "a".repeat(200_000), "ä".repeat(200_000));
        let (text, spans) = shown(&long, &[200_000..200_005, 200_050..200_052, 199_990..200_002], 200);
        assert_eq!((text.lines().count(), &text[spans[0].clone()]), (2, "wrong"));
        assert!(text.len() < 500 && text.starts_with('…') && text.ends_with("…\nnext\n"), "{text}");
    }

    #[test]
    fn of_a_long_line_there_is_what_is_meant() {
        let line =
            "    out[i] = first[i + offset] + second[i + offset] + third[i + offset] + fourth[i + offset];";
        for (meant, room) in ["out[i]", "second[i + offset]", "fourth[i + offset]", "offset];"]
            .into_iter()
            .flat_map(|meant| [24, 40, 60, 75, 91, 92].map(|room| (meant, room)))
        {
            let at = line.rfind(meant).unwrap();
            let (text, spans) = shown(line, &[Range { start: at, end: at + meant.len() }], room);
            assert!(display_width(&text) <= room, "{room}: {text}");
            assert_eq!(&text[spans[0].clone()], meant, "{room}: {text}");
        }
        // Of what has no room there is the beginning; and both ends of a line may be meant.
        let (text, spans) = shown(line, &[4..line.len(), 4..10, 80..85], 40);
        assert_eq!(text, "…out[i] = first[i + offset] + second[i …");
        let marked = [&text[spans[0].clone()], &text[spans[1].clone()], &text[spans[2].clone()]];
        assert_eq!(marked, ["out[i] = first[i + offset] + second[i ", "out[i]", ""]);
        let tabs = "\t\tout[i] = a;";
        let out = [Range { start: 2, end: 8 }];
        assert_eq!(shown(tabs, &out, 20).0, "\t\tout[i] = a;");
        assert_eq!(shown(tabs, &out, 18).0, "\t\tout[i] = …");
    }
}
