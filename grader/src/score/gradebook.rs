//! `gradebook.csv`: one line per student and exercise, goals as columns.

use super::row::{Row, verdict_name};

/// The file's bytes.
///
/// # Errors
/// Never in practice: it writes to memory.
pub fn csv(rows: &[Row]) -> std::io::Result<Vec<u8>> {
    let mut goals: Vec<&str> = Vec::new();
    for goal in rows.iter().flat_map(|row| &row.goals) {
        if !goals.contains(&goal.name.as_str()) {
            goals.push(&goal.name);
        }
    }
    let mut out = csv::Writer::from_writer(Vec::new());
    let fixed = ["student", "exercise", "outcome", "verdict", "reason"];
    out.write_record(fixed.iter().chain(&goals).chain(&["kernel_blake3", "report"]))?;
    for row in rows {
        let mut record = vec![inert(&row.student), inert(&row.exercise), row.outcome.name().to_owned()];
        record.push(match row.verdict {
            Some(verdict @ harness::report::Verdict::Passed) if row.speed_unmeasured => {
                format!("{}, speed unmeasured", verdict_name(verdict))
            }
            Some(verdict) => verdict_name(verdict).to_owned(),
            None => String::new(),
        });
        record.push(inert(&row.reason));
        for name in &goals {
            let goal = row.goals.iter().find(|goal| goal.name == **name);
            record.push(goal.map_or("", |goal| verdict_name(goal.verdict)).to_owned());
        }
        record.push(row.kernel_hash.clone().unwrap_or_default());
        record.push(row.report.clone().unwrap_or_default());
        out.write_record(&record)?;
    }
    out.into_inner().map_err(|error| error.into_error())
}

/// Text that a spreadsheet shows instead of computing: what begins like a formula gets an
/// apostrophe, and lines are joined.
fn inert(text: &str) -> String {
    let text = text.replace(['\n', '\r', '\t'], " ");
    if text.starts_with(['=', '+', '-', '@']) { format!("'{text}") } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    #[test]
    fn formulas_in_names_stay_text() {
        let csv = csv(&sample::rows()).unwrap();
        insta::assert_snapshot!(String::from_utf8(csv).unwrap());
    }
}
