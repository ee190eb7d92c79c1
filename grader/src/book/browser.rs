//! A browser, where the reader has one: the commands in `BROWSER`, or what the desktop opens pages with.

use std::{
    env,
    ffi::OsStr,
    io::{self, IsTerminal as _},
    os::unix::{ffi::OsStrExt as _, process::CommandExt as _},
    path::Path,
    process::{Command, Stdio},
    thread,
};

use crate::terminal::Terminal;

/// Whether somebody looks: at a terminal, and not by a screen reader, which a window that opens would leave behind.
pub fn sees(terminal: Terminal) -> bool {
    !terminal.plain && io::stdout().is_terminal()
}

/// A file's address, with the place in the page.
pub fn address(path: &Path, anchor: Option<&str>) -> String {
    let mut address = "file://".to_owned();
    for &byte in path.as_os_str().as_bytes() {
        match byte {
            b'/' | b'.' | b'-' | b'_' | b'~' | b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' => {
                address.push(char::from(byte));
            }
            other => address.push_str(&format!("%{other:02X}")),
        }
    }
    anchor.map_or(address.clone(), |anchor| format!("{address}#{anchor}"))
}

/// Asks a browser to show a page. False where there is none, or none begins.
pub fn open(address: &str) -> bool {
    let set = |name: &str| env::var(name).ok().filter(|value| !value.is_empty());
    let display = ["DISPLAY", "WAYLAND_DISPLAY"].iter().any(|name| set(name).is_some());
    commands(set("BROWSER").as_deref(), display, address).iter().any(|command| begin(command))
}

/// What to try, in order: each a program with its arguments.
fn commands(browser: Option<&str>, display: bool, address: &str) -> Vec<Vec<String>> {
    // As other programs read the variable: commands with colons between them, `%s` for the address.
    let chosen = browser.into_iter().flat_map(|all| all.split(':')).filter_map(|command| {
        let mut words: Vec<String> = command.split_whitespace().map(str::to_owned).collect();
        match words.iter().any(|word| word.contains("%s")) {
            true => words.iter_mut().for_each(|word| *word = word.replace("%s", address)),
            false if words.is_empty() => return None,
            false => words.push(address.to_owned()),
        }
        Some(words)
    });
    let desktop = display.then(|| vec!["xdg-open".to_owned(), address.to_owned()]);
    chosen.chain(desktop).collect()
}

/// Begins a program that this one does not wait for, and that writes nothing between what this one does.
fn begin(command: &[String]) -> bool {
    let [program, arguments @ ..] = command else { return false };
    let begun = Command::new(OsStr::new(program))
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        // In a group of its own: Ctrl-C, or a terminal that is closed, ends this program and not the browser.
        .process_group(0)
        .spawn();
    // Whoever stays for long, as `watch` does, is told of its end, or it would stay a zombie.
    begun.map(|mut browser| drop(thread::spawn(move || browser.wait()))).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_one_whatever_the_folder_is_called() {
        assert_eq!(address(Path::new("/a b/#1/é.html"), Some("race")), "file:///a%20b/%231/%C3%A9.html#race");
    }

    #[test]
    fn what_is_set_comes_before_what_the_desktop_has() {
        let said = |browser, display| {
            let commands = commands(browser, display, "file:///a");
            commands.iter().map(|words| words.join(" ")).collect::<Vec<_>>()
        };
        assert_eq!(said(None, false), [""; 0]);
        assert_eq!(said(None, true), ["xdg-open file:///a"]);
        assert_eq!(
            said(Some("one:two -n %s::three"), true),
            ["one file:///a", "two -n file:///a", "three file:///a", "xdg-open file:///a"]
        );
    }
}
