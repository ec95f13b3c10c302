#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks what no compiler does: include directions, file sizes, named paths.

Usage: scripts/check_tree.py [ROOT]. Prints one line a problem; exits 1 on any.
"""

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

# What a module of core may include: whole modules, or single headers of one.
# plugin.h is pure C and open to all; Constant.h is how weights are shared.
CONSTANT = "Runtime/Constant.h"
MODULE_USES = {
    "Plugin": {"Runtime", "c_api.h"},
    "Runtime": {"c_api.h"},
    "CAPI": {"Runtime", "Plugin", "c_api.h"},
    "IR": {CONSTANT},
    "Eval": {"IR", CONSTANT},
    "Fusion": {"IR"},
    "Transforms": {"IR", "Eval", CONSTANT},
    "Conversion": {"IR", CONSTANT},
    "Graph": {"IR", "Eval", "Plugin", CONSTANT},
    "Pipeline": {"IR", "Eval", "Fusion", "Transforms", "Conversion", "Graph",
                 "Plugin", "Runtime", "c_api.h"},
}
# These end up in a library, or a process, that has no LLVM.
WITHOUT_LLVM = {"Plugin", "Runtime", "CAPI"}
MLIR_PLANE = "plugin_mlir.h"  # The one header about MLIR that Plugin holds.
C_HEADERS = {
    "core/include/cuvil/plugin.h": {"stddef.h", "stdint.h"},
    "core/include/cuvil/c_api.h": {"stddef.h", "stdint.h"},
}

MAX_LINES = 800
MAX_TEST_LINES = 500
SIZE_EXCEPTIONS = "scripts/size_exceptions.txt"

CODE = {".h", ".hpp", ".c", ".cc", ".cpp", ".inc"}
WRITTEN = CODE | {".td", ".py", ".pyi", ".cmake", ".sh", ".mlir", ".yaml", ".md"}
TOP_FOLDERS = ("core", "plugins", "python", "tests", "docs", "scripts", "bench",
               "examples", "fusion-rules", "cmake", "requirements", ".ci")

_INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', re.M)
_LINK = re.compile(r"\]\(([^)\s#]+)[^)]*\)")
_PATH = re.compile(
    r"(?<![\w./<$~-])(?:%s)(?:/[\w.*<>{},@+-]+)+/?" % "|".join(
        re.escape(folder) for folder in TOP_FOLDERS)
)
_CREATES = re.compile(r"<!--\s*creates:(.*?)-->", re.S)


def tracked_files(root: Path) -> list[str]:
    """Returns the repository's files, those not yet committed included."""
    listing = subprocess.run(
        ["git", "-C", str(root), "ls-files", "-z", "--cached", "--others",
         "--exclude-standard"],
        check=True, capture_output=True, text=True,
    ).stdout
    return sorted(f for f in listing.split("\0") if f and (root / f).is_file())


def check_includes(root: Path, files: list[str]) -> Iterator[str]:
    """Yields includes that point against the order of the modules."""
    plugins = {PurePosixPath(f).parts[1] for f in files
               if f.startswith("plugins/") and f.count("/") > 1}
    for file in files:
        path = PurePosixPath(file)
        if path.suffix not in CODE or path.parts[0] not in ("core", "plugins"):
            continue
        text = (root / file).read_text(errors="replace")
        for match in _INCLUDE.finditer(text):
            reason = _include_problem(path, match.group(1), plugins)
            if reason:
                line = text.count("\n", 0, match.start(1)) + 1
                yield f"{file}:{line}: includes {match.group(1)}: {reason}"
        if path.parts[0] == "core":
            for name in sorted(plugins):
                if re.search(rf"\b{re.escape(name)}\b", text):
                    yield f"{file}: names the plugin {name}; core knows none"


def _include_problem(path: PurePosixPath, included: str, plugins) -> str | None:
    if "InitAll" in included:
        return "it registers everything; include what is used"
    if str(path) in C_HEADERS:
        allowed = C_HEADERS[str(path)] | {"cuvil/plugin.h"}
        return None if included in allowed else "a pure C header of the interface"
    if path.parts[0] == "plugins":
        return _plugin_include_problem(path, included, plugins)
    module = _module_of(path)
    if module is None:
        return None
    if _is_llvm(included) and module in WITHOUT_LLVM and path.name != MLIR_PLANE:
        return f"{module} is used without LLVM"
    used = PurePosixPath(included).parts
    if used[0] != "cuvil" or len(used) < 2 or used[1] in (module, "plugin.h"):
        return None
    if module not in MODULE_USES:
        return (f"module {module} has no row in MODULE_USES of "
                "scripts/check_tree.py")
    if not {used[1], "/".join(used[1:])} & MODULE_USES[module]:
        allowed = ", ".join(sorted(MODULE_USES[module])) or "no other module"
        return f"{module} may use {allowed}"
    return None


def _plugin_include_problem(path, included: str, plugins) -> str | None:
    own = path.parts[1] if len(path.parts) > 2 else ""
    if set(PurePosixPath(included).parts) & (plugins - {own}):
        return "plugins never include each other"
    if "Runtime" in path.parts[2:-1] and _is_llvm(included):
        return "the runtime half of a plugin has no LLVM"
    return None


def _module_of(path: PurePosixPath) -> str | None:
    for prefix in (("core", "include", "cuvil"), ("core", "lib")):
        depth = len(prefix)
        if path.parts[:depth] == prefix and len(path.parts) > depth + 1:
            return path.parts[depth]
    return None


def _is_llvm(included: str) -> bool:
    return included.split("/")[0] in ("mlir", "llvm", "lld", "clang", "mlir-c",
                                      "llvm-c")


def check_sizes(root: Path, files: list[str]) -> Iterator[str]:
    """Yields files that are too long, and exceptions that are not needed."""
    exceptions = read_exceptions(root)
    for file in files:
        path = PurePosixPath(file)
        if path.suffix not in WRITTEN and path.name not in ("CMakeLists.txt", "Makefile"):
            continue
        limit = MAX_TEST_LINES if path.parts[0] == "tests" else MAX_LINES
        lines = (root / file).read_bytes().count(b"\n")
        excused = exceptions.pop(file, None)
        if lines > limit and excused is None:
            yield (f"{file}: {lines} lines, at most {limit}; split it, or give "
                   f"the reason in {SIZE_EXCEPTIONS}")
        if lines <= limit and excused is not None:
            yield f"{SIZE_EXCEPTIONS}: {file} needs no exception"
    for file in exceptions:
        yield f"{SIZE_EXCEPTIONS}: {file} does not exist"


def read_exceptions(root: Path) -> dict[str, str]:
    """Returns the reason of every file that may be longer than the limit."""
    path = root / SIZE_EXCEPTIONS
    if not path.exists():
        return {}
    rows = [line.split(None, 1) for line in path.read_text().splitlines()
            if line.strip() and not line.startswith("#")]
    missing = [row[0] for row in rows if len(row) < 2]
    if missing:
        raise SystemExit(f"{SIZE_EXCEPTIONS}: no reason for {', '.join(missing)}")
    return {name: reason for name, reason in rows}


def check_documents(root: Path, files: list[str]) -> Iterator[str]:
    """Yields paths that a document names and that do not exist.

    `<placeholders>` stand for anything. A tutorial lists the files that its
    reader makes in a comment: <!-- creates: core/lib/Eval/Mine.cpp -->.
    """
    for file in files:
        if not file.endswith(".md"):
            continue
        text = (root / file).read_text(errors="replace")
        created = {name.rstrip(",") for block in _CREATES.findall(text)
                   for name in block.split()}
        body = _CREATES.sub(lambda m: "\n" * m.group().count("\n"), text)
        for number, line in enumerate(body.splitlines(), 1):
            for path in _named_paths(line):
                if path not in created and not _exists(root, path):
                    yield f"{file}:{number}: {path} does not exist"
            for target in _LINK.findall(line):
                if "://" in target or target.startswith("mailto:"):
                    continue
                if not (root / file).parent.joinpath(target).exists():
                    yield f"{file}:{number}: link to {target} leads nowhere"


def _named_paths(line: str) -> Iterator[str]:
    without_links = _LINK.sub("]", line)
    for match in _PATH.finditer(without_links):
        yield match.group().rstrip(".,/")


def _exists(root: Path, path: str) -> bool:
    for choice in _expand_braces(path):
        pattern = re.sub(r"<[^>]*>?", "*", choice)
        if "*" not in pattern:
            if not (root / pattern).exists():
                return False
        elif not any(root.glob(pattern)):
            return False
    return True


def _expand_braces(path: str) -> list[str]:
    match = re.search(r"\{([^{}]*)\}", path)
    if not match:
        return [path]
    return [
        expanded
        for choice in match.group(1).split(",")
        for expanded in _expand_braces(path[: match.start()] + choice + path[match.end():])
    ]


def problems(root: Path) -> list[str]:
    """Returns every problem of the tree, in the order of the checks."""
    files = tracked_files(root)
    return [
        *check_includes(root, files),
        *check_sizes(root, files),
        *check_documents(root, files),
    ]


def main() -> int:
    root = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parent.parent)
    found = problems(root)
    for problem in found:
        print(problem)
    print(f"check_tree: {len(found)} problems")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
