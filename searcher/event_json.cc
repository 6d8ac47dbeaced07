#include "searcher/event_json.h"

#include <array>
#include <string>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/json_reader.h"

namespace det::searcher {
namespace {

using nlohmann::json;

constexpr std::array<std::pair<std::string_view, ExitReason>, 5> kReasons = {
    {{"ERRORED", ExitReason::kErrored},
     {"USER_REQUESTED_STOP", ExitReason::kUserRequestedStop},
     {"USER_CANCELED", ExitReason::kUserCanceled},
     {"INVALID_HP", ExitReason::kInvalidHp},
     {"INIT_INVALID_HP", ExitReason::kInitInvalidHp}}};

json event_json(const Started& event) {
  json value = {{"in", "initial"}};
  if (event.limit > 0) value["limit"] = event.limit;
  if (event.is_counted) value["counted"] = true;
  if (event.is_counted_for_promotion) value["counted_for_promotion"] = true;
  return value;
}
json event_json(const Released& event) {
  return {{"in", "released"}, {"limit", event.limit}};
}
json event_json(const TrialCreated& event) {
  return {{"in", "created"}, {"id", event.request_id}};
}
json event_json(const Validated& event) {
  return {{"in", "validation"}, {"id", event.request_id}, {"metrics", event.metrics}};
}
json event_json(const OperationCompleted& event) {
  json value = {{"in", "validation"}, {"id", event.request_id}, {"length", event.length}, {"metric", event.metric}};
  if (!event.answer.is_null()) value["answer"] = event.answer;
  return value;
}
json event_json(const ExitedEarly& event) {
  return {{"in", "exited_early"}, {"id", event.request_id}, {"reason", to_string(event.reason)}};
}
json event_json(const Exited& event) {
  return {{"in", "exited"}, {"id", event.request_id}};
}
json event_json(const Progressed& event) {
  return {{"in", "progress"}, {"id", event.request_id}, {"value", event.fraction}};
}

json event_json(const Commanded& event) {
  json wishes = json::array();
  for (const Decision& wish : event.wishes) {
    wishes.push_back(to_json(wish));
    wishes.back().erase("why");
  }
  json value = {{"in", "commands"}, {"number", event.number}, {"wishes", std::move(wishes)}};
  if (event.progress) value["progress"] = *event.progress;
  return value;
}

json event_json(const Widened& event) {
  return {{"in", "widened"}, {"from", event.from}, {"to", event.to}};
}

json action_json(const Create& create) {
  return {{"t", "create"}, {"id", create.request_id}, {"seed", create.trial_seed}, {"hp", create.hparams.json()}};
}
json action_json(const Stop& stop) {
  return {{"t", "stop"}, {"id", stop.request_id}};
}
json action_json(const ValidateAfter& operation) {
  return {{"t", "validate_after"}, {"id", operation.request_id}, {"length", operation.length}};
}
json action_json(const Close& close) {
  return {{"t", "close"}, {"id", close.request_id}};
}
json action_json(const Tell& tell) {
  return {{"t", "tell"}, {"number", tell.number}, {"event", tell.event}};
}
json action_json(const Shutdown& shutdown) {
  return {{"t", "shutdown"}, {"cancel", shutdown.is_canceled}, {"failure", shutdown.is_failed}};
}

json object_of(JsonReader& reader, std::string_view key) {
  const json* value = reader.any(key);
  return value != nullptr && value->is_object() ? *value : json::object();
}

// Nil, and reported, when it is none: no trial has that name.
RequestId id_of(JsonReader& reader) {
  reader.require("id");
  const auto text = reader.string("id");
  const auto id = text ? read_request_id(*text) : Result<RequestId>();
  if (!id) reader.report("id", id.error().message);
  return id.value_or(RequestId());
}

std::optional<Event> read_commands(JsonReader& reader) {
  reader.require("number");
  Commanded event{.number = reader.integer("number").value_or(0), .wishes = {}, .progress = reader.number("progress")};
  const json* const wishes = reader.any("wishes");
  if (wishes == nullptr || !wishes->is_array()) return std::nullopt;
  for (const json& wish : *wishes) {
    auto decision = decision_from_json(wish);
    if (!decision) return std::nullopt;
    event.wishes.push_back(*std::move(decision));
  }
  return event;
}

std::optional<Event> read_event(JsonReader& reader, const std::string& kind) {
  if (kind == "initial") {
    return Started{.limit = reader.integer("limit").value_or(0),
                   .is_counted = reader.boolean("counted").value_or(false),
                   .is_counted_for_promotion = reader.boolean("counted_for_promotion").value_or(false)};
  }
  if (kind == "released") {
    reader.require("limit");
    return Released{.limit = reader.integer("limit").value_or(0)};
  }
  if (kind == "commands") return read_commands(reader);
  if (kind == "widened") {
    reader.require("from");
    reader.require("to");
    return Widened{.from = reader.integer("from").value_or(0), .to = reader.integer("to").value_or(0)};
  }
  const RequestId id = id_of(reader);
  if (kind == "created") return TrialCreated{id};
  if (kind == "validation") {
    const auto length = reader.integer("length");
    if (!length) return Validated{id, object_of(reader, "metrics")};
    reader.require("metric");
    const json* const answer = reader.any("answer");
    return OperationCompleted{id, *length, reader.number("metric").value_or(0), answer == nullptr ? json() : *answer};
  }
  if (kind == "exited" || kind == "closed") return Exited{id};
  if (kind == "progress") return Progressed{id, reader.number("value").value_or(0)};
  if (kind != "exited_early") return std::nullopt;
  const auto reason = reader.choice<ExitReason>("reason", kReasons);
  if (!reason) return std::nullopt;
  return ExitedEarly{id, *reason};
}

std::optional<Decision> read_decision(JsonReader& reader, const std::string& kind) {
  std::string why = reader.string("why").value_or("");
  if (kind == "shutdown") {
    return Decision{Shutdown{.is_canceled = reader.boolean("cancel").value_or(false),
                             .is_failed = reader.boolean("failure").value_or(false)},
                    std::move(why)};
  }
  if (kind == "tell") {
    reader.require("number");
    return Decision{Tell{.number = reader.integer("number").value_or(0), .event = object_of(reader, "event")},
                    std::move(why)};
  }
  const RequestId id = id_of(reader);
  if (kind == "stop") return Decision{Stop{id}, std::move(why)};
  if (kind == "close") return Decision{Close{id}, std::move(why)};
  if (kind == "validate_after") {
    reader.require("length");
    return Decision{ValidateAfter{id, reader.integer("length").value_or(0)}, std::move(why)};
  }
  if (kind != "create") return std::nullopt;
  const auto seed = reader.integer("seed", {.min = 0, .max = 0xffffffff}).value_or(0);
  return Decision{Create{id, static_cast<std::uint32_t>(seed), object_of(reader, "hp")}, std::move(why)};
}

std::unexpected<Error> not_read(const char* what, const json& value, const FieldErrors& errors) {
  std::string message = std::string("not ") + what + " of a search: " + value.dump();
  if (!errors.empty()) message += ": " + errors.front().field + ": " + errors.front().message;
  return fail(ErrorCode::kDataLoss, std::move(message));
}

}  // namespace

json to_json(const Event& event) {
  return std::visit([](const auto& each) { return event_json(each); }, event);
}

Result<Event> event_from_json(const json& value) {
  FieldErrors errors;
  JsonReader reader(value, errors);
  auto event = read_event(reader, reader.string("in").value_or(""));
  if (!event || !errors.empty()) return not_read("an event", value, errors);
  return *std::move(event);
}

json to_json(const Decision& decision) {
  json value = std::visit([](const auto& action) { return action_json(action); }, decision.action);
  value["why"] = decision.reason.text();
  return value;
}

json to_json(const Decisions& decisions) {
  json list = json::array();
  for (const Decision& decision : decisions) list.push_back(to_json(decision));
  return list;
}

Result<Decision> decision_from_json(const json& value) {
  FieldErrors errors;
  JsonReader reader(value, errors);
  auto decision = read_decision(reader, reader.string("t").value_or(""));
  if (!decision || !errors.empty()) return not_read("a decision", value, errors);
  return *std::move(decision);
}

std::string_view to_string(ExitReason reason) {
  for (const auto& [word, known] : kReasons) {
    if (known == reason) return word;
  }
  return "ERRORED";
}

std::optional<ExitReason> parse_exit_reason(std::string_view word) {
  for (const auto& [known, reason] : kReasons) {
    if (known == word) return reason;
  }
  return std::nullopt;
}

}  // namespace det::searcher
