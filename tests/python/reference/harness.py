# SPDX-License-Identifier: Apache-2.0
"""Collects one-op programs and runs them in one process of `cuvil-eval`."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[3]
TOOL = Path(os.environ.get("CUVIL_BUILD_DIR", ROOT / "build")) / "bin" / "cuvil-eval"

BF16 = np.dtype(ml_dtypes.bfloat16)
FLOATS = [np.dtype("f4"), np.dtype("f8"), np.dtype("f2"), BF16]
SIGNED = [np.dtype(t) for t in ("i1", "i2", "i4", "i8")]
UNSIGNED = [np.dtype(t) for t in ("u1", "u2", "u4", "u8")]
BOOL = np.dtype(bool)
SHAPES = [(), (1,), (0,), (7,), (3, 5), (2, 0, 3), (1, 2, 3, 5)]

_ELEMENTS = {"bool": "i1", "float16": "f16", "bfloat16": "bf16", "float32": "f32",
             "float64": "f64"} | {f"int{n}": f"i{n}" for n in (8, 16, 32, 64)} | {
                 f"uint{n}": f"ui{n}" for n in (8, 16, 32, 64)}


def element(dtype: np.dtype) -> str:
    """The IR's word for a numpy element type."""
    return _ELEMENTS[np.dtype(dtype).name]


def tensor_type(array: np.ndarray) -> str:
    return "tensor<" + "".join(f"{d}x" for d in array.shape) + element(array.dtype) + ">"


def dims(values: Sequence[int]) -> str:
    return f"#cuvil.dims<[{', '.join(str(int(v)) for v in values)}]>"


def ints(values: Sequence[int]) -> str:
    return "array<i64" + (": " if len(values) else "") + ", ".join(map(str, values)) + ">"


def floats(values: Sequence[float]) -> str:
    return "array<f64" + (": " if len(values) else "") + ", ".join(
        f"{v:.17e}" for v in values) + ">"


def i64(value: int) -> str:
    return f"{value} : i64"


def f64(value: float) -> str:
    return f"{value:.17e} : f64"


def flag(value: bool) -> str:
    return "true" if value else "false"


@dataclass
class Case:
    name: str
    text: str
    inputs: list[np.ndarray]
    expected: list[np.ndarray]
    ulps: float = 1
    atol: float = 0
    error: str | None = None  # Expected message instead of results.


@dataclass
class Batch:
    """The cases of one test module and, once they ran, what came out."""

    cases: dict[str, Case] = field(default_factory=dict)
    outcomes: dict[str, str] = field(default_factory=dict)
    folder: Path | None = None

    def op(self, name: str, op: str, inputs: Sequence[np.ndarray],
           expected: Sequence[np.ndarray], attrs: dict[str, str] | None = None,
           **how) -> None:
        """One op on `inputs`; `expected` also gives the result types."""
        arrays = [np.asarray(a) for a in inputs]
        results = [np.asarray(a) for a in expected]
        types = ", ".join(map(tensor_type, arrays))
        out = ", ".join(map(tensor_type, results))
        arguments = ", ".join(f"%a{i}: {tensor_type(a)}" for i, a in enumerate(arrays))
        operands = ", ".join(f"%a{i}" for i in range(len(arrays)))
        names = ", ".join(f"%r{i}" for i in range(len(results)))
        text = ", ".join(f"{key} = {value}" for key, value in (attrs or {}).items())
        self.program(name, f"""func.func @main({arguments}) -> ({out}) {{
  {names} = cuvil.{op} {operands} {{{text}}} : ({types}) -> ({out})
  return {names} : {out}
}}
""", arrays, results, **how)

    def program(self, name: str, text: str, inputs: Sequence[np.ndarray],
                expected: Sequence[np.ndarray], **how) -> None:
        assert name not in self.cases, f"two cases named {name}"
        self.cases[name] = Case(name, text, list(inputs), list(expected), **how)

    def run(self, folder: Path) -> None:
        self.folder = folder
        if not TOOL.exists():
            pytest.fail(f"{TOOL} is missing: build it, or set CUVIL_BUILD_DIR")
        lines = []
        for number, case in enumerate(self.cases.values()):
            module = folder / f"{number}.mlir"
            module.write_text(case.text)
            words = [str(module)]
            for i, array in enumerate(case.inputs):
                path = folder / f"{number}.in{i}.npy"
                array = np.asarray(array)
                if array.dtype == BF16:
                    array = array.view(np.uint16)
                np.save(path, np.ascontiguousarray(array).reshape(array.shape))
                words.append(str(path))
            words.append("->")
            words += [str(folder / f"{number}.out{i}.npy")
                      for i in range(len(case.expected))]
            lines.append(" ".join(words))
        listing = folder / "cases.txt"
        listing.write_text("\n".join(lines) + "\n")
        done = subprocess.run([TOOL, listing], capture_output=True, text=True, timeout=600)
        outcomes = done.stdout.splitlines()
        outcomes += [f"crash: {done.stderr[-500:]}"] * (len(self.cases) - len(outcomes))
        self.outcomes = dict(zip(self.cases, outcomes, strict=True))

    def check(self, name: str) -> None:
        case, outcome = self.cases[name], self.outcomes[name]
        if case.error is not None:
            assert outcome.startswith("error") and case.error in outcome, outcome
            return
        assert outcome == "ok", f"{outcome}\n{case.text}"
        number = list(self.cases).index(name)
        for i, want in enumerate(case.expected):
            have = np.load(self.folder / f"{number}.out{i}.npy")
            if want.dtype == BF16:
                have = have.view(BF16)
            assert have.shape == want.shape and have.dtype == want.dtype
            compare(have, want, case)


def compare(have: np.ndarray, want: np.ndarray, case: Case) -> None:
    """Equality for integers, a distance in units of the type for floats."""
    if want.dtype.kind in "iub":
        np.testing.assert_array_equal(have, want, err_msg=case.text)
        return
    eps = float(ml_dtypes.finfo(want.dtype).eps)
    tiny = float(ml_dtypes.finfo(want.dtype).smallest_subnormal)
    a, b = have.astype(np.float64), want.astype(np.float64)
    np.testing.assert_array_equal(np.isnan(a), np.isnan(b), err_msg=case.text)
    np.testing.assert_allclose(a, b, rtol=case.ulps * eps,
                               atol=max(case.atol, case.ulps * tiny if case.ulps else 0),
                               equal_nan=True, err_msg=case.text)
    if case.ulps == 0:
        finite = ~np.isnan(b)
        np.testing.assert_array_equal(np.signbit(a)[finite], np.signbit(b)[finite],
                                      err_msg=case.text)


def sample(rng: np.random.Generator, dtype: np.dtype, shape: Sequence[int],
           low: float = -3, high: float = 3) -> np.ndarray:
    """Random values; integers take their type's extremes now and then."""
    dtype = np.dtype(dtype)
    if dtype == BOOL:
        return rng.integers(0, 2, shape).astype(bool)
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        values = rng.integers(max(info.min, -9), 10, shape).astype(dtype)
        edge = rng.choice(np.array([info.min, info.max], dtype), shape)
        return np.where(rng.random(shape) < 0.2, edge, values).astype(dtype)
    return np.asarray(rng.uniform(low, high, shape)).astype(dtype)


SPECIALS = np.array([0.0, -0.0, 1, -1, 0.5, -0.5, 1.5, 2.5, -2.5, np.inf, -np.inf, np.nan,
                     1e-5, -1e-5, 1e4, -1e4])
