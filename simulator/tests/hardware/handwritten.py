#!/usr/bin/env python3
"""Runs the kernels of handwritten.rs on this machine's GPU, and compares with what their texts promise.

    PREPARE_HANDWRITTEN=FOLDER cargo test -p warpsim --test handwritten    anywhere: writes the kernels
    handwritten.py FOLDER                                                  ends with 1 if anything differs

Only the driver compiles the PTX, and nothing but the driver is needed.
"""

import ctypes
import pathlib
import sys

WORDS = 8
UNTOUCHED = 0xEEEEEEEE


class Refused(Exception):
    """The driver's error, by its name."""


class Driver:
    def __init__(self):
        self.cuda = ctypes.CDLL("libcuda.so.1")
        self("cuInit", 0)
        self.context = ctypes.c_void_p()
        self("cuDevicePrimaryCtxRetain", ctypes.byref(self.context), 0)
        self("cuCtxSetCurrent", self.context)
        name = ctypes.create_string_buffer(100)
        self("cuDeviceGetName", name, len(name), 0)
        self.device = name.value.decode()
        version = ctypes.c_int()
        self("cuDriverGetVersion", ctypes.byref(version))
        self.version = f"{version.value // 1000}.{version.value % 1000 // 10}"

    def __call__(self, function, *arguments):
        code = getattr(self.cuda, function)(*arguments)
        if code != 0:
            name = ctypes.c_char_p()
            self.cuda.cuGetErrorName(code, ctypes.byref(name))
            raise Refused(f"{function}: {(name.value or b'').decode()}")

    def run(self, text):
        """What the kernel leaves in its output."""
        module, kernel, out = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_uint64()
        words = (ctypes.c_uint32 * WORDS)(*[UNTOUCHED] * WORDS)
        self("cuModuleLoadData", ctypes.byref(module), text.encode() + b"\0")
        self("cuModuleGetFunction", ctypes.byref(kernel), module, b"k")
        self("cuMemAlloc_v2", ctypes.byref(out), ctypes.sizeof(words))
        self("cuMemcpyHtoD_v2", out, words, ctypes.sizeof(words))
        arguments = (ctypes.c_void_p * 1)(ctypes.addressof(out))
        self("cuLaunchKernel", kernel, 1, 1, 1, 1, 1, 1, 0, None, arguments, None)
        self("cuCtxSynchronize")
        self("cuMemcpyDtoH_v2", words, out, ctypes.sizeof(words))
        self("cuMemFree_v2", out)
        self("cuModuleUnload", module)
        return list(words)


def main():
    kernels = sorted(pathlib.Path(sys.argv[1]).glob("*.ptx"))
    if not kernels:
        sys.exit(f"expected kernels in {sys.argv[1]}, found none: prepare them first")
    driver = Driver()
    wrong = 0
    for path in kernels:
        text = path.read_text()
        expected = [int(word) for word in text.split("\n", 1)[0].split()[1:]]
        try:
            found = driver.run(text)[: len(expected)]
        except Refused as error:
            found = str(error)
        if found != expected:
            wrong += 1
            print(f"✗ {path.name}: the simulator gives {expected}, the GPU {found}\n{text}")
    print(f"{len(kernels) - wrong} of {len(kernels)} kernels give what their texts promise on {driver.device}, CUDA {driver.version}")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
