# SPDX-License-Identifier: Apache-2.0
"""Runs the comparison and prints it as a table and, with --json, to a file."""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from . import table
from .compare import compare, costs

MODELS = ("resnet50", "mobilenetv2", "bert_base_s128", "mlp")
ROOT = Path(__file__).parent.parent


def probe(threads: int, program: Path) -> dict[str, Any] | None:
    if not program.exists():
        return None
    done = subprocess.run([program, str(threads)], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def machine() -> dict[str, Any]:
    model = next((line.split(":", 1)[1].strip() for line in open("/proc/cpuinfo")
                  if line.startswith("model name")), "unknown")
    return {"processor": model, "cpus": len(os.sched_getaffinity(0)),
            "system": platform.platform(), "load": os.getloadavg()[0]}


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("models", nargs="*", default=list(MODELS))
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--seconds", type=float, default=0.5,
                        help="aimed time of one engine in one round")
    parser.add_argument("--json", type=Path, help="also write everything here")
    parser.add_argument("--no-costs", action="store_true",
                        help="leave out compile times and memory")
    parser.add_argument("--probes", type=Path,
                        default=ROOT / "build/release/bin/cuvil-probes")
    options = parser.parse_args()

    result: dict[str, Any] = {"machine": machine(), "probes": [], "rows": [], "costs": []}
    for threads in options.threads:
        if found := probe(threads, options.probes):
            result["probes"].append(found)
    with tempfile.TemporaryDirectory(prefix="cuvil-bench-") as folder:
        for name in options.models:
            for threads in options.threads:
                print(f"{name}, {threads} threads ...", file=sys.stderr, flush=True)
                result["rows"].append(compare(name, threads, options.rounds,
                                              options.seconds, Path(folder)))
            if not options.no_costs:
                result["costs"].append(costs(name, Path(folder)))
    table.show(result)
    if options.json:
        options.json.write_text(json.dumps(result, indent=1))
    # A wrong or borrowed result is no result.
    return 0 if all(row["agrees"] and not row["foreign_libraries"]
                    for row in result["rows"]) else 1


if __name__ == "__main__":
    sys.exit(main())
