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
# What a GPU computes with less than single precision, and how far it may be off.
NEARLY = {"texture_elements": (2**-16, "what is filtered of texels of 8 bits: no document says how it is rounded, and an H100 gives whole 65535ths")}
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


def texels(kind):
    """The type and the channels of `f32` or `u8x4`."""
    kind, _, channels = kind.partition("x")
    return kind, int(channels or 1)


MODES = {"wrap": 0, "clamp": 1, "mirror": 2, "border": 3}
WORDS = {*MODES, "point", "linear", "normalized", "as-float", "memory", "layered"}


def texture_options(rest):
    """What a texture or surface is made from, and the options behind it: a FILL may have commas of its own, between numbers."""
    head, settings = rest.split(","), []
    while head[-1] in WORDS:
        settings.insert(0, head.pop())
    return ",".join(head), settings


def array_of(kind, shape, settings):
    """An array for such texels, still empty; SHAPE is the slowest first."""
    kind, channels = texels(kind)
    sides = [int(side) for side in shape.split("x")]
    layered = "layered" in settings
    width, height, depth = [*sides[::-1], 0, 0][:3]
    if layered and len(sides) == 2:
        height, depth = 0, sides[0]
    # CUDA_ARRAY3D_LAYERED, _SURFACE_LDST, _TEXTURE_GATHER.
    flags = layered | 2 | 8 * (len(sides) == 2 and not layered)
    handle = ctypes.c_uint64()
    call("cuArray3DCreate_v2", ctypes.byref(handle), ctypes.byref(ArrayDescription(width, height, depth, FORMATS[kind], channels, flags)))
    return Array(handle.value, width * channels * int(kind.lstrip("uif")) // 8, max(height, 1), max(depth, 1))


def handle_of(kind, settings, array, buffer, is_surface):
    """The handle of a surface or texture, of an array or of a buffer in linear memory."""
    kind, channels = texels(kind)
    # CU_RESOURCE_TYPE_ARRAY is 0, CU_RESOURCE_TYPE_LINEAR 2.
    resource = Resource(resType=0 if array else 2)
    if array:
        resource.res.array = array.handle
    else:
        resource.res.linear = Linear(buffer.data.ptr, FORMATS[kind], channels, buffer.nbytes)
    handle = ctypes.c_uint64()
    if is_surface:
        call("cuSurfObjectCreate", ctypes.byref(handle), ctypes.byref(resource))
        return handle.value
    mode = next((number for word, number in MODES.items() if word in settings), MODES["clamp"])
    # CU_TRSF_READ_AS_INTEGER, CU_TRSF_NORMALIZED_COORDINATES.
    flags = (kind[0] != "f" and "as-float" not in settings) | 2 * ("normalized" in settings)
    sampling = Sampling(addressMode=(mode,) * 3, filterMode="linear" in settings, flags=flags)
    call("cuTexObjectCreate", ctypes.byref(handle), ctypes.byref(resource), ctypes.byref(sampling), None)
    return handle.value


class Array:
    """A CUDA array by the runtime itself: CuPy's own has no layers."""

    def __init__(self, handle, row, rows, slices):
        self.handle, self.row, self.rows, self.slices = handle, row, rows, slices

    def copy(self, buffer, comes):
        """Copies all of it from a buffer, or back to it."""
        import cupy

        there = {"WidthInBytes": self.row, "Height": self.rows, "Depth": self.slices, "srcHeight": self.rows, "dstHeight": self.rows}
        memory = Copy(srcPitch=self.row, dstPitch=self.row, **there)
        memory.srcDevice = memory.dstDevice = buffer.data.ptr
        memory.srcArray = memory.dstArray = self.handle
        # CU_MEMORYTYPE_DEVICE is 2, CU_MEMORYTYPE_ARRAY 3.
        memory.srcMemoryType, memory.dstMemoryType = (2, 3) if comes else (3, 2)
        call("cuMemcpy3D_v2", ctypes.byref(memory))
        cupy.cuda.runtime.deviceSynchronize()


class Copy(ctypes.Structure):
    """CUDA_MEMCPY3D."""

    _fields_ = [
        field
        for side in ("src", "dst")
        for field in [(f"{side}{name}", ctypes.c_size_t) for name in ("XInBytes", "Y", "Z", "LOD")]
        + [(f"{side}MemoryType", ctypes.c_uint)]
        + [(f"{side}{name}", ctypes.c_uint64) for name in ("Host", "Device", "Array", "Reserved")]
        + [(f"{side}{name}", ctypes.c_size_t) for name in ("Pitch", "Height")]
    ] + [(name, ctypes.c_size_t) for name in ("WidthInBytes", "Height", "Depth")]


class ArrayDescription(ctypes.Structure):
    """CUDA_ARRAY3D_DESCRIPTOR."""

    _fields_ = [(name, ctypes.c_size_t) for name in ("Width", "Height", "Depth")] + [
        (name, ctypes.c_uint) for name in ("Format", "NumChannels", "Flags")
    ]


class Linear(ctypes.Structure):
    _fields_ = [("devPtr", ctypes.c_uint64), ("format", ctypes.c_uint), ("numChannels", ctypes.c_uint), ("sizeInBytes", ctypes.c_size_t)]


class ResourceUnion(ctypes.Union):
    _fields_ = [("array", ctypes.c_uint64), ("linear", Linear), ("reserved", ctypes.c_int * 32)]


class Resource(ctypes.Structure):
    """CUDA_RESOURCE_DESC."""

    _fields_ = [("resType", ctypes.c_uint), ("res", ResourceUnion), ("flags", ctypes.c_uint)]


class Sampling(ctypes.Structure):
    """CUDA_TEXTURE_DESC."""

    _fields_ = [
        ("addressMode", ctypes.c_uint * 3), ("filterMode", ctypes.c_uint), ("flags", ctypes.c_uint), ("maxAnisotropy", ctypes.c_uint),
        ("mipmapFilterMode", ctypes.c_uint), ("levels", ctypes.c_float * 3), ("borderColor", ctypes.c_float * 4),
        ("reserved", ctypes.c_int * 12),
    ]


# CUarray_format.
FORMATS = {"u8": 1, "u16": 2, "u32": 3, "i8": 8, "i16": 9, "i32": 10, "f16": 16, "f32": 32}


def call(name, *arguments):
    """Calls the driver."""
    code = getattr(ctypes.CDLL("libcuda.so.1"), name)(*arguments)
    if code:
        raise SystemExit(f"{name} gives {code}")


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
    arguments, buffers, arrays = [], {}, {}
    for index, argument in enumerate(launch["arg"]):
        direction, _, rest = argument.partition(":")
        box = None
        objects, settings = direction if direction in ("texture", "surface") else None, []
        if objects:
            rest, settings = texture_options(rest)
            direction = "in" if "=" in rest else "out"
        if direction == "tensormap":
            box, direction, rest = rest.split(":", 2)
        if direction not in ("in", "out", "inout"):
            arguments.append(np.dtype(TYPES[direction]).type(rest))
            continue
        kind, _, shape = rest.partition(":")
        shape, _, fill = shape.partition("=")
        count = int(np.prod([int(side) for side in shape.split("x")])) * texels(kind)[1]
        dtype = np.dtype(TYPES[texels(kind)[0]])
        if fill.startswith("const:"):
            start = np.full(count, float(fill.removeprefix("const:")))
        elif fill.startswith("values:"):
            start = np.array([float(value) for value in fill.removeprefix("values:").split(",")])
        else:
            start = {"iota": np.arange(count), "zeros": np.zeros(count), "ones": np.ones(count), "": np.full(count, 77)}[fill]
        buffers[index] = cupy.asarray(start.astype(dtype))
        if objects:
            array = None if "memory" in settings else array_of(kind, shape, settings)
            if array:
                array.copy(buffers[index], comes=True)
                arrays[index] = array
            arguments.append(np.uint64(handle_of(kind, settings, array, buffers[index], objects == "surface")))
        elif box is None:
            arguments.append(buffers[index])
        else:
            arguments.append(np.void(tensor_map(box, kind, shape, buffers[index].data.ptr)))
    sides = lambda text: tuple(int(side) for side in text.split(","))
    if int(launch["shared"]) > 48 << 10:
        kernel.max_dynamic_shared_size_bytes = int(launch["shared"])
    kernel(sides(launch["grid"]), sides(launch["block"]), tuple(arguments), shared_mem=int(launch["shared"]))
    cupy.cuda.runtime.deviceSynchronize()
    for index, array in arrays.items():
        array.copy(buffers[index], comes=False)
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
            near = got.dtype.kind == "f" and abs(float(expected) - float(got[at])) <= NEARLY.get(name, (0, ""))[0]
            if not near and expected != got[at] and not (expected != expected and got[at] != got[at]):
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
