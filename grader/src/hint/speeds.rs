//! What the record says of the course's kernels, for texts: hints name a kernel where a figure
//! belongs, and never the figure.
//!
//! `workshop book` makes the file from the record; the whole record is too long to be part of a program.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{
    exit::{Result, Trouble},
    json,
};

/// Where they are kept, below the course's root.
pub const FILE: &str = "solutions/measured/speeds.json";

/// Those that this program was built with; a test reads them.
const SHIPPED: &str = include_str!("../../../solutions/measured/speeds.json");

/// What stands where the record has no such kernel or case.
const NOT_MEASURED: &str = "(not measured yet)";

/// One timed case of one kernel.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Speed {
    /// Over the baseline.
    pub speedup: f64,
    /// Of a copy's speed, where there is a roof.
    pub share: Option<f64>,
}

/// By the kernel's file; a kernel's cases in their order.
pub type Speeds = BTreeMap<String, Vec<Speed>>;

/// The file's speeds.
fn read(text: &str) -> Result<Speeds> {
    serde_json::from_str(text).map_err(|error| {
        let why = json::in_words(text.as_bytes(), &error);
        let message = format!("this program was built with a {FILE} that cannot be read: {why}");
        Trouble::judge(
            message,
            "take it from an undamaged checkout, or make it again: cargo workshop book; then build anew",
        )
    })
}

/// A text with its figures. `{speedup steps/2-tiled.cu}` asks how many times as fast as the baseline that
/// kernel of the exercise is, `{share kernel.cu}` which share of a copy's speed it reaches; a number behind
/// the file asks for that timed case.
///
/// # Errors
/// A program that was built with a damaged file.
pub fn filled_in(text: &str, exercise: &str) -> Result<String> {
    Ok(fill(text, exercise, &read(SHIPPED)?))
}

fn fill(text: &str, exercise: &str, speeds: &Speeds) -> String {
    let mut filled = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('{') {
        filled.push_str(before);
        // A brace may also be code.
        match after.split_once('}').and_then(|(ask, after)| Some((figure(ask, exercise, speeds)?, after))) {
            Some((figure, after)) => {
                filled.push_str(&figure);
                rest = after;
            }
            None => {
                filled.push('{');
                rest = after;
            }
        }
    }
    filled + rest
}

/// What is asked for; nothing where that is no question.
fn figure(ask: &str, exercise: &str, speeds: &Speeds) -> Option<String> {
    let mut words = ask.split(' ');
    let (what, file) = (words.next()?, words.next()?);
    let case = words.next().map_or(Some(1), |number| number.parse::<usize>().ok())?;
    let speed = || speeds.get(&format!("solutions/{exercise}/{file}"))?.get(case.checked_sub(1)?);
    let found = match what {
        "speedup" => speed().map(|speed| match speed.speedup {
            large if large >= 100.0 => format!("{large:.0}×"),
            small => format!("{small:.2}×"),
        }),
        "share" => speed().and_then(|speed| speed.share).map(|share| format!("{:.0} %", 100.0 * share)),
        _ => return None,
    };
    Some(found.unwrap_or_else(|| NOT_MEASURED.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shipped_speeds_are_read_and_a_damaged_file_is_no_silence() {
        let speeds = read(SHIPPED).expect("they are part of this program");
        assert!(!speeds.is_empty());
        for (file, cases) in speeds {
            assert!(file.starts_with("solutions/") && !cases.is_empty(), "{file}");
            assert!(cases.iter().all(|speed| speed.speedup > 0.0), "{file}: {cases:?}");
        }
        for damaged in ["", "{", "[]", r#"{"solutions/03/kernel.cu": [{"speed": 1.0}]}"#] {
            let trouble = read(damaged).expect_err(damaged);
            assert_eq!(trouble.exit, crate::exit::Exit::JudgeError);
            assert!(trouble.message.contains(FILE), "{trouble}");
        }
    }

    #[test]
    fn figures_take_their_places() {
        let speed = |speedup, share| Speed { speedup, share };
        let all = vec![speed(1.234, Some(0.876)), speed(171.6, None)];
        let speeds = Speeds::from([("solutions/03/kernel.cu".to_owned(), all)]);
        let fill = |text: &str| fill(text, "03", &speeds);
        assert_eq!(fill("{speedup kernel.cu} and {share kernel.cu}."), "1.23× and 88 %.");
        assert_eq!(fill("{speedup kernel.cu 2}"), "172×");
        assert_eq!(
            fill("{share kernel.cu 2}, {speedup steps/x.cu}"),
            "(not measured yet), (not measured yet)"
        );
        assert_eq!(fill("if (a) { b; } float4 v = {0}; {"), "if (a) { b; } float4 v = {0}; {");
    }
}
