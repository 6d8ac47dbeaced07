{{/* What values may be called. A key that is not in files/known-values.yaml fails with the nearest one that is. */}}

{{/* How alike two words are, 0 to 1000, by the pairs of letters they share: (list a b) */}}
{{- define "det.likeness" -}}
{{- $a := index . 0 | lower | replace "_" "" }}
{{- $b := index . 1 | lower | replace "_" "" }}
{{- $left := $b }}
{{- $common := 0 }}
{{- range $i := untilStep 0 (sub (len $a) 1 | int) 1 }}
{{- $pair := substr $i (add $i 2 | int) $a }}
{{- if contains $pair $left }}
{{- $common = add $common 1 }}
{{- $parts := splitn $pair 2 $left }}
{{- $left = printf "%s %s" $parts._0 $parts._1 }}
{{- end }}
{{- end }}
{{- div (mul 2000 $common) (max 1 (sub (add (len $a) (len $b)) 2)) }}
{{- end }}

{{/* One line for each key of `values` that is not in `known`: (list path known values) */}}
{{- define "det.unknownKeys" -}}
{{- $path := index . 0 }}
{{- $known := index . 1 }}
{{- range $key, $value := index . 2 }}
{{- if not (hasKey $known $key) }}
{{- $best := 0 }}
{{- $nearest := "" }}
{{- range $name, $_ := $known }}
{{- $likeness := include "det.likeness" (list $key $name) | int }}
{{- if gt $likeness $best }}{{ $best = $likeness }}{{ $nearest = $name }}{{ end }}
{{- end }}
{{ printf "%s%s" $path $key }} is not a value of this chart{{ if gt $best 400 }}; did you mean {{ $path }}{{ $nearest }}?{{ else }}; its values are in values.yaml (helm show values){{ end }}
{{- else if and (kindIs "map" $value) (index $known $key) }}
{{- include "det.unknownKeys" (list (printf "%s%s." $path $key) (index $known $key) $value) }}
{{- end }}
{{- end }}
{{- end }}

{{/* Values of Determined's chart that mean nothing here, one a line. */}}
{{- define "det.idleValues" -}}
{{- $v := .Values }}
{{- $why := dict
  "detVersion" "the operator's version is the chart's; image.tag chooses another"
  "enterpriseEdition" "there is one edition"
  "logColor" "logs have no colours"
  "externalCaCertSecretName" "the operator trusts by db.certResourceName for PostgreSQL and oidc.caSecretName for the sign-in provider"
  "scim" "users are made when they first sign in (oidc.autoProvisionUsers)" "saml" "people sign in with OpenID Connect: oidc"
  "telemetry" "nothing is ever sent to anybody"
  "observability" "metrics are always served, at /metrics and /prom/det-state-metrics"
  "logging" "logs are kept in PostgreSQL"
  "fluent" "logs are shipped from inside the task"
  "additional_resource_managers" "one release serves one cluster"
  "genai" "not part of this"
  "namespace" "helm's --namespace says it" }}
{{- range $key := keys $why | sortAlpha }}
{{- if hasKey $v $key }}
- {{ $key }}: {{ index $why $key }}
{{- end }}
{{- end }}
{{- if not (has (($v.oidc).scimAuthenticationAttribute | default "userName") (list "userName")) }}
- oidc.scimAuthenticationAttribute: there is no SCIM; users are found by their username
{{- end }}
{{- if has ($v.imageRegistry | default "") (list "determinedai" "hpecorp") }}
- imageRegistry: {{ $v.imageRegistry }} has Determined's image, not this one
{{- end }}
{{- if eq (($v.defaultImages).postgreSQL | default "") "postgres:10.14" }}
- defaultImages.postgreSQL: PostgreSQL 10 is too old; postgres:15.14 is used
{{- end }}
{{- range $key := list "kubeScheduler" "kubeSchedulerPreemption" }}
{{- if hasKey ($v.defaultImages | default dict) $key }}
- defaultImages.{{ $key }}: no scheduler is installed
{{- end }}
{{- end }}
{{- range $key := list "claimSuffix" "snapshotSuffix" "restoreSnapshotSuffix" }}
{{- if index $v.db $key }}
- db.{{ $key }}: snapshots of the volume are the storage's business
{{- end }}
{{- end }}
{{- if and $v.checkpointStorage.mountToServer (not (include "det.serverMount" .)) }}
- checkpointStorage.mountToServer: only shared_fs with a hostPath can be mounted
{{- end }}
{{- $task := $v.taskContainerDefaults | default dict }}
{{- $instead := dict
  "networkMode" "write hostNetwork into gpuPodSpec and cpuPodSpec"
  "dtrainNetworkInterface" "name it in environmentVariables, as NCCL_SOCKET_IFNAME and GLOO_SOCKET_IFNAME" }}
{{- range $key := keys $instead | sortAlpha }}
{{- $given := index $task $key }}
{{- if and $given (not (and (eq $key "networkMode") (eq (toString $given) "bridge"))) }}
- taskContainerDefaults.{{ $key }}: {{ index $instead $key }}
{{- end }}
{{- end }}
{{- if ($v.resourceManager).clusterName }}
- resourceManager.clusterName: one release serves one cluster; clusterName is its display name
{{- end }}
{{- if eq (include "det.scope" .) "namespaced" }}
{{- if and ($v.resourceManager).defaultNamespace (ne $v.resourceManager.defaultNamespace .Release.Namespace) }}
- resourceManager.defaultNamespace: with scope namespaced experiments run in the release's namespace, {{ .Release.Namespace }}
{{- end }}
{{- if $v.agentControl }}
- agentControl: nodes belong to the cluster; a release of scope namespaced has no rights on them
{{- end }}
{{- end }}
{{- if has ($v.defaultScheduler | default "") (list "coscheduler" "preemption" "priority") }}
- defaultScheduler: no second scheduler is needed; the pods of one trial are placed together or not at all
{{- end }}
{{- end }}

{{/* What the operator would end with an error for. */}}
{{- define "det.checkAudit" -}}
{{- $audit := .Values.audit | default dict }}
{{- if and $audit.retentionDays (not $audit.database) }}
{{- fail "\naudit.retentionDays is about the rows in PostgreSQL: set audit.database: true, or leave it out\n" }}
{{- end }}
{{- with $audit.file }}
{{- $file := . }}
{{- $outputs := list "/dev/stdout" "/dev/stderr" "/proc/self/fd/1" "/proc/self/fd/2" }}
{{- $writable := or (hasPrefix "/tmp/" .) (hasPrefix "/dev/shm/" .) (has . $outputs) }}
{{- range $.Values.extraVolumeMounts }}
{{- if and (not .readOnly) (or (eq .mountPath $file) (hasPrefix (printf "%s/" (trimSuffix "/" .mountPath)) $file)) }}{{ $writable = true }}{{ end }}
{{- end }}
{{- if not $writable }}
{{- fail (printf "\naudit.file: %s cannot be written, because the container's file system is read-only. Mount a volume there with extraVolumes and extraVolumeMounts, or leave it out: then it is among the log's lines\n" .) }}
{{- end }}
{{- end }}
{{- end }}
