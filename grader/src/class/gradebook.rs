//! `gradebook.csv`: one line per student and exercise, goals as columns.

use harness::report::{Goal, Verdict};

use super::row::Row;
use crate::visible::one_line;

/// The file's bytes.
///
/// # Errors
/// Never in practice: it writes to memory.
pub fn csv(rows: &[Row]) -> std::io::Result<Vec<u8>> {
    let mut goals: Vec<Goal> = Vec::new();
    for goal in rows.iter().flat_map(|row| &row.goals) {
        if !goals.contains(&goal.goal) {
            goals.push(goal.goal);
        }
    }
    let columns: Vec<&str> = goals.iter().map(|goal| goal.name()).collect();
    let mut out = csv::Writer::from_writer(Vec::new());
    let fixed = ["student", "exercise", "outcome", "verdict", "reason"];
    out.write_record(fixed.iter().chain(&columns).chain(&["kernel_blake3"]))?;
    for row in rows {
        let mut record = vec![inert(&row.student), inert(&row.exercise), row.outcome.name().to_owned()];
        record.push(match row.verdict {
            Some(verdict @ Verdict::Passed) if row.speed_unmeasured => {
                format!("{}, speed unmeasured", verdict.name())
            }
            Some(verdict) => verdict.name().to_owned(),
            None => String::new(),
        });
        record.push(inert(&row.reason));
        for goal in &goals {
            let found = row.goals.iter().find(|found| found.goal == *goal);
            record.push(found.map_or("", |found| found.verdict.name()).to_owned());
        }
        record.push(inert(row.kernel_hash.as_deref().unwrap_or_default()));
        out.write_record(&record)?;
    }
    out.into_inner().map_err(|error| error.into_error())
}

/// Text that a spreadsheet shows instead of computing: what begins like a formula gets an
/// apostrophe, lines are joined, and what can't be seen is spelled out.
fn inert(text: &str) -> String {
    let text = one_line(&text.replace(['\n', '\r', '\t'], " "));
    if text.starts_with(['=', '+', '-', '@']) { format!("'{text}") } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{class::row::made_up::rows, visible::hostile};

    #[test]
    fn formulas_in_names_stay_text() {
        let csv = csv(&rows()).unwrap();
        insta::assert_snapshot!(String::from_utf8(csv).unwrap());
    }

    #[test]
    fn nothing_hidden_reaches_a_reader() {
        let soiled = hostile::soiled(&rows(), &(hostile::dirt() + "\n"));
        assert!(soiled.len() > 10, "{}", soiled.len());
        for (place, rows) in soiled {
            let csv = String::from_utf8(csv(&rows).unwrap()).unwrap();
            assert_eq!(csv.lines().count(), 1 + rows.len(), "{place}");
            hostile::assert_harmless(&csv, &place);
        }
    }
}
