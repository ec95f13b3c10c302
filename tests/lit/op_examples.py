# SPDX-License-Identifier: Apache-2.0
"""Prints one function per example in the op definitions, as MLIR text."""

import re
import sys
from pathlib import Path

EXAMPLE = re.compile(r"^def (\w+)|```mlir\n(.*?)```", re.S | re.M)
VALUE = re.compile(r"%(\w+)")


def split_types(text: str) -> list[str]:
    """Splits a type list at its top-level commas."""
    parts, depth = [""], 0
    for char in text:
        depth += {"<": 1, "[": 1, ">": -1, "]": -1}.get(char, 0)
        if char == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += char
    return [part.strip() for part in parts if part.strip()]


def operand_types(line: str) -> dict[str, str]:
    """The operands of one op and their types, in either type syntax."""
    body = line.split("=", 1)[1] if line.startswith("%") else line
    body, _, types = re.sub(r"\{.*\}", "", body).partition(" : ")
    functional = re.match(r"\((.*?)\) ->", types)
    if functional:
        types = functional.group(1)
    return dict(zip(VALUE.findall(body), split_types(types)))


def example_function(name: str, text: str) -> str:
    """The example in a function whose arguments are its free values."""
    defined: set[str] = set()
    free: dict[str, str] = {}
    callees = []
    for line in map(str.strip, text.splitlines()):
        if line.startswith("^"):
            defined.update(VALUE.findall(line))
            continue
        for value, type_ in operand_types(line).items():
            if value not in defined:
                free.setdefault(value, type_)
        if line.startswith("%"):
            defined.update(VALUE.findall(line.split("=")[0]))
        callee = re.search(r"(@\w+) on .*? : (\(.*?\) -> .*)$", line)
        if callee:
            callees.append(f"func.func private {callee[1]}{callee[2]}\n")
    arguments = ", ".join(f"%{value}: {type_}" for value, type_ in free.items())
    return (
        "".join(callees)
        + f"func.func @{name}({arguments}) {{\n{text.rstrip()}\n    return\n}}\n"
    )


def main() -> None:
    """Reads the .td files named on the command line."""
    for path in sys.argv[1:]:
        name = ""
        for definition, text in EXAMPLE.findall(Path(path).read_text()):
            name = definition or name
            if text:
                print(example_function(name, text))


if __name__ == "__main__":
    main()
