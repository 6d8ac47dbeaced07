# A trial: sourced by entrypoint.sh. The rendezvous comes last, so that the pods of a gang start to train together.
[ -z "${DET_CODE_SOURCE:-}" ] || "$python" -E -s -B "$here/fetch_code.py"
begin_with_determined "Training code reports metrics and checkpoints through it." --download_context_directory --resources --proxy
. "$here/hooks.sh"
# Launchers that start processes on other pods (horovod, deepspeed, mpirun) run sshd from this folder and call ssh.
. "$here/ssh.sh"
# A trial of one pod has none.
has_ssh_keys || exec "$python" "$here/start_trial.py"
# A hook may have left `set +e` on.
prep_container --rendezvous || exit $?
# The client first: with it comes the PATH that programs started by ssh get.
set_up_ssh() {
  install_ssh_client && install_ssh_keys PATH && write_sshd_config || return 1
  [ ! -x /usr/sbin/sshd ] || make_sshd_folder /usr/sbin/sshd || true
  "$python" -E -s -B "$here/login_account.py" --quiet "$PWD" || true
}
# Most trials of several pods do not need it: what it lacks must not end them.
set_up_ssh || echo "WARNING: ssh to the other pods of this trial could not be set up" >&2
exec "$python" -m determined.exec.launch
