# SPDX-License-Identifier: Apache-2.0
"""Devices and plugins: what is there, from where, and what was turned away."""

from __future__ import annotations

import json
import os
import threading
from importlib import metadata
from typing import Any

from ._native import _cuvil

ENTRY_POINT_GROUP = "cuvil.plugins"

_lock = threading.Lock()
_entry_points_read = False


def read_entry_points() -> None:
    """Tells the core where installed packages keep their plugins.

    An entry point of the group ``cuvil.plugins`` names a module (or an
    attribute holding a path) whose folder has the plugin's ``plugin.json``.
    The first call does the work; modules are located, never imported.
    """
    global _entry_points_read
    with _lock:
        if _entry_points_read:
            return
        _entry_points_read = True
        for point in metadata.entry_points(group=ENTRY_POINT_GROUP):
            folder = _folder_of(point)
            if folder:
                _cuvil.add_plugin_path(folder, f"entry point {point.name}")


def _folder_of(point: metadata.EntryPoint) -> str | None:
    from importlib.util import find_spec

    try:
        spec = find_spec(point.module)
    except (ImportError, ValueError):
        return None
    if spec is None:
        return None
    if spec.submodule_search_locations:
        return next(iter(spec.submodule_search_locations), None)
    return os.path.dirname(spec.origin) if spec.origin else None


def describe(probe: bool = False) -> dict[str, Any]:
    """Everything the plugin registry knows, as plain data.

    Args:
        probe: also load the backends to ask for arch, memory and score;
            otherwise the manifests answer alone and nothing is loaded.
    """
    read_entry_points()
    return json.loads(_cuvil.plugins_json(probe))


def devices(probe: bool = False) -> list[dict[str, Any]]:
    """Devices that models can be compiled for, as a list of dicts.

    Each has ``name``, ``description`` and ``plugin``; with `probe` also
    ``index``, ``arch``, ``score``, ``memory_bytes``, ``dtypes`` and ``modes``
    where the plugin could be loaded.
    """
    return describe(probe)["devices"]


def plugins() -> list[dict[str, Any]]:
    """The plugins found, loaded or not: id, version, kinds, path, origin."""
    return describe()["plugins"]


def load_plugin(path: str | os.PathLike[str]) -> None:
    """Loads the plugin of a manifest (a ``plugin.json`` or its folder).

    It wins over discovered plugins of the same id.

    Raises:
        NotFoundError: there is no such manifest.
        IncompatibleError: the plugin was built for another Cuvil.
    """
    read_entry_points()
    _cuvil.load_plugin(os.fspath(path))
