#include "local/kubeapi/responses.h"

#include <utility>

namespace det::local::kubeapi {

http::Response refuse(const ApiError& error) {
  http::Response response = http::Response::json(dump(error.status()), error.code);
  if (error.retry_after_seconds) response.headers.add("Retry-After", std::to_string(*error.retry_after_seconds));
  return response;
}

http::Response answer(std::string body, int code, const std::vector<std::string>& warnings) {
  http::Response response = http::Response::json(std::move(body), code);
  for (const auto& warning : warnings) response.headers.add("Warning", "299 - " + dump(warning));
  return response;
}

}  // namespace det::local::kubeapi
