# SPDX-License-Identifier: Apache-2.0
"""Details of ONNX operators that importers get wrong: what is computed."""

import numpy as np
import pytest
from onnx import TensorProto, helper
from onnx_text import F, check, model, rand, run

# Legacy forms.


def test_softmax_before_13_flattens_later_axes():
    x = rand(2, 3, 4)
    flat = np.exp(x.reshape(2, 12))
    want = (flat / flat.sum(1, keepdims=True)).reshape(2, 3, 4)
    check(model("y = Softmax(x)", "(float[2,3,4] x) => (float[2,3,4] y)", 12),
          x, expected=[want])


def test_softmax_since_13_takes_one_axis():
    check(model("y = Softmax(x)", "(float[2,3,4] x) => (float[2,3,4] y)", 13),
          rand(2, 3, 4))


def test_clip_takes_attributes_before_11():
    check(model("y = Clip<min=-0.5, max=0.5>(x)", "(float[8] x) => (float[8] y)",
                10), rand(8), expected=[np.clip(rand(8), -0.5, 0.5)])


def test_clip_with_low_above_high_gives_high():
    check(model("y = Clip(x, a, b)", "(float[3] x, float a, float b) => (float[3] y)"),
          F([-9, 0, 9]), F(2), F(1), expected=[F([1, 1, 1])])


def test_clip_takes_one_bound_of_integers():
    proto = model('y = Clip(x, "", b)', "(int32[3] x, int32 b) => (int32[3] y)")
    proto.graph.node[0].input[1] = ""
    check(proto, np.int32([-9, 0, 9]), np.int32(1),
          expected=[np.int32([-9, 0, 1])])


def test_squeeze_and_reduce_take_axes_as_attributes_before_13():
    check(model("a = ReduceSum<axes=[1], keepdims=1>(x) y = Squeeze<axes=[1]>(a)",
                "(float[2,3] x) => (float[2] y)", 11),
          rand(2, 3), expected=[rand(2, 3).sum(1)])


def test_slice_takes_attributes_before_10():
    check(model("y = Slice<starts=[-2], ends=[9223372036854775807], axes=[1]>(x)",
                "(float[2,5] x) => (float[2,2] y)", 9),
          rand(2, 5), expected=[rand(2, 5)[:, -2:]])


def test_upsample_is_asymmetric():
    check(model("s = Constant<value = float[4] {1.0, 1.0, 2.0, 2.0}>() "
                'y = Upsample<mode="nearest">(x, s)',
                "(float[1,1,2,2] x) => (float[1,1,4,4] y)", 9),
          rand(1, 1, 2, 2),
          expected=[rand(1, 1, 2, 2).repeat(2, 2).repeat(2, 3)])


@pytest.mark.parametrize("opset,size", [(18, 2), (21, 4)])
def test_group_normalization_scales_groups_then_channels(opset, size):
    x, scale, bias = rand(1, 4, 3), rand(size, seed=1), rand(size, seed=2)
    grouped = x.reshape(1, 2, 6).astype("f8")
    normal = (grouped - grouped.mean(2, keepdims=True)) / np.sqrt(
        grouped.var(2, keepdims=True) + 1e-5)
    repeat = 4 // size
    want = normal.reshape(1, 4, 3) * scale.repeat(repeat)[:, None] \
        + bias.repeat(repeat)[:, None]
    check(model("y = GroupNormalization<num_groups=2>(x, s, b)",
                f"(float[1,4,3] x, float[{size}] s, float[{size}] b) => "
                "(float[1,4,3] y)", opset),
          x, scale, bias, expected=[want.astype(F)])


# Arithmetic.


def test_gemm_applies_alpha_beta_and_broadcasts_one_way():
    check(model("y = Gemm<alpha=0.5, beta=2.0, transA=1, transB=1>(a, b, c)",
                "(float[3,2] a, float[4,3] b, float[2,1] c) => (float[2,4] y)"),
          rand(3, 2), rand(4, 3), rand(2, 1))


def test_gemm_of_integers():
    check(model("y = Gemm<beta=2.0>(a, b, c)",
                "(int32[2,3] a, int32[3,2] b, int32[2] c) => (int32[2,2] y)"),
          np.arange(6, dtype="i4").reshape(2, 3),
          np.arange(6, dtype="i4").reshape(3, 2), np.int32([1, -1]))


@pytest.mark.parametrize("a,b", [((3,), (3,)), ((3,), (2, 3, 4)),
                                 ((2, 4, 3), (3,)), ((5, 1, 2, 3), (4, 3, 2)),
                                 ((2, 3), (4, 3, 2))])
def test_matmul_promotes_vectors_and_broadcasts_batches(a, b):
    x, y = rand(*a), rand(*b)
    proto = model("y = MatMul(a, b)", f"(float{list(a)} a, float{list(b)} b) => "
                  f"(float{list((x @ y).shape) or ''} y)")
    check(proto, x, y, expected=[np.asarray(x @ y)])


def test_integer_division_truncates():
    check(model("y = Div(a, b)", "(int32[4] a, int32[4] b) => (int32[4] y)"),
          np.int32([7, -7, 7, -7]), np.int32([2, 2, -2, -2]),
          expected=[np.int32([3, -3, -3, 3])])


@pytest.mark.parametrize("fmod,want", [(0, [1, 1, -1, -1]), (1, [1, -1, 1, -1])])
def test_mod_takes_sign_of_divisor_or_dividend(fmod, want):
    check(model(f"y = Mod<fmod={fmod}>(a, b)",
                "(int32[4] a, int32[4] b) => (int32[4] y)"),
          np.int32([7, -7, 7, -7]), np.int32([2, 2, -2, -2]),
          expected=[np.int32(want)])


def test_pow_keeps_the_type_of_the_base():
    check(model("y = Pow(a, b)", "(int32[3] a, float[3] b) => (int32[3] y)"),
          np.int32([2, 3, 4]), F([0.5, 2, 1.5]), expected=[np.int32([1, 9, 8])])


def test_round_goes_to_even():
    check(model("y = Round(x)", "(float[5] x) => (float[5] y)"),
          F([0.5, 1.5, 2.5, -0.5, -1.5]), expected=[F([0, 2, 2, -0.0, -2])])


# Windows.


@pytest.mark.parametrize("mode", ["SAME_UPPER", "SAME_LOWER", "VALID"])
def test_conv_auto_pad_counts_dilation(mode):
    x, w = rand(1, 1, 7), rand(1, 1, 2, seed=1)
    pads = {"SAME_UPPER": (1, 2), "SAME_LOWER": (2, 1), "VALID": (0, 0)}[mode]
    padded = np.pad(x[0, 0], pads)
    want = np.array([padded[i] * w[0, 0, 0] + padded[i + 3] * w[0, 0, 1]
                     for i in range(len(padded) - 3)], F)[None, None]
    check(model(f'y = Conv<auto_pad="{mode}", dilations=[3]>(x, w)',
                "(float[1,1,7] x, float[1,1,2] w) => (float[1,1,N] y)"),
          x, w, expected=[want])


@pytest.mark.parametrize("attrs", [
    "strides=[2], output_padding=[1]", "strides=[3], output_shape=[10]",
    'strides=[2], auto_pad="SAME_UPPER"', "strides=[2], pads=[1, 1]",
    "strides=[2], pads=[2, 2]", "strides=[2], dilations=[2], group=2"])
def test_conv_transpose_sizes(attrs):
    groups = 2 if "group" in attrs else 1
    check(model(f"y = ConvTranspose<{attrs}>(x, w)",
                f"(float[1,2,3] x, float[2,{2 // groups},2] w) => "
                "(float[1,2,N] y)"), rand(1, 2, 3), rand(2, 2 // groups, 2),
          expected=_transposed(attrs, groups))


def _transposed(attrs, groups):
    x, w = rand(1, 2, 3), rand(2, 2 // groups, 2)
    stride = 3 if "[3]" in attrs else 2
    dilation = 2 if "dilations" in attrs else 1
    full = np.zeros((1, 2, (3 - 1) * stride + dilation + 1 + 2), F)
    for i in range(3):
        for k in range(2):
            for c in range(2):
                outs = [c] if groups == 2 else [0, 1]
                for j, o in enumerate(outs):
                    full[0, o, i * stride + k * dilation] += x[0, c, i] * w[c, j, k]
    size = (3 - 1) * stride + dilation + 1
    start, end = 0, size
    if "output_padding" in attrs:
        end = size + 1
    elif "output_shape" in attrs:  # two more than computed, one at each end
        full = np.pad(full, ((0, 0), (0, 0), (1, 0)))
        end = 10
    elif "SAME" in attrs:  # 6 wide, nothing to cut
        end = 6
    elif "pads=[1" in attrs:
        start, end = 1, size - 1
    elif "pads=[2" in attrs:
        start, end = 2, size - 2
    return [full[:, :, start:end]]


def test_pool_ceil_mode_drops_windows_that_start_in_padding():
    x = np.arange(1, 4, dtype=F).reshape(1, 1, 3)
    check(model("y = MaxPool<kernel_shape=[1], strides=[2], pads=[0, 0], "
                "ceil_mode=1>(x)", "(float[1,1,3] x) => (float[1,1,N] y)", 22),
          x, expected=[F([[[1, 3]]])])
    check(model("y = AveragePool<kernel_shape=[2], strides=[2], pads=[0, 1], "
                "ceil_mode=1>(x)", "(float[1,1,4] x) => (float[1,1,N] y)", 22),
          np.arange(1, 5, dtype=F).reshape(1, 1, 4), expected=[F([[[1.5, 3.5]]])])


@pytest.mark.parametrize("include,want", [(0, [1, 1.5, 2.5, 3]),
                                          (1, [0.5, 1.5, 2.5, 1.5])])
def test_average_pool_counts_padding_when_asked(include, want):
    check(model(f"y = AveragePool<kernel_shape=[2], pads=[1, 1], "
                f"count_include_pad={include}>(x)",
                "(float[1,1,3] x) => (float[1,1,4] y)"),
          F([[[1, 2, 3]]]), expected=[F([[want]])])


@pytest.mark.parametrize("order", [0, 1])
def test_max_pool_indices_count_over_the_whole_tensor(order):
    x = rand(2, 1, 2, 2)
    flat = [int(v.argmax()) for v in x.reshape(2, 4)]
    if order:
        flat = [(i % 2) * 2 + i // 2 for i in flat]
    want = np.int64([4 * i + v for i, v in enumerate(flat)]).reshape(2, 1, 1, 1)
    check(model(f"y, i = MaxPool<kernel_shape=[2, 2], storage_order={order}>(x)",
                "(float[2,1,2,2] x) => (float[2,1,1,1] y, int64[2,1,1,1] i)"),
          x, expected=[x.max((2, 3), keepdims=True), want])


# Normalisation, attention and recurrence.


def test_batch_normalization_training_updates_statistics():
    x = rand(4, 2)
    want_mean = F([1, 1]) * F(0.9) + x.mean(0) * F(0.1)
    want_var = F([2, 2]) * F(0.9) + x.var(0) * F(0.1)
    normal = (x - x.mean(0)) / np.sqrt(x.var(0) + F(1e-5))
    check(model("y, m, v = BatchNormalization<training_mode=1>(x, s, b, mi, vi)",
                "(float[4,2] x, float[2] s, float[2] b, float[2] mi, "
                "float[2] vi) => (float[4,2] y, float[2] m, float[2] v)", 15),
          x, F([1, 1]), F([0, 0]), F([1, 1]), F([2, 2]),
          expected=[normal, want_mean, want_var])


def test_lstm_batch_first_equals_transposed():
    x, w, r = rand(2, 3, 4), rand(1, 8, 4, seed=1), rand(1, 8, 2, seed=2)
    first = model("y, h, c = LSTM<hidden_size=2>(x, w, r)",
                  "(float[3,2,4] x, float[1,8,4] w, float[1,8,2] r) => "
                  "(float[3,1,2,2] y, float[1,2,2] h, float[1,2,2] c)")
    y, h, c = run(first, np.ascontiguousarray(x.transpose(1, 0, 2)), w, r)
    batch = model("y, h, c = LSTM<hidden_size=2, layout=1>(x, w, r)",
                  "(float[2,3,4] x, float[1,8,4] w, float[1,8,2] r) => "
                  "(float[2,3,1,2] y, float[2,1,2] h, float[2,1,2] c)")
    check(batch, x, w, r, expected=[y.transpose(2, 0, 1, 3),
                                    h.transpose(1, 0, 2), c.transpose(1, 0, 2)])


def test_gru_linear_before_reset_changes_the_result():
    ins = rand(3, 2, 4), rand(1, 6, 4, seed=1), rand(1, 6, 2, seed=2)
    results = []
    for flag in (0, 1):
        proto = model(f"y, h = GRU<hidden_size=2, linear_before_reset={flag}>"
                      "(x, w, r)", "(float[3,2,4] x, float[1,6,4] w, "
                      "float[1,6,2] r) => (float[3,1,2,2] y, float[1,2,2] h)")
        check(proto, *ins)
        results.append(run(proto, *ins)[0])
    assert not np.allclose(*results)


def test_attention_gives_zeros_for_fully_masked_rows():
    q = rand(1, 1, 2, 4)
    mask = np.array([[True, True], [False, False]])
    got = run(model("y = Attention(q, q, q, m)",
                    "(float[1,1,2,4] q, bool[2,2] m) => (float[1,1,2,4] y)", 23),
              q, mask)[0]
    assert np.isfinite(got).all()
    np.testing.assert_array_equal(got[0, 0, 1], np.zeros(4, F))


# Quantisation.


@pytest.mark.parametrize("kind,dtype", [("int8", "i1"), ("uint8", "u1"),
                                        ("int16", "i2"), ("uint16", "u2")])
def test_quantize_saturates_in_the_type_of_the_zero_point(kind, dtype):
    x = F([-1e6, -2.5, 2.5, 3.5, 1e6])
    info = np.iinfo(dtype)
    want = np.clip(np.rint(x) + 1, info.min, info.max).astype(dtype)
    check(model("y = QuantizeLinear(x, s, z)",
                f"(float[5] x, float s, {kind} z) => ({kind}[5] y)"),
          x, F(1), np.array(1, dtype), expected=[want])


def test_dequantize_per_axis_and_blocked():
    q = np.arange(8, dtype="u1").reshape(2, 4)
    check(model("y = DequantizeLinear<axis=0>(x, s, z)",
                "(uint8[2,4] x, float[2] s, uint8[2] z) => (float[2,4] y)"),
          q, F([1, 2]), np.uint8([0, 4]),
          expected=[F((q.astype("i4") - [[0], [4]]) * [[1], [2]])])
    scale = F([[1, 2], [3, 4]])
    check(model("y = DequantizeLinear<axis=1, block_size=2>(x, s)",
                "(uint8[2,4] x, float[2,2] s) => (float[2,4] y)"),
          q, scale, expected=[q * scale.repeat(2, 1)])


def test_dequantize_packed_integers():
    proto = model("y = DequantizeLinear(w, s)", "(float s) => (float[3] y)")
    proto.graph.initializer.append(
        helper.make_tensor("w", TensorProto.INT4, [3], [1, -1, -8]))
    check(proto, F(2), expected=[F([2, -2, -16])])
