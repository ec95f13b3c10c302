# SPDX-License-Identifier: Apache-2.0
"""`cuv` is another name of `cuvil`: the same objects."""

import cuvil as _cuvil_package
from cuvil import *  # noqa: F403
from cuvil import __all__, __version__  # noqa: F401


def __getattr__(name: str):
    """Submodules and whatever `cuvil` gains later."""
    return getattr(_cuvil_package, name)
