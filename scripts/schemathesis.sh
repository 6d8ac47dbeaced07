#!/usr/bin/env bash
# Asks a det-operator local whatever its own description permits, and what it does not: schemathesis.sh [--seconds N]
#   With AddressSanitizer; N seconds (1200). Fails on an answer of 5xx other than 501, on one that contradicts the description, on a
#   report of the sanitizer and on a leak. Everything it kept is in build/schemathesis. Not part of test.sh.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

seconds=1200
while [ $# -gt 0 ]; do
  case $1 in
    --seconds) seconds=$2; shift 2 ;;
    *) die "unknown option $1" ;;
  esac
done
cd "$det_root"
"$det_root/scripts/install-deps.sh" tools
venv=$(pinned_env venv-schemathesis schemathesis-constraints.txt schemathesis)
export DET_OPERATOR_BIN=${DET_OPERATOR_BIN:-$det_root/build/asan/bin/det-operator}
[ -x "$DET_OPERATOR_BIN" ] || die "build it first: cmake --preset asan && cmake --build --preset asan --target det-operator"
exec /usr/bin/python3 tests/description/walk.py --schemathesis "$venv/bin/schemathesis" --seconds "$seconds" --out build/schemathesis
