# SPDX-License-Identifier: Apache-2.0
"""Convolution and pooling for `Graph`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ._value import Value
from .errors import InputError
from .ir import Dim

PerAxis = int | Sequence[int]


class WindowMethods:
    """Channels come second: [N, C, spatial...], with 1 to 3 spatial axes."""

    def conv(self, x: Value, w: Any, bias: Any = None, *, stride: PerAxis = 1,
             padding: PerAxis = 0, dilation: PerAxis = 1, groups: int = 1) -> Value:
        """Convolution of x [N, C, ...] by w [OC, C / groups, kernel...].

        Args:
            bias: [OC], or None.
            stride, padding, dilation: one number, or one per spatial axis.
        """
        n = x.ndim - 2
        pads = _spread(padding, n, "padding")
        return self.op("conv", x, w, bias, strides=_spread(stride, n, "stride"), low=pads,
                       high=pads, dilations=_spread(dilation, n, "dilation"),
                       input_dilations=[1] * n, groups=groups)

    def max_pool(self, x: Value, kernel: PerAxis, *, stride: PerAxis | None = None,
                 padding: PerAxis = 0) -> Value:
        """Largest element of each window; `stride` defaults to `kernel`."""
        return self._pool("max", x, kernel, stride, padding)

    def avg_pool(self, x: Value, kernel: PerAxis, *, stride: PerAxis | None = None,
                 padding: PerAxis = 0, count_include_pad: bool = True) -> Value:
        """Mean of each window; `stride` defaults to `kernel`."""
        return self._pool("avg", x, kernel, stride, padding,
                          count_include_pad=count_include_pad)

    def global_avg_pool(self, x: Value) -> Value:
        """Mean over the spatial axes, kept with size 1."""
        return self.reduce("mean", x, range(2, x.ndim), keepdims=True)

    def _pool(self, kind: str, x: Value, kernel: PerAxis, stride: PerAxis | None,
              padding: PerAxis, **attrs: Any) -> Value:
        n = x.ndim - 2
        sizes = _spread(kernel, n, "kernel")
        strides = sizes if stride is None else _spread(stride, n, "stride")
        pads = _spread(padding, n, "padding")
        out = [_windows(d, k, s, p) for d, k, s, p in zip(x.shape[2:], sizes, strides, pads)]
        return self.op("pool", x, kind=kind, kernel=sizes, strides=strides, low=pads,
                       high=pads, dilations=[1] * n, out=out, **attrs)


def _spread(value: PerAxis, n: int, what: str) -> list[int]:
    values = [value] * n if isinstance(value, int) else list(value)
    if len(values) != n or n < 1:
        raise InputError(f"{what}: expected {n} numbers, one per spatial axis, got {value!r}")
    return values


def _windows(size: Dim, kernel: int, stride: int, pad: int) -> Dim:
    if isinstance(size, int):
        return (size + 2 * pad - kernel) // stride + 1
    return f"floordiv({size} + {2 * pad - kernel}, {stride}) + 1".replace("+ -", "- ")
