{{/* What of the release no pod of a user may have, where tasks run in its namespace: release of master.yaml. */}}

{{/* Names of Secrets in a piece of a pod as Kubernetes writes it, one a line. */}}
{{- define "det.secretsIn" -}}
{{- if kindIs "map" . }}
{{- range $key, $value := . }}
{{- if and (kindIs "string" $value) (has $key (list "secretName" "secretProviderClass")) }}
{{ $value }}
{{- else if and (kindIs "map" $value) (has $key (list "secret" "secretRef" "secretKeyRef" "nodePublishSecretRef")) }}
{{ $value.name | default "" }}
{{- end }}
{{- include "det.secretsIn" $value }}
{{- end }}
{{- else if kindIs "slice" . }}
{{- range . }}{{ include "det.secretsIn" . }}{{ end }}
{{- end }}
{{- end }}

{{/* Secrets that somebody made and a value names, one a line: people may be meant to have them, too. */}}
{{- define "det.sharedSecrets" -}}
{{- with (.Values.checkpointStorage.existingSecret).name }}
{{ . }}
{{- end }}
{{- with (.Values.s3 | default dict).existingSecret }}
{{ . }}
{{- end }}
{{- if ne (.Values.db.resourceType | default "secret" | lower) "configmap" }}
{{ .Values.db.certResourceName | default "" }}
{{- end }}
{{- include "det.secretsIn" .Values.extraEnv }}
{{- include "det.secretsIn" .Values.extraVolumes }}
{{- end }}

{{/* Secrets that podPolicy names in full, here or for a namespace, one a line. */}}
{{- define "det.namedSecrets" -}}
{{- $policy := .Values.podPolicy | default dict }}
{{- range $policy.secrets }}
{{ . }}
{{- end }}
{{- range $policy.namespaces }}
{{- range (. | default dict).secrets }}
{{ . }}
{{- end }}
{{- end }}
{{- end }}

{{- define "det.release" -}}
{{- $name := include "det.fullname" . }}
{{- /* Helm keeps values and objects of each revision, passwords among them, in a Secret, or a ConfigMap where HELM_DRIVER says so. */}}
{{- $revisions := printf "sh.helm.release.v1.%s.v*" .Release.Name }}
{{- /* Those that we made stay when a value names others instead. */}}
{{- $secrets := list $revisions (printf "%s-db" $name) (printf "%s-initial-password" $name) (printf "%s-storage" $name) (printf "%s-registry" $name) (include "det.dbSecret" .) (include "det.initialPasswordSecret" .) }}
{{- with .Values.tlsSecret }}{{ $secrets = append $secrets . }}{{ end }}
{{- if and (include "det.hasIngress" .) .Values.ingress.tls }}{{ $secrets = append $secrets (include "det.ingressSecret" .) }}{{ end }}
{{- range $key := list "clientSecretName" "caSecretName" }}
{{- with index ($.Values.oidc | default dict) $key }}{{ $secrets = append $secrets . }}{{ end }}
{{- end }}
{{- with ((.Values.webhooks | default dict).signingKeySecret).name }}{{ $secrets = append $secrets . }}{{ end }}
{{- $named := include "det.namedSecrets" . | splitList "\n" }}
{{- range include "det.sharedSecrets" . | splitList "\n" }}
{{- if and . (not (has . $named)) }}{{ $secrets = append $secrets . }}{{ end }}
{{- end }}
{{- dict "namespace" .Release.Namespace "persistent_volume_claims" (list (printf "data-%s-db-*" $name)) "secrets" ($secrets | uniq) "config_maps" (list $revisions $name) | toYaml }}
{{- end }}
