#!/usr/bin/env bash
# Starts a throw-away Kubernetes control plane on loopback: etcd, kube-apiserver, kube-controller-manager, kube-scheduler and,
# with --nodes N, kwok with N fake GPU nodes. Everything lives in one state folder; down.sh ends it. Works as any user.
#   up.sh --state DIR [--port P] [--etcd-port P] [--bin DIR] [--nodes N] [--gpus 8] [--class C] [--region R]
#         [--agent NODE]... [--gang] [--apiserver-arg ARG]... [--manager-arg ARG]...
# Ports: free ones by default; --port P takes P (API server), P+1, P+2 (etcd, or --etcd-port), P+3 (controller-manager),
# P+4 (scheduler), P+5 (fake kubelet). After `down.sh --keep` the next start has the same ports, keys and data.
# Leaves DIR/kubeconfig (administrator), DIR/pki/admin.token and, per --agent NODE, DIR/conf/agent-NODE.kubeconfig.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/../lib.sh"

state='' port=0 etcd_port=0 bin=$det_tools nodes=0 gpus=8 class=H100_NVLINK_80GB region=ORD1 gang=0 apiserver_args=() manager_args=() agents=()
while [ $# -gt 0 ]; do
  case $1 in
    --state) state=$2; shift 2 ;;
    --port) port=$2; shift 2 ;;
    --etcd-port) etcd_port=$2; shift 2 ;;
    --bin) bin=$2; shift 2 ;;
    --nodes) nodes=$2; shift 2 ;;
    --gpus) gpus=$2; shift 2 ;;
    --class) class=$2; shift 2 ;;
    --region) region=$2; shift 2 ;;
    --agent) agents+=("$2"); shift 2 ;;
    --gang) gang=1; shift ;;
    --no-gang) gang=0; shift ;;
    --apiserver-arg) apiserver_args+=("$2"); shift 2 ;;
    --manager-arg) manager_args+=("$2"); shift 2 ;;
    *) die "unknown option $1" ;;
  esac
done
[ -n "$state" ] || die "--state DIR is needed"
[ ! -e "$state/pids" ] || die "$state is in use: run down.sh --state $state first"
tools=(etcd kube-apiserver kube-controller-manager kube-scheduler kubectl)
[ "$nodes" = 0 ] || tools+=(kwok)
for tool in "${tools[@]}"; do
  [ -x "$bin/$tool" ] || die "$bin/$tool is missing: run scripts/build-tools.sh, or point --bin at a folder that has it"
done
for tool in openssl curl ss setsid; do have "$tool" || die "$tool is missing: run scripts/install-deps.sh run"; done

umask 077
mkdir -p "$state"/{pki,log,etcd,conf}
state=$(cd "$state" && pwd)
: > "$state/pids"
: > "$state/log/timing"
started=$(date +%s%N)
lap() { printf '%s %s ms\n' "$1" "$((($(date +%s%N) - started) / 1000000))" | tee -a "$state/log/timing" >&2; }
trap 'rc=$?; [ $rc = 0 ] || { say "start failed; logs are in $state/log"; "$here/down.sh" --state "$state" --keep >&2 || true; }' EXIT

# --- ports and keys ---------------------------------------------------------------------------------------------------
# Below the ports of trials (operator/gang/port_blocks.h) and of outgoing connections, or one of those could take ours meanwhile; and
# below those of tests' servers (tests/support/waiting.py), which start at any time.
# Side by side, so that two that start at once meet only if they choose the same of 400 places.
free_ports() { # six
  local used first port
  used=" $(ss -Htln | awk '{n = split($4, a, ":"); print a[n]}' | tr '\n' ' ') "
  while :; do
    first=$((10000 + RANDOM % 400 * 6))
    for ((port = first; port < first + 6; port++)); do [[ $used != *" $port "* ]] || continue 2; done
    seq -s ' ' "$first" $((first + 5))
    return
  done
}
if [ "$port" != 0 ]; then
  ports=("$port" $((port + 1)) $((port + 2)) $((port + 3)) $((port + 4)) $((port + 5)))
elif [ -s "$state/conf/ports" ]; then
  read -ra ports < "$state/conf/ports"
else
  read -ra ports < <(free_ports)
fi
[ "$etcd_port" = 0 ] || ports[1]=$etcd_port ports[2]=$((etcd_port + 1))
echo "${ports[*]}" > "$state/conf/ports"
url=https://127.0.0.1:${ports[0]} etcd_url=http://127.0.0.1:${ports[1]} etcd_peer_url=http://127.0.0.1:${ports[2]}
manager_port=${ports[3]} scheduler_port=${ports[4]} kubelet_port=${ports[5]}
echo "$url" > "$state/conf/url"

. "$here/pki.sh"
[ -s "$pki/tokens.csv" ] || pki_create
for user in admin kube-controller-manager kube-scheduler kwok; do pki_kubeconfig "$user" "$state/conf/$user.kubeconfig"; done
for node in "${agents[@]}"; do pki_agent_kubeconfig "$node" "$state/conf/agent-$node.kubeconfig"; done
cp "$state/conf/admin.kubeconfig" "$state/kubeconfig"
lap certificates

# --- processes --------------------------------------------------------------------------------------------------------
start() { # NAME ARGUMENT...
  local name=$1
  shift
  setsid nohup "$bin/$name" "$@" > "$state/log/$name.log" 2>&1 < /dev/null &
  echo "$name $!" >> "$state/pids"
}
is_alive() { kill -0 "$(awk -v n="$1" '$1 == n {print $2}' "$state/pids")" 2>/dev/null; }
wait_for() { # NAME SECONDS COMMAND...
  local name=$1 end=$((SECONDS + $2))
  shift 2
  until "$@" > /dev/null 2>&1; do
    is_alive "$name" || { tail -20 "$state/log/$name.log" >&2; die "$name ended"; }
    [ $SECONDS -lt $end ] || die "$name is not ready"
    sleep 0.1
  done
}
kubectl() { "$bin/kubectl" --kubeconfig "$state/kubeconfig" "$@"; }
admin_curl() { curl -fs --cacert "$pki/ca.crt" --cert "$pki/admin.crt" --key "$pki/admin.key" "$@"; }

gates=() runtime=api/beta=false
if [ $gang = 1 ]; then
  # Alpha in 1.36; all three programs must agree.
  gates=(--feature-gates 'GenericWorkload=true,GangScheduling=true,WorkloadAwarePreemption=true,TopologyAwareWorkloadScheduling=true')
  runtime+=,scheduling.k8s.io/v1alpha2=true
fi
start etcd --name det --data-dir "$state/etcd" --unsafe-no-fsync --log-level warn --auto-compaction-retention 0 \
  --listen-client-urls "$etcd_url" --advertise-client-urls "$etcd_url" --listen-peer-urls "$etcd_peer_url" \
  --initial-advertise-peer-urls "$etcd_peer_url" --initial-cluster "det=$etcd_peer_url"
wait_for etcd 240 curl -fs "$etcd_url/health"
lap etcd
# The endpoint reconciler is off because it refuses an API server on loopback only.
start kube-apiserver --etcd-servers "$etcd_url" --bind-address 127.0.0.1 --secure-port "${ports[0]}" \
  --advertise-address 127.0.0.1 --endpoint-reconciler-type none --service-cluster-ip-range 10.96.0.0/24 \
  --tls-cert-file "$pki/apiserver.crt" --tls-private-key-file "$pki/apiserver.key" --client-ca-file "$pki/ca.crt" \
  --token-auth-file "$pki/tokens.csv" --authorization-mode Node,RBAC --enable-admission-plugins NodeRestriction \
  --service-account-issuer https://kubernetes.default.svc --service-account-key-file "$pki/sa.pub" \
  --service-account-signing-key-file "$pki/sa.key" --kubelet-client-certificate "$pki/kubelet-client.crt" \
  --kubelet-client-key "$pki/kubelet-client.key" --kubelet-preferred-address-types InternalIP,Hostname \
  --allow-privileged=true --profiling=false --runtime-config "$runtime" "${gates[@]}" "${apiserver_args[@]}"
wait_for kube-apiserver 240 admin_curl "$url/readyz"
lap kube-apiserver
start kube-controller-manager --kubeconfig "$state/conf/kube-controller-manager.kubeconfig" --leader-elect=false \
  --use-service-account-credentials --service-account-private-key-file "$pki/sa.key" --root-ca-file "$pki/ca.crt" \
  --cluster-signing-cert-file "$pki/ca.crt" --cluster-signing-key-file "$pki/ca.key" \
  --bind-address 127.0.0.1 --secure-port "$manager_port" --profiling=false "${gates[@]}" "${manager_args[@]}"
cat > "$state/conf/scheduler.yaml" <<K
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
clientConnection: {kubeconfig: "$state/conf/kube-scheduler.kubeconfig", qps: 200, burst: 400}
leaderElection: {leaderElect: false}
podInitialBackoffSeconds: 1
podMaxBackoffSeconds: 2
K
start kube-scheduler --config "$state/conf/scheduler.yaml" --bind-address 127.0.0.1 --secure-port "$scheduler_port" \
  --authentication-kubeconfig "$state/conf/kube-scheduler.kubeconfig" \
  --authorization-kubeconfig "$state/conf/kube-scheduler.kubeconfig" "${gates[@]}"
wait_for kube-scheduler 240 curl -fsk "https://127.0.0.1:$scheduler_port/healthz"
wait_for kube-controller-manager 240 curl -fsk "https://127.0.0.1:$manager_port/healthz"
wait_for kube-controller-manager 240 kubectl get serviceaccount default
lap controller-manager+scheduler

# --- fake nodes -------------------------------------------------------------------------------------------------------
if [ "$nodes" -gt 0 ]; then
  printf '%s stdout F log line of a fake pod\n' 2026-01-01T00:00:00.000000000Z > "$state/conf/pod.log"
  sed "s#@LOGS@#$state/conf/pod.log#" "$here/kwok-stages.yaml" > "$state/conf/kwok-stages.yaml"
  start kwok --kubeconfig "$state/conf/kwok.kubeconfig" --manage-all-nodes=false \
    --manage-nodes-with-annotation-selector kwok.x-k8s.io/node=fake --node-ip 127.0.0.1 --node-port "$kubelet_port" \
    --tls-cert-file "$pki/kubelet-server.crt" --tls-private-key-file "$pki/kubelet-server.key" \
    --node-lease-duration-seconds 40 --config "$state/conf/kwok-stages.yaml"
  "$here/nodes.sh" "$nodes" "$gpus" "$class" "$region" | kubectl apply --server-side -f - > /dev/null
  wait_for kwok 240 kubectl wait --for=condition=Ready node -l type=kwok --timeout=5s
  lap "$nodes kwok nodes"
fi
echo "export KUBECONFIG=$state/kubeconfig"
