# SPDX-License-Identifier: Apache-2.0
"""Opens the extension module once and teaches it the package's exceptions."""

from __future__ import annotations

import atexit

from . import errors

try:
    from . import _cuvil
except ImportError as error:
    raise ImportError(
        f"cuvil's native library could not be opened: {error}. From a checkout "
        "run `make build`; otherwise reinstall the package."
    ) from error

__all__ = ["_cuvil"]

_cuvil.set_error_factory(errors.from_code)
# A call that still runs would come back to an interpreter that is gone.
atexit.register(_cuvil.wait_for_pending)
