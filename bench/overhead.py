# SPDX-License-Identifier: Apache-2.0
"""What a call costs beside its arithmetic: `python -m bench.overhead`.

Prints microseconds of one call from Python of a model of one tiny op (six f32
elements in, six out), with numpy arrays and, when it is installed, with torch
tensors: the median and the best of 200 batches of 20 calls.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable


def measure(call: Callable[[], object]) -> tuple[float, float]:
    """Median and minimum of a call in microseconds."""
    batches = []
    for _ in range(200):
        start = time.perf_counter()
        for _ in range(20):
            call()
        batches.append((time.perf_counter() - start) / 20 * 1e6)
    return statistics.median(batches), min(batches)


def main() -> None:
    import cuvil
    import numpy as np

    graph = cuvil.Graph()
    x = graph.input("x", "f32", [2, 3])
    graph.output("y", graph.relu(x))
    compiled = cuvil.compile(graph, device="cpu", threads=1)
    array = np.ones((2, 3), np.float32)
    calls: dict[str, Callable[[], object]] = {"numpy": lambda: compiled(array)}
    try:
        import torch
    except ImportError:
        pass
    else:
        tensor = torch.ones(2, 3)
        calls["torch"] = lambda: compiled(tensor)
    for kind, call in calls.items():
        median, best = measure(call)
        print(f"{kind}: median {median:.2f} us, best {best:.2f} us a call")


if __name__ == "__main__":
    main()
