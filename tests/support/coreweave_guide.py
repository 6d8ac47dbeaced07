"""What CoreWeave's guide has people write into const.yaml below `environment:`."""

POD_SPEC = """  pod_spec:
    spec:
"""
AFFINITY = """      affinity:
        nodeAffinity:
          requiredDuringSchedulingIgnoredDuringExecution:
            nodeSelectorTerms:
              - matchExpressions:
                  - key: gpu.nvidia.com/class
                    operator: In
                    values:
                      - {gpu}
                  - key: topology.kubernetes.io/region
                    operator: In
                    values:
                      - ORD1
"""
RDMA = """      containers:
        - name: determined-container
          resources:
            limits:
              rdma/ib: '1'
"""
