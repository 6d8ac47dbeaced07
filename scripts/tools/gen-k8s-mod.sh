#!/usr/bin/env bash
# Writes kubernetes/go.mod for one Kubernetes release (gen-k8s-mod.sh v1.36.3): `go install k8s.io/kubernetes/...@v` is refused
# because of the release's replace lines, so a module of our own pins every staging module to the matching v0.x tag.
set -euo pipefail
version=${1:?usage: gen-k8s-mod.sh v1.36.3}
staging=v0.${version#v1.}
folder=$(cd "$(dirname "$0")" && pwd)/kubernetes
mkdir -p "$folder"
cd "$folder"
rm -f go.mod go.sum
cat > go.mod <<M
module det-operator/tools/kubernetes

go $(go env GOVERSION | sed 's/^go//; s/\.[0-9]*$//').0
M
# The release's own go.mod says which staging modules exist.
upstream=$(GOFLAGS=-mod=mod go mod download -json "k8s.io/kubernetes@$version" | sed -n 's/.*"GoMod": "\(.*\)",/\1/p')
mapfile -t modules < <(
  sed -n 's#^\t\(k8s.io/[a-z0-9-]*\) => ./staging/src/.*#\1#p; s#^\t\(k8s.io/[a-z0-9-]*\) v0.0.0$#\1#p' "$upstream" | sort -u)
[ ${#modules[@]} -gt 0 ] || { echo "error: no staging modules found in $upstream" >&2; exit 1; }
edits=("-require=k8s.io/kubernetes@$version")
for module in "${modules[@]}"; do edits+=("-replace=$module=$module@$staging"); done
for command in kube-apiserver kube-controller-manager kube-scheduler kube-proxy kubelet kubectl; do
  edits+=("-tool=k8s.io/kubernetes/cmd/$command")
done
# The release names the version of etcd's modules. Built with them, etcd compiles little of its own.
edits+=("-tool=go.etcd.io/etcd/server/v3")
go mod edit "${edits[@]}"
GOFLAGS=-mod=mod go mod tidy
