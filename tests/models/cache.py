# SPDX-License-Identifier: Apache-2.0
"""Where exported test models are kept between runs."""

import fcntl
import os
import tempfile
from collections.abc import Callable
from contextlib import contextmanager
from pathlib import Path


def cache_dir() -> Path:
    """`$CUVIL_TEST_MODELS`, or `cuvil-test-models` in the user's cache folder."""
    override = os.environ.get("CUVIL_TEST_MODELS")
    if override:
        path = Path(override)
    else:
        base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
        path = Path(base) / "cuvil-test-models"
    path.mkdir(parents=True, exist_ok=True)
    return path


def cached(file_name: str, produce: Callable[[Path], None]) -> Path:
    """Returns the cached file, calling `produce(path)` once when it is missing.

    Several test processes may ask at the same time: one produces, the others
    wait, and an interrupted export never leaves a half-written model behind.
    """
    path = cache_dir() / file_name
    if path.exists():
        return path
    with _locked(path.with_suffix(".lock")):
        if not path.exists():
            with tempfile.TemporaryDirectory(dir=path.parent) as scratch:
                fresh = Path(scratch) / file_name
                produce(fresh)
                os.replace(fresh, path)
    return path


@contextmanager
def _locked(path: Path):
    with open(path, "w") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
