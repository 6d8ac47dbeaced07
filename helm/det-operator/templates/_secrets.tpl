{{/* Credentials: where each one comes from. None of them is ever in a ConfigMap, in an environment text or in an argument. */}}

{{- define "det.initialPasswordSecret" -}}
{{- .Values.initialUserPasswordSecret.name | default (printf "%s-initial-password" (include "det.fullname" .)) }}
{{- end }}
{{- define "det.initialPasswordKey" -}}
{{- if .Values.initialUserPasswordSecret.name }}{{ .Values.initialUserPasswordSecret.key | default "password" }}{{ else }}password{{ end }}
{{- end }}
{{- define "det.initialPasswordText" -}}{{ .Values.initialUserPassword | default .Values.defaultPassword | default "" }}{{- end }}
{{- define "det.hasInitialPassword" -}}
{{- if or (include "det.initialPasswordText" .) .Values.initialUserPasswordSecret.name (not .Values.allowBlankPasswords) }}true{{ end }}
{{- end }}

{{- define "det.dbSecret" -}}{{ (.Values.db.existingSecret).name | default (printf "%s-db" (include "det.fullname" .)) }}{{- end }}
{{- define "det.dbSecretKey" -}}{{ if (.Values.db.existingSecret).name }}{{ .Values.db.existingSecret.key | default "password" }}{{ else }}password{{ end }}{{- end }}

{{/* A text that stays the same from upgrade to upgrade: (list root secretName key) */}}
{{- define "det.keptPassword" -}}
{{- $root := index . 0 }}
{{- $found := lookup "v1" "Secret" $root.Release.Namespace (index . 1) }}
{{- if and $found (hasKey ($found.data | default dict) (index . 2)) }}{{ index $found.data (index . 2) | b64dec }}
{{- else }}{{ randAlphaNum 24 }}{{ end }}
{{- end }}

{{/* Changes with credentials that the values give, so that the pods get new ones: (list root text). Slow to guess from: who may look at pods
may not read Secrets. */}}
{{- define "det.credentialChecksum" -}}
{{- $release := (index . 0).Release }}
{{- derivePassword 1 "maximum" (index . 1) $release.Namespace $release.Name | sha256sum }}
{{- end }}

{{/* Keys of master.yaml that hold credentials -> text; from values that give them in clear. */}}
{{- define "det.storageSecrets" -}}
{{- $storage := .Values.checkpointStorage }}
{{- $s3 := .Values.s3 | default dict }}
{{- $type := include "det.storageType" . }}
{{- $secrets := dict }}
{{- if eq $type "s3" }}
{{- with $storage.accessKey | default $s3.accessKey }}{{ $_ := set $secrets "checkpoint_storage.access_key" . }}{{ end }}
{{- with $storage.secretKey | default $s3.secretKey }}{{ $_ := set $secrets "checkpoint_storage.secret_key" . }}{{ end }}
{{- else if eq $type "azure" }}
{{- with $storage.connection_string }}{{ $_ := set $secrets "checkpoint_storage.connection_string" . }}{{ end }}
{{- with $storage.credential }}{{ $_ := set $secrets "checkpoint_storage.credential" . }}{{ end }}
{{- end }}
{{- $secrets | toYaml }}
{{- end }}

{{/* The same of the registry that tasks' images come from. */}}
{{- define "det.registrySecrets" -}}
{{- $secrets := dict }}
{{- range $key := list "password" "auth" "identitytoken" "registrytoken" }}
{{- with index (($.Values.taskContainerDefaults | default dict).registryAuth | default dict) $key }}{{ $_ := set $secrets (printf "task_container_defaults.registry_auth.%s" $key) . }}{{ end }}
{{- end }}
{{- $secrets | toYaml }}
{{- end }}

{{/* Key of an existing Secret -> key of master.yaml, by the storage's type. */}}
{{- define "det.existingStorageItems" -}}
{{- $type := include "det.storageType" . }}
{{- if eq $type "s3" }}
- {key: accessKey, path: checkpoint_storage.access_key}
- {key: secretKey, path: checkpoint_storage.secret_key}
{{- else if and (eq $type "azure") .Values.checkpointStorage.account_url }}
- {key: credential, path: checkpoint_storage.credential}
{{- else if eq $type "azure" }}
- {key: connectionString, path: checkpoint_storage.connection_string}
{{- else }}
{{- fail (printf "checkpointStorage.existingSecret: storage of type %s has no credentials; it is for s3 and azure" $type) }}
{{- end }}
{{- end }}

{{/* The sources of the folder that --config-secrets reads; empty for none. */}}
{{- define "det.secretSources" -}}
{{- if include "det.hasInitialPassword" . }}
- secret:
    name: {{ include "det.initialPasswordSecret" . }}
    items:
    - {key: {{ include "det.initialPasswordKey" . }}, path: security.initial_user_password}
{{- end }}
{{- if include "det.registrySecrets" . | fromYaml }}
- secret:
    name: {{ include "det.fullname" . }}-registry
{{- end }}
{{- with (.Values.webhooks | default dict).signingKeySecret }}
{{- if .name }}
- secret:
    name: {{ .name }}
    items:
    - {key: {{ .key | default "signing-key" }}, path: webhooks.signing_key}
{{- end }}
{{- end }}
{{- if (.Values.oidc).enabled }}
- secret:
    name: {{ required "oidc.clientSecretName is needed: an existing Secret with the client's secret" .Values.oidc.clientSecretName }}
    items:
    - {key: {{ required "oidc.clientSecretKey is needed: the key in oidc.clientSecretName" .Values.oidc.clientSecretKey }}, path: oidc.client_secret}
{{- end }}
{{- with (.Values.checkpointStorage.existingSecret).name | default ((.Values.s3 | default dict).existingSecret) }}
- secret:
    name: {{ . }}
    items: {{- include "det.existingStorageItems" $ | nindent 4 }}
{{- else }}
{{- with include "det.storageSecrets" . | fromYaml }}
- secret:
    name: {{ include "det.fullname" $ }}-storage
{{- end }}
{{- end }}
{{- end }}
