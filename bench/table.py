# SPDX-License-Identifier: Apache-2.0
"""The comparison as tables."""

from __future__ import annotations

from typing import Any


def show(result: dict[str, Any]) -> None:
    from rich.console import Console
    from rich.table import Table

    console = Console(width=140, highlight=False)
    machine = result["machine"]
    console.print(f"{machine['processor']}, {machine['cpus']} CPUs, load {machine['load']:.1f} "
                  f"at the start, {machine['system']}")
    for probe in result["probes"]:
        console.print(f"peak at {probe['threads']} threads: {probe['fma_gflops']:.0f} GFLOP/s f32 "
                      f"({probe['isa']}), reading {probe['read_gbytes']:.1f} GB/s")
    peaks = {probe["threads"]: probe["fma_gflops"] for probe in result["probes"]}

    table = Table(title="time of a call (ms)", title_justify="left")
    for column in ("model", "threads", "Cuvil median", "min", "ORT median", "min", "Cuvil/ORT",
                   "GFLOP/s", "of peak", "off by", "in kernels"):
        table.add_column(column, justify="left" if column == "model" else "right")
    for row in result["rows"]:
        ours, theirs = row["cuvil"], row["onnxruntime"]
        peak = peaks.get(row["threads"])
        table.add_row(
            row["model"], str(row["threads"]), f"{ours['median'] * 1e3:.3f}",
            f"{ours['min'] * 1e3:.3f}", f"{theirs['median'] * 1e3:.3f}",
            f"{theirs['min'] * 1e3:.3f}", f"{row['ratio']:.2f}", f"{row['gflops']:.1f}",
            f"{100 * row['gflops'] / peak:.0f} %" if peak else "?",
            f"{row['difference']:.1e}" + ("" if row["agrees"] else " WRONG"),
            f"{100 * row['flops_in_kernels']:.2f} %" if row["flops"] else "no count")
    console.print(table)
    if result["costs"]:
        table = Table(title="compiling", title_justify="left")
        for column in ("model", "cold (s)", "from cache (s)", "peak memory (MiB)", "of the file"):
            table.add_column(column, justify="left" if column == "model" else "right")
        for row in result["costs"]:
            table.add_row(row["model"], f"{row['cold_seconds']:.2f}",
                          f"{row['cached_seconds']:.2f}", f"{row['peak_bytes'] / 2**20:.0f}",
                          f"{row['peak_bytes'] / row['file_bytes']:.1f}x")
        console.print(table)
    for engine, prepared in (result["rows"][-1]["prepared"] if result["rows"] else {}).items():
        version = f" {prepared['version']}" if prepared.get("version") else ""
        console.print(f"{engine}{version}: {prepared['options']}", markup=False)
    foreign = sorted({lib for row in result["rows"] for lib in row["foreign_libraries"]})
    console.print("libraries of other engines in the Cuvil process: "
                  + (", ".join(foreign) or "none"))
