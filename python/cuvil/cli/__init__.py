# SPDX-License-Identifier: Apache-2.0
"""The command `cuv` (also `cuvil`)."""

from __future__ import annotations

import sys


def main() -> None:
    """Runs a command. Exit status: 0 done, 1 failed, 2 wrong usage, 130 stopped."""
    from ..errors import CuvilError
    from . import _output
    from ._app import app

    try:
        app(prog_name="cuv")
    except CuvilError as error:
        _output.fail(error, as_json="--json" in sys.argv)
        sys.exit(1)
    except KeyboardInterrupt:
        sys.exit(130)
