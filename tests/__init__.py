# SPDX-License-Identifier: Apache-2.0
"""Cuvil's tests: model providers, pytest suites, conformance and end-to-end runs."""
