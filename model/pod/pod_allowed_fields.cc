#include "model/pod/pod_allowed_fields.h"

#include <algorithm>
#include <array>
#include <vector>

#include "base/nearest_name.h"

namespace det::model {
namespace {

// Names of fields; "name:Shape" holds objects of that shape, '?' is checked, '!' is refused. Sorted.
struct Shape {
  std::string_view name;
  std::string_view fields;
};
constexpr auto kShapes = std::to_array<Shape>({
    {"AWSElasticBlockStoreVolumeSource", "fsType partition readOnly volumeID"},
    {"Affinity", "nodeAffinity:NodeAffinity podAffinity:PodAffinity podAntiAffinity:PodAntiAffinity"},
    {"AppArmorProfile", "localhostProfile ?type"},
    {"AzureDiskVolumeSource", "cachingMode diskName diskURI fsType kind readOnly"},
    {"AzureFileVolumeSource", "readOnly ?secretName shareName"},
    {"CSIVolumeSource", "driver fsType nodePublishSecretRef:LocalObjectReference readOnly ?volumeAttributes"},
    {"Capabilities", "?add drop"},
    {"CephFSVolumeSource", "monitors path readOnly secretFile secretRef:LocalObjectReference user"},
    {"CinderVolumeSource", "fsType readOnly secretRef:LocalObjectReference volumeID"},
    {"ClusterTrustBundleProjection", "labelSelector:LabelSelector name optional path signerName"},
    {"ConfigMapEnvSource", "?name optional"},
    {"ConfigMapKeySelector", "key ?name optional"},
    {"ConfigMapProjection", "items:KeyToPath ?name optional"},
    {"ConfigMapVolumeSource", "defaultMode items:KeyToPath ?name optional"},
    {"Container",
     "args command env:EnvVar envFrom:EnvFromSource image imagePullPolicy lifecycle:Lifecycle livenessProbe:Probe "
     "name ports:ContainerPort readinessProbe:Probe resizePolicy:ContainerResizePolicy "
     "resources:ResourceRequirements restartPolicy restartPolicyRules:ContainerRestartRule "
     "securityContext:SecurityContext startupProbe:Probe stdin stdinOnce terminationMessagePath "
     "terminationMessagePolicy tty volumeDevices:VolumeDevice volumeMounts:VolumeMount workingDir"},
    {"ContainerPort", "containerPort hostIP ?hostPort name protocol"},
    {"ContainerResizePolicy", "resourceName restartPolicy"},
    {"ContainerRestartRule", "action exitCodes:ContainerRestartRuleOnExitCodes"},
    {"ContainerRestartRuleOnExitCodes", "operator values"},
    {"DownwardAPIProjection", "items:DownwardAPIVolumeFile"},
    {"DownwardAPIVolumeFile", "fieldRef:ObjectFieldSelector mode path resourceFieldRef:ResourceFieldSelector"},
    {"DownwardAPIVolumeSource", "defaultMode items:DownwardAPIVolumeFile"},
    {"EmptyDirVolumeSource", "medium sizeLimit"},
    {"EnvFromSource", "configMapRef:ConfigMapEnvSource prefix secretRef:SecretEnvSource"},
    {"EnvVar", "name value valueFrom:EnvVarSource"},
    {"EnvVarSource",
     "configMapKeyRef:ConfigMapKeySelector fieldRef:ObjectFieldSelector fileKeyRef:FileKeySelector "
     "resourceFieldRef:ResourceFieldSelector secretKeyRef:SecretKeySelector"},
    {"EphemeralContainer",
     "args command env:EnvVar envFrom:EnvFromSource image imagePullPolicy lifecycle:Lifecycle livenessProbe:Probe "
     "name ports:ContainerPort readinessProbe:Probe resizePolicy:ContainerResizePolicy "
     "resources:ResourceRequirements restartPolicy restartPolicyRules:ContainerRestartRule "
     "securityContext:SecurityContext startupProbe:Probe stdin stdinOnce targetContainerName terminationMessagePath "
     "terminationMessagePolicy tty volumeDevices:VolumeDevice volumeMounts:VolumeMount workingDir"},
    {"EphemeralVolumeSource", "volumeClaimTemplate:PersistentVolumeClaimTemplate"},
    {"ExecAction", "command"},
    {"FCVolumeSource", "fsType lun readOnly targetWWNs wwids"},
    {"FileKeySelector", "key optional path volumeName"},
    {"FlexVolumeSource", "driver fsType options readOnly secretRef:LocalObjectReference"},
    {"FlockerVolumeSource", "datasetName datasetUUID"},
    {"GCEPersistentDiskVolumeSource", "fsType partition pdName readOnly"},
    {"GRPCAction", "port service"},
    {"GitRepoVolumeSource", "directory repository revision"},
    {"GlusterfsVolumeSource", "endpoints path readOnly"},
    {"HTTPGetAction", "!host httpHeaders:HTTPHeader path port scheme"},
    {"HTTPHeader", "name value"},
    {"HostAlias", "hostnames ip"},
    {"HostPathVolumeSource", "?path type"},
    {"ISCSIVolumeSource",
     "chapAuthDiscovery chapAuthSession fsType initiatorName iqn iscsiInterface lun portals readOnly "
     "secretRef:LocalObjectReference targetPortal"},
    {"ImageVolumeSource", "pullPolicy reference"},
    {"KeyToPath", "key mode path"},
    {"LabelSelector", "matchExpressions:LabelSelectorRequirement matchLabels"},
    {"LabelSelectorRequirement", "key operator values"},
    {"Lifecycle", "postStart:LifecycleHandler preStop:LifecycleHandler stopSignal"},
    {"LifecycleHandler", "exec:ExecAction httpGet:HTTPGetAction sleep:SleepAction tcpSocket:TCPSocketAction"},
    {"LocalObjectReference", "?name"},
    {"ManagedFieldsEntry", "apiVersion fieldsType fieldsV1 manager operation subresource time"},
    {"NFSVolumeSource", "path readOnly server"},
    {"NodeAffinity",
     "preferredDuringSchedulingIgnoredDuringExecution:PreferredSchedulingTerm "
     "requiredDuringSchedulingIgnoredDuringExecution:NodeSelector"},
    {"NodeSelector", "nodeSelectorTerms:NodeSelectorTerm"},
    {"NodeSelectorRequirement", "key operator values"},
    {"NodeSelectorTerm", "matchExpressions:NodeSelectorRequirement matchFields:NodeSelectorRequirement"},
    {"ObjectFieldSelector", "apiVersion fieldPath"},
    {"ObjectMeta",
     "?annotations creationTimestamp !deletionGracePeriodSeconds !deletionTimestamp !finalizers generateName "
     "!generation ?labels !managedFields:ManagedFieldsEntry ?name ?namespace !ownerReferences:OwnerReference "
     "!resourceVersion !selfLink !uid"},
    {"OwnerReference", "apiVersion blockOwnerDeletion controller kind name uid"},
    {"PersistentVolumeClaimSpec",
     "accessModes dataSource:TypedLocalObjectReference dataSourceRef:TypedObjectReference "
     "resources:VolumeResourceRequirements selector:LabelSelector storageClassName volumeAttributesClassName "
     "volumeMode volumeName"},
    {"PersistentVolumeClaimTemplate", "metadata:ObjectMeta spec:PersistentVolumeClaimSpec"},
    {"PersistentVolumeClaimVolumeSource", "?claimName readOnly"},
    {"PhotonPersistentDiskVolumeSource", "fsType pdID"},
    {"Pod", "metadata:ObjectMeta spec:PodSpec"},
    {"PodAffinity",
     "preferredDuringSchedulingIgnoredDuringExecution:WeightedPodAffinityTerm "
     "requiredDuringSchedulingIgnoredDuringExecution:PodAffinityTerm"},
    {"PodAffinityTerm",
     "labelSelector:LabelSelector matchLabelKeys mismatchLabelKeys namespaceSelector:LabelSelector namespaces "
     "topologyKey"},
    {"PodAntiAffinity",
     "preferredDuringSchedulingIgnoredDuringExecution:WeightedPodAffinityTerm "
     "requiredDuringSchedulingIgnoredDuringExecution:PodAffinityTerm"},
    {"PodCertificateProjection",
     "certificateChainPath credentialBundlePath keyPath keyType maxExpirationSeconds signerName userAnnotations"},
    {"PodDNSConfig", "nameservers options:PodDNSConfigOption searches"},
    {"PodDNSConfigOption", "name value"},
    {"PodOS", "name"},
    {"PodReadinessGate", "conditionType"},
    {"PodResourceClaim", "name resourceClaimName resourceClaimTemplateName"},
    {"PodSchedulingGate", "name"},
    {"PodSchedulingGroup", "podGroupName"},
    {"PodSecurityContext",
     "appArmorProfile:AppArmorProfile fsGroup fsGroupChangePolicy runAsGroup runAsNonRoot runAsUser "
     "seLinuxChangePolicy seLinuxOptions:SELinuxOptions seccompProfile:SeccompProfile supplementalGroups "
     "supplementalGroupsPolicy sysctls:Sysctl windowsOptions:WindowsSecurityContextOptions"},
    {"PodSpec",
     "activeDeadlineSeconds affinity:Affinity ?automountServiceAccountToken containers:Container "
     "dnsConfig:PodDNSConfig dnsPolicy enableServiceLinks !ephemeralContainers:EphemeralContainer "
     "hostAliases:HostAlias ?hostIPC ?hostNetwork ?hostPID hostUsers hostname hostnameOverride "
     "imagePullSecrets:LocalObjectReference initContainers:Container nodeName nodeSelector os:PodOS overhead "
     "preemptionPolicy priority ?priorityClassName readinessGates:PodReadinessGate resourceClaims:PodResourceClaim "
     "resources:ResourceRequirements restartPolicy runtimeClassName schedulerName schedulingGates:PodSchedulingGate "
     "!schedulingGroup:PodSchedulingGroup securityContext:PodSecurityContext ?serviceAccount ?serviceAccountName "
     "setHostnameAsFQDN shareProcessNamespace subdomain terminationGracePeriodSeconds tolerations:Toleration "
     "topologySpreadConstraints:TopologySpreadConstraint volumes:Volume"},
    {"PortworxVolumeSource", "fsType readOnly volumeID"},
    {"PreferredSchedulingTerm", "preference:NodeSelectorTerm weight"},
    {"Probe",
     "exec:ExecAction failureThreshold grpc:GRPCAction httpGet:HTTPGetAction initialDelaySeconds periodSeconds "
     "successThreshold tcpSocket:TCPSocketAction terminationGracePeriodSeconds timeoutSeconds"},
    {"ProjectedVolumeSource", "defaultMode sources:VolumeProjection"},
    {"QuobyteVolumeSource", "group readOnly registry tenant user volume"},
    {"RBDVolumeSource", "fsType image keyring monitors pool readOnly secretRef:LocalObjectReference user"},
    {"ResourceClaim", "name request"},
    {"ResourceFieldSelector", "containerName divisor resource"},
    {"ResourceRequirements", "claims:ResourceClaim limits requests"},
    {"SELinuxOptions", "level !role ?type !user"},
    {"ScaleIOVolumeSource",
     "fsType gateway protectionDomain readOnly secretRef:LocalObjectReference sslEnabled storageMode storagePool "
     "system volumeName"},
    {"SeccompProfile", "localhostProfile ?type"},
    {"SecretEnvSource", "?name optional"},
    {"SecretKeySelector", "key ?name optional"},
    {"SecretProjection", "items:KeyToPath ?name optional"},
    {"SecretVolumeSource", "defaultMode items:KeyToPath optional ?secretName"},
    {"SecurityContext",
     "allowPrivilegeEscalation appArmorProfile:AppArmorProfile capabilities:Capabilities ?privileged ?procMount "
     "readOnlyRootFilesystem runAsGroup runAsNonRoot runAsUser seLinuxOptions:SELinuxOptions "
     "seccompProfile:SeccompProfile windowsOptions:WindowsSecurityContextOptions"},
    {"ServiceAccountTokenProjection", "audience expirationSeconds path"},
    {"SleepAction", "seconds"},
    {"StorageOSVolumeSource", "fsType readOnly secretRef:LocalObjectReference volumeName volumeNamespace"},
    {"Sysctl", "?name value"},
    {"TCPSocketAction", "!host port"},
    {"Toleration", "effect key operator tolerationSeconds value"},
    {"TopologySpreadConstraint",
     "labelSelector:LabelSelector matchLabelKeys maxSkew minDomains nodeAffinityPolicy nodeTaintsPolicy topologyKey "
     "whenUnsatisfiable"},
    {"TypedLocalObjectReference", "apiGroup kind ?name"},
    {"TypedObjectReference", "apiGroup kind ?name namespace"},
    {"Volume",
     "awsElasticBlockStore:AWSElasticBlockStoreVolumeSource azureDisk:AzureDiskVolumeSource "
     "azureFile:AzureFileVolumeSource cephfs:CephFSVolumeSource cinder:CinderVolumeSource "
     "configMap:ConfigMapVolumeSource csi:CSIVolumeSource downwardAPI:DownwardAPIVolumeSource "
     "emptyDir:EmptyDirVolumeSource ephemeral:EphemeralVolumeSource fc:FCVolumeSource !flexVolume:FlexVolumeSource "
     "flocker:FlockerVolumeSource gcePersistentDisk:GCEPersistentDiskVolumeSource !gitRepo:GitRepoVolumeSource "
     "glusterfs:GlusterfsVolumeSource hostPath:HostPathVolumeSource image:ImageVolumeSource iscsi:ISCSIVolumeSource "
     "name nfs:NFSVolumeSource persistentVolumeClaim:PersistentVolumeClaimVolumeSource "
     "photonPersistentDisk:PhotonPersistentDiskVolumeSource portworxVolume:PortworxVolumeSource "
     "projected:ProjectedVolumeSource quobyte:QuobyteVolumeSource rbd:RBDVolumeSource scaleIO:ScaleIOVolumeSource "
     "secret:SecretVolumeSource storageos:StorageOSVolumeSource vsphereVolume:VsphereVirtualDiskVolumeSource"},
    {"VolumeDevice", "devicePath name"},
    {"VolumeMount", "mountPath mountPropagation name readOnly recursiveReadOnly subPath subPathExpr"},
    {"VolumeProjection",
     "clusterTrustBundle:ClusterTrustBundleProjection configMap:ConfigMapProjection "
     "downwardAPI:DownwardAPIProjection !podCertificate:PodCertificateProjection secret:SecretProjection "
     "?serviceAccountToken:ServiceAccountTokenProjection"},
    {"VolumeResourceRequirements", "limits requests"},
    {"VsphereVirtualDiskVolumeSource", "fsType storagePolicyID storagePolicyName volumePath"},
    {"WeightedPodAffinityTerm", "podAffinityTerm:PodAffinityTerm weight"},
    {"WindowsSecurityContextOptions", "gmsaCredentialSpec gmsaCredentialSpecName ?hostProcess runAsUserName"},
});

struct Refusal {
  std::string_view shape;
  std::string_view field;
  std::string_view why;
};
constexpr std::string_view kOfTheServer = "the API server sets it";
constexpr std::string_view kFromTheNode = "the node itself would connect to that host";
constexpr std::string_view kUnconfined = "it takes a container out of the confinement that containers have";
constexpr auto kRefusals = std::to_array<Refusal>({
    {"HTTPGetAction", "host", kFromTheNode},
    {"ObjectMeta", "deletionGracePeriodSeconds", kOfTheServer},
    {"ObjectMeta", "deletionTimestamp", kOfTheServer},
    {"ObjectMeta", "finalizers", "nobody would take them away, and what carries them could not be deleted"},
    {"ObjectMeta", "generation", kOfTheServer},
    {"ObjectMeta", "managedFields", kOfTheServer},
    {"ObjectMeta", "ownerReferences", "the operator sets them: a pod goes with its trial"},
    {"ObjectMeta", "resourceVersion", kOfTheServer},
    {"ObjectMeta", "selfLink", kOfTheServer},
    {"ObjectMeta", "uid", kOfTheServer},
    {"PodSpec", "ephemeralContainers", "a pod cannot be made with them"},
    {"PodSpec", "schedulingGroup", "the operator puts the pods of a run into a group of their own"},
    {"SELinuxOptions", "role", kUnconfined},
    {"SELinuxOptions", "type", kUnconfined},
    {"SELinuxOptions", "user", kUnconfined},
    {"TCPSocketAction", "host", kFromTheNode},
    {"Volume", "flexVolume", "the node would run the driver's program as root, with these options"},
    {"Volume", "gitRepo", "the node would run git as root; use context.git or an init container"},
    {"VolumeProjection", "podCertificate", "a signer would vouch for the pod under a name of the cluster"},
});

std::string_view fields_of(std::string_view shape) {
  const auto found = std::ranges::lower_bound(kShapes, shape, {}, &Shape::name);
  return found == kShapes.end() || found->name != shape ? std::string_view() : found->fields;
}

struct Word {
  std::string_view name;
  PodField field;
};

Word read_word(std::string_view text) {
  Word word{.name = text, .field = {.verdict = FieldVerdict::kAllowed, .shape = {}}};
  if (text.front() == '?') word.field.verdict = FieldVerdict::kChecked;
  if (text.front() == '!') word.field.verdict = FieldVerdict::kRefused;
  if (word.field.verdict != FieldVerdict::kAllowed) word.name.remove_prefix(1);
  const auto colon = word.name.find(':');
  if (colon == std::string_view::npos) return word;
  word.field.shape = word.name.substr(colon + 1);
  word.name = word.name.substr(0, colon);
  return word;
}

// Calls `visit` for each field of the shape.
template <typename Visit>
void for_each_word(std::string_view shape, Visit visit) {
  std::string_view rest = fields_of(shape);
  while (!rest.empty()) {
    const std::string_view text = rest.substr(0, rest.find(' '));
    rest.remove_prefix(std::min(rest.size(), text.size() + 1));
    visit(read_word(text));
  }
}

void add_fields(std::string_view shape, const std::string& path, FieldVerdict inherited,
                std::vector<PodFieldPath>& list) {
  for_each_word(shape, [&](const Word& word) {
    std::string here = path + (path.empty() ? "" : ".") + std::string(word.name);
    const FieldVerdict verdict = inherited == FieldVerdict::kAllowed ? word.field.verdict : inherited;
    if (word.field.shape.empty()) {
      list.push_back({.path = std::move(here), .verdict = verdict});
    } else {
      add_fields(word.field.shape, here, verdict, list);
    }
  });
}

}  // namespace

PodField pod_field(std::string_view shape, std::string_view name) {
  PodField found;
  for_each_word(shape, [&](const Word& word) {
    if (word.name == name) found = word.field;
  });
  return found;
}

std::string_view why_refused(std::string_view shape, std::string_view name) {
  for (const Refusal& refusal : kRefusals) {
    if (refusal.shape == shape && refusal.field == name) return refusal.why;
  }
  return {};
}

std::string_view nearest_field(std::string_view shape, std::string_view name) {
  if (pod_field(shape, name).verdict != FieldVerdict::kUnknown) return {};
  std::vector<std::string_view> names;
  for_each_word(shape, [&](const Word& word) { names.push_back(word.name); });
  return nearest_name(name, names);
}

std::string_view shape_at(std::string_view path) {
  std::string_view shape = kPodShape;
  while (!path.empty() && !shape.empty()) {
    const std::string_view part = path.substr(0, path.find('.'));
    path.remove_prefix(std::min(path.size(), part.size() + 1));
    shape = pod_field(shape, part.substr(0, part.find('['))).shape;
  }
  return shape;
}

std::vector<PodFieldPath> all_pod_fields() {
  std::vector<PodFieldPath> list;
  add_fields(kPodShape, "", FieldVerdict::kAllowed, list);
  return list;
}

}  // namespace det::model
