#include "model/pod/pod_field_uses.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/json_reader.h"
#include "model/pod/pod_allowed_fields.h"

namespace det::model {
namespace {

using nlohmann::json;

// Whose keys make the cluster, or the operator, do something with an object.
constexpr std::array<std::string_view, 5> kDomains = {"kubernetes.io", "k8s.io", "scheduling.x-k8s.io",
                                                      "det-operator.dev", "determined.ai"};
// An upstream master in the same cluster deletes what carries it.
constexpr std::string_view kUpstreamLabel = "determined";

// The old spelling of profiles, which stands in annotations.
constexpr std::array<std::string_view, 3> kProfileAnnotations = {"container.apparmor.security.beta.kubernetes.io/",
                                                                 "seccomp.security.alpha.kubernetes.io/",
                                                                 "container.seccomp.security.alpha.kubernetes.io/"};

// What a container may be, as Pod Security's level "baseline" has it.
constexpr std::array<std::string_view, 5> kSeLinuxTypes = {"", "container_t", "container_init_t", "container_kvm_t",
                                                           "container_engine_t"};

bool has_meaning(std::string_view key) {
  const auto slash = key.find('/');
  if (slash == std::string_view::npos) return key == kUpstreamLabel;
  const std::string_view domain = key.substr(0, slash);
  return std::ranges::any_of(kDomains, [&](std::string_view ours) {
    return domain == ours || (domain.ends_with(ours) && domain[domain.size() - ours.size() - 1] == '.');
  });
}

bool is_profile(std::string_view key) {
  return std::ranges::any_of(kProfileAnnotations, [&](std::string_view prefix) { return key.starts_with(prefix); });
}

bool is_confining(const json& profile) {
  if (!profile.is_string()) return false;
  const auto& text = profile.get_ref<const std::string&>();
  return text.empty() || text == "runtime/default" || text == "docker/default" || text.starts_with("localhost/");
}

// "a.b" for what stands below `path`, without indices.
std::string plain_child(const std::string& path, const std::string& name) {
  return path.empty() ? name : path + "." + name;
}

struct Walk {
  std::vector<PodUse> uses;
  std::string container;  // in which it is

  void add(UseKind kind, std::string value, std::string field, std::string detail, std::string_view why = {}) {
    uses.push_back({.kind = kind,
                    .value = std::move(value),
                    .container = container,
                    .field = std::move(field),
                    .detail = std::move(detail),
                    .why = std::string(why)});
  }

  void keys(const json& map, UseKind kind, const std::string& path) {
    if (!map.is_object()) return;
    for (const auto& [key, value] : map.items()) {
      if (!has_meaning(key)) continue;
      if (kind == UseKind::kAnnotation && is_profile(key)) {
        if (is_confining(value)) continue;
        const std::string set = value.is_string() ? value.get<std::string>() : value.dump();
        add(UseKind::kPrivileged, key + ": " + set, child_path(path, key), {});
      } else {
        add(kind, key, child_path(path, key), value.dump());
      }
    }
  }

  void field(std::string_view shape, const std::string& name, const json& value, const std::string& path,
             const std::string& plain) {
    const PodField known = pod_field(shape, name);
    switch (known.verdict) {
      case FieldVerdict::kUnknown:
        return add(UseKind::kUnknownField, plain, path, std::string(nearest_field(shape, name)));
      case FieldVerdict::kRefused:
        return add(UseKind::kField, plain, path, value.dump(), why_refused(shape, name));
      case FieldVerdict::kChecked:
        checked(shape, name, value, path, plain);
        [[fallthrough]];
      case FieldVerdict::kAllowed:
        if (!known.shape.empty()) objects(known.shape, value, path, plain);
    }
  }

  void checked(std::string_view shape, const std::string& name, const json& value, const std::string& path,
               const std::string& plain) {
    if (shape == "ObjectMeta" && name == "labels") return keys(value, UseKind::kLabel, path);
    if (shape == "ObjectMeta" && name == "annotations") return keys(value, UseKind::kAnnotation, path);
    if (shape != "SELinuxOptions" || !value.is_string()) return;
    const auto& type = value.get_ref<const std::string&>();
    if (std::ranges::find(kSeLinuxTypes, type) != kSeLinuxTypes.end()) return;
    add(UseKind::kField, plain, path, value.dump(), why_refused(shape, name));
  }

  // One object of the shape, or a list of such.
  void objects(std::string_view shape, const json& value, const std::string& path, const std::string& plain) {
    if (value.is_array()) {
      for (std::size_t i = 0; i < value.size(); ++i) object(shape, value[i], item_path(path, i), plain);
    } else {
      object(shape, value, path, plain);
    }
  }

  void object(std::string_view shape, const json& value, const std::string& path, const std::string& plain) {
    if (!value.is_object()) return;
    const bool is_container = shape == "Container";
    if (is_container) {
      const auto name = value.find("name");
      container = name != value.end() && name->is_string() ? name->get<std::string>() : "";
    }
    for (const auto& [name, member] : value.items()) {
      const bool is_empty = member.is_null() || member == "" || (member.is_array() && member.empty());
      if (!is_empty) field(shape, name, member, child_path(path, name), plain_child(plain, name));
    }
    if (is_container) container.clear();
  }
};

bool is_one_of(std::string_view key, std::span<const std::string_view> patterns) {
  return std::ranges::any_of(patterns, [&](std::string_view pattern) {
    return pattern.ends_with('/') ? key.starts_with(pattern) : key == pattern;
  });
}

}  // namespace

std::vector<PodUse> pod_field_uses(const json& pod, std::string_view path) {
  Walk walk;
  if (!pod.is_object()) return {};
  for (const auto& [name, shape] : {std::pair{"metadata", "ObjectMeta"}, {"spec", "PodSpec"}}) {
    const auto found = pod.find(name);
    if (found != pod.end()) walk.object(shape, *found, child_path(path, name), name);
  }
  return std::move(walk.uses);
}

bool is_harmless_label(std::string_view key) {
  static constexpr std::array<std::string_view, 1> kHarmless = {"app.kubernetes.io/"};
  return is_one_of(key, kHarmless);
}

bool is_harmless_annotation(std::string_view key) {
  static constexpr std::array<std::string_view, 7> kHarmless = {"app.kubernetes.io/",
                                                                "kubectl.kubernetes.io/",
                                                                "cluster-autoscaler.kubernetes.io/",
                                                                "kubernetes.io/description",
                                                                "kubernetes.io/change-cause",
                                                                "controller.kubernetes.io/pod-deletion-cost",
                                                                "descheduler.alpha.kubernetes.io/"};
  return is_one_of(key, kHarmless);
}

}  // namespace det::model
