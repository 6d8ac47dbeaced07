{{/* Where experiments run. The operator's rights to write, and on Secrets and ConfigMaps, are bound there and nowhere else. */}}

{{/* Releases of before taskNamespaces have their experiments, claims and pull secrets in their own namespace: it stays an entry.
Such a release is known by pods without our label; later upgrades know it by the binding that the first one made. A rendering
that cannot ask the cluster finds neither, and takes every release for a new one. */}}
{{- define "det.sharesNamespace" -}}
{{- $name := include "det.fullname" . }}
{{- $deployment := lookup "apps/v1" "Deployment" .Release.Namespace $name | default dict }}
{{- $labels := dig "spec" "template" "metadata" "labels" dict $deployment }}
{{- if and $deployment (not (hasKey $labels "det-operator.dev/component")) }}true
{{- else if lookup "rbac.authorization.k8s.io/v1" "RoleBinding" .Release.Namespace (printf "%s-tasks" $name) }}true{{ end }}
{{- end }}

{{/* A list of {name, create}. */}}
{{- define "det.taskNamespaces" -}}
{{- $own := .Release.Namespace }}
{{- $entries := list }}
{{- range .Values.taskNamespaces }}
{{- if kindIs "string" . }}{{ $entries = append $entries (dict "name" .) }}{{ else }}{{ $entries = append $entries . }}{{ end }}
{{- end }}
{{- if eq (include "det.scope" .) "namespaced" }}
{{- range $entries }}
{{- if ne .name $own }}
{{- fail (printf "taskNamespaces: with scope namespaced experiments run in the release's namespace %s only, not in %s" $own .name) }}
{{- end }}
{{- end }}
{{- $entries = list (dict "name" $own) }}
{{- else }}
{{- $default := (.Values.resourceManager).defaultNamespace }}
{{- if and (not $entries) (include "det.sharesNamespace" .) }}{{ $entries = list (dict "name" $own) }}{{ end }}
{{- with $default }}{{ $entries = append $entries (dict "name" .) }}{{ end }}
{{- if not $entries }}
{{- if .Values.createNonNamespacedObjects }}
{{- $entries = list (dict "name" (printf "%s-tasks" (trunc 57 $own)) "create" true) }}
{{- else }}{{ $entries = list (dict "name" $own) }}{{ end }}
{{- end }}
{{- end }}
{{- $names := list }}
{{- $once := list }}
{{- range $entries }}
{{- if not (has .name $names) }}
{{- $names = append $names .name }}
{{- $once = append $once (dict "name" .name "create" (and (.create | default false) (ne .name $own)) "labels" (.labels | default dict)) }}
{{- end }}
{{- end }}
{{- toYaml $once }}
{{- end }}

{{/* Where `det experiment create` puts its objects. */}}
{{- define "det.taskNamespace" -}}
{{- $first := index (include "det.taskNamespaces" . | fromYamlArray) 0 }}
{{- if eq (include "det.scope" .) "namespaced" }}{{ $first.name }}
{{- else }}{{ (.Values.resourceManager).defaultNamespace | default $first.name }}{{ end }}
{{- end }}

{{/* Whether the chart makes a namespace: (list root entry). One that is there and is not the release's stays as it is. */}}
{{- define "det.makesNamespace" -}}
{{- $release := (index . 0).Release }}
{{- $entry := index . 1 }}
{{- if and $entry.create (index . 0).Values.createNonNamespacedObjects }}
{{- $found := lookup "v1" "Namespace" "" $entry.name | default dict }}
{{- $owner := dig "metadata" "annotations" dict $found }}
{{- $is_ours := and (eq (dig "meta.helm.sh/release-name" "" $owner) $release.Name) (eq (dig "meta.helm.sh/release-namespace" "" $owner) $release.Namespace) }}
{{- if or (not $found) $is_ours }}true{{ end }}
{{- end }}
{{- end }}

{{/* The labels that a namespace of somebody else's lacks of those that the values give it, as kubectl takes them: (list root entry) */}}
{{- define "det.missingLabels" -}}
{{- $entry := index . 1 }}
{{- if and $entry.labels (not (include "det.makesNamespace" .)) }}
{{- $has := dig "metadata" "labels" dict (lookup "v1" "Namespace" "" $entry.name | default dict) }}
{{- $lacks := list }}
{{- range $key, $value := $entry.labels }}
{{- if ne (get $has $key) $value }}{{ $lacks = append $lacks (printf "%s=%s" $key $value) }}{{ end }}
{{- end }}
{{- join " " $lacks }}
{{- end }}
{{- end }}
