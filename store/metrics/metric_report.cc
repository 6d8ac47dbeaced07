#include "store/metrics/metric_report.h"

#include <limits>
#include <utility>

namespace det::store {
namespace {

// A name that PostgreSQL can keep.
std::string clean(const std::string& name) {
  std::string out;
  for (const char c : name) {
    if (c == '\0') {
      out += "\xEF\xBF\xBD";  // U+FFFD
    } else {
      out += c;
    }
  }
  return out;
}

std::unexpected<Error> wrong(const std::string& field, const std::string& what) {
  return fail(ErrorCode::kInvalidArgument, field + ": " + what, field);
}

}  // namespace

std::optional<double> metric_number(const nlohmann::json& value) {
  if (value.is_number()) return value.get<double>();
  if (!value.is_string()) return std::nullopt;
  const auto& text = value.get_ref<const std::string&>();
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (text == "NaN") return std::numeric_limits<double>::quiet_NaN();
  if (text == "Infinity") return kInfinity;
  if (text == "-Infinity") return -kInfinity;
  return std::nullopt;
}

Result<MetricValues> split_metrics(const nlohmann::json& avg_metrics, const nlohmann::json& batch_metrics) {
  if (!avg_metrics.is_object() && !avg_metrics.is_null()) {
    return wrong("metrics.metrics.avgMetrics",
                 "expected an object of metric names and values, got " + std::string(avg_metrics.type_name()));
  }
  if (!batch_metrics.is_array() && !batch_metrics.is_null()) {
    return wrong("metrics.metrics.batchMetrics",
                 "expected a list of objects or null, got " + std::string(batch_metrics.type_name()));
  }
  if (avg_metrics.size() > kMostMetrics) {
    return wrong("metrics.metrics.avgMetrics", std::to_string(avg_metrics.size()) + " metrics in one report; at most " +
                                                   std::to_string(kMostMetrics) + " are taken");
  }
  MetricValues split;
  for (const auto& [raw_name, value] : avg_metrics.items()) {
    if (raw_name.size() > kLongestMetricName) {
      return wrong("metrics.metrics.avgMetrics", "the metric name " + raw_name.substr(0, 40) + "... has " +
                                                     std::to_string(raw_name.size()) + " bytes; at most " +
                                                     std::to_string(kLongestMetricName) + " are taken");
    }
    std::string name = clean(raw_name);
    const std::optional<double> number = metric_number(value);
    if (!number) split.extra["avg"][name] = value;
    split.names.push_back(std::move(name));
    split.values.push_back(number);
  }
  if (batch_metrics.is_array() && !batch_metrics.empty()) split.extra["batch"] = batch_metrics;
  return split;
}

}  // namespace det::store
