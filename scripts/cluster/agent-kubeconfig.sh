#!/usr/bin/env bash
# Prints the path of a kubeconfig for the node agent of one Node: agent-kubeconfig.sh --state DIR NODE
# It carries the rights of a kubelet of that name and no more: its own Node, the pods bound to it and what they mount.
set -euo pipefail
umask 077
state=''
node=''
while [ $# -gt 0 ]; do
  case $1 in
    --state) state=$2; shift 2 ;;
    -*) echo "error: unknown option $1" >&2; exit 2 ;;
    *) node=$1; shift ;;
  esac
done
[ -n "$node" ] && [ -s "$state/pki/ca.key" ] ||
  { echo "usage: agent-kubeconfig.sh --state DIR NODE, where DIR is the state folder of a started cluster" >&2; exit 2; }
state=$(cd "$state" && pwd)
. "$(dirname "${BASH_SOURCE[0]}")/pki.sh"
pki_agent_kubeconfig "$node" "$state/conf/agent-$node.kubeconfig"
printf '%s\n' "$state/conf/agent-$node.kubeconfig"
