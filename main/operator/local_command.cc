#include "main/operator/local_command.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/thread_pool.hpp>

#include "base/curl_transport.h"
#include "base/encoding.h"
#include "base/race.h"
#include "base/run_to_end.h"
#include "k8sclient/config.h"
#include "local/agent/left_pods.h"
#include "local/agent/node_agent.h"
#include "local/kubeapi/embedded_api.h"
#include "local/kubeapi/kubeconfig_file.h"
#include "local/postgres_process.h"
#include "main/operator/control_plane.h"
#include "main/operator/listen_address.h"
#include "main/operator/local_access.h"
#include "main/operator/local_folder.h"
#include "main/operator/local_options.h"
#include "main/version.h"

namespace det::main {

// crds/*.yaml, compiled in: name and text.
std::vector<std::pair<std::string_view, std::string_view>> custom_resource_definitions();

namespace {

constexpr int kAgentThreads = 2;
constexpr std::size_t kTokenBytes = 32;
constexpr const char* kNode = "local";

// The parts in the order they depend on each other.
class LocalCluster {
 public:
  LocalCluster(asio::io_context& io, LocalOptions options, LocalFolder& folder, local::PostgresProcess& database)
      : io_(io),
        options_(std::move(options)),
        folder_(folder),
        database_(database),
        access_(folder, clock_, access_options()) {}

  // Until SIGTERM or SIGINT; then the reconcilers end first, so that nobody takes the end of the pods for a failure of
  // theirs, and what the pods talk to ends last.
  Task<Status> run() {
    Status started = co_await start();
    if (started) {
      log_.info("ready", {{"url", url()}, {"kubeconfig", options_.path("kubeconfig")}});
      if (plane_->has_page()) log_.info("the web page is there", {{"page", url() + "/ui/"}});
      std::vector<Task<void>> parts;
      parts.push_back(plane_->run());
      parts.push_back(database_.supervise());
      auto work = all_of(std::move(parts));
      listen_for_signals();
      auto signal = until_signalled();
      co_await first_of(std::move(work), std::move(signal));
      log_.info("stopping");
    }
    // While they are listened to, another one does not end this in the middle of it, with tasks that nobody looks
    // after. Nothing is decided any more, but until the pods have ended somebody has to take their last reports and log
    // lines.
    if (agent_) co_await agent_->shut_down();
    if (plane_) co_await plane_->stop();
    if (api_) co_await api_->stop();
    access_.leave();
    co_return started;
  }

  void join() { agent_threads_.join(); }

 private:
  Task<Status> start() {
    auto token = folder_.kept("token", random_token(kTokenBytes));
    DET_CO_TRY(token);
    if (Status api = co_await start_api(std::move(*token)); !api) co_return api;
    auto config = k8s::Config::from_kubeconfig(options_.path("kubeconfig"), "", clock_);
    DET_CO_TRY(config);
    agent_client_.emplace(calls_, watches_, std::move(*config), clock_, "node-agent");
    if (Status agent = co_await start_agent(); !agent) co_return agent;
    plane_.emplace(io_.get_executor(), plane_options());
    co_return plane_->start();
  }

  // kubectl's configuration should stay good from one start to the next, so the port does, unless somebody else took
  // it.
  Task<Status> start_api(std::string token) {
    auto kept = folder_.kept("kubernetes-port", std::to_string(options_.kubernetes_port));
    DET_CO_TRY(kept);
    const int remembered = std::atoi(kept->c_str());
    const int wanted = options_.kubernetes_port != 0 ? options_.kubernetes_port : remembered;
    Status started = co_await listen(static_cast<std::uint16_t>(wanted), token);
    if (!started && wanted != 0 && options_.kubernetes_port == 0) {
      log_.warn("the Kubernetes API's port of last time cannot be had; taking another", {{"port", wanted}});
      started = co_await listen(0, token);
    }
    if (!started) co_return started;
    const Status noted = folder_.write("kubernetes-port", std::to_string(api_->port()));
    if (!noted) co_return noted;
    co_return local::write_kubeconfig(options_.path("kubeconfig"), api_->kubeconfig());
  }

  Task<Status> listen(std::uint16_t port, std::string token) {
    local::EmbeddedApiOptions api;
    api.database_url = database_.url();
    api.port = port;
    api.token = std::move(token);
    api.node_log_token = log_token_;
    api.certificate_folder = options_.path("kubernetes-tls");
    for (const auto& [name, text] : custom_resource_definitions()) api.definitions.emplace_back(text);
    api_.emplace(io_.get_executor(), clock_, std::move(api));
    Status started = co_await api_->start();
    if (!started) api_.reset();
    co_return started;
  }

  Task<Status> start_agent() {
    // Where checkpoints go unless somebody says otherwise: the one folder that nobody has to make.
    std::error_code failed;
    std::filesystem::create_directories(options_.path("checkpoints"), failed);
    if (failed) co_return fail(ErrorCode::kInternal, "cannot make " + options_.path("checkpoints"));
    local::NodeAgentOptions agent;
    agent.node = kNode;
    agent.state_folder = options_.path("agent");
    agent.default_image = options_.python;
    agent.has_default_image = true;
    agent.images = options_.images;
    agent.slots = options_.slots;
    agent.uses_gpus = options_.uses_gpus;
    agent.log_token = log_token_;
    agent.spares_unstarted_pods = true;
    // As a whole: a file that is replaced shows through where only the old one was hidden.
    agent.masks = {options_.data_folder};
    // Tokens of the person who started this.
    if (const std::string tokens = token_folder(); !tokens.empty()) agent.masks.push_back(tokens);
    agent.open_folders = {options_.path("checkpoints")};
    agent_.emplace(io_.get_executor(), agent_threads_, clock_, *agent_client_, std::move(agent));
    Status started = co_await agent_->start();
    if (!started) agent_.reset();
    co_return started;
  }

  [[nodiscard]] LocalAccessOptions access_options() const {
    const std::string port = ":" + std::to_string(options_.listen_port);
    LocalAccessOptions access{.blank_passwords = options_.blank_passwords, .urls = {}, .token_folder = token_folder()};
    access.urls = {"http://localhost" + port, "http://127.0.0.1" + port};
    if (const std::string own = url(); std::ranges::find(access.urls, own) == access.urls.end()) {
      access.urls.push_back(own);
    }
    return access;
  }

  [[nodiscard]] ServeOptions plane_options() {
    ServeOptions serve;
    serve.kubeconfig = options_.path("kubeconfig");
    serve.database_url = database_.url();
    serve.listen_host = options_.listen_host;
    serve.listen_port = options_.listen_port;
    serve.controller_class = "det-operator";
    serve.identity = kNode;
    serve.log_level = options_.log_level;
    serve.master = options_.master;
    serve.master.pods_run_here = true;
    // Browsers take every name below it for this machine.
    auto& proxy = serve.master.proxy;
    if (proxy.host_suffix.empty() && proxy.port == 0) proxy.host_suffix = "localhost";
    // Whoever may name an address here runs programs on this machine anyway.
    auto& endpoints = serve.master.checkpoint_downloads.endpoints;
    if (endpoints.empty()) endpoints.push_back("*");
    serve.checks_host = true;
    serve.ui_folder = options_.ui_folder;
    serve.webui_folder = options_.webui_folder;
    serve.allowed_hosts = options_.allowed_hosts;
    serve.prepare_users = [this](store::UserStore& users, store::SessionStore& sessions) -> Task<Status> {
      co_return co_await access_.prepare(users, sessions);
    };
    return serve;
  }

  [[nodiscard]] std::string url() const {
    return "http://" + host_and_port(options_.listen_host, options_.listen_port);
  }

  void listen_for_signals() {
    signals_.add(SIGINT);
    signals_.add(SIGTERM);
    // Its terminal was closed; nohup asks to go on.
    struct sigaction hangup{};
    if (sigaction(SIGHUP, nullptr, &hangup) == 0 && hangup.sa_handler != SIG_IGN) signals_.add(SIGHUP);
  }

  Task<void> until_signalled() { co_await signals_.async_wait(asio::use_awaitable); }

  asio::io_context& io_;
  LocalOptions options_;
  LocalFolder& folder_;
  local::PostgresProcess& database_;
  Logger log_{"local"};
  SystemClock clock_;
  const std::string log_token_ = random_token(kTokenBytes);  // between the Kubernetes API and the node's log server
  asio::signal_set signals_{io_};
  asio::thread_pool agent_threads_{kAgentThreads};
  CurlTransport calls_{io_.get_executor()};
  CurlTransport watches_{io_.get_executor()};
  LocalAccess access_;
  std::optional<local::EmbeddedApi> api_;
  std::optional<k8s::Client> agent_client_;
  std::optional<local::NodeAgent> agent_;
  std::optional<ControlPlane> plane_;
};

// Chosen before anything starts, because users' tokens are kept by the address that they are for.
Result<std::uint16_t> free_port(asio::io_context& io, const std::string& host) {
  boost::system::error_code failed;
  const auto found = asio::ip::tcp::resolver(io).resolve(host, "0", failed);
  asio::ip::tcp::acceptor taken(io);
  if (!failed) taken.open(found.begin()->endpoint().protocol(), failed);
  if (!failed) taken.bind(found.begin()->endpoint(), failed);
  if (failed) return fail(ErrorCode::kInvalidArgument, "--listen: no port of " + host + ": " + failed.message());
  return taken.local_endpoint().port();
}

int complain(const Error& error) {
  std::cerr << "det-operator local: " << error.message << "\n";
  return 1;
}

Task<void> run_cluster(LocalCluster& cluster, int& code) {
  const Status ended = co_await cluster.run();
  if (!ended) code = complain(ended.error());
}

}  // namespace

int local(int argc, char** argv) {
  auto parsed = parse_local_options(argc, argv);
  if (const int* code = std::get_if<int>(&parsed)) return *code;
  LocalOptions options = std::move(std::get<LocalOptions>(parsed));
  configure_logging(options.log_level);
  Logger("local").info("starting", {{"version", kVersion}, {"data", options.data_folder}, {"python", options.python}});
  for (const std::string& warning : options.warnings) Logger("local").warn("configuration", {{"note", warning}});

  auto folder = LocalFolder::take(options.data_folder);
  if (!folder) return complain(folder.error());
  if (options.only_ends_pods) {
    const auto [found, left] = local::end_left_pods(options.path("agent"));
    std::cout << "ended " << found - left << (found - left == 1 ? " container" : " containers") << "\n";
    if (left == 0) return 0;
    std::cerr << "det-operator local: " << left << (left == 1 ? " container runs" : " containers run")
              << " on: a program that waits for a disk or a device cannot be killed\n";
    return 1;
  }
  asio::io_context io(1);
  if (options.listen_port == 0) {
    const auto port = free_port(io, options.listen_host);
    if (!port) return complain(port.error());
    options.listen_port = *port;
  }
  SystemClock clock;
  local::PostgresProcess database(io.get_executor(), clock, {.folder = options.path("postgres")});
  if (Status started = database.start(); !started) return complain(started.error());
  int code = 0;
  {
    LocalCluster cluster(io, std::move(options), *folder, database);
    run_to_end(io, run_cluster(cluster, code), "det-operator local");
    cluster.join();
  }
  database.stop();
  return code;
}

}  // namespace det::main
