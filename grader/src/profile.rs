//! A profile for people: the source with what each line cost, what limits the kernel, and how high its roof is.
//!
//! Everything is what the simulator counted, so that it needs no GPU; the roofs are the data sheet's. Knows neither `check`
//! nor `run`.

use colored::Colorize as _;
use comfy_table::{Attribute, Cell, Color, ColumnConstraint};
use harness::report::{CaseReport, KernelOccupancy, Report, number_of};
use warpsim::{Counters, LineCounters, Profile};

use crate::{
    ascii, banks,
    check::render,
    excerpt::{self, Judged},
    occupancy, paragraph, table,
    terminal::Terminal,
    visible::one_line,
};

/// A share of the work from which on a line is hot, and one from which on it is warm.
const HOT: f64 = 0.2;
const WARM: f64 = 0.05;
/// Lines that nobody executed are shown up to this many together.
const BETWEEN: u32 = 3;

/// The profile of a check: of the simulated case that does most, as the exercise launches it. None where no case ran.
pub fn of(report: &Report, terminal: Terminal) -> Option<String> {
    let work = |case: &CaseReport| case.counters.map_or(0, |counters| counters.ptx_instructions);
    let case = report.cases.iter().filter(|case| case.counters.is_some()).max_by_key(|case| work(case))?;
    let counters = case.counters.as_ref()?;
    let judged = Judged { path: &report.kernel, source: &report.source };
    let what = format!("profile of case {}: {} on {}", case.number, one_line(&case.name), case.device);
    let gpu = case.device.strip_prefix("sim:").and_then(Profile::by_name);
    let mut parts = vec![
        render::hanging(&what.bold().to_string(), terminal),
        source(judged, counters, &case.lines, terminal),
        facts(counters, &case.occupancy, gpu, terminal),
    ];
    parts.extend(banks::of_case(case, judged, terminal));
    Some(format!("{}\n", parts.join("\n")))
}

/// The source, each line with its share of the work, the lanes active on average, and what it asked of memory.
pub fn source(judged: Judged<'_>, counters: &Counters, lines: &[LineCounters], terminal: Terminal) -> String {
    let all = counters.ptx_instructions.max(1) as f64;
    let executed = |number: u32| {
        let here =
            |line: &&LineCounters| line.place.line == number && excerpt::is_judged(&line.place, judged);
        let mut sum: Option<Counters> = None;
        for line in lines.iter().filter(here) {
            *sum.get_or_insert_default() += &line.counters;
        }
        sum.filter(|counters| *counters != Counters::default())
    };
    let counted: Vec<(u32, &str, Option<Counters>)> =
        (1..).zip(judged.source.lines()).map(|(number, text)| (number, text, executed(number))).collect();
    let mut rows: Vec<Row> = Vec::new();
    let mut skipped: Vec<Row> = Vec::new();
    for (number, text, counters) in &counted {
        let row = Row::of(*number, text, counters.as_ref(), all);
        if counters.is_none() {
            skipped.push(row);
            continue;
        }
        if rows.is_empty() || skipped.len() > BETWEEN as usize {
            // A number that jumps says it to whoever listens.
            if !rows.is_empty() && !terminal.plain {
                rows.push(Row::gap());
            }
            skipped.clear();
        }
        rows.append(&mut skipped);
        rows.push(row);
    }
    // What headers did, behind the kernel's own lines.
    let others = lines.iter().filter(|line| !excerpt::is_judged(&line.place, judged));
    rows.extend(others.filter(|line| line.counters.ptx_instructions > 0).map(|line| {
        let place = format!("in {}", one_line(&line.place.file));
        Row::of(line.place.line, &place, Some(&line.counters), all)
    }));
    let columns = Columns::of(&rows, terminal);
    let mut header = columns.titles();
    header.push("");
    let mut out = table::new(terminal, &header);
    for row in rows {
        out.add_row(row.cells(&columns, terminal));
    }
    if columns.narrow {
        for column in out.column_iter_mut() {
            column.set_padding((0, 1)).set_constraint(ColumnConstraint::ContentWidth);
        }
    }
    table::text(&out, terminal)
}

/// Numbers before a line of the source: their titles, and the same in two lines.
const TITLES: [(&str, &str); 6] = [
    ("Work", "Work"),
    ("Lanes", "Lanes"),
    ("Sectors", "Sec-\ntors"),
    ("Wavefronts", "Wave-\nfronts"),
    ("Conflicts", "Con-\nflicts"),
    ("Line", "Line"),
];
/// What is in the column of lanes where no lane waits.
const ALL_LANES: &str = "32.0";
/// Columns that the source has, or titles become narrower.
const ENOUGH_SOURCE: usize = 36;

/// The table's columns before the source.
struct Columns {
    /// Those in which any line has a number.
    shown: Vec<usize>,
    /// Titles take two lines, and less space stands between the columns.
    narrow: bool,
    /// Columns that are left for the source.
    room: usize,
}

impl Columns {
    fn of(rows: &[Row], terminal: Terminal) -> Self {
        let longest = |column: usize| rows.iter().map(|row| row.numbers[column].len()).max().unwrap_or(0);
        let mut shown: Vec<usize> = (0..TITLES.len()).filter(|&column| longest(column) > 0).collect();
        let room = |shown: &[usize], narrow: bool, between: usize| {
            let width = |&column: &usize| {
                let title = title(column, narrow).lines().map(str::len).max().unwrap_or(0);
                longest(column).max(title) + between
            };
            terminal.width.saturating_sub(shown.iter().map(width).sum::<usize>() + between)
        };
        let wide = room(&shown, false, 3);
        let narrow = wide < ENOUGH_SOURCE && !terminal.plain;
        // The total below the table says the same of all lines.
        if narrow && rows.iter().all(|row| matches!(&*row.numbers[LANES], "" | ALL_LANES)) {
            shown.retain(|&column| column != LANES);
        }
        let room = if narrow { room(&shown, true, 2) } else { wide };
        Columns { shown, narrow, room }
    }

    fn titles(&self) -> Vec<&'static str> {
        self.shown.iter().map(|&column| title(column, self.narrow)).collect()
    }
}

fn title(column: usize, narrow: bool) -> &'static str {
    let (whole, broken) = TITLES[column];
    if narrow { broken } else { whole }
}

/// The places of some of a line's numbers.
const WORK: usize = 0;
const LANES: usize = 1;
const CONFLICTS: usize = 4;

/// A line of the table.
struct Row {
    numbers: [String; 6],
    text: String,
    share: f64,
    conflicts: bool,
}

impl Row {
    fn of(line: u32, text: &str, counters: Option<&Counters>, all: f64) -> Self {
        let some = |number: u64| if number == 0 { String::new() } else { number.to_string() };
        let share = counters.map_or(0.0, |counters| counters.ptx_instructions as f64 / all);
        let numbers = match counters {
            None => [const { String::new() }; 5],
            Some(counters) => [
                format!("{:.1} %", 100.0 * share),
                format!("{:.1}", 32.0 * counters.simt_efficiency().unwrap_or_default()),
                some(counters.global_load_sectors + counters.global_store_sectors),
                some(
                    counters.shared_load_wavefronts
                        + counters.shared_store_wavefronts
                        + counters.shared_atomic_wavefronts,
                ),
                some(counters.shared_bank_conflicts() + counters.shared_atomic_conflicts()),
            ],
        };
        let conflicts = !numbers[CONFLICTS].is_empty();
        let [work, lanes, sectors, wavefronts, waits] = numbers;
        let numbers = [work, lanes, sectors, wavefronts, waits, line.to_string()];
        // A tab is as wide as a table cannot know.
        Row { numbers, text: one_line(&text.replace('\t', "    ")), share, conflicts }
    }

    fn gap() -> Self {
        Row { numbers: [const { String::new() }; 6], text: "…".to_owned(), share: 0.0, conflicts: false }
    }

    fn cells(self, columns: &Columns, terminal: Terminal) -> Vec<Cell> {
        let dots = ascii::shown("…");
        let kept = columns.room.saturating_sub(dots.chars().count());
        let text = match self.text.chars().count() > columns.room && !terminal.plain {
            true => self.text.chars().take(kept).chain(dots.chars()).collect(),
            false => self.text,
        };
        let heat = |cell: Cell| match self.share {
            share if share >= HOT => cell.fg(Color::Red).add_attribute(Attribute::Bold),
            share if share >= WARM => cell.fg(Color::Yellow),
            0.0 => cell.add_attribute(Attribute::Dim),
            _ => cell,
        };
        let mut numbers = self.numbers.map(table::right);
        numbers[WORK] = heat(numbers[WORK].clone());
        if self.conflicts {
            numbers[CONFLICTS] = numbers[CONFLICTS].clone().fg(Color::Red);
        }
        let mut cells: Vec<Cell> = columns.shown.iter().map(|&column| numbers[column].clone()).collect();
        cells.push(heat(Cell::new(text)));
        cells
    }
}

/// The roofline model: what the GPU allows a kernel that does so much arithmetic for each byte it moves, and the time
/// that its bytes take, if they come from memory.
fn roof(gpu: &Profile, intensity: f64, bytes: u64) -> String {
    let (memory, cores) = (f64::from(gpu.memory_gigabytes_per_second), f64::from(gpu.fp32_gigaflops));
    let ridge = cores / memory;
    let nanoseconds = bytes as f64 / memory;
    let time = match nanoseconds < 1e3 {
        true => format!("{nanoseconds:.0} ns"),
        false => format!("{:.1} µs", nanoseconds * 1e-3),
    };
    let of_bytes = format!("at {:.1} TB/s what is moved takes {time}", memory / 1e3);
    if intensity == 0.0 {
        return format!("memory, as no floating-point operation is done: {of_bytes} on {}", gpu.name);
    }
    let most = (intensity * memory).min(cores);
    let share = 100.0 * most / cores;
    let limit = match intensity < ridge {
        true => format!("memory, as below {ridge:.1} operations per byte: {of_bytes}"),
        false => format!("arithmetic, as from {ridge:.1} operations per byte on"),
    };
    format!("{limit}. At most {:.2} of {:.1} TFLOP/s ({share:.0} %) on {}", most / 1e3, cores / 1e3, gpu.name)
}

/// What follows from the totals: lanes, bytes, arithmetic, occupancy.
pub fn facts(
    counters: &Counters,
    occupancies: &[KernelOccupancy],
    gpu: Option<&Profile>,
    terminal: Terminal,
) -> String {
    let lanes = counters.simt_efficiency().unwrap_or_default();
    let mut facts = vec![(
        "executed",
        format!(
            "{}, {:.1} of 32 lanes active ({:.0} %), {}, {}",
            number_of(counters.ptx_instructions, "PTX instruction"),
            32.0 * lanes,
            100.0 * lanes,
            number_of(counters.divergent_branches, "divergent branch"),
            number_of(counters.barriers, "barrier"),
        ),
    )];
    if counters.global_bytes_moved() > 0 {
        let asked = counters.global_load_bytes + counters.global_store_bytes;
        let moved = bytes(counters.global_bytes_moved());
        facts.push((
            "memory",
            format!("{moved} of global memory moved, {} asked for by the lanes", bytes(asked)),
        ));
    }
    if counters.floating_point_operations > 0 {
        let operations = number_of(counters.floating_point_operations, "floating-point operation");
        let per_byte =
            counters.arithmetic_intensity().map(|intensity| format!(", {intensity:.3} per byte moved"));
        facts.push(("arithmetic", operations + &per_byte.unwrap_or_default()));
    }
    if counters.matrix_operations > 0 {
        let operations = number_of(counters.matrix_operations, "operation");
        facts.push(("matrices", format!("{operations} in products of matrices, by tensor cores")));
    }
    // The roof is that of the other cores.
    if let (Some(gpu), Some(intensity), 0) =
        (gpu, counters.arithmetic_intensity(), counters.matrix_operations)
    {
        facts.push(("roof", roof(gpu, intensity, counters.global_bytes_moved())));
    }
    if let Some(of) = occupancies.first() {
        facts.push(("occupancy", occupancy::sentence(&of.occupancy)));
    }
    let indent = " ".repeat(12);
    let lines = facts.into_iter().map(|(name, text)| {
        if terminal.plain {
            return format!("{name}: {text}");
        }
        let text = paragraph::indented(&text, terminal.width, &indent, &indent);
        format!("{}{}", format!("{name:<12}").dimmed(), text.trim_start())
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// A size for people.
fn bytes(bytes: u64) -> String {
    let size = bytes as f64 / 1024.0;
    match bytes {
        0..10_240 => number_of(bytes, "byte"),
        10_240..10_485_760 => format!("{size:.1} KiB"),
        10_485_760..10_737_418_240 => format!("{:.1} MiB", size / 1024.0),
        _ => format!("{:.1} GiB", size / 1024.0 / 1024.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The width of the source's column, and the titles.
    fn columns(rows: &[Row], width: usize) -> (usize, Vec<&'static str>) {
        let terminal = Terminal { width, rows: usize::MAX, colour: false, plain: false };
        let columns = Columns::of(rows, terminal);
        (columns.room, columns.titles())
    }

    #[test]
    fn columns_without_a_number_leave_their_room_to_the_source() {
        let line = "    const float distance = sqrtf(x[i] * x[i] + y[i] * y[i] + z[i] * z[i] + w[i] * w[i]);";
        let counted = |change: fn(&mut Counters)| {
            let mut counters = Counters::default();
            counters.ptx_instructions = 10;
            counters.active_lanes = 320;
            change(&mut counters);
            Row::of(112, line, Some(&counters), 10.0)
        };
        let (room, titles) = columns(&[counted(|_| {})], 80);
        assert_eq!(titles, ["Work", "Lanes", "Line"]);
        assert!(room >= 50, "{room}");
        let memory = |counters: &mut Counters| counters.global_load_sectors = 1_234_567;
        let (room, titles) = columns(&[counted(|_| {}), counted(memory)], 80);
        assert_eq!(titles, ["Work", "Lanes", "Sectors", "Line"]);
        assert!(room >= 40, "{room}");
        // All of them, at the narrowest: titles in two lines.
        let all = |counters: &mut Counters| {
            counters.global_load_sectors = 12_345;
            counters.shared_load_wavefronts = 12_345;
            counters.shared_load_ideal_wavefronts = 345;
        };
        let (room, titles) = columns(&[counted(all)], 80);
        assert_eq!(titles, ["Work", "Sec-\ntors", "Wave-\nfronts", "Con-\nflicts", "Line"]);
        assert!(room >= 40, "{room}");
        assert_eq!(columns(&[counted(all)], 100).1[..4], ["Work", "Lanes", "Sectors", "Wavefronts"]);
        let alone = |counters: &mut Counters| {
            counters.shared_load_wavefronts = 1;
            counters.global_load_sectors = 1;
            counters.active_lanes = 10;
        };
        let (room, titles) = columns(&[counted(all), counted(alone)], 80);
        assert_eq!(titles[1], "Lanes");
        assert!(room >= 33, "{room}");
    }

    /// Two places of one line, and a line of a header, count as well.
    #[test]
    fn the_columns_add_up_to_the_counters() {
        let judged = Judged { path: "learn/kernel.cu", source: "one\ntwo\nthree\n" };
        let places = [("kernel.cu", 1, 5), ("kernel.cu", 1, 9), ("kernel.cu", 3, 1), ("course.cuh", 7, 1)];
        let mut all = Counters::default();
        let counted = |at: u64| {
            let mut counters = Counters::default();
            counters.ptx_instructions = 25;
            counters.active_lanes = 200 * (at + 1);
            counters.global_load_sectors = 1 + at;
            counters.global_store_sectors = 10 + at;
            counters.shared_load_wavefronts = 100 + at;
            counters.shared_store_wavefronts = 1000 + at;
            counters.shared_atomic_wavefronts = 10_000 + at;
            counters.shared_load_ideal_wavefronts = 50;
            counters.shared_store_ideal_wavefronts = 500;
            counters.shared_atomic_ideal_wavefronts = 5000;
            counters
        };
        let lines: Vec<LineCounters> = (0..)
            .zip(places)
            .map(|(at, (file, line, column))| {
                let counters = counted(at);
                all += &counters;
                LineCounters::new(warpsim::Place { file: file.to_owned(), line, column }, counters)
            })
            .collect();
        let terminal = Terminal { width: 80, rows: usize::MAX, colour: false, plain: true };
        let text = source(judged, &all, &lines, terminal);
        let cells = || text.lines().flat_map(|line| line.split("; "));
        let sum = |title: &str| {
            let of_title = |cell: &str| cell.strip_prefix(title)?.strip_prefix(": ")?.parse::<u64>().ok();
            cells().filter_map(of_title).sum::<u64>()
        };
        assert_eq!(sum("Sectors"), all.global_load_sectors + all.global_store_sectors, "{text}");
        let wavefronts =
            all.shared_load_wavefronts + all.shared_store_wavefronts + all.shared_atomic_wavefronts;
        assert_eq!(sum("Wavefronts"), wavefronts, "{text}");
        assert_eq!(sum("Conflicts"), all.shared_bank_conflicts() + all.shared_atomic_conflicts(), "{text}");
        let work: Vec<&str> = cells().filter_map(|cell| cell.strip_suffix(" %")).collect();
        assert_eq!(work, ["50.0", "25.0", "25.0"], "{text}");
        // 200 and 400 lanes of 50 instructions, 600 of 25 and 800 of 25.
        let lanes: Vec<&str> = cells().filter_map(|cell| cell.strip_prefix("Lanes: ")).collect();
        assert_eq!(lanes, ["12.0", "24.0", "32.0"], "{text}");
    }

    #[test]
    fn the_lower_roof_is_the_limit() {
        let gpu = Profile::by_name("h200").unwrap();
        assert_eq!(
            roof(gpu, 0.25, 48_000_000),
            "memory, as below 13.9 operations per byte: at 4.8 TB/s what is moved takes 10.0 µs. At most 1.20 of 66.9 \
             TFLOP/s (2 %) on h200"
        );
        assert!(
            roof(gpu, 64.0, 0)
                .starts_with("arithmetic, as from 13.9 operations per byte on. At most 66.90 of")
        );
        assert_eq!(
            roof(gpu, 0.0, 4_800_000),
            "memory, as no floating-point operation is done: at 4.8 TB/s what is moved takes 1.0 µs on h200"
        );
    }
}
