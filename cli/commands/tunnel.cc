// det tunnel: what ssh's ProxyCommand of `det shell open` runs.

#include <filesystem>

#include "cli/login.h"
#include "cli/program.h"
#include "cli/websocket_tunnel.h"

namespace det::cli {
namespace {

struct TunnelOptions {
  std::string service;
  std::string cert_file;
  std::string cert_name;
  std::uint16_t port = 0;
};

// The options win over the variables of the same meaning.
void use_certificate(World& world, const TunnelOptions& options) {
  const auto set = [&world](const std::string& name, const std::string& value) {
    if (value.empty()) return;
    world.variable = [before = world.variable, name, value](const std::string& asked) {
      return asked == name ? std::optional(value) : before(asked);
    };
  };
  set("DET_MASTER_CERT_FILE", options.cert_file);
  set("DET_MASTER_CERT_NAME", options.cert_name);
}

Task<Result<int>> tunnel(Invocation in, TunnelOptions options) {
  World& world = in.world;
  use_certificate(world, options);
  // Standard input and output are the connection: nobody can be asked anything there.
  if (options.port == 0) world.ask = [](const std::string&, bool) { return std::nullopt; };
  auto session = co_await open_session(in);
  if (!session && session.error().code == ErrorCode::kUnauthenticated) {
    Error error = session.error();
    error.message += "; log in with 'det user login' first";
    co_return std::unexpected(std::move(error));
  }
  DET_CO_TRY(session);
  const MasterClient& client = session->client;
  const TunnelTarget target{
      .master_url = client.master().url, .service = options.service, .token = client.token(), .tls = client.tls()};
  if (options.port != 0) {
    world.err << "Connections to localhost:" << options.port << " go to " << options.service << "; Ctrl-C ends it."
              << std::endl;
    const auto say = [&world](const Error& error) { world.err << error.message << std::endl; };
    DET_CO_TRY(co_await serve_tunnels(target, options.port, say));
    co_return kDone;
  }
  DET_CO_TRY(co_await run_tunnel(target, world.input, world.output));
  co_return kDone;
}

}  // namespace

void add_tunnel_command(Program& program) {
  CLI::App* leaf = program.add_leaf(program.root(), "tunnel", {}, "carry a TCP connection to a task");
  auto o = std::make_shared<TunnelOptions>();
  leaf->add_option("service_id", o->service, "task ID; with :PORT for a port of its proxy_ports")->required();
  leaf->add_option("--listener", o->port,
                   "listen on this port of localhost, instead of carrying standard input and output")
      ->check(whole_number(1, 65535));
  leaf->add_option("--cert-file", o->cert_file, "as DET_MASTER_CERT_FILE: a PEM file, or noverify");
  leaf->add_option("--cert-name", o->cert_name, "as DET_MASTER_CERT_NAME: whose certificate it is");
  program.runs(leaf, o, tunnel);
}

}  // namespace det::cli
