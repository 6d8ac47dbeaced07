{{/* The folder of checkpoints that the operator has, too; empty: none. */}}
{{- define "det.serverMount" -}}
{{- $storage := .Values.checkpointStorage | default dict }}
{{- if and $storage.mountToServer $storage.hostPath (eq ($storage.type | default "shared_fs") "shared_fs") }}{{ $storage.hostPath }}{{ end }}
{{- end }}

{{/* master.yaml, as det-operator --config reads it: only keys that have an effect, or that the user asked for by name. */}}

{{- define "det.storageType" -}}
{{- if .Values.checkpointStorage.type }}{{ .Values.checkpointStorage.type }}
{{- else if or .Values.checkpointStorage.bucket (.Values.s3 | default dict).bucket }}s3
{{- else }}shared_fs{{ end }}
{{- end }}

{{- define "det.checkpointStorage" -}}
{{- $in := .Values.checkpointStorage }}
{{- $s3 := .Values.s3 | default dict }}
{{- $type := include "det.storageType" . }}
{{- $out := dict "type" $type }}
{{- if eq $type "shared_fs" }}
{{- $_ := set $out "host_path" ($in.hostPath | default "/tmp/checkpoints") }}
{{- with $in.storagePath }}{{ $_ := set $out "storage_path" . }}{{ end }}
{{- with $in.propagation }}{{ $_ := set $out "propagation" . }}{{ end }}
{{- else if eq $type "directory" }}
{{- $_ := set $out "container_path" (required "checkpointStorage.containerPath is needed for type directory" $in.containerPath) }}
{{- else if eq $type "gcs" }}
{{- $_ := set $out "bucket" (required "checkpointStorage.bucket is needed for type gcs" $in.bucket) }}
{{- else if eq $type "s3" }}
{{- $_ := set $out "bucket" (required "checkpointStorage.bucket (or s3.bucket) is needed for type s3" ($in.bucket | default $s3.bucket)) }}
{{- $region := $s3.region | default .Values.region }}
{{- if $in.endpointUrl }}{{ $_ := set $out "endpoint_url" $in.endpointUrl }}
{{- else if $s3.endpointUrl }}{{ $_ := set $out "endpoint_url" $s3.endpointUrl }}
{{- else if $region }}{{ $_ := set $out "endpoint_url" (printf "https://object.%s.coreweave.com" (lower $region)) }}{{ end }}
{{- else if eq $type "azure" }}
{{- $_ := set $out "container" (required "checkpointStorage.container is needed for type azure" $in.container) }}
{{- with $in.account_url }}{{ $_ := set $out "account_url" . }}{{ end }}
{{- else }}
{{- fail (printf "checkpointStorage.type: %q is none of shared_fs, s3, gcs, azure, directory" $type) }}
{{- end }}
{{- if and $in.prefix (has $type (list "s3" "gcs")) }}{{ $_ := set $out "prefix" $in.prefix }}{{ end }}
{{- range $from, $to := dict "saveExperimentBest" "save_experiment_best" "saveTrialBest" "save_trial_best" "saveTrialLatest" "save_trial_latest" }}
{{- if not (kindIs "invalid" (index $in $from)) }}{{ $_ := set $out $to (index $in $from | int) }}{{ end }}
{{- end }}
{{- toYaml $out }}
{{- end }}

{{/* The volume from which tasks take what they check the operator's certificate with; empty: the image's own authorities. */}}
{{- define "det.trust" -}}
{{- if .Values.tlsTrustConfigMap }}
configMap: {name: {{ .Values.tlsTrustConfigMap }}, items: [{key: ca.crt, path: master.crt}]}
{{- else if and .Values.tlsSecret (eq (include "det.taskNamespace" .) .Release.Namespace) }}
{{- /* cert-manager's have the authority's certificate, too; optional, because others have none. */}}
secret: {secretName: {{ .Values.tlsSecret }}, optional: true, items: [{key: tls.crt, path: master.crt}, {key: ca.crt, path: ca.crt}]}
{{- end }}
{{- end }}

{{/* A pod_spec with the volume of det.trust, whatever lists it has of its own: (list root pod_spec) -> a pod_spec */}}
{{- define "det.trusted" -}}
{{- $root := index . 0 }}
{{- $pod := deepCopy (index . 1) }}
{{- with include "det.trust" $root | fromYaml }}
{{- $name := "det-master-certificate" }}
{{- $mount := dict "name" $name "mountPath" "/run/det-operator" "readOnly" true }}
{{- $spec := $pod.spec | default dict }}
{{- $volumes := list }}
{{- range $spec.volumes }}{{ if ne (.name | default "") $name }}{{ $volumes = append $volumes . }}{{ end }}{{ end }}
{{- $containers := list }}
{{- $has_main := false }}
{{- range $spec.containers }}
{{- $container := . }}
{{- if eq (.name | default "determined-container") "determined-container" }}
{{- $mounts := list }}
{{- range .volumeMounts }}{{ if ne (.name | default "") $name }}{{ $mounts = append $mounts . }}{{ end }}{{ end }}
{{- $container = set (deepCopy .) "volumeMounts" (append $mounts $mount) }}
{{- $has_main = true }}
{{- end }}
{{- $containers = append $containers $container }}
{{- end }}
{{- if not $has_main }}{{ $containers = append $containers (dict "name" "determined-container" "volumeMounts" (list $mount)) }}{{ end }}
{{- $_ := set $spec "volumes" (append $volumes (mergeOverwrite (dict "name" $name) .)) }}
{{- $_ := set $spec "containers" $containers }}
{{- $_ := set $pod "spec" $spec }}
{{- end }}
{{- toYaml $pod }}
{{- end }}

{{/* What region, resources and mounts mean for a task: (list root "gpu"|"cpu") -> a pod_spec */}}
{{- define "det.podSpec" -}}
{{- $root := index . 0 }}
{{- $kind := index . 1 }}
{{- $values := $root.Values }}
{{- $wanted := $values.resources | default dict }}
{{- $container := dict "name" "determined-container" }}
{{- $spec := dict }}
{{- $match := list }}
{{- $amounts := dict }}
{{- if or $values.region $wanted }}
{{- if eq $kind "cpu" }}{{ if $values.region }}{{ $amounts = dict "cpu" "32" "memory" "64Gi" }}{{ end }}
{{- else }}
{{- with $wanted.cpu | default (ternary "8" "" (not (empty $values.region))) }}{{ $_ := set $amounts "cpu" (toString .) }}{{ end }}
{{- with $wanted.memory | default (ternary "32Gi" "" (not (empty $values.region))) }}{{ $_ := set $amounts "memory" (toString .) }}{{ end }}
{{- with $wanted.gpuType | default (ternary "RTX_A5000" "" (not (empty $values.region))) }}
{{- $match = append $match (dict "key" "gpu.nvidia.com/class" "operator" "In" "values" (list .)) }}
{{- end }}
{{- end }}
{{- end }}
{{- if $values.region }}{{ $match = append $match (dict "key" "topology.kubernetes.io/region" "operator" "In" "values" (list $values.region)) }}{{ end }}
{{- if $amounts }}
{{- $limits := deepCopy $amounts }}
{{- if and (eq $kind "gpu") (hasPrefix "A100_" ($wanted.gpuType | default "")) }}{{ $_ := set $limits "rdma/ib" "1" }}{{ end }}
{{- $_ := set $container "resources" (dict "requests" $amounts "limits" $limits) }}
{{- end }}
{{- if $match }}
{{- $_ := set $spec "affinity" (dict "nodeAffinity" (dict "requiredDuringSchedulingIgnoredDuringExecution" (dict "nodeSelectorTerms" (list (dict "matchExpressions" $match))))) }}
{{- end }}
{{- $volumes := list }}
{{- $mounts := list }}
{{- $names := dict }}
{{- range $index, $mount := $values.mounts }}
{{- if not (hasKey $names $mount.pvc) }}
{{- /* Names of claims may be longer than those of volumes, and have dots. */}}
{{- $volume := regexReplaceAll "[^a-z0-9]+" (lower $mount.pvc) "-" | trunc 58 | trimAll "-" | default "mount" }}
{{- if has $volume (values $names) }}{{ $volume = printf "%s-%d" $volume $index }}{{ end }}
{{- $_ := set $names $mount.pvc $volume }}
{{- $volumes = append $volumes (dict "name" $volume "persistentVolumeClaim" (dict "claimName" $mount.pvc)) }}
{{- end }}
{{- $mounts = append $mounts (dict "name" (get $names $mount.pvc) "mountPath" $mount.name) }}
{{- end }}
{{- if $volumes }}{{ $_ := set $spec "volumes" $volumes }}{{ $_ := set $container "volumeMounts" $mounts }}{{ end }}
{{- if gt (len $container) 1 }}{{ $_ := set $spec "containers" (list $container) }}{{ end }}
{{- $pod := dict }}
{{- if $spec }}{{ $_ := set $pod "spec" $spec }}{{ end }}
{{- $own := index ($values.taskContainerDefaults | default dict) (printf "%sPodSpec" $kind) }}
{{- if $own }}{{ $pod = mergeOverwrite $pod (deepCopy $own) }}{{ end }}
{{- include "det.trusted" (list $root $pod) }}
{{- end }}

{{- define "det.taskDefaults" -}}
{{- $in := .Values.taskContainerDefaults | default dict }}
{{- $images := .Values.defaultImages | default dict }}
{{- $out := dict }}
{{- range $from, $to := dict "networkMode" "network_mode" "dtrainNetworkInterface" "dtrain_network_interface" "forcePullImage" "force_pull_image" "checkpointGcPodSpec" "checkpoint_gc_pod_spec" "logPolicies" "log_policies" "startupHook" "startup_hook" "environmentVariables" "environment_variables" "bindMounts" "bind_mounts" "registryAuth" "registry_auth" "preemptionTimeout" "preemption_timeout" "shmSizeBytes" "shm_size_bytes" "workDir" "work_dir" }}
{{- if not (kindIs "invalid" (index $in $from)) }}{{ $_ := set $out $to (index $in $from) }}{{ end }}
{{- end }}
{{- with $out.registry_auth }}{{ $_ := set $out "registry_auth" (omit . "password" "auth" "identitytoken" "registrytoken") }}{{ end }}
{{- with $out.shm_size_bytes }}{{ $_ := set $out "shm_size_bytes" (int64 .) }}{{ end }}
{{- $image := dict }}
{{- range $from, $to := dict "cpuImage" "cpu" "gpuImage" "cuda" "rocmImage" "rocm" }}
{{- with index $in $from | default (index $images $from) }}{{ $_ := set $image $to . }}{{ end }}
{{- end }}
{{- with $image }}{{ $_ := set $out "image" . }}{{ end }}
{{- range $kind := list "gpu" "cpu" }}
{{- with include "det.podSpec" (list $ $kind) | fromYaml }}{{ $_ := set $out (printf "%s_pod_spec" $kind) . }}{{ end }}
{{- end }}
{{- with $out.checkpoint_gc_pod_spec }}{{ $_ := set $out "checkpoint_gc_pod_spec" (include "det.trusted" (list $ .) | fromYaml) }}{{ end }}
{{- $trust := list }}
{{- if include "det.trust" . | fromYaml }}{{ $trust = append $trust "DET_MASTER_CERT_FILE=/run/det-operator/master.crt" }}{{ end }}
{{- with .Values.tlsCertName }}{{ $trust = append $trust (printf "DET_MASTER_CERT_NAME=%s" .) }}{{ end }}
{{- if $trust }}
{{- $given := $in.environmentVariables | default list }}
{{- if kindIs "map" $given }}
{{- $given = deepCopy $given }}
{{- range $type := list "cpu" "cuda" "rocm" }}
{{- $key := ternary "gpu" $type (and (eq $type "cuda") (hasKey $given "gpu") (not (hasKey $given "cuda"))) }}
{{- $_ := set $given $key (concat $trust (index $given $key | default list)) }}
{{- end }}
{{- $_ := set $out "environment_variables" $given }}
{{- else }}{{ $_ := set $out "environment_variables" (concat $trust $given) }}{{ end }}
{{- end }}
{{- toYaml $out }}
{{- end }}

{{- define "det.resourceManager" -}}
{{- $out := dict "type" "kubernetes" "max_slots_per_pod" (.Values.maxSlotsPerPod | int) "default_namespace" (include "det.taskNamespace" .) }}
{{- $slot := .Values.slotType | default "gpu" }}
{{- $_ := set $out "slot_type" (ternary "cuda" $slot (eq $slot "gpu")) }}
{{- if and (eq $slot "cpu") (not (.Values.slotResourceRequests).cpu) }}
{{- fail "slotType: cpu needs slotResourceRequests.cpu, the CPUs of one slot, for example 1" }}
{{- end }}
{{- with (.Values.slotResourceRequests).cpu }}{{ $_ := set $out "slot_resource_requests" (dict "cpu" .) }}{{ end }}
{{- if and (eq (.Values.defaultScheduler | default "") "coscheduler") (not (.Values.scheduler).type) }}{{ $_ := set $out "default_scheduler" "coscheduler" }}{{ end }}
{{- with .Values.defaultComputeResourcePool }}{{ $_ := set $out "default_compute_resource_pool" . }}{{ end }}
{{- with .Values.defaultAuxResourcePool }}{{ $_ := set $out "default_aux_resource_pool" . }}{{ end }}
{{- toYaml $out }}
{{- end }}

{{/* A pool's pod_spec replaces the cluster's. */}}
{{- define "det.resourcePools" -}}
{{- $out := list }}
{{- range .Values.resourcePools }}
{{- $pool := deepCopy . }}
{{- $defaults := $pool.task_container_defaults | default dict }}
{{- range $key := list "gpu_pod_spec" "cpu_pod_spec" }}
{{- with index $defaults $key }}{{ $_ := set $defaults $key (include "det.trusted" (list $ .) | fromYaml) }}{{ end }}
{{- end }}
{{- $out = append $out $pool }}
{{- end }}
{{- toYaml $out }}
{{- end }}

{{- define "det.scheduler" -}}
{{- $out := dict }}
{{- range $from, $to := dict "type" "type" "bindTimeout" "bind_timeout" "scaleUp" "scale_up" "scaleUpTimeout" "scale_up_timeout" "topology" "topology" "coschedulerName" "coscheduler_name" }}
{{- with index ($.Values.scheduler | default dict) $from }}{{ $_ := set $out $to (ternary (int .) . (hasSuffix "imeout" $from)) }}{{ end }}
{{- end }}
{{- toYaml $out }}
{{- end }}

{{/* Signing in with a provider; the client's secret is in the folder of --config-secrets. */}}
{{- define "det.oidc" -}}
{{- $oidc := .Values.oidc | default dict }}
{{- $out := dict }}
{{- if $oidc.enabled }}
{{- range $from, $to := dict "enabled" "enabled" "provider" "provider" "idpRecipientUrl" "idp_recipient_url" "idpSsoUrl" "idp_sso_url" "clientId" "client_id" "authenticationClaim" "authentication_claim" "autoProvisionUsers" "auto_provision_users" "groupsAttributeName" "groups_attribute_name" "displayNameAttributeName" "display_name_attribute_name" "agentUidAttributeName" "agent_uid_attribute_name" "agentGidAttributeName" "agent_gid_attribute_name" "agentUserNameAttributeName" "agent_user_name_attribute_name" "agentGroupNameAttributeName" "agent_group_name_attribute_name" "alwaysRedirect" "always_redirect" "excludeGroupsScope" "exclude_groups_scope" }}
{{- with index $oidc $from }}{{ $_ := set $out $to . }}{{ end }}
{{- end }}
{{- range $name, $example := dict "idpRecipientUrl" "https://det.example.com, this server as browsers have it" "idpSsoUrl" "https://example.okta.com, the provider" "clientId" "the id that the provider gave this server" }}
{{- if not (index $oidc $name) }}{{ fail (printf "oidc.%s is needed: %s" $name $example) }}{{ end }}
{{- end }}
{{- if $oidc.caSecretName }}{{ $_ := set $out "ca_file" "/etc/det-operator/sign-in/ca.crt" }}{{ end }}
{{- end }}
{{- toYaml $out }}
{{- end }}

{{- define "det.openStateMetrics" -}}
{{- $open := .Values.metrics.openStateMetrics }}
{{- if kindIs "bool" $open }}{{ $open }}{{ else }}{{ .Values.metrics.serviceMonitor.enabled | default false }}{{ end }}
{{- end }}

{{- define "det.masterYaml" -}}
{{- $out := dict }}
{{- $_ := set $out "cluster_name" (.Values.clusterName | default "") }}
{{- $_ := set $out "checkpoint_storage" (include "det.checkpointStorage" . | fromYaml) }}
{{- with include "det.taskDefaults" . | fromYaml }}{{ $_ := set $out "task_container_defaults" . }}{{ end }}
{{- $_ := set $out "resource_manager" (include "det.resourceManager" . | fromYaml) }}
{{- $namespaces := list }}
{{- range include "det.taskNamespaces" . | fromYamlArray }}{{ $namespaces = append $namespaces .name }}{{ end }}
{{- $_ := set $out "task_namespaces" $namespaces }}
{{- with include "det.scheduler" . | fromYaml }}{{ $_ := set $out "scheduler" . }}{{ end }}
{{- with .Values.podPolicy }}{{ $_ := set $out "pod_policy" . }}{{ end }}
{{- $audit := .Values.audit | default dict }}
{{- if or $audit.file $audit.database $audit.retentionDays }}
{{- $_ := set $out "audit" (dict "file" ($audit.file | default "") "database" ($audit.database | default false) "retention_days" (int ($audit.retentionDays | default 0))) }}
{{- end }}
{{- with (.Values.checkpointDownloads | default dict).endpoints }}{{ $_ := set $out "checkpoint_downloads" (dict "endpoints" .) }}{{ end }}
{{- $proxy := .Values.proxy | default dict }}
{{- if $proxy.hostSuffix }}{{ $_ := set $out "proxy" (dict "host_suffix" $proxy.hostSuffix) }}
{{- else if $proxy.port }}{{ $_ := set $out "proxy" (dict "port" (int $proxy.port)) }}{{ end }}
{{- if eq (include "det.openStateMetrics" .) "true" }}{{ $_ := set $out "observability" (dict "open_state_metrics" true) }}{{ end }}
{{- $_ := set $out "release" (include "det.release" . | fromYaml) }}
{{- with .Values.resourcePools }}{{ $_ := set $out "resource_pools" (include "det.resourcePools" $ | fromYamlArray) }}{{ end }}
{{- $security := dict }}
{{- with (.Values.security | default dict).token }}{{ $_ := set $security "token" . }}{{ end }}
{{- with (.Values.security | default dict).defaultTask }}
{{- $account := dict }}
{{- range $key := list "user" "group" }}{{ with index $.Values.security.defaultTask $key }}{{ $_ := set $account $key . }}{{ end }}{{ end }}
{{- range $key := list "uid" "gid" }}{{ if not (kindIs "invalid" (index $.Values.security.defaultTask $key)) }}{{ $_ := set $account $key (index $.Values.security.defaultTask $key | int64) }}{{ end }}{{ end }}
{{- $_ := set $security "default_task" $account }}
{{- end }}
{{- with (.Values.security | default dict).authz }}{{ $_ := set $security "authz" . }}{{ end }}
{{- with $security }}{{ $_ := set $out "security" . }}{{ end }}
{{- with include "det.oidc" . | fromYaml }}{{ $_ := set $out "oidc" . }}{{ end }}
{{- with .Values.webhooks }}
{{- $hooks := dict }}
{{- range $from, $to := dict "baseUrl" "base_url" "allowPrivateNetworks" "allow_private_networks" "allowedNetworks" "allowed_networks" }}
{{- with index $.Values.webhooks $from }}{{ $_ := set $hooks $to . }}{{ end }}
{{- end }}
{{- with $hooks }}{{ $_ := set $out "webhooks" . }}{{ end }}
{{- end }}
{{- with .Values.featureSwitches }}{{ $_ := set $out "feature_switches" . }}{{ end }}
{{- $harness := dict }}
{{- range $key := list "install" "version" "wheelhouse" }}
{{- if not (kindIs "invalid" (index ($.Values.harness | default dict) $key)) }}{{ $_ := set $harness $key (index $.Values.harness $key) }}{{ end }}
{{- end }}
{{- with $harness }}{{ $_ := set $out "harness" . }}{{ end }}
{{- with .Values.notebookTimeout }}{{ $_ := set $out "notebook_timeout" (int .) }}{{ end }}
{{- with .Values.tensorboardTimeout }}{{ $_ := set $out "tensorboard_timeout" (int .) }}{{ end }}
{{- with .Values.retentionPolicy }}
{{- $policy := dict }}
{{- if not (kindIs "invalid" .logRetentionDays) }}{{ $_ := set $policy "log_retention_days" (int .logRetentionDays) }}{{ end }}
{{- with .schedule }}{{ $_ := set $policy "schedule" . }}{{ end }}
{{- $_ := set $out "retention_policy" $policy }}
{{- end }}
{{- toYaml $out }}
{{- end }}
