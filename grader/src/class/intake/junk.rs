//! What comes along with kernels and is known to be none: counted, never listed one by one.

/// What an item is known to be; none where it may matter.
pub fn kind(path: &[String]) -> Option<&'static str> {
    path.iter().find_map(|name| of_name(name))
}

fn of_name(name: &str) -> Option<&'static str> {
    match name {
        "__MACOSX" | ".DS_Store" | ".AppleDouble" | ".Spotlight-V100" | ".Trashes" | ".fseventsd" => {
            Some("of macOS")
        }
        "Thumbs.db" | "desktop.ini" => Some("of Windows"),
        ".git" | ".gitignore" | ".gitattributes" | ".gitkeep" | ".github" => Some("of git and GitHub"),
        ".vscode" | ".idea" | ".cache" | ".vs" => Some("of editors"),
        // A course folder's own: the settings, the record, and what `grader init` writes for editors.
        "course.toml" | "assignment.toml" | ".grader" | ".clangd" | "compile_flags.txt" | "course.cuh" => {
            Some("of the course folder")
        }
        _ if name.starts_with(".course.json.") => Some("of the course folder"),
        // What `grader reset` sets aside.
        _ if name.starts_with("kernel.before-reset-") && name.ends_with(".cu") => {
            Some("of the course folder")
        }
        _ if name.starts_with("._") => Some("of macOS"),
        _ if name.ends_with('~') || (name.starts_with('.') && name.ends_with(".swp")) => Some("of editors"),
        _ => None,
    }
}

/// What a repository of GitHub Classroom has besides.
pub fn of_repository(path: &[String]) -> Option<&'static str> {
    let [name] = path else { return None };
    let stem = name.split('.').next().unwrap_or(name);
    ["README", "LICENSE", "LICENCE"]
        .iter()
        .any(|known| stem.eq_ignore_ascii_case(known))
        .then_some("of git and GitHub")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_matter_is_no_junk() {
        let path = |text: &str| text.split('/').map(str::to_owned).collect::<Vec<_>>();
        let is = |text: &str| kind(&path(text)).is_some();
        for junk in
            ["__MACOSX/ada/._kernel.cu", "ada/.DS_Store", "ada/.git/config", "kernel.cu~", "a/.k.cu.swp"]
        {
            assert!(is(junk), "{junk}");
        }
        for kept in ["ada/kernel.cu", "..hidden", "ada/notes.txt", "README.md", ".hidden/kernel.cu", "a.swp"]
        {
            assert!(!is(kept), "{kept}");
        }
        assert!(of_repository(&path("README.md")).is_some() && of_repository(&path("a/README.md")).is_none());
    }
}
