//! A learner's first day: from an empty folder through three exercises, with the usual mistakes, in `grader watch`.
//!
//! Every screen on the way is kept whole, as a terminal of 80 by 24 and one of 120 by 40 show it: `day/SIZE/STEP.txt`.

use std::{
    fs,
    path::{Path, PathBuf},
};

use snapbox::{Assert, Data};

use crate::{
    support::Place,
    terminal::{Session, WAITS},
};

/// A learner at a terminal.
struct Day {
    place: Place,
    size: (u16, u16),
    steps: usize,
    session: Session,
}

impl Day {
    /// Types a command.
    fn command(place: Place, size: (u16, u16)) -> Self {
        let session = Session::sized(&place.path(""), &["init", "course"], size);
        Day { place, size, steps: 0, session }
    }

    /// Waits for what the screen must say, and keeps the screen.
    fn sees(&mut self, step: &str, all: &[&str]) {
        let screen = self.session.awaited_all(all);
        // The folder's name is random, and as long everywhere.
        let screen = screen.replace(self.place.path("").to_str().unwrap().trim_end_matches('/'), "HERE");
        let screen: Vec<&str> = screen.lines().map(str::trim_end).collect();
        self.steps += 1;
        let (columns, rows) = self.size;
        let name = format!("day/{columns}x{rows}/{:02}-{step}.txt", self.steps);
        let expected = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/command_line").join(name);
        let expected = Data::read_from(&expected, None);
        Assert::new().action_env("SNAPSHOTS").eq(format!("{}\n", screen.join("\n")), expected);
    }

    fn saves(&self, exercise: &str, text: &str) {
        let kernel = self.place.path("course").join(exercise).join("kernel.cu");
        let new = kernel.with_extension("new");
        fs::write(&new, text).unwrap();
        fs::rename(&new, kernel).unwrap();
    }

    /// Saves the solution with a mistake in it.
    fn errs(&self, exercise: &str, right: &str, wrong: &str) {
        let solution = solution(exercise);
        assert!(solution.contains(right), "{exercise} has no `{right}`");
        self.saves(exercise, &solution.replace(right, wrong));
    }
}

fn solution(exercise: &str) -> String {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../solutions").join(exercise);
    fs::read_to_string(path.join("kernel.cu")).unwrap()
}

fn day(size: (u16, u16)) {
    let mut day = Day::command(Place::new(), size);
    day.sees("init", &["next: "]);
    day.session = Session::sized(&day.place.path("course"), &["watch", "--device", "sim"], size);
    day.sees("not-started", &["00-first-kernel", "not started", WAITS]);

    let first = "00-first-kernel";
    day.errs(first, "a[i] + b[i];", "a[i] + b[i]");
    day.sees("no-semicolon", &["error", "expected a \";\"", "next: ", "✗ failed", WAITS]);
    day.errs(first, "if (i < n) {", "if (i <= n) {");
    day.sees("out-of-bounds", &["error[out_of_bounds]", "next: ", "✗ failed", WAITS]);
    day.session.press("h");
    day.sees("hint", &["Hint 1 of"]);
    day.session.press("e");
    day.sees("explained", &["out_of_bounds"]);
    day.session.press("\r");
    day.sees("back-to-the-report", &["error[out_of_bounds]", "next: ", WAITS]);
    day.saves(first, &solution(first));
    day.sees("passed", &["✓ passed 00-first-kernel", WAITS]);

    let second = "01-coalescing";
    day.session.press("n");
    day.sees("next", &["01-coalescing", "not started", WAITS]);
    day.errs(
        second,
        "words[3 * i], words[3 * i + 1], words[3 * i + 2]",
        "words[i], words[i + 1], words[i + 2]",
    );
    day.sees("wrong-values", &["expected", "next: ", "✗ failed", WAITS]);
    day.errs(second, "__syncthreads();", "");
    day.sees("no-barrier", &["error[race]", "next: ", "✗ failed", WAITS]);
    day.session.press("v");
    day.sees("all-of-it", &["space shows them"]);
    day.session.press("v");
    day.saves(second, &solution(second));
    day.sees("passed", &["✓ passed 01-coalescing", WAITS]);
    day.session.press("n");
    day.sees("next", &["02-", "not started", WAITS]);
    // Some other day.
    day.session.press("n");
    day.sees("the-one-after", &["03-reduction", "not started", WAITS]);

    let third = "03-reduction";
    let tree = "        }\n        __syncthreads();\n    }";
    day.errs(third, tree, "            __syncthreads();\n        }\n    }");
    day.sees("barrier-in-a-branch", &["error[barrier_divergence]", "next: ", "✗ failed", WAITS]);
    day.errs(third, tree, "        }\n    }");
    day.sees("no-barrier", &["error[race]", "next: ", "✗ failed", WAITS]);
    day.session.press("h");
    day.sees("hint", &["Hint 1 of"]);
    day.session.press("e");
    day.sees("explained", &["Two threads touch the same bytes"]);
    day.session.press("s");
    day.sees("solution-too-early", &["you have not passed 03-reduction yet"]);
    day.saves(third, &solution(third));
    day.sees("passed", &["✓ passed 03-reduction", WAITS]);
    day.session.press("s");
    day.sees("solution", &["03-reduction: the largest of n floats", "space shows them"]);
    // To its end, and no further.
    day.session.press("     ");
    day.sees("rest-of-it", &["fmaxf(data[thread], data[thread + stride])", "// <<<"]);
    day.session.press("q");
    day.session.ended();
}

#[test]
fn a_day_on_a_small_terminal() {
    day((80, 24));
}

#[test]
fn a_day_on_a_large_terminal() {
    day((120, 40));
}
