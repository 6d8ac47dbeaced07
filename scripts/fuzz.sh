#!/usr/bin/env bash
# Runs the fuzz targets: fuzz.sh [--seconds N] [--jobs N] [--keep] [TARGET...]
#   Each target starts from tests/fuzz_corpus/<target>.tgz and runs N seconds (60), as many at once as there are cores.
#   --keep: what reached new code is added to that archive, which stays as small as it can be.
# Prints a line a target: executions, coverage, findings; a finding's input stays in build/fuzz/findings. Not part of test.sh.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

seconds=60 jobs=$(nproc) keep='' targets=()
while [ $# -gt 0 ]; do
  case $1 in
    --seconds) seconds=$2; shift 2 ;;
    --jobs) jobs=$2; shift 2 ;;
    --keep) keep=1; shift ;;
    -*) die "unknown option $1" ;;
    *) targets+=("$1"); shift ;;
  esac
done
cd "$det_root"
[ ${#targets[@]} -gt 0 ] || mapfile -t targets < <(cd tests && ls -- */*_fuzz.cc | sed 's#.*/##; s#\.cc$##')
cmake --preset fuzz > /dev/null
cmake --build --preset fuzz --target "${targets[@]}" > build/fuzz/build.log || { tail -n 30 build/fuzz/build.log >&2; die "build failed"; }
mkdir -p build/fuzz/{findings,corpus,logs}

# With leaks looked for at the end only: a check after every input would be most of the time.
fuzz_one() { # TARGET
  local target=$1 kept=tests/fuzz_corpus/$1.tgz corpus=build/fuzz/corpus/$1 log=build/fuzz/logs/$1.log code=0
  mkdir -p "$corpus"
  [ ! -f "$kept" ] || tar -xzf "$kept" -C "$corpus"
  LSAN_OPTIONS=suppressions=$det_root/tests/lsan.supp:print_suppressions=0 build/fuzz/bin/"$target" -max_total_time="$seconds" \
    -detect_leaks=0 -rss_limit_mb=2048 -timeout=10 -max_len=16384 -print_final_stats=1 -artifact_prefix="build/fuzz/findings/$target-" \
    "$corpus" > "$log" 2>&1 || code=$?
  local runs covered
  runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
  covered=$(grep -o 'cov: [0-9]*' "$log" | tail -n 1 | cut -d' ' -f2)
  printf '%-20s %12s executions  %6s edges  %s\n' "$target" "${runs:-?}" "${covered:-?}" \
    "$([ $code = 0 ] && echo 'no finding' || echo "FINDING, see $log")"
  if [ -n "$keep" ]; then
    rm -rf "$corpus.small" && mkdir "$corpus.small"
    if build/fuzz/bin/"$target" -merge=1 -detect_leaks=0 -artifact_prefix="build/fuzz/findings/$target-" "$corpus.small" "$corpus" \
      > "$log.merge" 2>&1; then
      tar --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner -C "$corpus.small" -c . | gzip -9n > "$kept"
    else
      echo "$target: the corpus stays as it was, merging failed; see $log.merge"
      code=1
    fi
  fi
  return $code
}
export -f fuzz_one
export seconds keep det_root
printf '%s\n' "${targets[@]}" | xargs -P "$jobs" -I{} bash -c 'fuzz_one {}'
