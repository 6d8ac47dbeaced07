#!/usr/bin/env bash
# A real node beside the control plane of up.sh: containerd, runc, a kubelet, kube-proxy and the cluster's DNS. As root; several at once.
#   real-node.sh possible                      says why it cannot run here and ends with 1, or says nothing
#   real-node.sh up --state DIR [--image ARCHIVE]...
#   real-node.sh enter --state DIR COMMAND...  runs it where the cluster is
#   real-node.sh down --state DIR
# All of it lives in namespaces of its own (network, mounts, processes, host name): interfaces, iptables rules, sysctls, sockets and
# mounts of the machine are not touched, and they go with the namespaces' first process. Cgroups have none: down.sh removes them.
# Inside, KUBECONFIG is DIR/cluster/kubeconfig; node-parts.sh stops and starts the parts.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/../lib.sh"

verb=${1:-}
[ $# -eq 0 ] || shift
state='' images=()
while [ $# -gt 0 ]; do
  case $1 in
    --state) state=$2; shift 2 ;;
    --image) images+=("$2"); shift 2 ;;
    -*) die "unknown option $1" ;;
    *) break ;;
  esac
done

possible() {
  [ "$(id -u)" = 0 ] || { echo "it needs root"; return 1; }
  grep -qw overlay /proc/filesystems || { echo "the kernel has no overlay file system"; return 1; }
  unshare --net --mount --pid --uts --ipc --fork --mount-proc mount -t tmpfs none /run 2>/dev/null ||
    { echo "no right to make namespaces and mounts"; return 1; }
  local try
  for try in /sys/fs/cgroup/memory /sys/fs/cgroup; do [ ! -e "$try/cgroup.procs" ] || break; done
  try=$try/det-node-try-$$
  { mkdir "$try" && rmdir "$try"; } 2>/dev/null || { echo "no right to make cgroups"; return 1; }
  unshare --net sh -c 'ip link add name try0 type veth peer name try1 && iptables -t nat -A OUTPUT -m comment --comment x -j ACCEPT' 2>/dev/null ||
    { echo "the kernel has no veth or no iptables nat"; return 1; }
}

# The first process of the namespaces, as this side sees it.
first_of() { cat "/proc/$(cat "$state/holder")/task/$(cat "$state/holder")/children" 2>/dev/null | tr -d ' ' || true; }
enter() {
  local first
  first=$(first_of)
  [ -n "$first" ] || die "nothing runs from $state"
  nsenter --target "$first" --net --mount --pid --uts --ipc -- env -C "$PWD" KUBECONFIG="$state/cluster/kubeconfig" "$@"
}

# Below the node's own group in every hierarchy; a group goes once its last process has gone.
remove_cgroups() {
  local group=$1 left
  for _ in $(seq 100); do
    find /sys/fs/cgroup -depth -type d -path "*/$group*" -exec rmdir {} + 2>/dev/null || true
    left=$(find /sys/fs/cgroup -type d -name "$group" -print -quit)
    [ -n "$left" ] || return 0
    sleep 0.1
  done
  say "error: cgroups are left: $left"
  return 1
}

case $verb in
  possible) possible ;;
  up)
    [ -n "$state" ] || die "--state DIR is needed"
    why=$(possible) || die "$why"
    mkdir -p "$state"
    state=$(cd "$state" && pwd)
    [ ! -e "$state/holder" ] || die "$state is in use: run real-node.sh down --state $state first"
    for tool in kubelet kube-proxy; do [ -x "$det_tools/$tool" ] || die "$tool is missing: run scripts/build-tools.sh kubelet kube-proxy"; done
    chmod 755 "$state"
    basename "$state" | tr -c 'a-zA-Z0-9\n' - | sed 's/^/det-node-/' > "$state/cgroup"
    trap 'rc=$?; [ $rc = 0 ] || { say "start failed; logs are in $state/log"; "$0" down --state "$state" >&2 || true; }' EXIT
    setsid unshare --net --mount --pid --uts --ipc --fork --kill-child=KILL --mount-proc "$here/node-parts.sh" hold --state "$state" \
      > "$state/holder.log" 2>&1 < /dev/null &
    echo $! > "$state/holder"
    for _ in $(seq 2400); do [ ! -e "$state/held" ] || break; sleep 0.05; done
    [ -e "$state/held" ] || { cat "$state/holder.log" >&2; die "the namespaces are not there"; }
    enter "$here/node-parts.sh" start all --state "$state"
    [ ${#images[@]} -eq 0 ] || enter "$here/node-parts.sh" import --state "$state" "${images[@]}"
    echo "export KUBECONFIG=$state/cluster/kubeconfig"
    ;;
  enter)
    state=$(cd "$state" && pwd)
    enter "$@"
    ;;
  down)
    [ -e "$state/holder" ] || { echo "nothing runs from '$state'"; exit 0; }
    state=$(cd "$state" && pwd)
    holder=$(cat "$state/holder")
    first=$(first_of)
    # The number may have gone to another program since.
    if [ -n "$first" ] && tr '\0' '\n' < "/proc/$first/cmdline" | grep -qxF "$state"; then
      kill -KILL "$first"
      for _ in $(seq 300); do [ -e "/proc/$holder" ] || break; sleep 0.1; done
      [ ! -e "/proc/$holder" ] || die "process $holder does not end"
    fi
    remove_cgroups "$(cat "$state/cgroup")"
    rm -rf "$state"
    ;;
  *) die "usage: real-node.sh possible|up|enter|down, see the head of the file" ;;
esac
