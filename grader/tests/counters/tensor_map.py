"""The driver's map of a tensor in memory, for `tensormap:BOX:…`."""

import ctypes
import math

# CUtensorMapDataType, as cuda.h numbers them.
TYPES = {"u8": 0, "i8": 0, "u16": 1, "i16": 1, "u32": 2, "i32": 3, "u64": 4, "i64": 5, "f16": 6, "f32": 7, "f64": 8}
SWIZZLES = {"0": 0, "32": 1, "64": 2, "128": 3}


def tensor_map(box, kind, shape, address):
    """Its 128 bytes. Extents are the slowest first there, and the fastest first in a map."""
    extents, *settings = box.split(",")
    settings = dict(setting.split("=") for setting in settings)
    sides = lambda text: [int(side) for side in text.split("x")][::-1]
    whole = sides(shape)
    dims = sides(settings["dims"]) if "dims" in settings else whole
    steps = sides(settings["steps"]) if "steps" in settings else [1] * len(whole)
    strides = [int(kind[1:]) // 8 * math.prod(whole[:rank]) for rank in range(1, len(whole))]
    # A map must lie at a multiple of 64 bytes.
    room = ctypes.create_string_buffer(256)
    at = -ctypes.addressof(room) % 128
    list_of = lambda kind, values: (kind * max(len(values), 1))(*values)
    code = ctypes.CDLL("libcuda.so.1").cuTensorMapEncodeTiled(
        ctypes.c_void_p(ctypes.addressof(room) + at), TYPES[kind], len(whole), ctypes.c_void_p(address),
        list_of(ctypes.c_uint64, dims), list_of(ctypes.c_uint64, strides), list_of(ctypes.c_uint32, sides(extents)),
        list_of(ctypes.c_uint32, steps), 0, SWIZZLES[settings.get("swizzle", "0")], 0, int(settings.get("fill") == "nan"),
    )
    if code:
        raise SystemExit(f"cuTensorMapEncodeTiled gives {code} for {box}")
    return room.raw[at : at + 128]
