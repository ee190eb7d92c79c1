//! `grader class score`: judges a class, on all cores, so that one submission costs at most its own row.

use std::{
    collections::BTreeMap,
    fs,
    io::Read,
    panic::{AssertUnwindSafe, catch_unwind},
    path::{Path, PathBuf, absolute},
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use comfy_table::Cell;
use harness::{
    compiler::{self, CompileRequest},
    device::DeviceChoice,
    device::Devices,
    exercise::Exercise,
    judge::{self, CheckOptions, Kernel},
    report::Report,
    toolchain::Toolchain,
    worker::probe::break_out,
};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use rayon::prelude::*;

use super::{
    gradebook,
    handed_in::HandedIn,
    intake::{
        begin::{Beginning, Begun, begin},
        student::{Student, Submission},
    },
    journal::{Header, Journal},
    overview, points,
    row::{Outcome, Row},
    submissions::file_name,
};
use crate::{
    ascii,
    cli::Score,
    course::Course,
    devices,
    exit::{Exit, Result, Trouble},
    files,
    formats::{KernelResult, junit},
    table,
    terminal::{self, Terminal, remark, say},
    thresholds::demand::Here,
    toolchains,
    visible::shown,
};

/// The folder of the reports, in that of the results.
const REPORTS: &str = "reports";

/// Rows that are done, by student and exercise.
type Done = BTreeMap<(String, String), Row>;

/// Runs it.
///
/// # Errors
/// Wrong usage, no sandbox, or results that can't be written. A submission never is an error.
pub fn run(course: Course<'_>, score: &Score, terminal: Terminal) -> Result<Exit> {
    let begun = match begin(course, score, terminal)? {
        Beginning::Judge(begun) => begun,
        Beginning::End(exit) => return Ok(exit),
    };
    let course = Course { exercises: &begun.exercises };
    let out = results_folder(score)?;
    let devices = devices::resolve(&score.device)?;
    require_sandbox(score.allow_unsandboxed, devices.gpu.is_some())?;
    say_what_gpus_read(&devices);
    let toolchain = toolchains::resolve(score.compiler.as_ref(), devices.gpu.as_ref())?;
    toolchain.note.iter().for_each(|note| remark(note));
    let (journal, header, done) = open(course, score, begun.seed, &out, &devices, &toolchain)?;
    let scoring = Scoring {
        course,
        begun: &begun,
        out: &out,
        header: &header,
        devices: &devices,
        toolchain: &toolchain,
    };
    let mut rows = scoring.all(&begun.intake.students, journal, &done)?;
    scoring.count_points(&mut rows);
    scoring.write(&rows)?;
    crate::print(&summary(course, &rows, terminal));
    crate::print(&format!(
        "{}: gradebook.csv, report.html, junit.xml, reports/\nseed {}\n",
        shown(&out),
        header.seed
    ));
    let broken = rows.iter().filter(|row| row.outcome == Outcome::JudgeError).count();
    if broken > 0 {
        remark(&format!("{broken} rows are judge errors and no grades; --resume tries them again"));
        return Ok(Exit::JudgeError);
    }
    Ok(Exit::Passed)
}

/// The absolute results folder, refused where it would meet the submissions or other people's files.
fn results_folder(score: &Score) -> Result<PathBuf> {
    // Whoever leaves it out wants a dry run, which never comes here.
    let out = score.out.as_deref().unwrap_or(Path::new("results"));
    let out =
        absolute(out).map_err(|error| Trouble::usage(format!("{}: {error}", shown(out)), "name a folder"))?;
    let inside = |submissions: PathBuf| {
        out.ancestors()
            .find_map(|ancestor| ancestor.canonicalize().ok())
            .is_some_and(|out| out.starts_with(submissions))
    };
    if score.submissions.canonicalize().is_ok_and(inside) {
        return Err(Trouble::usage(
            format!("{} lies inside the submissions", shown(&out)),
            "choose a folder outside, or the results would be taken for a student",
        ));
    }
    let used = match fs::read_dir(&out) {
        // A run that ended before it began its journal has made one folder, with nothing in it.
        Ok(entries) => {
            entries.flatten().any(|entry| entry.file_name() != REPORTS || has_something(&entry.path()))
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => false,
        Err(error) => {
            let next = "name a folder that doesn't exist yet, where you can write";
            return Err(Trouble::usage(format!("{}: {}", shown(&out), files::explain(&error)), next));
        }
    };
    match (used, score.resume) {
        (true, false) => Err(Trouble::usage(
            format!("{} has something in it already", shown(&out)),
            "go on with an interrupted run by --resume, or name a folder that doesn't exist yet",
        )),
        (false, true) => Err(Trouble::usage(
            format!("nothing to resume in {}", shown(&out)),
            "leave --resume out to begin",
        )),
        _ => Ok(out),
    }
}

/// What is no empty folder.
fn has_something(path: &Path) -> bool {
    !fs::read_dir(path).is_ok_and(|mut entries| entries.next().is_none())
}

/// Refuses to judge other people's code where it can't be confined, which it finds
/// out by trying to break out.
fn require_sandbox(allowed: bool, beside_gpu: bool) -> Result<()> {
    let doctor = "`grader doctor` looks at the whole machine";
    let proof = break_out(beside_gpu).map_err(|failure| Trouble::judge(failure.to_string(), doctor))?;
    if proof.holds() {
        return Ok(());
    }
    let why = match &*proof.breaches {
        [] => proof.status.to_string(),
        breaches => format!("{}. Tried: {}", proof.status, breaches.join("; ")),
    };
    if allowed {
        remark(&format!("submissions are not confined ({why})"));
        return Ok(());
    }
    Err(Trouble::judge(
        format!("this machine can't keep submissions away from your files and processes: {why}"),
        "use a Linux kernel with Landlock (5.13 or newer) and seccomp, or --allow-unsandboxed if you trust every submission",
    ))
}

/// Says where kernels can read what the sandbox can't keep from them.
fn say_what_gpus_read(devices: &Devices) {
    if devices.gpu.as_ref().is_some_and(|gpu| gpu.reads_host_memory) {
        remark(
            "this GPU's driver lets kernels read the memory of the worker that runs them (HMM): load nvidia_uvm with \
             uvm_disable_hmm=1 to end that; every report of this run says so",
        );
    }
}

/// The compiler as it names itself, asked by compiling a kernel.
fn compiler_name(toolchain: &Toolchain) -> Result<String> {
    let request = CompileRequest::new("probe.cu", "extern \"C\" __global__ void probe() {}\n");
    match compiler::compile(toolchain, &request) {
        Ok(compiled) => Ok(compiled.compiler),
        Err(error) => Err(Trouble::judge(
            format!("the compiler does not work: {error}"),
            "`grader doctor` looks at the whole machine",
        )),
    }
}

/// Begins or goes on. On resuming, seed, device and compiler must be those of the beginning.
fn open(
    course: Course<'_>,
    score: &Score,
    seed: Option<u64>,
    out: &Path,
    devices: &Devices,
    toolchain: &Toolchain,
) -> Result<(Journal, Header, Done)> {
    let compiler = compiler_name(toolchain)?;
    let path = out.join("journal.jsonl");
    let judge = judge_name();
    if !score.resume {
        let folder = out.join(REPORTS);
        fs::create_dir_all(&folder).map_err(|error| {
            Trouble::judge(
                format!("could not make {}: {}", shown(&folder), files::explain(&error)),
                "make the folder above it writable, or name another one by --out",
            )
        })?;
        let seed = seed.map_or_else(secret_seed, Ok)?;
        let started = jiff::Timestamp::now().strftime("%Y-%m-%d %H:%M UTC").to_string();
        let mut header = Header::new(judge, compiler, devices::name(devices), seed, started);
        ask(course, devices, toolchain, &mut header)?;
        let journal = Journal::create(&path, &header)?;
        return Ok((journal, header, Done::new()));
    }
    let (journal, mut header, done) = Journal::resume(&path)?;
    // The journal is ours alone now, and so is the folder.
    files::sweep(out);
    let differs = |what: &str, before: &str, now: &str, same: String| {
        Err(Trouble::usage(
            format!("these results began with {what} {before}, now it is {now}: grades would not compare"),
            format!("go on with {same}, or score into another folder"),
        ))
    };
    if header.device != devices::name(devices) {
        return differs(
            "device",
            &header.device,
            &devices::name(devices),
            format!("--device {}", option_of(&header.device)),
        );
    }
    if header.compiler != compiler {
        let version = header.compiler.trim_start_matches("NVRTC ");
        return differs("compiler", &header.compiler, &compiler, format!("--compiler {version}"));
    }
    if let Some(seed) = seed.filter(|seed| *seed != header.seed) {
        return differs(
            "seed",
            &header.seed.to_string(),
            &seed.to_string(),
            format!("--seed {}", header.seed),
        );
    }
    if header.judge != judge {
        remark("the grader has changed since these results began: what it judged before is judged again");
        header.judge = judge;
    }
    // Exercises that came later.
    ask(course, devices, toolchain, &mut header)?;
    Ok((journal, header, done))
}

/// Finds out what is asked of speed, where the header does not say it yet: on a GPU that nobody has measured on, by
/// measuring.
fn ask(course: Course<'_>, devices: &Devices, toolchain: &Toolchain, header: &mut Header) -> Result<()> {
    let here = Here { gpu: devices.gpu.as_ref(), toolchain, again: false };
    for exercise in course.exercises {
        let asked = header.speed.entry(exercise.id().to_owned()).or_insert_with(|| here.asked(*exercise));
        if let Some(why) = &asked.broken {
            return Err(Trouble::judge(
                format!("{}: {why}", exercise.id()),
                "score on another GPU, or with --device sim, where speed is not judged",
            ));
        }
    }
    Ok(())
}

/// What asks for a device again that a header names `sim:h200` or `gpu:0 (NVIDIA H200) + sim:h200`.
fn option_of(device: &str) -> &str {
    device.split(' ').next().unwrap_or(device)
}

/// Version and content of this program: what decides verdicts besides compiler, device and seed.
fn judge_name() -> String {
    let program = fs::read("/proc/self/exe").map(|bytes| blake3::hash(&bytes).to_hex()[..16].to_owned());
    format!("{} ({})", env!("CARGO_PKG_VERSION"), program.unwrap_or_else(|_| "unknown build".to_owned()))
}

/// A seed that nobody can prepare for. 53 bits: JSON readers that use floating point keep them.
fn secret_seed() -> Result<u64> {
    let mut bytes = [0; 8];
    let read = fs::File::open("/dev/urandom").and_then(|mut file| file.read_exact(&mut bytes));
    read.map_err(|error| Trouble::judge(format!("no random seed: {error}"), "give one with --seed"))?;
    Ok(u64::from_le_bytes(bytes) >> 11)
}

fn refused(path: &Path, error: &std::io::Error) -> Trouble {
    Trouble::judge(
        format!("could not write {}: {}", shown(path), files::explain(error)),
        "make it writable or make room; --resume goes on with what was begun",
    )
}

/// What all submissions have in common.
struct Scoring<'a> {
    course: Course<'a>,
    begun: &'a Begun<'a>,
    out: &'a Path,
    header: &'a Header,
    devices: &'a Devices,
    toolchain: &'a Toolchain,
}

impl Scoring<'_> {
    /// Judges everything that isn't done; rows by student and exercise.
    fn all(&self, students: &[Student], journal: Journal, done: &Done) -> Result<Vec<Row>> {
        let pairs: Vec<(&Student, &dyn Exercise)> = students
            .iter()
            .flat_map(|student| self.course.exercises.iter().map(move |exercise| (student, *exercise)))
            .collect();
        let bar = progress_bar(pairs.len());
        let finished = std::sync::Arc::new(AtomicUsize::new(0));
        announce_interruption(finished.clone(), pairs.len());
        let journal = Mutex::new(journal);
        let one = |(student, exercise): &(&Student, &dyn Exercise)| -> Result<Row> {
            let row = self.row(student, *exercise, done)?;
            if done.get(&(row.student.clone(), row.exercise.clone())) != Some(&row) {
                // A panic while appending would have been a row of its own; the file is still whole lines.
                journal.lock().unwrap_or_else(PoisonError::into_inner).append(&row)?;
            }
            finished.fetch_add(1, Ordering::Relaxed);
            bar.inc(1);
            Ok(row)
        };
        // A GPU measures one kernel at a time, and nothing else runs meanwhile that could disturb it.
        let threads = if self.devices.gpu.is_some() { 1 } else { 0 };
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        let pool =
            pool.map_err(|error| Trouble::judge(format!("no threads: {error}"), "end other programs"))?;
        let rows = pool.install(|| pairs.par_iter().with_max_len(1).map(one).collect::<Result<Vec<Row>>>());
        bar.finish_and_clear();
        rows
    }

    /// A student's row for an exercise. Whatever was handed in, this returns a row; an error means that nothing
    /// can be written any more.
    fn row(&self, student: &Student, exercise: &dyn Exercise, done: &Done) -> Result<Row> {
        let id = exercise.id();
        let submissions = match student.kernels(id, self.begun.attempts) {
            Ok(submissions) => submissions,
            Err(reason) => {
                let mut row = self.not_gradable(student, id, reason);
                row.handed_in = HandedIn::nothing(student);
                return Ok(row);
            }
        };
        let judged = submissions.iter().map(|submission| {
            let (mut row, report) = self.judged(student, submission, exercise, done)?;
            let (stub, cutoff) = (exercise.about().stub, self.begun.cutoff);
            row.handed_in = HandedIn::of(student, submission, stub, student.attempts(id), cutoff);
            row.points =
                self.begun.assignment.as_ref().and_then(|assignment| points::of_row(&row, assignment));
            Ok((row, report))
        });
        let judged: Vec<(Row, Option<Report>)> = judged.collect::<Result<_>>()?;
        let best = judged.into_iter().max_by(|(one, _), (other, _)| points::better(one, other));
        let Some((mut row, report)) = best else {
            return Ok(self.not_gradable(student, id, format!("no {id}/kernel.cu")));
        };
        // They are made of verdicts whenever results are written.
        row.points = None;
        if let (Some(report), Some(path)) = (report, &row.report) {
            self.keep(&report, path)?;
        }
        Ok(row)
    }

    fn not_gradable(&self, student: &Student, id: &str, reason: String) -> Row {
        let key = self.header.key(id, &reason);
        Row::without_report(&student.id, id, key, Outcome::NotGradable, reason)
    }

    /// One kernel's row, and its report, where it was judged now.
    fn judged(
        &self,
        student: &Student,
        submission: &Submission,
        exercise: &dyn Exercise,
        done: &Done,
    ) -> Result<(Row, Option<Report>)> {
        let id = exercise.id();
        let source = match &submission.kernel {
            Ok(source) => source.clone(),
            Err(reason) => return Ok((self.not_gradable(student, id, reason.clone()), None)),
        };
        let key = self.header.key(id, &source);
        let path = format!("{REPORTS}/{}/{id}.json", file_name(&student.id));
        let before = done.get(&(student.id.clone(), id.to_owned())).filter(|row| row.key == key);
        if let Some(row) = before
            && self.out.join(&path).is_file()
        {
            return Ok((row.clone(), None));
        }
        let kernel = Kernel { path: format!("{}/{id}/kernel.cu", student.id), source };
        let mut options = CheckOptions {
            device: match &self.devices.gpu {
                Some(gpu) => DeviceChoice::Gpu(Some(gpu.index)),
                None => DeviceChoice::Simulator(Some(self.devices.profile.name.to_owned())),
            },
            seed: Some(self.header.seed),
            // One kernel at a time may have all cores; where all cores have a kernel each, one is right.
            threads: if self.devices.gpu.is_some() { 0 } else { 1 },
            toolchain: Some(self.toolchain.clone()),
            ..CheckOptions::default()
        };
        if let Some(asked) = self.header.speed.get(id) {
            asked.set(&mut options);
        }
        let judged = catch_unwind(AssertUnwindSafe(|| judge::check(exercise, &kernel, &options, &|_| {})));
        let Ok(mut report) = judged else {
            let reason = "the judge panicked; this is a defect of the grader".to_owned();
            return Ok((Row::without_report(&student.id, id, key, Outcome::JudgeError, reason), None));
        };
        self.refuse_other_compiler(&mut report);
        Ok((Row::of(&student.id, key, &report, path), Some(report)))
    }

    /// Says what each row earns.
    fn count_points(&self, rows: &mut [Row]) {
        for row in rows {
            row.points =
                self.begun.assignment.as_ref().and_then(|assignment| points::of_row(row, assignment));
        }
    }

    fn keep(&self, report: &Report, path: &str) -> Result<()> {
        let file = self.out.join(path);
        let text = serde_json::to_vec_pretty(report).map_err(std::io::Error::from);
        let written = text.and_then(|text| {
            fs::create_dir_all(file.parent().unwrap_or(self.out))?;
            files::write_atomically(&file, &text)
        });
        written.map_err(|error| refused(&file, &error))
    }

    /// Grades of two compilers don't compare.
    fn refuse_other_compiler(&self, report: &mut Report) {
        if !report.compiler.is_empty() && !report.compiler.starts_with(&self.header.compiler) {
            report.judge_error = Some(format!(
                "compiled by {}, but the other submissions by {}",
                report.compiler, self.header.compiler
            ));
        }
    }

    /// Gradebook, class report, and JUnit's XML.
    fn write(&self, rows: &[Row]) -> Result<()> {
        let gradebook = self.out.join("gradebook.csv");
        let csv = gradebook::csv(rows, self.begun.assignment.as_ref())
            .map_err(|error| refused(&gradebook, &error))?;
        files::write_atomically(&gradebook, &csv).map_err(|error| refused(&gradebook, &error))?;
        let junit = self.out.join("junit.xml");
        let results: Vec<KernelResult> = rows.iter().map(Row::result).collect();
        files::write_atomically(&junit, junit::xml(&results)?.as_bytes())
            .map_err(|error| refused(&junit, &error))?;
        let titles =
            self.course.exercises.iter().map(|exercise| (exercise.id(), exercise.about().title)).collect();
        let page = overview::html(rows, self.header, &titles)
            .map_err(|error| Trouble::judge(format!("the class report: {error}"), "report this as a bug"))?;
        let path = self.out.join("report.html");
        files::write_atomically(&path, page.as_bytes()).map_err(|error| refused(&path, &error))
    }
}

fn progress_bar(rows: usize) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(Some(rows as u64), ProgressDrawTarget::stderr());
    if terminal::is_plain() {
        bar.set_draw_target(ProgressDrawTarget::hidden());
    }
    let style = ProgressStyle::with_template("{bar:32} {pos} of {len} judged, {eta} left");
    let style = style.unwrap_or_else(|_| ProgressStyle::default_bar());
    bar.set_style(if ascii::is_wanted() { style.progress_chars("=> ") } else { style });
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}

/// On Ctrl-C: workers die with this process, every finished row is on the disk, so ending at once is safe.
fn announce_interruption(finished: std::sync::Arc<AtomicUsize>, rows: usize) {
    let handler = move || {
        let finished = finished.load(Ordering::Relaxed);
        say(&format!(
            "\nstopped: {finished} of {rows} rows are done; the same command with --resume goes on"
        ));
        std::process::exit(INTERRUPTED);
    };
    // Without a handler an interruption ends the program all the same, only without this sentence.
    let _ = ctrlc::set_handler(handler);
}

/// The shell's number for a program that SIGINT ended.
const INTERRUPTED: i32 = 130;

fn summary(course: Course<'_>, rows: &[Row], terminal: Terminal) -> String {
    use harness::report::Verdict;
    let header = ["Exercise", "Passed", "Failed", "Inconclusive", "Not gradable", "Judge error"];
    let mut out = table::new(terminal, &header);
    for exercise in course.exercises {
        let of: Vec<&Row> = rows.iter().filter(|row| row.exercise == exercise.id()).collect();
        let verdicts =
            |verdict: Verdict| table::right(of.iter().filter(|row| row.verdict == Some(verdict)).count());
        let outcomes =
            |outcome: Outcome| table::right(of.iter().filter(|row| row.outcome == outcome).count());
        out.add_row([
            Cell::new(exercise.id()),
            verdicts(Verdict::Passed),
            verdicts(Verdict::Failed),
            verdicts(Verdict::Inconclusive),
            outcomes(Outcome::NotGradable),
            outcomes(Outcome::JudgeError),
        ]);
    }
    table::keep_whole(&mut out, 1);
    format!("{}\n", table::text(&out, terminal))
}
