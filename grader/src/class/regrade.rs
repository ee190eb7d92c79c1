//! `grader class regrade`: judges again, shows what would change, and changes it only with `--apply`.
//!
//! The reports that a table was made of are kept, and `--apply` takes them: on a GPU another judging could say something
//! else. It judges only what has no report of the same grader, kernel, compiler, device, seed and speed goals.

use std::{collections::BTreeMap, path::Path, sync::Mutex};

use comfy_table::Cell;
use harness::report::{Report, number_of, number_which};
use rayon::prelude::*;

use super::{
    export::{self, Export, assignment_of},
    header::Header,
    judging::{Judging, locked},
    log::Event,
    place::{Place, option_of},
    points,
    row::{Made, Outcome, Row},
    store::{Proposed, Store},
};
use crate::{
    cli::class::Regrade,
    course::Course,
    exit::{Exit, Result, Trouble},
    table,
    terminal::{Terminal, remark},
    visible::{one_line, quoted, shown},
};

/// Runs it.
///
/// # Errors
/// Wrong usage, or results that can't be written.
pub fn run(course: Course<'_>, regrade: &Regrade, terminal: Terminal) -> Result<Exit> {
    let (mut store, mut header) = Store::open(&regrade.results)?;
    if regrade.apply && !store.has_ended() {
        return Err(Trouble::usage(
            format!("the scoring of {} has not ended: rows are missing", shown(&regrade.results)),
            "the same `grader class score` as before goes on with it; then judge again",
        ));
    }
    let place = Place::find(&regrade.machine.device, &regrade.machine.compiling)?;
    place.require(&header)?;
    let is_one_judge = require_one_judge(&header, &place.judge, &regrade.results);
    let alone = regrade.student.as_ref().and(is_one_judge.err());
    if regrade.apply
        && let Some(trouble) = alone
    {
        return Err(trouble);
    }
    let before = std::mem::replace(&mut header.judge, place.judge.clone());
    place.ask(course, &mut header)?;
    let judging = place.judging(&header, regrade.machine.jobs);
    let rows: Vec<Row> = store.rows().filter(|row| is_meant(row, regrade)).cloned().collect();
    if rows.is_empty() {
        let who = regrade
            .student
            .as_deref()
            .map(|student| format!(" of {}", one_line(student)))
            .unwrap_or_default();
        let next = "gradebook.csv has the students, spelled as they are here";
        return Err(Trouble::usage(format!("{} has no judged row{who}", shown(&regrade.results)), next));
    }
    let shown = if regrade.apply { store.proposed() } else { Proposed::new() };
    let store = Mutex::new(store);
    let again = again(course, &judging, &store, &rows, &shown)?;
    let mut store = store.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    let changed: Vec<(&Row, &Row)> = again
        .iter()
        .flat_map(|(rows, _)| rows)
        .filter_map(|new| rows.iter().find(|old| same_owner(old, new)).map(|old| (old, new)))
        .filter(|(old, new)| is_changed(old, new))
        .collect();
    let judged = again.iter().map(|(rows, _)| rows.len()).sum();
    crate::print(&changes(&changed, judged, terminal));
    let broken = rows.len() - judged;
    if broken > 0 {
        remark(&format!(
            "{broken} of {} rows could not be judged again, because their report is damaged or the judge failed: they stay as they \
             are",
            rows.len()
        ));
    }
    if !regrade.apply {
        let next = match &alone {
            Some(trouble) => trouble.next.as_str(),
            None => "the same command with --apply changes it",
        };
        if alone.is_none() {
            store.propose(again.iter().map(|(rows, report)| (key_of(rows), report)))?;
            export::write_head(&regrade.results, store.head())?;
        }
        if !changed.is_empty() {
            crate::print(&format!("nothing is changed yet: {next}\n"));
        }
        return Ok(if broken > 0 { Exit::JudgeError } else { Exit::Passed });
    }
    let anew = again.iter().filter(|(rows, _)| !shown.contains_key(key_of(rows))).count();
    anew_in_words(anew, !shown.is_empty()).iter().for_each(|said| remark(said));
    if broken > 0 && before != header.judge {
        return Err(Trouble::judge(
            format!(
                "nothing is changed: what could not be judged again was judged by grader {before}, and this is {}",
                header.judge
            ),
            "the same `grader class score` as before judges all rows by this grader, from what was handed in",
        ));
    }
    store.begin(&header, place.machine())?;
    for (rows, report) in &again {
        store.keep_judgement(key_of(rows), report, true)?;
        let made: Vec<Made> = rows.iter().map(|row| Made { row: row.clone(), of: String::new() }).collect();
        store.keep(&made, Some("regrade"))?;
    }
    store.forget_proposed()?;
    let judge_errors = store.rows().filter(|row| row.outcome == Outcome::JudgeError).count();
    store.say(Event::Ended { rows: store.rows().count(), judge_errors, took: None })?;
    let rows: Vec<Row> = store.rows().cloned().collect();
    Export { course, header: &header, rows: &rows, store: &store }.write(&regrade.results, store.head())?;
    crate::print(&format!("changed, and the files are written anew\naudit head {}\n", store.head()));
    Ok(if broken > 0 { Exit::JudgeError } else { Exit::Passed })
}

/// Refuses to judge one student of a class by another grader than the others.
fn require_one_judge(header: &Header, now: &str, results: &Path) -> Result<()> {
    match header.judge == now {
        true => Ok(()),
        false => Err(Trouble::usage(
            format!(
                "the class was judged by grader {}, and this is {now}: one student's grades would not compare with the \
                 others'",
                header.judge
            ),
            format!(
                "`grader class regrade {} --apply --device {}` judges the whole class by this grader",
                quoted(results),
                option_of(&header.device)
            ),
        )),
    }
}

fn is_meant(row: &Row, regrade: &Regrade) -> bool {
    row.outcome == Outcome::Graded && regrade.student.as_ref().is_none_or(|student| *student == row.student)
}

fn same_owner(one: &Row, other: &Row) -> bool {
    (&one.student, &one.exercise) == (&other.student, &other.exercise)
}

/// Whether anything that counts is different.
fn is_changed(old: &Row, new: &Row) -> bool {
    let verdicts = |row: &Row| -> Vec<_> { row.goals.iter().map(|goal| (goal.goal, goal.verdict)).collect() };
    (old.outcome, old.verdict) != (new.outcome, new.verdict) || verdicts(old) != verdicts(new)
}

/// What is said of kernels that were judged anew, although a table was to be applied.
fn anew_in_words(count: usize, was_shown: bool) -> Option<String> {
    let which = number_which(count, "kernel", "was", "were");
    match (count, was_shown) {
        (0, _) => None,
        (_, true) => Some(format!("{which} judged anew: not in the table that was shown, or changed since")),
        (_, false) => Some(format!(
            "{which} judged anew: no table was shown before, or it was applied already, or changed since"
        )),
    }
}

/// New rows with their report, one judgement after the other. Those that the judge could not decide are left out.
type Again = Vec<(Vec<Row>, Report)>;

/// The key of a judgement that these rows come from.
fn key_of(rows: &[Row]) -> &str {
    rows.first().map_or("", |row| &row.key)
}

/// What the rows are now: by the reports that were shown where there are some, and otherwise judged again.
fn again(
    course: Course<'_>,
    judging: &Judging<'_>,
    store: &Mutex<Store>,
    rows: &[Row],
    shown: &Proposed,
) -> Result<Again> {
    let mut by_key: BTreeMap<&str, Vec<&Row>> = BTreeMap::new();
    rows.iter().for_each(|row| by_key.entry(&row.key).or_default().push(row));
    let assignment = assignment_of(judging.header, course)?;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(judging.jobs + 2 * judging.gpus).build();
    let pool = pool.map_err(|error| Trouble::judge(format!("no threads: {error}"), "end other programs"))?;
    let one = |(key, rows): (&str, Vec<&Row>)| {
        let exercise = course.exercises.iter().find(|exercise| exercise.id() == rows[0].exercise)?;
        let before = locked(store).report(key)?;
        let key = judging.header.key(exercise.id(), &before.source);
        let report = match shown.get(&key) {
            Some(report) => report.clone(),
            None => {
                judging.report(*exercise, &before.source).filter(|report| report.judge_error.is_none())?
            }
        };
        let new = |old: &&Row| {
            let row = Row { handed_in: old.handed_in.clone(), ..Row::of(&old.student, key.clone(), &report) };
            let points = assignment.as_ref().and_then(|assignment| points::of_row(&row, assignment));
            Row { points, ..row }
        };
        Some((rows.iter().map(new).collect(), report))
    };
    let mut again: Again = pool.install(|| by_key.into_par_iter().filter_map(one).collect());
    judging.floor.close();
    let settled = judging.floor.settled();
    settled.told.iter().for_each(|said| remark(said));
    // What a GPU that drifted has timed says nothing.
    again.retain(|(rows, _): &(Vec<Row>, Report)| {
        rows.first().is_none_or(|row| !settled.again.contains(&row.key))
    });
    Ok(again)
}

fn changes(changed: &[(&Row, &Row)], of: usize, terminal: Terminal) -> String {
    if changed.is_empty() {
        return format!("{} judged again: all the same\n", number_of(of, "row"));
    }
    let mut out = table::new(terminal, &["Student", "Exercise", "Was", "Is", "Goals that changed"]);
    for (old, new) in changed {
        let goals: Vec<String> = new
            .goals
            .iter()
            .filter_map(|goal| {
                let before = old.goals.iter().find(|old| old.goal == goal.goal).map(|old| old.verdict.name());
                let before = before.unwrap_or("not there");
                (before != goal.verdict.name())
                    .then(|| format!("{}: {before} → {}", goal.goal.name(), goal.verdict.name()))
            })
            .collect();
        out.add_row([
            Cell::new(one_line(&new.student)),
            Cell::new(&new.exercise),
            Cell::new(old.status()),
            Cell::new(new.status()),
            Cell::new(goals.join(", ")),
        ]);
    }
    table::keep_whole(&mut out, 2);
    format!("{}\n{} of {} change\n", table::text(&out, terminal), changed.len(), number_of(of, "row"))
}

#[cfg(test)]
mod tests {
    use harness::device::{DeviceChoice, Devices, GpuInfo};

    use super::*;
    use crate::{
        class::turns::{Floor, Gauge},
        made_up,
        sample::{failed, passed},
    };

    #[derive(Debug)]
    struct NoGauge;

    impl Gauge for NoGauge {
        fn read(&self, gpu: &GpuInfo) -> Result<f64, String> {
            Err(format!("{} is not there", gpu.title()))
        }
    }

    /// Nothing can be judged here: there is no compiler. So whatever is known was shown before.
    #[test]
    fn what_was_shown_is_taken_and_not_judged_again() {
        let folder = tempfile::tempdir().unwrap();
        let header = Header::new("2 (b)".into(), "c".into(), "sim:h200".into(), 7, "now".into());
        let mut store = Store::create(folder.path(), &header).unwrap();
        let was = Report { source: "// of ada\n".to_owned(), ..passed() };
        store.keep_judgement("by grader 1", &was, true).unwrap();
        let row = Row::of("ada", "by grader 1".to_owned(), &was);
        store.keep(&[Made { row, of: String::new() }], None).unwrap();
        let rows: Vec<Row> = store.rows().cloned().collect();
        let is = Report { source: was.source.clone(), ..failed() };
        let key = header.key(&was.exercise, &was.source);
        store.propose([(key.as_str(), &is)].into_iter()).unwrap();
        let shown = store.proposed();
        let store = Mutex::new(store);
        let devices = Devices::resolve(&DeviceChoice::Simulator(None)).unwrap();
        let toolchain = made_up::toolchain();
        let again_by = |header: &Header| {
            let judging = Judging {
                header,
                devices: &devices,
                toolchain: &toolchain,
                jobs: 1,
                threads: 1,
                gpus: 0,
                floor: Floor::new(1, Vec::new(), Box::new(NoGauge)),
            };
            let course = Course { exercises: course::COURSE };
            again(course, &judging, &store, &rows, &shown).unwrap()
        };
        let taken = again_by(&header);
        assert_eq!(taken.len(), 1);
        assert_eq!((&taken[0].1, key_of(&taken[0].0)), (&is, key.as_str()));
        let others: [fn(&mut Header); 5] = [
            |header| header.judge.push('2'),
            |header| header.compiler.push('2'),
            |header| header.device.push('2'),
            |header| header.seed += 1,
            |header| drop(header.speed.insert("03-reduction".to_owned(), Default::default())),
        ];
        for other in others {
            let mut header = header.clone();
            other(&mut header);
            assert!(again_by(&header).is_empty(), "it was shown of another judging");
        }
    }

    #[test]
    fn what_was_judged_anew_is_said() {
        assert_eq!(anew_in_words(0, true), None);
        let some = anew_in_words(1, true).unwrap();
        assert!(some.starts_with("1 kernel was judged anew: not in the table that was shown"), "{some}");
        let all = anew_in_words(2, false).unwrap();
        assert!(all.starts_with("2 kernels were judged anew: no table was shown before"), "{all}");
    }

    #[test]
    fn one_student_is_judged_by_the_grader_that_judged_the_others() {
        let header =
            Header::new("1 (a)".into(), "c".into(), "gpu (NVIDIA H200) + sim:h200".into(), 7, "now".into());
        assert!(require_one_judge(&header, "1 (a)", Path::new("results")).is_ok());
        let refused = require_one_judge(&header, "2 (b)", Path::new("my results")).unwrap_err();
        assert!(refused.message.contains("judged by grader 1 (a), and this is 2 (b)"), "{}", refused.message);
        assert!(
            refused.next.starts_with("`grader class regrade 'my results' --apply --device gpu` judges"),
            "{}",
            refused.next
        );
    }
}
