//! What shows that a long piece of work goes on: on a terminal a line that turns, and where it takes long, a sentence that
//! says for how long already and how to end it. Where there is no terminal the sentence comes again, ever more rarely.

use std::{
    sync::mpsc::{self, RecvTimeoutError, Sender},
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use indicatif::ProgressBar;

use crate::terminal::{remark, spinner};

/// Between two pictures of the line that turns.
const TICK: Duration = Duration::from_millis(100);
/// Until then nothing is said: most work is done before.
const LONG: Duration = Duration::from_secs(10);

/// Something is done as long as this lives.
#[derive(Debug)]
pub struct Working {
    spinner: ProgressBar,
    over: Option<Sender<()>>,
    speaker: Option<JoinHandle<()>>,
}

impl Working {
    /// Begins to show it. `doing` is such as `running on the simulator`, `advice` how to end it; the line that turns is
    /// `shown` where there is a terminal.
    pub fn begin(doing: &str, advice: String, shown: bool) -> Self {
        let spinner = spinner(shown);
        spinner.set_message(doing.to_owned());
        spinner.enable_steady_tick(TICK);
        let doing = doing.to_owned();
        Working::speaking(spinner, LONG, move |time| remark(&said(&doing, time, &advice)))
    }

    /// Says it after so long, and where the line that turns is hidden, again each time that it has taken twice as long.
    fn speaking(spinner: ProgressBar, long: Duration, say: impl Fn(Duration) + Send + 'static) -> Self {
        let (over, is_over) = mpsc::channel::<()>();
        let line = spinner.clone();
        let speaker = thread::spawn(move || {
            let begun = Instant::now();
            let mut next = Some(long);
            while let Some(at) = next {
                match is_over.recv_timeout(at.saturating_sub(begun.elapsed())) {
                    Err(RecvTimeoutError::Timeout) => {}
                    Ok(()) | Err(RecvTimeoutError::Disconnected) => break,
                }
                line.suspend(|| say(at));
                next = line.is_hidden().then(|| at.saturating_mul(2));
            }
        });
        Working { spinner, over: Some(over), speaker: Some(speaker) }
    }
}

impl Drop for Working {
    fn drop(&mut self) {
        drop(self.over.take());
        // Nothing is said any more when what came of it is printed.
        if let Some(speaker) = self.speaker.take() {
            let _ = speaker.join();
        }
        self.spinner.finish_and_clear();
    }
}

fn said(doing: &str, time: Duration, advice: &str) -> String {
    format!("{doing} for {} s so far; {advice}", time.as_secs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_said_ever_more_rarely_and_not_when_it_is_over() {
        let (send, heard) = mpsc::channel();
        let long = Duration::from_millis(5);
        let working = Working::speaking(ProgressBar::hidden(), long, move |time| _ = send.send(time));
        let first: Vec<Duration> = heard.iter().take(3).collect();
        assert_eq!(first, [long, 2 * long, 4 * long]);
        drop(working);
        // What was said before the end may still be there; the one who says it is gone.
        while heard.try_recv().is_ok() {}
        assert_eq!(heard.recv_timeout(8 * long), Err(RecvTimeoutError::Disconnected));
    }

    #[test]
    fn it_is_over_at_once() {
        let begun = Instant::now();
        drop(Working::begin("running on the simulator", String::new(), false));
        assert!(begun.elapsed() < LONG);
    }

    #[test]
    fn the_sentence_says_what_for_how_long_and_how_to_end_it() {
        assert_eq!(said("running", LONG, "Ctrl-C stops it"), "running for 10 s so far; Ctrl-C stops it");
    }
}
