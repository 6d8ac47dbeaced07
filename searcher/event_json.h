#pragma once

// Events and decisions as JSON, the form in which the searcher's log keeps them. Pure.
//   {"in":"initial"}, {"in":"created","id":..}, {"in":"validation","id":..,"metrics":{..}},
//   {"in":"exited_early","id":..,"reason":"ERRORED"}, {"in":"exited","id":..}, {"in":"progress","id":..,"value":0.5}
//   {"in":"validation","id":..,"length":100,"metric":0.5} answers an operation; "closed" is another word for "exited"
//   {"in":"commands","number":3,"wishes":[decisions],"progress":0.5}
//   {"t":"create","id":..,"seed":..,"hp":{..},"why":..}, {"t":"stop","id":..,"why":..},
//   {"t":"validate_after","id":..,"length":100,"why":..}, {"t":"close","id":..,"why":..},
//   {"t":"shutdown","cancel":false,"failure":false,"why":..}, {"t":"tell","number":3,"event":{..},"why":..}

#include <optional>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "base/result.h"
#include "searcher/search_method.h"

namespace det::searcher {

[[nodiscard]] nlohmann::json to_json(const Event& event);
// kDataLoss when it is not an event.
[[nodiscard]] Result<Event> event_from_json(const nlohmann::json& value);

[[nodiscard]] nlohmann::json to_json(const Decision& decision);
[[nodiscard]] nlohmann::json to_json(const Decisions& decisions);
[[nodiscard]] Result<Decision> decision_from_json(const nlohmann::json& value);

// "INVALID_HP".
[[nodiscard]] std::string_view to_string(ExitReason reason);
[[nodiscard]] std::optional<ExitReason> parse_exit_reason(std::string_view word);

}  // namespace det::searcher
