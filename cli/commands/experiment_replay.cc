// det experiment replay: every decision of a search, with its reason, derived again from its event log.

#include "cli/login.h"
#include "cli/program.h"

namespace det::cli {
namespace {

struct ReplayOptions {
  std::int64_t id = 0;
  bool as_json = false;
};

// By the number that people know, where the trial has one.
std::string trial_name(const Json& object) {
  const Json number = field(object, "trial");
  return "trial " + (number.is_null() ? text_field(object, "id") : number.dump());
}

std::string event_text(const Json& event) {
  const std::string kind = text_field(event, "in");
  if (kind == "initial") return "the search began";
  if (kind == "commands") return "its runner answered " + field(event, "number").dump();
  if (kind == "widened") {
    return "up to " + field(event, "to").dump() + " trials may run at once, instead of " + field(event, "from").dump();
  }
  const std::string trial = trial_name(event);
  if (kind == "created") return trial + " was made";
  if (kind == "exited" || kind == "closed") return trial + " ended";
  if (kind == "exited_early") return trial + " ended early: " + text_field(event, "reason");
  if (kind == "progress") return trial + " is at " + field(event, "value").dump();
  if (kind == "set_aside") return "set aside, " + trial + ": " + text_field(event, "why");
  if (kind == "validation" && event.contains("length")) {
    return trial + " trained to " + field(event, "length").dump() + ", result " + field(event, "metric").dump();
  }
  if (kind == "validation") return trial + " reported " + field(event, "metrics").dump();
  return kind + " " + trial;
}

std::string decision_text(const Json& decision) {
  const std::string kind = text_field(decision, "t");
  if (kind == "shutdown") {
    const bool is_failed = field(decision, "failure") == true;
    return is_failed                           ? "the search failed"
           : field(decision, "cancel") == true ? "the search was canceled"
                                               : "the search is over";
  }
  if (kind == "tell") return "tell its runner, as " + field(decision, "number").dump();
  const std::string trial = trial_name(decision);
  if (kind == "create") return "create " + trial + " with " + field(decision, "hp").dump();
  if (kind == "validate_after") return trial + " trains to " + field(decision, "length").dump();
  return kind + " " + trial;
}

void print_entry(std::ostream& out, const Json& entry) {
  out << field(entry, "seq").dump() << "  " << time_cell(field(entry, "time")).get<std::string>() << "  "
      << event_text(field(entry, "event")) << "\n";
  const Json decisions = field(entry, "decisions");
  for (const Json& decision : decisions) {
    out << "    -> " << decision_text(decision) << ": " << text_field(decision, "why") << "\n";
  }
}

std::string summary_text(const Json& summary) {
  std::string decisions;
  const Json counts = field(summary, "decisions");
  for (const auto& [kind, count] : counts.items()) {
    decisions += (decisions.empty() ? "" : ", ") + count.dump() + " " + kind;
  }
  std::string text = "experiment " + field(summary, "experiment").dump() + ": " + field(summary, "events").dump() +
                     " events replayed, decisions equal to the log (" + (decisions.empty() ? "none" : decisions) + ")";
  if (integer_field(summary, "setAside") > 0) text += ", " + field(summary, "setAside").dump() + " reports set aside";
  return text + (field(summary, "isOver") == true ? "; the search is over" : "; the search goes on");
}

Task<Result<int>> replay(Invocation in, ReplayOptions options) {
  auto session = co_await open_session(in);
  DET_CO_TRY(session);
  std::optional<std::string> difference;
  bool is_whole = false;
  const auto take = [&](const Json& item) {
    if (item.contains("difference")) difference = text_field(item, "difference");
    if (item.contains("summary")) is_whole = true;
    if (options.as_json) {
      in.world.out << item.dump() << "\n";
    } else if (item.contains("summary")) {
      in.world.out << summary_text(field(item, "summary")) << "\n";
    } else if (!item.contains("difference")) {
      print_entry(in.world.out, item);
    }
  };
  const Status done = co_await session->client.follow(
      "/api/v1/experiments/" + std::to_string(options.id) + "/searcher/replay", {}, take);
  DET_CO_TRY(done);
  if (difference)
    co_return fail(ErrorCode::kDataLoss,
                   "the log of experiment " + std::to_string(options.id) + " does not replay: " + *difference);
  if (!is_whole) co_return fail(ErrorCode::kUnavailable, "the server ended the stream before the end of the log");
  co_return kDone;
}

}  // namespace

void add_experiment_replay_command(Program& program, CLI::App* group) {
  CLI::App* leaf = program.add_leaf(*group, "replay", {}, "replay the search of an experiment");
  leaf->footer(
      "Derives every decision of the search again from its event log and prints each event with what was decided on it "
      "and "
      "why. A log that holds other decisions is an error that names the first event.");
  auto options = std::make_shared<ReplayOptions>();
  add_id(leaf, "experiment_id", options->id, "experiment ID");
  leaf->add_flag("--json", options->as_json, "one JSON object a line");
  program.runs(leaf, options, replay);
}

}  // namespace det::cli
