//! The JSON Schema of what `check`, `run` and `score` write: one dialect, from the types that are written.

use harness::report::{Report, SCHEMA};
use schemars::{JsonSchema, generate::SchemaSettings};

use crate::run::report::RunReport;

/// Where it is kept, below the course's root: beside the book's pages, so that it is published with them.
pub const FILE: &str = "book/src/report.schema.json";

/// What is printed or written: no program makes a value of this.
#[derive(JsonSchema)]
#[schemars(untagged)]
#[expect(dead_code, reason = "only its schema is asked for")]
enum Output {
    /// Of `check NAME`, and of each kernel that `score` judged.
    Check(Report),
    /// Of `check --all`.
    CheckAll(Vec<Report>),
    /// Of `run`.
    Run(RunReport),
}

/// The schema as it is kept.
pub fn text() -> String {
    let mut schema =
        SchemaSettings::draft2020_12().for_serialize().into_generator().into_root_schema_for::<Output>();
    schema.insert("title".to_owned(), "What grader check, run and score write".into());
    schema.insert("description".to_owned(), format!("Version {SCHEMA}: see `schema` in each object.").into());
    format!("{:#}\n", schema.as_value())
}
