# SPDX-License-Identifier: Apache-2.0
"""What compiling costs: `python -m bench.costs MODEL`, one measurement a process.

Prints seconds of `cuvil.compile` and the peak memory of compile and run above
the same process after a tiny model, in bytes.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

from . import tensors


def status(key: str) -> int:
    """A size out of /proc/self/status in bytes."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(key + ":"):
            return int(line.split()[1]) * 1024
    return 0


def main(model: str, folder: str) -> None:
    import cuvil

    tiny = cuvil.parse_ir(
        'module { func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {\n'
        '  %y = cuvil.unary relu %x : (tensor<4xf32>) -> tensor<4xf32>\n'
        '  return %y : tensor<4xf32> } }')
    compiled = cuvil.compile(tiny, device="cpu")
    row = {"shape": [4], "dtype": "float32"}
    compiled(tensors.empty(row), out=tensors.empty(row))
    where = Path(folder)
    feed = tensors.load(where, "input")
    out = {row["name"]: tensors.empty(row) for row in tensors.describe(where, "output")}
    shapes = {row["name"]: row["shape"] for row in tensors.describe(where, "input")}
    before = status("VmRSS")
    Path("/proc/self/clear_refs").write_text("5")  # Resets the peak.
    start = time.perf_counter()
    compiled = cuvil.compile(model, device="cpu", strict=True, input_shape=shapes)
    seconds = time.perf_counter() - start
    compiled(feed, out=out)
    print(json.dumps({"seconds": seconds, "peak_bytes": status("VmHWM") - before,
                      "cache": compiled.report().get("cache")}))


if __name__ == "__main__":
    main(*sys.argv[1:])
