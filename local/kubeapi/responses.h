#pragma once

// HTTP answers of the API. Pure.

#include <string>
#include <vector>

#include "http/message.h"
#include "local/kubeapi/api_error.h"

namespace det::local::kubeapi {

[[nodiscard]] http::Response refuse(const ApiError& error);
// `warnings` become Warning headers, as kubectl prints them.
[[nodiscard]] http::Response answer(std::string body, int code = 200, const std::vector<std::string>& warnings = {});

}  // namespace det::local::kubeapi
