#!/usr/bin/env bash
# How many lines of accept/ and operator/ the unit tests and the simulation execute: coverage.sh [--least PERCENT] [--seconds S]
# Fails if one of the two folders is below PERCENT (90). The simulation runs undisturbed, then S (300) seconds of faults.
# Which lines were not executed is written to build/coverage/lines.txt.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

least=90 seconds=300
while [ $# -gt 0 ]; do
  case $1 in
    --least) least=${2:?--least wants a number} ;;
    --seconds) seconds=${2:?--seconds wants a number} ;;
    *) die "unknown option '$1': coverage.sh [--least PERCENT] [--seconds S]" ;;
  esac
  shift 2
done

cd "$det_root"
folder=build/coverage
bin=$folder/bin
tests=(test_accept test_operator test_api) # REST passes the same gate as kubectl
build() {
  cmake --preset coverage > build/configure-coverage.log || { cat build/configure-coverage.log >&2; exit 1; }
  cmake --build --preset coverage --target "${tests[@]}" test_simulation >&2
}
run() {
  local name
  rm -rf "$folder/profiles"
  mkdir -p "$folder/profiles"
  # %m: processes of one program add to one file; the simulation makes some of itself.
  export LLVM_PROFILE_FILE=$det_root/$folder/profiles/%m.profraw LSAN_OPTIONS=suppressions=$det_root/tests/lsan.supp:print_suppressions=0
  for name in "${tests[@]}"; do "$bin/$name" --gtest_brief=1; done
  "$bin/test_simulation"
  "$bin/test_simulation" --exhaustive all --every 29 --seconds "$seconds"
}
count() {
  llvm-profdata-19 merge -sparse "$folder"/profiles/*.profraw -o "$folder/all.profdata"
  local sources name objects=("$bin/test_simulation")
  for name in "${tests[@]}"; do objects+=(-object "$bin/$name"); done
  mapfile -t sources < <(git ls-files 'accept/*.cc' 'accept/*.h' 'operator/*.cc' 'operator/*.h')
  llvm-cov-19 show "${objects[@]}" -instr-profile="$folder/all.profdata" -show-branches=count "${sources[@]}" > "$folder/lines.txt"
  llvm-cov-19 export "${objects[@]}" -instr-profile="$folder/all.profdata" -summary-only "${sources[@]}" > "$folder/summary.json"
  /usr/bin/python3 scripts/coverage_table.py "$folder/summary.json" --least "$least"
}

mkdir -p "$CCACHE_DIR" build
phase packages scripts/install-deps.sh coverage
phase build build
phase run run
phase count count
