# A shell: sourced by entrypoint.sh. sshd, with the shell's own key on both ends, behind the operator's proxy.
. "$here/prepare.sh"
. "$here/ssh.sh"
prepare_task --resources
. "$here/hooks.sh"

sshd=/usr/sbin/sshd
[ -x "$sshd" ] || sshd=$(PATH=$PATH:/usr/sbin:/usr/local/sbin:/sbin command -v sshd) ||
  fail "A shell needs the program sshd, which this image does not have. Add it, for example in its Dockerfile:" \
    "    RUN apt-get update && apt-get install -y openssh-server" \
    "or in a startup hook (startup-hook.sh in the folder given with --context)."
has_ssh_keys || fail "The shell's key is missing: $task_files has no id_rsa and id_rsa.pub. The pod was not made as this version makes it."
case "${DET_SHELL_PORT:-}" in
  '' | *[!0-9]*) fail "DET_SHELL_PORT is '${DET_SHELL_PORT:-}'; the number of a port is needed." ;;
esac
"$python" -E -s -B "$here/login_account.py" "$PWD" || exit $? # a hook may have left `set +e` on
keep_path_in_logins
install_ssh_keys
write_sshd_config
make_sshd_folder "$sshd"
said=$("$sshd" -t -f "$ssh_dir/sshd_config" 2>&1) || fail "sshd cannot be started in this image: $said"

watch_lines 2 'Server listening on'
set -- -D -e -f "$ssh_dir/sshd_config" -p "$DET_SHELL_PORT"
[ -z "${DET_BIND_ADDRESS:-}" ] || set -- "$@" -o "ListenAddress=$DET_BIND_ADDRESS"
exec "$sshd" "$@" 2>&3 3>&-
