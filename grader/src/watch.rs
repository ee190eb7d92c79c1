//! `grader watch`: the loop people live in. A save is judged at once, beginning with the case that failed last.
//!
//! Four things happen at the same time and meet in one queue: keys, saves, what the judge finds, and signals. This
//! file is what becomes of them; judging is `judging`'s, files `saves`', the terminal `screen`'s.

mod early;
mod judging;
mod keys;
mod reading;
mod saves;
mod screen;
mod storm;
mod untimed;

use std::{
    path::Path,
    sync::mpsc::{self, Receiver, RecvTimeoutError, Sender},
    thread,
    time::Instant,
};

use colored::Colorize as _;
use harness::{exercise::Exercise, judge::Kernel, report::Report, worker::Interrupt};

use self::{
    judging::{Bench, News, Order},
    keys::{KEYS, QUIT, READ_BACK, READ_ON, TO_THE_REPORT},
    reading::Reading,
    saves::{Look, Saves},
    screen::Screen,
    storm::{Seen, Step, Storm},
    untimed::Untimed,
};
use crate::{
    ascii, book,
    check::{self, render},
    cli::Watch,
    course::Course,
    devices,
    exit::{Exit, Result, Trouble},
    explain,
    folder::{CourseFolder, content_hash},
    hint, list, paragraph, profile,
    progress::LearnerProgress,
    signals, solution,
    terminal::Terminal,
    toolchains,
    visible::{one_line, shown, visible},
};

/// How to ask for more here.
const WAYS: render::Ways = render::Ways {
    all: "v shows all",
    explained: Some("e says what that means, h has a hint"),
    hint: Some("h shows a first hint"),
    book: Some("b opens the chapter"),
};

/// Columns from which on two spaces stand between the keys.
const WIDE: usize = 100;
/// Columns for what the judge is doing beside the keys' words.
const LEAST_DOING: usize = 18;

/// What happens.
enum Event {
    Key(char),
    Resized,
    /// A look at the file is worth it.
    Saved,
    News(u64, News),
    /// A signal, or the terminal is gone.
    End,
}

/// What ended it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum EndedBy {
    Key,
    Signal,
}

/// Runs it.
///
/// # Errors
/// Wrong usage, or a folder that can't be written to.
pub fn run(course: Course<'_>, watch: &Watch) -> Result<Exit> {
    devices::validate(&watch.device)?;
    let named = watch.name.as_deref().map(|name| course.find(name)).transpose()?;
    // Before anything is made: who has no terminal is told so at once.
    drop(Screen::take()?);
    let folder = check::course_folder(course)?;
    let exercise = match named.or_else(|| course.here("watch").ok()) {
        Some(exercise) => exercise,
        None => first_open(course, &folder, None)?
            .ok_or_else(|| Trouble::usage("every exercise is passed", "name one: `grader watch NAME`"))?,
    };
    let gpu = devices::resolve(&watch.device).ok().and_then(|devices| devices.gpu);
    let toolchain = toolchains::resolve(watch.compiler.as_ref(), gpu.as_ref())?;
    let bench = Bench { device: watch.device.clone(), gpu, toolchain };
    let screen = Screen::take()?;
    let (send, events) = mpsc::channel();
    let (order, orders) = mpsc::channel();
    let of_signals = send.clone();
    // Fails only where a handler is set already, and this process has no other.
    let _ = ctrlc::set_handler(move || drop(of_signals.send(Event::End)));
    let (ended_by, kept) = thread::scope(|scope| {
        let news = send.clone();
        let bench = &bench;
        let screen = &screen;
        scope.spawn(move || {
            judging::serve(bench, &orders, |number, what| drop(news.send(Event::News(number, what))));
        });
        keys::read(send.clone());
        let mut session = Session::new(course, &folder, exercise, watch.poll, order, send, screen);
        session.live(&events)
    });
    drop(screen);
    if let Err(trouble) = kept {
        check::remark_not_kept(&trouble);
    }
    match ended_by {
        EndedBy::Key => Ok(Exit::Passed),
        EndedBy::Signal => signals::end("", "begins again"),
    }
}

/// The first exercise that is not passed, behind another where one is named.
fn first_open<'a>(
    course: Course<'a>,
    folder: &CourseFolder,
    behind: Option<&dyn Exercise>,
) -> Result<Option<&'a dyn Exercise>> {
    let mut progress = LearnerProgress::load(&folder.path)?;
    let from = behind.and_then(|behind| course.exercises.iter().position(|known| known.id() == behind.id()));
    let rest = &course.exercises[from.map_or(0, |from| from + 1)..];
    Ok(rest.iter().copied().find(|exercise| !list::has_passed(*exercise, &mut progress)))
}

/// What the screen shows.
enum Page {
    /// What is known of the kernel: the last report, its first case, or why there is nothing to judge.
    Report,
    /// A text that a key asked for.
    Text(String),
}

struct Session<'a> {
    course: Course<'a>,
    folder: &'a CourseFolder,
    exercise: &'a dyn Exercise,
    poll: bool,
    order: Sender<Order<'a>>,
    send: Sender<Event>,
    screen: &'a Screen,
    saves: Saves,
    page: Page,
    reading: Reading,
    /// A key asked for the page's text after the last save: no news takes it away.
    reads: bool,
    /// Of the text that was judged last.
    report: Option<Box<Report>>,
    /// That report is of some of the cases.
    early: bool,
    untimed: Untimed,
    /// Why there is nothing to judge, while there is nothing.
    gone: Option<String>,
    /// What the judge is doing; nothing while it waits.
    doing: Option<String>,
    /// The order of which news count.
    number: u64,
    interrupt: Interrupt,
    storm: Storm,
    /// The case that failed last, to begin with.
    first: usize,
    /// What else is to be said of the last report.
    remark: Option<String>,
    verbose: bool,
}

impl<'a> Session<'a> {
    fn new(
        course: Course<'a>,
        folder: &'a CourseFolder,
        exercise: &'a dyn Exercise,
        poll: bool,
        order: Sender<Order<'a>>,
        send: Sender<Event>,
        screen: &'a Screen,
    ) -> Self {
        let saves = saves_of(folder, exercise, poll, &send);
        Session {
            course,
            folder,
            exercise,
            poll,
            order,
            send,
            screen,
            saves,
            page: Page::Report,
            reading: Reading::default(),
            reads: false,
            report: None,
            early: false,
            untimed: Untimed::default(),
            gone: None,
            doing: None,
            number: 0,
            interrupt: Interrupt::default(),
            storm: Storm::new(Instant::now()),
            first: 0,
            remark: None,
            verbose: false,
        }
    }

    /// Until the learner or a signal ends it. An error where a pass is on the screen that can't be kept.
    fn live(&mut self, events: &Receiver<Event>) -> (EndedBy, Result<()>) {
        self.paint();
        let ended_by = loop {
            let pause = match self.storm.due() {
                Some(due) => due.saturating_duration_since(Instant::now()),
                None => self.saves.pause(),
            };
            match events.recv_timeout(pause) {
                Ok(Event::Key(QUIT)) => break EndedBy::Key,
                Ok(Event::End) | Err(RecvTimeoutError::Disconnected) => break EndedBy::Signal,
                Ok(Event::Key(key)) => self.key(key),
                Ok(Event::Resized) => self.paint(),
                Ok(Event::Saved) => self.look(),
                Ok(Event::News(number, news)) if number == self.number => self.hear(news),
                Ok(Event::News(..)) => {}
                Err(RecvTimeoutError::Timeout) => self.look(),
            }
        };
        self.interrupt.interrupt();
        (ended_by, self.untimed.keep(self.folder, self.exercise))
    }

    /// Looks whether there is another text, and has it judged once it stays.
    fn look(&mut self) {
        if self.saves.lost_folder() && self.folder.kernel(self.exercise).is_file() {
            self.saves = saves_of(self.folder, self.exercise, self.poll, &self.send);
        }
        let text = match self.saves.look() {
            Look::Text(text) => text,
            Look::Wait => return self.storm.look_soon(Instant::now()),
            Look::Nothing(why) => return self.miss(why),
        };
        self.gone = None;
        let hash = content_hash(&text);
        let Seen { is_new, step } = self.storm.see(&hash, Instant::now());
        if is_new {
            self.reads = false;
        }
        match step {
            Step::Rest => {}
            // What is judged meanwhile is out of date.
            Step::Stop => self.stop(),
            Step::Judge => {
                if !self.untimed.is_of(&hash) {
                    self.keep_untimed();
                }
                self.judge(text);
            }
        }
    }

    /// There is nothing to judge.
    fn miss(&mut self, why: String) {
        self.storm.gone();
        if self.gone.as_ref() == Some(&why) {
            return;
        }
        self.stop();
        self.keep_untimed();
        self.report = None;
        self.gone = Some(why);
        self.turn(Page::Report);
    }

    fn stop(&mut self) {
        self.interrupt.interrupt();
        self.number += 1;
        self.doing = None;
    }

    /// Keeps a pass that is shown, where its speed won't be known any more.
    fn keep_untimed(&mut self) {
        if let Err(trouble) = self.untimed.keep(self.folder, self.exercise) {
            self.remark = Some(not_kept(&trouble));
        }
    }

    fn judge(&mut self, text: String) {
        self.stop();
        self.interrupt = Interrupt::default();
        self.doing = Some("begins".to_owned());
        let path = shown(self.folder.kernel(self.exercise));
        let order = Order {
            number: self.number,
            exercise: self.exercise,
            kernel: Kernel { path, source: text },
            first: self.first,
            interrupt: self.interrupt.clone(),
        };
        // It lives as long as this does.
        let _ = self.order.send(order);
        self.repaint_last_line();
    }

    fn hear(&mut self, news: News) {
        match news {
            News::Doing(doing) => {
                self.doing = Some(doing);
                self.repaint_last_line();
            }
            News::SomeCases(report) => {
                let is_of_it = |known: &&Report| self.early && known.kernel_hash == report.kernel_hash;
                let was_known = self.report.as_deref().filter(is_of_it).map(is_wrong);
                let is_news = was_known != Some(is_wrong(&report));
                self.report = Some(report);
                self.early = true;
                // Read aloud, a page comes anew below the one before: only for what changes.
                if is_news || !Terminal::detect().plain {
                    self.show_report();
                }
            }
            News::Report { report, timing } => {
                self.untimed.shown(&report, timing);
                if !timing {
                    self.doing = None;
                    let kept = check::remember(self.folder, self.exercise, &report);
                    self.remark = kept.err().map(|trouble| not_kept(&trouble));
                }
                let wrong = report.cases.iter().find(|case| render::went_wrong(case));
                self.first = wrong.map_or(self.first, |case| case.number);
                self.report = Some(report);
                self.early = false;
                self.show_report();
            }
        }
    }

    /// Shows what the judge found, or says in the last line that it is there, where the learner reads a text meanwhile.
    fn show_report(&mut self) {
        let reads = self.reads && matches!(self.page, Page::Text(_));
        // Read aloud, a report comes below the text, which stays.
        match reads && !Terminal::detect().plain {
            true => self.repaint_last_line(),
            false => self.turn(Page::Report),
        }
    }

    fn key(&mut self, key: char) {
        match key {
            'r' => {
                self.storm.again(Instant::now());
                self.reads = false;
                if self.gone.is_some() {
                    self.turn(Page::Report);
                }
            }
            'n' => match first_open(self.course, self.folder, Some(self.exercise)) {
                Ok(Some(next)) => self.turn_to(next),
                Ok(None) => self.text("There is no exercise behind this one that isn't passed.".to_owned()),
                Err(trouble) => self.trouble(&trouble),
            },
            'h' => {
                let text = hint::next(self.exercise, self.folder, "Press h.", Terminal::detect());
                self.text_or_trouble(text);
            }
            'e' => {
                let report = self.report.as_ref();
                let text =
                    report.and_then(|report| explain::first_of(&render::words(report), Terminal::detect()));
                let nothing = match self.knows_all() {
                    true => "Nothing is wrong that could be explained.",
                    false => "Nothing is known to be wrong yet: the check is not complete.",
                };
                self.text(text.unwrap_or_else(|| nothing.to_owned()));
            }
            's' => self.text_or_trouble(solution::shown(self.exercise, Some(self.folder), false)),
            'b' => {
                let opened = book::open(self.course, self.exercise.id(), Terminal::detect());
                self.text_or_trouble(opened.map(|opened| book::in_words(&opened)));
            }
            'p' => {
                let report = self.report.as_ref();
                let text = report.and_then(|report| profile::of(report, Terminal::detect()));
                let nothing = match self.knows_all() {
                    true => "No case ran: there is nothing to profile.",
                    false => "No case is judged whole yet: there is nothing to profile until one is.",
                };
                self.text(text.unwrap_or_else(|| nothing.to_owned()));
            }
            'v' => {
                self.verbose = !self.verbose;
                self.turn(Page::Report);
            }
            READ_ON | READ_BACK => {
                let terminal = Terminal::detect();
                let (body, rows) = (ascii::shown(&self.body(terminal)).into_owned(), self.rows());
                match key {
                    READ_ON => self.reading.on(&body, rows, terminal.width),
                    _ => self.reading.back(&body, rows, terminal.width),
                }
                self.paint();
            }
            TO_THE_REPORT => self.turn(Page::Report),
            _ => {}
        }
    }

    /// Shows another page, from its beginning.
    fn turn(&mut self, page: Page) {
        self.page = page;
        self.reading = Reading::default();
        self.paint();
    }

    fn turn_to(&mut self, exercise: &'a dyn Exercise) {
        self.stop();
        self.keep_untimed();
        self.exercise = exercise;
        self.saves = saves_of(self.folder, exercise, self.poll, &self.send);
        self.storm = Storm::new(Instant::now());
        self.report = None;
        self.gone = None;
        self.first = 0;
        self.verbose = false;
        self.turn(Page::Report);
    }

    fn text(&mut self, text: String) {
        self.reads = true;
        self.turn(Page::Text(text));
    }

    fn trouble(&mut self, trouble: &Trouble) {
        self.text(told(trouble, Terminal::detect().width));
    }

    fn text_or_trouble(&mut self, text: Result<String>) {
        match text {
            Ok(text) => self.text(text),
            Err(trouble) => self.trouble(&trouble),
        }
    }

    /// Whether the kernel is judged, at least but for its speed; or there is none.
    fn knows_all(&self) -> bool {
        self.gone.is_some() || (self.report.is_some() && !self.early)
    }

    fn paint(&self) {
        // The window may have another size now.
        let terminal = Terminal::detect();
        // What is shown must have its width before its rows are counted.
        let body = ascii::shown(&self.body(terminal)).into_owned();
        let shown = match terminal.plain {
            true => body,
            false => self.reading.shown(&body, self.rows(), terminal.width),
        };
        self.screen.paint(&shown, self.notice(terminal).as_deref(), &self.last_line(terminal));
    }

    /// Lines for a page: the last two are an empty one, or the notice, and the keys.
    fn rows(&self) -> usize {
        self.screen.rows().saturating_sub(2)
    }

    /// The whole page.
    fn body(&self, terminal: Terminal) -> String {
        let headed = |text: &str| format!("{}\n\n{text}", self.head());
        let body = match (&self.page, &self.gone, &self.report) {
            (Page::Text(text), ..) if terminal.plain => headed(text),
            (Page::Text(text), ..) => headed(&paragraph::folded(text, terminal.width)),
            (Page::Report, Some(why), _) => {
                headed(&missing(&self.folder.kernel(self.exercise), why, terminal.width))
            }
            (Page::Report, None, None) => headed(""),
            (Page::Report, None, Some(report)) if self.early => headed(&early::shown(report, terminal)),
            (Page::Report, None, Some(report)) if self.verbose => {
                match check::is_not_started(self.exercise, report) {
                    true => render::whole_not_started(report, terminal, WAYS),
                    false => render::whole(report, terminal, WAYS),
                }
            }
            (Page::Report, None, Some(report)) if check::is_not_started(self.exercise, report) => {
                render::not_started(report, terminal, WAYS)
            }
            (Page::Report, None, Some(report)) => self.brief(report, terminal),
        };
        body.trim_end().to_owned()
    }

    /// What matters most of a report, and after a pass where to go.
    fn brief(&self, report: &Report, terminal: Terminal) -> String {
        let mut more = Vec::new();
        if check::passed(report)
            && let Ok(Some(next)) = first_open(self.course, self.folder, Some(self.exercise))
        {
            more.push(format!("n goes on to {}", check::with_chapter(next)));
        }
        more.extend(self.remark.as_deref().map(visible));
        let more: String = more.iter().map(|text| paragraph::fill(text, terminal.width) + "\n").collect();
        let rows = self.rows().saturating_sub(more.lines().count());
        format!("{}\n{more}", render::brief(report, terminal, rows, WAYS).trim_end())
    }

    fn head(&self) -> String {
        let path = shown(self.folder.kernel(self.exercise));
        format!("{}  {}\n{}", self.exercise.id().bold(), self.exercise.about().title, path.underline())
    }

    /// Stands above the keys of every page, in one row: why saves are seen later than usual.
    fn notice(&self, terminal: Terminal) -> Option<String> {
        self.saves.polling().map(|why| polling_notice(why, terminal.width))
    }

    fn repaint_last_line(&self) {
        self.screen.repaint_last_line(&self.last_line(Terminal::detect()));
    }

    /// The keys, and what the judge is doing.
    fn last_line(&self, terminal: Terminal) -> String {
        if terminal.plain {
            let doing = self.doing.as_deref().unwrap_or("waits for a save");
            let keys: Vec<String> = KEYS.iter().map(|(key, _, word)| format!("{key} {word}")).collect();
            let verbose = if self.verbose { "; verbose is on" } else { "" };
            return format!("{}{verbose}; keys: {}", visible(doing), keys.join(", "));
        }
        let between = if terminal.width < WIDE { " " } else { "  " };
        let columns = |is_word: bool| -> usize {
            KEYS.iter().map(|(_, rest, _)| 1 + rest.len() * usize::from(is_word) + between.len()).sum()
        };
        // In a narrow terminal the letters must do.
        let are_words = columns(true) + LEAST_DOING <= terminal.width;
        let taken = columns(are_words);
        let key = |key: char, rest: &str| format!("{}{rest}", key.to_string().bold().underline());
        let keys = KEYS.map(|(letter, rest, _)| key(letter, if are_words { rest } else { "" }));
        let doing = match &self.doing {
            Some(doing) => format!("… {doing}"),
            None if self.gone.is_some() => "waits for the file".to_owned(),
            None if matches!(self.page, Page::Text(_)) && self.report.is_some() => {
                "Enter: the report".to_owned()
            }
            None if self.verbose && self.report.is_some() => "verbose; v ends it".to_owned(),
            None => "waits for a save".to_owned(),
        };
        let room = terminal.width.saturating_sub(taken + 2);
        // In ASCII some characters take more columns.
        let doing: String = ascii::shown(&visible(&doing)).chars().take(room).collect();
        format!("{}  {}", keys.join(between), doing.dimmed())
    }
}

/// Why saves are seen later than usual, in one row.
fn polling_notice(why: &str, width: usize) -> String {
    let notice = one_line(&format!("looks for saves five times a second: {why}"));
    ascii::shown(&notice).chars().take(width).collect::<String>().dimmed().to_string()
}

/// Why the learner's progress is not kept, and what to do about it.
fn not_kept(trouble: &Trouble) -> String {
    format!("{}; {}", check::not_kept(trouble), trouble.next)
}

/// What can't be done, and what to do about it.
pub(crate) fn told(trouble: &Trouble, width: usize) -> String {
    let Trouble { message, next, .. } = trouble;
    paragraph::fill(&visible(&format!("{message}: {next}")), width)
}

/// Why there is nothing to judge, and what to do about it.
pub(crate) fn missing(kernel: &Path, why: &str, width: usize) -> String {
    paragraph::fill(&visible(&format!("{} {why}", shown(kernel))), width)
}

/// Whether a case of a report shows that something is wrong.
fn is_wrong(report: &Report) -> bool {
    report.cases.iter().any(early::shows_wrong)
}

fn saves_of(folder: &CourseFolder, exercise: &dyn Exercise, poll: bool, send: &Sender<Event>) -> Saves {
    let send = send.clone();
    Saves::of(folder.kernel(exercise), poll, move || drop(send.send(Event::Saved)))
}
