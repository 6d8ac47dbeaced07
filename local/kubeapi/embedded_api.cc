#include "local/kubeapi/embedded_api.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <utility>

#include <openssl/crypto.h>

#include "base/async.h"
#include "base/curl_transport.h"
#include "base/json_get.h"
#include "base/log.h"
#include "base/yaml.h"
#include "http/router.h"
#include "http/server.h"
#include "local/kubeapi/binder.h"
#include "local/kubeapi/discovery.h"
#include "local/kubeapi/garbage_collector.h"
#include "local/kubeapi/handlers.h"
#include "local/kubeapi/kubeconfig_file.h"
#include "local/kubeapi/object_meta.h"
#include "local/kubeapi/operations.h"
#include "local/kubeapi/responses.h"
#include "local/self_signed_certificate.h"

namespace det::local {
namespace {

using namespace kubeapi;  // NOLINT: the class is the face of that namespace
using nlohmann::json;

constexpr std::size_t kBodyLimit = std::size_t{3} << 20U;  // the real server's
constexpr int kLogConnections = 256;                       // each followed log holds one

bool is_same(std::string_view a, std::string_view b) {
  return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

// The certificate of an earlier start, as long as it is good for years: it is not looked at again before the next one.
Result<CertificateFiles> keep_certificate(const std::string& folder, const std::string& address) {
  constexpr std::chrono::hours kLongestRun{24 * 365 * 5};
  CertificateFiles files{folder + "/server.crt", folder + "/server.key"};
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (is_valid_for(files.certificate, kLongestRun) && std::filesystem::exists(files.key, error)) return files;
  auto fresh = make_self_signed_certificate(folder, address, "det-operator-local");
  if (fresh) return fresh;
  return fail(ErrorCode::kFailedPrecondition, "keep a certificate in " + folder + ": " + fresh.error().message);
}

std::string read_file(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

bool is_loopback(const std::string& address) {
  return address == "::1" || address.starts_with("127.");
}

std::shared_ptr<const TlsConfig> unchecked() {
  auto tls = std::make_shared<TlsConfig>();
  tls->verify = false;
  return tls;
}

ApiError fault_error(const ApiFault& fault) {
  ApiError error = internal_error("a fault was asked for");
  error.code = fault.status;
  if (fault.status == 429) error.reason = "TooManyRequests";
  if (fault.status == 503) error.reason = "ServiceUnavailable";
  if (fault.status == 410) error.reason = "Expired";
  if (fault.retry_after_seconds > 0) error.retry_after_seconds = fault.retry_after_seconds;
  return error;
}

Error as_error(const ApiError& error, const std::string& what) {
  const auto code = error.code == 503 ? ErrorCode::kUnavailable : ErrorCode::kInvalidArgument;
  return {.code = code, .message = what + ": " + error.message, .field = {}, .retry_after = {}};
}

}  // namespace

class EmbeddedApi::Impl {
 public:
  Impl(asio::any_io_executor executor, Clock& clock, EmbeddedApiOptions options)
      : executor_(executor),
        clock_(clock),
        options_(std::move(options)),
        store_(executor, options_.history, options_.history_bytes),
        writer_(executor, clock, store_, options_.database_url),
        reader_(clock, store_, {.bookmark_interval = options_.bookmark_interval}),
        transport_(executor, kLogConnections),
        logs_(executor, store_, transport_, options_.node_tls ? options_.node_tls : unchecked(),
              options_.node_log_token),
        handlers_(clock, store_, registry_, reader_, writer_, logs_),
        tasks_(executor) {}

  Task<Status> start() {
    if (options_.token.empty()) co_return fail(ErrorCode::kInvalidArgument, "the embedded API needs a token");
    if (!is_loopback(options_.address)) {
      co_return fail(ErrorCode::kInvalidArgument,
                     options_.address + " is not a loopback address: whoever has the token may do everything");
    }
    Status opened = co_await writer_.open();
    if (!opened) co_return opened;
    serve_stored_types();
    store_.observe([this](const Change& change) { follow_definitions(change); });
    collector_.emplace(executor_, clock_, store_, writer_, registry_);
    binder_.emplace(executor_, clock_, store_, writer_);
    tasks_.spawn("writer", writer_.run());
    Status prepared = co_await prepare();
    if (prepared) prepared = listen();
    if (!prepared) {
      co_await stop();
      co_return prepared;
    }
    tasks_.spawn("garbage collector", collector_->run());
    if (options_.binds_pods) tasks_.spawn("binder", binder_->run());
    log_.info("embedded Kubernetes API started",
              {{"address", options_.address}, {"port", server_->port()}, {"version", store_.version()}});
    co_return Status();
  }

  Task<void> stop() {
    if (server_) co_await server_->stop();
    co_await logs_.stop();
    tasks_.cancel();
    co_await tasks_.join();
  }

  [[nodiscard]] std::uint16_t port() const { return server_ ? server_->port() : 0; }
  [[nodiscard]] std::string url() const {
    const bool is_v6 = options_.address.find(':') != std::string::npos;
    const std::string host = is_v6 ? "[" + options_.address + "]" : options_.address;
    return (certificate_.empty() ? "http://" : "https://") + host + ":" + std::to_string(port());
  }
  [[nodiscard]] std::string kubeconfig() const { return kubeconfig_text(url(), certificate_, options_.token); }
  Reader& reader() { return reader_; }
  ObjectStore& store() { return store_; }

 private:
  // What was defined before this process began. All collections begin their history now.
  void serve_stored_types() {
    for (const ObjectRef& definition : store_.list(kDefinitions, "")) define(definition->value);
    for (const TypeRef& type : registry_.all()) store_.collection(type->collection());
  }

  void define(const json& definition) {
    std::vector<FieldError> errors;
    auto type = std::make_shared<ResourceType>(read_definition(definition, errors));
    if (!errors.empty()) {
      log_.error("a stored definition cannot be served", {{"name", name_of(definition)}});
      return;
    }
    store_.collection(type->collection());
    registry_.add(std::move(type));
  }

  void follow_definitions(const Change& change) {
    if (change.place.collection != kDefinitions) return;
    if (change.type != Change::Type::kDeleted) {
      define(change.now->value);
      return;
    }
    registry_.remove(change.place.name);
    store_.close(change.place.name);
  }

  // Namespaces and definitions that are to be there.
  Task<Status> prepare() {
    const TypeRef namespaces = registry_.find("", "v1", "namespaces");
    const TypeRef definitions = registry_.find_collection(kDefinitions);
    for (const auto& name : options_.namespaces) {
      json object = {{"metadata", {{"name", name}}}};
      Status made = co_await ensure(namespaces, std::move(object));
      if (!made) co_return made;
    }
    for (const auto& text : options_.definitions) {
      auto object = parse_yaml(text);
      if (!object) co_return std::unexpected(with_context(std::move(object).error(), "a definition"));
      Status made = co_await ensure(definitions, std::move(*object));
      if (!made) co_return made;
    }
    co_return Status();
  }

  Task<Status> ensure(TypeRef type, json object) {
    const std::string name = name_of(object);
    const WriteTarget target{.type = type, .ns = {}, .name = name, .subresource = {}};
    Mutation make = [target, object](Staging& staging) -> Outcome {
      std::vector<std::string> ignored;
      const ObjectRef known = staging.find(target.place());
      if (known == nullptr) return create(staging, target, object, ignored);
      if (target.type->collection() != kDefinitions) return Written{known, 200};
      json changed = known->value;
      changed["spec"] = get_object(object, "spec");
      return update(staging, target, std::move(changed), ignored);
    };
    const Outcome made = co_await writer_.submit(std::move(make));
    if (made) co_return Status();
    co_return std::unexpected(as_error(made.error(), type->kind + " " + name));
  }

  Status listen() {
    const auto plain = [](const http::Request&) -> Task<http::Response> { co_return http::Response::text("ok"); };
    for (const char* path : {"/healthz", "/livez", "/readyz"}) router_.add("GET", path, plain);
    router_.add("GET", "/version",
                [](const http::Request&) -> Task<http::Response> { co_return answer(dump(version_info())); });
    auto all = [this](const http::Request& request) { return serve(request); };
    // Decided by the head: until then a connection is a stranger's, of which idle ones, as watches are, make room for
    // newer ones. Nor is a stranger's body read.
    const http::Admission admit = [this](http::Request& request) { return let_in(request); };
    for (const char* method : {"GET", "POST", "PUT", "PATCH", "DELETE"}) {
      router_.add(method, "/{path...}", all, {.body_limit = kBodyLimit, .admit = admit});
    }
    router_.set_wrong_method(
        [](const http::Request&) -> Task<http::Response> { co_return refuse(method_not_allowed()); });
    http::ServerOptions server;
    server.address = options_.address;
    server.port = options_.port;
    if (!options_.certificate_folder.empty()) {
      auto files = keep_certificate(options_.certificate_folder, options_.address);
      DET_TRY(files);
      certificate_ = read_file(files->certificate);
      server.tls = {.certificate_file = files->certificate, .key_file = files->key, .client_ca_file = {}};
    }
    server_.emplace(executor_, std::move(server), router_);
    Status started = server_->start();
    if (!started) {
      server_.reset();
      return std::unexpected(with_context(std::move(started).error(), "serve the embedded Kubernetes API"));
    }
    return {};
  }

  Task<std::optional<http::Response>> let_in(http::Request& request) {
    const auto shown = request.headers.find("Authorization").value_or("");
    if (!is_same(shown, "Bearer " + options_.token)) co_return refuse(unauthorized());
    request.account = "holder of the token";
    co_return std::nullopt;
  }

  Task<http::Response> serve(const http::Request& request) {
    if (options_.faults) {
      const ApiFault fault = options_.faults(request.method, request.target);
      if (fault.delay.count() > 0) co_await clock_.sleep_for(fault.delay);
      if (fault.status != 0) co_return refuse(fault_error(fault));
    }
    co_return co_await handlers_.handle(request);
  }

  asio::any_io_executor executor_;
  Clock& clock_;
  EmbeddedApiOptions options_;
  Logger log_{"kube-api"};
  Registry registry_;
  ObjectStore store_;
  ObjectWriter writer_;
  Reader reader_;
  CurlTransport transport_;
  PodLogs logs_;
  Handlers handlers_;
  std::optional<GarbageCollector> collector_;
  std::optional<Binder> binder_;
  http::Router router_;
  std::string certificate_;  // PEM; empty: plain HTTP
  std::optional<http::Server> server_;
  TaskGroup tasks_;
};

EmbeddedApi::EmbeddedApi(asio::any_io_executor executor, Clock& clock, EmbeddedApiOptions options)
    : impl_(std::make_unique<Impl>(std::move(executor), clock, std::move(options))) {}

EmbeddedApi::~EmbeddedApi() = default;

Task<Status> EmbeddedApi::start() {
  return impl_->start();
}

Task<void> EmbeddedApi::stop() {
  return impl_->stop();
}

std::uint16_t EmbeddedApi::port() const {
  return impl_->port();
}

std::string EmbeddedApi::url() const {
  return impl_->url();
}

std::string EmbeddedApi::kubeconfig() const {
  return impl_->kubeconfig();
}

void EmbeddedApi::cut_watches() {
  impl_->reader().cut_watches();
}

void EmbeddedApi::compact() {
  impl_->store().compact();
  impl_->reader().forget_pages();
}

std::size_t EmbeddedApi::open_watches() const {
  return impl_->reader().open_watches();
}

std::uint64_t EmbeddedApi::version() const {
  return impl_->store().version();
}

}  // namespace det::local
