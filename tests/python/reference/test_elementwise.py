# SPDX-License-Identifier: Apache-2.0
"""unary, binary, compare, select, clamp, convert and bitcast.

No outside oracle: `clamp` with low > high and `convert` out of range (both are
this project's own rules; the expected values below follow the op's text).
"""

import warnings

import numpy as np
import pytest
import torch

from .harness import (BF16, BOOL, FLOATS, SHAPES, SIGNED, SPECIALS, UNSIGNED, Batch,
                      element, f64, sample)

BATCH = Batch()
RNG = np.random.default_rng(1)
warnings.simplefilter("ignore", RuntimeWarning)


def by_torch(fn):
    """A torch function of f64 tensors as one of numpy arrays."""
    return lambda x: fn(torch.from_numpy(np.array(x, np.float64))).numpy()


F = torch.nn.functional
UNARY = {
    "neg": np.negative, "abs": np.abs, "sign": np.sign, "ceil": np.ceil, "floor": np.floor,
    "round_even": np.round, "trunc": np.trunc, "sqrt": np.sqrt, "rsqrt": by_torch(torch.rsqrt),
    "reciprocal": lambda x: 1 / x, "exp": np.exp, "expm1": np.expm1, "log": np.log,
    "log1p": np.log1p, "sin": np.sin, "cos": np.cos, "tan": np.tan, "asin": np.arcsin,
    "acos": np.arccos, "atan": np.arctan, "sinh": np.sinh, "cosh": np.cosh, "tanh": np.tanh,
    "asinh": np.arcsinh, "acosh": np.arccosh, "atanh": np.arctanh, "erf": by_torch(torch.erf),
    "lgamma": by_torch(torch.lgamma), "sigmoid": by_torch(torch.sigmoid),
    "gelu": by_torch(F.gelu), "gelu_tanh": by_torch(lambda x: F.gelu(x, approximate="tanh")),
    "relu": by_torch(F.relu), "silu": by_torch(F.silu), "mish": by_torch(F.mish),
    "hard_swish": by_torch(F.hardswish), "softplus": lambda x: np.logaddexp(0, x),
    "softsign": by_torch(F.softsign),
}
SELU = (1.6732632423543772, 1.0507009873554805)
PARAMETERS = {
    "leaky_relu": ((0.1, None), by_torch(lambda x: F.leaky_relu(x, 0.1))),
    "elu": ((1.5, None), by_torch(lambda x: F.elu(x, 1.5))),
    "celu": ((0.7, None), by_torch(lambda x: F.celu(x, 0.7))),
    "selu": (SELU, by_torch(F.selu)),
    "hard_sigmoid": ((1 / 6, 0.5), by_torch(F.hardsigmoid)),
}
# Where a value that cancels is close to zero, f64 itself is off by some ulps.
ATOL = {"lgamma": 1e-15, "mish": 1e-15, "gelu": 1e-15, "gelu_tanh": 1e-15, "tan": 1e-12}


def add_unary() -> None:
    exact = {"neg", "abs", "sign", "ceil", "floor", "round_even", "trunc", "relu"}
    for kind, fn in UNARY.items():
        for dtype in FLOATS:
            for shape in SHAPES if dtype == np.float32 else [(16,)]:
                x = SPECIALS.astype(dtype) if shape == (16,) else sample(RNG, dtype, shape)
                want = np.asarray(fn(x.astype(np.float64))).astype(dtype)
                ulps = 0 if kind in exact else 4 if dtype == np.float64 else 1
                BATCH.op(f"{kind}-{element(dtype)}-{shape}", f"unary {kind}", [x], [want],
                         ulps=ulps, atol=ATOL.get(kind, 0))
    for kind, ((alpha, beta), fn) in PARAMETERS.items():
        attrs = {"alpha": f64(alpha)} | ({"beta": f64(beta)} if beta is not None else {})
        for dtype in FLOATS:
            x = SPECIALS.astype(dtype)
            want = np.asarray(fn(x.astype(np.float64))).astype(dtype)
            BATCH.op(f"{kind}-{element(dtype)}", f"unary {kind}", [x], [want], attrs,
                     ulps=4 if dtype == np.float64 else 1)
    for kind, fn in {"is_nan": np.isnan, "is_inf": np.isinf}.items():
        for dtype in FLOATS:
            x = SPECIALS.astype(dtype)
            BATCH.op(f"{kind}-{element(dtype)}", f"unary {kind}", [x], [fn(x)])
    integer = {"neg": np.negative, "abs": np.abs, "sign": np.sign, "not": np.invert,
               "relu": lambda x: np.maximum(x, 0),
               "popcount": lambda x: np.bitwise_count(x.view(x.dtype.str.replace("i", "u")))}
    for kind, fn in integer.items():
        for dtype in SIGNED + UNSIGNED:
            x = sample(RNG, dtype, (23,))
            BATCH.op(f"{kind}-{element(dtype)}", f"unary {kind}", [x], [fn(x).astype(dtype)])
    x = sample(RNG, BOOL, (5,))
    BATCH.op("not-bool", "unary not", [x], [~x])


def add_binary() -> None:
    real = {"add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide,
            "floordiv": np.floor_divide, "mod": np.mod, "rem": np.fmod, "pow": np.power,
            "atan2": np.arctan2, "min": np.minimum, "max": np.maximum, "copysign": np.copysign}
    a, b = (v.ravel() for v in np.meshgrid(SPECIALS, SPECIALS))
    for kind, fn in real.items():
        for dtype in FLOATS:
            x, y = a.astype(dtype), b.astype(dtype)
            want = fn(x.astype(np.float64), y.astype(np.float64)).astype(dtype)
            ulps = 4 if kind in ("pow", "atan2") else 0
            if kind in ("min", "max", "floordiv"):
                ulps = 1  # numpy leaves the sign of zero open.
            BATCH.op(f"{kind}-{element(dtype)}", f"binary {kind}", [x, y], [want], ulps=ulps)
    for dtype in FLOATS:
        x, y = a.astype(dtype), b.astype(dtype)
        BATCH.op(f"nextafter-{element(dtype)}", "binary nextafter", [x, y],
                 [np.nextafter(x, y)], ulps=1 if dtype == np.float16 else 0)
    whole = {"add": np.add, "sub": np.subtract, "mul": np.multiply, "min": np.minimum,
             "max": np.maximum, "and": np.bitwise_and, "or": np.bitwise_or,
             "xor": np.bitwise_xor}
    for dtype in SIGNED + UNSIGNED:
        x, y = sample(RNG, dtype, (97,)), sample(RNG, dtype, (97,))
        for kind, fn in whole.items():
            BATCH.op(f"{kind}-{element(dtype)}", f"binary {kind}", [x, y], [fn(x, y)])
        y = np.where(y == 0, 1, y).astype(dtype)
        x = x.copy()
        if dtype.kind == "i":  # The quotient that wraps.
            x[:2], y[:2] = np.iinfo(dtype).min, -1
        # numpy divides the smallest integer by -1 as the type wraps.
        exact = [(int(p), int(q)) for p, q in zip(x, y)]
        quotient = [abs(p) // abs(q) * (1 if (p < 0) == (q < 0) else -1) for p, q in exact]
        for kind, values in {
                "div": quotient,
                "rem": [p - q * r for (p, q), r in zip(exact, quotient)],
                "floordiv": [p // q for p, q in exact],
                "mod": [p % q for p, q in exact],
                "pow": [wrapping_power(p, q) for p, q in exact]}.items():
            BATCH.op(f"{kind}-{element(dtype)}", f"binary {kind}", [x, y],
                     [wrap(values, dtype)])
        add_shifts(dtype)
        if dtype == np.int32:
            for kind in ("div", "rem", "floordiv", "mod"):
                BATCH.op(f"{kind}-by-zero", f"binary {kind}", [x, y * 0], [x],
                         error="division by zero")
    for kind, fn in {"and": np.logical_and, "or": np.logical_or,
                     "xor": np.logical_xor}.items():
        x, y = sample(RNG, BOOL, (16,)), sample(RNG, BOOL, (16,))
        BATCH.op(f"{kind}-bool", f"binary {kind}", [x, y], [fn(x, y)])
    for shape in SHAPES:
        x, y = sample(RNG, np.dtype("f4"), shape), sample(RNG, np.dtype("f4"), shape)
        BATCH.op(f"add-{shape}", "binary add", [x, y], [np.asarray(x + y)], ulps=0)


def wrap(values, dtype) -> np.ndarray:
    bits = 8 * dtype.itemsize
    return np.array([v % 2**bits for v in values], np.uint64).astype(
        f"u{dtype.itemsize}").view(dtype)


def wrapping_power(base: int, exponent: int) -> int:
    if exponent < 0:
        return base ** (-exponent % 2) if abs(base) == 1 else 0
    return pow(base, exponent, 2**64)


def add_shifts(dtype) -> None:
    bits = 8 * dtype.itemsize
    x = sample(RNG, dtype, (60,))
    count = RNG.integers(0, bits + 4, (60,)).astype(dtype)
    pairs = [(int(p), int(q)) for p, q in zip(x, count)]
    signed = [p - 2**bits if p >= 2 ** (bits - 1) else p for p, _ in pairs]
    for kind, values in {
            "shl": [p << q for p, q in pairs],
            "shr_u": [p % 2**bits >> q for p, q in pairs],
            "shr_s": [p >> q for p, (_, q) in zip(signed, pairs)]}.items():
        BATCH.op(f"{kind}-{element(dtype)}", f"binary {kind}", [x, count],
                 [wrap(values, dtype)])


def add_compare() -> None:
    kinds = {"eq": np.equal, "ne": np.not_equal, "lt": np.less, "le": np.less_equal,
             "gt": np.greater, "ge": np.greater_equal}
    a, b = (v.ravel() for v in np.meshgrid(SPECIALS, SPECIALS))
    for dtype in FLOATS + SIGNED + UNSIGNED:
        if dtype.kind in "iu":
            x, y = sample(RNG, dtype, (60,)), sample(RNG, dtype, (60,))
        else:
            x, y = a.astype(dtype), b.astype(dtype)
        for kind, fn in kinds.items():
            BATCH.op(f"{kind}-{element(dtype)}", f"compare {kind}", [x, y], [fn(x, y)])
    x, y = sample(RNG, BOOL, (9,)), sample(RNG, BOOL, (9,))
    BATCH.op("eq-bool", "compare eq", [x, y], [x == y])
    BATCH.op("ne-bool", "compare ne", [x, y], [x != y])


def add_select_and_clamp() -> None:
    for dtype in FLOATS + SIGNED + UNSIGNED + [BOOL]:
        for shape in [(), (7,), (3, 0), (2, 3, 5)]:
            c = sample(RNG, BOOL, shape)
            x, y = sample(RNG, dtype, shape), sample(RNG, dtype, shape)
            BATCH.op(f"select-{element(dtype)}-{shape}", "select", [c, x, y],
                     [np.where(c, x, y)])
    for dtype in FLOATS + SIGNED + UNSIGNED:
        x = SPECIALS.astype(dtype) if dtype.kind not in "iu" else sample(RNG, dtype, (16,))
        low, high = np.array(1, dtype), np.array(2, dtype)
        BATCH.op(f"clamp-{element(dtype)}", "clamp", [x, low, high], [np.clip(x, low, high).astype(dtype)])
        BATCH.op(f"clamp-crossed-{element(dtype)}", "clamp", [x, high, low],
                 [np.minimum(np.maximum(x, high), low)])


def add_convert() -> None:
    every = FLOATS + SIGNED + UNSIGNED + [BOOL]
    for source in every:
        for target in every:
            if source.kind in "iub":
                x = sample(RNG, source, (50,))
                want = x.astype(np.int64).astype(target) if source == BOOL else x.astype(target)
                if target == BF16 and source != BOOL:  # One rounding, not two.
                    want = torch.from_numpy(x.astype(np.float64)).to(torch.bfloat16).view(
                        torch.int16).numpy().view(BF16)
            else:
                x = np.array([0, 1, 0.5, 2.75, 100.99, 3, 1e-3, 7.5], source)
                if target.kind not in "u":
                    x = np.concatenate([x, -x])
                want = x.astype(target)
            BATCH.op(f"convert-{element(source)}-{element(target)}", "convert", [x], [want],
                     {"to": element(target)}, ulps=0)
    # Integers that two roundings would get wrong.
    x = np.array([2**60 + 2**36 + 1, 2**60 + 2**36 - 1, -(2**60 + 2**36 + 1), 2**63 - 1,
                  2**53 + 1, 2**24 + 1, 2**24 + 3], np.int64)
    BATCH.op("convert-i64-f32-once", "convert", [x], [x.astype(np.float32)], {"to": "f32"},
             ulps=0)
    big = np.array([2**64 - 1, 2**63, 2**63 + 2**39 + 1], np.uint64)
    BATCH.op("convert-u64-f32-once", "convert", [big], [big.astype(np.float32)],
             {"to": "f32"}, ulps=0)
    for dtype in SIGNED + UNSIGNED:
        info = np.iinfo(dtype)
        x = np.array([np.nan, np.inf, -np.inf, 1e30, -1e30, 2.5, 3.5, -0.5, 1.5], np.float64)
        want = [0, info.max, info.min, info.max, info.min, 2, 4, 0, 2]
        BATCH.op(f"convert-saturate-even-{element(dtype)}", "convert", [x],
                 [np.array(want, dtype)],
                 {"to": element(dtype), "round": '"even"', "saturate": "true"})
        for source in SIGNED + UNSIGNED:
            v = sample(RNG, source, (20,))
            want = np.array([min(max(int(i), info.min), info.max) for i in v], dtype)
            BATCH.op(f"convert-saturate-{element(source)}-{element(dtype)}", "convert", [v],
                     [want], {"to": element(dtype), "saturate": "true"})
    x = np.array([300.7, -1.5, 65537.0, 2.0**40 + 5], np.float64)
    BATCH.op("convert-wraps", "convert", [x],
             [np.array([44, 255, 1, 5], np.uint8)], {"to": "ui8"})
    for source, target in [("f4", "i4"), ("f4", "u4"), ("f8", "i8"), ("f2", "u2"), ("i1", "u1"),
                           ("i8", "f8")]:
        x = RNG.integers(0, 120, (11,)).astype("u1").repeat(np.dtype(source).itemsize).view(source)
        BATCH.op(f"bitcast-{source}-{target}", "bitcast", [x], [x.view(target)],
                 {"to": element(np.dtype(target))}, ulps=0)


def add_rounding() -> None:
    """Every 16-bit float, and f64 values around the ties between them."""
    for dtype in (np.dtype("f2"), BF16):
        every = np.arange(2**16, dtype=np.uint16).view(dtype)
        every = every[~np.isnan(every.astype(np.float32))]
        wide = every.astype(np.float64)
        BATCH.op(f"widen-{element(dtype)}", "convert", [every], [wide], {"to": "f64"}, ulps=0)
        finite = np.sort(wide[np.isfinite(wide)])
        ties = (finite[1:] + finite[:-1]) / 2
        x = np.concatenate([ties, np.nextafter(ties, np.inf), np.nextafter(ties, -np.inf),
                            [1e300, -1e300, 5e-324, 1e-310]])
        if dtype == BF16:
            # ml_dtypes goes through f32; round to odd there is exact.
            narrow = x.astype(np.float32)
            bits = narrow.view(np.uint32)
            inexact = (narrow.astype(np.float64) != x) & np.isfinite(narrow)
            too_far = np.abs(narrow.astype(np.float64)) > np.abs(x)
            bits = np.where(inexact & too_far, bits - 1, bits)
            narrow = np.where(inexact, bits | 1, bits).astype(np.uint32).view(np.float32)
            want = narrow.astype(BF16)
        else:
            want = x.astype(np.float16)
        BATCH.op(f"narrow-{element(dtype)}", "convert", [x], [want], {"to": element(dtype)},
                 ulps=0)


add_unary()
add_binary()
add_compare()
add_select_and_clamp()
add_convert()
add_rounding()


@pytest.fixture(scope="module", autouse=True)
def ran(tmp_path_factory):
    BATCH.run(tmp_path_factory.mktemp("elementwise"))


@pytest.mark.parametrize("name", BATCH.cases)
def test_elementwise(name):
    BATCH.check(name)
