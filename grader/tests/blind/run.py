#!/usr/bin/env python3
"""Runs one blind acceptance kernel through `grader run … --format json` and compares with NumPy.

    run.py --grader PATH --launch JSON FILE [--device SPEC]
    run.py --grader PATH --launch JSON FILE --same    (the same output, byte for byte, again and on fewer cores)
    run.py --census             (no grader: enough kernels, and none of the references without one)
    run.py --serve              (what stands behind run.py, as a JSON list a line of standard input; exit code and output come back so)

`../blind.rs` calls it, a test for each kernel, with the launch that it has read from the header.

The kernels and references.py were written from the CUDA and PTX documents and from the command line's description alone.
An H200 (driver 580.159, NVRTC 13.0.88) agreed with every reference, for checked and optimised code, and ncu with the counters
of 012, 026, 027 and 052 to 054. compute-sanitizer's four tools found nothing in the clean ones (checked code), except that its
race check doesn't follow the lock of 038 and the counter of 114, whose order comes from atomics and fences. Of 268 and 269,
which came later, NumPy has the outputs and ncu the counters.
A kernel describes itself in its first comment block. Behind a sentence come lines `//@ run OPTIONS`: its launch, as
`simulator/tests/README.md` says; a file `NAME.npy` in a fill is an array made by references.py. Then one `key: value` a line:

    save: INDEX…                                outputs compared with `reference: NAME`
    status: A|B                                 default: finished for clean kernels; a run that came to a verdict for defective ones
    exit: N                                     default: 1 with an expected error, 0 without
    counter: NAME = N                           exact
    pending: WHY                                the product is known to fall short here; shown, not counted as a failure
    expect: KIND[|KIND] SEVERITY [SPACE] @ MARK[|MARK] [MARK]   a finding that must be there
    allow: the same                             a consequence that may be there

A mark names the line that carries `// <- mark`. One mark (or alternatives) must be one of the finding's two places; two marks
must be exactly its two places. A finding that is neither expected nor allowed fails the kernel.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import traceback

import numpy as np

from references import Check, Close, data, references

HERE = pathlib.Path(__file__).resolve().parent
MANY = {"counter", "expect", "allow"}
ONE = {"save", "reference", "status", "exit", "compiles", "pending"}
KINDS = {"race", "barrier_divergence", "invalid_mask", "deadlock", "unfinished", "out_of_bounds", "misaligned", "uninitialized_read",
         "assertion", "trap", "stack_overflow", "heap_overflow", "unsupported", "*"}  # fmt: skip
SPACES = {"shared", "global", "local", "constant", "param"}
TYPES = {"u8": np.uint8, "i8": np.int8, "u16": np.uint16, "i16": np.int16, "u32": np.uint32, "i32": np.int32, "u64": np.uint64, "i64": np.int64,
         "f16": np.float16, "f32": np.float32, "f64": np.float64, "bf16": np.uint16}  # fmt: skip
FINDING_KEYS = {"kind", "severity", "space", "place", "other", "threads", "address", "allocation", "count", "message"}
REPORT_KEYS = {"schema", "status", "devices", "compiler", "resources", "findings", "counters", "lines"}
VERDICTS = "finished|faulted|unfinished"


class Expectation:
    """One `expect:` or `allow:` line with its marks resolved to line numbers."""

    def __init__(self, text, marks):
        self.text = text
        left, _, right = text.partition("@")
        words = left.split()
        self.kinds, self.severity = set(words[0].split("|")), words[1]
        self.space = words[2] if len(words) > 2 else None
        assert self.kinds <= KINDS and self.severity in {"error", "warning", "note"} and (self.space is None or self.space in SPACES), text
        self.places = [{marks[name] for name in group.split("|")} for group in right.split()]
        assert self.places, text

    def same_class(self, finding):
        return (
            ("*" in self.kinds or finding["kind"] in self.kinds)
            and finding["severity"] == self.severity
            and (self.space is None or finding["space"] == self.space)
        )

    def met_by(self, finding, file):
        if not self.same_class(finding) or pathlib.PurePath((finding["place"] or {}).get("file", "")).name != file:
            return False
        found = lines_of(finding)
        if len(self.places) == 1:
            return any(line in self.places[0] for line in found)
        first, second = self.places
        return any(a in first and b in second for a, b in (found, found[::-1]))

    def covers(self, finding):
        """True for consequences too: the same class of finding at any of these lines."""
        return self.same_class(finding) and any(line in place for place in self.places for line in lines_of(finding))


def lines_of(finding):
    """Its line and that of its other side."""
    return [(place or {}).get("line") for place in (finding["place"], finding["other"])]


class Kernel:
    """A kernel file and what its header says."""

    def __init__(self, path, launch=None):
        self.path, self.name, self.launch = path, path.stem, launch
        lines = path.read_text().splitlines()
        self.fields = {key: [] for key in MANY}
        for line in lines[1:]:
            if line.startswith("//@ "):
                continue
            if not line.startswith("// "):
                break
            key, separator, value = line[3:].partition(": ")
            assert separator and key in MANY | ONE, f"{path.name}: not a header line: {line}"
            if key in MANY:
                self.fields[key].append(value)
            else:
                assert key not in self.fields, f"{path.name}: {key} twice"
                self.fields[key] = value
        marks = {}
        for number, line in enumerate(lines, 1):
            _, arrow, names = line.partition("// <- ")
            for mark in names.split(",") if arrow else []:
                assert mark.strip() not in marks, f"{path.name}: mark {mark} twice"
                marks[mark.strip()] = number
        self.expected = [Expectation(text, marks) for text in self.fields["expect"]]
        self.allowed = [Expectation(text, marks) for text in self.fields["allow"]]
        self.counters = {name.strip(): int(value) for name, value in (text.split("=") for text in self.fields["counter"])}
        self.saved = [int(index) for index in self.fields.get("save", "").split()]
        self.defective = any(e.severity == "error" for e in self.expected)
        self.statuses = set(self.fields.get("status", VERDICTS if self.defective else "finished").split("|"))
        self.exit = int(self.fields.get("exit", 1 if self.defective else 0))
        assert bool(self.saved) == ("reference" in self.fields), f"{path.name}: save and reference go together"

    def prepare(self, folder):
        """The command line's kernel part, the argument values and the device variables the reference sees."""
        words, values, variables = list(self.launch["words"]), [], {}
        places = [at + 1 for at, word in enumerate(words) if word == "--arg"]
        for index, (at, specification) in enumerate(zip(places, self.launch["arguments"], strict=True)):
            value, file = argument(specification, values)
            values.append(value)
            if file:
                words[at] = words[at].replace(file, str(written(folder / f"arg{index}.npy", value)))
        places = [at + 1 for at, word in enumerate(words) if word == "--global"]
        for at, variable in zip(places, self.launch["globals"], strict=True):
            name, fill = variable["name"], variable["fill"]
            if file := made_here(fill):
                variables[name] = data[pathlib.Path(file).stem](None, None)
                words[at] = words[at].replace(file, str(written(folder / f"global_{name}.npy", variables[name])))
        return words, values, variables

    def want(self, values, variables):
        if "reference" not in self.fields:
            return {}
        copies = [v.copy() if isinstance(v, np.ndarray) else v for v in values]
        with np.errstate(all="ignore"):
            want = references[self.fields["reference"]](copies, variables)
        assert sorted(want) == sorted(self.saved), f"{self.name}: reference gives {sorted(want)}, saved are {self.saved}"
        for index, value in want.items():
            if not isinstance(value, Check):
                got = value.values if isinstance(value, Close) else value
                assert np.shape(got) == values[index].shape, f"{self.name}: argument {index} is {values[index].shape}, reference {np.shape(got)}"
                assert isinstance(value, Close) or got.dtype == values[index].dtype, f"{self.name}: argument {index} is {values[index].dtype}, reference {got.dtype}"
        return want


def made_here(fill):
    """The name of the file that a fill is, or None."""
    return fill.get("file") if isinstance(fill, dict) else None


def written(path, values):
    np.save(path, values)
    return path


def argument(specification, earlier):
    """The value of an argument as the reference sees it, and the name of the file that it comes from, if any."""
    if specification == "null":
        return None, None
    ((kind, of),) = specification.items()
    if kind == "same":
        return earlier[of["index"]].reshape(-1)[of["offset"] :], None
    dtype = TYPES[of["element"]]
    if kind == "scalar":
        return np.frombuffer(bytes(of["bytes"]), dtype)[0].item(), None
    shape, fill = tuple(of["shape"]), of["fill"]
    if fill == "iota":
        return np.arange(np.prod(shape)).astype(dtype).reshape(shape), None
    if fill == "ones":
        return np.ones(shape, dtype), None
    if fill is None or fill == "zeros" or "random" in fill:
        return np.zeros(shape, dtype), None
    if "constant" in fill:
        return np.full(shape, float(fill["constant"])).astype(dtype), None
    file = made_here(fill)
    assert file, fill
    value = data[pathlib.Path(file).stem](dtype, shape)
    assert value.dtype == dtype and value.shape == shape, f"{file}: made {value.dtype}{value.shape}"
    return value, file


def differences(index, got, want, saved):
    """A complaint about one saved argument, or None."""
    if isinstance(want, Check):
        complaint = want.complaint(saved)
        return complaint and f"argument {index}: {complaint}"
    close = isinstance(want, Close)
    expected = want.values if close else want
    if got.shape != expected.shape:
        return f"argument {index}: shape {got.shape}, expected {expected.shape}"
    with np.errstate(all="ignore"):
        if close:
            right = np.abs(got.astype(np.float64) - expected) <= want.atol + want.rtol * np.abs(expected)
        else:
            if got.dtype != expected.dtype:
                return f"argument {index}: type {got.dtype}, expected {expected.dtype}"
            unsigned = f"u{got.dtype.itemsize}"
            right = np.ascontiguousarray(got).view(unsigned) == np.ascontiguousarray(expected).view(unsigned)
        if np.issubdtype(got.dtype, np.floating):
            right |= np.isnan(got) & np.isnan(expected)
    if right.all():
        return None
    wrong = np.argwhere(~right)
    at = tuple(int(k) for k in wrong[0])
    rows = sorted({int(k) for k in wrong[:, 0]})[:8] if got.ndim > 1 else ""
    return f"argument {index}: {len(wrong)} of {got.size} wrong {f'in rows {rows} ' if rows else ''}first at {at}: got {got[at]!r}, expected {expected[at]!r}"


def brief(finding):
    return f"{finding.get('severity')} {finding.get('kind')} {finding.get('space')} line {finding.get('line')} / {finding.get('other_line')}: {finding.get('message')}"


def judge(kernel, grader, device):
    """Runs one kernel; returns the list of complaints."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        words, values, variables = kernel.prepare(folder)
        outputs = {index: folder / f"saved{index}.npy" for index in kernel.saved}
        command = [grader, "run", str(kernel.path), *words, "--device", device, "--format", "json"]
        for index, path in outputs.items():
            command += ["--save", f"{index}={path}"]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
        except subprocess.TimeoutExpired:
            return ["no answer within 300 s"]
        try:
            report = json.loads(done.stdout)
        except json.JSONDecodeError:
            return [f"exit {done.returncode}, standard output is not JSON: {done.stdout[:200]!r} {done.stderr[-600:]!r}"]
        complaints = []
        if missing := REPORT_KEYS - report.keys():
            complaints.append(f"report lacks {sorted(missing)}")
        findings = report.get("findings") or []
        for finding in findings:
            if missing := FINDING_KEYS - finding.keys():
                complaints.append(f"finding lacks {sorted(missing)}")
                return complaints
        if report.get("schema") != 3:
            complaints.append(f"schema {report.get('schema')!r}, expected 3")
        if report.get("status") not in kernel.statuses:
            said = (report.get("detail") or done.stderr[-400:]).partition("\n")[0]
            return [*complaints, f"status {report.get('status')!r}, expected {'|'.join(sorted(kernel.statuses))}: {said}", *map(brief, findings)]
        if done.returncode != kernel.exit:
            complaints.append(f"exit code {done.returncode}, expected {kernel.exit} {done.stderr[-400:]}")
        for expectation in kernel.expected:
            if not any(expectation.met_by(finding, kernel.path.name) for finding in findings):
                complaints.append(f"missing: {expectation.text} (lines {[sorted(place) for place in expectation.places]})")
        for finding in findings:
            if not any(expectation.covers(finding) for expectation in kernel.expected + kernel.allowed):
                complaints.append(f"unexpected: {brief(finding)}")
        for counter, value in kernel.counters.items():
            if (got := (report.get("counters") or {}).get(counter)) != value:
                complaints.append(f"{counter} = {got}, expected {value}")
        want = kernel.want(values, variables)
        saved = {index: np.load(path) for index, path in outputs.items() if path.exists()}
        for index in want:
            if index not in saved:
                complaints.append(f"argument {index} was not saved")
            elif complaint := differences(index, saved[index], want[index], saved):
                complaints.append(complaint)
        return complaints


def repeatable(kernel, grader, device):
    """Runs one kernel again, with other numbers of threads and cores; returns the list of complaints. A report holds no times."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        words, _, _ = kernel.prepare(folder)

        def run(label, threads, cores):
            outputs = {index: folder / f"{label}{index}.npy" for index in kernel.saved}
            command = [grader, "run", str(kernel.path), *words, "--device", device, "--format", "json"]
            for index, path in outputs.items():
                command += ["--save", f"{index}={path}"]
            # The workers' environment is empty, so the cores are what really changes their number of threads.
            environment = os.environ | ({"RAYON_NUM_THREADS": str(threads)} if threads else {})
            confine = (lambda: os.sched_setaffinity(0, cores)) if cores else None
            done = subprocess.run(command, capture_output=True, timeout=300, check=False, env=environment, preexec_fn=confine)
            return {"exit code": done.returncode, "report": done.stdout} | {f"argument {i}": p.read_bytes() for i, p in outputs.items() if p.exists()}

        one = {min(os.sched_getaffinity(0))}
        first = run("first", None, None)
        if first["exit code"] not in (0, 1, 3) or not first["report"].startswith(b"{"):
            return [f"no report: exit code {first['exit code']}"]
        others = {"again": (None, None), "RAYON_NUM_THREADS=1": (1, None), "RAYON_NUM_THREADS=2": (2, None), "on one core": (None, one)}
        complaints = []
        for label, (threads, cores) in others.items():
            other = run("other", threads, cores)
            complaints += [f"{label}: {what} differs{first_difference(first[what], other.get(what))}" for what in first if first[what] != other.get(what)]
        return complaints


def first_difference(one, other):
    if not isinstance(one, bytes) or not isinstance(other, bytes):
        return f": {one!r} and {other!r}"
    if not one.startswith(b"{"):
        return ""
    for number, (a, b) in enumerate(zip(one.splitlines(), other.splitlines()), 1):
        if a != b:
            return f" in line {number}: {a.decode(errors='replace').strip()} and {b.decode(errors='replace').strip()}"
    return f": {len(one)} and {len(other)} bytes"


def census(kernels):
    """The promise of the suite: enough kernels, enough of them defective."""
    defective = sum(kernel.defective for kernel in kernels)
    assert len(kernels) >= 48 and defective >= 24, f"{len(kernels)} kernels, {defective} defective"
    used = {kernel.fields["reference"] for kernel in kernels if "reference" in kernel.fields}
    assert used == set(references), f"references without a kernel: {sorted(set(references) - used)}"
    return f"{len(kernels)} kernels, {defective} with a planted error"


def answer(arguments):
    """The exit code and the output for one command line."""
    options = command_line(arguments)
    if options.census:
        return 0, census([Kernel(path) for path in sorted([*HERE.glob("*.cu"), *HERE.glob("*.ptx")])]) + "\n"
    kernel = Kernel(options.kernel, options.launch)
    complaints = (repeatable if options.same else judge)(kernel, options.grader, options.device)
    said = "".join(f"{complaint}\n" for complaint in complaints)
    known = kernel.fields.get("pending") if not options.same else None
    if known:
        return 0, f"{said}{'pending' if complaints else 'no longer pending, remove the line'}: {known}\n"
    return 1 if complaints else 0, said


def serve():
    """Answers for one kernel after another: importing NumPy takes longer than most kernels."""
    for line in sys.stdin:
        try:
            answered = answer(json.loads(line))
        except Exception:
            answered = 1, traceback.format_exc()
        print(json.dumps(answered), flush=True)


def command_line(arguments):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("kernel", type=pathlib.Path, nargs="?")
    parser.add_argument("--grader")
    parser.add_argument("--launch", type=json.loads)
    parser.add_argument("--same", action="store_true")
    parser.add_argument("--census", action="store_true")
    parser.add_argument("--serve", action="store_true")
    parser.add_argument("--device", default="sim:h200")
    return parser.parse_args(arguments)


def main():
    if command_line(sys.argv[1:]).serve:
        serve()
        return 0
    code, said = answer(sys.argv[1:])
    print(said, end="")
    return code


if __name__ == "__main__":
    sys.exit(main())
