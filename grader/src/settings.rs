//! `course.toml`: what makes a folder a course folder, and the settings of its commands.
//!
//! People write it and the program never does, but for the first time. What the program keeps is in the
//! record (`progress`).

use std::path::Path;

use clap::{ArgMatches, parser::ValueSource};
use harness::{device::DeviceChoice, toolchain::CompilerChoice};

use crate::{
    cli::Command,
    devices,
    exit::{Result, Trouble},
    files::{self, MAKE_READABLE, Unreadable},
    folder::{CourseFolder, current_directory},
    visible::shown,
    written::Written,
};

/// The file's name.
pub const SETTINGS: &str = "course.toml";
/// As `init` writes it: nothing is set.
pub const TEMPLATE: &str = include_str!("settings/course.toml");
const SCHEMA: u64 = 1;

/// What is set; none where the commands decide.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Settings {
    /// Where kernels run.
    pub device: Option<DeviceChoice>,
    /// What compiles them.
    pub compiler: Option<CompilerChoice>,
    /// For screen readers.
    pub plain: bool,
}

impl Settings {
    /// Those of the current directory's course folder; none where there is none.
    ///
    /// # Errors
    /// As [`Settings::of`].
    pub fn here() -> Result<Self> {
        let folder = current_directory().ok().and_then(|here| CourseFolder::find(&here));
        folder.map_or(Ok(Settings::default()), |folder| Settings::of(&folder.path))
    }

    /// Those of a course folder. One that an earlier version made has no file.
    ///
    /// # Errors
    /// Wrong usage where the file can't be read or says what it can't.
    pub fn of(folder: &Path) -> Result<Self> {
        let path = folder.join(SETTINGS);
        let name = shown(&path);
        let next = "move it away; `grader init` writes a new one";
        match files::read_text(&path, SETTINGS, next) {
            Ok(text) => parse(Written { name: &name, text: &text }, folder),
            Err(Unreadable::Missing) => Ok(Settings::default()),
            Err(Unreadable::Unusable(found, next)) => Err(Trouble::usage(format!("{name}: {found}"), next)),
            Err(Unreadable::Refused(why)) => {
                Err(Trouble::usage(format!("could not read {name}: {why}"), MAKE_READABLE))
            }
        }
    }

    /// Settings of those commands that work with a course folder's kernels. Whoever makes, mends or looks at a
    /// folder must be able to where these are wrong.
    ///
    /// # Errors
    /// As [`Settings::of`].
    pub fn for_command(command: &Command) -> Result<Self> {
        match command {
            Command::Init(_)
            | Command::Score(_)
            | Command::Class(_)
            | Command::Compiler(_)
            | Command::Calibrate(_)
            | Command::Completions { .. } => Ok(Settings::default()),
            Command::Doctor(_) => Ok(Settings::here().unwrap_or_default()),
            _ => Settings::here(),
        }
    }

    /// Sets what the command line does not.
    pub fn put_into(&self, command: &mut Command, line: &ArgMatches) {
        let is_said = |option: &str| {
            let given = line.subcommand().map(|(_, given)| given.value_source(option));
            given.flatten() == Some(ValueSource::CommandLine)
        };
        let (device, compiler) = match command {
            Command::Watch(watch) => (Some(&mut watch.device), &mut watch.compiler),
            Command::Check(check) => (Some(&mut check.device), &mut check.compiler),
            Command::Run(run) => (Some(&mut run.device), &mut run.compiler),
            Command::Doctor(doctor) => (None, &mut doctor.compiler),
            _ => return,
        };
        if let (Some(device), Some(set)) = (device, &self.device)
            && !is_said("device")
        {
            device.clone_from(set);
        }
        if compiler.is_none() {
            compiler.clone_from(&self.compiler);
        }
    }
}

fn parse(written: Written<'_>, folder: &Path) -> Result<Settings> {
    let table = written.table()?;
    written.require_schema(&table, SCHEMA)?;
    let mut settings = Settings::default();
    for (key, _, value) in written.known(&table, &["schema", "device", "compiler", "plain"])? {
        match key {
            "device" => {
                let said = written.text_of(key, value)?;
                let device = said
                    .parse::<DeviceChoice>()
                    .map_err(|error| Trouble::usage(error.to_string(), "name one of these"))
                    .and_then(|device| devices::validate(&device).map(|()| device));
                settings.device = Some(
                    device
                        .map_err(|trouble| written.trouble(value.span(), &trouble.message, trouble.next))?,
                );
            }
            "compiler" => {
                let said = written.text_of(key, value)?;
                // Parsing can't fail: what is no version is a path.
                settings.compiler = said.parse().ok().map(|choice| match choice {
                    CompilerChoice::Path(path) => CompilerChoice::Path(folder.join(path)),
                    version => version,
                });
            }
            "plain" => settings.plain = written.truth_of(key, value)?,
            _ => {}
        }
    }
    Ok(settings)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(text: &str) -> String {
        match parse(Written { name: "course.toml", text }, Path::new("/mine")) {
            Ok(settings) => format!("{settings:?}"),
            Err(trouble) => format!("{} | {}", trouble.message, trouble.next),
        }
    }

    #[test]
    fn what_init_writes_sets_nothing_and_says_what_can_be_set() {
        assert_eq!(said(TEMPLATE), format!("{:?}", Settings::default()));
        // What is in comments holds as it stands.
        let set: String = TEMPLATE
            .lines()
            .filter_map(|line| line.strip_prefix("# ").filter(|line| line.contains(" = ")).or(Some(line)))
            .filter(|line| !line.starts_with('#'))
            .map(|line| format!("{line}\n"))
            .collect();
        insta::assert_snapshot!(said(&set));
    }

    #[test]
    fn the_books_example_holds() {
        let page = include_str!("../../book/src/folder.md");
        let example = page.split("```").find(|block| block.contains("plain = true")).unwrap();
        let text = example.strip_prefix("toml\n").unwrap();
        let settings = parse(Written { name: "", text }, Path::new("/mine")).unwrap();
        assert!(settings.plain && settings.device.is_some() && settings.compiler.is_some());
    }

    #[test]
    fn what_is_wrong_is_named_with_its_line() {
        let wrong = [
            "",
            "schema = 2\n",
            "schema = 1\n\ndevise = \"sim\"\n",
            "schema = 1\ncolour = true\n",
            "schema = 1\ndevice = \"simm\"\n",
            "schema = 1\ndevice = \"sim:h300\"\n",
            "schema = 1\ndevice = sim\n",
            "schema = 1\ndevice = 3\n",
            "schema = 1\nplain = \"yes\"\n",
            "schema = 1\nschema = 1\n",
        ];
        insta::assert_snapshot!(wrong.map(said).join("\n"));
    }

    #[test]
    fn a_compilers_path_is_from_the_folder() {
        let compiler = |said: &str| {
            let text = format!("schema = 1\ncompiler = \"{said}\"\n");
            parse(Written { name: "", text: &text }, Path::new("/mine")).unwrap().compiler
        };
        assert_eq!(compiler("12.9"), Some(CompilerChoice::Version(vec![12, 9])));
        assert_eq!(compiler("cuda/lib"), Some(CompilerChoice::Path("/mine/cuda/lib".into())));
        assert_eq!(compiler("/opt/cuda"), Some(CompilerChoice::Path("/opt/cuda".into())));
    }
}
