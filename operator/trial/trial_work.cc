#include "operator/trial/trial_work.h"

#include <cmath>
#include <limits>

#include <nlohmann/json.hpp>

#include "base/json_get.h"
#include "searcher/event_json.h"
#include "searcher/make_search.h"

namespace det::op {
namespace {

using nlohmann::json;
using searcher::Event;
using searcher::Generation;
using searcher::RequestId;

// A result that is no number (NaN travels as a text) comes last in its rung: training diverged, or measured nothing.
double metric_of(const json& value, bool smaller_is_better) {
  if (value.is_number() && std::isfinite(value.get<double>())) return value.get<double>();
  const double worst = std::numeric_limits<double>::max();
  return smaller_is_better ? worst : -worst;
}

// The result of an operation.
Event event_of_result(const WorkPlan& plan, RequestId trial, const json& input) {
  const json& metric = get_any(input, "metric");
  return searcher::OperationCompleted{.request_id = trial,
                                      .length = get_integer(input, "length"),
                                      .metric = metric_of(metric, plan.smaller_is_better),
                                      .answer = plan.is_custom && !metric.is_number() ? metric : json()};
}

// A validation of a trial that does not ask: the operation it was given is done when it has trained that far.
std::optional<Event> event_of_length(const WorkPlan& plan, const searcher::Search& search, RequestId id,
                                     const json& input) {
  const auto work = search.work_of(id);
  const json& trained = get_any(input, "trained");
  if (!work || work->is_complete || !trained.is_number()) return std::nullopt;
  if (trained.get<double>() < static_cast<double>(work->length)) return std::nullopt;
  const json& metric = get_any(get_any(input, "metrics"), plan.metric);
  return searcher::OperationCompleted{
      .request_id = id, .length = work->length, .metric = metric_of(metric, plan.smaller_is_better), .answer = {}};
}

// What the runner wants; the REST server wrote it in the log's form.
Result<std::optional<Event>> event_of_commands(const json& input) {
  auto event = searcher::event_from_json(get_any(input, "commands"));
  DET_TRY(event);
  return std::optional<Event>(*std::move(event));
}

}  // namespace

WorkPlan work_plan(const model::SearcherConfig& config) {
  WorkPlan plan;
  plan.generation = searcher::generation_of(config);
  plan.is_custom = config.name == "custom";
  plan.metric = config.metric;
  plan.smaller_is_better = config.smaller_is_better;
  if (config.max_length && config.max_length->units > 0) {
    plan.max_length = config.max_length->units;
    plan.unit = config.max_length->unit;
  }
  return plan;
}

Result<std::optional<Event>> event_of_input(const WorkPlan& plan, const searcher::Search& search,
                                            const store::TrialRow* trial, const json& input) {
  const std::string kind = get_string(input, "kind");
  if (kind == "commands") return event_of_commands(input);
  const bool is_of_trial = kind == "operation" || kind == "progress" || kind == "validation";
  if (!is_of_trial) return fail(ErrorCode::kInvalidArgument, "input of an unknown kind");
  const auto id = searcher::read_request_id(get_string(input, "request_id"));
  DET_TRY(id);
  if (kind == "operation") {
    if (plan.generation != Generation::kOperations) return std::optional<Event>();
    return std::optional<Event>(event_of_result(plan, *id, input));
  }
  if (kind == "progress") {
    const json& units = get_any(input, "units");
    if (!plan.is_custom || !units.is_number()) return std::optional<Event>();
    return std::optional<Event>(searcher::Progressed{.request_id = *id, .fraction = units.get<double>()});
  }
  // A trial that was stopped may report until it hears of it. Those results would be ranked a second time, and bring
  // more trials than may run at once.
  if (search.is_stopped(*id)) return fail(ErrorCode::kFailedPrecondition, "the trial was stopped");
  if (plan.generation == Generation::kCurrent) {
    return std::optional<Event>(searcher::Validated{.request_id = *id, .metrics = get_any(input, "metrics")});
  }
  if (trial != nullptr && trial->work.is_asked_for) return std::optional<Event>();  // says the same with its operation
  return event_of_length(plan, search, *id, input);
}

std::optional<store::WorkOrder> work_order(const WorkPlan& plan, const searcher::Search& search,
                                           const store::TrialRow& trial) {
  if (model::is_terminal(trial.state)) return std::nullopt;
  store::WorkOrder order{.trial = trial.id, .length = 0, .is_last = false, .settled = trial.work.settled};
  if (plan.generation == Generation::kOperations) {
    const auto id = searcher::parse_request_id(trial.request_id);
    const auto work = id ? search.work_of(*id) : std::nullopt;
    if (!work) return std::nullopt;
    order.length = work->length;
    order.is_last = work->is_last;
    if (work->is_complete) order.settled = work->length;
  } else if (plan.max_length) {
    order.length = *plan.max_length;
    order.is_last = true;
  } else {
    return std::nullopt;
  }
  const store::TrialWork& known = trial.work;
  const bool is_right =
      known.length == order.length && known.is_last == order.is_last && known.settled == order.settled;
  return is_right ? std::nullopt : std::optional(order);
}

std::string measured_rungs_note(const WorkPlan& plan) {
  const std::string unit = plan.unit.empty() ? "batches" : plan.unit;
  return "the trials' harness (0.38 or later) does not ask for operations: the rungs of searcher.max_length are "
         "measured on "
         "the " +
         unit + " that its validations report; write time_metric and max_time instead of max_length for such images";
}

}  // namespace det::op
