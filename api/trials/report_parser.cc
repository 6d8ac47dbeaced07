#include "api/trials/report_parser.h"

#include <limits>
#include <utility>

#include "api/trials/plain_report.h"
#include "wire/request_fields.h"

namespace det::api {

namespace {

constexpr std::size_t kMaxGroup = 1000;

Status check_group(const std::string& group) {
  if (group.empty()) return fail(ErrorCode::kInvalidArgument, "missing argument: group", "group");
  if (group.find('.') != std::string::npos || group.size() > kMaxGroup) {
    return fail(ErrorCode::kInvalidArgument,
                "group: '" + group.substr(0, 100) + "' must be a name of up to 1000 bytes without a '.'", "group");
  }
  return {};
}

}  // namespace

Result<ParsedReport> parse_report(std::string_view body) {
  if (auto plain = read_plain_report(body)) return std::move(*plain);
  return parse_any_report(body);
}

Result<ParsedReport> parse_any_report(std::string_view body) {
  const auto json = wire::parse_body(body);
  DET_TRY(json);
  ParsedReport report;
  wire::RequestFields fields(*json);
  report.group = fields.string("group").value_or("");
  wire::RequestFields metrics = fields.object("metrics");
  DET_TRY(fields.status());
  DET_TRY(check_group(report.group));

  metrics.require("trialId");
  report.trial_id = metrics.integer("trialId").value_or(0);
  report.run_id = metrics.integer("trialRunId").value_or(0);
  const auto steps = metrics.integer("stepsCompleted");
  const auto reported_at = metrics.string("reportTime");
  wire::RequestFields values = metrics.object("metrics");
  DET_TRY(metrics.status());
  if (steps) {
    if (*steps < 0 || *steps > std::numeric_limits<std::int32_t>::max()) {
      return fail(ErrorCode::kInvalidArgument,
                  "metrics.stepsCompleted: " + std::to_string(*steps) + " is not between 0 and 2147483647",
                  "metrics.stepsCompleted");
    }
    report.steps = static_cast<std::int32_t>(*steps);
  }
  if (reported_at) {
    report.report_time = parse_rfc3339(*reported_at);
    if (!report.report_time) {
      return fail(ErrorCode::kInvalidArgument,
                  "metrics.reportTime: '" + *reported_at + "' is not a time like 2026-11-21T02:00:00Z",
                  "metrics.reportTime");
    }
  }
  const wire::Json nothing;
  const wire::Json* const avg = values.any("avgMetrics");
  const wire::Json* const batches = values.any("batchMetrics");
  auto split = store::split_metrics(avg == nullptr ? nothing : *avg, batches == nullptr ? nothing : *batches);
  DET_TRY(split);
  report.metrics = std::move(*split);
  return report;
}

}  // namespace det::api
