# SPDX-License-Identifier: Apache-2.0
"""`cuv doctor`: is everything here, does it fit together, and if not, what to do."""

from __future__ import annotations

import typer

from . import _model, _output
from ._checks import all_findings

_MARKS = {"ok": "[green]ok[/]", "note": "[yellow]note[/]", "problem": "[bold red]problem[/]"}


def doctor_command(json: bool = _model.JSON) -> None:
    """Check the installation. Exit status 1 when there is a problem."""
    findings = all_findings()
    if json:
        _output.emit_json([vars(finding) for finding in findings])
    else:
        from rich.markup import escape
        from rich.table import Table

        table = Table(show_header=False, box=None)
        for _ in range(3):
            table.add_column(overflow="fold")
        for finding in findings:
            text = escape(finding.detail)
            if finding.fix:
                text += f"\nfix: {escape(finding.fix)}"
            table.add_row(_MARKS[finding.status], finding.what, text)
        _output.console().print(table)
    if any(finding.status == "problem" for finding in findings):
        raise typer.Exit(1)
