# SPDX-License-Identifier: Apache-2.0
"""Small graphs, compiled for the device under test."""

import os
from functools import cache

import cuvil

# Another device, e.g. the reference one, may stand in.
DEVICE = os.environ.get("CUVIL_TEST_DEVICE", "cpu")


def add_one(dtype: str = "f32", shape=("n", 3)) -> cuvil.Graph:
    graph = cuvil.Graph()
    x = graph.input("x", dtype, shape)
    graph.output("y", x + 1)
    return graph


@cache
def compiled_add_one(dtype: str = "f32", shape=("n", 3)) -> cuvil.CompiledModel:
    return cuvil.compile(add_one(dtype, shape), device=DEVICE)


@cache
def compiled_two() -> cuvil.CompiledModel:
    """(a - b, a * b) of two tensors of one open size."""
    graph = cuvil.Graph()
    a = graph.input("a", "f32", ["n"])
    b = graph.input("b", "f32", ["n"])
    graph.output("difference", a - b)
    graph.output("product", a * b)
    return cuvil.compile(graph, device=DEVICE)
