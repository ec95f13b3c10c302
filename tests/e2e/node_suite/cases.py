# SPDX-License-Identifier: Apache-2.0
"""The tests of the installed `onnx` package, in one uniform shape."""

import glob
import warnings
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np
import onnx
from onnx import numpy_helper

KINDS = ("node", "simple", "pytorch-converted", "pytorch-operator", "real")

_PACKAGE = Path(onnx.__file__).parent


@dataclass
class Case:
    """One test: a model and the data sets it must reproduce."""

    name: str
    kind: str
    rtol: float
    atol: float
    source: object = field(repr=False)

    @cached_property
    def model(self) -> onnx.ModelProto:
        if self.source.model is not None:
            return self.source.model
        return onnx.load(self._model_path)

    @property
    def data_sets(self) -> list[tuple[list, list]]:
        """(inputs, expected outputs) pairs, as numpy arrays, lists or None."""
        if self.source.data_sets is not None:
            return [
                ([_to_numpy(v) for v in inputs], [_to_numpy(v) for v in outputs])
                for inputs, outputs in self.source.data_sets
            ]
        if self.source.model_dir is None:
            return [self._bundled_topology_data()]
        folders = sorted(glob.glob(f"{self.source.model_dir}/test_data_set*"))
        return [self._stored_data(Path(folder)) for folder in folders]

    def input_names(self, count: int) -> list[str]:
        """The names of the graph inputs that `count` values are given for."""
        graph = self.model.graph
        weights = {w.name for w in graph.initializer}
        required = [i.name for i in graph.input if i.name not in weights]
        if len(required) == count:
            return required
        return [i.name for i in graph.input][:count]

    @property
    def _model_path(self) -> Path:
        if self.source.model_dir is not None:
            return Path(self.source.model_dir) / "model.onnx"
        return _PACKAGE.parent / self.source.url

    def _bundled_topology_data(self) -> tuple[list, list]:
        from onnx.backend.test.runner import Runner

        graph = self.model.graph
        weights = {w.name for w in graph.initializer}
        inputs = [
            Runner.generate_dummy_data(i, seed=0, name=self.source.model_name)
            for i in graph.input if i.name not in weights
        ]
        stem = self._model_path.with_suffix("")
        outputs = [
            _load(Path(f"{stem}_output_{n}.pb"), output.type)
            for n, output in enumerate(graph.output)
        ]
        return inputs, outputs

    def _stored_data(self, folder: Path) -> tuple[list, list]:
        def values(prefix: str, declared) -> list:
            count = len(list(folder.glob(f"{prefix}_*.pb")))
            return [_load(folder / f"{prefix}_{n}.pb", declared[n].type)
                    for n in range(count)]

        graph = self.model.graph
        return values("input", graph.input), values("output", graph.output)


def load_cases() -> list[Case]:
    """Returns every test of the package, sorted by name."""
    from onnx.backend.test.loader import load_model_tests

    cases = []
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")  # The generators overflow on purpose.
        for kind in KINDS:
            cases += [
                Case(t.name, kind, t.rtol, t.atol, t)
                for t in load_model_tests(kind=kind)
            ]
    duplicates = len(cases) - len({case.name for case in cases})
    if duplicates:
        raise RuntimeError(f"{duplicates} test names occur more than once")
    return sorted(cases, key=lambda case: case.name)


def _to_numpy(value):
    if isinstance(value, onnx.TensorProto):
        return numpy_helper.to_array(value)
    return value


def _load(path: Path, declared: onnx.TypeProto):
    content = path.read_bytes()
    if declared.HasField("sequence_type"):
        return numpy_helper.to_list(onnx.SequenceProto.FromString(content))
    if declared.HasField("optional_type"):
        return numpy_helper.to_optional(onnx.OptionalProto.FromString(content))
    return numpy_helper.to_array(onnx.TensorProto.FromString(content))
