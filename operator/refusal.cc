#include "operator/refusal.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/few_names.h"
#include "base/json_get.h"
#include "base/quantity.h"
#include "base/split_text.h"
#include "operator/conditions.h"

namespace det::op {

using nlohmann::json;

namespace {

// "exceeded quota: NAME, requested: cpu=4,pods=1, used: ..., limited: cpu=8,pods=3"
// (apiserver/pkg/admission/plugin/resourcequota/controller.go): the amounts behind `label`.
std::map<std::string, std::int64_t> amounts(std::string_view message, std::string_view label) {
  std::map<std::string, std::int64_t> found;
  const auto at = message.find(label);
  if (at == std::string_view::npos) return found;
  message.remove_prefix(at + label.size());
  message = message.substr(0, message.find(", "));
  for (const std::string_view pair : split_text(message, ',')) {
    const auto equals = pair.find('=');
    if (equals == std::string_view::npos) continue;
    const auto amount = parse_milli(std::string(pair.substr(equals + 1)));
    if (amount) found.emplace(pair.substr(0, equals), *amount);
  }
  return found;
}

}  // namespace

void add_refusal(std::optional<Refusal>& known, std::optional<Refusal> further) {
  if (!further) return;
  if (known) {
    known->message += "\n" + further->reason + ": " + further->message;
  } else {
    known = std::move(further);
  }
}

json refused_status(const json& before, std::int64_t generation, const Refusal& objection, WallTime now) {
  const Truth accepted = objection.may_pass ? Truth::kUnknown : Truth::kFalse;
  const std::string message = bounded_message(objection.message);
  const std::vector<Condition> list = {
      {.type = "Accepted", .status = accepted, .reason = objection.reason, .message = message},
      {.type = "Reconciling",
       .status = objection.may_pass ? Truth::kTrue : Truth::kFalse,
       .reason = objection.reason,
       .message = ""},
      {.type = "Stalled",
       .status = objection.may_pass ? Truth::kFalse : Truth::kTrue,
       .reason = objection.reason,
       .message = message}};
  return {{"observedGeneration", generation},
          {"state", objection.may_pass ? "PENDING" : "REJECTED"},
          {"conditions", merge_conditions(get_any(before, "conditions"), list, generation, now)}};
}

std::chrono::seconds refused_pause(const json& status, WallTime now) {
  using std::chrono::seconds;
  constexpr seconds kSoonest{10};
  for (const json& condition : get_array(status, "conditions")) {
    if (get_string(condition, "type") != "Accepted") continue;
    const auto since = parse_rfc3339(get_string(condition, "lastTransitionTime"));
    // What waits for others is waited for; what is wrong needs its author.
    const seconds rarest = get_string(condition, "status") == "False" ? seconds(300) : seconds(60);
    if (!since) break;
    return std::clamp(std::chrono::duration_cast<seconds>(now - *since) / 4, kSoonest, rarest);
  }
  return kSoonest;
}

Refusal condition_of(const accept::Objection& objection) {
  Refusal told{.reason = std::string(to_string(objection.reason)), .message = "", .may_pass = objection.may_pass};
  switch (objection.part) {
    case accept::Part::kConfig:
      told.message = join_errors(objection.errors, "spec.config");
      break;
    case accept::Part::kContext:
      told.message = join_errors(objection.errors, "spec.context");
      break;
    case accept::Part::kTemplate:
      told.message = join_errors(objection.errors, "spec.template");
      break;
    case accept::Part::kWorkspace:
      told.message = join_errors(objection.errors, "spec.workspace");
      break;
    case accept::Part::kTensorBoard:
      told.message = join_errors(objection.errors, "spec.tensorBoard");
      break;
    case accept::Part::kPod:  // not about a field of the object's
      told.message = objection.errors.front().message;
      break;
  }
  if (!objection.remedy.empty()) told.message += "; " + objection.remedy;
  return told;
}

bool waits_for_quota(const accept::Objection& pod_refused) {
  const std::string& message = pod_refused.errors.front().message;
  if (!pod_refused.may_pass || !message.contains("exceeded quota: ")) return false;
  const auto limited = amounts(message, "limited: ");
  return std::ranges::none_of(amounts(message, "requested: "), [&](const auto& wanted) {
    const auto most = limited.find(wanted.first);
    return most != limited.end() && wanted.second > most->second;
  });
}

Refusal lost_submission() {
  return {.reason = "SubmissionLost",
          .message =
              "the REST server made this object for a submission that failed, or whose row in the database is gone: "
              "delete it and submit again; a copy without the annotation det-operator.dev/nonce is taken as a new one",
          .may_pass = false};
}

Refusal changed_after_acceptance(std::span<const std::string> fields, std::string_view kind) {
  constexpr std::size_t kMostNamed = 10;
  const std::string names =
      few_names(fields, kMostNamed, [](const std::string& field) { return "spec.config." + field; });
  const std::string workload(kind);
  return Refusal{.reason = "ImmutableFieldChanged",
                 .message = names + ": changed after acceptance; the " + workload +
                            " goes on with what was accepted. Create a new " + workload + " to run the change",
                 .may_pass = false};
}

Refusal out_of_reach(const Error& error, bool database_answers) {
  return {.reason = database_answers ? "KubernetesUnavailable" : "DatabaseUnavailable",
          .message = error.message,
          .may_pass = true};
}

Task<Result<std::variant<store::UserRow, Refusal>>> default_owner(store::UserStore& users, std::string username) {
  using Answer = std::variant<store::UserRow, Refusal>;
  auto user = co_await users.find_by_name(username);
  DET_CO_TRY(user);
  if (*user) co_return Answer(std::move(**user));
  co_return Answer(Refusal{.reason = "OwnerNotFound",
                           .message = "what kubectl makes belongs to the user '" + username +
                                      "' (--default-owner), and there is none of that name: make it with `det user "
                                      "create " +
                                      username + "`, or start the operator with another",
                           .may_pass = true});
}

}  // namespace det::op
