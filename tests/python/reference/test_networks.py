# SPDX-License-Identifier: Apache-2.0
"""softmax, normalize, rnn and the quantisation ops against PyTorch and the ONNX
reference.

No outside oracle: recurrent layers with `lengths` (a layer run on the cut
sequence instead) and `quantize` of NaN.
"""

import numpy as np
import pytest
import torch
from onnx import TensorProto, helper
from onnx.reference import ReferenceEvaluator

from .harness import FLOATS, Batch, element, f64, flag, floats, i64, sample

BATCH = Batch()
RNG = np.random.default_rng(6)
F4, F8 = np.dtype("f4"), np.dtype("f8")


def as_torch(x):
    return None if x is None else torch.from_numpy(x.astype("f8"))


def add_softmax() -> None:
    for dtype in FLOATS:
        x = sample(RNG, dtype, (3, 5, 7), -9, 9)
        for axis in range(3):
            for log, fn in [(False, torch.softmax), (True, torch.log_softmax)]:
                BATCH.op(f"softmax-{element(dtype)}-{axis}-{log}", "softmax", [x],
                         [fn(as_torch(x), axis).numpy().astype(dtype)],
                         {"axis": i64(axis), "log": flag(log)}, ulps=8 if dtype == F8 else 1)
    x = np.array([[1000, 1001, 999], [-np.inf, 0, -np.inf], [np.nan, 0, 1]], F4)
    BATCH.op("softmax-special", "softmax", [x],
             [torch.softmax(as_torch(x), 1).numpy().astype(F4)], {"axis": i64(1)})
    for shape, axis in [((0,), 0), ((3, 0), 1), ((0, 3), 1), ((1,), 0)]:
        x = sample(RNG, F4, shape)
        BATCH.op(f"softmax-{shape}", "softmax", [x],
                 [torch.softmax(as_torch(x), axis).numpy().astype(F4)], {"axis": i64(axis)})


def segments(given) -> dict[str, str]:
    words = ", ".join("1" if g else "0" for g in given)
    return {"operandSegmentSizes": f"array<i32: {words}>"}


def normalize(name, kind, operands, want, attrs, **how) -> None:
    given = [o is not None for o in operands]
    BATCH.op(name, f"normalize {kind}", [o for o in operands if o is not None], [want],
             attrs | segments(given), **how)


def add_normalize() -> None:
    F = torch.nn.functional
    eps = {"eps": f64(1e-5)}
    for dtype in FLOATS:
        how = {"ulps": 64 if dtype == F8 else 2, "atol": 1e-6 if dtype != F8 else 1e-14}
        for shape in [(2, 6), (2, 6, 5), (2, 6, 3, 5), (0, 6, 3)]:
            name = f"{element(dtype)}-{shape}"
            x = sample(RNG, dtype, shape)
            scale, bias, mean = (sample(RNG, dtype, (6,)) for _ in range(3))
            var = sample(RNG, dtype, (6,), 0.1, 2)
            t, s, b = as_torch(x), as_torch(scale), as_torch(bias)
            want = F.batch_norm(t, as_torch(mean), as_torch(var), s, b, eps=1e-5)
            normalize(f"batch-{name}", "batch", [x, scale, bias, mean, var],
                      want.numpy().astype(dtype), eps, **how)
            if len(shape) > 2 and x.size:
                want = F.instance_norm(t, weight=s, bias=b, eps=1e-5)
                normalize(f"instance-{name}", "instance", [x, scale, bias, None, None],
                          want.numpy().astype(dtype), eps, **how)
            for groups in (1, 2, 6):
                if not x.size or (groups == 6 and len(shape) == 2):
                    continue
                for affine in (True, False):
                    want = F.group_norm(t, groups, s if affine else None, b if affine else None)
                    normalize(f"group-{groups}-{affine}-{name}", "group",
                              [x, scale if affine else None, bias if affine else None, None, None],
                              want.numpy().astype(dtype), eps | {"groups": i64(groups)}, **how)
            for axis in range(1, len(shape)):
                inner = shape[axis:]
                scale_l, bias_l = sample(RNG, dtype, inner), sample(RNG, dtype, inner)
                for affine in (True, False):
                    s_l = as_torch(scale_l) if affine else None
                    b_l = as_torch(bias_l) if affine else None
                    want = F.layer_norm(t, inner, s_l, b_l, 1e-5)
                    normalize(f"layer-{axis}-{affine}-{name}", "layer",
                              [x, scale_l if affine else None, bias_l if affine else None, None,
                               None], want.numpy().astype(dtype), eps | {"axis": i64(axis)}, **how)
                want = F.rms_norm(t, inner, as_torch(scale_l), 1e-5)
                normalize(f"rms-{axis}-{name}", "rms", [x, scale_l, None, None, None],
                          want.numpy().astype(dtype), eps | {"axis": i64(axis)}, **how)


GATES = {"lstm": 4, "gru": 3, "simple": 1}
DEFAULT = {"lstm": ["sigmoid", "tanh", "tanh"], "gru": ["sigmoid", "tanh"], "simple": ["tanh"]}
ONNX_OPS = {"lstm": "LSTM", "gru": "GRU", "simple": "RNN"}


def rnn(name, kind, operands, want, direction="forward", activations=None, alphas=None,
        betas=None, clip=0.0, **options) -> None:
    count = 2 if direction == "bidirectional" else 1
    names = activations or DEFAULT[kind] * count
    attrs = {"direction": f'"{direction}"',
             "activations": "[" + ", ".join(f'"{n}"' for n in names) + "]",
             "alphas": floats(alphas or [0.0] * len(names)),
             "betas": floats(betas or [0.0] * len(names)), "clip": f64(clip)}
    attrs |= {key: flag(value) for key, value in options.items()}
    operands = list(operands) + [None] * (8 - len(operands))
    BATCH.op(name, f"rnn {kind}", [o for o in operands if o is not None], want,
             attrs | segments([o is not None for o in operands]), ulps=64, atol=1e-6)


def weights(kind, directions=1, size=3, hidden=5, dtype=F4):
    rows = GATES[kind] * hidden
    return (sample(RNG, dtype, (directions, rows, size), -1, 1),
            sample(RNG, dtype, (directions, rows, hidden), -1, 1),
            sample(RNG, dtype, (directions, 2 * rows), -1, 1))


def torch_layer(kind, x, w, r, b, h0=None, c0=None):
    """Runs a PyTorch layer with ONNX-ordered parameters, per direction."""
    hidden = r.shape[2]
    order = {"lstm": [0, 2, 3, 1], "gru": [1, 0, 2], "simple": [0]}[kind]  # PyTorch's gates.

    def reorder(a):
        return torch.cat([as_torch(a).reshape(GATES[kind], hidden, -1)[g] for g in order])

    layer = {"lstm": torch.nn.LSTM, "gru": torch.nn.GRU, "simple": torch.nn.RNN}[kind](
        w.shape[2], hidden, bidirectional=w.shape[0] == 2).double()
    for d in range(w.shape[0]):
        suffix = "_l0" + ("_reverse" if d else "")
        half = b.shape[1] // 2
        getattr(layer, "weight_ih" + suffix).data = reorder(w[d])
        getattr(layer, "weight_hh" + suffix).data = reorder(r[d])
        getattr(layer, "bias_ih" + suffix).data = reorder(b[d, :half]).squeeze(-1)
        getattr(layer, "bias_hh" + suffix).data = reorder(b[d, half:]).squeeze(-1)
    state = as_torch(h0)
    if kind == "lstm" and h0 is not None:
        state = (state, as_torch(c0))
    with torch.no_grad():
        y, last = layer(as_torch(x), state)
    h, c = last if kind == "lstm" else (last, torch.zeros_like(last))
    steps, batch, _ = y.shape
    y = y.reshape(steps, batch, w.shape[0], hidden).transpose(1, 2)
    return [v.numpy().astype(x.dtype) for v in (y, h, c)]


def onnx_layer(kind, x, w, r, b, **attrs):
    """The ONNX reference, which runs one direction."""
    names = ["x", "w", "r", "b"]
    graph = helper.make_graph(
        [helper.make_node(ONNX_OPS[kind], names, ["y", "h"], hidden_size=r.shape[2], **attrs)],
        "g", [helper.make_tensor_value_info(n, TensorProto.DOUBLE, None) for n in names],
        [helper.make_tensor_value_info(n, TensorProto.UNDEFINED, None) for n in ("y", "h")])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)])
    y, h = ReferenceEvaluator(model).run(None, {n: v.astype("f8") for n, v in zip(names, (
        x, w, r, b))})
    return [y.astype(x.dtype), h.astype(x.dtype)]


def add_rnn() -> None:
    for kind in GATES:
        lbr = {"linear_before_reset": True} if kind == "gru" else {}  # As PyTorch has it.
        for directions in (1, 2):
            direction = ["forward", "bidirectional"][directions - 1]
            w, r, b = weights(kind, directions)
            for steps, batch in [(4, 2), (1, 1), (7, 3)]:
                x = sample(RNG, F4, (steps, batch, 3))
                h0, c0 = (sample(RNG, F4, (directions, batch, 5)) for _ in range(2))
                cell = c0 if kind == "lstm" else None
                name = f"{kind}-{direction}-{steps}-{batch}"
                rnn(name, kind, [x, w, r, b], torch_layer(kind, x, w, r, b), direction, **lbr)
                rnn(name + "-state", kind, [x, w, r, b, None, h0, cell],
                    torch_layer(kind, x, w, r, b, h0, c0), direction, **lbr)
        w, r, b = weights(kind)
        x = sample(RNG, F4, (4, 2, 3))
        y, h, c = torch_layer(kind, x[::-1].copy(), w, r, b)
        rnn(f"{kind}-reverse", kind, [x, w, r, b], [y[::-1].copy(), h, c], "reverse", **lbr)
        rnn(f"{kind}-no-bias", kind, [x, w, r], torch_layer(kind, x, w, r, b * 0), **lbr)
        for dtype in FLOATS:
            parts = [v.astype(dtype) for v in (x, w, r, b)]
            rnn(f"{kind}-{element(dtype)}", kind, parts, torch_layer(kind, *parts), **lbr)
        # Each row of the batch by itself, cut to its length.
        lengths = np.array([2, 0, 4], np.int32)
        x = sample(RNG, F4, (4, 3, 3))
        for direction in ("forward", "reverse"):
            want = [np.zeros((4, 1, 3, 5), F4), np.zeros((1, 3, 5), F4), np.zeros((1, 3, 5), F4)]
            for row, n in enumerate(lengths):
                if n == 0:
                    continue
                part = x[:n, row:row + 1]
                part = part[::-1].copy() if direction == "reverse" else part
                y, h, c = torch_layer(kind, part, w, r, b)
                want[0][:n, :, row:row + 1] = y[::-1] if direction == "reverse" else y
                want[1][:, row], want[2][:, row] = h[:, 0], c[:, 0]
            rnn(f"{kind}-lengths-{direction}", kind, [x, w, r, b, lengths], want, direction,
                **lbr)
        rnn(f"{kind}-too-long", kind, [x[:3], w, r, b, lengths], want, **lbr)
        BATCH.cases[f"{kind}-too-long"].error = "length of 4 is outside of 0 to 3"
        BATCH.cases[f"{kind}-too-long"].text = BATCH.cases[f"{kind}-too-long"].text.replace(
            "tensor<4x1x3x5xf32>", "tensor<3x1x3x5xf32>")
    w, r, b = weights("gru")
    x = sample(RNG, F4, (4, 2, 3))
    y, h = onnx_layer("gru", x, w, r, b)
    rnn("gru-reset-first", "gru", [x, w, r, b], [y, h, h * 0])
    add_rnn_options()


def add_rnn_options() -> None:
    """Activations, clipping, peepholes and coupled gates, by the equations that
    the ONNX documentation gives."""
    sigmoid = lambda v: 1 / (1 + np.exp(-v))
    functions = {
        "relu": (0, 0, lambda v: np.maximum(v, 0)), "tanh": (0, 0, np.tanh),
        "sigmoid": (0, 0, sigmoid), "affine": (0.5, 0.1, lambda v: 0.5 * v + 0.1),
        "leakyrelu": (0.1, 0, lambda v: np.where(v < 0, 0.1 * v, v)),
        "thresholdedrelu": (0.3, 0, lambda v: np.where(v >= 0.3, v, 0)),
        "scaledtanh": (0.7, 0.4, lambda v: 0.7 * np.tanh(0.4 * v)),
        "hardsigmoid": (0.2, 0.5, lambda v: np.clip(0.2 * v + 0.5, 0, 1)),
        "elu": (0.8, 0, lambda v: np.where(v < 0, 0.8 * np.expm1(v), v)),
        "softsign": (0, 0, lambda v: v / (1 + np.abs(v))),
        "softplus": (0, 0, lambda v: np.log1p(np.exp(v)))}
    w, r, b = weights("simple")
    x = sample(RNG, F4, (3, 2, 3))
    for name, (alpha, beta, fn) in functions.items():
        for clip in (0.0, 0.4):
            h, ys = np.zeros((2, 5)), []
            for step in x.astype("f8"):
                v = step @ w[0].T + h @ r[0].T + b[0, :5] + b[0, 5:]
                h = fn(np.clip(v, -clip, clip) if clip else v)
                ys.append(h)
            rnn(f"simple-{name}-{clip}", "simple", [x, w, r, b],
                [np.stack(ys)[:, None].astype(F4), h[None].astype(F4), np.zeros((1, 2, 5), F4)],
                activations=[name], alphas=[alpha], betas=[beta], clip=clip)
    w, r, b = weights("lstm")
    p = sample(RNG, F4, (1, 15), -1, 1)
    pi, po, pf = p[0].astype("f8").reshape(3, 5)
    for coupled in (False, True):
        h, c, ys = np.zeros((2, 5)), np.zeros((2, 5)), []
        for step in x.astype("f8"):
            i, o, f, g = np.split(step @ w[0].T + h @ r[0].T + b[0, :20] + b[0, 20:], 4, 1)
            i = sigmoid(i + pi * c)
            f = 1 - i if coupled else sigmoid(f + pf * c)
            c = f * c + i * np.tanh(g)
            h = sigmoid(o + po * c) * np.tanh(c)
            ys.append(h)
        rnn(f"lstm-peephole-{coupled}", "lstm", [x, w, r, b, None, None, None, p],
            [np.stack(ys)[:, None].astype(F4), h[None].astype(F4), c[None].astype(F4)],
            input_forget=coupled)


def add_quant() -> None:
    for kind in ("u1", "i1", "u2", "i2"):
        target = np.dtype(kind)
        info = np.iinfo(target)
        for dtype in (F4, F8):
            x = np.concatenate([sample(RNG, dtype, (3, 5, 2), -300, 300).ravel(),
                                np.array([0.5, 1.5, 2.5, -0.5, 1e9, -1e9, np.inf, -np.inf, 0, 1],
                                         dtype)]).reshape(4, 5, 2)
            scale = np.array(0.5, dtype)
            zero = np.array(3, target)
            want = np.clip(np.rint(x / scale) + 3, info.min, info.max).astype(target)
            name = f"{element(dtype)}-{element(target)}"
            BATCH.op(f"quantize-{name}", "quantize", [x, scale, zero], [want])
            BATCH.op(f"dequantize-{name}", "dequantize", [want, scale, zero],
                     [((want.astype(np.int64) - 3) * 0.5).astype(dtype)])
            scales = sample(RNG, dtype, (5,), 0.1, 2)
            zeros = sample(RNG, target, (5,))
            s, z = scales[:, None], zeros[:, None].astype(np.int64)
            want = np.clip(np.rint(x / s) + z, info.min, info.max).astype(target)
            BATCH.op(f"quantize-axis-{name}", "quantize", [x, scales, zeros], [want],
                     {"axis": i64(1)})
            BATCH.op(f"dequantize-axis-{name}", "dequantize", [want, scales, zeros],
                     [((want.astype(np.int64) - z) * s.astype("f8")).astype(dtype)],
                     {"axis": i64(1)})
    x = torch.from_numpy(sample(RNG, F4, (50,), -9, 9))
    q = torch.quantize_per_tensor(x, 0.07, 11, torch.quint8)
    scale, zero = np.array(0.07, F4), np.array(11, np.uint8)
    BATCH.op("quantize-torch", "quantize", [x.numpy(), scale, zero], [q.int_repr().numpy()])
    BATCH.op("dequantize-torch", "dequantize", [q.int_repr().numpy(), scale, zero],
             [q.dequantize().numpy()])
    BATCH.op("quantize-nan", "quantize", [np.array([np.nan], F4), scale, zero],
             [np.array([0], np.uint8)])


add_softmax()
add_normalize()
add_rnn()
add_quant()


@pytest.fixture(scope="module", autouse=True)
def ran(tmp_path_factory):
    BATCH.run(tmp_path_factory.mktemp("networks"))


@pytest.mark.parametrize("name", BATCH.cases)
def test_networks(name):
    BATCH.check(name)
