"""What PyTorch reaches on this GPU, on the cases that the course times: one JSON object a line.

`workshop measure` runs it where a Python with PyTorch is found. Float arithmetic (no TF32); the L2 cache is cold.
"""

import json

import torch

WARM_UP_ROUNDS = 3
ROUNDS = 25

torch.backends.cuda.matmul.allow_tf32 = False
torch.backends.cudnn.allow_tf32 = False
torch.backends.cudnn.benchmark = True

l2 = torch.cuda.get_device_properties(0).L2_cache_size
dirty = torch.empty(l2 // 2, dtype=torch.float32, device="cuda")
clean = torch.zeros(l2 // 2, dtype=torch.float32, device="cuda")


def cold(work):
    """Microseconds of `work`; nothing of it is in the L2 cache, and no dirty line waits to be written back."""
    dirty.fill_(1.0)
    clean.sum()
    start, stop = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    start.record()
    work()
    stop.record()
    stop.synchronize()
    return 1000.0 * start.elapsed_time(stop)


def peer(exercise, name, case, moved, operations, work):
    """Times `work`, which moves at least `moved` bytes or does `operations`, and prints what came out."""
    source = torch.rand(1 << 28, device="cuda")
    target = torch.empty_like(source)
    times, copies = [], []
    for round in range(WARM_UP_ROUNDS + ROUNDS):
        time, copy = cold(work), cold(lambda: target.copy_(source))
        if round >= WARM_UP_ROUNDS:
            times.append(round_(time))
            copies.append(copy)
    copies.sort()
    print(
        json.dumps(
            {
                "exercise": exercise,
                "peer": name,
                "version": torch.__version__,
                "case": case,
                "bytes": moved,
                "operations": operations,
                "copy_bytes_per_second": 2 * 4 * (1 << 28) / (1e-6 * copies[len(copies) // 2]),
                "microseconds": times,
            }
        ),
        flush=True,
    )


def round_(microseconds):
    return round(microseconds, 3)


with torch.inference_mode():
    side = 8192
    image = torch.rand(1, 1, side, side, device="cuda")
    for size in (3, 5, 9, 15):
        filter = torch.rand(1, 1, size, size, device="cuda")
        peer(
            "07-convolution",
            "torch.nn.functional.conv2d",
            f"{side} x {side}, {size} x {size}",
            8 * side * side,
            0,
            lambda: torch.nn.functional.conv2d(image, filter, padding=size // 2),
        )
    rows, length = 5000, 14000
    table = torch.rand(rows, length, device="cuda")
    peer(
        "09-dynamic-shared",
        "torch.softmax",
        f"{rows} rows of {length}",
        8 * rows * length,
        0,
        lambda: torch.softmax(table, dim=1),
    )
