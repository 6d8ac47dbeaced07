# A notebook: sourced by entrypoint.sh. JupyterLab behind the operator's proxy.
. "$here/prepare.sh"
prepare_task --resources
. "$here/hooks.sh"

if command -v jupyter-lab >/dev/null; then
  set -- jupyter-lab
elif "$python" -c 'import jupyterlab' 2>/dev/null; then
  set -- "$python" -m jupyterlab
else
  fail "A notebook needs JupyterLab, which this image does not have. Add it, for example in its Dockerfile:" \
    "    RUN $python -m pip install jupyterlab" \
    "or in a startup hook (startup-hook.sh in the folder given with --context)."
fi
for name in NOTEBOOK_PORT DET_NOTEBOOK_TOKEN; do
  eval "[ -n \"\${$name:-}\" ]" || fail "The environment variable $name is not set. The pod was not made as this version makes it."
done

# Terminals run the user's own shell, if there is one that can be used.
SHELL=$("$python" -E -s -c '
import os, pwd
try: shell = pwd.getpwuid(os.getuid()).pw_shell
except KeyError: shell = ""
print(shell if os.path.basename(shell) not in ("", "nologin", "false") and os.access(shell, os.X_OK) else "")')
[ -n "$SHELL" ] || SHELL=$(command -v bash || echo /bin/sh)
export SHELL

jupyter_dir=$run_dir/jupyter
(umask 077 && mkdir -p "$jupyter_dir/ours" "$jupyter_dir/config" "$jupyter_dir/data" "$jupyter_dir/runtime")
export JUPYTER_RUNTIME_DIR="${JUPYTER_RUNTIME_DIR:-$jupyter_dir/runtime}"
# Settings and kernels are those below HOME, where people and `ipykernel install --user` keep them. Where they cannot be written there,
# they are only read, and new ones last as long as the task.
can_write() { mkdir -p -m 700 "$1" 2>/dev/null && [ -w "$1" ]; }
folder=$HOME/.jupyter
if [ -z "${JUPYTER_CONFIG_DIR:-}" ] && ! can_write "$folder"; then
  export JUPYTER_CONFIG_DIR="$jupyter_dir/config" JUPYTER_CONFIG_PATH="${JUPYTER_CONFIG_PATH:+$JUPYTER_CONFIG_PATH:}$folder"
fi
folder=${XDG_DATA_HOME:-$HOME/.local/share}/jupyter
if [ -z "${JUPYTER_DATA_DIR:-}" ] && ! can_write "$folder"; then
  export JUPYTER_DATA_DIR="$jupyter_dir/data" JUPYTER_PATH="${JUPYTER_PATH:+$JUPYTER_PATH:}$folder"
fi
# The token in a file: everybody on the machine may read a command line. These come before all other settings, so that those of an image
# or a home, with a password, no token or a certificate, do not decide who gets in, and how.
(umask 077 && "$python" -E -s -c '
import json, os
token = {"token": os.environ["DET_NOTEBOOK_TOKEN"]}
print(json.dumps({
    "ServerApp": dict(token, password="", password_required=False, certfile="", keyfile=""),
    "IdentityProvider": token,
    "PasswordIdentityProvider": {"hashed_password": "", "password_required": False},
}))' > "$jupyter_dir/ours/jupyter_server_config.json")
export JUPYTER_CONFIG_PATH="$jupyter_dir/ours${JUPYTER_CONFIG_PATH:+:$JUPYTER_CONFIG_PATH}"

# People come through the proxy under the task's own name (allow_remote_access).
log_format='%(levelname)s: [%(name)s] %(message)s'
set -- "$@" --ServerApp.port="$NOTEBOOK_PORT" --ServerApp.port_retries=0 --ServerApp.ip="${DET_BIND_ADDRESS:-*}" \
  --ServerApp.base_url="/proxy/$DET_TASK_ID/" --ServerApp.root_dir=/ --ContentsManager.preferred_dir="$PWD" \
  --ServerApp.allow_origin='*' --ServerApp.allow_remote_access=True --ServerApp.allow_root=True --ServerApp.trust_xheaders=True --ServerApp.open_browser=False \
  --ServerApp.log_format="$log_format" --Application.log_format="$log_format" --ExtensionApp.log_format="$log_format" \
  --LabApp.log_format="$log_format" --LabServerApp.log_format="$log_format" --JupyterApp.log_format="$log_format"
if [ -f "$task_files/jupyter.crt" ] && [ -f "$task_files/jupyter.key" ]; then
  set -- "$@" --ServerApp.certfile="$task_files/jupyter.crt" --ServerApp.keyfile="$task_files/jupyter.key"
  tls=1
fi

DET_NOTEBOOK_TLS=${tls:-} "$python" -E -s -B "$here/idle_reports.py" $$ &
# JupyterLab prints this line before it listens.
watch_lines 2 --port "$NOTEBOOK_PORT" 'Jupyter Server .* is running'
exec "$@" 2>&3 3>&-
