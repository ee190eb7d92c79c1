//! The examples are compiled and run.

#[path = "../examples/bank_conflicts.rs"]
mod bank_conflicts;
#[path = "../examples/clean.rs"]
mod clean;
#[path = "../examples/findings.rs"]
mod findings;

#[test]
fn findings_prints_the_race() {
    let found = findings::findings().expect("the kernel runs");
    assert!(found[0].starts_with("line 5: error [race]\n  Thread 32 of block 0 writes"), "{found:#?}");
    findings::main().expect("the kernel runs");
}

#[test]
fn bank_conflicts_are_those_of_the_read() {
    // 34 strides take gcd(stride, 32) wavefronts each: 80 more than one for each.
    assert_eq!(bank_conflicts::conflicts().expect("the kernel runs"), [(9, 80)]);
    bank_conflicts::main().expect("the kernel runs");
}

#[test]
fn the_clean_kernel_is_clean() {
    // And it has a test of its own, which runs here, too.
    clean::main();
}
