#include "k8sclient/config.h"

#include <cstdlib>
#include <filesystem>
#include <utility>

#include "base/log.h"
#include "k8sclient/kubeconfig.h"

namespace det::k8s {
namespace {

constexpr std::chrono::minutes kReadAgainEvery{1};

std::string trimmed(std::string text) {
  const auto last = text.find_last_not_of(" \t\r\n");
  text.resize(last == std::string::npos ? 0 : last + 1);
  return text;
}

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

}  // namespace

Result<std::shared_ptr<Config>> Config::from_kubeconfig(const std::string& path, const std::string& context,
                                                        Clock& clock) {
  const auto text = read_text_file(path);
  if (!text) return std::unexpected(with_context(text.error(), "kubeconfig"));
  auto read = read_kubeconfig(*text, context, std::filesystem::path(path).parent_path().string());
  if (!read) return std::unexpected(with_context(read.error(), "kubeconfig " + path));

  const std::shared_ptr<Config> config(new Config(clock));
  config->server_ = std::move(read->server);
  config->namespace_ = std::move(read->ns);
  config->tls_ = std::make_shared<const TlsConfig>(std::move(read->tls));
  config->token_ = std::move(read->token);
  config->token_file_ = std::move(read->token_file);
  if (config->token_file_.empty()) return config;
  // tokenFile wins over token, as in kubectl; one that cannot be read now would only fail later and less clearly.
  const auto token = read_text_file(config->token_file_);
  if (!token) return std::unexpected(with_context(token.error(), "kubeconfig " + path + ": tokenFile"));
  config->token_ = trimmed(*token);
  config->token_read_ = clock.steady_now();
  return config;
}

Result<std::shared_ptr<Config>> Config::in_cluster(Clock& clock, const std::string& folder) {
  std::string host = environment("KUBERNETES_SERVICE_HOST");
  const std::string port = environment("KUBERNETES_SERVICE_PORT");
  if (host.empty() || port.empty()) {
    return fail(ErrorCode::kFailedPrecondition,
                "not inside a pod (KUBERNETES_SERVICE_HOST and _PORT are not set): give --kubeconfig FILE");
  }
  const auto token = read_text_file(folder + "/token");
  if (!token) return std::unexpected(with_context(token.error(), "service account"));
  auto ca = read_text_file(folder + "/ca.crt");
  if (!ca) return std::unexpected(with_context(ca.error(), "service account"));
  const auto ns = read_text_file(folder + "/namespace");

  const std::shared_ptr<Config> config(new Config(clock));
  if (host.contains(':')) host = "[" + host + "]";
  config->server_ = "https://" + host + ":" + port;
  config->is_inside_ = true;
  if (ns && !trimmed(*ns).empty()) config->namespace_ = trimmed(*ns);
  TlsConfig tls;
  tls.ca_pem = std::move(*ca);
  config->tls_ = std::make_shared<const TlsConfig>(std::move(tls));
  config->ca_file_ = folder + "/ca.crt";
  config->ca_read_ = clock.steady_now();
  config->token_ = trimmed(*token);
  config->token_file_ = folder + "/token";
  config->token_read_ = clock.steady_now();
  return config;
}

std::shared_ptr<Config> Config::for_server(std::string server, std::string token, std::shared_ptr<const TlsConfig> tls,
                                           Clock& clock) {
  std::shared_ptr<Config> config(new Config(clock));
  config->server_ = std::move(server);
  config->token_ = std::move(token);
  config->tls_ = std::move(tls);
  return config;
}

std::shared_ptr<const TlsConfig> Config::tls() {
  const SteadyTime now = clock_.steady_now();
  if (ca_file_.empty() || now - ca_read_ < kReadAgainEvery) return tls_;
  ca_read_ = now;
  auto ca = read_text_file(ca_file_);
  if (!ca || trimmed(*ca).empty()) {
    Logger("k8sclient").warn("could not read the authorities again", {{"file", ca_file_}});
  } else if (*ca != tls_->ca_pem) {
    TlsConfig tls = *tls_;
    tls.ca_pem = std::move(*ca);
    tls_ = std::make_shared<const TlsConfig>(std::move(tls));
  }
  return tls_;
}

std::string Config::bearer_token() {
  const SteadyTime now = clock_.steady_now();
  if (token_file_.empty() || now - token_read_ < kReadAgainEvery) return token_;
  token_read_ = now;
  const auto token = read_text_file(token_file_);
  if (token && !trimmed(*token).empty()) {
    token_ = trimmed(*token);
  } else {
    Logger("k8sclient").warn("could not read the token file again", {{"file", token_file_}});
  }
  return token_;
}

}  // namespace det::k8s
