# The startup hooks, the cluster's own first: sourced, so that what they export reaches the task. Not within a function: a hook that
# fails there has bash add "pop_var_context", which is a fault of its own.
for startup_hook in "$run_dir/dynamic-tcd-startup-hook.sh" ./startup-hook.sh; do
  [ -f "$startup_hook" ] || continue
  echo "INFO: running startup hook $startup_hook"
  trap 'echo "ERROR: the startup hook $startup_hook ended the task with exit code $?" >&2' EXIT
  . "$startup_hook"
  trap - EXIT
done
