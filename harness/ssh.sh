# sshd in a task's container, sourced by the tasks that have one: keys, its configuration, the client's.
ssh_dir=$run_dir/ssh

has_ssh_keys() { [ -f "$task_files/id_rsa" ] && [ -f "$task_files/id_rsa.pub" ]; }

# Copies, because sshd and ssh refuse keys that others may read, and a Secret's files have what modes and owner they have.
install_ssh_keys() {
  (
    umask 077
    mkdir -p "$ssh_dir" && chmod 700 "$ssh_dir" || exit 1
    for name in id_rsa id_rsa.pub; do cat "$task_files/$name" > "$ssh_dir/$name" || exit 1; done
    "$python" -E -s -B "$here/authorized_keys.py" "$ssh_dir/id_rsa.pub" "$@" > "$ssh_dir/authorized_keys"
  )
}

# StrictModes is off because the folder above, a volume of the pod, may be open to all users of the pod: there is one.
write_sshd_config() {
  cat > "$ssh_dir/sshd_config" <<END
HostKey $ssh_dir/id_rsa
AuthorizedKeysFile $ssh_dir/authorized_keys
StrictModes no
PidFile none
PubkeyAuthentication yes
PasswordAuthentication no
PermitRootLogin prohibit-password
UsePAM no
PermitUserEnvironment yes
AcceptEnv *
AllowTcpForwarding yes
AllowAgentForwarding yes
X11Forwarding yes
PrintMotd no
PrintLastLog no
TCPKeepAlive yes
LoginGraceTime 120
Subsystem sftp internal-sftp
END
  chmod 600 "$ssh_dir/sshd_config"
}

# /etc/profile of most systems sets PATH anew in every login: an image's own python would not be found there. An image whose /etc is not
# this user's stays as it is.
keep_path_in_logins() {
  [ -w /etc ] && [ -e /etc/profile ] || return 0
  if [ -L /etc/profile.d ]; then
    scripts=$(readlink -f /etc/profile.d) && rm /etc/profile.d && mkdir /etc/profile.d || return 0
    for script in "$scripts"/*; do [ ! -e "$script" ] || ln -s "$script" /etc/profile.d/; done
  fi
  mkdir -p /etc/profile.d && [ -w /etc/profile.d ] || return 0
  printf "PATH='%s'\nexport PATH\n" "$(printf %s "$PATH" | sed "s/'/'\\\\''/g")" > /etc/profile.d/zz-determined.sh || :
}

# The folder that sshd, run by root, confines itself to; no image has it unless the service was started once.
make_sshd_folder() {
  [ "$(id -u)" = 0 ] || return 0
  folder=$("$1" -t -f "$ssh_dir/sshd_config" 2>&1 | sed -n 's/^Missing privilege separation directory: //p') || folder=
  [ -z "$folder" ] || { mkdir -p "$folder" && chmod 755 "$folder"; }
}

# ssh to the other pods of a trial, by a program of this name that comes first on the PATH: the machine-wide configuration may not be
# writable, and ssh does not look for its user's where HOME says. Pods are known by their common key; other hosts are the user's own affair.
install_ssh_client() {
  client=$(command -v ssh) || return 0
  mkdir -p "$ssh_dir" "$run_dir/bin" && chmod 700 "$ssh_dir" || return 1
  hosts=$("$python" -E -s -c '
import json, sys
try: print(" ".join(json.load(open(sys.argv[1]))["container_addrs"]))
except (OSError, ValueError, KeyError): pass' "$run_dir/info/rendezvous.json")
  echo "determined-trial $(cut -d ' ' -f 1,2 "$task_files/id_rsa.pub")" > "$ssh_dir/known_hosts" || return 1
  cat > "$ssh_dir/ssh_config" <<END
Host localhost 127.0.0.1 ::1 $(uname -n) $hosts
  HostKeyAlias determined-trial
  UserKnownHostsFile $ssh_dir/known_hosts
  StrictHostKeyChecking yes
  IdentityFile $ssh_dir/id_rsa
  IdentitiesOnly yes
  BatchMode yes
Host *
  Include ~/.ssh/config
  Include /etc/ssh/ssh_config
END
  chmod 600 "$ssh_dir/ssh_config" "$ssh_dir/known_hosts" || return 1
  printf '#!/bin/sh\nexec %s -F %s "$@"\n' "$client" "$ssh_dir/ssh_config" > "$run_dir/bin/ssh" || return 1
  chmod 755 "$run_dir/bin/ssh" || return 1
  PATH=$run_dir/bin:$PATH
  export PATH
}
