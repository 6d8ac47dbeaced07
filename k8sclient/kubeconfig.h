#pragma once

// Reads what a kubeconfig file says about one context. A detail of k8sclient/config.cc, apart for its tests.

#include <string>
#include <string_view>

#include "base/http_client.h"
#include "base/result.h"

namespace det::k8s {

struct KubeconfigContext {
  std::string server;
  std::string ns = "default";
  TlsConfig tls;
  std::string token;
  std::string token_file;  // absolute, or relative to the working directory
};

// `text` is YAML or JSON; file names in it are relative to `folder`. An empty `context` means current-context. Errors
// (kInvalidArgument) name the field; what needs a plugin is kUnimplemented and says what to use instead.
[[nodiscard]] Result<KubeconfigContext> read_kubeconfig(std::string_view text, const std::string& context,
                                                        const std::string& folder);

// A whole file; kNotFound with the system's reason.
[[nodiscard]] Result<std::string> read_text_file(const std::string& path);

}  // namespace det::k8s
