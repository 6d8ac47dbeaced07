# What the tasks that people start one by one have in common; sourced by their files.

# The package `determined`, the files that came with the task, and what the package wants to know. The hooks come next.
prepare_task() {
  offer_determined
  [ -z "${DET_CODE_SOURCE:-}" ] || "$python" -E -s -B "$here/fetch_code.py"
  "$python" -E -s -B "$here/fetch_context.py"
  describe_cluster "$@"
}

# In Determined every task has `det` and the SDK. Here, too, as far as the image allows: a task that needs neither goes on without.
offer_determined() {
  [ -n "${DET_HARNESS_WHEELS:-}" ] && [ -z "${DET_SKIP_PIP_INSTALL:-}" ] || return 0
  ! has_determined || return 0
  pip_limit=120
  why=
  install_determined || why="pip: $pip_said"
  pip_limit=
  [ -n "$why" ] || "$python" -c 'import determined' 2> "$run_dir/pip.log" || why="importing it: $(sed -n '$p' "$run_dir/pip.log")"
  [ -n "$why" ] || return 0
  # What cannot be imported would only be in the way.
  rm -rf "$run_dir/harness-packages"
  echo "WARNING: this task goes on without det and the Python package 'determined', which cannot be installed in this image ($why)." \
    "If it needs them, add to the Dockerfile: RUN $python -m pip install determined==${DET_HARNESS_VERSION:-0.38.1};" \
    "if not, set DET_SKIP_PIP_INSTALL=1 in environment.environment_variables" >&2
}

# det.get_cluster_info() reads what this writes. A task that does not ask must not fail for it.
describe_cluster() {
  has_determined || return 0
  prep_container "$@" || echo "WARNING: the package 'determined' of this image does not work; det.get_cluster_info() will say None" >&2
}

# watch_lines OUTPUT [--port PORT] READY [WAITING]: what is written to descriptor 3 goes to descriptor OUTPUT, and the server is told when a line
# matches. By a pipe with a name, so that the task itself keeps its process, its signals and its exit code.
watch_lines() {
  watched_output=$1
  shift
  pipe=$run_dir/watched-$$
  rm -f "$pipe"
  mkfifo -m 600 "$pipe"
  "$python" -E -s -B "$here/ready_logs.py" "$@" < "$pipe" 1>&"$watched_output" &
  exec 3> "$pipe"
  rm -f "$pipe"
}
