// How long logs are kept: det experiment set log-retention, det trial set log-retention, det task release-logs.

#include "cli/login.h"
#include "cli/program.h"

namespace det::cli {
namespace {

constexpr std::int64_t kForEver = -1;
constexpr std::int64_t kMostDays = 32767;

struct RetentionOptions {
  std::string kind;  // experiment or trial
  std::int64_t id = 0;
  std::optional<std::int64_t> days;
  bool for_ever = false;
};

struct NoOptions {};

Task<Result<int>> set_retention(Invocation in, RetentionOptions options) {
  if (!options.days && !options.for_ever) {
    co_return fail(ErrorCode::kInvalidArgument,
                   "say how long: --days with the number of days after the end of the task, or --forever");
  }
  auto session = co_await open_session(in);
  DET_CO_TRY(session);
  const Json body = {{options.kind + "Id", options.id}, {"numDays", options.for_ever ? kForEver : *options.days}};
  const std::string path = "/api/v1/" + options.kind + "s/" + std::to_string(options.id) + "/retain_logs";
  const auto done = co_await session->client.send("PUT", path, body);
  DET_CO_TRY(done);
  co_return kDone;
}

Task<Result<int>> release_logs(Invocation in, NoOptions) {
  auto session = co_await open_session(in);
  DET_CO_TRY(session);
  const auto answer = co_await session->client.send("POST", "/api/v1/held-logs/release", Json::object());
  DET_CO_TRY(answer);
  const Json bytes = field(*answer, "bytes");  // a 64-bit number travels as text
  in.world.out << "Logs of tasks that were started before log_retention_days took effect follow it now: "
               << integer_field(*answer, "tasks") << " logs, "
               << (bytes.is_string() ? bytes.get<std::string>() : bytes.dump()) << " bytes.\n";
  co_return kDone;
}

}  // namespace

void add_log_retention(Program& program, CLI::App* set, const std::string& kind) {
  CLI::App* leaf = program.add_leaf(*set, "log-retention", {}, "set how long the logs of the " + kind + " are kept");
  auto o = std::make_shared<RetentionOptions>();
  o->kind = kind;
  add_id(leaf, kind + "_id", o->id, kind + " ID to modify");
  auto* days = leaf->add_option("--days", o->days, "number of days after the end of the task")
                   ->check(whole_number(kForEver, kMostDays));
  leaf->add_flag("--forever", o->for_ever, "keep the logs for ever")->excludes(days);
  program.runs(leaf, o, set_retention);
}

void add_held_logs(Program& program, CLI::App* task) {
  CLI::App* leaf = program.add_leaf(*task, "release-logs", {},
                                    "let log retention apply to tasks that were started before it took effect");
  program.runs(leaf, std::make_shared<NoOptions>(), release_logs);
}

}  // namespace det::cli
