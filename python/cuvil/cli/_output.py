# SPDX-License-Identifier: Apache-2.0
"""What commands print, for people and as JSON."""

from __future__ import annotations

import json
import sys
from typing import Any

from ..errors import CuvilError


def emit_json(data: Any) -> None:
    """One JSON document on standard output."""
    json.dump(data, sys.stdout, indent=2, default=str)
    sys.stdout.write("\n")


def console() -> Any:
    from rich.console import Console

    return Console(highlight=False)


def fail(error: CuvilError, as_json: bool) -> None:
    """Shows code, place and hint of an error, without a traceback."""
    if as_json:
        emit_json({"error": {"code": error.code, "message": error.message,
                             "where": error.where, "hint": error.hint}})
        return
    from rich.console import Console
    from rich.markup import escape

    out = Console(stderr=True, highlight=False, soft_wrap=True)
    out.print(f"[bold red]error[/] \\[{error.code}] {escape(error.message)}")
    if error.where:
        out.print(f"  where: {escape(error.where)}")
    if error.hint:
        out.print(f"  hint:  {escape(error.hint)}")


def milliseconds(seconds: float) -> str:
    return f"{seconds * 1e3:.3f} ms"
