#include "main/operator/node_agent_command.h"
#include "main/operator/host_address.h"

#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <CLI/CLI.hpp>

#include "base/curl_transport.h"
#include "base/log.h"
#include "k8sclient/config.h"
#include "local/agent/node_agent.h"
#include "local/agent/shim.h"
#include "main/operator/image_folders.h"
#include "main/operator/log_level_option.h"

namespace {

using det::Result;
using det::Status;
using det::Task;
namespace asio = det::asio;

struct Arguments {
  std::string kubeconfig;
  det::LogLevel log_level = det::LogLevel::kInfo;
  std::vector<std::string> images;
  std::vector<std::string> labels;
  std::string default_image;
  std::string log_token_file;
  det::local::NodeAgentOptions agent;
};

void declare(CLI::App& app, Arguments& arguments) {
  auto& agent = arguments.agent;
  agent.node = det::main::host_name("");
  agent.state_folder = "/var/lib/det-operator/node-agent";
  app.add_option("--kubeconfig", arguments.kubeconfig, "kubeconfig of the API server to join")->required();
  app.add_option("--node", agent.node, "name of the Node")->capture_default_str();
  app.add_option("--state-dir", agent.state_folder, "folder for pods, volumes and logs; one per agent")
      ->capture_default_str();
  app.add_option("--image", arguments.images, "REF=DIR: the folder (such as a Python environment) behind an image");
  auto* fallback = app.add_option("--default-image", arguments.default_image,
                                  "the folder behind every other image; '/' for the host's programs alone");
  app.add_option("--label", arguments.labels, "KEY=VALUE label of the Node");
  app.add_option("--slots", agent.slots, "CPU slots offered: pods of one CPU each that fit at least")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  app.add_flag("--no-gpu{false}", agent.uses_gpus, "do not offer the machine's NVIDIA GPUs");
  app.add_option("--mask", agent.masks, "path that no pod may see or mount");
  app.add_option("--address", agent.address, "address of the Node and its pods")->capture_default_str();
  app.add_option("--log-port", agent.log_port, "port of the log server; 0: a free one")->capture_default_str();
  app.add_option(
      "--client-ca", agent.client_ca_file,
      "only clients with a certificate of this CA may read logs (the cluster's CA); needed where --address is "
      "not a loopback address");
  app.add_option(
      "--log-token-file", arguments.log_token_file,
      "token that an API server without a client certificate sends to read logs; without it and --client-ca, "
      "one is made: log-token in --state-dir");
  app.add_option("--bwrap", agent.bwrap, "the bubblewrap program")->capture_default_str();
  det::main::add_log_level_option(app, arguments.log_level);
  app.callback([&arguments, fallback] { arguments.agent.has_default_image = fallback->count() > 0; });
}

Result<std::pair<std::string, std::string>> split_pair(const std::string& text, const char* option, const char* form) {
  const auto equals = text.find('=');
  if (equals == std::string::npos || equals == 0) {
    return det::fail(det::ErrorCode::kInvalidArgument, std::string(option) + " " + text + ": use " + form);
  }
  return std::pair(text.substr(0, equals), text.substr(equals + 1));
}

Status complete(Arguments& arguments) {
  auto& agent = arguments.agent;
  auto images = det::main::image_folders(arguments.images);
  DET_TRY(images);
  agent.images = std::move(*images);
  for (const std::string& text : arguments.labels) {
    auto pair = split_pair(text, "--label", "KEY=VALUE");
    DET_TRY(pair);
    agent.labels.insert(*pair);
  }
  if (agent.has_default_image) {
    auto folder = det::main::image_folder(arguments.default_image, "--default-image");
    DET_TRY(folder);
    agent.default_image = *folder;
  }
  if (!arguments.log_token_file.empty()) {
    std::ifstream file(arguments.log_token_file);
    if (!(file >> agent.log_token)) {
      return det::fail(det::ErrorCode::kInvalidArgument,
                       "--log-token-file: " + arguments.log_token_file + " holds no token");
    }
    agent.masks.push_back(arguments.log_token_file);
  }
  std::error_code error;
  agent.state_folder = std::filesystem::absolute(agent.state_folder, error).string();
  // Whoever reads the kubeconfig, or the keys beside it, is the node.
  agent.masks.push_back(arguments.kubeconfig);
  return {};
}

Task<int> serve(asio::io_context& io, asio::thread_pool& pool, det::Clock& clock, det::k8s::Client& client,
                det::local::NodeAgentOptions options) {
  asio::signal_set signals(io, SIGTERM, SIGINT);
  det::local::NodeAgent agent(io.get_executor(), pool, clock, client, std::move(options));
  const Status started = co_await agent.start();
  if (!started) {
    std::fprintf(stderr, "error: %s\n", started.error().message.c_str());
    co_return 1;
  }
  boost::system::error_code ignored;
  co_await signals.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
  co_await agent.shut_down();
  co_return 0;
}

// The exit code.
int told(const std::exception_ptr& thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (const std::exception& what) {
    std::fprintf(stderr, "error: %s\n", what.what());
  }
  return 1;
}

int run(Arguments arguments) {
  asio::io_context io(1);
  asio::thread_pool pool(2);
  det::SystemClock clock;
  auto config = det::k8s::Config::from_kubeconfig(arguments.kubeconfig, "", clock);
  if (!config) {
    std::fprintf(stderr, "error: --kubeconfig %s: %s\n", arguments.kubeconfig.c_str(), config.error().message.c_str());
    return 1;
  }
  int status = 1;
  {
    det::CurlTransport calls(io.get_executor());
    det::CurlTransport watches(io.get_executor());
    det::k8s::Client client(calls, watches, *config, clock, "node-agent");
    asio::co_spawn(io, serve(io, pool, clock, client, std::move(arguments.agent)),
                   [&](const std::exception_ptr& thrown, int value) {
                     status = thrown ? told(thrown) : value;
                     io.stop();
                   });
    io.run();
  }
  pool.join();
  return status;
}

}  // namespace

int run_node_agent_command(int argc, char** argv) {
  if (argc > 1 && std::string_view(argv[1]) == "node-agent-shim") return det::local::shim_main();
  CLI::App app("Runs the pods of one Node as sandboxed processes of this machine", "det-operator node-agent");
  Arguments arguments;
  declare(app, arguments);
  try {
    app.parse(argc - 1, argv + 1);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? 0 : 2;
  }
  if (Status good = complete(arguments); !good) {
    std::fprintf(stderr, "error: %s\n", good.error().message.c_str());
    return 2;
  }
  det::configure_logging(arguments.log_level);
  return run(std::move(arguments));
}
