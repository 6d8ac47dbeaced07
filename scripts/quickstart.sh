#!/usr/bin/env bash
# From nothing to a trained model on this machine: installs what is missing, builds, starts det-operator, trains the Fashion-MNIST
# example and prints what it reached. No cluster and no container engine are needed.
#   quickstart.sh                 local mode: everything is one program (a second run reuses what is there)
#   quickstart.sh --kubernetes    on a real Kubernetes control plane, built from its Go modules (10 to 20 minutes the first time)
#   quickstart.sh [--kubernetes] stop            end everything it started; data is kept
#   quickstart.sh [--kubernetes] stop --delete   and remove the data
# DET_QUICKSTART_DIR: where its data lives. DET_QUICKSTART_LISTEN: host:port of det-operator (127.0.0.1:8080, or a free port
# when that is taken).
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
cd "$det_root"

usage="usage: quickstart.sh [--kubernetes] [stop [--delete]]"
mode=local verb=run keep=1
while [ $# -gt 0 ]; do
  case $1 in
    --kubernetes) mode=kubernetes ;;
    stop) verb=stop ;;
    --delete) keep=0 ;;
    -h | --help) sed -n '2,10s/^# \{0,1\}//p' "$0"; exit 0 ;;
    *) die "unknown argument '$1'; $usage" ;;
  esac
  shift
done
[ "$keep" = 1 ] || [ "$verb" = stop ] || die "--delete belongs to stop; $usage"

if [ "$(id -u)" = 0 ]; then base=/var/lib/det-operator; else base=${XDG_STATE_HOME:-$HOME/.local/state}/det-operator; fi
dir=${DET_QUICKSTART_DIR:-$base/quickstart-$mode}
example=examples/fashion_mnist_pytorch
det=$det_root/build/bin/det
listen_file=$dir/listen                           # of stack.sh
[ "$mode" = kubernetes ] || listen_file=$dir.listen # det takes only a folder of its own

if [ "$verb" = stop ]; then
  [ -d "$dir" ] || { echo "nothing to stop: $dir does not exist"; exit 0; }
  if [ "$mode" = local ]; then
    delete=()
    [ "$keep" = 1 ] || delete=(--delete-db)
    "$det" deploy local cluster-down --data-dir "$dir" "${delete[@]}"
  else
    kept=(--keep)
    [ "$keep" = 1 ] || kept=()
    scripts/stack.sh down --state "$dir" "${kept[@]}"
  fi
  echo "stopped"
  exit 0
fi

listen_address() {
  if [ -n "${DET_QUICKSTART_LISTEN:-}" ]; then echo "$DET_QUICKSTART_LISTEN"; return; fi
  if [ -s "$listen_file" ]; then cat "$listen_file"; return; fi
  local port=8080
  while ss -Htln "sport = :$port" | grep -q .; do port=$((10000 + RANDOM % 4000)); done
  echo "127.0.0.1:$port"
}
# The accuracy straight from the database: the last validation report of the experiment's trial.
read_accuracy() {
  accuracy=$(psql "$DET_DATABASE_URL" -At -c "
    SELECT to_char(m.values[array_position(n.names, 'accuracy')], 'FM0.000')
    FROM metrics m JOIN visible_series s ON s.id = m.series_id JOIN metric_names n ON n.id = s.names_id JOIN trials t ON t.id = s.trial_id
    WHERE t.experiment_id = $id AND s.grp = 'validation' AND 'accuracy' = ANY (n.names) ORDER BY m.steps DESC LIMIT 1")
  [ -n "$accuracy" ] || die "experiment $id completed but the database holds no accuracy"
}

# --- on a real control plane, by kubectl
start_kubernetes() {
  mkdir -p "$dir"
  scripts/stack.sh up --state "$dir" --slots 1 --listen "$(listen_address)" > "$dir/env.out"
  . "$dir/env"
}
kube() { "$det_tools/kubectl" "$@"; }
# Each run trains again. The history of earlier runs stays in the database when their object goes.
train_kubernetes() {
  local object=experiment/fashion-mnist-pytorch
  kube delete --ignore-not-found --timeout=60s "$object" >&2
  kube apply -f "$example/experiment.yaml" >&2
  say "follow it with: KUBECONFIG=$KUBECONFIG $det_tools/kubectl get trials,pods -w"
  if ! kube wait --for=condition=Complete --timeout=600s "$object" >/dev/null 2>&1; then
    kube describe "$object" >&2
    die "$object did not complete; the operator's log is $dir/operator.log"
  fi
  id=$(kube get "$object" -o 'jsonpath={.status.id}')
}

# --- local mode, by det
start_local() {
  local listen
  mkdir -p "$base"
  listen=$(listen_address)
  echo "$listen" > "$listen_file"
  "$det" deploy local cluster-up --no-gpu --slots 1 --port "${listen##*:}" --data-dir "$dir" >&2
  export DET_MASTER=http://$listen KUBECONFIG=$dir/kubeconfig DET_DATABASE_URL="postgresql://det@/postgres?host=$dir/postgres"
}
train_local() {
  local said
  said=$("$det" experiment create "$example/const.yaml" "$example")
  say "$said"
  id=$(sed -n 's/^Created experiment \([0-9]*\).*/\1/p' <<< "$said")
  [ -n "$id" ] || die "det did not say which experiment it created"
  say "follow it with: $det -m $DET_MASTER experiment logs -f $id"
  "$det" experiment wait "$id" >&2 || die "experiment $id did not complete; see $det -m $DET_MASTER experiment logs $id"
}

phase packages scripts/install-deps.sh build run train
[ "$mode" = local ] || phase "cluster tools" scripts/build-tools.sh etcd kube-apiserver kube-controller-manager kube-scheduler kubectl >/dev/null
phase "python environment" scripts/train-env.sh full >/dev/null
phase build scripts/build.sh det-operator det >/dev/null
phase start "start_$mode"
phase training "train_$mode"
phase "read result" read_accuracy
phase_summary
# Local mode does without kubectl, so nothing above has made one.
kubectl=$det_tools/kubectl
if have kubectl; then kubectl=kubectl; fi
look="$kubectl get experiments,trials,pods"
have "$kubectl" || look="for kubectl: scripts/build-tools.sh kubectl puts one into $det_tools"
who="user determined, blank password"
[ "$mode" = kubernetes ] || who="you are logged in; passwords for others: $dir/passwords"
cat <<TXT

det-operator runs at $DET_MASTER ($who)
  the web page: $DET_MASTER/ui/
  export KUBECONFIG=$KUBECONFIG DET_MASTER=$DET_MASTER
  $det experiment list
  $look
stop it with: scripts/quickstart.sh$([ "$mode" = local ] || echo " --kubernetes") stop
TXT
echo "experiment $id COMPLETED accuracy=$accuracy url=$DET_MASTER kubeconfig=$KUBECONFIG"
