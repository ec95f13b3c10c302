# SPDX-License-Identifier: Apache-2.0
"""Gathers, scatters and nonzero against the ONNX reference and numpy.

No outside oracle: gather with batch_dims (numpy's take, image by image).
"""

import numpy as np
import pytest
from onnx import TensorProto, helper
from onnx.reference import ReferenceEvaluator

from .harness import (BF16, BOOL, FLOATS, SIGNED, UNSIGNED, Batch, dims, element, i64, sample)

BATCH = Batch()
RNG = np.random.default_rng(3)
EVERY = FLOATS + SIGNED + UNSIGNED + [BOOL]
F4 = np.dtype("f4")


def onnx_op(op: str, inputs: list[np.ndarray], **attrs) -> np.ndarray:
    names = [f"x{i}" for i in range(len(inputs))]
    graph = helper.make_graph(
        [helper.make_node(op, names, ["y"], **attrs)], "g",
        [helper.make_tensor_value_info(n, helper.np_dtype_to_tensor_dtype(x.dtype), None)
         for n, x in zip(names, inputs)],
        [helper.make_tensor_value_info("y", TensorProto.UNDEFINED, None)])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)])
    return ReferenceEvaluator(model).run(None, dict(zip(names, inputs)))[0]


def indices(shape, size: int, dtype="i8") -> np.ndarray:
    return RNG.integers(-size, size, shape).astype(dtype)


def add_gathers() -> None:
    for dtype in EVERY:
        x = sample(RNG, dtype, (5, 3, 7))
        for axis in range(3):
            i = indices((2, 4), x.shape[axis], "i4" if axis else "i8")
            BATCH.op(f"gather-{element(dtype)}-{axis}", "gather", [x, i],
                     [np.take(x, i, axis)], {"axis": i64(axis)})
            e = indices((4, 2, 5), x.shape[axis])
            BATCH.op(f"gather_elements-{element(dtype)}-{axis}", "gather_elements", [x, e],
                     [gather_elements(x, e, axis)], {"axis": i64(axis)})
        t = np.stack([indices((4,), 5), indices((4,), 3)], -1)
        BATCH.op(f"gather_nd-{element(dtype)}", "gather_nd", [x, t], [x[t[:, 0], t[:, 1]]])
    x = sample(RNG, F4, (2, 5, 3))
    i = indices((2, 4), 5)
    BATCH.op("gather-batch", "gather", [x, i],
             [np.stack([np.take(a, b, 0) for a, b in zip(x, i)])],
             {"axis": i64(1), "batch_dims": i64(1)})
    j = indices((2, 4), 3)
    BATCH.op("gather-batch-inner", "gather", [x, j],
             [np.stack([np.take(a, b, 1) for a, b in zip(x, j)])],
             {"axis": i64(2), "batch_dims": i64(1)})
    BATCH.op("gather-scalar", "gather", [x, np.array(-1)], [x[-1]], {"axis": i64(0)})
    BATCH.op("gather-none", "gather", [x, np.zeros((0,), "i8")], [x[:, :0]], {"axis": i64(1)})
    t = np.stack([indices((2, 4), 5), indices((2, 4), 3)], -1)
    BATCH.op("gather_nd-batch", "gather_nd", [x, t],
             [onnx_op("GatherND", [x, t % [5, 3]], batch_dims=1)], {"batch_dims": i64(1)})
    BATCH.op("gather_nd-slices", "gather_nd", [x, t[0, :, :1] % 2], [x[t[0, :, 0] % 2]])
    for op, attrs in [("gather", {"axis": i64(0)}), ("gather_elements", {"axis": i64(0)})]:
        for bad in (2, -3):
            index = np.full((1, 5, 3) if op != "gather" else (1,), bad)
            BATCH.op(f"{op}-range-{bad}", op, [x, index], [x[:1]], attrs,
                     error=f"index {bad} is out of range")


def gather_elements(x: np.ndarray, i: np.ndarray, axis: int) -> np.ndarray:
    cut = tuple(slice(None) if d == axis else slice(n) for d, n in enumerate(i.shape))
    return np.take_along_axis(x[cut], i, axis)


def add_scatters() -> None:
    for dtype in [F4, np.dtype("f8"), np.dtype("i4"), np.dtype("u1"), np.dtype("i8")]:
        for reduction in ("none", "add", "mul", "min", "max"):
            x = sample(RNG, dtype, (5, 3))
            unique = np.array([[4], [0], [2]])
            repeated = np.array([[4], [0], [-1]]) if reduction != "none" else unique
            updates = sample(RNG, dtype, (3, 3))
            BATCH.op(f"scatter_nd-{reduction}-{element(dtype)}", f"scatter_nd {reduction}",
                     [x, repeated, updates], [scatter_nd(x, repeated, updates, reduction)],
                     ulps=2, atol=1e-6)
            i = np.array([[0, 4, 2], [1, 0, 0]]) if reduction == "none" else indices((2, 3), 5)
            u = updates[:2]
            BATCH.op(f"scatter_elements-{reduction}-{element(dtype)}",
                     f"scatter_elements {reduction}", [x, i, u],
                     [onnx_op("ScatterElements", [x, i % 5, u], axis=0, reduction=reduction)],
                     {"axis": i64(0)}, ulps=2, atol=1e-6)
    for dtype in (BF16, BOOL, np.dtype("f2")):
        x, u = sample(RNG, dtype, (4,)), sample(RNG, dtype, (2,))
        want = x.copy()
        want[[1, 3]] = u
        BATCH.op(f"scatter_nd-none-{element(dtype)}", "scatter_nd none",
                 [x, np.array([[1], [3]]), u], [want])
    x, u = sample(RNG, F4, (4,)), sample(RNG, F4, (2,))
    want = x.copy()
    want[1] = u[1]
    BATCH.op("scatter_nd-last-wins", "scatter_nd none", [x, np.array([[1], [1]]), u], [want])
    BATCH.op("scatter_nd-empty", "scatter_nd none", [x, np.zeros((0, 1), "i8"), u[:0]], [x])
    BATCH.op("scatter_nd-range", "scatter_nd none", [x, np.array([[1], [4]]), u], [x],
             error="index 4 is out of range")


def scatter_nd(x, index, updates, reduction) -> np.ndarray:
    combine = {"none": lambda a, b: b, "add": np.add, "mul": np.multiply, "min": np.minimum,
               "max": np.maximum}[reduction]
    y = x.copy()
    for row, update in zip(index, updates):
        y[row[0]] = combine(y[row[0]], update)
    return y


def add_nonzero() -> None:
    for dtype in EVERY:
        x = np.where(RNG.random((3, 7)) < 0.5, 0, sample(RNG, dtype, (3, 7))).astype(dtype)
        want = np.stack(np.nonzero(x)).astype(np.int64)
        BATCH.op(f"nonzero-{element(dtype)}", "nonzero", [x], [want],
                 {"count": dims((want.shape[1],))})
    x = np.array([0.0, -0.0, np.nan, 1], F4)
    BATCH.op("nonzero-nan", "nonzero", [x], [np.array([[2, 3]])], {"count": dims((2,))})
    BATCH.op("nonzero-none", "nonzero", [x[:0]], [np.zeros((1, 0), "i8")],
             {"count": dims((0,))})
    BATCH.op("nonzero-miscounted", "nonzero", [x], [np.zeros((1, 3), "i8")],
             {"count": dims((3,))}, error="expected [1, 2]")


add_gathers()
add_scatters()
add_nonzero()


@pytest.fixture(scope="module", autouse=True)
def ran(tmp_path_factory):
    BATCH.run(tmp_path_factory.mktemp("indexing"))


@pytest.mark.parametrize("name", BATCH.cases)
def test_indexing(name):
    BATCH.check(name)
