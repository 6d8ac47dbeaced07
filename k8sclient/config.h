#pragma once

// Where the API server is and who we are: from a kubeconfig file or from inside a pod. The bearer token of a file is
// read again every minute (service-account tokens rotate), and so are a pod's authorities. Belongs to the io thread.

#include <memory>
#include <optional>
#include <string>

#include "base/clock.h"
#include "base/http_client.h"
#include "base/result.h"

namespace det::k8s {

class Config {
 public:
  // `path`'s current context (or `context`). Certificates and tokens may be inline data or files; exec plugins are
  // refused with a text that says what to use instead.
  static Result<std::shared_ptr<Config>> from_kubeconfig(const std::string& path, const std::string& context,
                                                         Clock& clock);
  // KUBERNETES_SERVICE_HOST/PORT and the service account mounted at `folder`.
  static Result<std::shared_ptr<Config>> in_cluster(
      Clock& clock, const std::string& folder = "/var/run/secrets/kubernetes.io/serviceaccount");
  // A server that is known otherwise (embedded, or a test's). An empty token sends none.
  static std::shared_ptr<Config> for_server(std::string server, std::string token, std::shared_ptr<const TlsConfig> tls,
                                            Clock& clock);

  [[nodiscard]] const std::string& server() const { return server_; }  // "https://host:port[/prefix]"
  // From inside a pod the API server is a neighbour: a proxy of the environment leads out of the cluster.
  [[nodiscard]] bool is_inside() const { return is_inside_; }
  [[nodiscard]] const std::string& default_namespace() const { return namespace_; }
  // Inside a pod with the authorities of the service account's folder, which the cluster replaces when it rotates them.
  [[nodiscard]] std::shared_ptr<const TlsConfig> tls();
  // Empty when a client certificate says who we are. When a token file cannot be read again, the last token stays.
  [[nodiscard]] std::string bearer_token();

 private:
  explicit Config(Clock& clock) : clock_(clock) {}
  Clock& clock_;
  std::string server_;
  std::string namespace_ = "default";
  bool is_inside_ = false;
  std::shared_ptr<const TlsConfig> tls_;
  std::string ca_file_;  // empty: never read again
  SteadyTime ca_read_{};
  std::string token_;
  std::string token_file_;
  SteadyTime token_read_{};
};

}  // namespace det::k8s
