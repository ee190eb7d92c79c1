#!/usr/bin/env python3
"""Runs every form of forms.txt on this machine's GPU.

    PREPARE=FOLDER cargo test -p warpsim --test hardware the_table       anywhere: writes the kernels and their operands
    measure.py FOLDER OUTPUT                                             on a machine with a GPU and CuPy
    MEASURED=OUTPUT cargo test -p warpsim --test hardware results        anywhere: makes the goldens, compares

Each form is a module of its own, compiled by the driver. One that the driver refuses is recorded with the driver's words; one
that breaks or hangs its process costs its own results only, because a new process goes on behind it.
"""

import argparse
import datetime
import json
import pathlib
import platform
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

# A file of results is at most about this long.
PART_BYTES = 8 << 20
# A form takes milliseconds, the start of a process seconds.
SECONDS_WITHOUT_PROGRESS = 90


def launch_all(folder, job, first, end):
    """Launches forms `first` to `end`, and notes each in the job's journal as it begins and ends."""
    import cupy
    import numpy

    plan = json.loads((folder / "forms.json").read_text())
    operands = {}
    with (job / "journal").open("a") as journal, (job / "results").open("ab") as file:

        def note(**entry):
            journal.write(json.dumps(entry) + "\n")
            journal.flush()

        for number, form in enumerate(plan["forms"][first:end], first):
            note(begins=number)
            name = form["operands"]
            if name not in operands:
                operands[name] = cupy.asarray(numpy.fromfile(folder / name, dtype=numpy.uint8))
            # CuPy remembers modules by path, and loads one when it is first launched.
            kernel = job / f"{number}.ptx"
            kernel.write_text(form["ptx"])
            results = cupy.zeros(form["result_bytes"], dtype=cupy.uint8)
            scratch = cupy.zeros(16 * form["threads"], dtype=cupy.uint8)
            try:
                function = cupy.RawModule(path=str(kernel)).get_function(plan["entry"])
                function((form["threads"] // plan["block"],), (plan["block"],), (operands[name], results, scratch))
            except cupy.cuda.driver.CUDADriverError as error:
                note(number=number, refused=str(error))
                continue
            cupy.cuda.Device().synchronize()
            at = file.tell()
            file.write(results.get().tobytes())
            file.flush()
            note(number=number, at=at)


def watched(command, journal):
    """Runs a process as long as its journal grows. Why it did not end well, or nothing."""
    with (journal.parent / "errors").open("w+") as errors:
        process = subprocess.Popen(command, stdout=errors, stderr=errors)
        size, since = 0, time.monotonic()
        while process.poll() is None:
            time.sleep(0.1)
            now = journal.stat().st_size if journal.exists() else 0
            if now != size:
                size, since = now, time.monotonic()
            elif time.monotonic() - since > SECONDS_WITHOUT_PROGRESS:
                process.kill()
                process.wait()
                return f"not finished in {SECONDS_WITHOUT_PROGRESS} s"
        if process.returncode == 0:
            return None
        errors.seek(0)
        return (errors.read().strip().splitlines() or [f"exit code {process.returncode}"])[-1]


def run_job(folder, job, forms, first, end):
    """All results of forms `first` to `end`: bytes by number, and why there are none by number."""
    job.mkdir(parents=True)
    journal = job / "journal"
    refused, found = {}, {}
    while first < end:
        command = [sys.executable, __file__, str(folder), str(job), "--range", str(first), str(end)]
        why = watched(command, journal)
        entries = [json.loads(line) for line in journal.read_text().splitlines()] if journal.exists() else []
        begun = max((entry["begins"] for entry in entries if "begins" in entry), default=-1)
        ended = {entry["number"]: entry for entry in entries if "number" in entry}
        if begun < first:
            raise SystemExit(f"no form could be begun: {why}")
        if begun not in ended:
            refused[begun] = why or "ended without a result"
        first = begun + 1
    raw = (job / "results").read_bytes()
    for number, entry in ended.items():
        if "refused" in entry:
            refused[number] = entry["refused"]
        else:
            found[number] = raw[entry["at"] : entry["at"] + forms[number]["result_bytes"]]
    return found, refused


def provenance():
    import cupy

    query = ["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"]
    smi = subprocess.run(query, capture_output=True, text=True, check=True).stdout
    gpu, driver = (part.strip() for part in smi.strip().splitlines()[0].split(","))
    version = cupy.cuda.runtime.driverGetVersion()
    return {
        "gpu": gpu,
        "driver": driver,
        "compiler": f"the driver's own, CUDA {version // 1000}.{version % 1000 // 10}",
        "launcher": f"CuPy {cupy.__version__}, Python {platform.python_version()}",
        "date": datetime.datetime.now(datetime.timezone.utc).date().isoformat(),
    }


def measure(folder, output, jobs):
    forms = json.loads((folder / "forms.json").read_text())["forms"]
    work = output / "work"
    shutil.rmtree(work, ignore_errors=True)
    # A process without a form has nothing to begin.
    jobs = max(1, min(jobs, len(forms)))
    ends = [len(forms) * index // jobs for index in range(jobs + 1)]
    refused, found = {}, {}
    with ThreadPoolExecutor(jobs) as pool:
        ranges = zip(range(jobs), ends, ends[1:])
        done = pool.map(lambda job: run_job(folder, work / str(job[0]), forms, job[1], job[2]), ranges)
        for results, reasons in done:
            found.update(results)
            refused.update(reasons)
    parts, places = [bytearray()], {}
    for number, results in sorted(found.items()):
        if len(parts[-1]) > PART_BYTES:
            parts.append(bytearray())
        places[forms[number]["name"]] = [len(parts) - 1, len(parts[-1]), forms[number]["key"]]
        parts[-1] += results
    for index, part in enumerate(parts):
        (output / f"results.{index}.bin").write_bytes(part)
    refused = {forms[number]["name"]: why for number, why in sorted(refused.items())}
    record = {"provenance": provenance(), "refused": refused, "results": places}
    (output / "results.json").write_text(json.dumps(record))
    shutil.rmtree(work)
    print(f"{len(found)} forms measured on {record['provenance']['gpu']}, {len(refused)} refused, {len(parts)} files of results")
    for name, why in refused.items():
        print(f"  {name}: {why}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("output", type=pathlib.Path)
    parser.add_argument("--jobs", type=int, default=4, help="processes at the same time")
    parser.add_argument("--range", type=int, nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.range:
        return launch_all(options.folder, options.output, *options.range)
    return measure(options.folder, options.output, options.jobs)


if __name__ == "__main__":
    sys.exit(main())
