#!/usr/bin/env bash
# Prints fake GPU nodes named gpu-FIRST and up: nodes.sh COUNT [GPUS] [CLASS] [REGION] [FIRST]
set -euo pipefail
count=${1:?usage: nodes.sh COUNT [GPUS] [CLASS] [REGION] [FIRST]}
gpus=${2:-8} class=${3:-H100_NVLINK_80GB} region=${4:-ORD1} first=${5:-0}
size="{cpu: \"64\", memory: 512Gi, pods: \"110\", nvidia.com/gpu: \"$gpus\", rdma/ib: \"1\", ephemeral-storage: 1Ti}"
for ((i = first; i < first + count; i++)); do
  cat <<N
---
apiVersion: v1
kind: Node
metadata:
  name: gpu-$i
  annotations: {kwok.x-k8s.io/node: fake, node.alpha.kubernetes.io/ttl: "0"}
  labels:
    type: kwok
    kubernetes.io/hostname: gpu-$i
    kubernetes.io/os: linux
    kubernetes.io/arch: amd64
    node-role.kubernetes.io/gpu: ""
    gpu.nvidia.com/class: $class
    gpu.nvidia.com/model: $class
    topology.kubernetes.io/region: $region
    topology.kubernetes.io/zone: $region-a
status:
  allocatable: $size
  capacity: $size
N
done
