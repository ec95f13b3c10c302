# SPDX-License-Identifier: Apache-2.0
"""cuvil.Graph: ops, broadcast, shapes, control flow and what it refuses."""

import numpy as np
import pytest
from small_models import DEVICE

import cuvil
from cuvil import _dims, _op_table

RNG = np.random.default_rng(5)


def run(build, *arrays, shapes=None):
    """Builds a graph on inputs like the arrays and runs it on them."""
    graph = cuvil.Graph()
    shapes = shapes or [a.shape for a in arrays]
    inputs = [graph.input(f"x{i}", a.dtype, s) for i, (a, s) in enumerate(zip(arrays, shapes))]
    results = build(graph, *inputs)
    for i, value in enumerate(results if isinstance(results, tuple) else (results,)):
        graph.output(f"y{i}", value)
    return cuvil.compile(graph, device=DEVICE)(*arrays)


def floats(*shape):
    return RNG.standard_normal(shape).astype(np.float32)


def test_the_first_example():
    w, b = floats(784, 10), floats(10)
    g = cuvil.Graph()
    x = g.input("x", "f32", ["n", 784])
    y = g.relu(x @ w + b)
    g.output("y", y)
    assert repr(y) == "<cuvil.Value f32[n, 10]>"
    x = floats(3, 784)
    np.testing.assert_allclose(cuvil.compile(g, device=DEVICE)(x), np.maximum(x @ w + b, 0),
                               rtol=1e-4, atol=1e-3)


@pytest.mark.parametrize("build, reference", [
    (lambda g, a, b: a + b, lambda a, b: a + b),
    (lambda g, a, b: 2 - a * b, lambda a, b: 2 - a * b),
    (lambda g, a, b: a / (abs(b) + 1), lambda a, b: a / (abs(b) + 1)),
    (lambda g, a, b: a // 0.5 + b % 0.7, lambda a, b: a // np.float32(0.5) + b % np.float32(0.7)),
    (lambda g, a, b: -a ** 2, lambda a, b: -a ** 2),
    (lambda g, a, b: g.where(a < b, a, b), np.minimum),
    (lambda g, a, b: g.maximum(a, b), np.maximum),
    (lambda g, a, b: g.clip(a, -0.5, 0.5) + b, lambda a, b: np.clip(a, -0.5, 0.5) + b),
    (lambda g, a, b: np.float32(3) * a + b, lambda a, b: 3 * a + b),
])
@pytest.mark.parametrize("left, right", [((2, 3), (2, 3)), ((2, 3), (3,)), ((4, 1, 3), (2, 1)),
                                         ((), (5,)), ((0, 3), (1, 3))])
def test_operators_broadcast_as_numpy(build, reference, left, right):
    a, b = floats(*left), floats(*right)
    want = reference(a, b)
    np.testing.assert_allclose(run(build, a, b), want, rtol=1e-5, atol=1e-5)


def test_broadcast_of_open_sizes():
    graph = cuvil.Graph()
    a = graph.input("a", "f32", ["n", 1])
    b = graph.input("b", "f32", ["m"])
    c = graph.input("c", "f32", ["k"])
    graph.output("y", a * b + c)
    model = cuvil.compile(graph, device=DEVICE)
    for n, m, k in [(2, 3, 3), (2, 3, 1), (1, 1, 4)]:
        a, b, c = floats(n, 1), floats(m), floats(k)
        np.testing.assert_allclose(model(a, b, c), a * b + c, rtol=1e-5, atol=1e-6)
    with pytest.raises(cuvil.CuvilError):
        model(floats(2, 1), floats(3), floats(4))


@pytest.mark.parametrize("left, right", [((2, 3), (3, 4)), ((3,), (3, 4)), ((2, 3), (3,)),
                                         ((3,), (3,)), ((5, 2, 3), (5, 3, 4)),
                                         ((5, 2, 3), (3, 4)), ((2, 3), (5, 3, 4)),
                                         ((6, 1, 2, 3), (5, 3, 4)), ((2, 5, 2, 3), (3,))])
def test_matmul(left, right):
    a, b = floats(*left), floats(*right)
    np.testing.assert_allclose(run(lambda g, a, b: a @ b, a, b), a @ b, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("key", [
    0, -1, slice(None), slice(1, None), slice(None, -1), slice(None, None, 2),
    slice(None, None, -1), slice(-3, -1), slice(2, 1), (slice(None), 1), (Ellipsis, 0),
    (None, 2), (1, slice(None, None, 3)), (0, 0), (slice(1, 100), slice(-100, 2))])
@pytest.mark.parametrize("open_sizes", [False, True])
def test_indexing_as_numpy(key, open_sizes):
    x = floats(4, 7)
    shapes = [("n", "m")] if open_sizes else None
    got = run(lambda g, x: x[key], x, shapes=shapes)
    np.testing.assert_array_equal(got, x[key])
    assert got.shape == x[key].shape


def test_shapes():
    x = floats(2, 3, 4)
    results = run(lambda g, x: (
        x.reshape(6, -1), x.reshape(-1), g.flatten(x), x.T, x.transpose(1, 0, 2),
        g.expand_dims(x, -1), g.squeeze(g.expand_dims(x, 0), 0), g.concat([x, x], 1), g.stack([x, x], -1),
        g.flip(x, 0), g.pad(x, [(0, 0), (1, 2), (0, 0)], 9.0), g.take(x, np.array([1, 0, 1]), 1),
        x.astype("i64"), g.full([2, 2], 7, "i32"), g.arange(5), g.shape_of(x)),
        x, shapes=[("n", "m", 4)])
    want = (x.reshape(6, -1), x.reshape(-1), x.reshape(2, -1), x.T, x.transpose(1, 0, 2),
            x[..., None], x, np.concatenate([x, x], 1), np.stack([x, x], -1), x[::-1],
            np.pad(x, [(0, 0), (1, 2), (0, 0)], constant_values=9), x[:, [1, 0, 1]],
            x.astype(np.int64), np.full((2, 2), 7, np.int32), np.arange(5), np.array(x.shape))
    for i, (a, b) in enumerate(zip(results, want, strict=True)):
        assert a.shape == b.shape and a.dtype == b.dtype, i
        np.testing.assert_array_equal(a, b)


def test_reductions_and_normalisation():
    x = floats(3, 4, 5)
    e = np.exp(x - x.max(-1, keepdims=True))
    mean, var = x.mean(-1, keepdims=True), x.var(-1, keepdims=True)
    results = run(lambda g, x: (
        x.sum(), x.sum(1, keepdims=True), x.mean((0, 2)), g.max(x, -1), g.min(x, 0),
        g.argmax(x, 1), g.argmin(x), g.cumsum(x, 1), *g.topk(x, 2), g.softmax(x),
        g.layer_norm(x)), x)
    order = np.argsort(-x, -1, kind="stable")[..., :2]
    want = (x.sum(), x.sum(1, keepdims=True), x.mean((0, 2)), x.max(-1), x.min(0), x.argmax(1),
            x.argmin(-1), x.cumsum(1), np.take_along_axis(x, order, -1), order,
            e / e.sum(-1, keepdims=True), (x - mean) / np.sqrt(var + 1e-5))
    for a, b in zip(results, want, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-5)


def test_windows():
    import torch
    x, w, b = floats(2, 4, 9, 8), floats(6, 2, 3, 3), floats(6)
    results = run(lambda g, x: (
        g.conv(x, w, b, stride=2, padding=1, groups=2), g.max_pool(x, 2),
        g.avg_pool(x, 3, stride=1, padding=1), g.global_avg_pool(x)), x,
        shapes=[("n", 4, "h", 8)])
    t, f = torch.from_numpy(x), torch.nn.functional
    want = (f.conv2d(t, torch.from_numpy(w), torch.from_numpy(b), 2, 1, groups=2),
            f.max_pool2d(t, 2), f.avg_pool2d(t, 3, 1, 1), t.mean((2, 3), keepdim=True))
    for a, b in zip(results, want, strict=True):
        np.testing.assert_allclose(a, b.numpy(), rtol=1e-4, atol=1e-4)


def test_if_computes_one_branch():
    def build(g, c, x):
        return g.if_(c, lambda: x / 0, lambda: x + 1)

    x = np.arange(3, dtype=np.int32)
    np.testing.assert_array_equal(run(build, np.array(False), x), x + 1)
    with pytest.raises(cuvil.IntegerArithmeticError):
        run(build, np.array(True), x)


def test_while():
    def power(g, n, x):
        one = g.constant(1, "i64")
        _, result = g.while_(lambda i, y: i > 0, lambda i, y: (i - one, y * x),
                             (n, g.constant(1.0)))
        return result

    assert run(power, np.array(5), np.array(2, np.float32)) == 32
    assert run(power, np.array(0), np.array(2, np.float32)) == 1


def test_while_with_growing_sizes():
    def build(g, n):
        grow = lambda i, x: (i - 1, g.concat([x, x]))  # noqa: E731
        return g.while_(lambda i, x: i > 0, grow, (n, g.constant([1.0])))[1]

    assert run(build, np.array(4)).shape == (16,)


def test_bind_makes_sizes_of_values():
    def build(g, n):
        size, = g.bind(n)
        return g.arange(size) * 2

    np.testing.assert_array_equal(run(build, np.array(4)), [0, 2, 4, 6])


def test_every_op_of_the_dialect_has_a_row_that_can_be_used():
    ops = cuvil.Graph.ops()
    assert {"dot", "conv", "rnn", "topk", "unary"} <= set(ops) and all(ops.values())
    for name, row in _op_table.table().items():
        for attr in row["attrs"]:
            assert attr["kind"] in {"int", "float", "bool", "string", "ints", "floats", "dims",
                                    "dtype", "strings"}, (name, attr)
        assert (name in ("sym_bind", "assert")) == (not row["results"])


def test_ops_with_every_kind_of_attribute():
    x = floats(5, 1, 2)
    y, h, c = run(lambda g, x, w, r: g.op(
        "rnn", x, w, r, kind="lstm", direction="forward",
        activations=["sigmoid", "tanh", "tanh"], alphas=[0.0, 0, 0], betas=[0.0, 0, 0]),
        x, floats(1, 12, 2), floats(1, 12, 3))
    assert y.shape == (5, 1, 1, 3) and h.shape == c.shape == (1, 1, 3)
    z = run(lambda g, x: g.op("convert", x, to=np.int16, round="even", saturate=True),
            np.array([1.5, 2.5, 1e9], np.float32))
    np.testing.assert_array_equal(z, np.array([2, 2, 32767], np.int16))


@pytest.mark.parametrize("build, kind, words", [
    (lambda g, x: g.op("relu", x), cuvil.UnsupportedError, ["'relu'", "'unary'"]),
    (lambda g, x: g.op("unary", x), cuvil.InputError, ["unary", "'kind'"]),
    (lambda g, x: g.op("unary", x, kind="rleu"), cuvil.InputError, ["rleu", "relu"]),
    (lambda g, x: g.op("unary", x, x, kind="relu"), cuvil.InputError, ["operands x"]),
    (lambda g, x: g.op("softmax", x, axis=1, base=2), cuvil.InputError, ["base", "axis, log"]),
    (lambda g, x: g.op("softmax", x, axis="a"), cuvil.InputError, ["axis", "int"]),
    (lambda g, x: g.op("softmax", x, axis=7), cuvil.InvalidModelError, ["c1"]),
    (lambda g, x: g.softmax(x, 7), cuvil.InputError, ["axis 7"]),
    (lambda g, x: x + g.input("i", "i32", [2, 3]), cuvil.InvalidModelError, ["c1"]),
    (lambda g, x: x + g.input("z", "f32", [2, 4]), cuvil.InputError, ["[2, 3]", "[2, 4]"]),
    (lambda g, x: x.reshape(4, -1), cuvil.InputError, ["6", "4"]),
    (lambda g, x: x.reshape(7), cuvil.InvalidModelError, ["c1"]),
    (lambda g, x: x[5], cuvil.InputError, ["index 5"]),
    (lambda g, x: x + cuvil.Graph().input("x", "f32", [2, 3]), cuvil.InputError, ["another"]),
    (lambda g, x: bool(x), cuvil.InputError, ["truth"]),
    (lambda g, x: list(x), cuvil.InputError, ["iterated"]),
    (lambda g, x: g.input("x", "f32", [2]), cuvil.InvalidModelError, ["'x'"]),
    (lambda g, x: g.input("w", "f33", [2]), cuvil.InputError, ["f33", "bf16"]),
    (lambda g, x: g.input("w", "f32", ["2 *"]), cuvil.InputError, ["2 *"]),
    (lambda g, x: g.input("w", "f32", [1.5]), cuvil.InputError, ["1.5"]),
    (lambda g, x: g.input("w", "f32", [-1]), cuvil.InvalidModelError, ["-1"]),
])
def test_mistakes_raise_where_they_are_made(build, kind, words):
    graph = cuvil.Graph()
    with pytest.raises(kind) as error:
        build(graph, graph.input("x", "f32", [2, 3]))
    for word in words:
        assert word in str(error.value)


def test_errors_tell_the_line():
    graph = cuvil.Graph()
    x = graph.input("x", "f32", [2, 3])
    with pytest.raises(cuvil.InvalidModelError) as error:
        graph.op("softmax", x, axis=9)
    assert "test_graph.py:" in error.value.where


def test_unfinished_and_finished_graphs():
    graph = cuvil.Graph()
    x = graph.input("x", "f32", [2])
    with pytest.raises(cuvil.InvalidModelError, match="no outputs"):
        graph.build()
    graph.output("y", x)
    graph.build()
    with pytest.raises(cuvil.PreconditionError, match="finished"):
        graph.relu(x)
    broken = cuvil.Graph()
    c = broken.input("c", "bool", [])
    with pytest.raises(ZeroDivisionError):
        broken.if_(c, lambda: 1 / 0, lambda: c)
    with pytest.raises(cuvil.PreconditionError, match="unfinished"):
        broken.output("y", c)


def test_sizes_that_nothing_binds():
    graph = cuvil.Graph()
    graph.output("y", graph.full(["n"], 1.0))
    with pytest.raises(cuvil.InvalidModelError, match="'n'"):
        graph.build()


def test_ir_describes_itself():
    graph = cuvil.Graph()
    x = graph.input("x", "f32", ["n", 3])
    graph.output("y", g_sum := x.sum(1))
    assert g_sum.shape == ("n",)
    ir = graph.build()
    assert ir.get_tensor_shape("x") == ["n", 3]
    assert str(ir.get_tensor("y")) == "y: f32[n]"
    assert "cuvil.reduce sum" in str(ir) and "x: f32[n, 3]" in repr(ir)
    assert repr(cuvil.parse_ir(str(ir))) == repr(ir)
    with pytest.raises(cuvil.NotFoundError, match="'z'"):
        ir.get_tensor("z")


@pytest.mark.parametrize("text, value", [
    ("n", 7), ("2 * n + 1", 15), ("n - 2 - 1", 4), ("n // 2", 3), ("n % 4", 3), ("-n", -7),
    ("max(n, 9, 3)", 9), ("min(n, 2)", 2), ("ceildiv(n, 2)", 4), ("(n + 1) * (n - 1)", 48),
    ("@n", 7), ("floordiv(n + 1, 3) * 2", 4), ("bcast(1, n)", 7)])
def test_size_expressions(text, value):
    apply = {"add": lambda a, b: a + b, "mul": lambda a, b: a * b,
             "floordiv": lambda a, b: a // b, "ceildiv": lambda a, b: -(-a // b),
             "mod": lambda a, b: a % b, "min": min, "max": max,
             "bcast": lambda a, b: b if a == 1 else a}
    parser = _dims.Parser(int, {"n": 7}.__getitem__, lambda op, a, b: apply[op](a, b))
    assert parser.parse(text) == value


@pytest.mark.parametrize("text", ["", "n +", "n n", "(n", "pow(n, 2)", "max(n)", "n & 1", "1.5"])
def test_wrong_size_expressions(text):
    parser = _dims.Parser(int, {"n": 7}.get, lambda op, a, b: 0)
    with pytest.raises(cuvil.InputError, match="size expression"):
        parser.parse(text)
