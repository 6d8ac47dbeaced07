#include "local/kubeapi/kubeconfig_file.h"

#include <cerrno>
#include <cstdio>
#include <cstring>

#include <fcntl.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

namespace det::local {

using nlohmann::json;

std::string kubeconfig_text(const std::string& address, std::uint16_t port, const std::string& token) {
  const bool is_v6 = address.find(':') != std::string::npos;
  const std::string host = is_v6 ? "[" + address + "]" : address;
  const char* const name = "det-operator-local";
  const json config = {
      {"apiVersion", "v1"},
      {"kind", "Config"},
      {"clusters", {{{"name", name}, {"cluster", {{"server", "http://" + host + ":" + std::to_string(port)}}}}}},
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
