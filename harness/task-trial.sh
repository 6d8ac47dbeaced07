# A trial: sourced by entrypoint.sh. The rendezvous comes last, so that the pods of a gang start to train together.
require_determined "Training code reports metrics and checkpoints through it."
[ -z "${DET_CODE_SOURCE:-}" ] || "$python" -E -s -B "$here/fetch_code.py"
prep_container --download_context_directory --resources --proxy
. "$here/hooks.sh"
prep_container --rendezvous
# Launchers that start processes on other pods (horovod, deepspeed, mpirun) run sshd from this folder and call ssh.
. "$here/ssh.sh"
# The client first: with it comes the PATH that programs started by ssh get.
set_up_ssh() {
  install_ssh_client && install_ssh_keys PATH && write_sshd_config || return 1
  [ ! -x /usr/sbin/sshd ] || make_sshd_folder /usr/sbin/sshd || true
  "$python" -E -s -B "$here/login_account.py" --quiet "$PWD" || true
}
# Most trials of several pods do not need it: what it lacks must not end them.
if has_ssh_keys; then
  set_up_ssh || echo "WARNING: ssh to the other pods of this trial could not be set up" >&2
fi
exec "$python" -m determined.exec.launch
