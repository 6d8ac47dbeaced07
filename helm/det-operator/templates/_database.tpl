{{/* What an upgrade cannot change in the database that it finds. Each check looks at the cluster, so that a rendering that cannot ask
it passes. */}}

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

{{/* A quantity as Kubernetes writes it, in bytes or CPUs; empty: one that we do not know how to read. */}}
{{- define "det.bytes" -}}
{{- $factors := dict "" 1 "m" 1e-3 "k" 1e3 "M" 1e6 "G" 1e9 "T" 1e12 "P" 1e15 "Ki" 1024 "Mi" 1048576 "Gi" 1073741824 "Ti" 1099511627776 "Pi" 1125899906842624 }}
{{- $number := regexFind "^[0-9]+([.][0-9]+)?" . }}
{{- $unit := trimPrefix $number . }}
{{- if and $number (hasKey $factors $unit) }}{{ mulf $number (get $factors $unit) | printf "%.3f" }}{{ end }}
{{- end }}

{{/* The first number of an image's tag; empty: it has none. */}}
{{- define "det.imageVersion" -}}
{{- regexFind ":[0-9]+" (regexFind "[^/]*$" (regexReplaceAll "@.*$" . "")) | trimPrefix ":" }}
{{- end }}

{{/* What of the installed database Kubernetes lets nobody change, where it says so in words that help nobody. */}}
{{- define "det.checkDatabase" -}}
{{- $name := printf "%s-db" (include "det.fullname" .) }}
{{- $ns := .Release.Namespace }}
{{- $again := printf "  kubectl delete statefulset %s -n %s --cascade=orphan\nAnd then this again." $name $ns }}
{{- $found := lookup "apps/v1" "StatefulSet" $ns $name }}
{{- /* Kubernetes puts the name and eleven more characters into a label of the pod, which may have 63. */}}
{{- if and .Release.IsInstall (not $found) (not .Values.db.hostAddress) (gt (len $name) 52) }}
{{- fail (printf "\nthe database's StatefulSet would be called %s, which has %d characters, and of more than 52 Kubernetes makes no pods. Set fullnameOverride to a name of at most 49 characters, or give the release a shorter name\n" $name (len $name)) }}
{{- end }}
{{- if and $found (not .Values.db.hostAddress) }}
{{- $container := index $found.spec.template.spec.containers 0 }}
{{- $is_version := include "det.imageVersion" $container.image }}
{{- $version := include "det.imageVersion" (include "det.dbImage" .) }}
{{- if and $is_version $version (ne $is_version $version) }}
{{- fail (printf "\ndefaultImages.postgreSQL: the files of this database are of PostgreSQL %s, and PostgreSQL %s does not read them. Take an image of version %s; or save the database (docs/backup.md), make it anew, empty, and restore it:\n  kubectl delete statefulset/%s pvc/data-%s-0 -n %s\nAnd then this again.\n" $is_version $version $is_version $name $name $ns) }}
{{- end }}
{{- range $container.env }}
{{- $key := get (dict "POSTGRES_DB" "name" "POSTGRES_USER" "user") .name }}
{{- if and $key .value (ne .value (toString (get $.Values.db $key))) }}
{{- fail (printf "\ndb.%s: this database was made with %s, and PostgreSQL makes another one only where its volume is empty. Leave the value as it was\n" $key .value) }}
{{- end }}
{{- end }}
{{- $claims := $found.spec.volumeClaimTemplates | default list }}
{{- if and $claims .Values.db.disablePVC }}
{{- fail (printf "\ndb.disablePVC: this database has a volume, and without it would be empty. Leave the value out; or, to begin with an empty one:\n  kubectl delete statefulset %s -n %s\nAnd then this again.\n" $name $ns) }}
{{- else if and (not $claims) (not .Values.db.disablePVC) }}
{{- fail (printf "\ndb.disablePVC: this database has no volume. Save it (docs/backup.md), and then make it anew, empty:\n  kubectl delete statefulset %s -n %s\nAnd then this again.\n" $name $ns) }}
{{- else if $claims }}
{{- $claim := (index $claims 0).spec }}
{{- $class := include "det.dbStorageClass" . }}
{{- $is_class := $claim.storageClassName | default "" }}
{{- if ne $class $is_class }}
{{- fail (printf "\ndb.storageClassName: the volume of this database keeps its storage class, %s. Leave the value as it was; or save the database (docs/backup.md), make it anew, empty, and restore it:\n  kubectl delete statefulset/%s pvc/data-%s-0 -n %s\nAnd then this again.\n" ($is_class | default "the cluster's default") $name $name $ns) }}
{{- end }}
{{- $size := dig "resources" "requests" "storage" "" $claim }}
{{- $has := include "det.bytes" $size }}
{{- $wants := include "det.bytes" (.Values.db.storageSize | default "") }}
{{- if and $has $wants (ne $has $wants) }}
{{- if lt (float64 $wants) (float64 $has) }}
{{- fail (printf "\ndb.storageSize: the volume of this database has %s, and volumes do not shrink to %s. Leave the value as it was, or raise it.\n" $size .Values.db.storageSize) }}
{{- end }}
{{- $patch := printf `{"spec":{"resources":{"requests":{"storage":%q}}}}` .Values.db.storageSize }}
{{- fail (printf "\ndb.storageSize: Kubernetes does not take another size for a StatefulSet. Grow the volume, whose storage class has to allow it (allowVolumeExpansion), and have the StatefulSet made anew; its pod stays:\n  kubectl patch pvc data-%s-0 -n %s -p '%s'\n%s\n" $name $ns $patch $again) }}
{{- end }}
{{- end }}
{{- end }}
{{- $service := lookup "v1" "Service" $ns (include "det.dbService" .) }}
{{- if and $service (not .Values.db.hostAddress) }}
{{- $is_headless := eq (dig "spec" "clusterIP" "" $service) "None" }}
{{- if eq $is_headless (.Values.db.useNodePortForDB | default false) }}
{{- fail (printf "\ndb.useNodePortForDB: Kubernetes does not make the one kind of Service into the other. Connections are made again a moment later:\n  kubectl delete service %s -n %s\nAnd then this again.\n" (include "det.dbService" .) $ns) }}
{{- end }}
{{- end }}
{{- end }}

{{- define "det.dbStorageClass" -}}
{{- .Values.db.storageClassName | default (ternary (printf "block-nvme-%s" (lower (.Values.region | default ""))) "" (not (empty .Values.region))) }}
{{- end }}
