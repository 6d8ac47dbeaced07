# A trial: sourced by entrypoint.sh. The rendezvous comes last, so that the pods of a gang start to train together.
require_determined
[ -z "${DET_CODE_SOURCE:-}" ] || "$python" -E -s -B "$here/fetch_code.py"
prep_container --download_context_directory --resources --proxy
source_hook "$run_dir/dynamic-tcd-startup-hook.sh"
source_hook ./startup-hook.sh
prep_container --rendezvous
exec "$python" -m determined.exec.launch
