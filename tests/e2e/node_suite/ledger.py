# SPDX-License-Identifier: Apache-2.0
"""The checked-in list of tests that pass; it may only grow."""

import subprocess
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


def is_gone(path: Path = EXPECTED_FILE) -> bool:
    """Whether the list is checked in, but its file is not there."""
    if path.exists():
        return False
    command = ["git", "-C", str(path.parent), "ls-files", "--error-unmatch", path.name]
    return subprocess.run(command, capture_output=True).returncode == 0


def grow(passed: set[str], path: Path = EXPECTED_FILE) -> int:
    """Adds newly passing names and returns how many were added."""
    listed = read(path)
    if passed - listed:
        path.write_text(_HEADER + "".join(f"{n}\n" for n in sorted(passed | listed)))
    return len(passed - listed)
