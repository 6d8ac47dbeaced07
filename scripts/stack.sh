#!/usr/bin/env bash
# Everything det-operator needs, on one machine, from one state folder: a real Kubernetes control plane, PostgreSQL, the operator
# and a node agent that runs pods as sandboxed processes. The quickstart and the end-to-end tests stand on it.
#   stack.sh up   --state DIR [--listen 127.0.0.1:PORT] [--slots N] [--fake-nodes N [--fake-class C]] [--no-agent] [--master-config FILE] [--gang]
#   stack.sh down --state DIR [--keep]      (--keep leaves data and keys for the next up)
#   stack.sh restart NAME --state DIR [--kill]   NAME: operator, which is ready then, or agent; --kill is kill -9
# Leaves DIR/env: shell variables DET_MASTER, KUBECONFIG, DET_DATABASE_URL.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

verb=${1:-}
[ $# -eq 0 ] || shift
state='' listen='' slots=1 fake_nodes=0 fake_class=H100_NVLINK_80GB agent=1 master_config='' keep=() gang=() name='' hard=0
while [ $# -gt 0 ]; do
  case $1 in
    --state) state=$2; shift 2 ;;
    --listen) listen=$2; shift 2 ;;
    --slots) slots=$2; shift 2 ;;
    --fake-nodes) fake_nodes=$2; shift 2 ;;
    --fake-class) fake_class=$2; shift 2 ;;
    --no-agent) agent=0; shift ;;
    --master-config) master_config=$2; shift 2 ;;
    --gang) gang=(--gang); shift ;;
    --keep) keep=(--keep); shift ;;
    --kill) hard=1; shift ;;
    -*) die "unknown option $1" ;;
    *) name=$1; shift ;;
  esac
done
[ -n "$state" ] || die "--state DIR is needed"
mkdir -p "$state"
state=$(cd "$state" && pwd)
program=${DET_OPERATOR_BIN:-$det_root/build/bin/det-operator}
node=local

pid_of() { cat "$state/$1.pid" 2>/dev/null || true; }
alive() { local pid; pid=$(pid_of "$1"); [ -n "$pid" ] && kill -0 "$pid" 2>/dev/null; }
free_port() { # below those of trials (operator/gang/port_blocks.h) and of the tests themselves (tests/support/waiting.py)
  local used candidate
  used=" $(ss -Htln | awk '{n = split($4, a, ":"); print a[n]}' | tr '\n' ' ') "
  while candidate=$((12400 + RANDOM % 400)); [[ $used == *" $candidate "* ]]; do :; done
  echo "$candidate"
}

# run NAME COMMAND...: in the background, with its log and its pid in the state folder.
run() {
  local log=$state/$1.log pidfile=$state/$1.pid
  shift
  setsid nohup "$@" >> "$log" 2>&1 < /dev/null &
  echo $! > "$pidfile"
}

# stop NAME [SIGNAL]: ends it and waits until it is gone, for two minutes before it is killed: a loaded machine takes its time.
stop() {
  local pid signal=${2:-TERM}
  pid=$(pid_of "$1")
  # After a reboot the number may be somebody else's.
  if [ -z "$pid" ] || ! tr '\0' '\n' 2>/dev/null < "/proc/$pid/cmdline" | grep -qF "$state/"; then
    rm -f "$state/$1.pid"
    return 0
  fi
  kill "-$signal" "$pid" 2>/dev/null || true
  for _ in $(seq 1200); do kill -0 "$pid" 2>/dev/null || break; sleep 0.1; done
  if kill -9 "$pid" 2>/dev/null; then
    for _ in $(seq 100); do kill -0 "$pid" 2>/dev/null || break; sleep 0.1; done
  fi
  rm -f "$state/$1.pid"
}

start_operator() {
  run operator "$program" --kubeconfig "$state/cluster/kubeconfig" --database-url "$(cat "$state/database-url")" \
    --listen "$(cat "$state/listen")" --task-url "http://$(cat "$state/listen")" --config "$state/master.yaml" --namespace default
}
# Every environment that scripts/train-env.sh has made is an image by its version: determined:0.37.0.
images() {
  local folder
  for folder in "$det_cache"/venv-determined-[0-9]*; do
    [ -e "$folder/.det-operator.stamp" ] || continue
    printf '%s\n' --image "determined:${folder##*/venv-determined-}=$folder"
  done
  # REF=DIR lines of a test's own.
  [ ! -e "$state/images" ] || sed 's/^/--image\n/' "$state/images"
}
start_agent() {
  local images
  mapfile -t images < <(images)
  run agent "$program" node-agent --kubeconfig "$state/cluster/conf/agent-$node.kubeconfig" --node "$node" --slots "$(cat "$state/slots")" \
    --default-image "$det_venv" "${images[@]}" --client-ca "$state/cluster/pki/ca.crt" --state-dir "$state/agent" --mask "$state/cluster" --mask "$state/postgres"
}

wait_until() { # NAME SECONDS COMMAND...
  local what=$1 end=$(($(date +%s) + $2))
  shift 2
  until "$@" >/dev/null 2>&1; do
    alive "$what" || { tail -n 30 "$state/$what.log" >&2; die "$what has ended; its log is $state/$what.log"; }
    [ "$(date +%s)" -lt "$end" ] || { tail -n 30 "$state/$what.log" >&2; die "$what is not ready; its log is $state/$what.log"; }
    sleep 0.1
  done
}
kube() { "$det_tools/kubectl" --kubeconfig "$state/cluster/kubeconfig" "$@"; }

start_cluster() {
  local agents=()
  [ "$agent" = 0 ] || agents=(--agent "$node")
  [ -e "$state/cluster/pids" ] || "$det_root/scripts/cluster/up.sh" --state "$state/cluster" --nodes "$fake_nodes" --class "$fake_class" "${agents[@]}" "${gang[@]}" >/dev/null
  kube apply -f "$det_root/crds" >/dev/null
  kube wait --for=condition=Established --timeout=240s crd/experiments.det-operator.dev crd/trials.det-operator.dev crd/resourcepools.det-operator.dev >/dev/null
}
write_settings() {
  [ -n "$listen" ] || listen=$(cat "$state/listen" 2>/dev/null || echo "127.0.0.1:$(free_port)")
  echo "$listen" > "$state/listen"
  echo "$slots" > "$state/slots"
  if [ -n "$master_config" ]; then
    cp "$master_config" "$state/master.yaml"
  else
    cat > "$state/master.yaml" <<YAML
cluster_name: local
checkpoint_storage: {type: shared_fs, host_path: $state/checkpoints}
resource_manager: {type: kubernetes, max_slots_per_pod: 1, slot_type: cpu, slot_resource_requests: {cpu: 1}}
host_network_ports: true
checkpoint_downloads: {endpoints: ["*"]}
webhooks: {allowed_networks: [127.0.0.1], signing_key: of-tests}
YAML
  fi
  mkdir -p "$state/checkpoints"
  cat > "$state/env" <<ENV
export DET_MASTER=http://$listen
export KUBECONFIG=$state/cluster/kubeconfig
export DET_DATABASE_URL='$(cat "$state/database-url")'
ENV
}
start_database() { "$det_root/scripts/postgres.sh" start --dir "$state/postgres" > "$state/database-url"; }
wait_operator() { wait_until operator 240 curl -fsS "http://$(cat "$state/listen")/ready"; }
start_programs() {
  alive operator || start_operator
  wait_operator
  [ "$agent" = 1 ] || return 0
  alive agent || start_agent
  wait_until agent 240 kube wait --for=condition=Ready --timeout=1s "node/$node"
}

case $verb in
  up)
    chmod 711 "$state" # the database's user passes through
    phase "control plane" start_cluster
    phase database start_database
    write_settings
    phase "operator and node agent" start_programs
    cat "$state/env"
    ;;
  down)
    stop operator
    stop agent
    "$det_root/scripts/postgres.sh" stop --dir "$state/postgres"
    "$det_root/scripts/cluster/down.sh" --state "$state/cluster" "${keep[@]}" >/dev/null || true
    [ ${#keep[@]} -gt 0 ] || rm -rf "$state"
    ;;
  restart)
    case $name in operator | agent) ;; *) die "restart what? operator or agent" ;; esac
    if [ "$hard" = 1 ]; then stop "$name" KILL; else stop "$name"; fi
    "start_$name"
    [ "$name" != operator ] || wait_operator
    ;;
  *) die "usage: stack.sh up|down|restart, see the head of the file" ;;
esac
