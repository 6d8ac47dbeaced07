#include "local/kubeapi/pod_log.h"

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <utility>

#include "base/json_get.h"
#include "base/race.h"
#include "http/target.h"
#include "local/kubeapi/responses.h"

namespace det::local::kubeapi {
namespace {

using nlohmann::json;

// A client that reads slower than the node sends; beyond this its log is cut.
constexpr std::size_t kMaxBuffered = std::size_t{64} << 20U;

ApiResult<std::string> container_of(const json& pod, const http::Request& http) {
  std::vector<std::string> names;
  for (const char* field : {"initContainers", "containers"}) {
    for (const json& container : get_array(get_object(pod, "spec"), field))
      names.push_back(get_string(container, "name"));
  }
  const std::string pod_name = get_string(get_object(pod, "metadata"), "name");
  const std::string asked(http.query.get("container"));
  if (!asked.empty()) {
    if (std::ranges::find(names, asked) != names.end()) return asked;
    return std::unexpected(bad_request("container " + asked + " is not valid for pod " + pod_name));
  }
  if (names.size() == 1) return names.front();
  std::string all;
  for (const auto& name : names) all.append(all.empty() ? "" : " ").append(name);
  return std::unexpected(
      bad_request("a container name must be specified for pod " + pod_name + ", choose one of: [" + all + "]"));
}

std::string address_of(const json& node) {
  for (const char* wanted : {"InternalIP", "Hostname"}) {
    for (const json& address : get_array(get_object(node, "status"), "addresses")) {
      if (get_string(address, "type") == wanted) return get_string(address, "address");
    }
  }
  return {};
}

}  // namespace

// Between the transfer from the node and the client: what has come and was not sent yet.
class PodLogs::Pipe {
 public:
  explicit Pipe(asio::any_io_executor executor) : changed(executor), abandoned(std::move(executor)) {}

  std::string waiting;
  std::optional<Result<HttpResponse>> ended;
  bool is_abandoned = false;
  Signal changed;
  Signal abandoned;

  void abandon() {
    is_abandoned = true;
    abandoned.notify_all();
  }
};

PodLogs::PodLogs(asio::any_io_executor executor, const ObjectStore& store, HttpTransport& transport,
                 std::shared_ptr<const TlsConfig> tls, std::string token)
    : executor_(executor),
      store_(store),
      transport_(transport),
      tls_(std::move(tls)),
      token_(std::move(token)),
      transfers_(executor) {}

ApiResult<std::string> PodLogs::url_of(const ApiRequest& request, const http::Request& http) const {
  const ObjectRef pod = store_.find(request.place());
  if (pod == nullptr) return std::unexpected(not_found(request.type->subject(request.name)));
  const auto container = container_of(pod->value, http);
  DET_TRY(container);
  const std::string name = get_string(get_object(pod->value, "spec"), "nodeName");
  if (name.empty()) return std::unexpected(bad_request("pod " + request.name + " does not have a host assigned"));
  const ObjectRef node = store_.find({.collection = "nodes", .ns = {}, .name = name});
  if (node == nullptr) return std::unexpected(not_found({{}, "nodes", "Node", name}));
  std::string host = address_of(node->value);
  const json& status = get_object(node->value, "status");
  const auto port = get_integer(get_object(get_object(status, "daemonEndpoints"), "kubeletEndpoint"), "Port");
  if (host.empty() || port == 0) {
    return std::unexpected(internal_error("node " + name + " says no address for its logs"));
  }
  if (host.find(':') != std::string::npos) host = "[" + host + "]";
  std::string url = "https://" + host + ":" + std::to_string(port) + "/containerLogs/" + request.ns + "/" +
                    request.name + "/" + *container;
  char separator = '?';
  for (const auto& [key, value] : http.query.fields()) {
    if (key == "container" || key == "insecureSkipTLSVerifyBackend") continue;
    url.append(1, std::exchange(separator, '&')).append(http::encode_component(key)).append("=");
    url.append(http::encode_component(value));
  }
  return url;
}

Task<void> PodLogs::fetch(std::shared_ptr<Pipe> pipe, std::string url) {
  HttpRequest request;
  request.url = std::move(url);
  request.tls = tls_;
  if (!token_.empty()) request.headers.emplace_back("Authorization", "Bearer " + token_);
  request.timeout = std::chrono::milliseconds::zero();
  BodySink sink = [pipe](std::string_view bytes) {
    if (pipe->is_abandoned || pipe->waiting.size() + bytes.size() > kMaxBuffered) return false;
    pipe->waiting += bytes;
    pipe->changed.notify_all();
    return true;
  };
  auto transfer = [](HttpTransport& transport, HttpRequest what, BodySink into,
                     std::shared_ptr<Pipe> to) -> Task<void> {
    auto result = co_await transport.stream(std::move(what), std::move(into));
    to->ended.emplace(std::move(result));
  };
  auto until_abandoned = [](std::shared_ptr<Pipe> from) -> Task<void> {
    while (!from->is_abandoned) {
      const auto seen = from->abandoned.version();
      co_await from->abandoned.wait(seen, std::chrono::hours(24));
    }
  };
  auto running = transfer(transport_, std::move(request), std::move(sink), pipe);
  auto waiting = until_abandoned(pipe);
  co_await first_of(std::move(running), std::move(waiting));
  pipe->changed.notify_all();
}

Task<http::Response> PodLogs::read(ApiRequest request, const http::Request& http) {
  auto url = url_of(request, http);
  if (!url) co_return refuse(url.error());
  auto pipe = std::make_shared<Pipe>(executor_);
  // The transfer goes on after this handler, and ends when whoever holds the other end lets go.
  const std::shared_ptr<void> hold(nullptr, [pipe](void*) { pipe->abandon(); });
  transfers_.spawn("pod log", fetch(pipe, std::move(*url)));
  while (pipe->waiting.empty() && !pipe->ended) {
    // A silent container has an empty log and a status all the same: do not keep the client waiting for it.
    const bool came = co_await pipe->changed.wait(pipe->changed.version(), std::chrono::seconds(1));
    if (!came) break;
  }
  if (pipe->ended && !*pipe->ended) {
    co_return refuse(internal_error("the node's log server: " + pipe->ended->error().message));
  }
  if (pipe->ended && (*pipe->ended)->status >= 300) {
    std::string why = (*pipe->ended)->body;
    while (!why.empty() && why.back() == '\n') why.pop_back();
    ApiError error = bad_request(std::move(why));
    if ((*pipe->ended)->status == 404) error.code = 404, error.reason = "NotFound";
    co_return refuse(error);
  }
  http::Response response = http::Response::text("");
  response.stream = [pipe, hold](http::Writer& writer) -> Task<void> {
    for (;;) {
      const auto seen = pipe->changed.version();
      if (!pipe->waiting.empty()) {
        const bool goes_on = co_await writer.write(std::exchange(pipe->waiting, {}));
        if (!goes_on) co_return;
        continue;
      }
      if (pipe->ended) {
        // The missing last chunk tells the client that this is not all.
        if (!*pipe->ended) throw std::runtime_error("the node's log server: " + pipe->ended->error().message);
        co_return;
      }
      co_await pipe->changed.wait(seen, std::chrono::hours(24));
    }
  };
  co_return response;
}

Task<void> PodLogs::stop() {
  transfers_.cancel();
  co_await transfers_.join();
}

}  // namespace det::local::kubeapi
