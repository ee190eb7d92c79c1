//! Mutates PTX as PTX is written: whole lines, operands, suffixes, numbers, guards.
//!
//! A byte changed at random is nearly always a syntax error. These changes mostly still parse, so that what
//! is fuzzed is the decoder's and the interpreter's view of kernels that no compiler would write.

use std::{fs, ops::Range, path::Path, sync::OnceLock};

/// Marsaglia's xorshift: libFuzzer gives the seed, and a mutation must depend on nothing else.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() >> 16) as usize % n.max(1)
    }

    fn choose<'a, T>(&mut self, of: &'a [T]) -> Option<&'a T> {
        if of.is_empty() { None } else { Some(&of[self.below(of.len())]) }
    }
}

/// Numbers at the edges of what instructions take.
const NUMBERS: [&str; 24] = [
    "0", "1", "2", "3", "4", "7", "8", "15", "16", "31", "32", "33", "63", "64", "127", "255", "256", "1024", "65535",
    "65536", "2147483647", "4294967295", "-1", "9223372036854775807",
];

/// Lines of the repository's tests and of this folder's own seeds; or of `WARPSIM_FUZZ_DONORS`, a folder,
/// where the binary runs on another machine.
fn donors() -> &'static Vec<String> {
    static LINES: OnceLock<Vec<String>> = OnceLock::new();
    LINES.get_or_init(|| {
        let mut lines = Vec::new();
        if let Some(folder) = std::env::var_os("WARPSIM_FUZZ_DONORS") {
            collect(Path::new(&folder), &mut lines);
        }
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        for folder in ["../tests/pass", "../tests/fail", "../tests/corpus", "seeds"] {
            collect(&root.join(folder), &mut lines);
        }
        lines.sort();
        lines.dedup();
        lines
    })
}

fn collect(folder: &Path, lines: &mut Vec<String>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, lines);
        } else if path.extension().is_some_and(|extension| extension == "ptx") {
            let text = fs::read_to_string(&path).unwrap_or_default();
            lines.extend(text.lines().filter(|line| is_instruction(line)).map(str::to_owned));
        }
    }
}

fn is_instruction(line: &str) -> bool {
    let line = line.trim();
    line.ends_with(';') && !line.starts_with(['.', '/']) && line.len() < 160
}

/// Words of a line: names, registers, numbers, suffixes; nothing between them.
fn words(line: &str) -> Vec<Range<usize>> {
    let part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '%' | '$' | '-');
    let mut words: Vec<Range<usize>> = Vec::new();
    for (at, c) in line.char_indices().filter(|&(_, c)| part(c)) {
        match words.last_mut() {
            Some(word) if word.end == at => word.end = at + c.len_utf8(),
            _ => words.push(at..at + c.len_utf8()),
        }
    }
    words
}

/// What may stand in each other's place: `%rd7` and `%rd12`, `u32` and `f32`, two numbers.
fn class(word: &str) -> &str {
    if word.starts_with(|c: char| c.is_ascii_digit() || c == '-') {
        return "0";
    }
    if word.starts_with('%') {
        return word.trim_end_matches(|c: char| c.is_ascii_digit());
    }
    if word.starts_with('$') { "$" } else { "a" }
}

fn replace(line: &mut String, word: Range<usize>, by: &str) {
    line.replace_range(word, by);
}

/// A text that differs from the given one in one to five places.
pub fn mutate(text: &str, seed: u32) -> String {
    let mut random = Random(u64::from(seed).wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
    random.next();
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    if !lines.first().is_some_and(|line| line.starts_with("//@ fuzz")) {
        lines.insert(0, "//@ fuzz 2 64 1024 0 16".to_owned());
    }
    for _ in 0..1 + random.below(5) {
        once(&mut lines, &mut random);
    }
    lines.join("\n")
}

fn once(lines: &mut Vec<String>, random: &mut Random) {
    let instructions: Vec<usize> = (0..lines.len()).filter(|&at| is_instruction(&lines[at])).collect();
    // The head of a text is short: half of all places are instructions.
    let at = match random.choose(&instructions) {
        Some(&at) if random.below(8) != 0 => at,
        _ => random.below(lines.len()),
    };
    match random.below(12) {
        0 => {
            lines.remove(at);
            if lines.is_empty() {
                lines.push(String::new());
            }
        }
        1 => {
            let copy = lines[at].clone();
            let to = random.choose(&instructions).copied().unwrap_or(0);
            lines.insert(to.min(lines.len()), copy);
        }
        2 => {
            let to = random.choose(&instructions).copied().unwrap_or(at);
            lines.swap(at, to);
        }
        3..=5 => operand(lines, at, random),
        6 => number(&mut lines[at], random),
        7 => suffix(&mut lines[at], random),
        8..=9 => graft(lines, at, random),
        10 => guard(lines, at, random),
        _ => {
            let mut first = std::mem::take(&mut lines[0]);
            number(&mut first, random);
            lines[0] = first;
        }
    }
}

/// Another word of the same class, from anywhere in the text.
fn operand(lines: &mut [String], at: usize, random: &mut Random) {
    let here = words(&lines[at]);
    let Some(word) = random.choose(&here).cloned() else { return };
    let kind = class(&lines[at][word.clone()]).to_owned();
    let others: Vec<String> = (lines.iter())
        .flat_map(|line| words(line).into_iter().map(|word| &line[word]))
        .filter(|other| class(other) == kind)
        .map(str::to_owned)
        .collect();
    if let Some(other) = random.choose(&others) {
        replace(&mut lines[at], word, other);
    }
}

fn number(line: &mut String, random: &mut Random) {
    let numbers: Vec<Range<usize>> =
        words(line).into_iter().filter(|word| class(&line[word.clone()]) == "0").collect();
    if let Some(word) = random.choose(&numbers).cloned() {
        let by = if random.below(3) == 0 {
            random.below(300).to_string()
        } else {
            NUMBERS[random.below(NUMBERS.len())].to_owned()
        };
        replace(line, word, &by);
    }
}

/// One part of the opcode, by a part of some other opcode.
fn suffix(line: &mut String, random: &mut Random) {
    let Some(donor) = random.choose(donors()) else { return };
    let parts = |line: &str| -> Vec<Range<usize>> {
        let start = line.len() - line.trim_start().len();
        let end = line[start..].find([' ', '\t', ';']).map_or(line.len(), |end| start + end);
        words(&line[..end]).into_iter().filter(|word| word.start >= start).collect()
    };
    let (mine, theirs) = (parts(line), parts(donor));
    if let (Some(mine), Some(theirs)) = (random.choose(&mine).cloned(), random.choose(&theirs).cloned()) {
        replace(line, mine, &donor[theirs]);
    }
}

/// An instruction of another kernel, on registers and labels of this one.
fn graft(lines: &mut Vec<String>, at: usize, random: &mut Random) {
    let Some(mut line) = random.choose(donors()).cloned() else { return };
    let known: Vec<String> = (lines.iter().filter(|line| is_instruction(line)))
        .flat_map(|line| words(line).into_iter().map(|word| line[word].to_owned()))
        .collect();
    for word in words(&line).into_iter().rev() {
        let kind = class(&line[word.clone()]);
        if !kind.starts_with(['%', '$']) || line[word.clone()].contains("tid") {
            continue;
        }
        let same: Vec<&String> = known.iter().filter(|known| class(known) == kind).collect();
        if let Some(by) = random.choose(&same) {
            replace(&mut line, word, by);
        }
    }
    lines.insert(at, line);
}

fn guard(lines: &mut [String], at: usize, random: &mut Random) {
    let line = lines[at].trim().to_owned();
    lines[at] = match line.strip_prefix('@').and_then(|rest| rest.split_once(char::is_whitespace)) {
        Some((_, rest)) => rest.to_owned(),
        None => format!("@{}%p{} {line}", if random.below(2) == 0 { "" } else { "!" }, 1 + random.below(3)),
    };
}
