#!/usr/bin/env python3
"""Runs the kernels of pass/ on this machine's GPU, and compares with what the simulator says of them (`.out`).

    on_gpu.py [--arch sm_90a] [NAME…]      needs CuPy and nvcc; says what differs, and ends with 1 if anything does

Each kernel is compiled by nvcc and runs in a process of its own, for a minute at most. Not compared are what a kernel prints, numbers
that the `.out` calls undefined (`?`), and the kernels of `OTHERWISE`.
"""

import argparse
import ctypes
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
# What gives something else on a GPU, and why.
OTHERWISE = {
    "bank_conflicts": "its results are cycles",
    "late_answer": "its result is whether an answer came in time",
    "mathematical_functions": "PTX only approximates them: hardware/ compares them with their bounds",
}
TYPES = {"f16": "float16", "f32": "float32", "f64": "float64"} | {
    f"{sign}{bits}": f"{name}{bits}" for sign, name in (("i", "int"), ("u", "uint")) for bits in (8, 16, 32, 64)
}


MARK = "differs: "


def options(text):
    """The launch that a kernel's header asks for."""
    words = " ".join(re.findall(r"^//@ run (.*)$", text, re.MULTILINE)).split()
    found = {"arg": [], "shared": "0", "grid": "1", "block": "1", "cooperative": False}
    at = 0
    while at < len(words):
        name = words[at].removeprefix("--")
        if name == "cooperative":
            found[name] = True
            at += 1
            continue
        value = words[at + 1]
        if name == "arg":
            found["arg"].append(value)
        else:
            found[name] = value
        at += 2
    return found


# CUtensorMapDataType, as cuda.h numbers them.
MAP_TYPES = {"u8": 0, "i8": 0, "u16": 1, "i16": 1, "u32": 2, "i32": 3, "u64": 4, "i64": 5, "f16": 6, "f32": 7, "f64": 8}


def tensor_map(box, kind, shape, address):
    """The driver's map of a buffer, for `tensormap:BOX:…`; extents are the slowest first there, and the fastest first in a map."""
    extents, *settings = box.split(",")
    settings = dict(setting.split("=") for setting in settings)
    sides = lambda text: [int(side) for side in text.split("x")][::-1]
    whole = sides(shape)
    dims = sides(settings["dims"]) if "dims" in settings else whole
    strides = [int(TYPES[kind].lstrip("uintfloa")) // 8]
    for side in whole:
        strides.append(strides[-1] * side)
    steps = sides(settings["steps"]) if "steps" in settings else [1] * len(whole)
    # A map must lie at a multiple of 64 bytes.
    room = ctypes.create_string_buffer(256)
    at = -ctypes.addressof(room) % 128
    list_of = lambda kind, values: (kind * max(len(values), 1))(*values)
    swizzle = {"0": 0, "32": 1, "64": 2, "128": 3}[settings.get("swizzle", "0")]
    code = ctypes.CDLL("libcuda.so.1").cuTensorMapEncodeTiled(
        ctypes.c_void_p(ctypes.addressof(room) + at), MAP_TYPES[kind], len(whole), ctypes.c_void_p(address),
        list_of(ctypes.c_uint64, dims), list_of(ctypes.c_uint64, strides[1:-1]), list_of(ctypes.c_uint32, sides(extents)),
        list_of(ctypes.c_uint32, steps), 0, swizzle, 0, int(settings.get("fill") == "nan"),
    )
    if code:
        raise SystemExit(f"cuTensorMapEncodeTiled gives {code} for {box}")
    return room.raw[at : at + 128]


def run(name, arch):
    """Runs one kernel. Gives the lines that differ."""
    import cupy
    import numpy as np

    source = HERE / "pass" / f"{name}.cu"
    launch = options(source.read_text())
    with tempfile.TemporaryDirectory() as folder:
        cubin = pathlib.Path(folder) / f"{name}.cubin"
        text = source.read_text()
        if "cluster" in launch:
            # CuPy gives a launch no clusters, so the kernel itself has to ask for them.
            text = text.replace("__global__ void", f"__global__ void __cluster_dims__({launch['cluster']})", 1)
        copy = pathlib.Path(folder) / source.name
        copy.write_text(text)
        command = ["nvcc", "-std=c++17", f"-arch={arch}", "-cubin", "-o", str(cubin), str(copy)]
        subprocess.run(command, check=True, capture_output=True, text=True)
        module = cupy.RawModule(path=str(cubin), enable_cooperative_groups=launch["cooperative"])
        kernel = module.get_function(launch["entry"])
    arguments, buffers = [], {}
    for index, argument in enumerate(launch["arg"]):
        direction, _, rest = argument.partition(":")
        box = None
        if direction == "tensormap":
            box, direction, rest = rest.split(":", 2)
        if direction not in ("in", "out", "inout"):
            arguments.append(np.dtype(TYPES[direction]).type(rest))
            continue
        kind, _, shape = rest.partition(":")
        shape, _, fill = shape.partition("=")
        count = int(np.prod([int(side) for side in shape.split("x")]))
        dtype = np.dtype(TYPES[kind])
        if fill.startswith("const:"):
            start = np.full(count, float(fill.removeprefix("const:")))
        else:
            start = {"iota": np.arange(count), "zeros": np.zeros(count), "ones": np.ones(count), "": np.full(count, 77)}[fill]
        buffers[index] = cupy.asarray(start.astype(dtype))
        if box is None:
            arguments.append(buffers[index])
        else:
            arguments.append(np.void(tensor_map(box, kind, shape, buffers[index].data.ptr)))
    sides = lambda text: tuple(int(side) for side in text.split(","))
    if int(launch["shared"]) > 48 << 10:
        kernel.max_dynamic_shared_size_bytes = int(launch["shared"])
    kernel(sides(launch["grid"]), sides(launch["block"]), tuple(arguments), shared_mem=int(launch["shared"]))
    cupy.cuda.runtime.deviceSynchronize()
    differences = []
    for line in (HERE / "pass" / f"{name}.out").read_text().splitlines():
        found = re.match(r"argument (\d+): (.*)$", line)
        if not found:
            continue
        got = buffers[int(found[1])].get()
        for at, text in enumerate(found[2].split()):
            if text == "?" or at >= len(got):
                continue
            expected = got.dtype.type(float(text) if got.dtype.kind == "f" else int(text))
            if expected != got[at] and not (expected != expected and got[at] != got[at]):
                differences.append(f"argument {found[1]}, element {at}: the simulator has {text}, the GPU {got[at]}")
    return differences


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("names", nargs="*")
    parser.add_argument("--arch", default="sm_90a")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.one:
        # The kernel may print, too.
        print("\n".join(f"{MARK}{line}" for line in run(given.one, given.arch)))
        return
    names = given.names or sorted(path.stem for path in (HERE / "pass").glob("*.cu") if path.stem not in OTHERWISE)
    wrong = {}
    for name in names:
        command = [sys.executable, "-B", __file__, "--arch", given.arch, "--one", name]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=60, env=os.environ)
            lines = done.stdout.splitlines() if done.returncode == 0 else (done.stderr.strip().splitlines() or ["it failed"])[-1:]
            said = "\n".join(line.removeprefix(MARK) for line in lines if done.returncode or line.startswith(MARK))
        except subprocess.TimeoutExpired:
            said = "it does not end"
        if said:
            wrong[name] = said
            print(f"✗ {name}\n  " + "\n  ".join(said.splitlines()[:4]))
    print(f"{len(names) - len(wrong)} of {len(names)} kernels give what the simulator gives")
    if not given.names:
        print("not compared: " + "; ".join(f"{name}, for {why}" for name, why in OTHERWISE.items()))
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
