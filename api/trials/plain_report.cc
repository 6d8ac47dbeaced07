#include "api/trials/plain_report.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "api/plain_json.h"

namespace det::api {

namespace {

using simdjson::dom::element;
using Fields = std::optional<element>;

constexpr std::size_t kLongestGroup = 100;

constexpr std::array<PlainName, 2> kBody{{{"group", "group"}, {"metrics", "metrics"}}};
constexpr std::array<PlainName, 5> kMetrics{{{"trialId", "trial_id"},
                                             {"trialRunId", "trial_run_id"},
                                             {"stepsCompleted", "steps_completed"},
                                             {"reportTime", "report_time"},
                                             {"metrics", "metrics"}}};
constexpr std::array<PlainName, 2> kValues{{{"avgMetrics", "avg_metrics"}, {"batchMetrics", "batch_metrics"}}};

// Names sorted, as store::split_metrics has them; false for a value that is not a number, or a name that comes twice.
bool read_numbers(element from, store::MetricValues& to) {
  simdjson::dom::object object;
  if (from.get(object) != simdjson::SUCCESS || object.size() > store::kMostMetrics) return false;
  std::vector<std::pair<std::string_view, double>> metrics;
  metrics.reserve(object.size());
  for (const auto field : object) {
    double value = 0;
    if (!field.value.is_number() || field.value.get(value) != simdjson::SUCCESS) return false;
    if (field.key.size() > store::kLongestMetricName) return false;
    metrics.emplace_back(field.key, value);
  }
  const auto name = [](const auto& metric) { return metric.first; };
  if (!std::ranges::is_sorted(metrics, {}, name)) std::ranges::sort(metrics, {}, name);
  if (std::ranges::adjacent_find(metrics, {}, name) != metrics.end()) return false;
  to.names.reserve(metrics.size());
  to.values.reserve(metrics.size());
  for (const auto& [text, value] : metrics) {
    to.names.emplace_back(text);
    to.values.emplace_back(value);
  }
  return true;
}

bool read_group(const Fields& from, std::string& to) {
  std::string_view group;
  if (!from || !read_plain(from, group)) return false;
  if (group.empty() || group.size() > kLongestGroup || group.find('.') != std::string_view::npos) return false;
  to = group;
  return true;
}

bool read_steps_and_time(const Fields& steps_field, const Fields& time_field, ParsedReport& to) {
  std::int64_t steps = 0;
  std::string_view time;
  if (!read_plain(steps_field, steps) || !read_plain(time_field, time)) return false;
  if (steps < 0 || steps > std::numeric_limits<std::int32_t>::max()) return false;
  if (steps_field) to.steps = static_cast<std::int32_t>(steps);
  if (time_field) to.report_time = parse_rfc3339(time);
  return !time_field || to.report_time;
}

}  // namespace

std::optional<ParsedReport> read_plain_report(std::string_view body) {
  // An escape can make a name that PostgreSQL cannot keep.
  if (body.find('\\') != std::string_view::npos) return std::nullopt;
  simdjson::dom::parser parser;
  element root;
  if (!parse_plain(parser, body, root)) return std::nullopt;
  const auto fields = plain_fields(root, kBody);
  if (!fields || !(*fields)[1]) return std::nullopt;
  const auto metrics = plain_fields(*(*fields)[1], kMetrics);
  if (!metrics || !(*metrics)[0] || !(*metrics)[4]) return std::nullopt;
  const auto values = plain_fields(*(*metrics)[4], kValues);
  if (!values || !(*values)[0] || (*values)[1]) return std::nullopt;
  ParsedReport report;
  const bool is_plain = read_group((*fields)[0], report.group) && read_plain((*metrics)[0], report.trial_id) &&
                        read_plain((*metrics)[1], report.run_id) &&
                        read_steps_and_time((*metrics)[2], (*metrics)[3], report) &&
                        read_numbers(*(*values)[0], report.metrics);
  if (!is_plain) return std::nullopt;
  return report;
}

}  // namespace det::api
