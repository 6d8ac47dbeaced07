#!/usr/bin/env bash
# Ends what up.sh started from one state folder: down.sh --state DIR [--keep]; without --keep the folder is removed too.
set -euo pipefail
state='' keep=0
while [ $# -gt 0 ]; do
  case $1 in
    --state) state=$2; shift 2 ;;
    --keep) keep=1; shift ;;
    *) echo "error: unknown option $1" >&2; exit 2 ;;
  esac
done
[ -n "$state" ] || { echo "error: --state DIR is needed" >&2; exit 2; }
[ -f "$state/pids" ] || { echo "nothing runs from '$state'"; exit 0; }
state=$(cd "$state" && pwd)

# The numbers may have gone to other programs since (a restart of the machine): ours name the state folder in their arguments.
running() {
  local pid
  while read -r _ pid; do
    if tr '\0' '\n' 2>/dev/null < "/proc/$pid/cmdline" | grep -qF "$state/"; then echo "$pid"; fi
  done < "$state/pids"
}
signal_all() { local pid; for pid in $(running); do kill "-$1" "$pid" 2>/dev/null || true; done; }
wait_gone() { # TENTHS
  local i
  for ((i = 0; i < $1; i++)); do [ -n "$(running)" ] || return 0; sleep 0.1; done
  return 1
}
# The API server waits up to 60 s for open watches on TERM: nothing here needs that, so it gets 2 s like the rest.
signal_all TERM
wait_gone 20 || { signal_all KILL; wait_gone 20; } || { echo "error: processes of $state do not end: $(running)" >&2; exit 1; }
rm -f "$state/pids"
[ $keep = 1 ] || rm -rf "$state"
