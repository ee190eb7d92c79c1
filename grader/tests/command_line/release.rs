//! What is handed out besides the program: the notebook, and recipes that nobody has run yet. Running the notebook is
//! `release/try`'s, which needs a wheel and Jupyter; here is what needs neither.

use std::{fs, path::Path, process::Command};

use serde_json::Value;

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

fn read(name: &str) -> String {
    fs::read_to_string(root().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// Its cells as a reader of the format finds them, and the stub as the course has it.
#[test]
fn the_notebook_is_one_and_has_the_stub() {
    let program = "import pathlib, sys, notebook; sys.stdout.write(notebook.text(pathlib.Path('.')))";
    let made = Command::new("python3")
        .args(["-B", "-c", program])
        .current_dir(root())
        .env("PYTHONPATH", "release")
        .env("PYTHONIOENCODING", "utf-8")
        .output()
        .unwrap();
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let notebook: Value = serde_json::from_slice(&made.stdout).unwrap();
    assert_eq!((&notebook["nbformat"], &notebook["nbformat_minor"]), (&4.into(), &5.into()));
    assert!(notebook["metadata"]["kernelspec"]["name"].is_string());
    let cells = notebook["cells"].as_array().unwrap();
    let text = |cell: &Value| -> String {
        cell["source"].as_array().unwrap().iter().map(|line| line.as_str().unwrap()).collect()
    };
    let mut ids: Vec<&str> = cells.iter().map(|cell| cell["id"].as_str().unwrap()).collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), cells.len());
    for cell in cells {
        assert!(cell["metadata"].is_object() && !text(cell).is_empty(), "{cell}");
        let is_code = cell["cell_type"] == "code";
        assert!(is_code || cell["cell_type"] == "markdown", "{cell}");
        // Only code has these, and it must.
        for key in ["execution_count", "outputs"] {
            assert_eq!(cell.get(key).is_some(), is_code, "{cell}");
        }
    }
    let code: Vec<String> = cells.iter().filter(|cell| cell["cell_type"] == "code").map(text).collect();
    let at = |words: &str| {
        code.iter().position(|cell| cell.contains(words)).unwrap_or_else(|| panic!("no cell with {words}"))
    };
    let order = [
        "pip install",
        "!grader init course",
        "%%writefile 03-reduction/kernel.cu",
        "!grader check 03-reduction",
    ];
    assert!(order.map(at).is_sorted_by(|a, b| a < b), "{code:?}");
    assert!(code[at("%%writefile")].contains(read("exercises/03-reduction/kernel.cu").trim_end()));
    // A magic that writes a file must be the first line of its cell.
    assert!(code[at("%%writefile")].starts_with("%%writefile"));
}

/// Nobody has run them, so they say so; and what they name is there under that name.
#[test]
fn recipes_say_that_they_are_untested_and_name_what_release_make_makes() {
    let make = read("release/make");
    let files = "target/release-files";
    assert!(make.contains(&format!("in {files}/")) && make.contains("OUT = TARGET / \"release-files\""));
    let package = read("release/pyproject.toml")
        .lines()
        .find_map(|line| line.strip_prefix("name = ").map(str::to_owned));
    let package = package.unwrap().trim_matches('"').replace('-', "_");
    for (recipe, words) in [
        (
            "release/arm.yml",
            vec!["run: release/make\n".into(), "run: release/try\n".into(), format!("path: {files}\n")],
        ),
        (
            "release/Containerfile",
            vec!["#   release/make\n".into(), format!("COPY {files}/{package}-*.whl ")],
        ),
    ] {
        let text = read(recipe);
        assert!(text.starts_with("# Untested: "), "{recipe}");
        for words in words {
            assert!(text.contains(&words), "{recipe} lacks {words:?}");
        }
        assert!(read("CONTRIBUTING.md").contains(&format!("`{recipe}`")), "{recipe}");
    }
    for script in ["release/make", "release/try"] {
        assert!(read(script).starts_with("#!/usr/bin/env "), "{script}");
    }
}
