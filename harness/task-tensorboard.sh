# A TensorBoard: sourced by entrypoint.sh. determined.exec.tensorboard fetches the files from checkpoint storage.
. "$here/prepare.sh"
can_import_determined || get_determined "A TensorBoard reads the metrics of trials through it."
prepare_task
. "$here/hooks.sh"

has_tensorboard() { "$python" -c 'import tensorboard' 2>/dev/null && command -v tensorboard >/dev/null; }
if ! has_tensorboard && [ -z "${DET_SKIP_PIP_INSTALL:-}" ]; then
  echo "INFO: TensorBoard is missing in this image; installing it with pip"
  install_packages "$run_dir/harness-packages" tensorboard || echo "WARNING: pip could not install TensorBoard" >&2
fi
has_tensorboard ||
  fail "A TensorBoard needs the Python package 'tensorboard' and its program on the PATH, which this image does not have. Add it, for" \
    "example in its Dockerfile:" \
    "    RUN $python -m pip install tensorboard"
# The tab Profile, for those who report profiles. What the image has is kept at its version, and a plugin that TensorBoard cannot load,
# which would end it, goes again.
offer_profiles() {
  plugin_dir=$run_dir/profile-plugin
  echo "INFO: TensorBoard's plugin for profiles is missing in this image; installing it with pip"
  pip_limit=120 pip_said="pip cannot list what the image has"
  if list_installed &&
    pip_into "$plugin_dir" --timeout 10 --retries 0 --only-binary :all: --constraint "$run_dir/installed.txt" \
      tensorboard-plugin-profile && use_packages "$plugin_dir" && pip_said="TensorBoard cannot load it" &&
    "$python" -c 'from tensorboard import default; default.get_dynamic_plugins()' > /dev/null 2>&1; then pip_limit=; return; fi
  pip_limit=
  rm -rf "$plugin_dir"
  echo "WARNING: this TensorBoard goes on without the tab Profile: $pip_said. Add tensorboard-plugin-profile to the image, or set" \
    "DET_SKIP_PIP_INSTALL=1 in environment.environment_variables" >&2
}
has_profiles() {
  "$python" -c 'import sys; from importlib.util import find_spec as find; sys.exit(not (find("tensorboard_plugin_profile") or find("xprof")))' 2>/dev/null
}
[ -n "${DET_SKIP_PIP_INSTALL:-}" ] || has_profiles || offer_profiles
[ -n "${TENSORBOARD_PORT:-}" ] || fail "The environment variable TENSORBOARD_PORT is not set. The pod was not made as this version makes it."
export TF_CPP_MIN_LOG_LEVEL="${TF_CPP_MIN_LOG_LEVEL:-3}"

watch_lines 1 'TensorBoard contains metrics' 'TensorBoard (waits on|is waiting for) metrics'
exec "$python" "$here/tensorboard_server.py" >&3 3>&-
