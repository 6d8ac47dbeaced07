#include "api/metrics/series_request.h"

#include <algorithm>
#include <charconv>
#include <limits>

#include "api/metric_group.h"

namespace det::api {

namespace {

constexpr std::size_t kMostTrials = 500;
constexpr std::size_t kMostNames = 100;
constexpr std::size_t kMostListed = 1'000;
constexpr std::size_t kMostPoints = 20'000;
constexpr std::size_t kMostOfAll = 500'000;  // points of one answer
constexpr std::size_t kPoints = 200;
const char* const kFilter = "timeSeriesFilter";

std::unexpected<Error> wrong(std::string_view field, const std::string& text) {
  return fail(ErrorCode::kInvalidArgument, std::string(field) + ": " + text, std::string(field));
}

Result<double> number(std::string_view name, const std::string& text) {
  double value = 0;
  const auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (ec != std::errc() || end != text.data() + text.size()) return wrong(name, "'" + text + "' is not a number");
  return value;
}

Result<double> seconds(std::string_view name, const std::string& text) {
  const auto time = parse_rfc3339(text);
  if (!time) return wrong(name, "'" + text + "' is not a time like 2026-11-21T02:00:00Z");
  return static_cast<double>(time->time_since_epoch().count()) / 1e6;
}

// The bounds of one of the ranges; whether it is there at all.
template <typename Read>
Result<bool> read_range(const QueryArguments& arguments, const std::string& range, Read read, CurveAxis& axis) {
  bool is_there = false;
  const auto bound = [&](const char* which, double& value, bool& includes, bool inclusive, bool is_upper) -> Status {
    const std::string name = std::string(kFilter) + "." + range + "." + which;
    const auto text = arguments.text(name);
    if (!text || text->empty()) return {};
    is_there = true;
    const auto given = read(name, *text);
    DET_TRY(given);
    const bool is_narrower = is_upper ? *given < value : *given > value;
    if (!is_narrower && *given != value) return {};
    includes = inclusive && (is_narrower || includes);
    value = *given;
    return {};
  };
  DET_TRY(bound("gt", axis.from, axis.includes_from, false, false));
  DET_TRY(bound("gte", axis.from, axis.includes_from, true, false));
  DET_TRY(bound("lt", axis.to, axis.includes_to, false, true));
  DET_TRY(bound("lte", axis.to, axis.includes_to, true, true));
  return is_there;
}

Result<std::vector<double>> read_list(const QueryArguments& arguments, const char* which) {
  const std::string name = std::string(kFilter) + ".integerRange." + which;
  std::vector<double> values;
  for (const std::string& text : arguments.texts(name)) {
    const auto value = number(name, text);
    DET_TRY(value);
    values.push_back(*value);
  }
  if (values.size() > kMostListed) return wrong(name, "more than " + std::to_string(kMostListed) + " values");
  return values;
}

Result<CurveAxis> read_axis(const QueryArguments& arguments) {
  CurveAxis axis;
  const std::string name = arguments.text(std::string(kFilter) + ".name").value_or("batches");
  if (name == "time") axis.kind = CurveAxis::Kind::kTime;
  if (name != "time" && name != "batches" && !name.empty()) {
    axis.kind = CurveAxis::Kind::kMetric;
    axis.metric = name;
  }
  const auto doubles = read_range(arguments, "doubleRange", number, axis);
  DET_TRY(doubles);
  const auto integers = read_range(arguments, "integerRange", number, axis);
  DET_TRY(integers);
  const auto times = read_range(arguments, "timeRange", seconds, axis);
  DET_TRY(times);
  auto only = read_list(arguments, "incl");
  DET_TRY(only);
  axis.only = std::move(*only);
  auto never = read_list(arguments, "notIn");
  DET_TRY(never);
  axis.never = std::move(*never);
  const bool has_integers = *integers || !axis.only.empty() || !axis.never.empty();
  const int ranges = static_cast<int>(*doubles) + static_cast<int>(has_integers) + static_cast<int>(*times);
  if (ranges > 1) {
    return wrong(kFilter, "only one filter range may be specified, but there are " + std::to_string(ranges));
  }
  if (*times && axis.kind != CurveAxis::Kind::kTime) {
    return wrong(kFilter, "a timeRange is for the name 'time', not '" + name + "'");
  }
  if (axis.from > axis.to) return wrong(kFilter, "the smallest value is larger than the largest");
  return axis;
}

Status read_names(const QueryArguments& arguments, SeriesRequest& request) {
  const auto group = read_metric_group(arguments);
  DET_TRY(group);
  const auto names = arguments.texts("metricNames");
  const auto ids = arguments.texts("metricIds");
  if (!names.empty() && !ids.empty()) return wrong("metricIds", "not together with metricNames");
  if (names.size() + ids.size() > kMostNames) {
    return wrong(names.empty() ? "metricIds" : "metricNames", "more than " + std::to_string(kMostNames) + " metrics");
  }
  for (const std::string& id : ids) {
    auto metric = parse_metric_id("metricIds", id);
    DET_TRY(metric);
    request.names[metric->group].push_back(std::move(metric->name));
  }
  // Without a group: of both that Determined has always had.
  if (!names.empty() && group->empty()) request.names = {{"training", names}, {"validation", names}};
  if (!names.empty() && !group->empty()) request.names = {{*group, names}};
  for (auto& [of, list] : request.names) {
    std::ranges::sort(list);
    list.erase(std::unique(list.begin(), list.end()), list.end());
  }
  return {};
}

}  // namespace

Result<NamedMetric> read_named_metric(const QueryArguments& arguments) {
  std::string name = arguments.text("metricName").value_or("");
  if (name.empty()) return fail(ErrorCode::kInvalidArgument, "must specify a metric name", "metricName");
  auto group = read_metric_group(arguments);
  DET_TRY(group);
  if (group->empty()) return fail(ErrorCode::kInvalidArgument, "must specify a metric group", "group");
  return NamedMetric{.group = std::move(*group), .name = std::move(name)};
}

Result<NamedMetric> parse_metric_id(std::string_view field, const std::string& id) {
  const std::size_t dot = id.find('.');
  if (dot == std::string::npos) {
    return wrong(field, "invalid metric identifier: '" + id + "' expected <group>.<name>");
  }
  if (dot == 0) return wrong(field, "metric group cannot be empty");
  if (dot + 1 == id.size()) return wrong(field, "metric name cannot be empty");
  return NamedMetric{.group = id.substr(0, dot), .name = id.substr(dot + 1)};
}

StepRange read_step_range(QueryArguments& arguments) {
  constexpr std::int64_t kLast = std::numeric_limits<std::int32_t>::max();
  StepRange range{.from = arguments.integer("startBatches").value_or(0),
                  .to = arguments.integer("endBatches").value_or(0)};
  range.from = std::clamp<std::int64_t>(range.from, 0, kLast);
  range.to = range.to <= 0 ? kLast : std::min(range.to, kLast);
  return range;
}

Result<std::size_t> read_most_points(QueryArguments& arguments, std::size_t otherwise) {
  const std::int64_t asked = arguments.integer("maxDatapoints").value_or(0);
  if (asked < 0) return wrong("maxDatapoints", std::to_string(asked) + " is less than zero");
  return asked == 0 ? otherwise : static_cast<std::size_t>(std::min<std::int64_t>(asked, kMostPoints));
}

Result<SeriesRequest> read_series_request(const http::Params& query) {
  QueryArguments arguments(query);
  SeriesRequest request;
  request.trials = arguments.integers("trialIds");
  request.steps = read_step_range(arguments);
  const auto most = read_most_points(arguments, kPoints);
  request.is_spread = arguments.boolean("spread").value_or(false);
  DET_TRY(arguments.status());
  DET_TRY(most);
  request.most = *most;
  std::ranges::sort(request.trials);
  request.trials.erase(std::unique(request.trials.begin(), request.trials.end()), request.trials.end());
  if (request.trials.size() > kMostTrials) {
    return wrong("trialIds", "more than " + std::to_string(kMostTrials) + " trials");
  }
  DET_TRY(read_names(arguments, request));
  if (request.trials.size() * request.names.size() * request.most > kMostOfAll) {
    return wrong("maxDatapoints", "trials, groups and points together make more than " + std::to_string(kMostOfAll));
  }
  auto axis = read_axis(arguments);
  DET_TRY(axis);
  request.axis = std::move(*axis);
  return request;
}

}  // namespace det::api
