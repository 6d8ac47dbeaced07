#include "main/operator/host_address.h"

#include <unistd.h>

namespace det::main {

std::string host_name(const char* fallback) {
  char name[256] = {};
  return gethostname(name, sizeof name - 1) == 0 ? name : fallback;
}

std::string default_task_url(const ServeOptions& options, std::uint16_t port) {
  const std::string scheme = options.certificate_file.empty() ? "http://" : "https://";
  const bool any = options.listen_host == "0.0.0.0" || options.listen_host == "::";
  const bool is_v6 = options.listen_host.find(':') != std::string::npos;
  const std::string host = any     ? host_name("det-operator")
                           : is_v6 ? "[" + options.listen_host + "]"
                                   : options.listen_host;
  return scheme + host + ":" + std::to_string(port);
}

}  // namespace det::main
