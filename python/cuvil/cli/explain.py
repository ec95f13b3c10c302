# SPDX-License-Identifier: Apache-2.0
"""`cuv explain`: which device runs each op, and why not another."""

from __future__ import annotations

import typer

from . import _model, _output


def explain_command(model: str = _model.MODEL, device: str = _model.DEVICE,
                    shape: list[str] = _model.SHAPE, threads: int = _model.THREADS,
                    strict: bool = _model.STRICT, option: list[str] = _model.OPTION,
                    no_cache: bool = _model.NO_CACHE,
                    ops: bool = typer.Option(False, "--ops", help="List every op."),
                    json: bool = _model.JSON) -> None:
    """Show coverage, placement and reasons for a model on a device."""
    compiled = _model.compile_model(model, device, shape, threads, strict, option, no_cache)
    report = compiled.report()
    if json:
        _output.emit_json({"model": model, "coverage": report.coverage(),
                           "refused": report.refused(), "report": report})
        return
    console = _output.console()
    total = sum(report.coverage().values())
    for name, count in report.coverage().items():
        console.print(f"{name}: {count} of {total} ops ({100 * count / total:.1f} %)")
    if ops:
        from rich.table import Table

        table = Table()
        for column in ("op", "device", "location", "refused by"):
            table.add_column(column, overflow="fold")
        for op in report.get("ops", []):
            table.add_row(op["op"], op["device"], op["location"], "; ".join(
                f"{r['device']}: {r['reason']}" for r in op.get("refusals", [])))
        console.print(table)
    console.print(report)
