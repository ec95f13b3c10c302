# SPDX-License-Identifier: Apache-2.0
"""`cuvil.compile`: from a model to something that can be called."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from . import _source
from .compiled import CompiledModel
from .errors import InputError
from ._registry import read_entry_points

_PRECISIONS = {"float32": "fp32", "f32": "fp32", "float16": "fp16", "f16": "fp16",
               "half": "fp16", "bfloat16": "bf16"}


def compile(model: Any, example_inputs: Any = None, *, device: str = "cpu",
            input_shape: Any = None, dynamic_shapes: Any = None,
            strict: bool = False, threads: int = 0, enable_fusion: bool = True,
            static_batch: bool = False, precision: str = "fp32",
            backend: str | None = None, cache: bool = True,
            progress: Callable[[str, float], object] | None = None,
            rules: Any = None,
            options: Mapping[str, object] | None = None) -> CompiledModel:
    """Compiles a model for a device.

    Args:
        model: path or bytes of a model file, an ``onnx.ModelProto``, a
            `cuvil.Graph`, a `cuvil.IR`, or textual Cuvil-IR.
        example_inputs: tensors (one, a sequence, or a dict by name) whose
            sizes the inputs shall have.
        device: e.g. ``"cpu"``, ``"cuda:0"``, ``"auto"``, or a list in falling
            priority as in ``"cuda:0,cpu"``. See `cuvil.devices`.
        input_shape: sizes of the inputs: one shape for the first input, a
            list of shapes, or a dict by name. A size is an int, a name that
            stands for any size, or None to keep what the model says.
        dynamic_shapes: per input, a dict from axis to a name (or
            ``torch.export.Dim``) of a size that may vary between calls.
        strict: an op that `device` cannot run is an error, not a reason to
            use the next device.
        threads: threads that a call uses, the caller's among them; 0 means
            as many as the process may use.
        enable_fusion: False compiles one op per kernel, for debugging.
        static_batch: fixed sizes; memory is laid out now and a call
            allocates nothing.
        precision: ``"fp32"``, or one that the device offers.
        backend: an execution mode of the device plugin.
        cache: use and fill the compile cache.
        progress: called as ``progress(stage, seconds_of_the_previous_stage)``
            when a stage begins; an exception from it ends the compilation.
        rules: a fusion-rule file.
        options: further options of the compiler, e.g. ``{"isa": "avx2"}``.

    Returns:
        A `CompiledModel`: call it with tensors.

    Raises:
        InvalidModelError: the model is damaged or contradicts itself.
        UnsupportedError: an op, precision or mode is not available; the
            message lists what is.
        NotFoundError: the device, file or format is unknown.
        InputError: an argument is wrong.
    """
    read_entry_points()
    settings = _settings(strict, threads, enable_fusion, static_batch, precision,
                         backend, cache, rules, options)
    if not isinstance(device, str):
        raise InputError(f"device: expected a string, got {device!r}",
                         hint='e.g. device="cpu"')
    source = _source.resolve(model)
    shapes = _source.shape_options(source, example_inputs, input_shape, dynamic_shapes)
    if isinstance(source, _source.File):
        compiled = CompiledModel(source.path, source.data, source.folder, source.format,
                                 device, {**settings, **shapes}, progress)
        _source.check_names(shapes, compiled.inputs)
        return compiled
    return CompiledModel(source._native, device, settings, progress)


def _settings(strict, threads, enable_fusion, static_batch, precision, backend,
              cache, rules, options) -> dict[str, str]:
    if not isinstance(threads, int) or threads < 0:
        raise InputError(f"threads: expected a number of threads or 0, got {threads!r}")
    settings: dict[str, str] = {}
    # Only what differs from the default: the rest is the core's to decide.
    if strict:
        settings["strict"] = "1"
    if threads:
        settings["threads"] = str(int(threads))
    if not enable_fusion:
        settings["fusion"] = "0"
    if static_batch:
        settings["static_batch"] = "1"
    if not cache:
        settings["cache"] = "0"
    wanted = _PRECISIONS.get(str(precision), str(precision))
    if wanted != "fp32":
        settings["precision"] = wanted
    if backend is not None:
        settings["mode"] = str(backend)
    if rules is not None:
        settings["rules"] = str(rules)
    for key, value in (options or {}).items():
        settings[str(key)] = str(int(value)) if isinstance(value, bool) else str(value)
    return settings
