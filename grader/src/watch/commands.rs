//! Text in lines in which every command stands whole: a command in two lines is another one once it is pasted.

use crate::paragraph;

/// Stands for a space of a command until the lines are made: Unicode leaves this character to private use.
const KEPT_SPACE: &str = "\u{e000}";

/// A text in lines of so many columns. What stands between two backquotes is never broken, however long it is.
pub fn fill(text: &str, width: usize) -> String {
    let parts = text.split('`').enumerate();
    let kept: Vec<String> = parts
        .map(|(number, part)| match number % 2 {
            0 => part.to_owned(),
            _ => part.replace(' ', KEPT_SPACE),
        })
        .collect();
    paragraph::fill(&kept.join("`"), width).replace(KEPT_SPACE, " ")
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::{solution, watch};

    /// Looks at every command of a text in lines: each is whole, and the lines fit where no command is longer.
    fn assert_whole(text: &str, width: usize) {
        let commands: Vec<&str> = text.split('`').skip(1).step_by(2).collect();
        assert!(!commands.is_empty(), "no command in {text}");
        for command in commands {
            assert!(!command.contains('\n'), "`{command}` is broken in\n{text}");
        }
        let fits = |line: &str| line.chars().count() <= width || line.starts_with('`');
        assert!(text.lines().all(fits), "wider than {width} columns:\n{text}");
    }

    #[test]
    fn what_is_no_command_is_broken_as_ever() {
        let text = "a text without any command that is wider than its few columns";
        assert_eq!(fill(text, 20), paragraph::fill(text, 20));
        assert_eq!(fill("it helps; `grader list` shows all", 14), "it helps;\n`grader list`\nshows all");
        assert_eq!(fill("one ` alone is kept", 80), "one ` alone is kept");
    }

    #[test]
    fn no_command_that_the_screen_tells_is_broken() {
        for exercise in course::COURSE {
            let trouble = solution::shown(*exercise, None, false).expect_err("nothing has passed");
            let missing =
                watch::missing(Path::new(exercise.id()), "is not there; `grader init` writes the stub", 80);
            assert_whole(&missing, 80);
            for width in [80, 100, 120] {
                let told = watch::told(&trouble, width);
                assert!(told.contains("--give-up`"), "{told}");
                assert_whole(&told, width);
            }
        }
    }
}
