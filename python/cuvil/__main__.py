# SPDX-License-Identifier: Apache-2.0
"""`python -m cuvil` is the command `cuv`."""

from .cli import main

main()
