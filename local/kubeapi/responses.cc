#include "local/kubeapi/responses.h"

#include <utility>

#include "base/cut_text.h"
#include "base/printable.h"

namespace det::local::kubeapi {
namespace {

// As kube-apiserver has it: clients read 64 KiB of headers and 100 of them at most, and warnings name what people
// wrote.
constexpr std::size_t kLongestWarning = 256;
constexpr std::size_t kLongestWarnings = 4096;
constexpr std::size_t kWarningOverhead = 40;  // so that there are no hundred short ones

}  // namespace

http::Response refuse(const ApiError& error) {
  http::Response response = http::Response::json(dump(error.status()), error.code);
  if (error.retry_after_seconds) response.headers.add("Retry-After", std::to_string(*error.retry_after_seconds));
  return response;
}

http::Response answer(std::string body, int code, const std::vector<std::string>& warnings) {
  http::Response response = http::Response::json(std::move(body), code);
  std::size_t size = 0;
  for (const auto& warning : warnings) {
    const std::string shown = dump(printable(cut_text(warning, kLongestWarning)));
    size += shown.size() + kWarningOverhead;
    if (size > kLongestWarnings) break;
    response.headers.add("Warning", "299 - " + shown);
  }
  return response;
}

}  // namespace det::local::kubeapi
