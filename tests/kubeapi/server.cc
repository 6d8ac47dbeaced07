// A program around the embedded Kubernetes API, for tests/kubeapi/*_test.py:
//   kube_api_server --database-url URL --kubeconfig FILE [--port N] [DEFINITION.yaml]...
// Writes the kubeconfig when it serves, ends by TERM or INT.

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>

#include "base/async.h"
#include "base/encoding.h"
#include "base/log.h"
#include "local/kubeapi/embedded_api.h"
#include "local/kubeapi/kubeconfig_file.h"

namespace {

using det::Status;
using det::Task;
using det::local::EmbeddedApi;

struct Arguments {
  det::local::EmbeddedApiOptions options;
  std::string kubeconfig;
};

std::string read_file(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

Arguments read_arguments(int argc, char** argv) {
  Arguments out;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const std::string value = i + 1 < argc ? argv[i + 1] : "";
    if (word == "--database-url") {
      out.options.database_url = value;
    } else if (word == "--kubeconfig") {
      out.kubeconfig = value;
    } else if (word == "--node-log-token") {
      out.options.node_log_token = value;
    } else if (word == "--port") {
      out.options.port = static_cast<std::uint16_t>(std::atoi(value.c_str()));
    } else {
      out.options.definitions.push_back(read_file(word));
      continue;
    }
    ++i;
  }
  return out;
}

Task<void> serve(Arguments arguments, det::Clock& clock, int& code) {
  const auto executor = co_await det::asio::this_coro::executor;
  det::asio::signal_set signals(executor, SIGINT, SIGTERM);
  arguments.options.token = det::random_token(24);
  arguments.options.certificate_folder = arguments.kubeconfig + ".tls";
  EmbeddedApi api(executor, clock, arguments.options);
  Status started = co_await api.start();
  if (started) {
    started = det::local::write_kubeconfig(arguments.kubeconfig, api.kubeconfig());
    if (started) co_await signals.async_wait(det::asio::use_awaitable);
    co_await api.stop();
  }
  if (!started) std::cerr << started.error().message << "\n";
  code = started ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  Arguments arguments = read_arguments(argc, argv);
  if (arguments.options.database_url.empty() || arguments.kubeconfig.empty()) {
    std::cerr << "usage: kube_api_server --database-url URL --kubeconfig FILE [--port N] [DEFINITION.yaml]...\n";
    return 2;
  }
  det::configure_logging(det::LogLevel::kInfo);
  det::asio::io_context io;
  det::SystemClock clock;
  int code = 0;
  det::asio::co_spawn(io, serve(std::move(arguments), clock, code), det::asio::detached);
  io.run();
  return code;
}
