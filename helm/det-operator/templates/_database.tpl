{{/* What an upgrade cannot change in the database that it finds. Each check looks at the cluster, so that a rendering that cannot ask
it passes. */}}

{{/* Changes with the password that the values give, so that the pods get a new one. Slow to guess from: who may look at pods may not
read Secrets. */}}
{{- define "det.dbPasswordChecksum" -}}
{{- if and .Values.db.password (not (.Values.db.existingSecret).name) }}
{{- derivePassword 1 "maximum" .Values.db.password .Release.Namespace .Release.Name | sha256sum }}
{{- end }}
{{- end }}

{{/* PostgreSQL takes its password when its volume is made, and never again. */}}
{{- define "det.checkDatabasePassword" -}}
{{- $name := printf "%s-db" (include "det.fullname" .) }}
{{- if and .Values.db.password (not .Values.db.hostAddress) (not (.Values.db.existingSecret).name) }}
{{- $secret := lookup "v1" "Secret" .Release.Namespace $name | default dict }}
{{- $kept := dig "data" "password" "" $secret | b64dec }}
{{- /* Of a release that had a server of somebody else's the Secret says nothing about the volume. */}}
{{- $is_kept := and (lookup "v1" "PersistentVolumeClaim" .Release.Namespace (printf "data-%s-0" $name)) (not (lookup "apps/v1" "Deployment" .Release.Namespace (include "det.fullname" .))) }}
{{- $is_there := or (lookup "apps/v1" "StatefulSet" .Release.Namespace $name) $is_kept }}
{{- if and $kept (ne $kept .Values.db.password) $is_there }}
{{- $user := .Values.db.user }}
{{- $patch := `{"stringData":{"password":"NEW"}}` }}
{{- fail (printf "\ndb.password is not the one that this database was made with, and PostgreSQL would go on asking for that. Leave db.password out to keep it, or change it in PostgreSQL and in the Secret first:\n  kubectl exec -n %s statefulset/%s -- psql -p %d -U %s -d %s -c \"ALTER USER \\\"%s\\\" PASSWORD 'NEW'\"\n  kubectl patch secret %s -n %s -p '%s'\nAnd then this again, with db.password=NEW.\n" .Release.Namespace $name (int .Values.db.port) $user .Values.db.name $user $name .Release.Namespace $patch) }}
{{- end }}
{{- end }}
{{- end }}
