# SPDX-License-Identifier: Apache-2.0
"""Options that commands share, and tensors to feed a model."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import typer

from ..errors import InputError

MODEL = typer.Argument(help="Model file, e.g. model.onnx.")
DEVICE = typer.Option("cpu", "--device", "-d", help="Device, or several in falling priority.")
SHAPE = typer.Option([], "--shape", "-s", metavar="NAME=SIZES",
                     help="Sizes of an input, e.g. x=1,3,224,224 (repeatable). "
                          "A word stands for a size that may vary.")
DIM = typer.Option([], "--dim", metavar="NAME=SIZE",
                   help="Size of a symbolic dimension for random inputs (repeatable).")
THREADS = typer.Option(0, "--threads", "-t", help="Threads of a call; 0 = all available.")
STRICT = typer.Option(False, "--strict", help="Fail when the device cannot run every op.")
OPTION = typer.Option([], "--option", "-o", metavar="KEY=VALUE",
                      help="Further compiler option, e.g. isa=avx2 (repeatable).")
NO_CACHE = typer.Option(False, "--no-cache", help="Neither read nor write the compile cache.")
SEED = typer.Option(0, "--seed", help="Seed of random inputs.")
INPUTS = typer.Option(None, "--inputs", "-i", help="An .npz file with the inputs by name; "
                                                   "random ones otherwise.")
JSON = typer.Option(False, "--json", help="Print JSON.")


def pairs(texts: list[str], what: str) -> dict[str, str]:
    result = {}
    for text in texts:
        # Tensor names may hold an "=" of their own.
        name, separator, value = text.rpartition("=")
        if not separator or not name:
            raise typer.BadParameter(f"expected {what}, got {text!r}")
        result[name] = value
    return result


def compile_model(model: str, device: str, shapes: list[str], threads: int, strict: bool,
                  options: list[str], no_cache: bool,
                  progress: Callable[[str, float], object] | None = None) -> Any:
    import cuvil

    sizes = {name: [int(part) if part.strip().lstrip("-").isdigit() else part.strip()
                    for part in value.split(",") if part.strip()]
             for name, value in pairs(shapes, "NAME=SIZES").items()}
    return cuvil.compile(model, device=device, input_shape=sizes or None, threads=threads,
                         strict=strict, cache=not no_cache, progress=progress,
                         options=pairs(options, "KEY=VALUE"))


def dim_sizes(dims: list[str]) -> dict[str, int]:
    return {name: _number(name, value) for name, value in pairs(dims, "NAME=SIZE").items()}


def make_inputs(compiled: Any, file: str | None, sizes: dict[str, int],
                seed: int) -> dict[str, Any]:
    """The inputs by name, out of a file or random."""
    import numpy as np

    if file is not None:
        try:
            with np.load(file) as stored:
                return {name: stored[name] for name in stored.files}
        except (OSError, ValueError) as error:
            raise InputError(f"cannot read the inputs: {error}", where=file,
                             hint="make them with numpy.savez(file, name=array)") from None
    random = np.random.default_rng(seed)
    return {info.name: _random(random, info, sizes) for info in compiled.inputs}


def _number(name: str, value: str) -> int:
    if not value.isdigit():
        raise typer.BadParameter(f"the size of {name} must be a number, got {value!r}")
    return int(value)


def _random(random: Any, info: Any, sizes: dict[str, int]) -> Any:
    from .. import _dtypes

    shape = [d if isinstance(d, int) else sizes.get(d, 1) for d in info.shape]
    dtype = _dtypes.numpy_dtype(info.dtype)
    if _dtypes.is_float(info.dtype):
        return random.standard_normal(shape).astype(dtype)
    # 0 and 1 are valid ids, masks and flags alike.
    return random.integers(0, 2, shape).astype(dtype)


def as_tuple(outputs: Any) -> tuple[Any, ...]:
    return outputs if isinstance(outputs, tuple) else (outputs,)
