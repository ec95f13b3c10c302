# SPDX-License-Identifier: Apache-2.0
"""The exception family: one class per kind of failure, all `CuvilError`."""

from __future__ import annotations


class CuvilError(RuntimeError):
    """Something Cuvil was asked for did not work.

    Attributes:
        code: stable name of the kind of failure, e.g. ``"INVALID_MODEL"``.
        where: the place it is about (an op, a tensor, a file), or ``""``.
        hint: what to do about it, or ``""``.
        message: what happened, without place and hint.
    """

    code: str = "INTERNAL"

    def __init__(self, message: str, where: str = "", hint: str = "",
                 code: str | None = None):
        self.message = message
        self.where = where
        self.hint = hint
        if code is not None:
            self.code = code
        super().__init__(message, where, hint)

    def __str__(self) -> str:
        lines = [self.message]
        if self.where and self.where not in self.message:
            lines.append(f"  where: {self.where}")
        if self.hint:
            lines.append(f"  hint: {self.hint}")
        return "\n".join(lines)


class InputError(CuvilError, ValueError):
    """A value given by the caller is wrong: name, dtype, rank, size, option."""

    code = "INVALID_ARGUMENT"


class InvalidModelError(CuvilError):
    """The model, rule file or artefact is malformed."""

    code = "INVALID_MODEL"


class UnsupportedError(CuvilError):
    """Well-formed, but not something Cuvil can do yet."""

    code = "UNSUPPORTED"


class NotFoundError(CuvilError):
    """No such device, plugin, format, file or tensor."""

    code = "NOT_FOUND"


class OutOfRangeError(CuvilError):
    """An index computed at run time lies outside its tensor."""

    code = "OUT_OF_RANGE"


class ResourceExhaustedError(CuvilError):
    """Out of memory, file handles, or beyond a limit."""

    code = "RESOURCE_EXHAUSTED"


class PreconditionError(CuvilError):
    """The object is not in the state that the call needs."""

    code = "FAILED_PRECONDITION"


class AccessError(CuvilError):
    """Reading or writing was not permitted."""

    code = "PERMISSION_DENIED"


class FileError(CuvilError):
    """Reading or writing failed."""

    code = "IO_ERROR"


class CancelledError(CuvilError):
    """The work was cancelled."""

    code = "CANCELLED"


class DeadlineError(CuvilError):
    """The work took too long."""

    code = "DEADLINE_EXCEEDED"


class IncompatibleError(CuvilError):
    """Versions, targets or builds do not fit together."""

    code = "INCOMPATIBLE"


class PluginError(CuvilError):
    """A plugin broke its contract."""

    code = "PLUGIN_FAILURE"


class IntegerArithmeticError(CuvilError, ArithmeticError):
    """Integer division by zero and the like, at run time."""

    code = "ARITHMETIC"


_BY_CODE = {cls.code: cls for cls in CuvilError.__subclasses__()}


def from_code(code: str, message: str, where: str = "", hint: str = "") -> CuvilError:
    """Makes the exception for a code's name; unknown codes give the base."""
    return _BY_CODE.get(code, CuvilError)(message, where, hint, code)
