//! `grader watch`: the loop people live in. A save is judged at once, beginning with the case that failed last.
//!
//! Four things happen at the same time and meet in one queue: keys, saves, what the judge finds, and signals. This
//! file is what becomes of them; judging is `judging`'s, files `saves`', the terminal `screen`'s.

mod judging;
mod reading;
mod saves;
mod screen;

use std::{
    sync::mpsc::{self, Receiver, RecvTimeoutError, Sender},
    thread,
    time::{Duration, Instant},
};

use colored::Colorize as _;
use crossterm::event::{self, KeyCode, KeyEventKind, KeyModifiers};
use harness::{
    exercise::Exercise,
    judge::Kernel,
    report::{CaseReport, Report},
    worker::Interrupt,
};

use self::{
    judging::{Bench, News, Order},
    reading::Reading,
    saves::{Look, Saves},
    screen::Screen,
};
use crate::{
    book,
    check::{self, render},
    cli::Watch,
    course::Course,
    devices,
    excerpt::Judged,
    exit::{Exit, Result, Trouble},
    explain,
    folder::{CourseFolder, content_hash},
    hint, list, paragraph, profile,
    progress::LearnerProgress,
    solution, stub,
    terminal::Terminal,
    toolchains,
    visible::{shown, visible},
};

/// Saves that follow each other faster are one: the last of them is judged.
const STORM: Duration = Duration::from_millis(200);
/// How long a storm must be over.
const CALM: Duration = Duration::from_millis(60);

/// A letter that stands for what it begins, as the last line shows it; and what a screen reader says.
const KEYS: [(char, &str, &str); 9] = [
    ('n', "ext", "next"),
    ('h', "int", "hint"),
    ('r', "un", "run"),
    ('e', "xplain", "explain"),
    ('p', "rofile", "profile"),
    ('s', "olution", "solution"),
    ('b', "ook", "book"),
    ('v', "erbose", "verbose"),
    ('q', "uit", "quit"),
];
/// Keys that need no letter: they read on where a page is longer than the screen, and lead back to the report.
const READ_ON: char = ' ';
const READ_BACK: char = 'u';
const TO_THE_REPORT: char = '\n';

/// How to ask for more here.
const WAYS: render::Ways = render::Ways {
    all: "v shows all",
    explained: Some("e says what that means, h has a hint"),
    hint: Some("h shows a first hint"),
    book: Some("b opens the chapter"),
};

/// Columns from which on two spaces stand between the keys.
const WIDE: usize = 100;

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
    let exercise = match named {
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
    thread::scope(|scope| {
        let news = send.clone();
        let bench = &bench;
        let screen = &screen;
        scope.spawn(move || {
            judging::serve(bench, &orders, |number, what| drop(news.send(Event::News(number, what))));
        });
        read_keys(send.clone());
        let mut session = Session::new(course, &folder, exercise, watch.poll, order, send, screen);
        session.live(&events);
        Ok(Exit::Passed)
    })
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
    Ok(rest.iter().copied().find(|exercise| !list::is_passed(*exercise, folder, &mut progress)))
}

/// A thread of its own reads keys; it ends with the program.
fn read_keys(send: Sender<Event>) {
    thread::spawn(move || {
        loop {
            let happened = match event::read() {
                Ok(event::Event::Key(key)) if key.kind != KeyEventKind::Release => match key.code {
                    KeyCode::Char('c' | 'd') if key.modifiers.contains(KeyModifiers::CONTROL) => Event::End,
                    KeyCode::Char(key) => Event::Key(key.to_ascii_lowercase()),
                    KeyCode::PageDown | KeyCode::Down => Event::Key(READ_ON),
                    KeyCode::PageUp | KeyCode::Up => Event::Key(READ_BACK),
                    KeyCode::Enter | KeyCode::Esc | KeyCode::Backspace => Event::Key(TO_THE_REPORT),
                    _ => continue,
                },
                Ok(event::Event::Resize(..)) => Event::Resized,
                Ok(_) => continue,
                Err(_) => Event::End,
            };
            let ended = matches!(happened, Event::End);
            if send.send(happened).is_err() || ended {
                break;
            }
        }
    });
}

/// What the screen shows.
enum Page {
    /// Nothing was judged yet.
    Empty,
    FirstCase(Box<CaseReport>),
    /// The last report.
    Report,
    /// A text that a key asked for.
    Text(String),
    /// Why there is nothing to judge.
    Nothing(String),
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
    /// Of the text that was judged last, once all of it is judged.
    report: Option<Box<Report>>,
    /// That report is complete but for its speed.
    timing: bool,
    /// What the judge is doing; nothing while it waits.
    doing: Option<String>,
    /// The order of which news count.
    number: u64,
    interrupt: Interrupt,
    /// Of the text that was judged last, and the text itself.
    judged: Option<String>,
    source: String,
    /// The case that failed last, to begin with.
    first: usize,
    /// What else is to be said of the last report.
    remark: Option<String>,
    saved: Option<Instant>,
    due: Option<Instant>,
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
            page: Page::Empty,
            reading: Reading::default(),
            report: None,
            timing: false,
            doing: None,
            number: 0,
            interrupt: Interrupt::default(),
            judged: None,
            source: String::new(),
            first: 0,
            remark: None,
            saved: None,
            due: Some(Instant::now()),
            verbose: false,
        }
    }

    /// Until someone has enough of it.
    fn live(&mut self, events: &Receiver<Event>) {
        self.paint();
        loop {
            let pause = match self.due {
                Some(due) => due.saturating_duration_since(Instant::now()),
                None => self.saves.pause(),
            };
            match events.recv_timeout(pause) {
                Ok(Event::End | Event::Key('q')) | Err(RecvTimeoutError::Disconnected) => break,
                Ok(Event::Key(key)) => self.key(key),
                Ok(Event::Resized) => self.paint(),
                Ok(Event::Saved) => self.look(),
                Ok(Event::News(number, news)) if number == self.number => self.hear(news),
                Ok(Event::News(..)) => {}
                Err(RecvTimeoutError::Timeout) => self.look(),
            }
        }
        self.interrupt.interrupt();
    }

    /// Looks whether there is another text, and has it judged once it stays.
    fn look(&mut self) {
        if self.saves.lost_folder() && self.folder.kernel(self.exercise).is_file() {
            self.saves = saves_of(self.folder, self.exercise, self.poll, &self.send);
        }
        let text = match self.saves.look() {
            Look::Text(text) => text,
            Look::Wait => return self.due = Some(Instant::now() + CALM),
            Look::Nothing(why) => {
                self.due = None;
                if !matches!(&self.page, Page::Nothing(known) if *known == why) {
                    self.stop();
                    self.judged = None;
                    self.report = None;
                    self.turn(Page::Nothing(why));
                }
                return;
            }
        };
        if self.judged.as_ref() != Some(&content_hash(&text)) {
            let now = Instant::now();
            let storm = self.saved.is_some_and(|saved| now - saved < STORM);
            match self.due {
                // The storm goes on, or has just begun: what is judged meanwhile is out of date.
                _ if storm && self.due.is_none_or(|due| now < due) => {
                    self.stop();
                    self.due = Some(now + CALM);
                }
                _ => {
                    self.due = None;
                    self.judge(text);
                }
            }
            self.saved = Some(now);
        } else if self.due.is_some_and(|due| Instant::now() >= due) {
            self.due = None;
        }
    }

    fn stop(&mut self) {
        self.interrupt.interrupt();
        self.number += 1;
        self.doing = None;
        self.timing = false;
    }

    fn judge(&mut self, text: String) {
        self.stop();
        self.judged = Some(content_hash(&text));
        self.source.clone_from(&text);
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
            News::FirstCase(case) => {
                self.report = None;
                self.turn(Page::FirstCase(case));
            }
            News::Report { report, timing } => {
                if !timing {
                    self.doing = None;
                    let kept = check::remember(self.folder, self.exercise, &report);
                    self.remark = kept.err().map(|trouble| check::not_kept(&trouble));
                }
                let wrong = report.cases.iter().find(|case| render::went_wrong(case));
                self.first = wrong.map_or(self.first, |case| case.number);
                // Whoever reads something else while the speed is measured goes on reading.
                let reads = std::mem::replace(&mut self.timing, timing) && matches!(self.page, Page::Text(_));
                self.report = Some(report);
                match reads {
                    true => self.repaint_last_line(),
                    false => self.turn(Page::Report),
                }
            }
        }
    }

    fn key(&mut self, key: char) {
        match key {
            'r' => {
                self.judged = None;
                self.due = Some(Instant::now());
                self.saved = None;
            }
            'n' => match first_open(self.course, self.folder, Some(self.exercise)) {
                Ok(Some(next)) => self.turn_to(next),
                Ok(None) => self.text("There is no exercise behind this one that isn't passed.".to_owned()),
                Err(trouble) => self.text(trouble.to_string()),
            },
            'h' => {
                let text = hint::next(self.exercise, self.folder, "Press h.", Terminal::detect());
                self.text(text.unwrap_or_else(|trouble| trouble.to_string()));
            }
            'e' => {
                let report = self.report.as_ref();
                let text =
                    report.and_then(|report| explain::first_of(&render::words(report), Terminal::detect()));
                self.text(text.unwrap_or_else(|| "Nothing is wrong that could be explained.".to_owned()));
            }
            's' => {
                let text = solution::shown(self.exercise, Some(self.folder), false);
                self.text(text.unwrap_or_else(told));
            }
            'b' => {
                let opened = book::open(self.course, self.exercise.id(), Terminal::detect());
                self.text(opened.map_or_else(told, |opened| book::in_words(&opened)));
            }
            'p' => {
                let report = self.report.as_ref();
                let text = report.and_then(|report| profile::of(report, Terminal::detect()));
                self.text(text.unwrap_or_else(|| "No case ran: there is nothing to profile.".to_owned()));
            }
            'v' => {
                self.verbose = !self.verbose;
                self.turn(Page::Report);
            }
            READ_ON | READ_BACK => {
                let terminal = Terminal::detect();
                let (body, rows) = (self.body(terminal), self.rows());
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

    /// Shows another page, from its beginning; a report only where there is one.
    fn turn(&mut self, page: Page) {
        if matches!(page, Page::Report) && self.report.is_none() {
            return;
        }
        self.page = page;
        self.reading = Reading::default();
        self.paint();
    }

    fn turn_to(&mut self, exercise: &'a dyn Exercise) {
        self.stop();
        self.exercise = exercise;
        self.saves = saves_of(self.folder, exercise, self.poll, &self.send);
        self.judged = None;
        self.report = None;
        self.first = 0;
        self.saved = None;
        self.due = Some(Instant::now());
        self.turn(Page::Empty);
    }

    fn text(&mut self, text: String) {
        self.turn(Page::Text(text));
    }

    fn paint(&self) {
        // The window may have another size now.
        let terminal = Terminal::detect();
        let body = self.body(terminal);
        let shown = match terminal.plain {
            true => body,
            false => self.reading.shown(&body, self.rows(), terminal.width),
        };
        self.screen.paint(&shown, &self.last_line(terminal));
    }

    /// Lines for a page: the last two are an empty one and the keys.
    fn rows(&self) -> usize {
        self.screen.rows().saturating_sub(2)
    }

    /// The whole page.
    fn body(&self, terminal: Terminal) -> String {
        let body = match (&self.page, &self.report) {
            (Page::Report, Some(report)) if self.verbose => render::report(report, terminal),
            (Page::Report, Some(report))
                if stub::is_untouched(&report.source, self.exercise.about().stub) =>
            {
                render::not_started(report, terminal, WAYS)
            }
            (Page::Report, Some(report)) => self.brief(report, terminal),
            (page, _) => format!("{}\n\n{}", self.head(), self.page(page, terminal)),
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

    fn page(&self, page: &Page, terminal: Terminal) -> String {
        match page {
            Page::Empty | Page::Report => String::new(),
            Page::Text(text) => text.clone(),
            Page::Nothing(why) => {
                let path = shown(self.folder.kernel(self.exercise));
                paragraph::fill(&visible(&format!("{path} {why}")), terminal.width)
            }
            Page::FirstCase(case) => {
                let path = shown(self.folder.kernel(self.exercise));
                render::first_case(case, Judged { path: &path, source: &self.source }, terminal)
            }
        }
    }

    fn head(&self) -> String {
        let mut head = format!("{}  {}", self.exercise.id().bold(), self.exercise.about().title);
        head.push_str(&format!("\n{}", shown(self.folder.kernel(self.exercise)).underline()));
        if let Some(why) = self.saves.polling() {
            head.push_str(&format!(
                "\n{}",
                format!("looks for saves five times a second: {}", visible(why)).dimmed()
            ));
        }
        head
    }

    fn repaint_last_line(&self) {
        self.screen.repaint_last_line(&self.last_line(Terminal::detect()));
    }

    /// The keys, and what the judge is doing.
    fn last_line(&self, terminal: Terminal) -> String {
        if terminal.plain {
            let doing = self.doing.as_deref().unwrap_or("waits for a save");
            let keys: Vec<String> = KEYS.iter().map(|(key, _, word)| format!("{key} {word}")).collect();
            return format!("{}; keys: {}", visible(doing), keys.join(", "));
        }
        let keys = KEYS.map(|(key, rest, _)| format!("{}{rest}", key.to_string().bold().underline()));
        let between = if terminal.width < WIDE { " " } else { "  " };
        let taken: usize = KEYS.iter().map(|(_, rest, _)| 1 + rest.len() + between.len()).sum();
        let doing = match &self.doing {
            Some(doing) => format!("… {doing}"),
            None if matches!(self.page, Page::Nothing(_)) => "waits for the file".to_owned(),
            None if matches!(self.page, Page::Text(_)) && self.report.is_some() => {
                "Enter: the report".to_owned()
            }
            None => "waits for a save".to_owned(),
        };
        let room = terminal.width.saturating_sub(taken + 2);
        let doing: String = visible(&doing).chars().take(room).collect();
        format!("{}  {}", keys.join(between), doing.dimmed())
    }
}

/// What can't be done, and what to do about it.
fn told(trouble: Trouble) -> String {
    let Trouble { message, next, .. } = trouble;
    paragraph::fill(&visible(&format!("{message}: {next}")), Terminal::detect().width)
}

fn saves_of(folder: &CourseFolder, exercise: &dyn Exercise, poll: bool, send: &Sender<Event>) -> Saves {
    let send = send.clone();
    Saves::of(folder.kernel(exercise), poll, move || drop(send.send(Event::Saved)))
}
