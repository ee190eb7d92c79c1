//! Whether the cycles that were measured follow the wavefronts.

use harness::exercise::{Outputs, SecretClock};

use crate::{ROUNDS, Reading};

/// A measured read must take at least this many cycles more for each wavefront more, less the slack. The
/// simulator's clock adds exactly one; a GPU's adds one or two.
const LEAST_CYCLES_PER_WAVEFRONT: f64 = 0.75;
/// And at most this many, plus the slack.
const MOST_CYCLES_PER_WAVEFRONT: f64 = 4.0;
/// Cycles by which two readings of the clock may differ for other reasons.
const SLACK_CYCLES: f64 = 8.0;

/// Cycles of stride 1 and of the case's stride.
pub fn cycles(outputs: &Outputs) -> [f64; 2] {
    let cycles: Vec<i64> = outputs.elements("cycles");
    [cycles[0] as f64, cycles[1] as f64]
}

/// On any device: what is wrong with the cycles of a reading.
pub fn check(reading: Reading, outputs: &Outputs) -> Vec<String> {
    let (stride, [reference, this]) = (reading.stride, reading.wavefronts());
    let [reference_cycles, cycles] = cycles(outputs);
    let more = cycles - reference_cycles;
    let more_wavefronts = this.saturating_sub(reference) as f64;
    let least = LEAST_CYCLES_PER_WAVEFRONT * more_wavefronts - SLACK_CYCLES;
    let most = MOST_CYCLES_PER_WAVEFRONT * more_wavefronts + SLACK_CYCLES;
    let mut complaints = Vec::new();
    if reference_cycles <= 0.0 {
        complaints
            .push(format!("a read with stride 1 was said to take {reference_cycles} cycles; it takes some"));
    }
    if more < least || more > most {
        complaints.push(format!(
            "stride {stride} takes {this} wavefronts and stride 1 takes {reference}, but the time measured went from \
             {reference_cycles} to {cycles} cycles; expected {least:+} to {most:+}{}",
            if more < least { ". A load goes on while the next instructions run: is there a `wait_for(value)` before the second look at the clock" } else { "" }
        ));
    }
    complaints
}

/// On the simulator, with a clock that no kernel could foretell.
pub fn check_secret(reading: Reading, run: &SecretClock<'_>) -> Vec<String> {
    let (stride, [reference, this]) = (reading.stride, reading.wavefronts());
    let mut complaints = Vec::new();
    let [here, counted] = [run.counters, run.usual_counters]
        .map(|counters| (counters.shared_load_requests, counters.shared_load_wavefronts));
    // What is counted is optimised and on the usual clock; what is timed here must be the same reads.
    if here != counted {
        complaints.push(format!(
            "the kernel reads shared memory {} times, in {} wavefronts, where it is compiled as it is written or the clock is \
             another, and {} times, in {}, where neither is so. Read data[lane * stride] once a round, and nothing else",
            here.0, here.1, counted.0, counted.1
        ));
    }
    let [reference_cycles, cycles] = cycles(run.outputs);
    let more = cycles - reference_cycles;
    let beyond = |launch, wavefronts| run.load_cycles(launch, wavefronts as u64) as f64;
    let expected = beyond(1, this) - beyond(0, reference);
    // Four looks at the clock, each of which may take more or less.
    if (more - expected).abs() > 4.0 * run.rate as f64 + SLACK_CYCLES {
        let asked = (ROUNDS * (reference + this)) as u64;
        complaints.push(if here.1 == asked {
            format!(
                "the time of stride {stride} does not follow the clock. It was tried on a clock that begins late \
                 and on which no kernel can foretell what a wavefront takes: there the read takes {expected:+} \
                 cycles against stride 1, and {more:+} came back. Return the difference of two readings of the \
                 clock around the read and its `wait_for(value)`, each kept as the `long long` that it is"
            )
        } else {
            format!(
                "the time of stride {stride} is not that of the reads that were asked for: {asked} wavefronts \
                 in {ROUNDS} rounds, not {}. Read data[lane * stride] once a round, and nothing else",
                here.1
            )
        });
    }
    complaints
}
