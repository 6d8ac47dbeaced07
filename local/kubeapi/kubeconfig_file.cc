#include "local/kubeapi/kubeconfig_file.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "base/encoding.h"

namespace det::local {

using nlohmann::json;

std::string kubeconfig_text(const std::string& url, const std::string& ca_pem, const std::string& token) {
  const char* const name = "det-operator-local";
  json cluster = {{"server", url}};
  if (!ca_pem.empty()) cluster["certificate-authority-data"] = base64_encode(ca_pem);
  const json config = {
      {"apiVersion", "v1"},
      {"kind", "Config"},
      {"clusters", {{{"name", name}, {"cluster", std::move(cluster)}}}},
      {"users", {{{"name", name}, {"user", {{"token", token}}}}}},
      {"contexts", {{{"name", name}, {"context", {{"cluster", name}, {"user", name}, {"namespace", "default"}}}}}},
      {"current-context", name}};
  return config.dump(2) + "\n";  // JSON is YAML
}

Status write_kubeconfig(const std::string& path, const std::string& text) {
  const std::string temporary = path + ".new";
  const auto failed = [&] {
    Status status = fail(ErrorCode::kFailedPrecondition, "write " + path + ": " + std::strerror(errno));
    ::unlink(temporary.c_str());
    return status;
  };
  ::unlink(temporary.c_str());
  const int file = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file < 0) return failed();
  const ssize_t written = ::write(file, text.data(), text.size());
  const int closed = ::close(file);
  if (written != static_cast<ssize_t>(text.size()) || closed != 0) return failed();
  if (std::rename(temporary.c_str(), path.c_str()) != 0) return failed();
  return {};
}

}  // namespace det::local
