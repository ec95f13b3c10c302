# SPDX-License-Identifier: Apache-2.0
"""What `cuv doctor` looks at. Each check yields findings and raises nothing."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path


@dataclass
class Finding:
    """One line: status is ok, note or problem."""

    status: str
    what: str
    detail: str
    fix: str = ""


def all_findings() -> list[Finding]:
    return [finding for check in (_package, _libraries, _plugins, _processor, _threads,
                                  _cache, _peers) for finding in check()]


def _package() -> Iterator[Finding]:
    import cuvil

    yield Finding("ok", "python", f"{platform.python_version()} on {platform.platform()}")
    yield Finding("ok", "cuvil", f"{cuvil.__version__} at {Path(cuvil.__file__).parent}")
    try:
        installed = metadata.version("cuvil")
    except metadata.PackageNotFoundError:
        yield Finding("note", "package", "cuvil is importable but not installed",
                      "pip install cuvil, or `make build` in a checkout")
        return
    if installed != cuvil.__version__:
        yield Finding("problem", "package", f"the package says version {installed}, its library "
                                            f"{cuvil.__version__}",
                      "reinstall the package, or run `make build`")


def _mapped(name: str) -> Path | None:
    """Where a library that this process has open lies."""
    with open("/proc/self/maps") as maps:
        for line in maps:
            path = line.split(None, 5)[-1].strip()
            if os.path.basename(path).startswith(name):
                return Path(path)
    return None


def _libraries() -> Iterator[Finding]:
    runtime = _mapped("libcuvil.so")
    if runtime is None:
        yield Finding("problem", "libcuvil", "the extension has no libcuvil.so open",
                      "reinstall the package")
        return
    yield Finding("ok", "libcuvil", str(runtime))
    compiler = runtime.parent / "libcuvil-compiler.so"
    if compiler.exists():
        yield Finding("ok", "compiler", f"{compiler}, opened at the first compile")
    else:
        yield Finding("problem", "compiler", f"{compiler} is missing: nothing can be compiled",
                      "reinstall the package, or run `make build`")


def _plugins() -> Iterator[Finding]:
    from .. import _registry

    known = _registry.describe()
    for plugin in known["plugins"]:
        yield Finding("ok", "plugin", f"{plugin['id']} {plugin['version']} "
                                      f"({', '.join(plugin['kinds'])}) from {plugin['origin']}")
    for rejected in known["rejected"]:
        yield Finding("problem", "plugin", f"{rejected['path']}: {rejected['reason']}",
                      "reinstall or remove that plugin")
    searched = ", ".join(place["path"] for place in known["searched"])
    if not known["devices"]:
        yield Finding("problem", "devices", f"no backend plugin was found; searched: {searched}",
                      "reinstall the package, or set CUVIL_PLUGIN_PATH")
    else:
        names = ", ".join(device["name"] for device in known["devices"])
        yield Finding("ok", "devices", names)
    formats = ", ".join(form["name"] for form in known["formats"])
    yield Finding("ok" if formats else "note", "formats", formats or "no frontend plugin was found")


def _processor() -> Iterator[Finding]:
    model, flags = "unknown processor", set()
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        key, _, value = line.partition(":")
        if key.strip() == "model name":
            model = value.strip()
        elif key.strip() == "flags":
            flags = set(value.split())
            break
    best = ("avx512" if {"avx512f", "avx512bw", "avx512dq", "avx512vl"} <= flags
            else "avx2" if {"avx2", "fma"} <= flags else "sse2")
    yield Finding("ok", "processor", f"{model}, best instruction set {best}")
    cap = os.environ.get("CUVIL_ISA")
    if cap:
        yield Finding("note", "processor", f"CUVIL_ISA={cap} caps the instruction set",
                      "unset CUVIL_ISA for full speed")


def _threads() -> Iterator[Finding]:
    allowed = len(os.sched_getaffinity(0))
    quota = _quota()
    detail = f"{allowed} processors allowed"
    if quota:
        detail += f", a quota of {quota:.1f}"
    for name in ("CUVIL_NUM_THREADS", "OMP_NUM_THREADS"):
        value = os.environ.get(name)
        if value:
            detail += f", {name}={value}"
            if value.isdigit() and int(value) > allowed:
                yield Finding("note", "threads", f"{name}={value} is more than the {allowed} "
                                                 "processors allowed",
                              f"set {name} to at most {allowed}")
            break
    yield Finding("ok", "threads", detail)


def _quota() -> float | None:
    try:
        limit, period = Path("/sys/fs/cgroup/cpu.max").read_text().split()
        return None if limit == "max" else int(limit) / int(period)
    except (OSError, ValueError):
        return None


def cache_folder() -> Path:
    """Where compiled models are kept, by the rules of the core."""
    if folder := os.environ.get("CUVIL_CACHE_DIR"):
        return Path(folder)
    base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return Path(base) / "cuvil"


def _cache() -> Iterator[Finding]:
    folder = cache_folder()
    if not folder.exists():
        parent = next(p for p in folder.parents if p.exists())
        if os.access(parent, os.W_OK):
            yield Finding("ok", "cache", f"{folder}, not made yet")
        else:
            yield Finding("problem", "cache", f"{folder} cannot be made",
                          "set CUVIL_CACHE_DIR to a folder that can be written")
        return
    if not os.access(folder, os.W_OK | os.X_OK):
        yield Finding("problem", "cache", f"{folder} cannot be written",
                      "set CUVIL_CACHE_DIR to a folder that can be written")
        return
    files = [path for path in folder.rglob("*") if path.is_file()]
    size = sum(path.stat().st_size for path in files)
    yield Finding("ok", "cache", f"{folder}, {len(files)} files, {size / 2**20:.1f} MiB")


def _peers() -> Iterator[Finding]:
    for name in ("numpy", "onnx", "onnxruntime", "torch"):
        try:
            yield Finding("ok", "package", f"{name} {metadata.version(name)}")
        except metadata.PackageNotFoundError:
            if name == "numpy":
                yield Finding("problem", "package", "numpy is missing", "pip install numpy")
