//! The JSON Schemas of what commands write: one dialect, from the types that are written.

use harness::report::{Report, SCHEMA};
use schemars::{JsonSchema, generate::SchemaSettings};

use crate::{
    doctor::fact::Examination, explain::Explanations, hint::Told, list::ExerciseList, run::report::RunReport,
};

/// Where they are kept, below the course's root: beside the book's pages, so that they are published with them.
pub const FILES: [&str; 2] = ["book/src/report.schema.json", "book/src/commands.schema.json"];

/// What is printed or written of a kernel: no program makes a value of this.
#[derive(JsonSchema)]
#[schemars(untagged)]
#[expect(dead_code, reason = "only its schema is asked for")]
enum Reports {
    /// Of `check NAME`, and of each kernel that `score` judged.
    Check(Report),
    /// Of `check --all`.
    CheckAll(Vec<Report>),
    /// Of `run`.
    Run(RunReport),
}

/// What is printed by the commands around: no program makes a value of this.
#[derive(JsonSchema)]
#[schemars(untagged)]
#[expect(dead_code, reason = "only its schema is asked for")]
enum Commands {
    /// Of `list`.
    List(ExerciseList<'static>),
    /// Of `hint`.
    Hint(Told),
    /// Of `explain`.
    Explain(Explanations),
    /// Of `doctor`.
    Doctor(Examination),
}

/// The schemas as they are kept, in the order of [`FILES`].
pub fn texts() -> [String; 2] {
    [
        text::<Reports>("What grader check, run and score write"),
        text::<Commands>("What grader list, hint, explain and doctor write"),
    ]
}

fn text<T: JsonSchema>(title: &str) -> String {
    let mut schema =
        SchemaSettings::draft2020_12().for_serialize().into_generator().into_root_schema_for::<T>();
    schema.insert("title".to_owned(), title.into());
    schema.insert("description".to_owned(), format!("Version {SCHEMA}: see `schema` in each object.").into());
    format!("{:#}\n", schema.as_value())
}
