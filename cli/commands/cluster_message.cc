// det master cluster-message.

#include "base/wall_time.h"
#include "cli/login.h"
#include "cli/program.h"
#include "cli/yaml_text.h"

namespace det::cli {
namespace {

constexpr const char* kPath = "/api/v1/master/cluster_message";

struct SetOptions {
  std::optional<std::string> start;
  std::optional<std::string> end;
  std::optional<std::string> duration;
  std::string message;
};

struct GetOptions {
  bool as_json = false;
  bool as_yaml = false;
};

struct ClearOptions {
  bool clear = false;  // the Python command line has the flag, and clears without it, too
};

Status check_time(const char* what, const std::optional<std::string>& text) {
  if (!text || parse_rfc3339(*text)) return {};
  return fail(ErrorCode::kInvalidArgument,
              std::string(what) + " time must be RFC-3339, i.e. of the form YYYY-MM-DDThh:mm:ssZ");
}

Task<Result<int>> set(Invocation in, SetOptions options) {
  DET_CO_TRY(check_time("Start", options.start));
  DET_CO_TRY(check_time("End", options.end));
  auto session = co_await open_session(in);
  DET_CO_TRY(session);
  Json body = {{"message", options.message},
               {"startTime", options.start.value_or(format_rfc3339_micros(in.world.clock.wall_now()))}};
  if (options.end) body["endTime"] = *options.end;
  if (options.duration) body["duration"] = *options.duration;
  DET_CO_TRY(co_await session->client.send("PUT", kPath, body));
  co_return kDone;
}

Task<Result<int>> get(Invocation in, GetOptions options) {
  auto session = co_await open_session(in);
  DET_CO_TRY(session);
  const auto answer = co_await session->client.get(kPath);
  DET_CO_TRY(answer);
  const Json shown = {{"clusterMessage", field(*answer, "clusterMessage")}};
  in.world.out << (options.as_json ? pretty_json(shown) : yaml_text(shown)) << "\n";
  co_return kDone;
}

Task<Result<int>> clear(Invocation in, ClearOptions) {
  auto session = co_await open_session(in);
  DET_CO_TRY(session);
  DET_CO_TRY(co_await session->client.send("DELETE", kPath));
  co_return kDone;
}

}  // namespace

void add_cluster_message_commands(Program& program, CLI::App* master) {
  CLI::App* group = program.add_group(*master, "cluster-message", {}, "set or clear cluster-wide message");

  CLI::App* leaf = program.add_leaf(*group, "set", {}, "create or edit the displayed cluster-wide message");
  auto s = std::make_shared<SetOptions>();
  leaf->add_option("-s,--start", s->start, "when it begins to be shown, as 2026-10-26T23:17:12Z; default is now");
  CLI::Option* end = leaf->add_option("-e,--end", s->end, "when it ends to be shown; default is never");
  leaf->add_option("-d,--duration", s->duration, "how long it is shown, such as 24h; not with --end")->excludes(end);
  leaf->add_option("-m,--message", s->message, "text of the message to display to users")->required();
  program.runs(leaf, s, set);

  leaf = program.add_leaf(*group, "clear", {}, "clear cluster-wide message");
  auto c = std::make_shared<ClearOptions>();
  leaf->add_flag("-c,--clear", c->clear, "clear all cluster-wide messages");
  program.runs(leaf, c, clear);

  leaf = program.add_leaf(*group, "get", {}, "get cluster-wide message");
  auto g = std::make_shared<GetOptions>();
  CLI::Option* json = leaf->add_flag("--json", g->as_json, "print as JSON");
  leaf->add_flag("--yaml", g->as_yaml, "print as YAML (default)")->excludes(json);
  program.runs(leaf, g, get);
}

}  // namespace det::cli
