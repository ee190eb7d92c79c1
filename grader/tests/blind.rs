//! The blind acceptance suite: kernels written without having read the simulator, run through the built
//! `grader run` and compared with NumPy by `blind/run.py`.
//!
//! Knows the command line only.

mod python;

/// Runs `blind/run.py`; its complaints are the failure.
fn suite(arguments: &[&str]) {
    python::run("blind/run.py", arguments);
}

#[test]
fn every_blind_kernel_is_judged_as_its_header_says() {
    suite(&[]);
}

/// Kernels whose blocks or warps meet: order matters to them, and must come out the same
/// on any number of threads.
#[test]
fn reports_and_outputs_are_the_same_again_and_on_one_core() {
    let meeting = [
        "018_template",
        "030_histogram",
        "031_atomics32",
        "037_lock",
        "040_decoupled",
        "045_clock",
        "049_random",
        "057_bitonic",
        "069_global",
        "117_ticket",
        "200_missing",
        "204_race",
        "211_waiting",
        "215_global",
        "228_endless",
        "241_endless",
        "248_lost",
        "253_histogram",
    ];
    let only: Vec<&str> = meeting.iter().flat_map(|name| ["--only", name]).collect();
    suite(&[&["--same"], &only[..]].concat());
}
