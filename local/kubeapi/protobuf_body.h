#pragma once

// Bodies in Kubernetes' protobuf form: `kubectl create namespace|configmap|secret|serviceaccount` sends nothing else.
// Only those kinds, and of their metadata only name, generateName, namespace, labels and annotations, are read. Pure.

#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "http/message.h"
#include "local/kubeapi/api_error.h"

namespace det::local::kubeapi {

[[nodiscard]] bool is_protobuf(const http::Request& request);

// UnsupportedMediaType for other kinds, BadRequest for bytes that are not such a message.
[[nodiscard]] ApiResult<nlohmann::json> decode_protobuf(std::string_view bytes);

}  // namespace det::local::kubeapi
