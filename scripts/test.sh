#!/usr/bin/env bash
# Installs what is missing, builds, and runs every suite but the long ones: test.sh [--list] [SUITE...]
# What could not run is printed as such in the summary and counted; it never passes for success.
# A suite that does not end is ended after an hour (DET_SUITE_LIMIT, seconds), so that the others still run and say what they found.
# Three suites run side by side where they do not disturb each other: each has a work folder, ports, databases, and groups of its own, and
# asserts no speeds. DET_SUITES_AT_ONCE=1 runs them one after another, which takes longer than continuous integration may.
# DET_TEST_MINUTES=N: a suite that would hardly end within N minutes of the start is not begun, and counted as not run. Without it all are.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
cd "$det_root"

# name | what it proves
suites=(
  "structure|folder graph, third-party headers, file sizes, formatting, clang-tidy (what changed last, 90 s of it)"
  "unit|values, scenarios on fake clocks and transports, a private PostgreSQL, sandboxes; under ASan and UBSan"
  "simulation|the operator on a virtual clock: faults at its external calls, each with a comparison; the short form; under ASan and UBSan"
  "harness|entrypoint and log shipper against a fake server; the examples' objects"
  "kubeapi|kubectl and the node agent on the embedded Kubernetes API; under ASan and UBSan"
  "localmode|det-operator local: twenty experiments through kill -9, sandboxes, nothing left behind; every command of det 0.38.1; mistakes and their answers"
  "webui|the web page: its units, its build of at most 200 kB, and in Chromium against det-operator local (about five minutes)"
  "docs|the site of docs/ (links, anchors, spelling), the generated reference, and First hour: its commands print what the page says"
  "attacks|what an attacker tries against det-operator local, one test each: identities, floods, framing, sandboxes, neighbours"
  "upgrade|the program on the database and objects of older versions: nothing lost, everything goes on"
  "chaos|searches with fake trials while operator, database and Kubernetes API fail, and kill -9 at random points: the short form"
  "kubernetes|the Kubernetes client's conformance suite on a real kube-apiserver; under ASan and UBSan"
  "helm|the chart with Helm 3 and 4: golden files, schemas, a real install under the rendered rights, the image's files"
  "packages|wheel, Debian package, image and chart archive: complete, licensed, the same twice; the first hour in bare roots of Debian 12 and 13"
  "kwok|slots, pods and affinity on fake 8-GPU nodes of a real control plane"
  "gang|gang scenarios on fake nodes of a real control plane: our own scheduler, then kube-scheduler's native gangs, then PodGroups of the coscheduling plugin"
  "kubelet|a real kubelet and containerd (root only): the chart's own images, tasks in containers, on a pod network, through failures of the node"
  "e2e|real kube-apiserver, PostgreSQL, node agent, harness 0.26.7 to 0.38.1, det 0.38.1 and 0.26.7, and our det beside them"
)
names=()
for suite in "${suites[@]}"; do names+=("${suite%%|*}"); done
if [ "${1:-}" = --one ]; then # of `begin` below: NAME WORK
  one=$2 work=$3
  wanted=()
else
  one=''
fi
if [ "${1:-}" = --list ]; then printf '%s\n' "${suites[@]}" | tr '|' '\t'; exit 0; fi
if [ -z "$one" ]; then
  wanted=("$@")
  [ ${#wanted[@]} -gt 0 ] || wanted=("${names[@]}")
fi
for name in "${wanted[@]}"; do
  [[ " ${names[*]} " == *" $name "* ]] || die "unknown suite '$name'; there are: ${names[*]}"
done
wants() { [[ " ${wanted[*]} " == *" $1 "* ]]; }

# kubectl and Helm live too short for much of a collector, and control planes have memory to spare: a third of their time.
export GOGC=400

mkdir -p "$CCACHE_DIR" build
if [ -z "$one" ]; then
  work=$(mktemp -d /tmp/det-test.XXXXXX)
  chmod 755 "$work"
fi
limit=${DET_SUITE_LIMIT:-3600} at_once=${DET_SUITES_AT_ONCE:-3}
# These fill the machine, or end too soon to be worth it.
alone=(structure unit kubernetes)
# The others: first what proves most where there is no time for all of them, at the end the short ones.
beside=(e2e kubelet attacks helm gang localmode kwok webui packages simulation chaos harness docs upgrade kubeapi)
# Seconds that they take on a machine with two cores beside two others (the first three alone), and a tenth more: for DET_TEST_MINUTES.
declare -A usual=(
  [structure]=150 [unit]=450 [kubernetes]=30 [kubelet]=720 [e2e]=1320 [localmode]=600 [attacks]=700 [gang]=500 [helm]=540 [kwok]=480
  [webui]=380 [packages]=560 [upgrade]=50 [simulation]=240 [chaos]=170 [harness]=200 [kubeapi]=30 [docs]=120
)
for name in "${names[@]}"; do
  [[ " ${alone[*]} ${beside[*]} " == *" $name "* ]] || die "'$name' runs neither alone nor beside others"
  [ -n "${usual[$name]:-}" ] || die "nobody knows how long '$name' takes"
done
declare -A result=() name_of=() began=() # by suite; by process id; by suite
passed=0 failed=0 skipped=0
cleanup() {
  local pid
  trap '' INT TERM # a second Ctrl-C must not leave half of it behind
  for pid in "${!name_of[@]}"; do kill -INT "$pid" 2>/dev/null || true; done # `timeout` passes it on, and kills after a minute
  for pid in "${!name_of[@]}"; do wait "$pid" 2>/dev/null || true; done
  [ ! -d "$work/kwok" ] || scripts/stack.sh down --state "$work/kwok" >/dev/null 2>&1 || true
  [ ! -d "$work/gang" ] || scripts/stack.sh down --state "$work/gang" >/dev/null 2>&1 || true
  [ ! -d "$work/kubelet" ] || scripts/cluster/real-node.sh down --state "$work/kubelet" >/dev/null 2>&1 || true
  [ ! -d "$work/e2e" ] || scripts/stack.sh down --state "$work/e2e" >/dev/null 2>&1 || true
  [ ! -d "$work/cluster" ] || scripts/cluster/down.sh --state "$work/cluster" >/dev/null 2>&1 || true
  rm -rf "$work"
}
if [ -z "$one" ]; then
  trap cleanup EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM
fi

# begin NAME: starts the suite, whose output goes to a log. A process of its own, whose group can be ended. SIGINT first: unittest then
# says where it was. (With job control, because bash has other background processes ignore it.)
begin() {
  say "==> $1"
  set -m
  timeout --signal=INT --kill-after=300 "$limit" scripts/test.sh --one "$1" "$work" > "$work/$1.log" 2>&1 < /dev/null &
  set +m
  name_of[$!]=$1
  began[$1]=$SECONDS
}

# failures LOG: which tests failed, each with its last words. The end of the log may be one long transcript.
failures() {
  awk '/^(FAIL|ERROR): / { show($0); inside = 1; last = ""; next }
       inside && (/^=====/ || /^-----/) && last != "" { show("  " last); inside = 0 }
       inside && /^[A-Za-z_.]+(Error|Exception|Interrupt|Expired)/ { last = $0 }
       /^\[  FAILED  \] .* \([0-9]+ ms\)$/ { show($0) }
       function show(text) { if (++shown <= 20) print "          " substr(text, 1, 300) }' "$1"
}

# finish: waits for one of those that were begun, and counts. One that ends with 77 could not run; its last line says why.
finish() {
  local pid='' code=0 name log not_run start
  wait -n -p pid "${!name_of[@]}" || code=$?
  name=${name_of[$pid]} log=$work/${name_of[$pid]}.log
  start=${began[$name]}
  unset "name_of[$pid]"
  if [ "$code" = 0 ] && grep -qE '^Ran 0 tests|^\[==========\] 0 tests' "$log"; then code=1; fi # nothing was found to run
  [ "$code" != 124 ] || echo "the suite did not end within $limit s" >> "$log"
  not_run=$(grep -cE '^\[  SKIPPED \] [A-Za-z]+.*\([0-9]+ ms\)|\.\.\. skipped ' "$log" || true)
  skipped=$((skipped + not_run))
  if [ "$code" = 0 ]; then
    passed=$((passed + 1))
    result[$name]=$(printf 'passed  %-11s %5d s%s' "$name" $((SECONDS - start)) "$([ "$not_run" = 0 ] || echo "  ($not_run not run)")")
  elif [ "$code" = 77 ]; then
    skipped=$((skipped + 1))
    result[$name]=$(printf 'not run %-11s         %s' "$name" "$(tail -n 1 "$log")")
  else
    failed=$((failed + 1))
    result[$name]=$(printf 'FAILED  %-11s %5d s' "$name" $((SECONDS - start)))
    tail -n 150 "$log" >&2
    result[$name]+=$'\n'"$(failures "$log")"
    ! grep -q 'No space left on device' "$log" || result[$name]+=$'\n'"          the disk is full: $(free_gib) GiB are free; no other words of this suite mean anything"
  fi
  [ "$not_run" = 0 ] || result[$name]+=$'\n'"$(grep -hE -A1 '^\[ RUN|\.\.\. skipped ' "$log" | grep -E '^[^[].*([Nn]ot run|skipped)' | sort -u | sed 's/^/          not run: /' | head -n 20 || true)"
  say "    ${result[$name]}"
}

# run_suites WIDTH NAME...: those that are wanted, so many at a time.
run_suites() {
  local width=$1 name
  shift
  for name in "$@"; do
    wants "$name" || continue
    while [ ${#name_of[@]} -ge "$width" ]; do finish; done
    if [ -n "${DET_TEST_MINUTES:-}" ] && [ $((SECONDS + usual[$name])) -gt $((DET_TEST_MINUTES * 60)) ]; then
      skipped=$((skipped + 1))
      result[$name]=$(printf 'not run %-11s         %s minutes are not enough for it any more' "$name" "$DET_TEST_MINUTES")
      say "    ${result[$name]}"
      continue
    fi
    begin "$name"
  done
  while [ ${#name_of[@]} -gt 0 ]; do finish; done
}

structure() {
  /usr/bin/python3 -m unittest discover -s tests/structure -p '*_test.py' -v
  clang-format-19 --dry-run -Werror $(git ls-files '*.h' '*.cc')
  local code=0
  scripts/tidy.py --budget 90 || code=$?
  [ "$code" = 0 ] || [ "$code" = 77 ]
}
unit() {
  local code=0
  (cd "$det_root" && env -u DET_TEST_KUBECONFIG GTEST_FILTER='-*/Real' ctest --test-dir build/asan --output-on-failure -j 2 --timeout 1200 --no-tests=error) || code=$?
  # What failed stands far above the last lines, which are all that is shown of a suite.
  grep -E -A 2 '^\[  SKIPPED \]' build/asan/Testing/Temporary/LastTest.log || true
  [ "$code" = 0 ] || grep -E -A 8 ': Failure$|^==[0-9]+==ERROR|: runtime error:' build/asan/Testing/Temporary/LastTest.log | head -n 100 || true
  return "$code"
}
simulation() {
  build/asan/bin/test_simulation
  build/asan/bin/test_simulation --sabotage
  build/asan/bin/test_simulation --exhaustive single,pause,kill --every 6 --seconds 100
}
harness() {
  /usr/bin/python3 -m unittest discover -s tests/harness -p 'test_*.py' -v
  /usr/bin/python3 -m unittest discover -s tests/examples -p 'test_*.py' -v
}
kubeapi() { DET_BUILD=build/asan /usr/bin/python3 -m unittest discover -s tests/kubeapi -p '*_test.py' -v; }
localmode() { "$det_venv/bin/python" -m unittest discover -s tests/local_mode -p '*_test.py' -v; }
webui() { # 77: there is no Node 20 or no Chromium to run it with
  command -v npm > /dev/null && [ -x "${DET_CHROMIUM:-/usr/bin/chromium}" ] || { echo "npm or Chromium is missing (scripts/install-deps.sh browser)"; return 77; }
  (cd webui && npm_config_cache=$det_cache/npm npm ci --no-audit --no-fund && npm test && npm run build)
  /usr/bin/python3 -m unittest discover -s tests/webui -p '*_test.py' -v
}
docs() { /usr/bin/python3 -m unittest discover -s tests/docs -p '*_test.py' -v; }
upgrade() { /usr/bin/python3 -m unittest discover -s tests/upgrade -p '*_test.py' -v; }
attacks() { /usr/bin/python3 -m unittest discover -s tests/attacks -p '*_test.py' -v; }
chaos() { /usr/bin/python3 -m unittest discover -s tests/chaos -p '*_test.py' -v; }
kubernetes() {
  scripts/cluster/up.sh --state "$work/cluster"
  DET_TEST_KUBECONFIG=$work/cluster/kubeconfig build/asan/bin/test_k8sclient --gtest_filter='*Real*'
  scripts/cluster/down.sh --state "$work/cluster" # an idle control plane takes from the others, too
}
helm() { /usr/bin/python3 -m unittest discover -s tests/helm -p '*_test.py' -v; }
packages() { /usr/bin/python3 -m unittest discover -s tests/packages -p '*_test.py' -v; }
kwok() {
  scripts/stack.sh up --state "$work/kwok" --no-agent --fake-nodes 13 --fake-class A100_NVLINK --master-config tests/kwok/master.yaml
  local code=0
  DET_E2E_STATE=$work/kwok /usr/bin/python3 -m unittest discover -s tests/kwok -p '*_test.py' -v || code=1
  scripts/stack.sh down --state "$work/kwok"
  return $code
}
gang() {
  local backend player='' code=0
  scripts/stack.sh up --state "$work/gang" --no-agent --fake-nodes 1 --gang --master-config tests/gang/master.yaml
  for backend in own native coscheduling; do
    sed "s/type: own/type: $backend/" tests/gang/master.yaml > "$work/gang/master.yaml"
    if [ "$backend" = coscheduling ]; then
      "$det_tools/kubectl" --kubeconfig "$work/gang/cluster/kubeconfig" apply -f tests/gang/coscheduling_crd.yaml
      "$det_tools/kubectl" --kubeconfig "$work/gang/cluster/kubeconfig" wait --for=condition=Established crd/podgroups.scheduling.x-k8s.io --timeout=240s
      DET_E2E_STATE=$work/gang /usr/bin/python3 tests/gang/coscheduling_player.py &
      player=$!
    fi
    [ "$backend" = own ] || scripts/stack.sh restart operator --state "$work/gang"
    DET_E2E_STATE=$work/gang DET_GANG_BACKEND=$backend /usr/bin/python3 -m unittest discover -s tests/gang -p '*_test.py' -v || code=1
  done
  kill "$player" || code=1
  scripts/stack.sh down --state "$work/gang"
  return $code
}
kubelet() {
  local why images enter=(scripts/cluster/real-node.sh enter --state "$work/kubelet")
  why=$(scripts/cluster/real-node.sh possible) || { echo "$why"; return 77; }
  images=$(scripts/cluster/node-images.sh --program build/bin/det-operator)
  scripts/cluster/real-node.sh up --state "$work/kubelet" $(printf -- '--image %s ' $images)
  local code=0
  "${enter[@]}" DET_KUBELET_STATE="$work/kubelet" /usr/bin/python3 -m unittest discover -s tests/kubelet -p '*_test.py' -v || code=1
  scripts/cluster/real-node.sh down --state "$work/kubelet"
  return $code
}
e2e() {
  scripts/stack.sh up --state "$work/e2e" --slots 2 --fake-nodes 0
  local code=0
  DET_E2E_STATE=$work/e2e "$det_venv/bin/python" -m unittest discover -s tests/e2e -p '*_test.py' -v || code=1
  scripts/stack.sh down --state "$work/e2e" # an idle control plane takes from the others, too
  return $code
}

node_parts() {
  scripts/build-tools.sh etcd kube-apiserver kube-controller-manager kube-scheduler kubectl kubelet kube-proxy helm
  scripts/cluster/node-images.sh
}
build_tests() {
  cmake --preset asan > build/configure-asan.log 2>&1 || { cat build/configure-asan.log >&2; return 1; }
  cmake --build --preset asan
}

if [ -n "$one" ]; then
  "$one"
  exit 0
fi

# A full disk fails whatever meets it first, with words that name something else. A clone that was tested holds about ten GiB.
free_gib() { # of the fullest of the places that are written to
  df --output=avail -BG "$det_root" "$det_cache" /tmp /var/tmp | tail -n +2 | tr -d ' G' | sort -n | head -n 1
}
free=$(free_gib)
[ ${#wanted[@]} -lt ${#names[@]} ] || [ "$free" -ge "${DET_TEST_FREE_GIB:-12}" ] ||
  die "all suites need ${DET_TEST_FREE_GIB:-12} GiB of free disk ($det_root, $det_cache, /tmp, /var/tmp) and there are $free: remove what is not needed"

phase packages scripts/install-deps.sh all ssh
if wants e2e || wants kwok || wants gang || wants kubernetes || wants helm; then
  phase "cluster tools" scripts/build-tools.sh etcd kube-apiserver kube-controller-manager kube-scheduler kubectl kwok
fi
if wants helm; then phase "Helm" scripts/build-tools.sh helm helm3 kubeconform kube-score; fi
if wants packages; then
  phase "packaging tools" scripts/install-deps.sh package
  phase "Helm" scripts/build-tools.sh helm
fi
if wants kubelet && scripts/cluster/real-node.sh possible > /dev/null; then
  phase "tools and images of a real node" node_parts
fi
if wants kubeapi || wants localmode || wants attacks || wants upgrade; then phase "kubectl" scripts/build-tools.sh kubectl; fi
if wants e2e || wants localmode || wants docs || wants webui || wants attacks || wants upgrade || wants kwok; then phase "python environment" scripts/train-env.sh full; fi
if wants e2e || wants localmode; then phase "S3 server" scripts/build-tools.sh versitygw; fi
if wants localmode; then phase "server of Google Cloud Storage" scripts/build-tools.sh fake-gcs-server; fi
if wants localmode; then phase "server of Azure's storage" scripts/azurite.sh; fi
if wants localmode || wants webui; then phase "python environment of notebooks" scripts/notebook-env.sh; fi
if wants localmode; then phase "python environment of the sign-in provider" scripts/sign-in-env.sh; fi
if wants webui && command -v npm > /dev/null && [ -z "${DET_CHROMIUM:-}" ]; then phase "browser" scripts/install-deps.sh browser; fi
if wants e2e; then phase "python environments of older harnesses" scripts/train-env.sh older; fi
if wants unit || wants simulation || wants kubeapi || wants kubernetes || wants chaos; then phase "build tests (ASan, UBSan)" build_tests; fi
if wants e2e || wants kwok || wants gang || wants localmode || wants docs || wants webui || wants attacks || wants upgrade || wants helm || wants chaos || wants kubelet || wants packages; then
  phase "build programs" scripts/build.sh
fi
run_suites 1 "${alone[@]}"
run_suites "$at_once" "${beside[@]}"

phase_summary
say "suites:"
for name in "${names[@]}"; do
  if wants "$name"; then say "${result[$name]}"; fi
done
say "not part of this run: the fuzzers, the long forms of chaos and of the simulation (docs/development.md)"
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ]
