#!/usr/bin/env bash
# What takes too long for scripts/test.sh: test-long.sh [--list] [PART...]. Hours; each part can be run alone. Needs root only where test.sh does.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
cd "$det_root"

# name | what it is
parts=(
  "tidy|clang-tidy over every source file (20 minutes, later only what changed)"
  "tsan|unit tests of what has threads, under ThreadSanitizer"
  "simulation|every applicable fault at every external call of every scenario, and 10,000 seeds"
  "fuzz|every fuzz target for ten minutes"
  "chaos|200 searches through faults, and 1000 kills"
  "mutants|broken defences that the attack suite must notice"
  "loaded|the suites named by DET_LOADED (else all), each ten times in a row beside four busy loops (ten hours for all)"
)
names=()
for part in "${parts[@]}"; do names+=("${part%%|*}"); done
if [ "${1:-}" = --list ]; then printf '%s\n' "${parts[@]}" | tr '|' '\t'; exit 0; fi
wanted=("$@")
[ ${#wanted[@]} -gt 0 ] || wanted=("${names[@]}")
for name in "${wanted[@]}"; do
  [[ " ${names[*]} " == *" $name "* ]] || die "unknown part '$name'; there are: ${names[*]}"
done

threaded=(base http pg k8sclient store api)

tidy() { scripts/tidy.py; }
tsan() {
  local folder
  have llvm-symbolizer || apt_install llvm # without names suppressions match nothing
  cmake --preset tsan > build/configure-tsan.log
  cmake --build --preset tsan --target "${threaded[@]/#/test_}" >&2
  for folder in "${threaded[@]}"; do
    TSAN_OPTIONS="halt_on_error=1 external_symbolizer_path=$(command -v llvm-symbolizer) suppressions=$det_root/tests/tsan.supp" build/tsan/bin/"test_$folder" --gtest_filter='-*/Real' --gtest_brief=1
  done
}
simulation() {
  # Without the sanitizers, which the short form has: it is quicker.
  cmake --preset simulation > build/configure-simulation.log
  cmake --build --preset simulation --target test_simulation >&2
  build/simulation/bin/test_simulation --exhaustive all
  build/simulation/bin/test_simulation --seeds 770 # of each of the 13 scenarios
}
fuzz() { scripts/fuzz.sh --seconds 600; }
chaos() {
  /usr/bin/python3 tests/chaos/chaos.py --rounds 200
  /usr/bin/python3 tests/chaos/kills.py --kills 1000 --trials 200
  /usr/bin/python3 tests/chaos/kills.py --kills 1000 --trials 200 --free
}
mutants() { /usr/bin/python3 tests/attacks/mutants.py; }
# What a test reads must have been waited for: on a machine that is busy with other things it comes late.
loaded() {
  local suites=(${DET_LOADED:-$(scripts/test.sh --list | cut -f 1)}) suite time i
  for suite in "${suites[@]}"; do # built, installed and run once on a machine that is not busy
    scripts/test.sh "$suite" > "build/loaded-$suite.log" 2>&1 || die "$suite fails on a machine that is not busy: build/loaded-$suite.log"
  done
  loops=() # not local: the trap reads it
  trap 'kill "${loops[@]}"' EXIT
  for ((i = 0; i < 4; i++)); do
    while :; do :; done &
    loops+=($!)
  done
  for suite in "${suites[@]}"; do
    for ((i = 1; i <= 10; i++)); do
      time=$SECONDS
      DET_SUITE_LIMIT=10800 scripts/test.sh "$suite" > "build/loaded-$suite.log" 2>&1 || die "$suite fails at time $i of ten: build/loaded-$suite.log"
      say "$suite: $i of 10, $((SECONDS - time)) s"
    done
  done
}

mkdir -p "$CCACHE_DIR" build
phase packages scripts/install-deps.sh test
phase "build programs" scripts/build.sh
if [[ " ${wanted[*]} " == *" chaos "* ]]; then
  phase "build what chaos needs" cmake --preset asan
  cmake --build --preset asan --target kube_api_server searcher_conformance >&2
fi
passed=0 failed=0 lines=()
for name in "${wanted[@]}"; do
  start=$SECONDS code=0
  # In a process of its own: a failure inside ends it, not the other parts.
  bash -euo pipefail -c ". scripts/lib.sh; $(declare -f "$name"); $(declare -p threaded); $name" || code=$?
  if [ "$code" = 0 ]; then passed=$((passed + 1)) word=passed; else failed=$((failed + 1)) word=FAILED; fi
  lines+=("$(printf '%s  %-8s %6d s' "$word" "$name" $((SECONDS - start)))")
done
printf '%s\n' "${lines[@]}"
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
