#include "cli/log_query.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <optional>

#include "cli/text.h"

namespace det::cli {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kFirstPause{500};
constexpr milliseconds kMaxPause{8'000};
constexpr int kMaxTries = 10;
constexpr std::chrono::seconds kHeld{10};  // a connection that lasted so long was no failed try
constexpr std::array kLevels = {"UNSPECIFIED", "TRACE", "DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL"};

void add_all(Query& query, const char* name, const std::vector<std::string>& values) {
  for (const auto& value : values) query.emplace_back(name, value);
}

void say_end(World& world, const LogSource& source, bool as_json) {
  const std::string text = source.owner + " log stream ended. To reopen log stream, run: " + source.again;
  // Programs that read JSON from stdout would choke on it.
  std::ostream& out = as_json ? world.err : world.out;
  out << colored(text, Color::kGreen, as_json ? world.err_is_terminal : world.out_is_terminal) << "\n";
}

// Follows a log over lost connections. What was printed is known by its id: where the master does not know afterId, the
// log starts over with each of them.
Task<Status> follow_log(World& world, MasterClient client, std::string path, Query query,
                        std::function<void(const Json&)> print) {
  std::int64_t last = 0;
  milliseconds pause = kFirstPause;
  int tries = 0;
  bool is_told = false;
  std::optional<SteadyTime> answered;  // and silent since
  const auto is_back = [&] {
    tries = 0;
    pause = kFirstPause;
  };
  const auto take = [&](const Json& line) {
    answered.reset();
    const std::int64_t id = std::strtoll(text_field(line, "id").c_str(), nullptr, 10);
    if (id != 0 && id <= last) return;
    last = std::max(last, id);
    is_back();
    is_told = false;
    print(line);
  };
  while (true) {
    Query rest = query;
    if (last > 0) rest.emplace_back("afterId", std::to_string(last));
    answered.reset();
    const Status done =
        co_await client.follow(path, std::move(rest), take, [&] { answered = world.clock.steady_now(); });
    if (done) co_return done;
    // What stands before the master (an Ingress) cuts a connection on which nothing comes, again and again.
    const bool was_quiet = answered && world.clock.steady_now() - *answered >= kHeld;
    if (was_quiet) is_back();
    const bool is_away =
        done.error().code == ErrorCode::kUnavailable || done.error().code == ErrorCode::kDeadlineExceeded;
    if (!is_away || ++tries > kMaxTries) co_return done;
    if (!is_told && !was_quiet) {
      world.err << "Lost the log stream, trying again: " << done.error().message << std::endl;
      is_told = true;
    }
    co_await world.clock.sleep_for(pause);
    pause = std::min(pause * 2, kMaxPause);
  }
}

}  // namespace

void add_log_options(CLI::App* leaf, LogOptions& options) {
  auto* follow = leaf->add_flag("-f,--follow", options.follow, "follow the logs while it runs, similar to tail -f");
  auto* head = leaf->add_option("--head", options.head, "number of lines to show, from the beginning (default is all)");
  auto* tail = leaf->add_option("--tail", options.tail, "number of lines to show, from the end (default is all)");
  head->check(whole_number(0))->excludes(tail)->excludes(follow);
  tail->check(whole_number(0))->excludes(follow);
  const std::string again = " (repeat for multiple values)";
  add_repeated(leaf, "--agent-id", options.agents, "agents to show logs from" + again);
  add_repeated(leaf, "--container-id", options.containers, "containers to show logs from" + again);
  add_repeated(leaf, "--rank-id", options.ranks, "ranks to show logs from" + again)->check(whole_number(-1));
  leaf->add_option("--timestamp-before", options.before, "show logs only from before, e.g. 2021-10-26T23:17:12Z");
  leaf->add_option("--timestamp-after", options.after, "show logs only from after, e.g. 2021-10-26T23:17:12Z");
  leaf->add_option("--level", options.level, "show logs with this level or higher")
      ->check(CLI::IsMember(std::vector<std::string>(kLevels.begin(), kLevels.end())));
  add_repeated(leaf, "--source", options.sources, "sources to show logs from" + again);
  add_repeated(leaf, "--stdtype", options.stdtypes, "output stream to show logs from" + again);
  leaf->add_flag("--json", options.as_json, "Output in JSON format");
}

void add_task_log_options(CLI::App* leaf, LogOptions& options) {
  add_log_options(leaf, options);
  add_repeated(leaf, "--allocation-id", options.allocations,
               "allocations to show logs from (repeat for multiple values)");
}

LogSource trial_log(std::int64_t trial) {
  const std::string id = std::to_string(trial);
  return {.path = "/api/v1/trials/" + id + "/logs", .owner = "Trial", .again = "det trial logs -f " + id};
}

LogSource task_log(const std::string& task) {
  return {
      .path = "/api/v1/tasks/" + path_segment(task) + "/logs", .owner = "Task", .again = "det task logs -f " + task};
}

Query log_query(const LogOptions& options) {
  Query query = {{"follow", options.follow ? "true" : "false"}};
  if (options.head) query.emplace_back("limit", std::to_string(*options.head));
  if (options.tail) {
    query.emplace_back("limit", std::to_string(*options.tail));
    query.emplace_back("orderBy", "ORDER_BY_DESC");
  }
  add_all(query, "allocationIds", options.allocations);
  add_all(query, "agentIds", options.agents);
  add_all(query, "containerIds", options.containers);
  add_all(query, "rankIds", options.ranks);
  add_all(query, "sources", options.sources);
  add_all(query, "stdtypes", options.stdtypes);
  if (!options.before.empty()) query.emplace_back("timestampBefore", options.before);
  if (!options.after.empty()) query.emplace_back("timestampAfter", options.after);
  const auto first = std::ranges::find(kLevels, options.level);
  for (auto level = first; level != kLevels.end(); ++level)
    query.emplace_back("levels", std::string("LOG_LEVEL_") + *level);
  return query;
}

Task<Status> print_log(World& world, MasterClient client, LogSource source, LogOptions options) {
  if (options.head == 0 || options.tail == 0) {  // to the server 0 means all
    say_end(world, source, options.as_json);
    co_return Status();
  }
  std::vector<Json> held;  // the end of a log comes backwards
  const auto print = [&world, &options](const Json& line) {
    world.out << (options.as_json ? pretty_json(line) + "\n" : text_field(line, "message"));
  };
  const auto take = [&](const Json& line) {
    if (options.tail) {
      held.push_back(line);
    } else {
      print(line);
    }
  };
  Status done;
  if (options.follow) {
    done = co_await follow_log(world, client, source.path, log_query(options), print);
  } else {
    done = co_await client.follow(source.path, log_query(options), take);
  }
  std::ranges::reverse(held);
  for (const Json& line : held) print(line);
  if (done || done.error().code != ErrorCode::kNotFound) say_end(world, source, options.as_json);
  co_return done;
}

}  // namespace det::cli
