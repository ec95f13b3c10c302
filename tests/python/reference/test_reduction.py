# SPDX-License-Identifier: Apache-2.0
"""reduce, arg_reduce, cumulate and topk against numpy.

No outside oracle: the results over no elements (the op's text has them).
"""

import numpy as np
import pytest

from .harness import (BOOL, FLOATS, SIGNED, UNSIGNED, Batch, dims, element, flag, i64, ints,
                      sample)

BATCH = Batch()
RNG = np.random.default_rng(4)
F4 = np.dtype("f4")
NUMERIC = FLOATS + SIGNED + UNSIGNED


def add_reduce() -> None:
    kinds = {"sum": np.sum, "prod": np.prod, "max": np.max, "min": np.min}
    for dtype in NUMERIC:
        x = sample(RNG, dtype, (3, 5, 7))
        wide = x.astype(np.float64) if dtype.kind not in "iu" else x
        for kind, fn in kinds.items():
            for axes in [(1,), (0, 2), (0, 1, 2), ()]:
                for keep in (True, False):
                    how = {"dtype": wide.dtype} if kind in ("sum", "prod") else {}
                    want = np.asarray(fn(wide, axis=axes, keepdims=keep, **how)).astype(dtype)
                    BATCH.op(f"{kind}-{element(dtype)}-{axes}-{keep}", f"reduce {kind}", [x],
                             [want], {"axes": ints(axes), "keepdims": flag(keep)}, atol=1e-12)
        if dtype.kind in "iu":
            total = x.sum(1, dtype=dtype).astype(object)
            want = np.array([int(abs(v) // 5 * (1 if v >= 0 else -1)) for v in total.ravel()],
                            dtype).reshape(total.shape)
        else:
            want = wide.mean(1).astype(dtype)
        BATCH.op(f"mean-{element(dtype)}", "reduce mean", [x], [want], {"axes": ints((1,))},
                 ulps=2, atol=1e-15)
    for dtype in SIGNED + UNSIGNED + [BOOL]:
        x = sample(RNG, dtype, (3, 5))
        for kind, fn in {"and": np.bitwise_and, "or": np.bitwise_or,
                         "xor": np.bitwise_xor}.items():
            BATCH.op(f"{kind}-{element(dtype)}", f"reduce {kind}", [x], [fn.reduce(x, axis=1)],
                     {"axes": ints((1,))})
    x = np.array([[1, np.nan, 2], [-0.0, 0.0, -0.0], [np.inf, -np.inf, 1]], F4)
    for kind, fn in kinds.items():
        with np.errstate(invalid="ignore"):
            want = fn(x, axis=1)
        BATCH.op(f"{kind}-special", f"reduce {kind}", [x], [want], {"axes": ints((1,))})
    none = np.zeros((2, 0), F4)
    for kind, value in [("sum", 0), ("prod", 1), ("max", -np.inf), ("min", np.inf),
                        ("mean", np.nan)]:
        BATCH.op(f"{kind}-none", f"reduce {kind}", [none], [np.full(2, value, F4)],
                 {"axes": ints((1,))})
    for dtype in SIGNED + UNSIGNED:
        none, info = np.zeros((2, 0), dtype), np.iinfo(dtype)
        for kind, value in [("sum", 0), ("prod", 1), ("max", info.min), ("min", info.max),
                            ("and", -1), ("or", 0)]:
            BATCH.op(f"{kind}-none-{element(dtype)}", f"reduce {kind}", [none],
                     [np.full(2, value).astype(dtype)], {"axes": ints((1,))})
    for kind, value in [("and", True), ("or", False), ("xor", False)]:
        BATCH.op(f"{kind}-none-bool", f"reduce {kind}", [np.zeros((2, 0), bool)],
                 [np.full(2, value)], {"axes": ints((1,))})
    # 1e8 ones would stall in f32; the sum is exact in f64.
    x = np.concatenate([[2.0**24], np.ones(101)]).astype(F4)
    BATCH.op("sum-accurate", "reduce sum", [x], [np.array(2.0**24 + 101, F4)],
             {"axes": ints((0,))}, ulps=0)


def add_arg_reduce() -> None:
    for dtype in NUMERIC:
        x = sample(RNG, dtype, (3, 5, 7))
        if dtype.kind not in "iu":
            x = np.round(x.astype(F4)).astype(dtype)  # Ties.
        for kind, fn in {"max": np.argmax, "min": np.argmin}.items():
            for axis in range(3):
                for last in (False, True):
                    want = fn(np.flip(x, axis) if last else x, axis=axis)
                    if last:
                        want = x.shape[axis] - 1 - want
                    BATCH.op(f"arg_{kind}-{element(dtype)}-{axis}-{last}", f"arg_reduce {kind}",
                             [x], [want.astype(np.int64)],
                             {"axis": i64(axis), "last": flag(last)})
    x = np.array([[1, np.nan, 9, np.nan]], F4)
    for kind in ("max", "min"):
        BATCH.op(f"arg_{kind}-nan", f"arg_reduce {kind}", [x], [np.array([[1]])],
                 {"axis": i64(1), "keepdims": flag(True)})
        BATCH.op(f"arg_{kind}-nan-last", f"arg_reduce {kind}", [x], [np.array([3])],
                 {"axis": i64(1), "last": flag(True)})
        BATCH.op(f"arg_{kind}-none", f"arg_reduce {kind}", [np.zeros((0, 2), F4)],
                 [np.zeros(2, "i8")], {"axis": i64(0)}, error="size 0")


def add_cumulate() -> None:
    for dtype in NUMERIC:
        x = sample(RNG, dtype, (3, 5, 2))
        wide = x.astype(np.float64) if dtype.kind not in "iu" else x
        for kind, fn, start in [("sum", np.cumsum, 0), ("prod", np.cumprod, 1)]:
            for axis in range(3):
                for exclusive in (False, True):
                    for reverse in (False, True):
                        y = np.flip(wide, axis) if reverse else wide
                        y = fn(y, axis=axis, dtype=wide.dtype)
                        if exclusive:
                            y = np.roll(y, 1, axis)
                            y[tuple(0 if d == axis else slice(None) for d in range(3))] = start
                        y = np.flip(y, axis) if reverse else y
                        BATCH.op(f"cum{kind}-{element(dtype)}-{axis}-{exclusive}-{reverse}",
                                 f"cumulate {kind}", [x], [y.astype(dtype)],
                                 {"axis": i64(axis), "exclusive": flag(exclusive),
                                  "reverse": flag(reverse)}, atol=1e-12)
    BATCH.op("cumsum-empty", "cumulate sum", [np.zeros((0, 2), F4)], [np.zeros((0, 2), F4)],
             {"axis": i64(0)})


def add_topk() -> None:
    for dtype in NUMERIC:
        x = sample(RNG, dtype, (3, 7, 2))
        if dtype.kind not in "iu":
            x = np.round(x.astype(F4)).astype(dtype)
        order = x.astype(np.float64) if dtype.kind not in "iu" else x.astype(object)
        for axis in range(3):
            for largest in (True, False):
                for k in {0, 1, x.shape[axis]}:
                    places = np.argsort(-order if largest else order, axis=axis, kind="stable")
                    places = np.take(places, range(k), axis).astype(np.int64)
                    BATCH.op(f"topk-{element(dtype)}-{axis}-{largest}-{k}", "topk", [x],
                             [np.take_along_axis(x, places, axis), places],
                             {"k": dims((k,)), "axis": i64(axis), "largest": flag(largest)})
    x = np.array([1, np.nan, -np.inf, np.nan, np.inf], F4)
    BATCH.op("topk-nan", "topk", [x], [x[[1, 3, 4]], np.array([1, 3, 4])],
             {"k": dims((3,)), "axis": i64(0), "largest": flag(True)})
    BATCH.op("topk-nan-smallest", "topk", [x], [x[[2, 0, 4, 1]], np.array([2, 0, 4, 1])],
             {"k": dims((4,)), "axis": i64(0), "largest": flag(False)})


add_reduce()
add_arg_reduce()
add_cumulate()
add_topk()


@pytest.fixture(scope="module", autouse=True)
def ran(tmp_path_factory):
    BATCH.run(tmp_path_factory.mktemp("reduction"))


@pytest.mark.parametrize("name", BATCH.cases)
def test_reduction(name):
    BATCH.check(name)
