#pragma once

// environment.registry_auth as Kubernetes takes it: a Secret that the run's pods name in imagePullSecrets. Pure.

#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "pods/pod_builder.h"

namespace det::pods {

// Of the run, where its configuration has registry_auth; `base` as of allocation_secret_name().
[[nodiscard]] std::string pull_secret_name(std::string_view base, int run);
// Nothing when the configuration has no registry_auth.
[[nodiscard]] std::optional<std::string> pull_secret_name(const TaskRequest& task);
// The Secret of that name, without labels and owner.
[[nodiscard]] nlohmann::json pull_secret_data(const PodSettings& settings, const TaskRequest& task);

}  // namespace det::pods
