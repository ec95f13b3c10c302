# SPDX-License-Identifier: Apache-2.0
"""Reports as dicts that print themselves."""

from __future__ import annotations

import io
from collections import Counter
from typing import Any


class _Printable(dict):
    def _renderables(self) -> list[Any]:
        raise NotImplementedError

    def __str__(self) -> str:
        from rich.console import Console

        text = io.StringIO()
        console = Console(file=text, width=100, color_system=None)
        for part in self._renderables():
            console.print(part)
        return text.getvalue().rstrip()

    def __rich_console__(self, console, options):
        yield from self._renderables()


class Report(_Printable):
    """What a compilation did. Keys: ``devices``, ``ops`` (op, location,
    device, refusals), ``partitions``, ``stages``, ``program``, ``cache``,
    ``threads``."""

    def coverage(self) -> dict[str, int]:
        """Number of ops per device."""
        return dict(Counter(op["device"] for op in self.get("ops", [])))

    def refused(self) -> list[dict[str, Any]]:
        """The ops that some device refused, with its reasons."""
        return [op for op in self.get("ops", []) if op.get("refusals")]

    def _renderables(self) -> list[Any]:
        from rich.table import Table

        stages = self.get("stages", [])
        total = sum(stage["seconds"] for stage in stages)
        cache = self.get("cache", "off")
        parts: list[Any] = [
            f"ops: {len(self.get('ops', []))}   partitions: {self.get('partitions', 1)}   "
            f"threads: {self.get('threads', '?')}   cache: {cache}   "
            f"compile: {total:.3f} s"]
        table = Table(title="placement", title_justify="left")
        for column in ("device", "ops", "kinds"):
            table.add_column(column)
        for device, count in self.coverage().items():
            kinds = Counter(op["op"].removeprefix("cuvil.") for op in self["ops"]
                            if op["device"] == device)
            table.add_row(device, str(count), ", ".join(
                f"{kind} {n}" for kind, n in kinds.most_common(8)))
        parts.append(table)
        if refused := self.refused():
            table = Table(title="refused", title_justify="left")
            for column in ("op", "location", "device", "reason"):
                table.add_column(column, overflow="fold")
            for op in refused:
                for refusal in op["refusals"]:
                    table.add_row(op["op"], op["location"], refusal["device"],
                                  refusal["reason"])
            parts.append(table)
        if stages:
            table = Table(title="stages", title_justify="left")
            table.add_column("stage")
            table.add_column("ms", justify="right")
            for stage in stages:
                table.add_row(stage["stage"], f"{stage['seconds'] * 1e3:.1f}")
            parts.append(table)
        if program := self.get("program"):
            buffers = program.get("buffers", {})
            parts.append(f"kernels: {len(program.get('kernels', []))}   arena: "
                         f"{_size(buffers.get('arena_bytes', 0))}   packed weights: "
                         f"{_size(buffers.get('persistent_bytes', 0))}")
        return parts


class Profile(_Printable):
    """Times of one run. Keys: ``seconds``, ``steps`` (kind, label, location,
    kernel, calls, seconds, flops, bytes)."""

    def _renderables(self) -> list[Any]:
        from rich.table import Table

        total = self.get("seconds", 0.0)
        table = Table(title=f"{total * 1e3:.3f} ms", title_justify="left")
        for column in ("step", "ms", "%", "GFLOP/s", "GB/s"):
            table.add_column(column, justify="left" if column == "step" else "right")
        steps = sorted(self.get("steps", []), key=lambda s: -s["seconds"])
        for step in steps[:25]:
            seconds = step["seconds"] or 1e-12
            table.add_row(step.get("label") or step.get("kernel") or step["kind"],
                          f"{seconds * 1e3:.3f}",
                          f"{100 * seconds / total if total else 0:.1f}",
                          f"{step['flops'] / seconds / 1e9:.1f}",
                          f"{step['bytes'] / seconds / 1e9:.1f}")
        return [table]


def _size(count: int) -> str:
    for unit in ("B", "KiB", "MiB"):
        if count < 1024:
            return f"{count:.0f} {unit}"
        count /= 1024
    return f"{count:.1f} GiB"
