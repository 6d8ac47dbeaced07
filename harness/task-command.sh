# A command: sourced by entrypoint.sh. Needs nothing of the image but Python.
. "$here/prepare.sh"
prepare_task
. "$here/hooks.sh"
exec "$python" -E -s -B "$here/run_entrypoint.py"
