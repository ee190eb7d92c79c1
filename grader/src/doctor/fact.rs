//! What `doctor` writes: facts about this machine, and what to do about those that need it.

use harness::report::SCHEMA;
use schemars::JsonSchema;
use serde::Serialize;

/// All facts.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Examination {
    /// The version of this format.
    schema: u32,
    /// Whether the next check can do its work here: no fact is broken.
    pub works: bool,
    /// The facts, in the order in which a check needs them.
    pub facts: Vec<Fact>,
}

/// How much a fact matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Health {
    /// As it should be.
    Good,
    /// Not there, and not needed.
    Absent,
    /// Checks work; something is missing.
    Lacking,
    /// Checks don't work.
    Broken,
}

/// One fact.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Fact {
    /// How much it matters.
    pub health: Health,
    /// What it is about.
    pub name: &'static str,
    /// What was found, in words.
    pub found: String,
    /// What to do, where there is something to do, the simplest first. One that begins with `then` goes with the one
    /// before it.
    pub remedies: Vec<Remedy>,
}

/// A way to mend something.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Remedy {
    /// What to do, in words.
    pub advice: String,
    /// Lines for a shell, as they are; none where no command helps.
    pub commands: Vec<String>,
}

impl Examination {
    /// Of these facts.
    pub fn of(facts: Vec<Fact>) -> Self {
        let works = facts.iter().all(|fact| fact.health != Health::Broken);
        Examination { schema: SCHEMA, works, facts }
    }
}

impl Fact {
    fn new(health: Health, name: &'static str, found: impl Into<String>) -> Self {
        Fact { health, name, found: found.into(), remedies: Vec::new() }
    }
    /// With a way to mend it, in words and in lines for a shell.
    pub fn mend(mut self, advice: impl Into<String>, commands: &[String]) -> Self {
        self.remedies.push(Remedy { advice: advice.into(), commands: commands.to_vec() });
        self
    }
    /// The same in words alone.
    pub fn advise(self, advice: impl Into<String>) -> Self {
        self.mend(advice, &[])
    }
}

/// As it should be.
pub fn good(name: &'static str, found: impl Into<String>) -> Fact {
    Fact::new(Health::Good, name, found)
}

/// Not there, and not needed.
pub fn absent(name: &'static str, found: impl Into<String>) -> Fact {
    Fact::new(Health::Absent, name, found)
}

/// Something is missing.
pub fn lacking(name: &'static str, found: impl Into<String>) -> Fact {
    Fact::new(Health::Lacking, name, found)
}

/// No check works.
pub fn broken(name: &'static str, found: impl Into<String>) -> Fact {
    Fact::new(Health::Broken, name, found)
}
