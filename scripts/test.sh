#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs every suite on a finished build and fails when any of them failed.
#
# Usage: scripts/test.sh BUILD_DIR JOBS
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

build=$1 jobs=$2
passed=0 failed=()

export CUVIL_BUILD_DIR=$PWD/$build
# What an earlier build or test compiled must not hide what this one does.
CUVIL_CACHE_DIR=$(mktemp -d)
export CUVIL_CACHE_DIR
trap 'rm -rf "$CUVIL_CACHE_DIR"' EXIT

suite() {
  local name=$1 start=$SECONDS
  shift
  printf '\n== %s\n' "$name"
  if "$@"; then passed=$((passed + 1)); else failed+=("$name"); fi
  printf '== %s took %d s\n' "$name" $((SECONDS - start))
}

suite tree scripts/check_tree.py
suite unit ctest --test-dir "$build" --output-on-failure --timeout 300 -LE lit -j "$jobs"
if [[ -f $build/tests/lit/lit.site.cfg.py ]]; then
  suite lit .venv/bin/lit -sv -j "$jobs" "$build/tests/lit"
fi
suite onnx .venv/bin/python -m tests.e2e.node_suite --perturb --jobs "$jobs" --budget 540
suite python .venv/bin/python -m pytest -n "$jobs" --dist loadfile

printf '\nsuites: %d passed, %d failed\n' "$passed" "${#failed[@]}"
[[ ${#failed[@]} -eq 0 ]] || { echo "failed: ${failed[*]}"; exit 1; }
