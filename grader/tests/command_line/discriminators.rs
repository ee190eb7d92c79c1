//! Kernels that are right only where the judge looks: `discriminators/run.py`.
//!
//! A sample; `DISCRIMINATORS=all` runs every predicate at every place, and `DISCRIMINATORS=gpu` those that tell
//! the simulator from a GPU, on this machine's GPU. Knows the command line only.

#[test]
fn whoever_tells_the_judge_from_the_gpu_fails() {
    let arguments: &[&str] = match std::env::var("DISCRIMINATORS").as_deref() {
        Ok("all") => &["--all"],
        Ok("gpu") => &["--all", "--only", "machine/", "--device", "gpu"],
        _ => &[],
    };
    crate::python::run("discriminators/run.py", arguments);
}
