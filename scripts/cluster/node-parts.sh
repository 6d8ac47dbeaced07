#!/usr/bin/env bash
# The inside of real-node.sh, run in its namespaces: node-parts.sh start|stop NAME --state DIR [--kill]
#   NAME: all (start only), containerd, kubelet, kube-proxy or dns. What runs in containers goes on while containerd or kubelet are stopped.
#   node-parts.sh import --state DIR ARCHIVE...   into containerd; archives are scripts/cluster/node-images.sh's
#   node-parts.sh hold --state DIR                the first process: prepares the namespaces, then waits for children
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/../lib.sh"

verb=$1 name='' state='' signal=TERM archives=()
shift
while [ $# -gt 0 ]; do
  case $1 in
    --state) state=$2; shift 2 ;;
    --kill) signal=KILL; shift ;;
    -*) die "unknown option $1" ;;
    /*) archives+=("$1"); shift ;;
    *) name=$1; shift ;;
  esac
done
node=node-1 node_ip=10.99.0.1 dns_ip=10.99.0.1 pods=10.244.0.0/24
socket=/run/containerd/containerd.sock

hold() {
  mount --make-rshared /
  # What the parts write to fixed places of a machine: into the state folder, or nowhere.
  mkdir -p "$state"/{log,var-lib/upper,var-lib/work,containerd,kubelet,cni,conf}
  mount -t overlay overlay -o "lowerdir=/var/lib,upperdir=$state/var-lib/upper,workdir=$state/var-lib/work" /var/lib
  mkdir -p /var/lib/{containerd,kubelet,cni}
  local folder
  for folder in containerd kubelet cni; do mount --bind "$state/$folder" "/var/lib/$folder"; done
  mount --bind "$state/log" /var/log
  mount -t tmpfs -o mode=755 tmpfs /run
  mount -t tmpfs tmpfs /dev/shm
  # The kubelet insists on these values; the machine keeps its own.
  echo 1 > "$state/conf/one"
  echo 10 > "$state/conf/ten"
  mount --bind "$state/conf/one" /proc/sys/vm/overcommit_memory
  mount --bind "$state/conf/ten" /proc/sys/kernel/panic
  mount --bind "$state/conf/one" /proc/sys/kernel/panic_on_oops
  printf '127.0.0.1 localhost\n%s %s\n' $node_ip $node > "$state/conf/hosts"
  mount --bind "$state/conf/hosts" /etc/hosts
  hostname $node
  ip link set lo up
  ip address add $node_ip/32 dev lo
  # Services: kube-proxy turns their addresses into others, but only of what has a way out.
  ip route add 10.96.0.0/24 dev lo src $node_ip
  touch "$state/held"
  # As the first process it inherits orphans; bash takes their exit codes whenever it waits.
  while :; do sleep 3600 & wait $! || true; done
}

runs() { # NAME
  local pid
  pid=$(cat "$state/$1.pid" 2>/dev/null) && grep -qs . "/proc/$pid/cmdline"
}
# A part that runs already is left as it is: two kubelets of one node would hide that one of them is stopped.
run() { # NAME COMMAND...
  ! runs "$1" || return 0
  local log=$state/log/$1.log pidfile=$state/$1.pid
  shift
  setsid nohup "$@" >> "$log" 2>&1 < /dev/null &
  echo $! > "$pidfile"
}
stop() {
  local pid
  pid=$(cat "$state/$1.pid" 2>/dev/null || true)
  [ -n "$pid" ] || return 0
  kill "-$signal" "$pid" 2>/dev/null || true
  for _ in $(seq 2400); do grep -qs . "/proc/$pid/cmdline" || break; sleep 0.05; done
  kill -KILL "$pid" 2>/dev/null || true
  rm -f "$state/$1.pid"
}
wait_until() { # WHAT SECONDS COMMAND...
  local what=$1 end=$((SECONDS + $2))
  shift 2
  until "$@" > /dev/null 2>&1; do
    [ $SECONDS -lt $end ] || { tail -n 20 "$state/log/$what.log" >&2 || true; die "$what is not ready; its log is $state/log/$what.log"; }
    sleep 0.1
  done
}
kube() { "$det_tools/kubectl" --kubeconfig "$state/cluster/kubeconfig" "$@"; }

# A node that does not answer is given up after seconds, not minutes: the tests wait for it. The API server is reached from pods.
start_control_plane() {
  "$here/up.sh" --state "$state/cluster" --agent $node \
    --apiserver-arg --bind-address=0.0.0.0 --apiserver-arg --advertise-address=$node_ip --apiserver-arg --endpoint-reconciler-type=lease \
    --apiserver-arg --default-not-ready-toleration-seconds=5 --apiserver-arg --default-unreachable-toleration-seconds=5 \
    --manager-arg --node-monitor-grace-period=8s --manager-arg --node-monitor-period=1s > /dev/null
}

start_containerd() {
  cat > "$state/conf/containerd.toml" <<T
version = 2
[grpc]
address = "$socket"
[plugins."io.containerd.grpc.v1.cri"]
sandbox_image = "localhost/pause:1"
# Without CAP_SYS_RESOURCE no process may be made less likely to be killed than its parent.
restrict_oom_score_adj = true
disable_apparmor = true
[plugins."io.containerd.grpc.v1.cri".cni]
bin_dir = "/usr/lib/cni"
conf_dir = "$state/conf/cni"
[plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
runtime_type = "io.containerd.runc.v2"
[plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]
SystemdCgroup = false
T
  mkdir -p "$state/conf/cni"
  cat > "$state/conf/cni/10-pods.conflist" <<J
{"cniVersion": "0.4.0", "name": "pods", "plugins": [
  {"type": "ptp", "ipam": {"type": "host-local", "subnet": "$pods", "routes": [{"dst": "0.0.0.0/0"}]}},
  {"type": "portmap", "capabilities": {"portMappings": true}}]}
J
  run containerd containerd --config "$state/conf/containerd.toml"
  wait_until containerd 240 ctr -a $socket version
}

start_kubelet() {
  cat > "$state/conf/kubelet.yaml" <<Y
apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
failCgroupV1: false
cgroupDriver: cgroupfs
cgroupsPerQOS: false
cpuCFSQuota: false
cgroupRoot: /$(cat "$state/cgroup")
enforceNodeAllocatable: []
oomScoreAdj: 0
failSwapOn: false
address: $node_ip
clusterDNS: [$dns_ip]
clusterDomain: cluster.local
resolvConf: $state/conf/resolv.conf
containerRuntimeEndpoint: unix://$socket
authentication: {anonymous: {enabled: true}, webhook: {enabled: false}}
authorization: {mode: AlwaysAllow}
evictionHard: {memory.available: 100Mi, nodefs.available: 1%, imagefs.available: 1%}
nodeLeaseDurationSeconds: 6
nodeStatusUpdateFrequency: 2s
nodeStatusReportFrequency: 30s
registryPullQPS: 0
eventRecordQPS: 0
maxPods: 110
Y
  : > "$state/conf/resolv.conf"
  run kubelet "$det_tools/kubelet" --config "$state/conf/kubelet.yaml" --kubeconfig "$state/cluster/conf/agent-$node.kubeconfig" \
    --hostname-override $node --node-ip $node_ip
  wait_until kubelet 240 curl -fs http://127.0.0.1:10248/healthz
}

start_kube-proxy() {
  cat > "$state/conf/kube-proxy.yaml" <<Y
apiVersion: kubeproxy.config.k8s.io/v1alpha1
kind: KubeProxyConfiguration
clientConnection: {kubeconfig: "$state/cluster/kubeconfig"}
hostnameOverride: $node
mode: iptables
clusterCIDR: $pods
# Settings of the whole machine stay as they are.
conntrack: {maxPerCore: 0, min: 0, tcpEstablishedTimeout: 0s, tcpCloseWaitTimeout: 0s}
iptables: {minSyncPeriod: 0s, syncPeriod: 30s}
Y
  run kube-proxy "$det_tools/kube-proxy" --config "$state/conf/kube-proxy.yaml"
  wait_until kube-proxy 240 curl -fs http://127.0.0.1:10256/livez
}

start_dns() { run dns /usr/bin/python3 "$here/cluster_dns.py" --state "$state/cluster" --address $dns_ip; }

import_images() {
  local archive
  for archive in "$@"; do ctr -a $socket -n k8s.io images import --no-unpack=false "$archive" > /dev/null; done
}

case $verb in
  hold) hold ;;
  start)
    if [ "$name" = all ]; then
      start_control_plane
      start_containerd
      start_kubelet
      start_kube-proxy
      start_dns
      wait_until kubelet 240 kube wait --for=condition=Ready --timeout=1s node/$node
    else
      "start_$name"
    fi
    ;;
  stop) stop "$name" ;;
  import) import_images "${archives[@]}" ;;
  *) die "usage: node-parts.sh start|stop|import|hold, see the head of the file" ;;
esac
