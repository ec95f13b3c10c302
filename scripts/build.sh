#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Sets up, configures when needed, and builds.
#
# Usage: scripts/build.sh demo|test|bench BUILD_DIR JOBS TARGET...
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

profile=$1 build=$2 jobs=$3
shift 3

scripts/setup.sh "$profile"
python=$PWD/.venv/bin/python

# Ninja runs CMake again when a CMake file changed; what it cannot see is a
# build made for another Python, or one whose configuration broke off.
configured_python=
if [[ -f $build/build.ninja ]]; then
  configured_python=$(sed -n 's/^Python_EXECUTABLE:[^=]*=//p' "$build/CMakeCache.txt")
fi
if [[ $configured_python != "$python" ]]; then
  cmake --preset "$(basename "$build")" -DPython_EXECUTABLE="$python"
fi
cmake --build "$build" --parallel "$jobs" --target "$@"
