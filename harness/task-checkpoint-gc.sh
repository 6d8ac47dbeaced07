# Deletes checkpoints from storage: sourced by entrypoint.sh. What is not there any more counts as deleted.
begin_with_determined "Checkpoints are deleted from storage through it."
[ -n "${DET_GC_EXPERIMENT_ID:-}" ] || fail "DET_GC_EXPERIMENT_ID is not set. The pod was not made as this version makes it."
[ -f "$task_files/storage_config.json" ] || fail "The checkpoint storage is not known: $task_files/storage_config.json is missing."
set -- --experiment-id "$DET_GC_EXPERIMENT_ID" --storage-config "$task_files/storage_config.json"
if [ -f "$task_files/checkpoints_to_delete.json" ]; then
  globs=$task_files/checkpoints_globs.json
  if [ ! -f "$globs" ]; then
    globs=$run_dir/checkpoints_globs.json
    echo '["**/*"]' > "$globs"
  fi
  set -- "$@" --delete "$task_files/checkpoints_to_delete.json" --globs "$globs"
fi
# Any text in this variable, "false" too, is a yes to the package itself.
case "${DET_DELETE_TENSORBOARDS:-}" in
  '' | 0 | false | False | FALSE) ;;
  *) set -- "$@" --delete-tensorboards ;;
esac
unset DET_DELETE_TENSORBOARDS
exec "$python" "$here/checkpoint_gc.py" "$@"
