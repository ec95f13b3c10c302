# SPDX-License-Identifier: Apache-2.0
"""Command line of the suite runner."""

import argparse
import json
import re
import sys
from collections import Counter
from dataclasses import asdict
from pathlib import Path

from . import ledger
from .cases import Case, load_cases
from .engines import ENGINES
from .perturb import perturbed_tasks
from .pool import run_all
from .worker import Result, Task

# A refusal is honest; these are defects whatever the list says.
_DEFECTS = ("wrong", "error", "crash", "timeout")


def parse(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="node_suite", description="Run the onnx package's tests, strictly counted."
    )
    parser.add_argument("--engine", choices=ENGINES, default="cuvil")
    parser.add_argument("--only", metavar="REGEX", help="run matching tests only")
    parser.add_argument("--listed", action="store_true",
                        help="run only the tests on the checked-in list")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=60,
                        help="time allowed for one test")
    parser.add_argument("--json", type=Path, metavar="FILE",
                        help="write every result here")
    parser.add_argument("--expected", type=Path, default=ledger.EXPECTED_FILE)
    parser.add_argument("--update", action="store_true",
                        help="add the tests that now pass to the list")
    parser.add_argument("--perturb", action="store_true",
                        help="re-run passing float tests on other numbers")
    parser.add_argument("--by-op", action="store_true",
                        help="count what does not pass by operator")
    parser.add_argument("--show", metavar="STATUS", help="print these results")
    return parser.parse_args(arguments)


def main(arguments: list[str] | None = None) -> int:
    options = parse(arguments)
    cases = _select(load_cases(), options)
    by_name = {case.name: case for case in cases}
    results = _run(options, by_name, [Task(name) for name in by_name], "suite")
    passed = {r.case for r in results if r.status == "pass"}

    perturbed: list[Result] = []
    if options.perturb:
        tasks, unjudged = perturbed_tasks(
            [by_name[name] for name in sorted(passed)], options.jobs, options.seconds
        )
        perturbed = _run(options, by_name, tasks, "perturbed")
        if unjudged:
            print(f"perturbed: {len(unjudged)} tests have no judge for other numbers")

    _report(options, by_name, results, perturbed)
    return _verdict(options, results, perturbed, passed)


def _select(cases: list[Case], options) -> list[Case]:
    if options.only:
        cases = [c for c in cases if re.search(options.only, c.name)]
    if options.listed:
        listed = ledger.read(options.expected)
        cases = [c for c in cases if c.name in listed]
    return cases


def _run(options, by_name, tasks: list[Task], label: str) -> list[Result]:
    done = Counter()

    def progress(result: Result) -> None:
        done[result.status] += 1
        if sys.stderr.isatty():
            counts = ", ".join(f"{n} {s}" for s, n in done.most_common())
            print(f"\r{label} {done.total()}/{len(tasks)}: {counts}\033[K",
                  end="", file=sys.stderr)

    results = run_all(options.engine, by_name, tasks, jobs=options.jobs,
                      seconds=options.seconds, on_result=progress)
    if sys.stderr.isatty():
        print(file=sys.stderr)
    return sorted(results, key=lambda r: r.case)


def _report(options, by_name, results, perturbed) -> None:
    if options.json:
        options.json.write_text(json.dumps(
            {label: [{k: v for k, v in asdict(r).items() if k != "outputs"}
                     for r in rows]
             for label, rows in (("suite", results), ("perturbed", perturbed))},
            indent=1,
        ))
    for result in [*results, *perturbed]:
        if result.status in (*_DEFECTS, options.show) and (
            options.engine.startswith("cuvil") or result.status == options.show
        ):
            print(f"{result.status.upper()} {result.case} {result.code} "
                  f"{result.message.splitlines()[0] if result.message else ''}")
    if options.by_op:
        failing = Counter(
            "/".join(sorted({n.op_type for n in by_name[r.case].model.graph.node})[:4])
            for r in results if r.status != "pass"
        )
        for ops, count in failing.most_common():
            print(f"{count:5}  {ops}")
    for label, rows in (("suite", results), ("perturbed", perturbed)):
        if rows:
            counts = Counter(r.status for r in rows)
            passed = counts.pop("pass", 0)
            rest = ", ".join(f"{n} {s}" for s, n in sorted(counts.items()))
            print(f"{label}: {passed} of {len(rows)} pass "
                  f"({100 * passed / len(rows):.1f} %) {rest}")


def _verdict(options, results, perturbed, passed: set[str]) -> int:
    if not options.engine.startswith("cuvil"):
        return 0
    ran = {r.case for r in results}
    lost = sorted((ledger.read(options.expected) & ran) - passed)
    for name in lost:
        print(f"LOST {name}: it is on the list of passing tests")
    if options.update:
        print(f"{ledger.grow(passed, options.expected)} tests added to the list")
    defects = [r for r in [*results, *perturbed] if r.status in _DEFECTS]
    unsure = [r for r in perturbed if r.status == "refused"]
    return 1 if lost or defects or unsure or not results else 0


if __name__ == "__main__":
    sys.exit(main())
