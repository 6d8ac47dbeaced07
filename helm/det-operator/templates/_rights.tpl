{{/* Parts of the operator's roles. */}}

{{/* API groups of the PodGroups that scheduler.type may choose. */}}
{{- define "det.podGroups" -}}
{{- $type := (.Values.scheduler | default dict).type | default "own" }}
{{- if has $type (list "native" "auto") }}
- scheduling.k8s.io
{{- end }}
{{- if has $type (list "coscheduling" "auto") }}
- scheduling.x-k8s.io
{{- end }}
{{- end }}

{{/* What is read wherever experiments may be: (list root podGroups). With scope namespaced it is in the Role. */}}
{{- define "det.reads" -}}
{{- $root := index . 0 }}
- apiGroups: [det-operator.dev]
  resources: [experiments, tasks]
  verbs: [get, list, watch]
- apiGroups: [det-operator.dev]
  resources: [experiments/status, tasks/status]
  verbs: [patch]
- apiGroups: [det-operator.dev]
  resources: [trials]
  verbs: [list, watch]
- apiGroups: [""]
  resources: [pods]
  verbs: [list, watch]
{{- if has (($root.Values.scheduler | default dict).type | default "own") (list "own" "auto") }}
- apiGroups: [""]
  resources: [resourcequotas]
  verbs: [list, watch]
{{- if eq (include "det.scope" $root) "cluster" }}
- apiGroups: [""]
  resources: [persistentvolumes, persistentvolumeclaims]
  verbs: [list, watch]
{{- end }}
{{- end }}
{{- range index . 1 }}
- apiGroups: [{{ . }}]
  resources: [podgroups]
  verbs: [list, watch]
{{- end }}
{{- end }}
