# The startup hooks, the cluster's own first: sourced, so that what they export reaches the task. Not within a function: a hook that
# fails there has bash add "pop_var_context", which is a fault of its own.
for startup_hook in "$run_dir/dynamic-tcd-startup-hook.sh" ./startup-hook.sh; do
  [ -f "$startup_hook" ] || continue
  echo "INFO: running startup hook $startup_hook"
  # (0: it ended the task by intention, or bash was told to stop.)
  trap 'det_code=$?; [ "$det_code" = 0 ] || echo "ERROR: the startup hook $det_hook ended the task with exit code $det_code" >&2' EXIT
  # Hooks have variables of ordinary names.
  det_hook=$startup_hook det_here=$here det_run_dir=$run_dir det_task_files=$task_files
  . "$startup_hook"
  here=$det_here run_dir=$det_run_dir task_files=$det_task_files
  python=${DET_PYTHON_EXECUTABLE:-python3}
  trap - EXIT
done
