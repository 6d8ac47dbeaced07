// The two routes of a custom search's runner, a program of the user with the package determined 0.37 or before.

#include <algorithm>

#include "api/arguments.h"
#include "api/body.h"
#include "api/searches/routes.h"
#include "api/searches/runner_wire.h"
#include "api/wakeups.h"
#include "base/json_get.h"
#include "searcher/event_json.h"
#include "wire/enums.h"
#include "wire/request_fields.h"

namespace det::api::routes {

namespace {

constexpr std::chrono::seconds kLongPoll{60};
// Notifications can be lost with the connection that brings them: look anyway now and then.
constexpr std::chrono::seconds kLookAgain{15};

Task<Result<store::ExperimentRow>> experiment_of(ApiServices& services, model::ExperimentId id) {
  auto row = co_await services.stores.experiments.find(id);
  DET_CO_TRY(row);
  if (!*row) co_return fail(ErrorCode::kNotFound, "experiment '" + to_string(id) + "' not found");
  const std::string name = get_string(get_any((*row)->config, "searcher"), "name");
  if (name != "custom") {
    co_return fail(ErrorCode::kInvalidArgument,
                   "experiment " + to_string(id) + " has the searcher '" + name +
                       "', which decides by itself: only `searcher.name: custom` has a runner outside",
                   "searcher.name");
  }
  co_return std::move(**row);
}

http::Response events_answer(wire::Json events) {
  return ok({{"searcherEvents", std::move(events)}});
}

}  // namespace

// Answers at once when something waits for the runner or the experiment does not run, else within a minute.
Task<Result<http::Response>> searcher_events(ApiServices& services, Call call) {
  const auto id = path_id(call.request);
  DET_CO_TRY(id);
  Wakeups::Watch watch(services.wakeups, {Wakeups::runner_key(*id), Wakeups::experiment_key(*id)});
  const auto until = services.clock.steady_now() + kLongPoll;
  for (;;) {
    const auto seen = watch.version();
    const auto row = co_await experiment_of(services, model::ExperimentId{*id});
    DET_CO_TRY(row);
    wire::Json list = wire::Json::array();
    if (row->state != model::ExperimentState::kActive) {
      list.push_back(inactive_event(wire::experiment_state(row->state, std::nullopt)));
      co_return events_answer(std::move(list));
    }
    const auto events = co_await services.stores.custom_searches.waiting(row->id);
    DET_CO_TRY(events);
    for (const auto& event : *events) list.push_back(to_wire(event));
    const auto left = until - services.clock.steady_now();
    if (!list.empty() || left <= left.zero()) co_return events_answer(std::move(list));
    co_await watch.wait(seen, std::min<std::chrono::nanoseconds>(left, kLookAgain));
  }
}

// What comes after the end is nobody's mistake: the runner learns of it with its next look at the events.
Task<Result<http::Response>> post_searcher_operations(ApiServices& services, Call call) {
  const auto id = path_id(call.request);
  DET_CO_TRY(id);
  const auto body = co_await parse_body(services, call);
  DET_CO_TRY(body);
  const auto row = co_await experiment_of(services, model::ExperimentId{*id});
  DET_CO_TRY(row);
  const auto commands = read_commands(*body);
  DET_CO_TRY(commands);
  if (model::is_terminal(row->state) || model::is_stopping(row->state)) co_return ok();
  const bool ends = std::ranges::any_of(commands->wishes, [](const searcher::Decision& wish) {
    return std::holds_alternative<searcher::Shutdown>(wish.action);
  });
  wire::Json input = {{"kind", "commands"}, {"commands", searcher::to_json(searcher::Event(*commands))}};
  DET_CO_TRY(co_await services.stores.custom_searches.answer(row->id, commands->number, std::move(input), ends));
  co_return ok();
}

}  // namespace det::api::routes
