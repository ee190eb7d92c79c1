//! The picture of a line's worst request to shared memory: true to the counters, and fit for a terminal.

use harness::report::Report;
use snapbox::file;
use textwrap::core::display_width;
use warpsim::{RequestKind, WorstRequest};

use crate::{
    cli::same,
    support::{Place, take},
};

/// From the line that begins with `banks` on.
fn picture(text: &str) -> &str {
    text.find("\nbanks").map_or("", |at| &text[at + 1..])
}

fn profile(kernel: &str, arguments: &[&str]) -> String {
    let place = Place::new();
    take(&place, kernel);
    let exercise = kernel.split('/').next().unwrap();
    let call = ["check", exercise, "--kernel", "k.cu", "--device", "sim", "--profile"];
    place.grader(&[&call[..], arguments].concat()).out
}

/// Of 05, where every stride's wavefronts are known: two reads, one with stride 1, four rounds.
#[test]
fn the_picture_has_as_many_wavefronts_as_the_counters() {
    for bytes in [4, 8] {
        for stride in [0_usize, 1, 2, 3, 8, 12, 16, 32] {
            let case = format!("stride {stride}, {bytes}-byte elements");
            let json = profile("05-bank-conflicts/kernel.cu", &["--case", &case, "--format", "json"]);
            let report: Report = serde_json::from_str(&json).unwrap();
            let case_report = &report.cases[0];
            let words = bytes / 4;
            let of_a_stride = |stride: usize| match (stride, words) {
                (0, _) => 1,
                (_, 1) => (1..=32).rev().find(|by| stride % by == 0 && 32 % by == 0).unwrap(),
                _ => 2 * (1..=16).rev().find(|by| stride % by == 0 && 16 % by == 0).unwrap(),
            };
            let worst = of_a_stride(stride);
            let reads =
                (case_report.lines.iter()).find(|line| line.counters.shared_load_requests > 0).unwrap();
            let counted = reads.counters.shared_load_wavefronts as usize;
            assert_eq!(counted, 4 * (of_a_stride(1) + worst), "{case}");
            let requests: Vec<&WorstRequest> =
                case_report.worst_requests.iter().filter(|each| each.kind == RequestKind::Load).collect();
            let text = profile("05-bank-conflicts/kernel.cu", &["--case", &case]);
            if worst <= words {
                assert!(requests.is_empty() && picture(&text).is_empty(), "{case}: {requests:?}");
                continue;
            }
            let [request] = requests[..] else { panic!("{case}: {requests:?}") };
            assert_eq!((request.wavefronts.len(), &request.place), (worst, &reads.place), "{case}");
            // What the counter says beyond the ideal is of this one request, as often as it was made.
            assert_eq!(4 * request.conflicts(), reads.counters.shared_bank_conflicts(), "{case}");
            let picture = picture(&text);
            assert!(picture.contains(&format!(": {worst} wavefronts instead of {words}.")), "{picture}");
            let rows = picture.lines().filter(|line| {
                line.split_whitespace().next().is_some_and(|first| first.parse::<usize>().is_ok())
            });
            assert_eq!(rows.count(), worst.min(8), "{picture}");
        }
    }
}

#[test]
fn pictures() {
    let of = |kernel: &str, arguments: &[&str]| {
        let text = profile(kernel, arguments);
        let picture = picture(&text).to_owned();
        let drawn = picture.lines().skip_while(|line| !line.starts_with("bank  "));
        assert!(drawn.clone().all(|line| display_width(line) <= 80), "{picture}");
        picture
    };
    same(of("06-transpose/wrong/no-padding.cu", &[]), file!["banks/06-no-padding.txt"]);
    same(of("06-transpose/wrong/padding-of-two.cu", &[]), file!["banks/06-padding-of-two.txt"]);
    same(
        of("05-bank-conflicts/kernel.cu", &["--case", "stride 4, 8-byte elements"]),
        file!["banks/05-8-bytes.txt"],
    );
    same(of("12-histogram/kernel.cu", &[]), file!["banks/12-atomics.txt"]);
    same(of("03-reduction/wrong/conflicting-tree.cu", &["--plain"]), file!["banks/03-plain.txt"]);
    assert_eq!(of("06-transpose/kernel.cu", &[]), "");
}

/// `run` draws it too, and only where it was asked for a profile.
#[test]
fn a_run_has_its_picture() {
    let place = Place::new();
    place.write(
        "k.cu",
        "extern \"C\" __global__ void k(int *out) {\n    __shared__ int tile[1024];\n    \
         for (int i = threadIdx.x; i < 1024; i += 32) tile[i] = i;\n    __syncwarp();\n    \
         out[threadIdx.x] = tile[threadIdx.x * 32];\n}\n",
    );
    let run = |more: &[&str]| {
        let call = ["run", "k.cu", "--entry", "k", "--grid", "1", "--block", "32", "--arg", "out:i32:32"];
        place.grader(&[&call[..], &["--device", "sim"], more].concat())
    };
    let profiled = run(&["--profile"]);
    assert!(picture(&profiled.out).contains("32 wavefronts instead of 1"), "{}", profiled.all());
    assert_eq!(picture(&run(&[]).out), "");
    assert!(!run(&["--format", "json"]).out.contains("worst_requests"));
}
