#include "main/operator/task_proxy.h"

#include <cstdlib>
#include <memory>
#include <utility>
#include <vector>

#include <boost/asio/ip/address.hpp>

#include "api/access/task_sight.h"
#include "api/access_check.h"
#include "api/authenticator.h"
#include "api/route_table.h"
#include "main/operator/host_address.h"

namespace det::main {
namespace {

// The API server's address, where it is written as one.
std::optional<asio::ip::tcp::endpoint> endpoint_of(std::string_view url) {
  const auto scheme = url.find("://");
  if (scheme == std::string_view::npos) return std::nullopt;
  const bool is_tls = url.starts_with("https");
  url.remove_prefix(scheme + 3);
  auto [host, port] = proxy::split_authority(url.substr(0, url.find('/')));
  if (host.starts_with('[')) host = host.substr(1, host.size() - 2);
  boost::system::error_code ec;
  const auto address = asio::ip::make_address(host, ec);
  if (ec) return std::nullopt;
  const int number = port.empty() ? (is_tls ? 443 : 80) : std::atoi(port.c_str() + 1);
  return asio::ip::tcp::endpoint(address, static_cast<std::uint16_t>(number));
}

}  // namespace

proxy::ProxyOptions proxy_options(const ServeOptions& options, const std::string& kubernetes_server) {
  const model::ProxyConfig& config = options.master.proxy;
  proxy::ProxyOptions wanted;
  wanted.origins = {.host_suffix = config.host_suffix, .port = static_cast<std::uint16_t>(config.port)};
  wanted.targets.shares_host_network = options.master.host_network_ports;
  if (const auto server = endpoint_of(kubernetes_server)) wanted.targets.forbidden.push_back(*server);
  return wanted;
}

proxy::LookUp look_up_by(api::ApiServices& api) {
  return [&api, sight = std::make_shared<api::TaskSight>(api)](std::string token_hash,
                                                               std::string task_id) -> Task<Result<proxy::Visitor>> {
    const auto identity = co_await api.authenticator.identify_hash(std::move(token_hash));
    DET_CO_TRY(identity);
    const auto found = co_await api::with_grants(api, *identity);
    DET_CO_TRY(found);
    const auto may_look = co_await sight->may_look(**found, std::move(task_id));
    DET_CO_TRY(may_look);
    co_return proxy::Visitor{.user = (*found)->user.id,
                             .is_admin = api::is_admin(**found),
                             .is_login = (*found)->kind == api::TokenKind::kLogin,
                             .is_session = (*found)->kind == api::TokenKind::kTaskSession,
                             .may_look = *may_look};
  };
}

std::optional<http::HostCheck> host_check(const ServeOptions& options) {
  if (!options.checks_host) return std::nullopt;
  const bool is_any = options.listen_host == "0.0.0.0" || options.listen_host == "::";
  std::vector<std::string> names = options.allowed_hosts;
  names.push_back(is_any ? host_name("det-operator") : options.listen_host);
  if (const auto scheme = options.task_url.find("://"); scheme != std::string::npos) {
    names.push_back(options.task_url.substr(scheme + 3, options.task_url.find('/', scheme + 3) - scheme - 3));
  }
  return http::HostCheck(std::move(names), is_any);
}

Gate api_gate(const ServeOptions& options, const proxy::Proxy& proxy, std::function<bool()> is_prepared) {
  return [hosts = host_check(options), own_hosts = options.allowed_hosts, &proxy,
          is_prepared = std::move(is_prepared)](const http::Request& request) -> std::optional<http::Response> {
    // What asks for a task's host is let in by the proxy, which serves nothing else there.
    const bool is_tasks = proxy.router_of(request) != nullptr;
    if (hosts && !is_tasks) {
      if (auto refused = hosts->refusal(request)) return refused;
    }
    if (auto refused = proxy.refusal(request)) return refused;
    if (!is_tasks) {
      if (auto refused = http::refusal_of_foreign_page(request, own_hosts)) return refused;
    }
    if (is_prepared() || !api::is_login_path(request.path)) return std::nullopt;
    return http::Response::json(R"({"message": "starting: the database is not prepared yet"})", 503);
  };
}

Gate task_gate(const ServeOptions& options) {
  return [hosts = host_check(options)](const http::Request& request) {
    return hosts ? hosts->refusal(request) : std::nullopt;
  };
}

}  // namespace det::main
