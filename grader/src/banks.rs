//! Which lane meets which in which bank: the worst request to shared memory of the line with most conflicts, drawn.
//!
//! A row is a wavefront, a column one of the 32 banks, and a number the lane that is served there. Who is served when is
//! what the simulator counted; here it only becomes a picture and a sentence.

use std::collections::BTreeSet;

use colored::Colorize as _;
use harness::report::CaseReport;
use warpsim::{Counters, LineCounters, RequestKind, Wavefront, WorstRequest};

use crate::{
    excerpt::{self, Judged},
    paragraph,
    terminal::Terminal,
    visible::one_line,
};

/// Banks of shared memory.
const BANKS: u32 = 32;
/// Between groups of so many there is a gap, so that numbers of two digits stay apart.
const GROUP: u32 = 4;
/// More wavefronts than this look alike.
const ROWS: usize = 8;
/// More lanes than this are not listed.
const LISTED: usize = 8;
/// What stands before each row's banks.
const MARGIN: usize = 6;

/// The picture of a case, with a sentence on what it shows. None where no line has conflicts.
pub fn of_case(case: &CaseReport, judged: Judged<'_>, terminal: Terminal) -> Option<String> {
    of(&case.worst_requests, &case.lines, judged, terminal)
}

/// The same from a run's parts.
pub fn of(
    requests: &[WorstRequest],
    lines: &[LineCounters],
    judged: Judged<'_>,
    terminal: Terminal,
) -> Option<String> {
    let of_line = |request: &WorstRequest| {
        let line = lines.iter().find(|line| line.place == request.place);
        line.map_or(0, |line| conflicts(&line.counters))
    };
    // Of equal ones the first.
    let worst = requests.iter().rev().max_by_key(|request| of_line(request))?;
    let all = of_line(worst);
    let alike = lines.iter().filter(|line| conflicts(&line.counters) == all).count();
    let place = match excerpt::is_judged(&worst.place, judged) {
        true => format!("line {}", worst.place.line),
        false => format!("line {} of {}", worst.place.line, one_line(&worst.place.file)),
    };
    let most = match (all, alike) {
        (1, 1) => format!("{place} has the only bank conflict"),
        (1.., 2..) => format!("{place} is one of {alike} lines with most bank conflicts, {all} each"),
        _ => format!("{place} has most bank conflicts, {all} in all"),
    };
    let text = format!("{most}. In its worst request, {}, {}", kind(worst), sentences(worst).join(" "));
    if terminal.plain {
        return Some(format!("banks: {text}"));
    }
    let indent = " ".repeat(12);
    let text = format!("{text} A row is a wavefront, a number the lane that it serves:");
    let text = paragraph::indented(&text, terminal.width, &indent, &indent);
    Some(format!("{}{}\n{}", format!("{:<12}", "banks").dimmed(), text.trim_start(), drawing(worst)))
}

fn conflicts(counters: &Counters) -> u64 {
    counters.shared_bank_conflicts() + counters.shared_atomic_conflicts()
}

/// What was asked, by whom.
fn kind(request: &WorstRequest) -> String {
    let kind = match request.kind {
        RequestKind::Load => "a load",
        RequestKind::Store => "a store",
        _ => "an atomic",
    };
    let bytes = if request.bytes == 1 { "1 byte" } else { &format!("{} bytes", request.bytes) };
    format!("{kind} of {bytes} for each lane, by warp {} of block {}", request.warp, request.block)
}

/// Who meets whom, what that costs, and what the addresses have in common.
fn sentences(request: &WorstRequest) -> Vec<String> {
    let (taken, ideal) = (request.wavefronts.len(), request.ideal_wavefronts);
    let instead = format!("{taken} wavefronts instead of {ideal}.");
    let Some((bank, served)) = request.busiest_bank() else { return vec![instead] };
    let first: Vec<u32> = served.iter().filter_map(|lanes| lanes.first().copied()).collect();
    let word = |lane: &u32| request.offsets.get(*lane as usize).copied().flatten().map(|at| at / 4);
    let words: BTreeSet<_> = first.iter().map(word).collect();
    let different = match words.len() {
        1 => "the same word, and an atomic serves one after the other",
        some if some < first.len() => "and an atomic serves one after the other, even at the same word",
        _ => "each another word of it",
    };
    let all = if first.len() == 2 { "both" } else { "all" };
    let mut said = vec![format!("{} {all} want bank {bank}, {different}: {instead}", list("lane", &first))];
    said.push(pattern(request));
    if request.wavefronts.iter().flat_map(|wavefront| &wavefront.banks).any(|served| served.lanes.len() > 1) {
        said.push(
            "Lanes that want the same word get it together; the first of them stands for all.".to_owned(),
        );
    }
    said
}

/// `lanes 0, 8, 16 and 24`.
fn list(what: &str, numbers: &[u32]) -> String {
    let unique: BTreeSet<u32> = numbers.iter().copied().collect();
    let all: Vec<String> = unique.iter().map(ToString::to_string).collect();
    match all.as_slice() {
        [only] => format!("{what} {only}"),
        [most @ .., last] if all.len() <= LISTED => format!("{what}s {} and {last}", most.join(", ")),
        _ => format!(
            "{what}s {} … {} ({} of them)",
            all[..LISTED - 2].join(", "),
            all[all.len() - 1],
            all.len()
        ),
    }
}

/// What the addresses have in common: a stride from lane to lane, or the first few of them.
fn pattern(request: &WorstRequest) -> String {
    let asked: Vec<(i64, i64)> =
        (0..).zip(&request.offsets).filter_map(|(lane, at)| Some((lane, i64::from((*at)?)))).collect();
    let stride = match asked.as_slice() {
        [(lane, at), (next, after), ..] if (after - at) % (next - lane) == 0 => {
            Some((after - at) / (next - lane))
        }
        _ => None,
    };
    let is_regular =
        |stride: &i64| asked.windows(2).all(|pair| pair[1].1 - pair[0].1 == stride * (pair[1].0 - pair[0].0));
    match stride.filter(is_regular) {
        Some(0) => "All lanes ask for the same address.".to_owned(),
        Some(stride) if stride % 4 == 0 && request.bytes == 4 => {
            let words = stride / 4;
            let shared = 1 << words.trailing_zeros().min(5);
            let way = if stride > 0 { "up" } else { "down" };
            let words = words.abs();
            let odd = match shared {
                1 => String::new(),
                _ => format!(
                    "{words} and {BANKS}, the number of banks, have the factor {shared} in common; with an odd number, such \
                     as {}, each lane would have a bank of its own.",
                    words + 1
                ),
            };
            let unit = if words == 1 { "word" } else { "words" };
            format!("From lane to lane the address goes {way} by {words} {unit}. {odd}").trim_end().to_owned()
        }
        Some(stride) => format!("From lane to lane the address goes by {stride} bytes."),
        None => {
            let words: Vec<String> = asked.iter().take(LISTED).map(|(_, at)| (at / 4).to_string()).collect();
            let more = if asked.len() > LISTED { " and so on" } else { "" };
            format!("Lane by lane, the words asked for are {}{more}.", words.join(", "))
        }
    }
}

/// The banks across, a row for each wavefront.
fn drawing(request: &WorstRequest) -> String {
    let busiest = request.busiest_bank().map(|(bank, _)| bank);
    let mut lines = vec![header()];
    let rows = (1..).zip(&request.wavefronts).take(ROWS);
    lines.extend(rows.map(|(number, wavefront): (usize, _)| {
        let number = format!("{number:>width$}  ", width = MARGIN - 2);
        format!("{}{}", number.dimmed(), row(wavefront, busiest))
    }));
    match request.wavefronts.len().saturating_sub(ROWS) {
        0 => {}
        1 => lines.push(format!("{}and 1 wavefront more", " ".repeat(MARGIN))),
        more => lines.push(format!("{}and {more} wavefronts more", " ".repeat(MARGIN))),
    }
    lines.join("\n")
}

/// The first bank of each group.
fn header() -> String {
    let mut text = format!("{:<MARGIN$}", "bank");
    for bank in 0..BANKS {
        text.push_str(&match bank % GROUP {
            0 => format!("{}{bank:>2}", if bank == 0 { "" } else { " " }),
            _ => "  ".to_owned(),
        });
    }
    text.trim_end().dimmed().to_string()
}

fn row(wavefront: &Wavefront, busiest: Option<u32>) -> String {
    let mut text = String::new();
    let mut before = None;
    for bank in 0..BANKS {
        let served = wavefront.banks.iter().find(|served| served.bank == bank);
        let lane = served.and_then(|served| served.lanes.first().copied());
        // A lane that asks for more than a word has several banks.
        let goes_on = lane.is_some() && lane == before;
        if bank > 0 && bank % GROUP == 0 {
            text.push(if goes_on { '─' } else { ' ' });
        }
        let cell = match lane {
            None => " .".dimmed().to_string(),
            Some(_) if goes_on => "──".to_owned(),
            Some(lane) if busiest == Some(bank) => format!("{lane:>2}").red().bold().to_string(),
            Some(lane) => format!("{lane:>2}"),
        };
        text.push_str(&cell);
        before = lane;
    }
    text
}
