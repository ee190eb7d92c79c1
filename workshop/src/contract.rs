//! What every exercise promises, and proving it by running its kernels.
//!
//! A stub compiles and fails its declared goals and no others; a solution passes, and so does every right kernel
//! in another style; a step is right and clean, and passes too but for the counters it declares; a wrong kernel
//! fails for its declared reason and passes everything else; stub and solution are equal outside the marked
//! regions; nothing lies around. What is compared is printed, so that
//! an empty comparison shows.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    panic::{AssertUnwindSafe, catch_unwind},
    path::{Path, PathBuf},
};

use grader::{
    hints,
    kernels::{self, Candidate, Role},
    regions::{MARKS, regions},
};
use harness::{
    exercise::{About, Constants, Exercise, On, SpeedGoals},
    plan::{BufferId, Expected, Plan, Step},
    report::{Failure, Goal, Report, Verdict},
};
use warpsim::{FindingKind, Severity};

use crate::mutate;

mod extremes;
pub mod sums;
pub mod width;

/// Fewer wrong kernels than this prove too little, and fewer right ones.
const WRONG_KERNELS: usize = 5;
const RIGHT_KERNELS: usize = 5;
/// Fewer hints than this are no ladder.
const HINTS: usize = 3;
/// Warp instructions of all the simulator's cases together: two seconds of one core with all checks on.
const INSTRUCTIONS: u64 = 30_000_000;
/// What `workshop new` leaves where an author must write.
const HOLE: &str = "HOLE";

/// Looks an exercise's files over and lists its kernels. Problems are sentences.
pub fn inspect(root: &Path, exercise: &dyn Exercise, problems: &mut Vec<String>) -> Vec<Candidate> {
    let id = exercise.id();
    let folder = PathBuf::from("solutions").join(id);
    if exercise.about().stub_fails.is_empty() {
        problems.push("the stub declares no goal that it fails".to_owned());
    }
    let general = hints::general(exercise.about().hints);
    if general < HINTS {
        problems.push(format!("{general} hints for any failure, expected at least {HINTS}"));
    }
    if exercise.about().speed_goals.pass_speedup.is_some()
        && !hints::has_own(exercise.about().hints, Failure::SPEEDUP)
    {
        problems.push("a pass takes a speedup, and no hint is for a kernel that is too slow".to_owned());
    }
    problems.extend(yardstick_problem(&exercise.about()));
    problems.extend(step_problems(&exercise.about(), &root.join(&folder)));
    if hints::passed(exercise.about().hints).len() < 2 {
        problems.push("nothing to show after passing: an explanation, and what to try next".to_owned());
    }
    let names: Vec<String> = exercise.cases().into_iter().map(|case| case.name).collect();
    problems.extend(hints::problems(exercise.about().hints, &names));
    let numbers: BTreeSet<usize> = exercise.cases().iter().map(|case| case.index).collect();
    if numbers.len() != exercise.cases().len() {
        problems.push("two cases have the same number".to_owned());
    }
    let candidates = kernels::of(root, exercise, problems);
    if let Some(solution) = candidates.iter().find(|candidate| candidate.role == Role::Solution) {
        problems.extend(compare_outside_regions(exercise.about().stub, &solution.source));
    }
    for (role, name, least) in [(Role::Wrong, "wrong", WRONG_KERNELS), (Role::Right, "right", RIGHT_KERNELS)]
    {
        let found = candidates.iter().filter(|candidate| candidate.role == role).count();
        if found < least {
            problems.push(format!("{found} {name} kernels, expected at least {least}"));
        }
    }
    problems.extend(extremes::unused(exercise.about().constants, &candidates));
    let chapter = Path::new("book/src/chapters").join(format!("{id}.md"));
    if !root.join(&chapter).is_file() {
        problems.push(format!("no chapter at {}", chapter.display()));
    }
    let crate_folder = Path::new("exercises").join(id);
    let of_crate = ["Cargo.toml", "src/lib.rs", "hints.md"].map(|file| crate_folder.join(file));
    let texts = std::iter::once(chapter).chain(of_crate);
    let files = candidates.iter().map(|candidate| candidate.file.clone()).chain(texts);
    problems.extend(files.filter_map(|file| holes(root, &file)));
    let expected = ["kernel.cu", "counts.txt", "equivalent.toml", "steps", "right", "wrong"];
    problems.extend(
        strays(&root.join(&folder), &expected)
            .into_iter()
            .map(|name| format!("stray {name} in {}", folder.display())),
    );
    problems.extend(mutate::record_problems(root, exercise));
    candidates
}

/// What is wrong with the step that is measured on GPUs that nobody has measured on: a sentence. Where speed is asked for
/// there must be one.
fn yardstick_problem(about: &About) -> Option<String> {
    match about.yardstick {
        None if about.speed_goals == SpeedGoals::default() => None,
        None => Some("speed is asked for, and no yardstick says what to ask on other GPUs".to_owned()),
        Some(name) if about.step(name).is_some() => None,
        Some(name) => Some(format!("the yardstick, {name}, is none of this exercise's steps")),
    }
}

/// What is wrong with the steps that the program carries: sentences. They are those of the `steps` folder.
fn step_problems(about: &About, folder: &Path) -> Vec<String> {
    let files = fs::read_dir(folder.join("steps")).into_iter().flatten().flatten();
    let there: BTreeMap<String, String> = files
        .filter_map(|file| {
            let name = file.path().file_stem()?.to_str()?.to_owned();
            Some((name, fs::read_to_string(file.path()).ok()?))
        })
        .collect();
    let carried: BTreeMap<String, String> =
        about.steps.iter().map(|step| (step.name.to_owned(), step.source.to_owned())).collect();
    let names = there.keys().chain(carried.keys()).collect::<BTreeSet<_>>();
    names
        .into_iter()
        .filter_map(|name| match (there.get(name), carried.get(name)) {
            (Some(_), None) => Some(format!("steps/{name}.cu is not in `About::steps`")),
            (None, Some(_)) => Some(format!("`About::steps` has {name}, and there is no steps/{name}.cu")),
            (there, carried) => (there != carried).then(|| format!("the step {name} is older than its file")),
        })
        .collect()
}

/// What is wrong with an exercise's timed cases: sentences. What nothing checks, a kernel need not compute;
/// what a plan lists is the same in every timed run, so that a kernel could keep it.
pub fn timed_problems(exercise: &dyn Exercise) -> Vec<String> {
    let least =
        exercise.about().constants.iter().map(|bound| (bound.name.to_owned(), bound.at_least)).collect();
    let constants = Constants(least);
    let mut problems = Vec::new();
    for case in exercise.cases().iter().filter(|case| case.on == On::GpuTimed) {
        let plan = catch_unwind(AssertUnwindSafe(|| exercise.plan(case, 1, &constants)));
        let Ok(plan) = plan else {
            problems.push(format!("case {} has no plan for the least of its constants", case.name));
            continue;
        };
        problems
            .extend(timed_plan_problems(&plan).into_iter().map(|what| format!("case {} {what}", case.name)));
    }
    problems
}

fn timed_plan_problems(plan: &Plan) -> Vec<String> {
    let mut problems = Vec::new();
    if plan.timed.is_empty() {
        problems.push("is timed and has no timed step".to_owned());
    }
    if plan.expectations.is_empty() {
        problems.push("is timed, and nothing says what must come out".to_owned());
    }
    let name = |id: &BufferId| &plan.buffers[id.0].name;
    for expectation in &plan.expectations {
        if matches!(expectation.expected, Expected::Elements { .. }) {
            problems.push(format!(
                "is timed and lists what `{}` must be, so that every timed run has the same values: use expect_reference",
                name(&expectation.buffer)
            ));
        }
    }
    let checked = |id: &BufferId| plan.expectations.iter().any(|expectation| expectation.buffer == *id);
    let unchecked = read_back(&plan.steps).into_iter().filter(|id| !checked(id));
    problems
        .extend(unchecked.map(|id| format!("is timed and reads `{}` back, which nothing checks", name(&id))));
    problems
}

fn read_back(steps: &[Step]) -> Vec<BufferId> {
    let of = |step: &Step| match step {
        Step::ReadBack(id) | Step::ReadGlobal { into: id, .. } => vec![*id],
        Step::Repeat { steps, .. } => read_back(steps),
        Step::Launch(_) | Step::SetGlobal { .. } => Vec::new(),
    };
    steps.iter().flat_map(of).collect()
}

/// The lines of a file that its author has still to write.
fn holes(root: &Path, file: &Path) -> Option<String> {
    let text = fs::read_to_string(root.join(file)).ok()?;
    let lines: Vec<String> = (1..)
        .zip(text.lines())
        .filter(|(_, line)| has_hole(line))
        .map(|(number, _): (usize, _)| number.to_string())
        .collect();
    let named = if lines.len() == 1 { "line" } else { "lines" };
    (!lines.is_empty()).then(|| format!("{}: to be written: {named} {}", file.display(), lines.join(", ")))
}

/// As a word of its own: a kernel may well have a `WHOLE`.
fn has_hole(line: &str) -> bool {
    line.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == HOLE)
}

fn strays(folder: &Path, expected: &[&str]) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().filter_map(|entry| entry.ok());
    entries
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .filter(|name| !expected.contains(&name.as_str()))
        .collect()
}

/// Why stub and solution differ outside the marked regions, if they do.
fn compare_outside_regions(stub: &str, solution: &str) -> Option<String> {
    let (stub, regions) = outside(stub);
    let (solution, solved) = outside(solution);
    if regions == 0 {
        return Some(format!("the stub has no region between {} and {}", MARKS.0, MARKS.1));
    }
    if regions != solved {
        return Some(format!("the stub has {regions} marked regions, the solution {solved}"));
    }
    let differing = stub.iter().zip(&solution).find(|(stub, solution)| stub.1 != solution.1);
    match differing {
        Some((stub, solution)) => Some(format!(
            "stub and solution differ outside the marked regions: line {} is `{}`, line {} of the solution is `{}`",
            stub.0, stub.1, solution.0, solution.1
        )),
        None if stub.len() != solution.len() => {
            Some("stub and solution differ in length outside the marked regions".to_owned())
        }
        None => None,
    }
}

/// The numbered lines outside regions (the marks included), and how many regions there are.
fn outside(source: &str) -> (Vec<(usize, &str)>, usize) {
    let regions = regions(source);
    let lines = source.lines().enumerate().filter(|(number, _)| !regions.iter().any(|r| r.contains(number)));
    (lines.map(|(number, line)| (number + 1, line)).collect(), regions.len())
}

/// Why a learner who writes this wrong kernel gets no hint for it: the exercise has
/// none for what fails first.
pub fn without_hint(exercise: &dyn Exercise, candidate: &Candidate, report: &Report) -> Option<String> {
    if candidate.role != Role::Wrong || report.judge_error.is_some() {
        return None;
    }
    let failure = hints::failures(report).into_iter().next()?;
    (!hints::has_own(exercise.about().hints, failure))
        .then(|| format!("no hint for {failure}: hints.md needs a section of that name"))
}

/// Says that no kernel of the course is known to reach an exercise's expert goal: the step that the goal was made
/// from misses it. A sentence.
pub fn beyond_reach(about: &About, candidate: &Candidate, report: &Report) -> Option<String> {
    let yardstick = about.step(about.yardstick?)?;
    let missed = report.goals.iter().find(|goal| goal.goal == Goal::Expert && goal.has_failed())?;
    (candidate.role == Role::Step && candidate.source == yardstick.source).then(|| {
        format!(
            "should reach the expert goal, {}, but reaches {}: make the step faster, or ask for nothing",
            missed.asked_in_words(),
            missed.found_in_words()
        )
    })
}

/// What became of a kernel that should not have.
pub fn judge(candidate: &Candidate, report: &Report) -> Vec<String> {
    if let Some(why) = &report.judge_error {
        return vec![format!("judge error: {why}")];
    }
    let failed: BTreeSet<Goal> =
        report.goals.iter().filter(|goal| goal.has_failed()).map(|goal| goal.goal).collect();
    let errors = report.findings.iter().filter(|finding| finding.is_error());
    let kinds: BTreeSet<FindingKind> = errors.map(|finding| finding.kind).collect();
    let mut problems = Vec::new();
    match candidate.role {
        Role::Solution => {
            if report.verdict != Verdict::Passed {
                problems.push(format!("should pass, but failed {}", list(&failed)));
            }
            let instructions: u64 = report
                .cases
                .iter()
                .filter_map(|case| case.counters)
                .map(|counters| counters.ptx_instructions)
                .sum();
            if instructions > INSTRUCTIONS {
                problems.push(format!(
                    "its cases take {instructions} warp instructions, at most {INSTRUCTIONS} fit"
                ));
            }
        }
        Role::Right => {
            if report.verdict != Verdict::Passed {
                problems.push(format!(
                    "is right and should pass, but failed {}: correct the bound, or the kernel if it isn't",
                    list(&failed)
                ));
            }
        }
        Role::Step => {
            // Whoever hands it in gets its speed judged; it may be slow.
            let slow = |goal: &Goal| matches!(goal, Goal::Speedup | Goal::Expert);
            let failed: BTreeSet<Goal> = failed.iter().copied().filter(|goal| !slow(goal)).collect();
            let declared: BTreeSet<Goal> = candidate.fails.iter().map(|failure| failure.goal()).collect();
            if failed != declared {
                problems.push(format!(
                    "should be right and clean and fail {}, but failed {}",
                    list(&declared),
                    list(&failed)
                ));
            }
        }
        Role::Baseline => {
            // One that several exercises share has not the form of each one's learners' files: constants are missing. What
            // the compiler says against it is told below.
            let broken: BTreeSet<Goal> = failed
                .iter()
                .copied()
                .filter(|goal| goal.is_of_right_kernels() && *goal != Goal::Compile)
                .collect();
            if !broken.is_empty() {
                problems.push(format!("should be right and clean, but failed {}", list(&broken)));
            }
        }
        Role::Stub | Role::Wrong => {
            let goals = |failures: &BTreeSet<Failure>| -> BTreeSet<Goal> {
                failures.iter().map(|failure| failure.goal()).collect()
            };
            let (must, may) = (goals(&candidate.fails), goals(&candidate.may_fail));
            let surplus = failed.difference(&must).any(|goal| !may.contains(goal));
            if surplus || !must.is_subset(&failed) {
                problems.push(format!("should fail {}, but failed {}", list(&must), list(&failed)));
            }
            let expected: BTreeSet<FindingKind> =
                candidate.fails.iter().filter_map(|failure| failure.finding()).collect();
            if expected != kinds && (!expected.is_empty() || candidate.role == Role::Wrong) {
                let names =
                    |kinds: &BTreeSet<FindingKind>| list(&kinds.iter().map(|kind| kind.name()).collect());
                problems.push(format!(
                    "should have findings {}, but has {}",
                    names(&expected),
                    names(&kinds)
                ));
            }
        }
    }
    if let Some(message) = report.diagnostics.iter().find(|message| message.severity == Severity::Error) {
        problems.push(format!("does not compile: {}", message.message));
    }
    problems
}

fn list(names: &BTreeSet<impl ToString>) -> String {
    match names.is_empty() {
        true => "nothing".to_owned(),
        false => names.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "),
    }
}

#[cfg(test)]
mod tests {
    use harness::{
        exercise::{Counter, PublishedStep},
        report::{Diagnostic, GoalResult},
    };

    use super::*;
    use crate::sample;

    #[test]
    fn stub_and_solution_are_equal_outside_the_regions() {
        let stub = "a\n// >>> yours\n// <<<\nb\n";
        assert_eq!(compare_outside_regions(stub, "a\n// >>> yours\nx\ny\n// <<<\nb\n"), None);
        assert!(
            compare_outside_regions(stub, "a\n// >>> yours\nx\n// <<<\nc\n")
                .unwrap()
                .contains("line 4 is `b`")
        );
        assert!(
            compare_outside_regions(stub, "a\n// >>> yours\nx\n// <<<\nb\nc\n").unwrap().contains("length")
        );
        assert!(compare_outside_regions("a\n", "a\n").unwrap().contains("no region"));
    }

    #[test]
    fn a_hole_is_a_word() {
        assert!(
            has_hole("// HOLE: the task in a few words.") && has_hole("- [19 HOLE: title](chapters/19.md)")
        );
        assert!(!has_hole("constexpr int WHOLE = RADIUS / VECTOR * VECTOR;") && !has_hole("int HOLE_COUNT;"));
    }

    const FAST: PublishedStep = PublishedStep { name: "2-fast", source: "fast" };

    #[test]
    fn a_yardstick_is_there_where_speed_is_asked_for_and_is_a_step() {
        let asks = SpeedGoals { expert_speedup: Some(2.0), ..SpeedGoals::default() };
        let asking = About { speed_goals: asks, steps: &[FAST], ..About::default() };
        assert_eq!(yardstick_problem(&About::default()), None);
        assert!(yardstick_problem(&asking).unwrap().contains("no yardstick"));
        assert_eq!(yardstick_problem(&About { yardstick: Some("2-fast"), ..asking }), None);
        let gone = yardstick_problem(&About { yardstick: Some("3-gone"), ..asking });
        assert!(gone.unwrap().contains("none of this exercise's steps"));
    }

    #[test]
    fn the_program_carries_every_step() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("steps")).unwrap();
        fs::write(folder.path().join("steps/2-fast.cu"), "fast").unwrap();
        let problems = |steps| step_problems(&About { steps, ..About::default() }, folder.path());
        assert_eq!(problems(&[FAST]), [""; 0]);
        assert!(problems(&[])[0].contains("not in `About::steps`"));
        assert!(problems(&[PublishedStep { source: "slow", ..FAST }])[0].contains("older"));
        assert!(problems(&[FAST, PublishedStep { name: "3-gone", ..FAST }])[0].contains("there is no"));
    }

    #[test]
    fn a_timed_case_is_checked_and_lists_nothing() {
        use harness::plan::{Bytes, Element, Fill, Launch, Tolerance};
        let mut plan = Plan::new();
        let [out, more] =
            ["out", "more"].map(|name| plan.buffer(name, Element::I32, &[1], Fill::Uninitialized));
        let problems = timed_plan_problems(&plan);
        assert!(
            problems[0].contains("no timed step") && problems[1].contains("nothing says"),
            "{problems:?}"
        );
        plan.launch(Launch::new("k", 1, 1).buffers([out]));
        plan.expect_reference(out, Tolerance::Exact);
        assert_eq!(timed_plan_problems(&plan), [""; 0]);
        plan.steps.push(Step::ReadBack(more));
        assert!(timed_plan_problems(&plan)[0].contains("reads `more` back, which nothing checks"));
        plan.expect(more, Bytes::of(&[1]), Tolerance::Exact);
        assert!(timed_plan_problems(&plan)[0].contains("lists what `more` must be"));
    }

    #[test]
    fn a_wrong_kernel_fails_for_its_reason_and_no_other() {
        let candidate = |fails: &[&str]| Candidate {
            role: Role::Wrong,
            file: PathBuf::new(),
            source: String::new(),
            fails: fails.iter().map(|name| name.parse().unwrap()).collect(),
            may_fail: BTreeSet::new(),
        };
        let report = sample::failed();
        assert_eq!(
            judge(&candidate(&["correct", "clean/race", "clean/out_of_bounds"]), &report),
            Vec::<String>::new()
        );
        insta::assert_snapshot!(judge(&candidate(&["correct"]), &report).join("\n"), @r"
        should fail correct, but failed correct, clean
        should have findings nothing, but has out_of_bounds, race
        ");
        assert_eq!(judge(&candidate(&["correct", "clean/race"]), &report).len(), 1);
        let unclean = candidate(&["clean/race", "clean/out_of_bounds"]);
        assert_eq!(judge(&unclean, &report).len(), 1);
        let unlucky = Candidate { may_fail: BTreeSet::from([Failure::CORRECT]), ..unclean };
        assert_eq!(judge(&unlucky, &report), Vec::<String>::new());
    }

    /// What is wrong with a kernel that fails one goal and no other.
    fn failing(goal: Goal, role: Role, declared: &[Goal]) -> Vec<String> {
        let mut report = sample::passed();
        let result = GoalResult { goal, verdict: Verdict::Failed, required: true, ..report.goals[0].clone() };
        report.goals = vec![result];
        report.verdict = Verdict::Failed;
        let candidate = Candidate {
            role,
            file: PathBuf::new(),
            source: String::new(),
            fails: declared.iter().copied().map(Failure::Goal).collect(),
            may_fail: BTreeSet::new(),
        };
        judge(&candidate, &report)
    }

    #[test]
    fn whoever_may_be_slow_must_still_be_right_clean_and_permitted() {
        for goal in Goal::all() {
            let is_slow = matches!(goal, Goal::Speedup | Goal::Expert);
            let is_counter = matches!(goal, Goal::Counter(_));
            let has_other_form = goal == Goal::Compile;
            assert_eq!(
                failing(goal, Role::Baseline, &[]).is_empty(),
                is_slow || is_counter || has_other_form,
                "{goal}"
            );
            assert_eq!(failing(goal, Role::Step, &[]).is_empty(), is_slow, "{goal}");
            assert!(
                !failing(goal, Role::Right, &[]).is_empty() && !failing(goal, Role::Solution, &[]).is_empty()
            );
        }
    }

    /// It need not have the form of a learner's file, and so may fail `compile`; what the compiler says against it counts.
    #[test]
    fn a_baseline_that_is_no_cuda_is_told() {
        assert_eq!(failing(Goal::Compile, Role::Baseline, &[]), [""; 0]);
        let mut report = sample::passed();
        report.diagnostics.push(Diagnostic {
            place: None,
            severity: Severity::Error,
            message: "identifier \"ouch\" is undefined".to_owned(),
            excerpt: String::new(),
            help: None,
        });
        let candidate = Candidate {
            role: Role::Baseline,
            file: PathBuf::new(),
            source: String::new(),
            fails: BTreeSet::new(),
            may_fail: BTreeSet::new(),
        };
        assert_eq!(judge(&candidate, &report), ["does not compile: identifier \"ouch\" is undefined"]);
    }

    #[test]
    fn the_step_that_the_expert_goal_is_made_from_reaches_it() {
        let about = About { steps: &[FAST], yardstick: Some(FAST.name), ..About::default() };
        let problem = |source: &str, verdict| {
            let mut report = sample::passed();
            report.goals = vec![GoalResult { goal: Goal::Expert, verdict, ..report.goals[0].clone() }];
            let candidate = Candidate {
                role: Role::Step,
                file: PathBuf::new(),
                source: source.to_owned(),
                fails: BTreeSet::new(),
                may_fail: BTreeSet::new(),
            };
            beyond_reach(&about, &candidate, &report)
        };
        assert!(problem("fast", Verdict::Failed).is_some_and(|problem| problem.contains("faster")));
        assert_eq!(problem("fast", Verdict::Passed), None);
        assert_eq!(problem("slow", Verdict::Failed), None);
    }

    #[test]
    fn a_step_fails_the_counters_that_it_declares_and_no_others() {
        let [declared, other] = [Counter::Barriers, Counter::GlobalLoadSectors].map(Goal::Counter);
        assert!(failing(declared, Role::Step, &[declared]).is_empty());
        assert!(!failing(other, Role::Step, &[declared]).is_empty());
        // It passes what it says that it fails.
        assert!(!failing(Goal::Speedup, Role::Step, &[declared]).is_empty());
    }
}
