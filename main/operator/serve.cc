#include "main/operator/serve.h"

#include <chrono>
#include <csignal>
#include <iostream>

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>

#include "base/async.h"
#include "base/race.h"
#include "base/run_to_end.h"
#include "main/operator/control_plane.h"
#include "main/version.h"

namespace det::main {
namespace {

// In a cluster a pod that ends stays behind the Service until kube-proxy and Ingresses have heard of it. This, the
// drain of open requests (http::ServerOptions::drain_timeout) and the release of the Lease fit into the chart's
// terminationGracePeriodSeconds of 30 s.
constexpr std::chrono::seconds kLinger{5};

// A second signal ends the process as usual.
Task<void> until_signalled() {
  asio::signal_set signals(co_await asio::this_coro::executor, SIGINT, SIGTERM);
  co_await signals.async_wait(asio::use_awaitable);
}

// Until a signal came, the Lease is free, and new requests go elsewhere.
Task<void> until_left(ControlPlane& plane, std::chrono::milliseconds linger) {
  co_await until_signalled();
  Logger("main").info("stopping");
  co_await plane.leave(linger);
}

Task<void> serve_until_signalled(ControlPlane& plane, std::chrono::milliseconds linger) {
  auto work = plane.run();
  auto left = until_left(plane, linger);
  co_await first_of(std::move(work), std::move(left));
  co_await plane.stop();
}

}  // namespace

int serve(int argc, char** argv) {
  auto parsed = parse_serve_options(argc, argv);
  if (const int* code = std::get_if<int>(&parsed)) return *code;
  ServeOptions options = std::move(std::get<ServeOptions>(parsed));
  configure_logging(options.log_level);
  const Logger log("main");
  log.info("starting", {{"version", kVersion}});
  for (const auto& warning : options.warnings) log.warn("master.yaml", {{"note", warning}});

  const std::chrono::milliseconds linger = options.kubeconfig.empty() ? kLinger : std::chrono::seconds(0);
  asio::io_context io(1);
  ControlPlane plane(io.get_executor(), std::move(options));
  if (Status started = plane.start(); !started) {
    std::cerr << "det-operator: " << started.error().message << "\n";
    return 1;
  }
  run_to_end(io, serve_until_signalled(plane, linger), "the control plane");
  return 0;
}

}  // namespace det::main
