//! How far a scoring is, and how long it will take at the rate of the last minutes.
//!
//! On a terminal a bar; elsewhere, where nobody can take a line back, a line a minute.

use std::{
    collections::VecDeque,
    io::{self, IsTerminal as _},
    time::{Duration, Instant},
};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::{
    ascii,
    terminal::{self, say},
};

/// What is behind this time says nothing of what comes: expensive exercises follow cheap ones.
const LOOK_BACK: Duration = Duration::from_secs(180);
/// Before that, a rate is a guess.
const LEAST: Duration = Duration::from_secs(5);
/// Columns of the bar, where there is room, and of what stands behind it: ` 5700 of 5700 judged, 24 h 59 min left`.
const BAR: usize = 32;
const WORDS: usize = 40;
/// How often a line is written where there is no terminal.
const LINE: Duration = Duration::from_secs(60);

/// Shows it.
#[derive(Debug)]
pub struct Progress {
    rows: usize,
    rate: Rate,
    bar: ProgressBar,
    is_terminal: bool,
    line: Instant,
}

impl Progress {
    /// For so many rows.
    pub fn of(rows: usize) -> Self {
        let is_terminal = io::stderr().is_terminal() && !terminal::is_plain();
        let target = if is_terminal { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        let bar = ProgressBar::with_draw_target(Some(rows as u64), target);
        // The words behind it take this much at the most.
        let columns = terminal::error_width().map_or(BAR, |width| width.saturating_sub(WORDS).clamp(1, BAR));
        let template = format!("{{bar:{columns}}} {{pos}} of {{len}} judged{{msg}}");
        let style = ProgressStyle::with_template(&template);
        let style = style.unwrap_or_else(|_| ProgressStyle::default_bar());
        bar.set_style(if ascii::is_wanted() { style.progress_chars("=> ") } else { style });
        let now = Instant::now();
        Progress { rows, rate: Rate::from(now), bar, is_terminal, line: now }
    }

    /// So many are done.
    pub fn show(&mut self, done: usize, now: Instant) {
        self.rate.note(done, now);
        let left = self.rate.left(self.rows.saturating_sub(done));
        let left = left.map(|left| format!(", {} left", in_words(left))).unwrap_or_default();
        if self.is_terminal {
            self.bar.set_position(done as u64);
            self.bar.set_message(left);
        } else if let Some(line) = self.line(done, &left, now) {
            say(&line);
        }
    }

    /// What is written where there is no terminal; none before a minute has gone by since the last line.
    fn line(&mut self, done: usize, left: &str, now: Instant) -> Option<String> {
        if now.duration_since(self.line) < LINE {
            return None;
        }
        self.line = now;
        Some(format!("{done} of {} judged{left}", self.rows))
    }

    /// It is over.
    pub fn end(&self) {
        self.bar.finish_and_clear();
    }
}

/// Rows per time, over the last minutes.
#[derive(Debug)]
struct Rate {
    /// When how many were done; the oldest is just behind what counts.
    seen: VecDeque<(Instant, usize)>,
}

impl Rate {
    fn from(begin: Instant) -> Self {
        Rate { seen: VecDeque::from([(begin, 0)]) }
    }

    fn note(&mut self, done: usize, now: Instant) {
        // A look a second is enough to remember.
        let is_new = self.seen.back().is_none_or(|(at, _)| now.duration_since(*at) >= Duration::from_secs(1));
        if is_new {
            self.seen.push_back((now, done));
        }
        while self.seen.get(1).is_some_and(|(at, _)| now.duration_since(*at) >= LOOK_BACK) {
            self.seen.pop_front();
        }
    }

    /// How long so many take; none while nobody can say.
    fn left(&self, rows: usize) -> Option<Duration> {
        let ((from, before), (to, after)) = (self.seen.front()?, self.seen.back()?);
        let (time, done) = (to.duration_since(*from), after - before);
        let seconds = time.as_secs_f64() * rows as f64 / done as f64;
        (time >= LEAST && done > 0).then(|| Duration::from_secs_f64(seconds.min(1e9)))
    }
}

/// A duration as people say it: no more than two units.
fn in_words(time: Duration) -> String {
    let seconds = time.as_secs();
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3600 => format!("{} min", seconds.div_ceil(60)),
        _ => format!("{} h {} min", seconds / 3600, seconds % 3600 / 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rate_is_that_of_the_last_minutes() {
        let begin = Instant::now();
        let mut rate = Rate::from(begin);
        let at = |seconds: u64| begin + Duration::from_secs(seconds);
        assert_eq!(rate.left(100), None);
        for second in 1..=600 {
            // Ten a second, and from the fifth minute on one.
            rate.note(if second <= 300 { second * 10 } else { 3000 + second - 300 } as usize, at(second));
        }
        let left = rate.left(60).unwrap().as_secs();
        assert!((55..=65).contains(&left), "{left}");
        assert!(rate.seen.len() < 200);
        // Nothing was done for so long that nobody can say.
        (601..1200).for_each(|second| rate.note(3300, at(second)));
        assert_eq!(rate.left(60), None);
    }

    #[test]
    fn off_a_terminal_there_is_a_line_a_minute() {
        let mut progress = Progress::of(300);
        let begin = progress.line;
        let second = Duration::from_secs(1);
        let said: Vec<(u32, String)> = (0..=190)
            .filter_map(|at| Some((at, progress.line(at as usize, ", soon", begin + second * at)?)))
            .collect();
        assert_eq!(
            said,
            [
                (60, "60 of 300 judged, soon".to_owned()),
                (120, "120 of 300 judged, soon".to_owned()),
                (180, "180 of 300 judged, soon".to_owned()),
            ]
        );
    }

    #[test]
    fn times_are_short_to_say() {
        let said = [0, 59, 61, 3599, 3600, 90_061].map(|seconds| in_words(Duration::from_secs(seconds)));
        assert_eq!(said, ["0 s", "59 s", "2 min", "60 min", "1 h 0 min", "25 h 1 min"]);
    }
}
