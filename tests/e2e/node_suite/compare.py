# SPDX-License-Identifier: Apache-2.0
"""Output comparison, as strict as the suite's own."""

import numpy as np

_BF16_RTOL = 2**-6  # Two units in the last place.


def difference(expected: list, actual: list, rtol: float, atol: float) -> str | None:
    """Returns why the outputs differ, or None when they agree."""
    if len(actual) != len(expected):
        return f"{len(actual)} outputs, expected {len(expected)}"
    for index, (want, have) in enumerate(zip(expected, actual)):
        reason = _value_difference(want, have, rtol, atol)
        if reason:
            return f"output {index}: {reason}"
    return None


def _value_difference(want, have, rtol: float, atol: float) -> str | None:
    if want is None or have is None:
        return None if want is have else f"{have!r}, expected {want!r}"
    if isinstance(want, (list, tuple)):
        if not isinstance(have, (list, tuple)):
            return f"{type(have).__name__}, expected a sequence"
        return difference(list(want), list(have), rtol, atol)
    want, have = np.asarray(want), np.asarray(have)
    if have.shape != want.shape:
        return f"shape {have.shape}, expected {want.shape}"
    if want.dtype.kind in "OUST":
        same = np.array_equal(have.astype(object), want.astype(object))
        return None if same else "strings differ"
    if have.dtype != want.dtype:
        return f"dtype {have.dtype}, expected {want.dtype}"
    if want.dtype.kind in "biu":
        rtol = atol = 0
    if want.dtype.name == "bfloat16":
        rtol = max(rtol, _BF16_RTOL)
    if want.dtype.kind == "V":  # The ml_dtypes types: compare their values.
        want, have = want.astype(np.float32), have.astype(np.float32)
    try:
        np.testing.assert_allclose(have, want, rtol=rtol, atol=atol)
    except AssertionError as error:
        return " ".join(str(error).split())[:400]
    return None
