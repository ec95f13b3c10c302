# SPDX-License-Identifier: Apache-2.0
"""Runs the ONNX package's conformance suite: `python -m tests.e2e.node_suite`.

Every test counts: one that an engine skips or refuses is a failure.
"""
