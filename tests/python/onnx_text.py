# SPDX-License-Identifier: Apache-2.0
"""Models in ONNX's text form, run on the reference device and compared."""

import numpy as np
from onnx import parser
from onnx.reference import ReferenceEvaluator

import cuvil

F = np.float32


def model(body: str, signature: str, opset: int = 21, functions: str = ""):
    extra = ', "local" : 1' if functions else ""
    head = f'<ir_version: 10, opset_import: ["" : {opset}{extra}]>\n'
    return parser.parse_model(f"{head}g {signature} {{ {body} }}\n{functions}")


def run(proto, *inputs):
    result = cuvil.compile(proto, device="ref")(*inputs)
    return result if isinstance(result, (tuple, list)) else (result,)


def check(proto, *inputs, expected=None):
    if expected is None:
        names = [i.name for i in proto.graph.input]
        feeds = dict(zip(names, inputs))
        expected = ReferenceEvaluator(proto).run(None, feeds)
    for got, want in zip(run(proto, *inputs), expected, strict=True):
        got, want = np.asarray(got), np.asarray(want)
        assert got.dtype == want.dtype
        assert got.shape == want.shape
        if got.dtype.kind == "f":
            np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-6)
        else:
            np.testing.assert_array_equal(got, want)


def rand(*shape, seed=0):
    return np.random.default_rng(seed).standard_normal(shape).astype(F)
