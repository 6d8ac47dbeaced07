{{/* Names, labels and the choices that several objects share. */}}

{{- define "det.fullname" -}}
{{- if .Values.fullnameOverride }}{{ .Values.fullnameOverride | trunc 50 | trimSuffix "-" }}
{{- else }}
{{- $name := .Values.nameOverride | default .Chart.Name }}
{{- if contains $name .Release.Name }}{{ .Release.Name | trunc 50 | trimSuffix "-" }}{{ else }}{{ printf "%s-%s" .Release.Name $name | trunc 50 | trimSuffix "-" }}{{ end }}
{{- end }}
{{- end }}

{{/* Bookmarks and gateways of people who come from Determined's chart point at these two. */}}
{{- define "det.service" -}}{{ printf "determined-master-service-%s" .Release.Name | trunc 63 | trimSuffix "-" }}{{- end }}
{{- define "det.dbService" -}}{{ printf "determined-db-service-%s" .Release.Name | trunc 63 | trimSuffix "-" }}{{- end }}

{{- define "det.selector" -}}
app.kubernetes.io/name: {{ .Values.nameOverride | default .Chart.Name | trunc 63 | trimSuffix "-" }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{/* What Services and policies select our pods by: (list root component). The labels of det.selector can stand in anybody's pod_spec;
ours cannot. */}}
{{- define "det.podIdentity" -}}
det-operator.dev/component: {{ index . 1 }}
det-operator.dev/release: {{ (index . 0).Release.Name }}
{{- end }}

{{- define "det.labels" -}}
{{ include "det.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/part-of: det-operator
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end }}

{{/* Annotations of what stays when the release goes, or a value stops asking for it. Argo CD heeds Helm's only when the whole
application is deleted. */}}
{{- define "det.keep" -}}
argocd.argoproj.io/sync-options: Prune=false,Delete=false
helm.sh/resource-policy: keep
{{- end }}

{{- define "det.serviceAccount" -}}
{{- if .Values.serviceAccount.create }}{{ .Values.serviceAccount.name | default (include "det.fullname" .) }}
{{- else }}{{ .Values.serviceAccount.name | default "default" }}{{ end }}
{{- end }}

{{- define "det.controllerClass" -}}{{ .Values.controllerClass | default "det-operator" }}{{- end }}

{{- define "det.scope" -}}
{{- if .Values.scope }}{{ .Values.scope }}
{{- else if or .Values.region (not .Values.createNonNamespacedObjects) }}namespaced
{{- else }}cluster{{ end }}
{{- end }}

{{/* A release that carried Determined's own image settings gets ours. */}}
{{- define "det.image" -}}
{{- $registry := .Values.imageRegistry | default "" }}
{{- if has $registry (list "determinedai" "hpecorp") }}{{ $registry = "" }}{{ end }}
{{- $name := .Values.image.repository }}
{{- if $registry }}{{ $name = printf "%s/%s" (trimSuffix "/" $registry) $name }}{{ end }}
{{- if .Values.image.digest }}{{ printf "%s@%s" $name .Values.image.digest }}
{{- else }}
{{- $tag := .Values.image.tag | default .Chart.AppVersion }}
{{- if kindIs "float64" $tag }}{{ $tag = int64 $tag }}{{ end }}
{{- printf "%s:%v" $name $tag }}{{ end }}
{{- end }}

{{/* Determined's default is too old for the schema. */}}
{{- define "det.dbImage" -}}
{{- $image := (.Values.defaultImages).postgreSQL | default "postgres:15.14" }}
{{- if eq $image "postgres:10.14" }}{{ $image = "postgres:15.14" }}{{ end }}
{{- $image }}
{{- end }}

{{- define "det.pullSecrets" -}}
{{- with .Values.imagePullSecretName }}
imagePullSecrets:
- name: {{ . }}
{{- end }}
{{- end }}

{{- define "det.scheme" -}}{{ ternary "https" "http" (not (empty .Values.tlsSecret)) }}{{- end }}

{{/* What tasks dial. */}}
{{- define "det.taskUrl" -}}
{{- $scheme := .Values.determinedMasterScheme | default (include "det.scheme" .) }}
{{- $host := .Values.determinedMasterHost | default (printf "%s.%s.svc" (include "det.service" .) .Release.Namespace) }}
{{- printf "%s://%s:%v" $scheme $host (.Values.determinedMasterPort | default .Values.masterPort) }}
{{- end }}

{{- define "det.serviceType" -}}
{{- if .Values.masterService.type }}{{ .Values.masterService.type }}
{{- else if .Values.useNodePortForMaster }}NodePort
{{- else if .Values.loadBalancerSourceRanges }}LoadBalancer
{{- else }}ClusterIP{{ end }}
{{- end }}

{{/* By itself where region is set. (helm upgrade --reuse-values of a release of before priorityClasses brings a false that nobody wrote.) */}}
{{- define "det.hasIngress" -}}
{{- $is_said := and (kindIs "bool" .Values.ingress.enabled) (hasKey .Values "priorityClasses") }}
{{- if or (eq (toString .Values.ingress.enabled) "true") (and .Values.region (not $is_said)) }}true{{ end }}
{{- end }}
{{- define "det.ingressHost" -}}
{{- if .Values.ingress.host }}{{ .Values.ingress.host }}
{{- else if .Values.region }}{{ printf "%s.%s.%s.ingress.coreweave.cloud" .Release.Name .Release.Namespace (lower .Values.region) }}
{{- else }}{{ fail "ingress.enabled needs ingress.host, for example det.example.com" }}{{ end }}
{{- end }}

{{- define "det.ingressSecret" -}}{{ .Values.ingress.tlsSecretName | default (printf "determined-master-%s" .Release.Name) }}{{- end }}

{{/* The pods of the release itself stay in the region, as the storage class does. */}}
{{- define "det.placement" -}}
{{- $node := dict }}
{{- with .Values.nodeSelector }}{{ $node = . }}{{ end }}
{{- if .Values.region }}{{ $node = mergeOverwrite (dict "topology.kubernetes.io/region" .Values.region) $node }}{{ end }}
{{- with $node }}
nodeSelector: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations: {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{/* A limit that is not below the request: (list limit request). Determined's values.yaml has requests alone, beyond our limits. */}}
{{- define "det.limit" -}}
{{- $limit := index . 0 | default "" | toString }}
{{- $has := include "det.bytes" $limit }}
{{- $wants := include "det.bytes" (index . 1 | default "" | toString) }}
{{- if and $has $wants (lt (float64 $has) (float64 $wants)) }}{{ index . 1 }}{{ else }}{{ $limit }}{{ end }}
{{- end }}

{{/* resources of a container: (list cpuRequest memRequest cpuLimit memLimit storageRequest storageLimit) */}}
{{- define "det.resources" -}}
requests:
  cpu: {{ index . 0 | quote }}
  memory: {{ index . 1 | quote }}
  ephemeral-storage: {{ index . 4 }}
limits:
  {{- with include "det.limit" (list (index . 2) (index . 0)) }}
  cpu: {{ . | quote }}
  {{- end }}
  {{- with include "det.limit" (list (index . 3) (index . 1)) }}
  memory: {{ . | quote }}
  {{- end }}
  ephemeral-storage: {{ index . 5 }}
{{- end }}

{{/* The image whose pages are served under /det; nothing: none are. */}}
{{- define "det.webuiImage" -}}
{{- (.Values.webui | default dict).fromImage | default "" -}}
{{- end }}

{{- define "det.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: {drop: [ALL]}
{{- end }}

{{/* helm upgrade --reuse-values of an older release has no such value. */}}
{{- define "det.hasFixedIds" -}}{{ if ne (toString .Values.fixedUserIds) "false" }}true{{ end }}{{- end }}

{{/* Of the image's own user: (list root id). OpenShift gives each namespace ids of its own and refuses others. */}}
{{- define "det.userIds" -}}
{{- if include "det.hasFixedIds" (index . 0) -}}
runAsUser: {{ index . 1 }}
runAsGroup: {{ index . 1 }}
fsGroup: {{ index . 1 }}
{{- end }}
{{- end }}
