{{/* What a release keeps for its life: the names of its objects, because those of other names would be new, with an empty database, and the
class, because Experiments that run are of it. */}}
{{- define "det.checkKept" -}}
{{- if .Release.IsUpgrade }}
{{- $name := include "det.fullname" . }}
{{- $class := include "det.controllerClass" . }}
{{- range (lookup "apps/v1" "Deployment" .Release.Namespace "" | default dict).items }}
{{- $labels := .metadata.labels | default dict }}
{{- if and (eq (get $labels "app.kubernetes.io/part-of") "det-operator") (eq (get $labels "app.kubernetes.io/component") "operator") (eq (get $labels "app.kubernetes.io/instance") $.Release.Name) }}
{{- if ne .metadata.name $name }}
{{- fail (printf "\nnameOverride, fullnameOverride: the objects of this release are called %s. Under the name %s there would be new ones, with an empty database. Leave the values as they were\n" .metadata.name $name) }}
{{- end }}
{{- range (index .spec.template.spec.containers 0).args }}
{{- if and (hasPrefix "--controller-class=" .) (ne . (printf "--controller-class=%s" $class)) }}
{{- fail (printf "\ncontrollerClass: a release keeps its class, %s: what it runs would belong to nobody. Leave the value as it was, or install a second release\n" (trimPrefix "--controller-class=" .)) }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}

{{/* Two releases of one class would run, count and kill each other's Experiments. Looked for when a release is new, as far as whoever
installs it may see: what makes objects of the whole cluster sees all namespaces, the owner of one namespace that one. */}}
{{- define "det.checkNeighbours" -}}
{{- if .Release.IsInstall }}
{{- $class := include "det.controllerClass" . }}
{{- $own := .Release.Namespace }}
{{- $is_cluster := eq (include "det.scope" .) "cluster" }}
{{- $sees_all := and .Values.createNonNamespacedObjects (or $is_cluster .Values.crds.install .Values.admissionPolicy.enabled) }}
{{- range (lookup "apps/v1" "Deployment" (ternary "" $own $sees_all) "" | default dict).items }}
{{- $labels := .metadata.labels | default dict }}
{{- /* One without replicas does nothing: its successor may be installed beside it. */}}
{{- if and (eq (get $labels "app.kubernetes.io/part-of") "det-operator") (eq (get $labels "app.kubernetes.io/component") "operator") (ne (int .spec.replicas) 0) }}
{{- $release := get $labels "app.kubernetes.io/instance" }}
{{- $arguments := (index .spec.template.spec.containers 0).args | default list }}
{{- $is_theirs_cluster := not (has (printf "--namespace=%s" .metadata.namespace) $arguments) }}
{{- $is_itself := and (eq .metadata.namespace $own) (eq $release $.Release.Name) }}
{{- $meet := or $is_cluster $is_theirs_cluster (eq .metadata.namespace $own) }}
{{- if and (has (printf "--controller-class=%s" $class) $arguments) $meet (not $is_itself) }}
{{- fail (printf "\nrelease %s in namespace %s has the class %s, too: both would run the same Experiments. Give this one a class of its own, for example:\n  --set controllerClass=%s\nObjects that are its own then carry the annotation det-operator.dev/controller-class: %s; det writes it by itself.\n" $release .metadata.namespace $class $own $own) }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}
