#include "api/searches/runner_wire.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>

#include "accept/objections.h"
#include "base/json_depth.h"
#include "searcher/request_id.h"
#include "wire/request_fields.h"

namespace det::api {

namespace {

using wire::Json;

constexpr int kDeepest = 100;  // as deep as a request's own body may be
// Trials that one answer creates: a row, an object and a place in memory for each, in one step of the search.
constexpr int kMostCreates = 2'000;
constexpr std::size_t kLongestHparams = accept::longest_value_of("DET_HPARAMS");

// The package of 0.37 knows no other reasons and raises an error at EXITED_REASON_USER_CANCELED.
std::string exit_word(const std::string& reason) {
  if (reason == "INVALID_HP" || reason == "INIT_INVALID_HP") return "EXITED_REASON_INVALID_HP";
  if (reason == "USER_CANCELED" || reason == "USER_REQUESTED_STOP") return "EXITED_REASON_USER_REQUESTED_STOP";
  return "EXITED_REASON_UNSPECIFIED";  // it failed
}

std::unexpected<Error> wrong(const std::string& field, const std::string& what) {
  return fail(ErrorCode::kInvalidArgument, field + ": " + what, field);
}

Result<searcher::RequestId> request_id_of(const wire::RequestFields& fields, const std::string& path) {
  const Json* const value = fields.any("requestId");
  const auto id = value != nullptr && value->is_string()
                      ? searcher::parse_request_id(value->get_ref<const std::string&>())
                      : std::nullopt;
  if (!id) {
    return wrong(path + ".requestId", (value == nullptr ? "missing" : value->dump()) + std::string(" is no UUID"));
  }
  return *id;
}

// The SDK sends them as JSON text, which the look at the body's own depth does not see.
Result<Json> hparams_of(const wire::RequestFields& fields, const std::string& path) {
  const Json* const value = fields.any("hyperparams");
  Json hparams = value == nullptr ? Json::object() : *value;
  if (hparams.is_string()) {
    const std::string text = hparams.get<std::string>();
    if (is_nested_deeper(text, kDeepest)) {
      return wrong(path + ".hyperparams",
                   "nests objects and lists more than " + std::to_string(kDeepest) + " deep: flatten them");
    }
    hparams = Json::parse(text, nullptr, false);
  }
  if (!hparams.is_object()) return wrong(path + ".hyperparams", "expected the JSON text of an object");
  if (const std::size_t size = hparams.dump().size(); size > kLongestHparams) {
    return wrong(path + ".hyperparams", "has " + std::to_string(size) + " bytes; up to " +
                                            std::to_string(kLongestHparams) +
                                            " work, because programs get them in a variable");
  }
  return hparams;
}

Status read_create(wire::RequestFields fields, const std::string& path, searcher::Commanded& into) {
  const auto id = request_id_of(fields, path);
  DET_TRY(id);
  auto hparams = hparams_of(fields, path);
  DET_TRY(hparams);
  into.wishes.push_back({.action = searcher::Create{.request_id = *id, .hparams = *std::move(hparams)}, .reason = {}});
  return {};
}

Status read_work(wire::RequestFields operation, const std::string& path, searcher::Commanded& into) {
  wire::RequestFields fields = operation.object("validateAfter");
  DET_TRY(operation.status());
  const auto id = request_id_of(fields, path + ".validateAfter");
  DET_TRY(id);
  const std::int64_t length = fields.integer("length").value_or(0);
  if (!fields.status()) return fields.status();
  if (length < 1) return wrong(path + ".validateAfter.length", "must be >= 1 but found " + std::to_string(length));
  into.wishes.push_back({.action = searcher::ValidateAfter{.request_id = *id, .length = length}, .reason = {}});
  return {};
}

Status read_close(wire::RequestFields fields, const std::string& path, searcher::Commanded& into) {
  const auto id = request_id_of(fields, path);
  DET_TRY(id);
  into.wishes.push_back({.action = searcher::Close{.request_id = *id}, .reason = {}});
  return {};
}

Status read_progress(wire::RequestFields fields, const std::string& path, searcher::Commanded& into) {
  const auto progress = fields.number("progress");
  if (!fields.status()) return fields.status();
  if (!progress || !std::isfinite(*progress)) return wrong(path + ".progress", "expected a number from 0 to 1");
  into.progress = *progress;
  return {};
}

Status read_shutdown(wire::RequestFields fields, const std::string& /*path*/, searcher::Commanded& into) {
  const searcher::Shutdown shutdown{.is_canceled = fields.boolean("cancel").value_or(false),
                                    .is_failed = fields.boolean("failure").value_or(false)};
  into.wishes.push_back({.action = shutdown, .reason = {}});
  return fields.status();
}

using Read = Status (*)(wire::RequestFields, const std::string&, searcher::Commanded&);
constexpr std::array<std::pair<const char*, Read>, 5> kOperations = {{{"createTrial", read_create},
                                                                      {"trialOperation", read_work},
                                                                      {"closeTrial", read_close},
                                                                      {"setSearcherProgress", read_progress},
                                                                      {"shutDown", read_shutdown}}};

Status read_operation(const Json& operation, const std::string& path, searcher::Commanded& into) {
  if (!operation.is_object()) return wrong(path, "expected an object");
  wire::RequestFields fields(operation, path + ".");
  for (const auto& [name, read] : kOperations) {
    if (fields.any(name) == nullptr) continue;
    wire::RequestFields inner = fields.object(name);
    if (!fields.status()) return fields.status();
    return read(std::move(inner), path + "." + name, into);
  }
  return wrong(path, "expected one of createTrial, trialOperation, closeTrial, setSearcherProgress and shutDown");
}

}  // namespace

Json to_wire(const store::RunnerEvent& event) {
  const Json& what = event.event;
  const std::string kind = what.value("in", "");
  Json of_trial = {{"requestId", what.value("id", "")}};
  Json out = {{"id", event.number}};
  if (kind == "initial") {
    // The message has this one field, by this name, and says nothing with it.
    out["initialOperations"] = {{"placeholder", 0}};
  } else if (kind == "created") {
    out["trialCreated"] = std::move(of_trial);
  } else if (kind == "exited") {
    out["trialClosed"] = std::move(of_trial);
  } else if (kind == "exited_early") {
    of_trial["exitedReason"] = exit_word(what.value("reason", ""));
    out["trialExitedEarly"] = std::move(of_trial);
  } else if (kind == "progress") {
    of_trial["partialUnits"] = what.value("value", 0.0);
    out["trialProgress"] = std::move(of_trial);
  } else if (kind == "validation") {
    of_trial["metric"] = what.contains("answer") ? what.at("answer") : what.value("metric", Json());
    of_trial["validateAfterLength"] = wire::int64(what.value("length", std::int64_t{0}));
    out["validationCompleted"] = std::move(of_trial);
  }
  return out;
}

Json inactive_event(std::string_view state) {
  return {{"id", -1}, {"experimentInactive", {{"experimentState", state}}}};
}

Result<searcher::Commanded> read_commands(const Json& body) {
  wire::RequestFields fields(body);
  fields.require("triggeredByEvent");
  wire::RequestFields event = fields.object("triggeredByEvent");
  event.require("id");
  searcher::Commanded commands;
  commands.number = event.integer("id").value_or(0);
  for (const Status& status : {fields.status(), event.status()}) {
    DET_TRY(status);
  }
  const Json* const operations = fields.any("searcherOperations");
  if (operations == nullptr) return commands;
  if (!operations->is_array()) return wrong("searcherOperations", "expected a list");
  const auto creates = std::ranges::count_if(
      *operations, [](const Json& each) { return each.is_object() && each.contains("createTrial"); });
  if (creates > kMostCreates) {
    return wrong("searcherOperations", "creates " + std::to_string(creates) +
                                           " trials, and one answer creates at most " + std::to_string(kMostCreates) +
                                           ": create the others in answer to later events, as trials end");
  }
  for (std::size_t i = 0; i < operations->size(); ++i) {
    DET_TRY(read_operation((*operations)[i], "searcherOperations[" + std::to_string(i) + "]", commands));
  }
  return commands;
}

}  // namespace det::api
