//! Every exercise's cases hold the classes of values that it declares, and it declares every class.

use harness::exercise::value_problems;

use course::COURSE;

#[test]
fn declared_classes_are_in_the_plans() {
    let problems = COURSE.iter().flat_map(|exercise| {
        let id = exercise.id();
        value_problems(*exercise).into_iter().map(move |problem| format!("{id}: {problem}"))
    });
    let problems: Vec<String> = problems.collect();
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}
