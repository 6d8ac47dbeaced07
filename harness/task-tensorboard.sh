# A TensorBoard: sourced by entrypoint.sh. determined.exec.tensorboard fetches the files from checkpoint storage.
. "$here/prepare.sh"
require_determined "A TensorBoard reads the metrics of trials through it."
prepare_task
. "$here/hooks.sh"

has_tensorboard() { "$python" -c 'import tensorboard' 2>/dev/null && command -v tensorboard >/dev/null; }
if ! has_tensorboard && [ -z "${DET_SKIP_PIP_INSTALL:-}" ]; then
  echo "INFO: TensorBoard is missing in this image; installing it with pip"
  install_packages tensorboard || echo "WARNING: pip could not install TensorBoard" >&2
fi
has_tensorboard ||
  fail "A TensorBoard needs the Python package 'tensorboard' and its program on the PATH, which this image does not have. Add it, for" \
    "example in its Dockerfile:" \
    "    RUN $python -m pip install tensorboard"
[ -n "${TENSORBOARD_PORT:-}" ] || fail "The environment variable TENSORBOARD_PORT is not set. The pod was not made as this version makes it."
export TF_CPP_MIN_LOG_LEVEL="${TF_CPP_MIN_LOG_LEVEL:-3}"

watch_lines 1 'TensorBoard contains metrics' 'TensorBoard (waits on|is waiting for) metrics'
exec "$python" "$here/tensorboard_server.py" >&3 3>&-
