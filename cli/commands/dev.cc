// det dev: the API by hand.

#include <fstream>
#include <sstream>

#include "cli/login.h"
#include "cli/program.h"
#include "cli/ssh_session.h"

namespace det::cli {
namespace {

struct NoOptions {};

struct CurlOptions {
  bool is_shown = false;
  std::string path;
  std::vector<std::string> more;
};

// What curl reads and writes beside its arguments: the token is for no list of processes. Goes with the object.
struct CurlFiles {
  KeyFile header;
  KeyFile trust;
  KeyFile answer;
};

Task<Result<int>> print_token(Invocation in, NoOptions) {
  auto session = co_await open_session(in);
  DET_CO_TRY(session);
  in.world.out << session->client.token() << "\n";
  co_return kDone;
}

Result<CurlFiles> make_files(const World& world, const MasterClient& client) {
  const std::string temporary = world.variable_or("TMPDIR", "/tmp");
  auto header = KeyFile::make(temporary, "Authorization: Bearer " + client.token() + "\n");
  DET_TRY(header);
  auto trust = KeyFile::make(temporary, client.tls() == nullptr ? "" : client.tls()->ca_pem);
  DET_TRY(trust);
  auto answer = KeyFile::make(temporary, "");
  DET_TRY(answer);
  return CurlFiles{.header = std::move(*header), .trust = std::move(*trust), .answer = std::move(*answer)};
}

// A path of the master, never another host: the token goes along.
Status check_path(const std::string& path) {
  if (path.find("://") < path.find_first_of("?#") || path.starts_with("//")) {
    return fail(ErrorCode::kInvalidArgument,
                "path argument does not support absolute URLs. Set the host path through `det` command");
  }
  return {};
}

std::vector<std::string> trust_options(const MasterClient& client, const CurlFiles& files) {
  if (client.tls() == nullptr) return {};
  if (!client.tls()->verify) return {"--insecure"};
  if (client.tls()->ca_pem.empty()) return {};
  return {"--cacert", files.trust.path().string()};
}

// With a command in place of the token, for others to see and for a shell to run.
std::string shown_command(const MasterClient& client, const std::string& url, const std::vector<std::string>& more) {
  std::vector<std::string> rest = {"-s", "--globoff"};
  rest.insert(rest.end(), more.begin(), more.end());
  return "curl " + command_line({url}) + " -H \"Authorization: Bearer $(det -m " + client.master().url +
         " dev auth-token)\" " + command_line(rest);
}

void print_answer(World& world, const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  const Json answer = Json::parse(text.str(), nullptr, false);
  world.out << (answer.is_discarded() ? text.str() : pretty_json(answer));
  if (!text.str().empty()) world.out << "\n";
}

Task<Result<int>> curl(Invocation in, CurlOptions options) {
  DET_CO_TRY(check_path(options.path));
  auto session = co_await open_session(in);
  DET_CO_TRY(session);
  World& world = in.world;
  const MasterClient& client = session->client;
  const auto files = make_files(world, client);
  DET_CO_TRY(files);
  const auto first = options.path.find_first_not_of('/');
  const std::string url = client.master().url + "/" + (first == std::string::npos ? "" : options.path.substr(first));
  std::vector<std::string> argv = {"curl", url, "-H", "@" + files->header.path().string(), "-s", "--globoff"};
  for (const auto& part : {trust_options(client, *files), options.more})
    argv.insert(argv.end(), part.begin(), part.end());
  // On a terminal JSON comes in lines. A -o of the user's stands before ours and is the one that counts.
  if (world.out_is_terminal) argv.insert(argv.end(), {"-o", files->answer.path().string()});
  if (options.is_shown) world.out << shown_command(client, url, options.more) << std::endl;
  const auto code = co_await world.run_program(argv);
  if (!code && code.error().code == ErrorCode::kNotFound) {
    co_return fail(ErrorCode::kNotFound, "curl is not installed on this machine");
  }
  DET_CO_TRY(code);
  if (world.out_is_terminal) print_answer(world, files->answer.path());
  co_return *code;
}

}  // namespace

void add_dev_commands(Program& program) {
  CLI::App* group = program.add_group(program.root(), "dev", {}, "ask the API by hand");
  group->group("");  // as the Python command line hides it
  CLI::App* leaf = program.add_leaf(*group, "auth-token", {}, "print the active user's auth token");
  program.runs(leaf, std::make_shared<NoOptions>(), print_token);

  leaf = program.add_leaf(*group, "curl", {"c"}, "invoke curl");
  auto c = std::make_shared<CurlOptions>();
  leaf->add_flag("-x", c->is_shown, "display the curl command that will be run");
  leaf->add_option("path", c->path, "relative path to curl (e.g. /api/v1/experiments?x=z)")->required();
  leaf->add_option("curl_args", c->more, "curl arguments, behind the path");
  leaf->positionals_at_end();
  program.runs(leaf, c, curl);

  program.add_refused(
      *group, "bindings", {"b"}, "call API bindings",
      "bindings are functions of the Python client, which this program is not; 'det dev curl PATH' asks any "
      "route of the API, and 'det dev curl /api/v1/openapi.json' lists them");
}

}  // namespace det::cli
