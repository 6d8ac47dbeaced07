#!/bin/sh
# What a task's container runs: picks a Python, and starts the log shipper, which starts the entrypoint.
here=$(cd "$(dirname "$0")" && pwd)
python=${DET_PYTHON_EXECUTABLE:-python3}
# As process 1 it would not notice the signal without that.
trap 'exit 143' TERM

"$python" -c 'import sys; sys.exit(sys.version_info < (3, 6))' 2>/dev/null
code=$?
if [ "$code" -ne 0 ]; then
  {
    echo "ERROR: this task needs Python 3.6 or later, and '$python' is not one that works in this image."
    echo "Use an image that has python3 on its PATH, or name the interpreter in the experiment configuration:"
    echo "  environment: {environment_variables: [\"DET_PYTHON_EXECUTABLE=/path/to/python3\"]}"
  } >&2
  [ "$code" -eq 127 ] && exit 127
  exit 1
fi
# bash where there is one, because people write their startup hooks for it.
shell=$(command -v bash || echo /bin/sh)
# -E -s: the user's PYTHON* variables are for the user's program; a module of theirs must not replace one that the shipper uses.
exec "$python" -E -s -B "$here/ship_logs.py" "$shell" "$here/entrypoint.sh"
