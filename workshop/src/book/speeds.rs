//! What the record says of the course's kernels, as the hints quote it: the file that is part of the grader.

use grader::{
    exit::{Result, Trouble},
    hint::speeds::{FILE, Speed, Speeds},
};

use crate::record::Record;

/// The file's text for a record: more digits than a text shows, so that nothing is rounded twice.
///
/// # Errors
/// A record that JSON cannot hold.
pub fn of(record: &Record) -> Result<String> {
    let rounded = |value: f64| (1e5 * value).round() / 1e5;
    let timed = record.kernels.iter().filter(|kernel| !kernel.speed.is_empty());
    let speeds: Speeds = timed
        .map(|kernel| {
            let of = |speed: &harness::report::SpeedReport| Speed {
                speedup: rounded(speed.speedup),
                share: speed.roof_share.map(rounded),
            };
            (kernel.candidate.file.display().to_string(), kernel.speed.iter().map(of).collect())
        })
        .collect();
    let text = serde_json::to_string_pretty(&speeds);
    Ok(text.map_err(|error| Trouble::judge(format!("{FILE}: {error}"), "look at the record"))? + "\n")
}
