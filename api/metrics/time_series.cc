// Curves of several trials, to be drawn in one picture.

#include <algorithm>
#include <cmath>
#include <limits>

#include "api/access_check.h"
#include "api/metrics/routes.h"
#include "api/metrics/series_request.h"
#include "api/views.h"
#include "base/guarded_work.h"

namespace det::api::routes {

namespace {

// Of an answer's text; what is asked for is bounded by points, which can have many values each.
constexpr std::size_t kMostText = std::size_t{64} << 20;
constexpr double kMostSteps = std::numeric_limits<std::int32_t>::max();  // that there can be

const char* type_of(const std::string& group) {
  if (group == "training") return "METRIC_TYPE_TRAINING";
  if (group == "validation") return "METRIC_TYPE_VALIDATION";
  return "METRIC_TYPE_UNSPECIFIED";
}

// A v1DownsampledMetrics; empty when there is nothing to draw.
std::string metrics_text(const store::MetricTable& table, const CurveQuery& query, const std::string& group) {
  const auto rows = pick_rows(table, query);
  if (rows.empty()) return "";
  return R"({"data":)" + curve_text(table, query, rows) + R"(,"type":")" + type_of(group) + R"(","group":)" +
         wire::dump(group) + "}";
}

store::TableQuery table_query(const SeriesRequest& request, model::TrialId trial, const std::string& group,
                              const CurveQuery& curve) {
  store::TableQuery query{.trial = trial,
                          .group = group,
                          .names = columns_of(curve),
                          .from_steps = request.steps.from,
                          .to_steps = request.steps.to,
                          .spread = request.is_spread ? static_cast<std::int64_t>(request.most) : 0,
                          .points = static_cast<std::int64_t>(request.most),
                          .is_outlined = !request.is_spread && curve.axis.is_plain()};
  if (curve.axis.kind != CurveAxis::Kind::kBatches) return query;
  // The index knows steps: what the filter leaves out is not even read.
  const CurveAxis& axis = curve.axis;
  if (std::isfinite(axis.from)) {
    const double first = axis.includes_from ? std::ceil(axis.from) : std::floor(axis.from) + 1;
    query.from_steps = std::max(query.from_steps, static_cast<std::int64_t>(std::clamp(first, 0.0, kMostSteps)));
  }
  if (std::isfinite(axis.to)) {
    const double last = axis.includes_to ? std::floor(axis.to) : std::ceil(axis.to) - 1;
    query.to_steps = std::min(query.to_steps, static_cast<std::int64_t>(std::clamp(last, -1.0, kMostSteps)));
  }
  return query;
}

// "metrics" of one trial.
Task<Result<std::string>> curves(ApiServices& services, const SeriesRequest& request, model::TrialId trial,
                                 std::string user) {
  std::string text = "[";
  for (const auto& [group, names] : request.names) {
    const CurveQuery curve{.names = names, .axis = request.axis, .most = request.most};
    const auto table =
        co_await services.stores.metric_series.table(table_query(request, trial, group, curve), thinning(curve), user);
    DET_CO_TRY(table);
    auto work = [&table, &curve, &of = group] { return metrics_text(*table, curve, of); };
    const std::string metrics = co_await run_guarded(services.workers, std::move(work));
    if (metrics.empty()) continue;
    if (text.size() > 1) text += ',';
    text += metrics;
  }
  co_return text + "]";
}

}  // namespace

Task<Result<http::Response>> trials_time_series(ApiServices& services, Call call) {
  const auto request = read_series_request(call.request.query);
  DET_CO_TRY(request);
  DET_CO_TRY(
      co_await require_trials(services, call.caller, request->trials, model::Permission::kViewExperimentArtifacts));
  const std::string user = to_string(call.caller.user.id);
  std::string text = R"({"trials":[)";
  for (const std::int64_t id : request->trials) {
    const auto view = co_await services.stores.trials.view(model::TrialId{id});
    DET_CO_TRY(view);
    if (!*view) co_return fail(ErrorCode::kNotFound, "trial '" + std::to_string(id) + "' not found");
    const auto metrics = co_await curves(services, *request, model::TrialId{id}, user);
    DET_CO_TRY(metrics);
    if (!text.ends_with('[')) text += ',';
    text += R"({"trial":)" + wire::dump(wire::to_json(to_wire(**view))) + R"(,"metrics":)" + *metrics + "}";
    if (text.size() > kMostText) {
      co_return fail(ErrorCode::kResourceExhausted, "the answer is too large: ask for fewer trials, metrics or points");
    }
  }
  co_return http::Response::json(text + "]}");
}

}  // namespace det::api::routes
