# SPDX-License-Identifier: Apache-2.0
"""dot, conv, pool, arg_pool and resize against numpy, PyTorch and the ONNX
reference.

No outside oracle: none; the negative padding of conv and pool is torch on a cut
operand.
"""

import itertools

import numpy as np
import pytest
import torch
from onnx.reference.ops import op_resize

from .harness import (FLOATS, SIGNED, UNSIGNED, Batch, dims, element, f64, flag, floats, i64,
                      ints, sample)

BATCH = Batch()
RNG = np.random.default_rng(5)
F4 = np.dtype("f4")
NUMERIC = FLOATS + SIGNED + UNSIGNED


def widen(x: np.ndarray) -> np.ndarray:
    return x.astype(np.float64) if x.dtype.kind not in "iu" else x


def add_dot() -> None:
    layouts = [  # lhs, rhs, einsum, batch, contract
        ((3, 5), (5, 7), "mk,kn->mn", ((), ()), ((1,), (0,))),
        ((2, 3, 5), (2, 5, 7), "bmk,bkn->bmn", ((0,), (0,)), ((2,), (1,))),
        ((5, 3, 2), (7, 5, 2), "kmb,nkb->bmn", ((2,), (2,)), ((0,), (1,))),
        ((2, 3), (2, 3), "ij,ij->", ((), ()), ((0, 1), (0, 1))),
        ((2, 3), (5,), "ij,k->ijk", ((), ()), ((), ())),
        ((2, 3), (2, 3), "ij,ij->ij", ((0, 1), (0, 1)), ((), ())),
        ((4, 2, 3, 5), (3, 5, 2, 6), "abcd,cdbe->bae", ((1,), (2,)), ((2, 3), (0, 1))),
        ((3, 0), (0, 7), "mk,kn->mn", ((), ()), ((1,), (0,))),
        ((0, 5), (5, 7), "mk,kn->mn", ((), ()), ((1,), (0,))),
        ((67, 129), (129, 131), "mk,kn->mn", ((), ()), ((1,), (0,)))]
    for dtype in NUMERIC:
        for number, (a, b, spec, batch, contract) in enumerate(layouts):
            x, y = sample(RNG, dtype, a), sample(RNG, dtype, b)
            want = np.asarray(np.einsum(spec, widen(x), widen(y))).astype(dtype)
            BATCH.op(f"dot-{element(dtype)}-{number}", "dot", [x, y], [want],
                     {"lhs_batch": ints(batch[0]), "rhs_batch": ints(batch[1]),
                      "lhs_contract": ints(contract[0]), "rhs_contract": ints(contract[1])},
                     atol=1e-12)


def torch_conv(x, w, bias, strides, pads, dilations, groups):
    rank = x.ndim - 2
    fn = [torch.nn.functional.conv1d, torch.nn.functional.conv2d, torch.nn.functional.conv3d][
        rank - 1]
    wide = np.float64 if x.dtype.kind not in "iu" else np.int64
    padded = np.pad(x.astype(wide), [(0, 0), (0, 0), *pads])
    return fn(torch.from_numpy(padded), torch.from_numpy(w.astype(wide)),
              None if bias is None else torch.from_numpy(bias.astype(wide)), strides, 0,
              dilations, groups).numpy().astype(x.dtype)


def conv(name, x, w, bias, want, strides, pads, dilations, groups, inner=None, **how):
    rank = x.ndim - 2
    BATCH.op(name, "conv", [x, w] if bias is None else [x, w, bias], [want],
             {"strides": ints(strides), "low": dims([p[0] for p in pads]),
              "high": dims([p[1] for p in pads]), "dilations": ints(dilations),
              "input_dilations": ints(inner or (1,) * rank), "groups": i64(groups)},
             atol=1e-12, **how)


def add_conv() -> None:
    # size, kernel, strides, pads, dilations, groups, filters, bias
    shapes = [((11,), (3,), (1,), ((0, 0),), (1,), 1, 5, False),
              ((11,), (3,), (2,), ((1, 2),), (2,), 1, 5, True),
              ((7, 9), (3, 2), (1, 1), ((1, 1), (0, 1)), (1, 1), 1, 5, True),
              ((7, 9), (3, 3), (2, 3), ((2, 0), (1, 3)), (2, 1), 2, 6, False),
              ((7, 9), (1, 1), (1, 1), ((0, 0), (0, 0)), (1, 1), 1, 7, True),
              ((7, 9), (3, 3), (1, 1), ((1, 1), (1, 1)), (1, 1), 4, 8, False),
              ((13, 17), (3, 3), (1, 1), ((1, 1), (1, 1)), (1, 1), 1, 5, False),
              ((5, 4, 6), (2, 3, 2), (1, 2, 1), ((0, 1), (1, 1), (0, 0)), (1, 1, 2), 2, 4, True)]
    for dtype in [F4, np.dtype("f2"), np.dtype("f8"), FLOATS[3], np.dtype("i8"),
                  np.dtype("i4")]:
        for number, (size, kernel, strides, pads, dilations, groups, filters, biased) in enumerate(
                shapes):
            x = sample(RNG, dtype, (2, 4, *size))
            w = sample(RNG, dtype, (filters, 4 // groups, *kernel))
            bias = sample(RNG, dtype, (filters,)) if biased else None
            want = torch_conv(x, w, bias, strides, pads, dilations, groups)
            conv(f"conv-{element(dtype)}-{number}", x, w, bias, want, strides, pads, dilations,
                 groups)
    x, w = sample(RNG, F4, (1, 2, 8, 8)), sample(RNG, F4, (3, 2, 3, 3))
    conv("conv-negative-pad", x, w, None,
         torch_conv(x[:, :, 1:, :-2], w, None, (1, 1), ((0, 0), (0, 0)), (1, 1), 1), (1, 1),
         ((-1, 0), (0, -2)), (1, 1), 1)
    conv("conv-no-image", x[:0], w, None, np.zeros((0, 3, 6, 6), F4), (1, 1), ((0, 0), (0, 0)),
         (1, 1), 1)
    # A transposed convolution.
    w = sample(RNG, F4, (2, 3, 3, 4))
    want = torch.nn.functional.conv_transpose2d(
        torch.from_numpy(x.astype("f8")), torch.from_numpy(w.astype("f8")), None, (2, 3), 0
    ).numpy().astype(F4)
    flipped = np.ascontiguousarray(w[:, :, ::-1, ::-1].transpose(1, 0, 2, 3))
    conv("conv-transposed", x, flipped, None, want, (1, 1), ((2, 2), (3, 3)), (1, 1), 1, (2, 3))


def add_pool() -> None:
    settings = [((11,), (3,), (2,), ((1, 0),), (1,)), ((7, 9), (2, 3), (2, 1), ((1, 1), (0, 1)), (1, 1)),
                ((7, 9), (2, 2), (1, 2), ((0, 0), (1, 1)), (2, 3)),
                ((5, 4, 6), (2, 2, 3), (1, 2, 2), ((1, 1), (0, 0), (1, 1)), (1, 1, 1))]
    for dtype in NUMERIC:
        for number, (size, kernel, strides, pads, dilations) in enumerate(settings):
            x = sample(RNG, dtype, (2, 3, *size))
            windows = [(d + p[0] + p[1] - l * (k - 1) - 1) // s + 1
                       for d, p, k, s, l in zip(size, pads, kernel, strides, dilations)]
            attrs = {"kernel": ints(kernel), "strides": ints(strides),
                     "low": dims([p[0] for p in pads]), "high": dims([p[1] for p in pads]),
                     "dilations": ints(dilations), "out": dims(windows)}
            name = f"{element(dtype)}-{number}"
            values, places, columns = max_pool(x, kernel, strides, pads, dilations, windows)
            BATCH.op(f"max_pool-{name}", "pool max", [x], [values], attrs)
            BATCH.op(f"arg_pool-{name}", "arg_pool", [x], [places], attrs)
            BATCH.op(f"arg_pool-columns-{name}", "arg_pool", [x], [columns],
                     attrs | {"column_major": flag(True)})
            if dtype.kind in "iu":
                continue
            for include in (False, True):
                want = mean_pool(x, kernel, strides, pads, dilations, windows, include)
                BATCH.op(f"avg_pool-{name}-{include}", "pool avg", [x], [want],
                         attrs | {"count_include_pad": flag(include)}, atol=1e-15)
            if dilations == (1,) * len(size):
                for p in (1, 2, 3):
                    want = lp_pool(x, kernel, strides, pads, p)
                    BATCH.op(f"lp_pool-{name}-{p}", "pool lp", [x], [want],
                             attrs | {"p": i64(p)}, ulps=4)
    # A window that runs past the padded extent (the ceil rule).
    x = np.arange(1, 6, dtype=F4).reshape(1, 1, 5)
    ceil = {"kernel": ints((2,)), "strides": ints((2,)), "low": dims((0,)), "high": dims((0,)),
            "dilations": ints((1,)), "out": dims((3,))}
    t = torch.from_numpy(x)
    for include in (False, True):
        want = torch.nn.functional.avg_pool1d(t, 2, 2, ceil_mode=True, count_include_pad=include)
        BATCH.op(f"avg_pool-ceil-{include}", "pool avg", [x], [want.numpy()],
                 ceil | {"count_include_pad": flag(include)})
    BATCH.op("max_pool-ceil", "pool max", [x],
             [torch.nn.functional.max_pool1d(t, 2, 2, ceil_mode=True).numpy()], ceil)
    bad = np.array([[[1, np.nan, 3, 4, np.nan]]], F4)
    BATCH.op("max_pool-nan", "pool max", [bad],
             [torch.nn.functional.max_pool1d(torch.from_numpy(bad), 2, 2, ceil_mode=True).numpy()],
             ceil)


def max_pool(x, kernel, strides, pads, dilations, windows):
    """Values and the two kinds of positions, one window at a time."""
    shape = (*x.shape[:2], *windows)
    values, places, columns = np.zeros(shape, x.dtype), np.zeros(shape, "i8"), np.zeros(shape, "i8")
    size = x.shape[2:]
    plane = int(np.prod(size))
    for n, c, *o in itertools.product(*map(range, shape)):
        best = None
        for tap in itertools.product(*map(range, kernel)):
            at = tuple(i * s - p[0] + t * d
                       for i, s, p, t, d in zip(o, strides, pads, tap, dilations))
            if all(0 <= a < b for a, b in zip(at, size)) and (
                    best is None or x[n, c][at] > x[n, c][best]):
                best = at
        start = (n * x.shape[1] + c) * plane
        values[n, c][tuple(o)] = x[n, c][best]
        places[n, c][tuple(o)] = start + np.ravel_multi_index(best, size)
        columns[n, c][tuple(o)] = start + np.ravel_multi_index(best, size, order="F")
    return values, places, columns


def mean_pool(x, kernel, strides, pads, dilations, windows, include):
    """Sums of windows as a convolution with ones, over counts made likewise."""
    groups = x.shape[1]
    ones = np.ones((groups, 1, *kernel))
    widths = [(0, 0), (0, 0), *pads]
    padded = np.pad(x.astype("f8"), widths)
    inside = np.pad(np.ones(x.shape), widths, constant_values=float(include))
    zero = ((0, 0),) * len(kernel)
    total = torch_conv(padded, ones, None, strides, zero, dilations, groups)
    count = torch_conv(inside, ones, None, strides, zero, dilations, groups)
    return (total / count).astype(x.dtype)


def lp_pool(x, kernel, strides, pads, p):
    powers = np.abs(x.astype("f8")) ** p
    ones = np.ones((x.shape[1], 1, *kernel))
    total = torch_conv(powers, ones, None, strides, pads, (1,) * len(kernel), x.shape[1])
    return (total ** (1 / p)).astype(x.dtype)


def add_resize() -> None:
    x = sample(RNG, F4, (1, 2, 5, 4))
    coordinates = ("half_pixel", "pytorch_half_pixel", "align_corners", "asymmetric",
                   "half_pixel_symmetric")
    for kind, coordinate, (scale_h, scale_w) in itertools.product(
            ("nearest", "linear", "cubic"), coordinates,
            [(2.0, 3.0), (0.6, 0.5), (1.0, 1.7), (2.4, 0.8)]):
        scales = np.array([1, 1, scale_h, scale_w])
        roundings = ("round_prefer_floor", "round_prefer_ceil", "floor", "ceil")
        for rounding in roundings if kind == "nearest" else roundings[:1]:
            for exclude in (False, True) if kind == "cubic" else (False,):
                for antialias in (False, True) if kind != "nearest" else (False,):
                    add_one_resize(x, kind, coordinate, scales, rounding, exclude, antialias)
    for dtype in NUMERIC:
        y = sample(RNG, dtype, (3, 4))
        BATCH.op(f"resize-nearest-{element(dtype)}", "resize nearest", [y],
                 [y.repeat(2, 0).repeat(3, 1)],
                 {"shape": dims((6, 12)), "scales": floats((2, 3)),
                  "coordinate": '"asymmetric"', "rounding": '"floor"'})
    for mode, kind, align in [("bilinear", "linear", False), ("bilinear", "linear", True),
                              ("bicubic", "cubic", False), ("bicubic", "cubic", True)]:
        for size in [(9, 3), (1, 7), (2, 2)]:
            want = torch.nn.functional.interpolate(torch.from_numpy(x.astype("f8")), size,
                                                   mode=mode, align_corners=align)
            BATCH.op(f"resize-torch-{kind}-{align}-{size}", f"resize {kind}", [x],
                     [want.numpy().astype(F4)],
                     {"shape": dims((1, 2, *size)), "scales": floats((1, 1, 0, 0)),
                      "coordinate": '"align_corners"' if align else '"half_pixel"'},
                     atol=1e-12)


def add_one_resize(x, kind, coordinate, scales, rounding, exclude, antialias) -> None:
    shape = [int(np.floor(d * s)) for d, s in zip(x.shape, scales)]
    if kind == "nearest":
        def coeffs(ratio, scale):
            return op_resize._nearest_coeffs(ratio, mode=rounding)
    else:
        suffix = "_antialias" if antialias else ""
        fn = getattr(op_resize, f"_{kind}_coeffs{suffix}")

        def coeffs(ratio, scale):
            return fn(ratio, scale)
    want = op_resize._interpolate_nd(x.astype("f8"), coeffs, scale_factors=list(scales),
                                     exclude_outside=exclude,
                                     coordinate_transformation_mode=coordinate)
    BATCH.op(f"resize-{kind}-{coordinate}-{scales[2:]}-{rounding}-{exclude}-{antialias}",
             f"resize {kind}", [x], [np.asarray(want).astype(F4)],
             {"shape": dims(shape), "scales": floats(scales), "coordinate": f'"{coordinate}"',
              "rounding": f'"{rounding}"', "cubic_a": f64(-0.75),
              "exclude_outside": flag(exclude), "antialias": flag(antialias)}, atol=1e-12,
             ulps=2)


add_dot()
add_conv()
add_pool()
add_resize()


@pytest.fixture(scope="module", autouse=True)
def ran(tmp_path_factory):
    BATCH.run(tmp_path_factory.mktemp("contraction"))


@pytest.mark.parametrize("name", BATCH.cases)
def test_contraction(name):
    BATCH.check(name)
