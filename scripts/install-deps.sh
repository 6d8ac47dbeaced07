#!/usr/bin/env bash
# Installs the Debian 12 packages that the parts of this repository need: install-deps.sh [build|run|test|train|tools|ssh|browser|kubelet|package|coverage|all]...
# Only what is missing is installed; with nothing missing, no root rights are needed.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# libboost-dev (1.74) conflicts with 1.81, so nothing that depends on it (python3-sklearn for one) may be listed here.
build=(ca-certificates clang-19 lld-19 libclang-rt-19-dev clang-format-19 clang-tidy-19 ccache ninja-build cmake pkg-config
  libboost1.81-dev libboost-url1.81-dev libcurl4-openssl-dev nlohmann-json3-dev libyaml-cpp-dev libpqxx-dev libpq-dev
  libssl-dev libspdlog-dev libfmt-dev libcli11-dev prometheus-cpp-dev libarchive-dev libcrypt-dev libzstd-dev
  libsimdjson-dev libre2-dev libjemalloc-dev)
run=(ca-certificates bubblewrap postgresql-15 openssl curl iproute2 procps)
test=("${build[@]}" "${run[@]}" libgtest-dev libgmock-dev libbenchmark-dev python3 python3-yaml lua5.4 git)
# libopenblas0-pthread: without it torch falls back to the reference BLAS, which trains up to twice as slowly.
train=(ca-certificates python3-venv python3-torch libopenblas0-pthread dataset-fashion-mnist)
tools=(ca-certificates python3-venv)
# Not part of `all`: for tests of shells, which run an sshd of their own. The machine's own service is not started.
ssh=(openssh-client openssh-server)
# Nor this: what the tests of the web page run in. Their Node is the machine's own: Debian 12 has none that is new enough.
browser=(chromium)
# Nor is this: containerd is a service of the machine, wanted only where a real node is to be tried.
kubelet=(ca-certificates containerd runc containernetworking-plugins busybox-static debootstrap iptables)
# Nor this: what scripts/package.sh makes packages with, and what its tests look at them with, in bare systems.
package=(patchelf binutils dpkg-dev help2man python3 debootstrap skopeo)

# Nor this: what scripts/coverage.sh counts with.
coverage=("${test[@]}" llvm-19)

packages=()
for group in "${@:-all}"; do
  case $group in
    build) packages+=("${build[@]}") ;;
    run) packages+=("${run[@]}") ;;
    test) packages+=("${test[@]}") ;;
    train) packages+=("${train[@]}") ;;
    tools) packages+=("${tools[@]}") ;;
    ssh) packages+=("${ssh[@]}") ;;
    browser) packages+=("${browser[@]}") ;;
    kubelet) packages+=("${kubelet[@]}") ;;
    package) packages+=("${package[@]}") ;;
    coverage) packages+=("${coverage[@]}") ;;
    all) packages+=("${test[@]}" "${train[@]}" "${tools[@]}") ;;
    *) die "unknown group '$group': build, run, test, train, tools, ssh, browser, kubelet, package, coverage or all" ;;
  esac
done
mapfile -t packages < <(printf '%s\n' "${packages[@]}" | sort -u)
apt_install "${packages[@]}"
