#pragma once

// Writes the status subresource of our objects, when it says something new. Belongs to the io thread.

#include <string>

#include <nlohmann/json.hpp>

#include "k8sclient/client.h"

namespace det::op {

// Merge-patches `wanted` over `before`: fields that left are removed. Nothing is sent when they are equal. An object
// that is gone is success.
Task<Status> write_status(k8s::Client& client, k8s::Resource resource, k8s::ObjectKey key, nlohmann::json before,
                          nlohmann::json wanted);

// The merge patch that turns `before` into `after`; an empty object when they are equal.
[[nodiscard]] nlohmann::json merge_diff(const nlohmann::json& before, const nlohmann::json& after);

}  // namespace det::op
