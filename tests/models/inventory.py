# SPDX-License-Identifier: Apache-2.0
"""Describes the test models: `python -m tests.models.inventory [name...]`.

Prints, as Markdown, each model's opsets, signature and ops with the attribute
values they are used with, and the merged op list with counts.
"""

import sys
from collections import Counter, defaultdict
from collections.abc import Iterator

import onnx
from onnx import helper

from . import load, names

_MAX_VARIANTS = 12


def _walk(graph: onnx.GraphProto, depth: int = 0) -> Iterator[tuple]:
    for node in graph.node:
        yield node, depth
        for attribute in node.attribute:
            if attribute.type == onnx.AttributeProto.GRAPH:
                yield from _walk(attribute.g, depth + 1)


def _signature(value: onnx.ValueInfoProto) -> str:
    tensor = value.type.tensor_type
    dims = [
        str(d.dim_value) if d.HasField("dim_value") else d.dim_param or "?"
        for d in tensor.shape.dim
    ]
    dtype = onnx.TensorProto.DataType.Name(tensor.elem_type).lower()
    return f"`{value.name}` {dtype}[{', '.join(dims)}]"


def _attribute(attribute: onnx.AttributeProto) -> str:
    value = helper.get_attribute_value(attribute)
    if isinstance(value, onnx.TensorProto):
        dtype = onnx.TensorProto.DataType.Name(value.data_type).lower()
        return f"{attribute.name}={dtype}{list(value.dims)}"
    if isinstance(value, onnx.GraphProto):
        return f"{attribute.name}=graph({len(value.node)} nodes)"
    if isinstance(value, bytes):
        value = value.decode()
    if isinstance(value, float):
        value = f"{value:.6g}"
    return f"{attribute.name}={value}"


def _variant(node: onnx.NodeProto) -> str:
    attributes = sorted(_attribute(a) for a in node.attribute)
    inputs = "".join("x" if name else "-" for name in node.input)
    return f"({inputs})->{len(node.output)} " + " ".join(attributes)


def describe(name: str, totals: dict[str, Counter]) -> str:
    """Returns the Markdown section of one model and adds its ops to totals."""
    path = load(name)
    model = onnx.load(path)
    weights = {w.name for w in model.graph.initializer}
    opsets = {o.domain or "ai.onnx": o.version for o in model.opset_import}
    size = path.stat().st_size / 2**20
    lines = [
        f"## {name}",
        f"- file `{path}` ({size:.1f} MiB), opsets {opsets}, IR {model.ir_version},"
        f" {len(model.functions)} functions, "
        f"{len(weights)} initializers ({sum(i.name in weights for i in model.graph.input)}"
        " of them also inputs)",
        "- in: " + ", ".join(
            _signature(i) for i in model.graph.input if i.name not in weights),
        "- out: " + ", ".join(map(_signature, model.graph.output)),
        "",
    ]
    ops: dict[str, Counter] = defaultdict(Counter)
    for node, depth in _walk(model.graph):
        where = f" [subgraph depth {depth}]" if depth else ""
        ops[node.op_type][_variant(node) + where] += 1
        totals[node.op_type][name] += 1
    for op, variants in sorted(ops.items(), key=lambda e: -e[1].total()):
        lines.append(f"- **{op}** x{variants.total()}")
        for variant, count in variants.most_common(_MAX_VARIANTS):
            lines.append(f"  - {count}x `{variant}`")
        if len(variants) > _MAX_VARIANTS:
            lines.append(f"  - ... {len(variants) - _MAX_VARIANTS} more variants")
    return "\n".join(lines)


def main(chosen: list[str]) -> None:
    totals: dict[str, Counter] = defaultdict(Counter)
    sections = [describe(name, totals) for name in chosen or names()]
    print("# Test models\n\nVariants read `(inputs)->outputs attributes`, where"
          " `x` is a given input and `-` an omitted one.\n")
    print(f"## Merged op list ({len(totals)} ops)\n")
    for op, uses in sorted(totals.items(), key=lambda e: -e[1].total()):
        where = ", ".join(f"{model} {count}" for model, count in uses.items())
        print(f"- **{op}** {uses.total()}: {where}")
    print("\n" + "\n\n".join(sections))


if __name__ == "__main__":
    main(sys.argv[1:])
