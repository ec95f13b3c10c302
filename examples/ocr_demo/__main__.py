# SPDX-License-Identifier: Apache-2.0
"""Draws random text, reads it with Cuvil, and compares."""

import argparse
import sys
from itertools import zip_longest
from pathlib import Path

from rich.console import Console
from rich.table import Table

from . import engines, picture
from .reader import Reading, read


def parse(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="ocr_demo", description="Cuvil reads the text in a picture."
    )
    parser.add_argument("--seed", type=int, default=7, help="other text for another seed")
    parser.add_argument("--lines", type=int, default=5)
    parser.add_argument("--width", type=int, default=640, help="of the picture")
    parser.add_argument("--out", type=Path, default=Path("build/ocr_demo.png"))
    options = parser.parse_args(arguments)
    if options.lines < 1 or options.width < 300:
        parser.error("at least 1 line and a width of 300 are needed")
    return options


def main(arguments: list[str] | None = None) -> int:
    options = parse(arguments)
    drawn = picture.draw(options.seed, options.lines, options.width)
    paths = engines.model_paths()
    letters = engines.characters(paths[1])

    ours = read(drawn.image, engines.with_cuvil, paths, letters)
    theirs = read(drawn.image, engines.with_onnxruntime, paths, letters)

    options.out.parent.mkdir(parents=True, exist_ok=True)
    picture.draw_boxes(drawn, ours.boxes, options.out)
    return report(drawn.lines, ours, theirs, options)


def report(drawn: list[str], ours: Reading, theirs: Reading, options) -> int:
    """Prints what was read and how long it took; returns the exit code."""
    console = Console()
    table = Table("", "drawn", "Cuvil", "ONNX Runtime",
                  title=f"Text of seed {options.seed}")
    wrong = 0
    for want, have, other in zip_longest(drawn, ours.lines, theirs.lines):
        wrong += want != have
        mark = "[green]ok[/]" if want == have else "[red]wrong[/]"
        table.add_row(mark, want or "-", have or "-", other or "-")
    console.print(table)

    times = Table("stage", "Cuvil", "ONNX Runtime", title="Time in ms")
    for stage in ours.seconds:
        times.add_row(stage, *(f"{r.seconds.get(stage, 0) * 1e3:.1f}"
                               for r in (ours, theirs)))
    console.print(times)
    console.print(f"picture with boxes: {options.out}")
    if wrong:
        console.print(f"[red]{wrong} of {len(drawn)} lines are wrong[/]")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
