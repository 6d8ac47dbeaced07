# Shared by the scripts of this folder: source it, do not run it. Needs bash and coreutils only, because a bare machine has no more.
# Everything built or downloaded lives in one cache folder outside the tree; nothing here needs root unless a package is missing.

shopt -s inherit_errexit # a failure inside $(...) counts too

det_root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
det_cache=${DET_OPERATOR_CACHE:-${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/det-operator}
det_tools=$det_cache/tools
det_version=0.38.1
det_venv=$det_cache/venv-determined-$det_version
det_older_versions=(0.26.7 0.33.0 0.37.0) # of the harness: the two protocols before 0.38, and the last of them

say() { printf '%s\n' "$*" >&2; }
die() { say "error: $*"; exit 1; }
have() { command -v "$1" >/dev/null 2>&1; }

# phase NAME COMMAND...: runs it and says how long it took; phase_summary repeats all of them at the end.
det_phases=()
phase() {
  local name=$1 start tenths
  shift
  say "==> $name"
  start=$(date +%s%N)
  "$@" # a failure ends the script here by `set -e`, which a `||` would switch off inside the command
  tenths=$(( ($(date +%s%N) - start) / 100000000 ))
  det_phases+=("$(printf '%8s s  %s' "$((tenths / 10)).$((tenths % 10))" "$name")")
  say "    $name: $((tenths / 10)).$((tenths % 10)) s"
}
phase_summary() { [ ${#det_phases[@]} -eq 0 ] || { say "phases:"; printf '%s\n' "${det_phases[@]}" >&2; }; }

as_root() { if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi; }

apt_missing() {
  local p
  for p in "$@"; do
    [ "$(dpkg-query -W -f '${db:Status-Status}' "$p" 2>/dev/null || true)" = installed ] || printf '%s\n' "$p"
  done
}

# apt_install PACKAGE...: installs those that are missing; with none missing it touches neither apt nor root rights.
apt_install() {
  have dpkg-query || die "this script installs Debian 12 packages; on another system install the equivalents of: $*"
  local missing
  mapfile -t missing < <(apt_missing "$@")
  [ ${#missing[@]} -gt 0 ] || return 0
  [ "$(id -u)" = 0 ] || have sudo ||
    die "packages are missing and need root: as root, run apt-get install --no-install-recommends ${missing[*]}"
  say "installing ${#missing[@]} packages: ${missing[*]}"
  mkdir -p "$det_cache"
  local apt=(as_root env DEBIAN_FRONTEND=noninteractive RUNLEVEL=1 apt-get -y -q -o DPkg::Lock::Timeout=300) log=$det_cache/apt.log
  { [ -n "${DET_APT_UPDATED:-}" ] || "${apt[@]}" update; } > "$log" 2>&1 &&
    "${apt[@]}" install --no-install-recommends "${missing[@]}" >> "$log" 2>&1 ||
    { tail -20 "$log" >&2; die "apt-get failed; all it said is in $log"; }
  export DET_APT_UPDATED=1
}

# Compiled objects are shared by all clones of this repository: paths count from its root.
# The precompiled headers stand for what they were made from (cmake/DetPrecompiled.cmake).
# Depend mode reads each header once, after the compiler has: otherwise a header that is edited between ccache's look and the
# compiler's puts an object into the cache that does not belong to its key.
export CCACHE_SLOPPINESS=pch_defines,time_macros CCACHE_PCH_EXTSUM=1 CCACHE_DEPEND=1
export CCACHE_DIR=${CCACHE_DIR:-$det_cache/ccache} CCACHE_BASEDIR=$det_root CCACHE_NOHASHDIR=1 CCACHE_MAXSIZE=${CCACHE_MAXSIZE:-10G}

# stamped FILE TEXT: true if FILE holds exactly TEXT. What is built writes its stamp last, so a broken build is built again.
stamped() { [ -f "$1" ] && [ "$(cat "$1")" = "$2" ]; }

# pinned_env NAME CONSTRAINTS PACKAGE...: the Python environment $det_cache/NAME with these packages, at the versions of a file of scripts/.
# Prints its folder.
pinned_env() {
  local venv=$det_cache/$1 constraints=$det_root/scripts/$2
  locked "$1" make_pinned_env "$venv" "$constraints" "${@:3}"
  printf '%s\n' "$venv"
}
make_pinned_env() {
  local venv=$1 constraints=$2 stamp=$1/.det-operator.stamp want
  want="$(/usr/bin/python3 --version) $(sha256sum < "$constraints")"
  stamped "$stamp" "$want" && return 0
  rm -rf "$venv"
  /usr/bin/python3 -m venv "$venv"
  "$venv/bin/python" -m pip --disable-pip-version-check -q install -c "$constraints" "${@:3}"
  printf '%s' "$want" > "$stamp"
}

# locked NAME COMMAND...: one at a time per cache, so that two scripts do not build the same thing into the same place.
locked() {
  local name=$1
  shift
  mkdir -p "$det_cache"
  (flock 9 && "$@" 9>&-) 9>"$det_cache/.$name.lock"
}
