#include "main/operator/serve.h"

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

Task<void> until_signalled() {
  asio::signal_set signals(co_await asio::this_coro::executor, SIGINT, SIGTERM);
  co_await signals.async_wait(asio::use_awaitable);
}

Task<void> serve_until_signalled(ControlPlane& plane) {
  const Logger log("main");
  auto work = plane.run();
  auto signal = until_signalled();
  co_await first_of(std::move(work), std::move(signal));
  log.info("stopping");
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

  asio::io_context io(1);
  ControlPlane plane(io.get_executor(), std::move(options));
  if (Status started = plane.start(); !started) {
    std::cerr << "det-operator: " << started.error().message << "\n";
    return 1;
  }
  run_to_end(io, serve_until_signalled(plane), "the control plane");
  return 0;
}

}  // namespace det::main
