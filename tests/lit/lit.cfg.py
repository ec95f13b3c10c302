# SPDX-License-Identifier: Apache-2.0
"""How lit runs the textual IR tests; the build folder supplies the paths."""

import os
import sys

import lit.formats

config.name = "Cuvil"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.cuvil_build_dir, "tests", "lit")
config.environment["PATH"] = os.pathsep.join(
    [
        os.path.join(config.cuvil_build_dir, "bin"),
        config.llvm_tools_dir,
        config.environment["PATH"],
    ]
)
config.substitutions += [
    ("%python", sys.executable),
    ("%source", config.cuvil_source_dir),
]
