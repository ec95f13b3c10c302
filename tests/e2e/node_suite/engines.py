# SPDX-License-Identifier: Apache-2.0
"""The engines that the suite can be run through."""

from collections.abc import Callable

import onnx

# Given a model, returns a callable from (input names, input values) to outputs.
Engine = Callable[[onnx.ModelProto], Callable[[list[str], list], list]]


class Refused(Exception):
    """The engine said in an orderly way that it does not support a model."""

    def __init__(self, code: str, message: str):
        super().__init__(message)
        self.code = code


def cuvil_engine(device: str) -> Engine:
    import cuvil

    def prepare(model: onnx.ModelProto):
        try:
            compiled = cuvil.compile(model, device=device, strict=True)
        except cuvil.CuvilError as error:
            raise Refused(str(error.code), str(error)) from error

        def run(names: list[str], values: list) -> list:
            try:
                outputs = compiled(*values)
            except cuvil.CuvilError as error:
                raise Refused(str(error.code), str(error)) from error
            return list(outputs) if isinstance(outputs, (list, tuple)) else [outputs]

        return run

    return prepare


def onnxruntime_engine() -> Engine:
    import onnxruntime

    onnxruntime.set_default_logger_severity(4)

    def prepare(model: onnx.ModelProto):
        try:
            session = onnxruntime.InferenceSession(
                model.SerializeToString(), providers=["CPUExecutionProvider"]
            )
        except Exception as error:
            raise Refused(type(error).__name__, str(error)) from error

        def run(names: list[str], values: list) -> list:
            try:
                return session.run(None, dict(zip(names, values)))
            except Exception as error:
                raise Refused(type(error).__name__, str(error)) from error

        return run

    return prepare


def reference_engine() -> Engine:
    from onnx.reference import ReferenceEvaluator

    def prepare(model: onnx.ModelProto):
        try:
            evaluator = ReferenceEvaluator(model)
        except Exception as error:
            raise Refused(type(error).__name__, str(error)) from error

        def run(names: list[str], values: list) -> list:
            try:
                return evaluator.run(None, dict(zip(names, values)))
            except Exception as error:
                raise Refused(type(error).__name__, str(error)) from error

        return run

    return prepare


ENGINES: dict[str, Callable[[], Engine]] = {
    "cuvil": lambda: cuvil_engine("cpu"),
    "cuvil-ref": lambda: cuvil_engine("ref"),
    "onnxruntime": onnxruntime_engine,
    "reference": reference_engine,
}
