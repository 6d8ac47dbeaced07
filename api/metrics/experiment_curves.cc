// GET /api/v1/experiments/{id}/curves: a route of ours. One metric of an experiment's trials for a picture, in few
// bytes: hundreds of curves come in one answer of some hundred kilobytes.

#include <array>
#include <charconv>
#include <cmath>

#include "api/experiments/named_experiment.h"
#include "api/metrics/routes.h"
#include "api/metrics/series_request.h"
#include "api/shared_answers.h"
#include "api/views.h"
#include "base/guarded_work.h"

namespace det::api::routes {

namespace {

constexpr std::int64_t kMostTrials = 500;
constexpr std::size_t kPoints = 12'000;  // of all curves together
constexpr int kDigits = 9;               // more than a screen shows, and half of the bytes

void append(std::string& text, double value, std::chars_format form, int digits) {
  std::array<char, 40> room{};
  const auto [end, ec] = std::to_chars(room.data(), room.data() + room.size(), value, form, digits);
  text.append(room.data(), end);
}

template <typename Value>
std::string list(const std::vector<Value>& values, auto append_one) {
  std::string text = "[";
  for (const Value value : values) {
    if (text.size() > 1) text += ',';
    append_one(text, value);
  }
  return text + ']';
}

// A place on the axis: batches as they are, seconds to the thousandth.
std::string axis_text(const store::TrialCurve& curve, bool is_time) {
  if (!is_time) return list(curve.steps, [](std::string& text, std::int32_t steps) { text += std::to_string(steps); });
  return list(curve.seconds,
              [](std::string& text, double seconds) { append(text, seconds, std::chars_format::fixed, 3); });
}

// Without those that are no number a line would go straight over them.
void append_value(std::string& text, double value) {
  if (std::isnan(value)) {
    text += R"("NaN")";
  } else if (std::isinf(value)) {
    text += value > 0 ? R"("Infinity")" : R"("-Infinity")";
  } else {
    append(text, value, std::chars_format::general, kDigits);
  }
}

std::string answer_text(const store::ExperimentCurves& found, bool is_time) {
  std::string text = R"({"totalTrials":)" + std::to_string(found.trials) + R"(,"curves":[)";
  for (const store::TrialCurve& curve : found.curves) {
    if (!text.ends_with('[')) text += ',';
    text += R"({"trialId":)" + to_string(curve.trial) + R"(,"x":)" + axis_text(curve, is_time);
    text += R"(,"y":)" + list(curve.values, append_value) + "}";
  }
  return text + "]}";
}

struct Request {
  store::ExperimentCurvesQuery query;
  bool is_time = false;
};

Result<Request> read_request(const http::Params& params) {
  QueryArguments arguments(params);
  Request request;
  auto metric = parse_metric_id("metricId", arguments.text("metricId").value_or(""));
  DET_TRY(metric);
  request.query.group = std::move(metric->group);
  request.query.name = std::move(metric->name);
  const std::string axis = arguments.text("axis").value_or("batches");
  if (axis != "batches" && axis != "time") {
    return fail(ErrorCode::kInvalidArgument, "axis: '" + axis + "' is neither batches nor time", "axis");
  }
  request.is_time = axis == "time";
  const StepRange steps = read_step_range(arguments);
  request.query.from_steps = steps.from;
  request.query.to_steps = steps.to;
  const auto points = read_most_points(arguments, kPoints);
  const std::int64_t limit = arguments.integer("limit").value_or(kMostTrials);
  DET_TRY(arguments.status());
  DET_TRY(points);
  request.query.points = static_cast<std::int64_t>(*points);
  if (limit < 1 || limit > kMostTrials) {
    return fail(ErrorCode::kInvalidArgument,
                "limit: " + std::to_string(limit) + " is not from 1 to " + std::to_string(kMostTrials), "limit");
  }
  request.query.most_trials = limit;
  return request;
}

// Of requests that are answered alike.
std::string key_of(const Request& request) {
  const store::ExperimentCurvesQuery& query = request.query;
  std::string key;
  for (const std::int64_t number : {query.experiment.value, query.from_steps, query.to_steps, query.points,
                                    query.most_trials, std::int64_t{request.is_time}}) {
    key += std::to_string(number) + ' ';
  }
  return key + std::to_string(query.group.size()) + ' ' + query.group + query.name;
}

Task<Result<std::string>> read_answer(ApiServices& services, Request request, std::string user) {
  const auto found = co_await services.stores.metric_series.curves(std::move(request.query), std::move(user));
  DET_CO_TRY(found);
  auto work = [&found, is_time = request.is_time] { return answer_text(*found, is_time); };
  co_return co_await run_guarded(services.workers, std::move(work));
}

}  // namespace

Task<Result<http::Response>> experiment_curves(ApiServices& services, Call call) {
  auto request = read_request(call.request.query);
  DET_CO_TRY(request);
  const auto row = co_await named_experiment(services, call);
  DET_CO_TRY(row);
  request->query.experiment = row->id;
  std::string key = key_of(*request);
  // A team that watches a search asks for the same curves every few seconds.
  SharedAnswers::Read read = [&services, &request, user = to_string(call.caller.user.id)] {
    return read_answer(services, std::move(*request), user);
  };
  const auto answer = co_await services.shared_answers.get(std::move(key), std::move(read));
  DET_CO_TRY(answer);
  co_return http::Response::json(**answer);
}

}  // namespace det::api::routes
