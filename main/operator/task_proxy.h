#pragma once

// What the proxy is told of this program, and which requests reach which of its servers. Belongs to the io thread.

#include <functional>
#include <optional>
#include <string>

#include "api/services.h"
#include "http/host_check.h"
#include "http/message.h"
#include "main/operator/serve_options.h"
#include "proxy/proxy.h"

namespace det::main {

// `kubernetes_server`: "https://host:port"; no task is there.
[[nodiscard]] proxy::ProxyOptions proxy_options(const ServeOptions& options, const std::string& kubernetes_server);

// `api` outlives it.
[[nodiscard]] proxy::LookUp look_up_by(api::ApiServices& api);

// Which names the servers answer to; nothing: to every one.
[[nodiscard]] std::optional<http::HostCheck> host_check(const ServeOptions& options);

using Gate = std::function<std::optional<http::Response>(const http::Request&)>;
// Who asks for another site is refused, what a page of a task or of another site sends to the API, and who logs in
// before `is_prepared`.
[[nodiscard]] Gate api_gate(const ServeOptions& options, const proxy::Proxy& proxy, std::function<bool()> is_prepared);
// Of the second server, which has the tasks alone.
[[nodiscard]] Gate task_gate(const ServeOptions& options);

}  // namespace det::main
