# SPDX-License-Identifier: Apache-2.0
"""Finds and reads the text in a picture: `python -m examples.ocr_demo`."""
