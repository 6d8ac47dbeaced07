#!/bin/sh
# Prepares the container for a task and becomes the task. Runs under the log shipper, so that what it prints is in the task's log.
# What one task type does is in task-<type>.sh beside this file; a new type is a new file. Any step that fails ends the task.
set -e
here=$(cd "$(dirname "$0")" && pwd)
export DET_PYTHON_EXECUTABLE="${DET_PYTHON_EXECUTABLE:-python3}"  # for hooks and programs, as with Determined
python=$DET_PYTHON_EXECUTABLE
run_dir=${DET_RUN_DIR:-/run/determined}
task_files=${DET_TASK_FILES:-$run_dir/task-files}

fail() {
  for line in "$@"; do echo "ERROR: $line" >&2; done
  exit 1
}

# run_pip PIP-ARGUMENT...: where `pip_limit` is set, for that many seconds at most, and with its last line in `pip_said`: a task that can
# do without what is installed is neither held up nor has its log filled.
run_pip() {
  [ -n "${pip_limit:-}" ] || { "$python" -m pip "$@"; return; }
  pip_said=
  "$python" -E -s -c '
import subprocess, sys
try: sys.exit(subprocess.call(sys.argv[2:], stdin=subprocess.DEVNULL, timeout=float(sys.argv[1])) and 1)
except subprocess.TimeoutExpired: sys.exit("it had not ended after %s seconds" % sys.argv[1])' \
    "$pip_limit" "$python" -m pip "$@" > "$run_dir/pip.log" 2>&1 && return
  pip_said=$(sed -n '$p' "$run_dir/pip.log")
  return 1
}

# pip_into FOLDER PIP-ARGUMENT...: into a folder of the task, beside what the image has.
pip_into() {
  packages_dir=$1
  shift
  run_pip install --quiet --disable-pip-version-check --no-cache-dir --no-warn-script-location --prefix "$packages_dir" "$@"
}

list_installed() {
  run_pip list --disable-pip-version-check --format=freeze > "$run_dir/installed.log" 2>/dev/null || return 1
  [ -z "${pip_limit:-}" ] || cp "$run_dir/pip.log" "$run_dir/installed.log"
  sed -n '/^[A-Za-z0-9][^ ]*==/p' "$run_dir/installed.log" > "$run_dir/installed.txt"
}

# install_packages FOLDER PIP-ARGUMENT...: what is missing. The image's own packages stay as they are: where a version of theirs does not
# fit, the folder gets another one, which comes first. (pip would take theirs away, whatever --prefix says.)
install_packages() {
  list_installed && pip_into "$@" --constraint "$run_dir/installed.txt" > "$run_dir/pip-first.log" 2>&1 ||
    pip_into "$@" --ignore-installed || return 1
  use_packages "$1"
}

# use_packages FOLDER: Python and programs find them before the image's.
use_packages() {
  packages_dir=$1
  for folder in "$packages_dir"/lib*/python*/site-packages "$packages_dir"/local/lib/python*/dist-packages; do
    case ":${PYTHONPATH:-}:" in *":$folder:"*) continue ;; esac
    [ -d "$folder" ] && PYTHONPATH=$folder${PYTHONPATH:+:$PYTHONPATH}
  done
  PATH=$packages_dir/bin:$packages_dir/local/bin:$PATH
  export PATH PYTHONPATH
}

# The package and what it needs, from the wheels that the operator serves.
install_determined() {
  set -- --no-index --find-links "$DET_HARNESS_WHEELS"
  # A host that is trusted is not verified, whatever --cert says.
  case "$DET_HARNESS_WHEELS $(printf %s "${DET_MASTER_CERT_FILE:-}" | tr '[:upper:]' '[:lower:]')" in
    http://*|*" noverify") set -- "$@" --trusted-host "${DET_MASTER_HOST:-localhost}" ;;
    *" ") ;;
    *) set -- "$@" --cert "$DET_MASTER_CERT_FILE" ;;
  esac
  install_packages "$run_dir/harness-packages" "$@" "determined==$DET_HARNESS_VERSION"
}

# Whether it is there. A folder of that name is not it.
has_determined() {
  "$python" -c '
import importlib.util, sys
found = importlib.util.find_spec("determined")
sys.exit(found is None or found.origin is None)' 2>/dev/null
}
can_import_determined() { "$python" -c 'import determined' 2>/dev/null; }

# get_determined WHY: installs it, or ends the task.
get_determined() {
  if [ -n "${DET_HARNESS_WHEELS:-}" ]; then
    echo "INFO: the Python package 'determined' is missing in this image; installing $DET_HARNESS_VERSION from $DET_HARNESS_WHEELS"
    if install_determined && "$python" -c 'import determined'; then return; fi
  else
    "$python" -c 'import determined' || true
  fi
  fail "The Python package 'determined' cannot be imported by '$python' in this image." \
    "$1 Add it to the image, for example in its Dockerfile:" \
    "    RUN $python -m pip install determined==${DET_HARNESS_VERSION:-0.38.1}" \
    "or set DET_PYTHON_EXECUTABLE in environment.environment_variables to an interpreter that has it." \
    "On one machine, without images: det deploy local cluster-up --python DIR, an environment that has it."
}

# Who signed the operator's certificate, where its Secret says so: before Python 3.13 a certificate alone vouches for nothing that is not
# its own signature.
add_authority() {
  authority=${DET_MASTER_CERT_FILE%/*}/ca.crt
  case ${DET_MASTER_CERT_FILE:-} in */master.crt) [ -s "$authority" ] || return 0 ;; *) return 0 ;; esac
  cat "$DET_MASTER_CERT_FILE" "$authority" > "$run_dir/master-chain.crt" || return 0
  export DET_MASTER_CERT_FILE="$run_dir/master-chain.crt"
}

prep_container() { "$python" -m determined.exec.prep_container "$@"; }

# begin_with_determined WHY PREP-ARGUMENT...: with the package's first step. Whether it can be imported is asked only where that failed: to
# find out takes as long as the step.
begin_with_determined() {
  why_determined=$1
  shift
  has_determined || get_determined "$why_determined"
  prep_container "$@" && return
  det_code=$?
  ! can_import_determined || exit $det_code
  get_determined "$why_determined"
  prep_container "$@"
}

# The pod brings an empty folder; prep_container and its successors expect these inside.
make_folders() { mkdir -p "$run_dir/info" "$run_dir/train/model" "$run_dir/train/logs" "$run_dir/pythonuserbase"; }

# Programs that print by way of these links (determined.launch.wrap_rank) reach the shipper whatever their own output is.
# $$ stays right, because the task replaces this shell.
link_outputs() {
  ln -sf "/proc/$$/fd/1" "$run_dir/train/logs/stdout.log"
  ln -sf "/proc/$$/fd/2" "$run_dir/train/logs/stderr.log"
}

# Some runtimes leave HOME at / for users they do not know; caches would then land where nobody may write.
set_home() {
  [ "${HOME:-/}" = / ] || return 0
  HOME=$("$python" -c 'import os, pwd; print(pwd.getpwuid(os.getuid()).pw_dir)' 2>/dev/null) || HOME=
  { [ -n "$HOME" ] && [ "$HOME" != / ]; } || HOME=$PWD
  export HOME
}

# Who runs as an account of the cluster's has no name in most images; files are then listed as a number's.
name_account() {
  [ -z "${DET_AGENT_USER:-}${DET_AGENT_GROUP:-}" ] || "$python" -E -s -B "$here/login_account.py" --name-only "$HOME" || true
}

# The cluster's own hook; the task types run it at its place.
write_cluster_hook() { [ -z "${DET_STARTUP_HOOK:-}" ] || printf '%s\n' "$DET_STARTUP_HOOK" > "$run_dir/dynamic-tcd-startup-hook.sh"; }

export PATH="$run_dir/pythonuserbase/bin:$PATH"
# Otherwise lines of a program that prints to a pipe arrive in blocks, minutes late.
export PYTHONUNBUFFERED="${PYTHONUNBUFFERED-1}"
make_folders
link_outputs
set_home
name_account
add_authority
write_cluster_hook

type=$(printf '%s' "${DET_TASK_TYPE:-}" | tr 'A-Z_' 'a-z-')
[ -n "$type" ] && [ -f "$here/task-$type.sh" ] ||
  fail "DET_TASK_TYPE is '${DET_TASK_TYPE:-}'; this version runs: $(cd "$here" && ls task-*.sh | sed 's/^task-//; s/\.sh$//' | tr 'a-z-\n' 'A-Z_ ')"
. "$here/task-$type.sh"
