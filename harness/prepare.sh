# What the tasks that people start one by one have in common; sourced by their files.

# The files that came with the task, what the package `determined` wants to know (if the image has it). The hooks come next.
prepare_task() {
  [ -z "${DET_CODE_SOURCE:-}" ] || "$python" -E -s -B "$here/fetch_code.py"
  "$python" -E -s -B "$here/fetch_context.py"
  describe_cluster "$@"
}

# det.get_cluster_info() reads what this writes. A task that does not ask must not fail for it.
describe_cluster() {
  "$python" -c 'import importlib.util, sys; sys.exit(importlib.util.find_spec("determined") is None)' 2>/dev/null || return 0
  prep_container "$@" || echo "WARNING: the package 'determined' of this image does not work; det.get_cluster_info() will say None" >&2
}

# watch_lines OUTPUT READY [WAITING]: what is written to descriptor 3 goes to descriptor OUTPUT, and the server is told when a line
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
