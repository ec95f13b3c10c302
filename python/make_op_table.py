# SPDX-License-Identifier: Apache-2.0
"""Turns the op definitions into the JSON table that `cuvil.Graph` reads.

Usage: make_op_table.py --tblgen llvm-tblgen --include DIR --output FILE TD...
"""

import argparse
import json
import re
import subprocess
import textwrap

# What an attribute is in the C interface, by how the IR stores it.
KINDS = {
    "::cuvil::DimsAttr": "dims",
    "::mlir::DenseI64ArrayAttr": "ints",
    "::mlir::DenseF64ArrayAttr": "floats",
    "::mlir::IntegerAttr": "int",
    "::mlir::FloatAttr": "float",
    "::mlir::BoolAttr": "bool",
    "::mlir::StringAttr": "string",
    "::mlir::TypeAttr": "dtype",
    "::mlir::ArrayAttr": "strings",
}
# Constants have a method of their own, and so has control flow, whose ops are
# not of the class Cuvil_Op.
WITHOUT = {"constant"}


def dump(tblgen: str, includes: list[str], file: str) -> dict:
    command = [tblgen, "--dump-json", *(f"-I{folder}" for folder in includes), file]
    return json.loads(subprocess.run(command, check=True, capture_output=True).stdout)


def attribute(records: dict, name: str, record: dict) -> dict:
    base = record
    while base.get("baseAttr"):
        base = records[base["baseAttr"]["def"]]
    storage = record["storageType"].strip()
    words = []
    if "Cuvil_Keyword" in base["!superclasses"]:
        predicate = records[base["predicate"]["def"]]["predExpr"]
        words = re.findall(r'"([^"]+)"', predicate)
    return {
        "name": name,
        "kind": KINDS[storage],
        "required": not record.get("isOptional") and record.get("defaultValue") is None,
        "default": record.get("defaultValue"),
        "words": words,
    }


def operand(records: dict, name: str, record: dict) -> dict:
    classes = record["!superclasses"]
    return {"name": name, "optional": "Optional" in classes,
            "variadic": "Variadic" in classes}


def describe(records: dict, record: dict) -> dict:
    operands, attrs = [], []
    for value, name in record["arguments"]["args"]:
        definition = records[value["def"]]
        if "Attr" in definition["!superclasses"]:
            attrs.append(attribute(records, name, definition))
        else:
            operands.append(operand(records, name, definition))
    return {
        "summary": record["summary"],
        "description": textwrap.dedent(record["description"]).strip(),
        "operands": operands,
        "attrs": attrs,
        "results": [name for _, name in record["results"]["args"]],
    }


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--tblgen", required=True)
    parser.add_argument("--include", action="append", default=[])
    parser.add_argument("--output", required=True)
    parser.add_argument("files", nargs="+")
    options = parser.parse_args()
    table = {}
    for file in options.files:
        records = dump(options.tblgen, options.include, file)
        for name in records["!instanceof"]["Op"]:
            record = records[name]
            if "Cuvil_Op" in record["!superclasses"] and record["opName"] not in WITHOUT:
                table[record["opName"]] = describe(records, record)
    with open(options.output, "w") as out:
        json.dump(dict(sorted(table.items())), out, indent=1)
        out.write("\n")


if __name__ == "__main__":
    main()
