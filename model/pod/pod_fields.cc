#include "model/pod/pod_fields.h"

namespace det::model {
namespace {

constexpr Field text(std::string_view name) {
  return {.name = name, .type = Type::kString};
}
constexpr Field key(std::string_view name) {
  return {.name = name, .type = Type::kString, .required = true};
}
constexpr Field flag(std::string_view name) {
  return {.name = name, .type = Type::kBoolean};
}
constexpr Field integer(std::string_view name) {
  return {.name = name, .type = Type::kInteger};
}
constexpr Field any(std::string_view name) {
  return {.name = name};
}
constexpr Field map(std::string_view name) {
  return {.name = name, .type = Type::kMap};
}
constexpr Field texts(std::string_view name) {
  return {.name = name, .type = Type::kMap, .element = Type::kString};
}
constexpr Field words(std::string_view name) {
  return {.name = name, .type = Type::kList, .element = Type::kString};
}
constexpr Field maps(std::string_view name) {
  return {.name = name, .type = Type::kList, .element = Type::kMap};
}
constexpr Field list_of(std::string_view name, const ObjectSchema& schema) {
  return {.name = name, .type = Type::kList, .object = &schema};
}
constexpr Field object(std::string_view name, const ObjectSchema& schema) {
  return {.name = name, .type = Type::kObject, .object = &schema};
}
constexpr Field quantities(std::string_view name) {
  return {.name = name, .type = Type::kMap, .check = check_quantities};
}

constexpr Field kResources[] = {quantities("limits"), quantities("requests"), maps("claims")};
constexpr ObjectSchema kResourceRequirements = {.fields = kResources};

constexpr Field kEnv[] = {key("name"), text("value"), map("valueFrom")};
constexpr ObjectSchema kEnvSchema = {.fields = kEnv};
constexpr Field kEnvFrom[] = {text("prefix"), map("configMapRef"), map("secretRef")};
constexpr ObjectSchema kEnvFromSchema = {.fields = kEnvFrom};
constexpr Field kMount[] = {key("name"),      key("mountPath"),          text("subPath"),         text("subPathExpr"),
                            flag("readOnly"), text("recursiveReadOnly"), text("mountPropagation")};
constexpr ObjectSchema kMountSchema = {.fields = kMount};
constexpr Field kDevice[] = {key("name"), key("devicePath")};
constexpr ObjectSchema kDeviceSchema = {.fields = kDevice};
constexpr Field kPort[] = {
    {.name = "containerPort", .type = Type::kInteger, .minimum = 1, .maximum = 65535, .required = true},
    integer("hostPort"),
    text("hostIP"),
    text("name"),
    text("protocol")};
constexpr ObjectSchema kPortSchema = {.fields = kPort};

constexpr Field kContainer[] = {key("name"),
                                text("image"),
                                text("imagePullPolicy"),
                                words("command"),
                                words("args"),
                                text("workingDir"),
                                list_of("env", kEnvSchema),
                                list_of("envFrom", kEnvFromSchema),
                                list_of("volumeMounts", kMountSchema),
                                list_of("volumeDevices", kDeviceSchema),
                                list_of("ports", kPortSchema),
                                object("resources", kResourceRequirements),
                                maps("resizePolicy"),
                                text("restartPolicy"),
                                maps("restartPolicyRules"),
                                map("lifecycle"),
                                map("livenessProbe"),
                                map("readinessProbe"),
                                map("startupProbe"),
                                map("securityContext"),
                                flag("stdin"),
                                flag("stdinOnce"),
                                flag("tty"),
                                text("terminationMessagePath"),
                                text("terminationMessagePolicy"),
                                text("targetContainerName")};

constexpr Field kClaim[] = {key("claimName"), flag("readOnly")};
constexpr ObjectSchema kClaimSchema = {.fields = kClaim};
constexpr Field kHostPath[] = {key("path"), text("type")};
constexpr ObjectSchema kHostPathSchema = {.fields = kHostPath};
constexpr Field kEmptyDir[] = {text("medium"), {.name = "sizeLimit", .check = check_quantity}};
constexpr ObjectSchema kEmptyDirSchema = {.fields = kEmptyDir};
constexpr Field kConfigMap[] = {text("name"), maps("items"), integer("defaultMode"), flag("optional")};
constexpr ObjectSchema kConfigMapSchema = {.fields = kConfigMap};
constexpr Field kSecret[] = {text("secretName"), maps("items"), integer("defaultMode"), flag("optional")};
constexpr ObjectSchema kSecretSchema = {.fields = kSecret};
constexpr Field kNfs[] = {key("server"), key("path"), flag("readOnly")};
constexpr ObjectSchema kNfsSchema = {.fields = kNfs};

// The first is the name; the rest are the sources, of which a volume has one.
constexpr Field kVolume[] = {key("name"),
                             object("configMap", kConfigMapSchema),
                             object("emptyDir", kEmptyDirSchema),
                             object("hostPath", kHostPathSchema),
                             object("nfs", kNfsSchema),
                             object("persistentVolumeClaim", kClaimSchema),
                             object("secret", kSecretSchema),
                             map("awsElasticBlockStore"),
                             map("azureDisk"),
                             map("azureFile"),
                             map("cephfs"),
                             map("cinder"),
                             map("csi"),
                             map("downwardAPI"),
                             map("ephemeral"),
                             map("fc"),
                             map("flexVolume"),
                             map("flocker"),
                             map("gcePersistentDisk"),
                             map("gitRepo"),
                             map("glusterfs"),
                             map("image"),
                             map("iscsi"),
                             map("photonPersistentDisk"),
                             map("portworxVolume"),
                             map("projected"),
                             map("quobyte"),
                             map("rbd"),
                             map("scaleIO"),
                             map("storageos"),
                             map("vsphereVolume")};
constexpr ObjectSchema kVolumeSchema = {.fields = kVolume, .check = check_volume};

constexpr Field kNodeSelector[] = {{.name = "nodeSelectorTerms", .type = Type::kList, .element = Type::kMap}};
constexpr ObjectSchema kNodeSelectorSchema = {.fields = kNodeSelector};
constexpr Field kNodeAffinity[] = {object("requiredDuringSchedulingIgnoredDuringExecution", kNodeSelectorSchema),
                                   maps("preferredDuringSchedulingIgnoredDuringExecution")};
constexpr ObjectSchema kNodeAffinitySchema = {.fields = kNodeAffinity};
constexpr Field kPodAffinity[] = {maps("requiredDuringSchedulingIgnoredDuringExecution"),
                                  maps("preferredDuringSchedulingIgnoredDuringExecution")};
constexpr ObjectSchema kPodAffinitySchema = {.fields = kPodAffinity};
constexpr Field kAffinity[] = {object("nodeAffinity", kNodeAffinitySchema), object("podAffinity", kPodAffinitySchema),
                               object("podAntiAffinity", kPodAffinitySchema)};
constexpr ObjectSchema kAffinitySchema = {.fields = kAffinity};

constexpr Field kToleration[] = {text("key"), text("operator"), text("value"), text("effect"),
                                 integer("tolerationSeconds")};
constexpr ObjectSchema kTolerationSchema = {.fields = kToleration};
constexpr Field kNamed[] = {key("name")};
constexpr ObjectSchema kNamedSchema = {.fields = kNamed};

constexpr Field kPodSpec[] = {integer("activeDeadlineSeconds"),
                              object("affinity", kAffinitySchema),
                              flag("automountServiceAccountToken"),
                              {.name = "containers", .type = Type::kList, .check = check_containers},
                              map("dnsConfig"),
                              text("dnsPolicy"),
                              flag("enableServiceLinks"),
                              {.name = "ephemeralContainers", .type = Type::kList, .check = check_other_containers},
                              maps("hostAliases"),
                              flag("hostIPC"),
                              flag("hostNetwork"),
                              flag("hostPID"),
                              flag("hostUsers"),
                              text("hostname"),
                              text("hostnameOverride"),
                              list_of("imagePullSecrets", kNamedSchema),
                              {.name = "initContainers", .type = Type::kList, .check = check_other_containers},
                              text("nodeName"),
                              texts("nodeSelector"),
                              map("os"),
                              quantities("overhead"),
                              text("preemptionPolicy"),
                              integer("priority"),
                              text("priorityClassName"),
                              maps("readinessGates"),
                              maps("resourceClaims"),
                              object("resources", kResourceRequirements),
                              text("restartPolicy"),
                              text("runtimeClassName"),
                              text("schedulerName"),
                              list_of("schedulingGates", kNamedSchema),
                              map("schedulingGroup"),
                              map("securityContext"),
                              text("serviceAccount"),
                              text("serviceAccountName"),
                              flag("setHostnameAsFQDN"),
                              flag("shareProcessNamespace"),
                              text("subdomain"),
                              integer("terminationGracePeriodSeconds"),
                              list_of("tolerations", kTolerationSchema),
                              maps("topologySpreadConstraints"),
                              list_of("volumes", kVolumeSchema),
                              map("workloadRef")};
constexpr ObjectSchema kPodSpecSchema = {.fields = kPodSpec};

constexpr Field kMetadata[] = {texts("labels"),     texts("annotations"),   text("name"),
                               text("namespace"),   text("generateName"),   any("creationTimestamp"),
                               words("finalizers"), maps("ownerReferences")};
constexpr ObjectSchema kMetadataSchema = {.fields = kMetadata};

constexpr Field kPod[] = {text("apiVersion"), text("kind"), object("metadata", kMetadataSchema),
                          object("spec", kPodSpecSchema), any("status")};

}  // namespace

std::span<const Field> volume_sources() {
  return std::span(kVolume).subspan(1);
}

constinit const ObjectSchema kContainerSchema = {.fields = kContainer};
constinit const ObjectSchema kPodSchema = {.fields = kPod};

}  // namespace det::model
