# SPDX-License-Identifier: Apache-2.0
"""A compiled model: calls, asynchronous calls, report and profile."""

from __future__ import annotations

import asyncio
import contextvars
import json
from typing import Any

from ._native import _cuvil
from .ir import TensorInfo, _infos
from .report import Profile, Report


class CompiledModel(_cuvil.Compiled):
    """What `cuvil.compile` returns.

    Call it with the inputs in order, by keyword, or as one dict by name::

        y = compiled(x)
        y = compiled(input_ids=ids, attention_mask=mask)
        y = compiled({"image:0": x}, out=y)

    Inputs are numpy arrays, torch tensors (CPU) or DLPack tensors; strided
    ones are copied, compact ones are read in place. Torch in gives torch out
    (detached from autograd), anything else gives numpy. One output comes as
    a tensor, several as a tuple in the order of `outputs`.

    Calls may run on several threads at once, and let other Python threads run.

    Raises:
        InputError: a wrong name, element type, rank or size; says which
            input, what was expected and what was given.
        PreconditionError: an input requires grad.
    """

    @property
    def inputs(self) -> list[TensorInfo]:
        """The inputs in order."""
        return _infos(self._describe(True))

    @property
    def outputs(self) -> list[TensorInfo]:
        """The outputs in order."""
        return _infos(self._describe(False))

    async def acall(self, *args: Any, **kwargs: Any) -> Any:
        """As a call, without blocking the running event loop.

        The run starts at once on a thread of the runtime; the result arrives
        in the loop and context (``contextvars``) of the caller. Inputs must
        not be changed before that. Cancelling the task does not stop the run.
        """
        loop = asyncio.get_running_loop()
        context = contextvars.copy_context()
        future: asyncio.Future = loop.create_future()

        def settle(error: BaseException | None, result: Any) -> None:
            if future.done():
                return
            if error is not None:
                future.set_exception(error)
            else:
                future.set_result(result)

        def finish(error: BaseException | None, result: Any) -> None:
            try:
                loop.call_soon_threadsafe(settle, error, result, context=context)
            except RuntimeError:
                pass  # The loop was closed; nobody waits any more.

        self._submit(args, kwargs, finish)
        return await future

    def report(self) -> Report:
        """What became of each op: device, reasons, kernels, stages, times.

        A dict; ``str()`` of it is a readable summary.
        """
        return Report(json.loads(self._report()))

    def profile(self, *args: Any, **kwargs: Any) -> Profile:
        """Runs once with a clock at every step; a dict of times in seconds."""
        return Profile(json.loads(self._profile(args, kwargs)))

    def __repr__(self) -> str:
        ins = ", ".join(map(str, self.inputs))
        outs = ", ".join(map(str, self.outputs))
        return f"<cuvil.CompiledModel ({ins}) -> ({outs})>"
