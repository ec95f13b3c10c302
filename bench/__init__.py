# SPDX-License-Identifier: Apache-2.0
"""Cuvil beside its peers: `python -m bench`."""
