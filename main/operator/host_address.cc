#include "main/operator/host_address.h"

#include <unistd.h>

#include "main/operator/listen_address.h"

namespace det::main {

std::string host_name(const char* fallback) {
  char name[256] = {};
  return gethostname(name, sizeof name - 1) == 0 ? name : fallback;
}

std::string default_task_url(const ServeOptions& options, std::uint16_t port) {
  const std::string scheme = options.certificate_file.empty() ? "http://" : "https://";
  const bool any = options.listen_host == "0.0.0.0" || options.listen_host == "::";
  return scheme + host_and_port(any ? host_name("det-operator") : options.listen_host, port);
}

}  // namespace det::main
