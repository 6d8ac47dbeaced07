// The searcher's work as harnesses before 0.38 ask for it: lengths to train to, one after the other. Whoever
// asks here is such a harness; its image decides that, not the experiment's configuration.

#include "api/arguments.h"
#include "api/searches/routes.h"
#include "api/trials/trial_memory.h"
#include "api/wakeups.h"
#include "wire/request_fields.h"

namespace det::api::routes {

namespace {

// Notifications can be lost with the connection that brings them: look anyway now and then.
constexpr std::chrono::seconds kLookAgain{15};

http::Response out_of_work() {
  return ok({{"op", nullptr}, {"completed", true}});
}

// Nobody should train any more, whatever the search says: the slots are wanted back, or the trial is over.
Task<Result<bool>> must_leave(ApiServices& services, store::TrialRow trial) {
  if (model::is_terminal(trial.state) || model::is_stopping(trial.state)) co_return true;
  const auto run = co_await services.stores.allocations.find(model::allocation_id(trial.task_id, trial.run));
  DET_CO_TRY(run);
  co_return *run && ((*run)->preempt_requested_at || (*run)->ended_at);
}

}  // namespace

// A long poll without an end of its own, as upstream's: it answers when the search has decided what comes after the
// result that the trial reported last, which takes one look of the leader.
Task<Result<http::Response>> searcher_operation(ApiServices& services, Call call) {
  const auto id = path_id(call.request);
  DET_CO_TRY(id);
  const model::TrialId trial{*id};
  const auto facts = co_await services.trial_memory.facts(trial);
  DET_CO_TRY(facts);
  if (!facts->max_length && !facts->is_custom) {
    co_return fail(
        ErrorCode::kInvalidArgument,
        "searcher.max_length: not set, and the harness of this trial's image (0.37 or older) asks for a length "
        "to train to; add `max_length: {batches: N}`, or take an image with determined 0.38",
        "searcher.max_length");
  }
  auto row = co_await services.stores.trials.ask_for_work(trial);
  DET_CO_TRY(row);
  Wakeups::Watch watch(services.wakeups, {Wakeups::trial_key(*id),
                                          Wakeups::allocation_key(model::allocation_id(row->task_id, row->run))});
  for (;;) {
    const auto seen = watch.version();
    const auto now = co_await services.stores.trials.find(trial);
    DET_CO_TRY(now);
    if (!*now) co_return fail(ErrorCode::kNotFound, "trial '" + std::to_string(*id) + "' not found");
    const store::TrialWork& work = (*now)->work;
    if (work.length && *work.length > work.completed && !model::is_stopping((*now)->state)) {
      co_return ok({{"op", {{"validateAfter", {{"length", std::to_string(*work.length)}}}}}, {"completed", false}});
    }
    if (work.is_over() || work.is_awaited()) co_return out_of_work();
    const auto leave = co_await must_leave(services, **now);
    DET_CO_TRY(leave);
    if (*leave) co_return out_of_work();
    co_await watch.wait(seen, kLookAgain);
  }
}

// {"op":{"length":20},"searcherMetric":<any JSON>}
Task<Result<http::Response>> complete_operation(ApiServices& services, Call call) {
  const auto id = path_id(call.request);
  DET_CO_TRY(id);
  auto body = wire::parse_body(call.request.body.view());
  DET_CO_TRY(body);
  wire::RequestFields fields(*body);
  fields.require("op");
  wire::RequestFields operation = fields.object("op");
  operation.require("length");
  const std::int64_t length = operation.integer("length").value_or(0);
  for (const Status& status : {fields.status(), operation.status()}) {
    DET_CO_TRY(status);
  }
  const wire::Json* const metric = fields.any("searcherMetric");
  wire::Json value = metric == nullptr ? wire::Json() : *metric;
  DET_CO_TRY(co_await services.stores.trials.complete_work(model::TrialId{*id}, length, std::move(value)));
  co_return ok();
}

}  // namespace det::api::routes
