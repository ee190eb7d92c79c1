//! What the header of a test kernel says about its launch.
//!
//! A line `//@ run --entry sum --grid 2 --block 64 --arg in:i32:128=iota` holds what a person would type after
//! `grader run FILE`. A later such line goes on where the one before ended, and an option that is given again
//! replaces what it was.

use serde::Serialize;

use crate::{
    OptionError,
    specification::{Extent, GlobalFill, Specification},
};

/// The options of a launch, as `grader run` takes them.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Header {
    /// All of it as it was written.
    pub words: Vec<String>,
    /// The kernel.
    pub entry: String,
    /// Blocks.
    pub grid: Extent,
    /// Threads of a block.
    pub block: Extent,
    /// Blocks of a cluster, where said.
    pub cluster: Option<Extent>,
    /// Bytes of dynamic shared memory.
    pub shared: u32,
    /// Whether all blocks must be resident.
    pub cooperative: bool,
    /// The arguments, in order.
    pub arguments: Vec<Specification>,
    /// The contents of variables.
    pub globals: Vec<GlobalFill>,
    /// Warp instructions after which the launch ends.
    pub budget: Option<u64>,
    /// Where it runs.
    pub device: Option<String>,
    /// Options of `grader run` that are none of these; only `grader run` itself understands them.
    pub others: Vec<String>,
}

impl Header {
    /// The launch of the kernel with this source text.
    ///
    /// # Errors
    /// What was expected, and the line.
    pub fn read(source: &str) -> Result<Header, OptionError> {
        let one = Extent([1; 3]);
        let mut header = Header {
            words: Vec::new(),
            entry: String::new(),
            grid: one,
            block: one,
            cluster: None,
            shared: 0,
            cooperative: false,
            arguments: Vec::new(),
            globals: Vec::new(),
            budget: None,
            device: None,
            others: Vec::new(),
        };
        for (line, number) in source.lines().zip(1..) {
            let here = |error| OptionError::InLine { number, error: Box::new(error) };
            if let Some(words) = line.strip_prefix("//@ run ") {
                header.add(words.split_whitespace()).map_err(here)?;
            } else if line.starts_with("//@") {
                return Err(here(OptionError::HeaderLine(line.to_owned())));
            }
        }
        if header.entry.is_empty() {
            return Err(OptionError::NoLaunch);
        }
        Ok(header)
    }

    /// Goes on with more words.
    ///
    /// # Errors
    /// What was expected.
    pub fn add<'a>(&mut self, words: impl IntoIterator<Item = &'a str>) -> Result<(), OptionError> {
        let mut words = words.into_iter();
        while let Some(option) = words.next() {
            self.words.push(option.to_owned());
            if option == "--cooperative" {
                self.cooperative = true;
                continue;
            }
            let value = words.next().ok_or_else(|| OptionError::NoValue(option.to_owned()))?;
            self.words.push(value.to_owned());
            let number = || OptionError::WholeNumber(format!("{option} {value}"));
            match option {
                "--entry" => value.clone_into(&mut self.entry),
                "--grid" => self.grid = value.parse()?,
                "--block" => self.block = value.parse()?,
                "--cluster" => self.cluster = Some(value.parse()?),
                "--shared" => self.shared = value.parse().map_err(|_| number())?,
                "--arg" => self.arguments.push(value.parse()?),
                "--global" => self.globals.push(value.parse()?),
                "--budget" => self.budget = Some(value.parse().map_err(|_| number())?),
                "--device" => self.device = Some(value.to_owned()),
                _ if option.starts_with("--") => self.others.extend([option.to_owned(), value.to_owned()]),
                _ => return Err(OptionError::NoOption(option.to_owned())),
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_continue_one_another_and_later_options_replace_earlier_ones() {
        let source = "// A sentence.\n//@ run --entry k --grid 2,3 --block 64 --arg i32:5\n//@ run --budget 10\nint x;\n//@ run --block 32 --repeat 2";
        let header = Header::read(source).expect("a header");
        assert_eq!((header.grid, header.block), (Extent([2, 3, 1]), Extent([32, 1, 1])));
        assert_eq!((header.entry.as_str(), header.budget), ("k", Some(10)));
        assert_eq!(header.arguments, ["i32:5".parse().expect("a scalar")]);
        assert_eq!(header.others, ["--repeat", "2"]);
        assert_eq!(header.words.len(), 14);
    }

    #[test]
    fn what_is_wrong_is_said_with_its_line() {
        let refused = |source: &str| Header::read(source).expect_err("a mistake").to_string();
        assert_eq!(refused("int x;"), "no launch; expected a line `//@ run --entry NAME OPTIONS`");
        assert_eq!(
            refused("//@ launch k grid=1"),
            "line 1: `//@ launch k grid=1`; expected `//@ run OPTIONS`"
        );
        assert_eq!(refused("\n//@ run k"), "line 2: `k` needs a value");
        assert_eq!(refused("//@ run grid 5"), "line 1: `grid` is no option; options begin with `--`");
        assert_eq!(refused("//@ run --budget x"), "line 1: `--budget x` is no whole number");
        assert!(refused("//@ run --arg in:i32").starts_with("line 1: a buffer that is read needs contents"));
    }
}
