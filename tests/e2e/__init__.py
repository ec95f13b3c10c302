# SPDX-License-Identifier: Apache-2.0
"""End-to-end runs of real models and of the ONNX conformance suite."""
