# SPDX-License-Identifier: Apache-2.0
"""Constants, movement of elements and the ops between sizes and values."""

import numpy as np
import pytest

from .harness import (BF16, BOOL, FLOATS, SHAPES, SIGNED, UNSIGNED, Batch, dims, element, flag,
                      i64, ints, sample, tensor_type)

BATCH = Batch()
RNG = np.random.default_rng(2)
EVERY = FLOATS + SIGNED + UNSIGNED + [BOOL]
F4 = np.dtype("f4")


def add_sources() -> None:
    for dtype in EVERY:
        x = sample(RNG, dtype, ())
        for shape in [(), (0,), (7,), (3, 2, 5)]:
            BATCH.op(f"fill-{element(dtype)}-{shape}", "fill", [x], [np.full(shape, x)],
                     {"shape": dims(shape)}, ulps=0)
        if dtype == BOOL:
            continue
        for shape, axis in [((5,), 0), ((3, 7), 0), ((3, 7), 1), ((2, 3, 0), 1), ((2, 3, 5), 1)]:
            want = np.broadcast_to(np.arange(shape[axis]).reshape(
                [-1 if i == axis else 1 for i in range(len(shape))]), shape).astype(dtype)
            BATCH.op(f"iota-{element(dtype)}-{shape}-{axis}", "iota", [], [want],
                     {"shape": dims(shape), "axis": i64(axis), "to": element(dtype)})
    for name, value, want in [
            ("float", "dense<[1.5, -2.0]> : tensor<2xf32>", np.array([1.5, -2], "f4")),
            ("half", "dense<[1.5, -2.0]> : tensor<2xbf16>", np.array([1.5, -2], BF16)),
            ("bool", "dense<[true, false, true]> : tensor<3xi1>", np.array([True, False, True])),
            ("bool-splat", "dense<true> : tensor<3xi1>", np.array([True] * 3)),
            ("splat", "dense<7> : tensor<2x3xui8>", np.full((2, 3), 7, "u1")),
            ("empty", "dense<> : tensor<0xi64>", np.zeros(0, "i8"))]:
        BATCH.op(f"constant-{name}", "constant", [], [want], {"value": value})


def add_moves() -> None:
    for dtype in EVERY:
        kind = element(dtype)
        x = sample(RNG, dtype, (2, 3, 5))
        BATCH.op(f"transpose-{kind}", "transpose", [x], [x.transpose(2, 0, 1)],
                 {"perm": ints((2, 0, 1))}, ulps=0)
        BATCH.op(f"reshape-{kind}", "reshape", [x], [x.reshape(5, 6)], {"shape": dims((5, 6))})
        BATCH.op(f"broadcast-{kind}", "broadcast", [x[:, :1]],
                 [np.broadcast_to(x[:, :1, None, :], (2, 7, 4, 5))[:, :, :, :]],
                 {"shape": dims((2, 7, 4, 5)), "mapping": ints((0, 1, 3))})
        BATCH.op(f"slice-{kind}", "slice", [x], [x[:, 2:0:-1, 1:5:3]],
                 {"starts": dims((0, 2, 1)), "sizes": dims((2, 2, 2)), "steps": ints((1, -1, 3))})
        y = x.copy()
        part = sample(RNG, dtype, (1, 2, 2))
        y[1:2, 0:2, 0:5:4] = part
        BATCH.op(f"insert_slice-{kind}", "insert_slice", [x, part], [y],
                 {"starts": dims((1, 0, 0)), "steps": ints((1, 1, 4))})
        z = sample(RNG, dtype, (2, 1, 5))
        BATCH.op(f"concat-{kind}", "concat", [x, z, x], [np.concatenate([x, z, x], 1)],
                 {"axis": i64(1)})
        BATCH.op(f"reverse-{kind}", "reverse", [x], [x[::-1, :, ::-1]], {"axes": ints((0, 2))})
        value = sample(RNG, dtype, ())
        BATCH.op(f"pad-constant-{kind}", "pad constant", [x, value],
                 [np.pad(x, ((1, 0), (0, 2), (3, 1)), constant_values=value)],
                 {"low": dims((1, 0, 3)), "high": dims((0, 2, 1))})


def add_shapes() -> None:
    for shape in SHAPES:
        x = sample(RNG, F4, shape)
        BATCH.op(f"reshape-{shape}", "reshape", [x], [x.reshape(-1)], {"shape": dims((x.size,))})
        perm = tuple(RNG.permutation(len(shape)))
        BATCH.op(f"transpose-{shape}", "transpose", [x], [x.transpose(perm)],
                 {"perm": ints(perm)})
        BATCH.op(f"broadcast-{shape}", "broadcast", [x], [np.broadcast_to(x, (3, *shape))],
                 {"shape": dims((3, *shape)), "mapping": ints(range(1, len(shape) + 1))})
        if shape:
            BATCH.op(f"concat-{shape}", "concat", [x, x], [np.concatenate([x, x])],
                     {"axis": i64(0)})
    x = sample(RNG, F4, (5,))
    BATCH.op("concat-one", "concat", [x], [x], {"axis": i64(0)})
    BATCH.op("slice-empty", "slice", [x], [x[3:3]],
             {"starts": dims((3,)), "sizes": dims((0,)), "steps": ints((1,))})
    for mode, numpy_mode in {"reflect": "reflect", "edge": "edge", "wrap": "wrap"}.items():
        for low, high in [(0, 0), (1, 2), (4, 3), (11, 9)]:
            for size in (1, 2, 5):
                y = sample(RNG, F4, (2, size))
                BATCH.op(f"pad-{mode}-{size}-{low}-{high}", f"pad {mode}", [y],
                         [np.pad(y, ((0, 0), (low, high)), mode=numpy_mode)],
                         {"low": dims((0, low)), "high": dims((0, high))})
    zero = np.array(0, F4)
    BATCH.op("pad-negative", "pad constant", [x, zero], [x[1:-2]],
             {"low": dims((-1,)), "high": dims((-2,))})
    BATCH.op("pad-mixed", "pad constant", [x, zero], [np.pad(x[2:], (0, 3))],
             {"low": dims((-2,)), "high": dims((3,))})
    BATCH.op("pad-empty", "pad constant", [x[:0], zero], [np.zeros(4, F4)],
             {"low": dims((1,)), "high": dims((3,))})


def add_sizes() -> None:
    BATCH.op("shape_pack", "shape_pack", [], [np.array([3, 7, 1], np.int64)],
             {"dims": dims((3, 7, 1))})
    BATCH.op("shape_pack-scalar", "shape_pack", [], [np.array(3, np.int64)],
             {"dims": dims((3,)), "scalar": flag(True)})
    x = sample(RNG, F4, (3, 5))
    symbolic = "tensor<?x?xf32, #cuvil.dims<[@n, @m]>>"
    BATCH.program("symbols-from-arguments", f"""
func.func @main(%x: {symbolic}) -> (tensor<2xi64>, tensor<?xf32, #cuvil.dims<[@n * @m]>>) {{
  %s = cuvil.shape_pack {{dims = #cuvil.dims<[@n + 1, @m floordiv 2]>}} : () -> tensor<2xi64>
  %r = cuvil.reshape %x {{shape = #cuvil.dims<[@n * @m]>}} : ({symbolic}) -> tensor<?xf32, #cuvil.dims<[@n * @m]>>
  return %s, %r : tensor<2xi64>, tensor<?xf32, #cuvil.dims<[@n * @m]>>
}}""".replace("@m floordiv 2", "floordiv(@m, 2)"), [x],
                  [np.array([4, 2], np.int64), x.reshape(-1)])
    square = "tensor<?x?xf32, #cuvil.dims<[@n, @n]>>"
    BATCH.program("symbols-conflict", f"""
func.func @main(%x: {square}) -> {square} {{
  return %x : {square}
}}""", [x], [x], error="dimension 1 of argument 0 is 5, expected @n = 3")
    BATCH.program("sym_bind", f"""
func.func @main(%x: tensor<f32>, %n: tensor<2xi32>) -> {symbolic} {{
  cuvil.sym_bind %n {{symbols = ["n", "m"]}} : (tensor<2xi32>) -> ()
  cuvil.assert le {{lhs = #cuvil.dims<[@n]>, rhs = #cuvil.dims<[9]>, message = "too large"}} : () -> ()
  %r = cuvil.fill %x {{shape = #cuvil.dims<[@n, @m]>}} : (tensor<f32>) -> {symbolic}
  return %r : {symbolic}
}}""", [np.array(2, F4), np.array([2, 3], np.int32)], [np.full((2, 3), 2, F4)])
    BATCH.program("refine", f"""
func.func @main(%x: {symbolic}) -> {tensor_type(x)} {{
  %r = cuvil.refine %x {{shape = #cuvil.dims<[3, 5]>}} : ({symbolic}) -> {tensor_type(x)}
  return %r : {tensor_type(x)}
}}""", [x], [x])
    for relation, a, b, holds in [("eq", 3, 3, 1), ("eq", 3, 4, 0), ("le", 4, 4, 1),
                                  ("le", 5, 4, 0), ("lt", 4, 4, 0), ("lt", 3, 4, 1),
                                  ("bcast", 1, 4, 1), ("bcast", 4, 4, 1), ("bcast", 3, 4, 0)]:
        n = np.array([a, b], np.int64)
        BATCH.program(f"assert-{relation}-{a}-{b}", f"""
func.func @main(%n: tensor<2xi64>) -> tensor<2xi64> {{
  cuvil.sym_bind %n {{symbols = ["a", "b"]}} : (tensor<2xi64>) -> ()
  cuvil.assert {relation} {{lhs = #cuvil.dims<[@a]>, rhs = #cuvil.dims<[@b]>, message = "no luck"}} : () -> ()
  return %n : tensor<2xi64>
}}""", [n], [n], error=None if holds else "no luck")


def add_errors() -> None:
    n = "tensor<?xf32, #cuvil.dims<[@n]>>"
    x = sample(RNG, F4, (3,))
    for name, attrs, message in [
            ("slice", "{starts = #cuvil.dims<[0]>, sizes = #cuvil.dims<[4]>, steps = array<i64: 1>}",
             "the size 4 = 4 must be at most @n = 3"),
            ("reshape", "{shape = #cuvil.dims<[4]>}", ""),
            ("broadcast", "{shape = #cuvil.dims<[4]>, mapping = array<i64: 0>}", "")]:
        BATCH.program(f"error-{name}", f"""
func.func @main(%x: {n}) -> tensor<4xf32> {{
  %r = cuvil.{name} %x {attrs} : ({n}) -> tensor<4xf32>
  return %r : tensor<4xf32>
}}""", [x], [x], error=message)


add_sources()
add_moves()
add_shapes()
add_sizes()
add_errors()


@pytest.fixture(scope="module", autouse=True)
def ran(tmp_path_factory):
    BATCH.run(tmp_path_factory.mktemp("layout"))


@pytest.mark.parametrize("name", BATCH.cases)
def test_layout(name):
    BATCH.check(name)
