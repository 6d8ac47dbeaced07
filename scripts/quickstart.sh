#!/usr/bin/env bash
# From nothing to a trained model on this machine: installs what is missing, builds, starts a real Kubernetes control plane with
# PostgreSQL, the operator and a node agent, trains the Fashion-MNIST example with kubectl and prints what it reached.
#   quickstart.sh            run it (a second run reuses what is there)
#   quickstart.sh stop       end everything it started; data is kept
#   quickstart.sh stop --delete   and remove the data
# DET_QUICKSTART_DIR: where its data lives. DET_QUICKSTART_LISTEN: host:port of det-operator (127.0.0.1:8080, or a free port
# when that is taken).
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
cd "$det_root"

if [ "$(id -u)" = 0 ]; then default_dir=/var/lib/det-operator/quickstart; else default_dir=${XDG_STATE_HOME:-$HOME/.local/state}/det-operator/quickstart; fi
dir=${DET_QUICKSTART_DIR:-$default_dir}
example=examples/fashion_mnist_pytorch/experiment.yaml

if [ "${1:-}" = stop ]; then
  keep=(--keep)
  [ "${2:-}" != --delete ] || keep=()
  [ -d "$dir" ] || { echo "nothing to stop: $dir does not exist"; exit 0; }
  scripts/stack.sh down --state "$dir" "${keep[@]}"
  echo "stopped"
  exit 0
fi
[ $# -eq 0 ] || die "usage: quickstart.sh [stop [--delete]]"

listen_address() {
  if [ -n "${DET_QUICKSTART_LISTEN:-}" ]; then echo "$DET_QUICKSTART_LISTEN"; return; fi
  if [ -s "$dir/listen" ]; then cat "$dir/listen"; return; fi
  if ss -Htln 'sport = :8080' | grep -q .; then return; fi # taken: stack.sh chooses a free one
  echo 127.0.0.1:8080
}
start_stack() {
  mkdir -p "$dir"
  local listen
  listen=$(listen_address)
  scripts/stack.sh up --state "$dir" --slots 1 ${listen:+--listen "$listen"} > "$dir/env.out"
}
kube() { "$det_tools/kubectl" "$@"; }

# Each run trains again. The history of earlier runs stays in the database when their object goes.
train() {
  object=experiment/fashion-mnist-pytorch
  kube delete --ignore-not-found --timeout=60s "$object" >&2
  kube apply -f "$example" >&2
  say "follow it with: kubectl get trials,pods -w"
  if ! kube wait --for=condition=Complete --timeout=600s "$object" >/dev/null 2>&1; then
    kube describe "$object" >&2
    die "$object did not complete; the operator's log is $dir/operator.log"
  fi
}
# Straight from the database: the last validation report of the experiment's trial.
read_accuracy() {
  id=$(kube get "$object" -o 'jsonpath={.status.id}')
  accuracy=$(psql "$DET_DATABASE_URL" -At -c "
    SELECT to_char(m.values[array_position(n.names, 'accuracy')], 'FM0.000')
    FROM metrics m JOIN visible_series s ON s.id = m.series_id JOIN metric_names n ON n.id = s.names_id JOIN trials t ON t.id = s.trial_id
    WHERE t.experiment_id = $id AND s.grp = 'validation' AND 'accuracy' = ANY (n.names) ORDER BY m.steps DESC LIMIT 1")
  [ -n "$accuracy" ] || die "experiment $id completed but the database holds no accuracy"
}

phase packages scripts/install-deps.sh build run train
phase "cluster tools" scripts/build-tools.sh etcd kube-apiserver kube-controller-manager kube-scheduler kubectl >/dev/null
phase "python environment" scripts/train-env.sh full >/dev/null
phase build scripts/build.sh det-operator >/dev/null
phase start start_stack
. "$dir/env"
phase training train
phase "read result" read_accuracy
phase_summary
cat <<TXT

det-operator runs at $DET_MASTER (user determined, blank password)
  export KUBECONFIG=$KUBECONFIG DET_MASTER=$DET_MASTER
  kubectl get experiments,trials,pods
  $det_venv/bin/det experiment list
stop it with: scripts/quickstart.sh stop
TXT
echo "experiment $id COMPLETED accuracy=$accuracy url=$DET_MASTER kubeconfig=$KUBECONFIG"
