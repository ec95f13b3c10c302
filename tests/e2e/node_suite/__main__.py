# SPDX-License-Identifier: Apache-2.0
"""Command line of the suite runner."""

import argparse
import json
import math
import re
import sys
import time
from collections import Counter
from dataclasses import asdict
from pathlib import Path

from . import ledger
from .cases import Case, load_cases
from .engines import ENGINES
from .perturb import perturbed_tasks
from .pool import run_all
from .worker import Result, Task

# A refusal is honest; these are not, on the list or off it.
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
    parser.add_argument("--seconds", type=float, default=20,
                        help="time allowed for one test")
    parser.add_argument("--budget", type=float, default=math.inf, metavar="SECONDS",
                        help="start no test after this time; those on the list go first")
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
    listed = ledger.read(options.expected) & by_name.keys()
    options.until = time.monotonic() + options.budget
    in_order = sorted(by_name, key=lambda name: (name not in listed, name))
    results = _run(options, by_name, [Task(name) for name in in_order], "suite")
    passed = {r.case for r in results if r.status == "pass"}

    perturbed: list[Result] = []
    if options.perturb:
        tasks, unjudged = perturbed_tasks(
            [by_name[name] for name in in_order if name in passed], options.jobs,
            options.seconds, options.until
        )
        perturbed = _run(options, by_name, tasks, "perturbed")
        if unjudged:
            print(f"perturbed: {len(unjudged)} tests have no judge for other numbers")

    _report(options, by_name, results, perturbed)
    if not options.engine.startswith("cuvil"):
        return 0
    return _verdict(options, listed, results, perturbed)


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
                      seconds=options.seconds, until=options.until,
                      on_result=progress)
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
    if len(results) < len(by_name):
        print(f"suite: {len(by_name) - len(results)} tests not run within "
              f"{options.budget:g} s")


def _verdict(options, listed: set[str], results, perturbed) -> int:
    """Fails for tests of the list alone; what is off it was printed and counted."""
    passed = {r.case for r in results if r.status == "pass"}
    lost = sorted(listed - passed)
    for name in lost:
        print(f"LOST {name}: it is on the list of passing tests")
    unsure = [r.case for r in perturbed if r.case in listed and r.status != "pass"]
    print(f"list: {len(listed) - len(lost)} of {len(listed)} pass, "
          f"{len(unsure)} of them not on other numbers")
    if options.update:
        print(f"{ledger.grow(passed, options.expected)} tests added to the list")
    gone = ledger.is_gone(options.expected) and not options.update
    if gone:
        print(f"{options.expected} is checked in but missing; restore it")
    return 1 if lost or unsure or gone or not results else 0


if __name__ == "__main__":
    sys.exit(main())
