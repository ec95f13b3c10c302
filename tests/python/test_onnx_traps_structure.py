# SPDX-License-Identifier: Apache-2.0
"""Details of ONNX that importers get wrong: sizes, regions and files."""

import numpy as np
import pytest
from onnx import TensorProto, helper
from onnx_text import F, check, model, rand

import cuvil

# Shapes.


def test_reshape_zero_copies_and_minus_one_infers():
    check(model("s = Constant<value = int64[3] {0, -1, 2}>() y = Reshape(x, s)",
                "(float[N,4] x) => (float[N,M,2] y)"),
          rand(3, 4), expected=[rand(3, 4).reshape(3, 2, 2)])


def test_reshape_allowzero_takes_zero_literally():
    check(model("s = Constant<value = int64[2] {3, 0}>() "
                "y = Reshape<allowzero=1>(x, s)",
                "(float[0,3] x) => (float[3,0] y)"),
          np.zeros((0, 3), F), expected=[np.zeros((3, 0), F)])


@pytest.mark.parametrize("shape", [[0, -1], [-1, 2], [4, 3]])
def test_reshape_to_a_shape_known_at_run_time(shape):
    x = rand(3, 4)
    want = x.reshape([3 if s == 0 else s for s in shape])
    check(model("y = Reshape(x, s)", "(float[3,4] x, int64[2] s) => (float[A,B] y)"),
          x, np.int64(shape), expected=[want])


@pytest.mark.parametrize("start,end,step", [
    (-3, 100, 1), (0, -1, 2), (-1, -100, -1), (4, 1, -2), (2, 2, 1), (9, 10, 1)])
@pytest.mark.parametrize("constant", [True, False])
def test_slice_bounds(start, end, step, constant):
    x = rand(2, 5)
    want = x[:, start:end:step] if end != -100 else x[:, ::-1]
    args = "(float[2,5] x, int64[1] s, int64[1] e, int64[1] a, int64[1] t)"
    proto = model("y = Slice(x, s, e, a, t)", f"{args} => (float[2,N] y)")
    values = [np.int64([v]) for v in (start, end, 1, step)]
    if constant:
        for name, value in zip("seat", values):
            proto.graph.initializer.append(
                helper.make_tensor(name, TensorProto.INT64, [1], value))
            del proto.graph.input[1]
        values = []
    check(proto, x, *values, expected=[want])


def test_split_leaves_a_smaller_last_part():
    check(model("a, b, c = Split<num_outputs=3>(x)",
                "(float[7] x) => (float[3] a, float[3] b, float[1] c)", 18),
          np.arange(7, dtype=F),
          expected=np.split(np.arange(7, dtype=F), [3, 6]))


@pytest.mark.parametrize("mode", ["constant", "reflect", "edge", "wrap"])
def test_pad_modes_with_axes(mode):
    x = rand(2, 4)
    check(model("p = Constant<value = int64[2] {2, 1}>() "
                "a = Constant<value = int64[1] {-1}>() "
                f'y = Pad<mode="{mode}">(x, p, "", a)'.replace('""', "none"),
                "(float[2,4] x, float none) => (float[2,7] y)"),
          x, F(0), expected=[np.pad(x, ((0, 0), (2, 1)), mode=mode)])


def test_pad_removes_where_negative():
    check(model("p = Constant<value = int64[2] {-1, 2}>() y = Pad(x, p)",
                "(float[4] x) => (float[5] y)"),
          F([1, 2, 3, 4]), expected=[F([2, 3, 4, 0, 0])])


@pytest.mark.parametrize("axis", [0, -1])
def test_reduce_over_an_axis_known_at_run_time(axis):
    for keep, shape in ((1, "float[A,B,C]"), (0, "float[A,B]")):
        check(model(f"y = ReduceMax<keepdims={keep}>(x, a)",
                    f"(float[2,3,4] x, int64[1] a) => ({shape} y)"),
              rand(2, 3, 4), np.int64([axis]),
              expected=[rand(2, 3, 4).max(axis, keepdims=bool(keep))])


def test_reduce_without_axes_may_do_nothing():
    check(model("y = ReduceSumSquare<noop_with_empty_axes=1>(x)",
                "(float[2,2] x) => (float[2,2] y)"),
          rand(2, 2), expected=[rand(2, 2) ** 2])


def test_reduce_over_an_empty_set():
    body = "s = ReduceSum(x) p = ReduceProd(x) m = ReduceMax(x) n = ReduceMin(x)"
    check(model(body, "(float[0] x) => (float[1] s, float[1] p, float[1] m, "
                "float[1] n)"), np.zeros(0, F),
          expected=[F([0]), F([1]), F([-np.inf]), F([np.inf])])


def test_top_k_prefers_the_lower_index():
    check(model("k = Constant<value = int64[1] {3}>() v, i = TopK(x, k)",
                "(float[5] x) => (float[3] v, int64[3] i)"),
          F([1, 2, 2, 2, 1]), expected=[F([2, 2, 2]), np.int64([1, 2, 3])])


def test_scatter_nd_adds_duplicates():
    check(model('y = ScatterND<reduction="add">(x, i, u)',
                "(float[3] x, int64[3,1] i, float[3] u) => (float[3] y)"),
          F([1, 1, 1]), np.int64([[0], [0], [2]]), F([1, 2, 3]),
          expected=[F([4, 1, 4])])


def test_resize_keeps_the_scale_apart_from_the_floored_size():
    check(model("s = Constant<value = float[1] {1.5}>() "
                'e = Constant<value = float[0] {}>() '
                'y = Resize<mode="linear", axes=[1], '
                'coordinate_transformation_mode="asymmetric">(x, e, s)',
                "(float[1,3] x) => (float[1,4] y)"),
          F([[0, 3, 6]]), expected=[F([[0, 2, 4, 6]])])


# Control flow.


def test_if_captures_outer_values():
    proto = model("y = If(c) <then_branch = t () => (float[2] a) { a = Neg(x) }, "
                  "else_branch = e () => (float[2] b) { b = Exp(x) }>",
                  "(bool c, float[2] x) => (float[2] y)")
    check(proto, np.bool_(True), rand(2), expected=[-rand(2)])
    check(proto, np.bool_(False), rand(2), expected=[np.exp(rand(2))])


def test_if_with_branches_of_different_size():
    proto = model("y = If(c) <then_branch = t () => (float[N] a) { a = Identity(x) },"
                  " else_branch = e () => (float[M] b) { b = Concat<axis=0>(x, x) }>",
                  "(bool c, float[2] x) => (float[K] y)")
    check(proto, np.bool_(True), rand(2), expected=[rand(2)])
    check(proto, np.bool_(False), rand(2), expected=[np.tile(rand(2), 2)])


LOOP = ("y, s = Loop(m, c, x) <body = b (int64 i, bool k, float[1] v) => "
        "(bool k2, float[1] w, float[1] o) {{ w = Add(v, step) "
        "o = Identity(w) {cond} }}>")


@pytest.mark.parametrize("count", [0, 1, 5])
def test_loop_trip_count_at_run_time(count):
    proto = model(LOOP.format(cond="k2 = Identity(k)"),
                  "(int64 m, bool c, float[1] x, float[1] step) => "
                  "(float[1] y, float[N,1] s)")
    rows = np.arange(1, count + 1, dtype=F).reshape(-1, 1)
    check(proto, np.int64(count), np.bool_(True), F([0]), F([1]),
          expected=[F([count]), rows])


def test_loop_that_starts_with_a_false_condition():
    proto = model(LOOP.format(cond="k2 = Identity(k)"),
                  "(int64 m, bool c, float[1] x, float[1] step) => "
                  "(float[1] y, float[N,1] s)")
    check(proto, np.int64(4), np.bool_(False), F([7]), F([1]),
          expected=[F([7]), np.zeros((0, 1), F)])


def test_loop_without_trip_count_ends_by_condition():
    body = LOOP.format(cond="l = Less(w, limit) k2 = Squeeze(l)")
    proto = model(body, "(int64 m, bool c, float[1] x, float[1] step, "
                  "float[1] limit) => (float[1] y, float[N,1] s)")
    proto.graph.node[0].input[0] = ""
    del proto.graph.input[0]
    check(proto, np.bool_(True), F([0]), F([1]), F([3]),
          expected=[F([3]), F([[1], [2], [3]])])


def test_loop_that_grows_its_value():
    proto = model("y = Loop(m, c, x) <body = b (int64 i, bool k, float[A] v) => "
                  "(bool k2, float[B] w) { k2 = Identity(k) "
                  "w = Concat<axis=0>(v, v) }>",
                  "(int64 m, bool c, float[1] x) => (float[N] y)")
    check(proto, np.int64(3), np.bool_(True), F([2]),
          expected=[np.full(8, 2, F)])


# Files.


def test_initializer_that_is_also_an_input_is_a_constant():
    proto = model("y = Add(x, w)", "(float[2] x, float[2] w) => (float[2] y)")
    proto.graph.initializer.append(
        helper.make_tensor("w", TensorProto.FLOAT, [2], [1, 2]))
    check(proto, F([1, 1]), expected=[F([2, 3])])


def test_functions_resolve_attribute_references():
    text = ('<domain: "local", opset_import: ["" : 21]>\n'
            "Leaky <slope> (a) => (b) { b = LeakyRelu<alpha: float = @slope>(a) }")
    proto = model("y = local.Leaky<slope = 0.25>(x)",
                  "(float[2] x) => (float[2] y)", functions=text)
    check(proto, F([-4, 4]), expected=[F([-1, 4])])


def test_unsupported_operators_are_listed_together():
    proto = model("a = custom.First(x) b = custom.Second(a) y = custom.First(b)",
                  "(float[2] x) => (float[2] y)")
    proto.opset_import.append(helper.make_opsetid("custom", 1))
    for index, node in enumerate(proto.graph.node):
        node.name = f"n{index}"
    with pytest.raises(cuvil.CuvilError) as error:
        cuvil.compile(proto, device="ref")
    for part in ("custom.First", "custom.Second", "'n0'", "'n1'", "'n2'"):
        assert part in str(error.value)


def test_declared_type_that_contradicts_is_an_error():
    proto = model("y = Relu(x)", "(float[2,3] x) => (float[2,4] y)")
    with pytest.raises(cuvil.CuvilError) as error:
        cuvil.compile(proto, device="ref")
    assert "[2, 3]" in str(error.value) and "[2, 4]" in str(error.value)
