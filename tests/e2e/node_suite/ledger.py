# SPDX-License-Identifier: Apache-2.0
"""The checked-in list of tests that pass; it may only grow."""

from pathlib import Path

EXPECTED_FILE = Path(__file__).parent.parent / "node_suite_expected.txt"

_HEADER = """\
# Tests of the onnx package that Cuvil passes on the CPU, one a line.
# `python -m tests.e2e.node_suite --update` adds to it; nothing takes away.
"""


def read(path: Path = EXPECTED_FILE) -> set[str]:
    """Returns the listed names; a missing file lists none."""
    if not path.exists():
        return set()
    lines = path.read_text().splitlines()
    return {line.strip() for line in lines if line.strip() and line[0] != "#"}


def grow(passed: set[str], path: Path = EXPECTED_FILE) -> int:
    """Adds newly passing names and returns how many were added."""
    listed = read(path)
    if passed - listed:
        path.write_text(_HEADER + "".join(f"{n}\n" for n in sorted(passed | listed)))
    return len(passed - listed)
