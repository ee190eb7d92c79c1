#!/usr/bin/env python3
"""The simulator's counters beside those of a GPU.

    counters.py --measure [--only TEXT]…    on a machine with a GPU, ncu and CuPy: reads the hardware's counters, writes $OUT/hardware.json
    counters.py --keep FILE                 anywhere: puts what was measured into hardware.json here
    counters.py --grader PATH               anywhere: `grader run` counts the same launches; any difference from hardware.json is shown

A launch is one variant of a `.cu` file here (its header says `key: value`, as in the blind suite; `variant: NAME = OPTIONS` makes
one launch each), one block of `shipped.txt`, or a kernel of the blind suite. hardware.json is a list of measurements: where each comes from, and for
each launch what ncu read, in the order of its `metrics` (an older one holds the sums that COUNTERS makes of them, in the order of its `counters`).
A difference that is understood is said in the file's header or the block, and then must be there:

    differs: COUNTER: WHY            for all variants
    differs: COUNTER @ VARIANT…: WHY
"""

import argparse
import csv
import ctypes
import datetime
import io
import itertools
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent.parent
sys.path.insert(0, str(HERE.parent / "blind"))
from run import TYPES, data, written  # noqa: E402
from tensor_map import tensor_map  # noqa: E402

# What `grader run` calls it, and the hardware's counters that add up to it, some of them with a factor.
COUNTERS = {
    "global_load_requests": ["l1tex__t_requests_pipe_lsu_mem_global_op_ld"],
    "global_load_sectors": ["l1tex__t_sectors_pipe_lsu_mem_global_op_ld"],
    "global_store_requests": [f"l1tex__t_requests_pipe_lsu_mem_global_op_{op}" for op in ("st", "red", "atom")],
    "global_store_sectors": [f"l1tex__t_sectors_pipe_lsu_mem_global_op_{op}" for op in ("st", "red", "atom")],
    "shared_load_requests": ["smsp__inst_executed_op_shared_ld", "smsp__inst_executed_op_ldsm"],
    "shared_load_wavefronts": ["l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld"],
    "shared_store_requests": ["smsp__inst_executed_op_shared_st", "smsp__inst_executed_op_shared_stsm", "smsp__inst_executed_op_ldgsts"],
    "shared_store_wavefronts": ["l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st"],
    "shared_atomic_requests": ["smsp__inst_executed_op_shared_atom"],
    "shared_atomic_wavefronts": ["l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom"],
    "shared_bank_conflicts": [f"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_{op}" for op in ("ld", "st", "ldgsts")],
    "shared_atomic_conflicts": ["l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_atom"],
    "global_bytes_moved": [f"l1tex__t_bytes_pipe_lsu_mem_global_op_{op}" for op in ("ld", "st", "red", "atom")],
    "global_load_bytes": [f"smsp__sass_data_bytes_mem_global_op_{op}" for op in ("ld", "ldgsts")],
    # Half-precision instructions are not among them: ptxas also makes constants with HFMA2.
    "floating_point_operations": [
        *(f"smsp__sass_thread_inst_executed_op_{kind}{op}_pred_on" for kind in "fd" for op in ("add", "mul")),
        *((2, f"smsp__sass_thread_inst_executed_op_{kind}fma_pred_on") for kind in "fd"),
    ],
    # What tensor cores do, products of a warp and of four alike.
    "matrix_operations": [
        f"sm__ops_path_tensor_src_{numbers}" for numbers in ("fp16", "bf16_dst_fp32", "tf32_dst_fp32", "fp64", "fp8", "int8", "int1")
    ],
    "bulk_load_sectors": ["l1tex__m_xbar2l1tex_read_sectors_mem_global_op_tma_ld"],
    "bulk_store_sectors": [f"l1tex__m_l1tex2xbar_write_sectors_mem_global_op_tma_{op}" for op in ("st", "red")],
}
# Copies to shared memory have no counter of their wavefronts: they are what the others leave of all. The counters are read in several
# passes, so this holds only where a kernel does the same in each.
SHARED_WAVEFRONTS = "l1tex__data_pipe_lsu_wavefronts_mem_shared"
# What ncu is asked for: all of these that it knows on this GPU. Sums; more than COUNTERS needs, so that what a launch has is seen.
METRICS = [
    r"l1tex__t_(requests|sectors|bytes)_pipe_lsu_mem_global_op_\w+",
    r"l1tex__data_(bank_conflicts|pipe_lsu_wavefronts)_(pipe_lsu_)?mem_shared(_op_\w+)?",
    r"smsp__inst_executed_op_(shared|ldgsts|ldsm|stsm|global)\w*",
    r"smsp__sass_data_bytes_mem_(global|shared)_op_\w+",
    r"smsp__sass_thread_inst_executed_op_[fdh](add|mul|fma)\d?_pred_on",
    r"smsp__sass_thread_inst_executed_ops_\w+_pred_on",
    r"smsp__(inst_executed|thread_inst_executed|thread_inst_executed_pred_on)",
    r"sm__ops_path_tensor_src_[a-z0-9_]*(?<!sparsity_on)(?<!sparsity_off)",
    r"l1tex__m_(xbar2l1tex_read|l1tex2xbar_write)_(bytes|sectors)_mem_d?(global|shared)_op_tma_[a-z_]+",
    r"l1tex__(tmain_requests|t_(requests|sectors)_pipe_lsu_mem_dshared_op_\w+)",
    r"sm__sass_inst_executed_op_(dshared|tma)\w*",
]
# Kernels of the blind suite that are measured too, and where they are known to differ.
OFF = "the hardware counts instructions that a predicate turns off for every lane; they make no wavefront"
BLIND = {
    "012_vector_loads": {},
    "024_three_shared_kinds": {},
    "026_transpose_padded": {"shared_load_requests": OFF, "shared_store_requests": OFF},
    "027_transpose_conflicts": {},
    "028_scan_hillis_steele": {"shared_load_requests": OFF},
    "029_scan_blelloch": {"shared_load_requests": OFF, "shared_store_requests": OFF},
    "030_histogram": {},
    "043_control_flow": {},
    "050_stencil": {},
    "052_bank_strides": {},
    "053_bank_double": {},
    "054_sectors": {},
    "057_bitonic_sort": {"shared_store_requests": OFF},
    "268_staged_product": {
        "shared_load_requests": "ptxas makes one 16-byte load of four neighbouring 4-byte ones",
        "shared_load_wavefronts": "ptxas makes one 16-byte load of four neighbouring 4-byte ones",
        "shared_store_requests": OFF,
    },
    "269_piped_sums": {
        "shared_load_requests": OFF,
        "shared_store_requests": OFF,
        "shared_store_wavefronts": "the counters are read in several runs, in which warps wait more or less often",
        "shared_atomic_requests": "arrivals at an mbarrier are no atomics to ncu",
        "shared_atomic_wavefronts": "ptxas adds up a warp's lanes first, where all update one address",
        "shared_atomic_conflicts": "ptxas adds up a warp's lanes first, where all update one address",
    },
}
SHIMS = ROOT / "harness/src/compiler/shims"
OPTIONS = ["--std=c++17", "-lineinfo", "--gpu-architecture=sm_90", "--ptxas-options=-v", f"--include-path={SHIMS}", "--pre-include=cuda_runtime.h",
           f"--include-path={ROOT / 'kernels'}"]  # fmt: skip
CUDA = pathlib.Path(os.environ.get("CUDA_HOME", "/usr/local/cuda"))


class Launch:
    """One launch of one kernel with its arguments."""

    def __init__(self, name, file, fields, options, differs):
        self.name, self.file, self.options, self.differs = name, file, options, differs
        self.entry, self.grid, self.block = fields["entry"], fields["grid"], fields["block"]
        self.shared, self.arch = int(fields.get("shared", 0)), fields.get("arch", "90")
        self.arguments, self.globals = fields.get("arg", []), fields.get("global", [])

    def values(self, folder):
        """The arguments, and how `grader run` is told of them."""
        values, specs = [], []
        for index, spec in enumerate(self.arguments):
            value, spec = argument(spec, values, folder / f"argument{index}.npy")
            values.append(value)
            specs.append(spec)
        return values, specs

    def defined(self):
        """The source behind its macros, none of which is left at its end."""
        defines = [option.partition("=") for option in self.options if option != "--define"]
        source = self.file.read_text()
        names = {name for name, _, _ in defines} | {self.entry} | set(re.findall(r"^#define (\w+)", source, re.MULTILINE))
        return "".join(
            [*(f"#define {name} {value}\n" for name, _, value in defines), source, *(f"\n#undef {name}" for name in sorted(names)), "\n"]
        )

    def command(self, entry, specs):
        words = ["--entry", entry, "--grid", self.grid, "--block", self.block, "--shared", str(self.shared)]
        for spec in specs:
            words += ["--arg", spec]
        for fill in self.globals:
            words += ["--global", fill]
        return words


def fields_of(lines):
    fields = {}
    for line in lines:
        key, separator, value = line.partition(": ")
        assert separator, f"not `key: value`: {line}"
        if key in ("arg", "global", "variant", "differs"):
            fields.setdefault(key, []).append(value)
        else:
            fields[key] = value
    return fields


def fields_of_command(file):
    """The same of a kernel that states its launch as `//@ run OPTIONS`."""
    parser = argparse.ArgumentParser()
    for name in ("entry", "grid", "block", "shared"):
        parser.add_argument(f"--{name}", default="0")
    parser.add_argument("--arg", action="append", default=[])
    parser.add_argument("--global", action="append", default=[])
    lines = [line.removeprefix("//@ run ") for line in file.read_text().splitlines() if line.startswith("//@ run ")]
    return vars(parser.parse_args(shlex.split(" ".join(lines))))


class Boxes:
    """A tensor map over an array."""

    def __init__(self, box, kind, array):
        self.box, self.kind, self.array = box, kind, array

    def on_gpu(self, cupy):
        """The map, and the array that it is over, which must be kept as long as it."""
        there = cupy.asarray(self.array)
        shape = "x".join(map(str, self.array.shape))
        return np.void(tensor_map(self.box, self.kind, shape, there.data.ptr)), there


def argument(spec, earlier, path):
    """The value of an argument, and its SPEC with the values of `@name` or `name.npy` in a file."""
    kind, _, rest = spec.partition(":")
    if kind == "null":
        return None, spec
    if kind == "same":
        index, _, offset = rest.partition("+")
        return earlier[int(index)].reshape(-1)[int(offset or 0) :], spec
    if kind == "tensormap":
        box, _, rest = rest.partition(":")
        value, rest = argument(rest, earlier, path)
        return Boxes(box, rest.split(":")[1], value), f"tensormap:{box}:{rest}"
    if kind not in {"in", "inout", "out"}:
        return (float if kind.startswith("f") else int)(rest), spec
    shape, _, fill = rest.partition("=")
    name, _, shape = shape.partition(":")
    dtype, shape = TYPES[name], tuple(int(side) for side in shape.split("x"))
    if kind == "out" or fill == "zeros" or fill.startswith("random:"):
        return np.zeros(shape, dtype), spec
    if fill == "iota":
        return np.arange(np.prod(shape)).astype(dtype).reshape(shape), spec
    if fill.startswith("const:"):
        return np.full(shape, float(fill[6:])).astype(dtype), spec
    value = data[fill.removeprefix("@").removesuffix(".npy")](dtype, shape)
    return value, spec.replace(fill, str(written(path, value)))


def differences_of(fields, variant):
    """Counters that are known to differ in this variant, with the reason."""
    known = {}
    for text in fields.get("differs", []):
        where, _, why = text.partition(": ")
        counter, _, variants = where.partition(" @ ")
        assert counter in COUNTERS and why, f"not `COUNTER [@ VARIANT…]: WHY`: {text}"
        if not variants or variant in variants.split():
            known[counter] = why
    return known


def launches():
    for path in sorted(HERE.glob("*.cu")):
        header = []
        for line in path.read_text().splitlines()[1:]:
            if not line.startswith("// "):
                break
            header.append(line[3:])
        fields = fields_of(header)
        for text in fields["variant"]:
            variant, _, options = text.partition(" = ")
            yield Launch(f"{path.stem}/{variant}", path, fields, shlex.split(options), differences_of(fields, variant))
    for block in (HERE / "shipped.txt").read_text().split("\n\n")[1:]:
        fields = fields_of(block.strip().splitlines())
        yield Launch(fields["name"], ROOT / fields["file"], fields, [], differences_of(fields, ""))
    for name, known in BLIND.items():
        file = HERE.parent / "blind" / f"{name}.cu"
        yield Launch(f"blind {name}", file, fields_of_command(file), [], known)


def chosen(only):
    """The launches with one of these texts in their names."""
    return [launch for launch in launches() if not only or any(text in launch.name for text in only)]


# ---- on a GPU --------------------------------------------------------------------------------------------------------


def cubin(nvrtc, launch):
    """Compiles as `grader` compiles optimised code."""
    program = ctypes.c_void_p()
    defines = [f"--define-macro={word}" for word in launch.options if word != "--define"]
    general = [option.replace("sm_90", f"sm_{launch.arch}") for option in OPTIONS]
    options = [*general, f"--include-path={CUDA / 'include'}", f"--include-path={CUDA / 'include/cccl'}", *defines]
    array = (ctypes.c_char_p * len(options))(*[option.encode() for option in options])
    nvrtc.nvrtcCreateProgram(ctypes.byref(program), launch.file.read_bytes(), launch.file.name.encode(), 0, None, None)
    status = nvrtc.nvrtcCompileProgram(program, len(options), array)
    size = ctypes.c_size_t()
    if status:
        nvrtc.nvrtcGetProgramLogSize(program, ctypes.byref(size))
        log = ctypes.create_string_buffer(size.value)
        nvrtc.nvrtcGetProgramLog(program, log)
        raise SystemExit(f"{launch.name} does not compile:\n{log.value.decode()}")
    nvrtc.nvrtcGetCUBINSize(program, ctypes.byref(size))
    code = ctypes.create_string_buffer(size.value)
    nvrtc.nvrtcGetCUBIN(program, code)
    return code.raw


def library():
    return ctypes.CDLL(str(next(CUDA.glob("lib64/libnvrtc.so.*"))))


def launch_all(only):
    """Launches everything once, in order. Runs under ncu."""
    import cupy

    nvrtc = library()
    everything = chosen(only)
    with ThreadPoolExecutor(8) as pool:
        codes = list(pool.map(lambda launch: cubin(nvrtc, launch), everything))
    scalars = {"i32": np.int32, "u32": np.uint32, "f32": np.float32, "i64": np.int64}
    for launch, code in zip(everything, codes):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "code.cubin").write_bytes(code)
            module = cupy.RawModule(path=str(folder / "code.cubin"))
            values, specs = launch.values(folder)
            given, kept = [], []
            for value, spec in zip(values, specs):
                if isinstance(value, Boxes):
                    boxes, under = value.on_gpu(cupy)
                    given.append(boxes)
                    kept.append(under)
                else:
                    given.append(cupy.asarray(value) if isinstance(value, np.ndarray) else scalars[spec.partition(":")[0]](value))
            grid, block = (tuple(int(side) for side in text.split(",")) for text in (launch.grid, launch.block))
            module.get_function(launch.entry)(grid, block, tuple(given), shared_mem=launch.shared)
            cupy.cuda.Device().synchronize()


def measure(only):
    query = subprocess.run(["ncu", "--query-metrics", "--query-metrics-mode", "all"], capture_output=True, text=True, check=True).stdout.split()
    known = {name.removesuffix(".sum") for name in query}
    wanted = sorted(name for name in known if any(re.fullmatch(pattern, name) for pattern in METRICS))
    for metrics in COUNTERS.values():
        for _, metric in map(weighted, metrics):
            assert metric in wanted, f"ncu does not know {metric}"
    everything = chosen(only)
    command = ["ncu", "--csv", "--print-units", "base", "--clock-control", "none", "--metrics", ",".join(f"{name}" for name in wanted)]
    command += [sys.executable, "-B", __file__, "--launch", *(word for text in only for word in ("--only", text))]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    rows = done.stdout[done.stdout.find('"ID"') :]
    read = {}
    for row in csv.DictReader(io.StringIO(rows)):
        of = read.setdefault(int(row["ID"]), {"": row["Kernel Name"]})
        of[row["Metric Name"].removesuffix(".sum")] = int(float(row["Metric Value"].replace(",", "")))
    assert len(read) == len(everything), f"{len(read)} launches seen, {len(everything)} made\n{done.stdout[-2000:]}{done.stderr[-2000:]}"
    measured = {}
    for launch, (_, of) in zip(everything, sorted(read.items())):
        assert of[""].startswith(launch.entry), f"{launch.name}: ncu saw {of['']}"
        measured[launch.name] = of
    # Metrics that are nothing everywhere say nothing.
    kept = [name for name in wanted if any(of.get(name) for of in measured.values())]
    major, minor = ctypes.c_int(), ctypes.c_int()
    library().nvrtcVersion(ctypes.byref(major), ctypes.byref(minor))
    smi = subprocess.run(["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"], capture_output=True, text=True, check=True).stdout
    ncu = subprocess.run(["ncu", "--version"], capture_output=True, text=True, check=True).stdout.strip().splitlines()[-1]
    gpu, driver = (part.strip() for part in smi.strip().splitlines()[0].split(","))
    provenance = {"gpu": gpu, "driver": driver, "nvrtc": f"{major.value}.{minor.value}", "ncu": ncu, "date": datetime.date.today().isoformat()}
    launches_of = {name: [of.get(metric, 0) for metric in kept] for name, of in measured.items()}
    write_record(pathlib.Path(os.environ["OUT"]) / "hardware.json", [{"provenance": provenance, "metrics": kept, "launches": launches_of}])
    print(f"{len(measured)} launches measured on {gpu}")


# ---- anywhere --------------------------------------------------------------------------------------------------------


def write_record(path, measurements):
    """One launch a line, so that a difference can be read."""
    texts = []
    for measurement in measurements:
        names = "metrics" if "metrics" in measurement else "counters"
        lines = ",\n".join(f"  {json.dumps(name)}: {json.dumps(values)}" for name, values in measurement["launches"].items())
        texts.append(
            f' {{\n "provenance": {json.dumps(measurement["provenance"])},\n "{names}": {json.dumps(measurement[names])},\n "launches": {{\n{lines}\n }}\n }}'
        )
    path.write_text("[\n" + ",\n".join(texts) + "\n]\n")


def keep(file):
    """A launch is kept from its latest measurement."""
    fresh = json.loads(pathlib.Path(file).read_text())
    names = {name for measurement in fresh for name in measurement["launches"]}
    old = json.loads((HERE / "hardware.json").read_text())
    for measurement in old:
        measurement["launches"] = {name: values for name, values in measurement["launches"].items() if name not in names}
    write_record(HERE / "hardware.json", [measurement for measurement in old + fresh if measurement["launches"]])


def weighted(metric):
    """A metric with its factor."""
    return metric if isinstance(metric, tuple) else (1, metric)


def recorded():
    """Of each launch, the counters that were measured."""
    counters = {}
    for measurement in json.loads((HERE / "hardware.json").read_text()):
        for name, values in measurement["launches"].items():
            if "counters" in measurement:
                counters[name] = dict(zip(measurement["counters"], values))
            else:
                of = dict(zip(measurement["metrics"], values))
                sums = {counter: sum(factor * of.get(metric, 0) for factor, metric in map(weighted, metrics)) for counter, metrics in COUNTERS.items()}
                if of.get("smsp__inst_executed_op_ldgsts"):
                    others = sum(of.get(f"{SHARED_WAVEFRONTS}_op_{op}", 0) for op in ("ld", "atom", "misc"))
                    sums["shared_store_wavefronts"] = of[SHARED_WAVEFRONTS] - others
                counters[name] = sums
    return counters


def counted(launch, grader, file, entry, *more):
    """The counters of one launch of a kernel, which lies in this file under this name."""
    with tempfile.TemporaryDirectory() as folder:
        _, specs = launch.values(pathlib.Path(folder))
        command = [grader, "run", str(file), *launch.command(entry, specs), *more, "--device", "sim:h200", "--format", "json"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    report = json.loads(done.stdout) if done.stdout else {}
    if not report.get("counters"):
        raise SystemExit(f"{launch.name}: {report.get('status')} {done.stderr}")
    return report["counters"]


def simulate(launches_of_file, grader):
    """The counters of all launches of one file, which is compiled once: that takes longer than to launch it. Variants are compiled
    together, each under a name of its own."""
    first, *others = launches_of_file
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        file, options, entries = first.file, first.options, [launch.entry for launch in launches_of_file]
        if others and any(launch.options for launch in launches_of_file):
            entries = [f"{launch.entry}_{number}" for number, launch in enumerate(launches_of_file)]
            source = "".join(f"#define {launch.entry} {entry}\n{launch.defined()}" for launch, entry in zip(launches_of_file, entries))
            file, options = folder / "all.cu", []
            file.write_text(source)
        ptx = folder / "all.ptx"
        more = [*options, "--arch", first.arch, "--include", str(ROOT / "kernels"), "--ptx", str(ptx)]
        counters = [counted(first, grader, file, entries[0], *more)]
        return counters + [counted(launch, grader, ptx, entry) for launch, entry in zip(others, entries[1:])]


# A busy kernel's warps get into each other's way at shared memory; what that adds is no property of the kernel.
NOISE = "arbitration"
MOST_NOISE = 0.03


def is_noise(simulated, hardware, measured):
    wavefronts = measured["shared_load_wavefronts"] + measured["shared_store_wavefronts"]
    return 0 <= hardware - simulated <= MOST_NOISE * wavefronts


def compare(grader, only, jobs):
    record = recorded()
    wrong = explained = equal = 0
    everything = chosen(only)
    with ThreadPoolExecutor(jobs) as pool:
        files = [list(launches_of_file) for _, launches_of_file in itertools.groupby(everything, lambda launch: (launch.file, launch.arch))]
        counters_of_all = itertools.chain.from_iterable(pool.map(lambda variants: simulate(variants, grader), files))
        for launch, counters in zip(everything, counters_of_all):
            measured = record.get(launch.name, {})
            if not measured:
                print(f"{launch.name}: not in hardware.json; measure again")
                wrong += 1
            for counter, hardware in measured.items():
                # Of bulk copies and products JSON has no zeros.
                simulated = counters.get(counter, 0 if counter.startswith(("bulk_", "matrix_")) else None)
                if simulated is None:
                    continue
                if simulated == hardware:
                    if counter in launch.differs and NOISE not in launch.differs[counter]:
                        print(f"{launch.name}: {counter} = {hardware} on both; remove its `differs` line")
                        wrong += 1
                    equal += 1
                elif counter in launch.differs and (NOISE not in launch.differs[counter] or is_noise(simulated, hardware, measured)):
                    explained += 1
                else:
                    print(f"{launch.name}: {counter} is {simulated}, the hardware has {hardware}")
                    wrong += 1
    print(f"{len(everything)} launches: {equal} counters equal, {explained} differ as explained, {wrong} differ")
    return 1 if wrong else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--grader")
    parser.add_argument("--only", action="append", default=[])
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--measure", action="store_true")
    parser.add_argument("--keep")
    parser.add_argument("--launch", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.launch:
        return launch_all(options.only)
    if options.measure:
        return measure(options.only)
    if options.keep:
        return keep(options.keep)
    if not options.grader:
        parser.error("--grader PATH, --measure, or --keep FILE")
    return compare(options.grader, options.only, options.jobs)


if __name__ == "__main__":
    sys.exit(main())
